#include "sparse_secret.h"

#include <stdlib.h>
#include <string.h>

#include "base/sample.h"

/* Keystreams of t's own seed. */
enum { POSITIONS, SIGNS };

/* A residue uniform on [0, m), of word `at` of the first stream that has it accepted. A function of its own: its branch
 * is known (tests/constant_time). */
static __attribute__((noinline)) uint32_t draw_residue(const hb_seed *seed, size_t at, uint32_t m)
{
    const hb_acceptance rule = hb_accept_uniform(m, m > 1 ? 32 - (uint32_t)__builtin_clz(m - 1) : 1);
    for (uint32_t attempt = 0;; attempt++) {
        const uint64_t word = hb_keystream_word((hb_draw){seed, HB_DRAW_SECRET, POSITIONS}, attempt, at);
        if (hb_accepts(rule, word)) { /* tells nothing of the residue */
            return (uint32_t)(word & rule.mask);
        }
    }
}

/* 1 if a = b, else 0, without a branch. */
static uint32_t is_equal(uint32_t a, uint32_t b)
{
    return (uint32_t)(((uint64_t)(a ^ b) - 1) >> 63);
}

/* position[i] is uniform in [i, n); where one behind i has it already, i itself, which none of these has. */
static void draw_positions(uint32_t *position, uint32_t weight, uint32_t n, const hb_seed *seed)
{
    for (uint32_t i = weight; i-- > 0;) {
        const uint32_t drawn = i + draw_residue(seed, i, n - i);
        uint32_t taken = 0;
        for (uint32_t j = i + 1; j < weight; j++) {
            taken |= is_equal(position[j], drawn);
        }
        position[i] = drawn ^ ((drawn ^ i) & (0 - taken));
    }
}

/* Every coefficient looks at every position. */
static void place(int8_t *ternary, size_t n, const uint32_t *position, uint32_t weight, const hb_seed *seed)
{
    memset(ternary, 0, n);
    for (uint32_t i = 0; i < weight; i++) {
        const uint64_t word = hb_keystream_word((hb_draw){seed, HB_DRAW_SECRET, SIGNS}, 0, i);
        const int8_t sign = (int8_t)(1 - 2 * (int)(word & 1));
        for (size_t k = 0; k < n; k++) {
            ternary[k] = (int8_t)(ternary[k] | (sign & -(int8_t)is_equal(position[i], (uint32_t)k)));
        }
    }
}

void hb_sparse_secret_draw(const hb_params *params, const hb_seed *root, int8_t *ternary)
{
    const uint32_t weight = params->spec.bootstrapping.sparse_weight;
    uint32_t position[HB_SPARSE_WEIGHT];
    hb_seed own;
    HB_ASSERT(hb_params_can_bootstrap(params) && weight <= HB_SPARSE_WEIGHT && weight <= params->ring.n);
    hb_lock(position, sizeof position);
    hb_lock(&own, sizeof own);
    hb_seed_derive(&own, root, "sparse secret");
    draw_positions(position, weight, (uint32_t)params->ring.n, &own);
    place(ternary, params->ring.n, position, weight, &own);
    hb_wipe(position, sizeof position);
    hb_wipe(&own, sizeof own);
}

hb_status hb_sparse_secret_open(hb_secret_key *key, hb_engine *engine, const hb_params *params, const hb_seed *root)
{
    const size_t n = params->ring.n;
    int8_t *ternary = malloc(n);
    *key = (hb_secret_key){.engine = NULL};
    if (ternary == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a secret of N = %zu", n);
    }
    hb_lock(ternary, n);
    hb_sparse_secret_draw(params, root, ternary);
    const hb_status st = hb_secret_key_load(key, engine, params, ternary);
    hb_wipe(ternary, n);
    free(ternary);
    return st;
}
