#include "replay.h"

#include <stdlib.h>

#include "level_slack.h"
#include "transition.h"

/* A walk through the steps. */
typedef struct walk {
    const hb_placement_problem *p;
    hb_placement *out;
    uint32_t capacity; /* of its list */
    uint8_t *computed; /* [steps] levels of values before they are bootstrapped, ... */
    uint8_t *level;    /* ... and after it */
} walk;

void hb_placement_clear(hb_placement *placement)
{
    free(placement->from);
    free(placement->spare);
    free(placement->enough);
    free(placement->raises);
    *placement = (hb_placement){0};
}

/* --- the list of bootstraps */

static int by_value(const void *x, const void *y)
{
    const hb_placement_raise *a = x, *b = y;
    return a->value != b->value ? (a->value < b->value ? -1 : 1) : (a->step > b->step) - (a->step < b->step);
}

uint32_t hb_placement_times(const hb_placement *x, uint32_t value, uint32_t step)
{
    uint32_t first = 0, last = x->raise_count, times = 0;
    while (first < last) {
        const uint32_t middle = first + (last - first) / 2;
        first = x->raises[middle].value < value ? middle + 1 : first;
        last = x->raises[middle].value < value ? last : middle;
    }
    for (; first < x->raise_count && x->raises[first].value == value && x->raises[first].step <= step; first++) {
        times += x->raises[first].times;
    }
    return times;
}

/* Bootstraps a value before a step that takes it, or beside it. */
static hb_status raise(walk *w, uint32_t value, uint32_t step, uint32_t below)
{
    hb_placement *out = w->out;
    if (out->raise_count == w->capacity) {
        w->capacity = 2 * w->capacity + 16;
        hb_placement_raise *longer = realloc(out->raises, w->capacity * sizeof *longer);
        if (longer == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for a placement");
        }
        out->raises = longer;
    }
    out->raises[out->raise_count++] =
        (hb_placement_raise){value, step, hb_transition_times(w->p, w->level[value], below)};
    w->level[value] = (uint8_t)hb_transition_raised(w->p, w->level[value], below);
    out->from[value] = out->from[value] < step ? out->from[value] : step;
    return HB_OK;
}

static hb_status replay_step(walk *w, uint32_t i, uint32_t below, uint32_t mate)
{
    const hb_placement_step *step = &w->p->steps[i];
    uint32_t lowest = step->operand_count == 0 ? step->levels : UINT32_MAX;
    if (mate != HB_PLACEMENT_NEVER) {
        HB_TRY(raise(w, mate, i, w->p->result));
    }
    for (uint32_t j = 0; j < step->operand_count; j++) {
        const uint32_t x = step->operands[j];
        if (w->level[x] < below) {
            HB_TRY(raise(w, x, i, below));
        }
        lowest = w->level[x] < lowest ? w->level[x] : lowest;
    }
    w->computed[i] = w->level[i] =
        (uint8_t)hb_placement_capped(step, step->operand_count == 0 ? lowest : lowest - step->levels);
    return HB_OK;
}

static hb_status replay_steps(walk *w, const uint8_t *below, const uint32_t *mate)
{
    for (uint32_t i = 0; i < w->p->count; i++) {
        HB_TRY(replay_step(w, i, below[i], mate[i]));
    }
    if (w->out->raise_count > 0) {
        qsort(w->out->raises, w->out->raise_count, sizeof *w->out->raises, by_value);
    }
    return w->p->gain > 0 ? HB_OK : hb_placement_find_slack(w->p, w->computed, w->out);
}

hb_status hb_placement_replay(const hb_placement_problem *p, const uint8_t *below, const uint32_t *mate,
                              hb_placement *out)
{
    uint8_t *levels = malloc(2 * (size_t)p->count + 1);
    if (levels == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a placement");
    }
    walk w = {.p = p, .out = out, .computed = levels, .level = levels + p->count};
    const hb_status st = replay_steps(&w, below, mate);
    free(levels);
    return st;
}
