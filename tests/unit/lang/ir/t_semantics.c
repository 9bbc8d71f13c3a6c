/* The tables of expressions: operations, the facts of nodes, the semantics of BFV; ranges against all possible values,
 * quality against the calls of each operation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "lang/analysis/transfer_functions.h"
#include "lang/ir/rules.h"
#include "lang/ir/semantics.h"
#include "scheme/params.h"
#include "scheme/quality.h"
#include "scheme/slots.h"
#include "unit/unit.h"

enum { A, B, PLAIN, OPERANDS };

typedef struct world {
    hb_params *params;
    hb_semantics semantics;
    hb_schema schema;
    hb_operand operand[OPERANDS];
    hb_syntax syntax;
    hb_item item;
    hb_graph graph;
    uint32_t load[OPERANDS];
} world;

static void load(world *w, int i, hb_opcode op, hb_interval values)
{
    const hb_node node = {.op = op,
                          .a = HB_NO_NODE,
                          .b = HB_NO_NODE,
                          .operand = (uint32_t)i,
                          .shape.plain = op == HB_OP_LOAD_PLAIN,
                          .shape.padding_zero = true,
                          .shape.limbs = w->params->data_limbs,
                          .range.interval = values};
    assert_int_equal(hb_graph_node(&w->graph, &node, &w->load[i]), HB_OK);
}

/* Two encrypted columns and one of a table, all of them full row blocks of these values. */
static void open_world(world *w, hb_interval a, hb_interval b)
{
    hb_params_spec spec;
    memset(w, 0, sizeof *w);
    assert_int_equal(hb_params_preset("bfv-8192", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &w->params), HB_OK);
    w->semantics = *hb_semantics_of(spec.scheme);
    static hb_column column;
    w->schema = (hb_schema){.rows = 3 * spec.n, .columns = 1, .rank = 1, .width = 8, .column = &column};
    for (int i = 0; i < OPERANDS; i++) {
        w->operand[i] = (hb_operand){.name = "a", .schema = &w->schema, .encrypted = i != PLAIN};
        w->operand[i].quality = hb_quality_fresh(w->params, i == A, HB_BINOMIAL);
    }
    w->syntax = (hb_syntax){.text = "y"};
    w->item = (hb_item){.at = 1, .to = 1};
    w->graph = (hb_graph){.syntax = &w->syntax,
                          .params = w->params,
                          .spec = &w->params->spec,
                          .semantics = &w->semantics,
                          .operands = w->operand,
                          .operand_count = OPERANDS,
                          .first = &w->operand[A],
                          .rows = w->schema.rows,
                          .position.item = &w->item};
    load(w, A, HB_OP_LOAD, a);
    load(w, B, HB_OP_LOAD, b);
    load(w, PLAIN, HB_OP_LOAD_PLAIN, b);
}

static void close_world(world *w)
{
    hb_graph_clear(&w->graph);
    hb_params_close(w->params);
}

static void open_any(world *w)
{
    open_world(w, hb_interval_of(0, 1), hb_interval_of(0, 1));
}

static void every_operation_has_its_rows(void **state)
{
    (void)state;
    for (int i = 0; i < HB_OPCODES; i++) {
        const hb_operation *o = &hb_operations[i];
        assert_non_null(o->name);
        if (i == HB_OP_STORE || i == HB_OP_ACCUMULATE) {
            continue; /* no nodes */
        }
        const hb_rule *r = hb_rule_of((hb_opcode)i);
        assert_false(o->of_integers && o->of_reals);
        assert_true(!o->automorphism || (o->switches && o->two && r->components == 2));
        assert_true(!r->product || (o->two && r->components == 3 && r->on_slots != NULL));
        assert_true(!r->moved || r->same_values);
        assert_true(!(o->loads && o->in_place));
        assert_true(o->loads || (r->interval != NULL && r->magnitude != NULL));
    }
}

/* An operation that a scheme does not have is refused by name. */
static void operations_are_asked_for(void **state)
{
    (void)state;
    world w;
    uint32_t node;
    open_any(&w);
    assert_int_equal(hb_graph_swap(&w.graph, w.load[A], &node), HB_OK);
    assert_int_equal(hb_graph_conjugate(&w.graph, w.load[B], &node), HB_EUSAGE);
    assert_non_null(strstr(hb_last_error()->text, "BFV has no conjugation"));
    assert_int_equal(hb_graph_rotate(&w.graph, w.load[B], 1, &node), HB_OK);
    close_world(&w);
}

static void numbers_are_residues(void **state)
{
    (void)state;
    const hb_semantics *s = hb_semantics_of(HB_BFV);
    hb_params_spec wide = {.n = 1024};
    s->widen(&wide);
    const hb_interval all = s->numbers(&wide);
    for (int64_t t = 2; t < 40; t++) {
        const hb_params_spec spec = {.n = 1024, .bfv.plain = (uint64_t)t};
        const hb_interval own = s->numbers(&spec);
        assert_int_equal(own.least, 1 - t);
        assert_int_equal(own.most, t - 1);
        assert_true(hb_interval_within(own, all));
        for (int64_t x = own.least; x <= own.most; x++) {
            const int64_t c = s->computed(&spec, x);
            assert_int_equal((c - x) % t, 0);
            assert_true(hb_interval_within(hb_interval_of(c, c), hb_interval_held(&spec, true)));
        }
    }
    assert_non_null(strstr(s->wider(hb_interval_of(0, INT64_C(1) << 59), false), "params suggest"));
    assert_non_null(strstr(s->wider(hb_interval_of(0, INT64_C(1) << 59), true), "several plain moduli"));
    assert_non_null(strstr(s->wider(hb_interval_of(-1, INT64_C(1) << 61), true), "several plain moduli"));
    assert_non_null(strstr(s->wider(hb_interval_of(-1, INT64_MAX), true), "no t holds that"));
}

/* A preset takes the t of other parameters over; where that would not batch any more, one as long that does. */
static void presets_are_adapted(void **state)
{
    (void)state;
    static const char *const names[] = {"bfv-4096", "bfv-32768"};
    world w;
    open_any(&w);
    for (size_t i = 0; i < 2; i++) {
        hb_params_spec spec;
        hb_params *params;
        assert_int_equal(hb_params_preset(names[i], &spec), HB_OK);
        assert_int_equal(w.semantics.adapt(&spec, w.params), HB_OK);
        assert_int_equal(hb_bit_length(spec.bfv.plain), hb_bit_length(w.params->spec.bfv.plain));
        assert_int_equal(spec.bfv.plain == w.params->spec.bfv.plain, i == 0);
        assert_int_equal(hb_params_open(&spec, &params), HB_OK);
        assert_true(hb_params_has_slots(params));
        hb_params_close(params);
    }
    close_world(&w);
}

static int64_t value_of(hb_opcode op, int64_t a, int64_t b, int64_t number)
{
    switch (op) {
    case HB_OP_ADD:
    case HB_OP_ADD_PLAIN:
        return a + b;
    case HB_OP_SUBTRACT:
    case HB_OP_SUBTRACT_PLAIN:
        return a - b;
    case HB_OP_MULTIPLY:
    case HB_OP_MULTIPLY_PLAIN:
        return a * b;
    case HB_OP_NEGATE:
        return -a;
    case HB_OP_ADD_CONSTANT:
        return a + number;
    case HB_OP_MULTIPLY_INTEGER:
        return a * number;
    default:
        return a;
    }
}

static uint32_t make(world *w, hb_opcode op, int64_t number)
{
    static const bool with_plain[HB_OPCODES] = {
        [HB_OP_ADD_PLAIN] = true, [HB_OP_SUBTRACT_PLAIN] = true, [HB_OP_MULTIPLY_PLAIN] = true};
    static const bool with_b[HB_OPCODES] = {[HB_OP_ADD] = true, [HB_OP_SUBTRACT] = true, [HB_OP_MULTIPLY] = true};
    hb_node node = {.op = op, .a = w->load[A], .b = HB_NO_NODE, .number = number};
    uint32_t made;
    if (with_plain[op] || with_b[op]) {
        node.b = w->load[with_plain[op] ? PLAIN : B];
    }
    assert_int_equal(hb_graph_node(&w->graph, &node, &made), HB_OK);
    return made;
}

/* The range is the least and the most over all values of the operands; signs are those of possible results. */
static void ranges_are_those_of_all_values(void **state)
{
    (void)state;
    static const hb_opcode tried[] = {HB_OP_ADD,
                                      HB_OP_SUBTRACT,
                                      HB_OP_NEGATE,
                                      HB_OP_ADD_PLAIN,
                                      HB_OP_SUBTRACT_PLAIN,
                                      HB_OP_MULTIPLY_PLAIN,
                                      HB_OP_MULTIPLY_INTEGER,
                                      HB_OP_ADD_CONSTANT,
                                      HB_OP_MULTIPLY,
                                      HB_OP_ROTATE,
                                      HB_OP_SWAP,
                                      HB_OP_MOD_SWITCH};
    static const int64_t ends[][4] = {{0, 3, 0, 2}, {-2, 3, 1, 4}, {-5, -1, -3, 2}};
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
        world w;
        open_world(&w, hb_interval_of(ends[e][0], ends[e][1]), hb_interval_of(ends[e][2], ends[e][3]));
        for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
            const hb_node *node = &w.graph.nodes[make(&w, tried[i], -3)];
            int64_t least = INT64_MAX, most = INT64_MIN;
            for (int64_t a = ends[e][0]; a <= ends[e][1]; a++) {
                for (int64_t b = ends[e][2]; b <= ends[e][3]; b++) {
                    const int64_t value = value_of(tried[i], a, b, -3);
                    least = value < least ? value : least;
                    most = value > most ? value : most;
                }
            }
            assert_true(node->range.interval.known);
            assert_int_equal(node->range.interval.least, least);
            assert_int_equal(node->range.interval.most, most);
            assert_int_equal(node->shape.limbs, w.params->data_limbs - (tried[i] == HB_OP_MOD_SWITCH));
            assert_int_equal(node->shape.depth, tried[i] == HB_OP_MULTIPLY);
            assert_int_equal(node->shape.is_signed, hb_rule_of(tried[i])->negative ||
                                                        tried[i] == HB_OP_MULTIPLY_INTEGER ||
                                                        tried[i] == HB_OP_ADD_CONSTANT);
        }
        const int64_t rows = (int64_t)w.graph.rows;
        uint32_t sum;
        assert_int_equal(hb_graph_sum(&w.graph, w.load[A], &sum), HB_OK);
        assert_int_equal(w.graph.nodes[sum].range.interval.least, ends[e][0] * rows);
        assert_int_equal(w.graph.nodes[sum].range.interval.most, ends[e][1] * rows);
        close_world(&w);
    }
}

/* The bounds of a node of that many components, for others to use with `size` of them; its operands are loaded. */
static hb_quality quality_of(world *w, uint32_t made, uint32_t raw_size, uint32_t size)
{
    hb_facts facts;
    assert_int_equal(hb_facts_init(&facts, &w->graph), HB_OK);
    for (int i = A; i <= B; i++) {
        facts.size[w->load[i]].size = 2;
        hb_facts_find_error(&facts, &w->graph.nodes[w->load[i]]);
    }
    facts.size[made].raw_size = raw_size;
    facts.size[made].size = size;
    hb_facts_find_error(&facts, &w->graph.nodes[made]);
    const hb_quality found = facts.error[made].quality;
    hb_facts_clear(&facts);
    return found;
}

static void assert_quality(world *w, hb_opcode op, int64_t number, hb_quality expected)
{
    const uint32_t made = make(w, op, number), size = hb_rule_of(op)->components == 3 ? 3 : 2;
    const hb_quality found = quality_of(w, made, size, size);
    if (found.worst != expected.worst || found.expected != expected.expected) {
        fail_msg("%s: %g and %g bits of error, %g and %g are right", hb_operations[op].name, found.worst,
                 found.expected, expected.worst, expected.expected);
    }
    if (size == 3) {
        const hb_quality after =
            hb_quality_switch(w->params, w->graph.nodes[made].shape.limbs, expected, HB_SWITCH_RELIN);
        assert_true(quality_of(w, made, 3, 2).worst == after.worst);
    }
}

static void quality_is_the_schemes(void **state)
{
    (void)state;
    world w;
    int64_t steps[HB_GALOIS_MOST_STEPS];
    open_any(&w);
    const hb_params *p = w.params;
    const hb_quality a = w.operand[A].quality, b = w.operand[B].quality;
    assert_quality(&w, HB_OP_ADD, 0, hb_quality_add(p, a, b));
    assert_quality(&w, HB_OP_SUBTRACT, 0, hb_quality_add(p, a, b));
    assert_quality(&w, HB_OP_NEGATE, 0, a);
    assert_quality(&w, HB_OP_BROADCAST, 0, a);
    assert_quality(&w, HB_OP_ADD_PLAIN, 0, hb_quality_add_plain(p, a));
    assert_quality(&w, HB_OP_SUBTRACT_PLAIN, 0, hb_quality_add_plain(p, a));
    assert_quality(&w, HB_OP_ADD_CONSTANT, 7, hb_quality_add_plain(p, a));
    assert_quality(&w, HB_OP_MULTIPLY_INTEGER, 7, hb_quality_multiply_integer(p, a, 7));
    assert_quality(&w, HB_OP_MULTIPLY_INTEGER, 2 - (int64_t)p->spec.bfv.plain, hb_quality_multiply_integer(p, a, 2));
    const uint32_t limbs = p->data_limbs;
    const hb_magnitude any = {0};                                               /* of no account in BFV */
    const hb_quality_factor first = {hb_quality_again(p, a, 0), 2, any, false}; /* none is there twice */
    const hb_quality_factor second = {hb_quality_again(p, b, 0), 2, any, false};
    assert_quality(&w, HB_OP_MULTIPLY_PLAIN, 0, hb_quality_multiply_plain(p, limbs, first, HB_FACTOR_ANY, any));
    assert_quality(&w, HB_OP_MASK, 0,
                   hb_quality_multiply_plain(p, limbs, (hb_quality_factor){a, 2, any, false}, HB_FACTOR_ANY, any));
    assert_quality(&w, HB_OP_MULTIPLY, 0, hb_quality_multiply(p, limbs, first, second));
    assert_quality(&w, HB_OP_MOD_SWITCH, 0, hb_quality_mod_switch(p, p->data_limbs, a, 2));
    assert_quality(&w, HB_OP_SWAP, 0, hb_quality_switch(p, p->data_limbs, a, HB_SWITCH_GALOIS));
    hb_quality rotated = a, sum = hb_quality_sum(p, a, 3);
    for (uint32_t k = hb_slots_terms(&p->spec, 3, steps); k > 0; k--) {
        rotated = hb_quality_switch(p, p->data_limbs, rotated, HB_SWITCH_GALOIS);
    }
    assert_quality(&w, HB_OP_ROTATE, 3, rotated);
    for (uint32_t k = hb_slots_sum_steps(&p->spec, steps) + 1; k > 0; k--) { /* and the swap */
        const hb_quality moved = hb_quality_switch(p, p->data_limbs, sum, HB_SWITCH_GALOIS);
        sum.worst = hb_quality_add(p, sum, moved).worst;
        sum.expected = hb_quality_multiply_integer(p, moved, 2).expected;
    }
    assert_quality(&w, HB_OP_SUM_SLOTS, 0, sum);
    close_world(&w);
}

/* A constant is the sum of its shares in all slots. */
static void shares_add_up(void **state)
{
    (void)state;
    static const char *const presets[] = {"bfv-4096", "bfv-8192", "bfv-16384", "bfv-32768"};
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        hb_params_spec spec;
        assert_int_equal(hb_params_preset(presets[i], &spec), HB_OK);
        const hb_semantics *semantics = hb_semantics_of(spec.scheme);
        const int64_t n = (int64_t)spec.n, t = (int64_t)spec.bfv.plain;
        const int64_t numbers[] = {0,  1,     -1,     2,     -2,       n - 1,     n,     n + 1,
                                   -n, 1 - n, -n - 1, t / 2, -(t / 2), t / 2 - 1, t - 1, 1 - t};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            const int64_t share = semantics->share(&spec, (hb_number){.integer = numbers[k]}).integer;
            assert_true(share >= -(t - 1) / 2 && share <= t / 2);
            assert_int_equal((n * share - numbers[k]) % t, 0); /* below 2^63: N and t have 15 and 30 bits at most */
        }
    }
    static const double reals[] = {0, 1, -0.1, 1e30, 3e-300};
    hb_params_spec spec;
    assert_int_equal(hb_params_preset("ckks-13", &spec), HB_OK);
    for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
        const double share = hb_semantics_of(HB_CKKS)->share(&spec, (hb_number){.real = reals[k]}).real;
        assert_true(share * (double)(spec.n / 2) == reals[k]);
    }
}

HB_UNIT(semantics)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_operation_has_its_rows),
                                       cmocka_unit_test(operations_are_asked_for),
                                       cmocka_unit_test(numbers_are_residues),
                                       cmocka_unit_test(presets_are_adapted),
                                       cmocka_unit_test(ranges_are_those_of_all_values),
                                       cmocka_unit_test(quality_is_the_schemes),
                                       cmocka_unit_test(shares_add_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
