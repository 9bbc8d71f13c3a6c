/* The folder by which a server and those who hand jobs to it find one another: mode 0700, of the user himself. In it
 * are a lock, which the server holds while it lives, its sockets, and facts that it states about itself
 * (server/facts.h). Nobody else can get there, and both ends compare the other's user besides. Rank-local. */
#ifndef HB_CLIENT_FOLDER_H
#define HB_CLIENT_FOLDER_H

#include <stdbool.h>

#include "base/status.h"

/* The names of the sockets in the folder: for jobs, and for the other ranks of the server. */
#define HB_FOLDER_JOBS "jobs"
#define HB_FOLDER_RANKS "ranks"

/* Opens the folder; `make`: makes it where it is not there. *fd is of the folder itself, which the caller closes.
 * HB_ENOINPUT where it is missing, HB_EPERM where it is of another user or others may use it, HB_ECREATE. */
hb_status hb_folder_open(const char *path, bool make, int *fd);
/* Takes the lock of the folder, which lasts as long as *lock is open. HB_ECREATE where another process has it,
 * or the system knows no locks there. */
hb_status hb_folder_lock(int folder, const char *path, int *lock);
/* Returns HB_OK where a server has the lock. Asks nothing of the server, so that one that is busy is found in the same
 * way. HB_EUNAVAILABLE where none has; HB_EIO. */
hb_status hb_folder_find_server(int folder, const char *path);
/* Listens on a socket of that name, in the place of one that a killed server has left. For who has the lock.
 * HB_ECREATE. */
hb_status hb_folder_listen(int folder, const char *path, const char *name, int *socket);
/* Removes it. */
void hb_folder_forget(int folder, const char *name);
/* Connects to it. HB_EUNAVAILABLE where nobody listens; HB_EPERM where another user does. */
hb_status hb_folder_connect(int folder, const char *path, const char *name, int *socket);
/* Accepts a connection of this user; *socket is -1 where there is none any more, or it is of another user.
 * Where the system has no room for one now, waits a moment. HB_EIO. */
hb_status hb_folder_accept(int listening, int *socket);

#endif
