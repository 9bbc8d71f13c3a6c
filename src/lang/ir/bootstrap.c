#include "bootstrap.h"

#include <math.h>

#include "lang/program/bootstrap.h"
#include "levels.h"
#include "scheme/bootstrap.h"
#include "semantics.h"

static bool twice(const hb_graph *g)
{
    return g->bootstrapped == HB_BOOTSTRAPPED_TWICE;
}

int hb_node_bootstrap_bits(const hb_graph *g, const hb_node *node)
{
    /* A bound that was rounded outwards may be a little above a power of two. */
    const double bits = ceil(log2(fmax(node->range.magnitude, 1)) - 0x1p-20);
    const bool fits = bits <= HB_BOOTSTRAP_MOST_BITS && /* infinite where it is not known */
                      (!hb_graph_bootstraps_lowest(g) || hb_bootstraps_lowest(g->params, (uint32_t)bits));
    return fits ? (int)bits : -1;
}

hb_status hb_graph_check_bootstrap(const hb_graph *g, uint32_t a)
{
    const hb_node *x = &g->nodes[a];
    char what[64];
    if (hb_node_bootstrap_bits(g, x) >= 0) {
        return HB_OK;
    }
    hb_excerpt_or_name(what, sizeof what, g->syntax->text, x->origin.from, x->origin.to);
    if (!isfinite(x->range.magnitude)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, x->origin.at,
                          "levels do not suffice, and bootstrapping needs the range of "
                          "%s, which is not known: give it with --range",
                          what);
    }
    int most = HB_BOOTSTRAP_MOST_BITS;
    while (hb_graph_bootstraps_lowest(g) && most > 0 && !hb_bootstraps_lowest(g->params, (uint32_t)most)) {
        most--;
    }
    return HB_FAIL_AT(HB_EDATA, g->syntax->text, x->origin.at,
                      "levels do not suffice, and values of %s can be up to %.4g: bootstrapping%s, which gives values "
                      "levels again, takes those up to 2^%d",
                      what, x->range.magnitude, hb_graph_bootstraps_lowest(g) ? " from the lowest level" : "", most);
}

/* Brings `a` to where bootstrapping takes it. */
static hb_status lowered(hb_graph *g, uint32_t a, uint32_t *out)
{
    uint32_t operands, results;
    HB_TRY(hb_graph_check_bootstrap(g, a));
    HB_TRY(hb_graph_rescale(g, a, out));
    hb_bootstrap_limbs(g->params, hb_graph_bootstraps_lowest(g), &operands, &results);
    if (g->nodes[*out].shape.limbs < operands) {
        return HB_FAIL_AT(HB_EDATA, g->syntax->text, g->nodes[a].origin.at,
                          "bootstrapping takes values that have %u primes left, and these have %u", operands,
                          g->nodes[*out].shape.limbs);
    }
    return g->nodes[*out].shape.limbs > operands ? hb_graph_unary(g, HB_OP_ADJUST, *out, operands, out) : HB_OK;
}

static hb_status bootstrapped(hb_graph *g, uint32_t a, uint32_t b, int64_t number, uint32_t *out)
{
    const hb_node node = {
        .op = HB_OP_BOOTSTRAP, .a = a, .b = b, .number = number, .shape.total = g->nodes[a].shape.total};
    return hb_graph_node(g, &node, out);
}

hb_status hb_graph_bootstrap(hb_graph *g, uint32_t a, uint32_t *out)
{
    HB_TRY(lowered(g, a, &a));
    const hb_node *node = &g->nodes[a];
    const bool alone = node->shape.total || hb_graph_blocks(g) < 2;
    const hb_bootstrap_kind kind = hb_graph_bootstraps_lowest(g)          ? HB_BOOTSTRAP_LOWEST
                                   : node->shape.halves != HB_HALVES_REAL ? HB_BOOTSTRAP_COMPLEX
                                   : alone                                ? HB_BOOTSTRAP_REAL
                                                                          : HB_BOOTSTRAP_NEIGHBOURS;
    return bootstrapped(g, a, HB_NO_NODE,
                        hb_bootstrap_number(kind, (uint32_t)hb_node_bootstrap_bits(g, node), twice(g)), out);
}

hb_status hb_graph_bootstrap_pair(hb_graph *g, const uint32_t a[2], uint32_t out[2])
{
    uint32_t x, y;
    if (hb_graph_bootstraps_lowest(g)) { /* as there each takes both halves */
        HB_TRY(hb_graph_bootstrap(g, a[0], &out[0]));
        return hb_graph_bootstrap(g, a[1], &out[1]);
    }
    HB_TRY(lowered(g, a[0], &x));
    HB_TRY(lowered(g, a[1], &y));
    if (x == y) { /* two expressions gave the same node */
        HB_TRY(hb_graph_bootstrap(g, a[0], &out[0]));
        out[1] = out[0];
        return HB_OK;
    }
    HB_ASSERT(g->nodes[x].shape.halves == HB_HALVES_REAL && g->nodes[y].shape.halves == HB_HALVES_REAL &&
              g->nodes[x].shape.total == g->nodes[y].shape.total);
    const int first = hb_node_bootstrap_bits(g, &g->nodes[x]), second = hb_node_bootstrap_bits(g, &g->nodes[y]);
    const int64_t number =
        hb_bootstrap_number(HB_BOOTSTRAP_PAIR, (uint32_t)(first > second ? first : second), twice(g));
    HB_TRY(bootstrapped(g, x, y, number, &out[0]));
    return bootstrapped(g, y, x, number, &out[1]);
}

/* Brings integers to the users' highest level, in a graph whose levels are placed. */
static hb_status extended(hb_graph *g, uint32_t a, uint32_t *out)
{
    const uint32_t limbs = hb_params_fresh_limbs(g->params);
    *out = a;
    return !g->unplaced && g->nodes[a].shape.limbs < limbs ? hb_graph_unary(g, HB_OP_EXTEND, a, limbs, out) : HB_OK;
}

hb_status hb_graph_refresh(hb_graph *g, uint32_t a, uint32_t times, uint32_t *out)
{
    const hb_origin from = g->nodes[a].origin;
    const hb_item item = {.at = from.at, .from = from.from, .to = from.to};
    const hb_position here = g->position;
    *out = a;
    hb_graph_at_item(g, &item, (hb_iteration){.number = from.iteration, .of = from.iterations});
    hb_status st = times > 0 ? extended(g, a, out) : HB_OK;
    for (uint32_t i = 0; st == HB_OK && i < times; i++) {
        st = hb_graph_unary(g, HB_OP_REFRESH, *out, 0, out);
    }
    g->position = here;
    return st;
}

hb_status hb_graph_lookup(hb_graph *g, uint32_t a, const hb_bootstrap_table *table, uint32_t *out)
{
    uint32_t number;
    HB_TRY(hb_tables_add(&g->constants.tables, table, &number));
    HB_TRY(extended(g, a, out));
    return hb_graph_unary(g, HB_OP_LOOKUP, *out, number, out);
}

uint32_t hb_node_bootstrapped_with(const hb_graph *g, uint32_t i)
{
    const hb_node *node = &g->nodes[i];
    if (node->op != HB_OP_BOOTSTRAP || node->b == HB_NO_NODE) {
        return HB_NO_NODE;
    }
    const bool next = i + 1 < g->count && g->nodes[i + 1].op == HB_OP_BOOTSTRAP && g->nodes[i + 1].a == node->b &&
                      g->nodes[i + 1].b == node->a;
    return next ? i + 1 : i - 1;
}
