#include "steps.h"

#include <string.h>

/* Returns a list with room for one thing more than `count`, of `size` bytes each; NULL: there is no memory. */
static void *with_room(void *list, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity) {
        return list;
    }
    const uint32_t more = 2 * *capacity + 64;
    void *longer = realloc(list, more * size);
    *capacity = longer != NULL ? more : *capacity;
    return longer;
}

static hb_status add_step(hb_steps *steps, uint32_t type)
{
    hb_step *list = with_room(steps->list, steps->count, &steps->capacity, sizeof *list);
    if (list == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the types of an expression");
    }
    steps->list = list;
    steps->list[steps->count++] = (hb_step){type, type};
    return HB_OK;
}

static hb_status add_loop(hb_steps *steps)
{
    uint32_t *iterations = with_room(steps->iterations, steps->loops, &steps->loop_capacity, sizeof *iterations);
    if (iterations == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the loops of an expression");
    }
    steps->iterations = iterations;
    steps->iterations[steps->loops++] = 0;
    return HB_OK;
}

/* Whether the steps between two places are those from the second one to the end. */
static bool comes_again(const hb_steps *s, hb_steps_place from, hb_steps_place to)
{
    const uint32_t steps = to.step - from.step, loops = to.loop - from.loop;
    return s->count - to.step == steps && s->loops - to.loop == loops &&
           memcmp(s->list + from.step, s->list + to.step, steps * sizeof *s->list) == 0 &&
           (loops == 0 ||
            memcmp(s->iterations + from.loop, s->iterations + to.loop, loops * sizeof *s->iterations) == 0);
}

static hb_status record_loop(hb_steps *steps, hb_steps_way *way)
{
    hb_walk *walk = &way->walk;
    if (walk->begins == 1) {
        HB_TRY(add_loop(steps));
        way->at[walk->depth - 1].loop = steps->loops - 1;
        way->at[walk->depth - 1].settled = false;
        way->at[walk->depth - 1].begin = (hb_steps_place){steps->count, steps->loops};
        return HB_OK;
    }
    const uint32_t depth = walk->begins > 0 ? walk->depth - 1 : walk->depth; /* the walk has left the loop */
    uint32_t *iterations = &steps->iterations[way->at[depth].loop];
    const hb_steps_place last = way->at[depth].last, begin = way->at[depth].begin;
    if (way->at[depth].settled) {
        return HB_OK;
    }
    if (*iterations > 0 && comes_again(steps, last, begin)) {
        steps->count = begin.step;
        steps->loops = begin.loop;
        way->at[depth].settled = true;
        if (walk->begins > 0) {
            hb_walk_leave(walk);
        }
        return HB_OK;
    }
    ++*iterations;
    way->at[depth].last = begin;
    way->at[depth].begin = (hb_steps_place){steps->count, steps->loops};
    return HB_OK;
}

hb_status hb_steps_record(hb_steps *steps, hb_steps_way *way, const hb_item *item, uint32_t type)
{
    return item->kind == HB_ITEM_REPEAT ? record_loop(steps, way) : add_step(steps, type);
}

/* Goes to where the iteration that begins has its steps. */
static void begin_iteration(const hb_steps *steps, hb_steps_way *way)
{
    const uint32_t begins = way->walk.begins, depth = way->walk.depth - 1;
    if (begins == 1) {
        way->at[depth].loop = way->next.loop++;
    } else if (begins > steps->iterations[way->at[depth].loop]) {
        way->next = way->at[depth].begin; /* those of the iteration before come again */
    }
    way->at[depth].begin = way->next;
}

const hb_item *hb_steps_next(const hb_steps *steps, hb_steps_way *way)
{
    const hb_item *item = hb_walk_next(&way->walk);
    for (; item != NULL && item->kind == HB_ITEM_REPEAT; item = hb_walk_next(&way->walk)) {
        if (way->walk.begins > 0) {
            begin_iteration(steps, way);
        }
    }
    way->type = item != NULL ? steps->list[way->next.step++].taken : way->type;
    return item;
}
