/* The ranks that a launcher started. Control messages and small tables only: work is divided so that ranks need not
 * talk while they compute. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "mpi_private.h"
#include "signs.h"

/* --- the other ranks of this host: their processes, and the memory of their board */

/* Returns the number of a process if this one can see it, else 0. For a rank with another view of processes (a
 * container) nothing can be told. Signal 0 tests only; EPERM says that the process is there. */
static pid_t if_visible(int64_t process)
{
    const pid_t pid = (pid_t)process;
    return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM) ? pid : 0;
}

/* Maps memory that is in a shared object, NULL: it cannot be. The first rank of a host has made the object, others find
 * it there, unless theirs is another view of the host's memory. */
static void *map_shared(int fd, size_t bytes)
{
    struct stat info;
    void *page = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &info) == 0 && info.st_uid == geteuid() && (size_t)info.st_size == bytes) {
        page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    return page != MAP_FAILED ? page : NULL;
}

static void *map_own(size_t bytes)
{
    void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page != MAP_FAILED ? page : NULL;
}

/* Whether the file system of shared memory has room for it: containers often have 64 MiB. */
static bool has_room(int fd, size_t bytes)
{
    struct statvfs info;
    return fstatvfs(fd, &info) == 0 && (uint64_t)info.f_bavail * info.f_frsize >= bytes;
}

/* Gives shared memory back. */
static void drop_shared(hb_shared *shared)
{
    if (shared->memory == NULL && shared->fd >= 0) { /* half made */
        close(shared->fd);
    }
    hb_shared_close(shared);
    *shared = (hb_shared){.bytes = shared->bytes, .fd = -1};
}

/* Maps shared->bytes that the ranks of `node` share; memory stays NULL on all of them where one cannot, or /dev/shm is
 * too small. The object, whose name has `what` in it, loses that name at once. Collective among them. HB_ECOMM. */
static hb_status map_shared_by_all(hb_mpi_group *g, MPI_Comm node, const char *what, hb_shared *shared)
{
    const bool first = g->base.node_rank == 0;
    char name[64];
    *shared = (hb_shared){.bytes = shared->bytes, .fd = -1};
    snprintf(name, sizeof name, "/hebatch-%s-%ld", what, (long)getpid());
    HB_TRY(HB_MPI_OF(g, MPI_Bcast(name, (int)sizeof name, MPI_CHAR, 0, node)));
    shared->fd = first ? shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    const bool made = shared->fd >= 0;
    if (made && has_room(shared->fd, shared->bytes) && ftruncate(shared->fd, (off_t)shared->bytes) == 0) {
        shared->memory = map_shared(shared->fd, shared->bytes);
    }
    hb_status st = HB_MPI_OF(g, MPI_Barrier(node));
    if (st == HB_OK && !first) {
        shared->fd = shm_open(name, O_RDWR | O_CLOEXEC, 0);
        shared->memory = map_shared(shared->fd, shared->bytes);
    }
    int all = shared->memory != NULL;
    st = st == HB_OK ? HB_MPI_OF(g, MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, node)) : st;
    if (made) {
        shm_unlink(name);
    }
    if (st != HB_OK || all == 0) {
        drop_shared(shared);
    }
    return st;
}

/* Maps the page of the board. Where it cannot be shared, each rank has its own: then waits are not seen, and no job
 * fails for it. Collective among the ranks of `node`. */
static hb_status map_page(hb_mpi_group *g, MPI_Comm node, bool *is_shared)
{
    hb_shared shared = {.bytes = hb_board_page_bytes(g->base.node_size)};
    HB_TRY(map_shared_by_all(g, node, "board", &shared));
    *is_shared = shared.memory != NULL;
    g->page = *is_shared ? shared.memory : map_own(shared.bytes);
    shared.memory = NULL;
    drop_shared(&shared);
    return HB_OK;
}

/* Finds the processes of the ranks of `node`, those of this host, and opens their board. Collective. */
static hb_status find_peers(hb_mpi_group *g, MPI_Comm node)
{
    const size_t size = (size_t)g->base.node_size;
    /* Collective calls come first, also after a failure here: a rank without memory agrees on that before it leaves. */
    int64_t own[2] = {g->base.rank, getpid()}, (*all)[2] = calloc(size, sizeof *all);
    bool shared = false;
    g->peers = calloc(size, sizeof *g->peers);
    hb_status st = all != NULL && g->peers != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for %zu ranks", size);
    st = hb_mpi_all(g, st);
    st = st == HB_OK ? HB_MPI_OF(g, MPI_Allgather(own, 2, MPI_INT64_T, all, 2, MPI_INT64_T, node)) : st;
    for (size_t i = 0; i < size && st == HB_OK; i++) {
        g->peers[i] = (hb_peer){(int)all[i][0], if_visible(all[i][1])};
    }
    st = st == HB_OK ? map_page(g, node, &shared) : st;
    if (st == HB_OK) {
        st = g->page != NULL
                 ? hb_board_open(g->page, shared, g->peers, g->base.node_rank, g->base.node_size, &g->base.board)
                 : HB_FAIL(HB_ENOMEM, "no memory for the board of %zu ranks", size);
    }
    /* Nobody ends before all have looked, or a rank would take a peer that is done for one that it cannot see. */
    st = hb_mpi_all(g, st);
    free(all);
    return st;
}

/* Closes and frees the peers. */
static void forget_peers(hb_mpi_group *g)
{
    hb_board_close(g->base.board);
    if (g->page != NULL) {
        munmap(g->page, hb_board_page_bytes(g->base.node_size));
    }
    free(g->peers);
}

/* --- the group */

/* --- parts: agreement and data among their ranks
 *
 * Notices stay with the whole, whose agreement ends them. */

static hb_mpi_group *mpi_of(hb_group *group)
{
    return (hb_mpi_group *)group;
}

static hb_status mpi_split(hb_group *group, uint32_t color, hb_group **out);

static hb_status part_close(hb_group *group)
{
    hb_mpi_group *g = mpi_of(group);
    if (g->whole->base.broken) {
        return HB_ECOMM; /* calls of MPI may still be under way; closing the whole ends all ranks */
    }
    if (g->comm != MPI_COMM_NULL) {
        MPI_Comm_free(&g->comm);
    }
    free(g);
    return HB_OK;
}

/* A rank that ends takes the whole job with it, not its part alone. */
static void part_abort(hb_group *group, hb_status code)
{
    hb_group_abort(&mpi_of(group)->whole->base, code);
}

static hb_status part_agree(hb_group *group, hb_status mine)
{
    return hb_mpi_agree(mpi_of(group), mine);
}

/* Notices and progress of a part reach no rank. */
static void part_stop_others(hb_group *group)
{
    (void)group;
}

static bool part_stopping(hb_group *group)
{
    (void)group;
    return false;
}

static void part_post_progress(hb_group *group, uint64_t done, uint64_t work)
{
    (void)group;
    (void)done;
    (void)work;
}

static hb_group_news part_progress(hb_group *group)
{
    (void)group;
    return (hb_group_news){0};
}

static hb_status mpi_share(hb_group *group, size_t bytes, hb_shared *shared)
{
    hb_mpi_group *g = mpi_of(group);
    MPI_Comm node;
    (void)bytes;
    HB_TRY(hb_mpi_meet(g));
    HB_TRY(HB_MPI_OF(g, MPI_Comm_split_type(g->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node)));
    if (g->base.node_size > 1) {
        HB_TRY(map_shared_by_all(g, node, "shared", shared));
    }
    return HB_MPI_OF(g, MPI_Comm_free(&node));
}

static const hb_group_ops part_ops = {.close = part_close,
                                      .abort = part_abort,
                                      .split = mpi_split,
                                      .agree = part_agree,
                                      .stop_others = part_stop_others,
                                      .stopping = part_stopping,
                                      .halt_others = part_stop_others,
                                      .halting = part_stopping,
                                      .ask_status = part_stop_others,
                                      .status_asked = part_stopping,
                                      .post_progress = part_post_progress,
                                      .progress = part_progress,
                                      .share = mpi_share,
                                      .broadcast = hb_mpi_broadcast,
                                      .sum = hb_mpi_sum,
                                      .max = hb_mpi_max};

/* Sets the ranks and sizes in g->base from g->comm, and the peers of a whole group. Collective. HB_ENOMEM, HB_ECOMM. */
static hb_status mpi_find_place(hb_mpi_group *g)
{
    MPI_Comm node;
    HB_TRY(HB_MPI_OF(g, MPI_Comm_rank(g->comm, &g->base.rank)));
    HB_TRY(HB_MPI_OF(g, MPI_Comm_size(g->comm, &g->base.size)));
    /* Ranks that can share memory are those of one host. */
    HB_TRY(HB_MPI_OF(g, MPI_Comm_split_type(g->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node)));
    HB_TRY(HB_MPI_OF(g, MPI_Comm_rank(node, &g->base.node_rank)));
    HB_TRY(HB_MPI_OF(g, MPI_Comm_size(node, &g->base.node_size)));
    /* A part asks its whole, which knows all ranks of this host. */
    if (g == g->whole) {
        HB_TRY(find_peers(g, node));
    }
    return HB_MPI_OF(g, MPI_Comm_free(&node));
}

static hb_status mpi_split(hb_group *group, uint32_t color, hb_group **out)
{
    hb_mpi_group *whole = mpi_of(group), *part = calloc(1, sizeof *part);
    hb_status st = part != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a part of the group of ranks");
    /* Without memory on every rank nothing is split: a rank that left here alone would be waited for. */
    st = hb_mpi_all(whole, st);
    if (st != HB_OK) {
        free(part);
        return st;
    }
    *part = (hb_mpi_group){.base.ops = &part_ops, .comm = MPI_COMM_NULL, .most = whole->most, .whole = whole->whole};
    part->base.board = group->board;
    HB_ASSERT(color <= INT32_MAX);
    /* The rank here is the key: parts keep the order of the whole. */
    st = HB_MPI_OF(part, MPI_Comm_split(whole->comm, (int)color, whole->base.rank, &part->comm));
    st = st == HB_OK ? mpi_find_place(part) : st;
    if (st == HB_OK) {
        *out = &part->base;
    }
    return st; /* a part that is broken is not freed: calls of MPI may still be under way */
}

/* --- the whole */

enum { ABORT_SECONDS = 10 };

/* A signal handler: it calls only functions that are safe in one. */
static void end_at_once(int signal_number)
{
    (void)signal_number;
    _exit(HB_ECOMM);
}

/* Ends all ranks. It may return, if the launcher does not end this process. */
static void mpi_abort(hb_group *group, hb_status code)
{
    /* Output that was printed so far is not lost with the process. */
    fflush(stdout);
    hb_signs_hurry(mpi_of(group)->signs);
    signal(SIGALRM, end_at_once); /* MPI_Abort may wait for a launcher that is gone */
    alarm(ABORT_SECONDS);
    /* Opening may have failed before the group had a communicator. */
    const MPI_Comm comm = mpi_of(group)->comm;
    MPI_Abort(comm != MPI_COMM_NULL ? comm : MPI_COMM_WORLD, (int)code);
}

static hb_status mpi_close(hb_group *group)
{
    hb_mpi_group *g = mpi_of(group);
    if (group->broken) {
        hb_group_abort(group, HB_ECOMM); /* MPI_Finalize would wait for ranks that may never come */
    }
    /* The last agreement has drained it. */
    hb_mailbox_close(&g->mailbox);
    if (g->comm != MPI_COMM_NULL) {
        MPI_Comm_free(&g->comm);
    }
    /* Closing is collective here: every rank waits for all others, and each ends when MPI lets it. */
    hb_board_set_closing(group->board);
    hb_board_enter(group->board);
    const hb_status st = HB_MPI(MPI_Finalize());
    hb_board_leave(group->board);
    /* Only now MPI can no longer touch memory of messages that were given up. */
    hb_mpi_release(g);
    hb_signs_close(g->signs);
    forget_peers(g);
    free(g);
    return st;
}

/* Notices go out before the agreement: ranks that compute, or wait in an exchange, leave for it. */
static hb_status mpi_agree(hb_group *group, hb_status mine)
{
    hb_mpi_group *g = mpi_of(group);
    if (mine == HB_ESTOPPED) {
        hb_mailbox_send_halt(&g->mailbox);
    } else if (mine != HB_OK && mine != HB_EPEER) {
        hb_mailbox_send_stop(&g->mailbox);
    }
    return hb_mpi_agree(g, mine);
}

static void mpi_stop_others(hb_group *group)
{
    hb_mailbox_send_stop(&mpi_of(group)->mailbox);
}

static bool mpi_stopping(hb_group *group)
{
    hb_mailbox *mailbox = &mpi_of(group)->mailbox;
    /* Messages are received when a caller asks for their contents; no other code needs them. */
    hb_mailbox_poll(mailbox);
    return mailbox->stop_received;
}

static void mpi_halt_others(hb_group *group)
{
    hb_mailbox_send_halt(&mpi_of(group)->mailbox);
}

static bool mpi_halting(hb_group *group)
{
    hb_mailbox *mailbox = &mpi_of(group)->mailbox;
    hb_mailbox_poll(mailbox);
    return mailbox->halt_received;
}

static void mpi_ask_status(hb_group *group)
{
    hb_mailbox_ask_status(&mpi_of(group)->mailbox);
}

static bool mpi_status_asked(hb_group *group)
{
    hb_mailbox *mailbox = &mpi_of(group)->mailbox;
    hb_mailbox_poll(mailbox);
    /* Each question is answered once, however many ranks asked. */
    const bool asked = mailbox->status_asked;
    mailbox->status_asked = false;
    return asked;
}

static void mpi_post_progress(hb_group *group, uint64_t done, uint64_t work)
{
    hb_mailbox_send_progress(&mpi_of(group)->mailbox, done, work);
}

/* Sums up the messages so far; silent ranks are left out. */
static hb_group_news mpi_progress(hb_group *group)
{
    hb_mailbox *mailbox = &mpi_of(group)->mailbox;
    hb_mailbox_poll(mailbox);
    hb_group_news news = {.heard = 0};
    for (int rank = 0; rank < group->size; rank++) {
        /* Ranks that have not sent a count yet are neither slow nor done: they are not heard of. */
        const uint64_t work = mailbox->work[rank];
        if (!mailbox->heard[rank]) {
            continue;
        }
        /* Among equals the lowest rank is named. */
        if (news.heard == 0 || work < news.slowest_work) {
            news.slowest = rank;
            news.slowest_work = work;
        }
        news.heard++;
        news.done += mailbox->done[rank];
        news.work += work;
    }
    return news;
}

static const hb_group_ops mpi_ops = {.close = mpi_close,
                                     .abort = mpi_abort,
                                     .split = mpi_split,
                                     .agree = mpi_agree,
                                     .stop_others = mpi_stop_others,
                                     .stopping = mpi_stopping,
                                     .halt_others = mpi_halt_others,
                                     .halting = mpi_halting,
                                     .ask_status = mpi_ask_status,
                                     .status_asked = mpi_status_asked,
                                     .post_progress = mpi_post_progress,
                                     .progress = mpi_progress,
                                     .share = mpi_share,
                                     .broadcast = hb_mpi_broadcast,
                                     .sum = hb_mpi_sum,
                                     .max = hb_mpi_max};

/* Makes a communicator of its own, finds this rank's place, opens the mailbox and begins signs of life. A rank without
 * memory still goes to hb_mpi_all, where the others learn of it. */
static hb_status join(hb_mpi_group *g)
{
    /* MPI's default handler would end the job before a message could say why. */
    HB_TRY(HB_MPI_OF(g, MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)));
    /* A communicator of its own: messages of a library that also uses MPI meet none of ours. */
    HB_TRY(HB_MPI_OF(g, MPI_Comm_dup(MPI_COMM_WORLD, &g->comm)));
    HB_TRY(mpi_find_place(g));
    const hb_status st = hb_mailbox_open(&g->mailbox, g->comm);
    HB_TRY(hb_mpi_all(g, st == HB_ECOMM ? hb_mpi_note(g, st) : st));
    return hb_mpi_begin_signs(g);
}

/* Threads that compute need not call MPI, but MPI must stand that they exist. */
static hb_status check_threads(int provided)
{
    if (provided < MPI_THREAD_FUNNELED) {
        return HB_FAIL(HB_ECONFIG, "this MPI does not allow threads beside the one that calls it");
    }
    return HB_OK;
}

/* Refuses to go on where n processes each believe they are alone: each would do the whole job, over the same files. */
static hb_status check_launcher(const hb_mpi_group *g)
{
    const hb_launcher launcher = hb_launcher_detect();
    if (launcher.ranks > 1 && g->base.size == 1) {
        return HB_FAIL(HB_ECONFIG,
                       "%s says %" PRIu64 " ranks, but MPI sees one: this program was built with another MPI than the "
                       "launcher's; use that MPI's mpirun, or srun --mpi=pmix",
                       launcher.variable, launcher.ranks);
    }
    return HB_OK;
}

hb_status hb_group_open_mpi(int *argc, char ***argv, hb_group **out)
{
    hb_mpi_group *g = calloc(1, sizeof *g);
    *out = NULL;
    if (g == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the group of ranks");
    }
    *g = (hb_mpi_group){.base.ops = &mpi_ops, .comm = MPI_COMM_NULL, .mailbox.comm = MPI_COMM_NULL, .most = INT_MAX};
    g->whole = g;
    int provided = MPI_THREAD_SINGLE;
    hb_status st = HB_MPI(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided));
    if (st != HB_OK) {
        free(g);
        return st;
    }
    /* From here on the caller closes the group, also after a failure: MPI has been initialised. */
    *out = &g->base;
    HB_TRY(join(g));
    HB_TRY(hb_mpi_all(g, check_threads(provided)));
    return check_launcher(g); /* where it fails every rank sees itself alone */
}
