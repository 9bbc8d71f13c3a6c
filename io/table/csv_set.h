/* Sets of different texts of a column, and the labels that they become. */
#ifndef HB_IO_TABLE_CSV_SET_H
#define HB_IO_TABLE_CSV_SET_H

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "csv_columns.h"
#include "table/alike.h"
#include "table/utf8.h"

/* The reason for texts in another encoding. */
#define HB_CSV_NO_UTF8 "a label is not UTF-8"

/* A text of a set, with its bytes behind it and a zero. */
typedef struct element {
    hb_csv_text text;
    uint64_t count; /* how often it stands there */
    char bytes[];
} element;

static inline int compare(const void *x, const void *y)
{
    const hb_csv_text *a = x, *b = y;
    const int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

/* Says what keeps a text from being a label; NULL: nothing does. */
static inline const char *no_label(const hb_csv_text *text)
{
    char copy[HB_LABEL_MAX + 1];
    if (text->length == 0) {
        return "a label is empty";
    }
    if (text->length > HB_LABEL_MAX) {
        return "a label is longer than 255 bytes: texts that are no labels are left out by --columns";
    }
    if (hb_has_control(text->text, text->length)) {
        return "a label has a line break or another control character";
    }
    memcpy(copy, text->text, text->length);
    copy[text->length] = '\0';
    return hb_is_utf8(copy) ? NULL : HB_CSV_NO_UTF8;
}

static inline hb_status add_text(hb_csv_set *set, const hb_csv_text *text, uint64_t most)
{
    element **found = set->full ? NULL : tfind(text, &set->root, compare);
    if (set->full || found != NULL) {
        if (found != NULL) {
            (*found)->count++;
        }
        return HB_OK;
    }
    set->odd = no_label(text);
    if (set->count == most || set->odd != NULL) {
        set->full = true;
        return HB_OK;
    }
    element *made = malloc(sizeof *made + text->length + 1);
    if (made == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the labels of a column");
    }
    memcpy(made->bytes, text->text, text->length);
    made->bytes[text->length] = '\0';
    made->text = (hb_csv_text){made->bytes, text->length, text->quoted};
    made->count = 1;
    if (tsearch(made, &set->root, compare) == NULL) {
        free(made);
        return HB_FAIL(HB_ENOMEM, "no memory for the labels of a column");
    }
    set->count++;
    return HB_OK;
}

static inline void free_element(void *of)
{
    element *text = of;
    hb_wipe(text->bytes, text->text.length);
    free(text);
}

/* A text without the blanks at its ends, also those in quotes, and those at which no line breaks. */
static inline hb_csv_text trimmed(hb_csv_text text)
{
    static const char wide[] = "\xC2\xA0";
    const size_t length = strlen(wide);
    for (size_t some = 1; some > 0 && text.length > 0; text.text += some, text.length -= some) {
        some = text.text[0] == ' ' || text.text[0] == '\t'                     ? 1
               : text.length >= length && memcmp(text.text, wide, length) == 0 ? length
                                                                               : 0;
    }
    for (size_t some = 1; some > 0 && text.length > 0; text.length -= some) {
        const char *end = text.text + text.length;
        some = end[-1] == ' ' || end[-1] == '\t'                                  ? 1
               : text.length >= length && memcmp(end - length, wide, length) == 0 ? length
                                                                                  : 0;
    }
    return text;
}

/* The labels of a set, in the order of their bytes and not of rows: that one would tell who comes first. */
typedef struct listing {
    const char **text;
    uint64_t *weight;
    uint64_t count;
} listing;

static inline void list_text(const void *node, VISIT visit, void *context)
{
    listing *list = context;
    if (visit == postorder || visit == leaf) {
        const element *of = *(const element *const *)node;
        list->weight[list->count] = of->count;
        list->text[list->count++] = of->text.text;
    }
}

/* Leaves of a list the texts that labels are folded into. HB_ENOMEM. */
static inline hb_status fold_list(listing *list)
{
    hb_folds folds;
    uint64_t kept = 0, place = 0;
    HB_TRY(hb_folds_make(list->text, list->weight, list->count, &folds));
    bool *is_kept = calloc((size_t)list->count + 1, sizeof *is_kept);
    for (uint64_t i = 0; is_kept != NULL && i < list->count; i++) {
        is_kept[i] = hb_folds_find(&folds, list->text[i], strlen(list->text[i]), &place) && place == i;
    }
    for (uint64_t i = 0; is_kept != NULL && i < list->count; i++) {
        list->text[kept] = list->text[i];
        kept += is_kept[i];
    }
    hb_folds_clear(&folds);
    list->count = is_kept != NULL ? kept : list->count;
    free(is_kept);
    return is_kept != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory to fold the labels of a column");
}

/* Makes a column read texts as the label that they fold into. HB_EUSAGE where two labels fold into one; HB_ENOMEM. */
static inline hb_status fold_labels(hb_csv_column *column, const hb_labels *labels, const char *name)
{
    HB_TRY(hb_folds_make(labels->text, NULL, labels->count, &column->folded));
    for (uint64_t i = 0, place = 0; i < labels->count; i++) {
        if (hb_folds_find(&column->folded, labels->text[i], strlen(labels->text[i]), &place) && place != i) {
            return HB_FAIL(HB_EUSAGE, "--fold: labels %" PRIu64 " and %" PRIu64 " of column '%.64s' are one, folded",
                           place + 1, i + 1, name);
        }
    }
    return HB_OK;
}

#endif
