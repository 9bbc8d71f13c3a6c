/* Tables of groups, histograms, means and variances: the sums that their graphs come to, worked out as decryption does,
 * against the same of plain rows. */
#include <math.h>

#include "reference/graph_values.h"
#include "table/epilogue.h"
#include "table/grouping.h"
#include "unit/unit.h"

enum { ROWS = 60, WARD = 0, SEX, AGE, PAY };

typedef struct row {
    int64_t ward, sex, age, pay;
} row;

/* Some wards have few rows, and one has none. */
static row row_of(int i)
{
    return (row){i % 11 < 5 ? 0 : i % 11 < 9 ? 1 : 3, i * 5 / 3 % 2, 17 + i * i % 9, i % 13 - 4};
}

typedef struct world {
    lowered l;
    graph_values v;
} world;

static void open_world(world *w)
{
    memset(w, 0, sizeof *w);
    lowered_open(&w->l, "bfv-8192");
    const uint32_t x = lowered_table(&w->l, "p", ROWS, true);
    lowered_column(&w->l, x, "ward", (hb_meaning){0}, hb_interval_of(0, 3));
    lowered_column(&w->l, x, "sex", (hb_meaning){.kind = HB_MEANING_BOOL}, hb_interval_of(0, 1));
    lowered_column(&w->l, x, "age", (hb_meaning){0}, hb_interval_of(17, 25));
    lowered_column(&w->l, x, "pay", (hb_meaning){0}, hb_interval_of(-4, 8));
    for (int i = 0; i < ROWS; i++) {
        const row r = row_of(i);
        w->v.cell[x][WARD][i] = r.ward;
        w->v.cell[x][SEX][i] = r.sex;
        w->v.cell[x][AGE][i] = r.age;
        w->v.cell[x][PAY][i] = r.pay;
    }
}

static void close_world(world *w)
{
    free(w->v.node);
    lowered_close(&w->l);
}

/* The rows of a group, and their sums. */
typedef struct tally {
    int64_t rows, sum, squares;
} tally;

static void add(tally *t, int64_t value)
{
    t->rows++;
    t->sum += value;
    t->squares += value * value;
}

/* Part `part` of a group of y. */
static int64_t part_of(world *w, const hb_value *y, uint64_t group, uint64_t part)
{
    const hb_grouping *grouping = y->grouping;
    if (part >= grouping->parts) {
        return (int64_t)hb_grouping_known(grouping, group, part);
    }
    const uint32_t node = w->l.lowering.pool[y->first + group * grouping->parts + part];
    const int64_t found = values_integer(&w->v, node, 0);
    const hb_interval range = w->v.graph->nodes[node].range.interval;
    assert_true(!range.known || hb_interval_within(hb_interval_of(found, found), range));
    return found;
}

/* Column `column` of a group is that aggregate of a tally: 's'um, 'c'ount, 'm'ean or 'v'ariance. */
static void assert_cell(world *w, uint64_t group, uint64_t column, char aggregate, const tally *t)
{
    const hb_value *y = lowered_value(&w->l, "y");
    const hb_grouped_column *c = &y->grouping->column[column];
    const int64_t first = part_of(w, y, group, c->part[0]);
    if (aggregate == 's' || aggregate == 'c') {
        assert_true(hb_epilogue_is_itself(c->epilogue));
        assert_int_equal(first, aggregate == 's' ? t->sum : t->rows);
        return;
    }
    assert_ptr_equal(c->epilogue, aggregate == 'm' ? &hb_epilogue_mean : &hb_epilogue_variance);
    const uint32_t parts = c->epilogue->parts;
    assert_int_equal(parts, aggregate == 'm' ? 2 : 3);
    for (uint32_t i = 0; i < parts; i++) {
        const int64_t expected[] = {t->rows, t->sum, t->squares};
        assert_int_equal(part_of(w, y, group, c->part[i]), expected[c->epilogue->power[i]]);
    }
}

static void find(world *w, const char *text)
{
    lowered_works(&w->l, text);
    values_find(&w->v, &w->l.lowering.graph, ROWS);
    assert_non_null(lowered_value(&w->l, "y")->grouping);
}

static void a_group_for_each_value(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    find(&w, "y = groupby(p.ward, count(), sum(p.pay), mean(p.age), var(p.pay), sum(p.pay where p.sex))");
    const hb_grouping *g = lowered_value(&w.l, "y")->grouping;
    assert_int_equal(g->keys.columns, 1);
    assert_int_equal(g->keys.rows, 4);
    for (uint64_t group = 0; group < g->keys.rows; group++) {
        tally pay = {0}, age = {0}, selected = {0};
        assert_int_equal(g->values[group], group);
        for (int i = 0; i < ROWS; i++) {
            const row r = row_of(i);
            if (r.ward == (int64_t)group) {
                add(&pay, r.pay);
                add(&age, r.age);
                add(&selected, r.sex ? r.pay : 0);
            }
        }
        assert_cell(&w, group, 0, 'c', &pay);
        assert_cell(&w, group, 1, 's', &pay);
        assert_cell(&w, group, 2, 'm', &age);
        assert_cell(&w, group, 3, 'v', &pay);
        assert_cell(&w, group, 4, 's', &selected);
    }
    close_world(&w);
}

/* Two keys, and rows that a condition selects. */
static void groups_of_two_keys(void **state)
{
    (void)state;
    world w;
    uint64_t seen = 0;
    open_world(&w);
    find(&w, "y = groupby((p.ward, p.sex) where p.age >= 20, sum(p.age), count())");
    const hb_grouping *g = lowered_value(&w.l, "y")->grouping;
    assert_int_equal(g->keys.columns, 2);
    assert_int_equal(g->keys.rows, 8);
    for (uint64_t group = 0; group < g->keys.rows; group++) {
        const int64_t ward = (int64_t)g->values[2 * group], sex = (int64_t)g->values[2 * group + 1];
        tally age = {0};
        seen |= (uint64_t)1 << (2 * ward + sex);
        for (int i = 0; i < ROWS; i++) {
            const row r = row_of(i);
            if (r.ward == ward && r.sex == sex && r.age >= 20) {
                add(&age, r.age);
            }
        }
        assert_cell(&w, group, 0, 's', &age);
        assert_cell(&w, group, 1, 'c', &age);
    }
    assert_int_equal(seen, 0xff); /* each once */
    close_world(&w);
}

/* Values of a key that are asked for, one by one and by ranges; others count nowhere. */
static void groups_that_are_said(void **state)
{
    (void)state;
    static const int64_t low[] = {17, 20, 25}, high[] = {18, 20, 25};
    static const char *const texts[] = {"y = groupby(p.age, 17..18, 20, 25, count(), sum(p.pay))",
                                        "y = histogram(p.age, 17..18, 20, 25)"};
    world w;
    open_world(&w);
    for (size_t t = 0; t < 2; t++) {
        find(&w, texts[t]);
        const hb_grouping *g = lowered_value(&w.l, "y")->grouping;
        const bool histogram = t == 1;
        assert_int_equal(g->keys.rows, histogram ? 3 : 4); /* members of groupby are values, of histogram bins */
        for (uint64_t group = 0; group < g->keys.rows; group++) {
            const int64_t key = (int64_t)g->values[group];
            tally pay = {0};
            for (int i = 0; i < ROWS; i++) {
                const row r = row_of(i);
                const bool in = histogram ? r.age >= low[group] && r.age <= high[group] : r.age == key;
                if (in) {
                    add(&pay, r.pay);
                }
            }
            assert_cell(&w, group, 0, 'c', &pay);
            if (!histogram) {
                assert_cell(&w, group, 1, 's', &pay);
            }
        }
    }
    close_world(&w);
}

/* All rows are one group without keys, whose number of rows is known. */
static void means_of_all_rows(void **state)
{
    (void)state;
    world w;
    tally age = {0}, pay = {0}, young = {0};
    for (int i = 0; i < ROWS; i++) {
        const row r = row_of(i);
        add(&age, r.age);
        add(&pay, r.pay);
        if (r.age < 20) {
            add(&young, r.pay);
        }
    }
    open_world(&w);
    find(&w, "y = mean(p.age)");
    assert_cell(&w, 0, 0, 'm', &age);
    find(&w, "y = var(p.pay)");
    assert_cell(&w, 0, 0, 'v', &pay);
    find(&w, "y = mean(p.pay where p.age < 20)");
    assert_cell(&w, 0, 0, 'm', &young);
    find(&w, "y = (count(p.age < 20), var(p.pay where p.age < 20), mean(p.age), count())");
    assert_cell(&w, 0, 0, 'c', &young);
    assert_cell(&w, 0, 1, 'v', &young);
    assert_cell(&w, 0, 2, 'm', &age);
    assert_cell(&w, 0, 3, 'c', &age);
    close_world(&w);
}

/* Groups of rows that a condition selects nowhere, by the ranges of its columns. */
static void groups_of_no_rows(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "y = groupby(p.ward where p.age > 30, count(), sum(p.pay), mean(p.age), var(p.pay), count(p.sex))",
        "y = groupby((p.ward, p.sex) where p.age between 30 and 40 and p.pay > 2, count(), sum(p.pay), mean(p.age), "
        "var(p.pay), count(p.sex))",
    };
    const tally none = {0};
    world w;
    open_world(&w);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        find(&w, texts[t]);
        const hb_grouping *g = lowered_value(&w.l, "y")->grouping;
        assert_int_equal(g->keys.rows, t == 0 ? 4 : 8);
        for (uint64_t group = 0; group < g->keys.rows; group++) {
            assert_cell(&w, group, 0, 'c', &none);
            assert_cell(&w, group, 1, 's', &none);
            assert_cell(&w, group, 2, 'm', &none);
            assert_cell(&w, group, 3, 'v', &none);
            assert_cell(&w, group, 4, 'c', &none);
        }
    }
    find(&w, "y = histogram(p.ward where p.age > 30, 0..1, 2..3)");
    assert_cell(&w, 0, 0, 'c', &none);
    assert_cell(&w, 1, 0, 'c', &none);
    close_world(&w);
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"y = groupby(p.ward)", "character"},
        {"y = groupby(p.ward, p.pay)", "aggregate"},
        {"y = groupby(p.ward, 1 + sum(p.pay))", "aggregate"},
        {"g = groupby(p.ward, count()); y = g + 1", "tables of groups are worked out when they are decrypted"},
        {"y = groupby(p.ward, fetch(p.age, 3))", "rows that are fetched are a table by themselves"},
        {"y = groupby(3, count())", "character"},
        {"y = sum(p.pay where p.age)", "where takes conditions"},
    };
    world w;
    open_world(&w);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lowered_refused(&w.l, cases[i].text, cases[i].part);
    }
    close_world(&w);
}

HB_UNIT(groups)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_for_each_value), cmocka_unit_test(groups_of_two_keys),
        cmocka_unit_test(groups_that_are_said),   cmocka_unit_test(means_of_all_rows),
        cmocka_unit_test(groups_of_no_rows),      cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
