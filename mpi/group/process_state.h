/* The state of a process of this host, as the system reports it. */
#ifndef HB_MPI_GROUP_PROCESS_STATE_H
#define HB_MPI_GROUP_PROCESS_STATE_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct hb_process_state {
    pid_t parent;
    bool stopped; /* by a signal or a debugger */
    bool ended;   /* it is over; its parent has not asked for its exit code yet */
} hb_process_state;

/* Zeroed where there is no such process, or it may not be looked at. */
hb_process_state hb_process_state_of(pid_t process);
/* Copies the name of a process, 15 characters of it at most; "" likewise. */
void hb_process_name(pid_t process, char name[16]);

#endif
