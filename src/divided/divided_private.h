/* What the files of the divided engine share. Operations are of three kinds: on the limbs that are here, by the device,
 * which the front end sees to (ring/local.h); on all limbs, after gathering them (gather.c); on slices of the
 * coefficients, which travel there and back (slices.c). Base conversions have the choice (convert.c). */
#ifndef HB_DIVIDED_DIVIDED_PRIVATE_H
#define HB_DIVIDED_DIVIDED_PRIVATE_H

#include "engine.h"
#include "ring/local.h"
#include "rotation.h"

/* Words of each member that one hb_divided_gather_words may bring: digits of 64 numbers at least. */
#define HB_DIVIDED_WORDS ((size_t)HB_MAX_LIMBS * 64)

typedef struct hb_divided {
    hb_engine base; /* its device: owned; its map: borrowed */
    hb_exchange *exchange;
    hb_division division;
    hb_rotation *rotation; /* one for an engine and its forks */
    bool pending;          /* transfers were begun and not settled since, ... */
    uint64_t last;         /* ... this one last */
    uint64_t *work;        /* of one operation at a time, memory of the device; two halves, for pieces in turn */
    size_t half_words;     /* of each */
    uint64_t memory;       /* that may be held on the device; 0: any */
    uint64_t *words;       /* host, [members][HB_DIVIDED_WORDS] */
    /* Constants of one operation at a time, cut to the limbs that are here. */
    uint64_t matrix[HB_MAX_LIMBS * HB_MAX_LIMBS], row[2][HB_MAX_LIMBS];
} hb_divided;

static inline hb_divided *hb_divided_of(hb_engine *e)
{
    return (hb_divided *)(void *)e; /* base is the first member */
}

/* Whether each limb of a list has one owner: the same answer everywhere. No list has both such limbs and limbs that
 * every member holds (HB_ASSERT). Some members may own none of a list, and others several. */
bool hb_is_divided(const hb_divided *div, const uint16_t *ids, uint32_t limbs);

/* Transfers, in the turn of the queue (rotation.h). */
hb_status hb_divided_start(hb_divided *div, const hb_transfer *transfer, uint64_t *ticket);
hb_status hb_divided_wait(hb_divided *div, uint64_t ticket);
/* Before every wait for the device. */
hb_status hb_divided_settle(hb_divided *div);
/* div->words = the `mine` (host, [count <= HB_DIVIDED_WORDS]) of every member, one after the other. */
hb_status hb_divided_gather_words(hb_divided *div, const uint64_t *mine, size_t count);

/* all: every limb of polynomials first .. of what was gathered; scattered. A polynomial takes the words of all its
 * limbs in a workspace. */
typedef hb_status (*hb_gathered)(hb_divided *div, const void *context, hb_batch all, size_t first);
/* Gathers a, divided, piece by piece, and gives them to `use`. */
hb_status hb_divided_gather(hb_divided *div, hb_batch a, hb_gathered use, const void *context);
/* All limbs of a slice of a, and of v where that is `set` (limbs 0: there is no v), come to the member of the slice;
 * `make` computes with them what goes back, into r (limbs 0: nothing does). All divided, of as many polynomials and
 * coefficients, and scattered for `make`. r may be a, or v: for make too, but only the limbs that are here then stand
 * in one place. What stands in v afterwards is undefined. Where this member's slice is empty `make` gets no addresses;
 * it may have to exchange even so. */
typedef struct hb_slices {
    hb_batch a, v, r;
    bool set;
    hb_status (*make)(hb_divided *div, const void *context, hb_batch r, hb_batch v, hb_batch a, size_t first);
    const void *context;
} hb_slices;

hb_status hb_divided_slices(hb_divided *div, const hb_slices *s);
size_t hb_divided_slices_each(const hb_divided *div, const hb_slices *s);
/* Coefficients of the widest slice of n. */
size_t hb_slice_most(const hb_divided *div, size_t n);

/* The operations of ring/engine.h that exchange or wait, in the files named. */
extern const hb_ring_ops hb_divided_ring_ops;       /* words.c */
extern const hb_ntt_ops hb_divided_ntt_ops;         /* gather.c */
extern const hb_product_ops hb_divided_product_ops; /* gather.c */
extern const hb_rns_ops hb_divided_rns_ops;         /* convert.c */
extern const hb_garner_ops hb_divided_garner_ops;   /* norm.c */
extern const hb_row_ops hb_divided_row_ops;         /* words.c */

#endif
