#include "model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "lang/text/place.h"

const char *const hb_activation_names[HB_ACTIVATIONS] = {"identity", "square", "relu",    "sigmoid",   "tanh",
                                                         "gelu",     "silu",   "softmax", "polynomial"};

static void clear_layer(hb_model_layer *layer)
{
    /* Weights may be private. */
    if (layer->weights != NULL) {
        hb_wipe(layer->weights, (size_t)layer->outputs * layer->inputs * sizeof *layer->weights);
    }
    if (layer->bias != NULL) {
        hb_wipe(layer->bias, layer->outputs * sizeof *layer->bias);
    }
    free(layer->weights);
    free(layer->bias);
}

/* Clears the list of operands, which are made anew when the layers change. */
static void forget_operands(hb_model *model)
{
    for (uint32_t i = 0; i < model->operand_count; i++) {
        hb_schema_clear(&model->schemas[i]);
    }
    model->operand_count = 0;
}

void hb_model_clear(hb_model *model)
{
    for (uint32_t i = 0; i < model->layer_count; i++) {
        clear_layer(&model->layers[i]);
    }
    for (uint32_t i = 0; model->names != NULL && i < model->inputs; i++) {
        free(model->names[i]);
    }
    free(model->path);
    free(model->kind);
    free(model->layers);
    free(model->terms);
    free(model->names);
    free(model->text);
    forget_operands(model);
    free(model->operands);
    free(model->schemas);
    free(model->operand_names);
    *model = (hb_model){0};
}

/* --- contents of slots without a row */

/* An activation of one sum; a softmax is done for all of them. */
static double activated(const hb_model_layer *layer, double z)
{
    double sum = 0;
    switch (layer->activation) {
    case HB_ACTIVATION_SQUARE:
        return z * z;
    case HB_ACTIVATION_RELU:
        return fmax(z, 0);
    case HB_ACTIVATION_SIGMOID:
        return 1 / (1 + exp(-z));
    case HB_ACTIVATION_TANH:
        return tanh(z);
    case HB_ACTIVATION_GELU:
        return z / 2 * (1 + erf(z * M_SQRT1_2));
    case HB_ACTIVATION_SILU:
        return z / (1 + exp(-z));
    case HB_ACTIVATION_POLYNOMIAL:
        for (uint32_t i = layer->coefficient_count; i-- > 0;) {
            sum = sum * z + layer->coefficients[i];
        }
        return sum;
    case HB_ACTIVATION_IDENTITY:
    case HB_ACTIVATIONS:
    case HB_ACTIVATION_SOFTMAX: /* once all sums of the layer are there */
        break;
    }
    return z;
}

static void softmax(double *values, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        values[i] = exp(values[i]);
        sum += values[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        values[i] /= sum;
    }
}

/* A thousandth of its size beyond a range, for activations are approximated there. */
static void widen(hb_model_layer *layer, double z)
{
    const double more = 1e-3 * fabs(z);
    layer->low = fmin(layer->low, z - more);
    layer->high = fmax(layer->high, z + more);
}

/* Slots that hold no row are rows of zeros, of which no bias is a part: numbers are added to rows alone. Ranges of sums
 * hold there as well. */
static hb_status widen_ranges(hb_model *model)
{
    double *values = calloc(2 * (size_t)HB_MODEL_MOST_WIDTH, sizeof *values), *next = values + HB_MODEL_MOST_WIDTH;
    if (values == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the values of a model");
    }
    for (uint32_t i = 0; i < model->layer_count; i++) {
        hb_model_layer *layer = &model->layers[i];
        for (uint32_t o = 0; o < layer->outputs; o++) {
            next[o] = 0;
            for (uint32_t k = 0; i > 0 && k < layer->inputs; k++) {
                next[o] += layer->weights[(size_t)o * layer->inputs + k].real * values[k];
            }
            widen(layer, next[o]);
        }
        for (uint32_t o = 0; o < layer->outputs; o++) {
            values[o] = activated(layer, next[o]);
        }
        if (layer->activation == HB_ACTIVATION_SOFTMAX) {
            softmax(values, layer->outputs);
        }
    }
    free(values);
    return HB_OK;
}

/* --- statements */

static hb_status check_widths(const hb_model *model)
{
    for (uint32_t i = 1; i < model->layer_count; i++) {
        if (model->layers[i].inputs != model->layers[i - 1].outputs) {
            return HB_FAIL(HB_EDATA,
                           "%s: layer %" PRIu32 " takes %" PRIu32 " values, and layer %" PRIu32 " gives %" PRIu32,
                           model->path, i + 1, model->layers[i].inputs, i, model->layers[i - 1].outputs);
        }
    }
    return HB_OK;
}

static void write_activation(FILE *out, const hb_model_layer *layer, uint32_t number)
{
    if (layer->activation == HB_ACTIVATION_POLYNOMIAL) {
        fprintf(out, "poly(z%" PRIu32, number);
        for (uint32_t i = 0; i < layer->coefficient_count; i++) {
            fprintf(out, ", %.17g", layer->coefficients[i]);
        }
        fputs(")", out);
    } else if (layer->activation == HB_ACTIVATION_IDENTITY) {
        fprintf(out, "z%" PRIu32, number);
    } else {
        fprintf(out, "%s(z%" PRIu32 ")", hb_activation_names[layer->activation], number);
    }
}

static void write_layers(FILE *out, const hb_model *model)
{
    for (uint32_t i = 0; i < model->layer_count; i++) {
        const hb_model_layer *layer = &model->layers[i];
        const uint32_t number = i + 1;
        fprintf(out, "z%" PRIu32 " = W%" PRIu32 " @ ", number, number);
        if (i == 0) {
            fputs("x", out);
        } else {
            fprintf(out, "h%" PRIu32, i);
        }
        if (layer->biased) {
            fprintf(out, " + b%" PRIu32, number);
        }
        fprintf(out, " " HB_LINE_NAME "layer %" PRIu32 " of the model\n", number);
        if (number == model->layer_count) {
            fputs("y = ", out);
        } else {
            fprintf(out, "h%" PRIu32 " = ", number);
        }
        write_activation(out, layer, number);
        const bool polynomial = layer->activation == HB_ACTIVATION_POLYNOMIAL;
        fprintf(out, " " HB_LINE_NAME "layer %" PRIu32 " of the model, %s\n", number,
                polynomial ? "a polynomial" : hb_activation_names[layer->activation]);
    }
}

static hb_status write_text(hb_model *model)
{
    size_t length;
    FILE *out = open_memstream(&model->text, &length);
    if (out == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the statements of a model");
    }
    if (model->terms != NULL) {
        fprintf(out, "y = %s " HB_LINE_NAME "the polynomial of the model\n", model->terms);
    } else {
        write_layers(out, model);
    }
    const bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        return HB_FAIL(HB_ENOMEM, "no memory for the statements of a model");
    }
    return HB_OK;
}

/* Adds an operand, named for the layer, whose schema is zero. */
static hb_operand *add(hb_model *model, char letter, uint32_t layer)
{
    const uint32_t i = model->operand_count++;
    snprintf(model->operand_names[i], sizeof model->operand_names[i], "%c%" PRIu32, letter, (layer + 1) % 100);
    model->operands[i] = (hb_operand){.name = model->operand_names[i], .schema = &model->schemas[i]};
    return &model->operands[i];
}

/* Adds a table of constants, whose columns have no names. */
static hb_status add_table(hb_model *model, char letter, uint32_t layer, uint64_t rows, const hb_number *cells)
{
    const hb_model_layer *x = &model->layers[layer];
    hb_schema *schema = &model->schemas[model->operand_count];
    hb_operand *table = add(model, letter, layer);
    HB_TRY(hb_schema_alloc(schema, rows, letter == 'W' ? x->inputs : x->outputs));
    schema->rank = 2;
    schema->width = sizeof(double);
    table->constants = true;
    table->cells = cells;
    return HB_OK;
}

/* Lists tables and believed ranges, by the layers so far. */
static hb_status list_operands(hb_model *model)
{
    forget_operands(model);
    for (uint32_t i = 0; i < model->layer_count; i++) {
        const hb_model_layer *layer = &model->layers[i];
        HB_TRY(add_table(model, 'W', i, layer->outputs, layer->weights));
        if (layer->biased) {
            HB_TRY(add_table(model, 'b', i, 1, layer->bias));
        }
        if (layer->ranged) {
            model->schemas[model->operand_count].rows = 1;
            hb_operand *sum = add(model, 'z', i);
            sum->believed = true;
            sum->values = hb_interval_of_reals(layer->low, layer->high);
        }
    }
    return HB_OK;
}

hb_status hb_model_complete(hb_model *model)
{
    const size_t most = model->layer_count + (size_t)1;
    HB_TRY(check_widths(model));
    HB_TRY(widen_ranges(model));
    model->operands = calloc(3 * most, sizeof *model->operands);
    model->schemas = calloc(3 * most, sizeof *model->schemas);
    model->operand_names = calloc(3 * most, sizeof *model->operand_names);
    if (!model->operands || !model->schemas || !model->operand_names) {
        return HB_FAIL(HB_ENOMEM, "no memory for the layers of a model");
    }
    HB_TRY(list_operands(model));
    return write_text(model);
}

/* --- columns of x */

/* Finds the column of x with the name of input i. */
static hb_status find_column(const hb_model *model, const hb_schema *x, uint32_t i, uint64_t *column)
{
    for (*column = 0; *column < hb_schema_shown(x); ++*column) {
        if (strcmp(x->column[*column].name, model->names[i]) == 0) {
            return HB_OK;
        }
    }
    return HB_FAIL(HB_EDATA, "%s: its input %.60s is no column of x", model->path, model->names[i]);
}

static hb_status fit_by_name(hb_model *model, const hb_schema *x)
{
    hb_model_layer *first = &model->layers[0];
    const uint32_t columns = (uint32_t)hb_schema_shown(x);
    hb_number *weights = calloc((size_t)first->outputs * columns, sizeof *weights);
    if (weights == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the weights of a model");
    }
    hb_status st = HB_OK;
    for (uint32_t i = 0; i < first->inputs; i++) {
        uint64_t column;
        HB_GOTO(find_column(model, x, i, &column));
        for (uint32_t o = 0; o < first->outputs; o++) {
            weights[(size_t)o * columns + column] = first->weights[(size_t)o * first->inputs + i];
        }
    }
    hb_wipe(first->weights, (size_t)first->outputs * first->inputs * sizeof *weights);
    free(first->weights);
    first->weights = weights;
    first->inputs = columns;
    return list_operands(model);
done:
    free(weights);
    return st;
}

hb_status hb_model_fit(hb_model *model, const hb_schema *x)
{
    if (model->layer_count == 0) { /* a polynomial names its columns in its statement */
        return HB_OK;
    }
    const uint64_t columns = hb_schema_shown(x);
    if (model->names != NULL && x->named && columns <= HB_MODEL_MOST_WIDTH) {
        return fit_by_name(model, x);
    }
    if (columns != model->inputs) {
        return HB_FAIL(HB_EDATA, "%s: it has %" PRIu32 " inputs, and x has %" PRIu64 " columns", model->path,
                       model->inputs, columns);
    }
    return HB_OK;
}
