/* Bounds of the error against the errors of decoded slots: none is above what is proven, and root mean squares are what
 * is expected, for every operation by itself and for random expressions. Seeds are fixed.
 *
 * "t_error PRESET N COUNT" checks so many expressions with parameters of that name, of ring degree N or with 0 their
 * own, and prints rows of the table of tests/ckks_precision. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "reference/real_values.h"

enum { DEPTH = 12, INPUTS = 4 };

/* How far what is expected is from what is measured, in bits, over many values. */
typedef struct tally {
    size_t count, within; /* one bit */
    double least, most, sum;
    double slack; /* of what is proven, the least */
} tally;

static const tally no_tally = {.least = INFINITY, .most = -INFINITY, .slack = INFINITY};

static void tally_add(tally *to, double bits, double slack)
{
    to->count++;
    to->within += fabs(bits) <= 1;
    to->least = fmin(to->least, bits);
    to->most = fmax(to->most, bits);
    to->sum += bits;
    to->slack = fmin(to->slack, slack);
}

/* Checks what is proven of a value and adds what was expected of it. */
static void check(real_world *w, const real *a, tally *to)
{
    const uint32_t limbs = real_limbs(a);
    const hb_quality all = hb_quality_transformed(w->params, limbs, a->quality, a->values);
    const real_errors errors = real_measure(w, a);
    const double scale = log2(real_scale(w, limbs)), largest = log2(errors.largest) + scale,
                 mean = log2(errors.mean) + scale, tail = log2(hb_error_tail(w->params));
    if (largest > all.worst || mean > all.norm) {
        fail_msg("%u limbs: proven 2^%.2f, norm 2^%.2f; measured 2^%.2f, 2^%.2f", limbs, all.worst, all.norm, largest,
                 mean);
    }
    tally_add(to, all.expected - tail - mean, all.worst - largest);
}

/* --- operations by themselves */

typedef real (*operation)(real_world *w, const real *a, const real *b);

static real same(real_world *w, const real *a, const real *b)
{
    (void)w, (void)b;
    return *a;
}

static real sum(real_world *w, const real *a, const real *b)
{
    return real_add(w, a, b, HB_PLUS);
}

static real difference(real_world *w, const real *a, const real *b)
{
    return real_add(w, a, b, HB_MINUS);
}

static real twice(real_world *w, const real *a, const real *b)
{
    (void)b;
    return real_add(w, a, a, HB_PLUS);
}

static real square(real_world *w, const real *a, const real *b)
{
    (void)b;
    return real_multiply(w, a, a);
}

static real cube(real_world *w, const real *a, const real *b)
{
    (void)b;
    const real s = square(w, a, a);
    return real_multiply(w, &s, a);
}

static real eighth_power(real_world *w, const real *a, const real *b)
{
    const real s = square(w, a, b), f = square(w, &s, b);
    return square(w, &f, b);
}

static real by_number(real_world *w, const real *a, const real *b)
{
    (void)b;
    return real_multiply_number(w, a, -1.7);
}

static real by_plain(real_world *w, const real *a, const real *b)
{
    (void)b;
    return real_multiply_plain(w, a);
}

static real plus_number(real_world *w, const real *a, const real *b)
{
    (void)b;
    return real_add_number(w, a, 12.3);
}

static real plus_plain(real_world *w, const real *a, const real *b)
{
    (void)b;
    return real_add_plain(w, a);
}

static real rotation(real_world *w, const real *a, const real *b)
{
    (void)b;
    return real_rotate(w, a);
}

static real lowest(real_world *w, const real *a, const real *b)
{
    (void)b;
    return real_adjust(w, a, 1);
}

static real low_rotation(real_world *w, const real *a, const real *b)
{
    const real low = lowest(w, a, b);
    return real_rotate(w, &low);
}

static const struct {
    const char *name;
    operation run;
} operations[] = {{"fresh", same},
                  {"sum", sum},
                  {"difference", difference},
                  {"twice", twice},
                  {"product", real_multiply},
                  {"square", square},
                  {"cube", cube},
                  {"eighth power", eighth_power},
                  {"times a number", by_number},
                  {"times a plaintext", by_plain},
                  {"plus a number", plus_number},
                  {"plus a plaintext", plus_plain},
                  {"rotation", rotation},
                  {"adjusted", lowest},
                  {"rotated below", low_rotation}};

static void operations_come_to_what_is_expected(void **state)
{
    (void)state;
    const char *const presets[] = {"ckks-13", "ckks-14", "ckks-16"};
    for (size_t p = 0; p < sizeof presets / sizeof *presets; p++) {
        for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
            tally all = no_tally;
            for (uint32_t seed = 1; seed <= 6; seed++) {
                real_world w;
                real_world_open(&w, presets[p], 1024, seed);
                const real a = real_encrypted(&w, seed % 2 == 0), b = real_encrypted(&w, seed % 2 == 0);
                const real r = operations[i].run(&w, &a, &b);
                check(&w, &r, &all);
                real_world_close(&w);
            }
            const double mean = all.sum / (double)all.count;
            if (fabs(mean) > 0.25 || all.least < -0.75 || all.most > 0.75) {
                fail_msg("%s, %s: expected less measured %.2f bits, %.2f to %.2f", presets[p], operations[i].name, mean,
                         all.least, all.most);
            }
        }
    }
}

/* --- random expressions */

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
    const char *const presets[] = {"ckks-13", "ckks-14", "ckks-15"};
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
            char depth[8] = "all";
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(operations_come_to_what_is_expected),
                                       cmocka_unit_test(random_expressions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
