/* Command lines: words to numbers, option tables, environment, nearest spellings, human-readable numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/console.h"
#include "cli/options.h"
#include "cli/params_options.h"
#include "cli/parse.h"
#include "unit/unit.h"

static void numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        uint64_t value;
    } cases[] = {{"0", true, 0},
                 {"007", true, 7},
                 {"0x1F", true, 31},
                 {"18446744073709551615", true, UINT64_MAX},
                 {"18446744073709551616", false, 0},
                 {"", false, 0},
                 {" 1", false, 0},
                 {"+1", false, 0},
                 {"-1", false, 0},
                 {"1 ", false, 0},
                 {"1k", false, 0},
                 {"0x", false, 0},
                 {"1e3", false, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t value = 99;
        assert_int_equal(hb_parse_number(cases[i].text, &value), cases[i].good ? HB_OK : HB_EUSAGE);
        assert_true(value == (cases[i].good ? cases[i].value : 99));
    }
}

static void sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t amount; /* 0: refused */
        bool percent;
    } cases[] = {{"12", 12, false},
                 {"1K", 1024, false},
                 {"3k", 3072, false},
                 {"2MiB", 2097152, false},
                 {"8G", (uint64_t)8 << 30, false},
                 {"16777215TiB", 18446742974197923840u, false}, /* (2^24 - 1) 2^40 */
                 {"80%", 80, true},
                 {"100%", 100, true},
                 {"16777216T", 0, false},
                 {"18446744073709551616", 0, false},
                 {"0", 0, false},
                 {"0%", 0, false},
                 {"101%", 0, false},
                 {"80%%", 0, false},
                 {"1KB", 0, false},
                 {"1Ki", 0, false},
                 {"1KiB ", 0, false},
                 {"K", 0, false},
                 {"%", 0, false},
                 {"", 0, false},
                 {"-1G", 0, false},
                 {"1.5G", 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hb_size size = {99, false};
        const bool good = cases[i].amount > 0;
        assert_int_equal(hb_parse_size(cases[i].text, &size), good ? HB_OK : HB_EUSAGE);
        assert_true(size.amount == (good ? cases[i].amount : 99) && size.percent == cases[i].percent);
    }
}

static void durations(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double seconds; /* < 0: refused */
    } cases[] = {{"90", 90},    {"90s", 90},       {"0.5s", 0.5}, {"15m", 900},    {"2h", 7200},
                 {"1:30", 90},  {"2:00:00", 7200}, {"0:0:1", 1},  {"", -1},        {"-1", -1},
                 {"inf", -1},   {"nan", -1},       {"0x10", -1},  {"1:2:3:4", -1}, {"1:", -1},
                 {"1:30s", -1}, {"5d", -1},        {"1 s", -1},   {"1e999", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double seconds = -2;
        bool good = cases[i].seconds >= 0;
        assert_int_equal(hb_parse_duration(cases[i].text, &seconds), good ? HB_OK : HB_EUSAGE);
        assert_true(seconds == (good ? cases[i].seconds : -2));
    }
}

static void gaps(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double gap; /* 0: refused */
    } cases[] = {{"0.001", 0.001}, {"2^-12", 0x1p-12}, {"2^-0.5", 0x1.6a09e667f3bcdp-1},
                 {"1e-3", 0.001},  {"1", 0},           {"0", 0},
                 {"-0.5", 0},      {"2^-0", 0},        {"2^-", 0},
                 {"2^-x", 0},      {"0.5x", 0},        {"", 0},
                 {"nan", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double gap = -2;
        const bool good = cases[i].gap > 0;
        assert_int_equal(hb_parse_gap(cases[i].text, &gap), good ? HB_OK : HB_EUSAGE);
        assert_true(gap == (good ? cases[i].gap : -2));
    }
    double gap = 0.25;
    assert_int_equal(hb_parse_gap(NULL, &gap), HB_OK);
    assert_true(gap == 0.25);
}

static void lists_and_bytes(void **state)
{
    (void)state;
    uint64_t values[3] = {0};
    size_t count = 9;
    assert_int_equal(hb_parse_list("43,0x2b,44", values, 3, &count), HB_OK);
    assert_int_equal(count, 3);
    assert_true(values[0] == 43 && values[1] == 43 && values[2] == 44);
    static const char *const bad[] = {"", ",", "1,", ",1", "1,,2", "1;2", "1,2,3,4", "1, 2"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(hb_parse_list(bad[i], values, 3, &count), HB_EUSAGE);
    }
    uint8_t bytes[3];
    assert_int_equal(hb_parse_hex("00fF1a", bytes, 3), HB_OK);
    assert_true(bytes[0] == 0 && bytes[1] == 255 && bytes[2] == 26);
    assert_int_equal(hb_parse_hex("00ff1", bytes, 3), HB_EUSAGE);
    assert_int_equal(hb_parse_hex("00ff1g", bytes, 3), HB_EUSAGE);
    assert_null(strstr(hb_last_error()->text, "00ff1g")); /* a seed is never repeated */
}

/* A command line of `tool` with options of each kind. */
typedef struct line {
    const char *key, *seed;
    uint64_t n, m;
    hb_size size;
    double wait;
    bool force;
    hb_parsed parsed;
} line;

static hb_status parse(line *l, size_t least, size_t most, const char *const *words)
{
    static const hb_command command = {.name = "tool", .arguments = "A [B]", .summary = ""};
    *l = (line){.n = 5};
    const hb_option rows[] = {{"key", 'k', HB_OPTION_TEXT, &l->key, "FILE", ""},
                              {"n", 0, HB_OPTION_NUMBER, &l->n, "N", ""},
                              {"test-count", 'm', HB_OPTION_NUMBER, &l->m, "M", ""},
                              {"size", 's', HB_OPTION_SIZE, &l->size, "SIZE", ""},
                              {"wait", 0, HB_OPTION_DURATION, &l->wait, "TIME", ""},
                              {"insecure-seed", 0, HB_OPTION_TEXT, &l->seed, "HEX", ""},
                              {"force", 'f', HB_OPTION_FLAG, &l->force, NULL, ""}};
    static char *argv[16]; /* operands are found in it */
    argv[0] = (char *)"tool";
    int argc = 1;
    for (; words[argc - 1] != NULL; argc++) {
        argv[argc] = (char *)words[argc - 1];
    }
    hb_group group = {.size = 1};
    const hb_usage usage = {&command, rows, sizeof rows / sizeof rows[0], least, most, 0};
    return hb_options_parse(&usage, &group, argc, argv, &l->parsed);
}

#define PARSE(least, most, ...) parse(&l, least, most, (const char *const[]){__VA_ARGS__, NULL})

static void command_lines(void **state)
{
    (void)state;
    line l;
    assert_int_equal(
        PARSE(1, 2, "in", "--key", "a", "--n=7", "-fm2048", "-s2K", "--wait", "1m", "out", "-qvv", "--json"), HB_OK);
    assert_string_equal(l.key, "a");
    assert_true(l.size.amount == 2048 && !l.size.percent);
    assert_true(l.n == 7 && l.m == 2048 && l.wait == 60 && l.force);
    assert_true(l.parsed.common.json && l.parsed.common.quiet && l.parsed.common.verbose == 2);
    assert_true(l.parsed.common.progress == 30 && !l.parsed.help && l.parsed.operand_count == 2);
    assert_string_equal(l.parsed.operands[0], "in");
    assert_string_equal(l.parsed.operands[1], "out");
    /* An option with one argument is given once: a second one would replace the first. */
    assert_int_equal(PARSE(0, 2, "--n=7", "--n", "8"), HB_EUSAGE);
    assert_non_null(strstr(hb_last_error()->text, "--n is given twice: say all of it at once"));
    assert_int_equal(PARSE(0, 2, "-k", "a", "in", "--key=b"), HB_EUSAGE);
    assert_int_equal(PARSE(0, 2, "-s2K", "-s2K"), HB_EUSAGE);
    assert_int_equal(PARSE(0, 2, "-f", "-f", "-v", "-v"), HB_OK);

    assert_int_equal(PARSE(1, 2, "--", "--key", "-"), HB_OK);
    assert_null(l.key);
    assert_string_equal(l.parsed.operands[0], "--key");
    assert_string_equal(l.parsed.operands[1], "-");
    assert_int_equal(PARSE(0, 0, "--key="), HB_OK);
    assert_string_equal(l.key, "");

    assert_int_equal(PARSE(1, 2, "--force"), HB_EUSAGE);
    assert_int_equal(PARSE(0, 1, "a", "b"), HB_EUSAGE);
    assert_int_equal(PARSE(0, 0, "--key"), HB_EUSAGE);
    assert_int_equal(PARSE(0, 0, "-k"), HB_EUSAGE);
    assert_int_equal(PARSE(0, 0, "--force=1"), HB_EUSAGE);
    assert_int_equal(PARSE(0, 0, "--n", "x"), HB_EUSAGE);
    assert_int_equal(PARSE(0, 0, "--size", "2X"), HB_EUSAGE);
    assert_int_equal(PARSE(0, 0, "--ke", "a"), HB_EUSAGE); /* no abbreviations */
    assert_non_null(strstr(hb_last_error()->text, "did you mean '--key'"));
}

static void environment(void **state)
{
    (void)state;
    static const char *const closed[] = {"HEBATCH_HELP", "HEBATCH_FORCE", "HEBATCH_INSECURE_SEED"};
    line l;
    setenv("HEBATCH_TEST_COUNT", "3", 1);
    setenv("HEBATCH_QUIET", "1", 1);
    setenv("HEBATCH_VERBOSE", "1", 1);
    for (size_t i = 0; i < sizeof closed / sizeof closed[0]; i++) {
        setenv(closed[i], "1", 1);
    }
    assert_int_equal(PARSE(0, 0, "-v"), HB_OK);
    assert_true(l.m == 3 && l.parsed.common.quiet && l.parsed.common.verbose == 2);
    assert_true(!l.parsed.help && !l.force && l.seed == NULL); /* not to be set for good */
    assert_int_equal(PARSE(0, 0, "--test-count", "5", "--force", "--insecure-seed", "a"), HB_OK);
    assert_true(l.m == 5 && l.force);
    assert_string_equal(l.seed, "a");
    setenv("HEBATCH_QUIET", "maybe", 1);
    assert_int_equal(PARSE(0, 0, "-v"), HB_EUSAGE);
    assert_non_null(strstr(hb_last_error()->text, "HEBATCH_QUIET"));
    unsetenv("HEBATCH_TEST_COUNT");
    unsetenv("HEBATCH_QUIET");
    unsetenv("HEBATCH_VERBOSE");
    for (size_t i = 0; i < sizeof closed / sizeof closed[0]; i++) {
        unsetenv(closed[i]);
    }
}

static void peeking(void **state)
{
    (void)state;
    hb_common common;
    char *argv[] = {(char *)"tool", (char *)"--unknown", (char *)"x", (char *)"-v", (char *)"--verbose", NULL};
    hb_clear_error();
    hb_options_peek(5, argv, &common);
    assert_int_equal(common.verbose, 2);
    assert_string_equal(hb_last_error()->text, "");
}

static void bits(void **state)
{
    (void)state;
    assert_string_equal(hb_human_bits(15.19, true, "bits proven", "none").text, "15.1 bits proven");
    assert_string_equal(hb_human_bits(0, true, "bits proven", "none").text, "0.0 bits proven");
    assert_string_equal(hb_human_bits(-3.11, true, "proven", "none proven").text, "none proven (errors up to 2^3.2)");
    assert_string_equal(hb_human_bits(-360, true, "proven", "none proven").text, "none proven");
    assert_string_equal(hb_human_bits(15, false, "bits proven", "none").text, "15 bits proven");
    assert_string_equal(hb_human_bits(1, false, "bit proven", "none").text, "1 bit proven");
    assert_string_equal(hb_human_bits(0, false, "bits proven", "none proven").text, "none proven (1 too few)");
    assert_string_equal(hb_human_bits(-54, false, "bits proven", "none proven").text, "none proven (55 too few)");
    assert_string_equal(hb_human_bits(-HUGE_VAL, false, "bits proven", "none proven").text, "none proven");
    assert_string_equal(hb_human_bits(-HUGE_VAL, true, "bits proven", "none proven").text, "none proven");
}

static void human(void **state)
{
    (void)state;
    assert_string_equal(hb_human_bytes(0).text, "0 B");
    assert_string_equal(hb_human_bytes(999).text, "999 B");
    assert_string_equal(hb_human_bytes(1024).text, "1.00 KiB");
    assert_string_equal(hb_human_bytes(1.5 * 1073741824).text, "1.50 GiB");
    assert_string_equal(hb_human_count(12345678).text, "12.3 M");
    assert_string_equal(hb_human_count(999.9).text, "1.00 k");
    assert_string_equal(hb_human_seconds(4.2).text, "4.20 s");
    assert_string_equal(hb_human_seconds(3723.4).text, "1:02:03");
    assert_string_equal(hb_human_about(0.01).text, "1 second");
    assert_string_equal(hb_human_about(12.4).text, "12 seconds");
    assert_string_equal(hb_human_about(89.9).text, "90 seconds");
    assert_string_equal(hb_human_about(90).text, "2 minutes");
    assert_string_equal(hb_human_about(5399).text, "90 minutes");
    assert_string_equal(hb_human_about(5400).text, "1.5 hours");
    assert_string_equal(hb_human_about(6.0 * 86400).text, "6.0 days");
    assert_string_equal(hb_human_about(1e12).text, "unknown time");
    assert_string_equal(hb_human_seconds(1e300).text, "unknown");
}

/* The chain of Microsoft SEAL's CoeffModulus::Create(8192, {60, 40, 40, 60}) and PlainModulus::Batching(8192, 20). */
static void parameters(void **state)
{
    (void)state;
    static const uint64_t chain[] = {1152921504606748673, 1099510890497, 1099511480321, 1152921504606830593};
    hb_option rows[HB_PARAMS_OPTIONS];
    hb_params_choice choice;
    hb_params_options(rows, &choice);
    hb_params_spec spec = {0};
    assert_int_equal(hb_params_choose(&choice, &spec), HB_EUSAGE);
    choice.n = 8192;
    choice.bits = "60,40,40,60";
    assert_int_equal(hb_params_choose(&choice, &spec), HB_OK);
    assert_true(spec.n == 8192 && spec.key_limbs == 4 && spec.bfv.plain == 1032193);
    assert_true(spec.security.level == 128 && spec.security.table == HB_SECURITY_2024 && !spec.security.quantum);
    assert_memory_equal(spec.primes, chain, sizeof chain);
    choice.bits = "60,60,60"; /* t of the same size is none of them */
    choice.bfv.plain_bits = 60;
    assert_int_equal(hb_params_choose(&choice, &spec), HB_OK);
    for (size_t i = 0; i < spec.key_limbs; i++) {
        assert_true(spec.primes[i] != spec.bfv.plain && spec.bfv.plain < spec.primes[i]);
    }
    choice.bits = "60,40,40,60";
    choice.bfv.plain_bits = HB_NOT_GIVEN;
    choice.primes = "7";
    assert_int_equal(hb_params_choose(&choice, &spec), HB_EUSAGE);
    choice.bits = NULL;
    choice.bfv.plain = 3;
    choice.security = "192q";
    choice.insecure = true;
    assert_int_equal(hb_params_choose(&choice, &spec), HB_OK); /* whether it is allowed is hb_params_open's to say */
    assert_true(spec.primes[0] == 7 && spec.bfv.plain == 3 && spec.insecure);
    assert_true(spec.security.level == 192 && spec.security.table == HB_SECURITY_2024 && spec.security.quantum);
    choice.security_table = 2018;
    assert_int_equal(hb_params_choose(&choice, &spec), HB_ECONFIG); /* no limits against quantum computers */
    choice.security = "256";
    assert_int_equal(hb_params_choose(&choice, &spec), HB_OK);
    assert_true(spec.security.level == 256 && spec.security.table == HB_SECURITY_2018 && !spec.security.quantum);
    static const char *const wrong[] = {"", "q", "12", "128 ", "1280", "128qq", "q128", "100", "128Q"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        choice.security = wrong[i];
        assert_int_equal(hb_params_choose(&choice, &spec), HB_ECONFIG);
    }
    choice.security = NULL;
    choice.security_table = 2019;
    assert_int_equal(hb_params_choose(&choice, &spec), HB_ECONFIG);
    hb_params_options(rows, &choice);
    choice.preset = "bfv-4096";
    choice.bfv.plain = 65537;
    assert_int_equal(hb_params_choose(&choice, &spec), HB_OK);
    assert_true(spec.n == 4096 && spec.bfv.plain == 65537 && spec.key_limbs == 3);
}

/* Chains of CKKS, found or given. */
static void parameters_of_reals(void **state)
{
    (void)state;
    hb_option rows[HB_PARAMS_OPTIONS];
    hb_params_choice choice;
    hb_params_spec spec = {0}, preset;
    hb_params_options(rows, &choice);
    choice.n = 16384;
    choice.ckks.levels = 7;
    assert_int_equal(hb_params_choose(&choice, &spec), HB_EUSAGE); /* no scale */
    choice.ckks.scale_bits = 40;
    assert_int_equal(hb_params_choose(&choice, &spec), HB_OK);
    assert_int_equal(hb_params_preset("ckks-14", &preset), HB_OK);
    assert_true(hb_params_same(&spec, &preset));
    choice.special_primes = 3;
    choice.ckks.first_bits = 45;
    assert_int_equal(hb_params_choose(&choice, &spec), HB_OK);
    assert_true(spec.special_limbs == 3 && spec.digit_limbs == 3 && spec.primes[0] >> 44 == 1);
    choice.scheme = "bfv"; /* whose options these are not */
    assert_int_equal(hb_params_choose(&choice, &spec), HB_EUSAGE);
    choice.scheme = "ckks";
    choice.bits = "50,40,50"; /* beside --levels */
    assert_int_equal(hb_params_choose(&choice, &spec), HB_EUSAGE);
    choice.ckks.levels = HB_NOT_GIVEN;
    assert_int_equal(hb_params_choose(&choice, &spec), HB_EUSAGE); /* --first-bits with --bits */
    choice.ckks.first_bits = HB_NOT_GIVEN;
    choice.special_primes = 1;
    choice.digit_primes = 1;
    assert_int_equal(hb_params_choose(&choice, &spec), HB_OK);
    assert_true(spec.scheme == HB_CKKS && spec.ckks.scale_bits == 40 && spec.key_limbs == 3 && !spec.ckks.like_seal);
    choice.ckks.like_seal = true;
    assert_int_equal(hb_params_choose(&choice, &spec), HB_OK);
    assert_true(spec.ckks.like_seal);
    choice.ckks.scale_bits = HB_NOT_GIVEN;
    assert_int_equal(hb_params_choose(&choice, &spec), HB_EUSAGE);
    choice.scheme = "CKKS";
    assert_int_equal(hb_params_choose(&choice, &spec), HB_EUSAGE);
}

/* A preset takes no options of the other scheme, and none that make a chain. */
static void options_beside_presets(void **state)
{
    (void)state;
    hb_option rows[HB_PARAMS_OPTIONS];
    hb_params_choice choice;
    hb_params_spec spec = {0};
    hb_params_options(rows, &choice);
    choice.preset = "ckks-13";
    choice.bfv.plain_bits = 20;
    assert_int_equal(hb_params_choose(&choice, &spec), HB_EUSAGE);
    choice.bfv.plain_bits = HB_NOT_GIVEN;
    choice.ckks.levels = 3;
    assert_int_equal(hb_params_choose(&choice, &spec), HB_EUSAGE);
    choice.ckks.levels = HB_NOT_GIVEN;
    choice.scheme = "bfv";
    assert_int_equal(hb_params_choose(&choice, &spec), HB_EUSAGE);
}

/* Special primes and digits of key switching, of any scheme. */
static void digits_of_key_switching(void **state)
{
    (void)state;
    hb_option rows[HB_PARAMS_OPTIONS];
    hb_params_choice choice;
    hb_params_spec spec = {0};
    hb_params_options(rows, &choice);
    choice.n = 8192;
    choice.bits = "40,40,40,40,41,41";
    choice.special_primes = 2;
    choice.digit_primes = 1;
    assert_int_equal(hb_params_choose(&choice, &spec), HB_OK);
    assert_true(spec.scheme == HB_BFV && spec.special_limbs == 2 && spec.digit_limbs == 1);
    choice.digit_primes = 65;
    assert_int_equal(hb_params_choose(&choice, &spec), HB_ECONFIG);
    choice.digit_primes = HB_NOT_GIVEN;
    choice.special_primes = 0;
    assert_int_equal(hb_params_choose(&choice, &spec), HB_ECONFIG);
}

HB_UNIT(options)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers),
                                       cmocka_unit_test(sizes),
                                       cmocka_unit_test(durations),
                                       cmocka_unit_test(gaps),
                                       cmocka_unit_test(lists_and_bytes),
                                       cmocka_unit_test(command_lines),
                                       cmocka_unit_test(environment),
                                       cmocka_unit_test(peeking),
                                       cmocka_unit_test(human),
                                       cmocka_unit_test(parameters),
                                       cmocka_unit_test(parameters_of_reals),
                                       cmocka_unit_test(options_beside_presets),
                                       cmocka_unit_test(digits_of_key_switching),
                                       cmocka_unit_test(bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
