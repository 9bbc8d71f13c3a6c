#include "options.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "parse.h"

static const char *program_of(const hb_command *command)
{
    return command->program != NULL ? command->program : "hebatch";
}

/* Rows of one source, and those of the next: the command's own, then the common ones. */
typedef struct option_rows {
    const hb_option *rows;
    size_t count;
    const struct option_rows *next;
} option_rows;

enum { HELP_COLUMN = 30 }; /* where the explanations begin */

/* Prints one option with its explanation, which may have several lines. */
static void print_row(const hb_option *row)
{
    char left[128];
    int width = snprintf(left, sizeof left, "  %c%c%s --%s%s%s", row->letter != 0 ? '-' : ' ',
                         row->letter != 0 ? row->letter : ' ', row->letter != 0 ? "," : " ", row->name,
                         row->argument != NULL ? " " : "", row->argument != NULL ? row->argument : "");
    /* A long option has its explanation on the next line. */
    printf("%s%s%*s", left, width < HELP_COLUMN ? "" : "\n", width < HELP_COLUMN ? HELP_COLUMN - width : HELP_COLUMN,
           "");
    for (const char *line = row->help; line != NULL;) {
        size_t length = strcspn(line, "\n");
        printf("%.*s\n", (int)length, line);
        line = line[length] == '\n' ? line + length + 1 : NULL;
        if (line != NULL) {
            printf("%*s", HELP_COLUMN, "");
        }
    }
}

/* Prints usage, summary and one entry a row on stdout. */
static void print_help(const hb_command *command, const option_rows *rows)
{
    printf("Usage: %s %s %s\n\n%s\n", program_of(command), command->name, command->arguments, command->summary);
    if (command->notes != NULL) {
        printf("%s\n", command->notes);
    }
    /* The command's own options first. */
    for (bool own = true; rows != NULL; rows = rows->next, own = false) {
        if (rows->count > 0) {
            printf(own && rows->next != NULL ? "\nOptions:\n" : "\nEvery command:\n");
        }
        for (size_t i = 0; i < rows->count; i++) {
            print_row(&rows->rows[i]);
        }
    }
    printf("\nOptions but --help, --force and those of --insecure also as an environment variable: HEBATCH_<NAME>, "
           "dashes as underscores; flags 1 or 0.\n");
}

enum { COMMON_ROWS = 8, MOST_ROWS = 72, LONG_OPTIONS = 256 /* codes from here on; letters are below */ };

/* The last one is for commands that servers run. */
static void common_rows(hb_option rows[COMMON_ROWS], hb_parsed *parsed)
{
    hb_common *common = &parsed->common;
    /* Defaults, which the rows then point to. */
    *common = (hb_common){.progress = 30};
    parsed->help = false;
    const hb_option values[] = {
        {"json", 0, HB_OPTION_FLAG, &common->json, NULL, "results as one JSON document on stdout"},
        {"progress", 0, HB_OPTION_DURATION, &common->progress, "TIME",
         "between progress lines when stderr is no terminal (default 30s)"},
        {"quiet", 'q', HB_OPTION_FLAG, &common->quiet, NULL,
         "no log and no progress on stderr, warnings and errors only"},
        {"log", 0, HB_OPTION_TEXT, &common->log, "FILE", "the log to this file too, with times; of ranks to FILE.RANK"},
        {"passphrase", 0, HB_OPTION_TEXT, &common->passphrase, "WHERE",
         "of a sealed key: fd:N, file:PATH, command:CMD; default: asked for"},
        {"verbose", 'v', HB_OPTION_COUNT, &common->verbose, NULL, "more on stderr: where in the source an error arose"},
        {"help", 'h', HB_OPTION_FLAG, &parsed->help, NULL, "this text"},
        {"server", 0, HB_OPTION_TEXT, &common->server, "FOLDER",
         "have the server of this folder do it: hebatch serve --help"}};
    _Static_assert(sizeof values / sizeof *values == COMMON_ROWS, "every row is there");
    /* The table points into `parsed`, so it is made for each command line. */
    memcpy(rows, values, sizeof values);
}

/* Takes a flag from the environment, where it has to have a value. */
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

static hb_status add_text(hb_texts *texts, const char *text)
{
    if (texts->count == HB_TEXTS_MOST) {
        return HB_FAIL(HB_EUSAGE, "it is given more than %d times", HB_TEXTS_MOST);
    }
    texts->text[texts->count++] = text;
    return HB_OK;
}

/* Stores the argument `text` into the row's value; NULL for a flag on the command line. */
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
        /* From the environment a count is a number; more than a few say no more. */
        *(int *)row->value = number < INT8_MAX ? (int)number : INT8_MAX;
        return HB_OK;
    case HB_OPTION_TEXT:
    case HB_OPTION_SEED:
        *(const char **)row->value = text;
        return HB_OK;
    case HB_OPTION_TEXTS:
        return add_text(row->value, text);
    case HB_OPTION_NUMBER:
    case HB_OPTION_ABOVE_0:
        HB_TRY(hb_parse_number(text, &number));
        /* The value that stands for not given cannot be given. */
        if (number == (row->kind == HB_OPTION_NUMBER ? HB_NOT_GIVEN : 0)) {
            return HB_FAIL(HB_EUSAGE, "%s is too %s", text, number == 0 ? "small" : "large");
        }
        *(uint64_t *)row->value = number;
        return HB_OK;
    case HB_OPTION_SIZE:
        return hb_parse_size(text, row->value);
    case HB_OPTION_DURATION:
        return hb_parse_duration(text, row->value);
    }
    HB_ASSERT(false);
    return HB_EUSAGE;
}

/* Stores an argument; `as` is the option as the user wrote it, for the message. */
static hb_status apply(const hb_option *row, const char *text, const char *as)
{
    hb_status st = store(row, text);
    return st == HB_OK ? HB_OK : HB_FAIL(st, "%s: %s", as, hb_last_error()->text);
}

static bool is_flag(const hb_option *row)
{
    return row->kind == HB_OPTION_FLAG || row->kind == HB_OPTION_COUNT;
}

/* Tells whether the environment must not give the option: options that lower security or replace files must be visible
 * in the command. */
static bool is_command_line_only(const hb_option *row)
{
    return strcmp(row->name, "help") == 0 || strcmp(row->name, "force") == 0 ||
           strncmp(row->name, "insecure", strlen("insecure")) == 0;
}

/* Applies HEBATCH_<NAME> of every row. Before the command line, which may then replace these values. */
static hb_status apply_environment(const option_rows *rows)
{
    for (; rows != NULL; rows = rows->next) {
        for (size_t i = 0; i < rows->count; i++) {
            char variable[64];
            snprintf(variable, sizeof variable, "HEBATCH_%s", rows->rows[i].name);
            /* HEBATCH_GPU_MEMORY for --gpu-memory. */
            for (char *c = variable; *c != '\0'; c++) {
                *c = (char)(*c == '-' ? '_' : toupper((unsigned char)*c));
            }
            const char *text = getenv(variable);
            if (text != NULL && !is_command_line_only(&rows->rows[i])) {
                HB_TRY(apply(&rows->rows[i], text, variable));
            }
        }
    }
    return HB_OK;
}

/* The arguments of getopt_long, made from the rows. */
typedef struct getopt_tables {
    const hb_option *row[MOST_ROWS];
    size_t count;
    bool given[MOST_ROWS]; /* on the command line, among options that cannot be given twice */
    struct option names[MOST_ROWS + 1];
    char letters[2 * MOST_ROWS + 3]; /* "-:" first: operands come in their place, a missing argument as ':' */
} getopt_tables;

/* Makes getopt_long's tables of all rows. */
static void fill_tables(getopt_tables *tables, const option_rows *rows)
{
    *tables = (getopt_tables){.letters = "-:"};
    size_t end = strlen(tables->letters);
    for (; rows != NULL; rows = rows->next) {
        for (size_t i = 0; i < rows->count; i++) {
            const hb_option *row = &rows->rows[i];
            HB_ASSERT(tables->count < MOST_ROWS);
            tables->row[tables->count] = row;
            tables->names[tables->count] =
                (struct option){row->name, !is_flag(row), NULL, LONG_OPTIONS + (int)tables->count};
            tables->count++;
            if (row->letter != 0) {
                tables->letters[end++] = row->letter;
                /* Overwritten by the next letter where the option takes no argument. */
                tables->letters[end] = ':';
                end += !is_flag(row);
                tables->letters[end] = '\0';
            }
        }
    }
}

/* Returns the row of a code, LONG_OPTIONS + i or a letter; NULL for one that no row has. */
static const hb_option *row_of(const getopt_tables *tables, int code)
{
    for (size_t i = 0; i < tables->count; i++) {
        if (code == LONG_OPTIONS + (int)i || (tables->row[i]->letter != 0 && code == tables->row[i]->letter)) {
            return tables->row[i];
        }
    }
    return NULL;
}

/* Tells whether a long option is written in full. getopt_long takes any unique beginning of a name; an option added
 * later would then break an older script. */
static bool is_spelled_out(const char *word, const hb_option *row)
{
    return strcspn(word + 2, "=") == strlen(row->name);
}

/* Refuses an option that no row has; the nearest name is a guess, and never that of a seed. */
static hb_status unknown(const getopt_tables *tables, const char *word, int letter)
{
    if (strncmp(word, "--", 2) != 0) {
        return HB_FAIL(HB_EUSAGE, "unknown option '-%c'; --help lists them", letter);
    }
    const char *names[MOST_ROWS + 1] = {NULL};
    for (size_t i = 0, at = 0; i < tables->count; i++) {
        if (tables->row[i]->kind != HB_OPTION_SEED) {
            names[at++] = tables->row[i]->name;
        }
    }
    /* Without the argument that stands behind the =. */
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *near = hb_nearest(name, names);
    return near != NULL ? HB_FAIL(HB_EUSAGE, "unknown option '--%s'; did you mean '--%s'?", name, near)
                        : HB_FAIL(HB_EUSAGE, "unknown option '--%s'; --help lists them", name);
}

/* Takes an operand to the front of argv, where there is room: as many words have been taken from there already. */
static hb_status take_operand(char *word, size_t most, hb_parsed *parsed)
{
    if (word[0] == '\0') {
        return HB_FAIL(HB_EUSAGE, "an argument is empty; --help shows the usage");
    }
    if (parsed->operand_count == most) {
        return HB_FAIL(HB_EUSAGE, "unexpected argument '%s'; --help shows the usage", word);
    }
    parsed->operands[parsed->operand_count++] = word;
    return HB_OK;
}

/* Takes one answer of getopt_long about `word`. 1 is an operand; '?' is an unknown option or a flag with an argument,
 * and ':' a missing argument, of optopt; anything else is the option itself. */
static hb_status take(const getopt_tables *tables, int code, const char *word, size_t most, hb_parsed *parsed)
{
    if (code == 1) {
        return take_operand(optarg, most, parsed);
    }
    const hb_option *row = row_of(tables, code == '?' || code == ':' ? optopt : code);
    /* getopt_long would also take --out for --output. */
    if (row == NULL || (strncmp(word, "--", 2) == 0 && !is_spelled_out(word, row))) {
        return unknown(tables, word, optopt);
    }
    if (code == '?') {
        return HB_FAIL(HB_EUSAGE, "option '--%s' takes no argument", row->name);
    }
    if (code == ':') {
        return HB_FAIL(HB_EUSAGE, "option '--%s' needs an argument: --%s %s", row->name, row->name, row->argument);
    }
    char as[64];
    snprintf(as, sizeof as, "--%s", row->name);
    return apply(row, optarg, as);
}

/* Refuses an option that is given again: the second argument would replace the first one without a word. */
static hb_status take_once(getopt_tables *tables, int code)
{
    size_t i = 0;
    const hb_option *row = row_of(tables, code);
    while (row != NULL && tables->row[i] != row) {
        i++;
    }
    if (row == NULL || is_flag(row) || row->kind == HB_OPTION_TEXTS) {
        return HB_OK;
    }
    if (tables->given[i]) {
        return HB_FAIL(HB_EUSAGE, "--%s is given twice: say all of it at once%s", row->name,
                       row->kind == HB_OPTION_TEXT && strchr(row->argument, ',') != NULL ? ", with commas between"
                                                                                         : "");
    }
    tables->given[i] = true;
    return HB_OK;
}

/* Goes through the words; `lenient` passes over words that cannot be taken. Options among the first replaceable words
 * may be given again. */
static hb_status parse_words(const option_rows *rows, bool lenient, const hb_usage *usage, int argc, char **argv,
                             hb_parsed *parsed)
{
    const size_t most = usage != NULL ? usage->most : 0, replaceable = usage != NULL ? usage->replaceable : 0;
    getopt_tables tables;
    fill_tables(&tables, rows);
    opterr = 0;
    optind = 0; /* glibc: start anew */
    int code, at = 1;
    while ((code = getopt_long(argc, argv, tables.letters, tables.names, NULL)) != -1) {
        /* argv[at] is the word that getopt_long has just looked at: optind may be past its argument by now. */
        const hb_status st = take(&tables, code, argv[at], most, parsed);
        if (st != HB_OK && !lenient) {
            return st;
        }
        if (!lenient && (size_t)at > replaceable) {
            HB_TRY(take_once(&tables, code));
        }
        at = optind;
    }
    for (int i = optind; i < argc && !lenient; i++) {
        HB_TRY(take_operand(argv[i], most, parsed)); /* behind "--" */
    }
    return HB_OK;
}

hb_status hb_options_parse(const hb_usage *usage, const hb_group *group, int argc, char **argv, hb_parsed *parsed)
{
    const hb_command *command = usage->command;
    hb_option common[COMMON_ROWS];
    common_rows(common, parsed);
    parsed->operand_count = 0;
    parsed->operands = argv + 1;
    /* The command's rows come first, in the help and where names are looked for. */
    const option_rows last = {common, hb_command_is_served(command->name) ? COMMON_ROWS : COMMON_ROWS - 1, NULL};
    const option_rows rows = {usage->options, usage->option_count, &last};
    /* Before --help too: a variable that is malformed is told at once. */
    HB_TRY(apply_environment(&rows));
    HB_TRY(parse_words(&rows, false, usage, argc, argv, parsed));
    if (parsed->help) {
        if (group->rank == 0) {
            print_help(command, &rows);
        }
        return HB_OK;
    }
    if (parsed->operand_count < usage->least) {
        return HB_FAIL(HB_EUSAGE, "usage: %s %s %s", program_of(command), command->name, command->arguments);
    }
    return HB_OK;
}

bool hb_options_peek(int argc, char **argv, hb_common *common)
{
    hb_parsed parsed = {0};
    hb_option rows[COMMON_ROWS];
    common_rows(rows, &parsed);
    const option_rows only = {rows, COMMON_ROWS, NULL};
    hb_error before = *hb_last_error();
    if (apply_environment(&only) == HB_OK) {
        (void)!parse_words(&only, true, NULL, argc, argv, &parsed);
    }
    hb_set_error(&before); /* the real parse reports the fault */
    *common = parsed.common;
    return parsed.help;
}
