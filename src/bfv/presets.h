/* The named parameter sets. */
#ifndef HB_BFV_PRESETS_H
#define HB_BFV_PRESETS_H

#include "params.h"

/* Preset by name ("bfv-4096" ...); HB_EUSAGE naming the presets when unknown. */
hb_status hb_params_preset(const char *name, hb_params_spec *spec);
/* Names of the presets in order, NULL after the last. */
const char *hb_params_preset_name(size_t i);

#endif
