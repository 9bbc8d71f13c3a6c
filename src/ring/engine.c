/* The front end of a queue: its life, its memory, copies. Memory has no shape that could be checked. */
#include "engine.h"

hb_status hb_engine_fork(hb_engine *e, hb_engine **out)
{
    /* Implementations set it on success only. */
    *out = NULL;
    return e->ops->fork(e, out);
}

hb_status hb_engine_beside(hb_engine *e, const hb_ring *ring, hb_engine **out)
{
    hb_engine *device = e->device != NULL ? e->device : e;
    *out = NULL;
    return device->ops->beside(device, ring, out);
}

void hb_engine_close(hb_engine *e)
{
    if (e != NULL) {
        e->ops->close(e);
    }
}

hb_status hb_alloc(hb_engine *e, size_t bytes, void **memory)
{
    return e->ops->memory->alloc(e, bytes, memory);
}

void hb_free(hb_engine *e, void *memory)
{
    /* Implementations never see NULL. */
    if (memory != NULL) {
        e->ops->memory->free(e, memory);
    }
}

hb_status hb_host_alloc(hb_engine *e, size_t bytes, void **memory)
{
    return e->ops->memory->host_alloc(e, bytes, memory);
}

void hb_host_free(hb_engine *e, void *memory)
{
    if (memory != NULL) {
        e->ops->memory->host_free(e, memory);
    }
}

hb_status hb_upload(hb_engine *e, void *to, const void *from_host, size_t bytes)
{
    return e->ops->memory->upload(e, to, from_host, bytes);
}

hb_status hb_download(hb_engine *e, void *to_host, const void *from, size_t bytes)
{
    return e->ops->memory->download(e, to_host, from, bytes);
}

hb_status hb_finish(hb_engine *e)
{
    /* A replay of a graph would not wait: the same body behaves alike on all engines. */
    if (e->in_body) {
        return HB_FAIL(HB_EUNAVAILABLE, "what is recorded cannot wait: hb_finish comes after hb_replay");
    }
    return e->ops->finish(e);
}

void *hb_engine_native(hb_engine *e)
{
    return e->ops->native(e);
}

void hb_engine_enter(hb_engine *e)
{
    /* Only engines of divided limbs have these three. */
    if (e->ops->enter != NULL) {
        e->ops->enter(e);
    }
}

void hb_engine_leave(hb_engine *e)
{
    if (e->ops->leave != NULL) {
        e->ops->leave(e);
    }
}

void hb_engine_interrupt(hb_engine *e)
{
    if (e->ops->interrupt != NULL) {
        e->ops->interrupt(e);
    }
}
