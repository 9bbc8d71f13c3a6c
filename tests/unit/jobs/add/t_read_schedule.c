/* In which order units of datasets are read, against every ciphertext one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "add/read_schedule.h"
#include "unit/unit.h"

enum { CIPHERTEXTS = 41, INPUTS = 3 };

/* Ciphertexts of 8 MiB of residues, of which 8 are together. */
static hb_header sum_of(uint64_t unit)
{
    return (hb_header){.spec = {.n = 1 << 15}, .limbs = 16, .ciphertexts = CIPHERTEXTS, .unit = unit};
}

/* Every unit of every dataset belongs to so many reads of a group. */
static void check_group(const hb_add_schedule *course, const hb_add_group *group, uint64_t *place)
{
    uint64_t added[INPUTS][CIPHERTEXTS] = {{0}}, input = 0;
    for (uint64_t i = 0; i < INPUTS * group->each; i++, ++*place) {
        const hb_add_read read = hb_add_schedule_read(course, *place);
        assert_ptr_equal(read.group, group);
        assert_true(read.input >= input); /* the first dataset begins all sums */
        input = read.input;
        assert_int_equal(read.last, i + 1 == INPUTS * group->each);
        const uint64_t size = course->sizes[read.input], first = read.unit * size;
        if (read.count == 0) {
            continue;
        }
        assert_true(first < CIPHERTEXTS && read.from + read.count <= size);
        assert_true(read.to + read.count <= group->count);
        assert_int_equal(first + read.from, group->first + read.to);
        for (uint64_t c = 0; c < read.count; c++) {
            added[read.input][first + read.from + c]++;
        }
    }
    for (uint64_t i = 0; i < INPUTS; i++) {
        for (uint64_t c = 0; c < CIPHERTEXTS; c++) {
            assert_int_equal(added[i][c], c >= group->first && c < group->first + group->count);
        }
    }
}

/* Checks the schedule of a unit size, for a list without the units that `skips` leaves out. */
static void check_course(uint64_t unit, const uint64_t sizes[INPUTS], uint64_t skips)
{
    const hb_header sum = sum_of(unit);
    const uint64_t together = hb_add_together(&sum);
    uint64_t list[CIPHERTEXTS], count = 0, place = 0, units = 0;
    for (uint64_t u = 0; u < hb_header_units(&sum); u++) {
        if (skips == 0 || u % skips != 1) {
            list[count++] = u;
        }
    }
    const hb_units todo = {.mine = {0, count}, .list = list};
    hb_add_schedule course;
    assert_int_equal(hb_add_schedule_init(&course, &sum, &todo, sizes, INPUTS), HB_OK);
    for (size_t g = 0; g < course.count; g++) {
        const hb_add_group *group = &course.groups[g];
        uint64_t first, ciphertexts;
        assert_true(group->units >= 1 && group->units <= together);
        hb_header_units_range(&sum, group->unit, group->units, &first, &ciphertexts);
        assert_int_equal(group->first, first);
        assert_int_equal(group->count, ciphertexts);
        for (uint64_t u = 0; u < group->units; u++) {
            assert_int_equal(list[units++], group->unit + u);
        }
        check_group(&course, group, &place);
    }
    assert_int_equal(units, count);
    assert_int_equal(place, course.reads);
    hb_add_schedule_clear(&course);
}

static void test_every_ciphertext_once(void **state)
{
    (void)state;
    const uint64_t some[] = {1, 2, 3, 5, 8, 20, 40, 41};
    enum { SIZES = sizeof some / sizeof some[0] };
    for (size_t a = 0; a < SIZES; a++) {
        for (size_t b = 0; b < SIZES; b++) {
            for (size_t c = 0; c < SIZES; c++) {
                const uint64_t sizes[INPUTS] = {some[a], some[b], some[c]};
                for (uint64_t skips = 0; skips <= 4; skips += 2) {
                    check_course(some[a], sizes, skips);
                }
            }
        }
    }
}

/* Units of one size, as contributors make them: each is read once, and no read is empty. */
static void test_each_unit_once(void **state)
{
    (void)state;
    const uint64_t sizes[INPUTS] = {3, 3, 3};
    const hb_header sum = sum_of(3);
    uint64_t list[CIPHERTEXTS], reads[INPUTS][CIPHERTEXTS] = {{0}};
    const uint64_t units = hb_header_units(&sum);
    for (uint64_t u = 0; u < units; u++) {
        list[u] = u;
    }
    const hb_units todo = {.mine = {0, units}, .list = list};
    hb_add_schedule course;
    assert_int_equal(hb_add_schedule_init(&course, &sum, &todo, sizes, INPUTS), HB_OK);
    assert_int_equal(course.reads, INPUTS * units);
    for (uint64_t place = 0; place < course.reads; place++) {
        const hb_add_read read = hb_add_schedule_read(&course, place);
        assert_true(read.count > 0);
        reads[read.input][read.unit]++;
    }
    for (uint64_t i = 0; i < INPUTS; i++) {
        for (uint64_t u = 0; u < units; u++) {
            assert_int_equal(reads[i][u], 1);
        }
    }
    hb_add_schedule_clear(&course);
}

static void test_together(void **state)
{
    (void)state;
    const hb_header one = sum_of(1), three = sum_of(3), large = sum_of(20);
    assert_int_equal(hb_add_together(&one), 8);
    assert_int_equal(hb_add_together(&three), 2);
    assert_int_equal(hb_add_together(&large), 1);
}

HB_UNIT(read_schedule)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_ciphertext_once),
                                       cmocka_unit_test(test_each_unit_once), cmocka_unit_test(test_together)};
    return cmocka_run_group_tests_name("read_schedule", tests, NULL, NULL);
}
