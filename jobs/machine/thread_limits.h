/* How many threads of each kind a rank may have. */
#ifndef HB_MACHINE_THREAD_LIMITS_H
#define HB_MACHINE_THREAD_LIMITS_H

enum {
    HB_MOST_WORKERS = 8,     /* that compute, each with a queue of the engine */
    HB_MOST_FILE_THREADS = 8 /* that read; that write */
};

#endif
