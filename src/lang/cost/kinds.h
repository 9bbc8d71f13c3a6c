/* Amounts of work, by kind. The first kind is all of it in transforms of one limb, as long as a core takes for it
 * (rates.h): who only compares, compares these. The others say what the work consists of; each has a rate of its own on
 * every device (device/speed.h). A limb is N words of 8 bytes. Where ranks share limbs, computing is counted for all
 * limbs, and what comes from other ranks for the rank that gets most, as parameters are divided now. */
#ifndef HB_LANG_COST_KINDS_H
#define HB_LANG_COST_KINDS_H

typedef enum hb_cost_kind {
    HB_COST_CORE,        /* transforms of one limb that a core takes as long as, for all of the work */
    HB_COST_TRANSFORMS,  /* transforms of one limb, with the words that they read and write */
    HB_COST_WORDS,       /* other limbs that are read or written */
    HB_COST_CONVERSIONS, /* pairs of a limb and a limb that a conversion between bases multiplies it for */
    HB_COST_DIGESTS,     /* limbs that are packed or unpacked, with their sums */
    HB_COST_DRAWS,       /* limbs of random words */
    HB_COST_ONCE,        /* limbs of keys and diagonals that are read once for a whole batch */
    HB_COST_LAUNCHES,    /* kernels that are started, once for a whole batch */
    HB_COST_GATHERED,    /* limbs that come from other ranks, each of which sends the same to all */
    HB_COST_SLICED,      /* limbs that come in slices, to every rank another one */
    HB_COST_TRANSFERS,   /* that these take, once for a whole batch */
    HB_COST_KINDS
} hb_cost_kind;

/* Whether a kind is of what ranks that share limbs exchange, and not of computing. */
static inline int hb_cost_is_exchange(hb_cost_kind kind)
{
    return kind == HB_COST_GATHERED || kind == HB_COST_SLICED || kind == HB_COST_TRANSFERS;
}

/* Zeroed: no work. */
typedef struct hb_cost {
    double of[HB_COST_KINDS];
} hb_cost;

/* Adds `times` times *more. */
static inline void hb_cost_add(hb_cost *to, double times, const hb_cost *more)
{
    for (int k = 0; k < HB_COST_KINDS; k++) {
        to->of[k] += times * more->of[k];
    }
}

#endif
