/* The jobs of the commands that decrypt: to a table, from a key or from parts, and to a part. */
#ifndef HB_COMMANDS_DECRYPT_H
#define HB_COMMANDS_DECRYPT_H

#include "parts/part_job.h"
#include "tables/decrypt_job.h"

/* Run the job of a checked command line, report and print the result. Collective, with the same status on all ranks:
 * that of the job, or HB_ENOMEM. */
hb_status hb_decrypt_run(hb_group *group, const hb_common *common, const hb_decrypt_options *options);
hb_status hb_decrypt_part_run(hb_group *group, const hb_common *common, const hb_part_options *options);

#endif
