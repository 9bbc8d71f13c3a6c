/* The header with which a changed dataset begins: everything of the old one but what any change loses, in memory of its
 * own. */
#include "output/change_job.h"
#include "unit/scratch.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "scheme/params.h"

/* A header as a dataset of two columns has it, seeded and sanitized, of an old version. */
static void make_old(hb_header *old)
{
    hb_params_spec spec;
    assert_ok(hb_params_preset("bfv-4096", &spec));
    *old = (hb_header){.version = 2, .limbs = 2, .seeded = true, .made_by = HB_MADE_IMPORTED, .noise_assumed = true};
    hb_header_set_scheme(old, &spec, HB_ENCODE_SLOTS);
    memset(old->key_id, 5, sizeof old->key_id);
    old->quality = (hb_quality){.worst = 30, .expected = 20, .certainty = HB_CERTAINTY_DRAWN, .powers = 2};
    old->past = (hb_header_past){.computed_limbs = 2, .steps = 1, .what = {HB_HISTORY_PARTS}, .sanitized = 41};
    old->ciphertexts = 7;
    old->unit = 3;
    old->dirty_padding = old->filled = true;
    old->schema = (hb_schema){.rows = 9, .columns = 2, .rank = 2, .width = 8};
    old->schema.column = calloc(2, sizeof *old->schema.column);
    assert_non_null(old->schema.column);
    old->schema.column[1] = (hb_column){.ranged = true, .least = 3, .most = 8};
}

static void all_stays_but_what_a_change_loses(void **state)
{
    (void)state;
    hb_header old, made;
    make_old(&old);
    assert_ok(hb_change_header_begin(&made, &old));
    assert_int_equal(made.version, 0);
    assert_false(made.seeded);
    assert_int_equal(made.made_by, HB_MADE_EVALUATED);
    assert_true(made.past.sanitized == 0 && !made.past.opened);
    assert_true(made.noise_assumed && made.dirty_padding && made.filled);
    assert_int_equal(made.past.steps, 1);
    assert_int_equal(made.past.what[0], HB_HISTORY_PARTS);
    assert_int_equal(made.past.computed_limbs, 2);
    assert_true(made.quality.worst == 30 && made.quality.certainty == HB_CERTAINTY_DRAWN);
    assert_memory_equal(made.key_id, old.key_id, sizeof made.key_id);
    assert_true(made.limbs == 2 && made.ciphertexts == 7 && made.unit == 3 && made.capacity == old.capacity);
    hb_header_clear(&made);
    hb_header_clear(&old);
}

/* The old one may go: the schema is a copy. */
static void schema_is_its_own(void **state)
{
    (void)state;
    hb_header old, made;
    make_old(&old);
    assert_ok(hb_change_header_begin(&made, &old));
    assert_ptr_not_equal(made.schema.column, old.schema.column);
    old.schema.column[1].most = 100;
    hb_header_clear(&old);
    assert_true(made.schema.rows == 9 && made.schema.columns == 2);
    assert_true(made.schema.column[1].ranged && made.schema.column[1].least == 3 && made.schema.column[1].most == 8);
    hb_header_clear(&made);
}

HB_UNIT(change_header)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_stays_but_what_a_change_loses),
                                       cmocka_unit_test(schema_is_its_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
