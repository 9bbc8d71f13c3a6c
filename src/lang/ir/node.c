/* Nodes of a graph: each different one once, with the facts that follow from its operands. */
#include "graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "blocks.h"
#include "bootstrap.h"
#include "complex.h"
#include "empty_slots.h"
#include "known.h"
#include "lang/program/interval_words.h"
#include "lang/program/range.h"
#include "range_analysis.h"
#include "rules.h"
#include "scale_way.h"
#include "scheme/params.h"
#include "semantics.h"
#include "symbolic_polynomial.h"
#include "transparency.h"

/* Combinations are the same where their terms are. */
static uint64_t hash_combination(const hb_graph *g, const hb_node *node)
{
    const hb_node_list operands = hb_node_operands(g, node);
    const hb_weight *weights = hb_node_weights(g, node);
    uint64_t h = hb_node_combination(g, node).whole;
    for (uint32_t i = 0; i < operands.count; i++) {
        h = hb_hash_word(h, operands.node[i]);
        h = hb_hash_word(h, (uint64_t)weights[i].integer);
    }
    return h;
}

static bool same_combination(const hb_graph *g, const hb_node *x, const hb_node *y)
{
    const hb_combination_terms a = hb_node_combination(g, x), b = hb_node_combination(g, y);
    return a.count == b.count && a.whole == b.whole &&
           memcmp(g->combinations.term_nodes + a.first, g->combinations.term_nodes + b.first,
                  a.count * sizeof *g->combinations.term_nodes) == 0 &&
           memcmp(g->combinations.term_weights + a.first, g->combinations.term_weights + b.first,
                  a.count * sizeof *g->combinations.term_weights) == 0;
}

static uint64_t hash(const hb_graph *g, const hb_node *node)
{
    if (node->op == HB_OP_COMBINE) {
        return hash_combination(g, node);
    }
    const uint64_t words[] = {(uint64_t)node->op, (uint64_t)node->a << 32 | node->b, (uint64_t)node->number,
                              (uint64_t)node->operand << 32 | node->column};
    uint64_t h = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        h = hb_hash_word(h, words[i]);
    }
    return h;
}

/* A node that is looked for. */
typedef struct search {
    const hb_graph *g;
    const hb_node *node;
} search;

static bool is_same(const void *context, uint32_t index)
{
    const search *s = context;
    const hb_graph *g = s->g;
    const hb_node *x = &g->nodes[index], *y = s->node;
    if (x->op == HB_OP_COMBINE && y->op == HB_OP_COMBINE) {
        return same_combination(g, x, y);
    }
    return x->op == y->op && x->a == y->a && x->b == y->b && x->number == y->number && x->operand == y->operand &&
           x->column == y->column;
}

/* Whether all operands of a node are public. */
static bool is_trivial(const hb_graph *g, const hb_node *node)
{
    const hb_node_list operands = hb_node_operands(g, node);
    bool trivial = operands.count > 0;
    for (uint32_t i = 0; i < operands.count; i++) {
        const hb_node *x = &g->nodes[operands.node[i]];
        trivial = trivial && (x->shape.plain || x->form.fingerprint == 0);
    }
    return trivial;
}

static void derive(const hb_graph *g, hb_node *node)
{
    const hb_rule *rule = hb_rule_of(node->op);
    if (rule->fingerprint != NULL || is_trivial(g, node)) {
        node->form.fingerprint = rule->fingerprint != NULL ? rule->fingerprint(g, node) : 0;
    } else {
        node->form.fingerprint = hb_fingerprint_fold(hash(g, node) >> 3) | 1; /* never 0 */
    }
    if (hb_operations[node->op].loads) {
        node->range.magnitude = node->range.interval.known ? hb_interval_magnitude(node->range.interval) : HUGE_VAL;
        const bool known = node->op == HB_OP_KNOWN; /* of no operand */
        node->range.threshold_gap = known ? 0 : g->operands[node->operand].schema->threshold_gap;
        return;
    }
    const hb_node *a = &g->nodes[node->a];
    const hb_node_list operands = hb_node_operands(g, node);
    const bool whole = node->op == HB_OP_COMBINE && hb_node_combination(g, node).whole;
    hb_node_find_level(g, node);
    bool negative = rule->negative || (hb_operations[node->op].constant && node->number < 0);
    node->shape.depth = 0;
    for (uint32_t i = 0; i < operands.count; i++) {
        const hb_node *x = &g->nodes[operands.node[i]];
        negative |= x->shape.is_signed || (whole && hb_node_weights(g, node)[i].integer < 0);
        node->shape.depth = x->shape.depth > node->shape.depth ? x->shape.depth : node->shape.depth;
        node->range.threshold_gap = fmax(node->range.threshold_gap, x->range.threshold_gap);
    }
    node->shape.depth += hb_node_depth(g, node);
    node->shape.is_signed = !g->semantics->reals && negative;
    node->shape.coupled = node->op == HB_OP_COUPLE || (a->shape.coupled && node->op != HB_OP_UNCOUPLE);
    node->shape.width = rule->width != NULL ? rule->width(g, node) : a->shape.width;
    node->shape.image = rule->image != NULL ? rule->image(g, node) : a->shape.image;
    hb_node_find_empty_slots(g, node);
    node->shape.halves = a->shape.halves;
    node->shape.pair = a->shape.pair;
    if (rule->halves != NULL) {
        rule->halves(g, node);
    }
    node->range.interval = hb_halves_range(node->shape.halves, rule->interval(g, node));
    node->range.magnitude = hb_node_magnitude(g, node);
    /* An operand of a stage of sign keeps its margin through every way to rest. */
    if (node->op == HB_OP_RESCALE || node->op == HB_OP_ADJUST) {
        node->range.margin = a->range.margin;
    }
    node->shape.scale_folds = hb_node_scale_folds(g, node);
}

static hb_status grow(hb_graph *g)
{
    if (g->count < g->capacity) {
        return HB_OK;
    }
    const uint32_t capacity = g->capacity == 0 ? 256 : 2 * g->capacity;
    hb_node *nodes = realloc(g->nodes, capacity * sizeof *nodes);
    if (nodes == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the graph of an expression");
    }
    g->nodes = nodes;
    hb_index_table table;
    HB_TRY(hb_index_table_init(&table, capacity));
    for (uint32_t i = 0; i < g->count; i++) {
        *hb_index_table_find(&table, hash(g, &g->nodes[i]), NULL, NULL) = i;
    }
    hb_index_table_clear(&g->table);
    g->table = table;
    g->capacity = capacity;
    return HB_OK;
}

/* Values that were brought to another level lie where those of their operand do, of which more may be known by now. */
static void keep_lower(hb_graph *g, uint32_t i)
{
    hb_node *x = &g->nodes[i];
    if (x->op != HB_OP_RESCALE && x->op != HB_OP_ADJUST) {
        return;
    }
    const hb_node *a = &g->nodes[x->a];
    const hb_interval both = hb_interval_meet(x->range.interval, a->range.interval);
    x->range.interval = both.known ? both : x->range.interval;
    x->range.magnitude = fmin(x->range.magnitude, a->range.magnitude);
}

static hb_node known_node(const hb_graph *g, const hb_node_shape *shape, hb_known known)
{
    const hb_number number = known.number;
    hb_node node = {.op = HB_OP_KNOWN, .a = HB_NO_NODE, .b = HB_NO_NODE, .shape = *shape};
    /* A value with other rows, or other columns within slots, is another node. */
    node.column = UINT32_MAX - (2 * shape->width + shape->total);
    node.shape.plain = true;
    node.shape.coupled = false;
    node.shape.scaled = node.shape.scale_folds = false;
    node.shape.halves = HB_HALVES_REAL;
    node.shape.pair = NULL;
    node.shape.depth = 0;
    if (g->semantics->reals) {
        node.real = number.real + 0.0; /* -0 is 0 */
        node.shape.is_signed = false;
        node.range.interval = hb_interval_of_reals(number.real, number.real);
    } else {
        node.number = number.integer;
        node.range.interval = known.values;
        node.shape.is_signed = known.values.least < 0;
        node.operand = !hb_interval_within(known.values, hb_known_of(g, number).values); /* else it is another node */
    }
    return node;
}

/* Finds the public number of a node in which everything encrypted cancels; *out is unchanged where the rest is no
 * number, but for example a column of a plain table. */
static hb_status fold(hb_graph *g, const hb_node *node, uint32_t *out)
{
    hb_number number;
    hb_known known;
    bool found;
    HB_TRY(hb_graph_find_left(g, node, &number, &found));
    if (!found || node->shape.halves != HB_HALVES_REAL) {
        return HB_OK;
    }
    HB_TRY(hb_known_combine(g, HB_ITEM_ADD, hb_known_of(g, number), hb_known_of(g, (hb_number){.integer = 0}), &known));
    const hb_node left = known_node(g, &node->shape, known);
    return hb_graph_node(g, &left, out);
}

hb_status hb_graph_put_known(hb_graph *g, uint32_t like, bool total, hb_known known, uint32_t *out)
{
    hb_node_shape shape = g->nodes[like].shape;
    shape.total = total;
    const hb_node node = known_node(g, &shape, known);
    const uint32_t count = g->count;
    HB_TRY(hb_graph_node(g, &node, out));
    hb_node *made = &g->nodes[*out];
    made->range.interval = hb_interval_join(made->range.interval, known.values); /* integers that are the same mod t */
    if (*out == count && hb_node_is_known(g, like)) { /* messages name the place where nothing encrypted was left */
        made->origin = g->nodes[like].origin;
    }
    return HB_OK;
}

hb_status hb_graph_known(hb_graph *g, uint32_t like, bool total, hb_number number, uint32_t *out)
{
    return hb_graph_put_known(g, like, total, hb_known_of(g, number), out);
}

/* --- ciphertexts of public numbers */

static hb_status put(hb_graph *g, const hb_node *node, bool folds, uint32_t *out);

/* A value at rest with rows, or of one row, with as many columns as a known one has, at its level or above; HB_NO_NODE:
 * there is none. */
static uint32_t find_like(const hb_graph *g, const hb_node *known, bool total)
{
    uint32_t i = 0;
    for (; i < g->count; i++) {
        const hb_node_shape *x = &g->nodes[i].shape, *own = &known->shape;
        if (!x->plain && !x->scaled && !x->coupled && x->total == total && x->width == own->width &&
            x->limbs >= own->limbs && x->halves == HB_HALVES_REAL) {
            break;
        }
    }
    return i < g->count ? i : HB_NO_NODE;
}

static hb_status fail_like(const hb_graph *g, uint32_t known)
{
    char text[HB_INTERVAL_TEXT];
    hb_interval_words(text, g->nodes[known].range.interval, NULL);
    return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                      "nothing encrypted is left here: the operand is %s whatever is encrypted, and "
                      "everyone could read the result (a transparent ciphertext, which is refused)",
                      text);
}

/* Makes a ciphertext of 0 in the place of a known node: 0 times any, whose second component is then 0. Where none has
 * as many rows it is made of one that has others. */
static hb_status make_zero(hb_graph *g, uint32_t known, uint32_t *out)
{
    const hb_node x = g->nodes[known];
    uint32_t like = find_like(g, &x, x.shape.total);
    const bool other = like == HB_NO_NODE;
    like = other ? find_like(g, &x, !x.shape.total) : like;
    if (like == HB_NO_NODE) {
        return fail_like(g, known);
    }
    while (g->nodes[like].shape.limbs > x.shape.limbs) {
        HB_TRY(g->semantics->level_down(g, like, &like));
    }
    hb_node node = {.op = HB_OP_MULTIPLY_INTEGER, .a = like, .b = HB_NO_NODE};
    node.shape.total = x.shape.total != other;
    HB_TRY(put(g, &node, false, out));
    if (!other) {
        return HB_OK;
    }
    node = (hb_node){.op = x.shape.total ? HB_OP_SUM_SLOTS : HB_OP_BROADCAST, .a = *out, .b = HB_NO_NODE};
    node.shape.total = x.shape.total;
    return put(g, &node, false, out);
}

/* Makes a trivial encryption of a known node, at its level. */
static hb_status encrypt_trivially(hb_graph *g, uint32_t known, uint32_t *out)
{
    uint32_t zero;
    HB_TRY(make_zero(g, known, &zero));
    const hb_node *x = &g->nodes[known];
    hb_node sum = {.op = g->semantics->add_number, .a = zero, .b = HB_NO_NODE, .shape.total = x->shape.total};
    if (g->semantics->reals) {
        sum.real = x->real;
    } else {
        sum.number = x->number;
    }
    HB_TRY(put(g, &sum, false, out));
    hb_graph_values_are(g, *out, g->nodes[known].range.interval);
    return HB_OK;
}

/* An operation that is no arithmetic takes a number as a ciphertext. */
static hb_status encrypt_known(hb_graph *g, hb_node *node)
{
    if (node->op == HB_OP_COMBINE || hb_operations[node->op].loads) {
        return HB_OK;
    }
    for (int i = 0; i < 2; i++) {
        uint32_t *operand = &node->operands[i];
        if (*operand != HB_NO_NODE && hb_node_is_known(g, *operand)) {
            HB_TRY(encrypt_trivially(g, *operand, operand));
        }
    }
    return HB_OK;
}

static hb_status check(const hb_graph *g, const hb_node *node)
{
    const hb_item *item = g->position.item;
    if (!hb_semantics_has_operation(g->semantics, node->op)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at, "%s has no %s", hb_scheme_name(g->spec->scheme),
                          hb_operations[node->op].name);
    }
    if (g->count == HB_GRAPH_MAX_NODES) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at,
                          "the expression comes to more than %d operations on columns; split it into several",
                          HB_GRAPH_MAX_NODES);
    }
    return hb_graph_check_images(g, node);
}

/* folds: where everything encrypted cancels it is a number. */
static hb_status put(hb_graph *g, const hb_node *node, bool folds, uint32_t *out)
{
    hb_node made = *node;
    HB_TRY(encrypt_known(g, &made));
    HB_TRY(grow(g));
    const search s = {g, &made};
    uint32_t *place = hb_index_table_find(&g->table, hash(g, &made), is_same, &s);
    if (*place != HB_NO_INDEX) {
        keep_lower(g, *place);
        *out = *place;
        return HB_OK;
    }
    HB_TRY(check(g, &made));
    made.origin = hb_origin_of(g->position.item, g->position.iteration);
    made.value_column = g->position.column;
    made.users = 0;
    made.form = (hb_node_form){0};
    made.named = false;
    derive(g, &made);
    HB_TRY(hb_graph_find_symbolic(g, &made));
    if (folds && made.form.fingerprint == 0 && g->params != NULL) {
        uint32_t left = HB_NO_NODE;
        HB_TRY(fold(g, &made, &left));
        if (left != HB_NO_NODE) {
            *out = left;
            return HB_OK;
        }
        HB_TRY(grow(g)); /* a place that was found may have moved */
        place = hb_index_table_find(&g->table, hash(g, &made), is_same, &s);
    }
    const hb_node_list operands = hb_node_operands(g, &made);
    for (uint32_t i = 0; i < operands.count; i++) {
        g->nodes[operands.node[i]].users++;
    }
    g->nodes[g->count] = made;
    *place = g->count;
    *out = g->count++;
    return HB_OK;
}

hb_status hb_graph_node(hb_graph *g, const hb_node *node, uint32_t *out)
{
    return put(g, node, true, out);
}
