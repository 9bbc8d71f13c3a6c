/* Backwards from the results: a value may be lowered by what all who take it may be, and by how far it is above the
 * lowest of what they take with it. As no step falls by more than its operands do, all may be lowered at once. */
#include "placement_spare.h"

#include <stdlib.h>

/* Levels of a value, and how many of them nobody needs. */
typedef struct levels {
    uint32_t level, spare;
} levels;

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static bool is_taken_bootstrapped(const hb_placement *x, uint32_t value, uint32_t step)
{
    return x->from[value] != HB_PLACEMENT_NEVER && x->from[value] <= step;
}

static uint32_t lowest_operand(const hb_placement_problem *p, const hb_placement *x, const levels *own, uint32_t i)
{
    const hb_placement_step *step = &p->steps[i];
    uint32_t lowest = UINT32_MAX;
    for (uint32_t j = 0; j < step->operand_count; j++) {
        const uint32_t a = step->operands[j];
        lowest = lesser(lowest, is_taken_bootstrapped(x, a, i) ? p->result : own[a].level);
    }
    return lowest;
}

/* Leaves the operands of a step what it can do without. */
static void pass_on(const hb_placement_problem *p, const hb_placement *x, levels *own, uint32_t i)
{
    const hb_placement_step *step = &p->steps[i];
    const uint32_t lowest = lowest_operand(p, x, own, i);
    for (uint32_t j = 0; j < step->operand_count; j++) {
        const uint32_t a = step->operands[j];
        const bool bootstrapped = is_taken_bootstrapped(x, a, i);
        uint32_t *spare = bootstrapped ? &x->spare[a] : &own[a].spare;
        *spare = lesser(*spare, own[i].spare + (bootstrapped ? p->result : own[a].level) - lowest);
    }
}

hb_status hb_placement_find_spare(const hb_placement_problem *p, hb_placement *x)
{
    const size_t count = (size_t)p->count + 1;
    levels *own = malloc(count * sizeof *own);
    bool *taken = calloc(count, sizeof *taken);
    x->spare = malloc(count * sizeof *x->spare);
    if (own == NULL || taken == NULL || x->spare == NULL) {
        free(own);
        free(taken);
        return HB_FAIL(HB_ENOMEM, "no memory for the levels of a placement");
    }
    for (uint32_t i = 0; i < p->count; i++) {
        const hb_placement_step *step = &p->steps[i];
        own[i].level = step->operand_count == 0 ? step->levels : lowest_operand(p, x, own, i) - step->levels;
        own[i].spare = own[i].level - step->least;
        x->spare[i] = x->from[i] == HB_PLACEMENT_NEVER || p->result < step->least ? 0 : p->result - step->least;
        for (uint32_t j = 0; j < step->operand_count; j++) {
            taken[step->operands[j]] = true;
        }
    }
    for (uint32_t i = p->count; i-- > 0;) {
        if (x->from[i] != HB_PLACEMENT_NEVER) {
            own[i].spare = lesser(own[i].spare, own[i].level - p->operand);
        }
        if (p->steps[i].stored || !taken[i]) {
            own[i].spare = 0;
        }
        pass_on(p, x, own, i);
    }
    free(own);
    free(taken);
    return HB_OK;
}
