/* Datasets whose columns have masks, and the values of missing cells. */
#include "unit/dataset_sample.h"
#include "unit/io/dataset/tamper.h"
#include "unit/unit.h"

/* A mask is no larger than those of results can be: who selects rows by one takes as many steps. */
static void test_large_masks(void **state)
{
    (void)state;
    sample *s = make_sample(false, 100, 2, 1, 3);
    hb_shard_writer *shard = NULL;
    hb_column *column = s->header.schema.column;
    column[0].mask = 2;
    column[1].full = HB_MOST_FULL + 1;
    assert_ok(begin_dataset(in_scratch("masks.heb"), true));
    assert_refused(hb_shard_create(in_scratch("masks.heb"), &s->header, 0, 0, 1, &shard), HB_EDATA,
                   "masks that cannot be");
    column[1].full = HB_MOST_FULL;
    assert_ok(hb_shard_create(in_scratch("masks.heb"), &s->header, 0, 0, 1, &shard));
    hb_shard_writer_close(shard);
    hb_dataset_abandon(in_scratch("masks.heb"));
    free_sample(s);
}

/* Missing cells have a value that the column can have, and programs that take them for 0 refuse the dataset. */
static void test_fills(void **state)
{
    (void)state;
    const char *name = in_scratch("fills.heb");
    sample *s = make_sample(false, 100, 2, 1, 3);
    hb_shard_writer *shard = NULL;
    hb_dataset *dataset;
    hb_column *column = s->header.schema.column;
    column[0].mask = 2;
    column[1].full = 1;
    const struct {
        bool has_fill, ranged;
        int64_t fill;
    } wrong[] = {{false, true, 5}, {true, false, 5}, {true, true, 6}, {true, true, INT64_MIN + 3}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        column[0].has_fill = wrong[i].has_fill;
        column[0].fill = (uint64_t)wrong[i].fill;
        column[0].ranged = wrong[i].ranged;
        column[0].least = wrong[i].ranged ? (uint64_t)-7 : 0;
        column[0].most = wrong[i].ranged ? 5 : 0;
        assert_ok(begin_dataset(name, true));
        assert_refused(hb_shard_create(name, &s->header, 0, 0, 1, &shard), HB_EDATA, "masks that cannot be");
        hb_dataset_abandon(name);
    }
    for (int64_t fill = -7; fill <= 5; fill += 4) {
        column[0].fill = (uint64_t)fill;
        digest_sample(s);
        write_sample(name, s, 1, true);
        check_dataset(name, s, 1);
        assert_ok(hb_dataset_open(name, &dataset));
        assert_true(hb_dataset_header(dataset)->version == 10 &&
                    hb_dataset_header(dataset)->schema.column[0].fill == (uint64_t)fill);
        hb_dataset_close(dataset);
    }
    for (int damage = 0; damage < 3; damage++) {
        write_sample(name, s, 1, true);
        if (damage < 2) {
            tamper_dataset(in_scratch("fills.heb/part-00000.h5"), "/table/fill", damage == 0 ? 4 : 77);
        } else {
            tamper(in_scratch("fills.heb/part-00000.h5"), "/", "version", 8);
        }
        assert_refused(hb_dataset_open(name, &dataset), HB_EDATA, "part-00000.h5");
    }
    column[0].fill = 0; /* as older programs have it */
    digest_sample(s);
    write_sample(name, s, 1, true);
    assert_ok(hb_dataset_open(name, &dataset));
    assert_true(hb_dataset_header(dataset)->version == 8 && hb_dataset_header(dataset)->schema.column[0].has_fill);
    hb_dataset_close(dataset);
    free_sample(s);
}

HB_UNIT(dataset_masks)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_masks),
        cmocka_unit_test(test_fills),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
