/* The parts of hebatch info. Each prints results, or with --json one document. */
#ifndef HB_COMMANDS_INFO_H
#define HB_COMMANDS_INFO_H

#include <jansson.h>

#include "cli/console.h"
#include "joint/session.h"
#include "mpi/group/group.h"
#include "rlwe/params.h"

/* Prints two lines: parameters, security; of joint keys a third, their owners. */
void hb_info_print_params(const hb_group *group, const hb_common *common, const hb_params *params);
/* Prints a key file: of a pair, or a switching key, which is read in full. */
hb_status hb_info_key(const hb_group *group, const hb_common *common, const char *path);
hb_status hb_info_switch_key(const hb_group *group, const hb_common *common, const char *path);
/* Prints a directory of keys: the purpose and size of each, and its owner where it belongs to another pair than the
 * first. Looks only at the headers of switching keys. */
hb_status hb_info_keys(const hb_group *group, const hb_common *common, const char *directory);

/* Prints a ledger of parts: how many are recorded; and how many are left, where the session is known, which the file
 * does not say. */
hb_status hb_info_ledger(const hb_group *group, const hb_common *common, const char *path);
/* Prints a file of owners of joint keys, or the folder of a session. */
hb_status hb_info_joint(const hb_group *group, const hb_common *common, const char *path);
/* A session of joint keys, of these parameters of so many owners, or a later round of it. id NULL: it is not fixed yet.
 * All is borrowed. */
typedef struct hb_info_session {
    const hb_params *params;
    const hb_joint_session *session;
    const uint8_t *id; /* [HB_DIGEST_BYTES] */
    uint32_t round;    /* a later one; 0: the session itself */
} hb_info_session;
/* Returns a later round of a session. */
static inline hb_info_session hb_info_round(const hb_params *params, const hb_joint_round *round)
{
    return (hb_info_session){params, &round->session, round->id, round->number};
}
/* Prints all that the owners agree on, with the fingerprint of each, as results or as log; of a later round its id and
 * its keys. */
void hb_info_print_session(hb_speaker say, const hb_group *group, const hb_common *common, const hb_info_session *info);
/* Returns the same; NULL when out of memory. */
json_t *hb_info_session_json(const hb_info_session *info);

#endif
