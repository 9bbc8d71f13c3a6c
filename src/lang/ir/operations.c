/* The operations of a graph: exact simplifications, and the order of operands. */
#include <math.h>

#include "collect_terms.h"
#include "complex.h"
#include "known.h"
#include "levels.h"
#include "rules.h"
#include "scales.h"
#include "scheme/codec.h"
#include "scheme/quality.h"
#include "semantics.h"
#include "symbolic_polynomial.h"

static const hb_node nothing = {.a = HB_NO_NODE, .b = HB_NO_NODE};

hb_status hb_graph_unary_as(hb_graph *g, const hb_node *like, uint32_t a, uint32_t *out)
{
    hb_node node = nothing;
    node.op = like->op;
    node.a = a;
    node.number = like->number;
    node.operand = like->operand;
    node.column = like->column;
    node.shape.total = like->op == HB_OP_SUM_SLOTS || (g->nodes[a].shape.total && like->op != HB_OP_BROADCAST);
    return hb_graph_node(g, &node, out);
}

hb_status hb_graph_unary_real(hb_graph *g, hb_opcode op, uint32_t a, double real, uint32_t *out)
{
    hb_node node = nothing;
    node.op = op;
    node.a = a;
    node.real = real;
    node.shape.total = g->nodes[a].shape.total;
    return hb_graph_node(g, &node, out);
}

uint32_t hb_graph_without_number(const hb_graph *g, uint32_t a, double *number)
{
    const hb_node *x = &g->nodes[a];
    if (x->op != HB_OP_MULTIPLY_NUMBER) {
        return HB_NO_NODE;
    }
    *number = x->real;
    return x->a;
}

void hb_graph_add_approximation_error(hb_graph *g, uint32_t node, double error)
{
    g->nodes[node].range.approximation_error = fmax(g->nodes[node].range.approximation_error, error);
    g->approximates |= error > 0;
}

bool hb_graph_is_zero(const hb_graph *g, hb_number number)
{
    return g->semantics->reals ? number.real == 0 && number.imaginary == 0 : number.integer == 0;
}

static bool is_one(const hb_graph *g, hb_number number)
{
    return g->semantics->reals ? number.real == 1 && number.imaginary == 0 : number.integer == 1;
}

static hb_number negative(hb_number number)
{
    return (hb_number){-number.integer, -number.real, -number.imaginary};
}

/* a and b may be totals; b alone serves all rows of a. */
static hb_status binary(hb_graph *g, hb_opcode op, uint32_t a, uint32_t b, uint32_t *out)
{
    hb_node node = nothing;
    node.op = op;
    node.a = a;
    node.b = b;
    node.shape.total = g->nodes[a].shape.total;
    return hb_graph_node(g, &node, out);
}

hb_status hb_graph_require_slots(const hb_graph *g, hb_opcode op)
{
    if (g->encoding == HB_ENCODE_SLOTS) {
        return HB_OK;
    }
    uint32_t bits;
    const bool tables = g->params != NULL && hb_quality_table_bits(g->params, &bits) == HB_OK;
    return HB_FAIL_AT(
        HB_EUSAGE, g->syntax->text, g->position.item->at,
        "%s acts on slots, and %.40s holds its values as coefficients; %s", hb_rule_of(op)->on_slots, g->first->name,
        !tables ? "encrypt it with slots"
                : "this t has no slots: conditions can be added up, and the sum compared or looked up, as "
                  "in (a < 3) + (b < 4) == 2");
}

hb_status hb_graph_gather(hb_graph *g, uint32_t a, uint32_t *out)
{
    *out = a;
    return g->nodes[a].shape.scaled ? hb_graph_collect_terms(g, a, 1, out) : HB_OK;
}

hb_status hb_graph_mod_switch(hb_graph *g, uint32_t a, uint32_t *out)
{
    *out = a;
    if (hb_node_is_known(g, a)) {
        return HB_OK;
    }
    HB_TRY(hb_graph_gather(g, a, &a));
    const uint32_t limbs = hb_node_rest_limbs(g, a), own = hb_graph_level_limbs(g);
    if (g->params != NULL && !g->boundless && (limbs <= own || g->params->levels[limbs - own].basis.limbs == 0)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "there is no level below this one: %u prime%s left, %s", limbs, limbs == 1 ? " is" : "s are",
                          g->semantics->lowest);
    }
    return g->semantics->level_down(g, a, out);
}

/* For operations that commute: a total stands second, else the older node first. */
static void order(const hb_graph *g, uint32_t *a, uint32_t *b)
{
    const bool first = g->nodes[*a].shape.total, second = g->nodes[*b].shape.total;
    if (first != second ? first : *a > *b) {
        const uint32_t kept = *a;
        *a = *b;
        *b = kept;
    }
}

/* The operand of an addition of a number, and the number; else `a` and 0. */
static uint32_t without_offset(const hb_graph *g, uint32_t a, double *offset)
{
    const hb_node *x = &g->nodes[a];
    *offset = x->op == HB_OP_ADD_NUMBER ? x->real : 0;
    return x->op == HB_OP_ADD_NUMBER ? x->a : a;
}

/* Drops a node without users from its operands' use counts. */
static void leave(hb_graph *g, uint32_t a)
{
    const hb_node *x = &g->nodes[a];
    if (x->users == 0 && x->op == HB_OP_ADD_NUMBER) {
        g->nodes[x->a].users--;
    }
}

/* Makes a + b, or a - b, of which one is a sum at the scale of products to which a number was added: numbers are added
 * last, so that all else is rescaled once. *out stays where that is not so, or numbers would be rounded. */
static hb_status add_offsets_last(hb_graph *g, hb_item_kind kind, uint32_t a, uint32_t b, uint32_t *out)
{
    double first, second;
    const uint32_t x = without_offset(g, a, &first), y = without_offset(g, b, &second);
    second = kind == HB_ITEM_SUBTRACT ? -second : second;
    const double offset = first + second, rest = offset - first; /* exact where `rest` is all of the second */
    const bool rescaled =
        g->nodes[x].shape.limbs > g->nodes[a].shape.limbs || g->nodes[y].shape.limbs > g->nodes[b].shape.limbs;
    if (!rescaled || g->nodes[x].shape.limbs != g->nodes[y].shape.limbs || rest != second || offset - rest != first) {
        return HB_OK;
    }
    leave(g, a);
    leave(g, b);
    HB_TRY(kind == HB_ITEM_SUBTRACT ? hb_graph_subtract(g, x, y, out) : hb_graph_add(g, x, y, out));
    return hb_graph_add_constant(g, *out, (hb_number){.real = offset}, out);
}

/* --- public numbers */

static bool either_known(const hb_graph *g, uint32_t a, uint32_t b)
{
    return hb_node_is_known(g, a) || hb_node_is_known(g, b);
}

hb_status hb_graph_in_rows(hb_graph *g, uint32_t a, uint32_t *out)
{
    *out = a;
    if (!g->nodes[a].shape.total) {
        return HB_OK;
    }
    if (hb_node_is_known(g, a)) {
        return hb_graph_put_known(g, a, false, hb_node_known(g, a), out);
    }
    HB_TRY(hb_graph_gather(g, a, &a));
    return hb_graph_unary(g, HB_OP_BROADCAST, a, 0, out);
}

/* Sets the range of a sum or a product with a number by the number that the text means. For integers the computed
 * number may be another one, equal to it mod t. */
static void keep_values(hb_graph *g, hb_item_kind kind, uint32_t a, hb_known known, uint32_t made)
{
    const hb_interval own = hb_known_of(g, known.number).values;
    if (!g->semantics->reals && !hb_interval_within(known.values, own)) {
        const hb_interval x = g->nodes[a].range.interval;
        hb_graph_values_are(g, made,
                            kind == HB_ITEM_MULTIPLY ? hb_interval_multiply(x, known.values)
                                                     : hb_interval_add(x, known.values));
    }
}

static hb_status with_known(hb_graph *g, hb_item_kind kind, uint32_t a, uint32_t b, uint32_t *out)
{
    const bool total = g->nodes[a].shape.total && g->nodes[b].shape.total;
    hb_known number;
    if (hb_node_is_known(g, a) && hb_node_is_known(g, b)) {
        HB_TRY(hb_known_combine(g, kind, hb_node_known(g, a), hb_node_known(g, b), &number));
        return hb_graph_put_known(g, a, total, number, out);
    }
    const bool first = hb_node_is_known(g, a);
    uint32_t known = first ? a : b, other = first ? b : a;
    number = hb_node_known(g, known);
    if (kind == HB_ITEM_SUBTRACT && first) {
        HB_TRY(hb_graph_negate(g, other, &other));
    } else if (kind == HB_ITEM_SUBTRACT) {
        HB_TRY(hb_known_combine(g, kind, hb_known_of(g, (hb_number){.integer = 0}), number, &number));
    }
    if (kind == HB_ITEM_MULTIPLY && hb_graph_is_zero(g, number.number)) {
        return hb_graph_put_known(g, known, total, number, out);
    }
    if (!total) {
        HB_TRY(hb_graph_in_rows(g, other, &other));
    }
    HB_TRY(kind == HB_ITEM_MULTIPLY ? hb_graph_scale(g, other, number.number, out)
                                    : hb_graph_add_constant(g, other, number.number, out));
    keep_values(g, kind, other, number, *out);
    return HB_OK;
}

static hb_status known_with(hb_graph *g, hb_item_kind kind, uint32_t a, hb_number number, uint32_t *out)
{
    hb_known made;
    HB_TRY(hb_known_combine(g, kind, hb_node_known(g, a), hb_known_of(g, number), &made));
    return hb_graph_put_known(g, a, g->nodes[a].shape.total, made, out);
}

/* --- arithmetic */

/* The plain column that a node has in a ciphertext that everyone can read; HB_NO_NODE: it is no such node. */
static uint32_t plain_within(const hb_graph *g, uint32_t a)
{
    const hb_node *x = &g->nodes[a];
    return x->op == HB_OP_ADD_PLAIN && hb_node_is_known(g, x->a) && hb_node_is_zero(g, x->a) ? x->b : HB_NO_NODE;
}

/* Makes a + b, a - b or a b where one of them is a plain column in such a ciphertext; else *out is HB_NO_NODE. */
static hb_status with_plain_within(hb_graph *g, hb_item_kind kind, uint32_t a, uint32_t b, uint32_t *out)
{
    const uint32_t left = plain_within(g, a), right = plain_within(g, b);
    *out = HB_NO_NODE;
    if ((left == HB_NO_NODE) == (right == HB_NO_NODE)) {
        return HB_OK;
    }
    const bool rows = !g->nodes[left != HB_NO_NODE ? a : b].shape.total;
    uint32_t other = left != HB_NO_NODE ? b : a;
    hb_opcode op = kind == HB_ITEM_MULTIPLY ? HB_OP_MULTIPLY_PLAIN : HB_OP_ADD_PLAIN;
    if (kind == HB_ITEM_SUBTRACT && left != HB_NO_NODE) {
        HB_TRY(hb_graph_negate(g, other, &other));
    } else if (kind == HB_ITEM_SUBTRACT) {
        op = HB_OP_SUBTRACT_PLAIN;
    }
    return hb_graph_with_plain(g, op, other, left != HB_NO_NODE ? left : right, rows, out);
}

/* Whether it is a product with a matrix to which numbers or a plain table are added, and which nobody has yet. */
static bool is_matrix_and_more(const hb_graph *g, const hb_node *x)
{
    return (x->op == HB_OP_ADD_ROW || x->op == HB_OP_ADD_PLAIN || x->op == HB_OP_ADD_NUMBER) && x->users == 0 &&
           g->nodes[x->a].op == HB_OP_MATRIX;
}

/* Makes the sum of two products with matrices before others are added to it: it may be one operation. *out stays where
 * that is not so. */
static hb_status add_matrices_first(hb_graph *g, hb_item_kind kind, uint32_t a, uint32_t b, uint32_t *out)
{
    const hb_node x = g->nodes[a], y = g->nodes[b];
    const bool left = is_matrix_and_more(g, &x), right = kind == HB_ITEM_ADD && is_matrix_and_more(g, &y);
    const uint32_t first = left ? x.a : a, second = right ? y.a : b;
    if ((!left && !right) || !g->unplaced || x.shape.total != y.shape.total || g->nodes[first].op != HB_OP_MATRIX ||
        g->nodes[second].op != HB_OP_MATRIX) {
        return HB_OK;
    }
    uint32_t sum;
    HB_TRY(binary(g, kind == HB_ITEM_ADD ? HB_OP_ADD : HB_OP_SUBTRACT, first, second, &sum));
    for (int i = 0; i < 2; i++) {
        hb_node more = i == 0 ? x : y;
        more.a = sum;
        if (i == 0 ? left : right) {
            g->nodes[i == 0 ? first : second].users--; /* of the sum that nobody has */
            HB_TRY(hb_graph_node(g, &more, &sum));
        }
    }
    *out = sum;
    return HB_OK;
}

/* Makes a + b, or a - b, where one operand is a public number, a sum with a number that is to be added last, or a plain
 * column; else *out is HB_NO_NODE. */
static hb_status sum_with_constants(hb_graph *g, hb_item_kind kind, uint32_t a, uint32_t b, uint32_t *out)
{
    *out = HB_NO_NODE;
    if (either_known(g, a, b)) {
        return with_known(g, kind, a, b, out);
    }
    HB_TRY(with_plain_within(g, kind, a, b, out));
    if (*out == HB_NO_NODE) {
        HB_TRY(add_matrices_first(g, kind, a, b, out));
    }
    return *out != HB_NO_NODE ? HB_OK : add_offsets_last(g, kind, a, b, out);
}

/* Gathers operands of a sum that will be rescaled before it. */
static hb_status gather_before_sum(hb_graph *g, uint32_t *a, uint32_t *b)
{
    if (!hb_nodes_rest_before_sum(g, *a, *b)) {
        return HB_OK;
    }
    HB_TRY(hb_graph_gather(g, *a, a));
    return hb_graph_gather(g, *b, b);
}

hb_status hb_graph_add(hb_graph *g, uint32_t a, uint32_t b, uint32_t *out)
{
    HB_TRY(sum_with_constants(g, HB_ITEM_ADD, a, b, out));
    if (*out != HB_NO_NODE) {
        return HB_OK;
    }
    HB_TRY(gather_before_sum(g, &a, &b));
    order(g, &a, &b);
    const hb_node *x = &g->nodes[a], *y = &g->nodes[b];
    if (y->op == HB_OP_NEGATE) {
        return hb_graph_subtract(g, a, y->a, out);
    }
    if (x->op == HB_OP_NEGATE && x->shape.total == y->shape.total) {
        return hb_graph_subtract(g, b, x->a, out);
    }
    return binary(g, HB_OP_ADD, a, b, out);
}

hb_status hb_graph_subtract(hb_graph *g, uint32_t a, uint32_t b, uint32_t *out)
{
    HB_TRY(sum_with_constants(g, HB_ITEM_SUBTRACT, a, b, out));
    if (*out != HB_NO_NODE) {
        return HB_OK;
    }
    HB_TRY(gather_before_sum(g, &a, &b));
    if (g->nodes[a].shape.total && !g->nodes[b].shape.total) {
        HB_TRY(binary(g, HB_OP_SUBTRACT, b, a, out));
        return hb_graph_negate(g, *out, out);
    }
    if (g->nodes[b].op == HB_OP_NEGATE) {
        b = g->nodes[b].a;
        order(g, &a, &b);
        return binary(g, HB_OP_ADD, a, b, out);
    }
    return binary(g, HB_OP_SUBTRACT, a, b, out);
}

hb_status hb_graph_negate(hb_graph *g, uint32_t a, uint32_t *out)
{
    const hb_node *x = &g->nodes[a];
    if (hb_node_is_known(g, a)) {
        return known_with(g, HB_ITEM_MULTIPLY, a, (hb_number){.integer = -1, .real = -1}, out);
    }
    if (x->op == HB_OP_NEGATE) {
        *out = x->a;
        return HB_OK;
    }
    if (x->op == HB_OP_SUBTRACT && g->nodes[x->a].shape.total == g->nodes[x->b].shape.total) {
        return binary(g, HB_OP_SUBTRACT, x->b, x->a, out);
    }
    return hb_graph_unary(g, HB_OP_NEGATE, a, 0, out);
}

hb_status hb_graph_multiply(hb_graph *g, uint32_t a, uint32_t b, uint32_t *out)
{
    HB_TRY(hb_graph_require_slots(g, HB_OP_MULTIPLY));
    if (either_known(g, a, b)) {
        return with_known(g, HB_ITEM_MULTIPLY, a, b, out);
    }
    HB_TRY(with_plain_within(g, HB_ITEM_MULTIPLY, a, b, out));
    if (*out != HB_NO_NODE) {
        return HB_OK;
    }
    if (g->semantics->factors != NULL) {
        HB_TRY(g->semantics->factors(g, &a, &b));
    }
    HB_TRY(hb_graph_gather(g, a, &a));
    HB_TRY(hb_graph_gather(g, b, &b));
    HB_TRY(hb_graph_require_level(g, a, "this product"));
    HB_TRY(hb_graph_require_level(g, b, "this product"));
    order(g, &a, &b);
    return binary(g, HB_OP_MULTIPLY, a, b, out);
}

/* Returns the largest real number that plaintexts for ciphertexts of the level of `a` hold: their scale may be above
 * that of fresh ciphertexts. */
static double most_encoded(const hb_graph *g, uint32_t a)
{
    const uint32_t limbs = hb_graph_known_limbs(g, hb_node_rest_limbs(g, a));
    const double held = hb_interval_held(g->spec, true).high,
                 higher =
                     hb_codec_level_scale(g->params, limbs) / hb_codec_level_scale(g->params, g->params->fresh_limbs);
    return held / fmax(higher / 1.25, 1);
}

/* A real number that is added becomes plaintexts, of row blocks that are not full. */
static hb_status check_encoded(const hb_graph *g, uint32_t a, hb_number number)
{
    if (g->params == NULL) {
        return HB_OK;
    }
    const double most = most_encoded(g, a);
    if (hb_interval_within(hb_interval_of_reals(number.real, number.real), hb_interval_of_reals(-most, most))) {
        return HB_OK;
    }
    return HB_FAIL_AT(HB_EDATA, g->syntax->text, g->position.item->at,
                      "a sum with %.4g, and numbers that are added are %.4g at most; %s", number.real, most,
                      hb_codec_bound_advice(g->spec->scheme));
}

hb_status hb_graph_add_constant(hb_graph *g, uint32_t a, hb_number number, uint32_t *out)
{
    *out = a;
    if (hb_graph_is_zero(g, number)) {
        return HB_OK;
    }
    if (number.imaginary != 0) {
        return hb_graph_add_complex(g, a, number, out);
    }
    if (hb_node_is_known(g, a)) {
        return known_with(g, HB_ITEM_ADD, a, number, out);
    }
    HB_TRY(hb_graph_gather(g, a, &a));
    const hb_opcode op = g->semantics->add_number;
    if (!hb_operations[op].real) {
        return hb_graph_unary(g, op, a, number.integer, out);
    }
    HB_TRY(check_encoded(g, a, number));
    return hb_graph_unary_real(g, op, a, number.real, out);
}

hb_status hb_graph_scale(hb_graph *g, uint32_t a, hb_number number, uint32_t *out)
{
    if (hb_graph_is_zero(g, number) && g->params != NULL) {
        return hb_graph_known(g, a, g->nodes[a].shape.total, number, out);
    }
    if (number.imaginary != 0) {
        return hb_graph_scale_complex(g, a, number, out);
    }
    if (hb_node_is_known(g, a)) {
        return known_with(g, HB_ITEM_MULTIPLY, a, number, out);
    }
    if (is_one(g, negative(number))) {
        return hb_graph_negate(g, a, out);
    }
    *out = a;
    return is_one(g, number) ? HB_OK : g->semantics->multiple(g, a, number, out);
}

/* Values computed from plain tables must fit a plaintext; cells of tables are checked when they are read. */
static hb_status check_derived(const hb_graph *g, uint32_t a, uint32_t plain)
{
    const hb_node *x = &g->nodes[plain];
    if (g->params == NULL || !g->semantics->reals || x->column < g->operands[x->operand].schema->columns) {
        return HB_OK;
    }
    const double most = most_encoded(g, a), largest = hb_interval_magnitude(x->range.interval);
    return largest <= most ? HB_OK
                           : HB_FAIL_AT(HB_EDATA, g->syntax->text, g->position.item->at,
                                        "a value computed from plain tables is up to %.4g here, and plaintexts hold "
                                        "numbers up to %.4g; %s",
                                        largest, most, hb_codec_bound_advice(g->spec->scheme));
}

hb_status hb_graph_with_plain(hb_graph *g, hb_opcode op, uint32_t a, uint32_t plain, bool rows, uint32_t *out)
{
    if (hb_rule_of(op)->on_slots != NULL) {
        HB_TRY(hb_graph_require_slots(g, op));
    }
    if (op == HB_OP_MULTIPLY_PLAIN && (hb_node_is_zero(g, a) || hb_node_is_zero(g, plain))) {
        return hb_graph_known(g, a, g->nodes[a].shape.total && !rows, (hb_number){.integer = 0}, out);
    }
    if (op == HB_OP_MULTIPLY_PLAIN && g->semantics->plain_factor != NULL) {
        HB_TRY(g->semantics->plain_factor(g, &a, &plain));
    }
    HB_TRY(hb_graph_gather(g, a, &a));
    if (op == HB_OP_MULTIPLY_PLAIN) {
        HB_TRY(hb_graph_require_level(g, a, "this product"));
    }
    if (rows) {
        HB_TRY(hb_graph_in_rows(g, a, &a));
    }
    HB_TRY(check_derived(g, a, plain));
    return binary(g, op, a, plain, out);
}
