/* Tables that are written in parts, and what totals of groups stand for. */
#include "unit/scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/table/table.h"
#include "table/grouping.h"
#include "unit/io/table/made_schema.h"
#include "unit/unit.h"

/* Rows and columns of a table that are written, by rectangles of all of it. */
static void test_view(void **state)
{
    (void)state;
    const char *const names[] = {"a", "b", "c"};
    const uint64_t columns[] = {2, 0}, values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, right[] = {20, 30};
    hb_schema schema = make_schema(4, 3, names);
    const hb_table_view view = {.row = 1, .rows = 2, .columns = columns, .count = 2};
    hb_table_writer *writer, *other;
    const char *path = in_scratch("view.csv");
    assert_ok(hb_table_create_view(path, &schema, &view, false, &writer));
    assert_ok(hb_table_join(path, &schema, &view, &other));
    assert_int_equal(hb_table_writer_schema(writer)->columns, 3);
    assert_ok(hb_table_write(writer, &(hb_rectangle){.rows = 4, .columns = 3}, values));
    assert_ok(hb_table_write(other, &(hb_rectangle){.row = 2, .rows = 1, .column = 1, .columns = 2}, right));
    assert_ok(hb_table_sync(other));
    hb_table_writer_close(other);
    assert_ok(hb_table_commit(writer));
    hb_table_writer_close(writer);
    size_t bytes;
    char *text = (char *)slurp(path, &bytes);
    assert_string_equal(text, "c,a\n6,4\n30,7\n");
    free(text);
    /* Read back instead of being committed: nothing of it stays. */
    static const char *const others[] = {"view.h5:/x", "-"};
    for (int i = 0; i < 2; i++) {
        uint64_t back[2] = {0};
        assert_ok(hb_table_create_view(i == 0 ? in_scratch(others[i]) : others[i], &schema, &view, false, &writer));
        assert_ok(hb_table_write(writer, &(hb_rectangle){.rows = 4, .columns = 3}, values));
        assert_ok(hb_table_sync(writer));
        assert_ok(hb_table_read_back(writer, 1, 1, back));
        assert_true(back[0] == 9 && back[1] == 7);
        hb_table_writer_close(writer);
    }
    assert_false(is_there(in_scratch("view.h5")) || is_there(in_scratch("view.h5.partial")));
    const hb_table_view rows = {.row = 3, .rows = 2, .columns = columns, .count = 2};
    assert_refused(hb_table_create_view(in_scratch("v.csv"), &schema, &rows, false, &writer), HB_EUSAGE,
                   "rows 4 to 5 are not in a table of 4");
    assert_true(hb_table_is_stdout("-") && hb_table_is_stdout("/dev/stdout") && !hb_table_is_stdout("a.csv"));
    assert_refused(hb_table_join("-", &schema, NULL, &other), HB_EUSAGE, "one rank alone");
    hb_schema_clear(&schema);
}

/* Sums of two groups: v, its squares, counts. */
static hb_schema make_groups(void)
{
    const char *const names[] = {"v[-1]", "q[-1]", "n[-1]", "v[7]", "q[7]", "n[7]"};
    hb_schema schema = make_schema(1, 6, names);
    schema.rank = 2;
    schema.column[3].is_signed = true;
    hb_grouping *g;
    assert_ok(hb_grouping_alloc(2, 1, 4, &g));
    g->rows = 9;
    g->parts = 3;
    g->keys.column[0].name = strdup("k");
    g->keys.column[0].is_signed = true;
    g->values[0] = (uint64_t)-1;
    g->values[1] = 7;
    static const char *const shown[] = {"sum", "mean", "var", "share"};
    const hb_grouped_column columns[] = {{.epilogue = &hb_epilogue_itself},
                                         {.epilogue = &hb_epilogue_mean, .part = {0, 2}},
                                         {.epilogue = &hb_epilogue_variance, .part = {1, 0, 2}},
                                         {.epilogue = &hb_epilogue_mean, .part = {0, HB_GROUPED_ROWS}}};
    for (int c = 0; c < 4; c++) {
        g->column[c] = columns[c];
        g->column[c].name = strdup(shown[c]);
    }
    schema.grouping = g;
    assert_ok(hb_grouping_check(&schema, "groups"));
    return schema;
}

static void test_groups(void **state)
{
    (void)state;
    hb_schema schema = make_groups();
    const uint64_t first[] = {(uint64_t)-10, 34, 3}, second[] = {5, 5, 0};
    hb_table_writer *writer;
    size_t bytes;
    const uint64_t columns[] = {2, 0};
    const hb_table_view view = {.row = 0, .rows = 1, .columns = columns, .count = 2};
    const char *const wanted[] = {"k,sum,mean,var,share\n-1,-10,-3.3333333333333335,0.3333333333333333,"
                                  "-1.1111111111111112\n7,5,,,0.5555555555555556\n",
                                  "mean,k\n-3.3333333333333335,-1\n"};
    for (int part = 0; part < 2; part++) {
        const char *path = in_scratch("groups.csv");
        assert_ok(hb_table_create_view(path, &schema, part ? &view : NULL, true, &writer));
        assert_ok(hb_table_write(writer, &(hb_rectangle){.rows = 1, .column = 3, .columns = 3}, second));
        assert_ok(hb_table_write(writer, &(hb_rectangle){.rows = 1, .columns = 3}, first));
        assert_ok(hb_table_commit(writer));
        hb_table_writer_close(writer);
        char *text = (char *)slurp(path, &bytes);
        assert_string_equal(text, wanted[part]);
        free(text);
    }
    hb_table *table;
    double read[10];
    const char *name = in_scratch("groups.h5:/g");
    assert_ok(hb_table_create(name, &schema, false, &writer));
    assert_ok(hb_table_write(writer, &(hb_rectangle){.rows = 1, .columns = 3}, first));
    assert_ok(hb_table_write(writer, &(hb_rectangle){.rows = 1, .column = 3, .columns = 3}, first));
    assert_ok(hb_table_commit(writer));
    hb_table_writer_close(writer);
    assert_false(is_there(in_scratch("groups.h5.partial")) || is_there(in_scratch("groups.h5.partial.raw")));
    assert_ok(hb_table_open(in_scratch("groups.h5:/g"), HB_CELL_REAL, &table));
    assert_ok(hb_table_read(table, &(hb_rectangle){.rows = 2, .columns = 5}, (uint64_t *)read));
    assert_true(read[0] == -1 && read[1] == -10 && read[5] == 7 && read[7] == -10 / 3.0 && read[8] == 1 / 3.0);
    hb_table_close(table);
    schema.grouping->column[1].part[1] = 3;
    assert_refused(hb_grouping_check(&schema, "groups"), HB_EDATA, "its groups are not those of its columns");
    hb_schema_clear(&schema);
}

/* Numbers that are no secret stand among the counts of a group, as words of doubles. */
static void test_public_numbers(void **state)
{
    (void)state;
    hb_schema schema = make_groups();
    hb_grouping *g = schema.grouping;
    uint64_t shown[10], rows;
    assert_ok(hb_grouping_alloc_counts(g, 2));
    memcpy(g->counts, (const uint64_t[]){4, hb_real_word(-0.25), 2, hb_real_word(NAN)}, 4 * sizeof *g->counts);
    g->column[3].epilogue = &hb_epilogue_public;
    g->column[3].part[0] = 4;
    g->column[3].part[1] = 0;
    assert_ok(hb_grouping_check(&schema, "groups"));
    assert_ok(hb_grouping_show(&schema, (const uint64_t[]){(uint64_t)-10, 34, 3, 5, 15, 3}, shown, &rows));
    assert_true(rows == 2 && hb_real_of(shown[4]) == -0.25 && isnan(hb_real_of(shown[9])) && shown[6] == 5);
    const uint64_t wrong[] = {0, 2, 5, HB_GROUPED_ROWS}; /* columns of a group, and what it has none of */
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        g->column[3].part[0] = wrong[i];
        assert_refused(hb_grouping_check(&schema, "groups"), HB_EDATA, "its groups are not those of its columns");
    }
    hb_schema_clear(&schema);
}

/* Counts that are known without decryption, of each group its own: shown, and in means and variances. */
static void test_counts(void **state)
{
    (void)state;
    hb_schema schema = make_groups();
    hb_grouping *g = schema.grouping, *copy;
    uint64_t shown[10], rows;
    assert_ok(hb_grouping_alloc_counts(g, 2));
    memcpy(g->counts, (const uint64_t[]){4, 0, 2, 10}, 4 * sizeof *g->counts);
    g->column[0].part[0] = 4; /* counts follow the three columns of a group */
    g->column[1].part[1] = 3;
    g->column[2].part[2] = 3;
    assert_ok(hb_grouping_copy(g, &copy));
    hb_grouping_free(g);
    schema.grouping = g = copy;
    assert_ok(hb_grouping_check(&schema, "groups"));
    const uint64_t words[] = {(uint64_t)-10, 34, 3, 5, 15, 3};
    assert_ok(hb_grouping_show(&schema, words, shown, &rows));
    assert_true(rows == 2 && shown[1] == 0 && hb_real_of(shown[2]) == -2.5 && hb_real_of(shown[3]) == 3);
    assert_true(shown[6] == 10 && hb_real_of(shown[7]) == 2.5 && hb_real_of(shown[8]) == 2.5);
    g->column[0].part[0] = 5;
    assert_refused(hb_grouping_check(&schema, "groups"), HB_EDATA, "its groups are not those of its columns");
    g->column[0].part[0] = 4;
    g->column[1].part[0] = 3; /* a sum is no count */
    assert_refused(hb_grouping_check(&schema, "groups"), HB_EDATA, "its groups are not those of its columns");
    hb_schema_clear(&schema);
}

enum { FETCHED = 40, FETCHED_PARTS = 3 * FETCHED + 1 };

static const uint64_t fetched_prime = 65537;

static hb_schema make_fetched(void)
{
    hb_schema schema = make_schema(1, FETCHED_PARTS, NULL);
    schema.rank = 2;
    schema.column[0].is_signed = false;
    hb_grouping *g;
    assert_ok(hb_grouping_alloc(1, 3, 0, &g));
    *g = (hb_grouping){.keys = g->keys,
                       .values = g->values,
                       .column = g->column,
                       .parts = FETCHED_PARTS,
                       .rows = 9999,
                       .fetched = FETCHED,
                       .modulus = fetched_prime};
    for (int c = 0; c < 3; c++) {
        hb_column *column = &g->keys.column[c];
        column->name = strdup("a");
        column->is_signed = c != 1;
        column->ranged = true;
        column->least = c == 1 ? 5 : (uint64_t)-20000;
        column->most = 40000;
    }
    schema.grouping = g;
    return schema;
}

/* Draws the values of a row. Keys ascend, a step apart, so that they are different. */
static void draw_row(int64_t values[3], int i, uint64_t *x)
{
    for (int c = 0; c < 3; c++) {
        *x = *x * 6364136223846793005u + 1442695040888963407u;
        values[c] = c == 0 ? -20000 + 1500 * i + (int64_t)(*x >> 54) : 5 + (int64_t)(*x >> 50);
    }
}

static void add_row(uint64_t sums[FETCHED_PARTS], const int64_t values[3])
{
    const uint64_t t = fetched_prime, key = (uint64_t)(values[0] + (int64_t)t) % t;
    uint64_t power = 1;
    for (int j = 0; j <= FETCHED; j++) {
        sums[j] = (sums[j] + power) % t;
        for (int c = 1; c < 3 && j < FETCHED; c++) {
            uint64_t *sum = &sums[1 + c * FETCHED + j];
            *sum = (*sum + power * (uint64_t)values[c]) % t;
        }
        power = power * key % t;
    }
}

/* Rows that are found in their power sums: keys with and without twins, other values; and what no rows have. */
static void test_fetched(void **state)
{
    (void)state;
    hb_schema schema = make_fetched();
    assert_ok(hb_grouping_check(&schema, "rows"));
    uint64_t x = 7, rows = 0, *shown = calloc((FETCHED + 1) * 3, sizeof *shown);
    for (int trial = 0; trial < 60; trial++) {
        const int count = trial % (FETCHED + 1);
        int64_t values[FETCHED][3];
        uint64_t sums[FETCHED_PARTS] = {0};
        for (int i = 0; i < count; i++) {
            draw_row(values[i], i, &x);
            add_row(sums, values[i]);
        }
        assert_ok(hb_grouping_show(&schema, sums, shown, &rows));
        assert_int_equal(rows, count);
        for (int i = 0; i < count; i++) {
            for (int c = 0; c < 3; c++) {
                assert_int_equal((int64_t)shown[3 * i + c], values[i][c]);
            }
        }
        sums[FETCHED] = (sums[FETCHED] + 1) % fetched_prime;
        assert_refused(hb_grouping_show(&schema, sums, shown, &rows), HB_EDATA,
                       count == FETCHED ? "" : "those of no rows");
        sums[0] = FETCHED + 1;
        assert_refused(hb_grouping_show(&schema, sums, shown, &rows), HB_EDATA, "more than 40 rows are selected");
    }
    uint64_t twins[FETCHED_PARTS] = {2, 6, 18}; /* 3 and 3 */
    for (int j = 3; j <= FETCHED; j++) {
        twins[j] = 3 * twins[j - 1] % fetched_prime;
    }
    assert_refused(hb_grouping_show(&schema, twins, shown, &rows), HB_EDATA, "the same first column");
    schema.grouping->modulus = 65535;
    assert_refused(hb_grouping_check(&schema, "rows"), HB_EDATA, "its rows are not those of its columns");
    hb_schema_clear(&schema);
    free(shown);
}

/* Means are the nearest doubles: as quotients of doubles that hold both, as whole numbers that are, and as ties. */
static void test_means(void **state)
{
    (void)state;
    hb_schema schema = make_groups();
    uint64_t x = 1, words[6] = {0}, shown[10], rows;
    for (int i = 0; i < 20000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        const uint64_t count = (x & 0xfffff) | 1, sum = x >> 11;
        words[3] = sum, words[5] = count; /* the second group, whose sums have a sign, and the first */
        words[0] = 0 - sum, words[2] = count;
        assert_ok(hb_grouping_show(&schema, words, shown, &rows));
        assert_true(hb_real_of(shown[7]) == (double)sum / (double)count);
        assert_true(hb_real_of(shown[2]) == -(double)sum / (double)count);
        words[3] = sum >> 20 << 10, words[5] = UINT64_C(1) << 33;
        assert_ok(hb_grouping_show(&schema, words, shown, &rows));
        assert_true(hb_real_of(shown[7]) == (double)(sum >> 20) * 0x1p-23);
    }
    words[3] = (UINT64_C(1) << 53) + 1, words[5] = 1; /* down to the even one; up to it; up */
    assert_ok(hb_grouping_show(&schema, words, shown, &rows));
    assert_true(hb_real_of(shown[7]) == 0x1p53);
    words[3] = (UINT64_C(1) << 53) + 3;
    assert_ok(hb_grouping_show(&schema, words, shown, &rows));
    assert_true(hb_real_of(shown[7]) == 0x1p53 + 4);
    words[3] = (UINT64_C(1) << 62) + 257, words[5] = 1;
    assert_ok(hb_grouping_show(&schema, words, shown, &rows));
    assert_true(hb_real_of(shown[7]) == 0x1p62 + 0);
    words[3] = (UINT64_C(1) << 62) + 513;
    assert_ok(hb_grouping_show(&schema, words, shown, &rows));
    assert_true(hb_real_of(shown[7]) == 0x1p62 + 1024);
    hb_schema_clear(&schema);
}

HB_UNIT(table_grouped)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_view),           cmocka_unit_test(test_groups), cmocka_unit_test(test_counts),
        cmocka_unit_test(test_public_numbers), cmocka_unit_test(test_means),  cmocka_unit_test(test_fetched),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
