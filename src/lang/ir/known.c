#include "known.h"

#include <math.h>
#include <stdio.h>

#include "semantics.h"

hb_number hb_node_known_number(const hb_graph *g, uint32_t node)
{
    const hb_node *x = &g->nodes[node];
    HB_ASSERT(x->op == HB_OP_KNOWN);
    return g->semantics->reals ? (hb_number){.real = x->real}
                               : (hb_number){.integer = x->number, .real = (double)x->number};
}

void hb_node_known_text(char out[HB_KNOWN_TEXT], const hb_graph *g, uint32_t node, uint64_t scale)
{
    const hb_number number = hb_node_known_number(g, node);
    char room[HB_MEANING_TEXT];
    if (g->semantics->reals) {
        snprintf(out, HB_KNOWN_TEXT, "%.10g", number.real);
    } else {
        const hb_meaning meaning = {.scale = scale > 1 ? scale : 0};
        snprintf(out, HB_KNOWN_TEXT, "%s", hb_meaning_text(&meaning, true, (uint64_t)number.integer, room));
    }
}

hb_status hb_known_combine(const hb_graph *g, hb_item_kind kind, hb_number x, hb_number y, hb_number *out)
{
    const hb_interval all = g->semantics->numbers(g->spec);
    bool overflow;
    *out = (hb_number){.integer = 0};
    if (kind == HB_ITEM_ADD) {
        overflow = __builtin_add_overflow(x.integer, y.integer, &out->integer);
        out->real = x.real + y.real;
    } else if (kind == HB_ITEM_SUBTRACT) {
        overflow = __builtin_sub_overflow(x.integer, y.integer, &out->integer);
        out->real = x.real - y.real;
    } else {
        overflow = __builtin_mul_overflow(x.integer, y.integer, &out->integer);
        out->real = x.real * y.real;
    }
    const bool there =
        all.real ? isfinite(out->real) : !overflow && out->integer >= all.least && out->integer <= all.most;
    return there ? HB_OK
                 : HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                              "this is the same in every row, and larger than numbers are that are computed with");
}
