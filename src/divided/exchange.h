/* Transfers of memory among the members of a group, which share the limbs of every ciphertext. engine.h decides which
 * limbs move, and when.
 *
 * Implementations are alone (exchange_alone.c), and in mpi/ one on MPI, which moves host memory, and one on NCCL, which
 * moves blocks from GPU to GPU by their copy engines where all members stand in one host. Every member makes the same
 * calls of start, gather_words and open_window in the same order, with matching sizes, from one thread at a time: the
 * caller ensures this. wait, settle and interrupt are for any thread at any time, also while another is in a
 * call, unless one_thread is set.
 *
 * Failures are HB_EPEER when another rank failed or was asked to stop, and HB_ECOMM when nothing arrived within the
 * deadline or the library underneath failed; after either no call succeeds any more. */
#ifndef HB_DIVIDED_EXCHANGE_H
#define HB_DIVIDED_EXCHANGE_H

#include "ring/engine.h"

#define HB_MOST_MEMBERS HB_MAX_LIMBS

/* The senders, receivers and words of a transfer. */
typedef enum hb_pattern {
    HB_ALL_GATHER, /* every member gives one block to all */
    HB_ALL_TO_ALL, /* every member gives each another block */
    HB_BROADCAST,  /* everyone gets a block from `root` */
    HB_PATTERNS
} hb_pattern;

/* Memory of a queue into which the other members may write during transfers: hb_exchange_open_window makes it.
 * Implementations embed this as their first member. */
typedef struct hb_window {
    const uint8_t *memory;
    size_t bytes; /* the same on all members */
} hb_window;

/* The blocks that this member sends and receives in a transfer: for each other member a block of engine memory, 8-byte
 * aligned, whole words; of 0 bytes where nothing moves. The struct is copied; the blocks are the caller's.
 *
 * Members do not send to themselves: the entry at the own number is ignored, with one exception. An all-gather may fill
 * one run of memory with blocks of one size, member after member, where every member's own block lies in its place
 * already. Then `receive` at the own number may name that place (= send), on all members alike: the library underneath
 * may have a faster way for it.
 *
 * Where `window` is not NULL all received blocks lie in it, and the other members may write them there. All members
 * then name the windows that they shared together, and to[m] says where in its window member m has the place for the
 * block of this one, in bytes: members know one another's layouts, and no address is told. */
typedef struct hb_transfer {
    hb_pattern pattern;
    uint32_t root; /* of a broadcast */
    const void *send[HB_MOST_MEMBERS];
    size_t send_bytes[HB_MOST_MEMBERS];
    void *receive[HB_MOST_MEMBERS];
    size_t receive_bytes[HB_MOST_MEMBERS];
    const hb_window *window;
    size_t to[HB_MOST_MEMBERS];
} hb_transfer;

/* Counts of transfers that have ended since the exchange was opened and measured, by pattern. seconds: from the moment
 * that a transfer could begin here until it had ended, so waiting for slower members is in it. */
typedef struct hb_exchange_stats {
    uint64_t transfers[HB_PATTERNS], sent[HB_PATTERNS], received[HB_PATTERNS]; /* bytes */
    double seconds[HB_PATTERNS];
} hb_exchange_stats;

/* The cost of transfers, as measured between these members, the same on all: a transfer takes start + bytes received
 * here * a byte's time, in seconds. visible: the share of its time that computing beside it does not hide, 0 to 1, as
 * the implementation knows it from the start; 1: nothing is computed meanwhile. */
typedef struct hb_exchange_cost {
    double start[HB_PATTERNS], byte[HB_PATTERNS];
    double visible;
} hb_exchange_cost;

/* The shares that show, by implementation: on two H200, of products and rotations beside three queues, from which NCCL
 * takes multiprocessors, and the engines that copy between GPUs do not. Over MPI the thread that computes moves the
 * bytes. */
#define HB_VISIBLE_DIRECT 0.25
#define HB_VISIBLE_NCCL 0.45
#define HB_VISIBLE_MPI 1.0

/* Returns whether a transfer that brings so many bytes goes in two halves, one of which travels while the other is
 * computed with: where each takes longer than the start of the other. False where no cost was measured. */
static inline bool hb_exchange_halves(const hb_exchange_cost *cost, hb_pattern pattern, double bytes)
{
    return bytes * cost->byte[pattern] > 2 * cost->start[pattern];
}

typedef struct hb_exchange hb_exchange;

/* The table of an implementation. Each entry does the work of the function below with its name. */
typedef struct hb_exchange_ops {
    const char *name; /* "alone", "mpi", "nccl", "direct" */
    hb_status (*start)(hb_exchange *x, hb_engine *queue, const hb_transfer *transfer, uint64_t *ticket);
    hb_status (*wait)(hb_exchange *x, hb_engine *queue, uint64_t ticket);
    hb_status (*settle)(hb_exchange *x, uint64_t ticket);
    hb_status (*gather_words)(hb_exchange *x, const uint64_t *mine, size_t count, uint64_t *all);
    /* NULL, all three: no member writes to memory of another. */
    hb_status (*check)(hb_exchange *x);
    hb_status (*open_window)(hb_exchange *x, void *memory, size_t bytes, hb_window **out);
    void (*close_window)(hb_exchange *x, hb_window *window);
    void (*interrupt)(hb_exchange *x);
    void (*close)(hb_exchange *x);
} hb_exchange_ops;

/* Implementations embed this as their first member. */
struct hb_exchange {
    const hb_exchange_ops *ops;
    uint32_t members, member;
    bool one_thread; /* all calls but interrupt must come from the thread that opened it, so one queue computes */
    hb_exchange_stats stats;
    hb_exchange_cost cost; /* zeros but `visible` until hb_exchange_measure */
    /* Called after each transfer with the received bytes and its seconds (as in stats), by the thread that notices its
     * end. It returns soon, and calls nothing of the exchange. The owner of the exchange may set it before other
     * threads use that; NULL: none. */
    void (*ended)(hb_pattern pattern, uint64_t bytes, double seconds);
};

/* Opens an exchange that moves nothing. For one member it is complete. For one of several it lets that member compute
 * alone, on words that mean nothing, to measure its share of the work (bench). HB_ENOMEM. */
hb_status hb_exchange_open_alone(uint32_t member, uint32_t members, hb_exchange **out);
/* Closes an exchange and frees it; NULL is allowed. It is not collective, and waits for other members some seconds at
 * most. */
void hb_exchange_close(hb_exchange *x);

/* Begins a transfer once everything issued on `queue` is done; that is a device's queue, not a divided one. *ticket is
 * for the wait; the blocks stay untouched until then. Transfers end in the order in which they were begun.
 * Collective. */
hb_status hb_exchange_start(hb_exchange *x, hb_engine *queue, const hb_transfer *transfer, uint64_t *ticket);
/* Makes later operations of the same queue wait for the end of the transfer. The host need not wait for it here: a
 * failure shows here, at the next call, or in settle. */
hb_status hb_exchange_wait(hb_exchange *x, hb_engine *queue, uint64_t ticket);
/* Waits on the host until that transfer and those begun before it have ended. It comes before every wait for a queue
 * that waits for the transfer: that wait would not end if a member were gone. */
hb_status hb_exchange_settle(hb_exchange *x, uint64_t ticket);
/* Fails where another member has given up: what it wrote from then on means nothing. Called when the queue is done,
 * before the host uses any result of operations on received words. */
hb_status hb_exchange_check(hb_exchange *x);
/* Gathers words: all (host, [members][count]) gets the `mine` (host, [count]) of every member. Collective; it waits. */
hb_status hb_exchange_gather_words(hb_exchange *x, const uint64_t *mine, size_t count, uint64_t *all);
/* Lets the other members write to `memory` (of the engine, as hb_alloc returned it) in transfers of one queue, whose
 * thread calls this. memory NULL: this member has none. *out is NULL, on all members, where one has none or where
 * transfers would gain nothing by it. Collective, with the same `bytes`; it waits. The memory outlives the window,
 * which is closed before the exchange closes: not collective, after the queue's last transfer was settled; NULL is
 * allowed. */
hb_status hb_exchange_open_window(hb_exchange *x, void *memory, size_t bytes, hb_window **out);
void hb_exchange_close_window(hb_exchange *x, hb_window *window);
/* Makes every call under way or to come fail with HB_EPEER. Any thread may call it. */
void hb_exchange_interrupt(hb_exchange *x);

/* Sets the times of x->cost from transfers of several sizes between all members, in memory of `queue`; they are not in
 * x->stats afterwards, and all members get the same. It takes some ten milliseconds, a second where transfers are slow.
 * Collective. HB_ENOMEM. */
hb_status hb_exchange_measure(hb_exchange *x, hb_engine *queue);

#endif
