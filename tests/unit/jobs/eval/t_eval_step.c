/* Steps of a computation against every ciphertext, one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "eval/step.h"
#include "unit/unit.h"

enum { MOST = 64 };

static bool every_position[MOST];

/* A dataset of `blocks` row blocks of `across` ciphertexts in units of `unit`; datasets are told apart by their
 * pointer. */
static hb_eval_input input_of(hb_header *header, uint64_t blocks, uint64_t across, uint64_t unit, bool *used)
{
    static char any;
    *header = (hb_header){.spec = {.n = 1024, .key_limbs = 1, .primes = {12289}, .bfv.plain = 2},
                          .limbs = 1,
                          .capacity = 1024,
                          .ciphertexts = blocks * across,
                          .unit = unit};
    return (hb_eval_input){
        .dataset = (hb_dataset *)(void *)&any, .header = header, .across = across, .blocks = blocks, .used = used};
}

/* Which units hold a position in use of one of the row blocks. */
static size_t units_one_by_one(const hb_eval_input *input, uint64_t first, uint64_t count, uint64_t *units)
{
    size_t found = 0;
    for (uint64_t u = 0; u < hb_header_units(input->header); u++) {
        uint64_t begin, held;
        bool wanted = false;
        hb_header_unit_range(input->header, u, &begin, &held);
        for (uint64_t c = begin; c < begin + held; c++) {
            const uint64_t block = c / input->across;
            wanted = wanted || (block >= first && block < first + count && input->used[c % input->across]);
        }
        if (wanted) {
            units[found++] = u;
        }
    }
    return found;
}

static void check_steps(hb_eval_input *input, uint64_t size)
{
    uint64_t units[1024], expected[1024];
    const hb_header steps = hb_eval_step_header(&input->header->spec, 1, input->blocks, size);
    const size_t most = hb_eval_step_most_units(input, size);
    size_t largest = 0;
    for (uint64_t s = 0; s < hb_header_units(&steps); s++) {
        uint64_t first, count;
        hb_header_unit_range(&steps, s, &first, &count);
        const size_t found = hb_eval_step_units(input, first, count, units, most);
        assert_int_equal(found, units_one_by_one(input, first, count, expected));
        assert_memory_equal(units, expected, found * sizeof units[0]);
        assert_int_equal(hb_eval_step_units(input, first, count, NULL, 0), found);
        largest = found > largest ? found : largest;
    }
    size_t used = 0;
    for (uint64_t c = 0; c < input->across; c++) {
        used += input->used[c];
    }
    assert_true(largest <= most && most <= size * used);
    assert_true(input->used != every_position || most <= largest + 1); /* the bound costs memory */
}

static void test_units(void **state)
{
    (void)state;
    memset(every_position, true, sizeof every_position);
    bool some[MOST] = {false};
    some[0] = some[2] = true;
    for (uint64_t across = 1; across <= 7; across++) {
        for (uint64_t unit = 1; unit <= 20; unit++) {
            for (uint64_t size = 1; size <= 9; size++) {
                hb_header header;
                hb_eval_input input = input_of(&header, 37, across, unit, every_position);
                check_steps(&input, size);
                input.used = some;
                check_steps(&input, size);
            }
        }
    }
}

static uint64_t size_of(const hb_eval_input *inputs, uint32_t count, uint64_t output_bytes, uint32_t together)
{
    return hb_eval_step_size(inputs, count, output_bytes, together);
}

static void test_sizes(void **state)
{
    (void)state;
    hb_header header[3];
    hb_eval_input inputs[3] = {input_of(&header[0], 200, 1, 4, every_position),
                               input_of(&header[1], 200, 3, 21, every_position),
                               input_of(&header[2], 200, 5, 3, every_position)};
    assert_int_equal(size_of(inputs, 1, 0, 1), 4);
    assert_int_equal(size_of(inputs, 2, 0, 1), 7); /* whole row blocks of the largest */
    assert_int_equal(size_of(inputs, 3, 0, 1), 7);
    assert_int_equal(size_of(inputs, 3, 0, 2), 8);     /* two row blocks together */
    assert_int_equal(size_of(inputs + 2, 1, 0, 1), 1); /* a unit is less than a row block */
    /* 64 MiB hold the ciphertexts of three row blocks: 7 in three steps. */
    assert_int_equal(size_of(inputs, 2, ((uint64_t)64 << 20) / 3 - 100000, 1), 2);
    assert_int_equal(size_of(inputs, 2, (uint64_t)65 << 20, 1), 1);
    /* Tables count with 8 bytes a slot, those of one row with nothing. */
    hb_eval_input table = {.header = &header[0], .across = 4096};
    assert_int_equal(hb_eval_step_cell_bytes(&table), (uint64_t)32 << 20);
    hb_eval_input with_table[2] = {inputs[0], table};
    assert_int_equal(size_of(with_table, 2, 0, 1), 1);
    uint64_t one_row[1] = {0};
    with_table[1].one_row = one_row;
    assert_int_equal(size_of(with_table, 2, 0, 1), 4);
}

/* Bytes of the files: whole units that are touched, cells as they are stored. */
static void test_bytes(void **state)
{
    (void)state;
    bool first_only[MOST] = {true};
    hb_header header;
    hb_eval_input input = input_of(&header, 200, 3, 2, every_position);
    const uint64_t ciphertext = hb_header_ciphertext_bytes(&header);
    assert_int_equal(ciphertext, 2 * 1024 * 14 / 8);
    assert_int_equal(hb_eval_step_bytes(&input, 4), 12 * ciphertext);
    assert_int_equal(hb_eval_step_bytes(&input, 1), 4 * ciphertext);
    input.used = first_only;
    assert_int_equal(hb_eval_step_bytes(&input, 4), 8 * ciphertext); /* 0, 3, 6 and 9 are in four units */
    input = input_of(&header, 2, 3, 4, every_position);
    assert_int_equal(hb_eval_step_bytes(&input, 2), 6 * ciphertext); /* the last unit is a shorter one */
    header.schema = (hb_schema){.rows = 1500, .columns = 3, .width = 2};
    hb_eval_input table = {.header = &header, .across = 3, .blocks = 2};
    assert_int_equal(hb_eval_step_bytes(&table, 1), 1024 * 3 * 2);
    assert_int_equal(hb_eval_step_bytes(&table, 2), 1500 * 3 * 2);
    uint64_t one_row[3] = {0};
    table.one_row = one_row;
    assert_int_equal(hb_eval_step_bytes(&table, 2), 0);
}

HB_UNIT(eval_step)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_units), cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
