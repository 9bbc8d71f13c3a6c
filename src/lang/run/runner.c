#include <stdlib.h>

#include "lang/cost/program_cost.h"
#include "runner_private.h"
#include "scheme/codec.h"

static bool accumulated(const hb_program *program, uint32_t total)
{
    for (uint32_t p = 0; p < program->pass_count; p++) {
        if (hb_pass_accumulates(&program->passes[p], total)) {
            return true;
        }
    }
    return false;
}

static void look_at(hb_evaluator_requirements *requirements, const hb_program *program, const hb_instruction *i,
                    uint32_t left)
{
    const hb_register *r = program->registers;
    const hb_operation *operation = &hb_operations[i->op];
    if (i->op == HB_OP_MULTIPLY) {
        const uint32_t size = r[i->a].size > r[i->b].size ? r[i->a].size : r[i->b].size;
        requirements->size = size > requirements->size ? size : requirements->size;
    }
    const bool stays = (i->op == HB_OP_ROTATE && i->number == 0) || (i->op == HB_OP_RESCALE && r[i->a].size < 3);
    requirements->switching = requirements->switching || (operation->switches && !stays);
    requirements->hoisting = requirements->hoisting || hb_together_moved(i, left) > 1;
    requirements->plain_factors = requirements->plain_factors || operation->plain_factor;
}

static hb_evaluator_requirements requirements_of(const hb_params *params, const hb_program *program, size_t count)
{
    hb_evaluator_requirements requirements = {.limbs = hb_runner_bootstraps(program) ? params->data_limbs : 1,
                                              .count = count};
    for (uint32_t i = 0; i < program->register_count; i++) {
        const hb_register *r = &program->registers[i];
        requirements.limbs = !r->plain && r->limbs > requirements.limbs ? r->limbs : requirements.limbs;
    }
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *pass = &program->passes[p];
        for (uint32_t i = 0; i < pass->row_count; i++) {
            look_at(&requirements, program, &pass->rows[i], pass->row_count - i);
        }
        for (uint32_t i = 0; i < pass->total_count; i++) {
            look_at(&requirements, program, &pass->totals[i], pass->total_count - i);
        }
    }
    return requirements;
}

/* Automorphisms that may be hoisted; each has a key. */
static uint32_t hoisted(const hb_instruction *instructions, uint32_t count)
{
    uint32_t all = 0;
    for (uint32_t at = 0; at < count;) {
        const uint32_t group = hb_together_moved(&instructions[at], count - at);
        all += group > 1 ? group : 0;
        at += group > 1 ? group : 1;
    }
    return all;
}

/* Returns the bytes of keys in the evaluator; bootstrapping counts its own. */
static uint64_t key_bytes(const hb_params *params, const hb_program *program, uint32_t limbs)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < program->keys.count; i++) {
        const hb_key_request *request = &program->keys.request[i];
        const bool kept = request->element != HB_RELINEARIZATION && !request->bootstrapping;
        bytes += kept ? hb_evaluator_automorphism_bytes(params) : 0;
    }
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *pass = &program->passes[p];
        bytes += ((uint64_t)hoisted(pass->rows, pass->row_count) + hoisted(pass->totals, pass->total_count)) *
                 hb_evaluator_hoisted_bytes(params, limbs);
    }
    return bytes;
}

/* For one row block. */
static uint64_t register_words(const hb_params *params, const hb_register *r)
{
    if (r->plain) {
        return hb_plaintext_words(params, r->limbs);
    }
    return (uint64_t)r->size * hb_params_most_limbs(params, params->ids, r->limbs) * params->ring.n;
}

uint64_t hb_runner_bytes(const hb_params *params, const hb_program *program, size_t count, const uint8_t *own)
{
    const hb_evaluator_requirements requirements = requirements_of(params, program, count);
    uint64_t words = (uint64_t)2 * hb_runner_constants_count(program) * hb_plaintext_words(params, params->fresh_limbs);
    words += hb_runner_combination_words(params, program);
    for (uint32_t i = 0; i < program->register_count; i++) {
        const hb_register *r = &program->registers[i];
        const bool here = own == NULL || own[i] != 0;
        words += register_words(params, r) *
                 (r->total ? (size_t)here + (size_t)accumulated(program, i) : hb_register_count(r, count));
    }
    return words * sizeof(uint64_t) + hb_evaluator_bytes(params, &requirements) +
           hb_runner_polynomials_bytes(params, program, count) + hb_runner_spread_bytes(params, program) +
           hb_runner_bootstrap_memory(params, program, count).own +
           hb_runner_matrix_work_bytes(params, program, count) + key_bytes(params, program, requirements.limbs);
}

uint64_t hb_runner_shared_bytes(const hb_params *params, const hb_program *program)
{
    return hb_runner_bootstrap_memory(params, program, 1).shared + hb_runner_matrices_bytes(params, program);
}

static hb_status alloc_register(hb_runner *runner, hb_ciphertexts *to, const hb_register *r, size_t count)
{
    if (r->plain) {
        to->size = 1;
        return hb_plaintexts_alloc(&to->all, runner->engine, runner->params, r->limbs, count);
    }
    return hb_ciphertexts_alloc(to, runner->engine, runner->params, r->size, count, r->limbs);
}

static bool has_own(const hb_runner *runner, uint32_t i)
{
    return runner->own != NULL && runner->own[i] != 0;
}

/* Registers of row blocks, sums of this runner's own, and totals, where no other runner has them. A register that no
 * list of this program names has no components. */
static hb_status alloc_registers(hb_runner *runner, const hb_runner *of)
{
    const hb_program *program = runner->program;
    runner->registers = calloc(program->register_count, sizeof *runner->registers);
    runner->sums = calloc(program->register_count, sizeof *runner->sums);
    if (runner->registers == NULL || runner->sums == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u registers", program->register_count);
    }
    for (uint32_t i = 0; i < program->register_count; i++) {
        const hb_register *r = &program->registers[i];
        if (!r->total) {
            if (r->plain || r->size > 0) {
                HB_TRY(alloc_register(runner, &runner->registers[i], r, hb_register_count(r, runner->count)));
            }
            continue;
        }
        if (of != NULL && !has_own(runner, i)) {
            runner->registers[i] = of->registers[i];
        } else {
            HB_TRY(alloc_register(runner, &runner->registers[i], r, 1));
            HB_TRY(hb_clear(runner->engine, runner->registers[i].all));
        }
        if (accumulated(program, i)) {
            HB_TRY(alloc_register(runner, &runner->sums[i], r, 1));
            HB_TRY(hb_clear(runner->engine, runner->sums[i].all));
        }
    }
    return hb_finish(runner->engine); /* other queues read the totals */
}

/* Nothing is allocated later, between row blocks. */
static hb_status prepare(hb_runner *runner)
{
    for (uint32_t p = 0; p < runner->program->pass_count; p++) {
        const hb_pass *pass = &runner->program->passes[p];
        HB_TRY(hb_runner_prepare(runner, pass->rows, pass->row_count));
        HB_TRY(hb_runner_prepare(runner, pass->totals, pass->total_count));
    }
    return HB_OK;
}

/* Tells the meter of a step of the instructions under way. */
static void see_step(void *with, const hb_op_step *step)
{
    hb_runner *runner = with;
    hb_runner_under_way *x = &runner->under_way;
    if (runner->meter.worked == NULL) { /* loads, for instructions that count already */
        return;
    }
    const uint64_t all = x->count * hb_instructions_work(runner->params, runner->program, x->first, x->together),
                   share = (uint64_t)(step->share * (double)all), done = share < all ? share : all,
                   more = done > x->work ? done - x->work : 0;
    x->work += more;
    runner->meter.worked(runner->meter.context, more, step);
}

hb_status hb_runner_open(hb_engine *engine, const hb_runner_setting *setting, hb_runner *of, hb_runner **out)
{
    const hb_program *program = setting->program;
    *out = NULL;
    HB_ASSERT(setting->count >= 1 && program->register_count >= 1 &&
              (of == NULL || of->program->register_count == program->register_count));
    hb_runner *runner = calloc(1, sizeof *runner);
    if (runner == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a runner");
    }
    *runner = (hb_runner){.engine = engine,
                          .params = setting->params,
                          .keys = setting->keys,
                          .program = program,
                          .io = setting->io,
                          .executed = setting->executed,
                          .meter = setting->meter,
                          .shelf = setting->shelf,
                          .count = setting->count,
                          .owns_totals = of == NULL,
                          .own = of != NULL ? setting->own : NULL};
    hb_evaluator_requirements requirements = requirements_of(setting->params, program, setting->count);
    if (setting->meter.worked != NULL && engine->on_host) { /* other queues get all steps at once */
        requirements.observer = (hb_op_observer){see_step, runner};
    }
    hb_status st;
    HB_GOTO(hb_evaluator_open(engine, setting->params, &requirements, &runner->evaluator));
    HB_GOTO(alloc_registers(runner, of));
    HB_GOTO(hb_runner_constants_init(runner));
    HB_GOTO(hb_runner_combinations_init(runner));
    HB_GOTO(hb_runner_polynomials_init(runner));
    HB_GOTO(hb_runner_bootstrap_init(runner, of));
    HB_GOTO(hb_runner_matrices_init(runner, of));
    HB_GOTO(hb_runner_spread_init(runner));
    HB_GOTO(prepare(runner));
    *out = runner;
    runner = NULL;
done:
    hb_runner_close(runner);
    return st;
}

void hb_runner_close(hb_runner *runner)
{
    if (runner == NULL) {
        return;
    }
    hb_runner_constants_clear(runner);
    hb_runner_combinations_clear(runner);
    hb_runner_polynomials_clear(runner);
    hb_runner_bootstrap_clear(runner);
    hb_runner_matrices_clear(runner);
    hb_runner_spread_clear(runner);
    for (uint32_t i = 0; i < runner->program->register_count; i++) {
        const hb_register *r = &runner->program->registers[i];
        if (runner->registers != NULL && (runner->owns_totals || !r->total || has_own(runner, i))) {
            if (r->plain) { /* of a table, which may be private */
                hb_batch_wipe(runner->engine, runner->registers[i].all);
            }
            hb_batch_free(runner->engine, &runner->registers[i].all);
        }
        if (runner->sums != NULL) {
            hb_batch_free(runner->engine, &runner->sums[i].all);
        }
        if (runner->apart != NULL) {
            hb_batch_free(runner->engine, &runner->apart[i].all);
        }
    }
    free(runner->registers);
    free(runner->apart);
    free(runner->sums);
    hb_evaluator_close(runner->evaluator);
    free(runner);
}

hb_status hb_runner_accumulated(hb_runner *runner, uint32_t total, hb_ciphertexts *out)
{
    HB_ASSERT(total < runner->program->register_count && runner->sums[total].all.data != NULL);
    HB_TRY(hb_finish(runner->engine));
    *out = runner->sums[total];
    return HB_OK;
}

hb_status hb_runner_add(hb_runner *runner, const hb_runner *more, uint32_t pass)
{
    HB_TRY(hb_finish(more->engine));
    for (uint32_t i = 0; i < runner->program->register_count; i++) {
        if (hb_pass_accumulates(&runner->program->passes[pass], i)) {
            HB_TRY(hb_evaluator_add(runner->evaluator, runner->sums[i], runner->sums[i], more->sums[i]));
        }
    }
    return hb_finish(runner->engine); /* the other queue may clear its sums now */
}

hb_status hb_runner_totals_begin(hb_runner *runner, uint32_t pass)
{
    const hb_pass *p = &runner->program->passes[pass];
    for (uint32_t i = 0; i < runner->program->register_count; i++) {
        if (hb_pass_accumulates(p, i)) {
            HB_TRY(hb_evaluator_copy(runner->evaluator, runner->registers[i], runner->sums[i]));
        }
    }
    return hb_finish(runner->engine); /* other queues may read them */
}

hb_status hb_runner_totals_some(hb_runner *runner, uint32_t pass, uint32_t first, uint32_t count)
{
    const hb_pass *p = &runner->program->passes[pass];
    const uint32_t end = count == HB_ALL_TOTALS ? p->total_count : first + count;
    HB_ASSERT(first <= end && end <= p->total_count);
    if (first < end) { /* a pass without totals has no list */
        HB_TRY(hb_runner_execute(runner, p->totals + first, end - first, 0, 1));
    }
    HB_TRY(hb_finish(runner->engine));
    hb_runner_worked(runner, pass, 0);
    return HB_OK;
}
