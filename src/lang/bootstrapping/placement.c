#include "placement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"
#include "transition.h"

#define WORK (UINT32_C(1) << 24) /* n S^2: about a second at worst */
enum {
    MOST_STATES = 256,
    LEAST_STATES = 16,
    AHEAD = 4, /* times the states kept that are looked at */
    MATES = 4  /* that are tried beside a value that would be alone */
};

typedef struct state {
    double cost;
    double outlook;  /* the least that the whole may cost */
    uint32_t before; /* of the states of the step before: that it comes from */
    uint32_t row;    /* of levels */
    uint32_t mate;   /* a value that was too, so that none of them is alone; HB_PLACEMENT_NEVER */
    uint8_t below;   /* operands below this level were bootstrapped */
} state;

/* How a state came about. */
typedef struct origin {
    uint32_t before, mate;
    uint8_t below;
} origin;

/* The states behind a step. A row of each has the levels of the values that later steps take, each at its place; other
 * places are 0. */
typedef struct states {
    state *state;    /* [count] of [capacity] */
    uint8_t *levels; /* [capacity][width] */
    uint32_t count, capacity;
} states;

typedef struct solver {
    const hb_placement_problem *p;
    uint32_t most, width;
    uint32_t *last;  /* [steps] the last one that takes the value; itself: none does */
    uint32_t *place; /* [steps] of the value in rows, while it is needed */
    uint32_t *need;  /* [steps] levels of its users on the longest way, and the least level at the end of that */
    uint32_t
        *least; /* [steps] the lowest level from which all that takes the value can be computed, bootstrapped or not */
    uint32_t *free_places, free_count;
    uint32_t *live, live_count;      /* values with a place */
    double cheapest;                 /* that anything is bootstrapped for */
    hb_placement_together *together; /* [kinds] zero between steps */
    states now, next;
    origin *origins; /* of the states behind all steps, one step after another: those of step i from first[i] on */
    size_t origin_count, origin_capacity, *first;
    bool best;
} solver;

/* --- facts that are known beforehand */

static void look_ahead(solver *s)
{
    const hb_placement_problem *p = s->p;
    for (uint32_t i = 0; i < p->count; i++) {
        s->last[i] = i;
        s->need[i] = s->least[i] = p->steps[i].least;
        for (uint32_t j = 0; j < p->steps[i].operand_count; j++) {
            s->last[p->steps[i].operands[j]] = i;
        }
    }
    s->cheapest = HUGE_VAL;
    for (uint32_t i = p->count; i-- > 0;) {
        const hb_placement_step *step = &p->steps[i];
        for (uint32_t j = 0; j < step->operand_count; j++) {
            const uint32_t x = step->operands[j], need = hb_placement_capped(step, s->need[i]) + step->levels;
            uint32_t least = hb_placement_capped(step, s->least[i]) + step->levels;
            s->need[x] = need > s->need[x] ? need : s->need[x];
            if (hb_placement_can_bootstrap(&p->steps[x]) && least > p->operand && least <= p->result) {
                least = p->operand;
            }
            s->least[x] = least > s->least[x] ? least : s->least[x];
        }
        if (hb_placement_can_bootstrap(step)) {
            s->cheapest = fmin(s->cheapest, step->values.times * fmin(p->real[step->values.total], p->complex / 2));
        }
    }
}

/* Returns how many values are needed at a time. */
static uint32_t width_of(const solver *s)
{
    uint32_t live = 0, most = 1;
    for (uint32_t i = 0; i < s->p->count; i++) {
        const hb_placement_step *step = &s->p->steps[i];
        live += s->last[i] != i;
        most = live > most ? live : most;
        for (uint32_t j = 0; j < step->operand_count; j++) {
            live -= s->last[step->operands[j]] == i;
        }
    }
    return most;
}

/* --- one step */

static hb_status reserve(states *list, uint32_t count, uint32_t width)
{
    if (count <= list->capacity) {
        return HB_OK;
    }
    const uint32_t capacity = count + count / 2 + 16;
    state *longer = realloc(list->state, capacity * sizeof *longer);
    list->state = longer != NULL ? longer : list->state;
    uint8_t *levels = realloc(list->levels, (size_t)capacity * width);
    list->levels = levels != NULL ? levels : list->levels;
    if (!longer || !levels) {
        return HB_FAIL(HB_ENOMEM, "no memory for the states of a placement");
    }
    list->capacity = capacity;
    return HB_OK;
}

static const uint8_t *row_of(const solver *s, const states *list, const state *x)
{
    return list->levels + (size_t)x->row * s->width;
}

/* The least that is still to be paid for: the value that needs most. */
static double outlook_of(const solver *s, const uint8_t *row)
{
    const double each = s->p->gain > 0 ? s->p->gain : fmax((double)s->p->result - s->p->operand, 1);
    double most = 0;
    for (uint32_t i = 0; i < s->live_count; i++) {
        const double missing = (double)s->need[s->live[i]] - row[s->place[s->live[i]]];
        most = fmax(most, ceil(missing / each));
    }
    return most > 0 ? most * s->cheapest : 0;
}

/* Goes on from a state with operands taken so, if that is possible. */
static hb_status take_transition(solver *s, uint32_t i, const state *from, hb_transition how)
{
    const hb_placement_step *step = &s->p->steps[i];
    const int level = hb_transition_level(s->p, i, how);
    if (level < (int)s->least[i]) { /* users of the result could not be computed: all kept states can be continued */
        return HB_OK;
    }
    HB_TRY(reserve(&s->next, s->next.count + 1, s->width));
    const uint32_t row = s->next.count++;
    uint8_t *to = s->next.levels + (size_t)row * s->width;
    memcpy(to, row_of(s, &s->now, from), s->width);
    for (uint32_t j = 0; j < step->operand_count; j++) {
        const uint32_t x = step->operands[j];
        if (s->last[x] == i) {
            to[s->place[x]] = 0;
        } else if (hb_transition_bootstraps(step, j, how)) {
            to[s->place[x]] = (uint8_t)hb_transition_raised(s->p, how.levels[j], how.below);
        }
    }
    if (how.mate != HB_PLACEMENT_NEVER) {
        to[s->place[how.mate]] = (uint8_t)s->p->result;
    }
    if (s->last[i] != i) {
        to[s->place[i]] = (uint8_t)level;
    }
    const double own = step->costs != NULL ? step->costs[level] * step->weight : 0;
    s->next.state[row] = (state){.cost = from->cost + hb_transition_cost(s->p, i, how, s->together) + own,
                                 .before = (uint32_t)(from - s->now.state),
                                 .row = row,
                                 .mate = how.mate,
                                 .below = (uint8_t)how.below};
    return HB_OK;
}

static int by_level(const void *x, const void *y)
{
    return *(const uint8_t *)x - *(const uint8_t *)y;
}

/* Whether a value can be bootstrapped beside operands of a step, and is worth it: one that later steps take. */
static bool may_join(const solver *s, uint32_t i, const state *from, hb_transition how, uint32_t x)
{
    const uint32_t level = row_of(s, &s->now, from)[s->place[x]];
    return s->last[x] > i && level >= s->p->operand && level < s->p->result && hb_transition_pairs(s->p, i, how, x);
}

/* Goes on from a state with operands taken so, also with one more value bootstrapped; the latest ones are tried. */
static hb_status take_with_mates(solver *s, uint32_t i, const state *from, hb_transition how)
{
    HB_TRY(take_transition(s, i, from, how));
    uint32_t tried = 0;
    for (uint32_t k = s->live_count; k-- > 0 && tried < MATES && how.below > 0;) {
        if (may_join(s, i, from, how, s->live[k])) {
            HB_TRY(take_transition(s, i, from, (hb_transition){how.levels, how.below, s->live[k]}));
            tried++;
        }
    }
    return HB_OK;
}

/* Goes on from a state with operands raised by one bootstrap or several: all to some level, for each level at which one
 * of them is or arrives. Above the need of all there is nothing to gain. */
static hb_status take_raised(solver *s, uint32_t i, const state *from, const uint8_t *levels)
{
    const hb_placement_step *step = &s->p->steps[i];
    bool wanted[UINT8_MAX + 1] = {false};
    for (uint32_t j = 0; j < step->operand_count; j++) {
        const uint32_t need = s->need[step->operands[j]], end = need < s->p->result ? need : s->p->result;
        wanted[levels[j]] = true; /* those below it, and it stays */
        for (uint32_t at = levels[j]; at < end;) {
            at = hb_transition_raised(s->p, at, at + 1);
            wanted[at] = true;
        }
    }
    for (uint32_t below = 1; below <= s->p->result; below++) {
        if (wanted[below]) {
            HB_TRY(take_transition(s, i, from, (hb_transition){levels, below, HB_PLACEMENT_NEVER}));
        }
    }
    return HB_OK;
}

/* Goes on from a state in all ways. levels: [operands], and room for as many. */
static hb_status take_all_transitions(solver *s, uint32_t i, const state *from, uint8_t *levels)
{
    const hb_placement_step *step = &s->p->steps[i];
    const uint32_t count = step->operand_count;
    const uint8_t *row = row_of(s, &s->now, from);
    uint8_t *sorted = levels + count;
    for (uint32_t j = 0; j < count; j++) {
        levels[j] = row[s->place[step->operands[j]]];
    }
    if (count > 0) {
        memcpy(sorted, levels, count);
        qsort(sorted, count, 1, by_level);
    }
    HB_TRY(take_transition(s, i, from, (hb_transition){levels, 0, HB_PLACEMENT_NEVER}));
    if (s->p->gain > 0) {
        return take_raised(s, i, from, levels);
    }
    for (uint32_t j = 0; j < count && sorted[j] < s->p->result; j++) {
        if (j == 0 || sorted[j] != sorted[j - 1]) {
            HB_TRY(take_with_mates(s, i, from, (hb_transition){levels, sorted[j] + 1u, HB_PLACEMENT_NEVER}));
        }
    }
    return HB_OK;
}

static int by_cost(const void *x, const void *y)
{
    const state *a = x, *b = y;
    if (a->cost != b->cost) {
        return a->cost < b->cost ? -1 : 1;
    }
    return a->row < b->row ? -1 : a->row > b->row;
}

static int by_outlook(const void *x, const void *y)
{
    const state *a = x, *b = y;
    return a->outlook != b->outlook ? (a->outlook < b->outlook ? -1 : 1) : by_cost(x, y);
}

static bool no_better(const uint8_t *row, const uint8_t *cheaper, uint32_t width)
{
    uint32_t i = 0;
    while (i < width && row[i] <= cheaper[i]) {
        i++;
    }
    return i == width;
}

/* Keeps `most` of s->next. */
static void cut(solver *s, uint32_t most)
{
    states *list = &s->next;
    if (list->count > most) {
        for (uint32_t k = 0; k < list->count; k++) {
            list->state[k].outlook = list->state[k].cost + outlook_of(s, row_of(s, list, &list->state[k]));
        }
        qsort(list->state, list->count, sizeof *list->state, by_outlook);
        list->count = most;
        s->best = false;
    }
}

/* Removes states from s->next that are in no level better than a cheaper one. */
static void prune(solver *s)
{
    states *list = &s->next;
    uint32_t kept = 0;
    cut(s, AHEAD * s->most);
    qsort(list->state, list->count, sizeof *list->state, by_cost);
    for (uint32_t k = 0; k < list->count; k++) {
        const uint8_t *row = row_of(s, list, &list->state[k]);
        uint32_t other = 0;
        while (other < kept && !no_better(row, row_of(s, list, &list->state[other]), s->width)) {
            other++;
        }
        if (other == kept) {
            list->state[kept++] = list->state[k];
        }
    }
    list->count = kept;
    cut(s, s->most);
}

/* Gives the value of a step a place, and takes those away that are not needed behind it. */
static void settle(solver *s, uint32_t i, bool before)
{
    const hb_placement_step *step = &s->p->steps[i];
    if (before) {
        if (s->last[i] != i) {
            s->place[i] = s->free_places[--s->free_count];
            s->live[s->live_count++] = i;
        }
        return;
    }
    uint32_t kept = 0;
    for (uint32_t j = 0; j < step->operand_count; j++) {
        if (s->last[step->operands[j]] == i) {
            s->free_places[s->free_count++] = s->place[step->operands[j]];
        }
    }
    for (uint32_t j = 0; j < s->live_count; j++) {
        if (s->last[s->live[j]] != i) {
            s->live[kept++] = s->live[j];
        }
    }
    s->live_count = kept;
}

static hb_status remember(solver *s, uint32_t i)
{
    const uint32_t count = s->next.count;
    if (s->origin_count + count > s->origin_capacity) {
        const size_t capacity = 2 * (s->origin_count + count);
        origin *longer = realloc(s->origins, capacity * sizeof *longer);
        if (longer == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the states of a placement");
        }
        s->origins = longer;
        s->origin_capacity = capacity;
    }
    s->first[i] = s->origin_count;
    for (uint32_t k = 0; k < count; k++) {
        s->origins[s->origin_count++] =
            (origin){s->next.state[k].before, s->next.state[k].mate, s->next.state[k].below};
    }
    return HB_OK;
}

static hb_status step_on(solver *s, uint32_t i, uint8_t *levels)
{
    settle(s, i, true);
    s->next.count = 0;
    for (uint32_t k = 0; k < s->now.count; k++) {
        HB_TRY(take_all_transitions(s, i, &s->now.state[k], levels));
    }
    if (s->next.count == 0) {
        return HB_FAIL(HB_EDATA, "no values can be bootstrapped so that levels suffice");
    }
    settle(s, i, false);
    prune(s);
    HB_TRY(remember(s, i));
    const states kept = s->now;
    s->now = s->next;
    s->next = kept;
    return HB_OK;
}

/* --- the solution */

/* Finds the bootstraps of the cheapest state before each step: values below a level, and a mate. Both: [steps] */
static double trace_back(const solver *s, uint8_t *below, uint32_t *mate)
{
    uint32_t at = 0;
    for (uint32_t k = 1; k < s->now.count; k++) {
        at = s->now.state[k].cost < s->now.state[at].cost ? k : at;
    }
    const double cost = s->now.state[at].cost;
    for (uint32_t i = s->p->count; i-- > 0;) {
        const origin *from = &s->origins[s->first[i] + at];
        below[i] = from->below;
        mate[i] = from->mate;
        at = from->before;
    }
    return cost;
}

/* Makes the solution of the cheapest state. */
static hb_status replay(const solver *s, hb_placement *out)
{
    const size_t count = (size_t)s->p->count + 1;
    uint8_t *below = malloc(count);
    uint32_t *mate = malloc(count * sizeof *mate);
    hb_status st = below && mate ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a placement");
    if (st == HB_OK) {
        out->cost = trace_back(s, below, mate);
        st = hb_placement_replay(s->p, below, mate, out);
    }
    free(below);
    free(mate);
    return st;
}

/* Whether a value needs more levels than the operands of bootstrapping have, and cannot be bootstrapped. */
static bool is_stuck(const solver *s, uint32_t step)
{
    return !hb_placement_can_bootstrap(&s->p->steps[step]) && s->least[step] > s->p->operand;
}

/* Returns the value to blame where no state gets over a step: that of the step where it had to be bootstrapped and
 * cannot, else the last such one, whose levels all before it have to leave. */
static uint32_t cause_of(const solver *s, uint32_t step)
{
    if (is_stuck(s, step)) {
        return step;
    }
    uint32_t i = s->p->count;
    while (i > 0 && !is_stuck(s, i - 1)) {
        i--;
    }
    return i > 0 ? i - 1 : step;
}

static hb_status solve(solver *s, hb_placement *out)
{
    const uint32_t count = s->p->count;
    uint32_t operands = 0;
    for (uint32_t i = 0; i < count; i++) {
        operands = s->p->steps[i].operand_count > operands ? s->p->steps[i].operand_count : operands;
    }
    uint8_t *levels = malloc(2 * (size_t)operands + 1);
    hb_status st = levels != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a placement");
    if (st == HB_OK) {
        st = reserve(&s->now, 1, s->width);
    }
    if (st == HB_OK) {
        memset(s->now.levels, 0, s->width);
        s->now.state[0] = (state){0};
        s->now.count = 1;
    }
    for (uint32_t i = 0; st == HB_OK && i < count; i++) {
        st = step_on(s, i, levels);
        out->stuck = st == HB_EDATA ? cause_of(s, i) : i;
    }
    free(levels);
    HB_TRY(st);
    return replay(s, out);
}

hb_status hb_placement_solve(const hb_placement_problem *p, hb_placement *out)
{
    *out = (hb_placement){0};
    const size_t count = (size_t)p->count + 1;
    solver s = {.p = p, .best = true};
    uint32_t *words = malloc(6 * count * sizeof *words);
    out->from = malloc(count * sizeof *out->from);
    s.first = malloc(count * sizeof *s.first);
    s.together = calloc(hb_placement_kinds(p), sizeof *s.together);
    hb_status st =
        words && out->from && s.first && s.together ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a placement");
    if (st == HB_OK) {
        memset(out->from, 0xff, count * sizeof *out->from); /* HB_PLACEMENT_NEVER */
        s.last = words;
        s.place = words + count;
        s.need = words + 2 * count;
        s.free_places = words + 3 * count;
        s.live = words + 4 * count;
        s.least = words + 5 * count;
        look_ahead(&s);
        s.width = width_of(&s);
        for (uint32_t i = s.width; i-- > 0;) {
            s.free_places[s.free_count++] = i;
        }
        const double most = sqrt(WORK / (double)count);
        s.most = p->most > 0 ? p->most : (uint32_t)fmin(fmax(most, LEAST_STATES), MOST_STATES);
        st = solve(&s, out);
        out->best = s.best;
    }
    free(words);
    free(s.first);
    free(s.together);
    free(s.now.state);
    free(s.now.levels);
    free(s.next.state);
    free(s.next.levels);
    free(s.origins);
    return st;
}
