/* The rows of the functions of the language, each by itself and against the page that people read. What functions
 * compute: t_program_random, t_golden_programs, tests/cli. */
#include "unit/scratch.h"

#include <ctype.h>

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
        /* What is shown is how it is called. */
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

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The table of the page: lines that begin with |, from the first one on. */
static const char *table(const char *page, size_t *length)
{
    const char *from = strstr(page, "\n| `"), *end = from;
    assert_non_null(from);
    while (end != NULL && end[1] == '|') {
        end = strchr(end + 1, '\n');
    }
    assert_non_null(end);
    *length = (size_t)(end - from);
    return from;
}

/* Whether the page shows a function: its name in code, called or by itself. */
static bool is_shown(const char *text, size_t length, const char *name)
{
    const size_t letters = strlen(name);
    for (size_t i = 1; i + letters < length; i++) {
        const char behind = text[i + letters];
        if (memcmp(text + i, name, letters) == 0 && !is_word(text[i - 1]) && (behind == '(' || behind == '`')) {
            return true;
        }
    }
    return false;
}

static void the_page_has_all_functions_and_no_other(void **state)
{
    (void)state;
    size_t length;
    char *page;
    assert_int_equal(hb_language_page(&page), HB_OK);
    assert_null(strstr(page, "*functions*"));
    const char *text = table(page, &length);
    for (const hb_signature *const *call = hb_lang_functions; *call != NULL; call++) {
        if (!is_shown(text, length, (*call)->name)) {
            fail_msg("the page: its table does not have %s", (*call)->form);
        }
    }
    for (size_t i = 0, bars = 0; i < length; i++) {
        size_t begin = i;
        bars = text[i] == '\n' ? 0 : bars + (text[i] == '|');
        while (begin > 0 && is_word(text[begin - 1])) {
            begin--;
        }
        if (bars != 1 || text[i] != '(' || begin == i) { /* in the first cell stands what is written */
            continue;
        }
        const hb_signature *const *call = hb_lang_functions;
        while (*call != NULL &&
               (strlen((*call)->name) != i - begin || memcmp((*call)->name, text + begin, i - begin) != 0)) {
            call++;
        }
        if (*call == NULL) {
            fail_msg("src/lang/README.md: there is no function %.*s", (int)(i - begin), text + begin);
        }
    }
    free(page);
}

HB_UNIT(functions)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_is_complete),
                                       cmocka_unit_test(lists_of_unavailable_names_end),
                                       cmocka_unit_test(values_in_parentheses_are_one_function),
                                       cmocka_unit_test(the_page_has_all_functions_and_no_other)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
