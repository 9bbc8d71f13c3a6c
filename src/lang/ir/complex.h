/* Complex values in a graph: which halves of a node hold some, numbers with i, real and imaginary parts.
 *
 * For a complex node the range is that of the modulus: symmetric about 0. So is every range that follows from it, for
 * moduli of sums are at most the sum of moduli and those of products their product. */
#ifndef HB_LANG_IR_COMPLEX_H
#define HB_LANG_IR_COMPLEX_H

#include "graph.h"

/* Make a times a number that is not real, and a plus one. Times i takes no level. HB_EUSAGE where the scheme, or its
 * parameters, have no i. */
hb_status hb_graph_scale_complex(hb_graph *graph, uint32_t a, hb_number number, uint32_t *out);
hb_status hb_graph_add_complex(hb_graph *graph, uint32_t a, hb_number number, uint32_t *out);
/* Make the real part, the imaginary part and the square of the modulus of a, all of which are known to be real. Parts
 * are half of a sum with the conjugate; the half is a number among others, which take one level together. HB_EUSAGE for
 * the imaginary part of a real value. */
hb_status hb_graph_real_part(hb_graph *graph, uint32_t a, uint32_t *out);
hb_status hb_graph_imaginary_part(hb_graph *graph, uint32_t a, uint32_t *out);
hb_status hb_graph_modulus_square(hb_graph *graph, uint32_t a, uint32_t *out);

#endif
