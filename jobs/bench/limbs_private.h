/* What the files of `bench limbs` share. */
#ifndef HB_BENCH_LIMBS_PRIVATE_H
#define HB_BENCH_LIMBS_PRIVATE_H

#include "batch/pipeline.h"
#include "bfv/behz.h"
#include "check/fixture.h"
#include "limbs.h"
#include "mpi/group/grid.h"

/* An exchange that hands everything on to another one, and can note the transfers to repeat them without computing. */
typedef struct hb_recorder hb_recorder;
/* Takes `inner` over, also on failure; costs and threads are its. HB_ENOMEM. */
hb_status hb_recorder_open(hb_exchange *inner, hb_recorder **out);
hb_exchange *hb_recorder_exchange(hb_recorder *r); /* closing it closes both */
/* Forgets what was noted; from here on notes, until stopped. */
void hb_recorder_begin(hb_recorder *r);
/* HB_ENOMEM when there was no memory for the notes. */
hb_status hb_recorder_end(hb_recorder *r);
/* What this member received. */
hb_limb_traffic hb_recorder_traffic(const hb_recorder *r);
/* Makes the noted transfers once more, in order, on a device's queue, and waits. */
hb_status hb_recorder_repeat(hb_recorder *r, hb_engine *queue);

/* What one queue works on: `count` ciphertexts of everything. */
typedef struct hb_limbs_worker {
    hb_engine *queue;
    hb_encryptor *with_secret, *with_public;
    hb_decryptor *decryptor;
    hb_evaluator *evaluator;
    hb_ciphertexts a, b, wide, narrow, low;
    hb_batch plain, phase, auxiliary;
    hb_seed *seeds;
} hb_limbs_worker;

/* How ciphertexts are divided for the moment. */
typedef struct hb_limbs_shape {
    uint32_t k;
    bool exchange;   /* else this one computes alone, as if it were ... */
    uint32_t member; /* ... that one */
    hb_division division;
    uint32_t queues;
    size_t count; /* ciphertexts in each */
    bool keys;    /* else conversions only */
} hb_limbs_shape;

typedef struct hb_limbs_rig {
    const hb_bench_limbs_options *options;
    hb_limbs_shape shape;
    hb_grid *grid;         /* borrowed; of ranks that exchange */
    hb_recorder *recorder; /* NULL: k = 1 */
    char exchange[16];
    hb_engine *engine;
    hb_fixture fixture; /* keys */
    hb_switch_keys switch_keys;
    hb_behz behz;
    hb_limbs_worker worker[HB_MOST_WORKERS];
    hb_limb_operation operation; /* that is measured now ... */
    size_t count;                /* ... on so many ciphertexts a call ... */
    uint32_t queues;             /* ... in so many queues ... */
    bool wait;                   /* ... each call waited for */
} hb_limbs_rig;

/* Parameters from the command line: a preset, or N, limbs of a ciphertext and their bits; t of 20 bits. HB_EUSAGE,
 * HB_ECONFIG. */
hb_status hb_limbs_params_open(const hb_bench_limbs_words *words, hb_params **out);

/* Of the device's memory, on the member with most limbs; params are divided. */
uint64_t hb_limbs_bytes(const hb_bench_limbs_options *options, const hb_limbs_shape *shape);
/* Collective where members exchange: divides the parameters, then opens everything. cost: in, what decides how
 * conversions go where nothing is exchanged; out, as measured where it is. The caller clears the rig, which is zero
 * before, whatever happens. */
hb_status hb_limbs_rig_open(hb_limbs_rig *rig, hb_grid *grid, const hb_bench_limbs_options *options,
                            const hb_limbs_shape *shape, hb_exchange_cost *cost);
void hb_limbs_rig_clear(hb_limbs_rig *rig);

/* False: the parameters have no such operation. */
bool hb_limbs_possible(const hb_params *params, hb_limb_operation operation);
/* Issues one call of the rig's operation. */
hb_status hb_limbs_issue(const hb_limbs_rig *rig, hb_limbs_worker *worker);

/* Collective where members exchange: the rows that the rig's shape is for. brief: only what predictions need. */
hb_status hb_limbs_measure(hb_group *group, hb_limbs_rig *rig, bool brief, hb_limbs_results_k *results);

#endif
