/* For a process that may not be able to leave, because a library underneath hangs. */
#ifndef HB_GUARD_H
#define HB_GUARD_H

/* From now on the process has `seconds` to end by itself; else it says `reason` (copied) on stderr and ends with HB_ECOMM
 * whatever it is at. The launcher then ends the others. */
void hb_guard_start(unsigned seconds, const char *reason);

#endif
