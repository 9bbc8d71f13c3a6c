/* BFV's named parameter sets. */
#ifndef HB_BFV_PRESETS_H
#define HB_BFV_PRESETS_H

#include "params.h"

/* Gets preset i, from 0: its name ("bfv-4096" ...) and its literal, either of which may be NULL. Returns false after
 * the last one. Names live as long as the program. */
bool hb_bfv_preset(size_t i, const char **name, hb_params_spec *spec);

#endif
