#include "shared_dataset.h"

static hb_status agree(void *context, hb_status mine)
{
    return hb_agree(context, mine);
}

static hb_status add(void *context, uint64_t *words, size_t count)
{
    return hb_group_sum(context, words, count);
}

hb_dataset_ranks hb_shared_dataset_ranks(hb_group *group)
{
    return (hb_dataset_ranks){.rank = (uint64_t)group->rank,
                              .count = (uint64_t)group->size,
                              .agree = agree,
                              .add = add,
                              .context = group};
}
