/* Chooses the scales of a computation's levels: those of the parameters, or the scales that its datasets state. */
#ifndef HB_EVAL_INPUT_SCALES_H
#define HB_EVAL_INPUT_SCALES_H

#include "input.h"

/* Sets *spec to the parameters of the inputs, with the scale to compute at (scheme/codec.h). At least one input is a
 * dataset, and all datasets have the same parameters. The scale is the literal's where it fits all datasets, or where
 * the first dataset of the lowest level is far from it; else the scale that this dataset states. Other datasets are
 * brought to it (lang/ir/scales.h). */
void hb_eval_inputs_spec(const hb_eval_inputs *inputs, hb_params_spec *spec);

#endif
