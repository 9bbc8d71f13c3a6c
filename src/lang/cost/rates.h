/* All numbers of the cost model: how many transforms of one limb a piece of work takes as long as. Measured by `hebatch
 * bench`: on one core at N = 8192 and 32768 where nothing else is said. A reader multiplies them by counts; how long a
 * transform takes on a device is the reader's as well. */
#ifndef HB_LANG_COST_RATES_H
#define HB_LANG_COST_RATES_H

/* For each limb of a ciphertext ... */
#define HB_RATE_CHECKSUM 2.0       /* that is read or written: its words are packed, and their sum is taken */
#define HB_RATE_WORDS 1.5          /* whose words are gone through once: a sum, a product with a number, a rescale */
#define HB_RATE_TIMES_PLAIN 12.0   /* that is multiplied by a plaintext */
#define HB_RATE_TIMES_NUMBER 1.0   /* for each term of a linear combination: of one output, or of several */
#define HB_RATE_TIMES_DIAGONAL 0.3 /* or of its special limbs, for each diagonal of a matrix */
#define HB_RATE_ENCRYPT_PUBLIC 7.0
#define HB_RATE_ENCRYPT_SECRET 5.0
#define HB_RATE_DECRYPT 5.0
#define HB_RATE_SANITIZE 6.0 /* that noise is added to, beside the encryption of zero */
#define HB_RATE_ADD_UP 3.0   /* that is read, its sum looked at, and added to others where it lies */
#define HB_RATE_MOVED 2.0    /* of a total that one rank brings to all others: 0.5 to 1.7 between two ranks of a host */
/* Moving takes so many times as much beside the work of a GPU, which is as much faster than a core. */
#define HB_RATE_MOVED_GPU 50.0
/* Workers and ranks wait for one another, at the end of a stage of totals: an agreement of two ranks of a host takes
 * 0.1 transforms at best, one over a network or beside other work far more. */
#define HB_RATE_STAGE 20.0
/* For each pair of a limb, or a special one, and a digit, one more of each than there are. */
#define HB_RATE_SWITCH 2.5
/* For each pair of a limb, one more, and a limb, two more: a product that converts between bases. */
#define HB_RATE_PRODUCT 5.0
/* For each limb of each polynomial of a switching key, which is made, or brought to an engine. */
#define HB_RATE_KEY_MADE 4.0
#define HB_RATE_KEY_PREPARED 15.0

/* For each limb, of N words, of diagonals that a program holds: they are encoded before it begins. On one core at N =
 * 65536, where memory is new. */
#define HB_RATE_HELD 3.0

/* For each limb of a ciphertext: limbs that are read or written beside its transforms, and limbs of random words that
 * are drawn. A binary or ternary draw takes less of a stream than a uniform one, a wide Gaussian more. */
#define HB_WORDS_ENCRYPT_PUBLIC 12.0
#define HB_WORDS_ENCRYPT_SECRET 3.0
#define HB_WORDS_DECRYPT 6.0
#define HB_DRAWS_ENCRYPT_PUBLIC 1.0
#define HB_DRAWS_ENCRYPT_SECRET 0.5
#define HB_DRAWS_ENCRYPT_REALS 1.4
#define HB_DRAWS_DECRYPT 0.15
#define HB_DRAWS_DECRYPT_REALS 1.0
#define HB_DRAWS_KEY_PREPARED 0.15 /* of a polynomial's limb */
/* Conversions that reals take as long as to be encoded and decoded, for a ciphertext; and integers to be decrypted, for
 * each limb. */
#define HB_CONVERSIONS_ENCODE_REALS 30.0
#define HB_CONVERSIONS_DECODE_REALS 100.0
#define HB_CONVERSIONS_DECRYPT 8.0
/* Kernels that a GPU starts for a batch that is encrypted, decrypted or added up. */
#define HB_LAUNCHES_CIPHERTEXT 16.0

/* In switches of keys: parts of bootstrapping. The maps from slots to coefficients at the lowest levels, those back and
 * the raising of the modulus at the highest, and between these each half, or the only one. Measured on an H200 with
 * boot-16, in batches, where a product with its switch and rescaling takes 290 us at 29 limbs: 0.75 ms, 4.7 ms, and 3.6
 * ms each. A map to coefficients of radix r has about 2 r diagonals, and baby and giant steps as their root: by the
 * times of three maps (24 switches) and of two (69, boot-16-deep: 2.05 ms where three take 0.77) of 2^15 slots. */
#define HB_RATE_MAP_STEPS 0.58
#define HB_RATE_MAP_DIAGONALS 0.148
#define HB_RATE_TO_SLOTS 20.0
#define HB_RATE_EACH_HALF 18.0
/* Ranks that share limbs exchange less often in them than they switch keys, as rotations share digits and divisions. By
 * what two ranks received in bootstraps of boot-test, whose chain is that of boot-16: 200 limbs in the maps and some
 * 320 in each half. */
#define HB_EXCHANGES_TO_COEFFICIENTS 4.0
#define HB_EXCHANGES_TO_SLOTS 6.0
#define HB_EXCHANGES_EACH_HALF 15.0

#endif
