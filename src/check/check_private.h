/* Declarations that the files of this room share: operands that exist twice, once on the checked engine and once on the
 * CPU engine, whose memory is the host's. */
#ifndef HB_CHECK_CHECK_PRIVATE_H
#define HB_CHECK_CHECK_PRIVATE_H

#include <stdbool.h>

#include "check.h"
#include "ring/bfv_ops.h"
#include "ring/real_ops.h"

/* The two sides: the engine that is checked, and the CPU engine. */
enum { HB_CHECKED, HB_CPU, HB_SIDES };

/* Words of residues on both sides. Word j of limb l of polynomial c is memory[head + c * stride + l * n + j], or, by
 * limbs, there are limb after limb `count` rows of n words, of packed rows where n = 0. Words that belong to none of
 * these are there to be left alone. */
typedef struct hb_check_area {
    const uint16_t *ids; /* [limbs]; NULL: these words have no modulus */
    uint32_t limbs;
    size_t count, n, stride, head;
    bool by_limbs;
    size_t words; /* all words, those around the polynomials too */
    uint64_t *memory[HB_SIDES];
} hb_check_area;

/* Two engines and host memory for comparisons of their words. */
typedef struct hb_check_pair {
    hb_engine *engine[HB_SIDES];
    uint64_t *host; /* room for any area that is compared */
} hb_check_pair;

/* Operands of the operations. */
typedef enum hb_check_operand {
    HB_CHECK_R, /* results; canonical at any time */
    HB_CHECK_A,
    HB_CHECK_B,
    HB_CHECK_ONE, /* a single polynomial */
    HB_CHECK_SCRATCH,
    HB_CHECK_DENSE, /* their coefficients from the first border of slices on, and no others */
    HB_CHECK_APART, /* twice their limbs, each id twice in a row */
    HB_CHECK_PLAIN,
    HB_CHECK_PLAIN_GAMMA,
    HB_CHECK_TERMS,  /* plaintexts of few terms, and of many */
    HB_CHECK_LIFTED, /* as many, as factors */
    HB_CHECK_LEFT,   /* ciphertexts of up to 3 components */
    HB_CHECK_RIGHT,
    HB_CHECK_PRODUCTS, /* theirs */
    HB_CHECK_DIGITS,   /* of key switching */
    HB_CHECK_KEY,      /* of more limbs and more parts than digits ask for */
    HB_CHECK_OWN_KEY,  /* of their limbs only */
    HB_CHECK_SWITCHED,
    HB_CHECK_ZEROS,
    HB_CHECK_MAP,
    HB_CHECK_PACKED, /* a row before the first, another behind the last */
    HB_CHECK_DIGESTS,
    HB_CHECK_NORMS,
    HB_CHECK_OUT_OF_RANGE,
    HB_CHECK_SLOTS, /* reals */
    HB_CHECK_COEFFICIENTS,
    HB_CHECK_BORDERS,      /* reals where rounding and refusal change */
    HB_CHECK_WIDE,         /* double-doubles */
    HB_CHECK_WIDE_BORDERS, /* where their rounding and refusal change */
    HB_CHECK_REFUSED,
    HB_CHECK_OPERANDS
} hb_check_operand;

/* Base conversions, by their parts beside a matrix. */
typedef enum hb_check_conversion {
    HB_CHECK_TO_PLAIN_GAMMA,
    HB_CHECK_FROM_PLAIN_GAMMA,
    HB_CHECK_SCALED,
    HB_CHECK_BINARY,        /* an overflow mod 2^32 */
    HB_CHECK_BINARY_BORDER, /* whose centring is met on both sides of its border */
    HB_CHECK_MODULAR,       /* an overflow mod a prime, at the border; keeps limbs of the target */
    HB_CHECK_GAMMA_OVERFLOW,
    HB_CHECK_CENTRED, /* an overflow of centred sources, at the border of which words are taken as they are */
    HB_CHECK_ROUNDED, /* an overflow that is also rounded; keeps limbs likewise */
    HB_CHECK_CONVERSIONS
} hb_check_conversion;

/* Tables of slots: in powers of 5, in powers of 3, and both with wide coefficients. */
enum { HB_CHECK_FIVES, HB_CHECK_THREES, HB_CHECK_WIDE_FIVES, HB_CHECK_WIDE_THREES, HB_CHECK_TABLES };

/* The operands and constants of one shape. The constants are any residues: no operation can tell. */
typedef struct hb_check {
    hb_check_pair pair;
    hb_check_shape shape;
    const hb_ring *ring;
    uint16_t plain_gamma_ids[2];
    uint16_t apart_ids[2 * HB_MAX_LIMBS]; /* [2 * limbs] */
    /* [switch_limbs] the shape's without the last but one, as below the first level, ascending; [key_limbs] 0, 1, .. */
    uint16_t switch_ids[HB_MAX_LIMBS], key_ids[HB_MAX_LIMBS];
    uint32_t switch_limbs, key_limbs, digits;
    hb_check_area area[HB_CHECK_OPERANDS];
    hb_seed *seeds;    /* [count] */
    uint64_t *factors; /* [limbs]; of scaling, and every other table of one residue a limb */
    uint64_t *norms;   /* [count][limbs] */
    hb_base_conversion conversion[HB_CHECK_CONVERSIONS];
    hb_basis basis;
    hb_garner garner;
    hb_scale_plain scale_plain;
    hb_plain_lift plain_lift;
    hb_gamma_correction gamma_correction;
    hb_drop_last drop_last, drop_gamma;
    hb_composition composition;
    hb_slot_tables slot_tables[HB_SIDES][HB_CHECK_TABLES];
} hb_check;

#define HB_CHECK_SCALE 0x1.0123456789abcp+40 /* of reals: as that of a level, no power of two */

/* Makes the operands on both sides, with the same words, and the constants. *k is zero before; the caller clears it,
 * also after a failure. HB_ENOMEM; HB_ECONFIG when the moduli are not coprime. */
hb_status hb_check_init(hb_check *k, hb_engine *engine, hb_engine *cpu, const hb_check_shape *shape);
void hb_check_clear(hb_check *k);
/* Fills in reals in [-1, 1), as many bits long as doubles are, and their least and greatest. */
void hb_check_fill_reals(const hb_check_area *a, uint64_t *words, uint64_t *state);
/* Fills in reals around which rounding to an integer changes, of both signs: ties, the ends of ranges of integers in
 * doubles, some refused values, and NaN. */
void hb_check_fill_borders(const hb_check_area *a, uint64_t *words, uint64_t *state);
/* Fills in double-doubles likewise, whose low parts are ties, or decide about those of high parts. */
void hb_check_fill_wide_borders(const hb_check_area *a, uint64_t *words, uint64_t *state);
/* Return the engine of a side, and an operand of residues there as a batch; `which` is an int as rows have it. */
hb_engine *hb_check_engine(const hb_check *k, int side);
hb_batch hb_check_view(const hb_check *k, int side, int which);
hb_batch hb_check_result(const hb_check *k, int side); /* HB_CHECK_R */
/* Makes HB_CHECK_NORMS of the norms of a. */
hb_status hb_check_norm(hb_check *k, int side, hb_batch a);

/* Returns the area of two batches of one shape, one on each side, with no words before them. */
hb_check_area hb_check_area_of(const hb_batch b[HB_SIDES], size_t n);
/* Waits for both sides and compares the area word by word. `what` begins the message. HB_EUNAVAILABLE. */
hb_status hb_check_compare(const hb_check_pair *pair, const char *what, const hb_check_area *area);
/* Returns st; a failure gets the operation's name before its text. */
hb_status hb_check_named(const char *what, hb_status st);

/* Calls an operation on one side. `with` is the row's member of that name. */
typedef hb_status (*hb_check_call)(hb_check *k, int side, int with);
/* One comparison: an operation with its operands, and the area of its result. */
typedef struct hb_check_row {
    const char *name;
    hb_check_call run; /* NULL: compares only the second result of the row before */
    int with;          /* an operand, or a distribution */
    hb_check_operand result;
    hb_check_call second_way; /* how the CPU engine comes to the same; NULL: it does as the engine that is checked */
} hb_check_row;

/* All rows, every operation of ring/engine.h; a row without a name ends each table. From the conversions on the order
 * matters. */
extern const hb_check_row hb_check_polynomials[], hb_check_products[], hb_check_conversions[], hb_check_slices[],
    hb_check_fused[], hb_check_reals[];

/* Two operands of a call, or an operand and a small number, in hb_check_row.with. */
#define HB_CHECK_BOTH(a, b) ((a) | (b) << 8)
#define HB_CHECK_FIRST_OF(with) ((with)&UINT8_MAX)
#define HB_CHECK_SECOND_OF(with) ((with) >> 8)

/* Returns a residue mod m; any word for m = 0. */
uint64_t hb_check_residue(uint64_t m, uint64_t *state);

/* Returns the next of a sequence of words that look random (splitmix64). */
uint64_t hb_check_random(uint64_t *state);

#endif
