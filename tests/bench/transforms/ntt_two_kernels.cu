/* Kim et al., sections V to VII: two kernels with shared memory, twiddles from tables or, for the last stages, on the
 * fly. */
#include <new>
#include <stdio.h>

#include "kim_two_kernels.cuh"
#include "kim_work.cuh"

extern "C" {
#include "gpu_words.h"
#include "ring/ring.h"
}

namespace
{
using shoup = hb_shoup<uint64_t>;
using arithmetic = hb_kim_residues<shoup, true>;

struct shared_state {
    hb_tables<shoup> tables;
    shoup::twiddle *digits; /* NULL: nothing on the fly */
    hb_kim_view<arithmetic> view;
    hb_kim_launch<arithmetic> columns, rows;
    uint32_t on_the_fly;
};

void close_shared(void *opaque)
{
    shared_state *s = static_cast<shared_state *>(opaque);
    if (s != nullptr) {
        hb_tables_close(&s->tables);
        (void)cudaFree(s->digits);
        delete s;
    }
}

hb_status prepare(const hb_kim_shared_variant *v, const hb_design_case *c, shared_state *s)
{
    const int log_n = (int)c->log_n, log_columns = v->log_columns > 0 ? (int)v->log_columns : log_n / 2;
    const int log_e = (int)v->log_points, log_row_e = (int)v->log_row_points;
    const auto kernel = v->preload ? hb_kim_columns_kernel<arithmetic, 5, true>(log_e)
                                   : hb_kim_columns_kernel<arithmetic, 5, false>(log_e);
    hb_kim_cut cut = hb_kim_cut_of(log_n, log_columns, log_e, 2); /* four columns: 32 bytes, a transaction */
    cut.apart = v->apart;
    const uint32_t table_bytes = v->preload ? (uint32_t)sizeof(shoup::twiddle) << log_columns : 0;
    HB_TRY(hb_kim_prepare<arithmetic>(kernel, log_n, cut, log_e, table_bytes, &s->columns));
    return hb_kim_prepare<arithmetic>(hb_kim_rows_kernel<arithmetic, 3, 2>(log_row_e, (int)v->on_the_fly), log_n,
                                      hb_kim_cut_of(log_n, log_n - log_columns, log_row_e, 0), log_row_e, 0, &s->rows);
}

/* psi^e for e below the base and for its multiples, 1024 and n / 1024 of them (kim_pass.cuh). */
hb_status make_digits(const hb_design_case *c, shoup::twiddle **digits)
{
    const uint32_t log_high = c->log_n - HB_KIM_LOG_BASE;
    const size_t length = ((size_t)1 << HB_KIM_LOG_BASE) + ((size_t)1 << log_high);
    uint64_t *words = static_cast<uint64_t *>(malloc(c->moduli * length * sizeof(uint64_t)));
    if (words == nullptr) {
        return HB_FAIL(HB_ENOMEM, "no memory for twiddles of %u moduli", c->moduli);
    }
    hb_status st = HB_OK;
    for (uint32_t l = 0; l < c->moduli; l++) {
        hb_modulus m;
        HB_GOTO(hb_modulus_init(&m, c->primes[l]));
        uint64_t *low = words + l * length, *high = low + ((size_t)1 << HB_KIM_LOG_BASE);
        hb_ring_powers(low, c->roots[l], HB_KIM_LOG_BASE, &m);
        hb_ring_powers(high, hb_mod_pow(c->roots[l], (uint64_t)1 << HB_KIM_LOG_BASE, &m), log_high, &m);
    }
    HB_GOTO(hb_table_of_words<shoup>(c, words, length, digits));
done:
    free(words);
    return st;
}

hb_status fill_shared(const hb_kim_shared_variant *v, const hb_design_case *c, shared_state *s)
{
    HB_TRY(prepare(v, c, s));
    HB_TRY(hb_tables_open<shoup>(c, true, HB_SCALE_APART, &s->tables));
    if (v->on_the_fly > 0) {
        HB_TRY(make_digits(c, &s->digits));
    }
    s->view = hb_kim_view_of<arithmetic>(c, s->tables);
    s->view.digits = s->digits;
    s->on_the_fly = v->on_the_fly;
    return HB_OK;
}

hb_status open_shared(const hb_design *design, const hb_design_case *c, void **opaque)
{
    shared_state *s = new (std::nothrow) shared_state();
    if (s == nullptr) {
        return HB_FAIL(HB_ENOMEM, "no memory for the state of a design");
    }
    const hb_status st = fill_shared(static_cast<const hb_kim_shared_variant *>(design->variant), c, s);
    if (st != HB_OK) {
        close_shared(s);
        return st;
    }
    *opaque = s;
    return HB_OK;
}

hb_status transform_shared(void *opaque, void *data, bool forward, void *stream)
{
    HB_ASSERT(forward);
    const shared_state *s = static_cast<const shared_state *>(opaque);
    hb_kim_view<arithmetic> view = s->view;
    view.data = static_cast<uint64_t *>(data);
    HB_TRY(hb_kim_start(s->columns, view, static_cast<cudaStream_t>(stream)));
    return hb_kim_start(s->rows, view, static_cast<cudaStream_t>(stream));
}

/* Returns the bytes of the tables that are read: entries of a stage on the fly are not. */
size_t table_bytes_shared(const void *opaque)
{
    const shared_state *s = static_cast<const shared_state *>(opaque);
    const size_t n = (size_t)1 << s->view.log_n;
    const size_t digits = s->on_the_fly > 0 ? ((size_t)1 << HB_KIM_LOG_BASE) + (n >> HB_KIM_LOG_BASE) : 0;
    return ((n >> s->on_the_fly) + digits) * sizeof(shoup::twiddle);
}

/* Both kernels take 2^6 to 2^11 words, as the paper's. */
constexpr hb_design make(const char *name, const char *title, const char *source, const hb_kim_shared_variant *v)
{
    hb_design d = {};
    d.name = name;
    d.title = title;
    d.source = source;
    d.word_bytes = sizeof(uint64_t);
    d.most_bits = HB_MODULUS_MAX_BITS;
    d.min_log_n = v->log_columns > 0 ? v->log_columns + 6 : 12;
    d.max_log_n = HB_RING_MAX_LOG_N;
    d.forward_only = true;
    d.variant = v;
    d.open = open_shared;
    d.transform = transform_shared;
    d.close = close_shared;
    d.table_bytes = table_bytes_shared;
    return d;
}

struct columns_work final : hb_kim_work {
    const hb_design *design = nullptr;
    void *state = nullptr, *data = nullptr;

    hb_status issue(cudaStream_t stream) override
    {
        const shared_state *s = static_cast<const shared_state *>(state);
        hb_kim_view<arithmetic> view = s->view;
        view.data = static_cast<uint64_t *>(data); /* these kernels take and give words below 4m */
        return hb_kim_start(s->columns, view, stream);
    }
    ~columns_work() override
    {
        close_shared(state);
        hb_gpu_free(data);
    }
};

hb_status fill_columns(const hb_kim_shared *shared, const hb_design_case *c, columns_work *work)
{
    HB_TRY(open_shared(&shared->design, c, &work->state));
    HB_TRY(hb_gpu_alloc((c->count * c->moduli * sizeof(uint64_t)) << c->log_n, &work->data));
    HB_TRY(hb_gpu_fill(work->data, sizeof(uint64_t), c, 0, nullptr));
    HB_CUDA(cudaDeviceSynchronize());
    return HB_OK;
}

constexpr hb_kim_shared_variant two_points = {0, 1, 1, 0, true, false}, four_points = {0, 2, 2, 0, true, false},
                                eight_points = {0, 3, 3, 0, true, false}, last = {0, 3, 3, 1, true, false},
                                last_two = {0, 3, 3, 2, true, false};
} /* namespace */

void hb_kim_shared_make(hb_kim_shared *shared, const hb_kim_shared_variant *variant)
{
    shared->variant = *variant;
    shared->design = make(shared->name, shared->title, "Kim et al., sections VI C and VII", &shared->variant);
    /* Masks show the compiler that the numbers are short. */
    const uint32_t points = 1u << (variant->log_points & 15), row_points = 1u << (variant->log_row_points & 15);
    const uint32_t columns = 1u << (variant->log_columns & 15), on_the_fly = variant->on_the_fly & 3;
    snprintf(shared->name, sizeof shared->name, "kim-shared-%u-%u-columns-%u-fly-%u%s%s", points, row_points, columns,
             on_the_fly, variant->apart ? "-apart" : "", variant->preload ? "" : "-global");
    snprintf(shared->title, sizeof shared->title,
             "two kernels, %u and %u points a thread, columns of %u, %u on the fly", points, row_points, columns,
             on_the_fly);
}

hb_status hb_kim_columns_open(const hb_kim_shared *shared, const hb_design_case *c, hb_kim_work **work)
{
    columns_work *columns = new (std::nothrow) columns_work();
    if (columns == nullptr) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of a design");
    }
    const hb_status st = fill_columns(shared, c, columns);
    if (st != HB_OK) {
        delete columns;
        return st;
    }
    *work = columns;
    return HB_OK;
}

extern "C" const hb_design hb_designs_kim_two[] = {
    make("kim-shared-2", "two kernels, 2 points a thread", "Kim et al., section VI C", &two_points),
    make("kim-shared-4", "two kernels, 4 points a thread", "Kim et al., section VI C", &four_points),
    make("kim-shared-8", "two kernels, 8 points a thread", "Kim et al., section VI C", &eight_points),
    make("kim-shared-8-fly-1", "two kernels, last stage on the fly", "Kim et al., section VII", &last),
    make("kim-shared-8-fly-2", "two kernels, last two stages on the fly", "Kim et al., section VII", &last_two),
    {}};
