#include "polynomial.h"

#include <stdlib.h>

#include "evaluator_private.h"
#include "polynomial_planner.h"
#include "rlwe/evaluator_build.h"

typedef struct ckks_polynomial {
    hb_polynomial rlwe;
    hb_polynomial_plan plan;
} ckks_polynomial;

/* One evaluation: of `count` ciphertexts. */
typedef struct evaluation {
    hb_evaluator *ev;
    const hb_polynomial_plan *plan;
    const hb_switch_key *key;
    uint64_t *work;
    size_t count;
} evaluation;

/* Ends the opening: gives the planned object to the caller, or closes it after a failure `st`. */
static hb_status opened(ckks_polynomial *made, const hb_params *params, hb_status st, hb_polynomial **out)
{
    if (st != HB_OK) {
        hb_ckks_polynomial_close(&made->rlwe);
        return st;
    }
    const hb_polynomial_plan *plan = &made->plan;
    made->rlwe = (hb_polynomial){.params = params,
                                 .limbs = plan->limbs,
                                 .result_limbs = hb_polynomial_plan_result_limbs(plan),
                                 .levels = plan->levels,
                                 .products = plan->products,
                                 .words = plan->words};
    *out = &made->rlwe;
    return HB_OK;
}

static hb_status allocate(ckks_polynomial **made)
{
    *made = calloc(1, sizeof **made);
    return *made != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a polynomial");
}

hb_status hb_ckks_polynomial_open(const hb_params *params, const hb_polynomial_spec *spec,
                                  const hb_chebyshev *polynomial, hb_polynomial **out)
{
    ckks_polynomial *made;
    *out = NULL;
    HB_TRY(allocate(&made));
    return opened(made, params, hb_polynomial_plan_init(&made->plan, params, spec->limbs, polynomial, spec->baby), out);
}

hb_status hb_ckks_eval_mod_open(const hb_params *params, uint32_t fewer_bits, const hb_bootstrap_table *table,
                                hb_polynomial **out)
{
    ckks_polynomial *made;
    *out = NULL;
    if (!hb_params_can_bootstrap(params)) {
        return HB_FAIL(HB_ECONFIG, "parameters %s have no levels for bootstrapping", params->name);
    }
    HB_TRY(allocate(&made));
    const hb_status st = table != NULL ? hb_polynomial_plan_init_table(&made->plan, params, table)
                                       : hb_polynomial_plan_init_eval_mod(&made->plan, params, fewer_bits);
    return opened(made, params, st, out);
}

void hb_ckks_polynomial_close(hb_polynomial *polynomial)
{
    ckks_polynomial *made = (ckks_polynomial *)polynomial; /* a struct begins where its first member does */
    if (made != NULL) {
        hb_polynomial_plan_clear(&made->plan);
        free(made);
    }
}

/* Returns value i, of which there is one for each ciphertext. */
static hb_ciphertexts value(const evaluation *x, uint16_t i)
{
    const hb_polynomial_value *v = &x->plan->values[i];
    const hb_batch all =
        hb_batch_on(x->ev->engine, x->work + v->offset * x->count, v->size * x->count, v->limbs, x->ev->params->ids);
    return (hb_ciphertexts){all, v->size, HB_NTT_FORM};
}

/* Returns the leading limbs of a value. */
static hb_ciphertexts leading(const evaluation *x, uint16_t i, uint32_t limbs)
{
    const hb_ciphertexts a = value(x, i);
    return (hb_ciphertexts){hb_batch_limbs(x->ev->engine, a.all, 0, limbs), a.size, a.form};
}

/* Adds a to `to`, or takes it away, in the components that a has. */
static hb_status add(const evaluation *x, hb_ciphertexts to, hb_ciphertexts a, hb_sign sign)
{
    hb_engine *e = x->ev->engine;
    const hb_batch some = hb_batch_slice(to.all, 0, a.all.count);
    return sign == HB_PLUS ? hb_add(e, some, some, a.all) : hb_sub(e, some, some, a.all);
}

static hb_status go_down(const evaluation *x, hb_ciphertexts to, hb_ciphertexts a)
{
    return a.size == 3 ? hb_evaluator_relinearize_rescale(x->ev, to, a, x->key) : hb_evaluator_mod_switch(x->ev, to, a);
}

static const uint64_t *residues_of(const evaluation *x, uint32_t step)
{
    return x->plan->residues + (size_t)step * x->plan->limbs;
}

/* Makes the value that a step brings down: all that was absorbed for it. */
static hb_status add_up(const evaluation *x, const hb_polynomial_sum *sum)
{
    const hb_ciphertexts to = value(x, x->plan->steps[sum->step].a);
    const hb_polynomial_step *steps = x->plan->steps;
    hb_batch a[HB_SUM_PRODUCTS], b[HB_SUM_PRODUCTS], c[HB_SUM_MULTIPLES];
    hb_tensor_sum_operands operands = {.a = a,
                                       .b = b,
                                       .c = c,
                                       .products = sum->products,
                                       .multiples = sum->multiples,
                                       .twice = sum->twice,
                                       .number = sum->number != HB_NO_VALUE ? residues_of(x, sum->number) : NULL};
    for (uint32_t i = 0; i < sum->products; i++) {
        a[i] = leading(x, steps[sum->product[i]].a, to.all.limbs).all;
        b[i] = leading(x, steps[sum->product[i]].b, to.all.limbs).all;
    }
    for (uint32_t i = 0; i < sum->multiples; i++) {
        c[i] = leading(x, steps[sum->multiple[i]].a, to.all.limbs).all;
        operands.weights[i] = residues_of(x, sum->multiple[i]);
    }
    return hb_tensor_sum(x->ev->engine, to.all, &operands);
}

static hb_status execute(const evaluation *x, uint32_t i)
{
    const hb_polynomial_step *step = &x->plan->steps[i];
    const uint64_t *residues = residues_of(x, i);
    const hb_ciphertexts to = value(x, step->to);
    hb_engine *e = x->ev->engine;
    switch (step->op) {
    case HB_POLYNOMIAL_TENSOR:
        return hb_tensor(e, to.all, leading(x, step->a, to.all.limbs).all, leading(x, step->b, to.all.limbs).all, 2, 2);
    case HB_POLYNOMIAL_MULTIPLE:
        return hb_scale(e, to.all, leading(x, step->a, to.all.limbs).all, residues);
    case HB_POLYNOMIAL_CLEAR:
        return hb_clear(e, to.all);
    case HB_POLYNOMIAL_ADD:
        return add(x, to, value(x, step->a), step->sign);
    case HB_POLYNOMIAL_ADD_NUMBER:
        return hb_ckks_add_residues(x->ev, to, residues);
    case HB_POLYNOMIAL_TURN:
        return hb_ckks_multiply_i(x->ev, to, to, HB_PLUS);
    case HB_POLYNOMIAL_DOWN:
        return go_down(x, to, value(x, step->a));
    }
    return HB_FAIL(HB_EINTERNAL, "a polynomial has no step %d", (int)step->op);
}

/* Whether a step relinearizes a product, or several that were added up. */
static bool is_product(const evaluation *x, const hb_polynomial_step *step)
{
    return step->op == HB_POLYNOMIAL_DOWN && x->plan->values[step->a].size == 3;
}

static uint32_t count_products(const evaluation *x)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < x->plan->step_count; i++) {
        count += is_product(x, &x->plan->steps[i]);
    }
    return count;
}

/* Ciphertexts first .. first + x->count. */
static hb_status apply(const evaluation *x, hb_ciphertexts r, hb_ciphertexts a, size_t first)
{
    const uint32_t products = count_products(x);
    uint32_t done = 0;
    const hb_ciphertexts in = value(x, 0), out = value(x, x->plan->steps[x->plan->step_count - 1].to);
    for (uint32_t c = 0; c < 2; c++) {
        HB_TRY(hb_copy(x->ev->engine, hb_ciphertexts_component(in, c), hb_component_slice(a, c, first, x->count)));
    }
    const hb_polynomial_sum *sum = x->plan->sums;
    for (uint32_t i = 0; i < x->plan->step_count; i++) {
        if (sum < x->plan->sums + x->plan->sum_count && sum->step == i) {
            HB_TRY(add_up(x, sum++));
        }
        if (!x->plan->steps[i].absorbed) {
            HB_TRY(execute(x, i));
        }
        if (is_product(x, &x->plan->steps[i])) {
            hb_op_step_done(&x->ev->progress, "polynomial", ++done, products);
        }
    }
    for (uint32_t c = 0; c < 2; c++) {
        HB_TRY(hb_copy(x->ev->engine, hb_component_slice(r, c, first, x->count), hb_ciphertexts_component(out, c)));
    }
    return HB_OK;
}

hb_status hb_ckks_polynomial_apply(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a,
                                   const hb_polynomial *polynomial, const hb_switch_key *key, hb_workspace work)
{
    const hb_polynomial_plan *plan = &((const ckks_polynomial *)polynomial)->plan;
    const size_t count = hb_ciphertexts_count(a), fit = work.words / plan->words;
    HB_ASSERT(a.size == 2 && r.size == 2 && a.form == HB_NTT_FORM && hb_ciphertexts_count(r) == count && fit >= 1);
    HB_ASSERT(a.all.limbs == polynomial->limbs && r.all.limbs == polynomial->result_limbs);
    HB_ASSERT(ev->params == polynomial->params && (key != NULL || plan->products == 0));
    for (hb_chunk c = hb_chunks(count, fit); hb_chunk_next(&c);) {
        const evaluation x = {.ev = ev, .plan = plan, .key = key, .work = work.next, .count = c.count};
        const hb_op_part outer = hb_op_part_enter(&ev->progress, hb_op_part_of(c.first, c.count, count));
        HB_TRY(apply(&x, r, a, c.first));
        hb_op_part_leave(&ev->progress, outer);
    }
    return HB_OK;
}
