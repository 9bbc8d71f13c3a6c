#include "security.h"

#include <inttypes.h>
#include <stdio.h>

enum { LEAST_LOG_N = 10, DEGREES = 8, LEVELS = 3, TABLES = 3 };

/* A table of one year and one model of the attacker. */
typedef struct security_table {
    hb_security_table table;
    bool quantum;
    const char *model;              /* of the attacker and, where the table has a single one, of lattice reduction */
    uint16_t bits[LEVELS][DEGREES]; /* 128, 192, 256 bits; N = 2^10 .. 2^17; 0: no entry */
} security_table;

static const security_table tables[TABLES] = {
    {HB_SECURITY_2018,
     false,
     "classical",
     {{27, 54, 109, 218, 438, 881, 1747, 3523}, {19, 37, 75, 152, 305, 611, 0, 0}, {14, 29, 58, 118, 237, 476, 0, 0}}},
    /* The limits of 256 bits at 2^17 come from the guidelines' parameter files, as the published table ends at 2^16. */
    {HB_SECURITY_2024,
     false,
     "classical, MATZOV",
     {{26, 53, 106, 214, 430, 868, 1747, 3523},
      {0, 36, 73, 147, 297, 597, 1199, 2411},
      {0, 27, 56, 114, 230, 462, 929, 1866}}},
    /* As the guidelines' script computes them. An earlier cost of it, LaaMosPol14, allowed a quarter more bits: so do
     * tables of other libraries that took that over. */
    {HB_SECURITY_2024,
     true,
     "quantum, ChaLoy21",
     {{20, 40, 80, 161, 322, 644, 1289, 2578},
      {0, 29, 59, 119, 239, 479, 959, 1920},
      {0, 22, 47, 95, 192, 385, 773, 0}}},
};

static const security_table *find(hb_security security)
{
    for (uint32_t i = 0; i < TABLES; i++) {
        if (tables[i].table == security.table && tables[i].quantum == security.quantum) {
            return &tables[i];
        }
    }
    return NULL;
}

/* LEVELS: none of them. */
static uint32_t level_index(uint32_t level)
{
    return level == 128 ? 0 : level == 192 ? 1 : level == 256 ? 2 : LEVELS;
}

hb_security hb_security_default(void)
{
    return (hb_security){.level = 128, .table = HB_SECURITY_2024};
}

uint32_t hb_security_limit(hb_security security, size_t n)
{
    const security_table *table = find(security);
    const uint32_t level = level_index(security.level);
    for (uint32_t i = 0; table != NULL && level < LEVELS && i < DEGREES; i++) {
        if (n == (size_t)1 << (LEAST_LOG_N + i)) {
            return table->bits[level][i];
        }
    }
    return 0;
}

uint32_t hb_security_sparse_limit(hb_security security, size_t n)
{
    static const struct {
        size_t n;
        uint32_t bits;
    } limits[] = {{(size_t)1 << 15, 100}, {(size_t)1 << 16, 121}, {(size_t)1 << 17, 121}};
    for (size_t i = 0; security.level == 128 && !security.quantum && i < sizeof limits / sizeof *limits; i++) {
        if (limits[i].n == n) {
            return limits[i].bits;
        }
    }
    return 0;
}

hb_status hb_security_check(hb_security security)
{
    if (level_index(security.level) == LEVELS) {
        return HB_FAIL(HB_ECONFIG, "a security level of %" PRIu32 " bits is in no table; they have 128, 192 and 256",
                       security.level);
    }
    if (find(security) == NULL) {
        return HB_FAIL(HB_ECONFIG, "the table of %" PRIu32 " has no limits against quantum computers; that of 2024 has",
                       hb_security_year(security.table));
    }
    return HB_OK;
}

uint32_t hb_security_year(hb_security_table table)
{
    return table == HB_SECURITY_2018 ? 2018 : 2024;
}

hb_status hb_security_of_year(uint64_t year, hb_security_table *table)
{
    if (year != 2018 && year != 2024) {
        return HB_FAIL(HB_ECONFIG, "there is no security table of %" PRIu64 "; there are those of 2018 and 2024", year);
    }
    *table = year == 2018 ? HB_SECURITY_2018 : HB_SECURITY_2024;
    return HB_OK;
}

const char *hb_security_model(hb_security security)
{
    const security_table *table = find(security);
    return table != NULL ? table->model : "quantum";
}

const char *hb_security_source(hb_security security, size_t n)
{
    return security.table == HB_SECURITY_2024 ? "the table of 2024 (ePrint 2024/463, table 5.2)"
           : n > (size_t)1 << 15              ? "OpenFHE's table"
                                              : "the HE-standard table of 2018";
}

hb_security_text hb_security_claim(hb_security security, size_t n, uint32_t bits)
{
    hb_security_text claim;
    hb_security today = security;
    char more[64] = "";
    today.table = HB_SECURITY_2024;
    const uint32_t limit = hb_security_limit(security, n), now = hb_security_limit(today, n);
    if (bits > limit) {
        snprintf(claim.text, sizeof claim.text,
                 "INSECURE: %" PRIu32 " bits, above the %" PRIu32 " for %" PRIu32 "-bit security (%s) in %s", bits,
                 limit, security.level, hb_security_model(security), hb_security_source(security, n));
        return claim;
    }
    if (now == 0) {
        snprintf(more, sizeof more, "; not in the table of 2024");
    } else if (bits > now) {
        snprintf(more, sizeof more, "; above the table of 2024 (%" PRIu32 " bits)", now);
    }
    snprintf(claim.text, sizeof claim.text, "%" PRIu32 " bits (%s) by %s%s", security.level,
             hb_security_model(security), hb_security_source(security, n), more);
    return claim;
}
