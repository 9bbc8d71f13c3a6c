/* Refreshed values of a program: maps, plans and workspace of bootstrapping, for all ranges that its values have. */
#include <stdlib.h>

#include "expression/program/refresh.h"
#include "runner_private.h"

enum { RANGES = HB_REFRESH_MOST_BITS + 1 };

static void look_at(bool ranges[RANGES], const hb_instruction *instructions, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (instructions[i].op == HB_OP_BOOTSTRAP) {
            ranges[hb_refresh_range_bits(instructions[i].number)] = true;
        }
    }
}

/* Lists the ranges of a program's values that are refreshed, and returns how many there are. */
static uint32_t ranges_of(const hb_program *program, uint32_t list[RANGES])
{
    bool ranges[RANGES] = {false};
    uint32_t count = 0;
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *pass = &program->passes[p];
        look_at(ranges, pass->rows, pass->row_count);
        look_at(ranges, pass->totals, pass->total_count);
    }
    for (uint32_t bits = 0; bits < RANGES; bits++) {
        if (ranges[bits]) {
            list[count++] = bits;
        }
    }
    return count;
}

bool hb_runner_bootstraps(const hb_program *program)
{
    uint32_t list[RANGES];
    return ranges_of(program, list) > 0;
}

uint64_t hb_runner_bootstrap_bytes(const hb_params *params, const hb_program *program, size_t count)
{
    uint32_t list[RANGES];
    const uint32_t ranges = ranges_of(program, list);
    const hb_bootstrap_spec spec = {.count = count, .range_bits = list, .ranges = ranges};
    uint64_t bytes = 0;
    if (ranges > 0 && hb_bootstrap_bytes(params, &spec, &bytes) != HB_OK) {
        bytes = UINT64_MAX / 4; /* more than any engine has */
    }
    return bytes;
}

hb_status hb_runner_bootstrap_init(hb_runner *runner, const hb_runner *of)
{
    uint32_t list[RANGES];
    const uint32_t ranges = ranges_of(runner->program, list);
    const hb_bootstrap_spec spec = {
        .count = runner->count, .range_bits = list, .ranges = ranges, .of = of != NULL ? of->bootstrap : NULL};
    return ranges > 0 ? hb_bootstrap_open(runner->engine, runner->params, &spec, &runner->bootstrap) : HB_OK;
}

void hb_runner_bootstrap_clear(hb_runner *runner)
{
    hb_bootstrap_close(runner->bootstrap);
    runner->bootstrap = NULL;
}

uint32_t hb_runner_refreshed(const hb_instruction *i, uint32_t left)
{
    if (i->op != HB_OP_BOOTSTRAP) {
        return 0;
    }
    const uint32_t together = hb_bootstrap_batches(hb_refresh_kind(i->number));
    HB_ASSERT(together <= left); /* a pair's instructions follow one another */
    return together;
}

hb_status hb_runner_refresh(hb_runner *runner, const hb_instruction *i, size_t count)
{
    const hb_bootstrap_kind kind = hb_refresh_kind(i->number);
    hb_ciphertexts to[2], a[2];
    for (uint32_t k = 0; k < hb_bootstrap_batches(kind); k++) {
        to[k] = hb_runner_value(runner, i[k].to, count);
        a[k] = hb_runner_value(runner, i[k].a, count);
    }
    return hb_bootstrap_apply(runner->evaluator, runner->bootstrap, kind, hb_refresh_range_bits(i->number), to, a,
                              runner->keys);
}
