/* The choice of kernels for a batch. */
#include "ntt.h"

#include <algorithm>

#include "ntt_launch.h"

/* True if the program has code for compute capability 9.0 (ntt_sm90.cuh): what a newer GPU compiles from older code has
 * neither clusters nor early launches. */
static constexpr bool has_sm90_code()
{
    for (const int architecture : {__CUDA_ARCH_LIST__}) {
        if (architecture >= 900) {
            return true;
        }
    }
    return false;
}

/* A structure, and the most jobs that a launch of it takes. */
struct hb_ntt_plan {
    hb_status (*launch)(const hb_ntt_launch *launch);
    uint32_t jobs;
    uint32_t lead;
};

/* Two launches while the batch stays in the second-level cache: they have the smallest tiles, so the most
 * multiprocessors at work. The one-launch kernel wants little between the halves of a job, but more than blocks get out
 * of step: three thread blocks for four multiprocessors. */
static hb_ntt_plan plan_of(const hb_cuda_device *device, bool sm90, uint32_t log_n, size_t jobs)
{
    if (log_n <= HB_NTT_LOG_TILE) {
        return {hb_ntt_launch_single, (uint32_t)1 << 30, 0};
    }
    const uint32_t log_tiles = log_n - HB_NTT_LOG_TILE;
    const uint32_t most = ((uint32_t)1 << 28) >> log_tiles;
    const bool cached = jobs << (log_n + 3) <= device->l2 / 2;
    if (log_n <= HB_NTT_MAX_CLUSTER_LOG_N) {
        return {cached || !sm90 ? hb_ntt_launch_two : hb_ntt_launch_cluster, most, 0};
    }
    if (cached) {
        return {hb_ntt_launch_two, most, 0};
    }
    return {hb_ntt_launch_dataflow, HB_CUDA_NTT_WORK - 1, ((uint32_t)device->multiprocessors * 3 / 4 >> log_tiles) + 1};
}

/* Goes `count` polynomials on, a multiple of the digits. */
static void advance(hb_ntt_args *args, size_t count)
{
    args->data += count * args->stride;
    for (hb_limb_place &place : args->from) {
        place.data += count / std::max(args->digits, 1u) * place.stride;
    }
}

/* All polynomials of the batch, `launch` having the limbs. */
static hb_status transform_limbs(hb_cuda_engine *e, hb_batch x, hb_ntt_launch *launch)
{
    const hb_ntt_plan plan =
        plan_of(&e->gpu->device, launch->sm90, (uint32_t)launch->log_n, x.count * launch->args.limbs);
    const uint32_t digits = std::max(launch->args.digits, 1u);
    const size_t step = plan.jobs / launch->args.limbs / digits * digits; /* jobs and limbs leave room for all digits */
    launch->args.lead = plan.lead;
    for (size_t c = 0; c < x.count; c += step) {
        const size_t count = std::min(x.count - c, step);
        if (c > 0) {
            advance(&launch->args, step);
        }
        launch->args.jobs = (uint32_t)count * launch->args.limbs;
        HB_TRY(plan.launch(launch));
    }
    return HB_OK;
}

/* Adds limb l to the launch if it is of its arithmetic; the widest modulus decides how much is reduced. */
static void add_limb(hb_ntt_launch *launch, const hb_ntt_modulus *m, uint32_t l)
{
    HB_ASSERT(m->present);
    if (m->f64 != launch->f64) {
        return;
    }
    const hb_ntt_arithmetic needed =
        m->f64 ? (m->bits > 49 ? HB_NTT_F64_50 : HB_NTT_F64_49) : (m->bits > 59 ? HB_NTT_U64_61 : HB_NTT_U64_59);
    hb_ntt_args *args = &launch->args;
    launch->arithmetic = args->limbs > 0 && launch->arithmetic > needed ? launch->arithmetic : needed;
    args->table[args->limbs] = m->table;
    args->limb[args->limbs++] = (uint8_t)l;
}

/* r: where results go; from: where words come from, as hb_ntt_args has it. */
static hb_status transform(hb_engine *engine, hb_batch r, hb_batch from, uint32_t digits, bool forward)
{
    hb_cuda_engine *e = hb_cuda(engine);
    const hb_cuda_ntt *ntt = e->gpu->ntt;
    HB_ASSERT(r.limbs <= HB_MAX_LIMBS);
    if (r.count == 0) {
        return HB_OK;
    }
    for (const bool f64 : {true, false}) {
        hb_ntt_launch launch = {};
        launch.log_n = (int)engine->ring->log_n;
        launch.f64 = f64;
        launch.forward = forward;
        launch.sm90 = has_sm90_code() && e->gpu->device.major >= 9;
        launch.stream = e->stream;
        launch.args.data = r.data;
        launch.args.stride = r.stride;
        launch.args.digits = digits;
        launch.args.tables = ntt->tables;
        launch.args.work = e->ntt_work;
        for (uint32_t l = 0; l < r.limbs; l++) {
            add_limb(&launch, &ntt->moduli[r.ids[l]], l);
        }
        for (uint32_t i = 0; i < (digits > 0 ? digits : launch.args.limbs); i++) {
            launch.args.from[i] = hb_batch_place(engine, from, digits > 0 ? i : launch.args.limb[i]);
        }
        if (launch.args.limbs > 0) {
            HB_TRY(transform_limbs(e, r, &launch));
        }
    }
    return HB_OK;
}

hb_status hb_cuda_ntt_forward(hb_engine *engine, hb_batch x)
{
    return transform(engine, x, x, 0, true);
}

hb_status hb_cuda_ntt_inverse(hb_engine *engine, hb_batch x)
{
    return transform(engine, x, x, 0, false);
}

hb_status hb_cuda_ntt_of(hb_engine *engine, hb_batch r, hb_batch a)
{
    return transform(engine, r, a, 0, true);
}

/* True if every modulus of r can reduce the digits of a where the transform reads them (of_digit). */
static bool reducible(const hb_cuda_ntt *ntt, const hb_ring *ring, hb_batch r, hb_batch a)
{
    uint64_t largest = 0;
    for (uint32_t l = 0; l < a.limbs; l++) {
        const uint64_t q = ring->moduli[a.ids[l]].value;
        largest = q > largest ? q : largest;
    }
    for (uint32_t l = 0; l < r.limbs; l++) {
        if (ntt->moduli[r.ids[l]].f64 ? largest >> 51 != 0 : largest / 8 >= ring->moduli[r.ids[l]].value) {
            return false;
        }
    }
    return true;
}

hb_status hb_cuda_ntt_spread(hb_engine *engine, hb_batch r, hb_batch a)
{
    if (reducible(hb_cuda(engine)->gpu->ntt, engine->ring, r, a)) {
        return transform(engine, r, a, a.limbs, true);
    }
    HB_TRY(hb_cuda_spread(engine, r, a));
    return hb_cuda_ntt_forward(engine, r);
}
