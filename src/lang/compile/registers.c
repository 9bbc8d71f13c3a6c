/* Linear scan over each list of instructions. */
#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "lang/ir/semantics.h"

/* Registers of a kind: {coupled, plain, total, size 2 or 3, limbs}. Plaintexts for all levels are of one kind. */
#define KINDS (16 * (HB_MAX_LIMBS + 1))
#define MOST_REGISTERS 65536u /* 2^16: instructions name them in 16 bits */

typedef struct allocator {
    const hb_graph *g;
    const hb_facts *facts; /* of it */
    hb_program *program;
    uint32_t capacity;
    uint32_t *of;   /* of a value: its register, HB_NO_NODE */
    uint32_t *last; /* of a value: last line of this list that uses it */
    bool *kept;     /* of a value: other lists read or make it */
    uint32_t free[KINDS];
    uint32_t *next_free; /* of a register, [capacity] */
    bool totals;         /* this list is of totals' instructions */
} allocator;

static hb_register register_of(const allocator *x, uint32_t value)
{
    const hb_node *n = &x->g->nodes[value / 2];
    if (n->shape.plain) {
        return (hb_register){.plain = true, .total = x->totals, .limbs = (uint32_t)n->number};
    }
    uint32_t size = value % 2 == 1 ? 2 : x->facts->size[value / 2].raw_size, limbs = n->shape.limbs;
    if (n->op == HB_OP_SUM_SLOTS && value % 2 == 0) {
        size = x->facts->size[n->a].size;
        limbs = x->g->nodes[n->a].shape.limbs;
    }
    return (hb_register){.total = n->shape.total, .coupled = n->shape.coupled, .size = size, .limbs = limbs};
}

static uint32_t kind_of(hb_register r)
{
    return ((uint32_t)r.coupled * 8 + (uint32_t)r.plain * 4 + (uint32_t)r.total * 2 + (r.size == 3)) *
               (HB_MAX_LIMBS + 1) +
           r.limbs;
}

static hb_status new_register(allocator *x, hb_register kind, uint32_t *out)
{
    hb_program *p = x->program;
    if (p->register_count == MOST_REGISTERS) {
        return HB_FAIL(HB_EUSAGE, "the expression holds more than %u values at a time; split it into several",
                       MOST_REGISTERS);
    }
    if (p->register_count == x->capacity) {
        const uint32_t capacity = x->capacity == 0 ? 16 : 2 * x->capacity;
        hb_register *registers = realloc(p->registers, capacity * sizeof *registers);
        p->registers = registers != NULL ? registers : p->registers;
        uint32_t *next = realloc(x->next_free, capacity * sizeof *next);
        x->next_free = next != NULL ? next : x->next_free;
        if (!registers || !next) {
            return HB_FAIL(HB_ENOMEM, "no memory for the registers of an expression");
        }
        x->capacity = capacity;
    }
    p->registers[p->register_count] = kind;
    *out = p->register_count++;
    return HB_OK;
}

static hb_status take(allocator *x, uint32_t value)
{
    const hb_register kind = register_of(x, value);
    uint32_t *head = &x->free[kind_of(kind)];
    if (x->of[value] != HB_NO_NODE) {
        return HB_OK;
    }
    if (*head == HB_NO_NODE || x->kept[value]) { /* totals start as nothing: theirs serve no other value before */
        return new_register(x, kind, &x->of[value]);
    }
    x->of[value] = *head;
    *head = x->next_free[*head];
    return HB_OK;
}

static void release(allocator *x, uint32_t value, uint32_t line)
{
    if (value == HB_NO_NODE || x->kept[value] || x->last[value] != line || x->of[value] == HB_NO_NODE) {
        return;
    }
    const uint32_t r = x->of[value];
    uint32_t *head = &x->free[kind_of(register_of(x, value))]; /* the register may have more limbs: meet */
    x->next_free[r] = *head;
    *head = r;
    x->of[value] = HB_NO_NODE;
}

/* Whether the result of the line may stand where its operand `a` does, which no later line reads. */
static bool overwrites(const allocator *x, const hb_emitted *line, uint32_t index)
{
    return hb_operations[line->instruction.op].in_place && line->a != line->b && !x->kept[line->a] &&
           !x->kept[line->to] && x->last[line->a] == index &&
           kind_of(register_of(x, line->a)) == kind_of(register_of(x, line->to));
}

/* A register of plaintexts is for the highest level of the ciphertexts that any of them meets, unless they serve one
 * level alone. */
static void meet(allocator *x, uint32_t ciphertext, uint32_t plain)
{
    if (x->g->nodes[plain / 2].number != 0) {
        return;
    }
    hb_register *r = &x->program->registers[x->of[plain]];
    const uint32_t limbs = x->g->nodes[ciphertext / 2].shape.limbs;
    r->limbs = limbs > r->limbs ? limbs : r->limbs;
}

/* Returns value i that a line reads, HB_NO_NODE where there is none: i < reads_of(line). */
static uint32_t reads_of(const hb_graph *g, const hb_emitted *line)
{
    const bool combination = line->instruction.op == HB_OP_COMBINE;
    return combination ? hb_node_operands(g, &g->nodes[line->to / 2]).count : 2;
}

static uint32_t read_of(const hb_facts *f, const hb_emitted *line, uint32_t i)
{
    if (line->instruction.op == HB_OP_COMBINE) {
        return hb_emitted_value(f, hb_node_operands(f->graph, &f->graph->nodes[line->to / 2]).node[i]);
    }
    return i == 0 ? line->a : line->b;
}

static hb_status new_combination(hb_program *program, uint32_t count, bool whole, hb_linear_terms **out)
{
    hb_linear_terms *longer = realloc(program->combinations, (program->combination_count + (size_t)1) * sizeof *longer);
    if (!longer) {
        return HB_FAIL(HB_ENOMEM, "no memory for a linear combination");
    }
    program->combinations = longer;
    hb_linear_terms *terms = &longer[program->combination_count++];
    *terms = (hb_linear_terms){.count = count};
    terms->registers = calloc(count, sizeof *terms->registers);
    terms->integers = whole ? calloc(count, sizeof *terms->integers) : NULL;
    terms->reals = whole ? NULL : calloc(count, sizeof *terms->reals);
    if (!terms->registers || (!terms->integers && !terms->reals)) {
        return HB_FAIL(HB_ENOMEM, "no memory for a linear combination");
    }
    *out = terms;
    return HB_OK;
}

/* Gives an instruction the program's number of its linear combination, of which all terms have registers. */
static hb_status list_terms(allocator *x, const hb_emitted *line, hb_instruction *out)
{
    const hb_graph *g = x->g;
    const hb_node *node = &g->nodes[line->to / 2];
    const hb_combination_terms from = hb_node_combination(g, node);
    const hb_weight *weights = hb_node_weights(g, node);
    hb_linear_terms *terms = NULL;
    out->number = x->program->combination_count;
    HB_TRY(new_combination(x->program, from.count, from.whole, &terms));
    for (uint32_t i = 0; i < from.count; i++) {
        terms->registers[i] = (uint16_t)x->of[read_of(x->facts, line, i)];
        if (from.whole) {
            terms->integers[i] = g->semantics->computed(g->spec, weights[i].integer);
        } else {
            terms->reals[i] = weights[i].real;
        }
    }
    return HB_OK;
}

static hb_status allocate_line(allocator *x, const hb_emitted *source, uint32_t index, hb_instruction *out)
{
    hb_emitted line = *source;
    *out = line.instruction;
    const uint32_t a = line.a, b = line.b;
    if (out->op == HB_OP_ADD && !overwrites(x, &line, index) && register_of(x, b).total == register_of(x, a).total) {
        const hb_emitted exchanged = {line.instruction, line.to, b, a};
        line = overwrites(x, &exchanged, index) ? exchanged : line;
    }
    const uint32_t operands[] = {line.a, line.b};
    uint16_t *const names[] = {&out->a, &out->b};
    for (int i = 0; i < 2; i++) {
        if (operands[i] != HB_NO_NODE) {
            *names[i] = (uint16_t)x->of[operands[i]];
        }
    }
    if (out->op == HB_OP_COMBINE) {
        HB_TRY(list_terms(x, &line, out));
    }
    if (b != HB_NO_NODE && x->g->nodes[b / 2].shape.plain) {
        meet(x, a, b);
    }
    if (line.to != HB_NO_NODE) {
        if (x->of[line.to] == HB_NO_NODE && line.a != HB_NO_NODE && overwrites(x, &line, index)) {
            release(x, line.a, index);
        }
        HB_TRY(take(x, line.to));
        out->to = (uint16_t)x->of[line.to];
        release(x, line.to, index); /* no line reads it */
    }
    for (uint32_t i = 0; i < reads_of(x->g, &line); i++) {
        release(x, read_of(x->facts, &line, i), index);
    }
    return HB_OK;
}

static hb_status allocate_list(allocator *x, const hb_emitted_list *list, hb_instruction **out, uint32_t *count)
{
    *out = malloc((list->count + 1) * sizeof **out); /* one more: an empty list is no failure */
    if (!*out) {
        return HB_FAIL(HB_ENOMEM, "no memory for the instructions of an expression");
    }
    *count = list->count;
    for (uint32_t i = 0; i < list->count; i++) {
        const hb_emitted *line = &list->lines[i];
        for (uint32_t j = 0; j < reads_of(x->g, line) + 1; j++) {
            const uint32_t value = j == 0 ? line->to : read_of(x->facts, line, j - 1);
            if (value != HB_NO_NODE) {
                x->last[value] = i;
            }
        }
    }
    for (uint32_t i = 0; i < list->count; i++) {
        HB_TRY(allocate_line(x, &list->lines[i], i, &(*out)[i]));
    }
    return HB_OK;
}

/* Totals that more than one list knows keep their registers. */
static void find_kept(allocator *x, const hb_emission *e, uint32_t *list_of)
{
    for (uint32_t i = 0; i < 2 * e->pass_count; i++) {
        for (uint32_t j = 0; j < e->listings[i].count; j++) {
            const hb_emitted *line = &e->listings[i].lines[j];
            for (uint32_t k = 0; k < reads_of(x->g, line) + 1; k++) {
                const uint32_t value = k == 0 ? line->to : read_of(x->facts, line, k - 1);
                if (value != HB_NO_NODE && x->g->nodes[value / 2].shape.total) {
                    uint32_t *there = &list_of[value];
                    x->kept[value] |= *there != HB_NO_NODE && *there != i;
                    *there = i;
                }
            }
        }
    }
}

static hb_status allocate(allocator *x, const hb_emission *e)
{
    memset(x->of, 0xff, 2 * (size_t)x->g->count * sizeof *x->of);
    memset(x->last, 0xff, 2 * (size_t)x->g->count * sizeof *x->last);
    find_kept(x, e, x->last);
    for (uint32_t i = 0; i < KINDS; i++) {
        x->free[i] = HB_NO_NODE;
    }
    for (uint32_t i = 0; i < e->pass_count; i++) {
        hb_pass *pass = &x->program->passes[i];
        x->totals = false;
        HB_TRY(allocate_list(x, &e->listings[2 * i], &pass->rows, &pass->row_count));
        x->totals = true;
        HB_TRY(allocate_list(x, &e->listings[2 * i + 1], &pass->totals, &pass->total_count));
    }
    return HB_OK;
}

hb_status hb_allocate_registers(hb_program *program, const hb_emission *e)
{
    const size_t values = 2 * (size_t)e->facts->count;
    allocator x = {.g = e->facts->graph, .facts = e->facts, .program = program};
    x.of = malloc(values * sizeof *x.of);
    x.last = malloc(values * sizeof *x.last);
    x.kept = calloc(values, sizeof *x.kept);
    program->passes = calloc(e->pass_count, sizeof *program->passes);
    hb_status st;
    if (!x.of || !x.last || !x.kept || !program->passes) {
        st = HB_FAIL(HB_ENOMEM, "no memory for the registers of an expression");
    } else {
        program->pass_count = e->pass_count;
        st = allocate(&x, e);
    }
    free(x.of);
    free(x.last);
    free(x.kept);
    free(x.next_free);
    return st;
}
