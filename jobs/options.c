#include "options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options_private.h"
#include "parse.h"

enum { COMMON_ROWS = 5 };

static void common_rows(hb_option rows[COMMON_ROWS], hb_parsed *parsed)
{
    hb_common *common = &parsed->common;
    *common = (hb_common){.progress = 30};
    parsed->help = false;
    const hb_option values[COMMON_ROWS] = {
        {"json", 0, HB_OPTION_FLAG, &common->json, NULL, "results as one JSON document on stdout"},
        {"progress", 0, HB_OPTION_DURATION, &common->progress, "TIME",
         "between progress lines when stderr is no terminal (default 30s)"},
        {"quiet", 'q', HB_OPTION_FLAG, &common->quiet, NULL, "no log and no progress on stderr, errors only"},
        {"verbose", 'v', HB_OPTION_COUNT, &common->verbose, NULL, "more on stderr: where in the source an error arose"},
        {"help", 'h', HB_OPTION_FLAG, &parsed->help, NULL, "this text"}};
    memcpy(rows, values, sizeof values);
}

/* Own rows first: a command may give a common name a meaning of its own. */
static const hb_option *find(const hb_option_rows *rows, const char *name, size_t length, char letter)
{
    for (; rows != NULL; rows = rows->next) {
        for (size_t i = 0; i < rows->count; i++) {
            const hb_option *row = &rows->rows[i];
            bool same = name != NULL ? strlen(row->name) == length && memcmp(row->name, name, length) == 0
                                     : row->letter != 0 && row->letter == letter;
            if (same) {
                return row;
            }
        }
    }
    return NULL;
}

static hb_status parse_flag(const char *text, bool *value)
{
    static const char *const yes[] = {"1", "yes", "true", "on"}, *const no[] = {"0", "no", "false", "off"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        if (strcmp(text, yes[i]) == 0 || strcmp(text, no[i]) == 0) {
            *value = strcmp(text, yes[i]) == 0;
            return HB_OK;
        }
    }
    return HB_FAIL(HB_EUSAGE, "'%s' is neither 1 nor 0", text);
}

/* text: the argument; NULL for a flag on the command line. */
static hb_status store(const hb_option *row, const char *text)
{
    uint64_t number;
    switch (row->kind) {
    case HB_OPTION_FLAG:
        if (text == NULL) {
            *(bool *)row->value = true;
            return HB_OK;
        }
        return parse_flag(text, row->value);
    case HB_OPTION_COUNT:
        if (text == NULL) {
            ++*(int *)row->value;
            return HB_OK;
        }
        HB_TRY(hb_parse_number(text, &number));
        *(int *)row->value = number < INT8_MAX ? (int)number : INT8_MAX;
        return HB_OK;
    case HB_OPTION_TEXT:
        *(const char **)row->value = text;
        return HB_OK;
    case HB_OPTION_NUMBER:
        return hb_parse_number(text, row->value);
    case HB_OPTION_SIZE:
        return hb_parse_size(text, row->value);
    case HB_OPTION_DURATION:
        return hb_parse_duration(text, row->value);
    }
    HB_ASSERT(false);
    return HB_EUSAGE;
}

/* `as`: the option as the user wrote it, for the message. */
static hb_status apply(const hb_option *row, const char *text, const char *as)
{
    hb_status st = store(row, text);
    return st == HB_OK ? HB_OK : HB_FAIL(st, "%s: %s", as, hb_last_error()->text);
}

static bool is_flag(const hb_option *row)
{
    return row->kind == HB_OPTION_FLAG || row->kind == HB_OPTION_COUNT;
}

/* HEBATCH_<NAME> of every row: defaults, applied before the command line. */
static hb_status apply_environment(const hb_option_rows *rows)
{
    for (; rows != NULL; rows = rows->next) {
        for (size_t i = 0; i < rows->count; i++) {
            char variable[64];
            snprintf(variable, sizeof variable, "HEBATCH_%s", rows->rows[i].name);
            for (char *c = variable; *c != '\0'; c++) {
                *c = (char)(*c == '-' ? '_' : toupper((unsigned char)*c));
            }
            const char *text = getenv(variable);
            if (text != NULL && find(rows, "help", 4, 0) != &rows->rows[i]) {
                HB_TRY(apply(&rows->rows[i], text, variable));
            }
        }
    }
    return HB_OK;
}

static hb_status unknown(const hb_option_rows *rows, const char *word, size_t length)
{
    const char *names[64];
    size_t count = 0;
    for (; rows != NULL; rows = rows->next) {
        for (size_t i = 0; i < rows->count && count + 1 < sizeof names / sizeof names[0]; i++) {
            names[count++] = rows->rows[i].name;
        }
    }
    names[count] = NULL;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    const char *near = hb_nearest(name, names);
    return near != NULL ? HB_FAIL(HB_EUSAGE, "unknown option '--%s'; did you mean '--%s'?", name, near)
                        : HB_FAIL(HB_EUSAGE, "unknown option '--%s'; --help lists them", name);
}

/* A word that starts with "--"; *at moves on when the argument is the next word. `lenient`: unknown ones are passed
 * over. */
static hb_status long_option(const hb_option_rows *rows, bool lenient, int argc, char **argv, int *at)
{
    const char *name = argv[*at] + 2;
    size_t length = strcspn(name, "=");
    const hb_option *row = find(rows, name, length, 0);
    if (row == NULL) {
        return lenient ? HB_OK : unknown(rows, name, length);
    }
    const char *text = name[length] == '=' ? name + length + 1 : NULL;
    if (is_flag(row) && text != NULL) {
        return HB_FAIL(HB_EUSAGE, "option '--%s' takes no argument", row->name);
    }
    if (!is_flag(row) && text == NULL) {
        if (*at + 1 >= argc) {
            return HB_FAIL(HB_EUSAGE, "option '--%s' needs an argument: --%s %s", row->name, row->name, row->argument);
        }
        text = argv[++*at];
    }
    char as[64];
    snprintf(as, sizeof as, "--%s", row->name);
    return apply(row, text, as);
}

/* A word of short options, "-qv" or "-kFILE". */
static hb_status short_options(const hb_option_rows *rows, bool lenient, int argc, char **argv, int *at)
{
    for (const char *c = argv[*at] + 1; *c != '\0'; c++) {
        const hb_option *row = find(rows, NULL, 0, *c);
        if (row == NULL) {
            return lenient ? HB_OK : HB_FAIL(HB_EUSAGE, "unknown option '-%c'; --help lists them", *c);
        }
        const char as[3] = {'-', *c, '\0'};
        if (is_flag(row)) {
            HB_TRY(apply(row, NULL, as));
            continue;
        }
        const char *text = c[1] != '\0' ? c + 1 : *at + 1 < argc ? argv[++*at] : NULL;
        if (text == NULL) {
            return HB_FAIL(HB_EUSAGE, "option '-%c' needs an argument: -%c %s", *c, *c, row->argument);
        }
        return apply(row, text, as);
    }
    return HB_OK;
}

static hb_status parse_words(const hb_option_rows *rows, bool lenient, size_t most, int argc, char **argv,
                             hb_parsed *parsed)
{
    bool only_operands = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (only_operands || word[0] != '-' || word[1] == '\0') {
            if (parsed->operand_count < most) {
                parsed->operands[parsed->operand_count++] = word;
            } else if (!lenient) {
                return HB_FAIL(HB_EUSAGE, "unexpected argument '%s'; --help shows the usage", word);
            }
        } else if (strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (word[1] == '-') {
            HB_TRY(long_option(rows, lenient, argc, argv, &i));
        } else {
            HB_TRY(short_options(rows, lenient, argc, argv, &i));
        }
    }
    return HB_OK;
}

hb_status hb_options_parse(const hb_command *command, const hb_group *group, const hb_option *options,
                           size_t option_count, size_t least, size_t most, int argc, char **argv, hb_parsed *parsed)
{
    HB_ASSERT(most <= sizeof parsed->operands / sizeof parsed->operands[0]);
    hb_option common[COMMON_ROWS];
    common_rows(common, parsed);
    parsed->operand_count = 0;
    const hb_option_rows last = {common, COMMON_ROWS, NULL};
    const hb_option_rows rows = {options, option_count, &last};
    HB_TRY(apply_environment(&rows));
    HB_TRY(parse_words(&rows, false, most, argc, argv, parsed));
    if (parsed->help) {
        if (group->rank == 0) {
            hb_options_help(command, &rows);
        }
        return HB_OK;
    }
    if (parsed->operand_count < least) {
        return HB_FAIL(HB_EUSAGE, "usage: hebatch %s %s", command->name, command->arguments);
    }
    return HB_OK;
}

void hb_options_peek(int argc, char **argv, hb_common *common)
{
    hb_parsed parsed = {0};
    hb_option rows[COMMON_ROWS];
    common_rows(rows, &parsed);
    const hb_option_rows only = {rows, COMMON_ROWS, NULL};
    hb_error before = *hb_last_error();
    if (apply_environment(&only) != HB_OK || parse_words(&only, true, 0, argc, argv, &parsed) != HB_OK) {
        hb_set_error(&before); /* the real parse reports it */
    }
    *common = parsed.common;
}
