#include "resident_units.h"

#include <stdlib.h>
#include <string.h>

static hb_resident_units *find(const hb_residents *all, const hb_resident_key *key)
{
    for (size_t i = 0; i < all->count; i++) {
        if (memcmp(&all->of[i]->key, key, sizeof *key) == 0) {
            return all->of[i];
        }
    }
    return NULL;
}

static void free_units(hb_engine *engine, hb_resident_units *of)
{
    for (size_t p = 0; p < of->pieces; p++) {
        hb_free(engine, of->piece[p]);
        free(of->seeds[p]);
    }
    free(of->piece);
    free(of->seeds);
    free(of->unit);
    free(of);
}

static void drop(hb_residents *all, hb_resident_units *of)
{
    for (size_t i = 0; of != NULL && i < all->count; i++) {
        if (all->of[i] == of) {
            all->of[i] = all->of[--all->count];
            all->bytes -= of->bytes;
            free_units(all->engine, of);
            return;
        }
    }
}

/* Drops datasets until `more` bytes, at most the budget, fit into it: the one that was not used for longest first, and
 * so those of the job that runs behind all others. */
static void drop_until_fits(hb_residents *all, uint64_t more)
{
    while (all->bytes > all->most - more) {
        hb_resident_units *oldest = all->of[0];
        for (size_t i = 1; i < all->count; i++) {
            oldest = all->of[i]->used < oldest->used ? all->of[i] : oldest;
        }
        drop(all, oldest);
    }
}

/* Whether `count` units of `each` bytes, which are some, fit into the budget beside the datasets of the job that
 * runs. */
static bool fits_beside_own(const hb_residents *all, uint64_t count, uint64_t each)
{
    uint64_t own = 0;
    for (size_t i = 0; i < all->count; i++) {
        own += all->of[i]->used == all->job ? all->of[i]->bytes : 0;
    }
    return own <= all->most && count <= (all->most - own) / each;
}

void hb_residents_begin(hb_residents *all)
{
    all->job++;
}

void hb_residents_use(hb_residents *all, const hb_resident_key *key)
{
    hb_resident_units *of = find(all, key);
    if (of != NULL) {
        of->used = all->job;
    }
}

void hb_residents_bound(hb_residents *all, uint64_t most)
{
    all->most = most;
    drop_until_fits(all, 0);
}

/* --- room */

/* Adds an empty dataset to the list. NULL: no memory. */
static hb_resident_units *add(hb_residents *all, const hb_resident_need *need)
{
    hb_resident_units **longer = realloc(all->of, (all->count + 1) * sizeof *longer);
    hb_resident_units *of = calloc(1, sizeof *of);
    hb_resident_unit *unit = calloc((size_t)need->units + 1, sizeof *unit);
    all->of = longer != NULL ? longer : all->of;
    if (longer == NULL || of == NULL || unit == NULL) {
        free(of);
        free(unit);
        return NULL;
    }
    *of = (hb_resident_units){.unit = unit, .units = need->units, .used = all->job, .key = need->key};
    all->of[all->count++] = of;
    return of;
}

static bool lacks(const hb_resident_units *of, const hb_resident_need *need, uint64_t u)
{
    return need->wanted[u] && (of == NULL || atomic_load(&of->unit[u].state) == HB_UNIT_ABSENT);
}

static uint64_t count_lacking(const hb_resident_units *of, const hb_resident_need *need)
{
    uint64_t lacking = 0;
    for (uint64_t u = 0; u < need->units; u++) {
        lacking += lacks(of, need, u);
    }
    return lacking;
}

/* Divides a piece of memory among the units that lack it. */
static void divide(hb_resident_units *of, const hb_resident_need *need, uint8_t *piece, hb_seed *seeds)
{
    for (uint64_t u = 0; u < need->units; u++) {
        if (lacks(of, need, u)) {
            of->unit[u].packed = piece;
            of->unit[u].seeds = seeds;
            piece += need->bytes;
            seeds = seeds != NULL ? seeds + need->seeds : NULL;
            atomic_store(&of->unit[u].state, HB_UNIT_ROOM);
        }
    }
}

/* Adds a piece with room for `count` units. Returns whether there was memory. */
static bool add_piece(hb_engine *engine, hb_resident_units *of, const hb_resident_need *need, uint64_t count)
{
    void **pieces = realloc(of->piece, (of->pieces + 1) * sizeof *pieces);
    of->piece = pieces != NULL ? pieces : of->piece;
    hb_seed **lists = realloc(of->seeds, (of->pieces + 1) * sizeof *lists);
    of->seeds = lists != NULL ? lists : of->seeds;
    hb_seed *seeds = need->seeds > 0 ? calloc((size_t)(count * need->seeds), sizeof *seeds) : NULL;
    void *piece = NULL;
    const bool host = pieces != NULL && lists != NULL && (seeds != NULL || need->seeds == 0);
    if (!host || hb_alloc(engine, (size_t)(count * need->bytes), &piece) != HB_OK) {
        hb_clear_error();
        free(seeds);
        return false;
    }
    of->piece[of->pieces] = piece;
    of->seeds[of->pieces++] = seeds;
    divide(of, need, piece, seeds);
    return true;
}

hb_resident_units *hb_residents_room(hb_residents *all, hb_engine *engine, const hb_resident_need *need)
{
    HB_ASSERT(all->count == 0 || all->engine == engine);
    hb_resident_units *of = find(all, &need->key);
    const uint64_t lacking = count_lacking(of, need);
    all->engine = engine;
    if (of != NULL) {
        of->used = all->job;
    }
    if (lacking == 0 || !fits_beside_own(all, lacking, need->each)) {
        return of;
    }
    drop_until_fits(all, lacking * need->each);
    of = of != NULL ? of : add(all, need);
    if (of != NULL && add_piece(engine, of, need, lacking)) {
        of->bytes += lacking * need->each;
        all->bytes += lacking * need->each;
    } else if (of != NULL && of->pieces == 0) {
        drop(all, of);
        of = NULL;
    }
    return of;
}

/* --- units */

const hb_resident_unit *hb_resident_there(const hb_resident_units *of, uint64_t u)
{
    return of != NULL && atomic_load(&of->unit[u].state) == HB_UNIT_THERE ? &of->unit[u] : NULL;
}

hb_resident_unit *hb_resident_claim(hb_resident_units *of, uint64_t u)
{
    int room = HB_UNIT_ROOM;
    return of != NULL && atomic_compare_exchange_strong(&of->unit[u].state, &room, HB_UNIT_FILLED) ? &of->unit[u]
                                                                                                   : NULL;
}

/* Takes what the job filled. Returns whether no room is empty. */
static bool settle(hb_resident_units *of)
{
    bool whole = true;
    for (uint64_t u = 0; u < of->units; u++) {
        int filled = HB_UNIT_FILLED;
        atomic_compare_exchange_strong(&of->unit[u].state, &filled, HB_UNIT_THERE);
        whole = whole && filled != HB_UNIT_ROOM;
    }
    return whole;
}

void hb_residents_settle(hb_residents *all)
{
    for (size_t i = all->count; i-- > 0;) {
        if (!settle(all->of[i]) || all->of[i]->goes) {
            drop(all, all->of[i]);
        }
    }
}

void hb_residents_clear(hb_residents *all)
{
    while (all->count > 0) {
        drop(all, all->of[all->count - 1]);
    }
    free(all->of);
    all->of = NULL;
    all->engine = NULL;
}
