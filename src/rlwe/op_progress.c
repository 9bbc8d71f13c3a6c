#include "op_progress.h"

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

hb_op_part hb_op_part_enter(hb_op_progress *progress, hb_op_part part)
{
    const hb_op_part outer = progress->part;
    hb_op_part_next(progress, outer, part);
    return outer;
}

void hb_op_part_next(hb_op_progress *progress, hb_op_part outer, hb_op_part part)
{
    const bool named = outer.name != NULL, counted = named && outer.of > 0;
    progress->part = (hb_op_part){.name = named ? outer.name : part.name,
                                  .done = counted ? outer.done : part.done,
                                  .of = counted ? outer.of : part.of,
                                  .from = outer.from + outer.share * part.from,
                                  .share = outer.share * part.share};
}

void hb_op_part_leave(hb_op_progress *progress, hb_op_part outer)
{
    progress->part = outer;
}

void hb_op_step_done(const hb_op_progress *progress, const char *name, uint32_t done, uint32_t of)
{
    const hb_op_part *part = &progress->part;
    HB_ASSERT(of >= 1 && done <= of);
    if (progress->observer.see == NULL) {
        return;
    }
    const hb_op_step step = {.name = part->name != NULL ? part->name : name,
                             .done = part->of > 0 ? part->done : done,
                             .of = part->of > 0 ? part->of : of,
                             .share = part->from + part->share * done / of};
    progress->observer.see(progress->observer.with, &step);
}
