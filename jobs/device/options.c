#include <string.h>

#include "device.h"

void hb_device_options(hb_option *rows, size_t count, hb_device_choice *choice)
{
    HB_ASSERT(count <= HB_DEVICE_JOB_OPTIONS);
    *choice = (hb_device_choice){.kind = "auto", .plan = "auto", .check = "auto"};
    const hb_option values[HB_DEVICE_JOB_OPTIONS] = {
        {"device", 0, HB_OPTION_TEXT, &choice->kind, "KIND",
         "auto (default): the one predicted to end sooner; cpu; gpu"},
        {"gpu-memory", 0, HB_OPTION_SIZE, &choice->memory, "SIZE",
         "most to take of each GPU, as 8G or 80% (default: what is free\nbut for a reserve)"},
        {"share-gpu", 0, HB_OPTION_FLAG, &choice->share, NULL,
         "several ranks may use one GPU, each with its part of the memory"},
        {"ntt-plan", 0, HB_OPTION_TEXT, &choice->plan, "WHICH",
         "auto (default): kernels of transforms as `bench ntt --plan` found\nthem fastest on such a GPU; off: by fixed "
         "rules"},
        {"gpu-check", 0, HB_OPTION_TEXT, &choice->check, "WHEN",
         "a GPU is compared with the CPU: auto (once a day), always"},
        {"queues", 0, HB_OPTION_ABOVE_0, &choice->queues, "COUNT",
         "units computed at the same time by a rank, 1 to 8 (default: 3 on\na GPU, 1 on a CPU)"},
        {"io-threads", 0, HB_OPTION_ABOVE_0, &choice->files, "COUNT",
         "threads of a rank that read units, and as many that write, 1 to 8\n(default: one for 4 processors with a "
         "GPU, "
         "up to 4; else 1)"}};
    memcpy(rows, values, count * sizeof values[0]);
}
