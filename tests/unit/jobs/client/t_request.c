/* Requests and answers between a client and a server: they arrive as they were sent, and whatever a hostile process of
 * the same user may send is refused before it is used. */
#include "client/request.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "unit/scratch.h"
#include "unit/unit.h"

static char *words[] = {"hebatch", "eval", "", "y = a * b", NULL}, *variables[] = {"A=1", "LONG=", NULL},
            *none[] = {NULL};
static const char build_id[] = "0123456789abcdef";

static void open_pair(int pair[2])
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
}

static void close_pair(int pair[2])
{
    close(pair[0]);
    close(pair[1]);
}

static void make(hb_request *request)
{
    assert_ok(hb_request_make(request, HB_REQUEST_JOB, build_id, words, variables));
    request->head.began = 12.5;
    request->head.mask = 027;
    for (int i = 0; i < HB_REQUEST_DESCRIPTORS; i++) {
        request->fd[i] = open("/dev/null", O_RDWR | O_CLOEXEC);
        assert_true(request->fd[i] >= 0);
    }
}

static void requests_arrive(void **state)
{
    (void)state;
    int pair[2];
    hb_request sent, got;
    open_pair(pair);
    make(&sent);
    assert_ok(hb_request_send(pair[0], &sent));
    assert_ok(hb_request_receive(pair[1], 5, build_id, &got));
    assert_int_equal(got.head.words, 4);
    for (int i = 0; words[i] != NULL; i++) {
        assert_string_equal(got.word[i], words[i]);
    }
    assert_null(got.word[4]);
    assert_string_equal(got.variable[0], "A=1");
    assert_string_equal(got.variable[1], "LONG=");
    assert_null(got.variable[2]);
    assert_true(got.head.began == 12.5 && got.head.mask == 027);
    for (int i = 0; i < HB_REQUEST_DESCRIPTORS; i++) {
        assert_true(got.fd[i] > STDERR_FILENO && got.fd[i] != sent.fd[i] && fcntl(got.fd[i], F_GETFD) == FD_CLOEXEC);
    }
    const int first = got.fd[0];
    hb_request_clear(&got);
    assert_true(fcntl(first, F_GETFD) < 0);
    hb_request_clear(&sent);
    hb_request_clear(&sent);

    assert_ok(hb_request_make(&sent, HB_REQUEST_STOP, build_id, none, none));
    assert_ok(hb_request_send(pair[0], &sent));
    assert_ok(hb_request_receive(pair[1], 5, build_id, &got));
    assert_true(got.head.kind == HB_REQUEST_STOP && got.head.bytes == 0 && got.word[0] == NULL);
    hb_request_clear(&got);
    hb_request_clear(&sent);
    close_pair(pair);
}

static void heads_are_checked(void **state)
{
    (void)state;
    hb_request request;
    make(&request);
    const hb_request_head good = request.head;
    hb_request_head head = good;
    assert_ok(hb_request_check(&head, build_id));
    head.magic[0] ^= 1;
    assert_refused(hb_request_check(&head, build_id), HB_EDATA, "no request of hebatch");
    head = good;
    head.build[0] ^= 1;
    assert_refused(hb_request_check(&head, build_id), HB_ECONFIG, "another build");
    head = good;
    memset(head.build, 'x', sizeof head.build); /* without an end */
    assert_refused(hb_request_check(&head, build_id), HB_ECONFIG, "another build");
    head.kind = HB_REQUEST_STOP; /* of words: no other build says what they are */
    assert_refused(hb_request_check(&head, build_id), HB_ECONFIG, "another build");
    head.words = head.variables = 0;
    head.bytes = 0;
    assert_ok(hb_request_check(&head, build_id));
    const struct {
        uint32_t kind, words, variables, mask;
        uint64_t bytes;
        double began;
    } bad[] = {{0, 4, 2, 027, good.bytes, 1},
               {3, 4, 2, 027, good.bytes, 1},
               {1, UINT32_MAX, 2, 027, good.bytes, 1},
               {1, UINT32_MAX, UINT32_MAX, 027, good.bytes, 1},
               {1, (uint32_t)good.bytes, 1, 027, good.bytes, 1},
               {1, 4, 2, 01000, good.bytes, 1},
               {1, 4, 2, 027, HB_REQUEST_MOST_BYTES + 1, 1},
               {1, 4, 2, 027, UINT64_MAX, 1},
               {1, 4, 2, 027, good.bytes, NAN},
               {1, 4, 2, 027, good.bytes, INFINITY},
               {1, 4, 2, 027, good.bytes, -1e300}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        head = good;
        head.kind = bad[i].kind;
        head.words = bad[i].words;
        head.variables = bad[i].variables;
        head.mask = bad[i].mask;
        head.bytes = bad[i].bytes;
        head.began = bad[i].began;
        assert_refused(hb_request_check(&head, build_id), HB_EDATA, "cannot be right");
    }
    hb_request_clear(&request);
}

/* Puts texts of these bytes behind a head that says so many words and variables. */
static hb_status find(const char *texts, size_t bytes, uint32_t count, uint32_t more)
{
    hb_request request = {.head = {.words = count, .variables = more, .bytes = bytes}, .fd = {-1, -1, -1, -1}};
    request.texts = malloc(bytes + 1);
    assert_non_null(request.texts);
    memcpy(request.texts, texts, bytes);
    request.texts[bytes] = 'x'; /* no end behind them */
    const hb_status st = hb_request_find_texts(&request);
    hb_request_clear(&request);
    return st;
}

static void texts_are_counted(void **state)
{
    (void)state;
    assert_ok(find("a\0b\0", 4, 1, 1));
    assert_ok(find("a\0b\0", 4, 2, 0));
    assert_ok(find("", 0, 0, 0));
    assert_ok(find("\0\0", 2, 0, 2));
    assert_refused(find("a\0b\0", 4, 1, 0), HB_EDATA, "other texts than it says");
    assert_refused(find("a\0b\0", 4, 3, 0), HB_EDATA, "other texts than it says");
    assert_refused(find("a\0b\0", 4, 1, 2), HB_EDATA, "other texts than it says");
    assert_refused(find("a\0bc", 4, 1, 1), HB_EDATA, "other texts than it says");
    assert_refused(find("abcd", 4, 1, 0), HB_EDATA, "other texts than it says");
    assert_refused(find("", 0, 1, 0), HB_EDATA, "other texts than it says");
    /* Too many for a server. */
    char *long_word = malloc(HB_REQUEST_MOST_BYTES + 1);
    assert_non_null(long_word);
    memset(long_word, 'w', HB_REQUEST_MOST_BYTES);
    long_word[HB_REQUEST_MOST_BYTES] = '\0';
    char *many[] = {long_word, NULL};
    hb_request request;
    assert_refused(hb_request_make(&request, HB_REQUEST_JOB, build_id, many, none), HB_EUSAGE, "too many for a server");
    hb_request_clear(&request);
    free(long_word);
}

/* Sends the first bytes of a request that begins with its descriptors, and ends the connection. */
static void send_part(int socket, const hb_request *request, size_t bytes)
{
    int pair[2];
    uint8_t all[4096];
    open_pair(pair);
    hb_request bare = *request;
    bare.fd[0] = -1;
    assert_ok(hb_request_send(pair[0], &bare));
    const ssize_t whole = recv(pair[1], all, sizeof all, 0);
    assert_true(whole > 0 && bytes <= (size_t)whole);
    assert_int_equal(send(socket, all, bytes, 0), bytes);
    close_pair(pair);
}

static void parts_are_refused(void **state)
{
    (void)state;
    int pair[2];
    hb_request request, got;
    make(&request);
    const size_t sizes[] = {0, 1, 8, sizeof request.head - 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        open_pair(pair);
        send_part(pair[0], &request, sizes[i]);
        shutdown(pair[0], SHUT_WR);
        assert_int_equal(hb_request_receive(pair[1], 5, build_id, &got), HB_EPEER);
        hb_request_clear(&got);
        close_pair(pair);
    }
    /* One that says nothing more is not waited for. */
    open_pair(pair);
    send_part(pair[0], &request, 8);
    assert_int_equal(hb_request_receive(pair[1], 0.05, build_id, &got), HB_EPEER);
    hb_request_clear(&got);
    close_pair(pair);
    /* Without descriptors; with some where there should be none. */
    open_pair(pair);
    send_part(pair[0], &request, sizeof request.head + request.head.bytes);
    assert_refused(hb_request_receive(pair[1], 5, build_id, &got), HB_EDATA, "other descriptors");
    hb_request_clear(&got);
    request.head.kind = HB_REQUEST_STOP;
    close_pair(pair);
    open_pair(pair);
    assert_ok(hb_request_send(pair[0], &request));
    assert_refused(hb_request_receive(pair[1], 5, build_id, &got), HB_EDATA, "other descriptors");
    hb_request_clear(&got);
    close_pair(pair);
    hb_request_clear(&request);
}

static void answers_arrive(void **state)
{
    (void)state;
    int pair[2];
    hb_answer answer;
    size_t held = 0;
    open_pair(pair);
    (void)!HB_FAIL(HB_EDATA, "x.heb: is damaged");
    const hb_error error = *hb_last_error();
    assert_ok(hb_answer_send(pair[0], HB_ANSWER_BEGUN, HB_OK, NULL));
    assert_ok(hb_answer_send(pair[0], HB_ANSWER_ENDED, HB_EDATA, &error));
    assert_ok(hb_answer_receive(pair[1], &answer, &held));
    assert_true(held == sizeof answer && answer.kind == HB_ANSWER_BEGUN && answer.code == 0);
    held = 0;
    assert_ok(hb_answer_receive(pair[1], &answer, &held));
    assert_true(held == sizeof answer && answer.kind == HB_ANSWER_ENDED && answer.code == HB_EDATA);
    assert_string_equal(answer.error.text, "x.heb: is damaged");
    held = 0;
    assert_ok(hb_answer_receive(pair[1], &answer, &held)); /* nothing yet */
    assert_int_equal(held, 0);
    /* In pieces; and one that ends in the middle. */
    hb_answer whole;
    memset(&whole, 0, sizeof whole);
    whole.kind = HB_ANSWER_REFUSED;
    assert_int_equal(send(pair[0], &whole, 100, 0), 100);
    assert_ok(hb_answer_receive(pair[1], &answer, &held));
    assert_int_equal(held, 100);
    close(pair[0]);
    assert_int_equal(hb_answer_receive(pair[1], &answer, &held), HB_EPEER);
    close(pair[1]);
}

static void answers_are_checked(void **state)
{
    (void)state;
    hb_answer good, answer;
    memset(&good, 0, sizeof good);
    good.kind = HB_ANSWER_ENDED;
    answer = good;
    assert_ok(hb_answer_check(&answer));
    memset(answer.error.text, 'x', sizeof answer.error.text);
    assert_refused(hb_answer_check(&answer), HB_EDATA, "cannot be right");
    answer = good;
    memset(answer.error.where, 'x', sizeof answer.error.where);
    assert_refused(hb_answer_check(&answer), HB_EDATA, "cannot be right");
    answer = good;
    answer.error.reason = sizeof answer.error.text;
    assert_refused(hb_answer_check(&answer), HB_EDATA, "cannot be right");
    for (int i = 0; i < 4; i++) {
        answer = good;
        answer.kind = i == 0 ? 0 : i == 1 ? HB_ANSWER_REFUSED + 1 : answer.kind;
        answer.code = i == 2 ? -1 : i == 3 ? 256 : answer.code;
        assert_refused(hb_answer_check(&answer), HB_EDATA, "cannot be right");
    }
}

static void few_signals_pass(void **state)
{
    (void)state;
    int passed = 0;
    for (int s = -1; s < 256; s++) {
        passed += hb_signal_is_passed(s);
    }
    assert_int_equal(passed, 5);
    assert_true(hb_signal_is_passed(SIGTERM) && !hb_signal_is_passed(SIGKILL) && !hb_signal_is_passed(SIGSEGV));
}

HB_UNIT(request)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(requests_arrive),   cmocka_unit_test(heads_are_checked),
                                       cmocka_unit_test(texts_are_counted), cmocka_unit_test(parts_are_refused),
                                       cmocka_unit_test(answers_arrive),    cmocka_unit_test(answers_are_checked),
                                       cmocka_unit_test(few_signals_pass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
