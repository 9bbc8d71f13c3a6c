/* The choice of kernels for a batch. */
#include "ntt.h"

#include <algorithm>

#include "launch.h"
#include "ring/switch_arith.h"

static_assert(HB_NTT_PLAN_MIN_LOG_N == HB_NTT_MIN_LOG_N &&
                  HB_NTT_PLAN_MIN_LOG_N + HB_NTT_PLAN_SIZES - 1 == HB_NTT_MAX_LOG_N,
              "a plan has all sizes");

/* The launches, indexed by hb_ntt_structure. */
static hb_status (*const launches[HB_NTT_STRUCTURES])(const hb_ntt_launch *launch) = {
    hb_ntt_launch_single, hb_ntt_launch_cluster, hb_ntt_launch_two, hb_ntt_launch_dataflow};

/* Returns the log2 of the tiles of 2^12 words in a limb; 0 for limbs that are smaller. */
static uint32_t log_tiles_of(int log_n)
{
    return (uint32_t)std::max(log_n - HB_NTT_LOG_TILE, 0);
}

/* Returns the most jobs of one launch. A grid has up to 2^31 - 1 thread blocks, and tiles have 2^10 words or more, so
 * 2^28 full tiles are at most 2^30 blocks. The dataflow kernel has a counter for each job, and one more. */
static uint32_t most_jobs(hb_ntt_structure structure, int log_n)
{
    return structure == HB_NTT_STRUCTURE_DATAFLOW ? HB_CUDA_NTT_WORK - 1 : ((uint32_t)1 << 28) >> log_tiles_of(log_n);
}

/* Returns the jobs that lie between the two halves of a job. It is at least 1, so no thread block waits for blocks that
 * start after it. */
static uint32_t lead_of(const hb_ntt_candidate *kernel, const hb_cuda_device *device, int log_n)
{
    return ((uint32_t)device->multiprocessors * kernel->lead / 100 >> log_tiles_of(log_n)) + 1;
}

/* Moves the launch on by `count` polynomials, a multiple of the digits. */
static void advance(hb_ntt_launch *launch, size_t count)
{
    hb_ntt_args *args = &launch->args;
    args->data += count * args->stride;
    args->a.data += args->a.data != NULL ? count * args->a.stride : 0;
    if (!launch->forward) {
        return;
    }
    args->b.data += args->b.data != NULL ? count * args->b.stride : 0;
    args->to.data += args->to.data != NULL ? count * args->to.stride : 0;
    args->b_count -= (uint32_t)std::min<size_t>(args->b_count, count);
    for (hb_limb_address &place : args->forward.from) {
        place.data += place.data != NULL ? count / std::max(args->digits, 1u) * place.stride : 0;
    }
    args->by += args->by != NULL ? count * args->by_stride : 0;
}

/* Transforms `polynomials` polynomials for the limbs that `launch` has, in as few launches as the structure allows. */
static hb_status transform_limbs(hb_cuda_engine *e, size_t polynomials, hb_ntt_launch *launch)
{
    const hb_cuda_device *device = &e->gpu->device;
    const hb_ntt_kind kind = {(uint32_t)launch->log_n, launch->arithmetic, launch->forward};
    /* The plan goes by the number of jobs, which tells how full the GPU will be. */
    const auto choose = launch->args.quotient ? hb_ntt_choose_quotient : hb_ntt_choose;
    const hb_ntt_candidate *kernel =
        hb_ntt_candidate_of(choose(&e->gpu->ntt->plan, device, kind, polynomials * launch->args.limbs));
    const uint32_t digits = std::max(launch->args.digits, 1u);
    const uint32_t most = most_jobs(kernel->structure, launch->log_n);
    const size_t step = most / launch->args.limbs / digits * digits; /* jobs and limbs leave room for all digits */
    /* The candidate decides both the kernel and the tables that it reads. */
    launch->narrow = kernel->narrow;
    launch->args.lead = lead_of(kernel, device, launch->log_n);
    for (size_t c = 0; c < polynomials; c += step) {
        const size_t count = std::min(polynomials - c, step);
        if (c > 0) {
            advance(launch, step);
        }
        launch->args.jobs = (uint32_t)count * launch->args.limbs;
        HB_TRY(launches[kernel->structure](launch));
    }
    return HB_OK;
}

/* Adds limb l, or a digit in its place, to the launch if it is of the launch's arithmetic. The widest modulus of the
 * launch decides how much its kernel reduces. */
static void add_limb(hb_ntt_launch *launch, const hb_ntt_modulus *m, uint32_t l)
{
    HB_ASSERT(m->present);
    if (m->f64 != launch->f64) {
        return;
    }
    /* Narrow primes leave room for more lazy additions. */
    const hb_ntt_arithmetic needed =
        m->f64 ? (m->bits > 49 ? HB_NTT_F64_50 : HB_NTT_F64_49) : (m->bits > 59 ? HB_NTT_U64_61 : HB_NTT_U64_59);
    hb_ntt_args *args = &launch->args;
    launch->arithmetic = args->limbs > 0 && launch->arithmetic > needed ? launch->arithmetic : needed;
    /* The kernel finds limb i of the launch by its tables and its number in the batch. */
    args->table[args->limbs] = m->table;
    args->limb[args->limbs++] = (uint8_t)l;
}

/* Returns the largest modulus of a's limbs: all words of a are below it. */
static uint64_t largest_of(const hb_ring *ring, hb_batch a)
{
    uint64_t largest = 0;
    for (uint32_t l = 0; l < a.limbs; l++) {
        largest = std::max(largest, ring->moduli[a.ids[l]].value);
    }
    return largest;
}

namespace
{
/* The last step of a forward transform that makes quotients: to = b + (a - result) factors. */
struct quotient {
    hb_batch to, b, a;
    uint32_t element; /* of the automorphism that is applied; 1: none */
};

/* A request for a transform of r, whose words come from `from`, as hb_ntt_args has it. r may be `from`. */
struct request {
    hb_batch r, from;
    bool forward;
    uint32_t digits;
    hb_batch by;             /* factors of results; data NULL: none */
    const uint64_t *factors; /* inverse, and of a quotient: factors of limbs; NULL: ones */
    const struct quotient *quotient = NULL;
};
} /* namespace */

/* Returns the factors of sums and differences in the last level of an inverse transform: 1/N, and its twiddle divided
 * by N, each times the limb's factor. So scaling costs nothing beside the transform. */
static hb_ntt_pair last_of(const hb_ntt_modulus *m, const hb_modulus *q, uint64_t factor)
{
    hb_ntt_pair pair = {};
    for (int i = 0; i < 2; i++) {
        const uint64_t w = hb_mod_mul(m->last[i], factor, q);
        if (m->f64) {
            pair.f64[i] = hb_f64_balanced(w, q->value);
        } else {
            pair.u64[i] = {w, hb_shoup_quotient(w, q->value)};
        }
    }
    return pair;
}

/* Fills in the end of a transform that makes quotients. */
static void add_quotient(const hb_engine *engine, hb_ntt_launch *launch, const request &q)
{
    hb_ntt_args *args = &launch->args;
    const quotient &k = *q.quotient;
    args->quotient = true;
    args->to = {k.to.data, k.to.stride};
    args->a = {k.a.data, k.a.stride};
    args->b = {k.b.data, k.b.stride};
    args->element = k.element;
    args->inverse = hb_galois_inverse(k.element, engine->ring->n);
    args->b_count = k.b.data != NULL ? (uint32_t)k.b.count : 0;
    for (uint32_t i = 0; i < args->limbs; i++) {
        const uint32_t l = args->limb[i];
        const hb_modulus *m = &engine->ring->moduli[q.r.ids[l]];
        if (launch->f64) {
            args->forward.factor[i].f64 = hb_f64_balanced(q.factors[l], m->value);
        } else {
            args->forward.factor[i].u64 = {q.factors[l], hb_shoup_quotient(q.factors[l], m->value)};
        }
    }
}

/* Fills in the sources and results of the launch's limbs: sources and products forward, last factors inverse. */
static void add_operands(hb_engine *engine, hb_ntt_launch *launch, const request &q)
{
    hb_ntt_args *args = &launch->args;
    args->digits = q.digits;
    args->wide = q.digits > 0 && largest_of(engine->ring, q.from) >> 51 != 0;
    args->by = q.by.data;
    args->by_stride = q.by.count == 1 ? 0 : q.by.stride;
    if (!q.forward) {
        args->a = {q.from.data, q.from.stride};
    } else if (q.quotient != NULL) {
        add_quotient(engine, launch, q);
    }
    for (uint32_t i = 0; q.forward && i < (q.digits > 0 ? q.digits : args->limbs); i++) {
        args->forward.from[i] = hb_batch_limb_address(engine, q.from, q.digits > 0 ? i : args->limb[i]);
    }
    for (uint32_t i = 0; !q.forward && i < args->limbs; i++) {
        const uint32_t l = args->limb[i];
        args->last[i] = last_of(&hb_cuda(engine)->gpu->ntt->moduli[q.r.ids[l]], &engine->ring->moduli[q.r.ids[l]],
                                q.factors != NULL ? q.factors[l] : 1);
    }
}

/* Returns a launch for some limbs of r, which are to be added. */
static hb_ntt_launch launch_of(const hb_cuda_engine *e, bool f64, bool forward, hb_batch r)
{
    hb_ntt_launch launch = {};
    launch.log_n = (int)e->base.ring->log_n;
    launch.f64 = f64;
    launch.forward = forward;
    launch.sm90 = e->gpu->device.sm90;
    launch.stream = e->stream;
    launch.args.data = r.data;
    launch.args.stride = r.stride;
    launch.args.tables = e->gpu->ntt->tables;
    launch.args.work = e->ntt_work;
    return launch;
}

/* Issues a request: a launch, or several, for the limbs of each arithmetic. */
static hb_status transform(hb_engine *engine, const request &q)
{
    hb_cuda_engine *e = hb_cuda(engine);
    const hb_cuda_ntt *ntt = e->gpu->ntt;
    HB_ASSERT(q.r.limbs <= HB_MAX_LIMBS);
    if (q.r.count == 0) {
        return HB_OK;
    }
    /* Limbs of the two arithmetics need different kernels: up to two launches make one transform. */
    for (const bool f64 : {true, false}) {
        hb_ntt_launch launch = launch_of(e, f64, q.forward, q.r);
        for (uint32_t l = 0; l < q.r.limbs; l++) {
            add_limb(&launch, &ntt->moduli[q.r.ids[l]], l);
        }
        add_operands(engine, &launch, q);
        /* add_limb has left out the limbs of the other arithmetic, perhaps all. */
        if (launch.args.limbs > 0) {
            HB_TRY(transform_limbs(e, q.r.count, &launch));
        }
    }
    return HB_OK;
}

static hb_status ntt(hb_engine *engine, hb_batch x)
{
    return transform(engine, {x, x, true, 0, {}, NULL});
}

static hb_status intt(hb_engine *engine, hb_batch x, const uint64_t *factors)
{
    return transform(engine, {x, x, false, 0, {}, factors});
}

static hb_status ntt_of(hb_engine *engine, hb_batch r, hb_batch a)
{
    return transform(engine, {r, a, true, 0, {}, NULL});
}

static hb_status ntt_mul(hb_engine *engine, hb_batch r, hb_batch a, hb_batch b)
{
    return transform(engine, {r, a, true, 0, b, NULL});
}

/* Returns true if every modulus of r can reduce the digits of `a` where the transform reads them. FP64 does with any
 * word (of_wide_digit); integers do with words below 8 times their modulus, which is the least that the arithmetic
 * allows. */
static bool reducible(const hb_cuda_ntt *ntt, const hb_ring *ring, hb_batch r, hb_batch a)
{
    const uint64_t largest = largest_of(ring, a);
    for (uint32_t l = 0; l < r.limbs; l++) {
        if (!ntt->moduli[r.ids[l]].f64 && largest / 8 >= ring->moduli[r.ids[l]].value) {
            return false;
        }
    }
    return true;
}

static hb_status ntt_decompose(hb_engine *engine, hb_batch r, hb_batch a)
{
    if (reducible(hb_cuda(engine)->gpu->ntt, engine->ring, r, a)) {
        return transform(engine, {r, a, true, a.limbs, {}, NULL});
    }
    /* Otherwise digits are reduced by a kernel of their own, at the cost of one more trip through memory. */
    HB_TRY(hb_decompose(engine, r, a));
    return ntt(engine, r);
}

static hb_status intt_of(hb_engine *engine, hb_batch r, hb_batch a, const uint64_t *factors)
{
    return transform(engine, {r, a, false, 0, {}, factors});
}

static hb_status ntt_quotient(hb_engine *engine, hb_batch r, hb_batch b, hb_batch a, hb_batch x,
                              const uint64_t *factors, uint32_t element)
{
    const quotient end = {r, b, a, element};
    return transform(engine, {x, x, true, 0, {}, factors, &end});
}

/* Takes `group` polynomials as one with the limbs of all of them, as far as a launch has room for them. */
static hb_status ntt_except(hb_engine *engine, hb_batch x, uint32_t group, const hb_limb_range *done)
{
    hb_cuda_engine *e = hb_cuda(engine);
    const uint32_t rows = (uint32_t)(x.stride >> engine->ring->log_n);
    const uint32_t most = std::min(group, (uint32_t)HB_NTT_MAX_ROWS / std::max(rows, 1u));
    /* Only whole rows can be counted; other strides, and one polynomial that is too large, take a launch each. */
    const bool whole = (size_t)rows << engine->ring->log_n == x.stride && most > 0;
    for (uint32_t first = 0; first < group; first += whole ? most : 1) {
        const uint32_t together = whole ? std::min(group - first, most) : 1;
        hb_batch r = x;
        r.data += first * x.stride;
        r.stride = group * x.stride;
        for (const bool f64 : {true, false}) {
            hb_ntt_launch launch = launch_of(e, f64, true, r);
            launch.args.in_place = true;
            for (uint32_t j = 0; j < together; j++) {
                const hb_limb_range skip = done[first + j];
                for (uint32_t l = 0; l < x.limbs; l++) {
                    if (l < skip.first || l >= skip.first + skip.limbs) {
                        add_limb(&launch, &e->gpu->ntt->moduli[x.ids[l]], j * rows + l);
                    }
                }
            }
            if (launch.args.limbs > 0 && x.count > 0) {
                HB_TRY(transform_limbs(e, x.count / group, &launch));
            }
        }
    }
    return HB_OK;
}

static constexpr hb_ntt_ops make_ops()
{
    hb_ntt_ops ops = {};
    ops.ntt = hb_on_gpu<ntt>::call;
    ops.intt = hb_on_gpu<intt>::call;
    ops.ntt_of = hb_on_gpu<ntt_of>::call;
    ops.ntt_mul = hb_on_gpu<ntt_mul>::call;
    ops.ntt_decompose = hb_on_gpu<ntt_decompose>::call;
    ops.intt_of = hb_on_gpu<intt_of>::call;
    ops.ntt_quotient = hb_on_gpu<ntt_quotient>::call;
    ops.ntt_except = hb_on_gpu<ntt_except>::call;
    return ops;
}

constexpr hb_ntt_ops hb_cuda_ntt_ops = make_ops();
