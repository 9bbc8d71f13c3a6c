#include "table_commit.h"

static hb_status agree(void *context, hb_status mine)
{
    return hb_agree(context, mine);
}

static hb_status sum(void *context, uint64_t *values, size_t size)
{
    return hb_group_sum(context, values, size);
}

hb_status hb_table_team_commit(const hb_table_team *team, hb_table_writer *writer, hb_table_text_size *text)
{
    hb_group *writers = team->writers;
    /* Ranks that are bound to processors may have more of them than others: each takes as many as all have. */
    uint64_t lacking = UINT64_MAX - hb_machine_processors_each((uint32_t)team->all->node_size);
    HB_TRY(hb_group_max(writers, &lacking, 1));
    const bool several = writers->size > 1;
    const hb_table_ranks ranks = {.rank = (uint64_t)writers->rank,
                                  .count = (uint64_t)writers->size,
                                  .threads = (uint32_t)hb_smaller(UINT64_MAX - lacking, HB_TABLE_TEAM_THREADS),
                                  .agree = several ? agree : NULL,
                                  .sum = several ? sum : NULL,
                                  .context = writers};
    return hb_table_commit_together(writer, &ranks, text);
}
