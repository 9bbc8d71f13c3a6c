/* One connection of the signs of life (signs.h): its socket and its messages. Nothing here waits. */
#ifndef HB_MPI_GROUP_LIFE_LINK_H
#define HB_MPI_GROUP_LIFE_LINK_H

#include <stddef.h>

#include "signs.h"

typedef enum hb_life_kind { HB_LIFE_TELLS = 1, HB_LIFE_LEAVES } hb_life_kind;

/* A message: always whole, and always with the token. */
typedef struct hb_life_message {
    hb_life_token token;
    uint32_t from, to, kind; /* numbers of hosts */
    hb_life sign;
} hb_life_message;

/* A neighbour, and the connection with it. */
typedef struct hb_life_link {
    int fd;          /* -1: none at present */
    bool heard;      /* a message has come once */
    bool ended;      /* it has left, or is gone: nothing more is expected of it */
    uint32_t number; /* of its host */
    uint32_t rank;
    char host[HB_LIFE_HOST];
    uint32_t silent; /* seconds since the last message, or since the beginning */
    uint32_t attempts;
    uint32_t told; /* messages over this connection since the last one came */
    hb_life sign;  /* the last one */
    size_t got;    /* bytes of `in` */
    size_t left;   /* bytes of `out` that are still to be sent */
    hb_life_message in, out;
} hb_life_link;

/* Opens a socket that listens on all addresses of this host, and notes its port and the addresses that others may
 * reach; -1: there is none. */
int hb_life_listen(hb_life_address *mine);
/* Takes a connection that is asked for; -1: there is none. */
int hb_life_accept(int listening);
/* Begins to connect the link, anew where it was connected: at each attempt to another of the addresses, until one has
 * worked. */
void hb_life_connect(hb_life_link *link, const hb_life_address *address);
/* Closes the socket of a link. */
void hb_life_drop(hb_life_link *link);

typedef enum hb_life_event {
    HB_LIFE_NOTHING,
    HB_LIFE_MESSAGE, /* `in` is whole */
    HB_LIFE_CLOSED,  /* the other process has ended, or has closed it */
    HB_LIFE_FAILED   /* the connection broke on the way */
} hb_life_event;
/* Receives at most one message. */
hb_life_event hb_life_receive(hb_life_link *link);
/* Sends `out` as far as the connection takes it. */
void hb_life_send(hb_life_link *link);
/* Returns whether the host at the other end has acknowledged anything of late. */
bool hb_life_answers(const hb_life_link *link);

#endif
