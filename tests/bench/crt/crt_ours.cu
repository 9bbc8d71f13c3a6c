/* The product's own conversions of residues, on its engine, compared with its CPU engine. */
#include <memory>
#include <new>

#include "cuda/device/cuda_private.h"

extern "C" {
#include "cuda/engine/engine.h"
#include "cpu/engine.h"
#include "crt.h"
#include "gpu_words.h"
}
#include "words.h"

/* The engine's own stream takes its turn in the one that is timed by events. */
struct our_work {
    hb_crt_method method;
    hb_crt_base base;
    hb_engine *gpu, *cpu;
    hb_batch residues, result;
    hb_base_conversion conversion;
    cudaEvent_t before, after;

    ~our_work()
    {
        for (const cudaEvent_t event : {before, after}) {
            if (event != nullptr) {
                (void)cudaEventDestroy(event);
            }
        }
        if (gpu != nullptr) {
            hb_batch_free(gpu, &residues);
            hb_batch_free(gpu, &result);
        }
        hb_engine_close(gpu);
        hb_engine_close(cpu);
        hb_base_conversion_clear(&conversion);
        hb_crt_base_clear(&base);
    }

    const uint16_t *result_ids() const
    {
        return method == HB_CRT_OUR_DIGITS ? base.ids : base.ids + base.basis.limbs;
    }
    uint32_t result_limbs() const
    {
        return base.basis.limbs + (method == HB_CRT_OUR_DIGITS ? 0 : HB_CRT_TARGETS);
    }

    hb_status apply(hb_engine *e, hb_batch r, hb_batch a) const
    {
        return method == HB_CRT_OUR_DIGITS ? hb_garner_digits(e, r, a, &base.garner)
                                           : hb_base_convert(e, r, a, &conversion);
    }
};

/* r <- (t r - [t x]_Q) / Q, but for the overflow of [t x]_Q: divided by Q, qhat_i is 1 / q_i (semantics.md 6.2, steps 3
 * and 4). t is the paper's. */
static hb_status init_floor(hb_base_conversion *k, const hb_crt_base *base, const uint16_t *to_ids, uint32_t to_limbs)
{
    const hb_basis *q = &base->basis;
    const uint64_t t = 2;
    HB_TRY(hb_base_conversion_alloc(k, q->ids, q->limbs, to_ids, to_limbs, true, false));
    for (uint32_t i = 0; i < q->limbs; i++) {
        k->scale[i] = hb_mod_mul(t, q->inverse_punctured[i], &base->ring.moduli[q->ids[i]]);
    }
    for (uint32_t o = 0; o < to_limbs; o++) {
        const hb_modulus *p = &base->ring.moduli[to_ids[o]];
        k->keep[o] = hb_mod_mul(t, hb_mod_inverse(hb_natural_mod(&q->product, p), p), p);
        for (uint32_t i = 0; i < q->limbs; i++) {
            const uint64_t prime = hb_mod_reduce(base->ring.moduli[q->ids[i]].value, p);
            k->matrix[(size_t)o * q->limbs + i] = hb_mod_negate(hb_mod_inverse(prime, p), p);
        }
    }
    return HB_OK;
}

/* Words of the frame, in every limb of a batch. */
static hb_status fill(const our_work *work, hb_batch a, const hb_design_case *c, uint64_t operand)
{
    uint64_t primes[HB_MAX_LIMBS];
    hb_design_case of_batch = *c;
    for (uint32_t l = 0; l < a.limbs; l++) {
        primes[l] = work->base.ring.moduli[a.ids[l]].value;
    }
    of_batch.primes = primes;
    of_batch.moduli = a.limbs;
    HB_TRY(hb_gpu_fill(a.data, sizeof(uint64_t), &of_batch, operand, nullptr));
    HB_CUDA(cudaDeviceSynchronize());
    return HB_OK;
}

static hb_status open(our_work *work, hb_crt_method method, const hb_design_case *c)
{
    int index;
    hb_cuda_device card;
    work->method = method;
    HB_TRY(hb_crt_base_init(&work->base, c, c->moduli + HB_CRT_TARGETS));
    const uint16_t *const to = work->base.ids + c->moduli;
    if (method == HB_CRT_OUR_CONVERSION) {
        HB_TRY(hb_base_conversion_init(&work->conversion, &work->base.basis, nullptr, to, work->result_limbs()));
    } else if (method == HB_CRT_OUR_FLOOR) {
        HB_TRY(init_floor(&work->conversion, &work->base, to, work->result_limbs()));
    }
    HB_CUDA(cudaGetDevice(&index));
    HB_TRY(hb_cuda_device_get(index, &card));
    HB_TRY(hb_cuda_engine_open(&work->base.ring, &card, card.free / 2, &work->gpu));
    HB_TRY(hb_cpu_engine_open(&work->base.ring, &work->cpu));
    HB_CUDA(cudaEventCreateWithFlags(&work->before, cudaEventDisableTiming));
    HB_CUDA(cudaEventCreateWithFlags(&work->after, cudaEventDisableTiming));
    HB_TRY(hb_batch_alloc(work->gpu, &work->residues, c->count, c->moduli, work->base.ids));
    HB_TRY(hb_batch_alloc(work->gpu, &work->result, c->count, work->result_limbs(), work->result_ids()));
    HB_TRY(fill(work, work->residues, c, 0));
    return fill(work, work->result, c, HB_WORDS_OPERAND);
}

/* Words of polynomial `which` to or from memory of the CPU engine. */
static hb_status fetch(our_work *work, hb_batch to, hb_batch a, size_t which)
{
    HB_TRY(hb_download(work->gpu, to.data, hb_batch_slice(a, which, 1).data,
                       (a.limbs << work->base.ring.log_n) * sizeof(uint64_t)));
    return hb_finish(work->gpu);
}

/* One call, of which one polynomial is compared. */
static hb_status compare(our_work *work, size_t which, hb_batch a, hb_batch want, hb_batch got)
{
    HB_TRY(fetch(work, a, work->residues, which));
    HB_TRY(fetch(work, want, work->result, which));
    HB_TRY(work->apply(work->cpu, want, a));
    HB_TRY(work->apply(work->gpu, work->result, work->residues));
    HB_TRY(fetch(work, got, work->result, which));
    const size_t words = (size_t)got.limbs << work->base.ring.log_n;
    if (memcmp(want.data, got.data, words * sizeof(uint64_t)) != 0) {
        return HB_FAIL(HB_EINTERNAL, "%s differs from the CPU engine", hb_crt_name(work->method));
    }
    return HB_OK;
}

static hb_status check(our_work *work)
{
    hb_batch a = {}, want = {}, got = {};
    hb_status st;
    HB_GOTO(hb_batch_alloc(work->cpu, &a, 1, work->residues.limbs, work->residues.ids));
    HB_GOTO(hb_batch_alloc(work->cpu, &want, 1, work->result.limbs, work->result.ids));
    HB_GOTO(hb_batch_alloc(work->cpu, &got, 1, work->result.limbs, work->result.ids));
    HB_GOTO(compare(work, 0, a, want, got));
    HB_GOTO(compare(work, work->residues.count - 1, a, want, got));
done:
    hb_batch_free(work->cpu, &a);
    hb_batch_free(work->cpu, &want);
    hb_batch_free(work->cpu, &got);
    return st;
}

static hb_status once(void *argument, void *stream)
{
    const our_work *work = static_cast<const our_work *>(argument);
    const cudaStream_t given = static_cast<cudaStream_t>(stream);
    const cudaStream_t own = static_cast<cudaStream_t>(hb_engine_native(work->gpu));
    HB_CUDA(cudaEventRecord(work->before, given));
    HB_CUDA(cudaStreamWaitEvent(own, work->before));
    HB_TRY(work->apply(work->gpu, work->result, work->residues));
    HB_CUDA(cudaEventRecord(work->after, own));
    HB_CUDA(cudaStreamWaitEvent(given, work->after));
    return HB_OK;
}

hb_status hb_crt_time_ours(hb_figure_run *run, hb_crt_method method, const hb_design_case *c, double *seconds)
{
    const std::unique_ptr<our_work> work(new (std::nothrow) our_work());
    if (work == nullptr) {
        return HB_FAIL(HB_ENOMEM, "no memory on the host for an engine");
    }
    HB_TRY(open(work.get(), method, c));
    HB_TRY(check(work.get()));
    return hb_figure_time(run, once, work.get(), seconds);
}
