/* Rates of one operation with one prime: in registers, and from memory to memory. */
#ifndef HB_BENCH_REDUCE_TIME_CUH
#define HB_BENCH_REDUCE_TIME_CUH

#include "reduce_loops.cuh"

/* The operation with its prime, and its factors on the GPU. */
template <class O> struct hb_reduce_prime {
    uint64_t m;
    typename O::constants constants;
    hb_probe_memory factors;

    const typename O::twiddle *there() const
    {
        return static_cast<const typename O::twiddle *>(factors.memory);
    }

    hb_status open(uint64_t prime)
    {
        m = prime;
        constants = O::make_constants(m);
        std::vector<typename O::twiddle> host;
        for (uint64_t i = 0; i < HB_REDUCE_FACTORS; i++) {
            host.push_back(O::make_twiddle(hb_reduce_factor(i, m), constants));
        }
        HB_TRY(factors.open(host.size() * sizeof host[0], false));
        HB_CUDA(cudaMemcpy(factors.memory, host.data(), host.size() * sizeof host[0], cudaMemcpyHostToDevice));
        return HB_OK;
    }
};

/* The loop on all multiprocessors. */
template <class O, class Loop, class ExactLoop> struct hb_reduce_loops {
    static constexpr unsigned BLOCKS_PER_MULTIPROCESSOR = 32; /* several waves: the last one, not full, weighs little */
    static constexpr uint32_t PASSES = 512;

    hb_reduce_prime<O> prime;
    hb_probe_memory results;
    unsigned blocks;

    hb_status open(uint64_t m)
    {
        int device, multiprocessors;
        HB_TRY(prime.open(m));
        HB_CUDA(cudaGetDevice(&device));
        HB_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
        blocks = (unsigned)multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
        return results.open((size_t)HB_REDUCE_WORDS * threads() * sizeof(typename O::stored), false);
    }
    size_t threads() const
    {
        return (size_t)blocks * HB_REDUCE_THREADS;
    }
    typename O::stored *there() const
    {
        return static_cast<typename O::stored *>(results.memory);
    }

    hb_status launch(cudaStream_t stream) const
    {
        hb_reduce_loop<O, Loop>
            <<<blocks, HB_REDUCE_THREADS, 0, stream>>>(there(), prime.there(), prime.constants, prime.m, PASSES);
        HB_CUDA_LAUNCHED();
        return HB_OK;
    }
    static hb_status once(void *argument, void *stream)
    {
        return static_cast<const hb_reduce_loops *>(argument)->launch(static_cast<cudaStream_t>(stream));
    }

    /* One thread's words, by exact arithmetic. */
    hb_status check_thread(size_t thread, const std::vector<typename O::stored> &got) const
    {
        const hb_exact::constants c = hb_exact::make_constants(prime.m);
        hb_exact::twiddle w[HB_REDUCE_LEVELS];
        uint64_t want[HB_REDUCE_WORDS];
        for (int level = 0; level < HB_REDUCE_LEVELS; level++) {
            w[level] = hb_reduce_factor(thread + level, prime.m);
        }
        hb_reduce_run<hb_exact, ExactLoop>(want, thread, w, c, prime.m, PASSES);
        for (size_t k = 0; k < HB_REDUCE_WORDS; k++) {
            if (got[k * threads() + thread] != want[k]) {
                return HB_FAIL(HB_EINTERNAL, "thread %zu: word %zu differs from exact arithmetic", thread, k);
            }
        }
        return HB_OK;
    }

    hb_status check() const
    {
        static constexpr size_t SAMPLE = 64; /* threads from the first one on, and as many before the last one */
        std::vector<typename O::stored> got(HB_REDUCE_WORDS * threads());
        HB_TRY(launch(NULL));
        HB_CUDA(cudaMemcpy(got.data(), there(), got.size() * sizeof got[0], cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < SAMPLE; i++) {
            HB_TRY(check_thread(i, got));
            HB_TRY(check_thread(threads() - 1 - i, got));
        }
        return HB_OK;
    }
};

/* *rate: operations of the loop a second. */
template <class O, template <class> class Loop>
static hb_status hb_reduce_time_loop(hb_figure_run *run, uint64_t m, double *rate)
{
    hb_reduce_loops<O, Loop<O>, Loop<hb_exact>> work;
    double seconds;
    HB_TRY(work.open(m));
    HB_TRY(work.check());
    HB_TRY(hb_figure_time(run, work.once, &work, &seconds));
    *rate = Loop<O>::operations * work.PASSES * (double)work.threads() / seconds;
    return HB_OK;
}

/* The product of two arrays. */
template <class O> struct hb_reduce_arrays {
    static constexpr size_t WORDS = ((size_t)1 << 30) / sizeof(typename O::stored); /* 1 GiB */
    static constexpr unsigned BLOCKS = WORDS / HB_REDUCE_THREADS;
    static constexpr double BYTES = 2 * sizeof(typename O::stored) + sizeof(typename O::twiddle); /* a product */

    hb_reduce_prime<O> prime;
    hb_probe_memory r, a, b;

    typename O::stored *of(const hb_probe_memory &words) const
    {
        return static_cast<typename O::stored *>(words.memory);
    }
    hb_status open(uint64_t m)
    {
        HB_TRY(prime.open(m));
        HB_TRY(r.open(WORDS * sizeof(typename O::stored), false));
        HB_TRY(a.open(WORDS * sizeof(typename O::stored), false));
        HB_TRY(b.open(WORDS * sizeof(typename O::twiddle), false));
        hb_reduce_fill<O>
            <<<BLOCKS, HB_REDUCE_THREADS>>>(of(a), static_cast<typename O::twiddle *>(b.memory), prime.there(), m);
        HB_CUDA_LAUNCHED();
        HB_CUDA(cudaDeviceSynchronize());
        return HB_OK;
    }
    hb_status launch(cudaStream_t stream) const
    {
        hb_reduce_stream<O><<<BLOCKS / HB_REDUCE_STREAM, HB_REDUCE_THREADS, 0, stream>>>(
            of(r), of(a), static_cast<const typename O::twiddle *>(b.memory), prime.constants);
        HB_CUDA_LAUNCHED();
        return HB_OK;
    }
    static hb_status once(void *argument, void *stream)
    {
        return static_cast<const hb_reduce_arrays *>(argument)->launch(static_cast<cudaStream_t>(stream));
    }
    /* `count` words from `first` on. */
    hb_status check(size_t first, size_t count) const
    {
        std::vector<typename O::stored> got(count);
        HB_CUDA(cudaMemcpy(got.data(), of(r) + first, count * sizeof got[0], cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < count; i++) {
            const uint64_t x = hb_words_at(0, first + i, prime.m), w = hb_reduce_factor(first + i, prime.m);
            if (got[i] != (uint64_t)((hb_u128)x * w % prime.m)) {
                return HB_FAIL(HB_EINTERNAL, "product %zu differs from exact arithmetic", first + i);
            }
        }
        return HB_OK;
    }
};

/* *rate: products a second; *bytes: that one moves. */
template <class O> static hb_status hb_reduce_time_arrays(hb_figure_run *run, uint64_t m, double *rate, double *bytes)
{
    static constexpr size_t SAMPLE = (size_t)1 << 16;
    hb_reduce_arrays<O> work;
    double seconds;
    HB_TRY(work.open(m));
    HB_TRY(work.launch(NULL));
    HB_TRY(work.check(0, SAMPLE));
    HB_TRY(work.check(work.WORDS - SAMPLE, SAMPLE));
    HB_TRY(hb_figure_time(run, work.once, &work, &seconds));
    *rate = (double)work.WORDS / seconds;
    *bytes = work.BYTES;
    return HB_OK;
}

#endif
