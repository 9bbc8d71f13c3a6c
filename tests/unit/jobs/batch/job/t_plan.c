/* Shards of all ranks against the rule: they tile the units in order, none above 4 GiB that could be smaller, four
 * where they have 64 MiB each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/partition.h"
#include "base/prime.h"
#include "batch/job/plan.h"
#include "batch/unit/buffers.h"
#include "divided/engine.h"
#include "machine/machine.h"
#include "scheme/params.h"
#include "unit/unit.h"

/* One limb of 60 bits: a seeded ciphertext has n * 60 / 8 + 32 bytes. */
static hb_header header_of(uint64_t ciphertexts, uint64_t unit)
{
    hb_header header = {.spec = {.n = 131072, .key_limbs = 1, .primes = {((uint64_t)1 << 60) - 1}, .bfv.plain = 65537},
                        .limbs = 1,
                        .seeded = true,
                        .capacity = 131072,
                        .schema = {.rows = ciphertexts * 131072, .columns = 1, .rank = 2, .width = 4},
                        .ciphertexts = ciphertexts,
                        .unit = unit};
    return header;
}

static void test_parts(void **state)
{
    (void)state;
    const uint64_t totals[] = {0, 1, 5, 16, 1000, 10000, 123457}, units[] = {1, 16, 100, 5000}; /* 4 GiB: 4369 */
    const uint64_t bytes = 131072 / 8 * 60 + 32, limit = (uint64_t)4 << 30;
    const uint64_t least = (uint64_t)64 << 20;
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        for (size_t j = 0; j < sizeof units / sizeof units[0]; j++) {
            const hb_header header = header_of(totals[i], units[j]);
            const uint64_t all = (totals[i] + units[j] - 1) / units[j];
            for (uint32_t size = 1; size <= 9; size++) {
                uint64_t unit = 0;
                uint32_t number = 0;
                hb_part *layout = calloc(hb_plan_parts_before(&header, size, size) + 1, sizeof *layout);
                assert_non_null(layout);
                hb_plan_layout(&header, size, layout);
                for (uint32_t rank = 0; rank < size; rank++) {
                    assert_int_equal(hb_plan_parts_before(&header, rank, size), number);
                    const uint32_t count = hb_plan_parts_before(&header, rank + 1, size) - number;
                    const uint64_t before = unit;
                    for (uint32_t p = 0; p < count; p++) {
                        const hb_part part = layout[number];
                        assert_int_equal(part.number, number++);
                        assert_int_equal(part.first_unit, unit);
                        assert_true(part.units >= 1);
                        assert_true(part.units == 1 || part.units * units[j] * bytes <= limit);
                        unit += part.units;
                    }
                    assert_int_equal(unit - before, hb_partition(all, rank, size).count);
                    /* Several only where the fewest would be too large, or up to four that are large enough. */
                    const uint64_t share = (unit - before) * units[j] * bytes;
                    const uint64_t one = units[j] * bytes, small = least > one ? least - one : one;
                    assert_true(count <= 1 || count <= 4 || one > limit || share > (count - 1) * (limit - one));
                    assert_true(count <= 1 || share > limit || share >= count * small);
                    assert_true(count >= 4 || count == unit - before || share < (count + 1) * least);
                }
                free(layout);
                assert_int_equal(unit, all);
                assert_int_equal(hb_plan_parts_before(&header, size, size), number);
            }
        }
    }
}

static void test_sizes(void **state)
{
    (void)state;
    const hb_header header = header_of(1003, 10);
    hb_plan plan;
    assert_int_equal(hb_plan_make(&plan, &header, 4, 1), HB_OK);
    assert_int_equal(plan.values, 1003 * (uint64_t)131072);
    assert_int_equal(plan.table_bytes, 4 * plan.values);
    assert_int_equal(plan.ciphertext_bytes, 983072);
    assert_int_equal(plan.stored_bytes, 1003 * (uint64_t)983072);
    assert_int_equal(plan.units, 101);
    assert_int_equal(plan.parts, 16); /* of 64 MiB at least, four a rank */
    assert_int_equal(plan.rank_units, 26);
    assert_int_equal(plan.rank_ciphertexts, 260);
    assert_true(hb_plan_file_bytes(plan.header, plan.parts) > plan.stored_bytes);
    assert_int_equal(hb_plan_output(&plan, 1, "/tmp/x"), HB_OK);
    assert_int_equal(hb_plan_output(&plan, UINT64_MAX, "/tmp/x"), HB_EIO);
    assert_non_null(strstr(hb_last_error()->text, "/tmp/x"));
}

static void test_too_large(void **state)
{
    (void)state;
    hb_plan plan;
    hb_header header = header_of((uint64_t)1 << 46, 1);
    assert_int_equal(hb_plan_make(&plan, &header, 1, 1), HB_EDATA);
    header = header_of(10, 1);
    header.schema.rows = UINT64_MAX / 2;
    header.schema.columns = 3;
    assert_int_equal(hb_plan_make(&plan, &header, 1, 1), HB_EDATA);
}

enum { WORKER = 100 << 20, CIPHERTEXT = 10 << 20 };

static uint64_t worker_bytes(const void *context, const hb_params *params, size_t batch)
{
    (void)context;
    (void)params;
    return WORKER + batch * CIPHERTEXT;
}

typedef struct memory_world {
    hb_params *params;
    hb_engine engine;
    hb_group alone;
    hb_session session;
    hb_header header;
    hb_device device;
    hb_plan_requirements requirements;
} memory_world;

static void open_memory_world(memory_world *w)
{
    const hb_params_spec spec = {.n = 1024,
                                 .key_limbs = 1,
                                 .primes = {1073707009},
                                 .bfv.plain = 12289,
                                 .security = {.level = 128},
                                 .insecure = true};
    *w = (memory_world){.alone = {.size = 1},
                        .header = header_of(1003, 16),
                        .device = {.gpu = true, .card = {.name = "Some GPU"}, .memory = UINT64_MAX}};
    assert_int_equal(hb_params_open(&spec, &w->params), HB_OK);
    w->engine = (hb_engine){.ring = &w->params->ring};
    w->session = (hb_session){.params = w->params, .engine = &w->engine, .grid = {&w->alone, &w->alone, &w->alone}};
    w->requirements = (hb_plan_requirements){
        .header = &w->header, .device = &w->device, .worker_bytes = worker_bytes, .values = true};
}

/* As many workers as fit, then as large batches as fit, then a refusal; never more than is allowed. */
static void test_memory(void **state)
{
    (void)state;
    memory_world w;
    open_memory_world(&w);
    const uint64_t tables = hb_device_table_bytes(&w.device, w.params),
                   queue = hb_device_queue_bytes(&w.device, w.params);
    const struct {
        uint64_t queues, workers, batch; /* workers 0: refused */
        uint64_t memory;
        size_t asked, together;
    } cases[] = {{0, 3, 16, tables + 3 * (queue + WORKER + 16 * CIPHERTEXT), 0, 0},
                 {0, 2, 16, tables + 3 * (queue + WORKER + 16 * CIPHERTEXT) - 1, 0, 0},
                 {0, 1, 16, tables + 2 * (queue + WORKER + 16 * CIPHERTEXT) - 1, 0, 0},
                 {0, 1, 8, tables + queue + WORKER + 16 * CIPHERTEXT - 1, 0, 0},
                 {0, 1, 1, tables + queue + WORKER + CIPHERTEXT, 0, 0},
                 {0, 0, 0, tables + queue + WORKER + CIPHERTEXT - 1, 0, 0},
                 {0, 0, 0, 0, 0, 0},
                 {7, 7, 16, UINT64_MAX, 0, 0},
                 {1, 1, 16, UINT64_MAX, 0, 0},
                 {1, 1, 4, UINT64_MAX, 5, 2},
                 {1, 1, 2, UINT64_MAX, 1, 2},
                 {0, 1, 6, tables + queue + WORKER + 15 * CIPHERTEXT, 0, 3},
                 {0, 1, 3, tables + queue + WORKER + 3 * CIPHERTEXT, 0, 3},
                 {0, 0, 0, tables + queue + WORKER + 3 * CIPHERTEXT - 1, 0, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hb_plan plan;
        w.device.queues = cases[i].queues;
        w.device.memory = cases[i].memory;
        w.requirements.batch = cases[i].asked;
        w.requirements.together = cases[i].together;
        assert_int_equal(hb_plan_make(&plan, &w.header, 4, 1), HB_OK);
        const hb_status st = hb_plan_memory(&plan, &w.session, &w.requirements);
        assert_int_equal(st, cases[i].workers > 0 ? HB_OK : HB_ENOMEM);
        if (st != HB_OK) {
            assert_non_null(strstr(hb_last_error()->text, "Some GPU"));
            assert_non_null(strstr(hb_last_error()->text, "--gpu-memory"));
            continue;
        }
        assert_int_equal(plan.workers.count, cases[i].workers);
        assert_int_equal(plan.workers.batch, cases[i].batch);
        assert_true(plan.device_bytes > 0 && plan.device_bytes <= w.device.memory);
        const uint32_t buffers = hb_pipeline_buffers(hb_workers_threads(&plan.workers, true), plan.workers.units);
        assert_true(plan.host_bytes > hb_unit_buffers_bytes(w.params, &w.header, buffers, true, false));
    }
    hb_params_close(w.params);
}

/* Few units need few workers; a CPU has the memory of its host; too much is refused. */
static void test_memory_of_few_and_many(void **state)
{
    (void)state;
    memory_world w;
    hb_plan plan;
    open_memory_world(&w);
    const hb_header few = header_of(20, 16); /* 2 units, one a rank */
    assert_int_equal(hb_plan_make(&plan, &few, 2, 1), HB_OK);
    w.requirements.header = &few;
    w.device.memory = hb_device_table_bytes(&w.device, w.params) + hb_device_queue_bytes(&w.device, w.params) + WORKER +
                      3 * CIPHERTEXT - 1;
    assert_int_equal(hb_plan_memory(&plan, &w.session, &w.requirements), HB_OK);
    assert_int_equal(plan.workers.count, 1);
    w.device = (hb_device){0};
    w.requirements.header = &w.header;
    assert_int_equal(hb_plan_make(&plan, &w.header, 1, 1), HB_OK);
    assert_int_equal(hb_plan_memory(&plan, &w.session, &w.requirements), HB_OK);
    assert_true(plan.workers.count == 1 && plan.device_bytes == 0 && plan.host_bytes > WORKER + 16 * CIPHERTEXT);
    const hb_header huge = header_of((uint64_t)1 << 40, (uint64_t)1 << 40);
    assert_int_equal(hb_plan_make(&plan, &huge, 1, 1), HB_OK);
    w.requirements.header = &huge;
    assert_int_equal(hb_plan_memory(&plan, &w.session, &w.requirements), HB_ENOMEM);
    hb_params_close(w.params);
}

static hb_work groups_work(const void *context, uint32_t groups)
{
    (void)context;
    return (hb_work){.items = groups};
}

static uint64_t limbs_bytes(const void *context, const hb_params *params, size_t batch)
{
    (void)context;
    return batch * hb_params_most_limbs(params, params->ids, params->data_limbs) * CIPHERTEXT;
}

static uint64_t large_limbs(const void *context, const hb_params *params, size_t batch)
{
    (void)context;
    return (uint64_t)batch * hb_params_most_limbs(params, params->ids, params->data_limbs) << 26;
}

/* A GPU that has the memory for two of three limbs, but not for all, is refused with the way out; on a CPU the host has
 * the buffers of units as well. */
static void test_ways_out(void **state)
{
    (void)state;
    enum { LIMBS = 3 };
    hb_params_spec spec = {
        .n = 1024, .key_limbs = LIMBS + 1, .bfv.plain = 12289, .security = {.level = 128}, .insecure = true};
    assert_int_equal(hb_create_primes(spec.n, (const uint32_t[]){30, 30, 30, 31}, LIMBS + 1, spec.primes), HB_OK);
    hb_params *params;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    hb_group alone = {.size = 1};
    hb_engine engine = {.ring = &params->ring};
    hb_session session = {.params = params, .engine = &engine, .grid = {&alone, &alone, &alone}};
    const hb_header header = header_of(1003, 10);
    hb_device device = {.gpu = true, .memory = 0};
    const hb_plan_requirements requirements = {
        .header = &header, .device = &device, .worker_bytes = large_limbs, .values = true};
    const hb_limb_requirements least = hb_plan_limb_requirements(&requirements);
    hb_plan plan;
    assert_int_equal(hb_plan_make(&plan, &header, 1, 1), HB_OK);
    device.memory = least.rank_bytes(least.context, params) - 1;
    assert_int_equal(hb_params_divide(params, 2), HB_OK);
    assert_int_equal(hb_plan_memory(&plan, &session, &requirements), HB_OK);
    assert_true(plan.device_bytes <= device.memory);
    assert_int_equal(hb_params_divide(params, 1), HB_OK);
    hb_status st = hb_plan_memory(&plan, &session, &requirements);
    assert_int_equal(st, HB_ENOMEM);
    assert_null(strstr(hb_last_error()->text, "--limb-ranks"));
    assert_int_equal(hb_plan_refuse(&session, &requirements, st), HB_ENOMEM);
    assert_non_null(strstr(hb_last_error()->text, "or compute with --device cpu, or divide limbs over 2 ranks with "
                                                  "--limb-ranks 2, of which each needs "));
    assert_int_equal(params->map.members, 1);
    device.memory = 0; /* no number of ranks has it */
    st = hb_plan_memory(&plan, &session, &requirements);
    assert_int_equal(hb_plan_refuse(&session, &requirements, st), HB_ENOMEM);
    assert_null(strstr(hb_last_error()->text, "--limb-ranks"));
    assert_int_equal(hb_plan_refuse(&session, &requirements, HB_EDATA), HB_EDATA);
    device.memory = UINT64_MAX; /* not for want of memory of the GPU */
    assert_int_equal(HB_FAIL(HB_ENOMEM, "no memory"), HB_ENOMEM);
    assert_int_equal(hb_plan_refuse(&session, &requirements, HB_ENOMEM), HB_ENOMEM);
    assert_string_equal(hb_last_error()->text, "no memory");

    device = (hb_device){.gpu = false};
    const hb_workers one = {.count = 1, .files = 1, .units = 101, .batch = 1};
    const uint32_t buffers = hb_pipeline_buffers(hb_workers_threads(&one, true), one.units);
    const uint64_t on_engine =
        hb_device_table_bytes(&device, params) + hb_device_queue_bytes(&device, params) + large_limbs(NULL, params, 1);
    assert_int_equal(least.rank_bytes(least.context, params),
                     on_engine + hb_unit_buffers_bytes(params, &header, buffers, true, false) +
                         header.unit * header.capacity * sizeof(uint64_t));
    hb_params_close(params);
}

/* Two fifths of the host's memory for each limb. */
static uint64_t host_limbs(const void *context, const hb_params *params, size_t batch)
{
    (void)context;
    (void)batch;
    return hb_params_most_limbs(params, params->ids, params->data_limbs) * (hb_machine_memory_each(1) / 5 * 2);
}

/* A host that has the memory for two of three limbs, but not for all: one rank is told to share them with ranks of
 * other hosts, several with as many as there are, if these can. A kind that refuses by itself is left alone. */
static void test_ways_out_of_a_host(void **state)
{
    (void)state;
    enum { LIMBS = 3 };
    static const struct {
        int ranks;
        const char *before, *after; /* the ways out */
    } cases[] = {
        {1, ": take a host with more, or divide limbs over 2 ranks with --limb-ranks 2, of which each needs ",
         ", on hosts of their own"},
        {4, ": take a host with more, or divide limbs over 2 ranks with --limb-ranks 2, of which each needs ", "B"},
        {3, ": take a host with more, or divide limbs over 3 ranks with --limb-ranks 3, of which each needs ", "B"},
        {5, ": take a host with more", ": take a host with more"}};
    hb_params_spec spec = {
        .n = 1024, .key_limbs = LIMBS + 1, .bfv.plain = 12289, .security = {.level = 128}, .insecure = true};
    assert_int_equal(hb_create_primes(spec.n, (const uint32_t[]){30, 30, 30, 31}, LIMBS + 1, spec.primes), HB_OK);
    hb_params *params;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    hb_engine engine = {.ring = &params->ring, .on_host = true};
    const hb_header header = header_of(1003, 10);
    const hb_device device = {.gpu = false};
    hb_plan_requirements requirements = {
        .header = &header, .device = &device, .worker_bytes = host_limbs, .values = true};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hb_group all = {.size = cases[i].ranks, .node_size = 1}, alone = {.size = 1};
        hb_session session = {.params = params, .engine = &engine, .grid = {&all, &alone, &all}};
        hb_plan plan;
        assert_int_equal(hb_plan_make(&plan, &header, 1, 1), HB_OK);
        assert_int_equal(hb_plan_memory(&plan, &session, &requirements), HB_ENOMEM);
        const char *text = hb_last_error()->text, *found = strstr(text, cases[i].before);
        assert_non_null(found);
        assert_string_equal(text + strlen(text) - strlen(cases[i].after), cases[i].after);
        assert_int_equal(params->map.members, 1);
        requirements.refuses = true;
        assert_int_equal(hb_plan_memory(&plan, &session, &requirements), HB_OK);
        requirements.refuses = false;
        assert_int_equal(hb_params_divide(params, 2), HB_OK);
        assert_int_equal(hb_plan_memory(&plan, &session, &requirements), HB_OK);
        assert_int_equal(hb_params_divide(params, 1), HB_OK);
    }
    hb_params_close(params);
}

/* Where limbs are divided work is divided over groups, a rank needs less, and one thread that exchanges is one
 * worker. */
static void test_divided(void **state)
{
    (void)state;
    enum { MEMBERS = 2, GROUPS = 3, LIMBS = 3 };
    hb_params_spec spec = {
        .n = 1024, .key_limbs = LIMBS + 1, .bfv.plain = 12289, .security = {.level = 128}, .insecure = true};
    assert_int_equal(hb_create_primes(spec.n, (const uint32_t[]){30, 30, 30, 31}, LIMBS + 1, spec.primes), HB_OK);
    hb_params *params;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    hb_group all = {.rank = 4, .size = MEMBERS * GROUPS}, members = {.size = MEMBERS};
    hb_group peers = {.rank = 2, .size = GROUPS};
    static const hb_exchange_ops mpi = {.name = "mpi"};
    hb_exchange exchange = {.ops = &mpi, .members = MEMBERS, .one_thread = true};
    hb_engine engine = {.ring = &params->ring};
    hb_session session = {.params = params, .engine = &engine, .grid = {&all, &members, &peers}};
    const hb_header header = header_of(1003, 10);
    hb_device device = {.gpu = true, .memory = UINT64_MAX};
    const hb_plan_requirements requirements = {
        .header = &header, .device = &device, .worker_bytes = limbs_bytes, .values = true, .work = groups_work};
    hb_plan whole, divided;
    assert_int_equal(hb_plan_make(&whole, &header, MEMBERS * GROUPS, 1), HB_OK);
    assert_int_equal(hb_plan_memory(&whole, &session, &requirements), HB_OK);
    assert_int_equal(whole.workers.count, 3);
    const hb_limb_requirements least = hb_plan_limb_requirements(&requirements);
    assert_true(least.work(least.context, 7).items == 7); /* of the kind of job */
    const uint64_t one = least.rank_bytes(least.context, params);
    assert_int_equal(hb_params_divide(params, MEMBERS), HB_OK);
    session.exchange = &exchange;
    assert_int_equal(hb_plan_make(&divided, &header, GROUPS, MEMBERS), HB_OK);
    assert_int_equal(hb_plan_memory(&divided, &session, &requirements), HB_OK);
    assert_int_equal(divided.ranks, MEMBERS * GROUPS);
    assert_int_equal(divided.rank_units, 34);
    assert_int_equal(divided.parts, GROUPS * HB_PLAN_ABREAST);
    assert_int_equal(divided.workers.count, 1);
    assert_int_equal(divided.limbs.most, 2);
    assert_string_equal(divided.limbs.exchange, "MPI");
    const uint64_t exchanging = hb_divided_queue_bytes(&params->map, params->ring.n, 0, device.memory);
    const uint64_t two = least.rank_bytes(least.context, params);
    assert_true(two < one - CIPHERTEXT + exchanging);
    exchange.one_thread = false;
    assert_int_equal(hb_plan_memory(&divided, &session, &requirements), HB_OK);
    assert_int_equal(divided.workers.count, 3);
    hb_params_close(params);
}

HB_UNIT(plan)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_too_large),
                                       cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_memory_of_few_and_many),
                                       cmocka_unit_test(test_ways_out),
                                       cmocka_unit_test(test_ways_out_of_a_host),
                                       cmocka_unit_test(test_divided)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
