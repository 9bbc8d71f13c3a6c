/* Facts that a server states about itself, in a file of its folder, as it may be at one job for hours: how long it has
 * been there, what it is at, and what rank 0 held when its last job ended. The file has the form of one build, whose
 * identity it begins with. Rank-local, for rank 0. */
#ifndef HB_SERVER_FACTS_H
#define HB_SERVER_FACTS_H

#include <stdint.h>

#include "cli/common.h"
#include "device/cache_file.h"
#include "mpi/group/group.h"

/* Things that rank 0 held when its last job ended: what a job that runs has loaded is not among them. */
typedef struct hb_held {
    uint64_t count, bytes;
} hb_held;

typedef struct hb_server_facts {
    char build_id[HB_BUILD_ID_TEXT]; /* of who wrote them; what follows may be anything else where that is another */
    char running[16];                /* the command of the job that runs; "": none does */
    double began, since;             /* by hb_now, which all processes of a host share: the server; that job */
    uint64_t ranks, jobs, failed;    /* jobs that have ended, and how many of these not well */
    hb_held keys, datasets, weights;
} hb_server_facts;

/* Writes facts, whose bytes all count, into the folder of a server, and sets their build. Where that cannot be done
 * there are none, which is no failure of a job. */
void hb_server_facts_write(int folder, hb_server_facts *facts);
/* Removes them, and what a server that was killed has left of them. */
void hb_server_facts_forget(int folder);

/* Prints the facts of the server that lives in the folder `path`, with --json as a document. HB_EUNAVAILABLE where none
 * lives, or says nothing; HB_ECONFIG where it is another build; HB_EDATA; HB_ENOMEM; statuses of hb_folder_open. */
hb_status hb_server_facts_show(hb_group *group, const hb_common *common, const char *path);
/* Reads and checks the facts of a server that lives; `path`: its folder, for reasons. Statuses as above. */
hb_status hb_server_facts_read(int folder, const char *path, hb_server_facts *facts);
/* Checks facts that were read, at `now` by hb_now: HB_ECONFIG where another build than this one wrote them; HB_EDATA
 * for all else that no server writes. */
hb_status hb_server_facts_check(const hb_server_facts *facts, const char *build_id, double now);

#endif
