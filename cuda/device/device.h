/* The GPUs of this process: what there is, and which one a rank takes. C interface; without a CUDA compiler at build
 * time the same functions report none (absent.c). Rank-local. */
#ifndef HB_CUDA_DEVICE_DEVICE_H
#define HB_CUDA_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define HB_CUDA_UUID_BYTES 16
#define HB_CUDA_BUS_BYTES 32

/* One GPU as this process sees it (CUDA_VISIBLE_DEVICES applies). */
typedef struct hb_cuda_device {
    int index;
    char name[256];
    char bus[HB_CUDA_BUS_BYTES]; /* PCI address, "0000:1b:00.0" */
    uint8_t uuid[HB_CUDA_UUID_BYTES];
    int major, minor; /* compute capability */
    int multiprocessors;
    uint64_t memory, free; /* bytes: of the GPU, and not in use now by any process */
    uint64_t l2;           /* bytes of second-level cache */
    bool fast_f64;         /* FP64 at half or a quarter of the FP32 rate: the FP64 transform is worth it */
    bool sm90;             /* it has what compute capability 9.0 has, and the program code for it */
} hb_cuda_device;

/* Versions as 1000 major + 10 minor; 0 where there is no driver. */
typedef struct hb_cuda_versions {
    int driver, runtime;
} hb_cuda_versions;

/* True if the program has kernels at all. */
bool hb_cuda_built(void);
void hb_cuda_versions_get(hb_cuda_versions *versions);
/* GPUs that this process can use; 0 without a driver or a GPU, which is no failure. HB_EUNAVAILABLE, with the driver's
 * reason, when there is a driver and it does not work. */
hb_status hb_cuda_device_count(int *count);
/* index: 0 .. count - 1. Starts this process's CUDA context on that GPU, some hundred megabytes of its memory and some
 * tenths of a second: ask for the one that is taken. HB_EUNAVAILABLE when the GPU does not answer or is older than
 * compute capability 8.0. */
hb_status hb_cuda_device_get(int index, hb_cuda_device *device);
/* True if one of the two can read the other's memory directly (NVLink or PCIe peer access). */
bool hb_cuda_device_peers(int a, int b);

#endif
