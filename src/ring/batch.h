/* Batches of RNS polynomials: views of an engine's memory (engine.h), their allocation, and the sizes of packed rows.
 * Rank-local. */
#ifndef HB_RING_BATCH_H
#define HB_RING_BATCH_H

#include <stdbool.h>

#include "base/status.h"
#include "ring.h"

typedef struct hb_engine hb_engine;

/* The form of a polynomial's words: coefficients, or values at roots of unity in bit-reversed order. */
typedef enum hb_form { HB_COEFFICIENT_FORM, HB_NTT_FORM } hb_form;

/* Where one limb of a scattered batch stands: that of polynomial c at data + c * stride; the stride is even. */
typedef struct hb_limb_address {
    uint64_t *data;
    size_t stride;
} hb_limb_address;

/* A view of `count` polynomials of `limbs` limbs. Word j of limb l of polynomial c is data[c * stride + l * n + j],
 * modulo ring->moduli[ids[l]]. On an engine of divided limbs, l counts this member's limbs. Views are passed by value
 * and own nothing.
 *
 * limb_stride and n are 0 except in operands of the operations "by coefficient", which treat each coefficient by
 * itself: they take views of some coefficients (n of each limb, a multiple of HB_SLICE_WORDS) and of limbs that are
 * `limb_stride` words apart. A scattered batch has an address for each limb instead: data, stride and limb_stride are
 * not looked at. These operations take scattered batches, and so do hb_decompose and hb_ntt_decompose as the operand
 * a. hb_rotation_sums takes plaintexts of fewer words. */
typedef struct hb_batch {
    uint64_t *data;
    const uint16_t *ids; /* [limbs], host memory, borrowed */
    uint32_t limbs;
    size_t count;
    size_t stride;                         /* words from one polynomial to the next, >= limbs here * n */
    size_t limb_stride;                    /* words from one limb to the next, even; 0: n of the ring */
    size_t n;                              /* coefficients; 0: all */
    const hb_limb_address *limb_addresses; /* [limbs here], host memory, borrowed; NULL: not scattered */
} hb_batch;

/* Coefficients come in slices of so many words, where an operation takes some of them. */
#define HB_SLICE_WORDS 256

/* A view of packed rows (io/README.md): `rows` rows of every limb, limb after limb. Polynomial c of a batch is row
 * first + c * stride of each limb, stride >= 1. */
typedef struct hb_packed {
    uint8_t *bytes;
    size_t rows, first, stride;
} hb_packed;

/* Return whether the words of a limb are in memory of this engine, and how many limbs of a list are. */
bool hb_limb_here(const hb_engine *e, uint16_t id);
uint32_t hb_limbs_here(const hb_engine *e, const uint16_t *ids, uint32_t limbs);

/* hb_batch_on returns a contiguous batch on memory that has room for it; hb_batch_alloc makes one in memory of its own,
 * which hb_batch_free frees; ids stay borrowed. HB_ENOMEM; on failure r->data is NULL. Freeing wipes nothing. */
hb_batch hb_batch_on(const hb_engine *e, uint64_t *memory, size_t count, uint32_t limbs, const uint16_t *ids);
hb_status hb_batch_alloc(hb_engine *e, hb_batch *r, size_t count, uint32_t limbs, const uint16_t *ids);
void hb_batch_free(hb_engine *e, hb_batch *r);
/* Allocates a batch for secret words: never swapped to disk where the system allows it (hb_lock). It is for keys, and
 * for what would tell them; not for batches of data. The caller wipes it before freeing it. HB_ENOMEM. */
hb_status hb_batch_alloc_locked(hb_engine *e, hb_batch *r, size_t count, uint32_t limbs, const uint16_t *ids);
/* Return views: polynomials first .. first + count - 1 (of a scattered batch, all); polynomial `which` of each group of
 * `group` consecutive ones, as a digit of each ciphertext (a.count is a multiple); limbs first .. first + limbs - 1. */
hb_batch hb_batch_slice(hb_batch a, size_t first, size_t count);
hb_batch hb_batch_of_groups(hb_batch a, size_t group, size_t which);
hb_batch hb_batch_limbs(const hb_engine *e, hb_batch a, uint32_t first, uint32_t limbs);
/* Returns the address of the l-th limb that this member has, in any kind of batch. */
hb_limb_address hb_batch_limb_address(const hb_engine *e, hb_batch a, uint32_t l);

/* Returns the bit length of m - 1: that of a packed residue, and of the words that uniform residues are drawn from. */
uint32_t hb_residue_bits(const hb_modulus *m);
/* Return the bytes of one packed row modulo m, n * bits(m - 1) / 8, a multiple of 8 for n >= 64; those of one
 * polynomial of a batch; and those of its limbs that are here. */
size_t hb_packed_row_bytes(size_t n, const hb_modulus *m);
size_t hb_packed_bytes(const hb_ring *ring, const uint16_t *ids, uint32_t limbs);
size_t hb_packed_bytes_here(const hb_engine *e, const uint16_t *ids, uint32_t limbs);

#endif
