#include "division.h"

#include <stdlib.h>
#include <string.h>

#include "lang/cost/program_cost.h"
#include "totals_lists.h"

static hb_totals_lanes bounded(hb_totals_lanes lanes)
{
    const uint32_t all = HB_TOTALS_MOST_LANES, workers = lanes.workers < all ? lanes.workers : all,
                   most = all / workers;
    return (hb_totals_lanes){lanes.ranks < most ? lanes.ranks : most, workers, lanes.gpu};
}

/* --- how passes use totals */

/* Notes the registers of a list: `stamp` [register_count] has the list that wrote a register last. */
static void note_list(hb_totals_uses *uses, const hb_program *program, const hb_instruction *list, uint32_t count,
                      uint32_t number, uint32_t *stamp)
{
    const bool rows = number % 2 == 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < hb_instruction_reads(program, &list[i]); k++) {
            const uint16_t r = hb_instruction_read(program, &list[i], k);
            if (stamp[r] != number + 1) { /* another list has made it */
                uses->kept[r] = 1;
                uses->last_read[r] = number / 2 + 1;
            }
        }
        if (list[i].op != HB_OP_STORE) {
            stamp[list[i].to] = number + 1;
            uses->kept[list[i].to] |= rows;
        }
    }
}

static hb_status uses_init(hb_totals_uses *uses, const hb_program *program)
{
    uint32_t *stamp = calloc(program->register_count + (size_t)1, sizeof *stamp);
    *uses = (hb_totals_uses){.kept = calloc(program->register_count + (size_t)1, 1),
                             .last_read = calloc(program->register_count + (size_t)1, sizeof *uses->last_read)};
    if (stamp == NULL || uses->kept == NULL || uses->last_read == NULL) {
        free(stamp);
        return HB_FAIL(HB_ENOMEM, "no memory for the uses of %u registers", program->register_count);
    }
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *pass = &program->passes[p];
        note_list(uses, program, pass->rows, pass->row_count, 2 * p, stamp);
        note_list(uses, program, pass->totals, pass->total_count, 2 * p + 1, stamp);
    }
    free(stamp);
    return HB_OK;
}

static void uses_clear(hb_totals_uses *uses)
{
    free(uses->kept);
    free(uses->last_read);
    *uses = (hb_totals_uses){.kept = NULL};
}

/* --- drafts */

/* The new lists of all passes, before any counts. */
typedef struct draft {
    const hb_params *params;
    const hb_program *program;
    hb_totals_lanes lanes;
    hb_totals_uses uses;
    hb_totals_pool pool;
    hb_totals_lists *lists; /* [pass_count]; without instructions: the pass stays */
    uint8_t *own;           /* [65536] */
    uint32_t *taken;        /* of the pool: the program's register that it becomes */
} draft;

/* Drafts the lists of a pass. */
static hb_status draft_pass(draft *x, uint32_t pass)
{
    const uint32_t before = x->pool.count;
    hb_totals_graph g = {.tasks = NULL};
    hb_totals_schedule schedule = {.stage = NULL};
    bool found = false, fits = false;
    hb_status st;
    HB_GOTO(hb_totals_graph_init(&g, x->params, x->program, pass, &x->uses, x->lanes.gpu));
    HB_GOTO(hb_totals_schedule_find(&schedule, &g, x->lanes, &found));
    if (found) {
        HB_GOTO(hb_totals_lists_make(&x->lists[pass], &g, &schedule, &x->pool, x->own, &fits));
    }
    if (!fits) {
        hb_totals_lists_clear(&x->lists[pass]);
        x->pool.count = before;
    }
done:
    hb_totals_schedule_clear(&schedule);
    hb_totals_graph_clear(&g);
    return st;
}

/* --- registers */

static void note(const hb_program *program, const hb_instruction *list, uint32_t count, uint8_t *used)
{
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].op != HB_OP_STORE) {
            used[list[i].to] = 1;
        }
        for (uint32_t k = 0; list[i].op != HB_OP_COMBINE && k < hb_instruction_reads(program, &list[i]); k++) {
            used[hb_instruction_read(program, &list[i], k)] = 1;
        }
    }
}

static void note_combined(const hb_program *program, const hb_instruction *list, uint32_t count, uint8_t *used)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; list[i].op == HB_OP_COMBINE && k < hb_instruction_reads(program, &list[i]); k++) {
            used[hb_instruction_read(program, &list[i], k)] = 1;
        }
    }
}

/* Notes the registers that lists of the program name, or those that come in the place of them. */
static void find_used(const draft *x, uint8_t *used)
{
    const hb_program *program = x->program;
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *pass = &program->passes[p];
        const hb_totals_lists *l = &x->lists[p];
        note(program, pass->rows, pass->row_count, used);
        note_combined(program, pass->rows, pass->row_count, used);
        if (l->instructions == NULL) {
            note(program, pass->totals, pass->total_count, used);
            note_combined(program, pass->totals, pass->total_count, used);
            continue;
        }
        note(program, l->instructions, l->count, used);
        for (size_t k = 0; k < l->term_count; k++) {
            used[l->terms[k]] = 1;
        }
    }
}

/* Returns a register of the program that no list names any more, of that kind; UINT32_MAX: there is none. */
static uint32_t find_left(const draft *x, const hb_register *kind, const uint8_t *used)
{
    for (uint32_t r = 0; r < x->pool.first; r++) {
        const hb_register *own = &x->program->registers[r];
        if (used[r] == 0 && own->total && !own->plain && own->size == kind->size && own->limbs == kind->limbs) {
            return r;
        }
    }
    return UINT32_MAX;
}

/* Gives each register of the pool one of the program that no list names any more, or a new one. Returns how many are
 * new. */
static uint32_t settle_pool(draft *x, uint8_t *used)
{
    uint32_t fresh = 0;
    for (uint32_t i = 0; i < x->pool.count; i++) {
        const uint32_t left = find_left(x, &x->pool.registers[i], used);
        x->taken[i] = left != UINT32_MAX ? left : x->pool.first + fresh++;
        if (left != UINT32_MAX) {
            used[left] = 1;
        }
    }
    return fresh;
}

static void rename_one(const draft *x, uint16_t *total)
{
    if (*total >= x->pool.first) {
        *total = (uint16_t)x->taken[*total - x->pool.first];
    }
}

static void rename_all(draft *x)
{
    for (uint32_t p = 0; p < x->program->pass_count; p++) {
        hb_totals_lists *l = &x->lists[p];
        for (uint32_t i = 0; i < l->count; i++) {
            rename_one(x, &l->instructions[i].to);
            rename_one(x, &l->instructions[i].a);
            rename_one(x, &l->instructions[i].b);
        }
        for (size_t k = 0; k < l->term_count; k++) {
            rename_one(x, &l->terms[k]);
        }
        for (uint32_t i = 0; i < l->division.move_count; i++) {
            rename_one(x, &l->division.moves[i].total);
        }
    }
}

/* --- the program */

/* The registers behind those of the program, and the notes of those that workers have of their own. */
static hb_status add_registers(draft *x, hb_program *program, hb_totals_division *division)
{
    uint8_t *used = calloc((size_t)UINT16_MAX + 1, 1);
    x->taken = calloc(x->pool.count + (size_t)1, sizeof *x->taken);
    hb_status st = HB_OK;
    if (used == NULL || x->taken == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for the registers of totals"));
    }
    find_used(x, used);
    const uint32_t count = program->register_count + settle_pool(x, used);
    division->own = calloc(count + (size_t)1, 1);
    hb_register *registers = realloc(program->registers, (count + (size_t)1) * sizeof *registers);
    program->registers = registers != NULL ? registers : program->registers;
    if (division->own == NULL || registers == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for %u registers", count));
    }
    memcpy(division->own, x->own, program->register_count);
    for (uint32_t i = 0; i < x->pool.count; i++) {
        if (x->taken[i] >= x->pool.first) {
            registers[x->taken[i]] = x->pool.registers[i];
        }
    }
    rename_all(x);
    program->register_count = count;
done:
    free(used);
    return st;
}

/* Puts the new lists into the program. */
static void replace_lists(draft *x, hb_program *program, hb_totals_division *division)
{
    for (uint32_t p = 0; p < program->pass_count; p++) {
        hb_pass *pass = &program->passes[p];
        hb_totals_lists *l = &x->lists[p];
        if (l->instructions == NULL) {
            continue;
        }
        size_t term = 0;
        for (uint32_t i = 0; i < l->count; i++) {
            if (l->instructions[i].op == HB_OP_COMBINE) {
                hb_linear_terms *terms = &program->combinations[l->instructions[i].number];
                memcpy(terms->registers, l->terms + term, terms->count * sizeof *terms->registers);
                term += terms->count;
            }
        }
        hb_wipe(pass->totals, pass->total_count * sizeof *pass->totals);
        free(pass->totals);
        pass->totals = l->instructions;
        pass->total_count = l->count;
        l->instructions = NULL;
        division->passes[p] = l->division;
        l->division = (hb_pass_division){.shares = NULL};
    }
}

static hb_status draft_init(draft *x)
{
    x->pool.first = x->program->register_count;
    x->lists = calloc(x->program->pass_count + (size_t)1, sizeof *x->lists);
    x->own = calloc((size_t)UINT16_MAX + 1, 1);
    if (x->lists == NULL || x->own == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the lists of totals");
    }
    return uses_init(&x->uses, x->program);
}

static void draft_clear(draft *x)
{
    for (uint32_t p = 0; x->lists != NULL && p < x->program->pass_count; p++) {
        hb_totals_lists_clear(&x->lists[p]);
    }
    free(x->lists);
    free(x->own);
    free(x->taken);
    free(x->pool.registers);
    free(x->pool.busy);
    uses_clear(&x->uses);
}

/* Lists what a runner needs that has no rows. */
static hb_status list_alone(hb_program *alone, const hb_program *program)
{
    *alone = *program;
    alone->registers = malloc((program->register_count + (size_t)1) * sizeof *alone->registers);
    alone->passes = calloc(program->pass_count + (size_t)1, sizeof *alone->passes);
    if (alone->registers == NULL || alone->passes == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u registers", program->register_count);
    }
    for (uint32_t r = 0; r < program->register_count; r++) {
        alone->registers[r] = program->registers[r].total ? program->registers[r] : (hb_register){.plain = false};
    }
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *pass = &program->passes[p];
        alone->passes[p] = (hb_pass){.totals = pass->totals, .total_count = pass->total_count};
    }
    return HB_OK;
}

hb_status hb_totals_divide(hb_totals_division *division, const hb_params *params, hb_program *program,
                           hb_totals_lanes lanes)
{
    draft x = {.params = params, .program = program, .lanes = bounded(lanes)};
    hb_status st = HB_OK;
    *division = (hb_totals_division){.lanes = x.lanes, .compiled = program->register_count};
    if (x.lanes.ranks * x.lanes.workers <= 1) {
        return HB_OK;
    }
    HB_GOTO(draft_init(&x));
    for (uint32_t p = 0; p < program->pass_count; p++) {
        HB_GOTO(draft_pass(&x, p));
    }
    division->passes = calloc(program->pass_count + (size_t)1, sizeof *division->passes);
    if (division->passes == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for the division of %u passes", program->pass_count));
    }
    division->pass_count = program->pass_count;
    HB_GOTO(add_registers(&x, program, division));
    replace_lists(&x, program, division);
    st = list_alone(&division->alone, program);
done:
    draft_clear(&x);
    return st;
}

/* The predicted work of the lane with most in a pass. */
static hb_status find_most(draft *x, uint32_t pass, uint64_t *most)
{
    hb_totals_graph g = {.tasks = NULL};
    hb_totals_schedule schedule = {.stage = NULL};
    bool found = false;
    hb_status st;
    HB_GOTO(hb_totals_graph_init(&g, x->params, x->program, pass, &x->uses, x->lanes.gpu));
    HB_GOTO(hb_totals_schedule_find(&schedule, &g, x->lanes, &found));
    *most = found ? schedule.most : *most;
done:
    hb_totals_schedule_clear(&schedule);
    hb_totals_graph_clear(&g);
    return st;
}

uint64_t hb_totals_divided_work(const hb_params *params, const hb_program *program, hb_totals_lanes lanes)
{
    draft x = {.params = params, .program = program, .lanes = bounded(lanes)};
    uint64_t work = 0;
    const bool known = x.lanes.ranks * x.lanes.workers > 1 && uses_init(&x.uses, program) == HB_OK;
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *pass = &program->passes[p];
        uint64_t most = hb_instructions_work(params, program, pass->totals, pass->total_count);
        if (known && find_most(&x, p, &most) != HB_OK) {
            hb_clear_error();
        }
        work += most;
    }
    uses_clear(&x.uses);
    return work;
}
