// Holds the arithmetic that both engines share to what nvcc takes: every function of it is compiled for the host and for
// each GPU architecture. Nothing calls this kernel.
#include "modarith.h"
#include "sample.h"

static_assert(sizeof(hb_modulus) % alignof(hb_modulus) == 0 && sizeof(hb_u128) == 16, "layout shared with the host");

__global__ void hb_modarith_check(uint64_t *words, double *doubles, uint64_t a, uint64_t b, hb_modulus m)
{
    words[0] = hb_mul_high(a, b);
    words[1] = hb_correct(a, m.value);
    words[2] = hb_mod_add(a, b, &m);
    words[3] = hb_mod_sub(a, b, &m);
    words[4] = hb_mod_negate(a, &m);
    words[5] = hb_mod_reduce(a, &m);
    words[6] = hb_mod_reduce_wide((hb_u128)a * b, &m);
    words[7] = hb_mod_mul(a, b, &m);
    words[8] = hb_mul_shoup_lazy(a, b, hb_shoup_quotient(b, m.value), m.value);
    words[9] = hb_f64_residue(doubles[0], m.value);
    doubles[1] = hb_f64_from_word(a);
    doubles[2] = hb_f64_round_product(doubles[0], m.f64_inverse);
    doubles[3] = hb_f64_mul(doubles[0], doubles[1], m.f64_value, m.f64_inverse);
    doubles[4] = hb_f64_reduce(doubles[0], m.f64_value, m.f64_inverse);
    words[10] =
        (uint64_t)hb_accepts(hb_accept_uniform(m.value, m.bits), a) + (uint64_t)hb_accepts(hb_accept_ternary(), a);
    words[11] =
        hb_residue_of_small(hb_sample_ternary(a) + hb_sample_binomial(a) + hb_sample_gaussian(a, words), m.value);
}
