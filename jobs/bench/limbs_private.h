/* Declarations shared by the files of `bench limbs`. */
#ifndef HB_BENCH_LIMBS_PRIVATE_H
#define HB_BENCH_LIMBS_PRIVATE_H

#include "batch/pipeline/pipeline.h"
#include "bfv/behz.h"
#include "check/fixture.h"
#include "limbs.h"
#include "mpi/group/grid.h"

/* An exchange that passes every transfer on to another exchange, and can note the transfers to repeat them without
 * computing. Only one thread uses it at a time while it notes. */
typedef struct hb_recorder hb_recorder;
/* Opens a recorder in front of `inner`, which it takes over, also on failure, with the costs and the thread rule of
 * `inner`. HB_ENOMEM. */
hb_status hb_recorder_open(hb_exchange *inner, hb_recorder **out);
hb_exchange *hb_recorder_exchange(hb_recorder *r); /* The exchange to use; closing it closes both. */
/* Forgets its notes, and notes transfers from here on, until hb_recorder_end. */
void hb_recorder_begin(hb_recorder *r);
/* Stops noting. HB_ENOMEM when memory did not suffice for all notes. */
hb_status hb_recorder_end(hb_recorder *r);
/* Returns the traffic that this member received in the noted transfers. */
hb_limb_traffic hb_recorder_traffic(const hb_recorder *r);
/* Repeats the noted transfers, in order, on a device's queue, and waits. The members do so together; the memory of the
 * transfers must still exist. */
hb_status hb_recorder_repeat(hb_recorder *r, hb_engine *queue);

/* The data of one queue: `count` ciphertexts of everything. */
typedef struct hb_limbs_worker {
    hb_engine *queue;
    hb_encryptor *with_secret, *with_public;
    hb_decryptor *decryptor;
    hb_evaluator *evaluator;
    hb_ciphertexts a, b, wide, narrow, low;
    hb_batch plain, phase, auxiliary;
    hb_seed *seeds;
} hb_limbs_worker;

/* The current division of ciphertexts. */
typedef struct hb_limbs_shape {
    uint32_t k;
    bool exchange;   /* with other members; else this rank computes alone */
    uint32_t member; /* which member this rank is, or computes as */
    hb_division division;
    uint32_t queues;
    size_t count; /* ciphertexts in each */
    bool keys;    /* there are keys for all operations; else only conversions are possible */
} hb_limbs_shape;

/* Everything needed to measure one shape. */
typedef struct hb_limbs_rig {
    const hb_bench_limbs_options *options;
    hb_limbs_shape shape;
    hb_grid *grid;         /* borrowed; NULL where nothing is exchanged */
    hb_recorder *recorder; /* NULL for k = 1 */
    char exchange[16];
    hb_engine *engine;
    hb_fixture fixture; /* keys */
    hb_switch_keys switch_keys;
    hb_behz behz;
    hb_limbs_worker worker[HB_MOST_WORKERS];
    hb_limb_operation operation; /* measured now */
    size_t count;                /* ciphertexts of one call */
    uint32_t queues;             /* queues that the calls use */
    bool wait;                   /* each call is waited for */
} hb_limbs_rig;

/* Opens the parameters of the command line: a preset, or N, the limbs of a ciphertext and their bits, with t of 20
 * bits. The caller closes them. HB_EUSAGE, HB_ECONFIG. */
hb_status hb_limbs_params_open(const hb_bench_limbs_words *words, hb_params **out);

/* Returns the bytes of the device's memory that the shape takes, on the member with most limbs; the parameters must be
 * divided for the shape. */
uint64_t hb_limbs_bytes(const hb_bench_limbs_options *options, const hb_limbs_shape *shape);
/* Divides the parameters, then opens everything. Collective where members exchange. *cost becomes the measured cost;
 * where nothing is exchanged it is an input, which decides how conversions are divided. Zero the rig before; clear it
 * in any case. */
hb_status hb_limbs_rig_open(hb_limbs_rig *rig, hb_grid *grid, const hb_bench_limbs_options *options,
                            const hb_limbs_shape *shape, hb_exchange_cost *cost);
void hb_limbs_rig_clear(hb_limbs_rig *rig);

/* Returns whether the parameters support an operation. */
bool hb_limbs_possible(const hb_params *params, hb_limb_operation operation);
/* Issues one call of the rig's operation on the worker's queue. */
hb_status hb_limbs_issue(const hb_limbs_rig *rig, hb_limbs_worker *worker);

/* Measures the rows of the rig's shape. Collective where members exchange. brief: only the rows that predictions
 * need. */
hb_status hb_limbs_measure(hb_group *group, hb_limbs_rig *rig, bool brief, hb_limbs_results_k *results);

#endif
