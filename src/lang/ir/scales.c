#include "scales.h"

#include <math.h>

#include "scheme/codec.h"
#include "scheme/quality.h"
#include "semantics.h"

hb_status hb_graph_from_reading(hb_graph *g, const hb_operand *operand, uint32_t *node)
{
    const hb_scale_reading reading = hb_operand_scale_reading(g, operand);
    const double number = 1 / reading.times;
    HB_TRY(hb_graph_gather(g, *node, node));
    if (number == 1) {
        return HB_OK;
    }
    if (nearbyint(number) != number && !hb_codec_products_go_down(g->spec, hb_node_rest_limbs(g, *node))) {
        return HB_FAIL_AT(HB_EDATA, g->syntax->text, g->position.item->at,
                          "%.40s has a scale of 2^%.9g at %u limbs, the other side has one of 2^%.9g, and "
                          "no level is left to bring it there: import it at a higher level, or at that scale",
                          operand->name, log2(operand->scale), operand->limbs,
                          log2(hb_codec_scale(g->spec, operand->limbs)));
    }
    return hb_graph_scale(g, *node, (hb_number){.real = number}, node);
}
