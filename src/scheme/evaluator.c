#include "evaluator.h"

#include "rlwe/rotation.h"
#include "scheme_ops.h"

hb_status hb_evaluator_open(hb_engine *engine, const hb_params *params, const hb_evaluator_requirements *requirements,
                            hb_evaluator **out)
{
    return hb_scheme_ops_for(params)->evaluator.open(engine, params, requirements, out);
}

void hb_evaluator_close(hb_evaluator *evaluator)
{
    if (evaluator != NULL) {
        hb_scheme_ops_for(hb_evaluator_params(evaluator))->evaluator.close(evaluator);
    }
}

uint64_t hb_evaluator_bytes(const hb_params *params, const hb_evaluator_requirements *requirements)
{
    return hb_scheme_ops_for(params)->evaluator.bytes(params, requirements);
}

static const hb_evaluator_ops *evaluator_ops(const hb_evaluator *ev)
{
    return &hb_scheme_ops_for(hb_evaluator_params(ev))->evaluator;
}

hb_status hb_evaluator_add_plain(hb_evaluator *ev, hb_ciphertexts r, hb_batch plain, hb_sign sign)
{
    return evaluator_ops(ev)->add_plain(ev, r, plain, sign);
}

hb_status hb_evaluator_multiply_plain(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_batch plain)
{
    return evaluator_ops(ev)->multiply_plain(ev, r, a, plain);
}

hb_status hb_evaluator_multiply(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_ciphertexts b)
{
    return evaluator_ops(ev)->multiply(ev, r, a, b);
}

hb_status hb_evaluator_add_number(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, double number)
{
    return evaluator_ops(ev)->add_number(ev, r, a, number);
}

hb_status hb_evaluator_multiply_number(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, double number)
{
    return evaluator_ops(ev)->multiply_number(ev, r, a, number);
}

hb_status hb_evaluator_adjust(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a)
{
    return evaluator_ops(ev)->adjust(ev, r, a);
}

hb_status hb_evaluator_rotate(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, int64_t step,
                              const hb_switch_keys *keys)
{
    const hb_params *params = hb_evaluator_params(ev);
    const uint32_t generator = hb_scheme_ops_for(params)->slots.generator(&params->spec);
    return hb_rotate_slots(ev, r, a, (hb_rotation){generator, step}, keys);
}

hb_status hb_evaluator_swap(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_keys *keys)
{
    return evaluator_ops(ev)->swap(ev, r, a, keys);
}

hb_status hb_evaluator_multiply_i(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_sign sign)
{
    return evaluator_ops(ev)->multiply_i(ev, r, a, sign);
}

hb_status hb_evaluator_conjugate(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_keys *keys)
{
    return evaluator_ops(ev)->conjugate(ev, r, a, keys);
}

hb_status hb_evaluator_sum_slots(hb_evaluator *ev, hb_ciphertexts r, const hb_switch_keys *keys)
{
    return evaluator_ops(ev)->sum_slots(ev, r, keys);
}

hb_status hb_evaluator_sum_window(hb_evaluator *ev, hb_ciphertexts r, int64_t step, uint32_t terms,
                                  const hb_switch_keys *keys)
{
    const hb_params *params = hb_evaluator_params(ev);
    const uint32_t generator = hb_scheme_ops_for(params)->slots.generator(&params->spec);
    return hb_sum_window(ev, r, (hb_rotation){generator, step}, terms, keys);
}
