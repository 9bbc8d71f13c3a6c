/* A rank that does not come to the start of NCCL: t_gpu_join RANKS. The others leave within the deadline with one
 * reason, and a later start of all succeeds. Skips by name. */
#include "cuda/engine/engine.h"
#include "mpi/exchange/nccl_private.h"
#include "ranks/exchange_failures.h"

enum { SKIPPED = 77, DEADLINE = 3 };

static void test_missing(const hb_grid *grid, hb_engine *engine)
{
    ncclUniqueId id;
    hb_nccl_exchange *x = calloc(1, sizeof *x);
    CHECK(x != NULL);
    hb_exchange_ranks_init(&x->base, NULL, grid, DEADLINE);
    CHECK(hb_nccl_meet(grid, engine, &x->device, &id) == HB_OK);
    hb_status st = HB_OK;
    if (is_last()) {
        sleep_for(DEADLINE + 2);
    } else {
        st = hb_nccl_join(x, id);
        CHECK(st == HB_ECOMM || st == HB_EPEER); /* whose patience ends first tells the others */
        const hb_error why = *hb_last_error();
        hb_nccl_end(x, true);
        CHECK(!x->stuck);
        hb_set_error(&why);
    }
    CHECK(hb_agree(group, st) == HB_ECOMM);
    CHECK(strstr(hb_last_error()->text, "the start of NCCL within 3 s (--comm-timeout)") != NULL);
    free(x);
}

static void test_all(void)
{
    hb_ring ring;
    hb_grid grid;
    hb_cuda_device device;
    hb_engine *engine;
    hb_exchange *x;
    uint16_t id;
    CHECK(hb_ring_init(&ring, 10) == HB_OK && hb_ring_add_modulus(&ring, 12289, &id) == HB_OK);
    CHECK(hb_cuda_device_get(group->node_rank, &device) == HB_OK);
    CHECK(hb_cuda_engine_open(&ring, &device, device.free / 8, &engine) == HB_OK);
    CHECK(hb_grid_open(&grid, group, (uint32_t)group->size) == HB_OK);
    test_missing(&grid, engine);
    CHECK(hb_exchange_open_nccl(&grid, engine, 60, NULL, &x) == HB_OK);
    check_patterns(x, engine);
    hb_exchange_close(x);
    hb_grid_close(&grid);
    hb_engine_close(engine);
}

int main(int argc, char **argv)
{
    int count = 0;
    if (hb_group_open_mpi(&argc, &argv, &group) != HB_OK) {
        fprintf(stderr, "%s\n", hb_last_error()->text);
        return 1;
    }
    CHECK(argc == 2 && atoi(argv[1]) == group->size && group->size > 1);
    uint64_t lacks = hb_cuda_device_count(&count) != HB_OK || count < group->node_size;
    CHECK(hb_group_max(group, &lacks, 1) == HB_OK);
    if (!lacks) {
        test_all();
    } else if (group->rank == 0) {
        printf("skipped: fewer GPUs than ranks\n");
    }
    hb_group_close(group);
    return lacks ? SKIPPED : 0;
}
