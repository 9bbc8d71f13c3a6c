/* Signs of life among three hosts, each a thread or a process here: all hear of each one that works, leaves, is killed,
 * or is stopped for a while; and a stranger, who knows no token, is shown out. */
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "mpi/group/life_link.h"

enum { HOSTS = 3, FIRST_RANK = 10 };

/* One host: the sign that it gives, and the worst that it heard. */
typedef struct host {
    hb_signs *signs;
    pthread_mutex_t lock;
    hb_life own, worst;
    hb_signs_user user;
} host;

static host hosts[HOSTS];
static atomic_uint polls, seconds; /* that threads of signs have called poll; that they have asked for signs */

/* In place of the C library's: counts. */
int poll(struct pollfd *polled, nfds_t count, int milliseconds)
{
    enum { THOUSAND = 1000, MILLION = THOUSAND * THOUSAND };
    const struct timespec most = {milliseconds / THOUSAND, (long)(milliseconds % THOUSAND) * MILLION};
    atomic_fetch_add(&polls, 1);
    return ppoll(polled, count, milliseconds < 0 ? NULL : &most, NULL);
}

static hb_life_address addresses[HOSTS];
static const hb_life busy = {.state = HB_LIFE_WORKS, .rank = FIRST_RANK + 2, .phase = 5};

static void own(void *context, hb_life *sign)
{
    host *h = context;
    atomic_fetch_add(&seconds, 1);
    pthread_mutex_lock(&h->lock);
    sign->state = h->own.state;
    sign->rank = h->own.rank;
    sign->phase = h->own.phase;
    pthread_mutex_unlock(&h->lock);
}

static void others(void *context, const hb_life *worst)
{
    host *h = context;
    pthread_mutex_lock(&h->lock);
    h->worst = *worst;
    pthread_mutex_unlock(&h->lock);
}

static void pause_shortly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* Waits until a host has heard this of others. */
static hb_life await(int i, uint32_t state)
{
    hb_life worst;
    do {
        pause_shortly();
        pthread_mutex_lock(&hosts[i].lock);
        worst = hosts[i].worst;
        pthread_mutex_unlock(&hosts[i].lock);
    } while (worst.state != state);
    return worst;
}

static void set_own(int i, hb_life sign)
{
    pthread_mutex_lock(&hosts[i].lock);
    hosts[i].own = sign;
    pthread_mutex_unlock(&hosts[i].lock);
}

/* They listen on the loopback, which hosts do not name to one another; on the first attempt nobody is reached. */
static void listen_all(void)
{
    memset(hosts, 0, sizeof hosts);
    for (int i = 0; i < HOSTS; i++) {
        hb_life_address *a = &addresses[i];
        pthread_mutex_init(&hosts[i].lock, NULL);
        assert_int_equal(hb_signs_listen((uint32_t)(FIRST_RANK + i), &hosts[i].signs, a), HB_OK);
        memset(a->at, 0, sizeof a->at);
        a->at[0][HB_LIFE_ADDRESS - 1] = 1; /* ::1, where nobody listens if there is no IPv6 */
        a->at[1][10] = a->at[1][11] = UINT8_MAX;
        a->at[1][12] = 127;
        a->at[1][15] = 1;
        a->count = 2;
        a->host[0] = '\0';
        strcat(strcpy(a->host, "host-"), i == 0 ? "a" : i == 1 ? "b" : "c");
    }
}

static void begin(int i)
{
    hosts[i].user = (hb_signs_user){own, others, &hosts[i]};
    assert_int_equal(hb_signs_begin(hosts[i].signs, addresses, HOSTS, (uint32_t)i, &hosts[i].user), HB_OK);
}

/* Host c is another process, which works. */
static pid_t begin_with_child(void)
{
    listen_all();
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        hosts[2].own = busy;
        begin(2);
        for (;;) {
            pause();
        }
    }
    begin(0);
    begin(1);
    await(1, HB_LIFE_WORKS);
    return child;
}

static void close_all(int count)
{
    for (int i = 0; i < count; i++) {
        hb_signs_close(hosts[i].signs);
    }
}

static void test_all_hear(void **state)
{
    (void)state;
    listen_all();
    for (int i = 0; i < HOSTS; i++) {
        begin(i);
    }
    for (int i = 0; i < HOSTS; i++) {
        await(i, HB_LIFE_WAITS);
    }
    set_own(2, busy);
    const hb_life heard = await(1, HB_LIFE_WORKS); /* by way of host a */
    assert_int_equal(heard.rank, busy.rank);
    assert_int_equal(heard.phase, busy.phase);
    await(0, HB_LIFE_WORKS);
    /* At once, and ahead of work. */
    set_own(1, (hb_life){.state = HB_LIFE_ENDED, .rank = FIRST_RANK + 1});
    hb_signs_hurry(hosts[1].signs);
    assert_int_equal(await(2, HB_LIFE_ENDED).rank, FIRST_RANK + 1);
    close_all(HOSTS);
}

/* A host that leaves in good order is not gone, and no work of it is told any more. */
static void test_goodbye(void **state)
{
    (void)state;
    listen_all();
    for (int i = 0; i < HOSTS; i++) {
        begin(i);
    }
    set_own(2, busy);
    await(1, HB_LIFE_WORKS);
    hb_signs_close(hosts[2].signs);
    await(0, HB_LIFE_WAITS);
    await(1, HB_LIFE_WAITS);
    close_all(2);
}

static void test_killed(void **state)
{
    (void)state;
    const pid_t child = begin_with_child();
    hb_signs_close(hosts[2].signs); /* this process's copy of what listens */
    kill(child, SIGKILL);
    for (int i = 0; i < 2; i++) {
        const hb_life heard = await(i, HB_LIFE_GONE);
        assert_int_equal(heard.rank, FIRST_RANK + 2);
        assert_string_equal(heard.host, "host-c");
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    close_all(2);
}

static void test_stopped(void **state)
{
    (void)state;
    const pid_t child = begin_with_child();
    kill(child, SIGSTOP);
    const hb_life heard = await(1, HB_LIFE_SILENT);
    assert_int_equal(heard.rank, FIRST_RANK + 2);
    assert_string_equal(heard.host, "host-c");
    assert_true(heard.seconds > 0);
    assert_int_equal(heard.answers, 1);
    kill(child, SIGCONT);
    await(1, HB_LIFE_WORKS);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close_all(HOSTS);
}

/* Returns a connection to host a. */
static int connect_to_first(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)addresses[0].port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

/* One that says something else is shown out; ones that say nothing hold nobody up. */
static void test_stranger(void **state)
{
    (void)state;
    uint8_t words[4096] = {0};
    listen_all();
    begin(0);
    int silent[40];
    for (int i = 0; i < 40; i++) {
        silent[i] = connect_to_first();
    }
    const int fd = connect_to_first();
    assert_true(send(fd, words, sizeof words, MSG_NOSIGNAL) > 0);
    uint8_t answer;
    assert_true(recv(fd, &answer, 1, 0) <= 0);
    close(fd);
    begin(1);
    begin(2);
    set_own(2, busy);
    await(1, HB_LIFE_WORKS);
    for (int i = 0; i < 40; i++) {
        close(silent[i]);
    }
    close_all(HOSTS);
}

/* A message with the token of the job, but of no rank that there can be, is not taken: its number stands beside
 * others in one word. */
static void test_no_rank(void **state)
{
    (void)state;
    uint8_t answer;
    listen_all();
    begin(0);
    hb_life_message wrong = {.token = addresses[0].token,
                             .from = 1,
                             .kind = HB_LIFE_TELLS,
                             .sign = {.state = HB_LIFE_WORKS, .rank = HB_LIFE_RANKS}};
    const int fd = connect_to_first();
    assert_int_equal(send(fd, &wrong, sizeof wrong, MSG_NOSIGNAL), sizeof wrong);
    assert_true(recv(fd, &answer, 1, 0) <= 0);
    close(fd);
    close_all(1);
}

/* Where a process has no descriptor left for a guest, its thread looks for guests once a second, and not without rest;
 * they come in once there is one. */
static void test_no_descriptors(void **state)
{
    (void)state;
    enum { FEW = 128, ROUNDS = 16 }; /* of a second: some for messages, and no more */
    struct rlimit before, few;
    int copies[FEW], taken = 0;
    listen_all();
    begin(0);
    const int guest = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = (struct rlimit){.rlim_cur = FEW, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)addresses[0].port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    while (taken < FEW && (copies[taken] = dup(guest)) >= 0) {
        taken++;
    }
    assert_int_equal(connect(guest, (const struct sockaddr *)&to, sizeof to), 0);
    const unsigned first = atomic_load(&seconds), polls_before = atomic_load(&polls);
    while (atomic_load(&seconds) < first + 3) {
        pause_shortly();
    }
    assert_true(atomic_load(&polls) - polls_before < ROUNDS * (atomic_load(&seconds) - first + 1));
    while (taken > 0) {
        close(copies[--taken]);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    begin(1);
    begin(2);
    set_own(2, busy);
    await(1, HB_LIFE_WORKS);
    close(guest);
    close_all(HOSTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_hear), cmocka_unit_test(test_goodbye),
                                       cmocka_unit_test(test_killed),   cmocka_unit_test(test_stopped),
                                       cmocka_unit_test(test_stranger), cmocka_unit_test(test_no_descriptors),
                                       cmocka_unit_test(test_no_rank)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
