/* Sanitizes ciphertexts on their way into a dataset (scheme/sanitize.h). */
#ifndef HB_BATCH_UNIT_UNIT_SANITIZE_H
#define HB_BATCH_UNIT_UNIT_SANITIZE_H

#include "cli/common.h"
#include "io/dataset/dataset.h"
#include "ranks/session.h"
#include "rlwe/ciphertexts.h"
#include "scheme/sanitize.h"
#include "unit_order.h"

typedef struct hb_unit_sanitizer {
    hb_engine *engine;
    const hb_params *params;
    const hb_header *header; /* of the dataset, borrowed */
    hb_sanitize_plan plan;
    hb_unit_order order_from, order_to; /* of totals in reverse, at the limbs before and behind; else not open */
    hb_sanitizer *sanitizer;
    hb_ciphertexts c;       /* [batch] of the limbs before */
    hb_filled_slots *cells; /* [batch] */
    size_t batch;
} hb_unit_sanitizer;

/* How an output of a job is sanitized. */
typedef struct hb_sanitizing {
    hb_sanitize_plan plan;
    hb_seed root; /* of its draws; secret, but of one that is opened */
} hb_sanitizing;

/* Takes the value of --bits: HB_NOT_GIVEN means HB_SANITIZE_BITS. HB_EUSAGE for fewer than HB_SANITIZE_LEAST_BITS, or
 * more than HB_SANITIZE_MOST_BITS. */
hb_status hb_sanitize_bits(uint64_t given, uint32_t *bits);
/* Returns the bits of budget that are left: HB_SANITIZE_LEAVE, and under joint keys so many more that parts of
 * decryptions can be made, if there can be any. Pure. */
uint32_t hb_sanitize_leave(const hb_params *params);
/* Plans sanitizing, to 2^-bits, all ciphertexts of a dataset that is made with this header and proven noise; 0: opening
 * them. Changes the header to that of the sanitized table: limbs, bounds of the noise, and the past of the ciphertexts,
 * to which the caller adds the seed of opened ones. Units have the same ciphertexts. `name` is for messages. HB_EDATA
 * where the budget is too short, noise is not proven, or the scheme is not BFV; HB_EUSAGE as
 * hb_sanitize_plan_make. */
hb_status hb_header_sanitize(hb_header *header, const hb_params *params, hb_quality noise, uint32_t bits,
                             const char *name, hb_sanitize_plan *plan);

/* Prints, for a plan, how ciphertexts are sanitized, and what it takes of `budget` proven bits. results: as results,
 * else into the log. */
void hb_sanitizing_print(const hb_group *group, const hb_common *common, const hb_params *params,
                         const hb_header *header, const hb_sanitize_plan *plan, double budget, bool results);

/* Makes a sanitizer for the dataset of that header, which says the encoding. engine: that of the public key or a fork
 * of it. Allocates workspace for `batch` ciphertexts at a time. Borrows key and header. The caller clears, also after a
 * failure; a zeroed struct is allowed. HB_ENOMEM; errors of hb_sanitizer_open. */
hb_status hb_unit_sanitizer_init(hb_unit_sanitizer *x, hb_engine *engine, const hb_public_key *key,
                                 const hb_header *header, const hb_sanitize_plan *plan, size_t batch);
void hb_unit_sanitizer_clear(hb_unit_sanitizer *x);
/* Returns the bytes of the engine's memory that it takes; where limbs are divided, on the member with most. */
uint64_t hb_unit_sanitizer_bytes(const hb_params *params, hb_encoding encoding, const hb_sanitize_plan *plan,
                                 size_t batch);
/* Returns room for `count` <= batch ciphertexts of plan.from limbs, which the caller fills: component 0 in the order of
 * files, as rows are. */
hb_ciphertexts hb_unit_sanitizer_room(const hb_unit_sanitizer *x, size_t count);

/* Some ciphertexts: number, number + stride, ... of their dataset. All draws are functions of a root and `draw`, draw +
 * 1, ..., which no other ciphertexts of this root have. */
typedef struct hb_unit_numbers {
    uint64_t number, stride, draw;
} hb_unit_numbers;
/* Sanitizes the first `count` in the room: *out is a view of them, of plan.to limbs, component 0 in the order of files.
 * Waits; exchanges. */
hb_status hb_unit_sanitize(hb_unit_sanitizer *x, size_t count, hb_unit_numbers numbers, const hb_seed *root,
                           hb_ciphertexts *out);

#endif
