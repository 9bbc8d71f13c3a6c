/* The parts of a scheme's evaluator, and helpers of its operations (bfv/evaluator.c). Each operation works on as many
 * ciphertexts at a time as its workspace holds. */
#ifndef HB_RLWE_EVALUATOR_BUILD_H
#define HB_RLWE_EVALUATOR_BUILD_H

#include "base/chunk.h"
#include "evaluator.h"

/* The first member of a scheme's. */
struct hb_evaluator {
    hb_engine *engine;
    const hb_params *params;
    hb_evaluator_requirements requirements;
    uint64_t *work; /* of one operation at a time */
    size_t work_words;
    struct hb_hoisted *hoisted; /* [hoisted_count] keys prepared for hoisting */
    uint32_t hoisted_count;
    hb_op_progress progress; /* of the operation that is at work */
};

/* Makes the workspace that the requirements ask for. each: words for one ciphertext in the widest of the scheme's own
 * operations, 0 without one. The caller clears *ev, zeroed before, whatever happens. HB_ENOMEM; HB_ECONFIG when the
 * parameters have no special prime and switching needs it. */
hb_status hb_evaluator_init(hb_evaluator *ev, hb_engine *engine, const hb_params *params,
                            const hb_evaluator_requirements *requirements, size_t each);
void hb_evaluator_clear(hb_evaluator *ev);
/* Returns the most bytes that the workspace takes. */
uint64_t hb_evaluator_work_bytes(const hb_params *params, const hb_evaluator_requirements *requirements, size_t each);

/* Computes r = the multiples of a by factors[l] (host, [limbs], canonical; NULL: ones), divided by the last prime of
 * its level with rounding. Both are in NTT form; r has one limb fewer, and may begin where a does. */
hb_status hb_evaluator_divide_multiple(hb_evaluator *ev, hb_batch r, hb_batch a, const uint64_t *factors);

/* Divides sums over a longer chain than r's as `down` does, which destroys them: total is [2 * count], component after
 * component, in NTT form, and the quotients are ciphertexts first .. first + count - 1 of r, which has 2 components. */
hb_status hb_evaluator_divide_total(hb_evaluator *ev, hb_ciphertexts r, size_t first, hb_batch total,
                                    const hb_mod_down *down);

/* Multiplies ciphertexts first .. first + count - 1 of a by polynomials in NTT form, as many or one for all. r is
 * always in NTT form afterwards, and may be a. */
hb_status hb_evaluator_multiply_polynomials(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_batch polynomials,
                                            size_t first, size_t count);

/* The rest of the workspace during an operation. */
typedef struct hb_workspace {
    uint64_t *next;
    size_t words;
} hb_workspace;

static inline hb_workspace hb_evaluator_workspace(const hb_evaluator *ev)
{
    return (hb_workspace){ev->work, ev->work_words};
}

static inline hb_batch hb_workspace_take(hb_workspace *workspace, const hb_evaluator *ev, size_t count, uint32_t limbs,
                                         const uint16_t *ids)
{
    const hb_batch b = hb_batch_on(ev->engine, workspace->next, count, limbs, ids);
    HB_ASSERT(count * b.stride <= workspace->words);
    workspace->next += count * b.stride;
    workspace->words -= count * b.stride;
    return b;
}

/* Words of `count` polynomials of some limbs: of the member with most of them, so that all members come to the same
 * number. */
static inline size_t hb_words_of(const hb_params *params, size_t count, const uint16_t *ids, uint32_t limbs)
{
    return count * hb_params_most_limbs(params, ids, limbs) * params->ring.n;
}

/* How many of `count` ciphertexts fit at a time: `each` words a ciphertext beside `fixed` words. At least one. */
static inline size_t hb_evaluator_fit(const hb_evaluator *ev, size_t fixed, size_t each, size_t count)
{
    HB_ASSERT(fixed + each <= ev->work_words);
    const size_t fit = (ev->work_words - fixed) / each;
    return fit < count ? fit : count;
}

static inline const hb_level *hb_level_of(const hb_evaluator *ev, hb_ciphertexts a)
{
    HB_ASSERT(a.all.limbs <= ev->requirements.limbs && ev->params->levels[a.all.limbs].basis.limbs == a.all.limbs);
    return &ev->params->levels[a.all.limbs];
}

/* Ciphertexts first .. first + count of component i. */
static inline hb_batch hb_component_slice(hb_ciphertexts a, uint32_t i, size_t first, size_t count)
{
    return hb_batch_slice(hb_ciphertexts_component(a, i), first, count);
}

/* Components 0 .. a.size - 1 of ciphertexts first .. first + count lie in this many runs: one where they are all. */
static inline uint32_t hb_component_runs(hb_ciphertexts a, size_t count)
{
    return count == hb_ciphertexts_count(a) ? 1 : a.size;
}

static inline hb_batch hb_component_run(hb_ciphertexts a, uint32_t i, size_t first, size_t count)
{
    return count == hb_ciphertexts_count(a) ? a.all : hb_component_slice(a, i, first, count);
}

#endif
