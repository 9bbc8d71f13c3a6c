/* Decides what a column is from the findings about all of its cells: its type, the labels that its texts become, and
 * the cell that stands in the place of missing ones. */
#include <stdlib.h>
#include <string.h>

#include "csv_columns.h"
#include "table/alike.h"
#include "table_private.h"

typedef struct listed {
    const char *text;
    hb_label_cells cells;
} listed;

static int compare_folded(const void *a, const void *b)
{
    return hb_folds_compare(((const listed *)a)->text, ((const listed *)b)->text);
}

/* Sorts labels by their folded form: tables that spell the same labels in other ways then have them in one order. */
static hb_status sort_folded(hb_csv_listing *list)
{
    listed *each = calloc((size_t)list->count + 1, sizeof *each);
    if (each == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory to fold the labels of a column");
    }
    for (uint64_t i = 0; i < list->count; i++) {
        each[i] = (listed){list->text[i], list->cells[i]};
    }
    qsort(each, (size_t)list->count, sizeof *each, compare_folded);
    for (uint64_t i = 0; i < list->count; i++) {
        list->text[i] = each[i].text;
        list->cells[i] = each[i].cells;
    }
    free(each);
    return HB_OK;
}

/* Leaves of a list the texts that labels are folded into, each with the cells of all. One of them, unless it is NULL,
 * stands for missing cells, and was listed for no cell. HB_ENOMEM. */
static hb_status fold_list(hb_csv_listing *list, const char *stand_in)
{
    hb_folds folds;
    uint64_t kept = 0, place = 0;
    for (uint64_t i = 0; stand_in != NULL && i < list->count; i++) {
        const bool is = strcmp(list->text[i], stand_in) == 0;
        list->weight[i] -= is;
        list->cells[i].all -= is;
    }
    HB_TRY(hb_folds_make(list->text, list->weight, list->count, &folds));
    for (uint64_t i = 0; i < list->count; i++) {
        if (hb_folds_find(&folds, list->text[i], strlen(list->text[i]), &place) && place != i) {
            list->cells[place].all += list->weight[i];
            list->cells[place].folded += list->weight[i];
        }
    }
    for (uint64_t i = 0; i < list->count; i++) {
        (void)hb_folds_find(&folds, list->text[i], strlen(list->text[i]), &place);
        list->text[kept] = list->text[i];
        list->cells[kept] = list->cells[i];
        kept += place == i;
    }
    hb_folds_clear(&folds);
    list->count = kept;
    return sort_folded(list);
}

static hb_status make_labels(hb_csv_column *column, hb_column *to)
{
    hb_csv_set *set = &column->shown.texts;
    const bool replaced = column->missing == HB_MISSING_VALUE && column->shown.count[HB_CSV_IS_MISSING] > 0;
    const char *stand_in = replaced ? column->replacement : NULL;
    if (replaced) {
        HB_TRY(hb_csv_set_add(set, &(hb_csv_text){stand_in, strlen(stand_in), false}, (hb_label_cells){1, 0},
                              HB_MOST_LABELS));
    }
    if (set->odd != NULL) {
        const char *advice = column->shown.odd_advice;
        char at[HB_CSV_PLACE];
        return HB_FAIL(HB_EDATA, "%s, column %.64s: %s%s%s", hb_csv_place_text(at, column->shown.odd), to->name,
                       set->odd, advice != NULL ? "; " : "", advice != NULL ? advice : "");
    }
    if (set->full) {
        return HB_FAIL(HB_EDATA, "column %.64s: more than 65536 labels are no category", to->name);
    }
    if (set->count == 0) {
        return HB_FAIL(HB_EDATA, "column %.64s has no labels: say them, --category NAME=LABEL,...", to->name);
    }
    hb_csv_listing list;
    HB_TRY(hb_csv_set_list(set, &list));
    hb_status st = column->folds ? fold_list(&list, stand_in) : HB_OK;
    if (st == HB_OK) {
        st = (column->folds ? hb_labels_make_folded : hb_labels_make)(list.text, list.count, &to->meaning.labels);
    }
    column->shown.notes.label = list.cells;
    list.cells = NULL;
    hb_csv_listing_clear(&list);
    return st;
}

/* Finds the stand-in for missing cells: the value that the same text would have as a field. */
static hb_status find_stand_in(const hb_csv_context *context, hb_csv_column *column, hb_column *to)
{
    if (column->missing != HB_MISSING_VALUE || column->shown.count[HB_CSV_IS_MISSING] == 0) {
        return HB_OK;
    }
    hb_csv_cell *cell = &column->stand_in;
    const char *text = column->replacement, *end = text + strlen(text);
    hb_csv_context own = *context;
    hb_csv_column said = *column;
    own.room = NULL;
    said.percent = said.percent && strchr(text, '%') != NULL;
    said.labels = HB_CSV_LABELS_SAID; /* what is said to be read is no missing cell */
    if (strpbrk(text, "\",;\t|") == NULL) {
        hb_csv_read_cell(&own, &said, &to->meaning, &text, end, cell);
    } else {
        *cell = (hb_csv_cell){.text = {text, (size_t)(end - text), false}};
        own.dialect.decimal = column->decimal;
        hb_csv_understand(&own, column, &to->meaning, cell);
    }
    if (column->shown.notes.blank && (cell->kind == HB_CSV_IS_TRUTH || cell->kind == HB_CSV_IS_DATE)) {
        to->meaning.kind = cell->kind == HB_CSV_IS_TRUTH ? HB_MEANING_BOOL : HB_MEANING_DATE;
        cell->kind = HB_CSV_IS_NUMBER;
    }
    if (cell->kind != HB_CSV_IS_NUMBER || (cell->number.is_complex && context->cells != HB_CELL_REAL)) {
        char words[HB_MEANING_WORDS];
        hb_meaning_words(&to->meaning, words);
        return HB_FAIL(HB_EUSAGE,
                       "--missing: '%.64s' is no value of column %.64s, which has %s; say another for it, as %s",
                       column->replacement, to->name, words[0] != '\0' ? words : "numbers", "--missing COLUMN=VALUE");
    }
    cell->text = (hb_csv_text){NULL, 0, false};
    hb_csv_note_number(&column->shown, column->shown.first[HB_CSV_IS_MISSING], &cell->number);
    return HB_OK;
}

hb_status hb_csv_decide(const hb_csv_context *context, hb_csv_column *column, hb_column *to, bool *readable)
{
    hb_csv_shown *shown = &column->shown;
    const uint64_t truths = shown->count[HB_CSV_IS_TRUTH], dates = shown->count[HB_CSV_IS_DATE],
                   times = shown->count[HB_CSV_IS_TIME];
    *readable = shown->count[HB_CSV_IS_WRONG] == 0 && !hb_csv_is_mixed(shown) &&
                (column->missing != HB_MISSING_REFUSE || shown->count[HB_CSV_IS_MISSING] == 0);
    if (!*readable) {
        return HB_OK;
    }
    shown->notes.blank =
        column->guessed && shown->count[HB_CSV_IS_NUMBER] == 0 && truths == 0 && dates == 0 && times == 0;
    if (column->guessed && column->timed && times == 0 && !shown->notes.blank) {
        return HB_FAIL(HB_EUSAGE, "--time-of-day: column '%.64s' has no times", to->name);
    }
    if (column->collects) {
        HB_TRY(make_labels(column, to));
        column->collects = false;
    } else if (truths > 0) {
        to->meaning.kind = HB_MEANING_BOOL;
    } else if (dates > 0) {
        to->meaning.kind = HB_MEANING_DATE;
    } else if (times > 0 || (shown->notes.blank && column->timed)) {
        to->meaning =
            (hb_meaning){.kind = HB_MEANING_TIME, .unit = hb_times_unit(column->times), .zoned = shown->times.zoned};
    }
    column->guessed = shown->notes.blank; /* the cell that stands in for missing ones tells, then */
    HB_TRY(find_stand_in(context, column, to));
    column->guessed = false;
    to->is_signed = context->cells != HB_CELL_REAL && (shown->negative.row != 0 || shown->times.early.row != 0);
    to->halves = shown->is_complex ? HB_HALVES_COMPLEX : HB_HALVES_REAL;
    return HB_OK;
}
