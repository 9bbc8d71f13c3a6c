/* The Chinese remainder theorem on a GPU as Al Badawi et al. have it (section 6.2): natural numbers below Q, the
 * product of k primes, from and to their residues, a thread for each coefficient with the whole number in its
 * registers. Beside it the product's own way, which never has such a number on a GPU.
 *
 * Polynomials: residues [count][k][n], numbers [count][words][n], least significant word first. A word has 32 bits
 * where primes have at most 31, as in the paper, and 64 else; numbers have as many as k primes of that size need. */
#ifndef HB_BENCH_CRT_H
#define HB_BENCH_CRT_H

#include "figure.h"
#include "ring/garner.h"

typedef enum hb_crt_method {
    HB_CRT_SPLIT_NATIVE,     /* number -> residues; the operator % for every product of a word and a power of 2 */
    HB_CRT_SPLIT_BARRETT,    /* the same with Barrett's reduction */
    HB_CRT_CLASSIC_DIVIDE,   /* residues -> number: sum y_i Q / q_i, then one division by Q of many words */
    HB_CRT_CLASSIC_SUBTRACT, /* Q taken off after each term where the sum has reached it */
    HB_CRT_GARNER_NATIVE,    /* mixed radix with the operator % */
    HB_CRT_GARNER_BARRETT,   /* with Barrett's reduction */
    HB_CRT_OUR_DIGITS,       /* the product: mixed-radix digits; always 64-bit words */
    HB_CRT_OUR_CONVERSION,   /* the product: base conversion to k + 2 other primes */
    HB_CRT_OUR_FLOOR,        /* the product: (t x - [t x]_Q) / Q modulo those, which hold x: one more conversion */
    HB_CRT_METHODS
} hb_crt_method;

enum {
    HB_CRT_MOST = 30,       /* primes */
    HB_CRT_SHORT_BITS = 31, /* of a prime of the 32-bit methods; two of them add up without a carry */
    HB_CRT_TARGETS = 2      /* primes of a conversion's target beyond k */
};

/* As tables say it: "Garner, %". */
const char *hb_crt_name(hb_crt_method method);
uint32_t hb_crt_word_bits(const hb_design_case *c);
uint32_t hb_crt_words(const hb_design_case *c);
/* Bytes that a call has to read and write. */
double hb_crt_bytes(hb_crt_method method, const hb_design_case *c);

/* Seconds of one call on all of the case's polynomials (figure.h: hb_figure_time), after coefficients of the first and
 * the last polynomial, random ones, 0 and Q - 1, were compared with exact arithmetic on the host: HB_EINTERNAL where
 * they differ. HB_EUNAVAILABLE for a number of words that no kernel was made for (crt_short.cu, crt_long.cu).
 * HB_ENOMEM. */
hb_status hb_crt_time(hb_figure_run *run, hb_crt_method method, const hb_design_case *c, double *seconds);

/* Declarations that the files crt* share. */

/* A ring with the primes of the case, and after them `more` others of the same size. */
typedef struct hb_crt_base {
    hb_ring ring;
    uint16_t ids[HB_RING_MAX_MODULI]; /* 0, 1, ... */
    hb_basis basis;                   /* of the case's primes */
    hb_garner garner;                 /* of the basis */
} hb_crt_base;

/* The caller clears it, whatever happens (a zeroed struct is allowed), and does not move it. HB_ECONFIG; HB_ENOMEM. */
hb_status hb_crt_base_init(hb_crt_base *base, const hb_design_case *c, uint32_t more);
void hb_crt_base_clear(hb_crt_base *base);

/* Constants of the methods that are not ours; k primes.
 *
 *            rows[i]                                   factors[i]
 *   classic  Q / q_i                                   its inverse mod q_i
 *   Garner   q_0 ... q_(i-1)                           its inverse mod q_i
 *   split    word w: 2^(w word_bits) mod q_i, apart    not used */
typedef struct hb_crt_constants {
    hb_natural rows[HB_CRT_MOST];
    uint64_t factors[HB_CRT_MOST];
    hb_natural divisor; /* Q; where it is divided by, times 2^shift, so that its highest word is full */
    uint32_t shift;
} hb_crt_constants;
void hb_crt_constants_init(hb_crt_constants *k, hb_crt_method method, const hb_crt_base *base, const hb_design_case *c);

/* One polynomial on the host, words of hb_crt_word_bits, its first coefficients and a part of the others: are the
 * residues those of the numbers, and, with below_product, the numbers below Q? By the Chinese remainder theorem there
 * is one such number. HB_EINTERNAL. */
hb_status hb_crt_check(const hb_crt_base *base, const hb_design_case *c, const void *residues, const void *numbers,
                       bool below_product);

/* hb_crt_time for words of 32 bits, of 64 bits, and of the product. */
hb_status hb_crt_time_short(hb_figure_run *run, hb_crt_method method, const hb_design_case *c, double *seconds);
hb_status hb_crt_time_long(hb_figure_run *run, hb_crt_method method, const hb_design_case *c, double *seconds);
hb_status hb_crt_time_ours(hb_figure_run *run, hb_crt_method method, const hb_design_case *c, double *seconds);

#endif
