#include "life_link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ::ffff:0:0/96: addresses of IPv4 within IPv6 (RFC 4291, 2.5.5.2). */
static const uint8_t mapped[12] = {[10] = UINT8_MAX, [11] = UINT8_MAX};

static bool is_mapped(const uint8_t at[HB_LIFE_ADDRESS])
{
    return memcmp(at, mapped, sizeof mapped) == 0;
}

static int open_socket(int family)
{
    return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* Binds to any address of the family, with a port that the system chooses. Returns whether it listens. */
static bool listens(int fd, int family)
{
    enum { QUEUE = 64 };
    const int both = 0;
    const struct sockaddr_in four = {.sin_family = AF_INET};
    const struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    if (family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &both, sizeof both) != 0) {
        return false;
    }
    const int bound = family == AF_INET6 ? bind(fd, (const struct sockaddr *)&six, sizeof six)
                                         : bind(fd, (const struct sockaddr *)&four, sizeof four);
    return bound == 0 && listen(fd, QUEUE) == 0;
}

static int listen_anywhere(uint32_t *port)
{
    static const int families[] = {AF_INET6, AF_INET}; /* hosts may have switched off the first */
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const int fd = open_socket(families[i]);
        struct sockaddr_in6 own; /* the port stands at the same place in both */
        socklen_t bytes = sizeof own;
        if (fd >= 0 && listens(fd, families[i]) && getsockname(fd, (struct sockaddr *)&own, &bytes) == 0) {
            *port = ntohs(own.sin6_port);
            return fd;
        }
        if (fd >= 0) {
            close(fd);
        }
    }
    return -1;
}

/* Returns whether others may reach an address of this host. */
static bool is_reachable(const struct ifaddrs *one)
{
    const int family = one->ifa_addr != NULL ? one->ifa_addr->sa_family : AF_UNSPEC;
    if ((one->ifa_flags & IFF_UP) == 0 || (one->ifa_flags & IFF_LOOPBACK) != 0) {
        return false;
    }
    /* Addresses of one link alone need the name of an interface, which differs among hosts. */
    return family == AF_INET ||
           (family == AF_INET6 &&
            !IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)(const void *)one->ifa_addr)->sin6_addr));
}

static uint32_t list_addresses(uint8_t at[HB_LIFE_ADDRESSES][HB_LIFE_ADDRESS])
{
    struct ifaddrs *all = NULL;
    uint32_t count = 0;
    if (getifaddrs(&all) != 0) {
        return 0;
    }
    for (const struct ifaddrs *one = all; one != NULL && count < HB_LIFE_ADDRESSES; one = one->ifa_next) {
        if (!is_reachable(one)) {
            continue;
        }
        if (one->ifa_addr->sa_family == AF_INET) {
            memcpy(at[count], mapped, sizeof mapped);
            memcpy(at[count] + sizeof mapped, &((const struct sockaddr_in *)(const void *)one->ifa_addr)->sin_addr,
                   sizeof(struct in_addr));
        } else {
            memcpy(at[count], &((const struct sockaddr_in6 *)(const void *)one->ifa_addr)->sin6_addr, HB_LIFE_ADDRESS);
        }
        count++;
    }
    freeifaddrs(all);
    return count;
}

int hb_life_listen(hb_life_address *mine)
{
    mine->count = list_addresses(mine->at);
    return listen_anywhere(&mine->port);
}

/* The systems at both ends acknowledge one another each second, also while a process is stopped and reads nothing. */
static void keep_alive(int fd)
{
    static const int options[][3] = {{SOL_SOCKET, SO_KEEPALIVE, 1},
                                     {IPPROTO_TCP, TCP_KEEPIDLE, 1},
                                     {IPPROTO_TCP, TCP_KEEPINTVL, 1},
                                     {IPPROTO_TCP, TCP_KEEPCNT, 127}, /* the most there are */
                                     {IPPROTO_TCP, TCP_NODELAY, 1}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        (void)setsockopt(fd, options[i][0], options[i][1], &options[i][2], sizeof(int));
    }
}

int hb_life_accept(int listening)
{
    const int fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
        keep_alive(fd);
    }
    return fd;
}

void hb_life_drop(hb_life_link *link)
{
    if (link->fd >= 0) {
        close(link->fd);
    }
    link->fd = -1;
    link->got = link->left = 0;
    link->told = 0;
}

void hb_life_connect(hb_life_link *link, const hb_life_address *address)
{
    /* One that has worked is tried again. */
    link->attempts += link->heard ? 0 : 1;
    const uint8_t *at = address->at[link->attempts % (address->count > 0 ? address->count : 1)];
    const in_port_t port = htons((uint16_t)address->port);
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = port};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = port};
    hb_life_drop(link);
    if (address->count == 0 || address->port == 0) {
        return;
    }
    link->fd = open_socket(is_mapped(at) ? AF_INET : AF_INET6);
    if (link->fd < 0) {
        return;
    }
    keep_alive(link->fd);
    memcpy(&four.sin_addr, at + sizeof mapped, sizeof four.sin_addr);
    memcpy(&six.sin6_addr, at, sizeof six.sin6_addr);
    const int result = is_mapped(at) ? connect(link->fd, (const struct sockaddr *)&four, sizeof four)
                                     : connect(link->fd, (const struct sockaddr *)&six, sizeof six);
    if (result != 0 && errno != EINPROGRESS) {
        hb_life_drop(link);
    }
}

hb_life_event hb_life_receive(hb_life_link *link)
{
    const ssize_t got = recv(link->fd, (uint8_t *)&link->in + link->got, sizeof link->in - link->got, 0);
    if (got > 0) {
        link->got += (size_t)got;
        return link->got == sizeof link->in ? HB_LIFE_MESSAGE : HB_LIFE_NOTHING;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return HB_LIFE_NOTHING;
    }
    /* The system of a process that ends closes its connections, or refuses what comes for them. */
    return got == 0 || errno == ECONNRESET ? HB_LIFE_CLOSED : HB_LIFE_FAILED;
}

void hb_life_send(hb_life_link *link)
{
    if (link->fd < 0 || link->left == 0) {
        return;
    }
    const uint8_t *from = (const uint8_t *)&link->out + (sizeof link->out - link->left);
    const ssize_t sent = send(link->fd, from, link->left, MSG_NOSIGNAL);
    link->left -= sent > 0 ? (size_t)sent : 0; /* a failure is seen when it is received from */
}

bool hb_life_answers(const hb_life_link *link)
{
    enum { LATE = 3000 }; /* milliseconds; it is sent something each second */
    struct tcp_info info;
    socklen_t bytes = sizeof info;
    memset(&info, 0, sizeof info);
    return link->fd >= 0 && getsockopt(link->fd, IPPROTO_TCP, TCP_INFO, &info, &bytes) == 0 &&
           info.tcpi_last_ack_recv < LATE;
}
