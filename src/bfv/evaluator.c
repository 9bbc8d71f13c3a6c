#include "evaluator_private.h"

#include <stdlib.h>

/* Of one workspace, where the batch would take more: enough to fill a GPU at every N, little beside what jobs keep
 * there. */
#define MOST_WORK_BYTES ((size_t)1 << 30)

/* Words for as many ciphertexts as `bytes` hold, but for one at least and for `count` at most, beside `fixed`. */
static size_t words_for(size_t each, size_t fixed, size_t count, size_t bytes)
{
    const size_t fit = hb_larger(bytes / (each * sizeof(uint64_t)), 1);
    return fixed + each * (fit < count ? fit : count);
}

static size_t work_words(const hb_params *params, const hb_evaluator_needs *needs, size_t bytes)
{
    const uint32_t k = needs->limbs;
    /* Plaintexts as factors; dropping a prime in place. */
    size_t words = words_for(hb_words_of(params, 1, params->ids, k), 0, needs->count, bytes);
    if (needs->size > 0) {
        const uint32_t components = 4 * needs->size - 1; /* of both factors and the product */
        words = hb_larger(words, words_for(hb_multiply_words(params, k, params->auxiliary_limbs, components), 0,
                                           needs->count, bytes));
    }
    if (needs->switching) {
        words = hb_larger(words, words_for(hb_switch_words(params, k), 0, needs->count, bytes));
    }
    if (needs->hoisting) {
        words =
            hb_larger(words, words_for(hb_hoist_words(params, k), hb_hoist_key_words(params, k), needs->count, bytes));
    }
    return words;
}

uint64_t hb_evaluator_bytes(const hb_params *params, const hb_evaluator_needs *needs)
{
    return work_words(params, needs, MOST_WORK_BYTES) * sizeof(uint64_t);
}

static hb_status open_behz(hb_evaluator *x)
{
    x->behz = calloc((size_t)x->needs.limbs + 1, sizeof *x->behz);
    if (x->behz == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the constants of multiplication");
    }
    for (uint32_t k = 1; k <= x->needs.limbs; k++) {
        if (x->params->levels[k].basis.limbs == k) {
            HB_TRY(hb_behz_init(&x->behz[k], x->params, k));
        }
    }
    return HB_OK;
}

static hb_status open_memory(hb_evaluator *x)
{
    const hb_params *params = x->params;
    const size_t best = x->engine->batch_bytes;
    void *work = NULL;
    x->work_words = work_words(params, &x->needs, best > 0 ? best : MOST_WORK_BYTES);
    HB_TRY(hb_alloc(x->engine, x->work_words * sizeof *x->work, &work));
    x->work = work;
    return HB_OK;
}

hb_status hb_evaluator_open(hb_engine *engine, const hb_params *params, const hb_evaluator_needs *needs,
                            hb_evaluator **out)
{
    *out = NULL;
    const uint32_t k = needs->limbs;
    HB_ASSERT(k >= 1 && k <= params->data_limbs && params->levels[k].basis.limbs == k && needs->count >= 1);
    HB_ASSERT(needs->size <= HB_BEHZ_MOST_SIZE && (needs->switching || !needs->hoisting));
    HB_TRY(needs->switching ? hb_params_require_switching(params) : HB_OK);
    hb_evaluator *x = calloc(1, sizeof *x);
    if (x == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an evaluator");
    }
    *x = (hb_evaluator){.engine = engine, .params = params, .needs = *needs};
    hb_status st = HB_OK;
    HB_GOTO(needs->size > 0 ? open_behz(x) : HB_OK);
    HB_GOTO(open_memory(x));
    *out = x;
    x = NULL;
done:
    hb_evaluator_close(x);
    return st;
}

void hb_evaluator_close(hb_evaluator *x)
{
    if (x == NULL) {
        return;
    }
    hb_hoisted_clear(x);
    hb_free(x->engine, x->work);
    for (uint32_t k = 0; x->behz != NULL && k <= x->needs.limbs; k++) {
        hb_behz_clear(&x->behz[k]);
    }
    free(x->behz);
    free(x);
}

hb_status hb_evaluator_copy_batch(hb_evaluator *x, hb_batch r, hb_batch a)
{
    if (r.data == a.data) { /* also where nothing of it is here */
        HB_ASSERT(r.stride == a.stride && r.count == a.count);
        return HB_OK;
    }
    HB_TRY(hb_copy(x->engine, hb_batch_slice(r, 0, a.count), a));
    /* One polynomial for all: what is there is copied to as many places behind it. */
    for (size_t done = a.count; done < r.count; done *= 2) {
        const size_t more = r.count - done < done ? r.count - done : done;
        HB_TRY(hb_copy(x->engine, hb_batch_slice(r, done, more), hb_batch_slice(r, 0, more)));
    }
    return HB_OK;
}
