/* NAME.partial as one process uses it that has no other to fear: begun, and not held. */
#ifndef HB_TEST_UNHELD_H
#define HB_TEST_UNHELD_H

#include "io/dataset/dataset.h"

static inline hb_status begin_dataset(const char *name, bool force)
{
    hb_hold hold;
    HB_TRY(hb_dataset_begin(name, (hb_begin){.over = force ? HB_OVER_ALL : HB_OVER_NOTHING, .job = "{}\n", .bytes = 3},
                            &hold));
    hb_dataset_release(&hold);
    return HB_OK;
}

#endif
