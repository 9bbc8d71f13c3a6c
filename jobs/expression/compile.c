#include "compile.h"

#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "bits.h"
#include "prime.h"

static hb_status unknown_output(const hb_lowering *l, const char *name)
{
    const hb_syntax *s = l->graph.syntax;
    for (uint32_t i = 0; i < l->graph.operand_count; i++) {
        if (strcmp(l->graph.operands[i].name, name) == 0) {
            return HB_FAIL(HB_EUSAGE, "%.40s is both read and written; choose another name for the result", name);
        }
    }
    char last[64];
    hb_excerpt(last, sizeof last, s->text, s->items[s->count - 1].from, s->items[s->count - 1].to);
    return HB_FAIL(HB_EUSAGE, "the expression assigns nothing to '%.40s'; its last statement is '%s'", name, last);
}

/* The symbol of an output, its columns loaded. */
static hb_status find_output(hb_lowering *l, const char *name, hb_symbol **out)
{
    hb_graph *g = &l->graph;
    hb_symbol *symbol = hb_lower_find(l, name);
    if (symbol == NULL) {
        return unknown_output(l, name);
    }
    hb_value *value = &symbol->value;
    g->item = symbol->item;
    if (!hb_value_encrypted(value)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, symbol->item->at, "nothing is encrypted in %.40s", name);
    }
    HB_TRY(hb_lower_load(l, value));
    *out = symbol;
    return HB_OK;
}

static hb_status annotate(hb_compilation *c, const hb_source *source)
{
    hb_lowering *l = &c->lowering;
    for (uint32_t i = 0; i < source->output_count; i++) {
        const hb_value *value = &c->outputs[i]->value;
        hb_graph_need(&l->graph, l->pool + value->first, value->columns);
    }
    hb_graph_sizes(&l->graph);
    HB_TRY(hb_graph_passes(&l->graph, &c->passes));
    return hb_graph_noise(&l->graph, source->trust);
}

hb_status hb_compile(hb_compilation *c, const hb_source *source)
{
    const hb_params *params = source->params;
    *c = (hb_compilation){0};
    HB_TRY(hb_syntax_parse(&c->syntax, source->text));
    c->lowering.graph = (hb_graph){.syntax = &c->syntax,
                                   .params = params,
                                   .operands = source->operands,
                                   .operand_count = source->operand_count,
                                   .n = params->spec.n,
                                   .t = params->spec.plain};
    HB_TRY(hb_lower(&c->lowering));
    if (source->output_count == 0) {
        return HB_FAIL(HB_EUSAGE, "nothing is to be stored; bind a file to one of the names that are assigned");
    }
    c->outputs = calloc(source->output_count, sizeof(hb_symbol *));
    if (!c->outputs) {
        return HB_FAIL(HB_ENOMEM, "no memory for the results of an expression");
    }
    for (uint32_t i = 0; i < source->output_count; i++) {
        HB_TRY(find_output(&c->lowering, source->outputs[i], &c->outputs[i]));
    }
    return annotate(c, source);
}

void hb_compilation_clear(hb_compilation *c)
{
    free(c->outputs);
    hb_lower_clear(&c->lowering);
    hb_syntax_clear(&c->syntax);
    *c = (hb_compilation){0};
}

/* The parameters of a preset with a plain modulus like the given one. */
static hb_status open_preset(const char *name, const hb_source *source, hb_params **out)
{
    hb_params_spec spec;
    HB_TRY(hb_params_preset(name, &spec));
    const uint64_t t = source->params->spec.plain;
    const uint32_t bits = hb_bit_length(t);
    spec.plain = t;
    if (source->params->batching && (t - 1) % (2 * spec.n) != 0) {
        HB_TRY(hb_create_primes(spec.n, &bits, 1, &spec.plain));
    }
    return hb_params_open(&spec, out);
}

static bool would_do(const char *name, const hb_source *source, hb_operand *operands)
{
    hb_params *params = NULL;
    if (open_preset(name, source, &params) != HB_OK) {
        return false;
    }
    for (uint32_t i = 0; i < source->operand_count; i++) {
        operands[i] = source->operands[i];
        operands[i].limbs = params->data_limbs;
        operands[i].noise = hb_noise_fresh(params, true, HB_BINOMIAL);
    }
    hb_source other = *source;
    other.params = params;
    other.operands = operands;
    hb_compilation c;
    const bool good = hb_compile(&c, &other) == HB_OK;
    hb_compilation_clear(&c);
    hb_params_close(params);
    return good;
}

hb_status hb_fail_with_preset(const hb_source *source)
{
    const hb_error cause = *hb_last_error();
    hb_operand *operands = malloc((source->operand_count + 1) * sizeof *operands);
    const char *name = NULL;
    for (size_t i = 0; operands != NULL && (name = hb_params_preset_name(i)) != NULL; i++) {
        if (would_do(name, source, operands)) {
            break;
        }
    }
    free(operands);
    hb_set_error(&cause);
    if (name == NULL) {
        return HB_FAIL(HB_EDATA,
                       "%.400s; with this t none of the presets would do; hebatch params suggest finds parameters",
                       cause.text);
    }
    return HB_FAIL(HB_EDATA, "%.400s; %s would do", cause.text, name);
}
