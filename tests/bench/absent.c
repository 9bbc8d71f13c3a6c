/* Designs in a build without nvcc. */
#include "commands.h"

hb_status hb_designs_figures(hb_group *group, const hb_common *common, const hb_design_words *words)
{
    (void)group, (void)common, (void)words;
    return HB_FAIL(HB_EUNAVAILABLE, "built without nvcc, so without the designs of papers: there is bfv alone");
}
