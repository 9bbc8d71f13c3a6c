#include "signs.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "life_link.h"

/* The tree of hosts: the one above, and up to 32 below. Wide, so that news takes few steps. */
enum { BELOW = 32, MOST_LINKS = BELOW + 1 };
/* Connections that have not said yet whose they are, and the seconds that they may take to. */
enum { MOST_GUESTS = 16, GUEST_SECONDS = 5 };
/* Seconds without a sign, from which on a neighbour is called silent; from which on another connection is tried, and
 * how often. TCP itself would try ever more rarely, and hear of a network that works again much later. */
enum { SILENT = 5, RENEWED = 10, RENEWAL = 5 };
/* Messages that a neighbour may leave unread. */
enum { UNANSWERED = 32 };

struct hb_signs {
    hb_signs_user user;
    hb_life_token token;
    int listening, wake; /* sockets; closing writes to `wake` */
    uint32_t own, links;
    hb_life_address above; /* of the first link, where `has_above` */
    bool has_above, runs;
    bool full; /* the process or its host has no descriptor left for a guest, until the next second */
    atomic_bool closing;
    pthread_t thread;
    hb_life_link link[MOST_LINKS];
    hb_life_link guest[MOST_GUESTS]; /* fd -1: a free place */
    char host[HB_LIFE_HOST];
    hb_life mine, worst;
};

/* --- what is told */

/* Returns whether a is worse than b. */
static bool is_worse(const hb_life *a, const hb_life *b)
{
    return a->state > b->state || (a->state == b->state && a->state >= HB_LIFE_STOPPED && a->seconds > b->seconds);
}

/* Returns the sign of a link's side of the tree: its last one, or that it is silent. */
static hb_life sign_of(const hb_life_link *link)
{
    hb_life sign = link->sign;
    if (!link->heard && !link->ended) {
        sign = (hb_life){.state = HB_LIFE_UNKNOWN, .rank = link->rank};
        memcpy(sign.host, link->host, sizeof sign.host);
    }
    if (link->heard && !link->ended && link->silent >= SILENT) {
        sign = (hb_life){.state = HB_LIFE_SILENT,
                         .rank = link->rank,
                         .phase = link->sign.rank == link->rank ? link->sign.phase : 0,
                         .seconds = link->silent,
                         .answers = hb_life_answers(link)};
        memcpy(sign.host, link->host, sizeof sign.host);
    }
    return sign;
}

/* Returns the worst sign of all links but one. */
static hb_life worst_but(const hb_signs *s, uint32_t but, hb_life worst)
{
    for (uint32_t i = 0; i < s->links; i++) {
        const hb_life sign = sign_of(&s->link[i]);
        if (i != but && is_worse(&sign, &worst)) {
            worst = sign;
        }
    }
    return worst;
}

/* Sends a link the worst of all else, where its last message has gone. To a process that is stopped only some messages
 * are sent: more would fill the memory of its connection, and then its host would acknowledge nothing any more. */
static void tell(hb_signs *s, uint32_t i, hb_life_kind kind)
{
    hb_life_link *link = &s->link[i];
    if (link->fd >= 0 && link->left == 0 && link->told < UNANSWERED) {
        link->out = (hb_life_message){.token = s->token, .from = s->own, .to = link->number, .kind = (uint32_t)kind};
        link->out.sign = worst_but(s, i, s->mine);
        link->left = sizeof link->out;
        link->told++;
    }
    hb_life_send(link);
}

/* Tells the user and all neighbours. */
static void tell_all(hb_signs *s)
{
    const hb_life none = {.state = HB_LIFE_WAITS};
    s->worst = worst_but(s, MOST_LINKS, none);
    s->user.others(s->user.context, &s->worst);
    for (uint32_t i = 0; i < s->links; i++) {
        tell(s, i, HB_LIFE_TELLS);
    }
}

/* --- what is heard */

/* Compares without telling by its time how much agrees. */
static bool is_token(const hb_life_token *a, const hb_life_token *b)
{
    uint8_t differs = 0;
    for (size_t i = 0; i < sizeof a->bytes; i++) {
        differs |= a->bytes[i] ^ b->bytes[i];
    }
    return differs == 0;
}

static bool is_ours(const hb_signs *s, const hb_life_message *message)
{
    return is_token(&message->token, &s->token) && message->to == s->own && message->sign.rank < HB_LIFE_RANKS &&
           message->sign.state <= (uint32_t)HB_LIFE_ENDED && memchr(message->sign.host, '\0', HB_LIFE_HOST) != NULL;
}

/* Takes in the message of a link. Returns whether others should hear of it at once. */
static bool take(hb_life_link *link)
{
    const uint32_t before = link->sign.state;
    link->got = 0;
    link->heard = true;
    link->silent = link->told = 0;
    link->sign = link->in.sign;
    if (link->in.kind == HB_LIFE_LEAVES) {
        link->ended = true;
        /* Its news of a rank that is gone stays. */
        link->sign.state = link->sign.state >= HB_LIFE_GONE ? link->sign.state : HB_LIFE_WAITS;
        hb_life_drop(link);
    }
    return link->sign.state != before;
}

/* Notes the end of a connection. One that was heard of until then has been closed by the end of its process. Where
 * nothing came for a while it may be that of a network which works again; that process is waited for as before. */
static bool lose(hb_life_link *link, hb_life_event event)
{
    hb_life_drop(link);
    if (event != HB_LIFE_CLOSED || !link->heard || link->silent >= SILENT) {
        return false;
    }
    link->ended = true;
    if (link->sign.state >= HB_LIFE_GONE) {
        return false; /* it has told before whose end it is */
    }
    link->sign = (hb_life){.state = HB_LIFE_GONE, .rank = link->rank};
    memcpy(link->sign.host, link->host, sizeof link->sign.host);
    return true;
}

/* Receives what has come over a link. Returns whether to tell of it at once. */
static bool hear(const hb_signs *s, hb_life_link *link)
{
    bool news = false;
    while (link->fd >= 0) {
        const hb_life_event event = hb_life_receive(link);
        if (event == HB_LIFE_MESSAGE && is_ours(s, &link->in) && link->in.from == link->number) {
            news |= take(link);
        } else if (event == HB_LIFE_NOTHING) {
            break; /* a part of a message waits for its rest */
        } else {
            return lose(link, event == HB_LIFE_MESSAGE ? HB_LIFE_FAILED : event) || news;
        }
    }
    return news;
}

/* Lets guests in: hosts below connect to the one above. A few at a time: strangers who come without end do not keep
 * this host from telling its sign. One that cannot be let in goes on waiting, and is not asked for again at once. */
static void let_in(hb_signs *s)
{
    for (uint32_t round = 0; round < MOST_GUESTS; round++) {
        const int fd = hb_life_accept(s->listening);
        uint32_t i = 0;
        if (fd < 0) {
            s->full = errno != EAGAIN && errno != EINTR && errno != ECONNABORTED;
            return;
        }
        while (i < MOST_GUESTS && s->guest[i].fd >= 0) {
            i++;
        }
        if (i == MOST_GUESTS) {
            close(fd);
            continue;
        }
        s->guest[i] = (hb_life_link){.fd = fd};
    }
}

/* Gives a guest's connection to the link that it is for, in the place of an older one. */
static bool seat(hb_signs *s, hb_life_link *guest)
{
    for (uint32_t i = s->has_above ? 1 : 0; i < s->links; i++) {
        hb_life_link *link = &s->link[i];
        if (link->number == guest->in.from && !link->ended) {
            hb_life_drop(link);
            link->fd = guest->fd;
            link->in = guest->in;
            guest->fd = -1;
            return take(link);
        }
    }
    hb_life_drop(guest);
    return false;
}

static bool hear_guest(hb_signs *s, hb_life_link *guest)
{
    const hb_life_event event = hb_life_receive(guest);
    if (event == HB_LIFE_MESSAGE && is_ours(s, &guest->in)) {
        return seat(s, guest);
    }
    if (event != HB_LIFE_NOTHING) {
        hb_life_drop(guest);
    }
    return false;
}

/* --- the thread */

/* Once a second. Seconds are counted here, after all that has come was heard: a clock would count those in which this
 * process was stopped. */
static void count_silence(hb_signs *s)
{
    for (uint32_t i = 0; i < s->links; i++) {
        hb_life_link *link = &s->link[i];
        link->silent += link->ended ? 0 : 1;
        const bool lost = link->silent >= RENEWED && !hb_life_answers(link);
        if (i == 0 && s->has_above && !link->ended && (link->fd < 0 || !link->heard || lost) &&
            (link->silent == 1 || link->silent % RENEWAL == 0)) {
            hb_life_connect(link, &s->above);
        }
    }
    for (uint32_t i = 0; i < MOST_GUESTS; i++) {
        if (s->guest[i].fd >= 0 && ++s->guest[i].silent > GUEST_SECONDS) {
            hb_life_drop(&s->guest[i]);
        }
    }
}

static void tell_own(hb_signs *s)
{
    s->mine = (hb_life){.state = HB_LIFE_WAITS};
    memcpy(s->mine.host, s->host, sizeof s->mine.host);
    s->user.own(s->user.context, &s->mine);
    tell_all(s);
}

enum { TO_WAKE, TO_LISTEN, TO_LINKS, TO_GUESTS = TO_LINKS + MOST_LINKS, POLLED = TO_GUESTS + MOST_GUESTS };

static short awaited(const hb_life_link *link)
{
    return (short)(link->left > 0 ? POLLIN | POLLOUT : POLLIN);
}

/* Waits until something has come or can be sent, or the time. Returns whether to go on. */
static bool wait_until(hb_signs *s, double next, struct pollfd polled[POLLED])
{
    static const double milliseconds = 1e3;
    polled[TO_WAKE] = (struct pollfd){.fd = s->wake, .events = POLLIN};
    polled[TO_LISTEN] = (struct pollfd){.fd = s->full ? -1 : s->listening, .events = POLLIN};
    for (uint32_t i = 0; i < MOST_LINKS; i++) {
        polled[TO_LINKS + i] = (struct pollfd){.fd = s->link[i].fd, .events = awaited(&s->link[i])};
    }
    for (uint32_t i = 0; i < MOST_GUESTS; i++) {
        polled[TO_GUESTS + i] = (struct pollfd){.fd = s->guest[i].fd, .events = POLLIN};
    }
    const double left = milliseconds * (next - hb_now());
    poll(polled, POLLED, left > 0 ? (int)left + 1 : 0);
    return !atomic_load(&s->closing);
}

static void *exchange(void *context)
{
    hb_signs *s = context;
    struct pollfd polled[POLLED];
    double next = hb_now();
    while (wait_until(s, next, polled)) {
        bool news = false;
        if (polled[TO_LISTEN].revents != 0) {
            let_in(s);
        }
        for (uint32_t i = 0; i < s->links; i++) {
            const bool ready = polled[TO_LINKS + i].revents != 0 && polled[TO_LINKS + i].fd == s->link[i].fd;
            news |= ready && hear(s, &s->link[i]);
            if (ready) {
                hb_life_send(&s->link[i]);
            }
        }
        for (uint32_t i = 0; i < MOST_GUESTS; i++) {
            news |= polled[TO_GUESTS + i].revents != 0 && polled[TO_GUESTS + i].fd == s->guest[i].fd &&
                    s->guest[i].fd >= 0 && hear_guest(s, &s->guest[i]);
        }
        if (hb_now() >= next) {
            s->full = false;
            count_silence(s);
            tell_own(s);
            next = hb_now() + 1;
        } else if (polled[TO_WAKE].revents != 0) {
            uint64_t calls;
            (void)!read(s->wake, &calls, sizeof calls);
            tell_own(s);
        } else if (news) {
            tell_all(s);
        }
    }
    return NULL;
}

/* --- its life */

static void free_signs(hb_signs *s)
{
    for (uint32_t i = 0; i < MOST_LINKS; i++) {
        hb_life_drop(&s->link[i]);
    }
    for (uint32_t i = 0; i < MOST_GUESTS; i++) {
        hb_life_drop(&s->guest[i]);
    }
    if (s->listening >= 0) {
        close(s->listening);
    }
    if (s->wake >= 0) {
        close(s->wake);
    }
    free(s);
}

hb_status hb_signs_listen(uint32_t rank, hb_signs **out, hb_life_address *mine)
{
    *out = NULL;
    memset(mine, 0, sizeof *mine);
    mine->rank = rank;
    if (gethostname(mine->host, sizeof mine->host - 1) != 0) {
        memcpy(mine->host, "an unknown host", sizeof "an unknown host");
    }
    hb_signs *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for signs of life");
    }
    for (uint32_t i = 0; i < MOST_LINKS; i++) {
        s->link[i].fd = -1;
    }
    for (uint32_t i = 0; i < MOST_GUESTS; i++) {
        s->guest[i].fd = -1;
    }
    s->listening = hb_life_listen(mine);
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->listening < 0 || s->wake < 0 ||
        getrandom(&mine->token, sizeof mine->token, 0) != (ssize_t)sizeof mine->token) {
        free_signs(s);
        mine->port = 0;
        return HB_FAIL(HB_EUNAVAILABLE, "no TCP for signs of life");
    }
    memcpy(s->host, mine->host, sizeof s->host);
    *out = s;
    return HB_OK;
}

static void add_link(hb_signs *s, const hb_life_address *hosts, uint32_t number)
{
    hb_life_link *link = &s->link[s->links++];
    link->number = number;
    link->rank = hosts[number].rank;
    memcpy(link->host, hosts[number].host, sizeof link->host);
    link->host[sizeof link->host - 1] = '\0';
}

hb_status hb_signs_begin(hb_signs *s, const hb_life_address *hosts, uint32_t count, uint32_t own,
                         const hb_signs_user *user)
{
    s->user = *user;
    s->token = hosts[0].token;
    s->own = own;
    s->has_above = own > 0;
    if (hosts[0].port == 0) {
        return HB_OK; /* without its token nobody is known */
    }
    if (own > 0) {
        s->above = hosts[(own - 1) / BELOW];
        add_link(s, hosts, (own - 1) / BELOW);
    }
    const uint64_t first = (uint64_t)BELOW * own + 1;
    for (uint64_t to = first; to < first + BELOW && to < count; to++) {
        add_link(s, hosts, (uint32_t)to);
    }
    /* Signals are for the thread that began. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    s->runs = pthread_create(&s->thread, NULL, exchange, s) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return s->runs ? HB_OK : HB_FAIL(HB_ENOMEM, "the system has no thread left");
}

static void wake(hb_signs *s)
{
    const uint64_t one = 1;
    (void)!write(s->wake, &one, sizeof one);
}

void hb_signs_hurry(hb_signs *s)
{
    enum { A_WHILE = 20000000 }; /* nanoseconds */
    if (s != NULL && s->runs) {
        wake(s);
        nanosleep(&(struct timespec){.tv_nsec = A_WHILE}, NULL);
    }
}

/* Messages that have come are read first: a connection that is closed with words in it is reset, and its last words are
 * lost. A neighbour that takes nothing misses the goodbye. */
static void say_goodbye(hb_signs *s)
{
    for (uint32_t i = 0; i < s->links; i++) {
        (void)hear(s, &s->link[i]);
        hb_life_send(&s->link[i]);
        tell(s, i, HB_LIFE_LEAVES);
    }
}

void hb_signs_close(hb_signs *s)
{
    if (s == NULL) {
        return;
    }
    if (s->runs) {
        atomic_store(&s->closing, true);
        wake(s);
        pthread_join(s->thread, NULL);
        say_goodbye(s);
    }
    free_signs(s);
}
