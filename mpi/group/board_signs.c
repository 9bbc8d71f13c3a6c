/* The sign that the ranks of a host give of themselves, and what signs of other hosts mean for them. All but the copy
 * of a silence runs in the thread of signs. */
#include <string.h>

#include "board_private.h"
#include "process_state.h"

const char *const hb_board_silence_words[2] = {"its host or the network does not answer",
                                               "its host answers, its process is stopped or does not get to run"};

void hb_board_own_sign(void *context, hb_life *sign)
{
    hb_board *board = context;
    const int lost = hb_board_find_lost(board);
    const hb_loss loss = hb_board_loss(board);
    for (int i = 0; i < board->size; i++) {
        hb_board_place *p = &board->page->places[i];
        hb_board_lasting *l = &board->lasting[i];
        const uint32_t calls = atomic_load(&p->calls);
        const bool waits = atomic_load(&p->waits) != 0, known = board->shared || i == board->own;
        l->waits = waits && calls == l->calls ? l->waits + 1 : 0;
        l->calls = calls;
        l->stopped_signs = hb_process_state_of(board->peers[i].process).stopped ? l->stopped_signs + 1 : 0;
        const hb_life_state state = l->stopped_signs > 0 ? HB_LIFE_STOPPED : waits ? HB_LIFE_WAITS : HB_LIFE_WORKS;
        if (state > sign->state && (known || state == HB_LIFE_STOPPED)) {
            sign->state = state;
            sign->rank = (uint32_t)board->peers[i].rank;
            sign->phase = atomic_load(&p->phase);
            sign->seconds = l->stopped_signs;
        }
    }
    /* A rank that closes the group ends when it likes. */
    const int ends = atomic_load(&board->page->ends);
    if (ends > 0) {
        sign->state = HB_LIFE_ENDED;
        sign->rank = (uint32_t)ends - 1;
    } else if (lost >= 0 && loss.fate == HB_FATE_GONE && !atomic_load(&board->closing)) {
        sign->state = HB_LIFE_GONE;
        sign->rank = (uint32_t)lost;
    }
}

/* Returns how long the rank of this host that has waited longest stands in its call. */
static uint32_t longest_wait(const hb_board *board)
{
    uint32_t longest = 0;
    for (int i = 0; i < board->size; i++) {
        longest = board->lasting[i].waits > longest ? board->lasting[i].waits : longest;
    }
    return longest;
}

/* Returns what a sign of another host means for ranks that wait. Seconds of its silence count where one rank here has
 * waited through them: a host that nobody needs yet may still come back. */
static hb_fate fate_of(const hb_board *board, const hb_life *sign)
{
    const uint32_t limit = atomic_load(&board->limit), waited = longest_wait(board);
    /* A wait that ends by itself within some seconds, as that of an exchange, has a better reason to tell. */
    const bool strict = atomic_load(&board->strict),
               late = sign->seconds >= limit && waited >= limit && waited > HB_BOARD_SETTLED;
    if (sign->state >= HB_LIFE_GONE) {
        return sign->state == HB_LIFE_ENDED ? HB_FATE_ENDED_AWAY : HB_FATE_GONE_AWAY;
    }
    if (!late) {
        return HB_FATE_NONE;
    }
    if (sign->state == HB_LIFE_SILENT && sign->answers == 0) {
        return HB_FATE_UNREACHABLE;
    }
    /* It may go on; alone ranks that share limbs with it may not wait longer. */
    const hb_fate halted = sign->state == HB_LIFE_SILENT ? HB_FATE_MUTE : HB_FATE_STOPPED_AWAY;
    return strict && sign->state >= HB_LIFE_STOPPED ? halted : HB_FATE_NONE;
}

/* Handlers of signals print it, as it is. */
static void put_host(char to[HB_LIFE_HOST], const char from[HB_LIFE_HOST])
{
    for (size_t i = 0; i < HB_LIFE_HOST - 1; i++) {
        const char c = from[i];
        to[i] = (char)(c == '\0' || (c > ' ' && c <= '~') ? c : '?');
    }
}

/* Notes which rank is silent. This thread alone of all on this host writes it. */
static void note_silence(hb_board_silence *to, const hb_life *worst)
{
    char host[HB_LIFE_HOST] = "";
    put_host(host, worst->host);
    atomic_fetch_add(&to->version, 1);
    atomic_store(&to->rank, worst->state == HB_LIFE_SILENT ? (int)worst->rank + 1 : 0);
    atomic_store(&to->seconds, worst->seconds);
    for (size_t word = 0; word < HB_LIFE_HOST / sizeof(uint64_t); word++) {
        uint64_t eight;
        memcpy(&eight, host + word * sizeof eight, sizeof eight);
        atomic_store(&to->host[word], eight);
    }
    atomic_fetch_add(&to->version, 1);
}

void hb_board_others_sign(void *context, const hb_life *worst)
{
    hb_board *board = context;
    pthread_mutex_lock(&board->lock);
    board->away = *worst;
    pthread_mutex_unlock(&board->lock);
    atomic_store(&board->page->away, worst->state);
    note_silence(&board->page->silent, worst);
    const hb_fate fate = fate_of(board, worst);
    if (fate != HB_FATE_NONE && atomic_load(&board->page->lost) == 0) {
        /* Nobody reads it yet, and this thread alone of all on this host writes it. */
        put_host(board->page->host, worst->host);
        hb_board_lose(board->page, (int)worst->rank, fate);
    }
}

hb_silence hb_board_silent(const hb_board *board)
{
    enum { ATTEMPTS = 1000 }; /* the process that writes may be stopped half way */
    hb_board_silence *from = &board->page->silent;
    for (int i = 0; i < ATTEMPTS; i++) {
        const unsigned version = atomic_load(&from->version);
        hb_silence copy = {atomic_load(&from->rank) - 1, atomic_load(&from->seconds), ""};
        for (size_t word = 0; word < HB_LIFE_HOST / sizeof(uint64_t); word++) {
            const uint64_t eight = atomic_load(&from->host[word]);
            memcpy(copy.host + word * sizeof eight, &eight, sizeof eight);
        }
        if (version % 2 == 0 && atomic_load(&from->version) == version) {
            return copy;
        }
    }
    return (hb_silence){.rank = -1};
}
