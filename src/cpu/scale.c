/* A row times a number, alone or in butterflies, compiled once per instruction set. */
#include "cpu_private.h"
#include "vectors_shoup.h"

hb_cpu_scale_kernel HB_BUILT(hb_cpu_scale);
hb_cpu_butterfly_kernel HB_BUILT(hb_cpu_butterflies);

void HB_BUILT(hb_cpu_scale)(uint64_t *r, const uint64_t *a, uint64_t factor, size_t n, const hb_modulus *modulus)
{
    const uint64_t quotient = hb_shoup_quotient(factor, modulus->value);
    const hb_vector_factor f = hb_vector_factor_of(hb_vector_all(factor), hb_vector_all(quotient));
    const hb_words m = hb_vector_all(modulus->value);
    size_t j = 0;
    for (; j + HB_LANES <= n; j += HB_LANES) {
        hb_vector_store(r + j, hb_vector_canonical(hb_vector_product(hb_vector_load(a + j), f, m), m));
    }
    /* Words that are left over, fewer than a vector. */
    for (; j < n; j++) {
        r[j] = hb_mul_shoup(a[j], factor, quotient, modulus->value);
    }
}

void HB_BUILT(hb_cpu_butterflies)(uint64_t *x, uint64_t *y, uint64_t w, size_t n, const hb_modulus *modulus)
{
    const hb_words m = hb_vector_all(modulus->value);
    const hb_vector_factor f =
        hb_vector_factor_of(hb_vector_all(w), hb_vector_all(hb_shoup_quotient(w, modulus->value)));
    for (size_t j = 0; j + HB_LANES <= n; j += HB_LANES) {
        /* Nothing is kept in range over several stages: only the time counts. */
        const hb_words a = hb_vector_load(x + j), b = hb_vector_product(hb_vector_load(y + j), f, m);
        hb_vector_store(x + j, a + b);
        hb_vector_store(y + j, a + 4 * m - b);
    }
}
