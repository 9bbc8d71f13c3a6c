/* The parts of hebatch info. Each prints results, or with --json one document. */
#ifndef HB_COMMANDS_INFO_H
#define HB_COMMANDS_INFO_H

#include "cli/common.h"
#include "mpi/group/group.h"
#include "rlwe/params.h"

/* Two lines: parameters, security. */
void hb_info_print_params(const hb_group *group, const hb_common *common, const hb_params *params);
/* A file of a key pair; of a switching key, read in full. */
hb_status hb_info_key(const hb_group *group, const hb_common *common, const char *path);
hb_status hb_info_switch_key(const hb_group *group, const hb_common *common, const char *path);
/* A directory of keys: what each is for, its size, and whose it is where it belongs to another pair than the first.
 * Switching keys are looked at, not read. */
hb_status hb_info_keys(const hb_group *group, const hb_common *common, const char *directory);

#endif
