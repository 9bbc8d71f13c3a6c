/* How the members come together in a communicator of NCCL. */
#include <stdlib.h>
#include <string.h>

#include "nccl_private.h"

enum { UUID_WORDS = 2 };

hb_status hb_nccl_check(ncclResult_t result, const char *call, const char *file, int line)
{
    const char *advice = "see NCCL_DEBUG=WARN, or use --exchange mpi";
    hb_status code = HB_ECOMM;
    switch (result) {
    case ncclSuccess:
    case ncclInProgress:
        return HB_OK;
    case ncclUnhandledCudaError:
    case ncclInvalidArgument:
    case ncclInvalidUsage:
        code = HB_EUNAVAILABLE;
        break;
    /* Whatever else fails is taken for the network's or another rank's fault. */
    default:
        break;
    }
    return hb_fail(code, file, line, "NCCL: %.*s failed: %s; %s", (int)strcspn(call, "("), call,
                   ncclGetErrorString(result), advice);
}

hb_status hb_nccl_check_cuda(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess) {
        return HB_OK;
    }
    /* The runtime keeps it, and a later check of a launch would find it. */
    (void)cudaGetLastError();
    return hb_fail(error == cudaErrorMemoryAllocation ? HB_ENOMEM : HB_EUNAVAILABLE, file, line,
                   "the exchange between GPUs: %.*s failed: %s", (int)strcspn(call, "("), call,
                   cudaGetErrorString(error));
}

/* Finds the GPU of an engine, which does not tell: CUDA knows where memory of it is. */
static hb_status device_of(hb_engine *engine, int *device)
{
    void *memory;
    struct cudaPointerAttributes attributes;
    if (hb_engine_native(engine) == NULL) {
        return HB_FAIL(HB_EUNAVAILABLE, "NCCL moves memory of GPUs only: use --exchange mpi");
    }
    HB_TRY(hb_alloc(engine, sizeof(uint64_t), &memory));
    const hb_status st = HB_CUDART(cudaPointerGetAttributes(&attributes, memory));
    hb_free(engine, memory);
    HB_TRY(st);
    *device = attributes.device;
    return HB_CUDART(cudaSetDevice(*device));
}

/* Finds the GPU of an engine and its UUID. */
static hb_status find_device(hb_engine *engine, int *device, uint64_t uuid[UUID_WORDS])
{
    struct cudaDeviceProp properties;
    HB_TRY(device_of(engine, device));
    HB_TRY(HB_CUDART(cudaGetDeviceProperties(&properties, *device)));
    _Static_assert(sizeof properties.uuid == UUID_WORDS * sizeof *uuid, "a UUID has 16 bytes");
    memcpy(uuid, &properties.uuid, sizeof properties.uuid);
    return HB_OK;
}

/* Fails if two members have the same GPU: NCCL would refuse it in the middle of its own start, or hang. */
static hb_status check_apart(const hb_grid *grid, const uint64_t *uuids)
{
    const int first = grid->all->rank - grid->members->rank;
    for (int a = 0; a < grid->members->size; a++) {
        /* By UUID: the number of a GPU is each process's own. */
        for (int b = 0; b < a; b++) {
            if (memcmp(uuids + a * UUID_WORDS, uuids + b * UUID_WORDS, UUID_WORDS * sizeof *uuids) == 0) {
                return HB_FAIL(HB_EUNAVAILABLE,
                               "ranks %d and %d share a GPU, which NCCL does not allow: give each its own, or use "
                               "--exchange mpi",
                               first + b, first + a);
            }
        }
    }
    return HB_OK;
}

hb_status hb_nccl_meet(const hb_grid *grid, hb_engine *engine, int *device, ncclUniqueId *id)
{
    hb_group *members = grid->members;
    uint64_t uuids[HB_MOST_MEMBERS * UUID_WORDS] = {0};
    hb_status st = find_device(engine, device, uuids + members->rank * UUID_WORDS);
    HB_TRY(hb_agree(members, st));
    /* Each member has written its own words and zeros elsewhere: the sum is an all-gather. */
    st = hb_group_sum(members, uuids, (size_t)members->size * UUID_WORDS);
    HB_TRY(hb_agree(members, st == HB_OK ? check_apart(grid, uuids) : st));
    /* Every rank agrees at each step, so that all leave together, with the same reason. */
    HB_TRY(hb_agree(members, members->rank == 0 ? HB_NCCL(ncclGetUniqueId(id)) : HB_OK));
    return hb_agree(members, hb_group_broadcast(members, id, sizeof *id, 0)); /* nobody joins before all have it */
}

/* Makes the communicator in which members meet. Whoever does not come is missed here: the state of a communicator that
 * does not block can be looked at until the deadline. */
static hb_status meet_all(hb_nccl_exchange *x, ncclUniqueId id)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    const int members = (int)x->base.base.members, member = (int)x->base.base.member;
    HB_TRY(HB_NCCL(ncclCommInitRankConfig(&x->meeting, members, id, member, &config)));
    return hb_nccl_issued(x, x->meeting, "the start");
}

/* Splits the communicator for transfers from the first. A call in one that does not block costs the host a thread and
 * looks at its state, 40 to 180 microseconds; in one that blocks it costs 6. The state of the first tells when the
 * second is there, and its abort ends the start of the second too. */
static hb_status split(hb_nccl_exchange *x)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 1;
    HB_TRY(HB_NCCL(ncclCommSplit(x->meeting, 0, (int)x->base.base.member, &x->comm, &config)));
    HB_TRY(hb_nccl_issued(x, x->meeting, "the start"));
    HB_ASSERT(x->comm != NULL);
    return HB_OK;
}

hb_status hb_nccl_join(hb_nccl_exchange *x, ncclUniqueId id)
{
    HB_TRY(meet_all(x, id));
    HB_TRY(split(x));
    return hb_nccl_connect(x);
}
