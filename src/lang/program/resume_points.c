#include "resume_points.h"

#include <stdlib.h>
#include <string.h>

#include "bootstrap.h"

#define NOWHERE UINT32_MAX

static bool is_total(const hb_program *program, uint32_t r)
{
    return program->registers[r].total;
}

/* Limbs times components of a row block, on the one of so many members that share limbs which has most. */
static uint64_t words_of(const hb_program *program, uint32_t r, uint32_t members)
{
    return (uint64_t)program->registers[r].size * ((program->registers[r].limbs + members - 1) / members);
}

/* --- live values */

/* For a list of instructions, by place: 0 .. count. */
typedef struct places {
    uint64_t *words;   /* of ciphertexts that are live there and cannot be loaded */
    uint32_t *coupled; /* of these, those that are two row blocks as one */
    uint32_t *last;    /* the last instruction that reads the result of instruction i; NOWHERE: none */
    uint32_t *maker;   /* the instruction that wrote a register, during the walk */
} places;

static void places_clear(places *p)
{
    free(p->words);
    free(p->coupled);
    free(p->last);
    free(p->maker);
}

/* Finds the last reader of each instruction's result. */
static void find_readers(places *p, const hb_program *program, const hb_instruction *list, uint32_t count)
{
    memset(p->maker, 0xff, program->register_count * sizeof *p->maker);
    memset(p->last, 0xff, (count + (size_t)1) * sizeof *p->last);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < hb_instruction_reads(program, &list[i]); k++) {
            const uint32_t r = hb_instruction_read(program, &list[i], k);
            if (!is_total(program, r) && p->maker[r] != NOWHERE) {
                p->last[p->maker[r]] = i;
            }
        }
        if (hb_instruction_makes(&list[i])) {
            p->maker[list[i].to] = i;
        }
    }
}

static hb_status places_init(places *p, const hb_program *program, const hb_instruction *list, uint32_t count,
                             uint32_t members)
{
    *p = (places){.words = calloc(count + (size_t)2, sizeof *p->words),
                  .coupled = calloc(count + (size_t)2, sizeof *p->coupled),
                  .last = malloc((count + (size_t)1) * sizeof *p->last),
                  .maker = malloc((program->register_count + (size_t)1) * sizeof *p->maker)};
    if (p->words == NULL || p->coupled == NULL || p->last == NULL || p->maker == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the places of %u instructions", count);
    }
    find_readers(p, program, list, count);
    /* Differences first: the result of instruction i is live at places i + 1 .. last. Counts wrap back. */
    for (uint32_t i = 0; i < count; i++) {
        if (p->last[i] != NOWHERE && !hb_operations[list[i].op].loads && !is_total(program, list[i].to)) {
            p->words[i + 1] += words_of(program, list[i].to, members);
            p->words[p->last[i] + 1] -= words_of(program, list[i].to, members);
            p->coupled[i + 1] += program->registers[list[i].to].coupled;
            p->coupled[p->last[i] + 1] -= program->registers[list[i].to].coupled;
        }
    }
    for (uint32_t i = 1; i <= count; i++) {
        p->words[i] += p->words[i - 1];
        p->coupled[i] += p->coupled[i - 1];
    }
    return HB_OK;
}

/* --- resume points */

/* Whether instructions i - 1 and i may be done together. */
static bool joined(const hb_instruction *list, uint32_t i)
{
    const hb_instruction *x = &list[i - 1], *y = &list[i];
    const bool alike = x->op == HB_OP_COMBINE ||
                       (x->op == HB_OP_BOOTSTRAP && hb_bootstrap_batches(hb_bootstrap_kind_of(x->number)) > 1);
    return (alike && x->op == y->op) || (hb_operations[x->op].automorphism && hb_operations[y->op].automorphism);
}

/* Whether place i is a cut: an end of an iteration, or a bootstrap. *iteration: the running iteration. */
static bool is_cut(const hb_instruction *list, uint32_t i, uint32_t *iteration)
{
    const uint32_t before = *iteration;
    *iteration = list[i].iteration != 0 ? list[i].iteration : before;
    return *iteration != before || list[i].op == HB_OP_BOOTSTRAP || list[i].op == HB_OP_REFRESH ||
           list[i].op == HB_OP_LOOKUP;
}

/* Returns the place with the fewest words, the last one of several; NOWHERE: none. Row blocks are stored one by one, so
 * none is where two of them are one ciphertext. */
static uint32_t best_of(const places *p, const hb_instruction *list, uint32_t first, uint32_t last)
{
    uint32_t best = NOWHERE;
    for (uint32_t i = first; i <= last; i++) {
        const bool allowed = !joined(list, i) && p->coupled[i] == 0;
        if (allowed && (best == NOWHERE || p->words[i] <= p->words[best])) {
            best = i;
        }
    }
    return best;
}

/* The iteration that goes on at a place: that of the next instruction that is of one. */
static hb_resume_point point_at(const hb_instruction *list, uint32_t count, uint32_t at)
{
    hb_resume_point point = {.at = at};
    for (uint32_t i = at; i < count && point.iteration == 0; i++) {
        point.iteration = list[i].iteration;
        point.iterations = list[i].iterations;
    }
    return point;
}

static void find_resume_points(hb_pass *pass, const places *p)
{
    const hb_instruction *list = pass->rows;
    uint32_t iteration = 0, first = NOWHERE; /* the place behind the first computation since the last cut */
    for (uint32_t i = 0; i < pass->row_count; i++) {
        const bool cut = is_cut(list, i, &iteration);
        const uint32_t best = cut && first != NOWHERE ? best_of(p, list, first, i) : NOWHERE;
        if (best != NOWHERE) {
            pass->resume_points[pass->resume_point_count++] = point_at(list, pass->row_count, best);
            first = NOWHERE;
        }
        first = first == NOWHERE && !hb_operations[list[i].op].loads ? i + 1 : first;
    }
}

hb_status hb_program_find_resume_points(hb_program *program)
{
    for (uint32_t i = 0; i < program->pass_count; i++) {
        hb_pass *pass = &program->passes[i];
        places p = {.words = NULL};
        hb_status st = places_init(&p, program, pass->rows, pass->row_count, 1);
        pass->resume_points = calloc(pass->row_count + (size_t)1, sizeof *pass->resume_points);
        if (st == HB_OK && pass->resume_points == NULL) {
            st = HB_FAIL(HB_ENOMEM, "no memory for the resume points of %u instructions", pass->row_count);
        }
        if (st == HB_OK) {
            find_resume_points(pass, &p);
        }
        places_clear(&p);
        HB_TRY(st);
    }
    return HB_OK;
}

uint64_t hb_program_most_live(const hb_program *program, uint32_t members)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < program->pass_count; i++) {
        const hb_pass *pass = &program->passes[i];
        places p = {.words = NULL};
        const bool known =
            pass->resume_point_count > 0 && places_init(&p, program, pass->rows, pass->row_count, members) == HB_OK;
        for (uint32_t s = 0; known && s < pass->resume_point_count; s++) {
            const uint64_t words = p.words[pass->resume_points[s].at];
            most = words > most ? words : most;
        }
        places_clear(&p);
    }
    return most;
}

/* --- registers that resuming needs */

/* Whether the result of instruction i is read from place `at` on. */
static bool is_live(const places *p, uint32_t i, uint32_t at)
{
    return i != NOWHERE && p->last[i] != NOWHERE && p->last[i] >= at;
}

hb_status hb_live_find(hb_live *live, const hb_program *program, uint32_t pass, uint32_t at)
{
    const hb_instruction *list = program->passes[pass].rows;
    const uint32_t count = program->passes[pass].row_count;
    places p = {.words = NULL};
    hb_status st;
    HB_ASSERT(at <= count);
    *live = (hb_live){.registers = calloc(program->register_count + (size_t)1, sizeof *live->registers),
                      .loads = calloc(program->register_count + (size_t)1, sizeof *live->loads)};
    HB_GOTO(places_init(&p, program, list, count, 1));
    if (live->registers == NULL || live->loads == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for a list of registers"));
    }
    /* The writer of each register's contents at that place. */
    memset(p.maker, 0xff, program->register_count * sizeof *p.maker);
    for (uint32_t i = 0; i < at; i++) {
        if (hb_instruction_makes(&list[i]) && !is_total(program, list[i].to)) {
            p.maker[list[i].to] = i;
        }
    }
    for (uint32_t r = 0; r < program->register_count; r++) {
        const uint32_t i = p.maker[r];
        if (!is_live(&p, i, at)) {
            continue;
        }
        if (hb_operations[list[i].op].loads) {
            live->loads[live->load_count++] = i;
        } else {
            HB_ASSERT(!program->registers[r].plain);
            live->registers[live->register_count++] = (uint16_t)r;
        }
    }
done:
    places_clear(&p);
    return st;
}

/* Marks in registers[] those that a list of instructions reads (READ) and writes (MADE). */
enum { READ = 1, MADE = 2 };
static void mark(const hb_program *program, const hb_instruction *list, uint32_t count, uint8_t *registers)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < hb_instruction_reads(program, &list[i]); k++) {
            registers[hb_instruction_read(program, &list[i], k)] |= READ;
        }
        if (list[i].op != HB_OP_STORE) {
            registers[list[i].to] |= MADE;
        }
    }
}

hb_status hb_live_totals(hb_live *live, const hb_program *program, uint32_t pass)
{
    uint8_t *before = calloc(program->register_count + (size_t)1, 1);
    uint8_t *after = calloc(program->register_count + (size_t)1, 1);
    hb_status st = HB_OK;
    *live = (hb_live){.registers = calloc(program->register_count + (size_t)1, sizeof *live->registers)};
    if (before == NULL || after == NULL || live->registers == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for a list of registers"));
    }
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *own = &program->passes[p];
        mark(program, own->rows, own->row_count, p <= pass ? before : after);
        mark(program, own->totals, own->total_count, p <= pass ? before : after);
    }
    for (uint32_t r = 0; r < program->register_count; r++) {
        if (is_total(program, r) && (before[r] & MADE) != 0 && (after[r] & READ) != 0) {
            live->registers[live->register_count++] = (uint16_t)r;
        }
    }
done:
    free(before);
    free(after);
    return st;
}

void hb_live_clear(hb_live *live)
{
    free(live->registers);
    free(live->loads);
    *live = (hb_live){.registers = NULL};
}
