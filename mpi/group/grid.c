#include "grid.h"

hb_status hb_grid_open(hb_grid *grid, hb_group *all, uint32_t k)
{
    *grid = (hb_grid){.all = all};
    const uint32_t ranks = (uint32_t)all->size, rank = (uint32_t)all->rank;
    if (k == 0 || ranks % k != 0) {
        return HB_FAIL(HB_EUSAGE, "%u ranks cannot be divided into groups of %u", ranks, k);
    }
    /* All ranks pass the same k, so all take the same branch above: splitting, which is collective, is reached by all
     * or none. */
    HB_TRY(hb_group_split(all, rank / k, &grid->members));
    return hb_group_split(all, rank % k, &grid->peers);
}

void hb_grid_close(hb_grid *grid)
{
    /* Closing is collective among the parts: every rank closes its column, then its row. */
    hb_group_close(grid->peers);
    hb_group_close(grid->members);
    *grid = (hb_grid){0};
}
