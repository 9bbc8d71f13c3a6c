/* The tables of random_expression.h as operands of a program, and a machine that runs programs on plain vectors mod
 * t and checks the rules of real ciphertexts on the way: sizes, levels, registers that hold something. */
#ifndef HB_TESTS_PROGRAM_WORLD_H
#define HB_TESTS_PROGRAM_WORLD_H

#include "lang/compile/compile.h"
#include "lang/program/program.h"
#include "reference/random_values.h"
#include "scheme/quality.h"

typedef struct world_operands {
    hb_operand operand[RX_TABLES];
    hb_schema schema[RX_TABLES];
    hb_column column[RX_TABLES][RX_WIDE];
} world_operands;

static inline void world_operands_init(world_operands *o, const rx_world *w, const hb_params *params)
{
    memset(o, 0, sizeof *o);
    for (uint32_t i = 0; i < RX_TABLES; i++) {
        for (uint32_t c = 0; c < RX_WIDE; c++) {
            o->column[i][c].name = (char *)(rx_tables[i].columns == RX_WIDE ? rx_columns[c] : "");
        }
        o->schema[i] = (hb_schema){.rows = rx_tables[i].one_row ? 1 : w->rows,
                                   .columns = rx_tables[i].columns,
                                   .rank = 2,
                                   .width = 8,
                                   .named = rx_tables[i].columns == RX_WIDE,
                                   .column = o->column[i]};
        o->operand[i] = (hb_operand){.name = rx_tables[i].name,
                                     .schema = &o->schema[i],
                                     .encrypted = rx_tables[i].encrypted,
                                     .encoding = HB_ENCODE_SLOTS,
                                     .order = HB_PACK_COLUMNS,
                                     .limbs = params->fresh_limbs,
                                     .quality = hb_quality_fresh(params, true, HB_BINOMIAL),
                                     .dirty_padding = rx_tables[i].dirty_padding,
                                     .ranged = i == RX_K,
                                     .least = RX_LEAST,
                                     .most = RX_MOST};
    }
}

static inline hb_status world_compile(hb_program *program, const world_operands *o, const rx_program *p,
                                      const hb_params *params)
{
    static const char *const names[RX_STATEMENTS] = {"s0", "s1", "s2", "s3"};
    const hb_program_source source = {.text = p->text,
                                      .params = params,
                                      .operands = o->operand,
                                      .operand_count = RX_TABLES,
                                      .outputs = names,
                                      .output_count = (uint32_t)p->count,
                                      .trust = HB_QUALITY_WORST};
    return hb_program_compile(program, &source);
}

/* The contents of a register; words: [blocks of a batch][n], of a total [n]. */
typedef struct machine_register {
    uint64_t *word;
    bool full;
} machine_register;

typedef struct machine {
    const hb_program *program;
    const rx_world *world;
    machine_register *registers;
    uint64_t **output; /* [output][columns * slots] */
} machine;

static inline size_t machine_words(const machine *m, uint32_t r, size_t count)
{
    return (m->program->registers[r].total ? 1 : count) * m->world->n;
}

static inline uint64_t machine_word(const machine *m, uint32_t r, size_t i)
{
    return m->registers[r].word[m->program->registers[r].total ? i % m->world->n : i];
}

static inline void machine_open(machine *m, const hb_program *program, const rx_world *world)
{
    *m = (machine){.program = program, .world = world};
    m->registers = calloc(program->register_count + 1, sizeof *m->registers);
    m->output = calloc(program->output_count, sizeof *m->output);
    assert_non_null(m->registers);
    assert_non_null(m->output);
    for (uint32_t i = 0; i < program->register_count; i++) {
        m->registers[i].word = calloc(rx_slots(world), sizeof(uint64_t));
        assert_non_null(m->registers[i].word);
        m->registers[i].full = program->registers[i].total && !program->registers[i].plain; /* zeros */
    }
    for (uint32_t i = 0; i < program->output_count; i++) {
        m->output[i] = calloc(program->outputs[i].schema.columns * rx_slots(world), sizeof(uint64_t));
        assert_non_null(m->output[i]);
    }
}

static inline void machine_close(machine *m)
{
    for (uint32_t i = 0; i < m->program->register_count; i++) {
        free(m->registers[i].word);
    }
    for (uint32_t i = 0; i < m->program->output_count; i++) {
        free(m->output[i]);
    }
    free(m->registers);
    free(m->output);
}

/* Every operation on registers has one line: operands, and the sizes and levels that it goes with. */
static inline void machine_check(const machine *m, const hb_instruction *i, bool totals)
{
    const hb_register *r = m->program->registers, *to = &r[i->to], *a = &r[i->a], *b = &r[i->b];
    const bool two = i->op == HB_OP_ADD || i->op == HB_OP_SUBTRACT || i->op == HB_OP_MULTIPLY;
    const bool plain = i->op == HB_OP_ADD_PLAIN || i->op == HB_OP_SUBTRACT_PLAIN || i->op == HB_OP_MULTIPLY_PLAIN;
    const bool load = i->op == HB_OP_LOAD || i->op == HB_OP_LOAD_PLAIN;
    if (!load) {
        assert_true(i->a < m->program->register_count && m->registers[i->a].full && !a->plain);
    }
    if (two || plain) {
        assert_true(i->b < m->program->register_count && m->registers[i->b].full && b->plain == plain);
    }
    if (i->op == HB_OP_STORE) {
        assert_int_equal(a->size, 2);
        assert_int_equal(a->limbs, m->program->outputs[i->operand].limbs);
        assert_int_equal(a->total, totals);
        return;
    }
    assert_true(i->to < m->program->register_count);
    assert_int_equal(to->total, totals || i->op == HB_OP_ACCUMULATE);
    assert_int_equal(to->plain, i->op == HB_OP_LOAD_PLAIN);
    if (load) {
        return;
    }
    assert_int_equal(to->limbs, a->limbs - (i->op == HB_OP_MOD_SWITCH));
    assert_int_equal(a->total, totals || i->op == HB_OP_BROADCAST);
    switch (i->op) {
    case HB_OP_ADD:
    case HB_OP_SUBTRACT:
        assert_int_equal(to->size, a->size > b->size ? a->size : b->size);
        assert_int_equal(b->limbs, a->limbs);
        break;
    case HB_OP_MULTIPLY:
        assert_true(to->size == 3 && a->size == 2 && b->size == 2 && b->limbs == a->limbs);
        assert_true(i->to != i->a && i->to != i->b);
        break;
    case HB_OP_RELINEARIZE:
        assert_true(to->size == 2 && a->size == 3);
        break;
    case HB_OP_ROTATE:
    case HB_OP_SWAP:
        assert_true(to->size == 2 && a->size == 2 && i->to != i->a);
        break;
    default:
        assert_int_equal(to->size, a->size);
    }
}

static inline void machine_move(const machine *m, uint64_t *to, const uint64_t *a, size_t words, int64_t step,
                                bool swap)
{
    const size_t n = m->world->n, half = n / 2;
    for (size_t i = 0; i < words; i++) {
        const size_t base = i - i % n, row = i % n / half, column = i % half;
        to[i] = swap ? a[base + (row ^ 1) * half + column]
                     : a[base + row * half + (size_t)((int64_t)(column + half) + step) % half];
    }
}

static inline void machine_store(const machine *m, const hb_instruction *i, size_t first, size_t words)
{
    const hb_output *o = &m->program->outputs[i->operand];
    uint64_t *to = m->output[i->operand] + i->column * rx_slots(m->world) + first * m->world->n;
    for (size_t j = 0; j < words; j++) {
        to[j] = machine_word(m, i->a, j);
    }
    assert_true(i->column < o->schema.columns);
}

/* The same of each word, of registers that all hold something. */
static inline uint64_t machine_combined(const machine *m, const hb_linear_terms *terms, size_t j)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < terms->count; i++) {
        assert_true(m->registers[terms->registers[i]].full);
        sum = (sum + slow_mul(machine_word(m, terms->registers[i], j), rx_residue(m->world, terms->integers[i]),
                              m->world->t)) %
              m->world->t;
    }
    return sum;
}

/* One instruction on row blocks first .. first + count; of totals: 0 and 1. */
static inline void machine_step(machine *m, const hb_instruction *i, size_t first, size_t count, bool totals)
{
    const rx_world *w = m->world;
    const size_t n = w->n, words = count * n;
    const uint64_t t = w->t, number = i->number < 0 ? t - (uint64_t)-i->number : (uint64_t)i->number;
    machine_check(m, i, totals);
    if (i->op == HB_OP_STORE) {
        machine_store(m, i, first, words);
        return;
    }
    uint64_t *to = m->registers[i->to].word, *old = malloc(words * sizeof *old);
    assert_non_null(old);
    for (size_t j = 0; j < words && i->op != HB_OP_LOAD && i->op != HB_OP_LOAD_PLAIN; j++) {
        old[j] = machine_word(m, i->a, j);
    }
    if (i->op == HB_OP_ROTATE || i->op == HB_OP_SWAP) {
        machine_move(m, to, old, words, i->number, i->op == HB_OP_SWAP);
    }
    uint64_t sum = 0;
    for (size_t j = 0; j < words; j++) {
        const bool row = totals || first * n + j < w->rows;
        const size_t source = i->column * rx_slots(w) + first * n + j;
        switch (i->op) {
        case HB_OP_LOAD:
        case HB_OP_LOAD_PLAIN:
            to[j] = w->table[i->operand][source];
            break;
        case HB_OP_ADD:
        case HB_OP_ADD_PLAIN:
            to[j] = (old[j] + machine_word(m, i->b, j)) % t;
            break;
        case HB_OP_SUBTRACT:
        case HB_OP_SUBTRACT_PLAIN:
            to[j] = (old[j] + t - machine_word(m, i->b, j)) % t;
            break;
        case HB_OP_NEGATE:
            to[j] = (t - old[j]) % t;
            break;
        case HB_OP_MULTIPLY:
        case HB_OP_MULTIPLY_PLAIN:
            to[j] = slow_mul(old[j], machine_word(m, i->b, j), t);
            break;
        case HB_OP_ADD_CONSTANT:
            to[j] = (old[j] + (row ? number : 0)) % t;
            break;
        case HB_OP_MULTIPLY_INTEGER:
            to[j] = slow_mul(old[j], number, t);
            break;
        case HB_OP_COMBINE:
            to[j] = machine_combined(m, &m->program->combinations[i->number], j);
            break;
        case HB_OP_RELINEARIZE:
        case HB_OP_MOD_SWITCH:
        case HB_OP_BROADCAST:
            to[j] = old[j];
            break;
        case HB_OP_MASK:
            to[j] = row ? old[j] : 0;
            break;
        case HB_OP_ACCUMULATE:
            to[j % n] = (to[j % n] + old[j]) % t;
            break;
        case HB_OP_MASK_ROW:
            to[j] = j == (size_t)i->number ? old[j] : 0;
            break;
        case HB_OP_FILL_ROWS:
        case HB_OP_SUM_SLOTS:
            sum = (sum + old[j]) % t;
            break;
        default:
            assert_true(i->op == HB_OP_ROTATE || i->op == HB_OP_SWAP);
        }
    }
    for (size_t j = 0; j < words && (i->op == HB_OP_SUM_SLOTS || i->op == HB_OP_FILL_ROWS); j++) {
        to[j] = sum;
    }
    m->registers[i->to].full = true;
    if (i->op == HB_OP_ACCUMULATE) { /* which may destroy it */
        memset(m->registers[i->a].word, 0x55, words * sizeof *old);
        m->registers[i->a].full = false;
    }
    free(old);
}

/* Nothing with rows is there when a batch begins. */
static inline void machine_forget(machine *m)
{
    for (uint32_t i = 0; i < m->program->register_count; i++) {
        if (!m->program->registers[i].total) {
            memset(m->registers[i].word, 0x55, rx_slots(m->world) * sizeof(uint64_t));
            m->registers[i].full = false;
        }
    }
}

/* All passes, in batches of any size, last row blocks first. */
static inline void machine_run(machine *m, uint64_t *state)
{
    for (uint32_t p = 0; p < m->program->pass_count; p++) {
        const hb_pass *pass = &m->program->passes[p];
        for (size_t end = m->world->blocks; end > 0;) {
            const size_t count = 1 + rx_below(state, end), first = end - count;
            machine_forget(m);
            for (uint32_t i = 0; i < pass->row_count; i++) {
                machine_step(m, &pass->rows[i], first, count, false);
            }
            end = first;
        }
        machine_forget(m);
        for (uint32_t i = 0; i < pass->total_count; i++) {
            machine_step(m, &pass->totals[i], 0, 1, true);
        }
    }
}

/* Whether output `i` is the statement's value: in slots that hold a row, and where it is not stray 0 in others. */
static inline void world_compare(const hb_program *program, uint32_t i, const uint64_t *output, const rx_world *w,
                                 const rx_program *p)
{
    const hb_output *o = &program->outputs[i];
    const rx_tree *tree = p->statement[i];
    rx_values expected = rx_evaluate(w, p, tree);
    assert_int_equal(o->schema.columns, expected.columns);
    assert_int_equal(o->schema.rows, tree->total ? 1 : w->rows);
    assert_int_equal(o->total, tree->total);
    for (size_t j = 0; j < expected.columns * rx_slots(w); j++) {
        const size_t slot = j % rx_slots(w);
        if (slot < o->schema.rows) {
            if (output[j] != expected.word[j]) {
                fail_msg("s%u, column %zu, row %zu: %llu instead of %llu in\n%s", i, j / rx_slots(w), slot,
                         (unsigned long long)output[j], (unsigned long long)expected.word[j], p->text);
            }
        } else if (!o->dirty_padding) {
            assert_true(output[j] == 0);
        }
    }
    free(expected.word);
}

#endif
