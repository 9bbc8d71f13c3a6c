/* Rows in one ciphertext, which totals' instructions take apart. */
#include <stdlib.h>

#include "runner_private.h"

/* Finds the most limbs and steps; 0 limbs: there are no such rows. */
static void find_most(const hb_program *program, uint32_t *limbs, uint32_t *steps)
{
    *limbs = *steps = 0;
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *pass = &program->passes[p];
        for (uint32_t i = 0; i < pass->total_count; i++) {
            const hb_instruction *in = &pass->totals[i];
            if (in->op == HB_OP_SPREAD) {
                const uint32_t own = program->registers[in->to].limbs;
                *limbs = own > *limbs ? own : *limbs;
                const hb_spread_way way = hb_spread_way_of(in->number);
                *steps = way.first + way.count > *steps ? way.first + way.count : *steps;
            }
        }
    }
}

hb_status hb_runner_spread_init(hb_runner *runner)
{
    uint32_t limbs, steps;
    find_most(runner->program, &limbs, &steps);
    return limbs > 0 ? hb_spreader_open(runner->engine, runner->params, limbs, steps, &runner->spreader) : HB_OK;
}

void hb_runner_spread_clear(hb_runner *runner)
{
    hb_spreader_close(runner->spreader);
    runner->spreader = NULL;
}

uint64_t hb_runner_spread_bytes(const hb_params *params, const hb_program *program)
{
    uint32_t limbs, steps;
    find_most(program, &limbs, &steps);
    return limbs > 0 ? hb_spreader_bytes(params, limbs, steps) : 0;
}

hb_status hb_runner_spread(hb_runner *runner, const hb_instruction *i, uint32_t count)
{
    hb_ciphertexts *to = calloc(count, sizeof *to);
    uint32_t *places = calloc(count, sizeof *places);
    const hb_spread_way way = hb_spread_way_of(i->number);
    const uint32_t capacity = (uint32_t)hb_spread_capacity(&runner->params->spec, way.first);
    hb_status st = to != NULL && places != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for %u numbers", count);
    for (uint32_t k = 0; st == HB_OK && k < count; k++) {
        to[k] = runner->registers[i[k].to]; /* a total */
        places[k] = i[k].column % capacity;
    }
    if (st == HB_OK) {
        const hb_spread_places wanted = {way, count, places};
        st = hb_spread(runner->spreader, runner->evaluator, to, &wanted, runner->registers[i->a], runner->keys);
    }
    free(to);
    free(places);
    return st;
}
