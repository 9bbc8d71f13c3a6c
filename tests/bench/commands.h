/* The commands of hebatch-designs. */
#ifndef HB_BENCH_COMMANDS_H
#define HB_BENCH_COMMANDS_H

#include "cli/common.h"
#include "device/device.h"

/* The words of the command line; NULL and 0: not given. */
typedef struct hb_design_words {
    const char *kind; /* of the figures: "ntt", "reduce", "crt" */
    const char *only, *paper, *out;
    double seconds;
    uint64_t batch;
    bool quick, list, check, small;
    hb_device_choice device;
} hb_design_words;

/* Designs beside ours, on a GPU: their figures (figure.h), or a list of them, or their words against the CPU's.
 * HB_EUNAVAILABLE without a GPU, or built without nvcc; HB_ENOINPUT where no figure is wanted; HB_EINTERNAL where a
 * design computes something else. */
hb_status hb_designs_figures(hb_group *group, const hb_common *common, const hb_design_words *words);

/* The parameter sets and primitives that two papers measure, on either device, beside what they print: table 5 of Al
 * Badawi et al. and table 7 of Ozerk et al. (src/README.md "Sources"). HB_ENOMEM; failures of the device. */
hb_status hb_papers(hb_group *group, const hb_common *common, const hb_design_words *words);

#endif
