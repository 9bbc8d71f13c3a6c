/* The choice of devices by the ranks of a group, with fake GPUs (fake_gpus.h), and with threads for ranks. */
#include "scheme/params.h"
#include "unit/scratch.h"

#include <pthread.h>
#include <stdatomic.h>

#include "device/cache_file.h"
#include "device/checked_file.h"
#include "device/device.h"
#include "device/ntt_plan_file.h"
#include "fake_gpus.h"
#include "mpi/group/group_private.h"

/* --- a group of threads */

typedef struct shared {
    pthread_barrier_t barrier;
    pthread_mutex_t lock;
    uint64_t sums[64];
    int failing;
    hb_status status;
    hb_error error;
} shared;

typedef struct thread_rank {
    hb_group base;
    shared *all;
    const sight *sight;
    hb_device_choice choice;
    hb_device device;
    hb_status status;
    hb_error error;
} thread_rank;

/* True in one of the threads. */
static bool meet(shared *s)
{
    return pthread_barrier_wait(&s->barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
}

static hb_status thread_agree(hb_group *group, hb_status mine)
{
    shared *s = ((thread_rank *)group)->all;
    if (meet(s)) {
        s->failing = group->size;
        s->status = HB_OK;
    }
    meet(s);
    pthread_mutex_lock(&s->lock);
    if (mine != HB_OK && group->rank < s->failing) {
        s->failing = group->rank;
        s->status = mine;
        s->error = *hb_last_error();
    }
    pthread_mutex_unlock(&s->lock);
    meet(s);
    if (s->status != HB_OK) {
        hb_set_error(&s->error);
    }
    return s->status;
}

static hb_status thread_sum(hb_group *group, uint64_t *values, size_t count)
{
    shared *s = ((thread_rank *)group)->all;
    HB_ASSERT(count <= sizeof s->sums / sizeof s->sums[0]);
    if (meet(s)) {
        memset(s->sums, 0, sizeof s->sums);
    }
    meet(s);
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < count; i++) {
        s->sums[i] += values[i];
    }
    pthread_mutex_unlock(&s->lock);
    meet(s);
    memcpy(values, s->sums, count * sizeof *values);
    return HB_OK;
}

static const hb_group_ops thread_ops = {.agree = thread_agree, .sum = thread_sum};

static const hb_work *work_known;

static void *run_rank(void *argument)
{
    thread_rank *r = argument;
    seen = r->sight;
    r->status = hb_device_choose(&r->device, &r->base, &r->choice, work_known);
    r->error = *hb_last_error();
    return NULL;
}

static thread_rank ranks[MOST];
static const char *check_wanted;
static const char *plan_wanted;

/* Each rank its own sight and kind; the status they agree on. */
static hb_status choose(int size, const sight *sights, const char *const *kinds, hb_size memory, bool share)
{
    shared s = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t threads[MOST];
    pthread_barrier_init(&s.barrier, NULL, (unsigned)size);
    for (int r = 0; r < size; r++) {
        ranks[r] = (thread_rank){
            .base = {.ops = &thread_ops, .rank = r, .size = size, .node_rank = r, .node_size = size},
            .all = &s,
            .sight = &sights[r],
            .choice = {.kind = kinds[r], .memory = memory, .share = share, .plan = plan_wanted, .check = check_wanted}};
        assert_int_equal(pthread_create(&threads[r], NULL, run_rank, &ranks[r]), 0);
    }
    for (int r = 0; r < size; r++) {
        pthread_join(threads[r], NULL);
        assert_int_equal(ranks[r].status, ranks[0].status);
    }
    pthread_barrier_destroy(&s.barrier);
    return ranks[0].status;
}

static void says(const char *words)
{
    if (strstr(ranks[0].error.text, words) == NULL) {
        fail_msg("'%s' does not say '%s'", ranks[0].error.text, words);
    }
}

static const hb_size by_default = {0, false};
static const char *const automatic[MOST] = {"auto", "auto", "auto", "auto"};

/* --- the tests */

static void test_one_each(void **state)
{
    (void)state;
    const sight both = {.count = 2, .uuid = "AB", .free_gib = 90};
    assert_int_equal(choose(2, (sight[]){both, both}, automatic, by_default, false), HB_OK);
    for (int r = 0; r < 2; r++) { /* a scheduler that shows all of them */
        const hb_device *d = &ranks[r].device;
        assert_true(d->gpu && d->card.index == r && d->sharing == 1 && d->why_not == NULL);
        assert_true(d->memory > 80 * giga && d->memory < 90 * giga);
    }
    const sight own[] = {{.count = 1, .uuid = "A", .free_gib = 90}, {.count = 1, .uuid = "B", .free_gib = 90}};
    assert_int_equal(choose(2, own, automatic, by_default, false), HB_OK); /* ... and one that shows each its own */
    assert_true(ranks[1].device.card.index == 0 && ranks[1].device.card.uuid[0] == 'B');
    assert_string_equal(hb_device_name_of(&ranks[1].device).text, "Fake (bus B)");
}

static void test_sharing(void **state)
{
    (void)state;
    const sight same[] = {{.count = 1, .uuid = "A", .free_gib = 90}, {.count = 1, .uuid = "A", .free_gib = 80}};
    assert_int_equal(choose(2, same, automatic, by_default, false), HB_ECONFIG);
    says("Fake (bus A) is also the GPU of rank 1");
    says("--share-gpu");
    assert_int_equal(choose(2, same, automatic, (hb_size){40 * giga, false}, true), HB_OK);
    assert_true(ranks[0].device.sharing == 2 && ranks[0].device.memory == 20 * giga);
    assert_int_equal(choose(2, same, automatic, by_default, true), HB_OK);
    assert_true(ranks[0].device.memory == ranks[1].device.memory && ranks[0].device.memory < 40 * giga);
    const sight two = {.count = 2, .uuid = "AB", .free_gib = 90};
    assert_int_equal(choose(3, (sight[]){two, two, two}, automatic, by_default, true), HB_OK);
    assert_true(ranks[0].device.sharing == 2 && ranks[1].device.sharing == 1 && ranks[2].device.card.index == 0);
}

static void test_kinds(void **state)
{
    (void)state;
    const sight none = {.free_gib = 0}, one = {.count = 1, .uuid = "A", .free_gib = 90};
    const sight mixed[] = {one, none}, ill = {.broken = true}, unbuilt = {.unbuilt = true};
    assert_int_equal(choose(2, mixed, automatic, by_default, false), HB_ECONFIG);
    says("--device cpu");
    assert_int_equal(choose(2, mixed, (const char *[]){"gpu", "cpu"}, by_default, false), HB_OK);
    assert_true(ranks[0].device.gpu && !ranks[1].device.gpu);
    assert_int_equal(choose(2, mixed, (const char *[]){"cpu", "auto"}, by_default, false), HB_OK);
    assert_int_equal(choose(2, mixed, (const char *[]){"gpu", "gpu"}, by_default, false), HB_EUNAVAILABLE);
    assert_int_equal(choose(1, &none, automatic, by_default, false), HB_OK);
    assert_false(ranks[0].device.gpu);
    assert_string_equal(hb_device_name_of(&ranks[0].device).text, "CPU");
    assert_int_equal(choose(1, &unbuilt, automatic, by_default, false), HB_OK);
    assert_int_equal(choose(1, &unbuilt, (const char *[]){"gpu"}, by_default, false), HB_EUNAVAILABLE);
    says("built without CUDA");
    /* A GPU that does not work is never passed over. */
    assert_int_equal(choose(1, &ill, automatic, by_default, false), HB_EUNAVAILABLE);
    says("the driver is ill");
    says("--device cpu");
    assert_int_equal(choose(1, &ill, (const char *[]){"cpu"}, by_default, false), HB_OK);
    assert_int_equal(choose(1, &one, (const char *[]){"tpu"}, by_default, false), HB_EUSAGE);
}

static void test_memory(void **state)
{
    (void)state;
    const sight one = {.count = 1, .uuid = "A", .free_gib = 90};
    assert_int_equal(choose(1, &one, automatic, (hb_size){50, true}, false), HB_OK);
    assert_in_range(ranks[0].device.memory, 50 * giga - 100, 50 * giga); /* of all there is, rounded down */
    assert_int_equal(choose(1, &one, automatic, (hb_size){91, true}, false), HB_EUNAVAILABLE);
    says("90.0 GiB free of 100 GiB");
    assert_int_equal(choose(1, &one, automatic, (hb_size){12345, false}, false), HB_OK);
    assert_int_equal(ranks[0].device.memory, 12345);
}

static hb_params *open_preset(const char *name)
{
    hb_params_spec spec;
    hb_params *params;
    assert_ok(hb_seed_start());
    assert_ok(hb_params_preset(name, &spec));
    assert_ok(hb_params_open(&spec, &params));
    return params;
}

static void test_open(void **state)
{
    (void)state;
    const sight one = {.count = 1, .uuid = "A", .free_gib = 90};
    hb_params *params = open_preset("bfv-4096");
    hb_engine *engine;
    setenv("XDG_CACHE_HOME", in_scratch("none"), 1);
    check_wanted = "always";
    assert_int_equal(choose(1, &one, automatic, by_default, false), HB_OK);
    check_wanted = NULL;
    hb_device *device = &ranks[0].device;
    assert_int_equal(hb_device_open(device, params, &engine), HB_OK);
    assert_true(device->check_seconds > 0);
    hb_engine_close(engine);

    adds_wrongly = true; /* refused by name before it computes anything */
    assert_int_equal(hb_device_open(device, params, &engine), HB_EUNAVAILABLE);
    assert_null(engine);
    assert_non_null(strstr(hb_last_error()->text, "Fake (bus A): "));
    assert_non_null(strstr(hb_last_error()->text, "--device cpu"));
    adds_wrongly = false;

    device->memory = hb_device_table_bytes(device, params);
    assert_int_equal(hb_device_open(device, params, &engine), HB_ENOMEM);
    assert_non_null(strstr(hb_last_error()->text, "--gpu-memory"));
    *device = (hb_device){0};
    assert_int_equal(hb_device_open(device, params, &engine), HB_OK);
    assert_string_equal(engine->ops->name, "cpu");
    hb_engine_close(engine);
    hb_params_close(params);
}

/* Opens an engine while the GPU adds wrongly: HB_OK shows that the check was left out. */
static hb_status open_unchecked(hb_device *device, const hb_params *params)
{
    hb_engine *engine;
    const hb_status st = hb_device_open(device, params, &engine);
    hb_engine_close(st == HB_OK ? engine : NULL);
    return st;
}

/* Writes the file of a passed check anew, with another time or another program. */
static void change_passed(const char *path, const char *member, json_t *value)
{
    json_t *json = json_load_file(path, 0, NULL);
    assert_int_equal(json_object_set_new(json, member, value), 0);
    assert_int_equal(json_dump_file(json, path, 0), 0);
    json_decref(json);
}

/* A passed check holds for a day, for the program that made it; a damaged file counts as none. */
static void check_file(hb_device *device, const hb_params *params, const char *build)
{
    const hb_checked_subject subject = {&device->card, params, &device->plan};
    char *path;
    assert_ok(hb_checked_path(&subject, &path));
    const json_int_t now = (json_int_t)time(NULL), day = 24 * 60 * 60;
    const json_int_t times[] = {now - 10, now - day + 60, now - day, now + 1000, 0};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        json_t *json = json_load_file(path, 0, NULL);
        assert_string_equal(json_string_value(json_object_get(json, "build")), build);
        json_decref(json);
        change_passed(path, "passed", json_integer(times[i]));
        assert_int_equal(hb_checked_recently(&subject), i < 2);
        assert_int_equal(open_unchecked(device, params), i < 2 ? HB_OK : HB_EUNAVAILABLE);
    }
    change_passed(path, "passed", json_integer(now));
    change_passed(path, "build", json_string("00ff")); /* another program */
    assert_false(hb_checked_recently(&subject));
    spit(path, "{}", 2);
    assert_false(hb_checked_recently(&subject));
    free(path);
}

/* A check that passed lately is not done again, for the same GPU, program and parameters. */
static void test_remembered(void **state)
{
    (void)state;
    const sight one = {.count = 1, .uuid = "A", .free_gib = 90}, other = {.count = 1, .uuid = "B", .free_gib = 90};
    hb_params *params = open_preset("bfv-4096");
    hb_engine *engine;
    char build[HB_BUILD_ID_TEXT];
    hb_build_id(build);
    assert_in_range(strlen(build), 16, HB_BUILD_ID_TEXT - 1);
    setenv("XDG_CACHE_HOME", in_scratch("remembered"), 1);
    hb_device *device = &ranks[0].device;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(choose(1, &one, automatic, by_default, false), HB_OK);
        seen = &one;
        const hb_checked_past past = hb_checked_look(params);
        assert_int_equal(past.recently, i > 0);
        assert_int_equal(past.card.multiprocessors, i > 0 ? 132 : 0);
        assert_ok(hb_device_open(device, params, &engine));
        assert_int_equal(device->remembered, i > 0);
        hb_engine_close(engine);
    }
    adds_wrongly = true;
    assert_ok(hb_device_open(device, params, &engine));
    json_t *json = hb_device_json(device, engine);
    assert_string_equal(json_string_value(json_object_get(json, "check")), "remembered");
    json_decref(json);
    hb_engine_close(engine);

    check_wanted = "always";
    assert_int_equal(choose(1, &one, automatic, by_default, false), HB_OK);
    assert_int_equal(open_unchecked(device, params), HB_EUNAVAILABLE);
    check_wanted = NULL;
    assert_int_equal(choose(1, &other, automatic, by_default, false), HB_OK); /* another GPU */
    seen = &other;
    assert_int_equal(open_unchecked(device, params), HB_EUNAVAILABLE);
    seen = &one;
    assert_int_equal(choose(1, &one, automatic, by_default, false), HB_OK);
    device->plan.choice[0][2] = HB_NTT_SINGLE; /* other kernels */
    assert_int_equal(open_unchecked(device, params), HB_EUNAVAILABLE);
    device->plan.choice[0][2] = 0;
    assert_ok(open_unchecked(device, params));
    check_file(device, params, build);
    adds_wrongly = false;
    hb_params_close(params);
}

/* So many transforms, as one item. */
static hb_work work_of(const hb_params *params, double transforms)
{
    return (hb_work){.params = params, .items = 1, .loop = {{[HB_COST_TRANSFORMS] = transforms}}};
}

/* Little work goes to the CPU, without asking a driver; much to the GPU; an explicit choice is followed. */
static void test_work(void **state)
{
    (void)state;
    const sight one = {.count = 1, .uuid = "A", .free_gib = 90}, ill = {.broken = true},
                both = {.count = 2, .uuid = "AB", .free_gib = 90};
    hb_params *params = open_preset("bfv-4096");
    const hb_work little = work_of(params, 1), much = work_of(params, 1e7), unheard_of = work_of(params, 1e18);
    setenv("XDG_CACHE_HOME", in_scratch("work"), 1);
    const hb_device *device = &ranks[0].device;
    work_known = &little;
    looks = 0;
    assert_int_equal(choose(1, &one, automatic, by_default, false), HB_OK);
    assert_false(device->gpu);
    assert_int_equal(looks, 0);
    assert_true(device->predicted && device->times.cpu < device->times.gpu && device->why_not == NULL);
    json_t *json = hb_device_json(device, NULL);
    assert_true(json_is_real(json_object_get(json_object_get(json, "predicted"), "gpu_seconds")));
    json_decref(json);
    assert_int_equal(choose(1, &ill, automatic, by_default, false), HB_OK);
    assert_int_equal(looks, 0);
    assert_int_equal(choose(1, &one, (const char *[]){"gpu"}, by_default, false), HB_OK);
    assert_true(device->gpu && !device->predicted);
    assert_int_equal(choose(2, (sight[]){both, both}, (const char *[]){"gpu", "auto"}, by_default, false), HB_OK);
    assert_true(ranks[0].device.gpu && ranks[1].device.gpu);
    assert_int_equal(choose(2, (sight[]){both, both}, automatic, by_default, false), HB_OK);
    assert_true(!ranks[0].device.gpu && !ranks[1].device.gpu);
    work_known = &unheard_of;
    assert_int_equal(choose(1, &one, automatic, by_default, false), HB_OK);
    assert_true(device->gpu && device->predicted && device->times.cpu > device->times.gpu);
    work_known = &much;
    assert_int_equal(choose(1, &one, automatic, by_default, false), HB_OK);
    assert_true(device->gpu && device->predicted && device->times.cpu > device->times.gpu);
    /* A GPU is weighed as the one that passed last: here its driver took longer than any work. */
    const hb_checked_subject subject = {&device->card, params, &device->plan};
    hb_checked_keep(&subject, 1e5);
    assert_int_equal(choose(1, &one, automatic, by_default, false), HB_OK);
    assert_true(!device->gpu && device->predicted && device->times.gpu >= 1e5);
    assert_int_equal(choose(1, &one, (const char *[]){"cpu"}, by_default, false), HB_OK);
    assert_false(device->gpu || device->predicted);
    work_known = NULL;
    check_wanted = "never";
    assert_int_equal(choose(1, &one, automatic, by_default, false), HB_EUSAGE);
    says("--gpu-check");
    check_wanted = NULL;
    hb_params_close(params);
}

/* The measured plan, if there is one and it is wanted, reaches the engines. */
static void test_plan(void **state)
{
    (void)state;
    const sight one = {.count = 1, .uuid = "A", .free_gib = 90};
    hb_cuda_ntt_plan plan = {0};
    hb_ring *ring = malloc(sizeof *ring);
    hb_engine *engine;
    char *path;
    assert_non_null(ring);
    assert_ok(hb_ring_init(ring, 10));
    setenv("XDG_CACHE_HOME", in_scratch("caches"), 1);
    assert_int_equal(choose(1, &one, automatic, by_default, false), HB_OK);
    hb_device *device = &ranks[0].device;
    assert_false(device->measured);
    seen = &one;
    assert_ok(hb_ntt_plan_path(&device->card, &path));
    plan.choice[0][2] = HB_NTT_SINGLE;
    assert_ok(hb_ntt_plan_write(path, &device->card, &plan));
    static const char *const wanted[] = {NULL, "auto", "off"};
    for (int i = 0; i < 3; i++) {
        plan_wanted = wanted[i];
        assert_int_equal(choose(1, &one, automatic, by_default, false), HB_OK);
        assert_int_equal(device->measured, i < 2);
        assert_ok(hb_device_open_ring(device, ring, &engine));
        assert_memory_equal(&in_use, i < 2 ? &plan : &(hb_cuda_ntt_plan){0}, sizeof plan);
        json_t *json = hb_device_json(device, engine);
        assert_string_equal(json_string_value(json_object_get(json, "ntt_plan")), i < 2 ? path : "rules");
        json_decref(json);
        hb_engine_close(engine);
    }
    plan_wanted = "best";
    assert_int_equal(choose(1, &one, automatic, by_default, false), HB_EUSAGE);
    says("auto or off");
    plan_wanted = NULL;
    spit(path, "{}", 2); /* a warning, and the rules */
    assert_int_equal(choose(1, &one, automatic, by_default, false), HB_OK);
    assert_false(device->measured);
    free(path);
    free(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_each), cmocka_unit_test(test_sharing),
                                       cmocka_unit_test(test_kinds),    cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_open),     cmocka_unit_test(test_remembered),
                                       cmocka_unit_test(test_work),     cmocka_unit_test(test_plan)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
