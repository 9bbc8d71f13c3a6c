/* Automorphisms of the ring as rotations of slots (galois.h). Every odd number modulo 2n is g^s or -g^s for exactly one
 * s below n / 2, g the generator: g^s rotates the rows by s. */
#include "galois.h"

#include <stdbool.h>

#include "base/bits.h"

/* n: a power of two, 4 .. 2^30, so that elements are 32-bit words. */
static void check_degree(size_t n)
{
    HB_ASSERT(n >= 4 && n <= (size_t)1 << 30 && (n & (n - 1)) == 0);
}

static void check_generator(uint32_t generator)
{
    HB_ASSERT(generator % 8 == 3 || generator % 8 == 5);
}

uint32_t hb_galois_swap(size_t n)
{
    check_degree(n);
    return (uint32_t)(2 * n - 1);
}

uint32_t hb_galois_rotation(size_t n, uint32_t generator, int64_t step)
{
    check_degree(n);
    check_generator(generator);
    const int64_t row = (int64_t)(n / 2);
    HB_ASSERT(step != 0 && step > -row && step < row);
    /* The generator has order n / 2 modulo 2n. */
    uint64_t element = 1, square = generator;
    for (uint64_t exponent = (uint64_t)(step > 0 ? step : row + step); exponent != 0; exponent >>= 1) {
        if ((exponent & 1) != 0) {
            element = element * square % (2 * n);
        }
        square = square * square % (2 * n); /* below 2^62 before the reduction */
    }
    return (uint32_t)element;
}

/* base^exponent mod 2n. */
static uint64_t power_of(uint64_t base, uint64_t exponent, uint64_t modulus)
{
    uint64_t power = 1;
    for (; exponent > 0; exponent /= 2) {
        power = (exponent & 1) != 0 ? power * base % modulus : power;
        base = base * base % modulus;
    }
    return power;
}

/* Finds step < row with generator^step = element mod 2n, bit by bit, as the order of the group, row, is a power of two.
 * False: there is none. */
static bool find_step(size_t n, uint32_t generator, uint64_t element, uint64_t *step)
{
    const uint64_t row = n / 2, modulus = 2 * n;
    uint64_t left = element, back = power_of(generator, row - 1, modulus); /* generator^-1, then its squares */
    *step = 0;
    for (uint64_t bit = 1; bit < row; bit *= 2, back = back * back % modulus) {
        /* The exponent that is left is a multiple of `bit`, and this power is 1 where it is one of 2 * bit. */
        if (power_of(left, row / 2 / bit, modulus) != 1) {
            *step += bit;
            left = left * back % modulus;
        }
    }
    return left == 1;
}

int64_t hb_galois_step(size_t n, uint32_t generator, uint32_t element, int *swap)
{
    check_degree(n);
    check_generator(generator);
    *swap = 0;
    const uint64_t row = n / 2, mirrored = 2 * n - element;
    uint64_t step = 0;
    if (element >= 2 * n || (element & 1) == 0) {
        return 0;
    }
    if (!find_step(n, generator, element, &step)) {
        if (!find_step(n, generator, mirrored, &step)) {
            return 0;
        }
        *swap = 1;
    }
    return step <= row / 2 ? (int64_t)step : (int64_t)step - (int64_t)row;
}

uint32_t hb_galois_naf(size_t n, int64_t step, int64_t steps[HB_GALOIS_MOST_STEPS])
{
    check_degree(n);
    const uint64_t row = n / 2;
    uint64_t v = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
    HB_ASSERT(v < row);
    uint32_t count = 0;
    for (uint64_t term = 1; v != 0; term *= 2, v /= 2) {
        if ((v & 1) == 0) {
            continue;
        }
        const bool up = (v & 2) != 0; /* v mod 4 = 3: the digit is -1, and the rest is v + 1 */
        v = up ? v + 1 : v - 1;
        if (term != row) { /* a rotation by a whole row is none */
            steps[count++] = (step < 0) != up ? -(int64_t)term : (int64_t)term;
        }
    }
    return count;
}

uint32_t hb_galois_window_steps(int64_t step, uint64_t terms, int64_t steps[HB_GALOIS_MOST_STEPS])
{
    uint32_t count = 0;
    for (; terms > 1; terms /= 2, step *= 2) {
        steps[count++] = step;
    }
    return count;
}

int64_t hb_galois_window_triple(const int64_t *steps, uint32_t count, uint32_t i)
{
    return i % 2 == 0 && i + 1 < count ? 3 * steps[i] : 0;
}

uint32_t hb_galois_sum_steps(size_t n, int64_t steps[HB_GALOIS_MOST_STEPS])
{
    check_degree(n);
    return hb_galois_window_steps(1, n / 2, steps);
}

void hb_galois_map(uint32_t *map, size_t n, uint32_t element)
{
    check_degree(n);
    HB_ASSERT((element & 1) == 1 && element < 2 * n);
    const uint32_t log_n = hb_bit_length(n) - 1, count = (uint32_t)n;
    for (uint32_t j = 0; j < count; j++) {
        /* Word j is the value at psi^e, e = 2 brev(j) + 1; a(X^g) has there the value of a at psi^(g e). The product
         * modulo 2^32 is right modulo 2n, a power of two. */
        const uint32_t e = element * (2 * hb_bit_reverse(j, log_n) + 1) & (2 * count - 1);
        /* The exponent is odd, as both factors are: it has a place in the transform. */
        map[j] = hb_bit_reverse(e / 2, log_n);
    }
}
