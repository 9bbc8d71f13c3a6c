/* A source under each plain modulus of its parameters. */
#include "residues.h"

#include "scheme/params.h"

static hb_status compile_residue(const hb_program_source *source, uint32_t residue, const hb_residue_visit *visit)
{
    const hb_params_spec spec = hb_spec_of_residue(&source->params->spec, residue);
    hb_params *params = NULL;
    hb_program program = {0};
    hb_program_source of = *source;
    hb_status st;
    HB_GOTO(hb_params_open(&spec, &params));
    of.params = params;
    of.listing = HB_LISTING_NONE;
    of.ran = NULL;
    HB_GOTO(visit->hints ? hb_program_compile_with_hint(&program, &of) : hb_program_compile(&program, &of));
    if (visit->take != NULL) {
        visit->take(visit->context, params, &program);
    }
done:
    hb_program_clear(&program);
    hb_params_close(params);
    return st;
}

hb_status hb_program_compile_others(const hb_program_source *source, const hb_residue_visit *visit)
{
    const hb_params_spec *spec = &source->params->spec;
    for (uint32_t r = 0; r < hb_spec_residues(spec); r++) {
        if (r != hb_spec_residue(spec)) {
            HB_TRY(compile_residue(source, r, visit));
        }
    }
    return HB_OK;
}
