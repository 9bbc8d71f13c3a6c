/* Modular multiplications beside each other, over the bits of the prime: in registers, as butterflies, and where memory
 * decides. */
#include <set>
#include <stdio.h>

#include "reduce_time.cuh"

extern "C" {
#include "base/prime.h"
#include "ring/ring.h"
}

struct operation {
    const char *name;
    uint32_t most_bits;
    hb_status (*products)(hb_figure_run *run, uint64_t m, double *rate);
    hb_status (*butterflies)(hb_figure_run *run, uint64_t m, double *rate);
    hb_status (*arrays)(hb_figure_run *run, uint64_t m, double *rate, double *bytes);
};

template <class O> static constexpr operation operation_of(const char *name)
{
    return {name, O::most_bits, hb_reduce_time_loop<O, hb_products>, hb_reduce_time_loop<O, hb_butterflies>,
            hb_reduce_time_arrays<O>};
}

static const operation operations[] = {
    operation_of<hb_fp64>("FP64, fused multiply-add (hebatch)"),
    operation_of<hb_canonical<hb_barrett<uint64_t>>>("Barrett, 64-bit words"),
    operation_of<hb_canonical<hb_shoup<uint64_t>>>("Shoup, 64-bit words"),
    operation_of<hb_harvey<uint64_t>>("Shoup, lazy, 64-bit words"),
    operation_of<hb_canonical<hb_montgomery<uint64_t>>>("Montgomery, 64-bit words"),
    operation_of<hb_canonical<hb_native<uint64_t>>>("%, 128-bit products"),
    operation_of<hb_canonical<hb_barrett<uint32_t>>>("Barrett, 32-bit words"),
    operation_of<hb_canonical<hb_shoup<uint32_t>>>("Shoup, 32-bit words"),
    operation_of<hb_harvey<uint32_t>>("Shoup, lazy, 32-bit words"),
    operation_of<hb_canonical<hb_montgomery<uint32_t>>>("Montgomery, 32-bit words"),
    operation_of<hb_signed_montgomery>("signed Montgomery, 32-bit words"),
    operation_of<hb_canonical<hb_native<uint32_t>>>("%, 64-bit products"),
};

/* A prime of each size, as transforms up to 2^17 need it; one operation after the other. */
template <class work> static hb_status for_each(hb_figure_run *run, work once)
{
    static const uint32_t sizes[] = {30, 40, 50, 60};
    const size_t count = sizeof sizes / sizeof sizes[0];
    for (size_t i = 0; i < count; i++) {
        uint64_t m;
        if (hb_figure_skips(run, i, count)) {
            continue;
        }
        HB_TRY(hb_find_primes((uint64_t)2 << HB_RING_MAX_LOG_N, sizes[i], 1, &m));
        for (const operation &o : operations) {
            if (sizes[i] <= o.most_bits) {
                HB_TRY(once(o, sizes[i], m));
            }
        }
    }
    return HB_OK;
}

/* 10^9 a second. */
static hb_status measure_products(hb_figure_run *run)
{
    HB_TRY(for_each(run, [=](const operation &o, uint32_t bits, uint64_t m) {
        double rate;
        HB_TRY(o.products(run, m, &rate));
        return hb_figure_point(run, o.name, bits, rate / 1e9);
    }));
    return hb_figure_note(run,
                          "by factors known before, in registers, %d independent chains a thread; Montgomery's and "
                          "Shoup's factors were prepared; primes of 30 bits need two limbs for one of 60",
                          HB_REDUCE_WORDS);
}

static hb_status measure_butterflies(hb_figure_run *run)
{
    HB_TRY(for_each(run, [=](const operation &o, uint32_t bits, uint64_t m) {
        double rate;
        HB_TRY(o.butterflies(run, m, &rate));
        return hb_figure_point(run, o.name, bits, rate / 1e9);
    }));
    return hb_figure_note(run,
                          "product, sum and difference, in registers; FP64: words are reduced after every %d levels",
                          HB_REDUCE_LEVELS);
}

/* The bound by memory is the same for all designs that move as many bytes: one point for all. */
static hb_status measure_memory(hb_figure_run *run)
{
    std::set<std::pair<uint32_t, double>> seen;
    HB_TRY(for_each(run, [&](const operation &o, uint32_t bits, uint64_t m) {
        double rate, bytes;
        char floor[64];
        HB_TRY(o.arrays(run, m, &rate, &bytes));
        HB_TRY(hb_figure_point(run, o.name, bits, rate / 1e9));
        snprintf(floor, sizeof floor, "memory alone, %.0f bytes a product", bytes);
        return seen.insert({bits, bytes}).second
                   ? hb_figure_point(run, floor, bits, hb_figure_memory_rate(run) / bytes / 1e9)
                   : HB_OK;
    }));
    return hb_figure_note(run, "r = a b, arrays of 1 GiB; a factor of Shoup has two words");
}

#define TITLE(what) "Modular multiplication: " what
extern "C" const hb_figure hb_figures_reduce[] = {
    {"reduce", "reduce-products", "hebatch", TITLE("products in registers"), "bits of the prime",
     "10^9 products a second", true, measure_products},
    {"reduce", "reduce-butterflies", "hebatch", TITLE("butterflies in registers"), "bits of the prime",
     "10^9 butterflies a second", true, measure_butterflies},
    {"reduce", "reduce-memory", "hebatch", TITLE("from memory to memory"), "bits of the prime",
     "10^9 products a second", true, measure_memory},
    {}};
