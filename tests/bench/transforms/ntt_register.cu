/* Kim et al., section V: a thread holds as many points as its radix, and every pass over device memory is a kernel.
 * Radix 2 is the paper's baseline, and with the native modulo the slower one of figure 1. */
#include <new>

#include "kim_register.cuh"

namespace
{
/* M multiplies; radices up to 2^MOST are compiled. */
template <class M, bool LAZY, int MOST> struct register_design {
    using arithmetic = hb_kim_residues<M, LAZY>;
    struct state {
        hb_tables<M> tables;
        hb_kim_view<arithmetic> view;
        int log_radix;
    };

    static void close(void *opaque)
    {
        state *s = static_cast<state *>(opaque);
        if (s != nullptr) {
            hb_tables_close(&s->tables);
            delete s;
        }
    }

    static hb_status open(const hb_design *design, const hb_design_case *c, void **opaque)
    {
        state *s = new (std::nothrow) state();
        if (s == nullptr) {
            return HB_FAIL(HB_ENOMEM, "no memory for the state of a design");
        }
        const hb_status st = hb_tables_open<M>(c, true, HB_SCALE_APART, &s->tables);
        if (st != HB_OK) {
            close(s);
            return st;
        }
        s->view = hb_kim_view_of<arithmetic>(c, s->tables);
        s->log_radix = *static_cast<const int *>(design->variant);
        *opaque = s;
        return HB_OK;
    }

    static hb_status transform(void *opaque, void *data, bool forward, void *stream)
    {
        HB_ASSERT(forward);
        const state *s = static_cast<const state *>(opaque);
        hb_kim_view<arithmetic> view = s->view;
        view.data = static_cast<typename arithmetic::word *>(data);
        return hb_kim_register_launch<arithmetic, MOST>(view, s->log_radix, static_cast<cudaStream_t>(stream));
    }

    static size_t table_bytes(const void *opaque)
    {
        return sizeof(typename M::twiddle) << static_cast<const state *>(opaque)->view.log_n;
    }

    static constexpr hb_design make(const char *name, const char *title, const char *source, const int *log_radix)
    {
        hb_design d = {};
        d.name = name;
        d.title = title;
        d.source = source;
        d.word_bytes = sizeof(typename M::word);
        d.most_bits = M::most_bits < HB_MODULUS_MAX_BITS ? M::most_bits : HB_MODULUS_MAX_BITS;
        d.min_log_n = 10;
        d.max_log_n = HB_RING_MAX_LOG_N;
        d.forward_only = true;
        d.variant = log_radix;
        d.open = open;
        d.transform = transform;
        d.close = close;
        d.table_bytes = table_bytes;
        return d;
    }
};

constexpr int log_radices[] = {0, 1, 2, 3, 4, 5, 6, 7};

using shoup = register_design<hb_shoup<uint64_t>, true, 7>;
using barrett = register_design<hb_barrett<uint64_t>, false, 1>;
using native = register_design<hb_native<uint64_t>, false, 1>;

constexpr hb_design of_radix(const char *name, const char *title, int log_radix)
{
    return shoup::make(name, title, "Kim et al., section VI B", &log_radices[log_radix]);
}
} /* namespace */

extern "C" const hb_design hb_designs_kim[] = {
    of_radix("kim-register-2", "registers, radix 2", 1),
    of_radix("kim-register-4", "registers, radix 4", 2),
    of_radix("kim-register-8", "registers, radix 8", 3),
    of_radix("kim-register-16", "registers, radix 16", 4),
    of_radix("kim-register-32", "registers, radix 32", 5),
    of_radix("kim-register-64", "registers, radix 64", 6),
    of_radix("kim-register-128", "registers, radix 128", 7),
    barrett::make("kim-register-2-barrett", "registers, radix 2, Barrett", "Kim et al., section IV", &log_radices[1]),
    native::make("kim-register-2-native", "registers, radix 2, native %", "Kim et al., figure 1", &log_radices[1]),
    {}};
