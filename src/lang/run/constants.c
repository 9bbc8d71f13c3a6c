/* Constants and masks of a program as plaintexts. */
#include <stdlib.h>

#include "runner_private.h"
#include "scheme/codec.h"
#include "table/real_text.h"

/* Values of a full row block. */
static size_t capacity(const hb_runner *runner)
{
    return (size_t)hb_codec_capacity(&runner->params->spec, runner->program->encoding);
}

uint64_t hb_runner_partial(const hb_runner *runner)
{
    const uint64_t block = capacity(runner) / hb_program_block(runner->program), rows = runner->program->rows;
    return rows % block != 0 ? rows / block : UINT64_MAX;
}

/* Counts the constants of all instructions: an upper bound of the number of different ones. */
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

/* The constant that an instruction takes, without its plaintexts. */
static hb_runner_constant key_of(const hb_runner *runner, const hb_instruction *i)
{
    const bool mask = i->op == HB_OP_MASK || i->op == HB_OP_MASK_SCALED;
    /* With a plaintext of one level. */
    const bool scaled =
        hb_operations[i->op].real || i->op == HB_OP_MASK_SCALED || i->op == HB_OP_MASK_ROW || i->op == HB_OP_ADD_ROW;
    const uint32_t limbs = scaled ? runner->program->registers[i->a].limbs : runner->params->fresh_limbs;
    return (hb_runner_constant){.op = i->op, .number = mask ? 1 : i->number, .columns = i->column, .limbs = limbs};
}

const hb_runner_constant *hb_runner_constant_of(const hb_runner *runner, const hb_instruction *instruction)
{
    const hb_runner_constant key = key_of(runner, instruction);
    for (uint32_t i = 0; i < runner->constant_count; i++) {
        const hb_runner_constant *c = &runner->constants[i];
        if (c->op == key.op && c->number == key.number && c->columns == key.columns && c->limbs == key.limbs) {
            return c;
        }
    }
    return NULL;
}

static void collect(hb_runner *runner, const hb_instruction *instructions, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (hb_operations[instructions[i].op].encoded && hb_runner_constant_of(runner, &instructions[i]) == NULL) {
            runner->constants[runner->constant_count++] = key_of(runner, &instructions[i]);
        }
    }
}

/* The constant of a column. */
static uint64_t value_of(const hb_runner *runner, const hb_runner_constant *c, size_t column)
{
    if (c->op == HB_OP_ADD_ROW) {
        return hb_real_word(runner->program->constants.blocks.rows[c->number].values[column]);
    }
    /* The bits of a real number are its value. */
    return hb_operations[c->op].real ? (uint64_t)c->number : hb_codec_from_number(&runner->params->spec, c->number);
}

/* values: [2][words]: 1 in the slots of one row, in both. */
static void fill_row(uint64_t *values, size_t words, const hb_runner *runner, const hb_runner_constant *c)
{
    const size_t n = capacity(runner), block = (size_t)hb_program_block(runner->program);
    const uint64_t one = hb_codec_from_number(&runner->params->spec, 1);
    for (size_t j = 0; j < n; j++) {
        const bool row = j / block == (size_t)c->number && (block == 1 || j % block < c->columns);
        values[j] = values[words + j] = row ? one : 0;
    }
}

/* values: [2][words]: the number in every slot with a value, first for a full row block, then for the last one. All
 * other words are 0. */
static void fill(uint64_t *values, size_t words, const hb_runner *runner, const hb_runner_constant *c)
{
    const size_t n = capacity(runner), block = (size_t)hb_program_block(runner->program);
    const size_t last = (size_t)(runner->program->rows % (n / block)) * block;
    for (size_t j = 0; j < n; j++) {
        values[j] = block == 1 || j % block < c->columns ? value_of(runner, c, j % block) : 0;
        values[words + j] = j < last ? values[j] : 0;
    }
}

/* values: host memory for both plaintexts of a constant. */
static hb_status encode_all(hb_runner *runner, hb_codec *codec, hb_batch values, uint64_t *host)
{
    hb_refusal refusal;
    for (uint32_t i = 0; i < runner->constant_count; i++) {
        hb_runner_constant *c = &runner->constants[i];
        HB_TRY(hb_plaintexts_alloc(&c->plain, runner->engine, runner->params, c->limbs, 2));
        if (c->op == HB_OP_MASK_ROW) {
            fill_row(host, values.stride, runner, c);
        } else {
            fill(host, values.stride, runner, c);
        }
        HB_TRY(hb_upload(runner->engine, values.data, host, values.count * values.stride * sizeof *host));
        HB_TRY(hb_encode(codec, c->plain, values));
        /* It waits, and the host's memory can be filled again. */
        HB_TRY(hb_codec_refused(codec, &refusal));
        if (refusal.any) {
            return HB_FAIL(HB_EDATA, "a constant of the expression is too large to be encoded; %s",
                           hb_codec_bound_advice(runner->params->spec.scheme));
        }
    }
    return HB_OK;
}

static hb_status encode(hb_runner *runner)
{
    hb_codec *codec = NULL;
    hb_batch values = {0};
    uint64_t *host = NULL;
    hb_status st;
    HB_GOTO(hb_codec_open(runner->engine, runner->params, runner->program->encoding, &codec));
    HB_GOTO(hb_values_alloc(&values, runner->engine, runner->params, 2));
    host = calloc(values.count * values.stride, sizeof *host);
    st = host != NULL ? encode_all(runner, codec, values, host) : HB_FAIL(HB_ENOMEM, "no memory for a constant");
done:
    free(host);
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
    if (runner->constants == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u constants", most);
    }
    for (uint32_t p = 0; p < program->pass_count; p++) {
        collect(runner, program->passes[p].rows, program->passes[p].row_count);
        collect(runner, program->passes[p].totals, program->passes[p].total_count);
    }
    return encode(runner);
}

void hb_runner_constants_clear(hb_runner *runner)
{
    for (uint32_t i = 0; i < runner->constant_count; i++) {
        hb_batch_free(runner->engine, &runner->constants[i].plain);
    }
    free(runner->constants);
}
