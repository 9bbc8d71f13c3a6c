/* Counts the work of a job (device/work.h) by the one cost model (lang/cost): the shares of ranks, and work without a
 * program. */
#ifndef HB_BATCH_UNIT_WORK_H
#define HB_BATCH_UNIT_WORK_H

#include "device/work.h"
#include "io/dataset/dataset.h"
#include "io/table/table.h"
#include "lang/division/division.h"
#include "lang/program/opcode.h"
#include "scheme/sanitize.h"

/* Return the work of the rank with most, when `ranks` ranks divide all ciphertexts of the header: what is computed,
 * cells that are arranged, and what is read, written and moved. First: of encrypting these tables. Second: of
 * decrypting to a table of that name; NULL: to none. Text is made after the loop. */
hb_work hb_work_encrypt(const hb_params *params, const hb_header *header, hb_table_list tables, int ranks);
hb_work hb_work_decrypt(const hb_params *params, const hb_header *header, const char *output, int ranks);
/* Returns the work of verifying checksums alone. */
hb_work hb_work_verify(const hb_params *params, const hb_header *header, int ranks);
/* Returns the same for adding `inputs` datasets of such ciphertexts. */
hb_work hb_work_add(const hb_params *params, const hb_header *header, uint64_t inputs, int ranks);
/* How each ciphertext of a dataset is changed: by an operation at one level, so often, with so many keys. */
typedef struct hb_work_changing {
    hb_opcode op; /* HB_OP_ROTATE: a key switch; HB_OP_REFRESH: at the level of results */
    uint32_t times, keys;
} hb_work_changing;
/* Returns the same for changing each ciphertext of a dataset with the header `from`, to one like `header`, and of
 * preparing the keys for it. */
hb_work hb_work_change(const hb_params *params, const hb_header *header, const hb_header *from, hb_work_changing how,
                       int ranks);
/* Adds the work of sanitizing (scheme/sanitize.h), by that plan, ciphertexts that the work is over and that are stored
 * as the header says, and of writing them: the noise is drawn on the host. */
void hb_work_add_sanitizing(hb_work *work, const hb_header *header, const hb_sanitize_plan *plan, int ranks);
/* Returns the work of making a key pair, which one rank does, and `keys` switching keys. */
hb_work hb_work_keygen(const hb_params *params, uint32_t keys);
/* Returns the work, on one rank, of one layer over a table with this packing, in transforms of a core (lang/cost): a
 * product of its columns with a square matrix, and the square of each value. It ranks packings where the later
 * computation is not known yet. Infinite for rows without blocks, which cannot be computed with. */
double hb_work_layer(const hb_params *params, const hb_packing *packing);
/* Returns the work of a program over `blocks` row blocks, with its switching keys and `held` bytes of diagonals (of the
 * rank with most, where limbs are divided), which each rank prepares; of totals that ranks, and queues of a CPU,
 * divide. Files are the caller's. */
hb_work hb_work_program(const hb_params *params, const hb_program *program, uint64_t blocks, uint32_t keys,
                        uint64_t held, hb_totals_lanes lanes);

#endif
