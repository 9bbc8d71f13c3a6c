/* Joint keys under the sum of the secrets, which nobody else has: their errors, digit by digit. */
#ifndef HB_TESTS_JOINT_ORACLE_H
#define HB_TESTS_JOINT_ORACLE_H

#include <math.h>

#include "reference/joint_world.h"
#include "reference/slow.h"
#include "unit/unit.h"

/* How far the largest of n coefficients comes, in standard deviations. */
static inline double joint_tail(size_t n)
{
    return sqrt(2 * log(2.0 * (double)n));
}

/* The largest magnitude of a polynomial that is small: the same integer in every limb. Destroys x, in NTT form. */
static inline double joint_largest(const joint_world *w, hb_batch x)
{
    const size_t n = w->params->spec.n;
    double most = 0;
    assert_int_equal(hb_intt(w->engine, x), HB_OK);
    for (size_t i = 0; i < n; i++) {
        int64_t first = 0;
        for (uint32_t l = 0; l < x.limbs; l++) {
            const uint64_t q = w->params->ring.moduli[x.ids[l]].value, word = x.data[l * n + i];
            const int64_t value = word > q / 2 ? -(int64_t)(q - word) : (int64_t)word;
            first = l == 0 ? value : first;
            assert_int_equal(value, first);
        }
        most = fmax(most, fabs((double)first));
    }
    return most;
}

/* The errors are within their proven bound, and as large as expected: none was left out. */
static inline void joint_check_error(double measured, hb_key_error error, size_t n)
{
    const double expected = joint_tail(n) * sqrt(error.variance);
    if (measured > error.worst || fabs(log2(measured / expected)) > 1) {
        fail_msg("error %g, %g at most, %g expected", measured, error.worst, expected);
    }
}

/* The limbs of a key's level and the special ones, out of all of them. */
static inline void joint_take_limbs(const joint_world *w, hb_batch r, hb_batch all)
{
    const size_t n = w->params->spec.n;
    for (uint32_t l = 0; l < r.limbs; l++) {
        memcpy(r.data + l * n, all.data + r.ids[l] * n, n * sizeof *r.data);
    }
}

/* b + a s - g target, part by part. target: [1][all limbs], NTT form. */
static inline void joint_check_switch_key(const joint_world *w, const hb_switch_key *key, hb_batch target,
                                          hb_key_error error)
{
    hb_engine *e = w->engine;
    const hb_params *p = w->params;
    const size_t n = p->spec.n;
    const uint64_t special = p->ring.moduli[p->ids[p->data_limbs]].value;
    hb_batch x, s, t;
    hb_batch *const all[] = {&x, &s, &t};
    double most = 0;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(hb_batch_alloc(e, all[i], 1, key->parts.limbs, key->parts.ids), HB_OK);
    }
    joint_take_limbs(w, s, w->sum.s);
    joint_take_limbs(w, t, target);
    assert_int_equal(key->parts.count, 2 * key->limbs);
    for (uint32_t j = 0; j < key->limbs; j++) {
        assert_int_equal(hb_mul(e, x, hb_batch_slice(key->parts, 2 * j + 1, 1), s), HB_OK);
        assert_int_equal(hb_add(e, x, x, hb_batch_slice(key->parts, 2 * j, 1)), HB_OK);
        const uint64_t q = p->ring.moduli[p->ids[j]].value;
        for (size_t i = 0; i < n; i++) {
            uint64_t *word = &x.data[j * n + i];
            const uint64_t g = slow_mul(special % q, t.data[j * n + i], q);
            *word = *word >= g ? *word - g : *word + (q - g);
        }
        most = fmax(most, joint_largest(w, x));
    }
    joint_check_error(most, error, n * key->limbs);
    for (size_t i = 0; i < 3; i++) {
        hb_batch_free(e, all[i]);
    }
}

/* s(X^g) of the integers, [1][all limbs], NTT form. */
static inline void joint_automorphism(const joint_world *w, hb_batch r, uint32_t element)
{
    const size_t n = w->params->spec.n;
    for (size_t j = 0; j < n; j++) {
        int64_t s = 0;
        for (uint32_t i = 0; i < w->session.owners; i++) {
            s += w->owner[i].ternary[j];
        }
        const size_t to = j * element % (2 * n);
        s = to >= n ? -s : s;
        for (uint32_t l = 0; l < r.limbs; l++) {
            const uint64_t q = w->params->ring.moduli[r.ids[l]].value;
            r.data[l * n + to % n] = s < 0 ? q - (uint64_t)-s : (uint64_t)s;
        }
    }
    assert_int_equal(hb_ntt(w->engine, r), HB_OK);
}

#endif
