/* Which of its host's GPUs a process lets the driver open: opening costs some 0.15 s for each that it sees. */
#ifndef HB_DEVICE_VISIBLE_H
#define HB_DEVICE_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For the rank that is number `place` on its host: what CUDA_VISIBLE_DEVICES has to be for it to see one GPU, the one
 * that it would take of all that it sees now; text: [bytes], NUL at the end. False, and nothing is to be changed, where
 * that is one already or cannot be told. visible: the variable now, NULL if unset; files: devices that there are. */
bool hb_device_narrow(const char *visible, uint32_t files, int place, char *text, size_t bytes);
/* What a process saw before. */
typedef struct hb_sight {
    bool narrowed;
    char *before; /* of the variable, owned; NULL: it was unset */
} hb_sight;
/* Narrows this process's environment: before its first call of CUDA, and while no other thread reads it. */
void hb_device_see_one(int place, hb_sight *sight);
/* Takes that back: what was to be seen is not there. */
void hb_device_see_all(hb_sight *sight);
void hb_sight_clear(hb_sight *sight);

#endif
