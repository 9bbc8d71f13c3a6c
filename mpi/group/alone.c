/* The group of one process. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "group_private.h"

typedef struct alone_group {
    hb_group base;
    uint64_t done, work;
    bool heard, status_asked;
    hb_peer self;
    void *page; /* of the board, for this process alone */
} alone_group;

static hb_status alone_close(hb_group *group)
{
    alone_group *alone = (alone_group *)group;
    /* No library was started, so nothing can be broken or left over. */
    hb_board_close(group->board);
    free(alone->page);
    free(alone);
    return HB_OK;
}

/* Nobody else is to be ended; hb_group_abort ends this process. */
static void alone_abort(hb_group *group, hb_status code)
{
    (void)group;
    (void)code;
}

static hb_status alone_split(hb_group *group, uint32_t color, hb_group **out)
{
    (void)group;
    (void)color;
    return hb_group_open_alone(out);
}

/* Its own status is the outcome, and its text stays. An agreement forgets progress and questions here too. */
static hb_status alone_agree(hb_group *group, hb_status mine)
{
    alone_group *alone = (alone_group *)group;
    alone->done = alone->work = 0;
    alone->heard = alone->status_asked = false;
    return mine;
}

static void alone_stop_others(hb_group *group)
{
    (void)group;
}

static bool alone_stopping(hb_group *group)
{
    (void)group;
    return false;
}

static void alone_ask_status(hb_group *group)
{
    ((alone_group *)group)->status_asked = true;
}

static bool alone_status_asked(hb_group *group)
{
    alone_group *alone = (alone_group *)group;
    const bool asked = alone->status_asked;
    alone->status_asked = false;
    return asked;
}

static void alone_post_progress(hb_group *group, uint64_t done, uint64_t work)
{
    alone_group *alone = (alone_group *)group;
    alone->done = done;
    alone->work = work;
    alone->heard = true;
}

static hb_group_news alone_progress(hb_group *group)
{
    const alone_group *alone = (alone_group *)group;
    /* Rank 0 is the slowest, having no rivals. */
    return (hb_group_news){
        .heard = alone->heard, .done = alone->done, .work = alone->work, .slowest_work = alone->work};
}

/* There is nobody to share it with. */
static hb_status alone_share(hb_group *group, size_t bytes, hb_shared *shared)
{
    (void)group;
    (void)bytes;
    (void)shared;
    return HB_OK;
}

/* One rank has all data already, and sums and maxima of one are the values. */
static hb_status alone_broadcast(hb_group *group, void *data, size_t bytes, int root)
{
    (void)group;
    (void)data;
    (void)bytes;
    (void)root;
    return HB_OK;
}

static hb_status alone_reduce(hb_group *group, uint64_t *values, size_t count)
{
    (void)group;
    (void)values;
    (void)count;
    return HB_OK;
}

static const hb_group_ops alone_ops = {.close = alone_close,
                                       .abort = alone_abort,
                                       .split = alone_split,
                                       .agree = alone_agree,
                                       .stop_others = alone_stop_others,
                                       .stopping = alone_stopping,
                                       .halt_others = alone_stop_others,
                                       .halting = alone_stopping,
                                       .ask_status = alone_ask_status,
                                       .status_asked = alone_status_asked,
                                       .post_progress = alone_post_progress,
                                       .progress = alone_progress,
                                       .share = alone_share,
                                       .broadcast = alone_broadcast,
                                       .sum = alone_reduce,
                                       .max = alone_reduce};

hb_status hb_group_open_alone(hb_group **out)
{
    alone_group *group = calloc(1, sizeof *group);
    if (group == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the group of one process");
    }
    group->base = (hb_group){.ops = &alone_ops, .rank = 0, .size = 1, .node_rank = 0, .node_size = 1};
    group->self = (hb_peer){0, getpid()};
    group->page = calloc(1, hb_board_page_bytes(1));
    const hb_status st = group->page != NULL ? hb_board_open(group->page, false, &group->self, 0, 1, &group->base.board)
                                             : HB_FAIL(HB_ENOMEM, "no memory for the board of one process");
    if (st != HB_OK) {
        (void)alone_close(&group->base);
        return st;
    }
    *out = &group->base;
    return HB_OK;
}
