/* The GPUs of this process: their list, and the choice of one for a rank. This is a C interface; a program that was
 * built without a CUDA compiler has the same functions, which report no GPU (absent.c). Rank-local. */
#ifndef HB_CUDA_DEVICE_DEVICE_H
#define HB_CUDA_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define HB_CUDA_UUID_BYTES 16
#define HB_CUDA_BUS_BYTES 32

/* One GPU as this process sees it: CUDA_VISIBLE_DEVICES applies. */
typedef struct hb_cuda_device {
    int index;
    char name[256];
    char bus[HB_CUDA_BUS_BYTES]; /* PCI address, "0000:1b:00.0" */
    uint8_t uuid[HB_CUDA_UUID_BYTES];
    int major, minor; /* compute capability */
    int multiprocessors;
    double clock, bandwidth; /* cycles a second at most; bytes a second that a copy reaches of its memory; 0: unknown */
    uint64_t memory, free;   /* bytes of the GPU, and bytes that no process uses now */
    uint64_t l2;             /* bytes of second-level cache */
    bool fast_f64;           /* FP64 at half or a quarter of the FP32 rate: the FP64 transform is worth it */
    bool sm90;               /* it has compute capability 9.0 or its features, and the program has code for it */
    bool cluster16;          /* it runs clusters of 16 thread blocks; with sm90 each GPU runs those of 8 */
} hb_cuda_device;

/* The CUDA versions of the driver and of the runtime, as 1000 major + 10 minor; 0 where there is none. */
typedef struct hb_cuda_versions {
    int driver, runtime;
} hb_cuda_versions;

/* Returns true if the program was built with its kernels. */
bool hb_cuda_built(void);
/* Fills *versions; it cannot fail. */
void hb_cuda_versions_get(hb_cuda_versions *versions);
/* Sets *count to the number of GPUs that this process can use; 0 without a driver or a GPU, which is no failure.
 * HB_EUNAVAILABLE, with the driver's reason, when there is a driver and it does not work; *count is then 0. */
hb_status hb_cuda_device_count(int *count);
/* Describes the GPU `index`, 0 .. count - 1, in *device. It starts this process's CUDA context on that GPU, which takes
 * some hundred megabytes of its memory and some tenths of a second: callers ask only for the one they take.
 * HB_EUNAVAILABLE when the GPU does not answer or is older than compute capability 8.0; *device is then unchanged. */
hb_status hb_cuda_device_get(int index, hb_cuda_device *device);
/* Returns true if one of the two GPUs can read the other's memory directly (NVLink or PCIe peer access). */
bool hb_cuda_device_peers(int a, int b);

#endif
