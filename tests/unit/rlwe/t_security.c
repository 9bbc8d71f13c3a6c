/* Every limit of every table, and the messages about them. The values stand here by degree, as the sources print
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rlwe/security.h"
#include "unit/unit.h"

/* Columns: 2018 128, 192, 256; 2024 128, 192, 256; 2024 quantum 128, 192, 256. */
static const uint32_t limits[8][9] = {
    {27, 19, 14, 26, 0, 0, 20, 0, 0},
    {54, 37, 29, 53, 36, 27, 40, 29, 22},
    {109, 75, 58, 106, 73, 56, 80, 59, 47},
    {218, 152, 118, 214, 147, 114, 161, 119, 95},
    {438, 305, 237, 430, 297, 230, 322, 239, 192},
    {881, 611, 476, 868, 597, 462, 644, 479, 385},
    {1747, 0, 0, 1747, 1199, 929, 1289, 959, 773},
    {3523, 0, 0, 3523, 2411, 1866, 2578, 1920, 0},
};

static hb_security column(uint32_t c)
{
    return (hb_security){
        .level = 128 + 64 * (c % 3), .table = c < 3 ? HB_SECURITY_2018 : HB_SECURITY_2024, .quantum = c >= 6};
}

static void test_limits(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < 9; c++) {
        for (uint32_t r = 0; r < 8; r++) {
            assert_int_equal(hb_security_limit(column(c), (size_t)1024 << r), limits[r][c]);
        }
        assert_int_equal(hb_security_check(column(c)), HB_OK);
        assert_int_equal(hb_security_limit(column(c), 512), 0);
        assert_int_equal(hb_security_limit(column(c), 5000), 0);
        assert_int_equal(hb_security_limit(column(c), (size_t)1 << 18), 0);
    }
}

/* A longer chain, a stronger attacker and a higher level never allow more. */
static void test_order(void **state)
{
    (void)state;
    for (uint32_t r = 0; r < 8; r++) {
        for (uint32_t c = 0; c < 9; c++) {
            const uint32_t here = hb_security_limit(column(c), (size_t)1024 << r);
            const uint32_t larger = hb_security_limit(column(c), (size_t)2048 << r);
            assert_true(larger == 0 || larger > here);
            assert_true(c % 3 == 2 || here == 0 || hb_security_limit(column(c + 1), (size_t)1024 << r) < here);
            assert_true(c < 3 || limits[r][c - 3] == 0 ||
                        hb_security_limit(column(c), (size_t)1024 << r) <= limits[r][c - 3]);
        }
    }
}

static void test_checks(void **state)
{
    (void)state;
    const hb_security start = hb_security_default();
    assert_true(start.level == 128 && start.table == HB_SECURITY_2024 && !start.quantum);
    assert_int_equal(hb_security_check((hb_security){.level = 127}), HB_ECONFIG);
    assert_non_null(strstr(hb_last_error()->text, "127 bits is in no table; they have 128, 192 and 256"));
    assert_int_equal(hb_security_check((hb_security){.level = 128, .quantum = true}), HB_ECONFIG);
    assert_non_null(strstr(hb_last_error()->text, "the table of 2018 has no limits against quantum computers"));
    assert_int_equal(hb_security_limit((hb_security){.level = 128, .quantum = true}, 4096), 0);
    assert_int_equal(hb_security_limit((hb_security){.level = 127}, 4096), 0);
    hb_security_table table = HB_SECURITY_2018;
    assert_int_equal(hb_security_of_year(2024, &table), HB_OK);
    assert_true(table == HB_SECURITY_2024 && hb_security_year(table) == 2024);
    assert_int_equal(hb_security_of_year(2018, &table), HB_OK);
    assert_true(table == HB_SECURITY_2018 && hb_security_year(table) == 2018);
    assert_int_equal(hb_security_of_year(1, &table), HB_ECONFIG);
    assert_non_null(strstr(hb_last_error()->text, "there are those of 2018 and 2024"));
    assert_true(table == HB_SECURITY_2018);
}

static void assert_claim(hb_security security, size_t n, uint32_t bits, const char *text)
{
    assert_string_equal(hb_security_claim(security, n, bits).text, text);
}

static void test_claims(void **state)
{
    (void)state;
    const hb_security today = hb_security_default(), old = {.level = 128};
    hb_security other = today;
    assert_claim(today, 8192, 214, "128 bits (classical, MATZOV) by the table of 2024 (ePrint 2024/463, table 5.2)");
    assert_claim(today, 8192, 215,
                 "INSECURE: 215 bits, above the 214 for 128-bit security (classical, MATZOV) in the table of 2024 "
                 "(ePrint 2024/463, table 5.2)");
    assert_claim(old, 8192, 214, "128 bits (classical) by the HE-standard table of 2018");
    assert_claim(old, 8192, 218,
                 "128 bits (classical) by the HE-standard table of 2018; above the table of 2024 (214 bits)");
    assert_claim(old, 65536, 1747, "128 bits (classical) by OpenFHE's table");
    other.quantum = true;
    assert_claim(other, 8192, 161, "128 bits (quantum, ChaLoy21) by the table of 2024 (ePrint 2024/463, table 5.2)");
    other = (hb_security){.level = 192};
    assert_claim(other, 1024, 19, "192 bits (classical) by the HE-standard table of 2018; not in the table of 2024");
    assert_claim(other, 65536, 100,
                 "INSECURE: 100 bits, above the 0 for 192-bit security (classical) in OpenFHE's table");
}

HB_UNIT(security)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_limits), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_checks), cmocka_unit_test(test_claims)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
