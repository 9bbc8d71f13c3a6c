/* The jobs of the commands that decrypt: to a table, from a key or from parts; to a part; and from parts to a dataset
 * under the key of their receiver. */
#ifndef HB_COMMANDS_DECRYPT_H
#define HB_COMMANDS_DECRYPT_H

#include <jansson.h>

#include "parts/part_job.h"
#include "parts/received_job.h"
#include "recompute.h"
#include "tables/decrypt_job.h"

/* Run the job of a checked command line, report and print the result; of a part, once the dataset is computed again, if
 * `again` is not NULL. Collective, with the same status on all ranks: that of the job, or HB_ENOMEM. */
hb_status hb_decrypt_run(hb_group *group, const hb_common *common, const hb_decrypt_options *options);
hb_status hb_decrypt_part_run(hb_group *group, const hb_common *common, const hb_part_options *options,
                              const hb_recompute_request *again);
hb_status hb_combine_dataset_run(hb_group *group, const hb_common *common, const hb_received_options *options);
/* Returns the names of the owners whose parts are combined; NULL when out of memory. */
json_t *hb_parts_json(const hb_part_inputs *inputs);

#endif
