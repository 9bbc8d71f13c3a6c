/* Bounds of the error of random expressions against the errors of decoded slots: none is above what is proven, and root
 * mean squares are mostly what is expected. Seeds are fixed.
 *
 * "t_random_errors PRESET N COUNT" checks so many expressions with parameters of that name, of ring degree N or with 0
 * their own, and prints rows of the table of tests/ckks_precision. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "reference/real_tally.h"

enum { DEPTH = 12, INPUTS = 4 };

/* Of the value so far, another and what comes, one more operation; false where no level is left for any. */
static bool step(real_world *w, real *last, const real *other)
{
    const bool large = last->values.most > 3, lowest_level = real_limbs(last) == 1;
    if (large && lowest_level) {
        return false;
    }
    if (large) {
        *last = real_multiply_number(w, last, 0.05 + 0.1 * real_random(w));
        return true;
    }
    const double number = 3 * real_random(w) - 1.5;
    const bool common = (last->terms & other->terms) != 0; /* nobody writes x + y - x */
    const bool product = real_limbs(other) > 1 && !lowest_level;
    switch (real_choice(w, 10)) {
    case 0:
    case 1:
    case 2:
        *last = product ? real_multiply(w, last, other) : real_rotate(w, last);
        break;
    case 3:
        *last = lowest_level ? real_rotate(w, last) : real_multiply(w, last, last);
        break;
    case 4:
        *last = lowest_level ? real_add_number(w, last, number) : real_multiply_number(w, last, number);
        break;
    case 5:
        *last = lowest_level ? real_add_plain(w, last) : real_multiply_plain(w, last);
        break;
    case 6:
        *last = common ? real_rotate(w, last) : real_add(w, last, other, HB_PLUS);
        break;
    case 7:
        *last = common ? real_add_plain(w, last) : real_add(w, last, other, HB_MINUS);
        break;
    case 8:
        *last = real_add_number(w, last, number);
        break;
    default:
        *last = real_rotate(w, last);
    }
    return true;
}

/* Checks one expression of that depth. Others stand for inputs, or one in four times for a value on the way. */
static void play(real_world *w, uint32_t depth, tally *to)
{
    real input[INPUTS], way = {0};
    for (uint32_t i = 0; i < INPUTS; i++) {
        input[i] = real_encrypted(w, i % 2 == 0);
    }
    real last = input[real_choice(w, INPUTS)];
    way = last;
    for (uint32_t d = 0; d < depth; d++) {
        const bool back = real_choice(w, 4) == 0;
        const real before = last, other = back ? way : input[real_choice(w, INPUTS)];
        if (!step(w, &last, &other)) {
            break;
        }
        if (real_choice(w, 2) == 0) {
            way = before;
        }
    }
    check(w, &last, to);
    real_world_forget(w);
}

static void play_many(const char *preset, size_t n, size_t count, tally by_depth[DEPTH])
{
    for (int d = 0; d < DEPTH; d++) {
        by_depth[d] = no_tally;
    }
    const size_t keys = count < 100 ? 2 : 8; /* pairs of them */
    for (uint32_t seed = 1; seed <= keys; seed++) {
        real_world w;
        real_world_open(&w, preset, n, seed);
        for (size_t i = seed; i <= count; i += keys) {
            const uint32_t depth = (uint32_t)(i / keys % DEPTH);
            play(&w, depth + 1, &by_depth[depth]);
        }
        real_world_close(&w);
    }
}

static tally together(const tally by_depth[DEPTH])
{
    tally all = no_tally;
    for (int d = 0; d < DEPTH; d++) {
        all.count += by_depth[d].count;
        all.within += by_depth[d].within;
        all.sum += by_depth[d].sum;
        all.least = fmin(all.least, by_depth[d].least);
        all.most = fmax(all.most, by_depth[d].most);
        all.slack = fmin(all.slack, by_depth[d].slack);
    }
    return all;
}

static void random_expressions(void **state)
{
    (void)state;
    const char *const presets[] = {"ckks-13", "ckks-14", "ckks-15", "seal-ckks-8192"};
    for (size_t p = 0; p < sizeof presets / sizeof *presets; p++) {
        tally by_depth[DEPTH];
        play_many(presets[p], 1024, 96, by_depth);
        const tally all = together(by_depth);
        if (all.within < all.count * 95 / 100 || fabs(all.sum / (double)all.count) > 0.5) {
            fail_msg("%s: %zu of %zu within a bit of what is expected; %.2f to %.2f", presets[p], all.within, all.count,
                     all.least, all.most);
        }
    }
}

static int print_table(const char *preset, size_t n, size_t count)
{
    tally by_depth[DEPTH];
    play_many(preset, n, count, by_depth);
    for (int d = 0; d <= DEPTH; d++) {
        const tally t = d < DEPTH ? by_depth[d] : together(by_depth);
        if (t.count > 0) {
            char depth[16] = "all";
            if (d < DEPTH) {
                snprintf(depth, sizeof depth, "%d", d + 1);
            }
            printf("%-8s %5s %6zu %7zu %8.2f %8.2f %8.2f %8.2f\n", preset, depth, t.count, t.within, t.least,
                   t.sum / (double)t.count, t.most, t.slack);
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (hb_seed_start() != HB_OK) {
        return 1;
    }
    if (argc == 4) {
        return print_table(argv[1], strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_expressions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
