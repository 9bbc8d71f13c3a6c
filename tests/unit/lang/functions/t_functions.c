/* The rows of the functions of the language, each by itself and against the page that people read. The results of
 * functions are tested elsewhere: t_program_random, t_golden_programs, tests/cli. */
#include "unit/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/functions/list.h"
#include "lang/functions/page.h"
#include "lang/text/unavailable.h"
#include "lang/types/lang_function.h"
#include "unit/unit.h"

static const hb_lang_function *row_of(const hb_signature *call)
{
    return (const hb_lang_function *)(const void *)call;
}

static void every_row_is_complete(void **state)
{
    (void)state;
    for (const hb_signature *const *next = hb_lang_functions; *next != NULL; next++) {
        const hb_signature *call = *next;
        const hb_lang_function *row = row_of(call);
        const size_t length = strlen(call->name);
        assert_true(next == hb_lang_functions || strcmp(next[-1]->name, call->name) < 0); /* each once */
        /* The shown form is that of a call. */
        assert_true(strncmp(call->form, call->name, length) == 0 && call->form[length] == '(');
        assert_true(call->says != NULL && strpbrk(call->says, "\n|") == NULL);
        assert_true(call->least <= call->most && (!call->interval || (call->least == 1 && call->most == 3)));
        assert_true((!call->matches || call->least >= 2) && call->table <= call->most);
        assert_non_null(row->meaning.take);
        assert_true((row->column != NULL) != (row->lower != NULL));
        assert_true(row->column == NULL || (row->encrypted && call->most == 1));
        assert_false(call->reals != NULL && row->integers);
        /* An aggregate is one of each group as well, by its epilogue, or says why there is none. */
        assert_true(call->aggregate == ((row->epilogue != NULL) != (row->ungrouped != NULL)));
    }
}

static void lists_of_unavailable_names_end(void **state)
{
    (void)state;
    const hb_unavailable *others;
    for (size_t i = 0; (others = hb_unavailable_functions(i)) != NULL; i++) {
        assert_null(others->names[HB_UNAVAILABLE_NAMES - 1]);
    }
}

static void values_in_parentheses_are_one_function(void **state)
{
    (void)state;
    int count = 0;
    for (const hb_signature *const *call = hb_lang_functions; *call != NULL; call++) {
        count += (*call)->parentheses;
    }
    assert_int_equal(count, 1);
}

/* Joins the lines of each item of a list. */
static void join_lines(char *page)
{
    char *to = page;
    for (const char *from = page; *from != '\0'; from++) {
        const bool wraps = strncmp(from, "\n  ", 3) == 0;
        *to++ = *from;
        if (wraps) {
            to[-1] = ' ';
            from += 2;
        }
    }
    *to = '\0';
}

static void no_line_is_longer_than_a_screen(const char *page)
{
    for (size_t width = 0; *page != '\0'; page++) {
        width = *page == '\n' ? 0 : width + (((unsigned char)*page & 0xc0) != 0x80);
        assert_true(width <= 120);
    }
}

/* As many items as there are functions, each in code from its first word on, in the order of the list. */
static void the_page_has_an_item_for_each_function(void **state)
{
    (void)state;
    char *page = NULL;
    size_t size;
    FILE *to = open_memstream(&page, &size);
    assert_non_null(to);
    (void)hb_functions_page(NULL, to);
    assert_int_equal(fclose(to), 0);
    no_line_is_longer_than_a_screen(page);
    join_lines(page);
    const char *line = strstr(page, "\n* `");
    for (const hb_signature *const *call = hb_lang_functions; *call != NULL; call++) {
        assert_non_null(line);
        const char *says = strstr(line, (*call)->says), *next = strchr(line + 1, '\n');
        assert_non_null(says);
        assert_true(says < next);
        assert_int_equal(strncmp(line + 4, (*call)->form, strcspn((*call)->form, " ,)")), 0);
        line = next;
    }
    assert_string_equal(line, "\n");
    free(page);
}

HB_UNIT(functions)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_is_complete),
                                       cmocka_unit_test(lists_of_unavailable_names_end),
                                       cmocka_unit_test(values_in_parentheses_are_one_function),
                                       cmocka_unit_test(the_page_has_an_item_for_each_function)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
