#include "complex.h"

#include <math.h>
#include <string.h>

#include "known.h"
#include "scheme/slots.h"
#include "semantics.h"

/* Notes that the values of a node are real, and at least `low`, because of their computation. */
static void known_real(hb_graph *g, uint32_t a, double low)
{
    hb_node *node = &g->nodes[a];
    node->shape.halves = HB_HALVES_REAL;
    node->shape.pair = NULL;
    if (node->range.interval.known) {
        node->range.interval = hb_interval_of_reals(low < node->range.interval.low ? node->range.interval.low : low,
                                                    node->range.interval.high);
    }
}

/* --- times i */

/* Where only keys are asked for, it is unknown which values are real: then none is. */
static bool is_real(const hb_graph *g, uint32_t a)
{
    return g->params != NULL && g->nodes[a].shape.halves == HB_HALVES_REAL;
}

static hb_status times_i(hb_graph *g, uint32_t a, uint32_t *out)
{
    double number;
    if (g->encoding != HB_ENCODE_SLOTS) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "i acts on slots, and %.40s holds its values as coefficients; encrypt it with slots",
                          g->first->name);
    }
    if (g->params != NULL && !hb_slots_have_i(&g->params->spec)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "parameters %s have no i for numbers and im(x)", g->params->name);
    }
    /* A value with a number in front keeps it outermost, where others can be folded into it. */
    const uint32_t x = hb_graph_without_number(g, a, &number);
    if (x != HB_NO_NODE) {
        HB_TRY(times_i(g, x, out));
        return hb_graph_scale(g, *out, (hb_number){.real = number}, out);
    }
    const hb_node *node = &g->nodes[a];
    if (node->op == HB_OP_NEGATE) {
        HB_TRY(times_i(g, node->a, out));
        return hb_graph_negate(g, *out, out);
    }
    return node->op == HB_OP_TIMES_I ? hb_graph_negate(g, node->a, out) : hb_graph_unary(g, HB_OP_TIMES_I, a, 0, out);
}

hb_status hb_graph_scale_complex(hb_graph *g, uint32_t a, hb_number number, uint32_t *out)
{
    uint32_t turned;
    HB_TRY(times_i(g, a, &turned));
    HB_TRY(hb_graph_scale(g, turned, (hb_number){.real = number.imaginary}, &turned));
    if (number.real == 0) {
        *out = turned;
        return HB_OK;
    }
    HB_TRY(hb_graph_scale(g, a, (hb_number){.real = number.real}, out));
    return hb_graph_add(g, *out, turned, out);
}

/* x + p + qi = i (q - i (x + p)): real numbers alone are added, to slots that hold a row. */
hb_status hb_graph_add_complex(hb_graph *g, uint32_t a, hb_number number, uint32_t *out)
{
    HB_TRY(hb_graph_add_constant(g, a, (hb_number){.real = number.real}, &a));
    HB_TRY(times_i(g, a, &a));
    HB_TRY(hb_graph_negate(g, a, &a));
    HB_TRY(hb_graph_add_constant(g, a, (hb_number){.real = number.imaginary}, &a));
    return times_i(g, a, out);
}

/* --- parts */

hb_status hb_graph_real_part(hb_graph *g, uint32_t a, uint32_t *out)
{
    double number = 1;
    uint32_t conjugate, x = hb_graph_without_number(g, a, &number);
    *out = a;
    if (is_real(g, a)) {
        return HB_OK;
    }
    HB_TRY(hb_graph_gather(g, x == HB_NO_NODE ? a : x, &x));
    HB_TRY(hb_graph_conjugate(g, x, &conjugate));
    HB_TRY(hb_graph_add(g, x, conjugate, out));
    known_real(g, *out, -HUGE_VAL);
    return hb_graph_scale(g, *out, (hb_number){.real = 0.5 * number}, out);
}

hb_status hb_graph_imaginary_part(hb_graph *g, uint32_t a, uint32_t *out)
{
    double number = 1;
    uint32_t conjugate, x = hb_graph_without_number(g, a, &number);
    if (is_real(g, a)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "im of real values is 0 whatever was encrypted");
    }
    HB_TRY(hb_graph_gather(g, x == HB_NO_NODE ? a : x, &x));
    HB_TRY(hb_graph_conjugate(g, x, &conjugate));
    /* x - conj(x) = 2 i im(x) */
    HB_TRY(hb_graph_subtract(g, conjugate, x, out));
    HB_TRY(times_i(g, *out, out));
    known_real(g, *out, -HUGE_VAL);
    return hb_graph_scale(g, *out, (hb_number){.real = 0.5 * number}, out);
}

hb_status hb_graph_modulus_square(hb_graph *g, uint32_t a, uint32_t *out)
{
    uint32_t conjugate = a;
    if (!is_real(g, a)) {
        HB_TRY(hb_graph_conjugate(g, a, &conjugate));
    }
    HB_TRY(hb_graph_multiply(g, a, conjugate, out));
    if (!is_real(g, a)) {
        known_real(g, *out, 0);
    }
    return HB_OK;
}

hb_status hb_graph_conjugate(hb_graph *g, uint32_t a, uint32_t *out)
{
    double number;
    if (hb_node_is_known(g, a)) {
        *out = a;
        return HB_OK;
    }
    const uint32_t x = hb_graph_without_number(g, a, &number);
    HB_TRY(hb_graph_require_slots(g, HB_OP_CONJUGATE));
    if (x != HB_NO_NODE) { /* the number stays outermost, where others are folded into it */
        HB_TRY(hb_graph_conjugate(g, x, out));
        return hb_graph_scale(g, *out, (hb_number){.real = number}, out);
    }
    HB_TRY(hb_graph_gather(g, a, &a));
    return hb_graph_unary(g, HB_OP_CONJUGATE, a, 0, out);
}
