/* Who holds which limb: as documented, evenly, and refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bfv/params.h"
#include "cpu/engine.h"
#include "scheme/params.h"
#include "unit/unit.h"

static hb_params *preset(const char *name)
{
    hb_params_spec spec;
    hb_params *p = NULL;
    assert_int_equal(hb_params_preset(name, &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &p), HB_OK);
    return p;
}

/* Counts of an owner table that is written down here. */
static void test_counts(void **state)
{
    (void)state;
    const hb_limb_map map = {.members = 3, .owner = {0, 1, 2, 0, 1, HB_EVERY_MEMBER, 2, 2, HB_EVERY_MEMBER}};
    const struct {
        uint32_t limbs;
        uint16_t ids[9];
        uint32_t count[3], most;
    } lists[] = {
        {0, {0}, {0, 0, 0}, 0},          {1, {1}, {0, 1, 0}, 1},
        {2, {5, 8}, {2, 2, 2}, 2},       {4, {0, 1, 2, 3}, {2, 1, 1}, 2},
        {4, {7, 6, 2, 5}, {1, 1, 4}, 4}, {9, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {4, 4, 5}, 5},
        {3, {3, 3, 0}, {3, 0, 0}, 3},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (uint32_t member = 0; member < 3; member++) {
            assert_int_equal(hb_limb_map_count(&map, lists[i].ids, lists[i].limbs, member), lists[i].count[member]);
        }
        assert_int_equal(hb_limb_map_most(&map, lists[i].ids, lists[i].limbs), lists[i].most);
    }
}

/* The least and the most that members hold of a list. */
typedef struct spread {
    uint32_t least, most, sum;
} spread;

static spread spread_of(const hb_params *p, const uint16_t *ids, uint32_t limbs)
{
    spread s = {.least = UINT32_MAX};
    for (uint32_t member = 0; member < p->map.members; member++) {
        uint32_t count = 0;
        for (uint32_t l = 0; l < limbs; l++) {
            count += p->map.owner[ids[l]] == member;
        }
        s.least = count < s.least ? count : s.least;
        s.most = count > s.most ? count : s.most;
        s.sum += count;
    }
    return s;
}

/* Every limb of a list has one owner, and no member has two more of them than another. */
static void expect_even(const hb_params *p, const uint16_t *ids, uint32_t limbs)
{
    const spread s = spread_of(p, ids, limbs);
    assert_int_equal(s.sum, limbs);
    assert_true(s.most - s.least <= 1);
    assert_int_equal(hb_params_most_limbs(p, ids, limbs), s.most);
}

static void check_division(hb_params *p, uint32_t k)
{
    uint16_t product[2 * HB_MAX_LIMBS];
    assert_int_equal(hb_params_divide_as(p, &(hb_params_division){k, 1, HB_LIMBS_IN_TURN}), HB_OK);
    assert_int_equal(p->map.members, k);
    for (uint32_t i = 0; i < p->key_limbs; i++) {
        assert_int_equal(p->map.owner[p->ids[i]], i % k);
    }
    for (uint32_t j = 0; j < p->auxiliary_limbs; j++) {
        assert_int_equal(p->map.owner[p->auxiliary_ids[j]], (p->data_limbs + j) % k);
    }
    uint16_t beside[2]; /* the chain */
    hb_params_check_moduli(p, beside);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(p->map.owner[beside[i]], HB_EVERY_MEMBER);
    }
    assert_int_equal(hb_params_most_limbs(p, beside, 2), 2);
    memcpy(product, p->ids, p->data_limbs * sizeof *product);
    memcpy(product + p->data_limbs, p->auxiliary_ids, p->auxiliary_limbs * sizeof *product);
    expect_even(p, product, p->data_limbs + p->auxiliary_limbs);
    for (uint32_t first = 0; first < p->key_limbs; first++) {
        for (uint32_t limbs = 1; limbs <= p->key_limbs - first; limbs++) {
            expect_even(p, p->ids + first, limbs);
        }
    }
    for (uint32_t limbs = 1; limbs <= p->auxiliary_limbs; limbs++) {
        expect_even(p, p->auxiliary_ids, limbs);
    }
    assert_int_equal(hb_params_most_limbs(p, p->ids, p->data_limbs), (p->data_limbs + k - 1) / k);
}

static void test_divisions(void **state)
{
    (void)state;
    const char *name;
    uint32_t most = 0;
    for (size_t i = 0; (name = hb_params_preset_name(i)) != NULL; i++) {
        hb_params *p = preset(name);
        assert_int_equal(p->map.members, 1); /* as they are opened */
        assert_int_equal(hb_params_most_limbs(p, p->ids, p->key_limbs), p->key_limbs);
        for (uint32_t k = p->data_limbs; k >= 1; k--) {
            check_division(p, k);
        }
        most = p->data_limbs > most ? p->data_limbs : most;
        hb_params_close(p);
    }
    assert_true(most >= 8);
}

/* Every order by hand, of 7 data limbs and 3 special ones in digits of 3, and 4 auxiliary primes, over 3 members. */
static void test_orders(void **state)
{
    (void)state;
    static const uint8_t owners[HB_LIMB_ORDERS][14] = {
        [HB_LIMBS_IN_TURN] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1},
        [HB_LIMBS_MIRRORED] = {0, 1, 2, 0, 1, 2, 0, 2, 1, 0, 2, 1, 0, 2},
        [HB_LIMBS_IN_RUNS] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 1, 2, 0, 1},
        [HB_LIMBS_BY_DIGITS] = {0, 0, 0, 1, 1, 1, 2, 0, 1, 2, 1, 2, 0, 1}};
    uint16_t ids[14];
    for (uint16_t i = 0; i < 14; i++) {
        ids[i] = (uint16_t)(20 - i); /* positions count, not ids */
    }
    const hb_digit_list digits = hb_digit_list_even(7, 3);
    const hb_limb_lists lists = {
        .ids = ids, .data = 7, .special = 3, .digits = &digits, .beside = ids + 10, .auxiliary = 4};
    for (int order = 0; order < HB_LIMB_ORDERS; order++) {
        const hb_limb_map map = hb_limb_map_deal(&lists, 3, (hb_limb_order)order);
        assert_int_equal(map.members, 3);
        for (int i = 0; i < 14; i++) {
            assert_int_equal(map.owner[ids[i]], owners[order][i]);
        }
        assert_int_equal(map.owner[0], HB_EVERY_MEMBER);
    }
}

/* Digits by hand, and how many of them the leading primes make. */
static void test_digits(void **state)
{
    (void)state;
    static const uint32_t first[] = {0, 3, 6, 7}, at[] = {0, 1, 1, 1, 2, 2, 2, 3, 3};
    const hb_digit_list digits = hb_digit_list_even(7, 3), none = hb_digit_list_even(0, 3);
    assert_int_equal(digits.count, 3);
    assert_memory_equal(digits.first, first, sizeof first);
    for (uint32_t limbs = 0; limbs < sizeof at / sizeof *at; limbs++) {
        assert_int_equal(hb_digit_list_at(&digits, limbs), at[limbs]);
        assert_int_equal(hb_digit_list_at(&none, limbs), 0);
    }
}

/* Keys need not be switched: then there are no digits, and all limbs of the chain go to one member. */
static void test_no_digits(void **state)
{
    (void)state;
    static const uint16_t ids[] = {4, 3, 2, 1};
    static const uint8_t owners[] = {0, 0, 0, 1};
    const hb_digit_list none = {.count = 0};
    const hb_limb_lists lists = {.ids = ids, .data = 3, .digits = &none, .beside = ids + 3, .auxiliary = 1};
    const hb_limb_map map = hb_limb_map_deal(&lists, 2, HB_LIMBS_BY_DIGITS);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(map.owner[ids[i]], owners[i]);
    }
}

/* In the mirrored order no member has two limbs more of a key than another, at any level. */
static void test_mirrored_is_even(void **state)
{
    (void)state;
    const char *name;
    for (size_t i = 0; (name = hb_params_preset_name(i)) != NULL; i++) {
        hb_params *p = preset(name);
        for (uint32_t k = 1; k <= p->data_limbs; k++) {
            assert_int_equal(hb_params_divide_as(p, &(hb_params_division){k, 1, HB_LIMBS_MIRRORED}), HB_OK);
            for (uint32_t level = 1; level <= p->data_limbs; level++) {
                uint16_t key[2 * HB_MAX_LIMBS], product[2 * HB_MAX_LIMBS];
                memcpy(key, p->ids, level * sizeof *key);
                memcpy(key + level, p->ids + p->data_limbs, p->special_limbs * sizeof *key);
                expect_even(p, key, level + p->special_limbs);
                memcpy(product, key, level * sizeof *key);
                memcpy(product + level, p->auxiliary_ids, p->auxiliary_limbs * sizeof *key);
                expect_even(p, product, level + p->auxiliary_limbs);
            }
        }
        hb_params_close(p);
    }
}

/* The order that is chosen has least work; and runs leave members without work at low levels. */
static void test_choice_of_order(void **state)
{
    (void)state;
    const char *name;
    bool mirrored = false;
    for (size_t i = 0; (name = hb_params_preset_name(i)) != NULL; i++) {
        hb_params *p = preset(name);
        for (uint32_t k = 2; k <= p->data_limbs && k <= 8; k++) {
            double work[HB_LIMB_ORDERS];
            for (int order = 0; order < HB_LIMB_ORDERS; order++) {
                const hb_limb_map map = hb_params_deal(p, k, (hb_limb_order)order);
                work[order] = hb_params_dealt_work(p, &map, HB_USUAL_TRAVEL);
            }
            assert_int_equal(hb_params_divide(p, k), HB_OK);
            for (int order = 0; order < HB_LIMB_ORDERS; order++) {
                assert_true(work[p->division.order] <= work[order]);
            }
            assert_true(work[HB_LIMBS_IN_RUNS] >= work[HB_LIMBS_MIRRORED]);
            mirrored = mirrored || p->division.order == HB_LIMBS_MIRRORED;
        }
        hb_params_close(p);
    }
    assert_true(mirrored);
}

static void test_refusals(void **state)
{
    (void)state;
    hb_params *p = preset("bfv-8192");
    const uint32_t wrong[] = {0, p->data_limbs + 1, UINT32_MAX};
    char text[256];
    assert_int_equal(hb_params_divide(p, 2), HB_OK);
    const hb_limb_map before = p->map;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(hb_params_divide(p, wrong[i]), HB_ECONFIG);
        snprintf(text, sizeof text,
                 "the limbs of a ciphertext cannot be divided over %u ranks: with parameters bfv-8192 it has %u, and "
                 "each rank needs one",
                 (unsigned)wrong[i], (unsigned)p->data_limbs);
        assert_string_equal(hb_last_error()->text, text);
        assert_memory_equal(&p->map, &before, sizeof before);
    }
    hb_params_close(p);
}

/* The limbs that an engine on a member reports, and the memory of batches there. */
static void test_here(void **state)
{
    (void)state;
    hb_params *p = preset("bfv-8192"); /* 4 data limbs and the special prime */
    hb_engine *e;
    assert_int_equal(p->key_limbs, 5);
    assert_int_equal(hb_params_divide_as(p, &(hb_params_division){3, 1, HB_LIMBS_IN_TURN}), HB_OK);
    assert_int_equal(hb_seed_start(), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&p->ring, &e), HB_OK);
    assert_int_equal(hb_limbs_here(e, p->ids, 5), 5); /* not divided itself */
    hb_engine member = {.ops = e->ops, .ring = &p->ring, .map = &p->map};
    for (member.member = 0; member.member < 3; member.member++) {
        uint32_t before = 0;
        hb_batch a;
        assert_int_equal(hb_batch_alloc(&member, &a, 7, 5, p->ids), HB_OK);
        for (uint32_t l = 0; l < 5; l++) {
            const bool here = l % 3 == member.member;
            const hb_batch rest = hb_batch_limbs(&member, a, l, 5 - l);
            assert_int_equal(hb_limb_here(&member, p->ids[l]), here);
            assert_true(rest.data == a.data + before * p->ring.n && rest.ids == p->ids + l && rest.limbs == 5 - l);
            assert_true(rest.stride == a.stride && rest.count == 7);
            before += here;
        }
        assert_true(hb_limb_here(&member, hb_bfv_of(p)->plain_id) && hb_limb_here(&member, hb_bfv_of(p)->gamma_id));
        assert_int_equal(hb_limbs_here(&member, p->ids, 5), before);
        assert_true(a.stride == before * p->ring.n && a.limbs == 5);
        memset(a.data, 1, a.count * a.stride * sizeof *a.data); /* all of it is there */
        hb_batch_free(&member, &a);
    }
    hb_engine_close(e);
    hb_params_close(p);
}

HB_UNIT(limb_map)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_divisions),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_digits),
        cmocka_unit_test(test_no_digits),
        cmocka_unit_test(test_mirrored_is_even),
        cmocka_unit_test(test_choice_of_order),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
