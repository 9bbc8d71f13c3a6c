/* The operations on a batch of RNS polynomials. Two implementations run them on one device: cpu (cpu/engine.h) and, in
 * cuda/, a GPU. A third, divided (divided/engine.h), runs them with several devices, each of which holds a share of the
 * limbs. Schemes are written once, on this interface.
 *
 * An engine is opened on one ring and owns every table derived from it (twiddles, reduction constants). All work is on
 * batches: a launch covers count x limbs polynomials. Work is issued in order and may be asynchronous; hb_finish waits
 * for it and reports its errors. Operands live in memory of the engine (hb_alloc) unless a line says "host". Host
 * arguments are copied before a function returns, except those of hb_upload and hb_download.
 *
 * hb_engine_fork gives a second queue on the same device: tables and memory are shared, but work is in order within a
 * queue only. One thread at a time uses a queue; different threads may use different ones.
 *
 * Ranges: unless said otherwise every word of limb l is canonical, in [0, modulus of ids[l]), on entry and on exit.
 *
 * Aliasing: r may be a or b where both have the same limbs. Partial overlap is never allowed, except that some limbs of
 * scattered batches may stand in one place and others apart.
 *
 * Division: limbs may be divided over the members of a group of ranks (limb_map.h). A batch then still names all of its
 * limbs; its memory has those that are here (hb_limb_here), in their order and nothing of the others, perhaps none.
 * Every member calls the same operations in the same order. Operations that say "exchanges" are collective among
 * the members; the rest touch only limbs that are here. Arrays of constants are always for all limbs.
 *
 * The hb_* functions check shapes (HB_ASSERT: a wrong shape is a programmer's error) and dispatch. They are rank-local
 * except for those exchanges. */
#ifndef HB_RING_ENGINE_H
#define HB_RING_ENGINE_H

#include <stdbool.h>

#include "base/status.h"
#include "batch.h"
#include "limb_map.h"
#include "ring.h"
#include "ring_ops.h"
#include "rns_ops.h"
#include "row_ops.h"
#include "sample_ops.h"

/* The operations of an engine, in groups: each group is one constant table in one file of every engine. The entry NAME
 * of a group is called through hb_NAME, which has checked the shapes. An entry whose comment says so may be NULL: the
 * front end then composes the operation of others. The check (check/check.h) compares an engine's own entry with that
 * composition. An engine of divided limbs has entries only for operations that exchange or wait: its device does all
 * else (local.h). */
typedef struct hb_memory_ops {
    hb_status (*host_alloc)(hb_engine *e, size_t bytes, void **memory);
    void (*host_free)(hb_engine *e, void *memory);
    hb_status (*alloc)(hb_engine *e, size_t bytes, void **memory);
    void (*free)(hb_engine *e, void *memory);
    hb_status (*upload)(hb_engine *e, void *to, const void *from_host, size_t bytes);
    hb_status (*download)(hb_engine *e, void *to_host, const void *from, size_t bytes);
} hb_memory_ops;

/* How an engine records (hb_record). */
typedef struct hb_record_ops {
    /* *tape is NULL before; it stays NULL where this body is to be called instead. */
    hb_status (*record)(hb_engine *e, hb_status (*body)(void *), void *argument, void **tape);
    hb_status (*replay)(hb_engine *e, void *tape);
    void (*forget)(hb_engine *e, void *tape);
} hb_record_ops;

typedef struct hb_bfv_ops hb_bfv_ops;   /* bfv_ops.h */
typedef struct hb_real_ops hb_real_ops; /* real_ops.h */

/* All tables of an engine, and the life of its queues. */
typedef struct hb_engine_ops {
    const char *name;
    hb_status (*fork)(hb_engine *e, hb_engine **out);
    hb_status (*beside)(hb_engine *e, const hb_ring *ring, hb_engine **out); /* NULL where limbs are divided */
    void (*close)(hb_engine *e);
    hb_status (*finish)(hb_engine *e);
    void *(*native)(hb_engine *e);
    void (*enter)(hb_engine *e); /* each of these three may be NULL: there is nothing to do */
    void (*leave)(hb_engine *e);
    void (*interrupt)(hb_engine *e);
    const hb_memory_ops *memory;
    const hb_record_ops *record; /* NULL: bodies are called instead of being recorded */
    const hb_ring_ops *ring;
    const hb_ntt_ops *ntt;
    const hb_sample_ops *sample;
    const hb_rns_ops *rns;
    const hb_garner_ops *garner;
    const hb_product_ops *products;
    const hb_row_ops *rows;
    const hb_bfv_ops *bfv;
    const hb_real_ops *real;
} hb_engine_ops;

/* The members of every queue. Implementations embed it as their first member. */
struct hb_engine {
    const hb_engine_ops *ops;
    const hb_ring *ring;    /* borrowed; outlives the engine */
    const hb_limb_map *map; /* borrowed; NULL: every limb is here */
    uint32_t member;        /* this member's number in the map */
    hb_engine *device;      /* the engine of this member's limbs, where limbs are divided; NULL: this one */
    /* The bytes of one operand, all limbs, that it works on best at a time (a cache); 0: the more the better. */
    size_t batch_bytes;
    bool on_host; /* memory of the engine is the host's, which may be swapped */
    bool in_body; /* the body of a recording is being recorded or called */
};

/* Opens a second queue on the device of e. All queues share their memory; a queue may read another queue's results
 * after hb_finish on that one. Each queue is closed, in any order. Where limbs are divided all members fork alike, as
 * new queues may meet (divided/exchange.h). HB_ENOMEM; HB_EPEER, HB_ECOMM. */
hb_status hb_engine_fork(hb_engine *e, hb_engine **out);
/* Opens an engine of another ring on the device of e, whole where e divides limbs: each reads and writes memory of the
 * other, after hb_finish. On a GPU it takes no more memory than e has left. ring is borrowed. HB_ENOMEM, HB_ECONFIG as
 * engines of that device; closed as any. */
hb_status hb_engine_beside(hb_engine *e, const hb_ring *ring, hb_engine **out);
/* Closes a queue and frees it; NULL is allowed. Everything allocated on the engine must have been freed before its last
 * queue closes. */
void hb_engine_close(hb_engine *e);

/* Allocates memory of the engine, 64-byte aligned, with undefined contents; HB_ENOMEM. The caller frees it with
 * hb_free, which takes NULL and wipes nothing: secrets are wiped with hb_batch_wipe first. */
hb_status hb_alloc(hb_engine *e, size_t bytes, void **memory);
void hb_free(hb_engine *e, void *memory);

/* Allocates host memory that hb_upload and hb_download move at the full speed of the link (page-locked where there is
 * one), with undefined contents; HB_ENOMEM. The caller frees it with hb_host_free, which takes NULL, wipes nothing and
 * waits for this queue only: no copy of another queue may be under way. */
hb_status hb_host_alloc(hb_engine *e, size_t bytes, void **memory);
void hb_host_free(hb_engine *e, void *memory);

/* Copy between host memory and the engine. The host side may be reused after hb_finish. */
hb_status hb_upload(hb_engine *e, void *to, const void *from_host, size_t bytes);
hb_status hb_download(hb_engine *e, void *to_host, const void *from, size_t bytes);
/* Waits until everything issued to the queue has ended, and reports its failures. */
hb_status hb_finish(hb_engine *e);
/* Returns the device's own handle of the queue, for libraries that work beside it (a cudaStream_t); NULL: there is
 * none, and memory of the engine is the host's. */
void *hb_engine_native(hb_engine *e);

/* Where limbs are divided and several queues are at work, their exchanges take turns, so that all members make them in
 * the same order. enter is called before the queues start, by one thread, for each of them in the same order on every
 * member. leave is called by the thread of a queue when it has done its last operation or failed. interrupt may come
 * from any thread: exchanges under way or to come fail with HB_EPEER. On other engines these do nothing. */
void hb_engine_enter(hb_engine *e);
void hb_engine_leave(hb_engine *e);
void hb_engine_interrupt(hb_engine *e);

/* A recording of operations of one queue, to be issued again and again at the cost of one. A GPU gets all of them in
 * one call (a CUDA graph); elsewhere, and on engines of divided limbs, a replay calls the body. Results are the same.
 *
 * body(argument) issues operations to this queue and no other. A replay issues the same operations, in the order of the
 * queue, on the operands' contents at that time, with the constants and seeds of the recording. The body is called by
 * hb_record, by each replay, or by both, so it must do the same at any time, and argument lives as long as the
 * recording. Inside it hb_finish fails (HB_EUNAVAILABLE), and recordings are neither made, replayed nor freed. A body
 * that allocates, moves host memory, or calls an operation that waits is never recorded but called.
 *
 * hb_record issues nothing. It fails as the body does, and with HB_ENOMEM; where replays call the body, these fail. On
 * a GPU it takes about as long as the body, some microseconds for each operation, and then 64 KiB of the engine's
 * memory, without which the body is called. Beside the engine's account the driver takes a few KiB for each kernel, on
 * the host and on the GPU. hb_recording_free, before the queue closes, waits for the queue; NULL is allowed. */
typedef struct hb_recording hb_recording;

/* Makes a recording of body. */
hb_status hb_record(hb_engine *e, hb_status (*body)(void *), void *argument, hb_recording **out);
/* Issues the recorded operations, or calls the body. */
hb_status hb_replay(hb_recording *recording);
/* Frees a recording. */
void hb_recording_free(hb_recording *recording);

#endif
