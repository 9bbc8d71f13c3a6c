/* The values that units are made of, as the table has them, and whether stored units were made of these. */
#ifndef HB_TABLES_ENCRYPT_VALUES_H
#define HB_TABLES_ENCRYPT_VALUES_H

#include "encrypt_job.h"

/* Reads the values of unit u, which t must hold, into to->values, and their digest under the key of the job's log, in
 * one of the threads of `cells`. HB_EDATA and failures of reading. */
hb_status hb_encrypt_values_read(const hb_encrypt_job *job, const hb_cells *cells, uint32_t thread, uint64_t u,
                                 hb_unit_buffer *to);
/* Finds the units that an earlier job has finished (hb_output_dataset_check) of the values that the table has now. A
 * unit is made again where its values are unknown. HB_EDATA where one was made of other values. Collective. */
hb_status hb_encrypt_values_check(hb_encrypt_job *job);

#endif
