#include "linear_plan.h"

#include <math.h>
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

static hb_status plan_init(hb_linear_plan *plan, size_t slots, uint32_t baby, const hb_diagonals *diagonals)
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

/* Returns where a step is in a list; its length: nowhere. */
static uint32_t place_in(const int64_t *steps, uint32_t count, int64_t step)
{
    uint32_t at = 0;
    while (at < count && steps[at] != step) {
        at++;
    }
    return at;
}

/* Gives a plan other giant steps, among which its own are. */
static hb_status take_giants(hb_linear_plan *plan, const int64_t *giants, uint32_t count)
{
    int64_t *steps = malloc(((size_t)plan->babies + count) * sizeof *steps);
    if (steps == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the giant steps of a sum of linear maps");
    }
    memcpy(steps, plan->baby, plan->babies * sizeof *steps);
    memcpy(steps + plan->babies, giants, count * sizeof *steps);
    for (uint32_t i = 0; i < plan->terms; i++) {
        plan->term[i].giant = place_in(giants, count, plan->giant[plan->term[i].giant]);
    }
    free(plan->baby);
    plan->baby = steps;
    plan->giant = steps + plan->babies;
    plan->giants = count;
    return HB_OK;
}

/* Step 0 comes first, where any plan has it; a step that is in a plan twice is one. */
static hb_status join(hb_linear_plan *plans, uint32_t count)
{
    size_t most = 1;
    uint32_t all = 0;
    bool zero = false;
    for (uint32_t k = 0; k < count; k++) {
        most += plans[k].giants;
        zero = zero || plans[k].giant[0] == 0;
    }
    int64_t *giants = calloc(most, sizeof *giants);
    if (giants == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the giant steps of a sum of linear maps");
    }
    all = zero;
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t g = 0; g < plans[k].giants; g++) {
            const uint32_t at = place_in(giants, all, plans[k].giant[g]);
            giants[at] = plans[k].giant[g];
            all += at == all;
        }
    }
    hb_status st = HB_OK;
    for (uint32_t k = 0; k < count && st == HB_OK; k++) {
        st = take_giants(&plans[k], giants, all);
    }
    free(giants);
    return st;
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

static int by_step(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Copies the rotations of a plan behind others: each step once, but for 0. */
static void add_steps(const int64_t *from, uint32_t number, int64_t *steps, uint32_t *count)
{
    for (uint32_t i = 0; i < number; i++) {
        if (from[i] != 0 && place_in(steps, *count, from[i]) == *count) {
            steps[(*count)++] = from[i];
        }
    }
}

hb_status hb_linear_plans_init(hb_linear_plan *plans, size_t slots, const hb_linear_part *parts, uint32_t count)
{
    memset(plans, 0, count * sizeof *plans);
    for (uint32_t k = 0; k < count; k++) {
        HB_TRY(plan_init(&plans[k], slots, parts[k].baby, parts[k].diagonals));
    }
    return count > 1 ? join(plans, count) : HB_OK;
}

static void clear_sum(hb_linear_plan *plans, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        hb_linear_plan_clear(&plans[k]);
    }
}

hb_status hb_linear_sum_shape_of(hb_linear_shape *shape, size_t slots, const hb_linear_part *parts, uint32_t count)
{
    hb_linear_plan plans[HB_LINEAR_PARTS];
    const hb_status st = hb_linear_plans_init(plans, slots, parts, count);
    for (uint32_t k = 0; k < count && st == HB_OK; k++) {
        const hb_linear_shape own = shape_of(&plans[k]);
        *shape = k == 0 ? own : *shape;
        shape->diagonals += k == 0 ? 0 : own.diagonals;
        shape->babies += k == 0 ? 0 : own.babies;
    }
    clear_sum(plans, count);
    return st;
}

hb_status hb_linear_sum_steps(uint32_t *count, int64_t *steps, size_t slots, const hb_linear_part *parts,
                              uint32_t part_count)
{
    hb_linear_plan plans[HB_LINEAR_PARTS];
    const hb_status st = hb_linear_plans_init(plans, slots, parts, part_count);
    *count = 0;
    for (uint32_t k = 0; k < part_count && st == HB_OK; k++) {
        add_steps(plans[k].baby, plans[k].babies, steps, count);
        add_steps(plans[k].giant, plans[k].giants, steps, count);
    }
    if (st == HB_OK) {
        qsort(steps, *count, sizeof *steps, by_step);
    }
    clear_sum(plans, part_count);
    return st;
}

/* The plans of a map for baby steps up to 2^i. */
typedef struct baby_plans {
    hb_linear_plan plan[32];
    uint32_t count;
} baby_plans;

static hb_status plan_all(baby_plans *all, size_t slots, const hb_diagonals *diagonals)
{
    hb_status st = HB_OK;
    for (uint32_t b = 1; b <= slots && st == HB_OK; b *= 2) {
        st = plan_init(&all->plan[all->count++], slots, b, diagonals);
    }
    return st;
}

/* Returns how many giant steps either plan has, but for 0. */
static uint32_t common_giants(const hb_linear_plan *a, const hb_linear_plan *b)
{
    uint32_t giants = count_rotations(a->giant, a->giants);
    for (uint32_t i = 0; i < b->giants; i++) {
        giants += b->giant[i] != 0 && place_in(a->giant, a->giants, b->giant[i]) == a->giants;
    }
    return giants;
}

/* Finds the plans with which both parts cost least, of one part by itself. */
static void choose(const baby_plans *all, uint32_t count, double weight, uint32_t best[HB_LINEAR_PARTS])
{
    const hb_linear_plan none = {.babies = 0};
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < all[0].count; i++) {
        for (uint32_t j = 0; j < (count > 1 ? all[1].count : 1); j++) {
            const hb_linear_plan *a = &all[0].plan[i], *b = count > 1 ? &all[1].plan[j] : &none;
            const double babies = count_rotations(a->baby, a->babies) + count_rotations(b->baby, b->babies);
            const bool never = weight * babies + count_rotations(a->giant, a->giants) >= least;
            const double cost = never ? least : weight * babies + common_giants(a, b);
            if (cost < least) {
                least = cost;
                best[0] = i;
                best[1] = j;
            }
        }
    }
}

hb_status hb_linear_sum_babies(hb_linear_part *parts, uint32_t count, size_t slots, double weight)
{
    baby_plans *all = calloc(HB_LINEAR_PARTS, sizeof *all);
    uint32_t best[HB_LINEAR_PARTS] = {0};
    hb_status st = all != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the plans of a linear map");
    for (uint32_t k = 0; k < count && st == HB_OK; k++) {
        st = plan_all(&all[k], slots, parts[k].diagonals);
    }
    if (st == HB_OK) {
        choose(all, count, weight, best);
    }
    for (uint32_t k = 0; k < count; k++) {
        parts[k].baby = st == HB_OK ? UINT32_C(1) << best[k] : parts[k].baby;
        if (all != NULL) {
            clear_sum(all[k].plan, all[k].count);
        }
    }
    free(all);
    return st;
}
