#include "joint_job.h"

#include <stdlib.h>
#include <string.h>

#include "batch/unit/work.h"
#include "io/files/durable.h"

hb_status hb_joint_job_open(hb_joint_job *job, const char *folder)
{
    char *path;
    *job = (hb_joint_job){.folder = folder};
    HB_TRY(hb_path_with(folder, "/" HB_SESSION_FILE, &path));
    const hb_status st = hb_session_file_read(path, &job->file);
    free(path);
    HB_TRY(st);
    HB_TRY(hb_session_open_keyless(&job->session, &job->file.spec));
    return hb_joint_rounds_open(&job->rounds, folder, &job->file, job->session.params);
}

hb_status hb_joint_job_start(hb_joint_job *job, hb_group *group, const hb_device_choice *choice)
{
    const hb_joint_session *session = &job->file.session;
    uint32_t keys = session->rotation_count + 3;
    for (uint32_t i = 0; i < job->rounds.count; i++) {
        keys += job->rounds.file[i].round.session.rotation_count + 3;
    }
    keys *= session->owners; /* made, or added up */
    const hb_work work = hb_work_keygen(job->session.params, keys);
    HB_TRY(hb_device_choose(&job->device, group, choice, &work));
    return hb_session_start(&job->session, group, &job->device, NULL, NULL);
}

void hb_joint_job_close(hb_joint_job *job)
{
    hb_joint_rounds_close(&job->rounds);
    hb_session_close(&job->session);
    hb_session_file_clear(&job->file);
    memset(job, 0, sizeof *job);
}
