/* Being asked to stop: SIGTERM, SIGINT, SIGUSR2 (what Slurm can send ahead of the time limit). */
#ifndef HB_STOP_H
#define HB_STOP_H

#include "status.h"

/* From here on these signals are noted; another one of the same kind, a second or more after the first, ends the
 * process as if never caught. */
void hb_stop_catch(void);
/* HB_ESTOPPED naming the signal, once one came. */
hb_status hb_stop_check(void);

#endif
