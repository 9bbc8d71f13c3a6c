#include "group.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/modarith.h"
#include "group_private.h"

hb_status hb_group_close(hb_group *group)
{
    return group != NULL ? group->ops->close(group) : HB_OK;
}

_Noreturn void hb_group_abort(hb_group *group, hb_status code)
{
    hb_board_set_ending(group->board);
    /* The table's function may return where it could not end the others; this process ends in any case. */
    group->ops->abort(group, code);
    _exit((int)code);
}

/* Passes on the status of a call that waited for other ranks. */
static hb_status left(hb_group *group, hb_status st)
{
    hb_board_leave(group->board);
    return st;
}

hb_status hb_group_split(hb_group *group, uint32_t color, hb_group **out)
{
    hb_board_enter(group->board);
    const hb_status st = left(group, group->ops->split(group, color, out));
    if (st == HB_OK) {
        (*out)->whole = group->whole != NULL ? group->whole : group;
    }
    return st;
}

int hb_group_gone(const hb_group *group)
{
    return group->board != NULL ? hb_board_find_lost(group->board) : -1;
}

int hb_group_lost(const hb_group *group)
{
    return group->board != NULL ? hb_board_lost(group->board) : -1;
}

hb_status hb_group_check_gone(const hb_group *group, int gone)
{
    if (gone < 0) {
        return HB_OK;
    }
    const hb_loss loss = hb_board_loss(group->board);
    switch (loss.fate) {
    case HB_FATE_GONE_AWAY:
        return HB_FAIL(HB_ECOMM, "rank %d on %s is gone: it was killed or has crashed", loss.rank, loss.host);
    case HB_FATE_ENDED:
        return HB_FAIL(HB_ECOMM, "rank %d, a process of this host, has ended the job", loss.rank);
    case HB_FATE_ENDED_AWAY:
        return HB_FAIL(HB_ECOMM, "rank %d on %s has ended the job", loss.rank, loss.host);
    case HB_FATE_STOPPED:
        return HB_FAIL(HB_ECOMM,
                       "rank %d, a process of this host, has been stopped by a signal for %u s (--comm-timeout)",
                       loss.rank, loss.limit);
    case HB_FATE_STOPPED_AWAY:
        return HB_FAIL(HB_ECOMM, "rank %d on %s has been stopped by a signal for %u s (--comm-timeout)", loss.rank,
                       loss.host, loss.limit);
    case HB_FATE_UNREACHABLE:
    case HB_FATE_MUTE:
        return HB_FAIL(HB_ECOMM, "nothing heard of rank %d on %s for %u s (--comm-timeout): %s", loss.rank, loss.host,
                       loss.limit, hb_board_silence_words[loss.fate == HB_FATE_MUTE]);
    case HB_FATE_NONE:
    case HB_FATE_GONE:
        break;
    }
    return HB_FAIL(HB_ECOMM, "rank %d, a process of this host, is gone: it was killed or has crashed", gone);
}

bool hb_group_tells(const hb_group *group)
{
    return group->board != NULL && hb_board_tells(group->board);
}

bool hb_group_reports(const hb_group *group)
{
    return group->broken && group->board != NULL ? hb_board_reports(group->board) : group->rank == 0;
}

void hb_group_reported(const hb_group *group)
{
    if (group->board != NULL) {
        hb_board_reported(group->board);
    }
}

hb_status hb_group_watch(hb_group *group, hb_wait_teller *tell, void *context)
{
    return group->board != NULL ? hb_board_watch(group->board, tell, context) : HB_OK;
}

hb_status hb_agree(hb_group *group, hb_status mine)
{
    hb_board_enter(group->board);
    return left(group, group->ops->agree(group, mine));
}

void hb_group_stop_others(hb_group *group)
{
    group->ops->stop_others(group);
}

bool hb_group_stopping(hb_group *group)
{
    return group->ops->stopping(group);
}

void hb_group_halt_others(hb_group *group)
{
    group->ops->halt_others(group);
}

bool hb_group_halting(hb_group *group)
{
    return group->ops->halting(group);
}

void hb_group_ask_status(hb_group *group)
{
    group->ops->ask_status(group);
}

bool hb_group_status_asked(hb_group *group)
{
    /* Messages of these kinds are sent to rank 0 only. */
    HB_ASSERT(group->rank == 0);
    return group->ops->status_asked(group);
}

void hb_group_post_progress(hb_group *group, uint64_t done, uint64_t work)
{
    group->ops->post_progress(group, done, work);
}

hb_group_news hb_group_progress(hb_group *group)
{
    HB_ASSERT(group->rank == 0);
    return group->ops->progress(group);
}

void hb_group_set_idle(hb_group *group, void (*idle)(void *), void *context)
{
    group->idle = group->rank == 0 ? idle : NULL;
    group->idle_context = context;
}

hb_status hb_group_share(hb_group *group, size_t bytes, hb_shared *shared)
{
    *shared = (hb_shared){.bytes = bytes, .fd = -1};
    hb_board_enter(group->board);
    return left(group, group->ops->share(group, bytes, shared));
}

void hb_shared_close(hb_shared *shared)
{
    if (shared->memory != NULL) {
        munmap(shared->memory, shared->bytes);
        close(shared->fd);
        shared->memory = NULL;
    }
}

hb_status hb_group_broadcast(hb_group *group, void *data, size_t bytes, int root)
{
    HB_ASSERT(root >= 0 && root < group->size);
    hb_board_enter(group->board);
    return left(group, group->ops->broadcast(group, data, bytes, root));
}

hb_status hb_group_sum(hb_group *group, uint64_t *values, size_t count)
{
    hb_board_enter(group->board);
    return left(group, group->ops->sum(group, values, count));
}

enum { HALF = 32 };

/* As halves of 32 bits, which no number of ranks below 2^32 can overflow. */
static hb_status sum_halves(hb_group *group, uint64_t *values, size_t count, const hb_modulus *m, uint64_t *halves)
{
    for (size_t i = 0; i < count; i++) {
        halves[i] = values[i] & UINT32_MAX;
        halves[count + i] = values[i] >> HALF;
    }
    HB_TRY(hb_group_sum(group, halves, 2 * count));
    for (size_t i = 0; i < count; i++) {
        values[i] = hb_mod_reduce_wide(((hb_u128)halves[count + i] << HALF) + halves[i], m);
    }
    return HB_OK;
}

hb_status hb_group_sum_mod(hb_group *group, uint64_t *values, size_t count, const hb_modulus *m, uint64_t *room)
{
    /* For few ranks a word holds the sum itself, and half as much is sent. */
    if (m->value > UINT64_MAX / (uint64_t)group->size) {
        return sum_halves(group, values, count, m, room);
    }
    HB_TRY(hb_group_sum(group, values, count));
    for (size_t i = 0; i < count; i++) {
        values[i] = hb_mod_reduce(values[i], m);
    }
    return HB_OK;
}

hb_status hb_group_max(hb_group *group, uint64_t *values, size_t count)
{
    hb_board_enter(group->board);
    return left(group, group->ops->max(group, values, count));
}

hb_status hb_group_same(hb_group *group, const uint8_t digest[HB_DIGEST_BYTES], const char *what)
{
    uint8_t first[HB_DIGEST_BYTES];
    memcpy(first, digest, sizeof first);
    hb_status st = hb_group_broadcast(group, first, sizeof first, 0);
    if (st == HB_OK && memcmp(first, digest, sizeof first) != 0) {
        st = HB_FAIL(HB_EDATA, "%s is not what rank 0 has", what);
    }
    return hb_agree(group, st);
}
