/* hebatch-designs: designs of papers, and parameters of papers, beside ours. One rank. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/seed.h"
#include "cli/console.h"
#include "cli/options.h"
#include "commands.h"
#include "mpi/group/group.h"

/* The kinds of measurements. */
static const struct {
    const char *name;
    bool figures; /* of designs; else the parameters of papers */
} kinds[] = {{"ntt", true}, {"reduce", true}, {"crt", true}, {"bfv", false}};

/* The kind among the operands, if there is one, and that every option is one of it. */
static hb_status check(const hb_parsed *parsed, hb_design_words *w, bool *figures)
{
    *figures = true;
    for (size_t i = 0; parsed->operand_count > 0; i++) {
        if (i == sizeof kinds / sizeof kinds[0]) {
            return HB_FAIL(HB_EUSAGE, "the designs of papers are of ntt, reduce, crt and bfv, not '%s'",
                           parsed->operands[0]);
        }
        if (strcmp(kinds[i].name, parsed->operands[0]) == 0) {
            w->kind = kinds[i].name;
            *figures = kinds[i].figures;
            break;
        }
    }
    if (w->small && !w->check) {
        return HB_FAIL(HB_EUSAGE, "--small is for --check");
    }
    if (*figures && w->batch > 0) {
        return HB_FAIL(HB_EUSAGE, "--batch is for bfv");
    }
    const bool chooses = w->only != NULL || w->paper != NULL || w->out != NULL || w->quick || w->list || w->check;
    if (!*figures && chooses) {
        return HB_FAIL(HB_EUSAGE, "bfv takes --seconds, --batch and --device: the rest is for figures");
    }
    return HB_OK;
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    enum { OWN = 9, ROWS = OWN + HB_DEVICE_OPTIONS };
    hb_design_words w = {.seconds = 0.3};
    hb_parsed parsed;
    bool figures;
    hb_option rows[ROWS] = {
        {"seconds", 0, HB_OPTION_DURATION, &w.seconds, "TIME", "for each point (default 0.3s)"},
        {"batch", 0, HB_OPTION_NUMBER, &w.batch, "COUNT",
         "bfv: ciphertexts a call (default: as `hebatch bench` has it)"},
        {"only", 0, HB_OPTION_TEXT, &w.only, "NAME", "figures of this name, as 'kim-*'; with --check: designs"},
        {"paper", 0, HB_OPTION_TEXT, &w.paper, "PAPER", "figures of this paper: 000 to 004, or a word of its authors"},
        {"quick", 0, HB_OPTION_FLAG, &w.quick, NULL, "the smallest and the largest case of each figure"},
        {"out", 'o', HB_OPTION_TEXT, &w.out, "FILE", "results as JSON also to this file, for plot.py"},
        {"list", 0, HB_OPTION_FLAG, &w.list, NULL, "figures and designs, nothing measured"},
        {"check", 0, HB_OPTION_FLAG, &w.check, NULL, "every design against the CPU, nothing measured ..."},
        {"small", 0, HB_OPTION_FLAG, &w.small, NULL, "... at the smallest N it takes"}};
    hb_device_options(rows + OWN, HB_DEVICE_OPTIONS, &w.device);
    static const hb_command command = {
        .program = "hebatch-designs",
        .name = "{ntt | reduce | crt | bfv}",
        .arguments = "[OPTIONS]",
        .summary = "designs of papers beside ours and the least time that this GPU allows for",
        .notes = "bfv: at the parameters of two papers, beside what they print; also on a CPU"};
    const hb_usage usage = {&command, rows, ROWS, 0, 1, 0};
    HB_TRY(hb_options_parse(&usage, group, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    HB_TRY(check(&parsed, &w, &figures));
    return (figures ? hb_designs_figures : hb_papers)(group, &parsed.common, &w);
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, with a reason and an exit code */
    hb_common common;
    hb_options_peek(argc, argv, &common);
    hb_group *group = NULL;
    hb_status st = hb_group_open_alone(&group);
    st = st == HB_OK ? hb_seed_start() : st;
    st = st == HB_OK ? run(group, argc, argv) : st;
    st = st == HB_OK ? hb_console_finish() : st;
    if (st != HB_OK) {
        fflush(stdout);
        hb_console_error(NULL, &common, "designs");
    }
    hb_group_close(group);
    return (int)st;
}
