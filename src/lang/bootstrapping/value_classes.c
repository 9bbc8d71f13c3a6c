/* Nodes are of one statement where they are the same operation of the same place in the text, on the same statements,
 * in one pass, and take as many levels: they were made column by column. Statements follow one another in the order of
 * their first nodes, so operands stand before their users. */
#include "value_classes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coupling.h"
#include "lang/analysis/data_passes.h"
#include "lang/cost/op_cost.h"
#include "lang/ir/blocks.h"
#include "lang/ir/bootstrap.h"
#include "lang/ir/polynomial.h"
#include "lang/ir/rules.h"
#include "scheme/bootstrap.h"
#include "scheme/quality.h"

typedef struct finder {
    const hb_graph *g;
    const hb_facts *facts;        /* of it */
    const hb_noise_levels *noise; /* NULL: of reals */
    hb_value_classes *out;
    uint32_t operand_count, operand_capacity;
    uint32_t *begin;      /* [count] of a statement's operands */
    hb_index_table table; /* of statements, by operation, place and operands */
    uint32_t levels;      /* that users have */
    uint8_t *passes;      /* [nodes] in how many passes a value with rows is computed */
    double room[HB_PLACEMENT_LEVELS];
} finder;

void hb_value_classes_clear(hb_value_classes *x)
{
    free(x->of);
    free(x->root);
    free(x->steps);
    free(x->first);
    free(x->operands);
    free(x->costs);
    *x = (hb_value_classes){0};
}

/* --- how often */

enum { PASS_WORDS = (HB_MAX_DATA_PASSES + 63) / 64 };

/* Finds in how many passes values with rows are computed: in each that needs them, as none outlives its pass. */
static hb_status count_passes(finder *f)
{
    const hb_graph *g = f->g;
    uint64_t(*in)[PASS_WORDS] = calloc((size_t)g->count + 1, sizeof *in);
    f->passes = calloc((size_t)g->count + 1, sizeof *f->passes);
    if (in == NULL || f->passes == NULL) {
        free(in);
        return HB_FAIL(HB_ENOMEM, "no memory for the statements of an expression");
    }
    for (uint32_t i = g->count; i-- > 0;) {
        const hb_node *node = &g->nodes[i];
        if (!f->facts->size[i].used) {
            continue;
        }
        for (int w = 0; w < PASS_WORDS; w++) {
            f->passes[i] = (uint8_t)(f->passes[i] + __builtin_popcountll(in[i][w]));
        }
        if (f->passes[i] == 0 || node->shape.total) { /* a result; or a sum over rows, in its own pass */
            memset(in[i], 0, sizeof in[i]);
            in[i][f->facts->size[i].pass / 64] = UINT64_C(1) << f->facts->size[i].pass % 64;
            f->passes[i] = 1;
        }
        const hb_node_list operands = hb_node_operands(g, node);
        for (uint32_t j = 0; j < operands.count; j++) {
            for (int w = 0; w < PASS_WORDS && !g->nodes[operands.node[j]].shape.total; w++) {
                in[operands.node[j]][w] |= in[i][w];
            }
        }
    }
    free(in);
    return HB_OK;
}

/* --- one statement */

static uint32_t levels_of(const finder *f, const hb_node *node)
{
    const hb_graph *g = f->g;
    if (f->noise != NULL) {
        return f->noise->taken[node - g->nodes];
    }
    if (hb_operations[node->op].loads) {
        return (node->shape.limbs - HB_BOUNDLESS_LIMBS) / hb_graph_level_limbs(g) - 1;
    }
    if (node->op == HB_OP_POLYNOMIAL) {
        return hb_polynomial_levels(g, node);
    }
    const bool whole = node->op == HB_OP_COMBINE && hb_node_combination(g, node).whole;
    return (hb_rule_of(node->op)->scales && !whole) + hb_rule_of(node->op)->levels;
}

static uint64_t hash(const finder *f, const hb_node *node, const uint32_t *operands, uint32_t count)
{
    const uint64_t words[] = {(uint64_t)node->op,
                              node->origin.at,
                              levels_of(f, node),
                              hb_facts_size(f->facts, node)->pass,
                              node->shape.total,
                              node->shape.halves == HB_HALVES_REAL,
                              hb_operations[node->op].loads ? node->operand : 0};
    uint64_t h = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        h = hb_hash_word(h, words[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        h = hb_hash_word(h, operands[i]);
    }
    return h;
}

/* The statement of a node that is looked for. */
typedef struct search {
    const finder *f;
    const hb_node *node;
    const uint32_t *operands; /* [count] */
    uint32_t count;
} search;

static bool is_same(const void *context, uint32_t statement)
{
    const search *s = context;
    const finder *f = s->f;
    const hb_node *node = s->node;
    const hb_node *x = &f->g->nodes[f->out->first[statement]];
    const hb_placement_step *step = &f->out->steps[statement];
    return x->op == node->op && x->origin.at == node->origin.at && step->levels == levels_of(f, node) &&
           hb_facts_size(f->facts, x)->pass == hb_facts_size(f->facts, node)->pass &&
           x->shape.total == node->shape.total &&
           (x->shape.halves == HB_HALVES_REAL) == (node->shape.halves == HB_HALVES_REAL) &&
           (!hb_operations[node->op].loads || x->operand == node->operand) && step->operand_count == s->count &&
           memcmp(f->out->operands + f->begin[statement], s->operands, s->count * sizeof *s->operands) == 0;
}

static int by_number(const void *x, const void *y)
{
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

/* Lists the statements that a node is made of behind those of all others, each once; of encrypted ones. */
static hb_status list_operands(finder *f, const hb_node *node, uint32_t *count)
{
    const hb_node_list list = hb_node_operands(f->g, node);
    if (f->operand_count + list.count >= f->operand_capacity) {
        const uint32_t capacity = 2 * (f->operand_count + list.count) + 64;
        uint32_t *longer = realloc(f->out->operands, capacity * sizeof *longer);
        if (longer == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the statements of an expression");
        }
        f->out->operands = longer;
        f->operand_capacity = capacity;
    }
    uint32_t *own = f->out->operands + f->operand_count, all = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        if (!f->g->nodes[list.node[i]].shape.plain) {
            own[all++] = f->out->of[list.node[i]];
        }
    }
    if (all > 0) {
        qsort(own, all, sizeof *own, by_number);
    }
    *count = 0;
    for (uint32_t i = 0; i < all; i++) {
        if (i == 0 || own[i] != own[i - 1]) {
            own[(*count)++] = own[i];
        }
    }
    return HB_OK;
}

/* The lowest level that holds values of the node. */
static uint32_t least_of(const finder *f, const hb_node *node)
{
    if (f->noise != NULL) {
        return f->noise->least;
    }
    const double log = log2(node->range.magnitude);
    uint32_t level = 0;
    while (level + 1 < f->levels && isfinite(log) && log > f->room[level]) {
        level++;
    }
    return level;
}

/* Adds a node to a statement. */
static void join(finder *f, uint32_t statement, const hb_node *node)
{
    hb_placement_step *step = &f->out->steps[statement];
    const uint32_t least = least_of(f, node);
    const bool real = node->shape.halves == HB_HALVES_REAL && f->noise == NULL; /* noise fills both halves */
    step->least = least > step->least ? least : step->least;
    step->weight += step->values.times;
    step->values.reals += real;
    step->values.complex += !real;
}

/* Whether row blocks go two as one wherever that costs less: a matrix takes the factor of 1/2 into its weights. Others
 * need a half of their operand, and whether there is one shows when levels are placed. Placement that counted on it
 * would move bootstraps to where they cost more. */
static bool couples_freely(const hb_graph *g, const hb_node *node)
{
    return node->op == HB_OP_MATRIX && hb_node_couples(g, node) && hb_node_bounded_whole(&g->nodes[node->a]);
}

/* As the program will have it at each level: the operation, and the rescale that follows where it takes a level. */
static void costs_of(const finder *f, const hb_node *node, uint32_t levels, double *costs)
{
    const hb_graph *g = f->g;
    hb_op_cost operation = {.op = node->op, .number = node->number, .block = g->block};
    if (node->op == HB_OP_POLYNOMIAL) {
        operation.products = hb_polynomial_of(g, node)->products;
        operation.degree = hb_polynomial_of(g, node)->polynomial.degree;
    }
    if (node->op == HB_OP_COMBINE) {
        operation.terms = hb_node_combination(g, node).count;
    }
    if (node->op == HB_OP_MATRIX) {
        operation.outline = hb_matrix_of(g, node)->outline;
    }
    const bool couples = couples_freely(g, node);
    const uint32_t own = hb_graph_level_limbs(g), above = hb_operations[node->op].loads ? 0 : levels;
    for (uint32_t level = 0; level < f->levels; level++) {
        operation.to_limbs = own * (level + 1);
        operation.limbs = own * (level + 1 + above);
        costs[level] = hb_op_cost_transforms(g->params, &operation);
        if (couples) {
            costs[level] = fmin(costs[level], hb_coupled_cost(g, &operation));
        }
        if (hb_rule_of(node->op)->scales && above > 0) {
            const hb_op_cost rescale = {
                .op = HB_OP_RESCALE, .limbs = operation.limbs, .three = node->op == HB_OP_MULTIPLY};
            costs[level] += hb_op_cost_transforms(g->params, &rescale);
        }
    }
}

static uint32_t new_statement(finder *f, uint32_t i, uint32_t operands)
{
    const hb_node *node = &f->g->nodes[i];
    hb_value_classes *out = f->out;
    const uint32_t statement = out->count++;
    out->first[statement] = i;
    f->begin[statement] = f->operand_count;
    f->operand_count += operands;
    out->steps[statement] =
        (hb_placement_step){.operand_count = operands,
                            .levels = levels_of(f, node),
                            .most = f->noise != NULL && node->op == HB_OP_LOOKUP ? f->noise->looked_up : 0,
                            .values = {.total = node->shape.total,
                                       .times = node->shape.total ? 1 : f->passes[i] * (double)hb_graph_blocks(f->g)}};
    if (f->noise == NULL) {
        costs_of(f, node, out->steps[statement].levels, out->costs + (size_t)statement * f->levels);
    }
    return statement;
}

static hb_status find_statement(finder *f, uint32_t i)
{
    const hb_node *node = &f->g->nodes[i];
    uint32_t count = 0;
    HB_TRY(list_operands(f, node, &count));
    const uint32_t *operands = f->out->operands + f->operand_count;
    const search s = {f, node, operands, count};
    uint32_t *there = hb_index_table_find(&f->table, hash(f, node, operands, count), is_same, &s);
    if (*there == HB_NO_INDEX) {
        *there = new_statement(f, i, count);
    }
    f->out->of[i] = *there;
    f->out->root[i] = i;
    join(f, *there, node);
    return HB_OK;
}

/* --- all of them */

/* A bit behind the point, of which values above 1 lose some, is worth that much of a bootstrap. */
static const double worth_of_bit = 1 / 16.0;

/* Values of which two are bootstrapped as one: of the same range, at the same time, both totals or neither. */
static uint32_t kind_of(const finder *f, const hb_node *node, uint32_t bits)
{
    return (bits * HB_MAX_DATA_PASSES + hb_facts_size(f->facts, node)->pass) * 2 + node->shape.total;
}

/* All of a statement can be bootstrapped, or nothing; large values rather where they are small. */
static void find_bootstrappable(finder *f)
{
    const hb_graph *g = f->g;
    uint32_t *most = f->begin; /* of each statement, whose operands are listed */
    memset(most, 0, f->out->count * sizeof *most);
    for (uint32_t i = 0; i < g->count; i++) {
        if (f->out->of[i] == HB_NO_NODE || f->out->root[i] != i) {
            continue;
        }
        const int bits = hb_node_bootstrap_bits(g, &g->nodes[i]);
        hb_placement_values *values = &f->out->steps[f->out->of[i]].values;
        if (bits < 0 || g->encoding != HB_ENCODE_SLOTS) {
            values->reals = values->complex = 0;
        } else if ((uint32_t)bits > most[f->out->of[i]]) {
            most[f->out->of[i]] = (uint32_t)bits;
        }
    }
    for (uint32_t s = 0; s < f->out->count; s++) {
        hb_placement_values *values = &f->out->steps[s].values;
        if (hb_graph_bootstraps_lowest(g)) { /* no two go as one */
            values->complex += values->reals;
            values->reals = 0;
        }
        values->times *= 1 + worth_of_bit * most[s];
        values->kind = kind_of(f, &g->nodes[f->out->first[s]], most[s]);
    }
}

static hb_status find_all(finder *f)
{
    const hb_graph *g = f->g;
    for (uint32_t i = 0; i < g->count; i++) {
        const hb_node *node = &g->nodes[i];
        if (!f->facts->size[i].used || node->shape.plain) {
            continue;
        }
        if (node->op == HB_OP_ADJUST) { /* which the text asks for */
            f->out->of[i] = f->out->of[node->a];
            f->out->root[i] = f->out->root[node->a];
        } else {
            HB_TRY(find_statement(f, i));
        }
        f->out->steps[f->out->of[i]].stored |= f->facts->size[i].stored;
    }
    for (uint32_t s = 0; s < f->out->count; s++) {
        f->out->steps[s].operands = f->out->operands + f->begin[s];
        f->out->steps[s].costs = f->noise == NULL ? f->out->costs + (size_t)s * f->levels : NULL;
    }
    if (f->noise == NULL) {
        find_bootstrappable(f);
    }
    return HB_OK;
}

static hb_status begin(finder *f)
{
    const hb_graph *g = f->g;
    const size_t count = (size_t)g->count + 1;
    hb_value_classes *out = f->out;
    HB_TRY(hb_index_table_init(&f->table, g->count));
    f->begin = malloc(count * sizeof *f->begin);
    out->of = malloc(count * sizeof *out->of);
    out->root = malloc(count * sizeof *out->root);
    out->steps = calloc(count, sizeof *out->steps);
    out->first = malloc(count * sizeof *out->first);
    out->costs = malloc(count * f->levels * sizeof *out->costs);
    if (!f->begin || !out->of || !out->root || !out->steps || !out->first || !out->costs) {
        return HB_FAIL(HB_ENOMEM, "no memory for the statements of an expression");
    }
    memset(out->of, 0xff, count * sizeof *out->of); /* HB_NO_NODE */
    memset(out->root, 0xff, count * sizeof *out->root);
    for (uint32_t level = 0; level < f->levels; level++) {
        const uint32_t limbs = (level + 1) * hb_graph_level_limbs(g);
        f->room[level] = hb_quality_room(g->params, limbs, (hb_quality){0}) - 0x1p-10; /* beside a small error */
    }
    return HB_OK;
}

/* Levels of values, and what bootstrapping them costs. */
static hb_placement_problem problem_of(const finder *f)
{
    const hb_graph *g = f->g;
    const hb_value_classes *out = f->out;
    uint32_t operands, results;
    const double times = g->bootstrapped == HB_BOOTSTRAPPED_TWICE ? 2 : 1, blocks = (double)hb_graph_blocks(g),
                 complex =
                     times * hb_op_cost_bootstrap(g->params, hb_graph_bootstraps_lowest(g) ? HB_BOOTSTRAP_LOWEST
                                                                                           : HB_BOOTSTRAP_COMPLEX),
                 real = times * hb_op_cost_bootstrap(g->params, HB_BOOTSTRAP_REAL);
    /* Row blocks go in pairs, but for a last one. */
    const double block = (floor(blocks / 2) * complex + fmod(blocks, 2) * real) / blocks;
    hb_placement_problem p = {.steps = out->steps, .count = out->count, .complex = complex, .real = {block, real}};
    if (f->noise != NULL) {
        p.operand = f->noise->operand;
        p.result = f->noise->highest;
        p.gain = f->noise->gain;
        return p;
    }
    hb_bootstrap_limbs(g->params, hb_graph_bootstraps_lowest(g), &operands, &results);
    p.operand = operands / hb_graph_level_limbs(g) - 1;
    p.result = results / hb_graph_level_limbs(g) - 1;
    return p;
}

hb_status hb_value_classes_find(const hb_facts *facts, const hb_noise_levels *noise, hb_value_classes *out)
{
    const hb_graph *g = facts->graph;
    const uint32_t levels = hb_params_fresh_limbs(g->params) / hb_graph_level_limbs(g);
    *out = (hb_value_classes){0};
    finder f = {.g = g, .facts = facts, .noise = noise, .out = out, .levels = levels};
    HB_ASSERT(levels <= HB_PLACEMENT_LEVELS && g->boundless == (noise == NULL));
    hb_status st = begin(&f);
    st = st == HB_OK ? count_passes(&f) : st;
    st = st == HB_OK ? find_all(&f) : st;
    out->problem = problem_of(&f);
    free(f.begin);
    hb_index_table_clear(&f.table);
    free(f.passes);
    return st;
}
