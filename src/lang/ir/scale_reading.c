/* How operands whose scale is not that of their level are read. */
#include <math.h>

#include "scales.h"
#include "scheme/codec.h"
#include "scheme/quality.h"

/* The largest relative error of the quotient of two doubles, and of its inverse. */
static const double rounded = 0x1p-51;
/* How far from 1 the quotient of a scale and the level's may be where no level is left to bring one to the other:
 * values are then off by that part of them. */
static const double near = 0x1p-10;

hb_scale_reading hb_operand_scale_reading(const hb_graph *g, const hb_operand *operand)
{
    const hb_scale_reading at_rest = {.times = 1};
    const double level = g->params != NULL && !g->boundless && operand->encrypted && operand->scale != 0
                             ? hb_codec_level_scale(g->params, operand->limbs)
                             : 0;
    if (level == 0 || level == operand->scale) {
        return at_rest;
    }
    const bool last = !hb_codec_products_go_down(g->spec, operand->limbs);
    const bool product = !last && log2(operand->scale) > 1.5 * log2(level); /* nearer to the square */
    const double times = product ? operand->scale / level / level : operand->scale / level, off = fabs(times - 1);
    return off <= (last ? near : HB_SAME_SCALE)
               ? (hb_scale_reading){.product = product, .times = 1, .off = off + rounded}
               : (hb_scale_reading){.product = product, .times = times, .off = rounded};
}

hb_interval hb_interval_as_read(const hb_graph *g, const hb_operand *operand, hb_interval values)
{
    const hb_scale_reading reading = hb_operand_scale_reading(g, operand);
    if (!values.known || reading.off == 0) {
        return values;
    }
    const hb_interval times =
        hb_interval_of_reals(reading.times * (1 - reading.off), reading.times * (1 + reading.off));
    return hb_interval_multiply(hb_interval_to_reals(values), times);
}

hb_quality hb_quality_as_read(const hb_graph *g, const hb_node *load)
{
    const hb_operand *operand = &g->operands[load->operand];
    const hb_scale_reading reading = hb_operand_scale_reading(g, operand);
    if (reading.off == 0 || !isfinite(load->range.magnitude) || load->range.magnitude == 0) {
        return operand->quality;
    }
    const double scale = (reading.product ? 2 : 1) * hb_quality_bits(g->params, load->shape.limbs, 0);
    const double bits = log2(load->range.magnitude) + log2(reading.off) + scale;
    return hb_quality_add(g->params, operand->quality, (hb_quality){.worst = bits, .expected = bits, .powers = 1});
}
