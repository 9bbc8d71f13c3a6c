/* The stages of compiling that need no program: from text to an annotated graph, and for which parameters that
 * succeeds. */
#ifndef HB_COMPILE_H
#define HB_COMPILE_H

#include "lower.h"

typedef struct hb_source {
    const char *text;
    const hb_params *params;
    const hb_operand *operands;
    uint32_t operand_count;
    const char *const *outputs;
    uint32_t output_count;
    hb_noise_trust trust;
} hb_source;

typedef struct hb_compilation {
    hb_syntax syntax;
    hb_lowering lowering;
    hb_symbol **outputs; /* [output_count] of the source */
    uint32_t passes;
} hb_compilation;

/* HB_EDATA where the noise leaves no budget, and for nothing else. The caller clears *c, also after a failure. */
hb_status hb_compile(hb_compilation *c, const hb_source *source);
void hb_compilation_clear(hb_compilation *c);

/* After HB_EDATA: records it again with the smallest preset that would do, fresh operands given, and returns it. */
hb_status hb_fail_with_preset(const hb_source *source);

#endif
