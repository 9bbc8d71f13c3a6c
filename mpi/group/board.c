#include "board.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backoff.h"
#include "board_private.h"
#include "process_state.h"

enum { MINUTE = 60, USUAL_LIMIT = 180 };

size_t hb_board_page_bytes(int size)
{
    return sizeof(hb_board_page) + (size_t)size * sizeof(hb_board_place);
}

static void free_board(hb_board *board)
{
    if (board != NULL) {
        free(board->awaited);
        free(board->lasting);
        free(board);
    }
}

hb_status hb_board_open(void *memory, bool shared, const hb_peer *peers, int own, int size, hb_board **out)
{
    hb_board *board = calloc(1, sizeof *board);
    *out = NULL;
    if (board != NULL) {
        *board = (hb_board){.page = memory, .peers = peers, .own = own, .size = size, .shared = shared};
        board->awaited = calloc((size_t)size, sizeof *board->awaited);
        board->lasting = calloc((size_t)size, sizeof *board->lasting);
    }
    if (board == NULL || board->awaited == NULL || board->lasting == NULL) {
        free_board(board);
        return HB_FAIL(HB_ENOMEM, "no memory for the board of %d ranks", size);
    }
    pthread_mutex_init(&board->lock, NULL); /* on Linux it cannot fail */
    atomic_init(&board->limit, USUAL_LIMIT);
    *out = board;
    return HB_OK;
}

void hb_board_close(hb_board *board)
{
    if (board != NULL) {
        hb_watch_close(board->watch);
        pthread_mutex_destroy(&board->lock);
        free_board(board);
    }
}

/* Signal 0 tests only. */
static bool has_ended(pid_t process)
{
    return process > 0 && kill(process, 0) < 0 && errno == ESRCH;
}

void hb_board_lose(hb_board_page *p, int rank, hb_fate fate)
{
    int none = 0;
    atomic_compare_exchange_strong(&p->lost, &none, (rank + 1) | (int)fate << HB_FATE_SHIFT);
}

int hb_board_lost(const hb_board *board)
{
    return (atomic_load(&board->page->lost) & HB_RANK_MASK) - 1;
}

int hb_board_find_lost(const hb_board *board)
{
    const int error = errno; /* a signal handler leaves it as it found it */
    for (int i = 0; i < board->size && atomic_load(&board->page->lost) == 0; i++) {
        const int rank = board->peers[i].rank;
        if (has_ended(board->peers[i].process)) {
            hb_board_lose(board->page, rank,
                          rank + 1 == atomic_load(&board->page->ends) ? HB_FATE_ENDED : HB_FATE_GONE);
        }
    }
    errno = error;
    return hb_board_lost(board);
}

hb_loss hb_board_loss(const hb_board *board)
{
    const int lost = atomic_load(&board->page->lost);
    const hb_fate fate = (hb_fate)(lost >> HB_FATE_SHIFT);
    return (hb_loss){(lost & HB_RANK_MASK) - 1, fate, fate >= HB_FATE_GONE_AWAY ? board->page->host : "",
                     atomic_load(&board->limit)};
}

void hb_board_set_limit(hb_board *board, double seconds, bool strict)
{
    if (board != NULL) {
        atomic_store(&board->limit, (unsigned)fmin(ceil(seconds), UINT32_MAX));
        atomic_store(&board->strict, strict);
    }
}

bool hb_board_tells(const hb_board *board)
{
    return atomic_exchange(&board->page->told, 1) == 0;
}

bool hb_board_reports(const hb_board *board)
{
    hb_board_page *p = board->page;
    const bool here = board->peers[0].rank == 0;
    const int lost = hb_board_find_lost(board);
    if (board->peers[board->own].rank == 0 || (here && lost == 0 && atomic_exchange(&p->taken, 1) == 0)) {
        return true;
    }
    hb_backoff backoff = hb_backoff_of(HB_BOARD_SETTLED);
    while (here && lost >= 0 && atomic_load(&p->reported) == 0 && !hb_backoff_ended(&backoff)) {
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
            hb_board_place *p = &board->page->places[i];
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

/* Where ranks that share limbs wait, one that is stopped by a signal for the limit is lost as well. Seconds count
 * within one wait. */
static void find_stopped(hb_board *board, double waited)
{
    const bool counts = waited > 0 && atomic_load(&board->strict);
    for (int i = 0; i < board->size; i++) {
        hb_board_lasting *l = &board->lasting[i];
        const bool stopped = counts && i != board->own && hb_process_state_of(board->peers[i].process).stopped;
        l->stopped = stopped ? l->stopped + 1 : 0;
        if (stopped && l->stopped >= atomic_load(&board->limit)) {
            hb_board_lose(board->page, board->peers[i].rank, HB_FATE_STOPPED);
        }
    }
}

/* Whether what is known of other hosts explains the wait better than a rank of this one, which may wait for them. */
static bool is_trouble(const hb_life *away)
{
    return away->state >= HB_LIFE_STOPPED;
}

/* In the thread of the watch; 0 seconds: this rank does not wait. */
static void look(void *context, double seconds)
{
    hb_board *board = context;
    hb_wait wait = {.seconds = seconds,
                    .rank = board->peers[board->own].rank,
                    .phase = atomic_load(&board->page->places[board->own].phase),
                    .lost = hb_board_find_lost(board)};
    find_stopped(board, seconds);
    wait.lost = hb_board_lost(board);
    pthread_mutex_lock(&board->lock);
    wait.away = board->away;
    pthread_mutex_unlock(&board->lock);
    /* A call that looks itself notices within that time, and then there is a report as well. */
    board->lost_looks = wait.lost >= 0 && seconds > 0 ? board->lost_looks + 1 : 0;
    if (board->lost_looks > (uint32_t)HB_BOARD_SETTLED) {
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
    if (hb_board_is_time(seconds) && find_awaited(board, &wait)) {
        wait.count = is_trouble(&wait.away) ? 0 : wait.count;
        if (wait.count > 0 || is_trouble(&wait.away) || (board->shared && board->peers[0].rank == 0)) {
            board->tell(board->context, &wait);
        }
    }
}

void hb_board_set_ending(hb_board *board)
{
    int none = 0;
    if (board != NULL) {
        atomic_compare_exchange_strong(&board->page->ends, &none, board->peers[board->own].rank + 1);
    }
}

void hb_board_set_closing(hb_board *board)
{
    if (board != NULL) {
        atomic_store(&board->closing, true);
    }
}

bool hb_board_alone(const hb_board *board)
{
    const unsigned away = atomic_load(&board->page->away);
    bool halted = away >= (unsigned)HB_LIFE_STOPPED;
    if (!board->shared || (away != (unsigned)HB_LIFE_WAITS && !halted)) {
        return false;
    }
    for (int i = 0; i < board->size; i++) {
        const bool stops = i != board->own && hb_process_state_of(board->peers[i].process).stopped;
        if (i != board->own && !stops && atomic_load(&board->page->places[i].waits) == 0) {
            return false;
        }
        halted |= stops;
    }
    return halted;
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
        hb_board_place *p = &board->page->places[board->own];
        atomic_fetch_add(&p->calls, waits ? 1 : 0);
        atomic_store(&p->waits, waits);
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
