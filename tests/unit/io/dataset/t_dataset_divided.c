/* Ciphertext datasets whose limbs several processes write and read, each its own. */
#include "unit/dataset_sample.h"
#include "unit/unit.h"

/* Limbs of member m of k, which take turns. */
static uint64_t limbs_of(uint32_t m, uint32_t k)
{
    uint64_t mask = 0;
    for (uint32_t l = m; l < 64; l += k) {
        mask |= (uint64_t)1 << l;
    }
    return mask;
}

static size_t take_component(const hb_header *h, uint8_t *to, const uint8_t *from, uint64_t count, uint64_t limbs)
{
    size_t taken = 0;
    for (uint32_t l = 0; l < h->limbs; l++) {
        const size_t bytes = (size_t)count * hb_header_row_bytes(h, l);
        if ((limbs >> l & 1) != 0) {
            memcpy(to + taken, from, bytes);
            taken += bytes;
        }
        from += bytes;
    }
    return taken;
}

/* The rows of some limbs of a whole unit, into memory from alloc_rows. Returns the bytes of a component. */
static size_t take_limbs(const hb_header *h, hb_rows *to, const hb_rows *whole, uint64_t limbs)
{
    to->count = whole->count;
    to->limbs = limbs;
    const size_t bytes = take_component(h, to->c0, whole->c0, whole->count, limbs);
    if (h->seeded) {
        memcpy(to->seeds, whole->seeds, (size_t)whole->count * HB_SEED_BYTES);
    } else {
        take_component(h, to->c1, whole->c1, whole->count, limbs);
    }
    return bytes;
}

/* Members of one shard, in another order in every unit; of the last unit member `missing` dies before it writes. */
static void write_divided(const char *name, const sample *s, uint32_t k, uint32_t missing)
{
    const uint64_t units = hb_header_units(&s->header);
    hb_shard_writer *shard[4];
    hb_rows own;
    alloc_rows(&s->header, &own);
    for (uint32_t m = 0; m < k; m++) {
        assert_ok(m == 0 ? hb_shard_create(name, &s->header, 0, 0, units, &shard[m])
                         : hb_shard_join(name, &s->header, 0, 0, units, &shard[m]));
    }
    for (uint64_t u = 0; u < units; u++) {
        for (uint32_t i = 0; i < k; i++) {
            const uint32_t m = (uint32_t)(u + i) % k;
            take_limbs(&s->header, &own, &s->rows[u], limbs_of(m, k));
            hb_seed *seeds = own.seeds;
            own.seeds = m == 0 ? seeds : NULL; /* not needed */
            if (u + 1 < units || m != missing) {
                assert_ok(hb_shard_write(shard[m], u, &own, s->sums[u]));
                assert_memory_equal(hb_shard_sum(shard[m], u), s->sums[u], HB_DIGEST_BYTES);
            }
            own.seeds = seeds;
        }
    }
    for (uint32_t m = 0; m < k; m++) {
        assert_ok(hb_shard_sync(shard[m]));
    }
    if (missing >= k) {
        assert_ok(hb_shard_finish(shard[k - 1])); /* sums that another one wrote */
    }
    for (uint32_t m = 0; m < k; m++) {
        hb_shard_writer_close(shard[m]);
    }
    free_rows(&own);
}

/* Each of k members reads its limbs, of a dataset whose limbs anyone wrote. */
static void read_divided(const char *name, const sample *s, uint32_t k)
{
    hb_dataset *dataset;
    hb_rows own, expected;
    alloc_rows(&s->header, &own);
    alloc_rows(&s->header, &expected);
    assert_ok(hb_dataset_open(name, &dataset));
    for (uint64_t u = 0; u < hb_header_units(&s->header); u++) {
        for (uint32_t m = 0; m < k; m++) {
            const size_t bytes = take_limbs(&s->header, &expected, &s->rows[u], limbs_of(m, k));
            own.limbs = limbs_of(m, k);
            const size_t room = component_bytes(&s->header, s->header.unit);
            memset(own.c0 + bytes, 0x77, room - bytes);
            assert_ok(hb_dataset_read(dataset, u, &own));
            assert_int_equal(own.count, expected.count);
            assert_memory_equal(own.c0, expected.c0, bytes);
            assert_true(bytes == room || own.c0[bytes] == 0x77);
            if (s->header.seeded) {
                assert_memory_equal(own.seeds, expected.seeds, (size_t)own.count * HB_SEED_BYTES);
            } else {
                assert_memory_equal(own.c1, expected.c1, bytes);
            }
        }
    }
    hb_dataset_close(dataset);
    free_rows(&own);
    free_rows(&expected);
}

/* Several writers of one shard, each with some of the limbs, one of four with none, make the bytes that one makes. */
static void test_divided(void **state)
{
    (void)state;
    char name[128], part[144];
    snprintf(name, sizeof name, "%s", in_scratch("divided.heb"));
    snprintf(part, sizeof part, "%s/part-00000.h5", name);
    for (int seeded = 0; seeded < 2; seeded++) {
        sample *s = make_sample_of(3, seeded == 1, 5000, 2, 3, 22); /* 10 ciphertexts, 4 units */
        size_t bytes, expected_bytes;
        write_sample(name, s, 1, true);
        uint8_t *expected = slurp(part, &expected_bytes);
        for (uint32_t k = 1; k <= 4; k++) {
            read_divided(name, s, 5 - k);
            assert_ok(begin_dataset(name, true));
            write_divided(name, s, k, k);
            assert_ok(hb_dataset_commit(name, &s->header, 1, true));
            uint8_t *made = slurp(part, &bytes);
            assert_int_equal(bytes, expected_bytes);
            assert_memory_equal(made, expected, bytes);
            free(made);
            check_dataset(name, s, 1);
        }
        free(expected);
        free_sample(s);
    }
}

/* A unit that one member did not write is not finished, and the shard is not if that was the one with the sum. */
static void test_divided_unfinished(void **state)
{
    (void)state;
    char name[128];
    snprintf(name, sizeof name, "%s", in_scratch("half.heb"));
    sample *s = make_sample_of(3, true, 5000, 2, 3, 23);
    const uint64_t units = hb_header_units(&s->header);
    for (uint32_t missing = 0; missing < 3; missing++) {
        hb_shard_writer *shard;
        hb_rows rows;
        uint8_t sum[HB_DIGEST_BYTES];
        assert_ok(begin_dataset(name, true));
        write_divided(name, s, 3, missing);
        assert_ok(hb_shard_join(name, &s->header, 0, 0, units, &shard));
        alloc_rows(&s->header, &rows);
        for (uint64_t u = 0; u < units; u++) {
            const bool last = u + 1 == units;
            const uint8_t *stored = hb_shard_sum(shard, u);
            assert_true((stored != NULL) == !(last && missing == 0));
            assert_ok(hb_shard_read(shard, u, &rows));
            sum_unit(s, u, &rows, sum);
            assert_true(stored == NULL || (memcmp(stored, sum, sizeof sum) == 0) == !last);
        }
        assert_true(missing != 0 || hb_shard_finish(shard) == HB_EINTERNAL);
        hb_shard_writer_close(shard);
        free_rows(&rows);
        hb_dataset_abandon(name);
    }
    free_sample(s);
}

HB_UNIT(dataset_divided)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_divided),
        cmocka_unit_test(test_divided_unfinished),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
