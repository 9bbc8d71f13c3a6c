#include "stretch.h"

#include <stdbool.h>
#include <stddef.h>

hb_stretch hb_stretch_begin(hb_stretch_place *place, hb_stretch part)
{
    const hb_stretch around = place->part;
    const bool named = around.name != NULL, counted = named && around.of > 0;
    place->part = (hb_stretch){.name = named ? around.name : part.name,
                               .done = counted ? around.done : part.done,
                               .of = counted ? around.of : part.of,
                               .from = around.from + around.share * part.from,
                               .share = around.share * part.share};
    return around;
}

void hb_stretch_end(hb_stretch_place *place, hb_stretch around)
{
    place->part = around;
}

void hb_stretch_step(const hb_stretch_place *place, const char *name, uint32_t done, uint32_t of)
{
    const hb_stretch *part = &place->part;
    if (place->observer.see == NULL) {
        return;
    }
    const hb_evaluator_step step = {.name = part->name != NULL ? part->name : name,
                                    .done = part->of > 0 ? part->done : done,
                                    .of = part->of > 0 ? part->of : of,
                                    .share = part->from + part->share * done / of};
    place->observer.see(place->observer.with, &step);
}
