/* Text of others as people see it: every character of every kind, and that nothing is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/escape.h"
#include "unit/unit.h"

static void test_kinds(void **state)
{
    (void)state;
    const struct {
        const char *text, *shown;
    } cases[] = {
        {"", ""},
        {"plain ~ text", "plain ~ text"},
        {"f\xc3\xbcr \xe2\x82\xac \xf0\x9f\x94\x92", "f\xc3\xbcr \xe2\x82\xac \xf0\x9f\x94\x92"}, /* 2, 3, 4 bytes */
        {"a\nb\tc\rd", "a\\nb\\tc\\rd"},
        {"\x1b[31mred\x07\x7f", "\\x1b[31mred\\x07\\x7f"},
        {"back\\slash", "back\\\\slash"},
        {"\xff\xc3", "\\xff\\xc3"},                            /* no first byte; cut short */
        {"\xc0\x80\xe0\x80\xaf", "\\xc0\\x80\\xe0\\x80\\xaf"}, /* longer than they need */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},                   /* half of a surrogate pair */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},          /* above 10ffff */
        {"\xc2\x9b"
         "31m",
         "\\u{9b}31m"}, /* a terminal's CSI */
        {"a\xe2\x80\xae"
         "b",
         "a\\u{202e}b"}, /* right to left from here on */
        {"\xe2\x80\x8b\xef\xbb\xbf", "\\u{200b}\\u{feff}"},
        {"\xe1\xa0\x8e\xe3\x85\xa4\xef\xb8\x8f", "\\u{180e}\\u{3164}\\u{fe0f}"}, /* no width, or blank */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char shown[256];
        assert_int_equal(hb_escape(shown, sizeof shown, cases[i].text), strlen(cases[i].shown));
        assert_string_equal(shown, cases[i].shown);
    }
}

/* The shown text is unambiguous: read back, it gives the same bytes. */
static void undo(char *to, const char *from)
{
    while (*from != '\0') {
        unsigned value;
        char *end;
        if (*from != '\\') {
            *to++ = *from++;
            continue;
        }
        from++;
        switch (*from) {
        case 'x':
            assert_int_equal(sscanf(from + 1, "%2x", &value), 1);
            *to++ = (char)value;
            from += 3;
            break;
        case 'u':
            value = (unsigned)strtoul(from + 2, &end, 16);
            assert_int_equal(*end, '}');
            from = end + 1;
            assert_true(value >= 0x80);
            if (value < 0x800) {
                *to++ = (char)(0xc0 | value >> 6);
            } else {
                *to++ = (char)(0xe0 | value >> 12);
                *to++ = (char)(0x80 | (value >> 6 & 0x3f));
            }
            *to++ = (char)(0x80 | (value & 0x3f));
            break;
        default:
            *to++ = *from == 'n' ? '\n' : *from == 't' ? '\t' : *from == 'r' ? '\r' : *from;
            from++;
        }
    }
    *to = '\0';
}

static void test_any_bytes(void **state)
{
    (void)state;
    srandom(1);
    for (int round = 0; round < 20000; round++) {
        char text[24], shown[24 * HB_ESCAPED_MOST], back[sizeof shown];
        const size_t bytes = (size_t)random() % (sizeof text - 1);
        for (size_t i = 0; i < bytes; i++) { /* many of the bytes that begin or go on with a character */
            text[i] = (char)(random() % 2 ? random() % 255 + 1 : 0xc2 + random() % 3 * 0x10);
        }
        text[bytes] = '\0';
        const size_t length = hb_escape(shown, sizeof shown, text);
        assert_int_equal(strlen(shown), length);
        for (size_t i = 0; i < length; i++) {
            assert_true((unsigned char)shown[i] >= 0x20 && shown[i] != 0x7f);
        }
        undo(back, shown);
        /* astral characters without width are read back as they are by no one here */
        assert_true(strstr(shown, "\\u{e0") != NULL || strcmp(back, text) == 0);
    }
}

static void test_room(void **state)
{
    (void)state;
    for (size_t room = 4; room < 40; room++) {
        char shown[64];
        memset(shown, '#', sizeof shown);
        const size_t length = hb_escape(shown, room, "\x1b\x1b\x1b\x1b\x1b\x1b");
        assert_int_equal(strlen(shown), length);
        assert_true(length < room);
        assert_int_equal(shown[room], '#');
        if (room <= 24) { /* six of four bytes and a zero */
            assert_string_equal(shown + length - 3, "...");
            assert_int_equal((length - 3) % 4, 0);
        } else {
            assert_int_equal(length, 24);
        }
    }
}

static void test_text_to_copy(void **state)
{
    (void)state;
    const char *text = "a\n\tb\\n\x1b\r";
    char shown[64] = "";
    while (*text != '\0') {
        char piece[HB_ESCAPED_MOST];
        strncat(shown, piece, hb_escape_next(&text, true, piece));
    }
    assert_string_equal(shown, "a\n\tb\\n\\x1b\\r");
}

HB_UNIT(escape)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds), cmocka_unit_test(test_any_bytes),
                                       cmocka_unit_test(test_room), cmocka_unit_test(test_text_to_copy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
