/* A host of three ranks on one page, for tests of the board (mpi/group/board.h). */
#ifndef HB_TESTS_BOARD_HOST_H
#define HB_TESTS_BOARD_HOST_H

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi/group/board.h"

enum { RANKS = 3, FIRST = 4 }; /* ranks 4, 5 and 6 of a job are those of this host, unless a test says so */

/* Three places of one page; the last is of a process that does nothing. */
typedef struct host {
    void *page;
    hb_peer peers[RANKS];
    hb_board *board[RANKS];
} host;

static void open_ranks(host *h, int first, bool shared)
{
    h->page = mmap(NULL, hb_board_page_bytes(RANKS), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(h->page, MAP_FAILED);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (;;) {
            pause();
        }
    }
    for (int i = 0; i < RANKS; i++) {
        h->peers[i] = (hb_peer){first + i, i < RANKS - 1 ? getpid() : child};
    }
    for (int i = 0; i < RANKS; i++) {
        assert_int_equal(hb_board_open(h->page, shared, h->peers, i, RANKS, &h->board[i]), HB_OK);
    }
}

static void end_child(const host *h)
{
    const pid_t child = h->peers[RANKS - 1].process;
    kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
}

static void close_host(host *h)
{
    end_child(h);
    for (int i = 0; i < RANKS; i++) {
        hb_board_close(h->board[i]);
    }
    munmap(h->page, hb_board_page_bytes(RANKS));
}

#endif
