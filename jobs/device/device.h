/* The device of a rank: the CPU, or one GPU and a share of its memory; how it is chosen, and engines on it. */
#ifndef HB_DEVICE_DEVICE_H
#define HB_DEVICE_DEVICE_H

#include <jansson.h>

#include "cli/options.h"
#include "cli/parse.h"
#include "cuda/ntt/plan.h"
#include "rlwe/params.h"
#include "speed.h"
#include "work.h"

/* The end of messages about a GPU that cannot be used. */
#define HB_DEVICE_WAY_OUT "--device cpu computes without it"

/* Options of the command line; texts are borrowed. */
typedef struct hb_device_choice {
    const char *kind;  /* "auto", "cpu" or "gpu" */
    hb_size memory;    /* of each GPU, for all ranks that share it; amount 0: the free memory minus a reserve */
    bool share;        /* several ranks may use one GPU */
    uint64_t queues;   /* units of a job that are computed at the same time; 0: as many as suit the device */
    const char *plan;  /* of the transforms: "auto", measured if there is one; "off", by the rules; NULL is auto */
    const char *check; /* of a GPU: "auto", unless it passed lately (checked_file.h); "always"; NULL is auto */
    uint64_t files;    /* threads that read units, and as many that write; 0: as many as suit the host */
} hb_device_choice;

/* The last two rows, --queues and --io-threads, are for commands that go through the units of a dataset. */
enum { HB_DEVICE_OPTIONS = 5, HB_DEVICE_JOB_OPTIONS = HB_DEVICE_OPTIONS + 2 };

/* Fills rows[0 .. count), where count is one of the two numbers above, with options that write to *choice, and sets
 * *choice to their defaults. */
void hb_device_options(hb_option *rows, size_t count, hb_device_choice *choice);

/* Predicted seconds of a whole job on either device (prediction.h). */
typedef struct hb_device_times {
    double cpu, gpu; /* the GPU's time includes opening it */
} hb_device_times;

/* The chosen device. A zeroed struct is the CPU. */
typedef struct hb_device {
    bool gpu;
    hb_cuda_device card;   /* only if gpu */
    uint64_t memory;       /* only if gpu: bytes that this rank may hold there */
    int sharing;           /* ranks of this job on it, this one included */
    uint64_t queues;       /* as chosen; 0: as many as suit the device */
    uint32_t files;        /* threads of this rank that read, and as many that write; 0: 1 */
    const char *why_not;   /* why the CPU was chosen though there seems to be a GPU, a literal; else NULL */
    bool unbound;          /* freed from the core that mpirun had bound this rank to by default (machine/machine.h) */
    bool predicted;        /* the choice follows from `times` */
    hb_device_times times; /* averages over the ranks; 0 unless predicted */
    hb_speed core;         /* of this rank, where the work was known; else zeros */
    /* Seconds of the last hb_device_choose and hb_device_open: the driver of a GPU, with its context; tables, engine
     * and queue; the check of a GPU. */
    double driver_seconds, engine_seconds, check_seconds;
    bool check_always, check_full; /* as chosen */
    bool remembered;               /* the last engine was not checked, as the GPU passed recently */
    /* The plan of its engines' transforms: `measured` if it comes from the file for such GPUs, else by the default
     * rules. */
    hb_cuda_ntt_plan plan;
    bool measured;
} hb_device;

/* Chooses the device of each rank. Collective, the same status on all ranks.
 *
 * --device auto takes the CPU, without asking any driver, where `work` is predicted to end sooner there than on a GPU
 * that has to be opened first. It does not do so where a rank insists on a GPU, or where `work` is NULL, that is,
 * unknown. Otherwise it takes a GPU where the program was built with CUDA and sees one. Rank r of a host takes GPU r of
 * the GPUs that it sees, in rounds.
 *
 * Returns HB_EUSAGE for words that are no choice; HB_EUNAVAILABLE for a GPU or a driver that does not work, for a
 * missing GPU that was asked for, and for more memory than is free; HB_ECONFIG when two ranks have one GPU without
 * leave to share it, or when only some ranks have a GPU and that was not asked for. */
hb_status hb_device_choose(hb_device *device, hb_group *group, const hb_device_choice *choice, const hb_work *work);

/* Opens an engine on the ring of `params`, which it borrows; the caller closes *out. Not collective. Every operation of
 * a GPU is compared with the CPU engine's: now, or, unless the check is always wanted, recently; later runs then know
 * (checked_file.h). Returns HB_ENOMEM when the device's memory does not even hold the tables; HB_EUNAVAILABLE, naming
 * the GPU, for a GPU that fails. *out is NULL after a failure. */
hb_status hb_device_open(hb_device *device, const hb_params *params, hb_engine **out);
/* Opens an engine on any ring, unchecked. */
hb_status hb_device_open_ring(const hb_device *device, const hb_ring *ring, hb_engine **out);
/* Returns how many launches this queue's last recording joined; 0 on a CPU, or where the recorded body is called. */
size_t hb_device_recorded(const hb_device *device, const hb_engine *engine);

/* Return the bytes of the engine's memory that an engine on the ring of `params` always takes, for tables and a key
 * pair; and the bytes that each of its queues takes, with the buffers of the exchange where limbs are divided. */
uint64_t hb_device_table_bytes(const hb_device *device, const hb_params *params);
uint64_t hb_device_queue_bytes(const hb_device *device, const hb_params *params);

/* A device by name, for people: "NVIDIA H200 (0000:1b:00.0)", or "CPU". */
typedef struct hb_device_name {
    char text[sizeof((hb_cuda_device *)0)->name + sizeof((hb_cuda_device *)0)->bus + 4];
} hb_device_name;
hb_device_name hb_device_name_of(const hb_device *device);
/* Returns {"kind": "gpu", "name", "bus", "uuid", "memory_limit", "memory_held" (by the engine now), "sharing",
 * "driver_seconds", "engine_seconds", "check_seconds", "check": "now" or "remembered", "ntt_plan": "rules" or the file}
 * or {"kind": "cpu"}; where the two were compared, also "predicted": {"cpu_seconds", "gpu_seconds"}. The caller owns
 * it; NULL when out of memory. */
json_t *hb_device_json(const hb_device *device, hb_engine *engine);

#endif
