/* The findings about a column, cell by cell: how many cells there are of each kind and where the first one is, the
 * labels that its texts become, its signs. */
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "csv_columns.h"
#include "csv_reasons.h"
#include "table/utf8.h"
#include "table_private.h"

/* Texts of columns that are not said to be categories, as far as anyone would make one of them. */
enum { FEW_TEXTS = 3 };

/* --- sets of texts */

/* The reason for texts in another encoding. */
#define HB_CSV_NO_UTF8 "a label is not UTF-8"

/* A text of a set, with its bytes behind it and a zero. */
typedef struct element {
    hb_csv_text text;
    uint64_t count, folded; /* how often it stands there, and how often it lost blanks, where labels are folded */
    char bytes[];
} element;

static int compare(const void *x, const void *y)
{
    const hb_csv_text *a = x, *b = y;
    const int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

/* Says what keeps a text from being a label; NULL: nothing does. */
static const char *no_label(const hb_csv_text *text)
{
    char copy[HB_LABEL_MAX + 1];
    if (text->length == 0) {
        return "a label is empty";
    }
    if (text->length > HB_LABEL_MAX) {
        return "a label is longer than 255 bytes: texts that are no labels are left out by --columns";
    }
    if (hb_has_control(text->text, text->length)) {
        return "a label has a line break or another control character: write a blank in its place";
    }
    memcpy(copy, text->text, text->length);
    copy[text->length] = '\0';
    return hb_is_utf8(copy) ? NULL : HB_CSV_NO_UTF8;
}

hb_status hb_csv_set_add(hb_csv_set *set, const hb_csv_text *text, hb_label_cells cells, uint64_t most)
{
    element **found = set->full ? NULL : tfind(text, &set->root, compare);
    if (set->full || found != NULL) {
        if (found != NULL) {
            (*found)->count += cells.all;
            (*found)->folded += cells.folded;
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
    made->count = cells.all;
    made->folded = cells.folded;
    if (tsearch(made, &set->root, compare) == NULL) {
        free(made);
        return HB_FAIL(HB_ENOMEM, "no memory for the labels of a column");
    }
    set->count++;
    return HB_OK;
}

static void free_element(void *of)
{
    element *text = of;
    hb_wipe(text->bytes, text->text.length);
    free(text);
}

static void list_text(const void *node, VISIT visit, void *context)
{
    hb_csv_listing *list = context;
    if (visit == postorder || visit == leaf) {
        const element *of = *(const element *const *)node;
        list->weight[list->count] = of->count;
        list->cells[list->count] = (hb_label_cells){of->count, of->folded};
        list->text[list->count++] = of->text.text;
    }
}

hb_status hb_csv_set_list(const hb_csv_set *set, hb_csv_listing *list)
{
    *list = (hb_csv_listing){.text = calloc((size_t)set->count + 1, sizeof *list->text),
                             .weight = calloc((size_t)set->count + 1, sizeof *list->weight),
                             .cells = calloc((size_t)set->count + 1, sizeof *list->cells)};
    if (list->text == NULL || list->weight == NULL || list->cells == NULL) {
        hb_csv_listing_clear(list);
        return HB_FAIL(HB_ENOMEM, "no memory for the labels of a column");
    }
    twalk_r(set->root, list_text, list);
    return HB_OK;
}

/* --- a column */

void hb_csv_column_clear(hb_csv_column *column)
{
    tdestroy(column->shown.texts.root, free_element);
    tdestroy(column->shown.strange.root, free_element);
    free(column->shown.notes.label);
    hb_wipe(column, sizeof *column);
}

static void note_spelling(hb_column_notes *notes, hb_csv_place place, const hb_csv_cell *cell)
{
    notes->spellings |= cell->spelling;
    notes->na |= cell->na;
    if (cell->folded && cell->kind == HB_CSV_IS_NUMBER && notes->label != NULL) {
        notes->label[cell->number.magnitude].folded++;
    }
    if (cell->trimmed && notes->trimmed++ == 0) {
        notes->first_trimmed = place;
    }
}

static hb_status note_label(hb_csv_shown *shown, hb_csv_place place, const hb_csv_cell *cell)
{
    const bool known = shown->texts.odd != NULL;
    HB_TRY(hb_csv_set_add(&shown->texts, &cell->text, (hb_label_cells){1, cell->folded}, HB_MOST_LABELS));
    if (shown->texts.odd != NULL && !known) {
        shown->odd = place;
        shown->odd_advice = strcmp(shown->texts.odd, HB_CSV_NO_UTF8) == 0
                                ? hb_csv_charset_advice(cell->text.text, cell->text.length)
                                : NULL;
    }
    return HB_OK;
}

/* Returns why a time does not go with those before it, or a date with times; NULL: it does. */
static const char *no_such_time(const hb_csv_column *column, const hb_csv_cell *cell)
{
    const hb_csv_shown *shown = &column->shown;
    const uint64_t dates = shown->count[HB_CSV_IS_DATE], times = shown->count[HB_CSV_IS_TIME];
    const bool time = cell->kind == HB_CSV_IS_TIME;
    if (column->times == HB_TIMES_FOUND || !(time ? dates + times > 0 : cell->kind == HB_CSV_IS_DATE && times > 0)) {
        return NULL;
    }
    return !time                               ? "it has no time of day, where others have one: write T00:00 behind it"
           : dates > 0                         ? "it has a time of day, where others have none"
           : cell->zoned == shown->times.zoned ? NULL
           : cell->zoned                       ? "it has a zone, where others have none: write all alike"
                                               : "it has no zone, where others have one: write +02:00 or Z behind it";
}

static void note_time(hb_csv_shown *shown, const hb_csv_cell *cell)
{
    const bool first = shown->count[HB_CSV_IS_TIME] == 1;
    shown->times.zoned = first ? cell->zoned : shown->times.zoned;
    shown->times.unit = first || cell->unit < shown->times.unit ? cell->unit : shown->times.unit;
}

static void keep_text(const hb_csv_cell *cell, char to[HB_CSV_WRONG_TEXT])
{
    const char *text = cell->text.text != NULL ? cell->text.text : "";
    const size_t bytes = hb_utf8_shown(text, cell->text.length, HB_CSV_WRONG_TEXT - 1);
    snprintf(to, HB_CSV_WRONG_TEXT, "%.*s", (int)bytes, text);
}

/* Whether a cell is another word for a missing one, as ?: among texts it is a label as any other. */
static bool may_be_gap(const hb_csv_cell *cell)
{
    char word[32] = "";
    const bool fits = cell->text.text != NULL && cell->text.length < sizeof word;
    if (fits) {
        memcpy(word, cell->text.text, cell->text.length);
    }
    return fits && hb_dialect_may_be_missing(word);
}

static void note_word(hb_csv_words *words, hb_csv_place place, const hb_csv_cell *cell)
{
    const bool money = cell->why != NULL && strcmp(cell->why, HB_CSV_MONEY) == 0;
    const bool word = cell->text.text != NULL && hb_csv_is_word(&cell->text) && !money;
    words->count += word;
    if (!word && words->other.row == 0 && !may_be_gap(cell)) {
        words->other = place;
        words->why = cell->why;
        keep_text(cell, words->text);
    }
}

/* Notes the word of a missing cell: among texts it may be a label. */
static void note_missing_word(hb_csv_words *words, const hb_csv_cell *cell)
{
    const hb_csv_text *text = &cell->text;
    const hb_dialect usual = {.missing = NULL};
    if (cell->na != 0 || text->text == NULL || text->length == 0) {
        return;
    }
    const bool none = hb_dialect_is_none(&usual, text->text, text->length);
    words->labels += text->quoted || none;
    if (!none && !text->quoted && words->named++ == 0) {
        snprintf(words->name, sizeof words->name, "%.*s", (int)text->length, text->text);
    }
}

static hb_status note_wrong(hb_csv_shown *shown, hb_csv_place place, const hb_csv_cell *cell)
{
    const bool first = shown->count[HB_CSV_IS_WRONG] == 1;
    /* Shows the first wrong cell, but for one with a plainer fault: no decimal, or one that is known. */
    const bool plainer = hb_csv_is_vague(shown->wrong.why) && !hb_csv_is_vague(cell->why);
    if (first || (!cell->fraction && shown->wrong.fraction) || (plainer && (!cell->fraction || cell->percent))) {
        shown->first[HB_CSV_IS_WRONG] = place;
        shown->wrong = *cell;
        shown->wrong.text = (hb_csv_text){NULL, 0, false};
        keep_text(cell, shown->wrong_text);
    }
    shown->fractions_only = (first || shown->fractions_only) && cell->fraction;
    note_word(&shown->words, place, cell);
    shown->fractions += cell->fraction;
    shown->percents += cell->percent;
    shown->grouped += cell->grouped;
    shown->whole = cell->whole > shown->whole ? cell->whole : shown->whole;
    if (!(cell->fraction || cell->fault == HB_CSV_UNHELD || cell->text.text == NULL)) {
        HB_TRY(hb_csv_set_add(&shown->strange, &cell->text, (hb_label_cells){1, 0}, FEW_TEXTS));
    }
    shown->needed = cell->needed > shown->needed ? cell->needed : shown->needed;
    return HB_OK;
}

static hb_status note_cell(hb_csv_column *column, hb_csv_place place, const hb_csv_cell *cell)
{
    hb_csv_shown *shown = &column->shown;
    if (shown->count[cell->kind]++ == 0) {
        shown->first[cell->kind] = place;
    }
    note_spelling(&shown->notes, place, cell);
    shown->points += cell->has_point;
    shown->may_group = cell->may_group && shown->may_group.row == 0 ? place : shown->may_group;
    if (cell->kind == HB_CSV_IS_NUMBER) {
        hb_csv_note_number(shown, place, &cell->number);
        if (column->guessed) {
            hb_leading_zeros_add(&shown->notes.leading_zeros, cell->number.digits, cell->number.padded);
        }
        return HB_OK;
    }
    const bool moment = cell->kind == HB_CSV_IS_DATE || cell->kind == HB_CSV_IS_TIME;
    if (moment && cell->number.negative && shown->times.early.row == 0) {
        shown->times.early = place;
    }
    if (cell->kind == HB_CSV_IS_TIME) {
        note_time(shown, cell);
    }
    if (cell->kind == HB_CSV_IS_WRONG) {
        HB_TRY(note_wrong(shown, place, cell));
    }
    if (cell->kind == HB_CSV_IS_MISSING && shown->count[HB_CSV_IS_MISSING] == 1) {
        shown->missing = cell->why;
    }
    if (cell->kind == HB_CSV_IS_MISSING) {
        note_missing_word(&shown->words, cell);
    }
    if (cell->kind == HB_CSV_IS_MISSING || (cell->kind == HB_CSV_IS_WRONG && cell->text.text == NULL)) {
        return HB_OK;
    }
    return column->collects ? note_label(shown, place, cell) : HB_OK;
}

hb_status hb_csv_note_cell(hb_csv_column *column, hb_csv_place place, const hb_csv_cell *cell)
{
    const char *why = no_such_time(column, cell);
    if (why == NULL) {
        return note_cell(column, place, cell);
    }
    hb_csv_cell odd = *cell;
    odd.kind = HB_CSV_IS_WRONG;
    odd.day = odd.time = true;
    odd.why = why;
    const hb_status st = note_cell(column, place, &odd);
    hb_wipe(&odd, sizeof odd); /* plaintext */
    return st;
}
