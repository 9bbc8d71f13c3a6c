/* Facts about a program before its operands are known: the names that it reads and assigns, and its keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lang/compile/compile.h"
#include "lang/compile/picked_columns.h"
#include "lang/program/program.h"
#include "scheme/slots.h"
#include "unit/unit.h"

static void assert_error(const char *part)
{
    if (strstr(hb_last_error()->text, part) == NULL) {
        fail_msg("'%s' is not in '%s'", part, hb_last_error()->text);
    }
}

static void names(void **state)
{
    (void)state;
    char **reads = NULL, **assigns = NULL;
    const char *text = "m = sum(a.x)*w; y = a - m + b; z = y + z; y = poly(a, 1, 2)";
    assert_int_equal(hb_program_names(text, &reads, &assigns), HB_OK);
    static const char *const expected_reads[] = {"a", "w", "b", "z"}, *const expected_assigns[] = {"m", "y", "z"};
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(reads[i], expected_reads[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(assigns[i], expected_assigns[i]);
    }
    assert_null(reads[4]);
    assert_null(assigns[3]);
    hb_names_free(reads);
    hb_names_free(assigns);
    assert_int_equal(hb_program_names("y = ", &reads, &assigns), HB_EUSAGE);
    hb_names_free(NULL);
}

static void keys(void **state)
{
    (void)state;
    const hb_params_spec spec = {.n = 1024};
    hb_key_requests list;
    static const struct {
        const char *text;
        bool relinearizes, swaps;
        uint32_t step_count;
        int64_t steps[12];
        const char *one_row, *filled, *plain;
    } cases[] = {
        {"y = a*3 + b - 2*c", false, false, 0, {0}, NULL, NULL, NULL},
        {"y = rowsum(q*x)", true, false, 0, {0}, NULL, "q", NULL},
        {"y = a - a", false, false, 0, {0}, NULL, NULL, NULL},
        {"y = rotate(a, 3) + rotate(b.x, -5) + rotate(a.2, 3) + rotate(a, 0)",
         false,
         false,
         2,
         {3, -5},
         NULL,
         NULL,
         NULL},
        {"y = swap(a)^2", true, true, 0, {0}, NULL, NULL, NULL},
        {"y = sum(a)", false, true, 9, {1, 2, 4, 8, 16, 32, 64, 128, 256}, NULL, NULL, NULL},
        {"y = dot(rotate(a, 4), b)", true, true, 9, {4, 1, 2, 8, 16, 32, 64, 128, 256}, NULL, NULL, NULL},
        {"y = rowsum(modswitch(a)) + 1", false, false, 0, {0}, NULL, NULL, NULL},
        {"y = rowsum(w*x)", true, true, 9, {1, 2, 4, 8, 16, 32, 64, 128, 256}, "w", NULL, NULL},
        {"y = c - x; z = sum(c) + w*q", true, true, 9, {1, 2, 4, 8, 16, 32, 64, 128, 256}, "w,c", "q", NULL},
        /* The values of plain tables are not known, and keys do not depend on them. */
        {"y = a*w.k", false, false, 0, {0}, NULL, NULL, "w=w.csv"},
        {"y = where(w.k > 3 and not w.on, a, b)", false, false, 0, {0}, NULL, NULL, "w=w.csv"},
        {"y = a*w.k*b + (w.k - sum(w.k))*a", true, false, 0, {0}, NULL, NULL, "w=a,b.csv"},
        {"y = sum(a*v.k where w.on)", false, true, 9, {1, 2, 4, 8, 16, 32, 64, 128, 256}, NULL, NULL, "w=w,v=v.csv"},
        {"y = groupby(w.k, sum(a), count())", false, true, 9, {1, 2, 4, 8, 16, 32, 64, 128, 256}, NULL, NULL, "w=w"},
        {"y = groupby(b where w.k in (1, 5), sum(a))",
         true,
         true,
         9,
         {1, 2, 4, 8, 16, 32, 64, 128, 256},
         NULL,
         NULL,
         "w=w"},
        {"y = max(a, w.k)", true, false, 0, {0}, NULL, NULL, "w=w"},
    };
    /* Which products masks take is not known of columns that are not. */
    static const struct {
        const char *text;
        bool relinearizes;
    } masked[] = {{"y = a + b", false},           {"y = sum(a)", false},    {"y = sum(a.x - a.y)", true},
                  {"y = count(a.x + a.y)", true}, {"y = sum(a + 1)", true}, {"y = count(a.x is missing)", false}};
    for (size_t i = 0; i < sizeof masked / sizeof *masked; i++) {
        assert_int_equal(hb_program_keys(&list, masked[i].text, &spec, &(hb_keys_operands){.masked = "a"}), HB_OK);
        assert_int_equal(list.count > 0 && list.request[0].source == HB_FROM_SQUARE, masked[i].relinearizes);
        hb_key_requests_clear(&list);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t first = cases[i].relinearizes, steps = cases[i].step_count;
        assert_int_equal(
            hb_program_keys(
                &list, cases[i].text, &spec,
                &(hb_keys_operands){.one_row = cases[i].one_row, .filled = cases[i].filled, .plain = cases[i].plain}),
            HB_OK);
        assert_int_equal(list.count, first + steps + cases[i].swaps);
        if (cases[i].relinearizes) {
            assert_int_equal(list.request[0].source, HB_FROM_SQUARE);
        }
        for (uint32_t j = 0; j < steps; j++) {
            assert_int_equal(list.request[first + j].step, cases[i].steps[j]);
            assert_int_equal(list.request[first + j].element, hb_slots_rotation(&spec, cases[i].steps[j]));
        }
        if (cases[i].swaps) {
            assert_int_equal(list.request[first + steps].element, hb_slots_swap(&spec));
        }
        for (uint32_t j = 0; j < list.count; j++) {
            assert_int_equal(list.request[j].limbs, 0);
            assert_true(list.request[j].step != 0 || j < first || j == first + steps);
        }
        hb_key_requests_clear(&list);
    }
    /* A row in one ciphertext: a rotation for each bit of its numbers, or for all that N coefficients hold. */
    static const struct {
        const char *spread;
        uint32_t count; /* of them; then the swap */
    } spread[] = {{"q=1", 0}, {"q=2", 1}, {"q=5", 3}, {"q=1024", 9}, {"q=9999", 9}, {"q", 9}};
    for (size_t i = 0; i < sizeof spread / sizeof *spread; i++) {
        assert_int_equal(hb_program_keys(&list, "y = q + x", &spec, &(hb_keys_operands){.spread = spread[i].spread}),
                         HB_OK);
        assert_int_equal(list.count, spread[i].count + (spread[i].count == 9));
        for (uint32_t j = 0; j < list.count; j++) {
            assert_int_equal(list.request[j].step, 256 >> j);
            assert_int_equal(list.request[j].element,
                             j < 9 ? hb_slots_rotation(&spec, 256 >> j) : hb_slots_swap(&spec));
        }
        hb_key_requests_clear(&list);
    }
    static const hb_keys_operands faults[] = {{.plain = "w"},
                                              {.plain = "v=w.csv"},
                                              {.plain = "w="},
                                              {.plain = "w=1,w=2"},
                                              {.plain = "w=1", .one_row = "w"},
                                              {.plain = "w=1", .filled = "w"},
                                              {.plain = "w=1", .spread = "w=3"},
                                              {.plain = "w=1", .masked = "w"}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        assert_int_equal(hb_program_keys(&list, "y = a*w", &spec, &faults[i]), HB_EUSAGE);
        assert_error("--plain-table");
        hb_key_requests_clear(&list);
    }
    const hb_keys_operands both[] = {{.masked = "a,w", .one_row = "w"},
                                     {.masked = "w", .filled = "w"},
                                     {.masked = "w", .spread = "w"},
                                     {.filled = "w", .spread = "w=2"},
                                     {.spread = "w=0"},
                                     {.spread = "w=2x"},
                                     {.spread = "w,v=2"}};
    const char *const said[] = {"--masked w: --one-row names it too", "--masked w: --fill names it too",
                                "--masked w: --spread names it too",  "--spread w: --fill names it too",
                                "expected NAME or NAME=NUMBER",       "expected NAME or NAME=NUMBER",
                                "the expression reads no 'v'"};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++) {
        assert_int_equal(hb_program_keys(&list, "y = a*w", &spec, &both[i]), HB_EUSAGE);
        assert_error(said[i]);
        hb_key_requests_clear(&list);
    }
    assert_int_equal(hb_program_keys(&list, "y = rotate(a, 512)", &spec, &(hb_keys_operands){0}), HB_EUSAGE);
    assert_error("character 5 of 'y = rotate(a, 512)': a rotation by 512");
    hb_key_requests_clear(&list);
    assert_int_equal(hb_program_keys(&list, "y = rotate(a, b)", &spec, &(hb_keys_operands){0}), HB_EUSAGE);
    hb_key_requests_clear(&list);
}

/* The columns that an expression picks by name from each of two tables; NULL: it takes the whole table. */
static void picked_columns(void **state)
{
    (void)state;
    static const struct {
        const char *text, *a, *w;
    } cases[] = {
        {"s = sum(a.x*lookup(a.k, (w.k, w.v)))", "x,k", "k,v"},
        {"s = sum(a.\"odd, name\" + a.x + a.\"odd, name\")", "\"odd, name\",x", NULL},
        {"s = sum(a.x*lookup(a.k, w)); t = sum(w.v)", "x,k", NULL},
        {"v = w; s = a.x*v.k", "x", NULL},
        {"s = a.2 + a.x*w.v", NULL, "v"},
    };
    char *const reads[] = {(char *)"a", (char *)"w"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *lists[2] = {NULL, NULL};
        assert_int_equal(hb_picked_columns_find(cases[i].text, reads, 2, NULL, 0, lists), HB_OK);
        const char *wanted[] = {cases[i].a, cases[i].w};
        for (size_t k = 0; k < 2; k++) {
            assert_true((lists[k] == NULL) == (wanted[k] == NULL));
            if (wanted[k] != NULL) {
                assert_string_equal(lists[k], wanted[k]);
            }
            free(lists[k]);
        }
    }
    hb_range ranges[] = {{.name = (char *)"w", .column = (char *)"kg"}, {.name = (char *)"a", .number = 3}};
    char *lists[2] = {NULL, NULL};
    assert_int_equal(hb_picked_columns_find("s = a.x*w.v", reads, 2, ranges, 2, lists), HB_OK);
    assert_null(lists[0]);
    assert_string_equal(lists[1], "v,kg");
    free(lists[1]);
    lists[1] = NULL;
    assert_int_equal(hb_picked_columns_find("s = ", reads, 2, NULL, 0, lists), HB_EUSAGE);
    assert_null(lists[0]);
}

/* A row of a smaller ring: rotations as that ring would have them. N = 8192. */
static void rings(void **state)
{
    static const struct {
        const char *spread, *rings;
        int64_t first;
        uint32_t rotations, swaps;
    } cases[] = {{"q=5", NULL, 2048, 3, 0},    {"q=5", "q=4096", 1024, 3, 0},    {"q=5", "q=2048", 512, 3, 0},
                 {"q=2", "q=1024", 256, 1, 0}, {"q=9999", "q=2048", 512, 10, 1}, {"q", "q=4096", 1024, 11, 1}};
    const hb_keys_operands faults[] = {{.spread = "q", .rings = "q=3000"},
                                       {.spread = "q", .rings = "q=8192"},
                                       {.spread = "q", .rings = "q=512"},
                                       {.spread = "q", .rings = "q"},
                                       {.rings = "q=4096"},
                                       {.spread = "q", .rings = "x=4096"},
                                       {.spread = "q", .rings = "v=4096"}};
    const hb_params_spec spec = {.scheme = HB_BFV, .n = 8192, .bfv.plain = 65537};
    hb_key_requests list;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hb_keys_operands known = {.spread = cases[i].spread, .rings = cases[i].rings};
        assert_int_equal(hb_program_keys(&list, "y = q + x", &spec, &known), HB_OK);
        assert_int_equal(list.count, cases[i].rotations + cases[i].swaps);
        for (uint32_t j = 0; j < cases[i].rotations; j++) {
            assert_int_equal(list.request[j].step, cases[i].first >> j);
        }
        hb_key_requests_clear(&list);
    }
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        assert_int_equal(hb_program_keys(&list, "y = q + x", &spec, &faults[i]), HB_EUSAGE);
        const bool last = i + 1 == sizeof faults / sizeof *faults;
        assert_error(last ? "reads no 'v'" : "--from-ring");
        hb_key_requests_clear(&list);
    }
}

HB_UNIT(program_names)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(keys), cmocka_unit_test(rings),
                                       cmocka_unit_test(picked_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
