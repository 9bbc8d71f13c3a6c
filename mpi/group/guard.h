/* For a process that may not be able to go on or to leave, because a library underneath hangs. What is said here to end
 * the process says `reason` (copied) on stderr and ends it with HB_ECOMM whatever it is at; the launcher then ends the
 * others. */
#ifndef HB_MPI_GROUP_GUARD_H
#define HB_MPI_GROUP_GUARD_H

#include "base/status.h"

/* From now on the process has `seconds` to end by itself; else it is ended. */
void hb_guard_start(unsigned seconds, const char *reason);

/* A thread that looks at calls which should return: the process is ended when one of them, between enter and leave,
 * does not within `seconds`. Time that the process itself is stopped does not count. HB_ENOMEM. Close: NULL is
 * allowed. */
typedef struct hb_watch hb_watch;
hb_status hb_watch_open(double seconds, const char *reason, hb_watch **out);
void hb_watch_close(hb_watch *w);
/* One thread at a time, in turn; NULL is allowed, and nobody looks. They cost some nanoseconds. */
void hb_watch_enter(hb_watch *w);
void hb_watch_leave(hb_watch *w);

#endif
