#include "facts.h"

#include <stdlib.h>

#include "base/seed.h"

hb_status hb_facts_init(hb_facts *f, const hb_graph *g)
{
    const size_t count = (size_t)g->count + 1;
    *f = (hb_facts){.graph = g, .count = g->count, .passes = 1};
    f->size = calloc(count, sizeof *f->size);
    f->error = calloc(count, sizeof *f->error);
    return f->size && f->error ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for what is known of an expression");
}

void hb_facts_clear(hb_facts *f)
{
    if (f->error != NULL) { /* ranges follow from constants, which may be the weights of a private table */
        hb_wipe(f->error, f->count * sizeof *f->error);
    }
    free(f->size);
    free(f->error);
    *f = (hb_facts){0};
}

/* Returns where a node stands in an overlay; its count: nowhere. */
static uint32_t place_in(const hb_error_overlay *overlay, uint32_t node)
{
    uint32_t i = 0;
    while (i < overlay->count && overlay->node[i] != node) {
        i++;
    }
    return i;
}

hb_node_error *hb_facts_error_place(hb_facts *f, const hb_node *node)
{
    const uint32_t i = (uint32_t)(node - f->graph->nodes);
    HB_ASSERT(i < f->count);
    const uint32_t place = f->overlay != NULL ? place_in(f->overlay, i) : 0;
    if (f->overlay == NULL) {
        return &f->error[i];
    }
    HB_ASSERT(place < f->overlay->count); /* errors below an overlay are others' */
    return &f->overlay->error[place];
}

const hb_node_error *hb_facts_error(const hb_facts *f, const hb_node *node)
{
    const uint32_t i = (uint32_t)(node - f->graph->nodes);
    HB_ASSERT(i < f->count);
    for (; f->overlay != NULL; f = f->underlying) {
        const uint32_t place = place_in(f->overlay, i);
        if (place < f->overlay->count) {
            return &f->overlay->error[place];
        }
    }
    return &f->error[i];
}

hb_facts hb_facts_over(const hb_facts *f, hb_error_overlay *overlay)
{
    hb_facts over = *f;
    over.overlay = overlay;
    over.underlying = f;
    return over;
}

hb_node_error *hb_facts_overlay_add(hb_error_overlay *overlay, const hb_facts *below, uint32_t node)
{
    HB_ASSERT(overlay->count < HB_OVERLAY_MOST);
    overlay->node[overlay->count] = node;
    overlay->error[overlay->count] = *hb_facts_error(below, &below->graph->nodes[node]);
    return &overlay->error[overlay->count++];
}
