/* Runs the kernels for words of one size: constants, data, the check, the time. */
#ifndef HB_BENCH_CRT_TIME_CUH
#define HB_BENCH_CRT_TIME_CUH

#include <memory>
#include <new>
#include <vector>

#include "cuda/ceilings/ceilings.cuh"
#include "crt_kernels.cuh"
#include "words.h"

/* Residues: 0, Q - 1 and 1 in the first three coefficients of each polynomial, any in the others. Without `reduced` any
 * words instead: 0, all ones, and 1 after zeros. */
template <typename Word, int WORDS>
static __global__ void __launch_bounds__(HB_CRT_THREADS)
    hb_crt_fill(Word *to, uint32_t rows, bool reduced, const __grid_constant__ hb_crt_table<Word, WORDS> t)
{
    const size_t j = hb_crt_coefficient(), in_polynomial = j & (((size_t)1 << t.log_n) - 1);
    if (j >= t.coefficients) {
        return;
    }
    Word *words = to + hb_crt_place(j, t.log_n, rows);
    for (uint32_t i = 0; i < rows; i++) {
        const Word most = reduced ? (Word)t.modulus[i].value - 1 : ~(Word)0;
        const Word special[] = {0, most, reduced || i == 0};
        words[(size_t)i << t.log_n] =
            in_polynomial < 3 ? special[in_polynomial] : (Word)hb_words_at(0, j * rows + i, (uint64_t)most + reduced);
    }
}

/* One method on one case: its tables and its data. */
template <typename Word, int WORDS> struct hb_crt_work {
    hb_crt_table<Word, WORDS> table;
    hb_crt_method method;
    hb_crt_base base;
    hb_probe_memory residues, numbers;

    hb_crt_work() : table(), base()
    {
    }
    ~hb_crt_work()
    {
        hb_crt_base_clear(&base);
    }
    bool splits() const
    {
        return method == HB_CRT_SPLIT_NATIVE || method == HB_CRT_SPLIT_BARRETT;
    }
    unsigned blocks() const
    {
        return (unsigned)((table.coefficients + HB_CRT_THREADS - 1) / HB_CRT_THREADS);
    }

    static Word word_of(const hb_natural &x, uint32_t w)
    {
        const uint32_t bit = w * hb_word_bits<Word>;
        return bit / 64 < x.words ? (Word)(x.word[bit / 64] >> bit % 64) : 0;
    }

    void fill_table(const hb_design_case *c)
    {
        hb_crt_constants k;
        hb_crt_constants_init(&k, method, &base, c);
        table.moduli = c->moduli;
        table.log_n = c->log_n;
        table.shift = k.shift;
        table.coefficients = c->count << c->log_n;
        for (uint32_t i = 0; i < c->moduli; i++) {
            table.modulus[i] = base.ring.moduli[i];
            table.factor[i] = (Word)k.factors[i];
            for (uint32_t w = 0; w < WORDS; w++) {
                table.row[i][w] = splits() ? (Word)k.rows[i].word[w] : word_of(k.rows[i], w);
            }
        }
        for (uint32_t w = 0; w < WORDS; w++) {
            table.divisor[w] = word_of(k.divisor, w);
        }
    }

    hb_status open(hb_crt_method wanted, const hb_design_case *c)
    {
        method = wanted;
        HB_TRY(hb_crt_base_init(&base, c, 0));
        fill_table(c);
        HB_TRY(residues.open(table.coefficients * c->moduli * sizeof(Word), false));
        HB_TRY(numbers.open(table.coefficients * WORDS * sizeof(Word), false));
        hb_crt_fill<Word, WORDS>
            <<<blocks(), HB_CRT_THREADS>>>(static_cast<Word *>((splits() ? numbers : residues).memory),
                                           splits() ? WORDS : c->moduli, !splits(), table);
        HB_CUDA_LAUNCHED();
        HB_CUDA(cudaDeviceSynchronize());
        return HB_OK;
    }

    hb_status launch(cudaStream_t stream) const
    {
        Word *const r = static_cast<Word *>(residues.memory), *const x = static_cast<Word *>(numbers.memory);
        const auto start = [&](auto kernel, Word *to, const Word *from) {
            kernel<<<blocks(), HB_CRT_THREADS, 0, stream>>>(to, from, table);
        };
        switch (method) {
        case HB_CRT_SPLIT_NATIVE:
            start(hb_crt_split<Word, WORDS, hb_crt_native>, r, x);
            break;
        case HB_CRT_SPLIT_BARRETT:
            start(hb_crt_split<Word, WORDS, hb_crt_barrett>, r, x);
            break;
        case HB_CRT_CLASSIC_DIVIDE:
            start(hb_crt_classic<Word, WORDS, hb_crt_native, true>, x, r);
            break;
        case HB_CRT_CLASSIC_SUBTRACT:
            start(hb_crt_classic<Word, WORDS, hb_crt_native, false>, x, r);
            break;
        case HB_CRT_GARNER_NATIVE:
            start(hb_crt_garner<Word, WORDS, hb_crt_native>, x, r);
            break;
        default:
            start(hb_crt_garner<Word, WORDS, hb_crt_barrett>, x, r);
        }
        HB_CUDA_LAUNCHED();
        return HB_OK;
    }

    static hb_status once(void *argument, void *stream)
    {
        return static_cast<const hb_crt_work *>(argument)->launch(static_cast<cudaStream_t>(stream));
    }

    hb_status check_polynomial(const hb_design_case *c, size_t polynomial)
    {
        const size_t n = (size_t)1 << c->log_n;
        std::vector<Word> r(n * c->moduli), x(n * WORDS);
        HB_CUDA(cudaMemcpy(r.data(), static_cast<Word *>(residues.memory) + polynomial * r.size(),
                           r.size() * sizeof(Word), cudaMemcpyDeviceToHost));
        HB_CUDA(cudaMemcpy(x.data(), static_cast<Word *>(numbers.memory) + polynomial * x.size(),
                           x.size() * sizeof(Word), cudaMemcpyDeviceToHost));
        return hb_crt_check(&base, c, r.data(), x.data(), !splits());
    }

    hb_status check(const hb_design_case *c)
    {
        HB_TRY(launch(NULL));
        HB_CUDA(cudaDeviceSynchronize());
        HB_TRY(check_polynomial(c, 0));
        return check_polynomial(c, c->count - 1);
    }
};

template <typename Word, int WORDS>
static hb_status hb_crt_time_words(hb_figure_run *run, hb_crt_method method, const hb_design_case *c, double *seconds)
{
    const std::unique_ptr<hb_crt_work<Word, WORDS>> work(new (std::nothrow) hb_crt_work<Word, WORDS>);
    if (work == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory on the host for the constants of %u primes", c->moduli);
    }
    HB_TRY(work->open(method, c));
    HB_TRY(work->check(c));
    return hb_figure_time(run, hb_crt_work<Word, WORDS>::once, work.get(), seconds);
}

/* Kernels are made for numbers of WORDS words, one of the list. */
template <typename Word, int... WORDS>
static hb_status hb_crt_time_among(hb_figure_run *run, hb_crt_method method, const hb_design_case *c, double *seconds)
{
    const int words = (int)hb_crt_words(c);
    hb_status st = HB_OK;
    const bool found =
        ((words == WORDS && (st = hb_crt_time_words<Word, WORDS>(run, method, c, seconds), true)) || ...);
    return found ? st : HB_FAIL(HB_EUNAVAILABLE, "CRT: there is no kernel for numbers of %d words", words);
}

#endif
