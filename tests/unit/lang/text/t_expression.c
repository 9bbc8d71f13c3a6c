/* Expressions as the parser reads them, with the functions of the language: the order of operations, the places of
 * faults, texts that are made to break it; words that bind names to files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lang/functions/list.h"
#include "lang/text/binding.h"
#include "lang/text/syntax.h"
#include "unit/unit.h"

static void assert_error(const char *part)
{
    if (strstr(hb_last_error()->text, part) == NULL) {
        fail_msg("'%s' is not in '%s'", part, hb_last_error()->text);
    }
}

/* Postfix; a loop of three turns and its body are 3{ ... }. */
static void print_items(char *out, const hb_syntax *s)
{
    uint32_t ends[8], depth = 0;
    static const char *const operators[] = {"~",       "+",   "-",       "*",     "/",  "^",   "@",  "<",
                                            ">",       "<=",  ">=",      "==",    "!=", "and", "or", "not",
                                            "between", "in?", "missing", "where", "..", ":"};
    for (uint32_t i = 0; i < s->count; i++) {
        const hb_item *item = &s->items[i];
        const int length = (int)item->word_length;
        for (; depth > 0 && ends[depth - 1] == i; depth--) {
            out += sprintf(out, "} ");
        }
        switch (item->kind) {
        case HB_ITEM_NUMBER:
            out += item->decimal ? sprintf(out, "%.17g ", item->real) : sprintf(out, "%lld ", (long long)item->number);
            break;
        case HB_ITEM_NAME:
            out += sprintf(out, "%.*s ", length, s->text + item->word);
            break;
        case HB_ITEM_PICK:
            out += length > 0 ? sprintf(out, ".%.*s ", length, s->text + item->word)
                              : sprintf(out, ".%lld ", (long long)item->number);
            break;
        case HB_ITEM_REPEAT:
            out += sprintf(out, "%lld{ ", (long long)item->number);
            ends[depth++] = item->end;
            break;
        case HB_ITEM_TEXT:
            out += sprintf(out, "'%.*s' ", length, s->text + item->word);
            break;
        case HB_ITEM_IN:
            out += sprintf(out, "in/%u ", item->arguments);
            break;
        case HB_ITEM_CALL:
            out += sprintf(out, "%s%s/%u ", item->grouped ? "each " : "", item->call->name, item->arguments);
            break;
        case HB_ITEM_ASSIGN:
            out += sprintf(out, "=%.*s ", length, s->text + item->word);
            break;
        default:
            out += sprintf(out, "%s ", operators[item->kind - HB_ITEM_NEGATE]);
        }
    }
    for (; depth > 0; depth--) {
        out += sprintf(out, "} ");
    }
}

static void grammar(void **state)
{
    (void)state;
    static const struct {
        const char *text, *postfix;
    } cases[] = {
        {"y=a", "a =y "},
        {"y = a + b*c - 3", "a b c * + 3 - =y "},
        {"y = a - b - c; z = a-(b-c)", "a b - c - =y a b c - - =z "},
        {"y = -a^2 * -b", "a 2 ^ ~ b ~ * =y "},
        {"y = --a - -1", "a ~ ~ 1 ~ - =y "},
        {"y = (a + 2)^(1+1)", "a 2 + 1 1 + ^ =y "},
        {"\n# nothing\n;;y = a # the first\n z=b;", "a =y b =z "},
        {"y = (a\n + b # inside\n)\nz = y", "a b + =y y =z "},
        {"y = a.name + a.3*a.\"odd name, +\"", "a .name a .3 a .odd name, + * + =y "},
        {"y = a.\"Mean \"\"x\"\" (mm)\"*2", "a .Mean \"\"x\"\" (mm) 2 * =y "},
        {"y = a.\"\"\"\" + a.\"\"\"b.\"", "a .\"\" a .\"\"b. + =y "},
        {"y = dot(rotate(a, -1), swap(b)).1", "a 1 ~ rotate/2 b swap/1 dot/2 .1 =y "},
        {"_y1 = poly(square(x), 1, -2, 3*4)", "x square/1 1 2 ~ 3 4 * poly/4 =_y1 "},
        {"y = 0.5*a.1*a.2 + 1e-3*a.3 - 2.5E+2", "0.5 a .1 * a .2 * 0.001 a .3 * + 250 - =y "},
        {"y = w @ x * 2 + mean(a); mean = conj(y)", "w x @ 2 * a mean/1 + =y y conj/1 =mean "},
        {"y = sum(rowsum(modswitch(sum)))", "sum modswitch/1 rowsum/1 sum/1 =y "},
        {"y = sigmoid(w @ x + b, -8, 8)/2", "w x @ b + 8 ~ 8 sigmoid/3 2 / =y "},
        {"y = a + 1 < -b/c*d", "a 1 + b ~ c / d * < =y "},
        {"y = (a <= b)*(b >= c) - max(a, b > c)", "a b <= b c >= * a b c > max/2 - =y "},
        {"y = a == 1 and b != 2 or not c >= 3", "a 1 == b 2 != and c 3 >= not or =y "},
        {"y = not a and not not (b or c)", "a not b c or not not and =y "},
        {"y = a.sex == 'fem''ale' and '1998-09-02' <= a.2", "a .sex 'fem''ale' == '1998-09-02' a .2 <= and =y "},
        {"y = a in (1, -3, 5..9, 'x'..'y') or b not in (2)", "a 1 3 ~ 5 9 .. 'x' 'y' .. in/5 b 2 in/2 not or =y "},
        {"y = a + 1 between 3*b and -7 and b not between 'u' and 'v'",
         "a 1 + 3 b * 7 ~ between b 'u' 'v' between not and =y "},
        {"and = or + not - in*between; in = where.not", "or not + in between * - =and where .not =in "},
        {"y = onehot(a, -1..12, 'x', 15) + lookup(b, 1:10, 2..5:-a, 'u':(2 < 3))",
         "a 1 ~ 12 .. 'x' 15 onehot/4 b 1 10 : 2 5 .. a ~ : 'u' 2 3 < : lookup/4 + =y "},
        {"y = lookup(a, w) - lookup(a, w.1 < 2 and c or d) + onehot(a, not b)",
         "a w lookup/2 a w .1 2 < c and d or lookup/2 - a b not onehot/2 + =y "},
        {"y = where(a < 2, b, 0); count = count() + count(a == 1)",
         "a 2 < b 0 where/3 =y count/0 a 1 == count/1 + =count "},
        {"y = sum(a.x where b and c) + mean(a where b) - histogram(a where b, 0..9, 1..2)",
         "a .x b c and where sum/1 a b where mean/1 + a b where 0 9 .. 1 2 .. histogram/3 - =y "},
        {"y = groupby(k.1, 1..12, sum(a where b), (count()), 1 + count())",
         "k .1 1 12 .. a b where each sum/1 each count/0 1 count/0 + groupby/5 =y "},
        {"y = cols(a, sum(b), a < 2)", "a b sum/1 a 2 < cols/3 =y "},
        {"y = a in (1.5..2.5, 1e3..2e3)", "a 1.5 2.5 .. 1000 2000 .. in/3 =y "},
        {"y = a; repeat 3 { y = y*b }; z = y", "a =y 3{ y b * =y } y =z "},
        {"repeat 2 {\n  y = a # the body\n  z = (y\n + b)\n}\nrepeat = z", "2{ a =y y b + =z } z =repeat "},
        {"repeat 2 { y = a; repeat 2 { z = y; } }", "2{ a =y 2{ y =z } } "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_syntax s;
        char postfix[256] = "";
        assert_int_equal(hb_syntax_parse(&s, cases[i].text, hb_lang_functions), HB_OK);
        print_items(postfix, &s);
        assert_string_equal(postfix, cases[i].postfix);
        hb_syntax_clear(&s);
    }
}

typedef struct refusal {
    const char *text, *part;
} refusal;

static void assert_all_refused(const refusal *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hb_syntax s;
        assert_int_equal(hb_syntax_parse(&s, cases[i].text, hb_lang_functions), HB_EUSAGE);
        assert_error(cases[i].part);
        hb_syntax_clear(&s);
    }
}

static void statements_are_refused(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"", "is empty"},
        {" # only words\n", "is empty"},
        {"y = ", "character 5 of 'y = ': expected a name, a number, - or (, found the end"},
        {"y = a +; z = b",
         "character 8 of 'y = a +; z = b': expected a name, a number, - or (, found the end of the st"},
        {"a*b", "character 1 of 'a*b': the result has no name: write y = a*b"},
        {"y = b; a.x < 3", "character 8 of 'y = b; a.x < 3': the result has no name: write y = a.x < 3"},
        {"y b", "character 3 of 'y b': expected = (a statement is name = expression), found 'b'"},
        {"median(a.x)", "character 1 of 'median(a.x)': there is no function 'median': rows cannot be put in order"},
        {"frobnicate(a)", "character 1 of 'frobnicate(a)': there is no function 'frobnicate'"},
        {"y = a\n3 = b", "line 2, character 1 of '3 = b': expected a statement, name = expression, found '3'"},
        {"y = (a + b", "character 11 of 'y = (a + b': expected an operator or ), found the end"},
        {"y = a + b)", "character 10 of 'y = a + b)': expected an operator or the end, found ')'"},
        {"repeat 2 { }", "character 1 of 'repeat 2 { }': there is nothing in this loop"},
        {"repeat 2 { repeat 2 { ; } }", "there is nothing in this loop"},
        {"repeat 0 { y = a }", "a loop is repeated 1 to 1000000 times"},
        {"repeat 1.5 { y = a }", "a loop is repeated 1 to 1000000 times"},
        {"repeat 2 y = a", "expected { (a loop is repeat 10 { name = expression }), found 'y'"},
        {"repeat 2 { y = a", "expected } at the end of the loop, found the end"},
        {"repeat 2 { y = a } z = y", "expected the end of the statement behind a loop, found 'z'"},
        {"y = a }", "expected an operator or the end, found '}'"},
        {"repeat 1000000 { y = a*b; z = y }", "loops written out come to more than 1000000"},
        {"y = a b", "character 7 of 'y = a b': expected an operator or the end, found 'b'"},
        {"y = 3a", "character 5 of 'y = 3a': a number and a name with nothing between"},
        {"y = 1.*a", "character 5 of 'y = 1.*a': a number with nothing behind its point"},
        {"y = 1.5e*a", "character 5 of 'y = 1.5e*a': a number and a name with nothing between"},
        {"y = 1e400*a", "character 5 of 'y = 1e400*a': the number is too large"},
        {"y = a.1.5", "character 7 of 'y = a.1.5': expected the name of a column, or its number from 1, found '1.5'"},
        {"y = a[3]", "character 6 of 'y = a[3]': a column is picked as"},
        {"y = a % 2", "character 7 of 'y = a % 2': remainders are not part of BFV or CKKS"},
    };
    assert_all_refused(cases, sizeof cases / sizeof *cases);
}

static void conditions_are_refused(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"y = a < b < 2", "character 11 of 'y = a < b < 2': expected one comparison at a time; a < b and b < c is"},
        {"y = a = 2",
         "character 7 of 'y = a = 2': expected an operator or the end, found '='; values are compared by =="},
        {"y == 2", "character 3 of 'y == 2': expected = (a statement is name = expression), found '=='"},
        {"y = a == b != c", "character 12 of 'y = a == b != c': expected one comparison at a time; a < b and b"},
        {"y = a & b", "character 7 of 'y = a & b': write 'and' between conditions"},
        {"y = !a", "character 5 of 'y = !a': write 'not' before a condition"},
        {"y = a == 'x\n'", "character 10 of 'y = a == 'x': the quoted text is not closed by another ' on its line"},
        {"y = a in 3", "character 10 of 'y = a in 3': expected ( and a list, as in x in (1, 3, 5..9), found '3'"},
        {"y = a in (1 2)", "character 13 of 'y = a in (1 2)': expected an operator, a comma, .. or ), found '2'"},
        {"y = a between 3, 7",
         "character 16 of 'y = a between 3, 7': expected and, as in x between 3 and 7, found ','"},
        {"y = a not b", "character 11 of 'y = a not b': expected in or between behind not, found 'b'"},
        {"y = sum(a) where b",
         "character 12 of 'y = sum(a) where b': expected an operator or the end, found 'where'; write where inside"},
        {"y = square(a where b)", "character 14 of 'y = square(a where b)': expected an operator, a comma or )"},
        {"y = a..b", "character 6 of 'y = a..b': expected an operator or the end, found '..'"},
        {"y = where(a, b)", "character 5 of 'y = where(a, b)': it is where(condition, a, b), and here are 2 arguments"},
        {"y = sum(1..2)", "character 10 of 'y = sum(1..2)': expected an operator, a comma or ), found '..'"},
        {"y = onehot(a, 1..2 + b", "character 23 of 'y = onehot(a, 1..2 + b': expected an operator, a comma or )"},
    };
    assert_all_refused(cases, sizeof cases / sizeof *cases);
}

static void names_and_functions_are_refused(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"y = a ~ b", "character 7 of 'y = a ~ b': expected a name, a number or one of + - * / @ ^"},
        {"y = a.\xc3\xb6", "names have letters a to z, digits and _; a column with another one is picked as a.\"odd"},
        {"y = b - avg(a)", "there is no function 'avg': use mean"},
        {"y = rank(a)", "there is no function 'rank': rows cannot be put in order while they are encrypted"},
        {"y = cos(a)", "there is no function 'cos': for reals, cheb(x, low, high, c0, c1, ...) and poly("},
        {"y = max(a)",
         "character 5 of 'y = max(a)': it is max(x, y), and here is 1 argument: it compares two values in each row"},
        {"y = sigmoid(a, 2)", "it is sigmoid(x) or sigmoid(x, low, high), and here are 2 arguments"},
        {"y = cheb(a, -1, 1)", "it is cheb(x, low, high, c0, c1, ...), and here are 3 arguments"},
        {"y = a.", "character 7 of 'y = a.': expected the name of a column, or its number from 1, found the end"},
        {"y = a.Dept.", "found the end; a column with more in its name than letters, digits and _ is picked in quotes"},
        {"y = a.Fee ($)",
         "found '('; a column with more in its name than letters, digits and _ is picked in quotes, as "
         "a.\"odd name\""},
        {"y = (a.Fee (", "found '('; a column with more in its name"},
        {"y = a.age where b", "found 'where'; write where inside an aggregate, as in sum(x where c), or "
                              "fetch(x where c, 20)"},
        {"y = a.0", "character 7 of 'y = a.0': expected the name of a column, or its number from 1, found '0'"},
        {"y = a.\"\"", "character 8 of 'y = a.\"\"': expected the name of a column"},
        {"y = a.\"x\"\"", "character 7 of 'y = a.\"x\"\"': the quoted name is not closed"},
        {"y = a.\"x\n", "character 7 of 'y = a.\"x': the quoted name is not closed"},
        {"y = a**2", "character 7 of 'y = a**2': expected a name, a number, - or (, found '*'; powers are written x^2"},
        {"y = a.x == \"f\"",
         "character 13 of 'y = a.x == \"f\"': expected a name, a number, - or (, found 'f'; a text stands in single"},
        {"y = a^b", "character 7 of 'y = a^b': expected a constant exponent, 1 or more, found 'b'"},
        {"y = a^2^3", "character 8 of 'y = a^2^3': expected parentheses around one of the two powers, found '^'"},
        {"y = count(*)", "found '*'; count() counts the rows"},
        {"y = sumif(a)", "there is no function 'sumif': use sum(x where condition)"},
        {"y = year(a.day)", "there is no function 'year': make a column of it when the table is encrypted: --derive "
                            "'year=year(d)'"},
        {"y = a.x > 3 ? 1 : 0", "character 13 of 'y = a.x > 3 ? 1 : 0': use where(condition, x, y)"},
        {"y = count(a.x == `f`)", "a text stands in single quotes, 'text'"},
        {"y = sum(a.x) group by a.k", "found 'group'; groups are made by groupby(a.key, sum(a.x))"},
        {"y = rotat(a, 1)", "character 5 of 'y = rotat(a, 1)': there is no function 'rotat'; did you mean rotate?"},
        {"y = frobnicate(a)", "character 5 of 'y = frobnicate(a)': there is no function 'frobnicate'"},
        {"y = rotate(a)", "character 5 of 'y = rotate(a)': it is rotate(x, k), and here is 1 argument"},
        {"y = square(a, b)", "character 5 of 'y = square(a, b)': it is square(x), and here are 2"},
        {"sum = a", "character 1 of 'sum = a': sum is a function"},
        {"y = sum()", "character 5 of 'y = sum()': it is sum(x), and nothing stands in the parentheses here"},
        {"y = a \x01", "character 7 of 'y = a \x01': expected"},
    };
    assert_all_refused(cases, sizeof cases / sizeof *cases);
}

/* `before`, `count` times `middle`, `after`; freed by the caller. */
static char *repeated(const char *before, const char *middle, size_t count, const char *after)
{
    char *text = malloc(strlen(before) + count * strlen(middle) + strlen(after) + 1), *at = text;
    assert_non_null(text);
    at = stpcpy(at, before);
    for (size_t i = 0; i < count; i++) {
        at = stpcpy(at, middle);
    }
    strcpy(at, after);
    return text;
}

static void hostile(void **state)
{
    (void)state;
    static const struct {
        const char *before, *middle;
        size_t count;
        const char *after, *part; /* NULL: accepted */
    } cases[] = {
        {"y = ", "(", 10000, "", "more than 200 parentheses"},
        {"y = ", "-", 10000, "a", "more than 200 parentheses"},
        {"y = ", "sum(", 5000, "a", "more than 200 parentheses"},
        {"y = ", "not ", 10000, "a", "more than 200 parentheses"},
        {"y = ", "onehot(a, ", 190, "b", "found the end"},
        {"y = a in (", "1..2, ", 10000, "3)", NULL},
        {"y = ", "((((((((((", 20, "a", "found the end"},
        {"y = a", "+a", 30000, "", NULL},
        {"", "y=a;", 16000, "", NULL},
        {"y = a", " ", 70000, "", "more than 65536 bytes"},
        {"y = poly(a", ",1", 30000, ")", NULL},
        {"y = ", "                    ", 20, "b +", "character 408 of '...   "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_syntax s;
        char *text = repeated(cases[i].before, cases[i].middle, cases[i].count, cases[i].after);
        assert_int_equal(hb_syntax_parse(&s, text, hb_lang_functions), cases[i].part == NULL ? HB_OK : HB_EUSAGE);
        if (cases[i].part != NULL) {
            assert_error(cases[i].part);
        }
        hb_syntax_clear(&s);
        free(text);
    }
}

static void bindings(void **state)
{
    (void)state;
    hb_binding list[2];
    assert_int_equal(hb_binding_parse("a_1=/some where/A.heb", &list[0]), HB_OK);
    assert_string_equal(list[0].name, "a_1");
    assert_string_equal(list[0].path, "/some where/A.heb");
    assert_int_equal(hb_binding_parse("w=w.h5:/a=b", &list[1]), HB_OK);
    assert_string_equal(list[1].path, "w.h5:/a=b");
    assert_int_equal(hb_binding_find(list, 2, "w"), 1);
    assert_int_equal(hb_binding_find(list, 2, "v"), 2);
    hb_binding_clear(&list[0]);
    hb_binding_clear(&list[1]);
    static const char *const wrong[] = {"a", "=A", "a=", "1a=A", "a b=A", "", "a.x=A"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(hb_binding_parse(wrong[i], &list[0]), HB_EUSAGE);
        hb_binding_clear(&list[0]);
    }
}

HB_UNIT(expression)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(grammar),
                                       cmocka_unit_test(statements_are_refused),
                                       cmocka_unit_test(conditions_are_refused),
                                       cmocka_unit_test(names_and_functions_are_refused),
                                       cmocka_unit_test(hostile),
                                       cmocka_unit_test(bindings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
