#include "found.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* Beyond so many approximations nothing more is kept, and so many drifts are. */
enum { MOST_FOUND = 256, MOST_DRIFTS = 256 };

typedef struct entry {
    hb_approximation_request request;
    uint32_t most_degree;
    hb_approximation approximation;
} entry;

/* A drift, and two hashes of all that it follows from. */
typedef struct drift_entry {
    uint64_t hashes[2];
    hb_drift drift;
} drift_entry;

struct hb_approximations {
    entry entries[MOST_FOUND];
    uint32_t count;
    drift_entry drifts[MOST_DRIFTS];
    uint32_t drift_count; /* so far: each takes the place of the oldest */
};

hb_status hb_approximations_open(hb_approximations **out)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for approximations");
}

void hb_approximations_close(hb_approximations *found)
{
    for (uint32_t i = 0; found != NULL && i < found->count; i++) {
        hb_approximation_clear(&found->entries[i].approximation);
    }
    free(found);
}

static hb_status copy_stage(hb_chebyshev *to, const hb_chebyshev *from)
{
    const size_t bytes = ((size_t)from->degree + 1) * sizeof *from->coefficients;
    to->coefficients = malloc(bytes);
    if (to->coefficients == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an approximation");
    }
    to->degree = from->degree;
    memcpy(to->coefficients, from->coefficients, bytes);
    return HB_OK;
}

static hb_status copy(hb_approximation *to, const hb_approximation *from)
{
    *to = *from;
    to->stage = calloc(from->stages, sizeof *to->stage);
    to->margin = calloc(from->stages, sizeof *to->margin);
    to->stages = 0;
    hb_status st = to->stage && to->margin ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for an approximation");
    for (uint32_t i = 0; i < from->stages && st == HB_OK; i++) {
        to->margin[i] = from->margin[i];
        st = copy_stage(&to->stage[i], &from->stage[i]);
        to->stages += st == HB_OK;
    }
    if (st != HB_OK) {
        hb_approximation_clear(to);
    }
    return st;
}

hb_status hb_approximations_find(hb_approximations *found, hb_approximation *out,
                                 const hb_approximation_request *request, uint32_t most_degree)
{
    for (uint32_t i = 0; found != NULL && i < found->count; i++) {
        const entry *e = &found->entries[i];
        const hb_approximation_request *r = &e->request;
        if (r->function == request->function && r->low == request->low && r->high == request->high &&
            r->bits == request->bits && r->gap == request->gap && e->most_degree == most_degree) {
            return copy(out, &e->approximation);
        }
    }
    HB_TRY(most_degree == 0 ? hb_approximate(out, request) : hb_approximate_within(out, request, most_degree));
    if (found == NULL || found->count == MOST_FOUND) {
        return HB_OK;
    }
    entry *e = &found->entries[found->count];
    const hb_status st = copy(&e->approximation, out);
    if (st != HB_OK) {
        hb_approximation_clear(out);
        return st;
    }
    e->request = *request;
    e->most_degree = most_degree;
    found->count++;
    return HB_OK;
}

/* Adds a number to both hashes. */
static void add_number(uint64_t hashes[2], double number)
{
    uint64_t word;
    memcpy(&word, &number, sizeof word);
    hashes[0] = hb_hash_word(hashes[0], word);
    hashes[1] = hb_hash_word(hashes[1] + 1, word);
}

hb_drift hb_approximations_drift(hb_approximations *found, const hb_drift_stage *stages, uint32_t count, double from)
{
    uint64_t hashes[2] = {count, ~(uint64_t)count};
    if (found == NULL) {
        return hb_drift_of(stages, count, from);
    }
    add_number(hashes, from);
    for (uint32_t i = 0; i < count; i++) {
        add_number(hashes, stages[i].off);
        add_number(hashes, i > 0 ? stages[i].margin : 0);
        add_number(hashes, stages[i].polynomial->degree);
        for (uint32_t k = 0; k <= stages[i].polynomial->degree; k++) {
            add_number(hashes, stages[i].polynomial->coefficients[k]);
        }
    }
    for (uint32_t i = 0; i < found->drift_count && i < MOST_DRIFTS; i++) {
        if (memcmp(found->drifts[i].hashes, hashes, sizeof hashes) == 0) {
            return found->drifts[i].drift;
        }
    }
    drift_entry *e = &found->drifts[found->drift_count++ % MOST_DRIFTS];
    memcpy(e->hashes, hashes, sizeof hashes);
    e->drift = hb_drift_of(stages, count, from);
    return e->drift;
}
