/* Rows that are kept in memory are those of the table, whatever the room, the type of cells and the rectangle. */
#include "unit/scratch.h"

#include <inttypes.h>

#include "io/table/table.h"
#include "unit/unit.h"

enum { ROWS = 9000, MOST = 4 * 2 * 600 };

static const char *make(hb_cell_type cells)
{
    const char *path = in_scratch("kept.csv");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "a,b,c\n");
    for (int64_t i = 0; i < ROWS; i++) {
        fprintf(file, "%" PRId64 ",%" PRId64 ",%" PRId64 "%s\n", i * i, i % 3 == 0 ? -i : i, 7 * i,
                i == 5000 && cells == HB_CELL_WIDE ? "000000000000000000" : ""); /* beyond 64 bits */
    }
    assert_int_equal(fclose(file), 0);
    return path;
}

static void check_all(hb_table *plain, hb_table *kept)
{
    uint64_t state = 1, own[MOST], other[MOST];
    for (int i = 0; i < 400; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        const uint64_t column = (state >> 20) % 3, row = (state >> 30) % ROWS, most = ROWS - row;
        const hb_rectangle some = {row, (state >> 40) % (most < 600 ? most + 1 : 600), column,
                                   1 + (state >> 50) % (3 - column)};
        assert_ok(hb_table_read(plain, &some, own));
        assert_ok(hb_table_read(kept, &some, other));
        assert_memory_equal(own, other,
                            some.rows * hb_schema_words(hb_table_schema(plain), column, some.columns) * sizeof *own);
    }
}

static void test_rectangles(void **state)
{
    (void)state;
    const hb_cell_type types[] = {HB_CELL_WIDE, HB_CELL_REAL};
    const uint64_t rooms[] = {0, 100000, 1 << 28};
    for (size_t i = 0; i < 6; i++) {
        const char *path = make(types[i % 2]);
        hb_table *plain, *kept;
        assert_ok(hb_table_open(path, types[i % 2], &plain));
        assert_ok(hb_table_open(path, types[i % 2], &kept));
        assert_ok(hb_table_keep(&kept, rooms[i / 2]));
        assert_int_equal(hb_table_schema(kept)->rows, ROWS);
        assert_string_equal(hb_table_schema(kept)->column[1].name, "b");
        check_all(plain, kept);
        char where[HB_TABLE_PLACE];
        assert_non_null(strstr(hb_table_place_text(kept, 41, where), "kept.csv: row 42 (line 43)"));
        hb_table_close(plain);
        hb_table_close(kept);
    }
}

/* A kept block is not read again, and another fill is. */
static void test_once(void **state)
{
    (void)state;
    const char text[] = "a,b\n1,2\n,4\n", *path = in_scratch("once.csv");
    const hb_rectangle all = {.rows = 2, .columns = 3};
    const hb_reading_words words = {.missing = "mask"};
    hb_reading reading;
    hb_table *kept;
    uint64_t values[6];
    spit(path, text, strlen(text));
    assert_ok(hb_reading_parse(&words, &reading));
    assert_ok(hb_table_open_as(path, HB_CELL_INTEGER, &reading, &kept));
    assert_ok(hb_table_keep(&kept, 1 << 20));
    hb_schema like;
    assert_ok(hb_schema_copy(&like, hb_table_schema(kept)));
    like.column[0].fill = 5;
    hb_table_set_fills(kept, &like);
    assert_ok(hb_table_read(kept, &all, values));
    assert_memory_equal(values, ((const uint64_t[]){1, 2, 1, 5, 4, 0}), sizeof values);
    like.column[0].fill = 9;
    hb_table_set_fills(kept, &like);
    assert_ok(hb_table_read(kept, &all, values));
    assert_memory_equal(values, ((const uint64_t[]){1, 2, 1, 9, 4, 0}), sizeof values);
    spit(path, "", 0); /* reading it again would be refused */
    hb_table_set_fills(kept, &like);
    assert_ok(hb_table_read(kept, &all, values));
    assert_memory_equal(values, ((const uint64_t[]){1, 2, 1, 9, 4, 0}), sizeof values);
    hb_table_close(kept);
    hb_schema_clear(&like);
    hb_reading_clear(&reading);
}

HB_UNIT(table_kept)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rectangles),
        cmocka_unit_test(test_once),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
