/* The group of MPI's ranks, and the group of one: started by mpirun with any number of ranks, each line checked on each
 * rank. Not a cmocka program: a rank that fails must end the others. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/group/mpi_private.h"
#include "ranks/check.h"

/* `failing`: bit r says that rank r fails with code 64 + r. */
static void check_agreement(uint32_t failing)
{
    hb_status mine = HB_OK;
    hb_clear_error();
    if (failing >> group->rank & 1) {
        mine = HB_FAIL((hb_status)(64 + group->rank), "cause of %d", group->rank);
    }
    hb_status agreed = hb_agree(group, mine);
    int lowest = 0;
    while (lowest < group->size && !(failing >> lowest & 1)) {
        lowest++;
    }
    if (lowest == group->size) {
        CHECK(agreed == HB_OK);
        return;
    }
    CHECK((int)agreed == 64 + lowest);
    char cause[64], rank[64], host[64] = "";
    snprintf(cause, sizeof cause, "cause of %d", lowest);
    const char *text = hb_last_error()->text;
    if (group->size == 1) {
        CHECK(strcmp(text, cause) == 0);
        return;
    }
    gethostname(host, sizeof host - 1);
    snprintf(rank, sizeof rank, "rank %d on ", lowest);
    CHECK(strncmp(text, rank, strlen(rank)) == 0);
    CHECK(strncmp(text + strlen(rank), host, strlen(host)) == 0);
    CHECK(strcmp(text + strlen(text) - strlen(cause), cause) == 0);
    CHECK(strstr(hb_last_error()->where, "t_group.c:") != NULL);
}

static void test_agreement(void)
{
    for (uint32_t failing = 0; failing < (uint32_t)1 << group->size; failing++) {
        check_agreement(failing);
    }
}

/* A text as long as one can be keeps its beginning and its end mark. */
static void test_long_text(void)
{
    char text[sizeof hb_last_error()->text];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    hb_status agreed = hb_agree(group, HB_FAIL(HB_EDATA, "%s", text));
    CHECK(agreed == HB_EDATA);
    CHECK(strlen(hb_last_error()->text) == sizeof text - 1);
    CHECK(group->size == 1 || strncmp(hb_last_error()->text, "rank 0 on ", 10) == 0);
}

/* Each set of ranks sends notices, some twice; the others wait to see them; no rank sees one after the agreement. */
static void test_stop(void)
{
    for (uint32_t stoppers = 1; stoppers < (uint32_t)1 << group->size; stoppers++) {
        const bool stops = stoppers >> group->rank & 1;
        const bool others = (stoppers & ~((uint32_t)1 << group->rank)) != 0;
        if (stops) {
            hb_group_stop_others(group);
            hb_group_stop_others(group);
        } else {
            while (others && !hb_group_stopping(group)) {
            }
        }
        CHECK(others || !hb_group_stopping(group));
        CHECK(hb_agree(group, HB_OK) == HB_OK);
        CHECK(!hb_group_stopping(group));
        CHECK(hb_agree(group, HB_OK) == HB_OK); /* before anyone sends the next */
    }
}

/* A rank that is asked to stop, or stops because of that, does not hurry the others: they see a halt and no stop, for
 * every status of their own. The reason is that of the rank that was asked. */
static void test_halt(void)
{
    for (int asked = 0; asked < group->size; asked++) {
        hb_status mine = HB_OK;
        if (asked == group->rank) {
            hb_group_halt_others(group);
            mine = HB_FAIL(HB_ESTOPPED, "asked");
        } else {
            while (!hb_group_halting(group)) {
            }
            CHECK(!hb_group_stopping(group));
            mine = (group->rank & 1) != 0 ? HB_FAIL(HB_EPEER, "another was") : HB_OK;
        }
        CHECK(hb_agree(group, mine) == HB_ESTOPPED);
        CHECK(strstr(hb_last_error()->text, "asked") != NULL && strstr(hb_last_error()->text, "another") == NULL);
        CHECK(!hb_group_halting(group) && !hb_group_stopping(group));
        CHECK(hb_agree(group, HB_OK) == HB_OK); /* before the next is asked */
    }
    /* A failure that comes after a halt hurries them all the same. */
    if (group->rank == 0) {
        hb_group_halt_others(group);
        hb_group_stop_others(group);
    } else {
        while (!hb_group_halting(group) || !hb_group_stopping(group)) {
        }
    }
    CHECK(hb_agree(group, HB_OK) == HB_OK);
}

/* Anyone who asks, rank 0 hears it. */
static void test_status(void)
{
    for (int asks = 0; asks < group->size; asks++) {
        if (asks == group->rank) {
            hb_group_ask_status(group);
            hb_group_ask_status(group);
        }
        if (group->rank == 0) {
            while (!hb_group_status_asked(group)) {
            }
        }
        CHECK(hb_agree(group, HB_OK) == HB_OK);
        CHECK(group->rank != 0 || !hb_group_status_asked(group));
        CHECK(hb_agree(group, HB_OK) == HB_OK);
    }
}

/* The agreement receives all unread notices; notices of the next round are not taken for them. */
static void test_unread_messages(void)
{
    for (int round = 0; round < 200; round++) {
        if ((round + group->rank) % 3 == 0) {
            hb_group_stop_others(group);
        }
        for (int i = 0; i < round % 7; i++) {
            hb_group_post_progress(group, (uint64_t)i, (uint64_t)i);
        }
        CHECK(hb_agree(group, HB_OK) == HB_OK);
    }
    CHECK(hb_agree(group, HB_OK) == HB_OK);
    CHECK(!hb_group_stopping(group));
}

static void test_progress(void)
{
    const uint64_t mine = 1000 - 10 * (uint64_t)group->rank;
    hb_group_post_progress(group, 3, mine);
    if (group->rank == 0) {
        uint64_t expected = 0;
        hb_group_news news = {.heard = 0};
        for (int rank = 0; rank < group->size; rank++) {
            expected += 1000 - 10 * (uint64_t)rank;
        }
        while (news.heard < group->size) {
            news = hb_group_progress(group);
            CHECK(news.work <= expected && (news.heard > 0 || news.work == 0) && news.done == 3 * (uint64_t)news.heard);
        }
        CHECK(news.work == expected && news.slowest == group->size - 1);
        CHECK(news.slowest_work == 1000 - 10 * (uint64_t)news.slowest);
    }
    CHECK(hb_agree(group, HB_OK) == HB_OK);
    if (group->rank == 0) {
        const hb_group_news news = hb_group_progress(group);
        CHECK(news.heard == 0 && news.done == 0 && news.work == 0 && news.slowest == 0 && news.slowest_work == 0);
    }
}

static uint8_t byte_of(int rank, size_t i)
{
    return (uint8_t)(31 * (size_t)rank + 7 * i + i / 251);
}

static void check_bytes(size_t bytes)
{
    uint8_t *mine = malloc(bytes + 1);
    CHECK(mine != NULL);
    for (int root = 0; root < group->size; root++) {
        for (size_t i = 0; i <= bytes; i++) {
            mine[i] = byte_of(group->rank, i);
        }
        CHECK(hb_group_broadcast(group, mine, bytes, root) == HB_OK);
        for (size_t i = 0; i < bytes; i++) {
            CHECK(mine[i] == byte_of(root, i));
        }
        CHECK(mine[bytes] == byte_of(group->rank, bytes));
    }
    free(mine);
}

static void check_reductions(size_t count)
{
    uint64_t sums[100], most[100];
    for (size_t i = 0; i < count; i++) {
        sums[i] = ((uint64_t)group->rank + 1) * (i + 1);
        most[i] = (i % (size_t)group->size == (size_t)group->rank) ? UINT64_MAX - i : i;
    }
    CHECK(hb_group_sum(group, sums, count) == HB_OK);
    CHECK(hb_group_max(group, most, count) == HB_OK);
    const uint64_t ranks = (uint64_t)group->size;
    for (size_t i = 0; i < count; i++) {
        CHECK(sums[i] == ranks * (ranks + 1) / 2 * (i + 1));
        CHECK(most[i] == UINT64_MAX - i);
    }
}

static void test_data(void)
{
    static const size_t sizes[] = {0, 1, 7, 8, 9, 4096, 100003};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        check_bytes(sizes[i]);
    }
    for (size_t count = 0; count <= 100; count += 25) {
        check_reductions(count);
    }
}

/* The same with pieces far below what MPI can count, as if the data were far above. */
static void test_pieces(void)
{
    hb_mpi_group *g = (hb_mpi_group *)group;
    const size_t before = g->most, pieces[] = {1, 3, 8, 4095};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        g->most = pieces[i];
        check_bytes(0);
        check_bytes(pieces[i]);
        check_bytes(3 * pieces[i] - 1);
        check_bytes(3 * pieces[i] + 1);
        check_reductions(100);
    }
    g->most = before;
}

/* Calls of this rank, which go on to MPI: messages, exchanges of neighbours, exchanges of all with all. */
static uint64_t sends, exchanges, each_with_each;

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    sends++;
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Alltoall(const void *out, int outs, MPI_Datatype type, void *in, int ins, MPI_Datatype as, MPI_Comm comm)
{
    each_with_each++;
    return PMPI_Alltoall(out, outs, type, in, ins, as, comm);
}

int MPI_Ialltoall(const void *out, int outs, MPI_Datatype type, void *in, int ins, MPI_Datatype as, MPI_Comm comm,
                  MPI_Request *request)
{
    each_with_each++;
    return PMPI_Ialltoall(out, outs, type, in, ins, as, comm, request);
}

int MPI_Ineighbor_alltoall(const void *out, int outs, MPI_Datatype type, void *in, int ins, MPI_Datatype as,
                           MPI_Comm comm, MPI_Request *request)
{
    exchanges++;
    return PMPI_Ineighbor_alltoall(out, outs, type, in, ins, as, comm, request);
}

/* Where all ranks are asked to stop at once, each tells its neighbours in a tree: two messages a pair of neighbours,
 * not two a pair of ranks. Agreements that follow no message exchange no counts of them. */
static void test_message_counts(void)
{
    const uint64_t ranks = (uint64_t)group->size, before = sends;
    hb_group_halt_others(group);
    CHECK(hb_agree(group, HB_FAIL(HB_ESTOPPED, "asked")) == HB_ESTOPPED);
    uint64_t all = sends - before;
    const uint64_t quiet = exchanges;
    CHECK(hb_group_sum(group, &all, 1) == HB_OK);
    CHECK(all <= 2 * (ranks - 1));
    for (int i = 0; i < 10; i++) {
        CHECK(hb_agree(group, HB_OK) == HB_OK);
        CHECK(hb_agree(group, HB_FAIL(HB_EDATA, "all")) == HB_EDATA);
    }
    CHECK(exchanges - quiet == (ranks > 1 ? 10 : 0)); /* after failures, which are told to others */
    CHECK(each_with_each == 0);                       /* counts go to neighbours alone */
}

static void test_all(bool mpi)
{
    test_agreement();
    test_long_text();
    test_stop();
    test_halt();
    test_status();
    test_unread_messages();
    test_progress();
    test_data();
    if (mpi) {
        test_message_counts();
        test_pieces();
    }
}

int main(int argc, char **argv)
{
    hb_group *mpi;
    if (hb_group_open_mpi(&argc, &argv, &mpi) != HB_OK) {
        fprintf(stderr, "%s\n", hb_last_error()->text);
        return 1;
    }
    group = mpi;
    CHECK(argc == 2 && atoi(argv[1]) == group->size);
    CHECK(group->rank >= 0 && group->rank < group->size);
    CHECK(group->node_size == group->size && group->node_rank == group->rank); /* mpirun on one host */
    test_all(true);
    CHECK(hb_group_open_alone(&group) == HB_OK);
    CHECK(group->rank == 0 && group->size == 1);
    test_all(false);
    hb_group_close(group);
    group = mpi;
    test_agreement();
    hb_group_close(mpi);
    hb_group_close(NULL);
    return 0;
}
