/* Integers of almost 62 bits modulo NFLlib's prime 984481793, as in table 1 of Al Badawi et al. */
#ifndef HB_BENCH_NATIVE_MODULO_H
#define HB_BENCH_NATIVE_MODULO_H

#include "figure.h"

typedef enum hb_modulo_way {
    HB_MODULO_NATIVE,  /* the operator % */
    HB_MODULO_NFLLIB,  /* Aguilar-Melchor et al. (NFLlib), algorithm 2 */
    HB_MODULO_BARRETT, /* the product's, of any 64-bit word */
    HB_MODULO_WAYS
} hb_modulo_way;

const char *hb_modulo_name(hb_modulo_way way);
/* Seconds for `count` integers, from memory of the GPU to memory; each was compared with the host's before.
 * HB_ENOMEM; HB_EINTERNAL where one differs. */
hb_status hb_modulo_time(hb_figure_run *run, hb_modulo_way way, size_t count, double *seconds);

#endif
