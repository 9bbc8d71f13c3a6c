/* Roots of unity in double-doubles, and the tables of slot transforms that an engine holds of them. The high part is
 * the double nearest to the real number, the low part the double nearest to the remainder. They are computed by 192-bit
 * integers, so that no mathematical library decides a bit. */
#ifndef HB_RING_ROOTS_H
#define HB_RING_ROOTS_H

#include "engine.h"
#include "real_ops.h"

#define HB_ROOTS_MAX_LOG (HB_RING_MAX_LOG_N + 1) /* 2N-th roots */

/* The first octant of the m-th roots, from which symmetries give the others; const after hb_roots_init. */
typedef struct hb_roots {
    uint32_t log_m; /* m = 2^log_m */
    hb_dd *cosines; /* [m / 8 + 1] cos(2 pi k / m); owned */
    hb_dd *sines;   /* [m / 8 + 1]; in the same allocation */
} hb_roots;

/* Makes the roots for 2 <= log_m <= HB_ROOTS_MAX_LOG. HB_ENOMEM; *roots is then zeroed. The caller clears it; a zeroed
 * one is allowed there. Host. */
hb_status hb_roots_init(hb_roots *roots, uint32_t log_m);
void hb_roots_clear(hb_roots *roots);
/* Returns exp(2 pi i k / m), k < m; and of that both high parts, the nearest doubles. */
hb_dd_complex hb_wide_root(const hb_roots *roots, uint32_t k);
hb_complex hb_root(const hb_roots *roots, uint32_t k);

/* Makes the tables of a transform (real_ops.h) on an engine, for slots in powers of 5, or of 3 as Microsoft SEAL has
 * them. With n = N/2, words h + j and n + h + j of the twiddles are the parts of exp(2 pi i (5^j mod 8h) / 8h) for h =
 * 1, 2, .., n/2 and j < h; words 0 and n those of 1. For wide tables the low parts follow in words 2n .. 4n - 1. Waits.
 * HB_ENOMEM; *tables is then zeroed. The caller clears them; zeroed ones are allowed there. */
hb_status hb_slot_tables_init(hb_slot_tables *tables, hb_engine *engine, uint32_t generator, bool wide);
void hb_slot_tables_clear(hb_slot_tables *tables, hb_engine *engine);

#endif
