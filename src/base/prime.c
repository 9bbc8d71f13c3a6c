#include "prime.h"

#include <inttypes.h>
#include <string.h>

#include "modarith.h"

/* Returns a b mod n for any n > 0. */
static uint64_t mul_mod(uint64_t a, uint64_t b, uint64_t n)
{
    return (uint64_t)((hb_u128)a * b % n); /* the compiler's division: n may have 64 bits, too wide for hb_modulus */
}

/* Runs one round of Miller-Rabin for odd n > base, with n - 1 = odd * 2^twos. False proves that n is composite. */
static bool is_probable_prime(uint64_t n, uint64_t base, uint64_t odd, int twos)
{
    uint64_t x = 1;
    for (uint64_t square = base, e = odd; e != 0; e >>= 1, square = mul_mod(square, square, n)) {
        if (e & 1) {
            x = mul_mod(x, square, n);
        }
    }
    if (x == 1) {
        return true;
    }
    /* A prime n has no square roots of 1 but 1 and -1, so the squares must reach -1 before they reach 1. */
    for (int i = 1; i < twos && x != n - 1; i++) {
        x = mul_mod(x, x, n);
    }
    return x == n - 1;
}

bool hb_is_prime(uint64_t n)
{
    /* The first twelve primes as bases leave no composite below 3.18 * 10^23 undetected (Sorenson and Webster, "Strong
     * pseudoprimes to twelve prime bases", 2015). */
    static const uint64_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    const size_t count = sizeof bases / sizeof *bases;
    for (size_t i = 0; i < count; i++) {
        if (n % bases[i] == 0) {
            return n == bases[i];
        }
    }
    /* 0 is divisible by 2 and went above; 1 is left. */
    if (n < 2) {
        return false;
    }
    const int twos = __builtin_ctzll(n - 1);
    for (size_t i = 0; i < count; i++) {
        if (!is_probable_prime(n, bases[i], (n - 1) >> twos, twos)) {
            return false;
        }
    }
    return true;
}

hb_status hb_find_primes(uint64_t step, uint32_t bits, size_t count, uint64_t *primes)
{
    if (step == 0 || bits < 2 || bits > HB_MODULUS_MAX_BITS) {
        return HB_FAIL(HB_ECONFIG, "there is no search for primes of %" PRIu32 " bits = 1 mod %" PRIu64, bits, step);
    }
    size_t have = 0;
    /* From the largest number = 1 mod step of at most `bits` bits. Going down cannot pass below 1. */
    const uint64_t lower = 1ull << (bits - 1);
    for (uint64_t v = (2 * lower - 2) / step * step + 1; have < count && v >= lower; v -= step) {
        if (hb_is_prime(v)) {
            primes[have++] = v;
        }
    }
    if (have < count) {
        /* The found primes are of no use without the rest. */
        memset(primes, 0, count * sizeof *primes);
        return HB_FAIL(HB_ECONFIG,
                       "only %zu of the %zu primes asked for have %" PRIu32 " bits and are = 1 mod %" PRIu64, have,
                       count, bits, step);
    }
    return HB_OK;
}

/* Gives a prime to every entry from `first` on that has the size bits[first]; the first entry gets the smallest. */
static hb_status create_one_size(size_t n, const uint32_t *bits, size_t first, size_t count, uint64_t *primes)
{
    uint64_t pool[HB_PRIME_MAX_COUNT];
    size_t left = 0;
    for (size_t i = first; i < count; i++) {
        left += bits[i] == bits[first];
    }
    HB_TRY(hb_find_primes(2 * n, bits[first], left, pool));
    for (size_t i = first; i < count; i++) {
        if (bits[i] == bits[first]) {
            /* hb_find_primes lists them from the largest down: taken from its end they increase. */
            primes[i] = pool[--left];
        }
    }
    return HB_OK;
}

hb_status hb_create_primes(size_t n, const uint32_t *bits, size_t count, uint64_t *primes)
{
    /* The result is made aside, so that a failure leaves `primes` as it was; 0 marks an entry that has no prime yet. */
    uint64_t created[HB_PRIME_MAX_COUNT] = {0};
    if (count > HB_PRIME_MAX_COUNT) {
        return HB_FAIL(HB_ECONFIG, "%zu primes asked for, at most %d are allowed", count, HB_PRIME_MAX_COUNT);
    }
    if (n == 0 || (n & (n - 1)) != 0 || n > SIZE_MAX / 2) {
        return HB_FAIL(HB_ECONFIG, "the degree N = %zu is not a power of two", n);
    }
    for (size_t i = 0; i < count; i++) {
        if (bits[i] < 2 || bits[i] > HB_PRIME_MAX_BITS) {
            return HB_FAIL(HB_ECONFIG, "prime %zu: %" PRIu32 " bits asked for, 2 to %d are allowed", i, bits[i],
                           HB_PRIME_MAX_BITS);
        }
    }
    for (size_t i = 0; i < count; i++) {
        /* A size is searched for once, for all entries that have it. */
        if (created[i] == 0) {
            HB_TRY(create_one_size(n, bits, i, count, created));
        }
    }
    memcpy(primes, created, count * sizeof *primes);
    return HB_OK;
}

uint64_t hb_smallest_root(uint64_t p, size_t n)
{
    hb_modulus m;
    if (p >> HB_MODULUS_MAX_BITS != 0 || n == 0 || n > (p - 1) / 2 || (p - 1) % (2 * n) != 0 || !hb_is_prime(p) ||
        hb_modulus_init(&m, p) != HB_OK) {
        return 0;
    }
    /* x^((p-1)/2n) is a root exactly when x is no square mod p. Half of all x are none, so this ends soon. */
    uint64_t root = 0;
    for (uint64_t x = 2; root == 0; x++) {
        /* r^(2n) = 1 in any case; r^n = -1 makes it primitive. */
        uint64_t r = hb_mod_pow(x, (p - 1) / (2 * n), &m);
        root = hb_mod_pow(r, n, &m) == p - 1 ? r : 0;
    }
    /* The roots are the odd powers of any one of them, psi^1, psi^3, ..., psi^(2n-1); n of them are different. A
     * product waits for the one before it, so several ways go through them side by side; beyond the last one they come
     * again. */
    enum { WAYS = 4 };
    const uint64_t square = hb_mod_mul(root, root, &m), step = hb_mod_pow(square, WAYS, &m);
    const uint64_t quotient = hb_shoup_quotient(step, p);
    uint64_t smallest = root, power[WAYS] = {root};
    for (size_t w = 1; w < WAYS; w++) {
        power[w] = hb_mod_mul(power[w - 1], square, &m);
    }
    for (size_t i = 0; i < n; i += WAYS) {
        for (size_t w = 0; w < WAYS; w++) {
            smallest = power[w] < smallest ? power[w] : smallest;
            power[w] = hb_correct(hb_mul_shoup_lazy(power[w], step, quotient, p), p);
        }
    }
    return smallest;
}
