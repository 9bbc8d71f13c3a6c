/* Fields of a CSV that this program wrote: their texts come back, each in memory of its own length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/table/csv_field.h"

/* Bytes that were allocated. */
static size_t allocated;

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    allocated += bytes;
    return __real_malloc(bytes);
}

static void put_to_file(void *to, const char *text, size_t bytes)
{
    assert_int_equal(fwrite(text, 1, bytes, to), bytes);
}

static void texts_come_back(void **state)
{
    (void)state;
    static const char *const text[] = {"",       "plain", "a,b",       "two\nlines", "say \"so\"", "\"",
                                       " blank", "12",    "\"\",\"\n", "tab\t",      "end"};
    enum { TEXTS = sizeof text / sizeof text[0] };
    for (unsigned columns = 1; columns <= 2; columns++) {
        char *written = NULL;
        size_t bytes = 0;
        FILE *to = open_memstream(&written, &bytes);
        assert_non_null(to);
        for (unsigned i = 0; i < TEXTS; i++) {
            hb_csv_put_field(put_to_file, to, text[i], ',', columns == 1);
            fputc(i % columns == columns - 1 ? '\n' : ',', to);
        }
        fclose(to);
        const char *at = written, *end = written + bytes;
        for (unsigned i = 0; i < TEXTS; i++) {
            size_t length;
            const char *behind = hb_csv_walk_field(at, end, NULL, &length);
            char *field = hb_csv_take_field(&at, end);
            assert_string_equal(field, text[i]);
            assert_int_equal(length, strlen(text[i]));
            assert_ptr_equal(at, behind);
            assert_int_equal(*at, i % columns == columns - 1 ? '\n' : ',');
            at++;
            free(field);
        }
        assert_ptr_equal(at, end);
        free(written);
    }
}

/* A long file takes as much memory as it has bytes, and a field cut off by the end of the file ends there. */
static void memory_is_that_of_the_fields(void **state)
{
    (void)state;
    enum { FIELDS = 200000, WIDTH = 4 };
    char *all = malloc(FIELDS * WIDTH), **field = calloc(FIELDS, sizeof *field);
    assert_non_null(all);
    assert_non_null(field);
    for (size_t i = 0; i < FIELDS; i++) {
        memcpy(all + i * WIDTH, "123\n", WIDTH);
    }
    const char *at = all, *end = all + FIELDS * WIDTH - 1;
    allocated = 0;
    for (size_t i = 0; i < FIELDS; i++) {
        field[i] = hb_csv_take_field(&at, end);
        assert_non_null(field[i]);
        at += at < end;
    }
    assert_int_equal(allocated, FIELDS * WIDTH);
    assert_ptr_equal(at, end);
    for (size_t i = 0; i < FIELDS; i++) {
        assert_string_equal(field[i], "123");
        free(field[i]);
    }
    free(field);
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_come_back),
        cmocka_unit_test(memory_is_that_of_the_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
