#include "linear_plan.h"

#include <stdlib.h>
#include <string.h>

/* In (-n/2, n/2]. */
static int64_t centred(int64_t number, int64_t n)
{
    const int64_t rest = (number % n + n) % n;
    return rest <= n / 2 ? rest : rest - n;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* The greatest common divisor of all numbers; 1 where they are all 0. */
static int64_t stride_of(const hb_diagonals *diagonals, int64_t n)
{
    int64_t stride = 0;
    for (uint32_t i = 0; i < diagonals->count; i++) {
        stride = common_divisor(stride, centred(diagonals->numbers[i], n));
    }
    return stride > 0 ? stride : 1;
}

/* Returns how many widths of all baby steps are below a number: its giant step; the baby step is the rest. */
static int64_t widths_below(int64_t number, int64_t width)
{
    return number / width - (number % width < 0);
}

/* Steps found so far, and which of them has a key: index + 1, or 0. */
typedef struct list {
    int64_t *steps;
    uint32_t *place; /* by keys */
    uint32_t count;
} list;

static uint32_t index_of(list *l, size_t key, int64_t step)
{
    if (l->place[key] == 0) {
        l->steps[l->count++] = step;
        l->place[key] = l->count;
    }
    return l->place[key] - 1;
}

/* Exchanges giant step 0 with the first one. */
static void put_zero_first(hb_linear_plan *plan)
{
    uint32_t zero = 0;
    while (zero < plan->giants && plan->giant[zero] != 0) {
        zero++;
    }
    if (zero == 0 || zero == plan->giants) {
        return;
    }
    plan->giant[zero] = plan->giant[0];
    plan->giant[0] = 0;
    for (uint32_t i = 0; i < plan->terms; i++) {
        uint32_t *giant = &plan->term[i].giant;
        *giant = *giant == zero ? 0 : *giant == 0 ? zero : *giant;
    }
}

hb_status hb_linear_plan_init(hb_linear_plan *plan, size_t slots, uint32_t baby, const hb_diagonals *diagonals)
{
    const size_t count = diagonals->count;
    const int64_t n = (int64_t)slots, width = (int64_t)baby * stride_of(diagonals, n);
    HB_ASSERT(baby >= 1 && baby <= slots && count >= 1 && count <= slots);
    *plan = (hb_linear_plan){.terms = diagonals->count, .period = diagonals->period > 0 ? diagonals->period : slots};
    HB_ASSERT((plan->period & (plan->period - 1)) == 0 && slots % plan->period == 0);
    int64_t *steps = calloc(2 * count, sizeof *steps);
    uint32_t *places = calloc(2 * slots + 1, sizeof *places);
    plan->term = calloc(count, sizeof *plan->term);
    plan->baby = steps; /* the list is the plan's from here on */
    if (steps == NULL || places == NULL || plan->term == NULL) {
        free(places);
        return HB_FAIL(HB_ENOMEM, "no memory for the plan of a linear map of %zu diagonals", count);
    }
    list babies = {.steps = steps, .place = places}, giants = {.steps = steps + count, .place = places + slots};
    for (uint32_t i = 0; i < count; i++) {
        const int64_t number = centred(diagonals->numbers[i], n), below = widths_below(number, width);
        const int64_t baby_step = (number - below * width) % n, giant_step = (below * width % n + n) % n;
        plan->term[i].baby = index_of(&babies, (size_t)baby_step, baby_step);
        /* Steps by n / 2 and -n / 2 are one rotation, and yet two: each rounds its own sum. By 0 and -n nothing is
         * rounded. */
        const int64_t key = giant_step == 0 ? 0 : below;
        plan->term[i].giant = index_of(&giants, (size_t)(key + n / 2), giant_step);
    }
    plan->giant = giants.steps;
    plan->babies = babies.count;
    plan->giants = giants.count;
    free(places);
    put_zero_first(plan);
    return HB_OK;
}

void hb_linear_plan_clear(hb_linear_plan *plan)
{
    free(plan->baby);
    free(plan->term);
    memset(plan, 0, sizeof *plan);
}

static uint32_t count_rotations(const int64_t *steps, uint32_t count)
{
    uint32_t rotations = 0;
    for (uint32_t i = 0; i < count; i++) {
        rotations += steps[i] != 0;
    }
    return rotations;
}

static hb_linear_shape shape_of(const hb_linear_plan *plan)
{
    return (hb_linear_shape){plan->terms, count_rotations(plan->baby, plan->babies),
                             count_rotations(plan->giant, plan->giants), plan->giants, plan->period};
}

hb_status hb_linear_shape_of(hb_linear_shape *shape, size_t slots, uint32_t baby, const hb_diagonals *diagonals)
{
    hb_linear_plan plan;
    const hb_status st = hb_linear_plan_init(&plan, slots, baby, diagonals);
    if (st == HB_OK) {
        *shape = shape_of(&plan);
    }
    hb_linear_plan_clear(&plan);
    return st;
}

static int by_step(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

hb_status hb_linear_steps(uint32_t *count, int64_t *steps, size_t slots, uint32_t baby, const hb_diagonals *diagonals)
{
    hb_linear_plan plan;
    const hb_status st = hb_linear_plan_init(&plan, slots, baby, diagonals);
    if (st == HB_OK) {
        memcpy(steps, plan.baby, plan.babies * sizeof *steps);
        memcpy(steps + plan.babies, plan.giant, plan.giants * sizeof *steps);
        const uint32_t all = plan.babies + plan.giants;
        qsort(steps, all, sizeof *steps, by_step);
        *count = 0;
        int64_t last = 0; /* which is no rotation */
        for (uint32_t i = 0; i < all; i++) {
            if (steps[i] != last) {
                last = steps[(*count)++] = steps[i];
            }
        }
    }
    hb_linear_plan_clear(&plan);
    return st;
}

hb_status hb_linear_baby(uint32_t *baby, size_t slots, const hb_diagonals *diagonals)
{
    uint32_t fewest = UINT32_MAX, found = 1;
    for (uint32_t b = 1; b <= slots; b *= 2) {
        hb_linear_plan plan;
        const hb_status st = hb_linear_plan_init(&plan, slots, b, diagonals);
        const uint32_t rotations = plan.babies + plan.giants;
        hb_linear_plan_clear(&plan);
        HB_TRY(st);
        found = rotations < fewest ? b : found;
        fewest = rotations < fewest ? rotations : fewest;
    }
    *baby = found;
    return HB_OK;
}
