/* Exchanges of memory of GPUs: t_gpu_exchange KIND RANKS, KIND nccl (a GPU for each rank), direct (likewise, and each
 * writes to another's memory) or mpi (they may share one); or with a third argument "killed", which never ends by
 * itself. Skips by name. */
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include "cuda/engine/engine.h"
#include "ranks/exchange_failures.h"

enum { SKIPPED = 77 }; /* SKIP_RETURN_CODE of the tests */

static bool over_nccl, direct;

static hb_engine *open_engine(const hb_ring *ring, int index)
{
    hb_cuda_device device;
    hb_engine *engine = NULL;
    CHECK(hb_cuda_device_get(index, &device) == HB_OK);
    CHECK(hb_cuda_engine_open(ring, &device, device.free / 8, &engine) == HB_OK);
    return engine;
}

static hb_exchange *open_exchange(const hb_grid *grid, hb_engine *engine, double deadline)
{
    hb_exchange *x = NULL;
    hb_error why_not = {.text = ""};
    CHECK((over_nccl ? hb_exchange_open_nccl(grid, engine, deadline, direct ? &why_not : NULL, &x)
                     : hb_exchange_open_mpi(grid, deadline, &x)) == HB_OK);
    CHECK(x->members == (uint32_t)grid->members->size && x->member == (uint32_t)grid->members->rank);
    if (grid->members->size > 1 && strcmp(x->ops->name, direct ? "direct" : over_nccl ? "nccl" : "mpi") != 0) {
        fprintf(stderr, "the exchange is %s: %s\n", x->ops->name, why_not.text);
        CHECK(false);
    }
    CHECK(grid->members->size == 1 || x->one_thread == !over_nccl);
    return x;
}

typedef struct work {
    hb_exchange *exchange;
    hb_engine *engine;
} work;

static void *check_transfers(void *context)
{
    const work *w = context;
    check_patterns(w->exchange, w->engine);
    check_in_place(w->exchange, w->engine);
    check_many(w->exchange, w->engine, 150); /* more than there is room for */
    check_long(w->exchange, w->engine);
    check_words(w->exchange);
    check_measure(w->exchange, w->engine);
    return NULL;
}

static void test_transfers(hb_engine *engine, uint32_t k)
{
    hb_grid grid;
    pthread_t thread;
    CHECK(hb_grid_open(&grid, group, k) == HB_OK);
    work w = {open_exchange(&grid, engine, 60), engine};
    check_transfers(&w);
    if (!w.exchange->one_thread) {
        CHECK(pthread_create(&thread, NULL, check_transfers, &w) == 0 && pthread_join(thread, NULL) == 0);
    }
    CHECK(hb_agree(group, HB_OK) == HB_OK);
    hb_exchange_close(w.exchange);
    hb_grid_close(&grid);
}

enum { ORDER_ROUNDS = 50, ORDER_WORDS = 1 << 20 };

static hb_batch words_on(hb_engine *engine, uint64_t *words)
{
    static const uint16_t id = 0;
    return hb_batch_on(engine, words, ORDER_WORDS / engine->ring->n, 1, &id);
}

static void upload_words(hb_engine *engine, uint64_t *to, size_t words, uint64_t value)
{
    uint64_t *host = host_words(words);
    for (size_t i = 0; i < words; i++) {
        host[i] = value;
    }
    CHECK(hb_upload(engine, to, host, words * sizeof *host) == HB_OK && hb_finish(engine) == HB_OK);
    free(host);
}

/* A transfer sends the queue's results, and the queue computes with received words afterwards, without a wait of the
 * host in between: a number goes round the members and grows by 1 at each. */
static void test_order(hb_engine *engine)
{
    hb_grid grid;
    void *memory;
    uint64_t ticket;
    hb_transfer t = {.pattern = HB_ALL_TO_ALL};
    const size_t bytes = ORDER_WORDS * sizeof(uint64_t);
    CHECK(hb_grid_open(&grid, group, (uint32_t)group->size) == HB_OK);
    hb_exchange *x = open_exchange(&grid, engine, 60);
    CHECK(hb_alloc(engine, 3 * bytes, &memory) == HB_OK);
    uint64_t *mine = memory, *theirs = mine + ORDER_WORDS, *ones = theirs + ORDER_WORDS;
    upload_words(engine, mine, ORDER_WORDS, x->member);
    upload_words(engine, ones, ORDER_WORDS, 1);
    const uint32_t next = (x->member + 1) % x->members, before = (x->member + x->members - 1) % x->members;
    hb_window *window;
    CHECK(hb_exchange_open_window(x, memory, 3 * bytes, &window) == HB_OK && (window != NULL) == direct);
    t.window = window;
    t.to[next] = bytes; /* where it has `theirs` */
    t.send[next] = mine;
    t.receive[before] = theirs;
    t.send_bytes[next] = t.receive_bytes[before] = bytes;
    for (int i = 0; i < ORDER_ROUNDS; i++) {
        CHECK(hb_exchange_start(x, engine, &t, &ticket) == HB_OK && hb_exchange_wait(x, engine, ticket) == HB_OK);
        CHECK(hb_add(engine, words_on(engine, mine), words_on(engine, theirs), words_on(engine, ones)) == HB_OK);
    }
    CHECK(hb_exchange_settle(x, ticket) == HB_OK);
    uint64_t *host = host_words(ORDER_WORDS);
    CHECK(hb_download(engine, host, mine, bytes) == HB_OK && hb_finish(engine) == HB_OK);
    const uint64_t first = (x->member + (uint64_t)ORDER_ROUNDS * (x->members - 1)) % x->members;
    for (size_t i = 0; i < ORDER_WORDS; i++) {
        CHECK(host[i] == first + ORDER_ROUNDS);
    }
    free(host);
    CHECK(hb_agree(group, HB_OK) == HB_OK);
    hb_exchange_close_window(x, window);
    hb_exchange_close(x);
    hb_free(engine, memory);
    hb_grid_close(&grid);
}

/* One thread starts transfers while another settles the started ones, one by one, each more than once. */
enum { BESIDE_ROUNDS = 300, BESIDE_WORDS = 1 << 12 };

typedef struct beside {
    hb_exchange *exchange;
    atomic_int started;
    uint64_t tickets[BESIDE_ROUNDS];
} beside;

static void *settle_started(void *context)
{
    beside *b = context;
    for (int i = 0; i < BESIDE_ROUNDS; i++) {
        while (atomic_load(&b->started) <= i) {
            sched_yield();
        }
        CHECK(hb_exchange_settle(b->exchange, b->tickets[i]) == HB_OK);
        CHECK(hb_exchange_settle(b->exchange, b->tickets[i / 2]) == HB_OK);
    }
    return NULL;
}

static void test_beside(hb_engine *engine)
{
    hb_grid grid;
    void *memory;
    pthread_t threads[2];
    hb_transfer t = {.pattern = HB_ALL_GATHER};
    const size_t bytes = BESIDE_WORDS * sizeof(uint64_t);
    CHECK(hb_grid_open(&grid, group, (uint32_t)group->size) == HB_OK);
    beside b = {.exchange = open_exchange(&grid, engine, 60)};
    hb_exchange *x = b.exchange;
    CHECK(hb_alloc(engine, (x->members + 1) * bytes, &memory) == HB_OK);
    upload_words(engine, memory, (x->members + 1) * BESIDE_WORDS, x->member);
    for (uint32_t m = 0; m < x->members; m++) {
        t.send[m] = (uint64_t *)memory + x->members * BESIDE_WORDS;
        t.receive[m] = (uint64_t *)memory + m * BESIDE_WORDS;
        t.send_bytes[m] = t.receive_bytes[m] = bytes;
        t.to[m] = x->member * bytes;
    }
    hb_window *window;
    CHECK(hb_exchange_open_window(x, memory, (x->members + 1) * bytes, &window) == HB_OK);
    t.window = window;
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_create(&threads[i], NULL, settle_started, &b) == 0);
    }
    for (int i = 0; i < BESIDE_ROUNDS; i++) {
        CHECK(hb_exchange_start(x, engine, &t, &b.tickets[i]) == HB_OK);
        atomic_fetch_add(&b.started, 1);
    }
    CHECK(pthread_join(threads[0], NULL) == 0 && pthread_join(threads[1], NULL) == 0);
    CHECK(x->stats.transfers[HB_ALL_GATHER] == BESIDE_ROUNDS);
    uint64_t *host = host_words(x->members * BESIDE_WORDS);
    CHECK(hb_download(engine, host, memory, x->members * bytes) == HB_OK && hb_finish(engine) == HB_OK);
    for (size_t i = 0; i < x->members * BESIDE_WORDS; i++) {
        CHECK(host[i] == i / BESIDE_WORDS);
    }
    free(host);
    CHECK(hb_agree(group, HB_OK) == HB_OK);
    hb_exchange_close_window(x, window);
    hb_exchange_close(x);
    hb_free(engine, memory);
    hb_grid_close(&grid);
}

static void test_failures(hb_engine *engine)
{
    hb_grid grid;
    CHECK(hb_grid_open(&grid, group, (uint32_t)group->size) == HB_OK);
    for (int kind = 0; kind < 6; kind++) {
        const double deadline = kind / 2 == 1 ? 2 : 600; /* short only where the test is about the deadline */
        hb_exchange *x = open_exchange(&grid, engine, deadline);
        if (kind % 2 != 0) {
            check_patterns(x, engine); /* members are connected already when it fails */
        }
        check_failure(x, engine, kind / 2, kind % 2 == 0 ? 1 : LONG, deadline);
        hb_exchange_close(x);
        x = open_exchange(&grid, engine, 60);
        check_patterns(x, engine);
        hb_exchange_close(x);
    }
    hb_grid_close(&grid);
}

static void test_shared_gpu(const hb_ring *ring)
{
    hb_grid grid;
    hb_exchange *x = NULL;
    hb_engine *engine = open_engine(ring, 0);
    CHECK(hb_grid_open(&grid, group, (uint32_t)group->size) == HB_OK);
    CHECK(hb_exchange_open_nccl(&grid, engine, 60, NULL, &x) == HB_EUNAVAILABLE && x == NULL);
    CHECK(strstr(hb_last_error()->text, "ranks 0 and 1 share a GPU") != NULL);
    hb_grid_close(&grid);
    hb_engine_close(engine);
}

static void be_killed(hb_engine *engine)
{
    hb_grid grid;
    CHECK(hb_grid_open(&grid, group, (uint32_t)group->size) == HB_OK);
    hb_exchange *x = open_exchange(&grid, engine, 600);
    check_patterns(x, engine);
    moved m = {.block = BLOCK_WORDS};
    move_open(x, engine, &m, HB_ALL_GATHER, 0, 0);
    if (is_last()) {
        sleep_for(0.2);
        raise(SIGKILL);
    }
    (void)failure_of(x, &m);
}

/* Why this cannot run here, the same on all ranks; NULL: it can. */
static const char *missing(void)
{
    int count = 0;
    const bool answers = hb_cuda_device_count(&count) == HB_OK;
    const uint64_t why = !answers || count == 0                                     ? 3
                         : over_nccl && hb_exchange_nccl_version() == NULL          ? 2
                         : over_nccl && count < group->node_size /* one for each */ ? 1
                                                                                    : 0;
    static const char *const reasons[] = {NULL, "fewer GPUs than ranks", "built without NCCL", "no GPU"};
    uint64_t most = why;
    CHECK(hb_group_max(group, &most, 1) == HB_OK);
    return reasons[most];
}

static void test_all(bool killed)
{
    int count;
    hb_ring ring;
    uint16_t id;
    CHECK(hb_cuda_device_count(&count) == HB_OK);
    CHECK(hb_ring_init(&ring, 10) == HB_OK && hb_ring_add_modulus(&ring, 12289, &id) == HB_OK);
    hb_engine *engine = open_engine(&ring, group->node_rank % count);
    if (killed) {
        be_killed(engine);
    }
    for (uint32_t k = 1; k <= (uint32_t)group->size; k++) {
        if ((uint32_t)group->size % k == 0) {
            test_transfers(engine, k);
        }
    }
    test_order(engine);
    if (over_nccl) { /* that over MPI is for one thread */
        test_beside(engine);
    }
    test_failures(engine);
    hb_engine_close(engine);
    if (over_nccl) {
        test_shared_gpu(&ring);
    }
}

int main(int argc, char **argv)
{
    if (hb_group_open_mpi(&argc, &argv, &group) != HB_OK) {
        fprintf(stderr, "%s\n", hb_last_error()->text);
        return 1;
    }
    CHECK(argc >= 3 && atoi(argv[2]) == group->size && group->size > 1);
    direct = strcmp(argv[1], "direct") == 0;
    over_nccl = direct || strcmp(argv[1], "nccl") == 0;
    const char *reason = missing();
    if (reason == NULL) {
        test_all(argc == 4 && strcmp(argv[3], "killed") == 0);
    } else if (group->rank == 0) {
        printf("skipped: %s\n", reason);
    }
    hb_group_close(group);
    return reason == NULL ? 0 : SKIPPED;
}
