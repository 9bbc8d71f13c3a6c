/* The plan of a refresh: passes and their k by hand from the bound, where passes end, what is refused, and the header
 * that follows. */
#include "passes/plan.h"
#include "unit/scratch.h"
#include "unit/unit.h"

#include <math.h>
#include <string.h>

#include "batch/unit/predicted.h"
#include "bootstrapping/eval_mod.h"
#include "rlwe/bounds.h"
#include "scheme/params.h"
#include "scheme/quality.h"

static const uint8_t sum[HB_DIGEST_BYTES] = {9};

typedef struct world {
    hb_params *params;
    hb_header old;
    double modulus; /* log2 of the users' */
} world;

static void open_world(world *w, hb_eval_mod form)
{
    hb_params_spec spec;
    assert_ok(hb_params_preset("int-test", &spec));
    spec.bootstrapping.eval_mod = form;
    *w = (world){.params = NULL};
    assert_ok(hb_params_open(&spec, &w->params));
    hb_header_set_scheme(&w->old, &w->params->spec, HB_ENCODE_SLOTS);
    w->old.limbs = w->params->fresh_limbs;
    w->old.ciphertexts = 20;
    w->old.unit = 1;
    memset(w->old.key_id, 5, sizeof w->old.key_id);
    w->modulus = hb_log_modulus(w->params, w->params->fresh_limbs);
}

/* Noise that leaves so many bits, proven, and as expected as is usual beside that. */
static hb_quality noise_of(const world *w, double bits)
{
    const double worst = w->modulus - 1 - bits;
    return (hb_quality){.worst = worst, .expected = worst - hb_quality_margin(w->params), .powers = 3};
}

/* Plans passes for the dataset with that noise. */
static hb_status plan_from(world *w, hb_quality noise, hb_certainty certainty, uint32_t passes, hb_refresh_plan *out)
{
    const hb_refresh_wish wish = {certainty, passes, "in.heb", sum};
    hb_header header = {.limbs = 0};
    w->old.made_by = HB_MADE_EVALUATED;
    w->old.quality = noise;
    const hb_status st = hb_refresh_plan_make(w->params, &w->old, &wish, &header, out);
    hb_header_clear(&header);
    return st;
}

static hb_status plan(world *w, double bits, uint32_t passes, hb_refresh_plan *out)
{
    return plan_from(w, noise_of(w, bits), HB_CERTAINTY_DRAWN, passes, out);
}

/* k is floor(bits + 1 - log2 ratio), each pass gives what the quality of one says, and they end where less than a bit
 * is given. */
static void passes_by_hand(void **state)
{
    (void)state;
    world w;
    hb_refresh_plan all, some;
    open_world(&w, HB_EVAL_MOD_FINE_SURE);
    const hb_eval_mod_form *form = hb_eval_mod_form_of(HB_EVAL_MOD_FINE_SURE);
    assert_ok(plan(&w, 21.5, 0, &all));
    assert_true(all.passes >= 8 && all.passes < 12);
    hb_quality at = noise_of(&w, 21.5);
    for (uint32_t i = 0; i < all.passes; i++) {
        uint32_t k;
        hb_quality behind;
        assert_ok(hb_quality_refresh_bits(w.params, HB_CERTAINTY_DRAWN, at, &k));
        assert_int_equal(all.k[i], k);
        if (i == 0) {
            assert_int_equal(k, (uint32_t)floor(21.5 + 1 - form->ratio_bits));
            assert_true(all.bits[0] == 21);
        }
        assert_ok(hb_quality_refresh(w.params, HB_CERTAINTY_DRAWN, k, at, &behind));
        at = behind;
        assert_true(all.bits[i + 1] >= all.bits[i] + 1);
        const double stored = hb_quality_from_file(hb_quality_to_file(at.worst));
        assert_true(all.bits[i + 1] == floor(w.modulus - 1 - stored));
    }
    assert_true(all.quality.worst == at.worst && all.quality.certainty == HB_CERTAINTY_DRAWN);
    assert_int_equal(all.quality.powers, 1);
    assert_true(all.bits[all.passes] > 220);
    assert_true(isinf(all.failure_bits));
    for (uint32_t passes = 1; passes <= all.passes + 1; passes++) {
        assert_ok(plan(&w, 21.5, passes, &some));
        assert_int_equal(some.passes, passes < all.passes ? passes : all.passes);
        assert_memory_equal(some.k, all.k, some.passes * sizeof all.k[0]);
    }
    hb_params_close(w.params);
}

/* Fewer limbs: the same share of a smaller modulus is the same noise over it. */
static void lower_levels_are_extended(void **state)
{
    (void)state;
    world w;
    hb_refresh_plan high, low;
    open_world(&w, HB_EVAL_MOD_FINE_SURE);
    assert_ok(plan(&w, 40.25, 0, &high));
    for (uint32_t limbs = 2; limbs < w.params->fresh_limbs; limbs++) {
        const double lower = w.modulus - hb_log_modulus(w.params, limbs);
        hb_quality noise = noise_of(&w, 40.25);
        noise.worst -= lower;
        noise.expected -= lower;
        w.old.limbs = limbs;
        assert_ok(plan_from(&w, noise, HB_CERTAINTY_DRAWN, 0, &low));
        assert_int_equal(low.passes, high.passes);
        assert_memory_equal(low.k, high.k, high.passes * sizeof high.k[0]);
    }
    hb_params_close(w.params);
}

static void refused(void **state)
{
    (void)state;
    world w;
    hb_refresh_plan made;
    open_world(&w, HB_EVAL_MOD_FINE_SURE);
    assert_refused(plan(&w, 3.75, 0, &made), HB_EDATA, "in.heb: too little noise budget");
    assert_refused(plan(&w, 3.75, 0, &made), HB_EDATA, "refresh earlier");
    w.old.past.computed_limbs = 6;
    assert_refused(plan(&w, 3.75, 0, &made), HB_EDATA, "eval made it compact");
    w.old.past.computed_limbs = 0;
    assert_ok(plan(&w, 4, 0, &made));
    assert_int_equal(made.k[0], 0);
    assert_refused(plan(&w, 260, 0, &made), HB_EDATA,
                   "260 bits of noise budget (proven), to which a pass adds nothing");
    w.old.noise_assumed = true;
    assert_refused(plan(&w, 40, 0, &made), HB_EDATA, "is assumed");
    w.old.noise_assumed = false;
    w.old.kept = 256;
    assert_refused(plan(&w, 40, 0, &made), HB_EDATA, "some coefficients alone");
    w.old.kept = 0;
    w.old.cells = HB_CELL_REAL;
    assert_refused(plan(&w, 40, 0, &made), HB_EDATA, "encrypts reals");
    hb_params_close(w.params);
    hb_params_spec leveled;
    assert_ok(hb_params_preset("bfv-4096", &leveled));
    assert_ok(hb_params_open(&leveled, &w.params));
    w.old.cells = HB_CELL_INTEGER;
    assert_refused(plan(&w, 40, 0, &made), HB_EDATA, "bfv-4096, have no levels for bootstrapping");
    hb_params_close(w.params);
}

/* 2^-72.7 of 2^16 coefficients, so 2^-78.7 of 2^10: 2^18.7 of passes over a ciphertext are as many as may be. */
static void failures_add_up(void **state)
{
    (void)state;
    world w;
    hb_refresh_plan made;
    open_world(&w, HB_EVAL_MOD_FINE);
    const double one = hb_eval_mod_form_of(HB_EVAL_MOD_FINE)->failure_bits - 6;
    w.old.ciphertexts = 1000;
    assert_ok(plan(&w, 40, 3, &made));
    assert_true(fabs(made.failure_bits - (one + log2(3000))) < 1e-9);
    w.old.ciphertexts = (uint64_t)floor(exp2(HB_QUALITY_MOST_FAILURE - one) / 3);
    assert_ok(plan(&w, 40, 3, &made));
    assert_true(made.failure_bits <= HB_QUALITY_MOST_FAILURE);
    w.old.ciphertexts++;
    assert_refused(plan(&w, 40, 3, &made), HB_EDATA, "int-16-sure");
    hb_params_close(w.params);
    open_world(&w, HB_EVAL_MOD_FINE_SURE);
    w.old.ciphertexts = (uint64_t)1 << 40;
    assert_ok(plan(&w, 40, 3, &made));
    hb_params_close(w.params);
}

static void certainties(void **state)
{
    (void)state;
    world w;
    hb_refresh_plan drawn, likely;
    open_world(&w, HB_EVAL_MOD_FINE_SURE);
    assert_ok(plan(&w, 40, 2, &drawn));
    assert_ok(plan_from(&w, noise_of(&w, 40), HB_CERTAINTY_EXPECTED, 2, &likely));
    assert_true(likely.k[1] > drawn.k[1] && likely.quality.certainty == HB_CERTAINTY_EXPECTED);
    /* A bound that was only likely before is no more certain behind. */
    hb_quality before = noise_of(&w, 40);
    before.certainty = HB_CERTAINTY_EXPECTED;
    assert_ok(plan_from(&w, before, HB_CERTAINTY_DRAWN, 2, &likely));
    assert_true(likely.quality.certainty == HB_CERTAINTY_EXPECTED);
    hb_params_close(w.params);
}

static void header_that_follows(void **state)
{
    (void)state;
    world w;
    hb_refresh_plan made;
    hb_header header;
    open_world(&w, HB_EVAL_MOD_FINE_SURE);
    w.old.limbs = 3;
    w.old.dirty_padding = true;
    w.old.past.computed_limbs = 5;
    w.old.past.sanitized = 40;
    const hb_refresh_wish wish = {HB_CERTAINTY_DRAWN, 0, "in.heb", sum};
    hb_quality noise = noise_of(&w, 60);
    noise.worst -= w.modulus - hb_log_modulus(w.params, 3);
    noise.expected -= w.modulus - hb_log_modulus(w.params, 3);
    w.old.made_by = HB_MADE_EVALUATED;
    w.old.quality = noise;
    assert_ok(hb_refresh_plan_make(w.params, &w.old, &wish, &header, &made));
    assert_int_equal(header.limbs, w.params->fresh_limbs);
    assert_int_equal(header.made_by, HB_MADE_EVALUATED);
    assert_true(header.dirty_padding && header.past.computed_limbs == 0 && header.past.sanitized == 0);
    assert_true(header.quality.certainty == HB_CERTAINTY_DRAWN && header.quality.worst >= made.quality.worst);
    assert_int_equal(header.past.steps, 1);
    assert_int_equal(header.past.what[0], HB_HISTORY_REFRESH);
    assert_memory_equal(header.past.data_sum[0], sum, sizeof sum);
    assert_memory_equal(header.key_id, w.old.key_id, sizeof header.key_id);
    hb_header_clear(&header);
    hb_params_close(w.params);
}

HB_UNIT(refresh_plan)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(passes_by_hand), cmocka_unit_test(lower_levels_are_extended),
                                       cmocka_unit_test(refused),        cmocka_unit_test(failures_add_up),
                                       cmocka_unit_test(certainties),    cmocka_unit_test(header_that_follows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
