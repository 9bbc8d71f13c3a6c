/* Matrices of programs: each different one once, and made once for all lists that ask for it, of their ring degree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lang/program/blocks.h"
#include "scheme/params.h"
#include "unit/unit.h"

enum { SIDE = 8 };

static hb_params_spec literal(const char *preset, size_t n)
{
    hb_params_spec spec;
    assert_int_equal(hb_params_preset(preset, &spec), HB_OK);
    spec.n = n;
    return spec;
}

/* Makes the matrix, and returns its entry in the list. */
static const hb_matrix_entry *times_in_list(hb_block_lists *lists, hb_kept_matrices *kept, const hb_params_spec *spec,
                                            const double *values, double factor)
{
    const hb_block_matrix matrix = {.rows = SIDE, .columns = SIDE, .block = SIDE, .values = values};
    uint32_t number;
    assert_int_equal(hb_block_lists_matrix(lists, kept, spec, &matrix, factor, &number), HB_OK);
    assert_true(number < lists->matrix_count);
    return lists->matrices[number];
}

static const hb_matrix_entry *in_list(hb_block_lists *lists, hb_kept_matrices *kept, const hb_params_spec *spec,
                                      const double *values)
{
    return times_in_list(lists, kept, spec, values, 1);
}

static void assert_same(const hb_matrix_entry *a, const hb_matrix_entry *b)
{
    assert_int_equal(a->outline.span, b->outline.span);
    assert_int_equal(a->outline.diagonals, b->outline.diagonals);
    assert_true(a->outline.most == b->outline.most && a->outline.gain.root == b->outline.gain.root);
    assert_int_equal(a->map_steps, b->map_steps);
    assert_int_equal(a->step_count, b->step_count);
    assert_memory_equal(a->steps, b->steps, a->step_count * sizeof *a->steps);
    assert_memory_equal(a->sums, b->sums, SIDE * sizeof *a->sums);
}

static void test_kept(void **state)
{
    (void)state;
    const hb_params_spec spec = literal("ckks-13", 1024), other = literal("ckks-13", 2048);
    double values[SIDE * SIDE] = {0}, twice[SIDE * SIDE], fewer[SIDE * SIDE];
    for (uint32_t i = 0; i < SIDE * SIDE; i += 3) {
        values[i] = 1 + i;
    }
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        twice[i] = 2 * values[i];
        fewer[i] = i % SIDE == 0 ? values[i] : 0;
    }
    hb_kept_matrices *kept;
    hb_block_lists first = {0}, second = {0}, third = {0}, alone = {0};
    assert_int_equal(hb_kept_matrices_open(&kept), HB_OK);
    const hb_matrix_entry *a = in_list(&first, kept, &spec, values), *b = in_list(&first, kept, &spec, twice),
                          *c = in_list(&first, kept, &spec, fewer);
    assert_ptr_equal(in_list(&first, kept, &spec, values), a);
    assert_ptr_equal(times_in_list(&first, kept, &spec, values, 2), b);
    assert_int_equal(first.matrix_count, 3);
    assert_same(a, in_list(&alone, NULL, &spec, values));
    assert_same(b, in_list(&alone, NULL, &spec, twice));
    assert_same(c, in_list(&alone, NULL, &spec, fewer));
    assert_true(c->outline.diagonals < a->outline.diagonals && b->outline.most == 2 * a->outline.most);
    assert_ptr_equal(in_list(&second, kept, &spec, fewer), c);
    assert_ptr_equal(in_list(&second, kept, &spec, values), a);
    assert_ptr_not_equal(in_list(&third, kept, &other, values), a);
    hb_block_lists_clear(&first);
    for (uint32_t i = 0; i < 200; i++) { /* more than are kept */
        values[0] = -1.0 - i;
        (void)in_list(&third, kept, &other, values);
    }
    hb_kept_matrices_close(kept);
    assert_same(c, in_list(&alone, NULL, &spec, fewer)); /* the second list holds it still */
    hb_block_lists_clear(&second);
    hb_block_lists_clear(&third);
    hb_block_lists_clear(&alone);
}

/* A pair is there once, by its matrices, and holds them. */
/* Matrices of one entry a row are the same where these stand in the same slots. */
static void test_picks(void **state)
{
    (void)state;
    const hb_params_spec spec = literal("ckks-13", 1024);
    const double values[SIDE] = {1, 1, 1, 0, 1, 1, 1, 1};
    uint32_t picks[SIDE] = {3, 2, 1, 0, 7, 6, 5, 4}, number[4];
    hb_block_matrix matrix = {.rows = SIDE, .columns = SIDE, .block = SIDE, .values = values, .picks = picks};
    hb_block_lists lists = {0};
    hb_kept_matrices *kept;
    assert_int_equal(hb_kept_matrices_open(&kept), HB_OK);
    assert_int_equal(hb_block_lists_matrix(&lists, kept, &spec, &matrix, 1, &number[0]), HB_OK);
    assert_int_equal(hb_block_lists_matrix(&lists, kept, &spec, &matrix, 1, &number[1]), HB_OK);
    assert_int_equal(hb_block_lists_matrix(&lists, kept, &spec, &matrix, 0.5, &number[2]), HB_OK);
    picks[0] = 4;
    assert_int_equal(hb_block_lists_matrix(&lists, kept, &spec, &matrix, 1, &number[3]), HB_OK);
    assert_true(number[0] == number[1] && number[2] != number[0] && number[3] != number[0] && number[3] != number[2]);
    const hb_block_matrix *first = &lists.matrices[number[0]]->matrix, *half = &lists.matrices[number[2]]->matrix;
    assert_true(first->picks != picks && first->picks[0] == 3 && half->picks[0] == 3 && half->values[0] == 0.5);
    assert_int_equal(lists.matrices[number[3]]->matrix.picks[0], 4);
    hb_block_lists_clear(&lists);
    hb_kept_matrices_close(kept);
}

static void test_pairs(void **state)
{
    (void)state;
    const hb_params_spec spec = literal("ckks-13", 8192);
    double values[2][SIDE * SIDE];
    hb_kept_matrices *kept;
    hb_block_lists lists = {0};
    uint32_t of[2], pair, again, other;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        values[0][i] = 1 + i;
        values[1][i] = 2.5 - i;
    }
    assert_int_equal(hb_kept_matrices_open(&kept), HB_OK);
    for (uint32_t k = 0; k < 2; k++) {
        const hb_block_matrix matrix = {.rows = SIDE, .columns = SIDE, .block = SIDE, .values = values[k]};
        assert_int_equal(hb_block_lists_matrix(&lists, kept, &spec, &matrix, 1, &of[k]), HB_OK);
    }
    assert_int_equal(hb_block_lists_pair(&lists, &spec, of, &pair), HB_OK);
    assert_int_equal(hb_block_lists_pair(&lists, &spec, of, &again), HB_OK);
    assert_int_equal(hb_block_lists_pair(&lists, &spec, (const uint32_t[]){of[1], of[0]}, &other), HB_OK);
    assert_true(pair == again && pair != other && lists.matrix_count == 4);
    hb_kept_matrices_close(kept);
    const hb_matrix_entry *entry = lists.matrices[pair], *a = lists.matrices[of[0]], *b = lists.matrices[of[1]];
    assert_true(entry->part[0] == a && entry->part[1] == b && a->holders == 3 && b->holders == 3);
    assert_int_equal(entry->outline.diagonals, a->outline.diagonals + b->outline.diagonals);
    assert_int_equal(entry->map_steps, entry->step_count);
    assert_true(hb_matrix_entry_rotations(entry) < hb_matrix_entry_rotations(a) + hb_matrix_entry_rotations(b));
    hb_block_lists_clear(&lists);
}

/* A matrix kept for another literal does not serve one without matrices. */
static void test_refused(void **state)
{
    (void)state;
    const hb_params_spec spec = literal("ckks-13", 8192), seal = literal("seal-ckks-8192", 8192);
    const double values[SIDE * SIDE] = {1};
    const hb_block_matrix matrix = {.rows = SIDE, .columns = SIDE, .block = SIDE, .values = values};
    hb_kept_matrices *kept;
    hb_block_lists lists = {0};
    uint32_t number;
    assert_int_equal(hb_kept_matrices_open(&kept), HB_OK);
    assert_int_equal(hb_block_lists_matrix(&lists, kept, &spec, &matrix, 1, &number), HB_OK);
    hb_block_lists_clear(&lists);
    assert_int_equal(hb_block_lists_matrix(&lists, kept, &seal, &matrix, 1, &number), HB_ECONFIG);
    assert_int_equal(lists.matrix_count, 0);
    hb_block_lists_clear(&lists);
    hb_kept_matrices_close(kept);
}

HB_UNIT(block_lists)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kept), cmocka_unit_test(test_picks),
                                       cmocka_unit_test(test_pairs), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
