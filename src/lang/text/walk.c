#include "walk.h"

#include "base/status.h"

/* Goes to the next iteration of the loop at whose end the walk stands, or leaves it. */
static const hb_item *turn(hb_walk *w)
{
    const uint32_t repeat = w->loop[w->depth - 1].repeat;
    const hb_item *loop = &w->syntax->items[repeat];
    w->begins = 0;
    if (w->loop[w->depth - 1].number < loop->number) {
        w->begins = ++w->loop[w->depth - 1].number;
        w->next = repeat + 1;
    } else {
        w->depth--;
    }
    return loop;
}

static hb_iteration iteration_of(const hb_walk *w)
{
    hb_iteration out = {0};
    for (uint32_t i = 0; i < w->depth; i++) {
        const uint32_t of = (uint32_t)w->syntax->items[w->loop[i].repeat].number;
        out.again = out.again || w->loop[i].number < of;
        if (i == 0) {
            out.number = w->loop[i].number;
            out.of = of;
        }
    }
    return out;
}

const hb_item *hb_walk_next(hb_walk *w)
{
    const hb_syntax *s = w->syntax;
    if (w->depth > 0 && w->next == s->items[w->loop[w->depth - 1].repeat].end) {
        return turn(w);
    }
    if (w->next == s->count) {
        return NULL;
    }
    const hb_item *item = &s->items[w->next++];
    if (item->kind == HB_ITEM_REPEAT) {
        HB_ASSERT(w->depth < HB_SYNTAX_MAX_DEPTH);
        w->loop[w->depth].repeat = w->next - 1;
        w->loop[w->depth++].number = w->begins = 1;
        return item;
    }
    w->iteration = iteration_of(w);
    return item;
}

hb_status hb_fail_in_iteration(hb_iteration iteration, hb_status status)
{
    const hb_error cause = *hb_last_error();
    return iteration.number <= 1
               ? status
               : HB_FAIL(status, "%.400s (in iteration %u of %u)", cause.text, iteration.number, iteration.of);
}
