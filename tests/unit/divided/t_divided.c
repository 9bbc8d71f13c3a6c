/* Every operation of the divided engine against the engine that has all limbs, word by word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/digest.h"
#include "base/seed.h"
#include "bfv/behz.h"
#include "bfv/level.h"
#include "bfv/params.h"
#include "reference/members.h"
#include "ring/galois.h"
#include "unit/unit.h"

enum { GAP = 64, MOST = 12 }; /* words between polynomials; polynomials */

typedef struct shape {
    uint32_t limbs; /* of the level */
    size_t count;
    size_t gap;
} shape;

static hb_status pointwise(side *s, const shape *f)
{
    hb_engine *e = s->engine;
    const uint16_t *ids = s->params->ids;
    const hb_batch a = taken(s, f->count, f->limbs, ids, f->gap), b = taken(s, f->count, f->limbs, ids, 0);
    const hb_batch r = take(s, f->count, f->limbs, ids, f->gap), one = hb_batch_slice(b, 0, 1);
    uint64_t factors[HB_MAX_LIMBS];
    for (uint32_t l = 0; l < f->limbs; l++) {
        factors[l] = scattered(l) % s->params->ring.moduli[ids[l]].value;
    }
    HB_TRY(hb_copy(e, r, a));
    HB_TRY(expect_batch(s, "copy", r));
    HB_TRY(hb_add(e, r, a, b));
    HB_TRY(expect_batch(s, "sum", r));
    HB_TRY(hb_sub(e, r, a, one));
    HB_TRY(expect_batch(s, "difference", r));
    HB_TRY(hb_mul(e, r, r, b));
    HB_TRY(expect_batch(s, "product", r));
    HB_TRY(hb_negate(e, r, r));
    HB_TRY(hb_scale(e, r, r, factors));
    HB_TRY(expect_batch(s, "scaled", r));
    HB_TRY(hb_ntt(e, r));
    HB_TRY(hb_ntt_of(e, b, a));
    HB_TRY(hb_intt(e, r));
    HB_TRY(expect_batch(s, "NTT and back", r));
    HB_TRY(expect_batch(s, "NTT", b));
    HB_TRY(hb_intt_scaled(e, r, factors));
    HB_TRY(expect_batch(s, "inverse NTT times factors", r));
    HB_TRY(hb_ntt_mul(e, r, r, b));
    HB_TRY(expect_batch(s, "NTT and product", r));
    HB_TRY(hb_ntt_mul(e, r, a, one));
    HB_TRY(expect_batch(s, "NTT and product with one", r));
    HB_TRY(hb_clear(e, r));
    return expect_batch(s, "nothing", r);
}

static hb_status samples(side *s, const shape *f)
{
    hb_engine *e = s->engine;
    hb_seed seeds[MOST], root = {{7}};
    hb_seed_public(seeds, f->count, &root, 3);
    const hb_batch a = taken(s, f->count, f->limbs, s->params->ids, f->gap);
    const hb_batch r = take(s, f->count, f->limbs, s->params->ids, 0);
    HB_TRY(hb_sample_uniform(e, r, seeds));
    HB_TRY(expect_batch(s, "uniform", r));
    HB_TRY(hb_mul_uniform(e, r, seeds, a));
    HB_TRY(expect_batch(s, "times uniform", r));
    HB_TRY(hb_sample_small(e, r, HB_TERNARY, (hb_draw){&root, HB_DRAW_TERNARY, 5}));
    HB_TRY(expect_batch(s, "ternary", r));
    HB_TRY(hb_add_small(e, a, HB_BINOMIAL, (hb_draw){&root, HB_DRAW_ERROR_0, 5}, HB_MINUS));
    return expect_batch(s, "error", a);
}

static hb_status permutations(side *s, const shape *f)
{
    hb_engine *e = s->engine;
    const size_t n = s->params->ring.n, count = f->count;
    uint32_t *map = take_bytes(s, n * sizeof *map);
    hb_galois_map(map, n, 5);
    const hb_batch a = taken(s, 2 * count, f->limbs, s->params->ids, f->gap);
    const hb_batch b = taken(s, 2 * count, f->limbs, s->params->ids, 0);
    const hb_batch r = take(s, 3 * count, f->limbs, s->params->ids, 0), two = hb_batch_slice(r, 0, 2 * count);
    HB_TRY(hb_permute(e, two, a, map));
    HB_TRY(expect_batch(s, "permutation", two));
    HB_TRY(hb_galois(e, two, a, 2 * (uint32_t)n - 1));
    HB_TRY(expect_batch(s, "automorphism", two));
    HB_TRY(hb_tensor(e, r, a, b, 2, 2));
    HB_TRY(expect_batch(s, "tensor", r));
    uint64_t zeros = 0;
    HB_TRY(hb_count_zeros(e, &zeros, a));
    HB_ASSERT(zeros > 0);
    return expect_words(s, "zeros", &zeros, 1);
}

static hb_status switching(side *s, const shape *f)
{
    hb_engine *e = s->engine;
    const hb_params *p = s->params;
    const hb_gadget_level *level = &p->gadget.levels[f->limbs];
    const hb_drop_last drop = hb_mod_down_last(&level->down);
    const uint32_t k = f->limbs;
    const hb_batch a = taken(s, f->count, k, p->ids, f->gap);
    const hb_batch digits = take(s, f->count * k, k + 1, level->switch_ids, 0);
    const hb_batch key = taken(s, 2 * p->data_limbs, p->key_limbs, p->ids, 0);
    const hb_batch products = take(s, 2 * f->count, k + 1, level->switch_ids, f->gap);
    const hb_batch quotient = take(s, 2 * f->count, k, p->ids, 0);
    HB_TRY(hb_decompose(e, digits, a));
    HB_TRY(expect_batch(s, "digits", digits));
    HB_TRY(hb_ntt_decompose(e, digits, a));
    HB_TRY(expect_batch(s, "transformed digits", digits));
    HB_TRY(hb_key_products(e, products, digits, key, 2, 2));
    HB_TRY(expect_batch(s, "key products", products));
    HB_TRY(hb_divide_round_last(e, quotient, products, &drop));
    HB_TRY(expect_batch(s, "divided by the special prime", quotient));
    HB_TRY(hb_divide_round_add(e, quotient, quotient, products, &drop));
    HB_TRY(expect_batch(s, "added to the quotient", quotient));
    if (k > 1) {
        const hb_batch lower = hb_batch_limbs(e, a, 0, k - 1);
        const hb_drop_last rescale = hb_mod_down_last(&p->levels[k].rescale);
        HB_TRY(hb_divide_round_last(e, lower, a, &rescale));
        HB_TRY(expect_batch(s, "divided in place", lower));
    }
    return HB_OK;
}

static hb_status products(side *s, const shape *f)
{
    hb_engine *e = s->engine;
    const hb_params *p = s->params;
    hb_behz behz;
    const hb_batch a = taken(s, f->count, f->limbs, p->ids, f->gap), r = take(s, f->count, f->limbs, p->ids, 0);
    hb_status st;
    HB_GOTO(hb_behz_init(&behz, p, f->limbs));
    const hb_batch x = taken(s, f->count, behz.limbs, behz.ids, f->gap);
    const hb_batch y = taken(s, f->count, behz.limbs, behz.ids, 0);
    const hb_batch v = taken(s, f->count, behz.limbs, behz.ids, 0);
    HB_GOTO(hb_base_convert(e, x, a, &behz.lift));
    HB_GOTO(expect_batch(s, "lifted", x));
    HB_GOTO(hb_base_convert(e, y, a, &behz.floor));
    HB_GOTO(expect_batch(s, "floor", y));
    HB_GOTO(hb_base_convert(e, r, y, &behz.back));
    HB_GOTO(expect_batch(s, "back", r));
    HB_GOTO(hb_base_convert_through(e, r, v, a, &behz.floor, &behz.back));
    HB_GOTO(expect_batch(s, "floor and back", r));
    fill(s, v);
    HB_GOTO(hb_base_convert_through(e, a, v, a, &behz.floor, &behz.back));
    HB_GOTO(expect_batch(s, "floor and back in place", a));
    HB_GOTO(hb_base_convert_through(e, r, v, a, &behz.lift, &behz.back));
    HB_GOTO(expect_batch(s, "lift and back", r));
done:
    hb_behz_clear(&behz);
    return st;
}

/* Half of the coefficients, the second half of memory as it was. */
static hb_status slices(side *s, const shape *f)
{
    hb_engine *e = s->engine;
    const hb_params *p = s->params;
    const size_t n = p->ring.n;
    hb_behz behz;
    const hb_batch a = taken(s, f->count, f->limbs, p->ids, f->gap);
    hb_batch from = a;
    from.n = n / 2;
    from.data += n / 2;
    hb_status st;
    HB_GOTO(hb_behz_init(&behz, p, f->limbs));
    const hb_batch x = taken(s, f->count, behz.limbs, behz.ids, 0);
    hb_batch to = x;
    to.n = n / 2;
    HB_GOTO(hb_base_convert(e, to, from, &behz.floor));
    HB_GOTO(expect_batch(s, "half of a conversion", x));
    HB_GOTO(hb_garner_digits(e, from, from, &p->levels[f->limbs].garner));
    HB_GOTO(expect_batch(s, "half of the digits", a));
done:
    hb_behz_clear(&behz);
    return st;
}

/* Any constants; it keeps and has an overflow. */
static hb_status any_conversion(const hb_params *p, hb_base_conversion *c, const uint16_t *from, uint32_t from_limbs,
                                const uint16_t *to, uint32_t to_limbs)
{
    HB_TRY(hb_base_conversion_alloc(c, from, from_limbs, to, to_limbs, true, true));
    c->overflow->kind = HB_OVERFLOW_BINARY;
    c->overflow->half = 12345;
    for (uint32_t i = 0; i < from_limbs; i++) {
        c->scale[i] = scattered(i) % p->ring.moduli[from[i]].value;
        c->overflow->weights[i] = (uint32_t)scattered(i + 1);
    }
    for (uint32_t o = 0; o < to_limbs; o++) {
        const uint64_t m = p->ring.moduli[to[o]].value;
        c->keep[o] = scattered(o + 2) % m;
        c->overflow->factors[o] = scattered(o + 3) % m;
        for (uint32_t i = 0; i < from_limbs; i++) {
            c->matrix[o * from_limbs + i] = scattered(o * HB_MAX_LIMBS + i) % m;
        }
    }
    return HB_OK;
}

/* Both ways between the level and t and gamma; there and back where both keep. */
static hb_status odd_conversions(side *s, const shape *f)
{
    const hb_params *p = s->params;
    const uint32_t limbs = f->limbs;
    const hb_batch a = taken(s, f->count, limbs, p->ids, f->gap),
                   b = taken(s, f->count, 2, hb_bfv_of(p)->plain_gamma_ids, 0);
    const hb_batch v = taken(s, f->count, 3, p->auxiliary_ids, 0);
    hb_base_conversion there = {0}, back = {0}, up = {0}, down = {0};
    hb_status st;
    HB_GOTO(any_conversion(p, &there, p->ids, limbs, hb_bfv_of(p)->plain_gamma_ids, 2));
    HB_GOTO(any_conversion(p, &back, hb_bfv_of(p)->plain_gamma_ids, 2, p->ids, limbs));
    HB_GOTO(any_conversion(p, &up, p->ids, limbs, p->auxiliary_ids, 3));
    HB_GOTO(any_conversion(p, &down, p->auxiliary_ids, 3, p->ids, limbs));
    HB_GOTO(hb_base_convert(s->engine, b, a, &there));
    HB_GOTO(expect_batch(s, "to t and gamma with an overflow", b));
    HB_GOTO(hb_base_convert(s->engine, a, b, &back));
    HB_GOTO(expect_batch(s, "from t and gamma", a));
    HB_GOTO(hb_base_convert_through(s->engine, a, v, a, &up, &down));
    HB_GOTO(expect_batch(s, "there and back, kept", a));
done:
    hb_base_conversion_clear(&there);
    hb_base_conversion_clear(&back);
    hb_base_conversion_clear(&up);
    hb_base_conversion_clear(&down);
    return st;
}

/* From some limbs of a polynomial to others of it: anyone who owns them, maybe one member all of a list. */
static hb_status lists_of_owners(side *s, const shape *f)
{
    static const struct {
        uint16_t from[3], to[4];
        uint32_t from_limbs, to_limbs;
    } lists[] = {
        {{2, 3}, {0, 1, 4, 5}, 2, 4}, {{0, 3}, {1, 2, 4, 5}, 2, 4}, {{4, 2, 0}, {5}, 3, 1}, {{5}, {3, 0}, 1, 2}};
    const hb_params *p = s->params;
    hb_base_conversion c = {0};
    hb_status st = HB_OK;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const hb_batch all = taken(s, f->count, 6, p->ids, f->gap);
        hb_limb_address from[6], to[6];
        HB_GOTO(any_conversion(p, &c, lists[i].from, lists[i].from_limbs, lists[i].to, lists[i].to_limbs));
        HB_GOTO(hb_base_convert(s->engine, limbs_of(s, all, lists[i].to, lists[i].to_limbs, to),
                                limbs_of(s, all, lists[i].from, lists[i].from_limbs, from), &c));
        HB_GOTO(expect_batch(s, "some limbs to others", all));
        hb_base_conversion_clear(&c);
    }
done:
    hb_base_conversion_clear(&c);
    return st;
}

static hb_status decryption(side *s, const shape *f)
{
    hb_engine *e = s->engine;
    const hb_params *p = s->params;
    const hb_garner *garner = &p->levels[f->limbs].garner;
    const hb_bfv_level *level = hb_bfv_level_of(p, f->limbs);
    const hb_batch a = taken(s, f->count, f->limbs, p->ids, f->gap), r = take(s, f->count, f->limbs, p->ids, 0);
    const hb_batch both = take(s, f->count, 2, hb_bfv_of(p)->plain_gamma_ids, f->gap),
                   plain = take(s, f->count, 1, &hb_bfv_of(p)->plain_id, 0);
    uint64_t digits[MOST * HB_MAX_LIMBS];
    HB_TRY(hb_base_convert(e, both, a, &level->to_plain_gamma));
    HB_TRY(expect_batch(s, "to t and gamma", both));
    HB_TRY(hb_gamma_correct(e, plain, both, &level->gamma_correction));
    HB_TRY(expect_batch(s, "gamma correction", plain));
    HB_TRY(hb_copy(e, r, a));
    HB_TRY(hb_add_scaled_plain(e, r, plain, &level->scale_plain, HB_MINUS));
    HB_TRY(expect_batch(s, "scaled message", r));
    HB_TRY(hb_lift_plain(e, r, plain, &level->plain_lift));
    HB_TRY(expect_batch(s, "lifted plaintext", r));
    HB_TRY(hb_garner_digits(e, r, a, garner));
    HB_TRY(expect_batch(s, "mixed-radix digits", r));
    HB_TRY(hb_garner_digits(e, a, a, garner));
    HB_TRY(expect_batch(s, "mixed-radix digits in place", a));
    HB_TRY(hb_infinity_norm(e, digits, a, garner));
    return expect_words(s, "infinity norm", digits, f->count * f->limbs);
}

static hb_status rows(side *s, const shape *f)
{
    hb_engine *e = s->engine;
    const hb_params *p = s->params;
    const size_t rows = 2 * f->count + 1, n = p->ring.n;
    const hb_batch a = taken(s, f->count, f->limbs, p->ids, f->gap), r = take(s, f->count, f->limbs, p->ids, 0);
    size_t bytes = 64, wrong = 1;
    for (uint32_t l = 0; l < f->limbs; l++) {
        bytes += hb_limb_here(e, p->ids[l]) ? rows * hb_packed_row_bytes(n, &p->ring.moduli[p->ids[l]]) : 0;
    }
    hb_packed packed = {take_bytes(s, bytes), rows, 1, 2};
    memset(packed.bytes, 5, bytes);
    uint8_t *digests = take_bytes(s, f->limbs * rows * HB_DIGEST_BYTES);
    HB_TRY(hb_pack(e, packed, a));
    HB_TRY(hb_unpack(e, r, packed, &wrong));
    HB_ASSERT(wrong == 0);
    HB_TRY(expect_batch(s, "packed and unpacked", r));
    HB_TRY(hb_digest_rows(e, digests, packed, p->ids, f->limbs));
    HB_TRY(hb_finish(e));
    for (uint32_t l = 0; l < f->limbs; l++) {
        const uint8_t *of = digests + hb_digest_place(e, p->ids, f->limbs, l) * rows * HB_DIGEST_BYTES;
        HB_TRY(expect_words(s, "digests", (const uint64_t *)(const void *)of, rows * HB_DIGEST_BYTES / 8));
    }
    return HB_OK;
}

static hb_status every_operation(side *s, const void *with)
{
    hb_status (*const parts[])(side * s, const shape *f) = {
        pointwise, samples,         permutations,    switching,  products,
        slices,    odd_conversions, lists_of_owners, decryption, rows,
    };
    const shape *f = with;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        HB_TRY(parts[i](s, f));
        give_back_all(s);
    }
    return HB_OK;
}

static void expect_same(performance p, uint32_t delay)
{
    meeting at;
    meeting_init(&at, p.members);
    at.most_delay = delay;
    const hb_status st = perform(&p, &at, NULL);
    if (st != HB_OK) {
        fail_msg("%u members, way %d, %u queues: %s", p.members, (int)p.division, p.queues, hb_last_error()->text);
    }
    meeting_clear(&at);
}

static void test_operations(void **state)
{
    (void)state;
    hb_params *params = six_primes();
    const shape shapes[] = {{5, 3, GAP}, {5, 1, 0}, {4, 7, 0}, {2, 3, GAP}, {1, 2, 0}};
    for (uint32_t members = 1; members <= 5; members++) {
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
            for (int way = HB_DIVIDE_BY_COST; way <= HB_DIVIDE_BY_SLICES; way++) {
                expect_same((performance){.spec = &params->spec,
                                          .play = every_operation,
                                          .with = &shapes[i],
                                          .members = members,
                                          .queues = 1,
                                          .division = (hb_division)way},
                            way == HB_DIVIDE_BY_COST ? 50 : 0);
            }
        }
    }
    hb_params_close(params);
}

/* Workspace for one polynomial: many pieces, one under way while another is computed with. */
static void test_pieces(void **state)
{
    (void)state;
    hb_params *params = six_primes();
    const shape many = {5, 12, GAP};
    for (uint32_t members = 2; members <= 4; members++) {
        for (int way = HB_DIVIDE_BY_GATHERING; way <= HB_DIVIDE_BY_SLICES; way++) {
            expect_same((performance){.spec = &params->spec,
                                      .play = every_operation,
                                      .with = &many,
                                      .members = members,
                                      .queues = 1,
                                      .division = (hb_division)way,
                                      .batch_bytes = 1},
                        100);
        }
    }
    hb_params_close(params);
}

static void test_queues(void **state)
{
    (void)state;
    hb_params *params = six_primes();
    const shape some = {5, 3, GAP};
    for (int way = HB_DIVIDE_BY_COST; way <= HB_DIVIDE_BY_SLICES; way++) {
        expect_same((performance){.spec = &params->spec,
                                  .play = every_operation,
                                  .with = &some,
                                  .members = 3,
                                  .queues = 4,
                                  .division = (hb_division)way,
                                  .measure = way == HB_DIVIDE_BY_COST},
                    500);
    }
    hb_params_close(params);
}

/* A member whose exchange fails, at any transfer: it has the reason, and the others report that a member left. */
static void test_failures(void **state)
{
    (void)state;
    hb_params *params = six_primes();
    const shape some = {5, 3, 0};
    for (uint64_t fails_at = 1; fails_at <= 21; fails_at += 4) {
        for (uint32_t queues = 1; queues <= 3; queues += 2) {
            performance p = {.spec = &params->spec,
                             .play = every_operation,
                             .with = &some,
                             .members = 3,
                             .queues = queues,
                             .division = HB_DIVIDE_BY_SLICES};
            hb_status statuses[3];
            meeting at;
            meeting_init(&at, p.members);
            at.most_delay = 100;
            at.fails_at = fails_at;
            at.fails_member = 1;
            assert_int_equal(perform(&p, &at, statuses), HB_ECOMM);
            assert_int_equal(statuses[0], HB_EPEER);
            assert_int_equal(statuses[1], HB_ECOMM);
            assert_int_equal(statuses[2], HB_EPEER);
            meeting_clear(&at);
        }
    }
    hb_params_close(params);
}

static hb_status one_gives_up(side *s, const void *with)
{
    if (s->whole || s->engine->member != 2) {
        return every_operation(s, with);
    }
    return HB_FAIL(HB_EIO, "no more");
}

static void test_interrupt(void **state)
{
    (void)state;
    hb_params *params = six_primes();
    const shape some = {5, 3, 0};
    for (uint32_t queues = 1; queues <= 3; queues += 2) {
        performance p = {.spec = &params->spec, .play = one_gives_up, .with = &some, .members = 4, .queues = queues};
        hb_status statuses[4];
        meeting at;
        meeting_init(&at, p.members);
        assert_int_equal(perform(&p, &at, statuses), HB_EIO);
        for (uint32_t m = 0; m < 4; m++) {
            assert_int_equal(statuses[m], m == 2 ? HB_EIO : HB_EPEER);
        }
        meeting_clear(&at);
    }
    hb_params_close(params);
}

/* More numbers than one message between the members has room for. */
static hb_status many_norms(side *s, const void *with)
{
    const size_t count = 1000;
    const hb_level *level = &s->params->levels[5];
    const hb_batch a = taken(s, count, 5, s->params->ids, 0);
    uint64_t *digits = take_bytes(s, count * 5 * sizeof *digits);
    (void)with;
    HB_TRY(hb_garner_digits(s->engine, a, a, &level->garner));
    HB_TRY(hb_infinity_norm(s->engine, digits, a, &level->garner));
    return expect_words(s, "norms", digits, count * 5);
}

static void test_many_norms(void **state)
{
    (void)state;
    hb_params *params = six_primes();
    expect_same(
        (performance){
            .spec = &params->spec, .play = many_norms, .members = 3, .queues = 1, .batch_bytes = (size_t)1 << 24},
        0);
    hb_params_close(params);
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(divided)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations), cmocka_unit_test(test_pieces),   cmocka_unit_test(test_queues),
        cmocka_unit_test(test_many_norms), cmocka_unit_test(test_failures), cmocka_unit_test(test_interrupt),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
