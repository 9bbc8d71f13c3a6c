/* Polynomials of a program: plans, and the memory that evaluating them takes. */
#include <stdlib.h>

#include "runner_private.h"

/* The most bytes of the workspace, where the row blocks would take more (as that of evaluators). */
#define MOST_WORK_BYTES ((size_t)1 << 30)

/* Calls `see` for each polynomial at each level, more than once perhaps. */
static hb_status each(const hb_params *params, const hb_program *program,
                      hb_status (*see)(void *context, const hb_params *params, const hb_program *program,
                                       const hb_instruction *i),
                      void *context)
{
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *pass = &program->passes[p];
        for (uint32_t i = 0; i < pass->row_count + pass->total_count; i++) {
            const hb_instruction *in = i < pass->row_count ? &pass->rows[i] : &pass->totals[i - pass->row_count];
            if (in->op == HB_OP_POLYNOMIAL) {
                HB_TRY(see(context, params, program, in));
            }
        }
    }
    return HB_OK;
}

static hb_status count_one(void *context, const hb_params *params, const hb_program *program, const hb_instruction *i)
{
    (void)params, (void)program, (void)i;
    ++*(uint32_t *)context;
    return HB_OK;
}

/* A growing list of plans. */
typedef struct plans {
    hb_runner_polynomial *polynomials;
    uint32_t count;
} plans;

static const hb_polynomial *find(const plans *list, int64_t number, uint32_t limbs)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->polynomials[i].number == number && list->polynomials[i].plan->limbs == limbs) {
            return list->polynomials[i].plan;
        }
    }
    return NULL;
}

static hb_status plan_one(void *context, const hb_params *params, const hb_program *program, const hb_instruction *i)
{
    plans *list = context;
    const uint32_t limbs = program->registers[i->a].limbs;
    if (find(list, i->number, limbs) != NULL) {
        return HB_OK;
    }
    hb_runner_polynomial *next = &list->polynomials[list->count];
    HB_TRY(hb_polynomial_open(params, limbs, &program->constants.polynomials.entry[i->number].polynomial, &next->plan));
    next->number = i->number;
    list->count++;
    return HB_OK;
}

static void clear(plans *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        hb_polynomial_close(list->polynomials[i].plan);
    }
    free(list->polynomials);
    *list = (plans){0};
}

/* Plans all. The caller clears the list, also after a failure. */
static hb_status make_plans(plans *list, const hb_params *params, const hb_program *program)
{
    uint32_t most = 0;
    *list = (plans){0};
    HB_TRY(each(params, program, count_one, &most));
    if (most == 0) {
        return HB_OK;
    }
    list->polynomials = calloc(most, sizeof *list->polynomials);
    if (list->polynomials == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u polynomials", most);
    }
    return each(params, program, plan_one, list);
}

/* Words of the workspace for `count` row blocks, or as many as `bytes` hold, but for one at least. */
static size_t work_words(const plans *list, size_t count, size_t bytes)
{
    size_t most = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const size_t words = list->polynomials[i].plan->words;
        most = words > most ? words : most;
    }
    const size_t fit = most > 0 ? bytes / (most * sizeof(uint64_t)) : 0, together = fit < count ? fit : count;
    return most * (together > 0 ? together : 1);
}

hb_status hb_runner_polynomials_init(hb_runner *runner)
{
    plans list;
    const hb_status st = make_plans(&list, runner->params, runner->program);
    runner->polynomials = list.polynomials;
    runner->polynomial_count = list.count;
    HB_TRY(st);
    const size_t best = runner->engine->batch_bytes;
    runner->work.words = work_words(&list, runner->count, best > 0 ? best : MOST_WORK_BYTES);
    void *work = NULL;
    if (list.count > 0) {
        HB_TRY(hb_alloc(runner->engine, runner->work.words * sizeof(uint64_t), &work));
    }
    runner->work.next = work;
    return HB_OK;
}

void hb_runner_polynomials_clear(hb_runner *runner)
{
    plans list = {runner->polynomials, runner->polynomial_count};
    clear(&list);
    hb_free(runner->engine, runner->work.next);
}

uint64_t hb_runner_polynomials_bytes(const hb_params *params, const hb_program *program, size_t count)
{
    plans list;
    const hb_status st = make_plans(&list, params, program);
    const uint64_t words = work_words(&list, count, MOST_WORK_BYTES);
    clear(&list);
    return st == HB_OK ? words * sizeof(uint64_t) : UINT64_MAX / 2; /* more than any engine has */
}

hb_status hb_runner_polynomial_apply(hb_runner *runner, const hb_instruction *i, hb_ciphertexts to, hb_ciphertexts a)
{
    const plans list = {runner->polynomials, runner->polynomial_count};
    const hb_switch_key *key = hb_switch_keys_find(runner->keys, HB_RELINEARIZATION);
    if (key == NULL) {
        return HB_FAIL(HB_EDATA, "there is no relinearization key");
    }
    return hb_evaluator_polynomial(runner->evaluator, to, a, find(&list, i->number, a.all.limbs), key, runner->work);
}
