/* Random programs on the users' levels of chains of integers that bootstrap: every operation against polynomials modulo
 * t, its noise against the proven bound, and members that share limbs against one engine (reference/int_world.h). Among
 * the plain moduli are 2, a power of two and a long composite one, of which coefficients are the values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference/int_world.h"
#include "scheme/params.h"
#include "unit/unit.h"

enum { STEPS = 60, LEAST_BITS = 12 };

static const hb_key_shape *shape_of(const int_world *w)
{
    return &w->params->key_shape;
}

static uint32_t limbs_of_value(const int_value *v)
{
    return v->c.all.limbs;
}

/* Puts what was made in the place of a value, whose memory is free then. */
static void keep(int_world *w, int_value *v)
{
    const int_value before = *v;
    *v = w->made;
    w->made = before;
}

static const hb_switch_key *key_of(const int_world *w, uint32_t element, uint32_t limbs)
{
    const hb_switch_key *key =
        hb_switch_keys_find_at(&w->keys, hb_key_purpose_of(&w->params->spec, element).source, element, limbs);
    HB_ASSERT(key != NULL);
    return key;
}

static hb_quality switched(const int_world *w, uint32_t limbs, hb_quality noise, hb_key_error error)
{
    return hb_noise_switch(w->params, shape_of(w), limbs, noise, error);
}

static double bits_left(const int_world *w, uint32_t limbs, hb_quality noise)
{
    return hb_noise_budget_of(w->params, limbs, noise.worst);
}

/* --- operations: each makes w->made of values, or leaves it and returns with *done = false where no budget would be
 * left */

typedef struct operands {
    int_value *a, *b;
    bool done;
    const char *what;
} operands;

/* Brings both to the level of the higher one without error, or to that of the lower one. */
static hb_status level(int_world *w, operands *x)
{
    int_value *low = limbs_of_value(x->a) < limbs_of_value(x->b) ? x->a : x->b, *high = low == x->a ? x->b : x->a;
    const uint32_t from = limbs_of_value(low), to = limbs_of_value(high);
    uint32_t before, after;
    if (from == to) {
        return HB_OK;
    }
    HB_TRY(int_check(w, "before extending", low, &before));
    memcpy(w->made.message, low->message, sizeof low->message);
    int_shape(w, &w->made, 2, to);
    HB_TRY(hb_evaluator_extend(w->ev, w->made.c, low->c));
    const double more = hb_log_modulus(w->params, to) - hb_log_modulus(w->params, from) + HB_BOUND_SLACK;
    w->made.noise = low->noise;
    w->made.noise.worst += more;
    w->made.noise.expected += more;
    HB_TRY(int_check(w, "extended", &w->made, &after));
    keep(w, low);
    /* Noise over Q is what it was: whole bits of both may differ by one. */
    return after + 1 >= before && before + 1 >= after
               ? HB_OK
               : HB_FAIL(HB_DIFFERS, "%u bits become %u when extended", before, after);
}

static hb_status add_or_subtract(int_world *w, operands *x)
{
    const bool minus = int_draw(w, 2) == 1;
    HB_TRY(level(w, x));
    int_shape(w, &w->made, 2, limbs_of_value(x->a));
    HB_TRY((minus ? hb_evaluator_sub : hb_evaluator_add)(w->ev, w->made.c, x->a->c, x->b->c));
    for (size_t i = 0; i < INT_N; i++) {
        const uint64_t b = x->b->message[i];
        w->made.message[i] = (x->a->message[i] + (minus ? w->t - b : b)) % w->t;
    }
    w->made.noise = hb_noise_add(w->params, x->a->noise, x->b->noise);
    x->what = minus ? "a - b" : "a + b";
    return HB_OK;
}

/* Goes a level down before relinearization, or none. */
static hb_status relinearize(int_world *w, bool down)
{
    const uint32_t limbs = limbs_of_value(&w->wide), to = limbs - down;
    int_value *wide = &w->wide;
    if (down) {
        const hb_ciphertexts from = wide->c;
        int_shape(w, wide, 3, to);
        HB_TRY(hb_evaluator_mod_switch(w->ev, wide->c, from));
        wide->noise = hb_noise_mod_switch(w->params, shape_of(w), limbs, wide->noise, 3);
        HB_TRY(int_check(w, "product, a level down", wide, NULL));
    }
    int_shape(w, &w->made, 2, to);
    HB_TRY(hb_evaluator_relinearize(w->ev, w->made.c, wide->c, key_of(w, HB_RELINEARIZATION, to)));
    memcpy(w->made.message, wide->message, sizeof wide->message);
    w->made.noise = switched(w, to, wide->noise, shape_of(w)->relin);
    return HB_OK;
}

static hb_status multiply(int_world *w, operands *x)
{
    const bool square = int_draw(w, 3) == 0, down = int_draw(w, 2) == 1;
    int_value *b = square ? x->a : x->b;
    HB_TRY(square ? HB_OK : level(w, x));
    const uint32_t limbs = limbs_of_value(x->a);
    w->wide.noise = hb_noise_multiply(w->params, shape_of(w), limbs, x->a->noise, 2, b->noise, 2);
    x->done = bits_left(w, limbs, w->wide.noise) >= LEAST_BITS;
    if (!x->done) {
        return HB_OK;
    }
    int_shape(w, &w->wide, 3, limbs);
    HB_TRY(hb_evaluator_multiply(w->ev, w->wide.c, x->a->c, b->c));
    int_poly_multiply(w->wide.message, x->a->message, b->message, w->t);
    HB_TRY(int_check(w, square ? "square" : "product", &w->wide, NULL));
    x->what = "relinearization";
    return relinearize(w, down && limbs > 1 && w->params->levels[limbs - 1].basis.limbs > 0);
}

static hb_status with_plain(int_world *w, operands *x)
{
    uint64_t message[INT_N];
    const bool factor = int_draw(w, 2) == 1;
    const uint32_t limbs = limbs_of_value(x->a);
    hb_quality noise = hb_noise_multiply_plain(w->params, x->a->noise, (double)w->t - 1, INT_N);
    noise = factor ? noise : hb_noise_add_plain(w->params, x->a->noise);
    x->done = bits_left(w, limbs, noise) >= LEAST_BITS;
    if (!x->done) {
        return HB_OK;
    }
    int_draw_message(w, message);
    int_shape(w, &w->made, 2, limbs);
    if (factor) {
        HB_TRY(hb_evaluator_multiply_plain(w->ev, w->made.c, x->a->c, w->plain));
        int_poly_multiply(w->made.message, x->a->message, message, w->t);
    } else {
        HB_TRY(hb_evaluator_copy(w->ev, w->made.c, x->a->c));
        HB_TRY(hb_evaluator_add_plain(w->ev, w->made.c, w->plain, HB_MINUS));
        for (size_t i = 0; i < INT_N; i++) {
            w->made.message[i] = (x->a->message[i] + w->t - message[i]) % w->t;
        }
    }
    w->made.noise = noise;
    x->what = factor ? "a plaintext times a" : "a - a plaintext";
    return HB_OK;
}

static hb_status with_integer(int_world *w, operands *x)
{
    const int64_t factor = (int64_t)int_draw(w, 2001) - 1000;
    const uint64_t residue = (uint64_t)((factor % (int64_t)w->t + (int64_t)w->t) % (int64_t)w->t);
    int_shape(w, &w->made, 2, limbs_of_value(x->a));
    w->made.noise = hb_noise_multiply_integer(x->a->noise, factor == 0 ? 1 : (double)factor);
    HB_TRY(hb_evaluator_multiply_integer(w->ev, w->made.c, x->a->c, factor));
    for (size_t i = 0; i < INT_N; i++) {
        w->made.message[i] = slow_mul(x->a->message[i], residue, w->t);
    }
    x->what = "an integer times a";
    return HB_OK;
}

/* This member's words of two batches are equal. */
static hb_status expect_alike(const int_world *w, hb_batch a, hb_batch b)
{
    const size_t bytes = hb_limbs_here(w->s->engine, a.ids, a.limbs) * INT_N * sizeof *a.data;
    for (size_t i = 0; i < a.count; i++) {
        if (memcmp(a.data + i * a.stride, b.data + i * b.stride, bytes) != 0) {
            return HB_FAIL(HB_DIFFERS, "an automorphism differs from the same one of several at once");
        }
    }
    return HB_OK;
}

/* By each of several keys at once, which give the words of one after the other; and added to itself. */
static hb_status move(int_world *w, operands *x)
{
    const uint32_t limbs = limbs_of_value(x->a), which = (uint32_t)int_draw(w, INT_GALOIS);
    const hb_switch_key *keys[INT_GALOIS];
    hb_ciphertexts r[INT_GALOIS];
    const size_t before = w->s->takens;
    const bool add = int_draw(w, 2) == 1;
    for (uint32_t i = 0; i < INT_GALOIS; i++) {
        keys[i] = key_of(w, w->elements[i], limbs);
        r[i] = (hb_ciphertexts){take(w->s, 2, limbs, w->params->ids, 0), 2, HB_COEFFICIENT_FORM};
    }
    HB_TRY(hb_evaluator_galois_hoisted(w->ev, r, x->a->c, keys, INT_GALOIS));
    HB_TRY(expect_batch(w->s, "hoisted", r[which].all));
    int_shape(w, &w->made, 2, limbs);
    HB_TRY(hb_evaluator_galois(w->ev, w->made.c, x->a->c, keys[which]));
    HB_TRY(hb_finish(w->s->engine));
    HB_TRY(expect_alike(w, w->made.c.all, r[which].all));
    w->made.noise = switched(w, limbs, x->a->noise, shape_of(w)->galois);
    int_poly_automorphism(w->made.message, x->a->message, w->elements[which], w->t);
    if (add) {
        HB_TRY(hb_evaluator_copy(w->ev, w->made.c, x->a->c));
        HB_TRY(hb_evaluator_galois_add(w->ev, w->made.c, w->made.c, keys[which]));
        w->made.noise = hb_noise_add(w->params, w->made.noise, x->a->noise);
        for (size_t i = 0; i < INT_N; i++) {
            w->made.message[i] = (w->made.message[i] + x->a->message[i]) % w->t;
        }
    }
    give_back(w->s, before);
    x->what = add ? "moved, added" : "moved";
    return HB_OK;
}

/* All automorphisms add up to N times the coefficient 0. */
static hb_status sum_slots(int_world *w, operands *x)
{
    const uint32_t limbs = limbs_of_value(x->a);
    const hb_quality noise = hb_noise_sum_slots(w->params, shape_of(w), limbs, x->a->noise);
    x->done = bits_left(w, limbs, noise) >= LEAST_BITS;
    if (!x->done) {
        return HB_OK;
    }
    int_shape(w, &w->made, 2, limbs);
    HB_TRY(hb_evaluator_copy(w->ev, w->made.c, x->a->c));
    HB_TRY(hb_evaluator_sum_slots(w->ev, w->made.c, &w->keys));
    memset(w->made.message, 0, sizeof w->made.message);
    w->made.message[0] = slow_mul(x->a->message[0], INT_N % w->t, w->t);
    w->made.noise = noise;
    x->what = "sum of slots";
    return HB_OK;
}

static hb_status go_down(int_world *w, operands *x)
{
    const uint32_t limbs = limbs_of_value(x->a);
    const hb_quality noise =
        limbs > 1 ? hb_noise_mod_switch(w->params, shape_of(w), limbs, x->a->noise, 2) : x->a->noise;
    x->done = limbs > 1 && w->params->levels[limbs - 1].basis.limbs > 0 && bits_left(w, limbs - 1, noise) >= LEAST_BITS;
    if (!x->done) {
        return HB_OK;
    }
    int_shape(w, &w->made, 2, limbs - 1);
    HB_TRY(hb_evaluator_mod_switch(w->ev, w->made.c, x->a->c));
    memcpy(w->made.message, x->a->message, sizeof w->made.message);
    w->made.noise = noise;
    x->what = "a level down";
    return HB_OK;
}

/* --- programs */

typedef hb_status (*operation)(int_world *w, operands *x);

static hb_status step(int_world *w)
{
    static const operation operations[] = {add_or_subtract, multiply, multiply, with_plain, with_integer, move,
                                           sum_slots,       go_down,  go_down};
    const uint64_t a = int_draw(w, INT_VALUES), b = (a + 1 + int_draw(w, INT_VALUES - 1)) % INT_VALUES;
    operands x = {.a = &w->value[a], .b = &w->value[b], .done = true};
    HB_TRY(operations[int_draw(w, sizeof operations / sizeof *operations)](w, &x));
    if (x.done) {
        HB_TRY(int_check(w, x.what, &w->made, NULL));
        keep(w, x.a);
    }
    if (bits_left(w, limbs_of_value(x.a), x.a->noise) < LEAST_BITS) { /* used up */
        return int_encrypt_fresh(w, x.a, w->params->fresh_limbs - (uint32_t)int_draw(w, 2));
    }
    return HB_OK;
}

static hb_status run_program(int_world *w)
{
    for (int i = 0; i < INT_VALUES; i++) {
        HB_TRY(int_encrypt_fresh(w, &w->value[i], w->params->fresh_limbs - (uint32_t)i % 2));
    }
    for (int i = 0; i < STEPS; i++) {
        HB_TRY(step(w));
    }
    return HB_OK;
}

static hb_status play_program(side *s, const void *with)
{
    int_world *w = calloc(1, sizeof *w);
    HB_ASSERT(w != NULL);
    hb_status st = int_world_open(w, s, *(const uint64_t *)with);
    st = st == HB_OK ? run_program(w) : st;
    int_world_close(w);
    free(w);
    return st;
}

/* A chain at a small degree with that plain modulus; of the last one users have two primes. */
static hb_params_spec chain(const char *preset, uint64_t t, uint32_t users_less)
{
    hb_params_spec spec;
    HB_ASSERT(hb_params_preset(preset, &spec) == HB_OK);
    spec.n = INT_N;
    spec.insecure = true;
    spec.bfv.plain = t;
    spec.key_limbs -= users_less;
    memmove(spec.primes + 2, spec.primes + 2 + users_less, (spec.key_limbs - 2) * sizeof *spec.primes);
    memset(spec.primes + spec.key_limbs, 0, users_less * sizeof *spec.primes);
    return spec;
}

/* One special prime and digits of one prime, which are centred all the same. */
static hb_params_spec chain_of_single_digits(uint64_t t)
{
    enum { USERS = 4, LIMBS = USERS + 2 + 8 + 2 + 1 };
    static const uint32_t bits[LIMBS] = {44, 40, 40, 40, 40, 40, 44, 44, 44, 44, 44, 44, 44, 44, 42, 42, 50};
    hb_params_spec spec = {.n = INT_N,
                           .key_limbs = LIMBS,
                           .special_limbs = 1,
                           .digit_limbs = 1,
                           .security = {.level = 128},
                           .insecure = true,
                           .bootstrapping = {.eval_mod = HB_EVAL_MOD_LIGHT,
                                             .stc_levels = 2,
                                             .cts_levels = 2,
                                             .sparse_weight = 32,
                                             .scale_bits = 40},
                           .bfv.plain = t};
    HB_ASSERT(hb_create_primes(INT_N, bits, LIMBS, spec.primes) == HB_OK);
    HB_ASSERT(!hb_spec_switches_like_seal(&spec));
    return spec;
}

static void play(hb_params_spec spec, uint64_t seed, uint32_t members)
{
    meeting at;
    meeting_init(&at, members);
    performance p = {.spec = &spec, .play = play_program, .with = &seed, .members = members, .queues = 1};
    const hb_status st = perform(&p, &at, NULL);
    if (st != HB_OK) {
        print_error("t = %llu, %u members: %s\n", (unsigned long long)spec.bfv.plain, members, hb_last_error()->text);
    }
    assert_int_equal(st, HB_OK);
    meeting_clear(&at);
}

static void of_all_plain_moduli(void **state)
{
    static const uint64_t t[] = {786433, 65537, 2, 65536, 35184372088777, 1073479681};
    (void)state;
    for (uint32_t i = 0; i < sizeof t / sizeof *t; i++) {
        play(chain("int-test", t[i], 0), 10 + i, 2 + i % 2);
    }
}

static void of_other_chains(void **state)
{
    (void)state;
    play(chain("int-15", 65537, 0), 20, 2);
    play(chain("int-15", 3, 0), 21, 3);
    play(chain("int-16-deep", 786433, 0), 22, 2);
    play(chain("int-16", 65537, 4), 23, 5); /* users have two primes, members more */
    play(chain_of_single_digits(65537), 24, 3);
}

HB_UNIT(int_programs)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_all_plain_moduli),
        cmocka_unit_test(of_other_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
