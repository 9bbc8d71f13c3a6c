#include "trained.h"

#include <stdlib.h>
#include <string.h>

#include "lang/compile/picked_columns.h"

/* Frees all names of a list but one, which is the first then. */
static uint32_t keep_name(char **names, uint32_t count, const char *kept)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (found == 0 && strcmp(names[i], kept) == 0) {
            names[found++] = names[i];
        } else {
            free(names[i]);
        }
    }
    names[found] = NULL;
    return found;
}

void hb_trained_names(hb_trials *s)
{
    s->read_count = keep_name(s->reads, s->read_count, "x");
    s->assign_count = keep_name(s->assigns, s->assign_count, "y");
}

hb_status hb_trained_columns(hb_trials *s)
{
    const hb_model *model = s->request->model;
    hb_schema *x = &s->schemas[0];
    if (s->request->columns != NULL) {
        return HB_FAIL(HB_EUSAGE, "--columns: the model says how many columns x has");
    }
    if (x->columns > 0) {
        return HB_OK;
    }
    HB_TRY(hb_schema_alloc(x, 0, model->inputs));
    x->named = model->names != NULL;
    for (uint32_t c = 0; c < model->inputs; c++) {
        x->column[c].name = strdup(x->named ? model->names[c] : "");
        if (x->column[c].name == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the columns of a model");
        }
    }
    return HB_OK;
}

hb_status hb_trained_select(hb_trials *s)
{
    const hb_model *model = s->request->model;
    char *text = NULL;
    size_t size;
    if (model->names == NULL) {
        return HB_OK;
    }
    FILE *to = open_memstream(&text, &size);
    hb_status st = to != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the columns of a model");
    for (uint32_t c = 0; st == HB_OK && c < model->inputs; c++) {
        char room[HB_COLUMN_WORD];
        const char *word = NULL;
        st = hb_columns_word(model->names[c], room, &word);
        if (st == HB_OK) {
            fprintf(to, "%s%s", c > 0 ? "," : "", word);
        }
    }
    if (to != NULL && fclose(to) != 0 && st == HB_OK) {
        st = HB_FAIL(HB_ENOMEM, "no memory for the columns of a model");
    }
    if (st != HB_OK) {
        free(text);
        return st;
    }
    s->tables[0].selected = text;
    return HB_OK;
}

hb_status hb_trained_bind(hb_trials *s)
{
    hb_model *model = s->request->model;
    HB_TRY(hb_model_fit(model, &s->schemas[0]));
    for (uint32_t i = 0; i < model->operand_count; i++) {
        s->operands[s->operand_count++] = model->operands[i];
    }
    return HB_OK;
}
