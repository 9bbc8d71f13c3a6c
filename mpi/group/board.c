#include "board.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backoff.h"
#include "guard.h"
#include "process_state.h"

/* Both are free of locks, so that processes and signal handlers may share them. */
typedef struct place {
    atomic_uint waits, phase;
} place;

typedef struct page {
    atomic_int gone;                   /* the first rank that was found to be, plus 1; 0: none */
    atomic_uint told, taken, reported; /* that a rank is gone; the report of that; and that it is written */
    place places[];
} page;

struct hb_board {
    page *page;
    const hb_peer *peers;
    int own, size;
    bool shared; /* the page is shared: otherwise this process alone writes to it */
    hb_watch *watch;
    hb_wait_teller *tell;
    void *context;
    hb_awaited *awaited;  /* [size]: of the thread that looks, as the rest: */
    unsigned phase_seen;  /* this rank's at the last look, ... */
    uint32_t phase_looks; /* ... looks at it behind the first, and ... */
    uint32_t silent;      /* ... looks since users saw something of it */
    /* For all threads: */
    atomic_bool shown;          /* users saw something since the last look */
    _Atomic(const char *) step; /* what this process is at, and ... */
    atomic_uint_fast64_t steps; /* ... its steps: those done, and behind them all */
};

enum { MINUTE = 60 };
static const double settled = 5; /* seconds, after which a wait for a rank that is gone has not ended by itself */

size_t hb_board_page_bytes(int size)
{
    return sizeof(page) + (size_t)size * sizeof(place);
}

hb_status hb_board_open(void *memory, bool shared, const hb_peer *peers, int own, int size, hb_board **out)
{
    hb_board *board = calloc(1, sizeof *board);
    *out = NULL;
    if (board != NULL) {
        *board = (hb_board){.page = memory, .peers = peers, .own = own, .size = size, .shared = shared};
        board->awaited = calloc((size_t)size, sizeof *board->awaited);
    }
    if (board == NULL || board->awaited == NULL) {
        free(board);
        return HB_FAIL(HB_ENOMEM, "no memory for the board of %d ranks", size);
    }
    *out = board;
    return HB_OK;
}

void hb_board_close(hb_board *board)
{
    if (board != NULL) {
        hb_watch_close(board->watch);
        free(board->awaited);
        free(board);
    }
}

/* Signal 0 tests only. */
static bool has_ended(pid_t process)
{
    return process > 0 && kill(process, 0) < 0 && errno == ESRCH;
}

int hb_board_lost(const hb_board *board)
{
    return atomic_load(&board->page->gone) - 1;
}

int hb_board_gone(const hb_board *board)
{
    int known = 0;
    const int error = errno; /* a signal handler leaves it as it found it */
    for (int i = 0; i < board->size && atomic_load(&board->page->gone) == 0; i++) {
        if (has_ended(board->peers[i].process)) {
            atomic_compare_exchange_strong(&board->page->gone, &known, board->peers[i].rank + 1);
        }
    }
    errno = error;
    return hb_board_lost(board);
}

bool hb_board_tells(const hb_board *board)
{
    return atomic_exchange(&board->page->told, 1) == 0;
}

bool hb_board_reports(const hb_board *board)
{
    page *p = board->page;
    const bool here = board->peers[0].rank == 0;
    const int gone = hb_board_gone(board);
    if (board->peers[board->own].rank == 0 || (gone == 0 && atomic_exchange(&p->taken, 1) == 0)) {
        return true;
    }
    hb_backoff backoff = hb_backoff_of(settled);
    while (here && gone >= 0 && atomic_load(&p->reported) == 0 && !hb_backoff_ended(&backoff)) {
        hb_backoff_pause(&backoff);
    }
    return false;
}

void hb_board_reported(const hb_board *board)
{
    atomic_store(&board->page->reported, 1);
}

/* Finds the ranks that are waited for: stopped ranks, in any phase; without any, ranks that do not wait themselves.
 * Returns whether this rank is the first that waits. */
static bool find_awaited(hb_board *board, hb_wait *wait)
{
    bool first = true;
    uint32_t stopped = 0, busy = 0;
    for (int pass = 0; pass < 2 && stopped == 0; pass++) {
        for (int i = 0; i < board->size; i++) {
            place *p = &board->page->places[i];
            const hb_awaited one = {board->peers[i], atomic_load(&p->phase)};
            const bool waits = atomic_load(&p->waits) != 0,
                       stops = i != board->own && hb_process_state_of(one.peer.process).stopped;
            first &= i >= board->own || stops || !waits;
            if (pass == 0 && stops) {
                board->awaited[stopped++] = one;
            } else if (pass == 1 && !waits && board->shared) {
                board->awaited[busy++] = one;
            }
        }
    }
    wait->stopped = stopped > 0;
    wait->count = stopped > 0 ? stopped : busy;
    wait->awaited = board->awaited;
    return first;
}

bool hb_board_is_time(double seconds)
{
    const uint64_t whole = (uint64_t)seconds, minutes = whole / MINUTE;
    return whole % MINUTE == 0 && minutes > 0 && (minutes & (minutes - 1)) == 0;
}

/* Counts looks at one phase, one a second, while this rank works. Returns whether it is time to tell of it. */
static bool works_on(hb_board *board, unsigned phase, bool waits)
{
    enum { SILENCE = 10 };
    const bool same = phase > 0 && phase == board->phase_seen;
    board->phase_seen = phase;
    board->phase_looks = same ? board->phase_looks + 1 : 0;
    board->silent = same && !atomic_exchange(&board->shown, false) ? board->silent + 1 : 0;
    return !waits && board->peers[board->own].rank == 0 && board->silent > 0 && board->silent % SILENCE == 0;
}

enum { HALF = 32 };

static hb_board_step step_of(const hb_board *board)
{
    const uint64_t steps = atomic_load(&board->steps);
    return (hb_board_step){atomic_load(&board->step), (uint32_t)(steps >> HALF), (uint32_t)steps};
}

/* In the thread of the watch; 0 seconds: this rank does not wait. */
static void look(void *context, double seconds)
{
    hb_board *board = context;
    hb_wait wait = {.seconds = seconds,
                    .rank = board->peers[board->own].rank,
                    .phase = atomic_load(&board->page->places[board->own].phase),
                    .gone = hb_board_gone(board)};
    if (wait.gone >= 0 && seconds > settled) {
        board->tell(board->context, &wait);
        _exit((int)HB_ECOMM); /* the call of MPI that waits would do so for ever */
    }
    if (works_on(board, wait.phase, seconds > 0)) {
        wait.working = true;
        wait.step = step_of(board);
        wait.seconds = board->phase_looks;
        board->tell(board->context, &wait);
        return;
    }
    if (hb_board_is_time(seconds) && find_awaited(board, &wait) &&
        (wait.count > 0 || (board->shared && board->peers[0].rank == 0))) {
        board->tell(board->context, &wait);
    }
}

hb_status hb_board_watch(hb_board *board, hb_wait_teller *tell, void *context)
{
    board->tell = tell;
    board->context = context;
    return hb_watch_open_for(-1, look, board, &board->watch); /* at every look */
}

static void set_waits(hb_board *board, bool waits)
{
    if (board != NULL) {
        atomic_store(&board->page->places[board->own].waits, waits);
    }
}

void hb_board_enter(hb_board *board)
{
    set_waits(board, true);
    hb_watch_enter(board != NULL ? board->watch : NULL);
}

void hb_board_leave(hb_board *board)
{
    hb_watch_leave(board != NULL ? board->watch : NULL);
    set_waits(board, false);
}

void hb_board_mark(hb_board *board, unsigned phase)
{
    if (board != NULL) {
        atomic_store(&board->page->places[board->own].phase, phase);
    }
}

void hb_board_set_step(hb_board *board, hb_board_step step)
{
    if (board != NULL) {
        atomic_store(&board->steps, (uint64_t)step.done << HALF | step.of);
        atomic_store(&board->step, step.name);
    }
}

hb_board_step hb_board_step_shown(hb_board *board)
{
    if (board == NULL) {
        return (hb_board_step){.name = NULL};
    }
    atomic_store(&board->shown, true);
    return step_of(board);
}
