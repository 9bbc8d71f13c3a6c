/* Names of columns that stand side by side: their own, and words that distinguish equal ones. */
#include "reference/lowered.h"
#include "table/grouping.h"

#include "unit/unit.h"

/* Datasets x of age, balance and count, and y of age and fee. */
static void open_tables(lowered *l)
{
    static const char *const names[2][3] = {{"age", "balance", "count"}, {"age", "fee"}};
    lowered_open(l, "bfv-8192");
    for (uint32_t t = 0; t < 2; t++) {
        assert_int_equal(lowered_table(l, t == 0 ? "x" : "y", 4, true), t);
        for (uint32_t c = 0; c < 3 - t; c++) {
            lowered_column(l, t, names[t][c], (hb_meaning){0}, hb_interval_of(0, t == 0 && c == 2 ? 1 : 9));
        }
    }
}

/* Names of the columns of r that are shown, with | between them. */
static void list_names(lowered *l, char *out, size_t size)
{
    const hb_value *r = lowered_value(l, "r");
    const hb_grouping *grouping = r->grouping;
    size_t used = 0;
    out[0] = '\0';
    for (uint64_t c = 0; grouping != NULL && c < grouping->keys.columns; c++) {
        used += (size_t)snprintf(out + used, size - used, "%s|", grouping->keys.column[c].name);
    }
    for (uint64_t c = 0; c < (grouping != NULL ? grouping->columns : r->columns); c++) {
        used += (size_t)snprintf(out + used, size - used, "%s|",
                                 grouping != NULL ? grouping->column[c].name : r->names[c].name);
    }
}

static void columns_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *text, *names;
    } cases[] = {
        {"r = (x.age, y.fee)", "age|fee|"},
        {"r = (x.age, y.age)", "x.age|y.age|"},
        {"r = (x.age, x.age*2)", "age|x.age*2|"},
        {"r = (x.age*2, x.age)", "x.age*2|age|"},
        {"r = (x.age + 1, x.age + 2)", "x.age + 1|x.age + 2|"},
        {"r = (x.age, x.age)", "age|x.age|"},
        {"r = (y, 2*y)", "age|fee|(2*y).age|(2*y).fee|"},
        {"z = 2*y; r = (y, z)", "y.age|y.fee|z.age|z.fee|"},
        {"r = (y, square(y))", "age|fee|square(y).age|square(y).fee|"},
        {"r = (mean(y), count())", "mean(age)|mean(fee)|count|"},
        {"r = (sum(x.age), mean(y.fee))", "sum(x.age)|mean(y.fee)|"},
        {"r = (sum(x.age), sum(y.fee))", "age|fee|"}, /* which pair by these names */
        {"r = (mean(y), var(y), count())", "mean(age)|mean(fee)|var(age)|var(fee)|count|"},
        {"r = (sum(y), mean(y))", "sum(age)|sum(fee)|mean(age)|mean(fee)|"},
        {"r = (sum(y), sum(y where x.count))", "sum(age)|sum(fee)|sum(age where x.count)|sum(fee where x.count)|"},
        {"r = (mean(y.age), var(y.age))", "mean(y.age)|var(y.age)|"},
        {"m = mean(y); v = var(y); r = (m, v)", "m.age|m.fee|v.age|v.fee|"},
        {"r = groupby(x.count, sum(y), sum(y where x.age > 3))",
         "count|sum(age)|sum(fee)|sum(age where x.age > 3)|sum(fee where x.age > 3)|"},
        {"r = groupby(x.count, count())", "count|count()|"},
        {"r = groupby(x.age, count())", "age|count|"},
        {"r = histogram(x.count)", "count|count()|"},
    };
    static const char *const refused[] = {
        "r = (x.age*2, x.age*2)",
        "r = (count(), count())",
        "r = (y, y, y)",
        "r = (mean(y), mean(y))",
        "r = groupby(x.count, sum(x.age), sum(x.age))",
    };
    lowered l;
    open_tables(&l);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char names[400];
        lowered_works(&l, cases[i].text);
        list_names(&l, names, sizeof names);
        if (strcmp(names, cases[i].names) != 0) {
            fail_msg("%s: %s, and not %s", cases[i].text, names, cases[i].names);
        }
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        lowered_refused(&l, refused[i], "two columns of the result are called '");
    }
    lowered_close(&l);
}

HB_UNIT(side_names)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(columns_are_told_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
