/* Bounds of the error of random expressions against the errors of decoded slots: none is above the proven bound, and
 * root mean squares are mostly the expected ones. Seeds are fixed.
 *
 * "t_random_errors PRESET N COUNT" checks so many expressions with parameters of that name (real_values.h), of ring
 * degree N or with 0 their own, and prints rows of the table of tests/ckks_precision. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "reference/random_chain.h"
#include "reference/real_tally.h"

enum { DEPTH = 12, INPUTS = 4 };

/* Does one more operation on the value so far, with another value or a drawn number; false where no level is left for
 * any. */
static bool step(real_world *w, real *last, const real *other)
{
    const bool large = last->values.most > 3, lowest_level = real_is_lowest(w, last);
    if (large && lowest_level) {
        return false;
    }
    if (large) {
        *last = real_multiply_number(w, last, 0.05 + 0.1 * real_random(w));
        return true;
    }
    const double number = 3 * real_random(w) - 1.5;
    const bool common = (last->terms & other->terms) != 0; /* no user writes x + y - x */
    const bool product = !real_is_lowest(w, other) && !lowest_level;
    switch (real_choice(w, 11)) {
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
    case 9: /* numbers keep sums about as large as others */
        *last = lowest_level ? real_rotate(w, last) : real_sum(w, last);
        *last = lowest_level ? *last : real_multiply_number(w, last, number / sqrt((double)w->slots));
        break;
    default:
        *last = real_rotate(w, last);
    }
    return true;
}

/* The errors of expressions by depth, and of expressions whose error is mostly one number in all slots, as a total's
 * is. One draw decides the size of that, not the mean over many slots. */
typedef struct found {
    tally depth[DEPTH], total;
} found;

/* Whether the level holds the values beside their error. */
static bool fits(const real_world *w, const real *a)
{
    return a->values.most <= hb_quality_room(w->params, real_limbs(a), a->quality);
}

/* Checks one expression of that depth. Others stand for inputs, or one in four times for a value on the way. */
static void play(real_world *w, uint32_t depth, found *to)
{
    real input[INPUTS], way = {0};
    for (uint32_t i = 0; i < INPUTS; i++) {
        input[i] = real_encrypted(w, i % 2 == 0);
    }
    real last = input[real_choice(w, INPUTS)];
    way = last;
    for (uint32_t d = 0; d < depth && fits(w, &last); d++) {
        const bool back = real_choice(w, 4) == 0;
        const real before = last, other = back ? way : input[real_choice(w, INPUTS)];
        if (!step(w, &last, &other)) {
            break;
        }
        if (real_choice(w, 2) == 0) {
            way = before;
        }
    }
    if (!fits(w, &last)) { /* programs refuse it */
        real_world_forget(w);
        return;
    }
    check(w, &last, last.quality.common > 0.5 ? &to->total : &to->depth[depth - 1]);
    real_world_forget(w);
}

static void play_many(const char *preset, size_t n, size_t count, found *to)
{
    to->total = no_tally;
    for (int d = 0; d < DEPTH; d++) {
        to->depth[d] = no_tally;
    }
    const size_t keys = count < 100 ? 2 : 8; /* pairs of them */
    for (uint32_t seed = 1; seed <= keys; seed++) {
        real_world w;
        real_world_open(&w, preset, n, seed);
        for (size_t i = seed; i <= count; i += keys) {
            play(&w, 1 + (uint32_t)(i / keys % DEPTH), to);
        }
        real_world_close(&w);
    }
}

static tally together(const found *all)
{
    tally sum = all->total;
    for (int d = 0; d < DEPTH; d++) {
        tally_join(&sum, &all->depth[d]);
    }
    return sum;
}

static double deviation(const tally *t)
{
    return sqrt(t->squares / (double)t->count);
}

static void random_expressions(void **state)
{
    (void)state;
    const char *const presets[] = {"ckks-13", "ckks-14", "ckks-15", "seal-ckks-8192", "two-primes"};
    for (size_t p = 0; p < sizeof presets / sizeof *presets; p++) {
        found each;
        play_many(presets[p], 1024, 48, &each);
        const tally all = together(&each);
        if (all.within < all.count * 95 / 100 || deviation(&all) > 0.6) {
            fail_msg("%s: %zu of %zu within a bit of what is expected, %.2f in the mean; %.2f to %.2f", presets[p],
                     all.within, all.count, deviation(&all), all.least, all.most);
        }
    }
}

/* For chains whose primes are near their scale or far, above or below, no error is above the proven bound. */
static void random_chains(void **state)
{
    (void)state;
    enum { CHAINS = 32, EACH = 12 };
    real_world draw = {.random = 11};
    for (uint32_t c = 0; c < CHAINS; c++) {
        const hb_params_spec spec = chain_random(&draw, c % 4 != 0);
        found each = {.total = no_tally};
        real_world w;
        real_world_open_spec(&w, &spec, c + 1);
        for (uint32_t i = 0; i < EACH; i++) {
            play(&w, 1 + i % (spec.key_limbs + 1), &each);
        }
        real_world_close(&w);
    }
}

static void print_row(const char *preset, const char *what, const tally *t)
{
    if (t->count > 0) {
        const double count = (double)t->count;
        printf("%-15s %6s %6zu %7.1f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f\n", preset, what, t->count,
               100 * (double)t->within / count, deviation(t), t->least, t->sum / count, t->most,
               sqrt(t->largest / count), t->slack);
    }
}

static int print_table(const char *preset, size_t n, size_t count)
{
    found each;
    play_many(preset, n, count, &each);
    for (int d = 0; d < DEPTH; d++) {
        char depth[16];
        snprintf(depth, sizeof depth, "%d", d + 1);
        print_row(preset, depth, &each.depth[d]);
    }
    const tally all = together(&each);
    print_row(preset, "totals", &each.total);
    print_row(preset, "all", &all);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_expressions), cmocka_unit_test(random_chains)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
