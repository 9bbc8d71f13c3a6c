#include "design.h"

#include <string.h>

const hb_design *const hb_designs[] = {hb_designs_ours,    hb_designs_stages, hb_designs_single,
                                       hb_designs_hybrid,  hb_designs_kim,    hb_designs_kim_two,
                                       hb_designs_cheddar, hb_designs_dgt,    NULL};

const hb_design *hb_design_find(const char *name)
{
    for (const hb_design *const *file = hb_designs; *file != NULL; file++) {
        for (const hb_design *design = *file; design->name != NULL; design++) {
            if (strcmp(design->name, name) == 0) {
                return design;
            }
        }
    }
    return NULL;
}
