/* Which launcher started this process, from its environment. */
#ifndef HB_LAUNCHER_H
#define HB_LAUNCHER_H

#include <stdint.h>

/* What the environment says about how this process was started. */
typedef struct hb_launcher {
    const char *variable; /* that says so; NULL: started by hand */
    uint64_t ranks;       /* 0: not told */
} hb_launcher;
hb_launcher hb_launcher_detect(void);

#endif
