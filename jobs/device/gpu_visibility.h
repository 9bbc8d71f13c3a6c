/* Restricts the GPUs of its host that a process lets the driver open: the driver takes some 0.15 s for each GPU that
 * the process sees. */
#ifndef HB_DEVICE_GPU_VISIBILITY_H
#define HB_DEVICE_GPU_VISIBILITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes into text [bytes] the CUDA_VISIBLE_DEVICES with which rank number `place` of its host sees one GPU: the one
 * that it would choose among all that it sees now. `visible`: the present value, NULL if unset; `files`: number of
 * devices that exist as files. Returns false, for no change, where the rank already sees only one GPU or the choice is
 * unknown. */
bool hb_device_narrow(const char *visible, uint32_t files, int place, char *text, size_t bytes);
/* The environment of a process before it was restricted. */
typedef struct hb_gpu_visibility {
    bool narrowed;
    char *before; /* value of the variable, owned; NULL: it was unset */
} hb_gpu_visibility;
/* Restricts this process's environment to one GPU, and fills *sight. Call it before the first call of CUDA, and while
 * no other thread reads the environment. */
void hb_device_see_one(int place, hb_gpu_visibility *visibility);
/* Restores the environment, for a process that does not find the GPU that it restricted itself to, and clears
 * *sight. */
void hb_device_see_all(hb_gpu_visibility *visibility);
void hb_gpu_visibility_clear(
    hb_gpu_visibility *visibility); /* Frees its memory and leaves the environment unchanged. */

#endif
