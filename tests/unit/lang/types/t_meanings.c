/* Results of operations on whole numbers, decimals of two scales, truth values, categories and dates: each operation on
 * every pair of them, against tables that are written by hand from the page of the language. */
#include "reference/lowered.h"

#include "unit/unit.h"

/* Columns of x, one letter each: numbers; decimals of 1 and of 2 digits; truth values; two categories; dates. In the
 * tables also decimals of 3 and 4 digits, f and g, and - for refusals. */
static const char kinds[] = "ndebckt";
enum { KINDS = sizeof kinds - 1 };

static const hb_labels *labels, *others;

static hb_meaning meaning_of(char kind)
{
    switch (kind) {
    case 'd':
        return (hb_meaning){.scale = 10};
    case 'e':
        return (hb_meaning){.scale = 100};
    case 'b':
        return (hb_meaning){.kind = HB_MEANING_BOOL};
    case 'c':
        return (hb_meaning){.kind = HB_MEANING_CATEGORY, .labels = labels};
    case 'k':
        return (hb_meaning){.kind = HB_MEANING_CATEGORY, .labels = others};
    case 't':
        return (hb_meaning){.kind = HB_MEANING_DATE};
    default:
        return (hb_meaning){0};
    }
}

static char kind_of(const hb_meaning *meaning)
{
    int digits = 0;
    switch (meaning->kind) {
    case HB_MEANING_BOOL:
        return 'b';
    case HB_MEANING_DATE:
        return 't';
    case HB_MEANING_TIME:
        return meaning->zoned ? 'z' : " smh"[meaning->unit];
    case HB_MEANING_CATEGORY:
        return hb_meaning_same(meaning, &(hb_meaning){.kind = HB_MEANING_CATEGORY, .labels = labels}) ? 'c' : 'k';
    case HB_MEANING_NUMBER:
        digits = hb_scale_digits(hb_meaning_scale(meaning));
        assert_true(digits >= 0 && digits < 5);
        return meaning->unit != HB_TIME_NONE && meaning->unit != HB_TIME_DAYS ? " SMH"[meaning->unit] : "ndefg"[digits];
    }
    return '?';
}

static void open_world(lowered *l)
{
    static const char *const first[] = {"icu", "lab"}, *const second[] = {"icu", "ward", "lab"};
    static const char *const names[] = {"n", "d", "e", "b", "c", "k", "t"};
    lowered_open(l, "bfv-8192");
    assert_int_equal(hb_labels_make(first, 2, &labels), HB_OK);
    assert_int_equal(hb_labels_make(second, 3, &others), HB_OK);
    const uint32_t x = lowered_table(l, "x", 100, true), y = lowered_table(l, "y", 100, true);
    for (int i = 0; i < KINDS; i++) {
        static const int64_t most[] = {9, 90, 900, 1, 1, 2, 9};
        lowered_column(l, x, names[i], meaning_of(kinds[i]), hb_interval_of(0, most[i]));
        lowered_column(l, y, names[i], meaning_of(kinds[i]), hb_interval_of(0, most[i]));
    }
}

static void close_world(lowered *l)
{
    hb_meaning a = meaning_of('c'), b = meaning_of('k');
    lowered_close(l);
    hb_meaning_clear(&a);
    hb_meaning_clear(&b);
}

/* The meaning of y in a text; - where it is refused, with a place of the text. */
static char found_kind(lowered *l, const char *text)
{
    if (lowered_text(l, text) != HB_OK) {
        assert_non_null(strstr(hb_last_error()->text, "character "));
        return '-';
    }
    const hb_value *y = lowered_value(l, "r");
    if (y->grouping != NULL) { /* the number of all rows, which has no column */
        return 'n';
    }
    assert_int_equal(hb_value_width(y), 1);
    return kind_of(hb_means_of(y->means, 0));
}

static void assert_kind(lowered *l, const char *text, char expected)
{
    const char found = found_kind(l, text);
    if (found != expected) {
        fail_msg("%s is %c, and %c is right: %s", text, found, expected, found == '-' ? hb_last_error()->text : "");
    }
}

/* A form with two columns, by their letters: row of the first, column of the second. */
typedef struct pair_table {
    const char *form;
    const char *rows[KINDS];
} pair_table;

static void two_columns(void **state)
{
    (void)state;
    static const pair_table tables[] = {
        /*       n d e b c k t of the second */
        {"r = x.%c + y.%c", {"nden--t", "dded---", "eeee---", "nden--t", "-------", "-------", "t--t---"}},
        {"r = x.%c - y.%c", {"nden---", "dded---", "eeee---", "nden---", "-------", "-------", "t--t--n"}},
        {"r = x.%c * y.%c", {"nden---", "defd---", "efge---", "nden---", "-------", "-------", "-------"}},
        {"r = x.%c == y.%c", {"nnnn---", "nnnn---", "nnnn---", "nnnn---", "----n--", "-----n-", "------n"}},
        {"r = x.%c <= y.%c", {"nnnn---", "nnnn---", "nnnn---", "nnnn---", "----n--", "-----n-", "------n"}},
        {"r = where(x.b, x.%c, y.%c)", {"nden---", "dded---", "eeee---", "ndeb---", "----c--", "-----k-", "------t"}},
        {"r = max(x.%c, y.%c)", {"nden---", "dded---", "eeee---", "ndeb---", "-------", "-------", "------t"}},
        {"r = dot(x.%c, y.%c)", {"nden---", "defd---", "efge---", "nden---", "-------", "-------", "-------"}},
    };
    lowered l;
    char text[64];
    open_world(&l);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (int a = 0; a < KINDS; a++) {
            for (int b = 0; b < KINDS; b++) {
                snprintf(text, sizeof text, tables[i].form, kinds[a], kinds[b]);
                assert_kind(&l, text, tables[i].rows[a][b]);
            }
        }
    }
    close_world(&l);
}

static void one_column(void **state)
{
    (void)state;
    static const struct {
        const char *form, *results; /* of n d e b c k t */
    } tables[] = {
        {"r = x.%c; s = r", "ndebckt"},
        {"r = -x.%c", "nden---"},
        {"r = x.%c^2", "negn---"},
        {"r = square(x.%c)", "negn---"},
        {"r = x.%c + 1", "nden--t"},
        {"r = x.%c + 1.5", "ddee---"}, /* of a truth value below */
        {"r = 7 - x.%c", "nden---"},
        {"r = 0.5*x.%c", "defd---"},
        {"r = x.%c < 1", "nnnn---"},
        {"r = x.%c == 'icu'", "----nn-"},
        {"r = x.%c == 'lab'", "----nn-"},
        {"r = x.%c == 'ward'", "-----n-"},
        {"r = x.%c < '1970-01-04'", "------n"},
        {"r = x.%c == 'true'", "---n---"},
        {"r = x.%c - '1970-01-01'", "------n"},
        {"r = '1970-01-09' - x.%c", "------n"},
        {"r = where(x.b, x.%c, 7)", "nden---"},
        {"r = where(x.b, x.%c, 'true')", "---b---"},
        {"r = sum(x.%c)", "nden---"},
        {"r = abs(x.%c - 3)", "nden---"},
        {"r = rowsum(x.%c)", "nden---"},
        {"r = rotate(x.%c, 1)", "ndebckt"},
        {"r = modswitch(x.%c)", "ndebckt"},
        {"r = poly(x.%c, 1, 2, 3)", "negn---"},
        {"r = count(x.%c)", "nnnnnnn"}, /* all rows, and those where b is true */
        {"r = not x.%c", "---n---"},
        {"r = x.%c and y.b", "---n---"},
        {"r = y.b or x.%c", "---n---"},
        {"r = where(x.%c, y.b, 7)", "---n---"},
        {"r = sum(y.n where x.%c)", "---n---"},
    };
    lowered l;
    char text[64];
    open_world(&l);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (int a = 0; a < KINDS; a++) {
            snprintf(text, sizeof text, tables[i].form, kinds[a]);
            char expected = tables[i].results[a];
            if (strcmp(tables[i].form, "r = x.%c + 1.5") == 0 && kinds[a] == 'b') {
                expected = 'd';
            }
            assert_kind(&l, text, expected);
        }
    }
    close_world(&l);
}

/* Several columns at a time: each keeps its own, and one column beside several stands beside each. */
static void columns_side_by_side(void **state)
{
    (void)state;
    static const struct {
        const char *text, *kinds;
    } cases[] = {
        {"r = (x.n, x.d, x.t)", "ndt"},
        {"r = (x.n, x.d) + (y.e, y.e)", "ee"}, /* brought to the larger scale of all */
        {"r = (x.n, x.d) + (y.n, y.d)", "nd"},
        {"r = (x.n, x.d, x.e)*y.d", "def"},
        {"r = (x.n, x.d)*(y.n, y.d)", "ne"},
        {"r = (x.t, x.t) - y.n", "tt"},
        {"r = sum((x.n, x.b, x.e))", "nne"},
        {"r = where(x.b, (x.c, x.t), (y.c, y.t))", "ct"},
        {"r = rotate((x.c, x.d), 1)", "cd"},
        {"r = (x.n, x.d)^2", "ne"},
    };
    lowered l;
    open_world(&l);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lowered_works(&l, cases[i].text);
        const hb_value *r = lowered_value(&l, "r");
        assert_int_equal(hb_value_width(r), strlen(cases[i].kinds));
        for (uint32_t c = 0; c < hb_value_width(r); c++) {
            if (kind_of(hb_means_of(r->means, c)) != cases[i].kinds[c]) {
                fail_msg("%s: column %u is %c", cases[i].text, c, kind_of(hb_means_of(r->means, c)));
            }
        }
    }
    close_world(&l);
}

/* Also where 0 or 1 is stored. */
static void conditions_are_truth_values(void **state)
{
    (void)state;
    static const char *const forms[] = {"r = not x.%c", "r = x.%c and y.b", "r = y.b or x.%c", "r = where(x.%c, 3, 7)",
                                        "r = sum(y.n where x.%c)"};
    lowered l;
    char text[64];
    open_world(&l);
    for (int k = 0; k < KINDS; k++) {
        l.range[0][k] = hb_interval_of(0, 1);
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
            snprintf(text, sizeof text, forms[i], kinds[k]);
            assert_kind(&l, text, kinds[k] == 'n' || kinds[k] == 'b' ? 'n' : '-');
        }
    }
    lowered_refused(&l, "r = not x.c", "not takes conditions, which are 0 or 1, and here are 2 labels: icu, lab");
    for (int k = 0; k < KINDS; k++) { /* a count is of the ones, or of all rows, which is no secret */
        snprintf(text, sizeof text, "r = count(x.%c)", kinds[k]);
        assert_kind(&l, text, 'n');
        assert_int_equal(lowered_value(&l, "r")->columns, kinds[k] == 'n' || kinds[k] == 'b' ? 1 : 0);
    }
    close_world(&l);
}

static void refusals_say_why(void **state)
{
    (void)state;
    lowered l;
    open_world(&l);
    lowered_refused(&l, "r = x.t + y.t", "two dates cannot be added");
    lowered_refused(&l, "r = x.n - y.t", "a date is subtracted from dates alone");
    lowered_refused(&l, "r = x.t + y.d", "days are whole numbers");
    lowered_refused(&l, "r = x.c + 1", "a category takes only comparisons");
    lowered_refused(&l, "r = x.c == 1", "write labels in single quotes");
    lowered_refused(&l, "r = x.t < 5", "write dates in single quotes");
    lowered_refused(&l, "r = x.c == y.k", "two categories have different labels");
    lowered_refused(&l, "r = x.c == 'war'", "character 12");
    lowered_refused(&l, "r = x.n == y.t", "the two sides mean different things");
    lowered_refused(&l, "r = 'icu'", "a text is no value by itself");
    lowered_refused(&l, "r = 'icu' == 'icu'", "a text stands for a value of the column beside it, and here is none");
    lowered_refused(&l, "r = x.n == 0.5", "no value of the column is equal to a number with so many digits");
    lowered_refused(&l, "r = (x.c, x.t) == 'icu'", "the columns beside this text stand for different things");
    lowered_refused(&l, "r = x.e^10", "more than 18 digits behind the point");
    lowered_refused(&l, "r = x.e^9*0.1", "more than 18 digits behind the point");
    close_world(&l);
}

/* Times in several units, and the numbers between them, S, M and H, which know what they count. */
static void times_of_day(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        char kind;
        const char *refused;
    } cases[] = {
        {"r = x.m; s = r", 'm', ""},
        {"r = x.m - y.m", 'M', ""},
        {"r = x.s - '1970-01-01T00:00:05'", 'S', ""},
        {"r = '1970-01-01T09:00' - x.h", 'H', ""},
        {"r = x.z - y.z", 'M', ""},
        {"r = x.m + 90", 'm', ""},
        {"r = x.m + x.n", 'm', ""},
        {"r = y.n + x.h", 'h', ""},
        {"r = x.m - 5", 'm', ""},
        {"r = x.m + (y.m - x.m)", 'm', ""},
        {"r = x.s + 60*(y.m - x.m)", 's', ""},
        {"r = -(x.m - y.m)", 'M', ""},
        {"r = (x.m - y.m) + 5", 'M', ""},
        {"r = sum(x.m - y.m)", 'M', ""},
        {"r = 2*(x.m - y.m)", 'n', ""},
        {"r = max(x.m, y.m)", 'm', ""},
        {"r = min(x.z, y.z)", 'z', ""},
        {"r = max(x.m - y.m, 5)", 'M', ""},
        {"r = where(x.b, x.m, y.m)", 'm', ""},
        {"r = where(x.b, x.z, '1970-01-01T00:03Z')", 'z', ""},
        {"r = rotate(x.s, 1)", 's', ""},
        {"r = x.m == y.m", 'n', ""},
        {"r = x.m >= '1970-01-01T00:03'", 'n', ""},
        {"r = x.z between '1970-01-01T00:00Z' and '1970-01-01T00:09+00:00'", 'n', ""},
        {"r = x.m in ('1970-01-01T00:00', '1970-01-01T00:02'..'1970-01-01T00:05')", 'n', ""},
        {"r = x.m - y.m > 30", 'n', ""},
        {"r = x.m + y.m", '-', "two times cannot be added; their difference is the time between them"},
        {"r = 5 - x.m", '-', "a time is subtracted from times alone"},
        {"r = x.m + 0.5", '-', "days are whole numbers, and so are the units of times"},
        {"r = x.m*2", '-', "dates and times can be compared and subtracted"},
        {"r = sum(x.m)", '-', "times have no sum and no mean"},
        {"r = x.m < 5", '-', "write times in single quotes, as '2024-03-01T09:00'"},
        {"r = x.m < x.n", '-', "the two sides mean different things"},
        {"r = x.m < x.t", '-', "a date stands beside a time: encrypt the times as dates, --time-of-day drop"},
        {"r = x.t - x.m", '-', "a date stands beside a time"},
        {"r = x.m < '2026-11-28'", '-', "'2026-11-28' is a date: m has times in minutes, as '2024-03-01T09:00'"},
        {"r = x.m < '2026-11-28T10:00:30'", '-', "is no whole number of minutes"},
        {"r = x.z < '2026-11-28T10:00'", '-', "has no zone"},
        {"r = x.t < '2026-11-28T10:00'", '-', "is no date"},
        {"r = x.m < y.s", '-', "one side counts seconds and the other one minutes: encrypt both with the same unit"},
        {"r = x.h - y.m", '-', "one side counts minutes and the other one hours: encrypt both with the same unit"},
        {"r = max(x.m, y.z)", '-', "times with a zone stand beside times without one"},
        {"r = x.m + (y.s - x.s)", '-',
         "one side counts seconds and the other one minutes: encrypt both with the same unit"},
        {"r = x.s + (y.m - x.m)", '-', "one side counts seconds and the other one minutes: multiply the minutes by 60"},
        {"r = x.m + (y.t - x.t)", '-', "one side counts minutes and the other one days: multiply the days by 1440"},
        {"r = (y.h - x.h) + (y.t - x.t)", '-', "multiply the days by 24"},
        {"r = (y.h - x.h) > (y.s - x.s)", '-', "multiply the hours by 3600"},
        {"r = rowsum((x.m - y.m, x.s - y.s))", '-', "the columns count different things"},
        {"r = count(x.m)", 'n', NULL},
    };
    lowered l;
    lowered_open(&l, "bfv-8192");
    for (int table = 0; table < 2; table++) {
        const uint32_t at = lowered_table(&l, table == 0 ? "x" : "y", 100, true);
        const hb_interval few = hb_interval_of(0, 9);
        lowered_column(&l, at, "n", (hb_meaning){0}, few);
        lowered_column(&l, at, "b", (hb_meaning){.kind = HB_MEANING_BOOL}, hb_interval_of(0, 1));
        lowered_column(&l, at, "t", (hb_meaning){.kind = HB_MEANING_DATE}, few);
        lowered_column(&l, at, "s", (hb_meaning){.kind = HB_MEANING_TIME, .unit = HB_TIME_SECONDS}, few);
        lowered_column(&l, at, "m", (hb_meaning){.kind = HB_MEANING_TIME, .unit = HB_TIME_MINUTES}, few);
        lowered_column(&l, at, "h", (hb_meaning){.kind = HB_MEANING_TIME, .unit = HB_TIME_HOURS}, few);
        lowered_column(&l, at, "z", (hb_meaning){.kind = HB_MEANING_TIME, .unit = HB_TIME_MINUTES, .zoned = true}, few);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_kind(&l, cases[i].text, cases[i].kind);
        if (cases[i].kind == '-') {
            lowered_refused(&l, cases[i].text, cases[i].refused);
        }
    }
    lowered_close(&l);
}

HB_UNIT(meanings)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_columns),          cmocka_unit_test(one_column),
        cmocka_unit_test(columns_side_by_side), cmocka_unit_test(conditions_are_truth_values),
        cmocka_unit_test(refusals_say_why),     cmocka_unit_test(times_of_day)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
