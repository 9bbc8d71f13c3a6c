/* An exchange that a user insists on is refused where it cannot be had, whether or not anyone knows why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/group/group_private.h"
#include "ranks/limb_ranks.h"

/* The answer of NCCL on this rank, and whether another rank has none. */
static struct {
    hb_status status;
    const char *reason, *why_not_direct;
    bool elsewhere;
} nccl;

hb_status __wrap_hb_exchange_open_nccl(const hb_grid *grid, hb_engine *device, double deadline,
                                       hb_error *why_not_direct, hb_exchange **out);

hb_status __wrap_hb_exchange_open_nccl(const hb_grid *grid, hb_engine *device, double deadline,
                                       hb_error *why_not_direct, hb_exchange **out)
{
    (void)grid;
    (void)device;
    (void)deadline;
    if (nccl.status != HB_OK) {
        return HB_FAIL(nccl.status, "%s", nccl.reason);
    }
    if (why_not_direct != NULL) {
        *why_not_direct = (hb_error){.text = ""};
        memcpy(why_not_direct->text, nccl.why_not_direct, strlen(nccl.why_not_direct) + 1);
    }
    return hb_exchange_open_alone(0, 1, out);
}

static hb_status same_agree(hb_group *group, hb_status mine)
{
    (void)group;
    return mine;
}

static hb_status both_sum(hb_group *group, uint64_t *values, size_t count)
{
    (void)group;
    for (size_t i = 0; i < count; i++) {
        values[i] *= 2;
    }
    return HB_OK;
}

/* Another rank is as this one, but that it may have no NCCL. */
static hb_status other_max(hb_group *group, uint64_t *values, size_t count)
{
    (void)group;
    values[0] |= count == 1 && nccl.elsewhere;
    return HB_OK;
}

static const hb_group_ops ops = {.agree = same_agree, .sum = both_sum, .max = other_max};

static void it_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *exchange;
        hb_status status;
        const char *reason, *why_not_direct;
        bool elsewhere;
        const char *told;
    } cases[] = {{"nccl", HB_EUNAVAILABLE, "no NCCL here", "", false, "--exchange nccl: no NCCL here"},
                 {"nccl", HB_EUNAVAILABLE, "", "", false, "--exchange nccl: it cannot be had between these ranks"},
                 {"nccl", HB_OK, "", "", true, "--exchange nccl: it cannot be had between these ranks"},
                 {"direct", HB_OK, "", "far apart", false, "--exchange direct: far apart"},
                 {"direct", HB_OK, "", "", false, "--exchange direct: it cannot be had between these ranks"},
                 {"direct", HB_OK, "", "", true, "--exchange direct: it cannot be had between these ranks"}};
    hb_group all = {.ops = &ops, .size = 2, .node_size = 2};
    const hb_grid grid = {.all = &all, .members = &all, .peers = &all};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_device device = {.gpu = true, .memory = 1 << 30};
        hb_engine engine = {.batch_bytes = 1 << 20};
        hb_exchange *out = NULL;
        hb_error why_not;
        const hb_limb_choice choice = {.ranks = "2", .exchange = cases[i].exchange, .timeout = 1};
        nccl.status = cases[i].status;
        nccl.reason = cases[i].reason;
        nccl.why_not_direct = cases[i].why_not_direct;
        nccl.elsewhere = cases[i].elsewhere;
        assert_int_equal(hb_limb_exchange_open(&grid, &device, &engine, &choice, &out, &why_not), HB_EUNAVAILABLE);
        assert_null(out);
        assert_int_equal(strncmp(hb_last_error()->text, cases[i].told, strlen(cases[i].told)), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
