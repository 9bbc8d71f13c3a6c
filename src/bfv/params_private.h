#ifndef HB_BFV_PARAMS_PRIVATE_H
#define HB_BFV_PARAMS_PRIVATE_H

#include "rlwe/params_build.h"

/* Makes the parameters of a spec that is not checked here, of any degree; hb_bfv_params_close frees them. HB_ECONFIG
 * where tables cannot be built; HB_ENOMEM. */
hb_status hb_bfv_params_make(const hb_params_spec *spec, const hb_params_facts *facts, hb_params **out);

#endif
