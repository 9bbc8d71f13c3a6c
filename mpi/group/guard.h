/* Ways out for a process that may not be able to go on or to leave, because a library underneath hangs. "The process is
 * ended" means that it says `reason` (which is copied) on stderr and exits with HB_ECOMM at once; the launcher then
 * ends the others. */
#ifndef HB_MPI_GROUP_GUARD_H
#define HB_MPI_GROUP_GUARD_H

#include "base/status.h"

/* Gives the process `seconds` to end by itself; after that it is ended. It cannot be called off. Without memory or a
 * thread for it nothing happens. */
void hb_guard_start(unsigned seconds, const char *reason);

/* A thread that watches over calls which should return: the process is ended when one of them, between enter and leave,
 * does not return within `seconds`. Time during which the process itself is stopped does not count. */
typedef struct hb_watch hb_watch;
/* Starts the thread; HB_ENOMEM. Closing stops it and frees it; NULL is allowed. */
hb_status hb_watch_open(double seconds, const char *reason, hb_watch **out);
/* The same with a callback instead of the end. The watching thread calls `late` once a second while a call has lasted
 * longer than `seconds`, with its duration. seconds below 0: it is always called, with 0 between calls. */
typedef void hb_watch_action(void *context, double seconds);
hb_status hb_watch_open_for(double seconds, hb_watch_action *late, void *context, hb_watch **out);
void hb_watch_close(hb_watch *w);
/* Stand before and behind a call that is watched, of one thread at a time. They cost some nanoseconds; with NULL the
 * call is not watched. */
void hb_watch_enter(hb_watch *w);
void hb_watch_leave(hb_watch *w);

#endif
