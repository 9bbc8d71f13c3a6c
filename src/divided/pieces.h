/* Helpers of the exchanging operations of the divided engine: pieces of a batch, and views of their limbs, by
 * coefficient (divided_private.h). Functions are rank-local unless their comment says collective. */
#ifndef HB_DIVIDED_PIECES_H
#define HB_DIVIDED_PIECES_H

#include "divided_private.h"

/* A piece: polynomials first .. first + count - 1 of a batch, the half of the workspace that they have, and the tickets
 * of the transfers there and back. */
typedef struct hb_piece {
    size_t first, count;
    uint64_t *workspace;
    uint64_t ticket[2];
} hb_piece;

/* How `count` things (polynomials; limbs or digits of them) are cut into pieces of at most `most`. A thing takes `each`
 * words of a workspace on the member that needs most, so that all members cut alike. */
typedef struct hb_piece_sizes {
    size_t count, most, each;
} hb_piece_sizes;

/* The functions of an operation on its pieces: `begin` starts a transfer; `use` waits for it, computes, and may start
 * another, for which `end` waits (NULL: there is none). The next piece begins before one is used, and ends after: so
 * begin and end must write to different places of the workspace. */
typedef struct hb_piecewise {
    hb_status (*begin)(hb_divided *div, void *context, hb_piece *piece);
    hb_status (*use)(hb_divided *div, void *context, hb_piece *piece);
    hb_status (*end)(hb_divided *div, void *context, hb_piece *piece);
} hb_piecewise;

/* Returns the rows of a conversion that make a member's limbs `to` of the targets. The matrix and tables are the
 * queue's, until the next cut; *overflow is the caller's memory, which the rows borrow where c corrects an overflow. */
hb_base_conversion hb_conversion_rows(hb_divided *div, const hb_base_conversion *c, const hb_local_limbs *to,
                                      hb_overflow *overflow);

/* Goes through all of them in pieces. Collective. */
hb_status hb_divided_pieces(hb_divided *div, hb_piece_sizes sizes, const hb_piecewise *piecewise, void *context);
/* Returns the polynomials that fit a piece, 1 or more, of `each` words of a workspace. */
size_t hb_divided_fit(const hb_divided *div, size_t each);
/* Returns how many of `count` polynomials, limbs or digits a piece has at most: half of them, rounded up, where their
 * transfer goes in two halves (hb_exchange_halves), else all. words: that the transfer brings to the member that gets
 * most, so that all members find the same. */
size_t hb_divided_most(const hb_divided *div, hb_pattern pattern, double words, size_t count);
/* Returns the words that gathering a brings to the member that gets most. */
double hb_gathered_words(const hb_divided *div, hb_batch a);

/* Returns the coefficients of a row of the batch. */
static inline size_t hb_coefficients(const hb_divided *div, hb_batch a)
{
    return a.n != 0 ? a.n : div->base.ring->n;
}

/* Returns a contiguous batch of n coefficients in `memory`, [count][limbs][n]; the ids live as long as the view. */
hb_batch hb_piece_on(const hb_divided *div, uint64_t *memory, size_t count, size_t n, const uint16_t *ids,
                     uint32_t limbs);
/* Returns a scattered batch of n coefficients of the limbs of `like`; the addresses live as long as the view. */
hb_batch hb_piece_scattered(const hb_divided *div, const hb_limb_address *limb_addresses, size_t count, size_t n,
                            hb_batch like);
/* Returns polynomials first .. first + count - 1 of a batch, as hb_batch_slice. The polynomials of a scattered one get
 * their addresses in `limb_addresses`, which live as long as the view. */
hb_batch hb_piece_slice(const hb_divided *div, hb_batch a, size_t first, size_t count,
                        hb_limb_address limb_addresses[HB_MAX_LIMBS]);
/* Sets the addresses of a member's limbs s among those of all, in a block [count][limbs of s][n]. */
void hb_block_addresses(hb_limb_address *limb_addresses, const hb_local_limbs *s, uint64_t *block, size_t n);
/* Sets the addresses of the limbs that are here, where they stand in a: of the piece's polynomials, from coefficient
 * `start` on. */
void hb_local_addresses(const hb_divided *div, hb_limb_address *limb_addresses, const hb_local_limbs *mine, hb_batch a,
                        const hb_piece *piece, size_t start);
/* Copies r = a on the device, unless there is nothing in it. */
hb_status hb_piece_copy(hb_divided *div, hb_batch r, hb_batch a);

/* Copies of limbs from place to place, put together so that the device gets few launches. Each has `count` polynomials;
 * the rest is zeros to begin with. */
typedef struct hb_copies {
    size_t count, n;
    uint32_t limbs;
    uint16_t ids[HB_MAX_LIMBS];
    hb_limb_address to[HB_MAX_LIMBS], from[HB_MAX_LIMBS];
} hb_copies;

/* Adds the copy of n coefficients of one limb; copies that are full, or of another n, are issued first. hb_copies_end
 * issues the remaining copies. */
hb_status hb_copies_add(hb_divided *div, hb_copies *copies, size_t n, uint16_t id, hb_limb_address to,
                        hb_limb_address from);
hb_status hb_copies_end(hb_divided *div, hb_copies *copies);

/* Returns the words of a contiguous block. */
static inline size_t hb_piece_words(size_t count, uint32_t limbs, size_t n)
{
    return count * limbs * n;
}

/* Returns where a block stands in the workspace, in bytes: the same on every member that lays out alike. */
static inline size_t hb_piece_place(const hb_divided *div, const uint64_t *block)
{
    return (size_t)(block - div->work) * sizeof *block;
}

#endif
