/* Which parameters would do, where those that were chosen do not. */
#ifndef HB_LANG_COMPILE_PRESET_HINT_H
#define HB_LANG_COMPILE_PRESET_HINT_H

#include "attempts.h"

/* Records the cause of a refusal with the smallest preset that would do, fresh operands given, and returns HB_EDATA;
 * where there is none of reals, with what is expected without a proof, or with the preset that would do without one. Of
 * comparisons of reals also with the narrowest gap that would do. */
hb_status hb_fail_with_preset(const hb_program_source *source, const hb_syntax *syntax,
                              const hb_compile_refusal *refusal);

#endif
