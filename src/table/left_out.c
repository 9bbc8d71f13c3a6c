#include "left_out.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/modarith.h"

#define MODULUS (((uint64_t)1 << 61) - 1) /* a prime, so that powers of different rows differ */

/* 3^38 and 5^26, the largest powers of 3 and 5 below it: both of orders above 2^56. */
static const uint64_t bases[HB_LEFT_OUT_SUMS] = {1350851717672992089, 1490116119384765625};

static uint64_t multiply(uint64_t a, uint64_t b)
{
    return (uint64_t)((hb_u128)a * b % MODULUS);
}

static uint64_t power(uint64_t base, uint64_t exponent)
{
    uint64_t out = 1;
    for (; exponent > 0; exponent >>= 1, base = multiply(base, base)) {
        out = (exponent & 1) != 0 ? multiply(out, base) : out;
    }
    return out;
}

void hb_left_out_join(hb_left_out *to, uint64_t total, const hb_left_out *next)
{
    to->rows += next->rows;
    for (int i = 0; i < HB_LEFT_OUT_SUMS && next->rows > 0; i++) {
        to->sum[i] = (to->sum[i] + multiply(power(bases[i], total), next->sum[i])) % MODULUS;
    }
}

void hb_left_out_add(hb_left_out *to, uint64_t row)
{
    const hb_left_out first = {.rows = 1, .sum = {1, 1}}; /* row 0 of a table behind `row` rows */
    hb_left_out_join(to, row, &first);
}

bool hb_left_out_is_possible(const hb_left_out *of, uint64_t kept)
{
    bool possible = kept <= INT64_MAX && of->rows <= INT64_MAX - kept;
    for (int i = 0; i < HB_LEFT_OUT_SUMS; i++) {
        possible = possible && of->sum[i] < MODULUS && (of->rows > 0 || of->sum[i] == 0);
    }
    return possible;
}

void hb_left_out_text(char text[HB_LEFT_OUT_TEXT], const hb_left_out *of, uint64_t kept)
{
    if (of->rows == 0) {
        snprintf(text, HB_LEFT_OUT_TEXT, "no row was left out");
        return;
    }
    snprintf(text, HB_LEFT_OUT_TEXT, "%" PRIu64 " of %" PRIu64 " rows %s left out, as %s missing", of->rows,
             of->rows + kept, of->rows == 1 ? "was" : "were",
             of->rows == 1 ? "a cell of it is" : "cells of theirs are");
}

hb_status hb_left_out_require_same(hb_left_out_of a, hb_left_out_of b)
{
    char of[2][HB_LEFT_OUT_TEXT];
    if (hb_left_out_same(a.left_out, b.left_out)) {
        return HB_OK;
    }
    hb_left_out_text(of[0], a.left_out, a.kept);
    hb_left_out_text(of[1], b.left_out, b.kept);
    return HB_FAIL(HB_EDATA,
                   "%s: %s; %s: %s%s: their rows do not belong together. Leave the same rows out of all tables before "
                   "they are encrypted, or say a value for missing cells, --missing COLUMN=VALUE",
                   a.name, of[0], b.name, of[1],
                   a.left_out->rows > 0 && b.left_out->rows > 0 ? ", but not the same ones" : "");
}
