/* The exchange over MPI between CPU engines: t_exchange_mpi RANKS; or with a second argument "killed": the
 * last rank is killed while the others wait for it, and each of those says that it has noticed. */
#include <signal.h>
#include <unistd.h>

#include "cpu/engine.h"
#include "mpi/exchange/mpi_private.h"
#include "ranks/exchange_failures.h"

static hb_exchange *open_exchange(const hb_grid *grid, double deadline)
{
    hb_exchange *x = NULL;
    CHECK(hb_exchange_open_mpi(grid, deadline, &x) == HB_OK);
    CHECK(x->members == (uint32_t)grid->members->size && x->member == (uint32_t)grid->members->rank);
    return x;
}

static void test_transfers(hb_engine *engine, uint32_t k)
{
    hb_grid grid;
    CHECK(hb_grid_open(&grid, group, k) == HB_OK);
    hb_exchange *x = open_exchange(&grid, 600);
    CHECK(k == 1 || (strcmp(x->ops->name, "mpi") == 0 && x->one_thread));
    check_patterns(x, engine);
    check_in_place(x, engine);
    check_many(x, engine, 3 * HB_MPI_TRANSFERS + 1);
    check_long(x, engine);
    check_words(x);
    check_measure(x, engine);
    if (k > 1) { /* messages of a few words, as if blocks were larger than MPI can count */
        hb_mpi_exchange_of(x)->most_bytes = 1001;
        check_patterns(x, engine);
        check_many(x, engine, HB_MPI_TRANSFERS + 1);
        check_words(x);
    }
    CHECK(hb_agree(group, HB_OK) == HB_OK);
    hb_exchange_close(x);
    hb_grid_close(&grid);
}

/* With messages that are sent before a receive, and with messages that wait for one. After each failure a new exchange
 * of the same members finds nothing of the old one. */
static void test_failures(hb_engine *engine)
{
    hb_grid grid;
    CHECK(hb_grid_open(&grid, group, (uint32_t)group->size) == HB_OK);
    for (int kind = 0; kind < 6; kind++) {
        const double deadline = kind / 2 == 1 ? 1 : 600; /* short only where the test is about the deadline */
        hb_exchange *x = open_exchange(&grid, deadline);
        check_failure(x, engine, kind / 2, kind % 2 == 0 ? 1 : LONG, deadline);
        CHECK(kind / 2 != 1 || strstr(hb_last_error()->text, "no data from rank ") != NULL);
        hb_exchange_close(x);
        x = open_exchange(&grid, 600);
        check_patterns(x, engine);
        hb_exchange_close(x);
    }
    hb_grid_close(&grid);
}

static void be_killed(hb_engine *engine)
{
    hb_grid grid;
    CHECK(hb_grid_open(&grid, group, (uint32_t)group->size) == HB_OK);
    hb_exchange *x = open_exchange(&grid, 600);
    check_patterns(x, engine);
    moved m = {.block = BLOCK_WORDS};
    move_open(x, engine, &m, HB_ALL_GATHER, 0, 0);
    if (is_last()) {
        sleep_for(0.2);
        raise(SIGKILL);
    }
    CHECK(failure_of(x, &m) == HB_ECOMM && strstr(hb_last_error()->text, " is gone") != NULL);
    fprintf(stderr, "a rank has noticed\n");
    _exit(0); /* nothing collective works any more */
}

int main(int argc, char **argv)
{
    hb_ring ring;
    hb_engine *engine;
    uint16_t id;
    if (hb_group_open_mpi(&argc, &argv, &group) != HB_OK) {
        fprintf(stderr, "%s\n", hb_last_error()->text);
        return 1;
    }
    CHECK(argc >= 2 && atoi(argv[1]) == group->size);
    CHECK(hb_ring_init(&ring, 10) == HB_OK && hb_ring_add_modulus(&ring, 12289, &id) == HB_OK);
    CHECK(hb_cpu_engine_open(&ring, &engine) == HB_OK);
    if (argc == 3 && strcmp(argv[2], "killed") == 0) {
        be_killed(engine);
    }
    for (uint32_t k = 1; k <= (uint32_t)group->size; k++) {
        if ((uint32_t)group->size % k == 0) {
            test_transfers(engine, k);
        }
    }
    if (group->size > 1) {
        test_failures(engine);
    }
    hb_engine_close(engine);
    hb_group_close(group);
    return 0;
}
