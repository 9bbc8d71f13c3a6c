/* What is known of the noise of a dataset before anything is decrypted, and whether what was measured agrees. */
#ifndef HB_BATCH_PREDICTED_H
#define HB_BATCH_PREDICTED_H

#include <jansson.h>

#include "cli/console.h"
#include "unit_decrypt.h"

/* Returns the quality of any ciphertext of a dataset: what the header says of evaluated ones, and what follows for
 * fresh ones (scheme/quality.h), whose errors may be of either distribution, and of whose values the header knows
 * ranges or nothing. */
hb_quality hb_predicted_quality(const hb_params *params, const hb_header *header);

/* Bits of quality in a scheme (scheme/quality.h): at least `worst`, about `expected`; assumed: if who imported
 * ciphertexts was right; unranged: the range of the values is unknown, and the bits are without what doubles add when
 * values are decoded, so nobody is told of them. */
typedef struct hb_predicted {
    hb_scheme scheme;
    hb_cell_type cells;
    double worst, expected;
    double approximate; /* how much of the worst error comes of functions that were approximated; 0: nothing */
    bool assumed, unranged;
} hb_predicted;
/* Returns "proven" or "assumed". */
const char *hb_predicted_word(hb_predicted predicted);
/* What people are told instead of bits where the range is unknown; and what reports say of such bits: null there. */
extern const char hb_predicted_unranged[];
/* Returns the number; NULL, for members that are not there, of 0, and where no bits are proven (`worst` below 0): what
 * approximations are bounded by then says nothing. */
json_t *hb_predicted_approximate_json(double approximate, double worst);
/* Returns bits; null of those that nobody is told. */
json_t *hb_predicted_bits_json(hb_predicted predicted, double bits);
/* Returns the bits of values that are decrypted: with what decoding adds. */
hb_predicted hb_predicted_budget(const hb_params *params, const hb_header *header);
/* Returns within what reals are proven to be right, or assumed; 0 of integers. */
double hb_predicted_tolerance(hb_predicted predicted);

/* A text: "15.1 bits at least" with the words `some`; `none` of bits below 0, with the error that is bounded all the
 * same, "none proven (errors up to 2^3.2)". */
typedef struct hb_predicted_text {
    char text[64];
} hb_predicted_text;
hb_predicted_text hb_predicted_bits(double bits, const char *some, const char *none);

/* ", 2^-16.3 of it by approximation", of the worst error; "" where there is none, and where that has no bits. */
typedef struct hb_predicted_share {
    char text[64];
} hb_predicted_share;
hb_predicted_share hb_predicted_part(double approximate, double worst);

/* Warns when less was measured than is proven, or was assumed: the dataset is not what its header says, or a bound is
 * wrong. `name`: of the dataset. */
void hb_predicted_judge(const hb_group *group, const char *name, hb_predicted predicted,
                        const hb_quality_measured *measured);
/* Returns whether anything was measured. */
bool hb_predicted_is_measured(hb_predicted predicted, const hb_quality_measured *measured);
/* Prints a result line; and returns {"least", "mean", "proven" or "assumed", "expected"}, NULL when out of memory. */
void hb_predicted_print(const hb_group *group, const hb_common *common, hb_predicted predicted,
                        const hb_quality_measured *measured);
json_t *hb_predicted_json(hb_predicted predicted, const hb_quality_measured *measured);

#endif
