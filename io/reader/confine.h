/* Restricts the process that reads foreign tables (process.h) to its task: open its file, read it, answer. HDF5
 * parses files of strangers, so neither its faults nor actions that a file provokes may reach anything outside. */
#ifndef HB_IO_READER_CONFINE_H
#define HB_IO_READER_CONFINE_H

#include <stdbool.h>

/* Gives up, for good, everything that this process does not need. Landlock (Linux 5.13) denies every file but `file`,
 * HDF5's folders of plugins and the system's libraries; seccomp denies every system call but those for reading, memory,
 * threads and the answers. With `follows` files may be read anywhere, and none written. Opening a pipe or a device,
 * whose other end would be waited for, fails with ENXIO. A protection that the kernel lacks is left out. Called before
 * HDF5 sees the file, when everything else that the process needs is open. */
void hb_h5_process_confine(const char *file, bool follows);

/* The protections that this system has. */
typedef struct hb_confinement {
    bool files; /* Landlock */
    bool calls; /* seccomp */
} hb_confinement;
hb_confinement hb_h5_process_confinement(void);

/* Ends this process as soon as the other end of the socket is closed, because the caller is gone or needs no more
 * answers. Called once. */
void hb_h5_process_end_with(int socket);

#endif
