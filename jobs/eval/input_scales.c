#include "input_scales.h"

#include <math.h>

#include "scheme/codec.h"

/* Returns whether ciphertexts have the scale of their level, or, as products that are not rescaled, its square. */
static bool fits(const hb_params_spec *spec, const hb_header *header)
{
    const double scale = hb_codec_scale(spec, header->limbs), times = scale > 0 ? header->scale / scale : 1;
    return fabs(times - 1) <= HB_SAME_SCALE ||
           (fabs(times / scale - 1) <= HB_SAME_SCALE && hb_codec_products_go_down(spec, header->limbs));
}

/* Sets the scales to those that the ciphertexts state; for possible products without a rescale, to the root of their
 * scale. */
static void state(hb_params_spec *spec, const hb_header *header)
{
    const double usual = hb_codec_scale(spec, header->limbs);
    const bool square = log2(header->scale) > 1.5 * log2(usual);
    const bool stated = square && hb_codec_state_scale(spec, header->limbs, sqrt(header->scale));
    if (!stated || !hb_codec_products_go_down(spec, header->limbs)) {
        (void)hb_codec_state_scale(spec, header->limbs, header->scale); /* as its header was checked, it can */
    }
}

static bool all_fit(const hb_eval_inputs *inputs, const hb_params_spec *spec)
{
    bool all = true;
    for (uint32_t i = 0; i < inputs->count; i++) {
        all = all && (inputs->input[i].dataset == NULL || fits(spec, inputs->input[i].header));
    }
    return all;
}

static const hb_header *lowest_of(const hb_eval_inputs *inputs)
{
    const hb_header *lowest = NULL;
    for (uint32_t i = 0; i < inputs->count; i++) {
        const hb_header *header = inputs->input[i].dataset != NULL ? inputs->input[i].header : lowest;
        lowest = lowest == NULL || header->limbs < lowest->limbs ? header : lowest;
    }
    return lowest;
}

/* Where scales differ, that of the lowest level is taken as long as it is near the usual one, or no level is left to go
 * to: to bring the others there takes none that they would not leave anyway. A far one would leave fewer bits. */
void hb_eval_inputs_spec(const hb_eval_inputs *inputs, hb_params_spec *spec)
{
    const hb_header *lowest = lowest_of(inputs);
    HB_ASSERT(lowest != NULL);
    *spec = lowest->spec;
    (void)hb_codec_state_scale(spec, lowest->limbs, 0);
    if (all_fit(inputs, spec)) {
        return;
    }
    const hb_params_spec usual = *spec;
    state(spec, lowest);
    const double farther = hb_codec_scale(spec, lowest->limbs) / hb_codec_scale(&usual, lowest->limbs);
    const bool is_near = fabs(log2(farther)) <= 1;
    if (!is_near && hb_codec_products_go_down(&usual, lowest->limbs) && !all_fit(inputs, spec)) {
        *spec = usual;
    }
}
