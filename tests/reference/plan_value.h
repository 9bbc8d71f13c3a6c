/* Evaluates the plan of a polynomial on a real number, step by step. */
#ifndef HB_TESTS_PLAN_VALUE_H
#define HB_TESTS_PLAN_VALUE_H

#include <stdlib.h>

#include "ckks/polynomial_plan.h"

/* Returns the value of the result at x; a step takes values of no lower levels than its own. */
static inline double plan_value(const hb_polynomial_plan *plan, double x)
{
    double *v = calloc(plan->value_count, sizeof *v);
    assert_non_null(v);
    v[0] = x;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const hb_polynomial_step *s = &plan->steps[i];
        assert_true(s->a == UINT16_MAX || plan->values[s->a].limbs >= plan->values[s->to].limbs);
        switch (s->op) {
        case HB_POLYNOMIAL_TENSOR:
            v[s->to] = v[s->a] * v[s->b];
            break;
        case HB_POLYNOMIAL_CLEAR:
            v[s->to] = 0;
            break;
        case HB_POLYNOMIAL_ADD:
            v[s->to] += s->sign == HB_PLUS ? v[s->a] : -v[s->a];
            break;
        case HB_POLYNOMIAL_ADD_NUMBER:
            v[s->to] += s->number;
            break;
        case HB_POLYNOMIAL_MULTIPLE:
        case HB_POLYNOMIAL_DOWN:
            v[s->to] = v[s->a] * s->number;
            break;
        case HB_POLYNOMIAL_TURN: /* of tables, which have words of a model */
            fail_msg("a plan of real values turns one");
            break;
        }
    }
    const double result = v[plan->steps[plan->step_count - 1].to];
    free(v);
    return result;
}

#endif
