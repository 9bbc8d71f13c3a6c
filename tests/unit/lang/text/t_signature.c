/* The grammar knows no function by itself: it parses calls of the given ones, by their rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"
#include "lang/text/syntax.h"
#include "unit/unit.h"

static const hb_signature once = {.name = "once", .form = "once(x)", .least = 1, .most = 1, .reserved = true};
static const hb_signature among = {
    .name = "among", .form = "among(x, 1..9)", .least = 2, .most = 3, .members = true, .alone = "say of which"};
static const hb_signature ended = {.name = "ended", .form = "ended(x, 0, 1)", .least = 1, .most = 3, .interval = true};
static const hb_signature all = {.name = "all", .form = "all(x)", .least = 0, .most = 1, .aggregate = true};
static const hb_signature each = {.name = "each", .form = "each(k, all(x))", .least = 2, .most = 9, .groups = true};
static const hb_signature several = {
    .name = "several", .form = "several(a, b)", .least = 1, .most = 9, .parentheses = true};
static const hb_signature *const functions[] = {&once, &among, &ended, &all, &each, &several, NULL};
static const hb_signature *const none[] = {NULL};

static const hb_item *last_call(const hb_syntax *s)
{
    const hb_item *item = &s->items[s->count - 2]; /* the assignment stands behind */
    assert_int_equal(item->kind, HB_ITEM_CALL);
    return item;
}

static void calls_are_those_of_the_list(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const hb_signature *call;
        uint32_t arguments;
    } cases[] = {{"y = once(a)", &once, 1},           {"y = among(a, 1..9, 12)", &among, 3},
                 {"y = ended(a, 0, 1)", &ended, 3},   {"y = all()", &all, 0},
                 {"y = all(a where b)", &all, 1},     {"y = each((a, b), all(a), all())", &each, 3},
                 {"y = (a, b, once(a))", &several, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_syntax s;
        assert_int_equal(hb_syntax_parse(&s, cases[i].text, functions), HB_OK);
        assert_ptr_equal(last_call(&s)->call, cases[i].call);
        assert_int_equal(last_call(&s)->arguments, cases[i].arguments);
        hb_syntax_clear(&s);
    }
}

/* Aggregates by themselves among the arguments of a call that makes groups, and several keys of it. */
static void aggregates_of_groups_are_noted(void **state)
{
    (void)state;
    hb_syntax s;
    uint32_t grouped = 0;
    assert_int_equal(hb_syntax_parse(&s, "y = each((a, b), all(a), 1 + all(b), once(a))", functions), HB_OK);
    for (uint32_t i = 0; i < s.count; i++) {
        grouped += s.items[i].grouped;
        assert_true(!s.items[i].grouped || s.items[i].call == &several || s.items[i].call == &all);
    }
    assert_int_equal(grouped, 2);
    hb_syntax_clear(&s);
}

static void other_calls_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
        const hb_signature *const *functions;
    } cases[] = {{"y = onec(a)", "there is no function 'onec'; did you mean once?", functions},
                 {"y = sum(a)", "there is no function 'sum'", functions},
                 {"y = rank(a)", "there is no function 'rank': rows cannot be put in order", functions},
                 {"once = a", "once is a function; choose another name", functions},
                 {"once(a.b)", "character 1 of 'once(a.b)': the result has no name: write y = once(a.b)", functions},
                 {"x = a; once(a) ; z = a", "the result has no name: write y = once(a)", functions},
                 {"y = once(a, b)", "it is once(x), and here are 2 arguments", functions},
                 {"y = among(a)", "it is among(x, 1..9), and here is 1 argument: say of which", functions},
                 {"y = ended(a, 0)", "it is ended(x, 0, 1), and here are 2 arguments", functions},
                 {"y = once(a where b)", "write where inside an aggregate, as in sum(x where c)", functions},
                 {"y = once(a)", "there is no function 'once'", none},
                 {"y = (a, b)", "expected an operator or )", none}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_syntax s;
        assert_int_equal(hb_syntax_parse(&s, cases[i].text, cases[i].functions), HB_EUSAGE);
        if (strstr(hb_last_error()->text, cases[i].part) == NULL) {
            fail_msg("'%s' is not in '%s'", cases[i].part, hb_last_error()->text);
        }
        hb_syntax_clear(&s);
    }
}

HB_UNIT(signature)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls_are_those_of_the_list),
                                       cmocka_unit_test(aggregates_of_groups_are_noted),
                                       cmocka_unit_test(other_calls_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
