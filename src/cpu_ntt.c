#include "cpu_ntt.h"

#include <stdlib.h>
#include <string.h>

#include "modarith.h"

/* The powers of root with their Shoup quotients. */
static void fill_powers(const hb_cpu_ntt *t, uint64_t root, uint64_t *w, uint64_t *w_quotient)
{
    hb_ring_powers(w, root, t->log_n, &t->modulus);
    for (size_t j = 0; j < t->n; j++) {
        w_quotient[j] = hb_shoup_quotient(w[j], t->modulus.value);
    }
}

hb_status hb_cpu_ntt_init(hb_cpu_ntt *t, const hb_modulus *m, uint32_t log_n, uint64_t psi)
{
    memset(t, 0, sizeof *t);
    t->modulus = *m;
    t->log_n = log_n;
    t->n = (size_t)1 << log_n;
    HB_ASSERT(hb_mod_pow(psi, t->n, m) == m->value - 1);

    /* One block for the four integer tables: they live and die together. */
    t->w = malloc(4 * t->n * sizeof *t->w);
    if (t->w == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the transform tables of %zu words", 4 * t->n);
    }
    t->w_quotient = t->w + t->n;
    t->iw = t->w + 2 * t->n;
    t->iw_quotient = t->w + 3 * t->n;
    fill_powers(t, psi, t->w, t->w_quotient);
    fill_powers(t, hb_mod_inverse(psi, m), t->iw, t->iw_quotient);
    t->inverse_n = hb_mod_inverse(hb_mod_reduce(t->n, m), m);
    t->inverse_n_quotient = hb_shoup_quotient(t->inverse_n, m->value);
    if (m->f64) {
        const hb_status st = hb_cpu_ntt_f64_init(t);
        free(t->w);
        t->w = t->w_quotient = t->iw = t->iw_quotient = NULL;
        return st;
    }
    return HB_OK;
}

void hb_cpu_ntt_clear(hb_cpu_ntt *t)
{
    free(t->w);
    free(t->f64_w);
    memset(t, 0, sizeof *t);
}

void hb_cpu_ntt_forward(const hb_cpu_ntt *t, uint64_t *x, double *work)
{
    if (t->f64_w != NULL) {
        hb_cpu_ntt_f64_forward(t, x, work);
    } else {
        hb_cpu_ntt_u64_forward(t, x);
    }
}

void hb_cpu_ntt_inverse(const hb_cpu_ntt *t, uint64_t *x, double *work)
{
    if (t->f64_w != NULL) {
        hb_cpu_ntt_f64_inverse(t, x, work);
    } else {
        hb_cpu_ntt_u64_inverse(t, x);
    }
}
