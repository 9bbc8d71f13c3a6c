/* The order of a job: every function of a kind is called when it is due, none after one that failed; everything begun
 * is ended, and all is closed, after every failure; the output of a stopped run is synced where it is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "batch/job/job.h"
#include "machine/machine.h"
#include "unit/unit.h"

enum { CIPHERTEXTS = 7, UNIT = 2, UNITS = 4 };

static hb_group *group; /* of one */

/* A kind that only keeps book: a letter for each called function, the one that is to fail, and its status. */
typedef struct book {
    hb_job base;
    char calls[32];
    char fails;
    hb_status status;
    hb_header header;
    hb_column column;
    int units[UNITS]; /* stages that each went through */
} book;

static hb_status note(book *b, char call)
{
    b->calls[strlen(b->calls)] = call;
    return call == b->fails ? HB_FAIL(b->status, "%c fails", call) : HB_OK;
}

static hb_status find_out(hb_job *base)
{
    book *b = (book *)base;
    const hb_params_spec spec = {.n = 1024,
                                 .key_limbs = 2,
                                 .primes = {1073707009, 1073698817},
                                 .bfv.plain = 12289,
                                 .security = {.level = 128},
                                 .insecure = true};
    b->header = (hb_header){.spec = spec,
                            .limbs = 1,
                            .capacity = spec.n,
                            .schema = {.rows = CIPHERTEXTS * spec.n, .columns = 1, .rank = 1, .width = 8},
                            .ciphertexts = CIPHERTEXTS,
                            .unit = UNIT};
    b->header.schema.column = &b->column;
    base->header = &b->header;
    HB_TRY(hb_session_open_keyless(&base->session, &spec));
    return note(b, 'f');
}

static hb_status compare(hb_job *base)
{
    return note((book *)base, 'c');
}

static hb_work work(const hb_job *base, uint32_t groups)
{
    (void)groups;
    return (hb_work){.params = base->session.params, .items = 1, .loop = {{[HB_COST_TRANSFORMS] = 1}}};
}

static uint64_t worker_bytes(const void *context, const hb_params *params, size_t batch)
{
    (void)context;
    (void)params;
    return batch;
}

static hb_status open_output(hb_job *base)
{
    assert_int_equal(base->plan.units, UNITS);
    return note((book *)base, 'o');
}

static hb_status begin(hb_job *base)
{
    return note((book *)base, 'b');
}

static hb_status check(hb_job *base)
{
    return note((book *)base, 'k');
}

static hb_status prepare(hb_job *base)
{
    base->units = hb_ranks_divide(base->session.grid.peers, base->header, 0, base->plan.units);
    HB_TRY(hb_job_make_buffers(base));
    assert_non_null(base->buffers.buffer[0].values);
    assert_null(base->buffers.buffer[0].cells);
    return note((book *)base, 'p');
}

static hb_status read_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    book *b = context;
    (void)buffer;
    (void)thread;
    b->units[u]++;
    return u == UNITS - 1 ? note(b, 'r') : HB_OK;
}

static hb_status compute_unit(void *context, uint32_t buffer, uint32_t worker, uint64_t u)
{
    (void)buffer;
    (void)worker;
    ((book *)context)->units[u]++;
    return HB_OK;
}

static hb_status write_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    (void)buffer;
    (void)thread;
    ((book *)context)->units[u]++;
    return HB_OK;
}

static uint32_t no_writers(const hb_job *base)
{
    (void)base;
    return 0;
}

static hb_status sync(hb_job *base)
{
    return note((book *)base, 's');
}

static hb_status measure(hb_job *base)
{
    return note((book *)base, 'm');
}

static hb_status commit(hb_job *base)
{
    return note((book *)base, 't');
}

static void end(hb_job *base)
{
    (void)note((book *)base, 'e');
}

static char closed[32]; /* the calls of the book that was closed last */

static void close_own(hb_job *base)
{
    book *b = (book *)base;
    (void)note(b, 'x');
    memcpy(closed, b->calls, sizeof closed);
}

static const hb_job_kind kind = {.bytes = sizeof(book),
                                 .verb = "noted",
                                 .stages = {.read = read_unit, .compute = compute_unit, .write = write_unit},
                                 .find_out = find_out,
                                 .compare = compare,
                                 .work = work,
                                 .worker_bytes = worker_bytes,
                                 .open_output = open_output,
                                 .begin = begin,
                                 .check = check,
                                 .prepare = prepare,
                                 .sync = sync,
                                 .measure = measure,
                                 .commit = commit,
                                 .end = end,
                                 .close = close_own};

static const hb_common quiet = {.quiet = true};

static hb_status open_book(book *b, const hb_job_kind *of, char fails, hb_status status)
{
    *b = (book){
        .base = {.kind = of,
                 .group = group,
                 .common = &quiet,
                 .options = {.device = {.kind = "cpu"}, .limbs = {.ranks = "1", .exchange = "auto", .timeout = 1}},
                 .values = true},
        .fails = fails,
        .status = status};
    return hb_job_open(&b->base);
}

/* All calls of a job in which `fails` does (0: nothing), after which it is zero. */
static void check_calls(const hb_job_kind *of, char fails, hb_status status, const char *calls)
{
    static book b;
    static const book zero;
    hb_status st = open_book(&b, of, fails, status);
    if (st == HB_OK) {
        st = hb_job_run(&b.base);
    }
    assert_int_equal(st, fails != 0 ? status : HB_OK);
    if (fails != 0) {
        assert_non_null(strstr(hb_last_error()->text, " fails"));
    }
    hb_job_close(&b.base);
    assert_string_equal(closed, calls);
    assert_memory_equal(&b, &zero, sizeof b);
}

static void test_order(void **state)
{
    (void)state;
    check_calls(&kind, 0, HB_OK, "fcobkprsmtex");
    check_calls(&kind, 'f', HB_EDATA, "fx");
    check_calls(&kind, 'c', HB_EDATA, "fcx");
    check_calls(&kind, 'o', HB_EIO, "fcox");
    check_calls(&kind, 'b', HB_EIO, "fcobex");
    check_calls(&kind, 'k', HB_EIO, "fcobkex");
    check_calls(&kind, 'p', HB_ENOMEM, "fcobkpex");
    check_calls(&kind, 'r', HB_EDATA, "fcobkprex");
    check_calls(&kind, 's', HB_EIO, "fcobkprsex");
    check_calls(&kind, 'm', HB_DIFFERS, "fcobkprsmex");
    check_calls(&kind, 't', HB_EIO, "fcobkprsmtex");
}

/* A kind of which nothing is written needs few functions. */
static void test_least(void **state)
{
    (void)state;
    hb_job_kind least = {.bytes = sizeof(book),
                         .verb = "noted",
                         .stages = kind.stages,
                         .find_out = find_out,
                         .compare = compare,
                         .work = work,
                         .worker_bytes = worker_bytes,
                         .open_output = open_output,
                         .prepare = prepare,
                         .close = close_own};
    check_calls(&least, 0, HB_OK, "fcoprx");
    check_calls(&least, 'r', HB_EDATA, "fcoprx");
}

/* The counts of a job's runs are added up, and each unit goes through all stages. */
static void test_runs(void **state)
{
    (void)state;
    static book b;
    hb_job_kind reads = kind;
    reads.writers = no_writers;
    const hb_job_kind *kinds[] = {&kind, &reads};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(open_book(&b, kinds[k], 0, HB_OK), HB_OK);
        assert_int_equal(hb_job_run(&b.base), HB_OK);
        assert_int_equal(hb_job_threads(&b.base).writers, k == 0 ? b.base.plan.workers.files : 0);
        assert_int_equal(hb_job_run_ciphertexts(&b.base), HB_OK);
        for (int u = 0; u < UNITS; u++) {
            assert_int_equal(b.units[u], k == 0 ? 6 : 4);
        }
        assert_int_equal(b.base.units_done, 2 * UNITS);
        assert_int_equal(b.base.times.units, 2 * UNITS);
        assert_false(b.base.paused);
        hb_job_close(&b.base);
    }
}

/* A run that its time limit ends is synced where its output is kept, and is an HB_ESTOPPED in any case. */
static void test_stopped(void **state)
{
    (void)state;
    static book b;
    for (int resumable = 0; resumable < 2; resumable++) {
        hb_job_kind stopped = kind;
        stopped.resumable = resumable == 1;
        assert_int_equal(open_book(&b, &stopped, 0, HB_OK), HB_OK);
        assert_int_equal(hb_deadline_set(&b.base.deadline, 1e-9, hb_process_age()), HB_OK);
        assert_int_equal(hb_job_run(&b.base), HB_ESTOPPED);
        assert_true(b.base.paused);
        hb_job_close(&b.base);
        char *read = strchr(closed, 'r'); /* the last unit may have been read, but not computed */
        if (read != NULL) {
            memmove(read, read + 1, strlen(read));
        }
        assert_string_equal(closed, resumable == 1 ? "fcobkpsex" : "fcobkpex");
    }
}

/* The end of a batch job counts only where the output so far is kept. */
static void test_deadline(void **state)
{
    (void)state;
    static book b;
    hb_job_kind keeping = kind;
    keeping.resumable = true;
    assert_int_equal(setenv("SLURM_JOB_END_TIME", "soon", 1), 0);
    assert_int_equal(open_book(&b, &keeping, 0, HB_OK), HB_EUSAGE);
    hb_job_close(&b.base);
    check_calls(&kind, 0, HB_OK, "fcobkprsmtex");
    assert_int_equal(setenv("SLURM_JOB_END_TIME", "1", 1), 0); /* long over */
    check_calls(&kind, 0, HB_OK, "fcobkprsmtex");
    assert_int_equal(open_book(&b, &keeping, 0, HB_OK), HB_OK);
    assert_int_equal(hb_job_run(&b.base), HB_ESTOPPED);
    hb_job_close(&b.base);
    assert_int_equal(unsetenv("SLURM_JOB_END_TIME"), 0);
}

HB_UNIT(job)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_least),
                                       cmocka_unit_test(test_runs), cmocka_unit_test(test_stopped),
                                       cmocka_unit_test(test_deadline)};
    if (hb_seed_start() != HB_OK || hb_group_open_alone(&group) != HB_OK) {
        return 1;
    }
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    hb_group_close(group);
    return failures;
}
