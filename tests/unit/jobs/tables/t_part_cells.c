/* Cells of parts: which slots are none, against a walk over the table, and what the digest is of. */
#include "unit/dataset_sample.h"

#include "joint/part.h"
#include "tables/part_cells.h"
#include "unit/unit.h"

enum { ROWS = 1500, COLUMNS = 3 };

/* Whether the cell of slot s of ciphertext i is one of those, by columns. */
static bool is_cell(uint64_t i, uint64_t s, const hb_part_facts *facts)
{
    const uint64_t row = i / COLUMNS * 1024 + s, column = i % COLUMNS; /* 2^10 slots */
    bool asked = !facts->some;
    for (uint64_t k = 0; k < facts->columns; k++) {
        asked |= facts->column[k] == column;
    }
    return row < ROWS && asked && (!facts->some || (row >= facts->row && row < facts->row + facts->rows));
}

static void compare(const hb_header *header, const hb_part_facts *facts)
{
    hb_part_cells cells;
    uint64_t strays[1024]; /* 2^10 */
    assert_ok(hb_part_cells_init(&cells, header, facts));
    for (uint64_t i = 0; i < header->ciphertexts; i++) {
        bool any = false;
        assert_true(hb_part_cells_strays(&cells, i, strays, 1024) == (memchr(strays, 1, sizeof strays) != NULL));
        for (uint64_t s = 0; s < 1024; s++) {
            assert_int_equal(strays[s], !is_cell(i, s, facts));
            any |= strays[s] == 1;
        }
        assert_true(any || i < COLUMNS);
    }
    hb_part_cells_clear(&cells);
}

static void strays_are_all_but_the_cells(void **state)
{
    (void)state;
    uint64_t columns[2] = {2, 0};
    sample *s = make_sample(false, ROWS, COLUMNS, 1, 3);
    const hb_part_facts all = {.some = false},
                        some = {.some = true, .row = 1000, .rows = 100, .column = columns, .columns = 2},
                        last = {.some = true, .row = ROWS - 1, .rows = 1, .column = columns, .columns = 1};
    compare(&s->header, &all);
    compare(&s->header, &some);
    compare(&s->header, &last);
    free_sample(s);
}

/* Whole rows, one after another: a ciphertext holds 341 rows of 3 cells, and a slot that is none. */
static void rows_stand_one_after_another(void **state)
{
    (void)state;
    uint64_t columns[1] = {1}, strays[1024]; /* 2^10 */
    sample *s = make_sample(false, ROWS, COLUMNS, 1, 3);
    const hb_part_facts facts = {.some = true, .row = 340, .rows = 3, .column = columns, .columns = 1};
    hb_part_cells cells;
    s->header.order = HB_PACK_ROWS;
    assert_ok(hb_part_cells_init(&cells, &s->header, &facts));
    for (uint64_t i = 0; i < 3; i++) {
        assert_true(hb_part_cells_strays(&cells, i, strays, 1024));
        for (uint64_t at = 0; at < 1024; at++) {
            const uint64_t row = i * 341 + at / 3;
            const bool cell = at < 1023 && row >= 340 && row < 343 && at % 3 == 1;
            assert_int_equal(strays[at], !cell);
        }
    }
    hb_part_cells_clear(&cells);
    free_sample(s);
}

static void digest_of(const hb_header *header, const uint64_t *numbers, size_t count, uint8_t digest[HB_DIGEST_BYTES])
{
    uint8_t own[HB_DIGEST_BYTES];
    hb_digest_state state;
    hb_header_digest(own, header);
    hb_digest_begin(&state, "hebatch cells");
    hb_digest_add(&state, own, sizeof own);
    for (size_t i = 0; i < count; i++) {
        hb_digest_add_u64(&state, numbers[i]);
    }
    hb_digest_end(&state, digest);
}

static void the_digest_is_of_header_rows_and_columns(void **state)
{
    (void)state;
    uint64_t columns[2] = {2, 0};
    uint8_t digest[HB_DIGEST_BYTES];
    sample *s = make_sample(false, ROWS, COLUMNS, 1, 3);
    const hb_part_facts all = {.some = false},
                        some = {.some = true, .row = 7, .rows = 9, .column = columns, .columns = 2};
    static const uint64_t of_all[] = {0, ROWS, 3, 0, 1, 2}, of_some[] = {7, 9, 2, 2, 0};
    hb_part_cells cells;
    assert_ok(hb_part_cells_init(&cells, &s->header, &all));
    digest_of(&s->header, of_all, 6, digest);
    assert_memory_equal(cells.digest, digest, sizeof digest);
    hb_part_cells_clear(&cells);
    assert_ok(hb_part_cells_init(&cells, &s->header, &some));
    digest_of(&s->header, of_some, 5, digest);
    assert_memory_equal(cells.digest, digest, sizeof digest);
    hb_part_cells_clear(&cells);
    free_sample(s);
}

/* Whoever asks for parts of two residues with one component 1 asks twice, with noise that is not the same: so the
 * ledger refuses the second, and no noise serves two plain moduli. */
static void requests_of_two_residues_differ(void **state)
{
    (void)state;
    static const hb_part_facts all = {.some = false};
    static const uint8_t id[HB_DIGEST_BYTES] = {1}, c1[HB_DIGEST_BYTES] = {2};
    uint8_t context[2][HB_DIGEST_BYTES];
    sample *s = make_sample(false, ROWS, COLUMNS, 1, 3);
    hb_bfv_spec *bfv = &s->header.spec.bfv;
    *bfv = (hb_bfv_spec){.plain_count = 2, .plains = {65537, 40961}};
    for (uint32_t r = 0; r < 2; r++) {
        hb_part_cells cells;
        bfv->residue = r;
        bfv->plain = bfv->plains[r];
        assert_ok(hb_part_cells_init(&cells, &s->header, &all));
        hb_part_request request = {.session_id = id, .plan.flood = {46, 56}};
        memcpy(request.cells, cells.digest, sizeof request.cells);
        hb_part_context(context[r], &request, c1);
        hb_part_cells_clear(&cells);
    }
    assert_true(memcmp(context[0], context[1], sizeof context[0]) != 0);
    free_sample(s);
}

HB_UNIT(part_cells)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strays_are_all_but_the_cells),
        cmocka_unit_test(rows_stand_one_after_another),
        cmocka_unit_test(the_digest_is_of_header_rows_and_columns),
        cmocka_unit_test(requests_of_two_residues_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
