/* Models as JSON, and as HDF5 that was brought into the same form (README.md). */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/seed.h"
#include "io/files/durable.h"
#include "io/table/table.h"
#include "model_private.h"

hb_status hb_model_fail(const hb_model_reader *r, const char *format, ...)
{
    char what[256], where[32] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (r->layer > 0) {
        snprintf(where, sizeof where, "layer %" PRIu32 ": ", r->layer);
    }
    return HB_FAIL(HB_EDATA, "%s: %s%s", r->path, where, what);
}

hb_status hb_model_no_memory(const hb_model_reader *r)
{
    return HB_FAIL(HB_ENOMEM, "%s: no memory for the model", r->path);
}

hb_status hb_model_check_members(const hb_model_reader *r, json_t *object, const char *const *members)
{
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        const char *const *member = members;
        while (*member != NULL && strcmp(*member, name) != 0) {
            member++;
        }
        if (*member == NULL) {
            const char *near = hb_nearest(name, members);
            return hb_model_fail(r, "there is no \"%.40s\" here%s%s%s", name, near != NULL ? "; did you mean \"" : "",
                                 near != NULL ? near : "", near != NULL ? "\"?" : "");
        }
    }
    return HB_OK;
}

hb_status hb_model_number(const hb_model_reader *r, const json_t *value, const char *what, double *out)
{
    if (!json_is_number(value) || !isfinite(json_number_value(value))) {
        return hb_model_fail(r, "%s is no number", what);
    }
    *out = json_number_value(value);
    return HB_OK;
}

/* --- weights and biases */

/* A matrix of numbers, or a vector as one row. */
typedef struct matrix {
    uint64_t rows, columns;
    hb_number *numbers; /* owned */
} matrix;

static hb_status alloc_matrix(const hb_model_reader *r, matrix *m, uint64_t rows, uint64_t columns, const char *what)
{
    const bool large =
        rows > HB_MODEL_MOST_WIDTH || columns > HB_MODEL_MOST_WIDTH || rows * columns > HB_MODEL_MOST_WEIGHTS;
    if (rows == 0 || columns == 0 || large) {
        return hb_model_fail(r,
                             "%s: %" PRIu64 " x %" PRIu64 " numbers; each side has 1 to %zu, and all of it %zu at most",
                             what, rows, columns, (size_t)HB_MODEL_MOST_WIDTH, (size_t)HB_MODEL_MOST_WEIGHTS);
    }
    *m = (matrix){rows, columns, calloc((size_t)(rows * columns), sizeof(hb_number))};
    return m->numbers != NULL ? HB_OK : hb_model_no_memory(r);
}

/* Reads a table of real numbers; one of one dimension is a row, as a list of numbers is. */
static hb_status read_cells(const hb_model_reader *r, hb_table *table, const char *what, matrix *m)
{
    const hb_schema *schema = hb_table_schema(table);
    const bool row = schema->rank == 1;
    if (hb_schema_has_halves(schema)) {
        return hb_model_fail(r, "%s: complex numbers", what);
    }
    HB_TRY(alloc_matrix(r, m, row ? 1 : schema->rows, row ? schema->rows : schema->columns, what));
    const size_t count = (size_t)(m->rows * m->columns);
    uint64_t *cells = calloc(count, sizeof *cells);
    if (cells == NULL) {
        return hb_model_no_memory(r);
    }
    const hb_rectangle all = {.rows = schema->rows, .columns = schema->columns};
    const hb_status st = hb_table_read(table, &all, cells);
    for (size_t i = 0; st == HB_OK && i < count; i++) {
        m->numbers[i].real = hb_real_of(cells[i]);
    }
    hb_wipe(cells, count * sizeof *cells); /* weights may be private */
    free(cells);
    return st;
}

/* Refuses a table outside of the model's folder, by its name or by a link: who made the model would read it so. */
static hb_status check_inside(const hb_model_reader *r, const char *what, const char *path)
{
    char *file = NULL, *dataset = NULL, *own = NULL, *real = NULL;
    hb_status st = HB_OK;
    HB_GOTO(hb_table_name_split(path, &file, &dataset));
    own = realpath(r->folder, NULL);
    real = realpath(file, NULL);
    const size_t length = own != NULL ? strlen(own) : 0;
    if (own == NULL || real == NULL) {
        st = HB_FAIL(HB_ENOINPUT, "%s: %s: the table %s is not there", r->path, what, path);
    } else if (strncmp(real, own, length) != 0 || (real[length] != '/' && length > 1)) {
        st = hb_model_fail(r,
                           "%s: the table %s is outside of the model's folder; where you trust who made the model, "
                           "--follow-files reads it",
                           what, path);
    }
done:
    free(file);
    free(dataset);
    free(own);
    free(real);
    return st;
}

/* From {"file": "w.csv"} or "w.h5:/path". */
static hb_status read_table(const hb_model_reader *r, const json_t *name, const char *what, matrix *m)
{
    if (!json_is_string(name)) {
        return hb_model_fail(r, "%s: \"file\" is the path of a table", what);
    }
    const char *path = json_string_value(name);
    const bool absolute = path[0] == '/' || r->folder == NULL;
    const size_t capacity = (absolute ? 0 : strlen(r->folder)) + strlen(path) + 2;
    char *whole = malloc(capacity);
    hb_table *table = NULL;
    hb_status st = whole != NULL ? HB_OK : hb_model_no_memory(r);
    HB_GOTO(st);
    snprintf(whole, capacity, "%s%s%s", absolute ? "" : r->folder, absolute ? "" : "/", path);
    HB_GOTO(r->folder == NULL || r->follows ? HB_OK : check_inside(r, what, whole));
    HB_GOTO(hb_table_open(whole, HB_CELL_REAL, &table));
    st = read_cells(r, table, what, m);
done:
    hb_table_close(table);
    free(whole);
    return st;
}

static hb_status read_row(const hb_model_reader *r, const json_t *row, uint64_t i, const char *what, matrix *m)
{
    if (json_array_size(row) != m->columns) {
        return hb_model_fail(r, "%s: row %" PRIu64 " has %zu numbers, and the first has %" PRIu64, what, i + 1,
                             json_array_size(row), m->columns);
    }
    for (size_t j = 0; j < m->columns; j++) {
        char place[64];
        snprintf(place, sizeof place, "%s: number %zu of row %" PRIu64, what, j + 1, i + 1);
        HB_TRY(hb_model_number(r, json_array_get(row, j), place, &m->numbers[i * m->columns + j].real));
    }
    return HB_OK;
}

/* Lists of rows, or one row alone. */
static hb_status read_matrix(const hb_model_reader *r, const json_t *value, const char *what, matrix *m)
{
    if (json_is_object(value)) {
        return read_table(r, json_object_get(value, "file"), what, m);
    }
    if (!json_is_array(value)) {
        return hb_model_fail(r, "%s: expected rows of numbers, or {\"file\": \"w.csv\"}", what);
    }
    const bool rows = json_is_array(json_array_get(value, 0));
    const json_t *first = rows ? json_array_get(value, 0) : value;
    HB_TRY(alloc_matrix(r, m, rows ? json_array_size(value) : 1, json_array_size(first), what));
    for (uint64_t i = 0; i < m->rows; i++) {
        HB_TRY(read_row(r, rows ? json_array_get(value, (size_t)i) : value, i, what, m));
    }
    return HB_OK;
}

static hb_status read_weights(const hb_model_reader *r, const json_t *value, hb_model_layer *layer)
{
    matrix m = {0};
    const hb_status st = read_matrix(r, value, "weights", &m);
    if (st != HB_OK) {
        free(m.numbers);
        return st;
    }
    layer->outputs = (uint32_t)m.rows;
    layer->inputs = (uint32_t)m.columns;
    layer->weights = m.numbers;
    for (uint32_t o = 0; o < layer->outputs; o++) {
        bool any = false;
        for (uint32_t i = 0; i < layer->inputs; i++) {
            any = any || layer->weights[(size_t)o * layer->inputs + i].real != 0;
        }
        if (!any) {
            return hb_model_fail(r, "all weights of output %" PRIu32 " are 0: it does not depend on what is encrypted",
                                 o + 1);
        }
    }
    return HB_OK;
}

static hb_status read_bias(const hb_model_reader *r, const json_t *value, hb_model_layer *layer)
{
    matrix m = {0};
    if (value == NULL) {
        layer->bias = calloc(layer->outputs, sizeof *layer->bias);
        return layer->bias != NULL ? HB_OK : hb_model_no_memory(r);
    }
    hb_status st = json_is_number(value) ? alloc_matrix(r, &m, 1, 1, "bias") : read_matrix(r, value, "bias", &m);
    if (st == HB_OK && json_is_number(value)) {
        st = hb_model_number(r, value, "bias", &m.numbers[0].real);
    }
    if (st == HB_OK && m.rows * m.columns != layer->outputs) {
        st = hb_model_fail(r, "bias: %" PRIu64 " numbers for %" PRIu32 " outputs", m.rows * m.columns, layer->outputs);
    }
    layer->bias = st == HB_OK ? m.numbers : NULL;
    if (st != HB_OK) {
        free(m.numbers);
        return st;
    }
    for (uint32_t o = 0; o < layer->outputs; o++) {
        layer->biased = layer->biased || layer->bias[o].real != 0;
    }
    return HB_OK;
}

/* --- layers */

static hb_status read_coefficients(const hb_model_reader *r, const json_t *list, hb_model_layer *layer)
{
    const size_t count = json_array_size(list);
    if (count < 2 || count > HB_MODEL_MOST_COEFFICIENTS) {
        return hb_model_fail(r, "activation: %zu coefficients; there are 2 to %u", count, HB_MODEL_MOST_COEFFICIENTS);
    }
    for (size_t i = 0; i < count; i++) {
        HB_TRY(hb_model_number(r, json_array_get(list, i), "activation: a coefficient", &layer->coefficients[i]));
    }
    layer->activation = HB_ACTIVATION_POLYNOMIAL;
    layer->coefficient_count = (uint32_t)count;
    return HB_OK;
}

static hb_status read_activation(const hb_model_reader *r, const json_t *value, hb_model_layer *layer)
{
    if (value == NULL) {
        return HB_OK;
    }
    if (json_is_array(value)) {
        return read_coefficients(r, value, layer);
    }
    for (int i = 0; i < HB_ACTIVATION_POLYNOMIAL && json_is_string(value); i++) {
        if (strcmp(json_string_value(value), hb_activation_names[i]) == 0) {
            layer->activation = (hb_activation)i;
            return HB_OK;
        }
    }
    return hb_model_fail(r, "activation: expected identity, square, relu, sigmoid, tanh, gelu, silu, softmax, or the "
                            "coefficients of a polynomial, [c0, c1, ...]");
}

static hb_status read_range(const hb_model_reader *r, const json_t *value, hb_model_layer *layer)
{
    if (value == NULL) {
        return HB_OK;
    }
    if (json_array_size(value) != 2) {
        return hb_model_fail(r, "range: expected [least, most] of what is activated");
    }
    HB_TRY(hb_model_number(r, json_array_get(value, 0), "range: the least", &layer->low));
    HB_TRY(hb_model_number(r, json_array_get(value, 1), "range: the most", &layer->high));
    layer->ranged = true;
    return layer->low <= layer->high ? HB_OK : hb_model_fail(r, "range: the least is above the most");
}

static hb_status read_layer(const hb_model_reader *r, json_t *object, hb_model_layer *layer)
{
    HB_TRY(read_weights(r, json_object_get(object, "weights"), layer));
    HB_TRY(read_bias(r, json_object_get(object, "bias"), layer));
    HB_TRY(read_activation(r, json_object_get(object, "activation"), layer));
    return read_range(r, json_object_get(object, "range"), layer);
}

static hb_status read_layers(hb_model_reader *r, const json_t *list)
{
    static const char *const members[] = {"weights", "bias", "activation", "range", NULL};
    const size_t count = json_array_size(list);
    if (count < 1 || count > HB_MODEL_MOST_LAYERS) {
        return hb_model_fail(r, "\"layers\" is a list of 1 to %u layers", HB_MODEL_MOST_LAYERS);
    }
    r->model->layers = calloc(count, sizeof *r->model->layers);
    if (r->model->layers == NULL) {
        return hb_model_no_memory(r);
    }
    for (size_t i = 0; i < count; i++) {
        json_t *object = json_array_get(list, i);
        r->layer = (uint32_t)i + 1;
        r->model->layer_count++;
        if (!json_is_object(object)) {
            return hb_model_fail(r, "it is an object, {\"weights\": ..., \"bias\": ..., \"activation\": ...}");
        }
        HB_TRY(hb_model_check_members(r, object, members));
        HB_TRY(read_layer(r, object, &r->model->layers[i]));
    }
    r->layer = 0;
    return HB_OK;
}

/* --- inputs */

static hb_status read_names(const hb_model_reader *r, const json_t *list)
{
    hb_model *model = r->model;
    model->inputs = (uint32_t)json_array_size(list);
    model->names = calloc((size_t)model->inputs + 1, sizeof *model->names);
    if (model->names == NULL) {
        return hb_model_no_memory(r);
    }
    for (uint32_t i = 0; i < model->inputs; i++) {
        const json_t *name = json_array_get(list, i);
        if (!json_is_string(name) || json_string_length(name) == 0 || json_string_length(name) > HB_COLUMN_NAME_MAX) {
            return hb_model_fail(r, "\"inputs\": name %" PRIu32 " is no name of a column", i + 1);
        }
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(model->names[k], json_string_value(name)) == 0) {
                return hb_model_fail(r, "\"inputs\": %.60s is there twice", model->names[k]);
            }
        }
        model->names[i] = strdup(json_string_value(name));
        if (model->names[i] == NULL) {
            return hb_model_no_memory(r);
        }
    }
    return HB_OK;
}

static hb_status read_inputs(const hb_model_reader *r, const json_t *value)
{
    hb_model *model = r->model;
    const uint32_t wanted = model->layer_count > 0 ? model->layers[0].inputs : 0;
    if (json_is_array(value) && json_array_size(value) <= HB_MODEL_MOST_WIDTH) {
        HB_TRY(read_names(r, value));
    } else if (json_is_integer(value) && json_integer_value(value) >= 1 &&
               json_integer_value(value) <= HB_MODEL_MOST_WIDTH) {
        model->inputs = (uint32_t)json_integer_value(value);
    } else if (value == NULL) {
        model->inputs = wanted;
    } else {
        return hb_model_fail(r, "\"inputs\": expected how many there are, or the names of columns; at most %u",
                             HB_MODEL_MOST_WIDTH);
    }
    if (wanted != 0 && model->inputs != wanted) {
        return hb_model_fail(r, "%" PRIu32 " inputs, and the first layer has weights for %" PRIu32, model->inputs,
                             wanted);
    }
    return HB_OK;
}

/* --- the file */

static hb_status read_polynomial(hb_model_reader *r, json_t *document)
{
    static const char *const members[] = {"kind", "inputs", "terms", NULL};
    HB_TRY(hb_model_check_members(r, document, members));
    HB_TRY(read_inputs(r, json_object_get(document, "inputs")));
    return hb_model_read_terms(r, json_object_get(document, "terms"));
}

static hb_status read_network(hb_model_reader *r, json_t *document)
{
    static const char *const members[] = {"kind", "inputs", "layers", NULL};
    HB_TRY(hb_model_check_members(r, document, members));
    HB_TRY(read_layers(r, json_object_get(document, "layers")));
    return read_inputs(r, json_object_get(document, "inputs"));
}

/* One layer, whose members stand in the model itself. */
static hb_status read_single(hb_model_reader *r, json_t *document)
{
    static const char *const members[] = {"kind", "inputs", "weights", "bias", "activation", "range", NULL};
    HB_TRY(hb_model_check_members(r, document, members));
    r->model->layers = calloc(1, sizeof *r->model->layers);
    if (r->model->layers == NULL) {
        return hb_model_no_memory(r);
    }
    r->model->layer_count = 1;
    HB_TRY(read_layer(r, document, r->model->layers));
    return read_inputs(r, json_object_get(document, "inputs"));
}

static hb_status read_document(hb_model_reader *r, json_t *document)
{
    static const struct {
        const char *kind;
        hb_status (*read)(hb_model_reader *r, json_t *document);
    } kinds[] = {{"network", read_network},
                 {"logistic", read_single},
                 {"linear", read_single},
                 {"scorecard", read_single},
                 {"polynomial", read_polynomial}};
    const json_t *kind = json_object_get(document, "kind");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && json_is_string(kind); i++) {
        if (strcmp(json_string_value(kind), kinds[i].kind) == 0) {
            r->model->kind = strdup(kinds[i].kind);
            return r->model->kind != NULL ? kinds[i].read(r, document) : hb_model_no_memory(r);
        }
    }
    return hb_model_fail(r, "its \"kind\" is network, logistic, linear, scorecard or polynomial");
}

/* Digests the numbers and names that results follow from, and not how the file spells them. */
static void digest(hb_model *model)
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch model");
    hb_digest_add(&state, model->text, strlen(model->text) + 1);
    for (uint32_t i = 0; model->names != NULL && i < model->inputs; i++) {
        hb_digest_add(&state, model->names[i], strlen(model->names[i]) + 1);
    }
    for (uint32_t i = 0; i < model->layer_count; i++) {
        const hb_model_layer *layer = &model->layers[i];
        const double range[] = {layer->low, layer->high};
        hb_digest_add_u64(&state, layer->outputs);
        hb_digest_add_u64(&state, layer->inputs);
        hb_digest_add(&state, layer->weights, (size_t)layer->outputs * layer->inputs * sizeof *layer->weights);
        hb_digest_add(&state, layer->bias, layer->outputs * sizeof *layer->bias);
        hb_digest_add_u64(&state, layer->ranged);
        hb_digest_add(&state, range, sizeof range);
    }
    hb_digest_end(&state, model->digest);
}

static hb_status load_json(hb_model_reader *r, json_t **document)
{
    json_error_t error;
    int fd;
    uint64_t bytes;
    mode_t mode;
    HB_TRY(hb_folder_of(r->path, &r->folder));
    HB_TRY(hb_open_file(r->path, true, &fd, &bytes, &mode));
    /* By a stream: from a descriptor jansson reads byte by byte, and a network has millions of them. */
    FILE *stream = fdopen(fd, "r");
    if (stream == NULL) {
        close(fd);
        return hb_model_no_memory(r);
    }
    *document = json_loadf(stream, JSON_REJECT_DUPLICATES, &error);
    fclose(stream);
    return *document != NULL
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: line %d, character %d: %s", r->path, error.line, error.column, error.text);
}

static bool is_h5(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0);
}

hb_status hb_model_read(hb_model *model, const char *path, bool follow_files)
{
    *model = (hb_model){.path = strdup(path)};
    hb_model_reader r = {.path = path, .model = model, .follows = follow_files};
    json_t *document = NULL;
    hb_status st = model->path != NULL ? HB_OK : hb_model_no_memory(&r);
    HB_GOTO(st);
    HB_GOTO(is_h5(path) ? hb_model_read_h5(&r, &document) : load_json(&r, &document));
    HB_GOTO(read_document(&r, document));
    HB_GOTO(hb_model_complete(model));
    digest(model);
done:
    json_decref(document);
    free(r.folder);
    return st;
}
