#include "levels.h"

#include <math.h>

#include "scheme/codec.h"
#include "scheme/quality.h"
#include "semantics.h"

/* --- products, which go down a level */

/* Where parameters are like SEAL's the scale of a product may be too far from theirs. */
static hb_status goes_down(const hb_graph *g, uint32_t a, const char *what)
{
    const uint32_t limbs = hb_graph_known_limbs(g, hb_node_rest_limbs(g, a));
    if (hb_codec_products_go_down(g->spec, limbs)) {
        return HB_OK;
    }
    const double bits = hb_quality_bits(g->params, limbs, 0), prime = log2((double)g->spec->primes[limbs - 1]);
    return HB_FAIL_AT(HB_EDATA, g->syntax->text, g->position.item->at,
                      "no level is left for %s: at %u limbs values have a scale of 2^%.1f, and a product divided by a "
                      "prime of %.1f bits would have one of 2^%.1f, with which nothing more can be computed; take "
                      "parameters whose primes are nearer to the scale",
                      what, limbs, bits, prime, 2 * bits - prime);
}

/* A product whose rescaling has no level to go to would be of no use. */
hb_status hb_graph_require_level(const hb_graph *g, uint32_t a, const char *what)
{
    if (g->params == NULL || !g->semantics->scales) {
        return HB_OK;
    }
    if (hb_node_rest_limbs(g, a) > hb_graph_level_limbs(g)) {
        return goes_down(g, a, what);
    }
    return HB_FAIL_AT(HB_EDATA, g->syntax->text, g->position.item->at,
                      "no level is left for %s: values are at the lowest one, after all products before it", what);
}

hb_status hb_graph_require_number(const hb_graph *g, uint32_t a, double number)
{
    if (g->params == NULL) {
        return HB_OK;
    }
    HB_TRY(hb_graph_require_level(g, a, "this product"));
    const uint32_t limbs = hb_graph_known_limbs(g, hb_node_rest_limbs(g, a));
    const double bits = hb_quality_bits(g->params, limbs, 0); /* of the scale */
    if (isfinite(number) && log2(fabs(number)) + bits >= 0) {
        return HB_OK;
    }
    return HB_FAIL_AT(
        HB_EUSAGE, g->syntax->text, g->position.item->at,
        "a product with %.4g, of which little or nothing is left at this scale: numbers are 2^-%.0f or more", number,
        floor(bits));
}

/* --- changes of level and of scale */

hb_status hb_graph_rescale(hb_graph *g, uint32_t a, uint32_t *out)
{
    const hb_node node = {.op = HB_OP_RESCALE, .a = a, .b = HB_NO_NODE, .shape.total = g->nodes[a].shape.total};
    *out = a;
    return g->nodes[a].shape.scaled ? hb_graph_node(g, &node, out) : HB_OK;
}

hb_status hb_graph_meet_all(hb_graph *g, uint32_t *nodes, uint32_t count)
{
    uint32_t lowest = nodes[0];
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(hb_graph_rescale(g, nodes[i], &nodes[i]));
        lowest = i == 0 || g->nodes[nodes[i]].shape.limbs < g->nodes[lowest].shape.limbs ? nodes[i] : lowest;
    }
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(g->semantics->meet(g, &nodes[i], &lowest));
    }
    return HB_OK;
}
