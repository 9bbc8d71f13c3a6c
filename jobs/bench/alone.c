/* One ciphertext, waited for: what a caller sees who has no batch. */
#include <stdio.h>

#include "bench_private.h"

typedef struct alone {
    hb_engine *engine;
    hb_bench_body body;
    void *argument;
    hb_recording *recording;
} alone;

static hb_status call_and_wait(void *argument)
{
    const alone *x = argument;
    HB_TRY(x->body(x->argument));
    return hb_finish(x->engine);
}

static hb_status replay_and_wait(void *argument)
{
    const alone *x = argument;
    HB_TRY(hb_replay(x->recording));
    return hb_finish(x->engine);
}

/* The line under a longer name, measured so. */
static hb_status measure(hb_bench *bench, alone *x, hb_bench_line line, const char *suffix, hb_bench_body body)
{
    char name[sizeof((hb_measure *)0)->name];
    snprintf(name, sizeof name, "%s%s", line.name, suffix);
    line.name = name;
    line.body = body;
    return hb_bench_measure(bench, x->engine, &line, x);
}

hb_status hb_bench_alone(hb_bench *bench, hb_engine *engine, const hb_bench_line *line, void *argument, bool called)
{
    alone x = {.engine = engine, .body = line->body, .argument = argument};
    hb_status st;
    if (!hb_bench_wants(bench, line->kind)) {
        return HB_OK;
    }
    HB_GOTO(call_and_wait(&x)); /* what operations make at their first call */
    HB_GOTO(hb_record(engine, line->body, argument, &x.recording));
    HB_GOTO(measure(bench, &x, *line, ", alone", replay_and_wait));
    if (called) {
        HB_GOTO(measure(bench, &x, *line, ", alone, called", call_and_wait));
    }
done:
    hb_recording_free(x.recording);
    return st;
}
