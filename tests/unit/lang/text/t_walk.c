/* Expressions as trees: operands stand before their item, a loop before its body; and the walk through them, which goes
 * through a loop as often as it is repeated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lang/text/walk.h"
#include "unit/unit.h"

/* A language of one function. */
static const hb_signature sum = {.name = "sum", .form = "sum(x)", .least = 1, .most = 1};
static const hb_signature *const functions[] = {&sum, NULL};

/* Appends the words of assignments in the order of a walk, each with its iteration, and + where a later one follows; of
 * loops the iteration that begins, and 0 where they are left. */
static void list(const char *text, char *out, size_t size)
{
    hb_syntax s;
    assert_int_equal(hb_syntax_parse(&s, text, functions), HB_OK);
    hb_walk walk = {.syntax = &s};
    int length = 0;
    for (const hb_item *item; (item = hb_walk_next(&walk)) != NULL;) {
        if (item->kind == HB_ITEM_REPEAT) {
            length += snprintf(out + length, size - (size_t)length, "%u: ", walk.begins);
        } else if (item->kind == HB_ITEM_ASSIGN) {
            length +=
                snprintf(out + length, size - (size_t)length, "%.*s%u/%u%s ", (int)item->word_length, text + item->word,
                         walk.iteration.number, walk.iteration.of, walk.iteration.again ? "+" : "");
        }
    }
    assert_null(hb_walk_next(&walk));
    hb_syntax_clear(&s);
}

static void loops_are_walked_as_often_as_they_are_repeated(void **state)
{
    (void)state;
    char out[256];
    list("a = x; b = a", out, sizeof out);
    assert_string_equal(out, "a0/0 b0/0 ");
    list("repeat 1 { a = x }", out, sizeof out);
    assert_string_equal(out, "1: a1/1 0: ");
    list("a = x; repeat 3 { b = a; c = b }; d = c", out, sizeof out);
    assert_string_equal(out, "a0/0 1: b1/3+ c1/3+ 2: b2/3+ c2/3+ 3: b3/3 c3/3 0: d0/0 ");
    /* Loops that begin and end together, and behind one another. */
    list("repeat 2 { repeat 2 { a = x } }", out, sizeof out);
    assert_string_equal(out, "1: 1: a1/2+ 2: a1/2+ 0: 2: 1: a2/2+ 2: a2/2 0: 0: ");
    list("repeat 2 { a = x; repeat 2 { b = a }; c = b }", out, sizeof out);
    assert_string_equal(out, "1: a1/2+ 1: b1/2+ 2: b1/2+ 0: c1/2+ 2: a2/2 1: b2/2+ 2: b2/2 0: c2/2 0: ");
    list("repeat 2 { a = x }; repeat 2 { b = a }", out, sizeof out);
    assert_string_equal(out, "1: a1/2+ 2: a2/2 0: 1: b1/2+ 2: b2/2 0: ");
}

/* A loop is there once, however often it is repeated, and its item says where it ends and where it stands. */
static void a_loop_is_one_item_before_its_body(void **state)
{
    (void)state;
    static const char text[] = "a = x\nrepeat 200000 { a = a + x }\nb = sum(a)";
    hb_syntax s;
    assert_int_equal(hb_syntax_parse(&s, text, functions), HB_OK);
    static const hb_item_kind kinds[] = {HB_ITEM_NAME, HB_ITEM_ASSIGN, HB_ITEM_REPEAT, HB_ITEM_NAME, HB_ITEM_NAME,
                                         HB_ITEM_ADD,  HB_ITEM_ASSIGN, HB_ITEM_NAME,   HB_ITEM_CALL, HB_ITEM_ASSIGN};
    assert_int_equal(s.count, sizeof kinds / sizeof *kinds);
    for (uint32_t i = 0; i < s.count; i++) {
        assert_int_equal(s.items[i].kind, kinds[i]);
    }
    assert_int_equal(s.items[2].number, 200000);
    assert_int_equal(s.items[2].end, 7);
    assert_int_equal(text[s.items[2].from], 'r');
    assert_int_equal(text[s.items[2].to - 1], '}');
    assert_true(s.loops);
    /* The same name has the same number, wherever it stands. */
    assert_int_equal(s.names, 3);
    const uint32_t x = s.items[0].name, a = s.items[1].name, b = s.items[9].name;
    assert_true(x != a && x != b && a != b);
    assert_true(s.items[3].name == a && s.items[4].name == x && s.items[6].name == a && s.items[7].name == a);
    hb_syntax_clear(&s);
}

/* The operands of item i are these words. */
static void assert_operands(const hb_syntax *s, uint32_t i, uint32_t size, const char *words)
{
    const hb_item *item = &s->items[i];
    char found[128];
    size_t length = 0;
    const hb_item *operands[8] = {NULL};
    found[0] = '\0';
    assert_true(hb_item_operands(item) <= 8);
    hb_item_find_operands(item, operands);
    for (uint32_t o = 0; o < hb_item_operands(item); o++) {
        length += (size_t)snprintf(found + length, sizeof found - length, "%.*s;",
                                   (int)(operands[o]->to - operands[o]->from), s->text + operands[o]->from);
    }
    assert_string_equal(found, words);
    assert_int_equal(item->size, size);
}

static void operands_are_found_from_their_item(void **state)
{
    (void)state;
    hb_syntax s;
    assert_int_equal(hb_syntax_parse(&s, "a = sum(x) + 2*(y - z)^3; repeat 2 { b = a in (1, 2..3, x) }", functions),
                     HB_OK);
    static const struct {
        uint32_t item, size;
        const char *words;
    } rows[] = {{0, 1, ""},
                {1, 2, "x;"},
                {5, 3, "y;z;"},
                {7, 5, "(y - z);3;"},
                {8, 7, "2;(y - z)^3;"},
                {10, 11, "sum(x) + 2*(y - z)^3;"},
                {11, 1, ""},
                {16, 3, "2;3;"},
                {18, 7, "a;1;2..3;x;"},
                {19, 8, "a in (1, 2..3, x);"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_operands(&s, rows[i].item, rows[i].size, rows[i].words);
    }
    hb_syntax_clear(&s);
}

static void refused(const char *text, const char *why)
{
    hb_syntax s;
    hb_clear_error();
    assert_int_equal(hb_syntax_parse(&s, text, functions), HB_EUSAGE);
    assert_non_null(strstr(hb_last_error()->text, why));
    hb_syntax_clear(&s);
}

static void loops_without_a_body_or_an_end_are_refused(void **state)
{
    (void)state;
    refused("repeat 3 { }", "there is nothing in this loop");
    refused("repeat 3 { repeat 2 { ; } }", "there is nothing in this loop");
    refused("repeat 3 { a = x", "} at the end of the loop");
    refused("repeat 0 { a = x }", "a loop is repeated 1 to");
    refused("repeat 500001 { a = x }", "loops written out come to more than 1000000");
    refused("repeat 1000 { repeat 501 { a = x } }", "loops written out come to more than 1000000");
}

HB_UNIT(walk)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loops_are_walked_as_often_as_they_are_repeated),
                                       cmocka_unit_test(a_loop_is_one_item_before_its_body),
                                       cmocka_unit_test(operands_are_found_from_their_item),
                                       cmocka_unit_test(loops_without_a_body_or_an_end_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
