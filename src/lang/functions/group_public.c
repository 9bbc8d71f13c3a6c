#include "group_public.h"

#include <math.h>

#include "aggregate.h"
#include "lang/ir/semantics.h"
#include "plain_conditions.h"
#include "scheme/codec.h"

/* The rows of the group, and the sums of the powers of the values over these, from the power 1 on. */
typedef struct moments {
    uint64_t rows;
    hb_plain_value sum[HB_AGGREGATE_MOST_POWER];
} moments;

static hb_status find_moments(hb_lowering *l, const hb_group_public *of, moments *out)
{
    const hb_graph *g = &l->graph;
    uint32_t power = of->mask;
    out->rows = of->mask != HB_NO_NODE ? hb_plain_chosen(g, of->mask) : g->rows;
    for (uint32_t p = 0; p < hb_aggregate_power(of->epilogue); p++) {
        HB_TRY(hb_lower_plain_product(l, power, of->plain, &power));
        HB_TRY(hb_plain_total(l, power, 0, g->rows, &out->sum[p]));
    }
    return HB_OK;
}

static hb_wide wide_of(hb_i128 value)
{
    const uint64_t cell[HB_WIDE_CELL] = {(uint64_t)value, (uint64_t)(value >> 64)};
    return hb_wide_of_cell(cell, true);
}

static hb_status of_integers(const hb_lowering *l, const hb_group_public *of, const moments *found, double *out)
{
    const hb_epilogue *epilogue = of->epilogue;
    hb_wide part[HB_GROUPED_PARTS];
    for (uint32_t i = 0; i < epilogue->parts; i++) {
        const uint32_t power = epilogue->power[i];
        part[i] = power == 0 ? hb_wide_of_word(found->rows) : wide_of(found->sum[power - 1].integer);
    }
    if (hb_epilogue_is_itself(epilogue) && hb_wide_bits(part[0]) > 53) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.position.item->at,
                          "a sum of plain values has more than 53 bits in a group; nothing is encrypted in it: compute "
                          "it from the plain table");
    }
    *out = epilogue->of_parts(part, of->scale);
    return HB_OK;
}

/* The sum of the squares of distances to the mean, without cancellation. */
static hb_status sum_apart(hb_lowering *l, const hb_group_public *of, double mean, double *out)
{
    hb_value x = {.kind = HB_TYPE_ROW}, by = {.kind = HB_TYPE_NUMBER, .number.real = mean}, apart;
    hb_plain_value sum;
    uint32_t squares;
    HB_TRY(hb_lower_columns(l, 1, &x));
    l->pool[x.first] = of->plain;
    HB_TRY(hb_lower_plain(l, HB_ITEM_SUBTRACT, &x, &by, &apart));
    const uint32_t node = l->pool[apart.first];
    HB_TRY(hb_lower_plain_product(l, node, node, &squares));
    HB_TRY(hb_lower_plain_product(l, squares, of->mask, &squares));
    HB_TRY(hb_plain_total(l, squares, 0, l->graph.rows, &sum));
    *out = sum.real;
    return HB_OK;
}

static hb_status of_reals(hb_lowering *l, const hb_group_public *of, const moments *found, double *out)
{
    const double rows = (double)found->rows, sum = found->sum[0].real;
    if (found->sum[0].imaginary != 0) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.position.item->at,
                          "tables of groups have no complex numbers");
    }
    *out = hb_epilogue_is_itself(of->epilogue) ? sum : found->rows > 0 ? sum / rows : NAN;
    if (of->epilogue != &hb_epilogue_variance) {
        return HB_OK;
    }
    const double mean = *out;
    *out = NAN;
    if (found->rows > 1) {
        HB_TRY(sum_apart(l, of, mean, out));
        *out /= rows - 1;
    }
    return HB_OK;
}

hb_status hb_group_public_find(hb_lowering *l, const hb_group_public *of, uint64_t *word)
{
    moments found;
    double number = NAN;
    HB_TRY(find_moments(l, of, &found));
    HB_TRY(l->graph.semantics->reals ? of_reals(l, of, &found, &number) : of_integers(l, of, &found, &number));
    *word = hb_real_word(number);
    return HB_OK;
}
