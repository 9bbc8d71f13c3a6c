/* A session of joint keys that is there: its parameters, on the engine of a device. One process. */
#ifndef HB_OWNERS_JOINT_JOB_H
#define HB_OWNERS_JOINT_JOB_H

#include "io/joint/party_file.h"
#include "io/joint/session_file.h"
#include "ranks/session.h"
#include "rounds.h"

/* Zeroed: nothing is open. */
typedef struct hb_joint_job {
    const char *folder; /* of the session's files, borrowed */
    hb_session_file file;
    hb_joint_rounds rounds; /* later ones */
    hb_device device;
    hb_session session;
} hb_joint_job;

/* Reads the session of a folder, and its later rounds. HB_ENOINPUT where there is no session; HB_EDATA, HB_ECONFIG. The
 * caller closes *job, also after a failure. */
hb_status hb_joint_job_open(hb_joint_job *job, const char *folder);
/* Opens its engine on a device; group: of one rank. */
hb_status hb_joint_job_start(hb_joint_job *job, hb_group *group, const hb_device_choice *choice);
void hb_joint_job_close(hb_joint_job *job);

#endif
