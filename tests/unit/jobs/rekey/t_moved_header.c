/* The header of a dataset that comes under another key: bounds of the key's own shape, the history, and what sanitizing
 * changes; and which data another person does not get. */
#include "rekey/moved_header.h"
#include "unit/scratch.h"
#include "unit/unit.h"

#include "base/prime.h"
#include "batch/unit/predicted.h"
#include "scheme/params.h"
#include "scheme/quality.h"

enum { OWNERS = 5 };
static const uint8_t sum[HB_DIGEST_BYTES] = {9};

typedef struct world {
    hb_params *params, *joint; /* of one owner, and of several */
    hb_header old;
    hb_moving_key key;
} world;

static void open_world(world *w, bool another)
{
    const uint32_t bits[] = {50, 50, 50, 50, 51};
    hb_params_spec spec = {.n = 1024, .key_limbs = 5, .bfv.plain = 12289, .security = {.level = 128}, .insecure = true};
    assert_ok(hb_create_primes(spec.n, bits, spec.key_limbs, spec.primes));
    *w = (world){.key = {.source.label = {.key_id = {7}, .rekey.another = another}}};
    assert_ok(hb_params_open(&spec, &w->params));
    spec.joint = (hb_joint_spec){.owners = OWNERS, .threshold = OWNERS, .results = 1000};
    assert_ok(hb_params_open(&spec, &w->joint));
    hb_header_set_scheme(&w->old, &w->params->spec, HB_ENCODE_SLOTS);
    w->old.limbs = w->params->data_limbs;
    w->old.ciphertexts = 20;
    w->old.unit = 1;
    memset(w->old.key_id, 5, sizeof w->old.key_id);
}

static void close_world(world *w)
{
    hb_params_close(w->params);
    hb_params_close(w->joint);
}

static hb_status make(world *w, hb_header *made, const hb_params *params, hb_sanitize_plan *plan, double *before)
{
    const hb_moved_data data = {&w->old, "in.heb", sum};
    return hb_moved_header_make(made, params, &w->key, data, 40, plan, before);
}

static void same_person(void **state)
{
    (void)state;
    world w;
    hb_header made;
    hb_sanitize_plan plan;
    double before;
    open_world(&w, false);
    assert_ok(make(&w, &made, w.params, &plan, &before));
    const hb_quality fresh = hb_predicted_quality(w.params, &w.old);
    hb_header_quality(&w.old, hb_quality_switch(w.params, w.old.limbs, fresh, HB_SWITCH_GALOIS));
    assert_true(made.quality.worst == w.old.quality.worst && made.quality.expected == w.old.quality.expected);
    assert_true(plan.from == 0 && before == 0 && made.limbs == w.old.limbs && made.past.sanitized == 0);
    hb_header_clear(&made);
    close_world(&w);
}

/* The old data has the noise of one owner, and what comes the bounds, owners and room for parts of the new ones. */
static void another_person(void **state)
{
    (void)state;
    for (int several = 0; several < 2; several++) {
        world w;
        hb_header made;
        hb_sanitize_plan plan, wanted;
        double before;
        open_world(&w, true);
        const hb_params *params = several ? w.joint : w.params;
        const hb_quality fresh = hb_predicted_quality(w.params, &w.old);
        const hb_quality moved = hb_quality_switch(params, w.old.limbs, fresh, HB_SWITCH_REKEY);
        const hb_sanitize_request request = {w.old.ciphertexts, 40, hb_sanitize_leave(params)};
        assert_true(several == (request.leave > HB_SANITIZE_LEAVE));
        assert_ok(hb_sanitize_plan_make(params, w.old.limbs, moved, request, &wanted));
        assert_ok(make(&w, &made, params, &plan, &before));
        assert_true(plan.from == wanted.from && plan.limbs == wanted.limbs && plan.to == wanted.to && !plan.open);
        assert_true(plan.flood.u == wanted.flood.u && plan.flood.w == wanted.flood.w);
        assert_true(plan.distance == wanted.distance && plan.quality.worst == wanted.quality.worst);
        assert_true(before == hb_predicted_budget(w.params, &w.old).worst);
        assert_true(made.limbs == plan.to && made.past.sanitized == -plan.distance && made.past.sanitized >= 40);
        assert_int_equal(hb_spec_owners(&made.spec), several ? OWNERS : 1);
        assert_true(made.spec.joint.results == params->spec.joint.results);
        assert_true(hb_predicted_budget(params, &made).worst >= request.leave - 1);
        assert_true(made.made_by == HB_MADE_EVALUATED && made.dirty_padding && !made.seeded);
        assert_int_equal(made.past.steps, 1);
        assert_memory_equal(made.past.key_id[0], w.old.key_id, sizeof w.old.key_id);
        assert_memory_equal(made.past.data_sum[0], sum, sizeof sum);
        assert_memory_equal(made.key_id, w.key.source.label.key_id, sizeof made.key_id);
        hb_header_clear(&made);
        close_world(&w);
    }
}

static void what_another_person_does_not_get(void **state)
{
    (void)state;
    world w;
    hb_header made;
    hb_sanitize_plan plan;
    double before;
    open_world(&w, true);
    w.old.limbs = 1;
    assert_refused(make(&w, &made, w.params, &plan, &before), HB_EDATA, "in.heb: sanitizing needs");
    hb_header_clear(&made);
    w.old.limbs = w.params->data_limbs;
    w.old.made_by = HB_MADE_IMPORTED;
    w.old.noise_assumed = true;
    assert_refused(make(&w, &made, w.params, &plan, &before), HB_EDATA, "is assumed and not proven");
    hb_header_clear(&made);
    w.old.noise_assumed = false;
    w.old.cells = HB_CELL_REAL;
    assert_refused(make(&w, &made, w.params, &plan, &before), HB_EDATA, "has reals");
    hb_header_clear(&made);
    close_world(&w);
}

HB_UNIT(moved_header)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_person),
        cmocka_unit_test(another_person),
        cmocka_unit_test(what_another_person_does_not_get),
    };
    return hb_seed_start() == HB_OK ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
