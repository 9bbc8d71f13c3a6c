/* Hybrid key switching in NTT form, from digits to divisions, at every level of several chains and for every N: the
 * words of the GPU's fused operations against those that the CPU engine composes. */
#include "gpu.h"

#include "ring/galois.h"
#include "ring/permutation.h"
#include "rlwe/gadget.h"

enum { COUNT = 3 };

typedef struct chain {
    uint32_t data_bits, data, special_bits, special;
} chain;

/* FP64; integers; both; as long as it gets; then digits of more primes, as far as they have kernels of their own, and
 * beyond. */
static const chain chains[] = {{50, 7, 50, 2},  {58, 5, 60, 3},  {36, 4, 55, 1},  {50, 28, 50, 8}, {49, 11, 49, 5},
                               {50, 13, 50, 6}, {50, 15, 50, 7}, {48, 20, 50, 9}, {50, 23, 50, 11}};
enum { CHAINS = sizeof chains / sizeof chains[0], LONGEST = 3 };

/* One engine's operands. */
typedef struct side {
    hb_engine *engine;
    hb_batch a, key, sums, r, coefficients, remainders; /* [3 COUNT], [2 digits], [2 COUNT], .. */
    void *digits;
    hb_permutation phi;
} side;

static void fill(const side *s, hb_batch *b, size_t count, uint32_t limbs, const uint16_t *ids)
{
    hb_seed *seeds = gpu_seeds(count);
    assert_ok(hb_batch_alloc(s->engine, b, count, limbs, ids));
    assert_ok(hb_sample_uniform(s->engine, *b, seeds));
    assert_ok(hb_finish(s->engine));
    free(seeds);
}

static void side_open(side *s, hb_engine *e, const hb_gadget *gadget, uint32_t k)
{
    const hb_gadget_level *level = &gadget->levels[k], *top = &gadget->levels[gadget->data_limbs];
    s->engine = e;
    fill(s, &s->a, 3 * COUNT, k, level->switch_ids);
    fill(s, &s->key, 2 * (size_t)top->digits, top->switch_limbs, top->switch_ids);
    fill(s, &s->sums, 2 * COUNT, level->switch_limbs, level->switch_ids);
    fill(s, &s->r, 2 * COUNT, k, level->switch_ids);
    fill(s, &s->coefficients, COUNT, k, level->switch_ids);
    fill(s, &s->remainders, 2 * COUNT, k, level->switch_ids);
    assert_ok(hb_alloc(e, COUNT * level->digits * level->switch_limbs * e->ring->n * sizeof(uint64_t), &s->digits));
    assert_ok(hb_permutation_init_galois(&s->phi, e, hb_galois_rotation(e->ring->n, 5, 3)));
}

static void side_close(side *s)
{
    hb_batch *const batches[] = {&s->a, &s->key, &s->sums, &s->r, &s->coefficients, &s->remainders};
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        hb_batch_free(s->engine, batches[i]);
    }
    hb_free(s->engine, s->digits);
    hb_permutation_clear(&s->phi, s->engine);
}

/* The sums of the third part; own limbs of digits stand apart, or not, and P times the others is added, or not. */
static void multiply(const side *s, const hb_gadget *gadget, bool apart, bool plus)
{
    hb_digits digits = hb_digits_on(s->engine, gadget, s->a.limbs, s->digits, COUNT);
    const hb_batch of = hb_batch_slice(s->a, 2 * COUNT, COUNT);
    const hb_batch added[2] = {hb_batch_slice(s->a, 0, COUNT), hb_batch_slice(s->a, COUNT, COUNT)};
    if (apart) {
        digits.own = of;
    }
    assert_ok(hb_digits_make(s->engine, digits, of, s->coefficients, HB_NTT_FORM));
    assert_ok(hb_digits_multiply(s->engine, s->sums, digits, s->key, plus ? added : NULL,
                                 hb_batch_slice(s->remainders, 0, COUNT)));
}

static void compare(const side sides[2], hb_batch gpu, hb_batch cpu, const char *what)
{
    const size_t words = gpu.count * gpu.limbs * sides[0].engine->ring->n;
    uint64_t *x = gpu_host(words * sizeof *x), *y = gpu_host(words * sizeof *y);
    gpu_fetch(sides[0].engine, x, gpu, 0, gpu.count);
    gpu_fetch(sides[1].engine, y, cpu, 0, cpu.count);
    for (size_t i = 0; i < words; i++) {
        if (x[i] != y[i]) {
            fail_msg("%s, N = %zu, %u limbs: the GPU differs at word %zu of %zu", what, sides[0].engine->ring->n,
                     sides[0].a.limbs, i, words);
        }
    }
    free(x);
    free(y);
}

static void check_level(const gpu_pair *p, const hb_gadget *gadget, uint32_t k)
{
    const hb_gadget_level *level = &gadget->levels[k];
    side sides[2] = {0};
    side_open(&sides[0], p->gpu, gadget, k);
    side_open(&sides[1], p->cpu, gadget, k);
    /* A product: divided by P q where that is one step. */
    for (int i = 0; i < 2; i++) {
        multiply(&sides[i], gadget, true, true);
    }
    compare(sides, sides[0].sums, sides[1].sums, "products with a sum");
    if (level->down_rescale.limbs > 0) {
        hb_batch to[2];
        for (int i = 0; i < 2; i++) {
            hb_engine *e = sides[i].engine;
            to[i] = hb_batch_limbs(e, sides[i].r, 0, k - 1);
            assert_ok(hb_mod_down_apply(e, to[i], (hb_batch){.data = NULL}, sides[i].sums,
                                        hb_batch_limbs(e, sides[i].remainders, 0, k - 1), &level->down_rescale,
                                        HB_NTT_FORM));
        }
        compare(sides, to[0], to[1], "division by P and the last prime");
    }
    /* A rotation, stored by the automorphism; then a relinearization. */
    for (int i = 0; i < 2; i++) {
        multiply(&sides[i], gadget, true, false);
        assert_ok(hb_mod_down_permute(sides[i].engine, sides[i].r, hb_batch_slice(sides[i].a, 0, COUNT), sides[i].sums,
                                      sides[i].remainders, &level->down, &sides[i].phi));
    }
    compare(sides, sides[0].r, sides[1].r, "division by P with an automorphism");
    for (int i = 0; i < 2; i++) {
        multiply(&sides[i], gadget, false, false);
        assert_ok(hb_mod_down_apply(sides[i].engine, sides[i].r, sides[i].r, sides[i].sums, sides[i].remainders,
                                    &level->down, HB_NTT_FORM));
    }
    compare(sides, sides[0].r, sides[1].r, "division by P with a sum in place");
    side_close(&sides[0]);
    side_close(&sides[1]);
}

static void check_chain(uint32_t log_n, const chain *c)
{
    gpu_pair *p = gpu_host(sizeof *p);
    uint64_t primes[HB_MAX_LIMBS];
    uint16_t ids[HB_MAX_LIMBS];
    hb_gadget gadget;
    assert_ok(hb_ring_init(&p->ring, log_n));
    assert_ok(hb_find_primes(2 * p->ring.n, c->data_bits, c->data + c->special, primes));
    if (c->special_bits != c->data_bits) {
        assert_ok(hb_find_primes(2 * p->ring.n, c->special_bits, c->special, primes + c->data));
    }
    for (uint32_t i = 0; i < c->data + c->special; i++) {
        assert_ok(hb_ring_add_modulus(&p->ring, primes[i], &ids[i]));
    }
    gpu_engines_open(p);
    const hb_gadget_spec spec = {.data = ids,
                                 .special = ids + c->data,
                                 .data_limbs = c->data,
                                 .special_limbs = c->special,
                                 .alpha = c->special,
                                 .digits = hb_digit_list_even(c->data, c->special),
                                 .centred = true};
    assert_ok(hb_gadget_init(&gadget, &p->ring, &spec));
    /* Every level of small rings; of large ones the highest, and some. */
    const uint32_t step = log_n <= 11 && !gpu_small ? 1 : c->data / 2;
    for (uint32_t k = c->data; k >= 1; k -= k > step ? step : k) {
        check_level(p, &gadget, k);
    }
    hb_gadget_clear(&gadget);
    gpu_pair_close(p);
    free(p);
}

static void test_chains(void **state)
{
    (void)state;
    for (uint32_t log_n = 10; log_n <= (gpu_small ? 10 : 16); log_n++) {
        for (size_t i = 0; i < CHAINS; i++) {
            /* Long ones take the CPU their time. */
            if (i < LONGEST || log_n == 10 || (i == LONGEST && log_n == 16)) {
                check_chain(log_n, &chains[i]);
            }
        }
    }
}

GPU_MAIN(cmocka_unit_test(test_chains))
