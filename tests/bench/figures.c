#include "figure.h"

const hb_figure *const hb_figures[] = {hb_figures_ours,    hb_figures_ozerk,  hb_figures_kim,
                                       hb_figures_cheddar, hb_figures_badawi, hb_figures_badawi_crt,
                                       hb_figures_reduce,  hb_figures_crt,    NULL};
