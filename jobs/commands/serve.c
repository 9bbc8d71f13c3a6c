/* hebatch serve: a process that stays, and runs jobs that others hand over, with the state that earlier ones left on
 * the device. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "batch/job/resident.h"
#include "batch/job/waits.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/parse.h"
#include "cli/run.h"
#include "cli/stop.h"
#include "client/client.h"
#include "commands.h"
#include "machine/machine.h"
#include "run_command.h"
#include "server/facts.h"
#include "server/post.h"
#include "server/surroundings.h"

/* The words of the command line. */
typedef struct words {
    const char *folder;
    double idle;
    const char *hold; /* NULL: not given */
    bool stop, status;
} words;

/* The state of a server, on each rank. */
typedef struct server {
    hb_group *group;
    const hb_common *common;
    hb_post post;
    hb_resident resident;
    double began;
    uint64_t jobs, failed;
} server;

/* How a job ended, for the client. */
typedef struct end {
    hb_status code;
    hb_error reason; /* unless it ended well */
    bool told;       /* the client's stderr has the reason */
} end;

/* --- facts of it */

/* Finds the facts of now; `running`: the command that begins, NULL: none does. */
static void find_facts(const server *s, const char *running, hb_server_facts *facts)
{
    const hb_resident *resident = &s->resident;
    const hb_switch_keys *keys = &resident->kept.session.switch_keys, *resting = &resident->kept.session.resting;
    memset(facts, 0, sizeof *facts);
    snprintf(facts->running, sizeof facts->running, "%s", running != NULL ? running : "");
    facts->began = s->began;
    facts->since = hb_now();
    facts->ranks = (uint64_t)s->group->size;
    facts->jobs = s->jobs;
    facts->failed = s->failed;
    facts->keys =
        (hb_held){(uint64_t)keys->count + resting->count, hb_switch_keys_bytes(keys) + hb_switch_keys_bytes(resting)};
    facts->datasets = (hb_held){resident->datasets.count, resident->datasets.bytes};
    facts->weights = (hb_held){resident->matrices.count, resident->matrices.bytes};
}

/* Rank 0 states them. */
static void state_facts(const server *s, const char *running)
{
    hb_server_facts facts;
    if (s->group->rank == 0) {
        find_facts(s, running, &facts);
        hb_server_facts_write(s->post.folder, &facts);
    }
}

/* --- jobs */

#define ROW(name) &hb_command_##name,
static const hb_command *const served[] = {HB_COMMANDS_SERVED(ROW)};
#undef ROW

/* A request of a program of this build, whose words may be anything even so. */
static hb_status find_command(const hb_request *request, const hb_command **command)
{
    *command = NULL;
    for (size_t i = 0; request->head.words >= 2 && i < sizeof served / sizeof *served; i++) {
        if (strcmp(served[i]->name, request->word[1]) == 0) {
            *command = served[i];
        }
    }
    return *command != NULL ? HB_OK : HB_FAIL(HB_EUSAGE, "this command is none that a server runs");
}

/* Runs the job of a request as its client would. Collective. A failure is one of the server itself, of this rank. */
static hb_status run_job(server *s, const hb_command *command, hb_request *request, end *how)
{
    const double age = hb_now() - request->head.began;
    hb_surroundings own;
    hb_run run;
    hb_run_begin(&run, s->group, age > 0 ? age : 0, &s->resident);
    hb_stop_watch(s->group, command->name); /* before any signal of the client can come */
    hb_status started = hb_surroundings_enter(&own, request);
    how->told = started == HB_OK;
    started = started == HB_OK ? hb_post_begin_job(&s->post) : started;
    how->code = hb_command_run(s->group, command, (int)request->head.words, request->word, started);
    how->reason = *hb_last_error();
    const hb_status left = hb_surroundings_leave(&own);
    hb_run_end(&run, s->group);
    return left;
}

/* Bytes of datasets, or of weights, that jobs have found and that they had to read or encode, so far. */
typedef struct counts {
    uint64_t found, missing;
} counts;

/* Says how much a job has found of all that it needed, from the counts before and behind it, and how much stays on this
 * rank: as many things. Nothing where it needed none. */
static void tell_of(const server *s, const char *what, counts before, counts now, uint64_t bytes, const char *things)
{
    const uint64_t found = now.found - before.found, all = found + now.missing - before.missing;
    if (all > 0) {
        hb_console_log(s->group, s->common, "%-12s %s of %s were there; %s of %s stay%s", what,
                       hb_human_bytes((double)found).text, hb_human_bytes((double)all).text,
                       hb_human_bytes((double)bytes).text, things, s->group->size > 1 ? ", on this rank" : "");
    }
}

static counts datasets_of(const server *s)
{
    return (counts){s->resident.datasets.found, s->resident.datasets.missing};
}

static counts weights_of(const server *s)
{
    return (counts){s->resident.matrices.found, s->resident.matrices.missing};
}

static void tell_of_all(const server *s, counts datasets, counts weights)
{
    const hb_resident *resident = &s->resident;
    tell_of(s, "datasets", datasets, datasets_of(s), resident->datasets.bytes,
            hb_human_things(resident->datasets.count, "dataset").text);
    tell_of(s, "weights", weights, weights_of(s), resident->matrices.bytes,
            hb_human_things(resident->matrices.count, "matrix").text);
}

/* Collective. Failures as of run_job. */
static hb_status serve_one(server *s, hb_request *request)
{
    const hb_command *command;
    const double begun = hb_now();
    const counts datasets = datasets_of(s), weights = weights_of(s);
    end how = {.told = false};
    hb_clear_error();
    hb_status st = HB_OK;
    how.code = find_command(request, &command);
    if (how.code == HB_OK) {
        state_facts(s, command->name);
        st = run_job(s, command, request, &how);
        s->jobs++;
        s->failed += how.code != HB_OK;
        state_facts(s, NULL);
        hb_console_log(s->group, s->common, "job %llu       %s ended with %d after %s", (unsigned long long)s->jobs,
                       command->name, (int)how.code, hb_human_seconds(hb_now() - begun).text);
        tell_of_all(s, datasets, weights);
    } else {
        how.reason = *hb_last_error();
    }
    hb_request_clear(request); /* before the client's end, so that readers of its output find that ended */
    hb_post_end_job(&s->post, how.code, &how.reason, how.told);
    hb_stop_watch(s->group, hb_command_serve.name); /* what the client asked for was the job's */
    return st;
}

static hb_status serve_all(server *s, const words *w)
{
    bool ended = false;
    hb_status st = HB_OK;
    while (st == HB_OK && !ended && !s->group->broken) {
        hb_request request;
        st = hb_post_next(&s->post, w->idle, &request, &ended);
        if (st == HB_OK && !ended) {
            st = serve_one(s, &request);
        }
        hb_request_clear(&request);
    }
    return s->group->broken ? HB_FAIL(HB_ECOMM, "the ranks of the server cannot talk any more") : st;
}

/* Rank-local: all ranks have the same words. */
static hb_status set_budget(server *s, const char *hold)
{
    if (hold != NULL && strcmp(hold, "0") != 0) {
        HB_TRY(hb_parse_size(hold, &s->resident.keep));
    }
    s->resident.bounded = hold != NULL;
    return HB_OK;
}

static hb_status serve(hb_group *group, const hb_common *common, const words *w)
{
    server s = {.group = group, .common = common, .began = hb_now() - hb_process_age()};
    HB_TRY(set_budget(&s, w->hold));
    signal(SIGTTOU, SIG_IGN); /* on a client's terminal this process is in the background */
    hb_stop_catch();          /* from here on a signal ends the server, or first its job, in good order */
    hb_server_facts first;
    find_facts(&s, NULL, &first);
    hb_status st = hb_post_open(&s.post, group, w->folder, &first);
    const bool opened = st == HB_OK;
    if (opened) {
        hb_console_log(group, common, "serves       %s, %s", w->folder,
                       hb_human_things((uint64_t)group->size, "rank").text);
        st = serve_all(&s, w);
        if (group->rank == 0) {
            hb_server_facts_forget(s.post.folder);
        }
    }
    /* All ranks hear of the end first: they close the exchange between them together. */
    hb_post_part(&s.post);
    st = hb_agree(group, st);
    hb_resident_close(&s.resident);
    hb_known_keys_clear(&s.resident.keys);
    hb_post_close(&s.post);
    if (opened) {
        hb_console_log(group, common, "served       %s", hb_human_things(s.jobs, "job").text);
    }
    return st;
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    words w = {.idle = 0};
    const hb_option rows[] = {
        {"idle", 0, HB_OPTION_DURATION, &w.idle, "TIME", "end after so long without a job (default: stay)"},
        {"hold", 0, HB_OPTION_TEXT, &w.hold, "SIZE",
         "memory of a rank for datasets and weights that stay: 4G, 20%, 0 for none (default: what jobs spare)"},
        {"status", 0, HB_OPTION_FLAG, &w.status, NULL,
         "say what the server of FOLDER is at, and what it held when its last job ended"},
        {"stop", 0, HB_OPTION_FLAG, &w.stop, NULL, "end the server of FOLDER, once its job has ended"}};
    const hb_usage usage = {&hb_command_serve, rows, sizeof rows / sizeof *rows, 1, 1, 0};
    hb_parsed parsed;
    HB_TRY(hb_options_parse(&usage, group, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    w.folder = parsed.operands[0];
    if (!w.stop && !w.status) {
        return serve(group, &parsed.common, &w);
    }
    if (group->size > 1 || (w.stop && w.status)) {
        return HB_FAIL(HB_EUSAGE, group->size > 1 ? "--stop, --status: one process is enough; leave the launcher out"
                                                  : "--stop and --status: ask for one at a time");
    }
    if (w.idle > 0 || w.hold != NULL) {
        return HB_FAIL(HB_EUSAGE, "--idle, --hold: they are for a server that begins");
    }
    char build_id[HB_BUILD_ID_TEXT];
    hb_build_id(build_id);
    return w.stop ? hb_client_stop(w.folder, build_id, &parsed.common)
                  : hb_server_facts_show(group, &parsed.common, w.folder);
}

const hb_command hb_command_serve = {
    .name = "serve",
    .arguments = "FOLDER [OPTIONS]",
    .summary = "stay, and run jobs that others hand over; keep keys, datasets and weights on the device",
    .notes =
        "FOLDER, of mode 0700, is where a server and its clients find one another: on one host, without a network.\n"
        "hebatch serve ~/server & begins one, mpirun -n 2 hebatch serve ~/server & one of two ranks, and\n"
        "hebatch serve ~/server --stop ends it. hebatch eval --server ~/server .. runs there; so do add, encrypt\n"
        "with a public key, refresh, rekey and sanitize, all of them also by HEBATCH_SERVER=~/server. hebatch-client\n"
        "eval --server ~/server .. does the same, and starts in a millisecond or two. No secret key goes to a server.\n"
        "Datasets that eval has read stay, and W of W @ x within slots, as far as --hold lets them; a file that was\n"
        "changed is read again.",
    .ranks = true,
    .run = run};
