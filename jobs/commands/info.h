/* The parts of hebatch info. Each prints results, or with --json one document. */
#ifndef HB_COMMANDS_INFO_H
#define HB_COMMANDS_INFO_H

#include "cli/common.h"
#include "mpi/group/group.h"
#include "rlwe/params.h"

/* Prints two lines: parameters, security. */
void hb_info_print_params(const hb_group *group, const hb_common *common, const hb_params *params);
/* Prints a key file: of a pair, or a switching key, which is read in full. */
hb_status hb_info_key(const hb_group *group, const hb_common *common, const char *path);
hb_status hb_info_switch_key(const hb_group *group, const hb_common *common, const char *path);
/* Prints a directory of keys: the purpose and size of each, and its owner where it belongs to another pair than the
 * first. Looks only at the headers of switching keys. */
hb_status hb_info_keys(const hb_group *group, const hb_common *common, const char *directory);

#endif
