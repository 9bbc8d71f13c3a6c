#include "transition.h"

#include <math.h>

uint32_t hb_placement_kinds(const hb_placement_problem *p)
{
    uint32_t kinds = 1;
    for (uint32_t i = 0; i < p->count; i++) {
        kinds = p->steps[i].values.kind >= kinds ? p->steps[i].values.kind + 1 : kinds;
    }
    return kinds;
}

bool hb_transition_bootstraps(const hb_placement_step *step, uint32_t operand, hb_transition way)
{
    return way.levels[operand] < way.below || step->operands[operand] == way.mate;
}

uint32_t hb_transition_times(const hb_placement_problem *p, uint32_t level, uint32_t below)
{
    return p->gain == 0 ? 1 : (below - level + p->gain - 1) / p->gain;
}

uint32_t hb_transition_raised(const hb_placement_problem *p, uint32_t level, uint32_t below)
{
    const uint32_t raised = level + hb_transition_times(p, level, below) * p->gain;
    return p->gain == 0 || raised > p->result ? p->result : raised;
}

int hb_transition_level(const hb_placement_problem *p, uint32_t i, hb_transition way)
{
    const hb_placement_step *step = &p->steps[i];
    int lowest = INT32_MAX;
    for (uint32_t j = 0; j < step->operand_count; j++) {
        const bool bootstrapped = hb_transition_bootstraps(step, j, way);
        if (bootstrapped && (way.levels[j] < p->operand || !hb_placement_can_bootstrap(&p->steps[step->operands[j]]))) {
            return -1;
        }
        const int level = bootstrapped ? (int)hb_transition_raised(p, way.levels[j], way.below) : way.levels[j];
        lowest = level < lowest ? level : lowest;
    }
    const int level = step->operand_count == 0 ? (int)step->levels : lowest - (int)step->levels;
    return level >= 0 ? (int)hb_placement_capped(step, (uint32_t)level) : -1;
}

/* Adds a value to those of its kind. Returns the complex ciphertexts of it. */
static double put(hb_placement_together *together, const hb_placement_values *values)
{
    hb_placement_together *all = &together[values->kind];
    all->reals += values->reals;
    all->times = fmax(all->times, values->times);
    return values->complex * values->times;
}

/* The cost of bootstrapping a value of this kind, once. */
static double take(hb_placement_together *together, const hb_placement_problem *p, const hb_placement_values *values)
{
    const hb_placement_together all = together[values->kind];
    together[values->kind] = (hb_placement_together){0};
    return all.times * ((double)(all.reals / 2) * p->complex + (double)(all.reals % 2) * p->real[values->total]);
}

double hb_transition_cost(const hb_placement_problem *p, uint32_t i, hb_transition way, hb_placement_together *together)
{
    const hb_placement_step *step = &p->steps[i];
    const bool another = way.mate != HB_PLACEMENT_NEVER;
    double complex = another ? put(together, &p->steps[way.mate].values) : 0;
    for (uint32_t j = 0; j < step->operand_count; j++) {
        if (step->operands[j] != way.mate && hb_transition_bootstraps(step, j, way)) {
            complex +=
                put(together, &p->steps[step->operands[j]].values) * hb_transition_times(p, way.levels[j], way.below);
        }
    }
    double cost = complex * p->complex + (another ? take(together, p, &p->steps[way.mate].values) : 0);
    for (uint32_t j = 0; j < step->operand_count; j++) {
        if (hb_transition_bootstraps(step, j, way)) {
            cost += take(together, p, &p->steps[step->operands[j]].values);
        }
    }
    return cost;
}

bool hb_transition_pairs(const hb_placement_problem *p, uint32_t i, hb_transition way, uint32_t x)
{
    const hb_placement_step *step = &p->steps[i];
    const hb_placement_values *own = &p->steps[x].values;
    /* Row blocks of one value are pairs themselves. */
    if (own->reals % 2 == 0 || x == i || 2 * p->real[own->total] <= (1 + 0x1p-20) * p->complex) {
        return false;
    }
    uint64_t reals = 0;
    for (uint32_t j = 0; j < step->operand_count; j++) {
        const hb_placement_values *values = &p->steps[step->operands[j]].values;
        if (hb_transition_bootstraps(step, j, way)) {
            if (step->operands[j] == x) {
                return false;
            }
            reals += values->kind == own->kind ? values->reals : 0;
        }
    }
    return reals % 2 == 1;
}
