#include "epilogue.h"

#include <math.h>

#include "grouping.h"

/* --- parts */

/* A number of the group's own, or of rows. */
static bool is_known(const hb_grouping *g, uint64_t part)
{
    return part >= g->parts;
}

static uint64_t place_of(const hb_group_totals *x, uint64_t part)
{
    return x->group * x->schema->grouping->parts + part;
}

static hb_wide integer_of(const hb_group_totals *x, uint64_t part)
{
    if (is_known(x->schema->grouping, part)) {
        return hb_wide_of_word(hb_grouping_known(x->schema->grouping, x->group, part));
    }
    const hb_column *column = &x->schema->column[place_of(x, part)];
    const uint64_t *words = x->words + place_of(x, part) * hb_column_words(&x->schema->column[0]);
    if (column->cells == HB_CELL_WIDE) {
        return hb_wide_of_cell(words, column->is_signed);
    }
    return column->is_signed ? hb_wide_of((int64_t)words[0]) : hb_wide_of_word(words[0]);
}

static double real_of(const hb_group_totals *x, uint64_t part)
{
    return is_known(x->schema->grouping, part) ? (double)hb_grouping_known(x->schema->grouping, x->group, part)
                                               : hb_real_of(x->words[place_of(x, part)]);
}

/* The scale of a column's stored values. */
static uint64_t scale_of(const hb_group_totals *x, uint64_t part)
{
    return hb_meaning_scale(&x->schema->column[place_of(x, part)].meaning);
}

/* --- numbers computed from them */

/* Counts have 63 bits at most, unless the count wrapped. */
static bool is_below(hb_wide count, int64_t least)
{
    return hb_wide_compare(count, hb_wide_of(least)) < 0 || hb_wide_bits(count) > 63;
}

static double sum_of_parts(const hb_wide *part, uint64_t scale)
{
    return hb_wide_quotient(part[0], hb_wide_of_word(scale));
}

static double mean_of_parts(const hb_wide *part, uint64_t scale)
{
    return is_below(part[1], 1) ? NAN : hb_wide_quotient(part[0], hb_wide_multiply(part[1], hb_wide_of_word(scale)));
}

static double mean_of_integers(const hb_group_totals *x, const uint64_t *part)
{
    return mean_of_parts((const hb_wide[]){integer_of(x, part[0]), integer_of(x, part[1])}, scale_of(x, part[0]));
}

/* Counts of reals may be off by a little. */
static double mean_of_reals(const hb_group_totals *x, const uint64_t *part)
{
    const double sum = real_of(x, part[0]), count = real_of(x, part[1]);
    return count < 0.5 ? NAN : sum / count;
}

/* (n q - s^2) / (n (n - 1)), over the square of the scale: exact, as none of these has more than 2 * 128 bits. */
static double variance_of_parts(const hb_wide *part, uint64_t unit)
{
    const hb_wide squares = part[0], sum = part[1], count = part[2], scale = hb_wide_of_word(unit);
    if (is_below(count, 2)) {
        return NAN;
    }
    const hb_wide pairs = hb_wide_multiply(count, hb_wide_add(count, hb_wide_of(-1)));
    const hb_wide apart = hb_wide_add(hb_wide_multiply(squares, count), hb_wide_negate(hb_wide_multiply(sum, sum)));
    return hb_wide_quotient(apart, hb_wide_multiply(pairs, hb_wide_multiply(scale, scale)));
}

static double variance_of_integers(const hb_group_totals *x, const uint64_t *part)
{
    const hb_wide parts[] = {integer_of(x, part[0]), integer_of(x, part[1]), integer_of(x, part[2])};
    return variance_of_parts(parts, scale_of(x, part[1]));
}

static double variance_of_reals(const hb_group_totals *x, const uint64_t *part)
{
    const double squares = real_of(x, part[0]), sum = real_of(x, part[1]);
    const double count = real_of(x, part[2]);
    return count < 1.5 ? NAN : (squares - sum * sum / count) / (count - 1);
}

static double public_number(const hb_group_totals *x, const uint64_t *part)
{
    return hb_real_of(hb_grouping_known(x->schema->grouping, x->group, part[0]));
}

/* --- rows */

/* Part 0 as it is, or how many rows were added up. */
const hb_epilogue hb_epilogue_itself = {
    .number = 0, .name = "numbers", .parts = 1, .power = {1}, .of_parts = sum_of_parts};
/* Part 0, a sum, divided by part 1, a count; nothing where that is 0. */
const hb_epilogue hb_epilogue_mean = {.number = 1,
                                      .name = "means",
                                      .parts = 2,
                                      .power = {1, 0},
                                      .of_integers = mean_of_integers,
                                      .of_reals = mean_of_reals,
                                      .of_parts = mean_of_parts};
/* The variance of a sample: (part 0, the sum of squares, less part 1^2 / part 2) / (part 2 - 1). Part 1 is the sum and
 * part 2 the count; there is no variance where the count is below 2. */
const hb_epilogue hb_epilogue_variance = {.number = 2,
                                          .name = "variances",
                                          .parts = 3,
                                          .power = {2, 1, 0},
                                          .of_integers = variance_of_integers,
                                          .of_reals = variance_of_reals,
                                          .of_parts = variance_of_parts};
/* Part 0, a number of the group's own, which is the word of a double: it is no secret. */
const hb_epilogue hb_epilogue_public = {
    .number = 3, .name = "public numbers", .parts = 1, .of_integers = public_number, .of_reals = public_number};

const hb_epilogue *hb_epilogue_of(uint64_t number)
{
#define HB_EPILOGUE_ROW(name) &hb_epilogue_##name,
    static const hb_epilogue *const rows[] = {HB_EPILOGUES(HB_EPILOGUE_ROW)};
#undef HB_EPILOGUE_ROW
    return number < sizeof rows / sizeof *rows ? rows[number] : NULL;
}
