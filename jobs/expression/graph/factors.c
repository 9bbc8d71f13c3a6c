#include "factors.h"

uint32_t hb_factors_times(const hb_factors *factors, uint32_t node)
{
    for (int i = 0; i < HB_FACTORS_MOST; i++) {
        if (factors->times[i] > 0 && factors->node[i] == node) {
            return factors->times[i];
        }
    }
    return 0;
}

/* Says `times` of a factor; it takes the place of the rarest, if it is no rarer. */
static void set(hb_factors *factors, uint32_t node, uint32_t times)
{
    int place = 0;
    for (int i = 0; i < HB_FACTORS_MOST; i++) {
        if (factors->times[i] > 0 && factors->node[i] == node) {
            factors->times[i] = times;
            return;
        }
        place = factors->times[i] < factors->times[place] ? i : place;
    }
    if (times >= factors->times[place]) {
        factors->node[place] = node;
        factors->times[place] = times;
    }
}

void hb_factors_add(hb_factors *factors, uint32_t node)
{
    set(factors, node, hb_factors_times(factors, node) + 1);
}

void hb_factors_merge(hb_factors *factors, const hb_factors *others)
{
    for (int i = 0; i < HB_FACTORS_MOST; i++) {
        if (others->times[i] > hb_factors_times(factors, others->node[i])) {
            set(factors, others->node[i], others->times[i]);
        }
    }
}
