/* What the members of a group, which share the limbs of every ciphertext, can do together: move memory of their
 * engines. Which limbs that is, and when, engine.h knows.
 *
 * Implementations: alone (exchange_alone.c), and in mpi/ one on MPI, which moves host memory, and one on NCCL. Every
 * member makes the same calls of start and gather_words in the same order, with the sizes that belong together, and one
 * thread at a time (the caller sees to it); wait, settle and interrupt are for any thread at any time, also while
 * another is in a call, unless one_thread is set. Failures: HB_EPEER when another rank failed or was asked to stop,
 * HB_ECOMM when nothing arrived within the deadline or the library underneath failed; after either no call succeeds any
 * more. */
#ifndef HB_DIVIDED_EXCHANGE_H
#define HB_DIVIDED_EXCHANGE_H

#include "ring/engine.h"

#define HB_MOST_MEMBERS HB_MAX_LIMBS

typedef enum hb_pattern {
    HB_ALL_GATHER, /* everyone gets a block from everyone: the same block to all */
    HB_ALL_TO_ALL, /* likewise, each its own */
    HB_BROADCAST,  /* everyone gets a block from `root` */
    HB_PATTERNS
} hb_pattern;

/* What this member gives and takes: for each other member a block of engine memory, 8-byte aligned, whole words; of 0
 * bytes where nothing moves. Nobody sends to himself: what stands at the own number is not looked at, but for this:
 * where an all-gather fills one run of memory with blocks of one size, member after member, and every member's own
 * block lies in its place there already, `receive` at the own number may name that place (= send), on all members
 * alike; the library underneath may have a faster way for it. */
typedef struct hb_transfer {
    hb_pattern pattern;
    uint32_t root; /* of a broadcast */
    const void *send[HB_MOST_MEMBERS];
    size_t send_bytes[HB_MOST_MEMBERS];
    void *receive[HB_MOST_MEMBERS];
    size_t receive_bytes[HB_MOST_MEMBERS];
} hb_transfer;

/* Since the exchange was opened, and measured, by pattern; of transfers that have ended. seconds: from the moment that
 * a transfer could begin here until it had ended, so waiting for slower members is in it. */
typedef struct hb_exchange_stats {
    uint64_t transfers[HB_PATTERNS], sent[HB_PATTERNS], received[HB_PATTERNS]; /* bytes */
    double seconds[HB_PATTERNS];
} hb_exchange_stats;

/* Time of a transfer = start + bytes received here * a byte's time, in seconds; as measured between these members, the
 * same on all. */
typedef struct hb_exchange_cost {
    double start[HB_PATTERNS], byte[HB_PATTERNS];
} hb_exchange_cost;

typedef struct hb_exchange hb_exchange;

typedef struct hb_exchange_ops {
    const char *name; /* "alone", "mpi", "nccl" */
    hb_status (*start)(hb_exchange *x, hb_engine *queue, const hb_transfer *transfer, uint64_t *ticket);
    hb_status (*wait)(hb_exchange *x, hb_engine *queue, uint64_t ticket);
    hb_status (*settle)(hb_exchange *x, uint64_t ticket);
    hb_status (*gather_words)(hb_exchange *x, const uint64_t *mine, size_t count, uint64_t *all);
    void (*interrupt)(hb_exchange *x);
    void (*close)(hb_exchange *x);
} hb_exchange_ops;

/* Implementations embed this as their first member. */
struct hb_exchange {
    const hb_exchange_ops *ops;
    uint32_t members, member;
    bool one_thread; /* all calls but interrupt come from the thread that opened it: one queue computes */
    hb_exchange_stats stats;
    hb_exchange_cost cost; /* zeros until hb_exchange_measure */
};

/* Moves nothing. For one member it is complete. For one of several it lets that member compute alone, on words that
 * mean nothing: what its share of the work takes (bench). HB_ENOMEM. */
hb_status hb_exchange_open_alone(uint32_t member, uint32_t members, hb_exchange **out);
/* Not collective; NULL allowed. Never waits for other members. */
void hb_exchange_close(hb_exchange *x);

/* Begins a transfer once everything issued on `queue`, a device's queue (not a divided one), is done. *ticket is for
 * the wait; the blocks stay untouched until then. Transfers end in the order in which they were begun. */
hb_status hb_exchange_start(hb_exchange *x, hb_engine *queue, const hb_transfer *transfer, uint64_t *ticket);
/* What is issued on the same queue from here on finds the transfer ended. The host need not wait for it here: a failure
 * shows here, at the next call, or in settle. */
hb_status hb_exchange_wait(hb_exchange *x, hb_engine *queue, uint64_t ticket);
/* The host waits until that transfer and those begun before it have ended. Before every wait for a queue that waits for
 * it: that one would not end if a member were gone. */
hb_status hb_exchange_settle(hb_exchange *x, uint64_t ticket);
/* all (host, [members][count]) = the `mine` (host, [count]) of every member. Waits. */
hb_status hb_exchange_gather_words(hb_exchange *x, const uint64_t *mine, size_t count, uint64_t *all);
/* From any thread: every call under way or to come fails with HB_EPEER. */
void hb_exchange_interrupt(hb_exchange *x);

/* Sets x->cost from transfers of several sizes between all members, in memory of `queue`, which are not in x->stats
 * afterwards; all members get the same.
 * Takes some ten milliseconds, a second where transfers are slow. HB_ENOMEM. */
hb_status hb_exchange_measure(hb_exchange *x, hb_engine *queue);

#endif
