/* Which of its host's GPUs a process lets the driver open: opening costs some 0.15 s for each GPU that the process
 * sees. */
#ifndef HB_DEVICE_VISIBLE_H
#define HB_DEVICE_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes into text [bytes] what CUDA_VISIBLE_DEVICES has to be for the rank that is number `place` on its host to see
 * one GPU, the one that it would take of all that it sees now. `visible`: the variable now, NULL if unset; `files`:
 * number of devices that there are as files. Returns false, so that nothing is to be changed, where the rank sees one
 * GPU already or that cannot be told. */
bool hb_device_narrow(const char *visible, uint32_t files, int place, char *text, size_t bytes);
/* What a process saw before it was narrowed. */
typedef struct hb_sight {
    bool narrowed;
    char *before; /* of the variable, owned; NULL: it was unset */
} hb_sight;
/* Narrows this process's environment, and fills *sight. To be called before the first call of CUDA, and while no other
 * thread reads the environment. */
void hb_device_see_one(int place, hb_sight *sight);
/* Restores the environment, for a process that does not find there what it narrowed itself to, and clears *sight. */
void hb_device_see_all(hb_sight *sight);
void hb_sight_clear(hb_sight *sight); /* Frees what it holds and leaves the environment as it is. */

#endif
