#include "post.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/stop.h"
#include "client/folder.h"

static const double patience = 10; /* seconds for a request to arrive, and for the ranks to come together */

static void close_one(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

/* --- coming together */

/* Nobody else states facts, or listens, in a folder that is locked. */
static hb_status take_folder(hb_post *post, const char *path, int *ranks)
{
    HB_TRY(hb_folder_open(path, true, &post->folder));
    HB_TRY(hb_folder_lock(post->folder, path, &post->lock));
    hb_server_facts_forget(post->folder); /* those of one that was killed */
    if (post->ranks > 0) {
        HB_TRY(hb_folder_listen(post->folder, path, HB_FOLDER_RANKS, ranks));
    }
    post->over = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return post->over >= 0 ? HB_OK : HB_FAIL(HB_EIO, "cannot watch jobs: %s", strerror(errno));
}

/* Facts first, so that whoever finds a server finds its own. */
static hb_status listen_for_jobs(hb_post *post, const char *path, hb_server_facts *first)
{
    hb_server_facts_write(post->folder, first);
    const hb_status st = hb_folder_listen(post->folder, path, HB_FOLDER_JOBS, &post->jobs);
    if (st != HB_OK) {
        hb_server_facts_forget(post->folder);
    }
    return st;
}

static hb_status connect_to_first(hb_post *post, const char *path)
{
    HB_TRY(hb_folder_open(path, false, &post->folder));
    return hb_folder_connect(post->folder, path, HB_FOLDER_RANKS, &post->rank[0]);
}

/* Any order will do: all of them get the same. */
static hb_status accept_ranks(hb_post *post, int listening)
{
    const double until = hb_now() + patience;
    int come = 0;
    while (come < post->ranks) {
        struct pollfd one = {.fd = listening, .events = POLLIN};
        const double left = until - hb_now();
        int fd = -1;
        if (left <= 0) {
            return HB_FAIL(HB_EIO, "the ranks of the server do not reach the first one");
        }
        (void)poll(&one, 1, (int)(left * 1e3) + 1);
        HB_TRY(hb_folder_accept(listening, &fd));
        if (fd >= 0) {
            post->rank[come++] = fd;
        }
    }
    return HB_OK;
}

static hb_status begin(hb_post *post, const hb_group *group)
{
    if (group->node_size != group->size) {
        return HB_FAIL(HB_ECONFIG, "the ranks of a server are of one host, whose descriptors they share");
    }
    post->ranks = group->rank == 0 ? group->size - 1 : 1;
    post->rank = malloc(((size_t)post->ranks + 1) * sizeof *post->rank);
    if (post->rank == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %d ranks", post->ranks);
    }
    for (int i = 0; i < post->ranks; i++) {
        post->rank[i] = -1;
    }
    return HB_OK;
}

/* Rank 0 accepts while the others connect: a queue of connections has room for some of them only. */
static hb_status meet(hb_post *post, hb_group *group, const char *path)
{
    const bool first = group->rank == 0;
    int listening = -1;
    hb_status st = hb_agree(group, first ? take_folder(post, path, &listening) : HB_OK);
    if (st == HB_OK) {
        st = first ? accept_ranks(post, listening) : connect_to_first(post, path);
    }
    if (listening >= 0) { /* before the others are asked: those that are still in the queue are turned away */
        close_one(&listening);
        hb_folder_forget(post->folder, HB_FOLDER_RANKS);
    }
    return hb_agree(group, st);
}

hb_status hb_post_open(hb_post *post, hb_group *group, const char *path, hb_server_facts *first)
{
    *post = (hb_post){.group = group, .folder = -1, .lock = -1, .jobs = -1, .client = -1, .stopper = -1, .over = -1};
    hb_build_id(post->build_id);
    HB_TRY(hb_agree(group, begin(post, group)));
    HB_TRY(meet(post, group, path));
    return hb_agree(group, group->rank == 0 ? listen_for_jobs(post, path, first) : HB_OK);
}

/* --- waiting for jobs */

/* Hands the job to the other ranks. */
static hb_status pass_to_ranks(const hb_post *post, const hb_request *request)
{
    for (int i = 0; i < post->ranks; i++) {
        if (hb_request_send(post->rank[i], request) != HB_OK) {
            return HB_FAIL(HB_ECOMM, "a rank of the server is gone");
        }
    }
    return HB_OK;
}

/* Whether a client has ended while it waited for its turn: nothing is begun for it. */
static bool has_left(int client)
{
    uint8_t byte;
    return recv(client, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* Takes a request from who has connected. *job: it is one to run; then the client stays connected. */
static hb_status take(hb_post *post, int client, hb_request *request, bool *job, bool *ended)
{
    hb_status st = hb_request_receive(client, patience, post->build_id, request);
    st = st == HB_OK && has_left(client) ? HB_EPEER : st;
    *job = st == HB_OK && request->head.kind == HB_REQUEST_JOB;
    if (*job) {
        post->client = client;
        return pass_to_ranks(post, request);
    }
    if (st == HB_OK) {
        post->stopper = client;
        *ended = true;
        return HB_OK;
    }
    if (st != HB_EPEER) {
        (void)!hb_answer_send(client, HB_ANSWER_REFUSED, st, hb_last_error());
    }
    hb_clear_error();
    hb_request_clear(request);
    close(client);
    return HB_OK;
}

/* Waits for something to read on one of `count` descriptors, until then, or a signal; signals are blocked except while
 * it waits, so that none comes between a look and the wait. *asked: a signal has asked this process to stop. */
static hb_status wait_for(struct pollfd *fds, nfds_t count, double until, bool *asked)
{
    sigset_t all, before;
    struct timespec left = {0, 0};
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    *asked = hb_stop_check() != HB_OK;
    const double seconds = until - hb_now();
    if (until > 0 && seconds > 0) {
        left.tv_sec = (time_t)seconds;
        left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
    }
    const int ready = *asked ? 0 : ppoll(fds, count, until > 0 ? &left : NULL, &before);
    const int error = errno;
    *asked = *asked || hb_stop_check() != HB_OK;
    sigprocmask(SIG_SETMASK, &before, NULL);
    hb_clear_error();
    if (ready < 0) {
        for (nfds_t i = 0; i < count; i++) {
            fds[i].revents = 0; /* poll has not set it */
        }
    }
    return ready >= 0 || error == EINTR ? HB_OK : HB_FAIL(HB_EIO, "cannot wait for jobs: %s", strerror(error));
}

/* Looks for words of other ranks. *asked: a signal has asked one of them to stop. HB_ECOMM: one has closed its
 * connection. */
static hb_status hear_ranks(const struct pollfd *fds, int ranks, bool *asked)
{
    for (int i = 0; i < ranks; i++) {
        uint8_t byte;
        const ssize_t got = fds[i].revents != 0 ? recv(fds[i].fd, &byte, 1, MSG_DONTWAIT) : -1;
        *asked = *asked || got == 1;
        if (got == 0 || (fds[i].revents & (POLLERR | POLLNVAL)) != 0) {
            return HB_FAIL(HB_ECOMM, "a rank of the server is gone");
        }
    }
    return HB_OK;
}

/* --- clients that have connected and not begun a request: none of them keeps others waiting */

static void leave_out(hb_post *post, int i)
{
    post->waiting--;
    memmove(&post->come[i], &post->come[i + 1], (size_t)(post->waiting - i) * sizeof *post->come);
}

/* Where there is no room, the one that has waited longest makes it. */
static void admit(hb_post *post, int client)
{
    if (post->waiting == HB_POST_WAITING) {
        close(post->come[0].fd);
        leave_out(post, 0);
    }
    post->come[post->waiting++] = (hb_post_client){client, hb_now() + patience};
}

/* Forgets clients that send nothing. The first one has come first. */
static void forget_silent(hb_post *post)
{
    while (post->waiting > 0 && hb_now() >= post->come[0].until) {
        close(post->come[0].fd);
        leave_out(post, 0);
    }
}

/* Sets what to wait for: words of the other ranks, clients that come, requests of those that have. Returns how many. */
static nfds_t await(const hb_post *post, struct pollfd *fds)
{
    nfds_t count = 0;
    for (int i = 0; i < post->ranks; i++) {
        fds[count++] = (struct pollfd){.fd = post->rank[i], .events = POLLIN};
    }
    fds[count++] = (struct pollfd){.fd = post->jobs, .events = POLLIN};
    for (int i = 0; i < post->waiting; i++) {
        fds[count++] = (struct pollfd){.fd = post->come[i].fd, .events = POLLIN};
    }
    return count;
}

/* One look at all of them. */
static hb_status look(hb_post *post, struct pollfd *fds, double until, hb_request *request, bool *job, bool *ended)
{
    const nfds_t count = await(post, fds);
    const bool sooner = post->waiting > 0 && (until <= 0 || post->come[0].until < until);
    HB_TRY(wait_for(fds, count, sooner ? post->come[0].until : until, ended));
    HB_TRY(hear_ranks(fds, post->ranks, ended));
    if (*ended) {
        return HB_OK;
    }
    for (int i = 0; i < post->waiting; i++) {
        if (fds[post->ranks + 1 + i].revents != 0) {
            const int client = post->come[i].fd;
            leave_out(post, i);
            return take(post, client, request, job, ended);
        }
    }
    forget_silent(post);
    if ((fds[post->ranks].revents & POLLIN) != 0) {
        int client;
        HB_TRY(hb_folder_accept(post->jobs, &client));
        if (client >= 0) {
            admit(post, client);
            return HB_OK;
        }
    }
    *ended = until > 0 && hb_now() >= until;
    return HB_OK;
}

static hb_status next_of_first(hb_post *post, double idle, hb_request *request, bool *ended)
{
    const double until = idle > 0 ? hb_now() + idle : 0;
    struct pollfd *fds = calloc((size_t)post->ranks + 1 + HB_POST_WAITING, sizeof *fds);
    bool job = false;
    hb_status st = fds != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for %d ranks", post->ranks);
    while (st == HB_OK && !job && !*ended) {
        st = look(post, fds, until, request, &job, ended);
    }
    free(fds);
    return st;
}

/* Waits for a word of rank 0, and tells it of a signal that asks this process to stop: rank 0 then ends them all. */
static hb_status wait_for_first(const hb_post *post)
{
    static const uint8_t word = 1;
    struct pollfd one = {.fd = post->rank[0], .events = POLLIN};
    bool asked = false;
    while (!asked && one.revents == 0) {
        HB_TRY(wait_for(&one, 1, 0, &asked));
    }
    if (asked) {
        (void)!send(post->rank[0], &word, 1, MSG_NOSIGNAL); /* an end that is gone is seen next */
    }
    return HB_OK;
}

hb_status hb_post_next(hb_post *post, double idle, hb_request *request, bool *ended)
{
    *ended = false;
    *request = (hb_request){.fd = {-1, -1, -1, -1}};
    if (post->group->rank == 0) {
        return next_of_first(post, idle, request, ended);
    }
    HB_TRY(wait_for_first(post));
    const hb_status st = hb_request_receive(post->rank[0], -1, post->build_id, request);
    *ended = st == HB_EPEER; /* rank 0 has ended, or is gone: the group knows which */
    return *ended ? HB_OK : st;
}

/* --- a job */

/* In a thread of its own, until the job has ended. */
static hb_status pass_on(void *context)
{
    const hb_post *post = context;
    struct pollfd both[2] = {{.fd = post->over, .events = POLLIN}, {.fd = post->client, .events = POLLIN}};
    while ((both[0].revents & POLLIN) == 0) {
        uint8_t byte = 0;
        if (poll(both, 2, -1) < 0 && errno != EINTR) {
            return HB_OK;
        }
        if (both[1].revents == 0) {
            continue;
        }
        const ssize_t got = recv(post->client, &byte, 1, MSG_DONTWAIT);
        if (got == 1 && hb_signal_is_passed(byte)) {
            hb_stop_pass_on(byte);
        } else if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
            hb_stop_pass_on(SIGHUP);
            both[1].fd = -1; /* poll leaves it out */
        }
    }
    return HB_OK;
}

hb_status hb_post_begin_job(hb_post *post)
{
    uint64_t before;
    if (post->client < 0) {
        return HB_OK;
    }
    (void)!read(post->over, &before, sizeof before); /* what an earlier job left: nothing is fine too */
    if (!hb_background_start(&post->watch, pass_on, post)) {
        return HB_FAIL(HB_ENOMEM, "no thread for the signals of a job");
    }
    (void)!hb_answer_send(post->client, HB_ANSWER_BEGUN, HB_OK, NULL);
    return HB_OK;
}

void hb_post_end_job(hb_post *post, hb_status code, const hb_error *error, bool told)
{
    const uint64_t one = 1;
    if (post->client < 0) {
        return;
    }
    (void)!write(post->over, &one, sizeof one);
    (void)!hb_background_end(&post->watch);
    (void)!hb_answer_send(post->client, told ? HB_ANSWER_ENDED : HB_ANSWER_REFUSED, code, error);
    close_one(&post->client);
}

void hb_post_part(hb_post *post)
{
    for (int i = 0; i < post->ranks && post->rank != NULL; i++) {
        close_one(&post->rank[i]);
    }
}

void hb_post_close(hb_post *post)
{
    if (post->jobs >= 0) {
        hb_folder_forget(post->folder, HB_FOLDER_JOBS);
    }
    hb_post_part(post);
    free(post->rank);
    post->rank = NULL;
    for (int i = 0; i < post->waiting; i++) {
        close(post->come[i].fd);
    }
    post->waiting = 0;
    close_one(&post->jobs);
    close_one(&post->over);
    close_one(&post->client);
    close_one(&post->folder);
    close_one(&post->lock);
    if (post->stopper >= 0) { /* once another server may begin */
        (void)!hb_answer_send(post->stopper, HB_ANSWER_ENDED, HB_OK, NULL);
    }
    close_one(&post->stopper);
}
