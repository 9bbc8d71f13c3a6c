/* The serving end: where jobs arrive, and by which way all ranks of the server get them. Rank 0 listens in the folder.
 * The others, all of the same host, wait at a connection to it, in no call of their group: they may wait for days. */
#ifndef HB_SERVER_POST_H
#define HB_SERVER_POST_H

#include "client/request.h"
#include "device/cache_file.h"
#include "facts.h"
#include "machine/background.h"
#include "mpi/group/group.h"

/* A client that has connected, and sends its request until then, by hb_now, or is forgotten. */
typedef struct hb_post_client {
    int fd;
    double until;
} hb_post_client;
enum { HB_POST_WAITING = 32 }; /* clients that may be so at a time */

typedef struct hb_post {
    const hb_group *group;
    int folder, lock, jobs; /* of rank 0, which listens for `jobs`; else -1 */
    int *rank;              /* [ranks] connections to the other ranks; of these, to rank 0; owned */
    int ranks;
    hb_post_client come[HB_POST_WAITING]; /* [waiting] of rank 0, owned; the longest one there first */
    int waiting;
    int client;                      /* who handed the job over that runs; -1: none does */
    int stopper;                     /* who asked for the end; -1: nobody did */
    int over;                        /* an eventfd, by which the thread below hears that the job has ended */
    hb_background watch;             /* of rank 0: passes on what comes from the client while its job runs */
    char build_id[HB_BUILD_ID_TEXT]; /* of this program */
} hb_post;

/* Makes the folder of a server, where it is not there, brings the ranks together, states the facts `first` of rank 0,
 * and listens for jobs. The caller forgets what is stated. Collective, the same status on all ranks: HB_ECREATE where
 * another server is there; HB_EPERM for a folder that others may use; HB_ECONFIG for ranks of several hosts; HB_ENOMEM,
 * HB_EIO, HB_ECOMM. The caller closes, also after a failure. */
hb_status hb_post_open(hb_post *post, hb_group *group, const char *path, hb_server_facts *first);
/* Waits for the next job, on each rank by itself. *ended: there is none, as nobody handed one over for `idle` seconds
 * (0: no limit), a signal to any rank or a client asked for the end, or rank 0 ended. A client that sends no proper
 * request is told so, and forgotten. HB_ECOMM where another rank is gone; HB_EIO. The caller clears the request. */
hb_status hb_post_next(hb_post *post, double idle, hb_request *request, bool *ended);
/* Tells the client that its job begins, and passes on its signals from now on (hb_stop_pass_on), to a run that
 * hb_stop_watch has begun; its end is a request to stop. Nothing on other ranks. HB_ENOMEM. */
hb_status hb_post_begin_job(hb_post *post);
/* Tells the client how its job ended; `told`: the reason stands on the client's stderr already. Nothing on other
 * ranks. */
void hb_post_end_job(hb_post *post, hb_status code, const hb_error *error, bool told);
/* Closes the connections between the ranks: the other ranks hear that there are no more jobs. Not collective. */
void hb_post_part(hb_post *post);
/* Stops listening, gives the folder free, and answers the client who asked for the end. Not collective. */
void hb_post_close(hb_post *post);

#endif
