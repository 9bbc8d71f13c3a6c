/* Constants and masks of a program as plaintexts. */
#include <stdlib.h>

#include "runner_private.h"
#include "scheme/codec.h"

/* Rows of a full row block. */
static size_t capacity(const hb_runner *runner)
{
    return (size_t)hb_codec_capacity(&runner->params->spec, runner->program->encoding);
}

uint64_t hb_runner_partial(const hb_runner *runner)
{
    const uint64_t block = capacity(runner), rows = runner->program->rows;
    return rows % block != 0 ? rows / block : UINT64_MAX;
}

/* Of all instructions: an upper bound of what differs. */
uint32_t hb_runner_constants_count(const hb_program *program)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < program->pass_count; p++) {
        for (uint32_t i = 0; i < program->passes[p].row_count; i++) {
            count += hb_operations[program->passes[p].rows[i].op].encoded;
        }
        for (uint32_t i = 0; i < program->passes[p].total_count; i++) {
            count += hb_operations[program->passes[p].totals[i].op].encoded;
        }
    }
    return count;
}

const hb_runner_constant *hb_runner_constant_of(const hb_runner *runner, const hb_instruction *instruction)
{
    const bool mask = instruction->op == HB_OP_MASK;
    for (uint32_t i = 0; i < runner->constant_count; i++) {
        const hb_runner_constant *c = &runner->constants[i];
        if (c->mask == mask && (mask || c->number == instruction->number)) {
            return c;
        }
    }
    return NULL;
}

static void collect(hb_runner *runner, const hb_instruction *instructions, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (hb_operations[instructions[i].op].encoded && hb_runner_constant_of(runner, &instructions[i]) == NULL) {
            const bool mask = instructions[i].op == HB_OP_MASK;
            runner->constants[runner->constant_count++] =
                (hb_runner_constant){.mask = mask, .number = mask ? 1 : instructions[i].number};
        }
    }
}

/* values: [2 * constants][a row block]: the number in every slot, and in those of the rows of the last row block
 * alone. */
static void fill(uint64_t *values, const hb_runner *runner)
{
    const size_t n = capacity(runner), last = (size_t)(runner->program->rows % n);
    for (uint32_t c = 0; c < runner->constant_count; c++) {
        const uint64_t value = hb_codec_from_number(&runner->params->spec, runner->constants[c].number);
        for (size_t j = 0; j < n; j++) {
            values[2 * c * n + j] = value;
            values[(2 * c + 1) * n + j] = j < last ? value : 0;
        }
    }
}

static hb_status encode(hb_runner *runner, const uint64_t *host)
{
    hb_codec *codec = NULL;
    hb_batch values = {0};
    hb_status st;
    HB_GOTO(hb_codec_open(runner->engine, runner->params, runner->program->encoding, &codec));
    HB_GOTO(hb_values_alloc(&values, runner->engine, runner->params, runner->plain.count));
    HB_GOTO(hb_upload(runner->engine, values.data, host, values.count * values.stride * sizeof *host));
    HB_GOTO(hb_encode(codec, runner->plain, values));
    st = hb_finish(runner->engine);
done:
    hb_batch_free(runner->engine, &values);
    hb_codec_close(codec);
    return st;
}

hb_status hb_runner_constants_init(hb_runner *runner)
{
    const hb_program *program = runner->program;
    const uint32_t most = hb_runner_constants_count(program);
    if (most == 0) {
        return HB_OK;
    }
    runner->constants = calloc(most, sizeof *runner->constants);
    uint64_t *values = calloc((size_t)2 * most * capacity(runner), sizeof *values);
    hb_status st = HB_OK;
    if (runner->constants == NULL || values == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for %u constants", most));
    }
    for (uint32_t p = 0; p < program->pass_count; p++) {
        collect(runner, program->passes[p].rows, program->passes[p].row_count);
        collect(runner, program->passes[p].totals, program->passes[p].total_count);
    }
    HB_GOTO(hb_plaintexts_alloc(&runner->plain, runner->engine, runner->params, runner->params->data_limbs,
                                (size_t)2 * runner->constant_count));
    for (uint32_t c = 0; c < runner->constant_count; c++) {
        runner->constants[c].plain = hb_batch_slice(runner->plain, (size_t)2 * c, 2);
    }
    fill(values, runner);
    st = encode(runner, values);
done:
    free(values);
    return st;
}

void hb_runner_constants_clear(hb_runner *runner)
{
    hb_batch_free(runner->engine, &runner->plain);
    free(runner->constants);
}
