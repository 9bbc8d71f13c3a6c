/* Declarations that the files of the divided engine share. There are three kinds of operations. Operations on this
 * member's limbs go to the device; the front end calls it (ring/local.h). Operations on all limbs gather them first
 * (gather.c). Operations on slices of the coefficients send these to their member and the results back (slices.c). Base
 * conversions may gather or use slices (convert.c). */
#ifndef HB_DIVIDED_DIVIDED_PRIVATE_H
#define HB_DIVIDED_DIVIDED_PRIVATE_H

#include "engine.h"
#include "ring/local.h"
#include "ring/rns_ops.h"
#include "turns.h"

/* The most words of each member that one hb_divided_gather_words brings: the digits of 64 numbers at least. */
#define HB_DIVIDED_WORDS ((size_t)HB_MAX_LIMBS * 64)

/* One queue of the divided engine on one member. */
typedef struct hb_divided {
    hb_engine base; /* its device is owned, its map borrowed */
    hb_exchange *exchange;
    hb_division division;
    hb_turns *turns;   /* shared by an engine and its forks */
    bool pending;      /* transfers were begun and not settled since */
    uint64_t last;     /* the last of them */
    uint64_t *work;    /* memory of the device for one operation at a time: two halves, for pieces in turn */
    size_t half_words; /* words of each half */
    hb_window *window; /* of the workspace, where all blocks arrive but digests; NULL: members do not write there */
    uint64_t memory;   /* bytes that may be held on the device; 0: any number */
    uint64_t *words;   /* host, [members][HB_DIVIDED_WORDS] */
    /* Constants of one operation at a time, cut to the limbs that are here. */
    uint64_t matrix[HB_MAX_LIMBS * HB_MAX_LIMBS], row[2][HB_MAX_LIMBS];
} hb_divided;

/* Returns the queue behind an engine of this folder. */
static inline hb_divided *hb_divided_of(hb_engine *e)
{
    return (hb_divided *)(void *)e; /* base is the first member */
}

/* Returns whether each limb of a list has one owner; the answer is the same on all members. No list has both such limbs
 * and limbs that every member holds (HB_ASSERT). Some members may own none of a list, and others several. */
bool hb_is_divided(const hb_divided *div, const uint16_t *ids, uint32_t limbs);

/* Begin a transfer in the turn of the queue (turns.h), and make later operations of the queue wait for it. Begin is
 * collective among the members: all begin the same transfers in the same order. */
hb_status hb_divided_start(hb_divided *div, const hb_transfer *transfer, uint64_t *ticket);
hb_status hb_divided_wait(hb_divided *div, uint64_t ticket);
/* Waits on the host until all transfers of the queue have ended. It comes before every wait for the device: a queue
 * that waits for a member that is gone would never end. */
hb_status hb_divided_settle(hb_divided *div);
/* Gathers the `mine` (host, [count], count <= HB_DIVIDED_WORDS) of every member into div->words, one after the other.
 * Collective, in the turn of the queue; it waits. */
hb_status hb_divided_gather_words(hb_divided *div, const uint64_t *mine, size_t count);

/* A function of gathered limbs. all: every limb of the gathered polynomials from `first` on; scattered. A polynomial
 * takes the words of all its limbs in a workspace. */
typedef hb_status (*hb_gathered)(hb_divided *div, const void *context, hb_batch all, size_t first);
/* Gathers the divided batch a, piece by piece, and gives the pieces to `use`. Collective. */
hb_status hb_divided_gather(hb_divided *div, hb_batch a, hb_gathered use, const void *context);
/* The most operands of an operation by slices, and the most limbs that they have together: the blocks of key switching
 * over the integers, each in all primes of its base. */
#define HB_SLICED_OPERANDS HB_MAX_LIMBS
#define HB_SLICED_LIMBS (8 * HB_MAX_LIMBS)
/* One operation by slices. All limbs of a slice of every a, and of v where that is `set`, come to the member of the
 * slice; `make` computes the results from them, which go back into r. limbs 0: there is no v, or nothing goes back. All
 * are divided, have as many polynomials and coefficients, and are scattered for `make`. r may be an a, or v, also
 * within `make`, but then only this member's limbs share memory. The contents of v are undefined afterwards. Where this
 * member's slice is empty `make` gets no addresses; it may have to exchange even so. */
typedef struct hb_slices {
    const hb_batch *a; /* [operands] */
    uint32_t operands;
    hb_batch v, r;
    bool set;
    hb_status (*make)(hb_divided *div, const void *context, hb_batch r, hb_batch v, const hb_batch *a, size_t first);
    const void *context;
} hb_slices;

/* Does the operation, piece by piece. Collective. */
hb_status hb_divided_slices(hb_divided *div, const hb_slices *s);
/* Returns the words that travel there and back for the member that gets most: all limbs of a slice come here, and the
 * own limbs of the other slices come back. */
double hb_divided_slices_words(const hb_divided *div, const hb_slices *s);
/* Returns the words that a polynomial takes of a workspace in it. */
size_t hb_divided_slices_each(const hb_divided *div, const hb_slices *s);

/* The groups of operations of ring/engine.h that exchange or wait, in the files named. */
extern const hb_ring_ops hb_divided_ring_ops;       /* words.c */
extern const hb_ntt_ops hb_divided_ntt_ops;         /* gather.c */
extern const hb_product_ops hb_divided_product_ops; /* gather.c */
extern const hb_rns_ops hb_divided_rns_ops;         /* convert.c */
extern const hb_garner_ops hb_divided_garner_ops;   /* norm.c */
extern const hb_row_ops hb_divided_row_ops;
#endif
