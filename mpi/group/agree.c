/* How ranks agree on one outcome, and on its reason. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backoff.h"
#include "base/clock.h"
#include "mpi_private.h"

/* Seconds that a rank waits for an agreement which could not hear from another rank before, and so cannot count on
 * it. */
static const double last_wait = 30;

/* Returns the vote of a rank, a number that also names it: vote % size. The lowest is told: a rank's own reason comes
 * first, then ranks that heard nothing from another, then ranks that only know that another one failed; among equals
 * the lowest rank; 3 * size stands for HB_OK. */
static int urgency(hb_status status, int rank, int size)
{
    if (status == HB_OK) {
        return 3 * size;
    }
    const int later = status == HB_EPEER ? 2 : status == HB_ECOMM ? 1 : 0;
    return later * size + rank;
}

/* Whether this rank should not wait for others out its time: for two seconds nobody who could come has been at work. It
 * looks once a second. */
typedef struct outlook {
    double looked;
    int bad; /* looks one after another */
} outlook;

static bool is_hopeless(const hb_mpi_group *g, outlook *o)
{
    enum { ENOUGH = 3 };
    const double now = hb_now();
    if (now - o->looked >= 1) {
        o->looked = now;
        o->bad = hb_board_alone(g->base.board) ? o->bad + 1 : 0;
    }
    return o->bad >= ENOUGH;
}

/* Counts of others are received until all have come; then the agreement takes the last of them. */
static void be_idle(hb_mpi_group *whole)
{
    if (whole->base.idle != NULL && !whole->mailbox.draining) {
        whole->base.idle(whole->base.idle_context);
    }
}

/* Waits until all ranks have come to a call, or fails after `limit` seconds or when a rank is lost. The loop looks
 * instead of blocking, as MPI itself would wait for ever for a rank that was killed. A rank that has a limit ends ahead
 * of it where nobody else can come. */
static hb_status await_all(hb_mpi_group *g, MPI_Request *request, double limit)
{
    int ended = 0;
    hb_backoff backoff = hb_backoff_of(limit);
    outlook look = {.looked = hb_now()};
    for (;;) {
        HB_TRY(HB_MPI(MPI_Test(request, &ended, MPI_STATUS_IGNORE)));
        if (ended) {
            return HB_OK;
        }
        if (hb_backoff_ended(&backoff) || (limit < HUGE_VAL && is_hopeless(g, &look))) {
            /* The request is left to MPI: the ballot stays valid with the group, which is broken now. */
            return HB_FAIL(HB_ECOMM, "not all ranks come to an agreement");
        }
        /* Notices reach ranks that compute by way of those that wait. */
        hb_mailbox_poll(&g->whole->mailbox);
        if (hb_backoff_should_look(&backoff)) {
            be_idle(g->whole);
            HB_TRY(hb_group_check_gone(&g->base, hb_group_gone(&g->base)));
        }
        hb_backoff_pause(&backoff);
    }
}

/* Sets g->ballot to the least votes of all ranks. */
static hb_status vote(hb_mpi_group *g, double limit)
{
    MPI_Request request;
    HB_TRY(HB_MPI(MPI_Iallreduce(MPI_IN_PLACE, g->ballot, 2, MPI_INT, MPI_MIN, g->comm, &request)));
    return await_all(g, &request, limit);
}

static hb_status await_drain(void *g, MPI_Request *request)
{
    return await_all(g, request, HUGE_VAL);
}

hb_status hb_mpi_meet(hb_mpi_group *g)
{
    MPI_Request request;
    HB_TRY(hb_mpi_whole(g));
    HB_TRY(HB_MPI_OF(g, MPI_Ibarrier(g->comm, &request)));
    return hb_mpi_note(g, await_all(g, &request, HUGE_VAL));
}

/* The failing rank's message to the others; it travels as bytes. */
typedef struct reason {
    int32_t code;
    hb_error error;
} reason;

/* Returns the error with the name of this rank and host before it, unless an agreement told this rank, in which case it
 * has a name already, or there is no other rank. */
static hb_error named(const hb_mpi_group *g, hb_status status, const hb_error *error)
{
    hb_error with_name = *error;
    if (g->base.size == 1 || strcmp(error->text, g->whole->told.text) == 0) {
        return with_name;
    }
    /* The name of the host tells where to look, as ranks do not say which machine they run on. */
    char host[64] = "an unknown host";
    if (gethostname(host, sizeof host) == 0) {
        host[sizeof host - 1] = '\0';
    }
    /* Rank 0 has no such reason, or it would tell it. Files that one host lacks are mostly there, in a folder that is
     * not the same on all of them. */
    const bool elsewhere = g->whole->peers[0].rank != 0 && (status == HB_ENOINPUT || status == HB_ECREATE);
    const char *question = elsewhere ? " (not the host of rank 0: do both see the same folder?)" : "";
    /* Built in a buffer of its own, as the text is its argument, and cut where it would not fit. */
    char text[sizeof error->text + 192] = "";
    snprintf(text, sizeof text, "rank %d on %s%s: %s", g->whole->base.rank, host, question, error->text);
    memcpy(with_name.text, text, sizeof with_name.text - 1);
    with_name.text[sizeof with_name.text - 1] = '\0';
    with_name.reason += with_name.advice != HB_ADVICE_NONE ? (uint32_t)(strlen(text) - strlen(error->text)) : 0;
    return with_name;
}

/* Agrees in three steps: a vote who tells, the end of all messages under way, and the teller's reason. */
static hb_status agree(hb_mpi_group *g, hb_status mine, hb_status *agreed)
{
    const int size = g->base.size;
    /* The same variables are sent and received: they become the least votes. */
    g->ballot[0] = urgency(mine, g->base.rank, size);
    g->ballot[1] = g == g->whole && g->mailbox.has_sent ? 0 : 1;
    HB_TRY(vote(g, mine == HB_ECOMM ? last_wait : HUGE_VAL));
    /* After the vote all ranks have come here, so that every message between units has been sent. A notice that is
     * passed on during the vote was sent by a rank before its own. Most agreements follow no message. */
    if (g == g->whole) {
        HB_TRY(hb_mailbox_drain(&g->mailbox, g->ballot[1] == 0, await_drain, g));
    }
    *agreed = HB_OK;
    if (g->ballot[0] == 3 * size) {
        return HB_OK;
    }
    /* urgency() is a multiple of size plus a rank, except 3 * size, which went above. */
    const int teller = g->ballot[0] % size;
    reason why;
    /* Only the teller fills it in; the others receive it whole. */
    if (teller == g->base.rank) {
        memset(&why, 0, sizeof why); /* all of its bytes travel */
        why.code = (int32_t)mine;
        why.error = named(g, mine, hb_last_error());
    }
    HB_TRY(HB_MPI(MPI_Bcast(&why, (int)sizeof why, MPI_BYTE, teller, g->comm)));
    /* `told` keeps a later agreement from naming a rank again. */
    if (size > 1) {
        hb_set_error(&why.error);
        g->whole->told = why.error;
    }
    /* In the whole group no rank is left that could have the reason. */
    *agreed = why.code == HB_EPEER && g == g->whole ? HB_ECOMM : (hb_status)why.code;
    return HB_OK;
}

hb_status hb_mpi_agree(hb_mpi_group *g, hb_status mine)
{
    hb_status agreed = HB_OK;
    const hb_error before = *hb_last_error();
    hb_status st = hb_mpi_whole(g);
    st = st == HB_OK ? agree(g, mine, &agreed) : st;
    if (st == HB_OK) {
        return agreed;
    }
    /* Other ranks may be waiting in the vote that failed here. */
    (void)hb_mpi_note(g, st);
    if (mine == HB_ECOMM) { /* this rank's own reason is the better one, though no other rank hears it */
        g->whole->told = named(g, mine, &before);
        hb_set_error(&g->whole->told);
    }
    return st;
}
