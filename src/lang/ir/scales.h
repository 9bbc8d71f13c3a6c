/* Operands whose ciphertexts have another scale than their level: files of Microsoft SEAL have the scales of SEAL's
 * programs.
 *
 * A graph has one scale a level (scheme/codec.h). An operand whose scale is nearer to its square is a product that was
 * not rescaled; it is rescaled first. An operand with another scale is read as if it had that of its level: its values
 * are then too large or too small by a factor. A product with a number undoes this, like any other product; a whole
 * number takes no level. Where no level is left, a scale that is nearly that of the level is taken for it, and the
 * difference is in the bounds. */
#ifndef HB_LANG_IR_SCALES_H
#define HB_LANG_IR_SCALES_H

#include "graph.h"

/* How ciphertexts of an operand are read. */
typedef struct hb_scale_reading {
    bool product; /* as if they had the square of the scale of their level */
    double times; /* the read values are so many times the true ones; to within ... */
    double off;   /* ... that part of it; 0: it is the values */
} hb_scale_reading;

/* Returns how an operand is read; a plain table is read unchanged. */
hb_scale_reading hb_operand_scale_reading(const hb_graph *graph, const hb_operand *operand);
/* Returns the range of the read values for true values in that range; unknown if that is. */
hb_interval hb_interval_as_read(const hb_graph *graph, const hb_operand *operand, hb_interval values);
/* Returns the bounds of the read values: those of the operand, and the distance of its scale from the assumed one. */
hb_quality hb_quality_as_read(const hb_graph *graph, const hb_node *load);
/* Makes the values of the load *node, which has `scaled` as the reading says, at the scale of a level. HB_EDATA, naming
 * the operand and both scales, where no level is left for that. */
hb_status hb_graph_from_reading(hb_graph *graph, const hb_operand *operand, uint32_t *node);

#endif
