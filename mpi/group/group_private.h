/* The table of functions of a group. Each kind embeds hb_group as its first member; group.h describes the entries. */
#ifndef HB_MPI_GROUP_GROUP_PRIVATE_H
#define HB_MPI_GROUP_GROUP_PRIVATE_H

#include "group.h"
#include "launcher.h"

struct hb_group_ops {
    hb_status (*close)(hb_group *group);
    void (*abort)(hb_group *group, hb_status code); /* may return when it could not end the others */
    hb_status (*split)(hb_group *group, uint32_t color, hb_group **out);
    hb_status (*agree)(hb_group *group, hb_status mine);
    void (*stop_others)(hb_group *group);
    bool (*stopping)(hb_group *group);
    void (*halt_others)(hb_group *group);
    bool (*halting)(hb_group *group);
    void (*ask_status)(hb_group *group);
    bool (*status_asked)(hb_group *group);
    void (*post_progress)(hb_group *group, uint64_t done, uint64_t work);
    hb_group_news (*progress)(hb_group *group);
    hb_status (*share)(hb_group *group, size_t bytes, hb_shared *shared);
    hb_status (*broadcast)(hb_group *group, void *data, size_t bytes, int root);
    hb_status (*sum)(hb_group *group, uint64_t *values, size_t count);
    hb_status (*max)(hb_group *group, uint64_t *values, size_t count);
};

#endif
