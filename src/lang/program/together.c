#include "together.h"

#include <string.h>

#include "bootstrap.h"

uint32_t hb_together_combined(const hb_program *program, const hb_instruction *i, uint32_t left)
{
    uint32_t count = 0;
    for (; count < left && i[count].op == HB_OP_COMBINE && (count == 0 || !i[count].apart); count++) {
        const hb_linear_terms *x = &program->combinations[i[0].number], *y = &program->combinations[i[count].number];
        if (x->count != y->count || memcmp(x->registers, y->registers, x->count * sizeof *x->registers) != 0) {
            break;
        }
    }
    return count;
}

static bool is_automorphism(const hb_instruction *i)
{
    return hb_operations[i->op].automorphism && (i->op != HB_OP_ROTATE || i->number != 0);
}

uint32_t hb_together_moved(const hb_instruction *i, uint32_t left)
{
    uint32_t count = 0;
    while (count < left && count < HB_MOST_TOGETHER && is_automorphism(&i[count]) && i[count].a == i[0].a &&
           i[count].to != i[0].a && (count == 0 || !i[count].apart)) {
        count++;
    }
    return count;
}

uint32_t hb_together_bootstrapped(const hb_instruction *i, uint32_t left)
{
    if (i->op != HB_OP_BOOTSTRAP) {
        return 0;
    }
    const uint32_t together = hb_bootstrap_batches(hb_bootstrap_kind_of(i->number));
    HB_ASSERT(together <= left); /* a pair's instructions follow one another */
    return together;
}

uint32_t hb_together_spread(const hb_instruction *i, uint32_t left)
{
    uint32_t count = 0;
    while (count < left && i[count].op == HB_OP_SPREAD && i[count].a == i[0].a && i[count].number == i[0].number &&
           (count == 0 || !i[count].apart)) {
        count++;
    }
    return count;
}
