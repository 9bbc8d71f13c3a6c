/* Tests that every exchange between ranks has to pass, in memory of any engine: patterns, sizes, many at once, words of
 * the host. Started by mpirun; not a cmocka program: a rank that fails must end the others. */
#ifndef HB_TESTS_EXCHANGE_CASES_H
#define HB_TESTS_EXCHANGE_CASES_H

#include <stdlib.h>
#include <string.h>

#include "mpi/exchange/open.h"
#include "ranks/check.h"

/* Blocks of at most 9600 bytes, and a thousand times as long. */
enum { BLOCK_WORDS = 1200, SHAPES = 5, LONG = 1000 };
#define UNTOUCHED UINT64_C(0x5555555555555555)

/* Words of the block from one member to another, at most BLOCK_WORDS. */
static size_t words_of(hb_pattern pattern, int shape, uint32_t from, uint32_t to, uint32_t members)
{
    const uint32_t own = pattern == HB_ALL_TO_ALL ? to : 0; /* the others send the same to all */
    switch (shape) {
    case 0:
        return 1000;
    case 1:
        return 37 * from + 11 * own + 1;
    case 2:
        return (7 * from + 3 * own) % 4 * 300; /* some are empty */
    case 3:
        return from == members - 1 ? 64 : 0;
    default:
        return 0;
    }
}

static uint64_t word_of(uint32_t from, uint32_t to, int round, size_t i)
{
    return ((uint64_t)(from + 1) << 48) + ((uint64_t)(to + 1) << 40) + ((uint64_t)round << 32) + i;
}

/* A transfer with its memory: room for `block` words by member on the engine. */
typedef struct moved {
    hb_transfer transfer;
    hb_window *window; /* of the memory for what comes, where members can write to one another's */
    hb_engine *queue;
    uint64_t *send, *receive;
    uint64_t ticket;
    size_t block;
    int shape, round;
} moved;

static size_t moved_words(const moved *m, uint32_t from, uint32_t to, uint32_t members)
{
    return words_of(m->transfer.pattern, m->shape, from, to, members) * (m->block / BLOCK_WORDS);
}

static void *host_words(size_t words)
{
    void *memory = malloc((words + 1) * sizeof(uint64_t));
    CHECK(memory != NULL);
    return memory;
}

static void fill(const hb_exchange *x, moved *m)
{
    const size_t words = x->members * m->block;
    uint64_t *host = host_words(words);
    for (size_t i = 0; i < words; i++) {
        const uint32_t to = (uint32_t)(i / m->block);
        host[i] = word_of(x->member, m->transfer.pattern == HB_ALL_TO_ALL ? to : 0, m->round, i % m->block);
    }
    CHECK(hb_upload(m->queue, m->send, host, words * sizeof *host) == HB_OK && hb_finish(m->queue) == HB_OK);
    for (size_t i = 0; i < words; i++) {
        host[i] = UNTOUCHED;
    }
    CHECK(hb_upload(m->queue, m->receive, host, words * sizeof *host) == HB_OK && hb_finish(m->queue) == HB_OK);
    free(host);
}

static void move_open(hb_exchange *x, hb_engine *queue, moved *m, hb_pattern pattern, uint32_t root, int shape)
{
    const size_t bytes = x->members * m->block * sizeof(uint64_t);
    void *send, *receive;
    CHECK(hb_alloc(queue, bytes, &send) == HB_OK && hb_alloc(queue, bytes, &receive) == HB_OK);
    CHECK(hb_exchange_open_window(x, receive, bytes, &m->window) == HB_OK);
    m->transfer = (hb_transfer){.pattern = pattern, .root = root, .window = m->window};
    m->queue = queue;
    m->send = send;
    m->receive = receive;
    m->shape = shape;
    for (uint32_t i = 0; i < x->members; i++) {
        const bool all = pattern != HB_BROADCAST;
        m->transfer.send[i] = m->send + (pattern == HB_ALL_TO_ALL ? i * m->block : 0);
        m->transfer.receive[i] = m->receive + i * m->block;
        m->transfer.to[i] = x->member * m->block * sizeof(uint64_t);
        m->transfer.send_bytes[i] = all || x->member == root ? 8 * moved_words(m, x->member, i, x->members) : 0;
        m->transfer.receive_bytes[i] = all || i == root ? 8 * moved_words(m, i, x->member, x->members) : 0;
    }
    fill(x, m);
}

static void move_close(hb_exchange *x, moved *m)
{
    hb_exchange_close_window(x, m->window);
    hb_free(m->queue, m->send);
    hb_free(m->queue, m->receive);
}

/* Everything arrived, and nothing else was touched. */
static inline void check_moved(const hb_exchange *x, const moved *m)
{
    const hb_transfer *t = &m->transfer;
    const size_t words = x->members * m->block;
    uint64_t *host = host_words(words);
    CHECK(hb_download(m->queue, host, m->receive, words * sizeof *host) == HB_OK && hb_finish(m->queue) == HB_OK);
    for (uint32_t from = 0; from < x->members; from++) {
        const bool comes = from != x->member && (t->pattern != HB_BROADCAST || from == t->root);
        const size_t come = comes ? moved_words(m, from, x->member, x->members) : 0;
        const uint32_t to = t->pattern == HB_ALL_TO_ALL ? x->member : 0;
        for (size_t i = 0; i < m->block; i++) {
            CHECK(host[from * m->block + i] == (i < come ? word_of(from, to, m->round, i) : UNTOUCHED));
        }
    }
    free(host);
}

static inline void check_one(hb_exchange *x, hb_engine *queue, hb_pattern pattern, uint32_t root, int shape,
                             size_t longer)
{
    moved m = {.block = BLOCK_WORDS * longer, .round = shape};
    hb_exchange_stats before = x->stats;
    move_open(x, queue, &m, pattern, root, shape);
    CHECK(hb_exchange_start(x, queue, &m.transfer, &m.ticket) == HB_OK);
    CHECK(hb_exchange_wait(x, queue, m.ticket) == HB_OK);
    CHECK(hb_exchange_settle(x, m.ticket) == HB_OK);
    check_moved(x, &m);
    uint64_t sent = 0, received = 0;
    for (uint32_t i = 0; i < x->members; i++) {
        sent += i != x->member ? m.transfer.send_bytes[i] : 0;
        received += i != x->member ? m.transfer.receive_bytes[i] : 0;
    }
    CHECK(x->stats.transfers[pattern] == before.transfers[pattern] + 1);
    CHECK(x->members == 1 || x->stats.sent[pattern] == before.sent[pattern] + sent);
    CHECK(x->members == 1 || x->stats.received[pattern] == before.received[pattern] + received);
    CHECK(x->stats.seconds[pattern] >= before.seconds[pattern] && x->stats.seconds[pattern] < 1000);
    move_close(x, &m);
}

static inline void check_patterns(hb_exchange *x, hb_engine *queue)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        check_one(x, queue, HB_ALL_GATHER, 0, shape, 1);
        check_one(x, queue, HB_ALL_TO_ALL, 0, shape, 1);
        for (uint32_t root = 0; root < x->members; root++) {
            check_one(x, queue, HB_BROADCAST, root, shape, 1);
        }
    }
}

static inline void check_long(hb_exchange *x, hb_engine *queue)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        check_one(x, queue, (hb_pattern)(shape % HB_PATTERNS), x->members - 1, shape, LONG);
    }
}

/* An all-gather into one run of memory where the own block already lies. */
static inline void check_in_place(hb_exchange *x, hb_engine *queue)
{
    const size_t block = 777, words = block * x->members;
    uint64_t *host = host_words(words);
    void *memory;
    uint64_t ticket;
    hb_transfer t = {.pattern = HB_ALL_GATHER};
    CHECK(hb_alloc(queue, words * sizeof *host, &memory) == HB_OK);
    for (size_t i = 0; i < words; i++) {
        host[i] = i / block == x->member ? word_of(x->member, 0, 0, i) : UNTOUCHED;
    }
    CHECK(hb_upload(queue, memory, host, words * sizeof *host) == HB_OK && hb_finish(queue) == HB_OK);
    for (uint32_t m = 0; m < x->members; m++) {
        t.send[m] = (uint64_t *)memory + x->member * block;
        t.receive[m] = (uint64_t *)memory + m * block;
        t.send_bytes[m] = t.receive_bytes[m] = block * sizeof *host;
    }
    CHECK(hb_exchange_start(x, queue, &t, &ticket) == HB_OK);
    CHECK(hb_exchange_wait(x, queue, ticket) == HB_OK);
    CHECK(hb_exchange_settle(x, ticket) == HB_OK);
    CHECK(hb_download(queue, host, memory, words * sizeof *host) == HB_OK && hb_finish(queue) == HB_OK);
    for (size_t i = 0; i < words; i++) {
        CHECK(host[i] == word_of((uint32_t)(i / block), 0, 0, i));
    }
    hb_free(queue, memory);
    free(host);
}

/* All under way before the first is waited for; `rounds` more than any implementation has room for. */
static inline void check_many(hb_exchange *x, hb_engine *queue, int rounds)
{
    moved *all = calloc((size_t)rounds, sizeof *all);
    CHECK(all != NULL);
    for (int i = 0; i < rounds; i++) {
        all[i] = (moved){.block = BLOCK_WORDS, .round = i};
        move_open(x, queue, &all[i], (hb_pattern)(i % HB_PATTERNS), (uint32_t)i % x->members, i % SHAPES);
    }
    for (int i = 0; i < rounds; i++) {
        CHECK(hb_exchange_start(x, queue, &all[i].transfer, &all[i].ticket) == HB_OK);
    }
    for (int i = 0; i < rounds / 2; i++) {
        CHECK(hb_exchange_wait(x, queue, all[i].ticket) == HB_OK);
    }
    CHECK(hb_exchange_settle(x, all[rounds - 1].ticket) == HB_OK);
    for (int i = 0; i < rounds; i++) {
        check_moved(x, &all[i]);
        move_close(x, &all[i]);
    }
    free(all);
}

static inline void check_words(hb_exchange *x)
{
    static const size_t counts[] = {0, 1, 5, 4096, 10001};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        const size_t count = counts[c];
        uint64_t *mine = host_words(count), *all = host_words(count * x->members);
        for (size_t i = 0; i < count; i++) {
            mine[i] = word_of(x->member, 0, (int)c, i);
        }
        CHECK(hb_exchange_gather_words(x, mine, count, all) == HB_OK);
        for (size_t i = 0; i < count * x->members; i++) {
            CHECK(all[i] == word_of((uint32_t)(i / count), 0, (int)c, i % count));
        }
        free(mine);
        free(all);
    }
}

static inline void check_measure(hb_exchange *x, hb_engine *queue)
{
    uint64_t mine[2 * HB_PATTERNS], all[2 * HB_PATTERNS * HB_MOST_MEMBERS];
    CHECK(hb_exchange_measure(x, queue) == HB_OK);
    for (int p = 0; p < HB_PATTERNS; p++) {
        CHECK(x->cost.start[p] >= 0 && x->cost.byte[p] >= 0);
        CHECK(x->members == 1 || x->cost.start[p] + x->cost.byte[p] > 0);
    }
    memcpy(mine, x->cost.start, sizeof x->cost.start);
    memcpy(mine + HB_PATTERNS, x->cost.byte, sizeof x->cost.byte);
    CHECK(hb_exchange_gather_words(x, mine, 2 * HB_PATTERNS, all) == HB_OK);
    for (uint32_t m = 0; m < x->members; m++) {
        CHECK(memcmp(mine, all + 2 * HB_PATTERNS * (size_t)m, sizeof mine) == 0);
    }
}

#endif
