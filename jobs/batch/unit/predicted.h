/* The known bounds of a dataset's noise before anything is decrypted, and whether measurements agree with them. */
#ifndef HB_BATCH_UNIT_PREDICTED_H
#define HB_BATCH_UNIT_PREDICTED_H

#include <jansson.h>

#include "cli/console.h"
#include "unit_decrypt.h"

/* Returns the quality of any ciphertext of a dataset. Evaluated ones: the header's. Fresh ones (scheme/quality.h): the
 * worst of both error distributions, over the declared ranges, or over all values where none is declared. */
hb_quality hb_predicted_quality(const hb_params *params, const hb_header *header);

/* Bits of quality in a scheme (scheme/quality.h): at least `worst`, with that certainty, about `expected`. assumed:
 * `worst` holds if the importer of the ciphertexts was right. unranged: the range of the values is unknown; the bits
 * then lack the rounding of doubles in decoding, so users are not shown them. */
typedef struct hb_predicted {
    hb_scheme scheme;
    hb_cell_type cells;
    double worst, expected;
    double approximate; /* the part of the worst error that comes from approximated functions; 0: none */
    bool assumed, unranged;
    hb_certainty certainty;
} hb_predicted;
/* Returns how certain a bound is: "proven", "drawn" or "likely". */
const char *hb_certainty_word(hb_certainty certainty);
/* Returns "assumed", or that of `worst`. */
const char *hb_predicted_word(hb_predicted predicted);
/* The text shown instead of bits where the range is unknown; reports have null there. */
extern const char hb_predicted_unranged[];
/* Returns the number as JSON. NULL, for members to leave out, for 0, and where no bits are proven (`worst` below 0): a
 * bound on approximations says nothing then. */
json_t *hb_predicted_approximate_json(double approximate, double worst);
/* Returns the bits of decrypted values: the error of decoding is included. */
hb_predicted hb_predicted_budget(const hb_params *params, const hb_header *header);
/* Returns the proven, or assumed, bound on the error of reals; 0 for integers. */
double hb_predicted_tolerance(hb_predicted predicted);

/* Returns {hb_predicted_word, "expected"}, with null for bits that users are not shown; NULL when out of memory. */
json_t *hb_predicted_plan_json(hb_predicted predicted);
/* Prints the bits in a plan, as a result or in the log (hb_console_speaker). `source` begins the reason why bits are
 * assumed: "inputs are". */
void hb_predicted_plan_print(const hb_group *group, const hb_common *common, hb_predicted predicted, const char *source,
                             bool result);

/* ", 2^-16.3 of it by approximation": a part of the worst error; "" where there is none, or no bits are proven. */
typedef struct hb_predicted_share {
    char text[64];
} hb_predicted_share;
hb_predicted_share hb_predicted_part(double approximate, double worst);

/* Warns and returns false when fewer bits were measured than the bound says: the dataset is not as its header says, or
 * a bound is wrong. Returns true where nothing was measured. `name`: of the dataset. */
bool hb_predicted_judge(const hb_group *group, const char *name, hb_predicted predicted,
                        const hb_quality_measured *measured);
/* Returns whether anything was measured. */
bool hb_predicted_is_measured(hb_predicted predicted, const hb_quality_measured *measured);
/* Print a result line; and return {"least", "mean", hb_predicted_word, "expected"}, NULL when out of memory. */
void hb_predicted_print(const hb_group *group, const hb_common *common, hb_predicted predicted,
                        const hb_quality_measured *measured);
json_t *hb_predicted_json(hb_predicted predicted, const hb_quality_measured *measured);

#endif
