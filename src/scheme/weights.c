#include "weights.h"

#include <stdlib.h>

#include "base/modarith.h"
#include "base/seed.h"
#include "ring/engine.h"
#include "rlwe/evaluator_build.h"
#include "scheme_ops.h"

/* The residues of one number in every limb. */
static hb_status residues_of(const hb_params *params, uint64_t *residues, uint32_t limbs, const hb_weight_row *row,
                             uint32_t i)
{
    if (row->reals != NULL) {
        return hb_scheme_ops_for(params)->evaluator.scaled_number(params, residues, limbs, row->reals[i]);
    }
    for (uint32_t l = 0; l < limbs; l++) {
        residues[l] = hb_mod_reduce_signed(row->integers[i], &params->ring.moduli[params->ids[l]]);
    }
    return HB_OK;
}

/* words: [limbs here][n], of polynomial c of the residues. */
static hb_status fill(const hb_weights *w, hb_engine *e, const hb_params *params, const hb_weight_row *rows, size_t c,
                      uint64_t *words)
{
    const size_t n = params->ring.n, first = c * n, all = (size_t)w->outputs * w->inputs;
    const uint32_t limbs = w->residues.limbs;
    uint64_t residues[HB_MAX_LIMBS];
    for (size_t j = 0; j < n; j++) {
        if (first + j < all) {
            HB_TRY(residues_of(params, residues, limbs, &rows[(first + j) / w->inputs],
                               (uint32_t)((first + j) % w->inputs)));
        }
        uint32_t here = 0;
        for (uint32_t l = 0; l < limbs; l++) {
            if (hb_limb_here(e, w->residues.ids[l])) {
                words[here++ * n + j] = first + j < all ? residues[l] : 0;
            }
        }
    }
    hb_wipe(residues, sizeof residues);
    return HB_OK;
}

static hb_status make(hb_weights *w, hb_engine *e, const hb_params *params, const hb_weight_row *rows)
{
    const hb_batch to = w->residues;
    const size_t bytes = hb_limbs_here(e, to.ids, to.limbs) * params->ring.n * sizeof(uint64_t);
    uint64_t *words = calloc(1, bytes + sizeof *words);
    if (words == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a matrix of weights");
    }
    hb_status st = HB_OK;
    for (size_t c = 0; c < to.count && bytes > 0; c++) {
        HB_GOTO(fill(w, e, params, rows, c, words));
        HB_GOTO(hb_upload(e, to.data + c * to.stride, words, bytes));
        HB_GOTO(hb_finish(e)); /* the host memory is the next polynomial's */
    }
done:
    hb_wipe(words, bytes);
    free(words);
    return st;
}

hb_status hb_weights_init(hb_weights *weights, hb_engine *engine, const hb_params *params, const hb_weight_row *rows,
                          uint32_t outputs, uint32_t inputs, uint32_t limbs)
{
    *weights = (hb_weights){.outputs = outputs, .inputs = inputs};
    HB_TRY(hb_batch_alloc(engine, &weights->residues, hb_combination_polynomials(&params->ring, outputs, inputs), limbs,
                          params->ids));
    return make(weights, engine, params, rows);
}

void hb_weights_clear(hb_weights *weights, hb_engine *engine)
{
    if (weights->residues.data != NULL) { /* which may be those of a private table */
        hb_batch_wipe(engine, weights->residues);
    }
    hb_batch_free(engine, &weights->residues);
    *weights = (hb_weights){0};
}

uint64_t hb_weights_words(const hb_params *params, uint32_t outputs, uint32_t inputs, uint32_t limbs)
{
    return hb_combination_polynomials(&params->ring, outputs, inputs) *
           hb_params_most_limbs(params, params->ids, limbs) * params->ring.n;
}

hb_status hb_evaluator_combine(hb_evaluator *ev, const hb_batch *r, const hb_batch *a, const hb_weights *weights)
{
    const hb_combination x = {r, a, weights->outputs, weights->inputs, weights->residues};
    return hb_combine(ev->engine, &x);
}
