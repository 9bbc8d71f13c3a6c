/* Words one by one: numbers against strtod and strtoll, names in quotes, separators inside and outside
 * of parentheses, and the places that messages point at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/quoted.h"
#include "lang/text/binding.h"
#include "lang/text/lexer.h"
#include "lang/text/place.h"
#include "unit/unit.h"

static hb_token first_word(const char *text)
{
    hb_lexer lexer = {.text = text};
    if (hb_lexer_advance(&lexer) != HB_OK) {
        fail_msg("%s: %s", text, hb_last_error()->text);
    }
    return lexer.token;
}

static void numbers_are_those_of_libc(void **state)
{
    (void)state;
    static const char *const whole[] = {"0", "7", "007", "123456789012", "9223372036854775807"};
    static const char *const heads[] = {"0", "3", "12", "907"}, *const points[] = {"", ".5", ".125", ".0"},
                             *const ends[] = {"", "e0", "e3", "E-7", "e+12", "e-300"};
    char text[64];
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        const hb_token token = first_word(whole[i]);
        assert_int_equal(token.kind, HB_TOKEN_NUMBER);
        assert_false(token.decimal);
        assert_int_equal(token.number, strtoll(whole[i], NULL, 10));
        assert_true(token.real == strtod(whole[i], NULL));
    }
    const hb_token long_one = first_word("9223372036854775808"); /* beyond 64 bits: a real, which integers refuse */
    assert_true(long_one.decimal && long_one.number == 0 && long_one.real == 0x1p63);
    for (int i = 0; i < 4 * 4 * 6; i++) {
        snprintf(text, sizeof text, "%s%s%s", heads[i % 4], points[i / 4 % 4], ends[i / 16]);
        const hb_token token = first_word(text);
        assert_int_equal(token.kind, HB_TOKEN_NUMBER);
        assert_int_equal(token.to, strlen(text));
        assert_true(token.real == strtod(text, NULL));
        assert_int_equal(token.decimal, strpbrk(text, ".eE") != NULL);
        assert_int_equal(token.imaginary, 0);
        strcat(text, "i");
        assert_true(first_word(text).imaginary && first_word(text).real == token.real);
    }
}

/* Kinds and places: n a name, 1 a number, q and t in quotes, ; a separator, others themselves, those of two P. */
static void print_words(const char *text, char *out)
{
    hb_lexer lexer = {.text = text};
    uint32_t before = 0;
    for (;; *out++ = ' ') {
        assert_int_equal(hb_lexer_advance(&lexer), HB_OK);
        const hb_token *token = &lexer.token;
        assert_true(token->from >= before && token->to >= token->from && token->to <= strlen(text));
        before = token->to;
        if (token->kind == HB_TOKEN_END) {
            break;
        }
        static const char letters[] = {[HB_TOKEN_SEPARATOR] = ';', [HB_TOKEN_NUMBER] = '1', [HB_TOKEN_NAME] = 'n',
                                       [HB_TOKEN_QUOTED] = 'q',    [HB_TOKEN_TEXT] = 't',   [HB_TOKEN_SYMBOL] = 0};
        const char letter = letters[token->kind];
        *out++ = letter != 0 ? letter : token->symbol > 0xff ? 'P' : (char)token->symbol;
    }
    *out = '\0';
}

static void words_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", ""},
        {" \t\r# all of it", ""},
        {"y=x.a", "n = n . n "},
        {"a1_B", "n "},
        {"1..2", "1 P 1 "},
        {"1.5..2.5", "1 P 1 "},
        {"x.3", "n . 1 "},
        {"a<=b>=c==d!=e<f>g", "n P n P n P n P n < n > n "},
        {"a\nb", "n ; n "},
        {"(a\nb)\nc", "( n n ) ; n "},
        {"((a)\nb)\nc", "( ( n ) n ) ; n "},
        {"a # b\nc;d", "n ; n ; n "},
        {")\na", ") ; n "}, /* one that closes nothing opens nothing either */
        {"a.\"x # y\"'it''s' 2i", "n . q t 1 "},
        {"{a}@-*/^:,", "{ n } @ - * / ^ : , "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char words[128];
        print_words(cases[i].text, words);
        assert_string_equal(words, cases[i].words);
    }
}

/* Every possible name of a column is one word of an expression. */
static void quoted_names_are_words(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "odd name", "\"", "\"\"", "a\"b", "\"x\" (mm)", "it's", "\xc3\xa4", "#;="};
    char text[64];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_true(hb_quoted_text(text, sizeof text, names[i]));
        const hb_token token = first_word(text);
        assert_int_equal(token.kind, HB_TOKEN_QUOTED);
        assert_true(token.from == 1 && token.to == strlen(text) - 1);
    }
}

static void faults_are_pointed_at(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
        uint32_t words; /* before it */
    } cases[] = {
        {"a $", "character 3 of 'a $': ", 1},
        {"a\n  b 3x", "line 2, character 5 of '  b 3x': a number and a name", 3},
        {"1.", "character 1 of '1.': a number with nothing behind its point", 0},
        {"a 1e999", "character 3 of 'a 1e999': the number is too large", 1},
        {"a.\"b", "character 3 of 'a.\"b': the quoted name is not closed by another \"", 2},
        {"'b\n'", "line 1, character 1 of ''b': the quoted text is not closed by another '", 0},
        {"a[1]", "character 2 of 'a[1]': a column is picked as", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_lexer lexer = {.text = cases[i].text};
        for (uint32_t word = 0; word < cases[i].words; word++) {
            assert_int_equal(hb_lexer_advance(&lexer), HB_OK);
        }
        assert_int_equal(hb_lexer_advance(&lexer), HB_EUSAGE);
        if (strncmp(hb_last_error()->text, cases[i].part, strlen(cases[i].part)) != 0) {
            fail_msg("'%s' does not begin with '%s'", hb_last_error()->text, cases[i].part);
        }
    }
}

/* Names of the language: every string of three bytes by its definition. */
static void names_are_letters_and_digits(void **state)
{
    (void)state;
    static const char bytes[] = "aZ_09 .-\"\xc3";
    enum { BYTES = sizeof bytes - 1 };
    static const bool letter[BYTES] = {true, true, true}, digit[BYTES] = {[3] = true, [4] = true};
    for (int i = 0; i < BYTES * BYTES * BYTES; i++) {
        const int a = i % BYTES, b = i / BYTES % BYTES, c = i / BYTES / BYTES;
        const char name[] = {bytes[a], bytes[b], bytes[c], '\0'};
        assert_int_equal(hb_name_valid(name), letter[a] && (letter[b] || digit[b]) && (letter[c] || digit[c]));
    }
    assert_false(hb_name_valid(""));
    static const struct {
        const char *text;
        size_t at, length;
        bool word;
    } words[] = {{"age", 0, 3, true},
                 {"sum(age)", 4, 3, true},
                 {"t.age", 2, 3, true},
                 {"ages", 0, 3, false},
                 {"my_age", 3, 3, false},
                 {"age2", 0, 3, false},
                 {"\xc3\xa9"
                  "age",
                  2, 3, false},
                 {"age\xc3\xa9", 0, 3, false},
                 {"age.x", 0, 3, true}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        assert_int_equal(hb_name_at(words[i].text, words[i].text + words[i].at, words[i].length), words[i].word);
    }
    assert_true(hb_name_listed("w,c", "c") && hb_name_listed("w", "w"));
    assert_false(hb_name_listed("wc,d", "w") || hb_name_listed("w,c", "") || hb_name_listed(NULL, "w"));
    char w[] = "w", c[] = "c";
    char *const names[] = {w, c};
    assert_int_equal(hb_name_list_check("c,w", names, 2, "--one-row"), HB_OK);
    assert_int_equal(hb_name_list_check("c,x", names, 2, "--one-row"), HB_EUSAGE);
    assert_non_null(strstr(hb_last_error()->text, "--one-row: the expression reads no 'x'"));
    uint64_t number = 7;
    assert_true(hb_numbered_name("c,w=128", "c", &number) && number == 7);
    assert_true(hb_numbered_name("c,w=128", "w", &number) && number == 128);
    assert_false(hb_numbered_name("c,w=128", "x", &number) || hb_numbered_name(NULL, "x", &number));
    assert_int_equal(hb_numbered_names_check("c=4294967295,w", names, 2, "--spread"), HB_OK);
    static const char *const faults[] = {"c=", "c=0", "c=-1", "c=4294967296", "c=99999999999999999999", "x=1", "c=1=2"};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        assert_int_equal(hb_numbered_names_check(faults[i], names, 2, "--spread"), HB_EUSAGE);
    }
}

HB_UNIT(lexer)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_libc),    cmocka_unit_test(words_are_told_apart),
        cmocka_unit_test(quoted_names_are_words),       cmocka_unit_test(faults_are_pointed_at),
        cmocka_unit_test(names_are_letters_and_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
