#include "unit_sanitize.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/outward.h"
#include "cli/console.h"
#include "cli/options.h"
#include "joint/part_plan.h"
#include "predicted.h"
#include "scheme/quality.h"

static void describe(hb_header *header, const hb_sanitize_plan *plan)
{
    header->version = 0; /* new datasets have the layout of today */
    header->limbs = plan->to;
    header->seeded = false;
    header->made_by = HB_MADE_EVALUATED;
    hb_header_quality(header, plan->quality);
    hb_header_forget_sanitized(header);
    header->past.opened = plan->open;
    if (plan->open) {
        return;
    }
    header->past.sanitized = -plan->distance;
    /* How many limbs results had is of their computation. */
    header->past.computed_limbs = header->past.computed_limbs > 0 ? plan->to : 0;
    header->dirty_padding = true;
    header->filled = false;
}

/* A bit more than parts need, for dropping limbs takes one at most. */
hb_status hb_sanitize_bits(uint64_t given, uint32_t *bits)
{
    if (given != HB_NOT_GIVEN && (given < HB_SANITIZE_LEAST_BITS || given > HB_SANITIZE_MOST_BITS)) {
        return HB_FAIL(HB_EUSAGE, "--bits %" PRIu64 ": %d to %d", given, HB_SANITIZE_LEAST_BITS, HB_SANITIZE_MOST_BITS);
    }
    *bits = given != HB_NOT_GIVEN ? (uint32_t)given : HB_SANITIZE_BITS;
    return HB_OK;
}

uint32_t hb_sanitize_leave(const hb_params *params)
{
    const double parts = hb_part_budget(params);
    return parts > 0 && isfinite(parts) ? HB_SANITIZE_LEAVE + (uint32_t)ceil(parts) : HB_SANITIZE_LEAVE;
}

static hb_status make_plan(const hb_header *header, const hb_params *params, hb_quality noise, uint32_t bits,
                           hb_sanitize_plan *plan)
{
    if (header->noise_assumed && bits > 0) {
        return HB_FAIL(HB_EDATA, "the noise, which would have to be hidden, is assumed and not proven");
    }
    if (noise.certainty == HB_CERTAINTY_EXPECTED && bits > 0) {
        return HB_FAIL(HB_EDATA, "the noise, which would have to be hidden, is likely and not certain");
    }
    const hb_sanitize_request request = {header->ciphertexts * hb_spec_residues(&header->spec), bits,
                                         hb_sanitize_leave(params)};
    return hb_sanitize_plan_make(params, header->limbs, noise, request, plan);
}

hb_status hb_header_sanitize(hb_header *header, const hb_params *params, hb_quality noise, uint32_t bits,
                             const char *name, hb_sanitize_plan *plan)
{
    const hb_status st = make_plan(header, params, noise, bits, plan);
    if (st == HB_OK) {
        describe(header, plan);
        return HB_OK;
    }
    const hb_error error = *hb_last_error();
    return HB_FAIL(st, "%s: %.600s%s", name, error.text,
                   st == HB_EDATA && header->past.computed_limbs > header->limbs
                       ? "; eval made it compact: with eval --compact off it keeps more"
                       : "");
}

void hb_sanitizing_print(const hb_group *group, const hb_common *common, const hb_params *params,
                         const hb_header *header, const hb_sanitize_plan *plan, double budget, bool results)
{
    const hb_speaker say = hb_console_speaker(results);
    if (plan->open) {
        say(group, common, "opened       an encryption of zero, whose seed is public: nothing is hidden");
    } else {
        say(group, common, "sanitized    within 2^-%.1f of any other computation of these values",
            hb_decimal_down(header->past.sanitized, 1));
    }
    say(group, common, "%-12s %.0f bits before, %.0f behind; %" PRIu32 " limbs before, %" PRIu32 " behind",
        hb_quality_name(params->spec.scheme), budget, hb_predicted_budget(params, header).worst, plan->from, plan->to);
}

static bool in_reverse(hb_encoding encoding)
{
    return encoding == HB_ENCODE_REVERSED;
}

uint64_t hb_unit_sanitizer_bytes(const hb_params *params, hb_encoding encoding, const hb_sanitize_plan *plan,
                                 size_t batch)
{
    const uint64_t limbs = 2 * (uint64_t)hb_params_most_limbs(params, params->ids, plan->from);
    const uint64_t orders = hb_unit_order_bytes(params, plan->from) + hb_unit_order_bytes(params, plan->to);
    return hb_sanitizer_bytes(params, encoding, plan, batch) + (in_reverse(encoding) ? orders : 0) +
           batch * limbs * params->spec.n * sizeof(uint64_t);
}

hb_status hb_unit_sanitizer_init(hb_unit_sanitizer *x, hb_engine *engine, const hb_public_key *key,
                                 const hb_header *header, const hb_sanitize_plan *plan, size_t batch)
{
    const hb_params *params = key->params;
    *x = (hb_unit_sanitizer){.engine = engine, .params = params, .header = header, .plan = *plan, .batch = batch};
    if (in_reverse(header->encoding)) {
        HB_TRY(hb_unit_order_open(&x->order_from, engine, params, plan->from));
        HB_TRY(hb_unit_order_open(&x->order_to, engine, params, plan->to));
    }
    HB_TRY(hb_sanitizer_open(engine, key, header->encoding, plan, batch, &x->sanitizer));
    HB_TRY(hb_ciphertexts_alloc(&x->c, engine, params, 2, batch, plan->from));
    x->cells = calloc(batch, sizeof *x->cells);
    return x->cells != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for %zu ciphertexts", batch);
}

void hb_unit_sanitizer_clear(hb_unit_sanitizer *x)
{
    if (x->engine != NULL) {
        hb_batch_wipe(x->engine, x->c.all); /* on the way from one ciphertext to the other */
        hb_batch_free(x->engine, &x->c.all);
    }
    free(x->cells);
    hb_sanitizer_close(x->sanitizer);
    hb_unit_order_close(&x->order_from);
    hb_unit_order_close(&x->order_to);
    memset(x, 0, sizeof *x);
}

hb_ciphertexts hb_unit_sanitizer_room(const hb_unit_sanitizer *x, size_t count)
{
    return hb_ciphertexts_view(x->c, x->engine, x->params, 2, count, x->plan.from);
}

/* Returns the slots of ciphertext `number`, or its coefficients in the order of the encoding, that hold cells. */
static hb_filled_slots cells_of(const hb_header *header, uint64_t number)
{
    const hb_packing packing = hb_header_packing(header);
    const hb_rectangle cells = hb_packing_cells(&packing, number);
    return (hb_filled_slots){(size_t)cells.rows, (size_t)cells.columns, hb_packing_stride(&packing, &cells)};
}

hb_status hb_unit_sanitize(hb_unit_sanitizer *x, size_t count, hb_unit_numbers numbers, const hb_seed *root,
                           hb_ciphertexts *out)
{
    const hb_ciphertexts a = hb_unit_sanitizer_room(x, count),
                         r = hb_ciphertexts_view(x->c, x->engine, x->params, 2, count, x->plan.to);
    for (size_t i = 0; i < count; i++) {
        x->cells[i] = cells_of(x->header, numbers.number + i * numbers.stride);
    }
    if (x->order_from.engine != NULL) {
        HB_TRY(hb_unit_order_to_ring(&x->order_from, hb_ciphertexts_component(a, 0)));
    }
    HB_TRY(hb_sanitize(x->sanitizer, r, a, x->cells, root, numbers.draw));
    *out = r;
    return x->order_to.engine != NULL ? hb_unit_order_to_file(&x->order_to, hb_ciphertexts_component(r, 0)) : HB_OK;
}
