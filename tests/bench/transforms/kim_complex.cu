/* The complex transform beside which Kim et al. set theirs (figures 3 b, 5, 11 b): the same kernels over complex
 * numbers in single precision, all transforms with one table of roots, results in bit-reversed order. While it is
 * timed, over and over on the same data, the numbers grow until they overflow: FP32 is as fast then. */
#include <complex>
#include <math.h>
#include <memory>
#include <new>
#include <vector>

#include "kim_two_kernels.cuh"
#include "kim_work.cuh"

extern "C" {
#include "base/bits.h"
#include "gpu_words.h"
}
#include "words.h"

namespace
{
using arithmetic = hb_kim_complex;
constexpr int MOST_LOG_RADIX = 7, MOST_LOG_POINTS = 3;

struct complex_work final : hb_kim_work {
    hb_kim_view<arithmetic> view = {};
    hb_kim_launch<arithmetic> columns = {}, rows = {};
    int log_radix = 0; /* 0: two kernels */
    void *data = nullptr, *table = nullptr, *constants = nullptr;

    hb_status issue(cudaStream_t stream) override
    {
        if (log_radix > 0) {
            return hb_kim_register_launch<arithmetic, MOST_LOG_RADIX>(view, log_radix, stream);
        }
        HB_TRY(hb_kim_start(columns, view, stream));
        return hb_kim_start(rows, view, stream);
    }
    ~complex_work() override
    {
        hb_gpu_free(data);
        hb_gpu_free(table);
        hb_gpu_free(constants);
    }
};

hb_status prepare(complex_work *w, int log_columns, int log_points)
{
    const int log_n = w->view.log_n;
    if (log_columns == 0) {
        w->log_radix = log_points;
        return HB_OK;
    }
    const uint32_t table_bytes = (uint32_t)sizeof(float2) << log_columns;
    HB_TRY(hb_kim_prepare<arithmetic>(hb_kim_columns_kernel<arithmetic, MOST_LOG_POINTS, true>(log_points), log_n,
                                      hb_kim_cut_of(log_n, log_columns, log_points, 2), log_points, table_bytes,
                                      &w->columns));
    return hb_kim_prepare<arithmetic>(hb_kim_rows_kernel<arithmetic, MOST_LOG_POINTS, 0>(log_points, 0), log_n,
                                      hb_kim_cut_of(log_n, log_n - log_columns, log_points, 0), log_points, 0,
                                      &w->rows);
}

/* exp(-2 pi i brev(g) / n), g < n / 2, and numbers in [-1/2, 1/2). */
hb_status upload(complex_work *w)
{
    const uint32_t log_n = (uint32_t)w->view.log_n;
    const size_t n = (size_t)1 << log_n;
    std::vector<float2> table(n / 2), data(w->view.limbs * n);
    for (uint32_t g = 0; g < n / 2; g++) {
        const double angle = -2 * M_PI * (double)hb_bit_reverse(g, log_n - 1) / (double)n;
        table[g] = {(float)cos(angle), (float)sin(angle)};
    }
    const uint64_t most = (uint64_t)1 << 24;
    for (size_t i = 0; i < data.size(); i++) {
        data[i] = {(float)hb_words_at(0, 2 * i, most) / (float)most - 0.5f,
                   (float)hb_words_at(0, 2 * i + 1, most) / (float)most - 0.5f};
    }
    const arithmetic::constants none = {};
    HB_TRY(hb_table_upload(table.data(), table.size() * sizeof(float2), &w->table));
    HB_TRY(hb_table_upload(&none, sizeof none, &w->constants));
    HB_TRY(hb_table_upload(data.data(), data.size() * sizeof(float2), &w->data));
    w->view.data = static_cast<float2 *>(w->data);
    w->view.table = static_cast<const float2 *>(w->table);
    w->view.constants = static_cast<const arithmetic::constants *>(w->constants);
    return HB_OK;
}

/* sum of x_j exp(-2 pi i j k / n) */
std::complex<double> by_definition(const std::vector<float2> &x, uint64_t k)
{
    std::complex<double> sum = 0;
    for (uint64_t j = 0; j < x.size(); j++) {
        const double angle = -2 * M_PI * (double)(j * k % x.size()) / (double)x.size();
        sum += std::complex<double>(x[j].x, x[j].y) * std::complex<double>(cos(angle), sin(angle));
    }
    return sum;
}

/* Some results of the last transform of the first call. A result is about sqrt(n / 6) long, of which rounding takes
 * some log2 n 2^-24. */
hb_status check(complex_work *w)
{
    constexpr uint32_t CHECKED = 8;
    const uint32_t log_n = (uint32_t)w->view.log_n;
    const size_t n = (size_t)1 << log_n, bytes = n * sizeof(float2);
    const double allowed = sqrt((double)n) * log_n / (double)(1 << 22);
    const float2 *last = w->view.data + (w->view.limbs - 1) * n;
    std::vector<float2> before(n), after(n);
    HB_CUDA(cudaMemcpy(before.data(), last, bytes, cudaMemcpyDeviceToHost));
    HB_TRY(w->issue(nullptr));
    HB_CUDA(cudaMemcpy(after.data(), last, bytes, cudaMemcpyDeviceToHost));
    for (uint32_t i = 0; i < CHECKED; i++) {
        const uint32_t at = (uint32_t)hb_words_at(1, i, n);
        const std::complex<double> found(after[at].x, after[at].y);
        const double error = std::abs(found - by_definition(before, hb_bit_reverse(at, log_n)));
        if (!(error <= allowed)) {
            return HB_FAIL(HB_EINTERNAL, "complex transform of 2^%u numbers: result %u is off by %g", log_n, at, error);
        }
    }
    return HB_OK;
}
} /* namespace */

hb_status hb_kim_complex_open(uint32_t log_n, size_t count, uint32_t log_columns, uint32_t log_points,
                              hb_kim_work **work)
{
    auto w = std::unique_ptr<complex_work>(new (std::nothrow) complex_work());
    if (w == nullptr) {
        return HB_FAIL(HB_ENOMEM, "no memory for a complex transform");
    }
    w->view.log_n = (int)log_n;
    w->view.limbs = (uint32_t)count;
    w->view.moduli = 1;
    HB_TRY(prepare(w.get(), (int)log_columns, (int)log_points));
    HB_TRY(upload(w.get()));
    HB_TRY(check(w.get()));
    *work = w.release();
    return HB_OK;
}

hb_status hb_kim_work_issue(void *work, void *stream)
{
    return static_cast<hb_kim_work *>(work)->issue(static_cast<cudaStream_t>(stream));
}

void hb_kim_work_close(hb_kim_work *work)
{
    delete work;
}
