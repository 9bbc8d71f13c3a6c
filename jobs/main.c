/* The program: finds the command, opens the group of ranks, runs, says why it failed, and exits with the status. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/nearest.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/run.h"
#include "cli/stop.h"
#include "cli/streams.h"
#include "client/client.h"
#include "commands/commands.h"
#include "commands/owners_page.h"
#include "commands/run_command.h"
#include "device/cache_file.h"
#include "lang/functions/page.h"
#include "lang/text/language.h"
#include "machine/machine.h"
#include "machine/versions.h"
#include "mpi/group/launcher.h"

static const hb_command *const commands[] = {
    &hb_command_ask,     &hb_command_params,   &hb_command_keygen,     &hb_command_encrypt,  &hb_command_eval,
    &hb_command_decrypt, &hb_command_info,     &hb_command_verify,     &hb_command_selftest, &hb_command_doctor,
    &hb_command_bench,   &hb_command_export,   &hb_command_import,     &hb_command_status,   &hb_command_concat,
    &hb_command_add,     &hb_command_sanitize, &hb_command_passphrase, &hb_command_combine,  &hb_command_rekey,
    &hb_command_refresh, &hb_command_serve};
/* Pages that are no command's and no theme of the language. */
static const char *const other_pages[] = {"functions", "codes", "owners"};
enum {
    COMMANDS = sizeof commands / sizeof commands[0],
    OTHER_PAGES = sizeof other_pages / sizeof other_pages[0],
    MOST_PAGES = 24 /* the themes of the language and the others */
};

static void print_help(FILE *to)
{
    fprintf(to,
            "Usage: hebatch COMMAND [OPTIONS]\n"
            "       mpirun -n RANKS hebatch COMMAND [OPTIONS]   (commands marked *)\n\n"
            "Batch processor for homomorphic encryption (BFV, CKKS): tables to ciphertexts and back.\n\nCommands:\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        fprintf(to, "  %-10s %c %s\n", commands[i]->name, commands[i]->ranks ? '*' : ' ', commands[i]->summary);
    }
    fprintf(to,
            "\nhebatch COMMAND --help, or hebatch help COMMAND, lists options. hebatch help PAGE prints a page:\n ");
    for (const hb_page *page = hb_language_pages; page->name != NULL; page++) {
        fprintf(to, " %s,", page->name);
    }
    fprintf(to,
            "\n  functions (a line each), codes (of exit), owners (of keys). hebatch --version says what it was built "
            "from.\n"
            "Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 a comparison found a difference,\n"
            "64 usage, 65 bad data, 66 no input, 69 unavailable, 70 internal, 71 memory, 73 cannot create, 74 I/O,\n"
            "75 stopped, 76 ranks cannot talk, 77 permission, 78 configuration.\n");
}

static void print_version(void)
{
    hb_versions v;
    hb_versions_get(&v);
    printf("hebatch %s\ncompiler   %s\nMPI        %s\nHDF5       %s\nlibsodium  %s\njansson    %s\nMPFR       %s\nzlib "
           "      %s\n"
           "zstd       %s\nCUDA       %s\nNCCL       %s\n",
           v.program, v.compiler, v.mpi, v.hdf5, v.sodium, v.jansson, v.mpfr, v.zlib, v.zstd, v.cuda, v.nccl);
}

static const hb_command *find_command(const char *word)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i]->name, word) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static hb_status unknown_command(const char *word)
{
    const char *names[COMMANDS + 2];
    for (size_t i = 0; i < COMMANDS; i++) {
        names[i] = commands[i]->name;
    }
    names[COMMANDS] = "help";
    names[COMMANDS + 1] = NULL;
    const char *near = hb_nearest(word, names);
    return near != NULL ? HB_FAIL(HB_EUSAGE, "unknown command '%s'; did you mean '%s'?", word, near)
                        : HB_FAIL(HB_EUSAGE, "unknown command '%s'; hebatch --help lists them", word);
}

static const char codes[] =
    "0   done\n"
    "1   a comparison found a difference (verify)\n"
    "64  usage: a command, an option or an expression that is none\n"
    "65  data: a table, a dataset or a key that is damaged, of another kind, or holds what cannot be right\n"
    "66  no input: a file that is not there or cannot be opened\n"
    "69  unavailable: a device, a library or a service that this asks for\n"
    "70  internal: a fault of the program, or a self-test that failed; please report it\n"
    "71  memory: too little of it, here or on a device\n"
    "73  an output cannot be made, or is there already\n"
    "74  reading or writing failed\n"
    "75  stopped on request (a signal, --max-time); --resume goes on\n"
    "76  ranks cannot talk, or one of them is gone\n"
    "77  permission: a key that others can read, a passphrase that is wrong\n"
    "78  configuration: parameters, keys or ranks with which this cannot be done\n";

/* Words that are no page, and where they are explained. */
static const char *const leads[][2] = {
    {"derive", "--derive makes columns before encryption: hebatch help meanings; an example: hebatch ask --help"},
    {"bin", "bin(x, 0..17, 18..) is a column that --derive makes: hebatch help meanings"},
    {"age", "age(birth, day) is a column that --derive makes: hebatch help meanings"},
    {"month", "month(day) is a column that --derive makes: hebatch help meanings"},
    {"fold", "--fold reads labels that differ in capitals and blanks as one: hebatch ask --help"},
    {"category", "--category reads texts as labels: hebatch help meanings"},
    {"date", "--date and --date-format read dates: hebatch help meanings; the options: hebatch ask --help"},
    {"scale", "--scale reads decimals: hebatch help meanings"},
    {"range", "--range says how large values may be: hebatch help meanings"},
    {"where", "where(c, a, b) and x where c: hebatch help conditions"},
    {"repeat", "repeat 50 { .. } is a loop: hebatch help loops"},
    {"noise", "--noise: hebatch help parameters"},
    {"precision", "--precision: hebatch help reals"}};

/* Prints where a word is explained, or the line of a function. Returns whether there is such a word. */
static bool print_lead(const char *word)
{
    const bool function = hb_functions_page(word, stdout);
    size_t i = 0;
    while (i < sizeof leads / sizeof *leads && strcmp(leads[i][0], word) != 0) {
        i++;
    }
    const bool lead = i < sizeof leads / sizeof *leads;
    if (lead || function) {
        puts(lead ? leads[i][1] : "hebatch help functions lists all; hebatch help language has the rest");
    }
    return lead || function;
}

/* Says which names there are, in the order of the arrays, and the nearest to this one. */
static hb_status no_help_on(const char *word)
{
    const char *names[COMMANDS + MOST_PAGES + 1] = {0};
    size_t count = 0;
    for (size_t i = 0; i < COMMANDS; i++) {
        names[count++] = commands[i]->name;
    }
    for (const hb_page *page = hb_language_pages; page->name != NULL; page++) {
        HB_ASSERT(count < COMMANDS + MOST_PAGES - OTHER_PAGES);
        names[count++] = page->name;
    }
    for (size_t i = 0; i < OTHER_PAGES; i++) {
        names[count++] = other_pages[i];
    }
    const char *near = hb_nearest(word, names);
    return near != NULL ? HB_FAIL(HB_EUSAGE, "there is no help on '%s'; did you mean '%s'?", word, near)
                        : HB_FAIL(HB_EUSAGE, "there is no help on '%s'; hebatch --help lists the pages", word);
}

/* `help WORD` where the word is no command. */
static hb_status help_of(const char *word)
{
    const hb_page *page = hb_language_pages;
    while (page->name != NULL && strcmp(page->name, word) != 0) {
        page++;
    }
    if (page->name != NULL) {
        fputs(page->text, stdout);
    } else if (strcmp(word, other_pages[0]) == 0) {
        (void)hb_functions_page(NULL, stdout);
    } else if (strcmp(word, other_pages[1]) == 0) {
        fputs(codes, stdout);
    } else if (strcmp(word, other_pages[2]) == 0) {
        for (size_t i = 0; hb_owners_page[i] != NULL; i++) {
            fputs(hb_owners_page[i], stdout);
        }
    } else if (!print_lead(word)) {
        return no_help_on(word);
    }
    return hb_console_finish();
}

/* Everything that needs no command. `word` may be NULL. */
static hb_status run_without_command(const char *word)
{
    if (word == NULL) {
        print_help(stderr);
        return HB_FAIL(HB_EUSAGE, "no command given");
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        print_help(stdout);
    } else if (strcmp(word, "--version") == 0) {
        print_version();
    } else {
        return unknown_command(word);
    }
    return hb_console_finish();
}

/* Who runs apart takes no harm from ranks that do the same beside it. */
static hb_status open_group(const hb_command *command, int *argc, char ***argv, hb_group **group)
{
    if (command->apart && !hb_launcher_connects()) {
        return hb_group_open_alone(group);
    }
    const hb_status st = hb_group_open(argc, argv, group);
    return st == HB_ECONFIG && command->apart ? hb_group_open_alone(group) : st;
}

static hb_status run_command(const hb_command *command, int argc, char **argv, const hb_common *common)
{
    hb_group *group = NULL;
    hb_run run;
    atomic_bool quiet = common->quiet;
    hb_status st = open_group(command, &argc, &argv, &group);
    if (st != HB_OK) {
        hb_console_error(group, common, command->name);
        (void)hb_group_close(group);
        return st;
    }
    hb_run_begin(&run, group, hb_process_age(), NULL);
    hb_stop_watch(group, command->name);
    hb_stop_tell_end(group);
    st = hb_command_run(group, command, argc, argv, hb_command_begin_process(group, &quiet));
    hb_run_end(&run, group);
    hb_stop_watch(NULL, command->name);
    const hb_status closed = hb_group_close(group);
    if (st == HB_OK && closed != HB_OK) {
        hb_console_error(NULL, common, command->name);
        st = closed;
    }
    return st;
}

static bool hand_over(const hb_command *command, char **argv, const hb_common *common, hb_status *status)
{
    char build_id[HB_BUILD_ID_TEXT];
    hb_build_id(build_id);
    return hb_client_run(command->name, build_id, hb_now() - hb_process_age(), argv, common, status);
}

int main(int argc, char **argv)
{
    hb_streams_open();
    hb_stop_catch_early();
    hb_common common;
    (void)hb_options_peek(argc, argv, &common);
    const bool help = argc > 1 && strcmp(argv[1], "help") == 0;
    const hb_command *command = argc > 1 + help ? find_command(argv[1 + help]) : NULL;
    char option[] = "--help", *words[] = {argv[0], help && argc > 2 ? argv[2] : NULL, option, NULL};
    hb_status st;
    if (help && argc > 3 && argv[3][0] != '-') {
        st = HB_FAIL(HB_EUSAGE, "unexpected argument '%s' after help %s", argv[3], argv[2]);
    } else if (command != NULL && !help && hand_over(command, argv, &common, &st)) {
        return (int)st;
    } else if (command != NULL) {
        return (int)(help ? run_command(command, 3, words, &common) : run_command(command, argc, argv, &common));
    } else {
        st = help && argc > 2 ? help_of(argv[2]) : run_without_command(argc > 1 ? argv[1] : NULL);
    }
    if (st != HB_OK) {
        hb_console_error(NULL, &common, "");
    }
    return (int)st;
}
