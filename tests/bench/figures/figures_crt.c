/* Residues and numbers with batches that fill the GPU, over the number of primes: the time for a coefficient by the
 * methods of Al Badawi et al. and by the product, beside the least that memory allows. */
#include "crt.h"

static const uint32_t primes_of[] = {2, 6, 12, 18, 24, HB_CRT_MOST};
#define CASES (sizeof primes_of / sizeof *primes_of)
enum { LOG_N = 13, POLYNOMIALS = 128 };

/* ns a coefficient. */
static hb_status point(hb_figure_run *run, hb_crt_method method, const hb_design_case *c)
{
    double seconds;
    HB_TRY(hb_crt_time(run, method, c, &seconds));
    const double coefficients = (double)(c->count << c->log_n);
    return hb_figure_point(run, hb_crt_name(method), c->moduli, seconds / coefficients * 1e9);
}

/* `floor_of`: the method whose least time is a series, too. */
static hb_status measure(hb_figure_run *run, uint32_t bits, const hb_crt_method *methods, size_t count,
                         hb_crt_method floor_of)
{
    for (size_t i = 0; i < CASES; i++) {
        hb_design_case c;
        if (hb_figure_skips(run, i, CASES)) {
            continue;
        }
        HB_TRY(hb_figure_case(run, LOG_N, bits, primes_of[i], POLYNOMIALS, true, &c));
        for (size_t m = 0; m < count; m++) {
            HB_TRY(point(run, methods[m], &c));
        }
        const double seconds = hb_crt_bytes(floor_of, &c) / hb_figure_memory_rate(run);
        HB_TRY(hb_figure_point(run, "memory alone", primes_of[i], seconds / (double)(c.count << c.log_n) * 1e9));
    }
    return hb_figure_note(run, "%d polynomials of %d coefficients a call; words of %d bits", POLYNOMIALS, 1 << LOG_N,
                          bits <= HB_CRT_SHORT_BITS ? 32 : 64);
}

static hb_status reconstruct(hb_figure_run *run, uint32_t bits)
{
    static const hb_crt_method methods[] = {HB_CRT_CLASSIC_DIVIDE, HB_CRT_CLASSIC_SUBTRACT, HB_CRT_GARNER_NATIVE,
                                            HB_CRT_GARNER_BARRETT, HB_CRT_OUR_DIGITS};
    HB_TRY(measure(run, bits, methods, sizeof methods / sizeof *methods, HB_CRT_GARNER_BARRETT));
    return hb_figure_note(run, "ours: mixed-radix digits in 64-bit words, by which numbers are compared; the product "
                               "makes no number of many words on a GPU");
}

static hb_status reconstruct_short(hb_figure_run *run)
{
    return reconstruct(run, 30);
}

static hb_status reconstruct_long(hb_figure_run *run)
{
    return reconstruct(run, 60);
}

static hb_status split(hb_figure_run *run, uint32_t bits)
{
    static const hb_crt_method methods[] = {HB_CRT_SPLIT_NATIVE, HB_CRT_SPLIT_BARRETT, HB_CRT_OUR_CONVERSION};
    HB_TRY(measure(run, bits, methods, sizeof methods / sizeof *methods, HB_CRT_SPLIT_BARRETT));
    return hb_figure_note(run, "base conversion: from these primes to as many others and %d more, 64-bit words",
                          HB_CRT_TARGETS);
}

static hb_status split_short(hb_figure_run *run)
{
    return split(run, 30);
}

static hb_status split_long(hb_figure_run *run)
{
    return split(run, 60);
}

#define PAPER "Al Badawi et al., section 6.2"
const hb_figure hb_figures_crt[] = {
    {"crt", "crt-reconstruct-30", PAPER, "Residues to numbers, primes of 30 bits", "primes", "ns a coefficient", true,
     reconstruct_short},
    {"crt", "crt-reconstruct-60", PAPER, "Residues to numbers, primes of 60 bits", "primes", "ns a coefficient", true,
     reconstruct_long},
    {"crt", "crt-split-30", PAPER, "Numbers to residues, primes of 30 bits", "primes", "ns a coefficient", true,
     split_short},
    {"crt", "crt-split-60", PAPER, "Numbers to residues, primes of 60 bits", "primes", "ns a coefficient", true,
     split_long},
    {0},
};
