/* Whose reason an agreement tells, and parts of a group: started by mpirun with any number of ranks. */
#include <stdlib.h>
#include <string.h>

#include "mpi/group/grid.h"
#include "ranks/check.h"

/* The status that each rank of `group` passes: digit r of `outcomes`, base 3: fine, a failure of its own, or because of
 * others. */
static hb_status outcome_of(uint32_t outcomes, int rank, bool lost)
{
    for (int r = 0; r < rank; r++) {
        outcomes /= 3;
    }
    hb_clear_error();
    switch (outcomes % 3) {
    case 0:
        return HB_OK;
    case 1:
        return lost ? HB_FAIL(HB_ECOMM, "lost by %d", rank) : HB_FAIL(HB_EDATA, "cause of %d", rank);
    default:
        return HB_FAIL(HB_EPEER, "stopped at %d", rank);
    }
}

/* The lowest rank with a reason is heard; ranks that failed because of others only where no rank has a reason. */
static void check_reason(uint32_t outcomes, bool lost)
{
    int teller = -1, left = (int)outcomes;
    bool genuine = false;
    for (int r = 0; r < group->size; r++, left /= 3) {
        const bool own = left % 3 == 1;
        if (left % 3 != 0 && (teller < 0 || (own && !genuine))) {
            teller = r;
            genuine = own;
        }
    }
    hb_status agreed = hb_agree(group, outcome_of(outcomes, group->rank, lost));
    CHECK(agreed == (teller < 0 ? HB_OK : genuine && !lost ? HB_EDATA : HB_ECOMM));
    if (teller >= 0) {
        char end[64];
        snprintf(end, sizeof end, genuine ? lost ? "lost by %d" : "cause of %d" : "stopped at %d", teller);
        const char *text = hb_last_error()->text;
        CHECK(strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0);
    }
}

static void test_reasons(void)
{
    uint32_t all = 1;
    for (int r = 0; r < group->size; r++) {
        all *= 3;
    }
    for (uint32_t outcomes = 0; outcomes < all; outcomes++) {
        check_reason(outcomes, false);
        check_reason(outcomes, true);
    }
}

/* A rank that heard nothing from another knows less than one with any other reason, also of a higher number. */
static void test_lost_contact(void)
{
    const int last = group->size - 1;
    hb_status mine = HB_OK;
    if (group->rank == last) {
        mine = HB_FAIL(HB_EDATA, "the cause");
    } else if (group->rank == 0) {
        mine = HB_FAIL(HB_ECOMM, "nothing heard");
    }
    CHECK(hb_agree(group, mine) == HB_EDATA);
    CHECK(strstr(hb_last_error()->text, "the cause") != NULL);
}

/* Who goes to an agreement with a failure has told the others before. */
static void test_failing_tells(void)
{
    hb_status mine = HB_OK;
    if (group->rank == group->size - 1) {
        mine = HB_FAIL(HB_EDATA, "the cause");
    } else {
        while (!hb_group_stopping(group)) {
        }
        mine = HB_FAIL(HB_EPEER, "told");
    }
    CHECK(hb_agree(group, mine) == HB_EDATA);
}

static void check_part(hb_group *part, uint32_t parts)
{
    const uint32_t mine = (uint32_t)group->rank % parts;
    int members = 0, place = 0;
    uint64_t sum = 0;
    for (int r = 0; r < group->size; r++) {
        if ((uint32_t)r % parts == mine) {
            place += r < group->rank;
            members++;
            sum += (uint64_t)r;
        }
    }
    CHECK(part->size == members && part->rank == place);
    CHECK(part->node_size == members && part->node_rank == place);
    uint64_t value = (uint64_t)group->rank, first = value, most = value;
    CHECK(hb_group_sum(part, &value, 1) == HB_OK && value == sum);
    CHECK(hb_group_broadcast(part, &first, sizeof first, 0) == HB_OK && first == mine);
    CHECK(hb_group_max(part, &most, 1) == HB_OK && most == mine + parts * (uint64_t)(members - 1));
    CHECK(!hb_group_stopping(part));
}

/* Only part 1 fails, by its last rank; then the whole hears of it, in the same words. */
static void check_part_fails(hb_group *part, uint32_t parts)
{
    const bool fails = (uint32_t)group->rank % parts == 1, teller = fails && part->rank == part->size - 1;
    const int teller_rank = 1 + (int)parts * ((group->size - 2) / (int)parts);
    hb_status st = teller ? HB_FAIL(HB_EDATA, "the cause") : fails ? HB_FAIL(HB_EPEER, "stopped") : HB_OK;
    st = hb_agree(part, st);
    CHECK(st == (fails ? HB_EDATA : HB_OK));
    CHECK(hb_agree(group, st) == HB_EDATA);
    char rank[32];
    const char *text = hb_last_error()->text;
    snprintf(rank, sizeof rank, "rank %d on ", teller_rank);
    CHECK(strncmp(text, rank, strlen(rank)) == 0 && strstr(text + 1, "rank ") == NULL);
    CHECK(strstr(text, ": the cause") != NULL);
}

/* Everyone in part 0 only knows that others failed; the reason is in another part, and is not lost. */
static void check_reason_elsewhere(hb_group *part, uint32_t parts)
{
    const uint32_t mine = (uint32_t)group->rank % parts;
    hb_status st = mine == 0 ? HB_FAIL(HB_EPEER, "stopped") : HB_FAIL(HB_EIO, "the disk is full");
    st = hb_agree(part, st);
    CHECK(st == (mine == 0 ? HB_EPEER : HB_EIO));
    CHECK(hb_agree(group, st) == HB_EIO);
    CHECK(strstr(hb_last_error()->text, ": the disk is full") != NULL);
}

static void test_split(void)
{
    for (uint32_t parts = 1; parts <= (uint32_t)group->size; parts++) {
        hb_group *part = NULL, *alone = NULL;
        CHECK(hb_group_split(group, (uint32_t)group->rank % parts, &part) == HB_OK);
        check_part(part, parts);
        if (parts > 1) {
            check_part_fails(part, parts);
            check_reason_elsewhere(part, parts);
        }
        CHECK(hb_group_split(part, (uint32_t)part->rank, &alone) == HB_OK);
        CHECK(alone->size == 1 && alone->rank == 0);
        CHECK(hb_agree(alone, HB_FAIL(HB_EDATA, "mine")) == HB_EDATA && strcmp(hb_last_error()->text, "mine") == 0);
        hb_group_close(alone);
        hb_group_close(part);
    }
    CHECK(hb_agree(group, HB_OK) == HB_OK);
}

static void test_grid(void)
{
    const uint32_t ranks = (uint32_t)group->size, rank = (uint32_t)group->rank;
    for (uint32_t k = 0; k <= ranks + 1; k++) {
        hb_grid grid = {0};
        const hb_status st = hb_grid_open(&grid, group, k);
        CHECK(st == (k == 0 || ranks % k != 0 ? HB_EUSAGE : HB_OK));
        if (st == HB_OK) {
            CHECK(grid.all == group);
            CHECK((uint32_t)grid.members->size == k && (uint32_t)grid.members->rank == rank % k);
            CHECK((uint32_t)grid.peers->size == ranks / k && (uint32_t)grid.peers->rank == rank / k);
            uint64_t first = rank;
            CHECK(hb_group_broadcast(grid.members, &first, sizeof first, 0) == HB_OK && first == rank / k * k);
        }
        hb_grid_close(&grid);
    }
    hb_grid_close(&(hb_grid){0});
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
    test_reasons();
    if (group->size > 1) {
        test_lost_contact();
        test_failing_tells();
    }
    test_split();
    test_grid();
    CHECK(hb_group_open_alone(&group) == HB_OK);
    test_grid();
    hb_group_close(group);
    hb_group_close(mpi);
    return 0;
}
