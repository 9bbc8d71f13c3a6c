/* Graphs of steps for tests of placement, made by hand and by a generator. */
#ifndef HB_TESTS_PLACEMENT_WORLD_H
#define HB_TESTS_PLACEMENT_WORLD_H

#include <stdlib.h>

#include "lang/bootstrapping/placement.h"

enum { MOST_STEPS = 2000, MOST_OPERANDS = 4 };

typedef struct world {
    hb_placement_step steps[MOST_STEPS];
    uint32_t operands[MOST_STEPS][MOST_OPERANDS];
    hb_placement_problem p;
    uint64_t random;
} world;

static inline uint32_t draw(world *w, uint32_t below)
{
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(w->random >> 33) % below;
}

static inline void begin(world *w, uint32_t operand, uint32_t result)
{
    w->p = (hb_placement_problem){
        .steps = w->steps, .operand = operand, .result = result, .complex = 1, .real = {0.75, 0.75}};
}

/* Returns the step, of one complex ciphertext. */
static inline uint32_t add(world *w, uint32_t levels, uint32_t count, uint32_t a, uint32_t b)
{
    const uint32_t i = w->p.count++;
    w->operands[i][0] = a;
    w->operands[i][1] = b;
    w->steps[i] = (hb_placement_step){
        .operands = w->operands[i], .operand_count = count, .levels = levels, .values = {.complex = 1, .times = 1}};
    return i;
}

/* Returns the level of step i before it is bootstrapped, where values are bootstrapped from such steps on and earlier
 * ones have these levels. */
static inline int replayed_level(const world *w, const uint32_t *from, const int *levels, uint32_t i)
{
    const hb_placement_step *step = &w->steps[i];
    int lowest = INT32_MAX;
    for (uint32_t j = 0; j < step->operand_count; j++) {
        const uint32_t a = step->operands[j];
        const int level = from[a] <= i ? (int)w->p.result : levels[a];
        lowest = level < lowest ? level : lowest;
    }
    return step->operand_count == 0 ? (int)step->levels : lowest - (int)step->levels;
}

static inline void random_graph(world *w, uint32_t steps)
{
    begin(w, draw(w, 3), 3 + draw(w, 4));
    for (uint32_t i = 0; i < steps; i++) {
        const uint32_t count = i == 0                        ? 0
                               : draw(w, i < 3 ? 2 : 8) == 0 ? 0
                                                             : 1 + draw(w, i < MOST_OPERANDS ? i : MOST_OPERANDS);
        const uint32_t x = add(w, count == 0 ? 2 + draw(w, 6) : draw(w, 3), count, 0, 0);
        for (uint32_t j = 0; j < count; j++) { /* different ones, mostly near */
            bool there = true;
            while (there) {
                const uint32_t near = 1 + draw(w, i < 5 ? i : 5);
                w->operands[x][j] = i - (draw(w, 4) == 0 ? 1 + draw(w, i) : near);
                there = false;
                for (uint32_t k = 0; k < j; k++) {
                    there = there || w->operands[x][k] == w->operands[x][j];
                }
            }
        }
        w->steps[x].least = draw(w, 5) == 0;
        w->steps[x].values = (hb_placement_values){.complex = 1 + draw(w, 3), .times = draw(w, 3) == 0 ? 5 : 1};
    }
}

static inline int open_world(void **state)
{
    world *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return -1;
    }
    w->random = 17;
    *state = w;
    return 0;
}

static inline int close_world(void **state)
{
    free(*state);
    return 0;
}

#endif
