/* The surroundings of a process, by which a job goes: descriptors 0 to 2, working directory, environment, mask of new
 * files. A process that serves puts those of its client in the place of its own, for one job, and takes its own back.
 * Variables that tell libraries of the server's own ranks and GPUs stay; those that told the client of its own parent
 * and of its server are left out. For the main thread, while no other thread looks at any of them. Rank-local. */
#ifndef HB_SERVER_SURROUNDINGS_H
#define HB_SERVER_SURROUNDINGS_H

#include <sys/types.h>

#include "client/request.h"

/* The server's own, while a job has others. Zeroed: nothing is put aside. */
typedef struct hb_surroundings {
    int fd[HB_REQUEST_DESCRIPTORS]; /* copies of the server's */
    char **variables; /* the server's, ends with NULL; the list is owned, its texts last; NULL: not changed */
    mode_t mask;
    bool inside;
} hb_surroundings;

/* Puts those of the request in place, which is borrowed until they are taken back. HB_EIO, HB_ENOMEM: then nothing is
 * changed. */
hb_status hb_surroundings_enter(hb_surroundings *own, const hb_request *request);
/* Takes the server's back; nothing where they are in place. HB_EIO where that cannot be done: the process is then good
 * for nothing but to be ended. */
hb_status hb_surroundings_leave(hb_surroundings *own);

#endif
