/* The sign that the ranks of a host give of themselves, and what they make of the signs of other hosts. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "board_host.h"
#include "unit/unit.h"

static void open_host(host *h)
{
    open_ranks(h, FIRST, true);
}

/* A rank that ends the job is not told to have crashed. */
static void test_ended(void **state)
{
    (void)state;
    host h;
    open_host(&h);
    hb_life sign = {.state = HB_LIFE_WAITS};
    hb_board_set_ending(h.board[2]);
    hb_board_own_sign(h.board[0], &sign);
    assert_int_equal(sign.state, HB_LIFE_ENDED);
    assert_int_equal(sign.rank, FIRST + 2);
    end_child(&h);
    assert_int_equal(hb_board_find_lost(h.board[0]), FIRST + 2);
    assert_int_equal(hb_board_loss(h.board[0]).fate, HB_FATE_ENDED);
    close_host(&h);
}

/* The sign of a host names the rank that others wait for, before it one that is stopped, before both one that is gone,
 * unless the group is closed. */
static void test_own_sign(void **state)
{
    (void)state;
    host h;
    int status;
    hb_life sign = {.state = HB_LIFE_WAITS};
    open_host(&h);
    for (int i = 0; i < RANKS; i++) {
        hb_board_enter(h.board[i]);
    }
    hb_board_own_sign(h.board[0], &sign);
    assert_int_equal(sign.state, HB_LIFE_WAITS);
    hb_board_leave(h.board[1]);
    hb_board_mark(h.board[1], 4);
    hb_board_own_sign(h.board[0], &sign);
    assert_int_equal(sign.state, HB_LIFE_WORKS);
    assert_int_equal(sign.rank, FIRST + 1);
    assert_int_equal(sign.phase, 4);
    kill(h.peers[2].process, SIGSTOP);
    assert_int_equal(waitpid(h.peers[2].process, &status, WUNTRACED), h.peers[2].process);
    hb_board_own_sign(h.board[0], &sign);
    assert_int_equal(sign.state, HB_LIFE_STOPPED);
    assert_int_equal(sign.rank, FIRST + 2);
    end_child(&h);
    hb_board_own_sign(h.board[0], &sign);
    assert_int_equal(sign.state, HB_LIFE_GONE);
    sign = (hb_life){.state = HB_LIFE_WAITS};
    hb_board_set_closing(h.board[0]);
    hb_board_own_sign(h.board[0], &sign);
    assert_int_equal(sign.state, HB_LIFE_WORKS);
    close_host(&h);
}

/* Hears so of another host, while the first rank here waits or not. Returns what the second knows then. */
static hb_loss hear(hb_life away, bool waits, double limit, bool strict)
{
    host h;
    hb_life sign = {.state = HB_LIFE_WAITS};
    open_host(&h);
    hb_board_set_limit(h.board[0], limit, strict);
    hb_board_set_limit(h.board[1], limit, strict);
    if (waits) {
        hb_board_enter(h.board[0]);
    }
    for (int i = 0; i < 30; i++) {
        hb_board_own_sign(h.board[0], &sign);
        hb_board_others_sign(h.board[0], &away);
    }
    assert_int_equal(hb_board_find_lost(h.board[1]), hb_board_lost(h.board[1]));
    hb_loss loss = hb_board_loss(h.board[1]);
    if (loss.rank >= 0) {
        assert_int_equal(loss.rank, 9);
    }
    if (loss.fate >= HB_FATE_GONE_AWAY) {
        assert_string_equal(loss.host, "other?host");
    }
    loss.host = "";
    close_host(&h);
    return loss;
}

static void test_signs(void **state)
{
    (void)state;
    const hb_life gone = {.state = HB_LIFE_GONE, .rank = 9, .host = "other\033host"},
                  ended = {.state = HB_LIFE_ENDED, .rank = 9, .host = "other\033host"},
                  cut = {.state = HB_LIFE_SILENT, .rank = 9, .seconds = 20, .host = "other\033host"},
                  mute = {.state = HB_LIFE_SILENT, .rank = 9, .seconds = 20, .answers = 1, .host = "other\033host"},
                  stopped = {.state = HB_LIFE_STOPPED, .rank = 9, .seconds = 20, .host = "other\033host"},
                  works = {.state = HB_LIFE_WORKS, .rank = 9, .seconds = 20, .host = "other\033host"};
    assert_int_equal(hear(gone, false, 30, false).fate, HB_FATE_GONE_AWAY);
    assert_int_equal(hear(ended, false, 30, false).fate, HB_FATE_ENDED_AWAY);
    assert_int_equal(hear(cut, false, 20, false).rank, -1); /* nobody waits */
    assert_int_equal(hear(cut, true, 20.5, false).rank, -1);
    assert_int_equal(hear(cut, true, 20, false).fate, HB_FATE_UNREACHABLE);
    assert_int_equal(hear(cut, true, 20, false).limit, 20);
    assert_int_equal(hear(mute, true, 20, false).rank, -1); /* it may go on */
    assert_int_equal(hear(mute, true, 20, true).fate, HB_FATE_MUTE);
    assert_int_equal(hear(stopped, true, 20, false).rank, -1);
    assert_int_equal(hear(stopped, true, 20, true).fate, HB_FATE_STOPPED_AWAY);
    assert_int_equal(hear(works, true, 1, true).rank, -1);
}

/* Looks as the thread of signs does, once a second, while a host is silent. */
static void look(host *h, hb_life *silent, int seconds)
{
    hb_life sign = {.state = HB_LIFE_WAITS};
    for (int i = 0; i < seconds; i++) {
        silent->seconds++;
        hb_board_own_sign(h->board[0], &sign);
        hb_board_others_sign(h->board[0], silent);
    }
}

/* A host is given up after the limit of silence within one wait: neither silence that nobody waited in counts, nor that
 * of waits before. */
static void test_silence_while_waiting(void **state)
{
    (void)state;
    hb_life silent = {.state = HB_LIFE_SILENT, .rank = 9, .host = "other"};
    host h;
    open_host(&h);
    hb_board_set_limit(h.board[0], 20, false);
    look(&h, &silent, 100);
    for (int wait = 0; wait < 3; wait++) {
        hb_board_enter(h.board[0]);
        look(&h, &silent, 19);
        hb_board_leave(h.board[0]);
    }
    assert_int_equal(hb_board_lost(h.board[1]), -1);
    hb_board_enter(h.board[0]);
    look(&h, &silent, 10);
    silent.seconds = 0; /* it was heard of meanwhile */
    look(&h, &silent, 19);
    assert_int_equal(hb_board_lost(h.board[1]), -1);
    look(&h, &silent, 2);
    assert_int_equal(hb_board_lost(h.board[1]), 9);
    close_host(&h);
}

/* A group whose opening failed for memory has no board when it is closed. */
static void test_no_board(void **state)
{
    (void)state;
    hb_board_set_ending(NULL);
    hb_board_set_closing(NULL);
    hb_board_set_limit(NULL, 1, true);
    hb_board_mark(NULL, 1);
    hb_board_enter(NULL);
    hb_board_leave(NULL);
    hb_board_close(NULL);
}

/* A host that is silent is known to all ranks here, until it is heard of again. */
static void test_silent(void **state)
{
    (void)state;
    const hb_life silent = {.state = HB_LIFE_SILENT, .rank = 9, .seconds = 7, .host = "other\033host"},
                  works = {.state = HB_LIFE_WORKS, .rank = 9};
    host h;
    open_host(&h);
    assert_int_equal(hb_board_silent(h.board[1]).rank, -1);
    hb_board_others_sign(h.board[0], &silent);
    const hb_silence silence = hb_board_silent(h.board[1]);
    assert_int_equal(silence.rank, 9);
    assert_int_equal(silence.seconds, 7);
    assert_string_equal(silence.host, "other?host");
    assert_int_equal(hb_board_find_lost(h.board[1]), -1);
    hb_board_others_sign(h.board[0], &works);
    assert_int_equal(hb_board_silent(h.board[1]).rank, -1);
    close_host(&h);
}

/* Names two silent ranks by turns, each of 63 equal letters. */
static void *name_by_turns(void *context)
{
    const host *h = context;
    hb_life silent[2] = {{.state = HB_LIFE_SILENT, .rank = 'a'}, {.state = HB_LIFE_SILENT, .rank = 'b'}};
    for (int i = 0; i < 200000; i++) {
        hb_life *one = &silent[i % 2];
        memset(one->host, (int)one->rank, HB_LIFE_HOST - 1);
        hb_board_others_sign(h->board[0], one);
    }
    return NULL;
}

/* A handler that reads while another silent rank is noted has the one or the other, never parts of both. */
static void test_silence_is_whole(void **state)
{
    (void)state;
    host h;
    pthread_t writer;
    open_host(&h);
    assert_int_equal(pthread_create(&writer, NULL, name_by_turns, &h), 0);
    for (int i = 0; i < 200000; i++) {
        const hb_silence silence = hb_board_silent(h.board[1]);
        char wanted[HB_LIFE_HOST] = "";
        if (silence.rank >= 0) {
            memset(wanted, silence.rank, sizeof wanted - 1);
            assert_string_equal(silence.host, wanted);
        }
    }
    assert_int_equal(pthread_join(writer, NULL), 0);
    close_host(&h);
}

/* A rank that can count on nobody leaves early: all others wait, or are stopped, and one is. */
static void test_alone(void **state)
{
    (void)state;
    const hb_life silent = {.state = HB_LIFE_SILENT, .rank = 9}, works = {.state = HB_LIFE_WORKS, .rank = 9},
                  unknown = {.state = HB_LIFE_UNKNOWN};
    host h;
    int status;
    open_host(&h);
    hb_board_enter(h.board[0]);
    kill(h.peers[2].process, SIGSTOP);
    assert_int_equal(waitpid(h.peers[2].process, &status, WUNTRACED), h.peers[2].process);
    assert_false(hb_board_alone(h.board[0])); /* the second is at work */
    hb_board_enter(h.board[1]);
    assert_true(hb_board_alone(h.board[0]));
    hb_board_others_sign(h.board[0], &unknown);
    assert_false(hb_board_alone(h.board[0])); /* nothing is known of other hosts */
    hb_board_others_sign(h.board[0], &works);
    assert_false(hb_board_alone(h.board[1]));
    hb_board_others_sign(h.board[0], &silent);
    assert_true(hb_board_alone(h.board[1]));
    kill(h.peers[2].process, SIGCONT);
    close_host(&h);
}

HB_UNIT(board_signs)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ended),    cmocka_unit_test(test_own_sign),
                                       cmocka_unit_test(test_signs),    cmocka_unit_test(test_alone),
                                       cmocka_unit_test(test_silent),   cmocka_unit_test(test_silence_while_waiting),
                                       cmocka_unit_test(test_no_board), cmocka_unit_test(test_silence_is_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
