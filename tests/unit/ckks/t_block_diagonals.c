/* The diagonals of matrices in blocks of slots, bit for bit as all entries one by one give them: of dense matrices and
 * of convolutions, with one part and with several, the vector once and twice, around all slots, rotated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "ckks/block_diagonals.h"
#include "reference/members.h"
#include "unit/unit.h"

enum { BLOCK = 64, WEIGHTS = BLOCK * BLOCK };

/* Numbers, one in four 0 and one in four -0 where there are holes. */
static const double *weights_of(uint64_t stream, bool holes)
{
    static double values[WEIGHTS];
    for (size_t i = 0; i < WEIGHTS; i++) {
        const uint64_t word = scattered(stream + i);
        values[i] = holes && word % 4 < 2 ? (word % 4 == 0 ? 0.0 : -0.0) : (double)(int64_t)(word | 1) / 0x1p63;
    }
    return values;
}

/* The table of a matrix's entries by diagonals, [2 span][block]. */
static void tabulate(const hb_block_matrix *w, const hb_block_outline *by, size_t slots, double *table)
{
    const int64_t span = by->span, all = (int64_t)slots, block = w->block;
    memset(table, 0, sizeof *table * 2 * by->span * w->block);
    for (uint32_t i = 0; i < w->rows; i++) {
        for (hb_block_entries e = hb_block_row(w, i); hb_block_entries_next(&e);) {
            int64_t number = e.slot % span - i;
            if (by->copies > 1) {
                number = (number + span) % span;
            } else if (span == all) {
                number = number > all / 2 ? number - all : number <= -all / 2 ? number + all : number;
            }
            table[(number + span) * block + e.slot / span * span + i] = e.value;
        }
    }
}

static void expect(const hb_block_diagonals *d, uint32_t i, size_t by, const double *wanted)
{
    const size_t block = d->matrix->block;
    double real[BLOCK], imaginary[BLOCK];
    memset(real, 0xff, sizeof real); /* what is there before does not matter */
    memset(imaginary, 0xff, sizeof imaginary);
    d->diagonals.make(d->diagonals.context, i, by, real, imaginary);
    for (size_t x = 0; x < block; x++) {
        assert_memory_equal(&real[(x + by) % block], &wanted[x], sizeof *wanted);
        assert_true(imaginary[x] == 0 && !signbit(imaginary[x]));
    }
}

static void check(const hb_block_matrix *w, uint32_t span, uint32_t copies, size_t slots)
{
    static double table[2 * BLOCK * BLOCK];
    const hb_block_outline by = {.block = w->block, .span = span, .copies = copies};
    hb_block_diagonals d;
    uint32_t count = 0;
    double sum = 0;
    tabulate(w, &by, slots, table);
    assert_int_equal(hb_block_diagonals_init(&d, w, &by, slots, true), HB_OK);
    assert_true(d.diagonals.period == w->block && d.diagonals.values == NULL);
    for (uint32_t k = 0; k < 2 * span; k++) {
        const double *row = table + (size_t)k * w->block;
        double most = 0;
        for (uint32_t x = 0; x < w->block; x++) {
            most = fmax(most, fabs(row[x]));
        }
        sum += most;
        if (most > 0) {
            assert_true(count < d.diagonals.count);
            assert_true(d.numbers[count] == (int64_t)k - span);
            expect(&d, count, 0, row);
            expect(&d, count++, (size_t)k * 7 % w->block, row);
        }
    }
    assert_int_equal(count, d.diagonals.count);
    assert_true(sum == d.most);
    hb_block_diagonals_clear(&d);
}

/* With every span and copy that products may have. */
static void check_all(hb_block_matrix w)
{
    uint32_t least = 1, wide = 1;
    while (least < w.rows) {
        least *= 2;
    }
    while (wide < w.columns) {
        wide *= 2;
    }
    const uint32_t one = least > wide ? least : wide;
    for (uint32_t span = least; span <= one; span *= 2) {
        check(&w, span, 1, w.block);
        check(&w, span, 1, 4 * (size_t)w.block);
    }
    if (one <= w.block / 2) {
        check(&w, one, 2, w.block);
        check(&w, one, 2, 4 * (size_t)w.block);
    }
}

static void test_dense(void **state)
{
    (void)state;
    for (uint32_t rows = 1; rows <= BLOCK; rows += 9) {
        for (uint32_t columns = 1; columns <= BLOCK; columns += 7) {
            for (int holes = 0; holes < 2; holes++) {
                check_all((hb_block_matrix){
                    .rows = rows, .columns = columns, .block = BLOCK, .values = weights_of(rows * columns, holes)});
            }
        }
    }
    /* The vector is an image that keeps every second pixel, and whose channels do not fill the gaps. */
    const hb_block_image image = {.height = 4, .width = 8, .gap = 2, .channels = 7};
    check_all((hb_block_matrix){.rows = 5,
                                .columns = hb_block_image_slots(&image),
                                .block = BLOCK,
                                .values = weights_of(5, true),
                                .from = image});
}

/* One entry a row, some of which are 0: the same as the matrix that says all of its entries. */
static void test_picks(void **state)
{
    (void)state;
    static double dense[BLOCK * BLOCK];
    for (uint32_t rows = 1; rows <= BLOCK; rows += 9) {
        for (uint32_t columns = 1; columns <= BLOCK; columns += 7) {
            const double *values = weights_of(rows + columns, true);
            uint32_t picks[BLOCK];
            memset(dense, 0, sizeof dense);
            for (uint32_t i = 0; i < rows; i++) {
                picks[i] = (uint32_t)(scattered(rows * columns + i) % columns);
                dense[i * columns + picks[i]] = values[i];
            }
            hb_block_matrix w = {.rows = rows, .columns = columns, .block = BLOCK, .values = values, .picks = picks};
            assert_int_equal(hb_block_matrix_values(&w), rows);
            check_all(w);
            hb_block_sums own[BLOCK], all[BLOCK];
            hb_block_matrix_sums(&w, own);
            w.values = dense;
            w.picks = NULL;
            hb_block_matrix_sums(&w, all);
            assert_memory_equal(own, all, rows * sizeof *own);
        }
    }
}

static hb_block_image image(uint32_t height, uint32_t width, uint32_t gap, uint32_t channels)
{
    return (hb_block_image){.height = height, .width = width, .gap = gap, .channels = channels};
}

static void check_convolution(hb_block_image from, hb_block_image to, uint32_t kernel)
{
    for (int holes = 0; holes < 2; holes++) {
        check_all((hb_block_matrix){.rows = hb_block_image_slots(&to),
                                    .columns = hb_block_image_slots(&from),
                                    .block = BLOCK,
                                    .values = weights_of(kernel, holes),
                                    .from = from,
                                    .to = to,
                                    .kernel = kernel});
    }
}

static void test_convolutions(void **state)
{
    (void)state;
    for (uint32_t kernel = 1; kernel <= 7; kernel += 2) { /* also some larger than the image */
        check_convolution(image(4, 4, 1, 4), image(4, 4, 1, 4), kernel);
        check_convolution(image(4, 4, 1, 3), image(4, 4, 1, 1), kernel); /* several parts */
        check_convolution(image(4, 4, 1, 1), image(4, 4, 1, 2), kernel);
        check_convolution(image(2, 8, 1, 2), image(2, 8, 1, 1), kernel);
        check_convolution(image(4, 8, 1, 2), image(4, 8, 2, 5), kernel); /* with stride 2 */
        check_convolution(image(4, 8, 2, 8), image(4, 8, 2, 3), kernel); /* from an image with gaps */
        check_convolution(image(8, 8, 2, 3), image(8, 8, 4, 9), kernel);
        check_convolution(image(6, 6, 1, 1), image(6, 6, 3, 4), kernel);
    }
}

HB_UNIT(block_diagonals)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dense), cmocka_unit_test(test_picks),
                                       cmocka_unit_test(test_convolutions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
