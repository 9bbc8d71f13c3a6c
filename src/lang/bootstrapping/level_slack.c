/* Backwards from the results: a value's slack is the least over its users of the user's slack plus the value's distance
 * to the user's lowest operand. As no step falls by more than its operands do, all may be lowered at once. */
#include "level_slack.h"

#include <stdlib.h>

/* A solution on its way backwards. */
typedef struct spares {
    const hb_placement_problem *p;
    hb_placement *x;
    const uint8_t *level; /* [steps] */
    uint32_t *own;        /* [steps] levels of the value, before any bootstrap, that no step needs */
} spares;

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static bool is_taken_bootstrapped(const spares *s, uint32_t value, uint32_t step)
{
    return s->x->from[value] != HB_PLACEMENT_NEVER && s->x->from[value] <= step;
}

static uint32_t level_taken(const spares *s, uint32_t value, uint32_t step)
{
    return is_taken_bootstrapped(s, value, step) ? s->p->result : s->level[value];
}

/* Passes the slack of a step on to its operands: its own, and the distance of each to the lowest of them. */
static void pass_on(spares *s, uint32_t i)
{
    const hb_placement_step *step = &s->p->steps[i];
    const uint32_t lowest = (uint32_t)s->level[i] + step->levels;
    for (uint32_t j = 0; j < step->operand_count; j++) {
        const uint32_t a = step->operands[j];
        uint32_t *spare = is_taken_bootstrapped(s, a, i) ? &s->x->spare[a] : &s->own[a];
        *spare = lesser(*spare, s->own[i] + level_taken(s, a, i) - lowest);
    }
}

hb_status hb_placement_find_slack(const hb_placement_problem *p, const uint8_t *level, hb_placement *x)
{
    const size_t count = (size_t)p->count + 1;
    spares s = {.p = p, .x = x, .level = level, .own = malloc(count * sizeof *s.own)};
    bool *taken = calloc(count, sizeof *taken);
    x->spare = malloc(count * sizeof *x->spare);
    x->enough = malloc(count * sizeof *x->enough);
    if (s.own == NULL || taken == NULL || x->spare == NULL || x->enough == NULL) {
        free(s.own);
        free(taken);
        return HB_FAIL(HB_ENOMEM, "no memory for the levels of a placement");
    }
    for (uint32_t i = 0; i < p->count; i++) {
        const hb_placement_step *step = &p->steps[i];
        s.own[i] = level[i] - step->least;
        x->spare[i] = x->from[i] == HB_PLACEMENT_NEVER || p->result < step->least ? 0 : p->result - step->least;
        for (uint32_t j = 0; j < step->operand_count; j++) {
            taken[step->operands[j]] = true;
        }
    }
    for (uint32_t i = p->count; i-- > 0;) {
        if (x->from[i] != HB_PLACEMENT_NEVER) {
            s.own[i] = lesser(s.own[i], level[i] - p->operand);
        }
        if (p->steps[i].stored || !taken[i]) {
            s.own[i] = 0;
        }
        x->enough[i] = level[i] - s.own[i] + (p->steps[i].operand_count > 0 ? p->steps[i].levels : 0);
        pass_on(&s, i);
    }
    free(s.own);
    free(taken);
    return HB_OK;
}
