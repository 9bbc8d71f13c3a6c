/* Decryption from the parts of all owners, in the place of a secret key: what a job that decrypts has for it. */
#ifndef HB_TABLES_COMBINING_H
#define HB_TABLES_COMBINING_H

#include "decryption.h"
#include "part_cells.h"
#include "part_inputs.h"
#include "part_sums.h"
#include "selection.h"

/* The parts, and their sums. Zeroed: a key decrypts. */
typedef struct hb_combining {
    hb_part_inputs inputs;
    hb_part_sums sums;
    hb_part_cells cells;
    bool some; /* the parts are for some cells of the table, not for all */
} hb_combining;

/* Rank-local: opens the job's session without a key, and the parts at these paths for its dataset, which is open.
 * HB_EUSAGE for parts that are for the owner of a key; errors of hb_part_inputs_open. The caller closes, also after a
 * failure, before the session. */
hb_status hb_combining_open(hb_combining *combining, hb_job *job, char *const *paths, size_t count,
                            const hb_dataset *dataset, const char *dataset_path);
void hb_combining_close(hb_combining *combining);
/* Selects the cells that the parts are for. schema: of the table that is shown. HB_ENOMEM; the caller clears. */
hb_status hb_combining_select(const hb_combining *combining, const hb_schema *schema, hb_selection *selection);
/* Returns the bits of budget that are left when parts are added: proven, so expected as well. */
hb_predicted hb_combining_predicted(const hb_combining *combining, const hb_job *job);
/* Returns the bytes of host memory that rows of parts take. */
uint64_t hb_combining_host_bytes(const hb_combining *combining, const hb_job *job);

/* Rank-local: makes the room, and decryptors of phases for each of the job's workers. HB_ENOMEM. */
hb_status hb_combining_prepare(hb_combining *combining, hb_decryption *decryption, const hb_job *job);
/* In a writer's thread: gives cells that the parts are not for, which hold uniform values, some value of their column's
 * range. first, values: as hb_cells_write takes them. */
void hb_combining_fill(const hb_combining *combining, const hb_cells *cells, uint64_t first, size_t count,
                       uint64_t *values);
/* In a worker's thread: adds them up, after their sums were checked, for the decryptor's next unit. */
hb_status hb_combining_add(hb_combining *combining, hb_unit_decryptor *decryptor, uint32_t buffer, uint32_t worker,
                           uint64_t u);

#endif
