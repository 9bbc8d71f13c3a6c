/* Declarations that the files of the CPU engine share. An operation is a loop over polynomials and limbs around a row
 * kernel: a function on n words of one limb. A kernel has at most two bodies, FP64 and integer (base/modarith.h), with
 * equal results. */
#ifndef HB_CPU_CPU_PRIVATE_H
#define HB_CPU_CPU_PRIVATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "base/clones.h"
#include "base/modarith.h"
#include "base/sample.h"
#include "ntt.h"
#include "ring/engine.h"
#include "ring/real_ops.h"

/* Words of keystreams and packed rows are little-endian; so must be the machine. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the CPU engine needs a little-endian machine");

#define HB_CPU_SCRATCH 3
#define HB_CPU_BLOCK 512 /* coefficients of many rows that stay in a near cache together */
/* Words from one row of such a block to the next: rows 4096 bytes apart would share the lines of a cache. */
#define HB_CPU_BLOCK_ROW (HB_CPU_BLOCK + 8)
/* Rows for all limbs and an overflow, and for the plaintexts of a sum of rotated products. */
#define HB_CPU_BLOCK_ROWS (HB_MAX_LIMBS + 1 + HB_ROTATION_TERMS)

/* The tables that an engine and its forks share; they live until the last of them closes, and are const until then. */
typedef struct hb_cpu_tables {
    atomic_uint users;
    uint32_t moduli;  /* of the ring when the engine was opened */
    hb_cpu_ntt ntt[]; /* [moduli]; cleared where the ring has no root */
} hb_cpu_tables;

/* One queue of the CPU engine. A queue is used by one thread at a time; forks are for other threads. */
typedef struct hb_cpu_engine {
    hb_engine base;
    hb_cpu_tables *tables;
    /* Memory of one operation at a time, wiped when the engine closes: rows of n words, and HB_CPU_BLOCK_ROWS rows of a
     * block. */
    uint64_t *scratch[HB_CPU_SCRATCH], *block;
} hb_cpu_engine;

/* Returns the queue behind an engine of this folder. */
static inline hb_cpu_engine *hb_cpu(hb_engine *e)
{
    return (hb_cpu_engine *)(void *)e; /* base is the first member */
}

/* Returns the words of limb l of polynomial c, in any kind of batch: regular, sliced or scattered (ring/batch.h). */
static inline uint64_t *hb_cpu_row(const hb_engine *e, hb_batch a, size_t c, uint32_t l)
{
    return a.limb_addresses != NULL ? a.limb_addresses[l].data + c * a.limb_addresses[l].stride
                                    : a.data + c * a.stride + l * (a.limb_stride != 0 ? a.limb_stride : e->ring->n);
}

/* Returns the words of a row in an operation by coefficient. */
static inline size_t hb_cpu_words(const hb_engine *e, hb_batch a)
{
    return a.n != 0 ? a.n : e->ring->n;
}

/* Returns the modulus of limb l. */
static inline const hb_modulus *hb_cpu_modulus(const hb_engine *e, hb_batch a, uint32_t l)
{
    return &e->ring->moduli[a.ids[l]];
}

/* Returns true iff the first `limbs` moduli all take the FP64 path. */
bool hb_cpu_all_f64(const hb_ring *ring, const uint16_t *ids, uint32_t limbs);

/* Rows to be multiplied and added up modulo m: start + sum_i a[i][j] weights[i], or with `pairs` start + sum_i a[i][j]
 * b[i][j]. start, weights and words of b are below m, words of a below 2^61. At most HB_CPU_MOST_TERMS rows: all limbs,
 * an overflow, and a kept limb. */
#define HB_CPU_MOST_TERMS (HB_MAX_LIMBS + 2)
/* The rows and weights of such a sum, by name; the rows are borrowed. */
typedef struct hb_cpu_terms {
    uint32_t count;
    bool pairs;
    uint64_t start;
    const uint64_t *a[HB_CPU_MOST_TERMS], *b[HB_CPU_MOST_TERMS];
    uint64_t weights[HB_CPU_MOST_TERMS];
} hb_cpu_terms;

/* Computes the sums: r gets n canonical words, and may be one of the rows. narrow: all words, and m, are below 2^50, as
 * on the FP64 path. */
void hb_cpu_sum(uint64_t *r, const hb_cpu_terms *terms, size_t n, const hb_modulus *m, bool narrow);

/* A tile of a product of a matrix with rows: sums[k][j] += sum_i weights[k][i] rows[i][j], k < outputs, i < terms, all
 * canonical. */
#define HB_CPU_TILE_OUTPUTS 4
#define HB_CPU_TILE_WORDS 64
typedef struct hb_cpu_tile {
    const uint64_t (*rows)[HB_CPU_TILE_WORDS];
    uint32_t terms, outputs;
    uint64_t *sums[HB_CPU_TILE_OUTPUTS];
    const uint64_t *weights[HB_CPU_TILE_OUTPUTS];
} hb_cpu_tile;

/* Reduces a row: r[j] = a[j] mod m for a[j] in [0, from->value). r may be a. */
void hb_cpu_reduce_row(uint64_t *r, const uint64_t *a, size_t n, const hb_modulus *from, const hb_modulus *m);
/* Scales a row: r[j] = a[j] factor mod m, for any words and a canonical factor on the integer path; canonical words on
 * the FP64 path. r may be a. */
void hb_cpu_scale_row(uint64_t *r, const uint64_t *a, uint64_t factor, size_t n, const hb_modulus *modulus);

/* Add and multiply rows of canonical words: r[j] = a[j] + b[j], r[j] = a[j] b[j], modulo m. r may be a or b. */
void hb_cpu_add_row(uint64_t *r, const uint64_t *a, const uint64_t *b, size_t n, const hb_modulus *m);
void hb_cpu_mul_row(uint64_t *r, const uint64_t *a, const uint64_t *b, size_t n, const hb_modulus *modulus);

/* Fills words[i], i < n, with the first word of coefficient i that the rule takes (base/seed.h). It uses scratch rows 1
 * and 2, so `words` is neither. */
void hb_cpu_draw(hb_cpu_engine *e, uint64_t *words, size_t n, hb_draw draw, hb_acceptance rule);

/* Linear combinations (combine.c), an entry of the products' group. */
hb_status hb_cpu_combine(hb_engine *e, const hb_combination *x);
/* Sums of rotated inner products (rotation_sums.c), likewise. */
hb_status hb_cpu_rotation_sums(hb_engine *e, hb_batch r, uint32_t outputs, const hb_rotation_sum *x);
/* The operations on reals where coefficients are double-doubles (wide_real.c; ring/real_ops.h). */
hb_status hb_cpu_wide_to_coefficients(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables);
hb_status hb_cpu_wide_to_slots(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables);
hb_status hb_cpu_wide_round(hb_engine *e, hb_batch r, hb_batch a, const hb_rounding *rounding);

/* The groups of operations of ring/engine.h, each in the file named. */
extern const hb_ring_ops hb_cpu_ring_ops;       /* pointwise.c */
extern const hb_ntt_ops hb_cpu_ntt_ops;         /* ntt_ops.c */
extern const hb_sample_ops hb_cpu_sample_ops;   /* sample.c */
extern const hb_rns_ops hb_cpu_rns_ops;         /* convert.c */
extern const hb_garner_ops hb_cpu_garner_ops;   /* garner.c */
extern const hb_product_ops hb_cpu_product_ops; /* switch.c */
extern const hb_row_ops hb_cpu_row_ops;         /* pack.c */
extern const hb_bfv_ops hb_cpu_bfv_ops;         /* plain.c */
extern const hb_real_ops hb_cpu_real_ops;       /* real.c */

#endif
