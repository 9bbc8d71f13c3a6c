/* The options that choose parameters: a preset, or N and primes; and the scheme's own options. */
#ifndef HB_CLI_PARAMS_OPTIONS_H
#define HB_CLI_PARAMS_OPTIONS_H

#include <jansson.h>

#include "bfv_params.h"
#include "ckks_params.h"
#include "common.h"
#include "mpi/group/group.h"
#include "options.h"
#include "scheme/params.h"

/* The values given; HB_NOT_GIVEN or NULL where an option was not given. */
typedef struct hb_params_choice {
    const char *scheme, *preset, *primes, *bits;
    const char *security; /* "128", "128q", ... */
    const char *eval_mod; /* the form of bootstrapping, of schemes of reals and of integers */
    uint64_t n, special_primes, digit_primes, security_table;
    bool insecure;
    bool for_tests; /* presets for tests are insecure without that option, too: nothing is made of the literal */
    hb_bfv_choice bfv;
    hb_ckks_choice ckks;
} hb_params_choice;

enum { HB_PARAMS_OPTIONS = 11 + HB_BFV_OPTIONS + HB_CKKS_OPTIONS };

/* Replaces the members of *security that options give: --security (NULL: not given), "128", "192", "256" or these with
 * q for attacks by quantum computers; and --security-table (HB_NOT_GIVEN: not given), 2018 or 2024. HB_ECONFIG for
 * other values, and for combinations that the table does not have. */
hb_status hb_security_choose(const char *level, uint64_t year, hb_security *security);

/* Fills rows[0 .. HB_PARAMS_OPTIONS) with options that write to *choice, which is cleared. */
void hb_params_options(hb_option rows[HB_PARAMS_OPTIONS], hb_params_choice *choice);
/* Makes the literal that the options describe: the preset, with security and the scheme's values replaced where given;
 * or a chain of its own, with the security of hb_security_default where none is given. The scheme is the named one,
 * else the one whose own options are given, else BFV. HB_EUSAGE for options that exclude each other or are incomplete;
 * HB_ECONFIG when no prime has the wanted size. hb_params_open checks the rest. */
hb_status hb_params_choose(const hb_params_choice *choice, hb_params_spec *spec);

/* Finds the scheme of the options: the named one, else the one whose own options are given, else BFV. HB_EUSAGE for an
 * unknown name, and for options of another scheme. */
hb_status hb_params_choose_scheme(const hb_params_choice *choice, hb_scheme *scheme);

/* Returns whether the options choose any parameters, by preset or otherwise. */
bool hb_params_is_chosen(const hb_params_choice *choice);

/* A row of a table about presets with bootstrapping, without the name. */
#define HB_PARAMS_LEFT 96
/* The additions of one scheme to command lines, lines of results and reports about parameters. A new scheme is a row in
 * params_options.c, and a file like bfv_params.c. */
#define HB_PARAMS_VALUE 24
typedef struct hb_params_words {
    const char *options; /* "--plain, --plain-bits" */
    const char *asked;   /* those of them that `params suggest` takes, which finds the chain itself */
    const char *heading; /* "t": the name of its value */
    bool (*is_chosen)(const hb_params_choice *choice);
    /* Whether the scheme's own options choose a chain, instead of --primes and --bits, and the literal of that chain;
     * NULL: never. */
    bool (*makes_chain)(const hb_params_choice *choice);
    hb_status (*chain)(const hb_params_choice *choice, hb_params_spec *spec);
    hb_status (*choose)(const hb_params_choice *choice, hb_params_spec *spec);
    void (*value)(char text[HB_PARAMS_VALUE], const hb_params_spec *spec);
    json_t *(*json)(const hb_params_spec *spec); /* an object; NULL when out of memory */
    void (*print)(const hb_group *group, const hb_common *common, const hb_params *params); /* lines of results */
    /* The remains of bootstrapping under parameters that have it (left returns false where they do not): a row of a
     * table with that heading, and an object for reports, null where there is none, NULL when out of memory. */
    const char *left_heading;
    bool (*left)(char row[HB_PARAMS_LEFT], const hb_params *params);
    json_t *(*left_json)(const hb_params *params);
} hb_params_words;
extern const hb_params_words hb_bfv_words;  /* bfv_params.c */
extern const hb_params_words hb_ckks_words; /* ckks_params.c */
const hb_params_words *hb_params_words_of(const hb_params_spec *spec);

/* Prints result lines: digits, special primes and the sizes of a key; nothing for parameters that switch no keys. */
void hb_params_print_switching(const hb_group *group, const hb_common *common, const hb_params *params);

/* "t 1032193": heading and value. */
#define HB_PARAMS_BRIEF 48
void hb_params_brief(char text[HB_PARAMS_BRIEF], const hb_params_spec *spec);
/* Names what is counted where ciphertexts are, for the end of a sentence: ", those of all 3 plain moduli"; empty where
 * there is one. */
#define HB_PARAMS_COUNTED 48
void hb_params_counted(char text[HB_PARAMS_COUNTED], const hb_params_spec *spec);

#endif
