/* The named parameter sets, for 128 bits of security against classical attacks. They are data; hb_bfv_params_open
 * checks them like anyone else's.
 *
 * bfv-...: by the table of 2024, of primes below 2^50, which the FP64 path takes: 3, 5, 9, 17, so that ciphertexts have
 * 2, 4, 8, 16 limbs, which divide evenly among ranks. Their bits are as many as the table allows, and as even as can
 * be. At N = 32768 these primes end 18 bits before the table does: an 18th of them would add 2 % to the budget and 5 to
 * 10 % to the time of everything. They are the largest primes = 1 mod 2N of each size, smaller ones first, so the
 * special prime is the largest of all. hb_create_primes makes the same primes of the sizes, as SEAL's
 * CoeffModulus::Create does.
 *
 * int-...: chains whose noise is bootstrapped (refresh/refresh.h), by the same table, of primes = 1 mod 2^17 below
 * 2^50, so that small rings have them too. Special primes were chosen first, then q_0, the other primes of users, those
 * of the maps to coefficients, of the undoing of the sine, of EvalMod and of the maps to slots. Primes near 2^50 are
 * the largest below it, EvalMod's the largest below 2^49.999, the others the nearest to 2^40, 2^48 and so on. int-16:
 * users have 6 x 50 bits of 3 x 40 + 3 x 48 + 8 x 50 + 3 x 48 + 8 x 50 bits more, product 1508; int-16-deep 9 x 50 of
 * 1718. int-15: 50 + 3 x 44 of 2 x 36 + 8 x 50 + 2 x 49 + 50 + 2 x 33 bits more, product 868: its first special prime
 * is long, as keys to the sparse secret have no other. int-16-table-4 and -8: 4 and 8 levels undo the sine, or apply
 * tables of 2^4 and 2^8 entries; users have 4 x 50 bits of 3 x 40 + 4 or 8 x 48 + 8 x 50 + 3 x 48 + 9 x 48 bits more,
 * product 1488 and 1680.
 *
 * seal-...: those of Microsoft SEAL (semantics.md appendix A.1), by the table of 2018. They follow no search rule. */
#include "presets.h"

#include "rlwe/params_build.h"

#define INT_16_PRIMES                                                                                                \
    0x3fffffe9a0001, 0x3fffffe940001, 0x3fffffe620001, 0x3fffffe460001, 0x3fffffdd40001, 0x3fffffdce0001,            \
        0x10000140001, 0xffffe80001, 0xffffc40001, 0xfffffffa0001, 0xfffffff00001, 0x10000001a0001, 0x3ff4a5b8e0001, \
        0x3ff4a5b8a0001, 0x3ff4a5b820001, 0x3ff4a5b720001, 0x3ff4a5b6c0001, 0x3ff4a5b3c0001, 0x3ff4a5b360001,        \
        0x3ff4a5b0a0001, 0x10000001e0001, 0xffffffde0001, 0x1000000320001, 0x3ffffffd20001, 0x3ffffffb80001,         \
        0x3fffffed60001, 0x3fffffec80001, 0x3fffffebe0001, 0x3fffffea60001, 0x3fffffea40001, 0x3fffffe9e0001
#define INT_16_DEEP_PRIMES                                                                                            \
    0x3ffffffd20001, 0x3ffffffb80001, 0x3fffffed60001, 0x3fffffec80001, 0x3fffffebe0001, 0x3fffffea60001,             \
        0x3fffffea40001, 0x3fffffe9e0001, 0x3fffffe9a0001, 0x10000140001, 0xffffe80001, 0xffffc40001, 0xfffffffa0001, \
        0xfffffff00001, 0x10000001a0001, 0x3ff4a5b8e0001, 0x3ff4a5b8a0001, 0x3ff4a5b820001, 0x3ff4a5b720001,          \
        0x3ff4a5b6c0001, 0x3ff4a5b3c0001, 0x3ff4a5b360001, 0x3ff4a5b0a0001, 0x10000001e0001, 0xffffffde0001,          \
        0x1000000320001, 0x400000060001, 0x400000080001, 0x4000000c0001, 0x400000180001, 0x3fffffcc0001,              \
        0x400000420001, 0x400000440001, 0x3fffffb20001, 0x3fffffa80001, 0x400000660001
#define INT_15_PRIMES                                                                                            \
    0x3ffffffb80001, 0x100000020001, 0x100000180001, 0x1000001a0001, 0xffff00001, 0x10004a0001, 0x3ff4a5b8e0001, \
        0x3ff4a5b8a0001, 0x3ff4a5b820001, 0x3ff4a5b720001, 0x3ff4a5b6c0001, 0x3ff4a5b3c0001, 0x3ff4a5b360001,    \
        0x3ff4a5b0a0001, 0x1ffffffea0001, 0x20000001a0001, 0x3ffffffd20001, 0x200080001, 0x1fff60001

#define INT_16_TABLE_4_PRIMES                                                                                      \
    0x3ffffffd20001, 0x3ffffffb80001, 0x3fffffed60001, 0x3fffffec80001, 0x10000140001, 0xffffe80001, 0xffffc40001, \
        0xffffff6a0001, 0x1000000ba0001, 0x1000000c00001, 0xffffff280001, 0x3ff4a5b8e0001, 0x3ff4a5b8a0001,        \
        0x3ff4a5b820001, 0x3ff4a5b720001, 0x3ff4a5b6c0001, 0x3ff4a5b3c0001, 0x3ff4a5b360001, 0x3ff4a5b0a0001,      \
        0x1000000e00001, 0xffffff060001, 0x1000001140001, 0xfffffffa0001, 0xfffffff00001, 0x10000001a0001,         \
        0x10000001e0001, 0xffffffde0001, 0x1000000320001, 0x1000000380001, 0x1000000500001, 0x1000000720001
#define INT_16_TABLE_8_PRIMES                                                                                      \
    0x3ffffffd20001, 0x3ffffffb80001, 0x3fffffed60001, 0x3fffffec80001, 0x10000140001, 0xffffe80001, 0xffffc40001, \
        0xffffff6a0001, 0x1000000ba0001, 0x1000000c00001, 0xffffff280001, 0x1000000e00001, 0xffffff060001,         \
        0x1000001140001, 0x10000011a0001, 0x3ff4a5b8e0001, 0x3ff4a5b8a0001, 0x3ff4a5b820001, 0x3ff4a5b720001,      \
        0x3ff4a5b6c0001, 0x3ff4a5b3c0001, 0x3ff4a5b360001, 0x3ff4a5b0a0001, 0xfffffed60001, 0x1000001380001,       \
        0x1000001440001, 0xfffffffa0001, 0xfffffff00001, 0x10000001a0001, 0x10000001e0001, 0xffffffde0001,         \
        0x1000000320001, 0x1000000380001, 0x1000000500001, 0x1000000720001

/* stc, cts: maps each way; scale: of the noise behind EvalMod, 2^scale. */
#define INT_LITERAL(degree, t, limbs, list, special, digit, form, stc, cts, scale, tables, unsafe)                 \
    {                                                                                                              \
        .n = (degree), .key_limbs = (limbs), .primes = {list}, .special_limbs = (special), .digit_limbs = (digit), \
        .bfv.plain = (t), .insecure = (unsafe), .security = {.level = 128, .table = HB_SECURITY_2024},             \
        .bootstrapping = {                                                                                         \
            (form),                                                                                                \
            (stc),                                                                                                 \
            (cts),                                                                                                 \
            HB_SPARSE_WEIGHT,                                                                                      \
            (scale),                                                                                               \
            (tables)                                                                                               \
        }                                                                                                          \
    }
#define INT_16_LITERAL(degree, form, unsafe) \
    INT_LITERAL(degree, 0xc0001, 31, INT_16_PRIMES, 8, 8, form, 3, 3, 48, 0, unsafe)

/* t = Batching(N, 20): the largest prime of exactly 20 bits that is = 1 mod 2N (semantics.md 1.4). */
static const hb_preset presets[] = {
    {"bfv-4096",
     {.n = 4096, /* 2 x 35 + 36 bits, product 106 */
      .key_limbs = 3,
      .primes = {0x7fffba001, 0x7ffff6001, 0xffffee001},
      .bfv.plain = 0xfc001,
      .security = {.level = 128, .table = HB_SECURITY_2024}}},
    {"bfv-8192",
     {.n = 8192, /* 42 + 4 x 43 bits, product 214 */
      .key_limbs = 5,
      .primes = {0x3fffffa8001, 0x7fffff68001, 0x7fffffa8001, 0x7fffffc8001, 0x7fffffd8001},
      .bfv.plain = 0xfc001,
      .security = {.level = 128, .table = HB_SECURITY_2024}}},
    {"bfv-16384",
     {.n = 16384, /* 2 x 47 + 7 x 48 bits, product 430 */
      .key_limbs = 9,
      .primes = {0x7ffffff00001, 0x7ffffffc8001, 0xffffffbe8001, 0xffffffde0001, 0xffffffeb8001, 0xffffffee8001,
                 0xfffffff00001, 0xfffffffa0001, 0xfffffffd8001},
      .bfv.plain = 0xc0001,
      .security = {.level = 128, .table = HB_SECURITY_2024}}},
    {"bfv-32768",
     {.n = 32768, /* 17 x 50 bits, product 850 */
      .key_limbs = 17,
      .primes = {0x3fffffe9a0001, 0x3fffffe9e0001, 0x3fffffea40001, 0x3fffffea60001, 0x3fffffead0001, 0x3fffffeb90001,
                 0x3fffffebe0001, 0x3fffffec80001, 0x3fffffed60001, 0x3ffffff5d0001, 0x3ffffff8b0001, 0x3ffffffb10001,
                 0x3ffffffb80001, 0x3ffffffc70001, 0x3ffffffcd0001, 0x3ffffffd20001, 0x3ffffffdf0001},
      .bfv.plain = 0xc0001,
      .security = {.level = 128, .table = HB_SECURITY_2024}}},
    {"seal-4096",
     {.n = 4096, /* 36 + 36 + 37 bits, product 109 */
      .key_limbs = 3,
      .primes = {0xffffee001, 0xffffc4001, 0x1ffffe0001},
      .bfv.plain = 0xfc001,
      .security = {.level = 128}}},
    {"seal-8192",
     {.n = 8192, /* 2 x 43 + 3 x 44 bits, product 218 */
      .key_limbs = 5,
      .primes = {0x7fffffd8001, 0x7fffffc8001, 0xfffffffc001, 0xffffff6c001, 0xfffffebc001},
      .bfv.plain = 0xfc001,
      .security = {.level = 128}}},
    {"seal-16384",
     {.n = 16384, /* 3 x 48 + 6 x 49 bits, product 438 */
      .key_limbs = 9,
      .primes = {0xfffffffd8001, 0xfffffffa0001, 0xfffffff00001, 0x1fffffff68001, 0x1fffffff50001, 0x1ffffffee8001,
                 0x1ffffffea0001, 0x1ffffffe88001, 0x1ffffffe48001},
      .bfv.plain = 0xc0001,
      .security = {.level = 128}}},
    {"seal-32768",
     {.n = 32768, /* 15 x 55 + 56 bits, product 881 */
      .key_limbs = 16,
      .primes = {0x7fffffffe90001, 0x7fffffffbf0001, 0x7fffffffbd0001, 0x7fffffffba0001, 0x7fffffffaa0001,
                 0x7fffffffa50001, 0x7fffffff9f0001, 0x7fffffff7e0001, 0x7fffffff770001, 0x7fffffff380001,
                 0x7fffffff330001, 0x7fffffff2d0001, 0x7fffffff170001, 0x7fffffff150001, 0x7ffffffef00001,
                 0xfffffffff70001},
      .bfv.plain = 0xc0001,
      .security = {.level = 128}}},
    {"int-16", INT_16_LITERAL(65536, HB_EVAL_MOD_FINE, false)},
    {"int-16-sure", INT_16_LITERAL(65536, HB_EVAL_MOD_FINE_SURE, false)},
    {"int-16-deep", INT_LITERAL(65536, 0xc0001, 36, INT_16_DEEP_PRIMES, 10, 9, HB_EVAL_MOD_FINE, 3, 3, 48, 0, false)},
    {"int-15", INT_LITERAL(32768, 0x10001, 19, INT_15_PRIMES, 3, 2, HB_EVAL_MOD_LIGHT, 2, 2, 44, 0, false)},
    {"int-16-table-4", INT_LITERAL(65536, 16, 31, INT_16_TABLE_4_PRIMES, 9, 8, HB_EVAL_MOD_FINE, 3, 3, 48, 4, false)},
    {"int-16-table-8", INT_LITERAL(65536, 256, 35, INT_16_TABLE_8_PRIMES, 9, 8, HB_EVAL_MOD_FINE, 3, 3, 48, 8, false)},
    {"int-test", INT_16_LITERAL(1024, HB_EVAL_MOD_FINE_SURE, true)},
    {"int-table-test", INT_LITERAL(1024, 256, 35, INT_16_TABLE_8_PRIMES, 9, 8, HB_EVAL_MOD_FINE, 3, 3, 48, 8, true)},
};

bool hb_bfv_preset(size_t i, const char **name, hb_params_spec *spec)
{
    return hb_preset_get(presets, sizeof presets / sizeof *presets, i, name, spec);
}
