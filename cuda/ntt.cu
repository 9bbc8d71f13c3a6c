/* The choice of kernels for a batch. */
#include "ntt.h"

#include "ntt_launch.h"

/* A structure, and the most jobs that a launch of it takes. */
struct hb_ntt_plan {
    hb_status (*launch)(const hb_ntt_launch *launch);
    uint32_t jobs;
    uint32_t lead;
};

/* Two launches where the GPU is not filled: they have the smallest tiles, so the most multiprocessors at work. The one-launch
 * kernel keeps `lead` jobs in the second-level cache between their halves. */
static hb_ntt_plan plan_of(const hb_cuda_device *device, uint32_t log_n, size_t jobs)
{
    if (log_n <= HB_NTT_LOG_TILE) {
        return {hb_ntt_launch_single, (uint32_t)1 << 30, 0};
    }
    const uint32_t log_tiles = log_n - HB_NTT_LOG_TILE;
    const hb_ntt_plan two = {hb_ntt_launch_two, ((uint32_t)1 << 28) >> log_tiles, 0};
    const size_t tiles = jobs << log_tiles, multiprocessors = (size_t)device->multiprocessors;
    if (log_n <= HB_NTT_MAX_CLUSTER_LOG_N) {
        const hb_ntt_plan cluster = {hb_ntt_launch_cluster, two.jobs, 0};
        return device->major >= 9 && tiles > multiprocessors ? cluster : two;
    }
    const uint32_t lead = (uint32_t)(device->l2 / 5 >> (log_n + 3)) + 1;
    const hb_ntt_plan dataflow = {hb_ntt_launch_dataflow, HB_CUDA_NTT_WORK - 1, lead};
    return tiles > 16 * multiprocessors ? dataflow : two;
}

/* All polynomials of the batch, `launch` having the limbs. */
static hb_status transform_limbs(hb_cuda_engine *e, hb_batch x, hb_ntt_launch *launch)
{
    const hb_ntt_plan plan = plan_of(&e->gpu->device, (uint32_t)launch->log_n, x.count * launch->args.limbs);
    const size_t step = plan.jobs / launch->args.limbs;
    launch->args.lead = plan.lead;
    for (size_t c = 0; c < x.count; c += step) {
        const size_t count = x.count - c < step ? x.count - c : step;
        launch->args.data = x.data + c * x.stride;
        launch->args.jobs = (uint32_t)count * launch->args.limbs;
        HB_TRY(plan.launch(launch));
    }
    return HB_OK;
}

/* Adds limb l to the launch if it is of its arithmetic; the widest modulus decides how much is reduced. */
static void add_limb(hb_ntt_launch *launch, const hb_ntt_modulus *m, uint32_t l, bool f64)
{
    HB_ASSERT(m->present);
    if (m->f64 != f64) {
        return;
    }
    const hb_ntt_arithmetic needed = f64 ? (m->bits > 49 ? HB_NTT_F64_50 : HB_NTT_F64_49)
                                         : (m->bits > 59 ? HB_NTT_U64_61 : HB_NTT_U64_59);
    hb_ntt_args *args = &launch->args;
    launch->arithmetic = args->limbs > 0 && launch->arithmetic > needed ? launch->arithmetic : needed;
    args->table[args->limbs] = m->table;
    args->limb[args->limbs++] = (uint8_t)l;
}

hb_status hb_cuda_transform(hb_engine *engine, hb_batch x, bool forward)
{
    hb_cuda_engine *e = hb_cuda(engine);
    const hb_cuda_ntt *ntt = e->gpu->ntt;
    HB_ASSERT(x.limbs <= HB_MAX_LIMBS);
    for (const bool f64 : {true, false}) {
        hb_ntt_launch launch = {};
        launch.log_n = (int)engine->ring->log_n;
        launch.forward = forward;
        launch.sm90 = e->gpu->device.major >= 9;
        launch.stream = e->stream;
        launch.args.stride = x.stride;
        launch.args.tables = ntt->tables;
        launch.args.work = e->ntt_work;
        for (uint32_t l = 0; l < x.limbs; l++) {
            add_limb(&launch, &ntt->moduli[x.ids[l]], l, f64);
        }
        if (launch.args.limbs > 0) {
            HB_TRY(transform_limbs(e, x, &launch));
        }
    }
    return HB_OK;
}
