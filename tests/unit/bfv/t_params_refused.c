/* Parameters that are refused: the rule, the value and the nearest legal choice are named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/prime.h"
#include "bfv/params.h"
#include "scheme/params.h"
#include "unit/unit.h"

static hb_params_spec preset(const char *name)
{
    hb_params_spec spec;
    assert_int_equal(hb_params_preset(name, &spec), HB_OK);
    return spec;
}

static hb_params *opened(const hb_params_spec *spec)
{
    hb_params *p = NULL;
    assert_int_equal(hb_params_open(spec, &p), HB_OK);
    assert_non_null(p);
    return p;
}

static void assert_refused(const hb_params_spec *spec, const char *rule, const char *advice)
{
    hb_params untouched, *p = &untouched;
    hb_clear_error();
    assert_int_equal(hb_params_open(spec, &p), HB_ECONFIG);
    assert_null(p);
    if (strstr(hb_last_error()->text, rule) == NULL || strstr(hb_last_error()->text, advice) == NULL) {
        fail_msg("'%s' lacks '%s' or '%s'", hb_last_error()->text, rule, advice);
    }
}

static void test_refused_chains(void **state)
{
    (void)state;
    const hb_params_spec good = preset("seal-4096");
    hb_params_spec spec = good;
    spec.key_limbs = 0;
    assert_refused(&spec, "chain has 0 primes", "1 to 64");
    spec.key_limbs = HB_MAX_LIMBS + 1;
    assert_refused(&spec, "chain has 65 primes", "1 to 64");

    spec = good;
    spec.primes[1] = 1;
    assert_refused(&spec, "q_1 = 1 is not of 2 to 60 bits", "is 40961"); /* the least prime = 1 mod 8192 */
    spec.primes[1] = 1ull << 60;
    assert_refused(&spec, "q_1 = 1152921504606846976 is not of 2 to 60 bits", "is 1152921504606830593");
    spec.primes[1] = 68719230977 - 8192;
    assert_refused(&spec, "q_1 = 68719222785 is not prime", "prime = 1 mod 2N is 68719230977");
    spec.primes[1] = good.primes[0];
    spec.primes[2] = good.primes[1];
    assert_refused(&spec, "q_1 = 68719403009 is in the chain twice", "unused prime = 1 mod 2N is 68719484929");
    spec = good;
    spec.primes[2] = 1032191; /* prime, = -1 mod 4096 */
    assert_refused(&spec, "q_2 = 1032191 is not = 1 mod 2N", "is 1032193");

    spec = good;
    spec.n = 4000;
    assert_refused(&spec, "N = 4000 is not a power of two", "4096");
    spec.n = 5000;
    assert_refused(&spec, "N = 5000 is not a power of two", "4096");
    spec.n = 512;
    assert_refused(&spec, "N = 512 is not", ": 1024");
    spec.n = 0;
    assert_refused(&spec, "N = 0 is not", ": 1024");
    spec.n = (size_t)1 << 18;
    assert_refused(&spec, "N = 262144 is not", ": 131072");
    spec.primes[0] = 9; /* primes are checked before the degree that would say which */
    assert_refused(&spec, "q_0 = 9 is not prime", "nearest unused prime is 7");
}

static void test_refused_security(void **state)
{
    (void)state;
    hb_params_spec spec = preset("seal-8192");
    spec.security.level = 100;
    assert_refused(&spec, "security level of 100 bits", "128, 192 and 256");
    spec.security.level = 192;
    assert_refused(&spec,
                   "chain has 218 bits, and the HE-standard table of 2018 allows 152 bits at N = 8192 for 192-bit",
                   "smallest N that allows it is 16384 (305 bits)");
    spec.insecure = true;
    hb_params *p = opened(&spec);
    assert_true(p->spec.insecure);
    hb_params_close(p);
    spec.security.level = 128; /* exactly at the limit: allowed, so the mark goes */
    p = opened(&spec);
    assert_false(p->spec.insecure);
    hb_params_close(p);

    /* Between the tables: refused by that of 2024, which says that of 2018 would not. */
    spec.security.table = HB_SECURITY_2024;
    spec.insecure = false;
    assert_refused(&spec, "218 bits, and the table of 2024 (ePrint 2024/463, table 5.2) allows 214 bits at N = 8192",
                   "smallest N that allows it is 16384 (430 bits) (--security-table 2018 allows it; --insecure");
    spec.security.quantum = true;
    assert_refused(&spec, "allows 161 bits at N = 8192 for 128-bit security (quantum, ChaLoy21)",
                   "(322 bits) (--insecure");
    spec.security.table = HB_SECURITY_2018;
    assert_refused(&spec, "the table of 2018 has no limits against quantum computers", "that of 2024 has");
    spec.security.quantum = false;

    spec.insecure = false;
    spec.n = 4096;
    assert_refused(&spec, "allows 109 bits at N = 4096", "is 8192 (218 bits)");
    spec = preset("seal-32768");
    spec.security.level = 256;
    assert_refused(&spec, "allows 476 bits", "no N allows it, the most is 476 bits at N = 32768");
    spec.n = 65536;
    assert_refused(&spec, "has no entry at N = 65536", "no N allows it");
}

static void test_refused_plain_moduli(void **state)
{
    (void)state;
    hb_params_spec spec = preset("seal-4096");
    spec.bfv.plain = 1;
    assert_refused(&spec, "t = 1 is not of 2 to 60 bits", "that is: 2");
    spec.bfv.plain = 0;
    assert_refused(&spec, "t = 0 is not of 2 to 60 bits", "that is: 2");
    spec.bfv.plain = 1ull << 60;
    assert_refused(&spec, "t = 1152921504606846976 is not of 2 to 60 bits", "1152921504606846975");
    spec.bfv.plain = 3 * spec.primes[1];
    assert_refused(&spec, "is a multiple of the chain's prime 68719230977", "which batches, is 206157684737");
    spec.bfv.plain = 206157684737;
    assert_int_equal(spec.bfv.plain % (2 * spec.n), 1);
    hb_params *p = opened(&spec);
    assert_true(hb_bfv_of(p)->batching);
    hb_params_close(p);
    spec.key_limbs = 1; /* t above its only prime is too large */
    spec.bfv.plain = spec.primes[0];
    assert_refused(&spec, "is a multiple of the chain's prime 68719403009", "which batches, is 68719230977");
    spec.key_limbs = 1;
    spec.bfv.plain = spec.primes[0] + 5;
    assert_refused(&spec, "t = 68719403014 is not below the product of the primes, 68719403009", "68719403008");
    spec.bfv.plain = spec.primes[0] - 1;
    hb_params_close(opened(&spec));
}

static void assert_no_batching(uint64_t n, uint64_t prime, uint64_t t, const char *rule, const char *advice)
{
    hb_params_spec spec = {
        .n = n, .key_limbs = 1, .primes = {prime}, .bfv.plain = t, .security = {.level = 128}, .insecure = true};
    hb_params *p = opened(&spec);
    assert_false(hb_bfv_of(p)->batching);
    assert_int_equal(hb_params_require_slots(p), HB_ECONFIG);
    const char *text = hb_last_error()->text;
    if (strstr(text, rule) == NULL || strstr(text, advice) == NULL || strstr(text, "coefficient encoding") == NULL) {
        fail_msg("'%s' lacks '%s' or '%s'", text, rule, advice);
    }
    hb_params_close(p);
}

static void test_require_batching(void **state)
{
    (void)state;
    const uint64_t q = 1152921504606584833; /* = 1 mod 2^18 */
    const hb_params_spec good = preset("seal-4096");
    hb_params *p = opened(&good);
    assert_int_equal(hb_params_require_slots(p), HB_OK);
    hb_params_close(p);
    assert_no_batching(4096, q, 1 << 20, "1048576 is not prime", "nearest good t of 21 bits is 1073153");
    assert_no_batching(4096, q, 1032191, "1032191 mod 8192 = 8191", "nearest good t of 20 bits is 1032193");
    assert_no_batching(4096, q, 257, "257 mod 8192 = 257", "no t of 9 bits is good, the nearest is 40961");
    assert_no_batching(8192, q, 520193 + 2, "520195 is not prime", "no t of 19 bits is good, the nearest is 557057");
    /* 12289 is the least prime = 1 mod 2048: none is left below Q. */
    assert_no_batching(1024, 12289, 1000, "1000 is not prime", "no t below the product of the primes is good");
    assert_no_batching(4096, 40961, 32768, "32768 is not prime", "no t below the product of the primes is good");
    assert_no_batching(1024, 18433, 16001, "16001 mod 2048 = 1665", "nearest good t of 14 bits is 12289");
}

static void test_refused_secrets(void **state)
{
    (void)state;
    const hb_params_spec good = preset("seal-4096");
    hb_params_spec spec = good;
    spec.secret = HB_GAUSSIAN;
    assert_refused(&spec, "secret keys of distribution 1 ", "ternary");
    assert_false(hb_params_same(&spec, &good));
    spec.secret = (hb_distribution)99; /* as a damaged file may say */
    assert_refused(&spec, "secret keys of distribution 99 ", "ternary");
}

HB_UNIT(params_refused)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused_secrets), cmocka_unit_test(test_refused_chains),
                                       cmocka_unit_test(test_refused_security),
                                       cmocka_unit_test(test_refused_plain_moduli),
                                       cmocka_unit_test(test_require_batching)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
