#include "known.h"

#include <math.h>

#include "base/modarith.h"
#include "semantics.h"

hb_number hb_node_known_number(const hb_graph *g, uint32_t node)
{
    const hb_node *x = &g->nodes[node];
    HB_ASSERT(x->op == HB_OP_KNOWN);
    return g->semantics->reals ? (hb_number){.real = x->real}
                               : (hb_number){.integer = x->number, .real = (double)x->number};
}

hb_known hb_node_known(const hb_graph *g, uint32_t node)
{
    return (hb_known){hb_node_known_number(g, node), g->nodes[node].range.interval};
}

hb_known hb_known_of(const hb_graph *g, hb_number number)
{
    return (hb_known){number, g->semantics->reals ? hb_interval_of_reals(number.real, number.real)
                                                  : hb_interval_of_number(number.integer)};
}

static hb_interval values_of(hb_item_kind kind, hb_interval x, hb_interval y)
{
    if (kind == HB_ITEM_MULTIPLY) {
        return hb_interval_multiply(x, y);
    }
    return hb_interval_add(x, kind == HB_ITEM_SUBTRACT ? hb_interval_negate(y) : y);
}

static bool combine_exactly(hb_item_kind kind, int64_t x, int64_t y, int64_t *out)
{
    if (kind == HB_ITEM_MULTIPLY) {
        return !__builtin_mul_overflow(x, y, out);
    }
    return kind == HB_ITEM_ADD ? !__builtin_add_overflow(x, y, out) : !__builtin_sub_overflow(x, y, out);
}

static uint64_t combine_residues(hb_item_kind kind, uint64_t x, uint64_t y, const hb_modulus *t)
{
    if (kind == HB_ITEM_MULTIPLY) {
        return hb_mod_mul(x, y, t);
    }
    return kind == HB_ITEM_ADD ? hb_mod_add(x, y, t) : hb_mod_sub(x, y, t);
}

/* Integers stay unchanged where the scheme has them, and are reduced mod t otherwise. */
static bool combine_integers(const hb_graph *g, hb_item_kind kind, int64_t x, int64_t y, int64_t *out)
{
    hb_modulus t;
    if (combine_exactly(kind, x, y, out) && hb_semantics_has(g->semantics, g->spec, *out)) {
        return true;
    }
    /* No one number serves all of several moduli. */
    if (hb_spec_residues(g->spec) > 1 || hb_modulus_init(&t, hb_graph_modulus(g)) != HB_OK) {
        return false;
    }
    const uint64_t made = combine_residues(kind, hb_mod_reduce_signed(x, &t), hb_mod_reduce_signed(y, &t), &t);
    *out = hb_mod_to_signed(made, t.value);
    return true;
}

static double combine_reals(hb_item_kind kind, double x, double y)
{
    return kind == HB_ITEM_MULTIPLY ? x * y : kind == HB_ITEM_ADD ? x + y : x - y;
}

hb_status hb_known_combine(const hb_graph *g, hb_item_kind kind, hb_known x, hb_known y, hb_known *out)
{
    hb_known made = {.values = values_of(kind, x.values, y.values)};
    made.number.real = combine_reals(kind, x.number.real, y.number.real);
    if (g->semantics->reals ? !isfinite(made.number.real)
                            : !combine_integers(g, kind, x.number.integer, y.number.integer, &made.number.integer)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "this value is the same in every row, and it is too large to compute with");
    }
    if (g->semantics->reals) { /* rounded as doubles are */
        made.values = hb_interval_of_reals(made.number.real, made.number.real);
    }
    *out = made;
    return HB_OK;
}
