#include "request.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

static const char magic[] = {'h', 'e', 'b', 'a', 't', 'c', 'h', '1'};
_Static_assert(sizeof magic == sizeof((hb_request_head *)0)->magic, "whole");

static hb_status gone(void)
{
    return HB_FAIL(HB_EPEER, "the other end of the socket is gone");
}

/* --- texts */

static void name_build(char build[HB_REQUEST_BUILD], const char *id)
{
    memset(build, 0, HB_REQUEST_BUILD);
    snprintf(build, HB_REQUEST_BUILD, "%.80s %s", HEBATCH_VERSION, id);
}

/* Adds up the bytes of texts and counts them. */
static uint64_t measure(char **texts, uint32_t *count)
{
    uint64_t bytes = 0;
    for (*count = 0; texts[*count] != NULL; ++*count) {
        bytes += strlen(texts[*count]) + 1;
    }
    return bytes;
}

static char *copy(char *to, char **texts)
{
    for (size_t i = 0; texts[i] != NULL; i++) {
        const size_t bytes = strlen(texts[i]) + 1;
        memcpy(to, texts[i], bytes);
        to += bytes;
    }
    return to;
}

static void close_all(hb_request *request)
{
    for (int i = 0; i < HB_REQUEST_DESCRIPTORS; i++) {
        if (request->fd[i] >= 0) {
            close(request->fd[i]);
        }
        request->fd[i] = -1;
    }
}

static void empty(hb_request *request)
{
    *request = (hb_request){.texts = NULL};
    for (int i = 0; i < HB_REQUEST_DESCRIPTORS; i++) {
        request->fd[i] = -1;
    }
}

hb_status hb_request_make(hb_request *request, hb_request_kind kind, const char *build_id, char **words,
                          char **variables)
{
    hb_request_head *head = &request->head;
    empty(request);
    memcpy(head->magic, magic, sizeof magic);
    name_build(head->build, build_id);
    head->kind = kind;
    head->bytes = measure(words, &head->words);
    head->bytes += measure(variables, &head->variables);
    if (head->bytes > HB_REQUEST_MOST_BYTES) {
        return HB_FAIL(HB_EUSAGE, "the words of the command and the environment are too many for a server");
    }
    request->texts = malloc((size_t)head->bytes + 1);
    if (request->texts == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the words of a job");
    }
    copy(copy(request->texts, words), variables);
    return hb_request_find_texts(request);
}

hb_status hb_request_check(const hb_request_head *head, const char *build_id)
{
    char build[HB_REQUEST_BUILD];
    if (memcmp(head->magic, magic, sizeof magic) != 0) {
        return HB_FAIL(HB_EDATA, "it is no request of hebatch");
    }
    name_build(build, build_id);
    /* Any build may end a server: that is how another one takes its place. */
    const bool stops = head->kind == HB_REQUEST_STOP && head->bytes == 0 && head->words == 0 && head->variables == 0;
    if (!stops && memcmp(head->build, build, sizeof build) != 0) {
        return HB_FAIL(HB_ECONFIG,
                       "the server is another build of hebatch than this one: end it with --stop, and start "
                       "it anew");
    }
    const uint64_t texts = (uint64_t)head->words + head->variables;
    if ((head->kind != HB_REQUEST_JOB && head->kind != HB_REQUEST_STOP) || head->bytes > HB_REQUEST_MOST_BYTES ||
        texts > head->bytes || (head->mask & ~(uint32_t)0777) != 0 || !(head->began > -1e12 && head->began < 1e12)) {
        return HB_FAIL(HB_EDATA, "the request holds numbers that cannot be right");
    }
    return HB_OK;
}

/* Sets `count` pointers to texts that follow one another. Returns where the next one begins; NULL: they do not end. */
static char *point(char **to, uint32_t count, char *at, const char *end)
{
    for (uint32_t i = 0; i < count && at != NULL; i++) {
        char *last = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
        to[i] = at;
        at = last != NULL ? last + 1 : NULL;
    }
    to[count] = NULL;
    return at;
}

hb_status hb_request_find_texts(hb_request *request)
{
    const hb_request_head *head = &request->head;
    const char *end = request->texts + head->bytes;
    request->word = calloc((size_t)head->words + 1, sizeof *request->word);
    request->variable = calloc((size_t)head->variables + 1, sizeof *request->variable);
    if (request->word == NULL || request->variable == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the words of a job");
    }
    char *at = point(request->word, head->words, request->texts, end);
    at = at != NULL ? point(request->variable, head->variables, at, end) : NULL;
    return at == end ? HB_OK : HB_FAIL(HB_EDATA, "the request has other texts than it says");
}

void hb_request_clear(hb_request *request)
{
    close_all(request);
    free(request->texts);
    free(request->word);
    free(request->variable);
    empty(request);
}

/* --- sockets */

static hb_status send_all(int socket, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        const ssize_t sent = send(socket, at, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return gone();
        }
        at += sent > 0 ? sent : 0;
        bytes -= sent > 0 ? (size_t)sent : 0;
    }
    return HB_OK;
}

/* Room for the descriptors of one message. */
typedef union descriptors {
    struct cmsghdr head; /* aligns it */
    char room[CMSG_SPACE(HB_REQUEST_DESCRIPTORS * sizeof(int))];
} descriptors;

/* Descriptors go with the first byte of the head. */
static hb_status send_descriptors(int socket, const hb_request *request)
{
    char first;
    memcpy(&first, &request->head, 1);
    descriptors control;
    struct iovec data = {&first, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    if (request->fd[0] >= 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.room;
        message.msg_controllen = sizeof control.room;
        struct cmsghdr *part = CMSG_FIRSTHDR(&message);
        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN(sizeof request->fd);
        memcpy(CMSG_DATA(part), request->fd, sizeof request->fd);
    }
    ssize_t sent;
    while ((sent = sendmsg(socket, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
    }
    return sent == 1 ? HB_OK : gone();
}

hb_status hb_request_send(int socket, const hb_request *request)
{
    HB_TRY(send_descriptors(socket, request));
    HB_TRY(send_all(socket, (const char *)&request->head + 1, sizeof request->head - 1));
    return send_all(socket, request->texts, (size_t)request->head.bytes);
}

/* Waits until there is something to read; `until` is a time of hb_now, negative: for ever. */
static hb_status wait_for(int socket, double until)
{
    struct pollfd one = {.fd = socket, .events = POLLIN};
    for (;;) {
        const double left = until < 0 ? -1 : until - hb_now();
        if (until >= 0 && left <= 0) {
            return gone();
        }
        const int ready = poll(&one, 1, until < 0 ? -1 : (int)(left * 1e3) + 1);
        if (ready > 0) {
            return HB_OK;
        }
        if (ready < 0 && errno != EINTR) {
            return gone();
        }
    }
}

static hb_status receive_all(int socket, void *data, size_t bytes, double until)
{
    char *at = data;
    while (bytes > 0) {
        HB_TRY(wait_for(socket, until));
        const ssize_t got = recv(socket, at, bytes, 0);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) {
            return gone();
        }
        at += got > 0 ? got : 0;
        bytes -= got > 0 ? (size_t)got : 0;
    }
    return HB_OK;
}

/* Takes the descriptors of a message over; more than there may be the system has closed already. */
static void take_descriptors(struct msghdr *message, hb_request *request)
{
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
            if (i < HB_REQUEST_DESCRIPTORS && request->fd[i] < 0) {
                request->fd[i] = fd;
            } else {
                close(fd);
            }
        }
    }
}

static hb_status receive_descriptors(int socket, double until, hb_request *request)
{
    char first;
    descriptors control;
    struct iovec data = {&first, 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
    HB_TRY(wait_for(socket, until));
    ssize_t got;
    while ((got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
    }
    if (got != 1) {
        return gone();
    }
    memcpy(&request->head, &first, 1);
    take_descriptors(&message, request);
    return HB_OK;
}

/* A job has all of its descriptors, another request none. */
static bool has_descriptors(const hb_request *request)
{
    bool all = true, none = true;
    for (int i = 0; i < HB_REQUEST_DESCRIPTORS; i++) {
        all = all && request->fd[i] >= 0;
        none = none && request->fd[i] < 0;
    }
    return request->head.kind == HB_REQUEST_JOB ? all : none;
}

hb_status hb_request_receive(int socket, double seconds, const char *build_id, hb_request *request)
{
    const double until = seconds < 0 ? -1 : hb_now() + seconds;
    hb_request_head *head = &request->head;
    empty(request);
    HB_TRY(receive_descriptors(socket, until, request));
    HB_TRY(receive_all(socket, (char *)head + 1, sizeof *head - 1, until));
    HB_TRY(hb_request_check(head, build_id));
    if (!has_descriptors(request)) {
        return HB_FAIL(HB_EDATA, "the request brings other descriptors than it should");
    }
    request->texts = malloc((size_t)head->bytes + 1);
    if (request->texts == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the words of a job");
    }
    HB_TRY(receive_all(socket, request->texts, (size_t)head->bytes, until));
    return hb_request_find_texts(request);
}

/* --- answers */

hb_status hb_answer_send(int socket, hb_answer_kind kind, hb_status code, const hb_error *error)
{
    hb_answer answer;
    memset(&answer, 0, sizeof answer); /* no byte of the stack's */
    answer.kind = kind;
    answer.code = (int32_t)code;
    if (error != NULL) {
        answer.error = *error;
    }
    /* It fits into the buffer of the socket, which is empty but for another one. */
    const ssize_t sent = send(socket, &answer, sizeof answer, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent == (ssize_t)sizeof answer ? HB_OK : gone();
}

hb_status hb_answer_check(const hb_answer *answer)
{
    const hb_error *error = &answer->error;
    const bool ends = memchr(error->text, '\0', sizeof error->text) != NULL &&
                      memchr(error->where, '\0', sizeof error->where) != NULL && error->reason < sizeof error->text;
    const bool known = answer->kind >= HB_ANSWER_BEGUN && answer->kind <= HB_ANSWER_REFUSED;
    return ends && known && answer->code >= 0 && answer->code <= 255
               ? HB_OK
               : HB_FAIL(HB_EDATA, "the server's answer cannot be right");
}

hb_status hb_answer_receive(int socket, hb_answer *answer, size_t *held)
{
    const ssize_t got = recv(socket, (char *)answer + *held, sizeof *answer - *held, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) {
        return gone();
    }
    *held += got > 0 ? (size_t)got : 0;
    return *held == sizeof *answer ? hb_answer_check(answer) : HB_OK;
}

bool hb_signal_is_passed(int signal_number)
{
    return signal_number == SIGINT || signal_number == SIGTERM || signal_number == SIGHUP || signal_number == SIGUSR1 ||
           signal_number == SIGUSR2;
}
