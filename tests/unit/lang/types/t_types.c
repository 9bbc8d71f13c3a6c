/* The check of expressions: which types their items get, once and again in loops, as which numbers columns store
 * constants, and that faults are refused at their place before anything is lowered. */
#include <ctype.h>
#include <stdlib.h>

#include "lang/types/type_rules.h"
#include "reference/lowered.h"

#include "unit/unit.h"

/* Datasets x of whole numbers p and q, tenths d, truth values b, a category c, dates t and the digits n.1 and n.0; one
 * of one row; plain tables w, with rows, and k, of one row. */
typedef struct world {
    lowered l;
    const hb_labels *labels;
    hb_meaning category;
    hb_checked *checked;
} world;

static void open_world(world *w, const char *preset)
{
    static const char *const labels[] = {"icu", "lab"};
    memset(w, 0, sizeof *w);
    lowered_open(&w->l, preset);
    assert_int_equal(hb_labels_make(labels, 2, &w->labels), HB_OK);
    w->category = (hb_meaning){.kind = HB_MEANING_CATEGORY, .labels = w->labels};
    const uint32_t x = lowered_table(&w->l, "x", 100, true), one = lowered_table(&w->l, "one", 1, true);
    const uint32_t table = lowered_table(&w->l, "w", 100, false), row = lowered_table(&w->l, "k", 1, false);
    const hb_interval none = {.known = false};
    lowered_column(&w->l, x, "p", (hb_meaning){0}, none);
    lowered_column(&w->l, x, "q", (hb_meaning){0}, none);
    lowered_column(&w->l, x, "d", (hb_meaning){.scale = 10}, none);
    lowered_column(&w->l, x, "b", (hb_meaning){.kind = HB_MEANING_BOOL}, none);
    lowered_column(&w->l, x, "c", w->category, none);
    lowered_column(&w->l, x, "t", (hb_meaning){.kind = HB_MEANING_DATE}, none);
    lowered_column(&w->l, one, "p", (hb_meaning){0}, none);
    lowered_column(&w->l, table, "p", (hb_meaning){0}, none);
    lowered_column(&w->l, table, "q", (hb_meaning){0}, none);
    lowered_column(&w->l, row, "p", (hb_meaning){0}, none);
}

static void close_world(world *w)
{
    hb_checked_leave(w->checked);
    lowered_close(&w->l);
    hb_meaning_clear(&w->category);
}

static hb_status check(world *w, const char *text)
{
    hb_checked_leave(w->checked);
    w->checked = NULL;
    lowered_forget(&w->l);
    hb_clear_error();
    HB_TRY(hb_syntax_parse(&w->l.syntax, text, hb_lang_functions));
    const hb_types_context of = {.syntax = &w->l.syntax,
                                 .operands = w->l.operand,
                                 .operand_count = w->l.tables,
                                 .spec = &w->l.params->spec,
                                 .semantics = hb_semantics_of(w->l.params->spec.scheme),
                                 .block = 1};
    return hb_checked_make(&of, &w->checked);
}

static void assert_checks(world *w, const char *text)
{
    if (check(w, text) != HB_OK) {
        fail_msg("%s: %s", text, hb_last_error()->text);
    }
}

/* The type that an item had last, as its user took it: item `number` of those of a kind. */
static const hb_type *taken(const world *w, hb_item_kind kind, uint32_t number)
{
    uint32_t i = 0;
    for (; i < w->l.syntax.count && (w->l.syntax.items[i].kind != kind || number > 0); i++) {
        number -= w->l.syntax.items[i].kind == kind;
    }
    assert_true(i < w->l.syntax.count);
    return &w->checked->types.list[w->checked->types.items[i].taken];
}

/* The type of the last assignment. */
static const hb_type *result(const world *w)
{
    return &w->checked->types.list[w->checked->types.steps.list[w->checked->types.steps.count - 1].taken];
}

/* Kind, columns and their meanings, as text. */
static void describe(const hb_type *type, char *out, size_t size)
{
    static const char *const kinds[] = {"number",     "count",  "table", "row",   "rows",  "totals",
                                        "worked out", "digits", "text",  "range", "entry", "grouped"};
    int used = snprintf(out, size, "%s", kinds[type->kind]);
    if (type->kind == HB_TYPE_NUMBER) {
        used += snprintf(out + used, size - (size_t)used, " %lld", (long long)type->number.integer);
    }
    for (uint32_t c = 0; c < hb_type_meant_columns(type); c++) {
        const hb_meaning *meaning = hb_type_meaning(type, c);
        const int digits = hb_scale_digits(hb_meaning_scale(meaning));
        used += snprintf(out + used, size - (size_t)used, "%s%c", c == 0 ? " " : "",
                         meaning->kind == HB_MEANING_NUMBER ? (char)('0' + digits) : "nbct"[meaning->kind]);
    }
    if (type->worked_out != NULL) {
        snprintf(out + used, size - (size_t)used, ": %s", type->worked_out);
    }
}

static void assert_type(world *w, const char *expression, const char *wanted)
{
    char text[128], type[64];
    snprintf(text, sizeof text, "y = %s", expression);
    assert_checks(w, text);
    describe(result(w), type, sizeof type);
    if (strcmp(type, wanted) != 0) {
        fail_msg("%s is of type %s, and %s is right", expression, type, wanted);
    }
}

/* Kinds, columns and meanings: a digit says how many are behind the point, b true or false, c a category, t a date. */
static void expressions_have_types(void **state)
{
    (void)state;
    static const struct {
        const char *text, *type;
    } cases[] = {
        {"2*3 - 0.5", "number 55 1"},
        {"-(2 + 1)^3", "number -27 0"},
        {"x", "rows 001bct"},
        {"one", "totals 0"},
        {"w", "table 00"},
        {"k", "row 0"},
        {"x.d", "rows 1"},
        {"x.3 * x.3", "rows 2"},
        {"x.t - '2024-01-01'", "rows 0"},
        {"x.t + 7", "rows t"},
        {"x.d + x.p", "rows 1"},
        {"(x.p, x.d) * w.p", "rows 01"},
        {"2*one", "totals 0"},
        {"one * w", "rows 00"},
        {"2*w - k", "table 00"},
        {"-k^2", "row 0"},
        {"where(w.p > 1, k, w.q)", "table 0"},
        {"sum(x.d)", "totals 1"},
        {"sum(x.b)", "totals 0"},
        {"x.p < 3 and not x.b", "rows 0"},
        {"w.p < w.q", "table 0"},
        {"k.p == 4", "row 0"},
        {"x.c == 'lab'", "rows 0"},
        {"x.p in (1, 4..9)", "rows 0"},
        {"where(x.b, x.d, 1)", "rows 1"},
        {"where(x.b, x.c, 'icu')", "rows c"},
        {"max(x.p, 0.25)", "rows 2"},
        {"poly(x.d, 1, 2, 0.5)", "rows 3"},
        {"rowsum((x.p, x.d))", "rows 1"},
        {"onehot(x.c, 'icu', 'lab')", "rows 00"},
        {"onehot(x.p, 1..12)", "rows 000000000000"},
        {"lookup(x.p, 1:0.5, 2..5:20)", "rows 1"},
        {"digits(16, x.p, x.q)", "digits 0"},
        {"cols(x.p, x.c)", "rows 0c"},
        {"mean(x.d)", "worked out: means"},
        {"count()", "count 0: numbers of rows"},
        {"2*count() - count(w.p < 3)", "count 0"},
        {"count()*x.d", "rows 1"},
        {"x.d < count()", "rows 0"},
        {"count(x.b)", "totals 0"},
        {"count(w.p < 3)", "count 0: numbers of rows"},
        {"cols(sum(x.p), count(), mean(x.p))", "worked out: means"},
        {"groupby(x.c, 'lab', sum(x.p where x.b), count())", "worked out: tables of groups"},
        {"fetch((x.p, x.d) where x.b, 3)", "worked out: rows that are fetched"},
    };
    world w;
    open_world(&w, "bfv-8192");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_type(&w, cases[i].text, cases[i].type);
    }
    close_world(&w);
}

static void columns_have_names(void **state)
{
    (void)state;
    world w;
    open_world(&w, "bfv-8192");
    assert_checks(&w, "z = (x.p, x.p, x.d) + 1; y = z.\"x.p\" - z.3");
    assert_string_equal(taken(&w, HB_ITEM_PICK, 3)->names->name, "x.p");
    assert_int_equal(taken(&w, HB_ITEM_PICK, 3)->picked, 1);
    assert_int_equal(taken(&w, HB_ITEM_PICK, 4)->picked, 2);
    assert_checks(&w, "y = (x.p < 3) + x.p");
    assert_string_equal(result(&w)->names->name, "p");
    assert_checks(&w, "y = x.p + x.q");
    assert_null(result(&w)->names);
    close_world(&w);
}

/* A name has the type that it was assigned last; in loops types change until they do not. */
static void loops_have_types(void **state)
{
    (void)state;
    char type[64];
    world w;
    open_world(&w, "bfv-8192");
    assert_checks(&w, "k2 = 1; repeat 5 { k2 = 2*k2 + 1 }; y = x.p^(k2)");
    assert_int_equal(taken(&w, HB_ITEM_NAME, 2)->number.integer, 63);
    assert_checks(&w, "a = x.d; repeat 3 { a = a*x.d }; y = a");
    describe(result(&w), type, sizeof type);
    assert_string_equal(type, "rows 4");
    assert_checks(&w, "a = x.p; repeat 90000 { a = a + x.p*(x.d < 1.25) }; y = a");
    describe(result(&w), type, sizeof type);
    assert_string_equal(type, "rows 0");
    assert_int_equal(w.checked->types.steps.count,
                     3 + 2 * 10 + 2); /* further iterations have the types of the second */
    assert_int_equal(w.checked->types.steps.iterations[0], 2);
    assert_true(w.checked->types.count < 40); /* each once, and not in each iteration */
    assert_int_equal(check(&w, "a = x.d; repeat 30 { a = a*x.d }"), HB_EUSAGE);
    assert_non_null(strstr(hb_last_error()->text, "(in iteration 18 of 30)"));
    assert_int_equal(check(&w, "repeat 3 { y = z; z = x.p }"), HB_EUSAGE);
    assert_non_null(strstr(hb_last_error()->text, "character 16"));
    close_world(&w);
}

/* Writes out the loops of a text, innermost first. */
static void write_out(char *text, size_t size)
{
    for (char *end; (end = strchr(text, '}')) != NULL;) {
        char body[256], rest[512], *begin = end;
        int times = 0, used = 0;
        while (*begin != '{') {
            begin--;
        }
        snprintf(body, sizeof body, "%.*s", (int)(end - begin - 1), begin + 1);
        snprintf(rest, sizeof rest, "%s", end + 1);
        while (strncmp(begin, "repeat ", 7) != 0) {
            begin--;
        }
        assert_int_equal(sscanf(begin, "repeat %d {%n", &times, &used), 1);
        for (int i = 0; i < times; i++) {
            begin += snprintf(begin, size - (size_t)(begin - text), "%s;", body);
        }
        snprintf(begin, size - (size_t)(begin - text), "%s", rest);
    }
}

/* The types of all steps of a text, loops written out, one behind the other. The caller frees it. */
static char *types_of(world *w, const char *text)
{
    enum { SIZE = 1 << 16 };
    char *out = calloc(1, SIZE);
    int used = 0;
    assert_non_null(out);
    assert_checks(w, text);
    const hb_types *types = &w->checked->types;
    hb_steps_way way = {.walk.syntax = &w->l.syntax};
    for (const hb_item *item; (item = hb_steps_next(&types->steps, &way)) != NULL;) {
        char type[64];
        describe(&types->list[way.type], type, sizeof type);
        used += snprintf(out + used, (size_t)(SIZE - used), "%d %s\n", (int)item->kind, type);
        assert_true(used < SIZE);
    }
    return out;
}

/* A loop has the types of its statements written out, whether or not an iteration is like the one before. */
static void loops_have_the_types_of_their_statements(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "a = x.p; repeat 7 { a = a + x.q }; y = a",
        "a = x.p; n = 1; repeat 6 { a = a + n*x.q; n = 2*n + 1 }; y = n*a",
        "a = x.d; repeat 4 { a = a*x.d }; y = a",
        "a = x.p; repeat 4 { n = 1; repeat 3 { n = 2*n }; a = a + n*x.p; repeat 5 { a = a + 1 } }; y = a",
        "n = 3; repeat 3 { repeat 6 { n = 0*n + 2 }; n = n + 1 }; y = x.p^(n)",
        "n = 2; repeat 3 { repeat 4 { n = 2*n - 2; j = n }; repeat 2 { n = n + 1 } }; y = x.p*n",
        "a = x.p; n = 1; repeat 5 { repeat 2 { repeat 3 { a = a + n } }; n = 1 - n }; y = a",
        "a = x.p; b = x.d; repeat 9 { c = a; a = b; b = c }; y = a",
        "repeat 3 { a = x.b; repeat 1 { b = a < 1 } }; repeat 3 { b = b and x.b }; y = b",
    };
    world w;
    open_world(&w, "bfv-8192");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char written[8192];
        snprintf(written, sizeof written, "%s", texts[i]);
        write_out(written, sizeof written);
        char *loop = types_of(&w, texts[i]), *all = types_of(&w, written);
        if (strcmp(loop, all) != 0) {
            fail_msg("%s has the types\n%sand written out\n%s", texts[i], loop, all);
        }
        free(loop);
        free(all);
    }
    close_world(&w);
}

/* Ranges low / 1000 .. high / 1000 in a column of tenths: it stores from the lowest one in the range to the highest. */
static void ranges_have_what_the_column_stores(void **state)
{
    (void)state;
    world w;
    open_world(&w, "bfv-8192");
    for (int low = -330; low <= 330; low += 7) {
        for (int high = low; high <= 330; high += 11) {
            int least = 0, most = 0;
            bool any = false;
            for (int stored = -40; stored <= 40; stored++) {
                if (stored * 100 >= low && stored * 100 <= high) {
                    least = any ? least : stored;
                    most = stored;
                    any = true;
                }
            }
            char text[64];
            snprintf(text, sizeof text, "y = x.d in (%.3f .. %.3f)", low / 1000.0, high / 1000.0);
            assert_int_equal(check(&w, text), any ? HB_OK : HB_EUSAGE);
            if (any) {
                const hb_member *member = &taken(&w, HB_ITEM_RANGE, 0)->member;
                assert_true(!member->entry && member->low.integer == least && member->high.integer == most);
            }
        }
        /* a number by itself is stored, or no member */
        char text[64];
        snprintf(text, sizeof text, "y = x.d in (%.3f)", low / 1000.0);
        assert_int_equal(check(&w, text), low % 100 == 0 ? HB_OK : HB_EUSAGE);
    }
    close_world(&w);
}

/* Constants beside columns get the stored form of these, and decimals get the scale in which they are taken. */
static void operands_are_taken(void **state)
{
    (void)state;
    world w;
    open_world(&w, "bfv-8192");
    assert_checks(&w, "y = x.p < 1.5");
    assert_int_equal(taken(&w, HB_ITEM_NUMBER, 0)->number.integer, 2);
    assert_checks(&w, "y = x.d > -1.25");
    assert_int_equal(taken(&w, HB_ITEM_NEGATE, 0)->number.integer, -13);
    assert_checks(&w, "y = x.d + 2");
    assert_int_equal(taken(&w, HB_ITEM_NUMBER, 0)->number.integer, 20);
    assert_checks(&w, "y = x.t == '1970-02-01'");
    assert_int_equal(taken(&w, HB_ITEM_TEXT, 0)->kind, HB_TYPE_NUMBER);
    assert_int_equal(taken(&w, HB_ITEM_TEXT, 0)->number.integer, 31);
    assert_checks(&w, "y = x.p + x.d");
    const hb_type *p = taken(&w, HB_ITEM_PICK, 0);
    assert_int_equal(hb_meaning_scale(hb_means_of(p->means, 0)), 1);
    assert_int_equal(hb_meaning_scale(hb_means_of(p->taken, 0)), 10);
    assert_checks(&w, "y = lookup(x.c, 'lab':1.5, 'icu':2)");
    const hb_member *lab = &taken(&w, HB_ITEM_ENTRY, 0)->member, *icu = &taken(&w, HB_ITEM_ENTRY, 1)->member;
    assert_true(lab->entry && lab->low.integer == 1 && lab->high.integer == 1 && lab->value.integer == 15);
    assert_true(icu->entry && icu->low.integer == 0 && icu->high.integer == 0 && icu->value.integer == 20);
    close_world(&w);
}

static void faults_are_refused_at_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *preset, *text, *place, *part;
    } cases[] = {
        {"bfv-8192", "y = x.p + z", "character 11", "nothing is bound to 'z'"},
        {"bfv-8192", "y = p", "character 5", "it is a column of x: write x.p"},
        {"bfv-8192", "y = x.c == lab", "character 12", "texts stand in single quotes: 'lab'"},
        {"bfv-8192", "x = 2", "character 1", "x is bound to an input"},
        {"bfv-8192", "y = 'icu'", "character 5", "a text is no value by itself"},
        {"bfv-8192", "y = x.c == 'er'", "character 12", "er"},
        {"bfv-8192", "y = x.p + x.c", "character 9", "a category takes only comparisons"},
        {"bfv-8192", "y = sum(x.t)", "character 5", "dates have no sum"},
        {"bfv-8192", "y = x.p * (x.p, x.q) * (x.p, x.q, x.d)", "character 22", "2 columns and 3"},
        {"bfv-8192", "y = swap(w + k)", "character 5", "swap works on encrypted values, and this is a plain table"},
        {"bfv-8192", "y = x.7", "character 7", "there is no column 7; it has 6"},
        {"bfv-8192", "y = (2*3).p", "character 11", "a number or a text has no columns"},
        {"bfv-8192", "y = x.p^x.q", "character 9", "a constant exponent"},
        {"bfv-8192", "y = x.p^(x.q)", "character 8", "expected a constant exponent"},
        {"bfv-8192", "y = sigmoid(x.p)", "character 5", "there is no function 'sigmoid'"},
        {"bfv-8192", "y = x.p / 2", "character 9", "there is no division of integers"},
        {"bfv-8192", "y = mean(x.p) + 1", "character 15", "means are worked out when they are decrypted"},
        {"bfv-8192", "y = (2*count(), sum(x.p))", "character 5", "columns of a result are encrypted values"},
        {"bfv-8192", "y = digits(16, x.p, x.q) + 1", "character 26", "digits can only be compared"},
        {"bfv-8192", "y = digits(1, x.p, x.q)", "character 5", "begins with the base"},
        {"bfv-8192", "y = groupby(x.c, sum(x.t))", "character 18", "dates have no sum"},
        {"bfv-8192", "y = groupby(x.c, x.p)", "character 5", "aggregates by themselves"},
        {"bfv-8192", "y = groupby((x.c, x.p), 1..2, count())", "character 5", "only one key can have a list of values"},
        {"bfv-8192", "y = sum(x.p where 1)", "character 13", "where takes conditions, and this is a number"},
        {"bfv-8192", "y = x.c and x.b", "character 9", "and takes conditions"},
        {"bfv-8192", "y = lookup(x.p, 3..1:2)", "character 5", "from its least to its most"},
        {"bfv-8192", "y = x.p in (1..x.q)", "character 14", "ranges, as 1..12, are of constants"},
        {"bfv-8192", "y = 12345678901*x.p", "character 5", "the constant is not between"},
        {"ckks-13", "y = x.p == 0.5", "character 9", "reals have no test for equality"},
        {"ckks-13", "y = x.p / 0", "character 9", "a division by 0"},
        {"ckks-13", "y = onehot(x.p, 1)", "character 5", "onehot works on integers"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world w;
        open_world(&w, cases[i].preset);
        if (check(&w, cases[i].text) == HB_OK) {
            fail_msg("%s: not refused", cases[i].text);
        }
        const char *found = hb_last_error()->text, *place = strstr(found, cases[i].place);
        if (place == NULL || isdigit((unsigned char)place[strlen(cases[i].place)]) ||
            strstr(found, cases[i].part) == NULL) {
            fail_msg("%s: '%s' is not at %s of '%s'", cases[i].text, cases[i].part, cases[i].place, found);
        }
        close_world(&w);
    }
}

HB_UNIT(types)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(expressions_have_types),
                                       cmocka_unit_test(columns_have_names),
                                       cmocka_unit_test(loops_have_types),
                                       cmocka_unit_test(loops_have_the_types_of_their_statements),
                                       cmocka_unit_test(ranges_have_what_the_column_stores),
                                       cmocka_unit_test(operands_are_taken),
                                       cmocka_unit_test(faults_are_refused_at_their_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
