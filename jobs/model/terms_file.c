/* Polynomials as models: terms as text of the expression language. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quoted.h"
#include "model_private.h"
#include "table/real_text.h"

/* A column as expressions pick it: by number, or by a name that is among the inputs. */
static hb_status write_column(const hb_model_reader *r, FILE *out, const char *name)
{
    const hb_model *model = r->model;
    char quoted[2 * HB_COLUMN_NAME_MAX + 3], *end;
    for (uint32_t i = 0; model->names != NULL && i < model->inputs; i++) {
        if (strcmp(model->names[i], name) == 0 && hb_quoted_text(quoted, sizeof quoted, name)) {
            fprintf(out, "x.%s", quoted);
            return HB_OK;
        }
    }
    const unsigned long number = strtoul(name, &end, 10);
    if (model->names == NULL && name[0] >= '1' && name[0] <= '9' && *end == '\0' && number <= model->inputs) {
        fprintf(out, "x.%lu", number);
        return HB_OK;
    }
    return hb_model_fail(r, "a term has a power of %.60s, which is no input", name);
}

static hb_status write_term(const hb_model_reader *r, FILE *out, json_t *term, bool first)
{
    static const char *const members[] = {"coefficient", "powers", NULL};
    const char *name;
    json_t *power, *powers = json_object_get(term, "powers");
    double coefficient = 0;
    char number[HB_REAL_TEXT];
    HB_TRY(hb_model_check_members(r, term, members));
    HB_TRY(hb_model_number(r, json_object_get(term, "coefficient"), "\"coefficient\"", &coefficient));
    if (powers != NULL && !json_is_object(powers)) {
        return hb_model_fail(r, "\"powers\" is an object of inputs and exponents");
    }
    hb_real_text(number, coefficient);
    fprintf(out, "%s%s", first ? "" : " + ", number);
    json_object_foreach(powers, name, power)
    {
        if (!json_is_integer(power) || json_integer_value(power) < 1 || json_integer_value(power) > 64) {
            return hb_model_fail(r, "exponents are integers from 1 to 64");
        }
        fputs(" * ", out);
        HB_TRY(write_column(r, out, name));
        fprintf(out, "^%d", (int)json_integer_value(power));
    }
    return HB_OK;
}

hb_status hb_model_read_terms(const hb_model_reader *r, const json_t *list)
{
    size_t length;
    if (json_array_size(list) == 0) {
        return hb_model_fail(r, "\"terms\" is a list of {\"coefficient\": 0.5, \"powers\": {\"age\": 2}}");
    }
    if (r->model->inputs == 0) {
        return hb_model_fail(r, "a polynomial says its \"inputs\"");
    }
    FILE *out = open_memstream(&r->model->terms, &length);
    hb_status st = out != NULL ? HB_OK : hb_model_no_memory(r);
    for (size_t i = 0; st == HB_OK && i < json_array_size(list); i++) {
        st = write_term(r, out, json_array_get(list, i), i == 0);
    }
    if (out != NULL && fclose(out) != 0 && st == HB_OK) {
        st = hb_model_no_memory(r);
    }
    return st;
}
