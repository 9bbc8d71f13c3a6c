#include "csv_part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

hb_status hb_csv_fresh_init(hb_csv_fresh *fresh, const hb_csv_reader *reader)
{
    const uint64_t columns = reader->rows.columns;
    *fresh = (hb_csv_fresh){
        .reader = reader, .base = *reader->rows.base, .column = malloc((size_t)(columns + 1) * sizeof *fresh->column)};
    if (fresh->column == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " columns", fresh->base.name, columns);
    }
    for (uint64_t c = 0; c < columns; c++) {
        fresh->column[c] = reader->rows.column[c];
        fresh->column[c].shown = (hb_csv_shown){.most = 0};
    }
    return HB_OK;
}

void hb_csv_fresh_clear(hb_csv_fresh *fresh)
{
    free(fresh->column);
    *fresh = (hb_csv_fresh){.column = NULL};
}

hb_status hb_csv_part_begin(hb_csv_part *part, const hb_csv_fresh *fresh, size_t marks)
{
    const uint64_t columns = fresh->reader->rows.columns;
    *part = (hb_csv_part){.base = fresh->base, .column = malloc((size_t)(columns + 1) * sizeof *part->column)};
    if (part->column == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " columns", fresh->base.name, columns);
    }
    memcpy(part->column, fresh->column, (size_t)columns * sizeof *part->column);
    for (uint64_t c = 0; c < columns; c++) {
        const uint64_t labels = hb_csv_said_labels(fresh, c);
        hb_column_notes *notes = &part->column[c].shown.notes;
        notes->label = labels > 0 ? calloc((size_t)labels, sizeof *notes->label) : NULL;
        if (labels > 0 && notes->label == NULL) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory for labels", fresh->base.name);
        }
    }
    return hb_marks_init(&part->marks, marks, fresh->base.name);
}

void hb_csv_part_clear(hb_csv_part *part, uint64_t columns)
{
    for (uint64_t c = 0; part->column != NULL && c < columns; c++) {
        hb_csv_column_clear(&part->column[c]);
    }
    free(part->base.gaps);
    free(part->column);
    hb_marks_clear(&part->marks);
    *part = (hb_csv_part){.good = false};
}

/* --- the findings about a column */

/* Whether dates and times of both would go together cell by cell (no_such_time of csv_note.c). */
static bool times_join(const hb_csv_column *column, const hb_csv_shown *shown, const hb_csv_shown *next)
{
    const uint64_t dates = shown->count[HB_CSV_IS_DATE] + next->count[HB_CSV_IS_DATE];
    const uint64_t before = shown->count[HB_CSV_IS_TIME], behind = next->count[HB_CSV_IS_TIME];
    return column->times == HB_TIMES_FOUND || before + behind == 0 ||
           (dates == 0 && (before == 0 || behind == 0 || shown->times.zoned == next->times.zoned));
}

/* Whether the findings about the following rows can be joined to those of the rows before: exactly what cell after cell
 * would have made of them follows from both. It does not where cells are wrong, where dates and times, or signs, do not
 * go together, or where there are too many labels. */
static bool may_join_column(const hb_csv_column *column, const hb_csv_column *next, hb_cell_type cells)
{
    const hb_csv_shown *a = &column->shown, *b = &next->shown;
    const bool signs = cells == HB_CELL_REAL || (a->negative.row == 0 && b->negative.row == 0) ||
                       (a->large.row == 0 && b->large.row == 0);
    /* Which labels the set has once there are too many depends on their order. */
    const bool texts = b->texts.count == 0 || a->texts.full || a->texts.count + b->texts.count <= HB_MOST_LABELS;
    return b->count[HB_CSV_IS_WRONG] == 0 && signs && texts && !b->texts.full && times_join(column, a, b);
}

static hb_csv_place behind(hb_csv_place place, hb_csv_place before)
{
    return (hb_csv_place){place.row + before.row, place.line + before.line};
}

/* Takes the place of a later row where there is none yet. */
static void join_place(hb_csv_place *to, hb_csv_place next, hb_csv_place before)
{
    if (to->row == 0 && next.row > 0) {
        *to = behind(next, before);
    }
}

/* Adds the texts of a later set, with how often each stands there. */
static hb_status join_texts(hb_csv_set *to, const hb_csv_set *next)
{
    hb_csv_listing list;
    hb_status st = hb_csv_set_list(next, &list);
    for (uint64_t i = 0; st == HB_OK && i < list.count; i++) {
        st = hb_csv_set_add(to, &(hb_csv_text){list.text[i], strlen(list.text[i]), false}, list.cells[i],
                            HB_MOST_LABELS);
    }
    hb_csv_listing_clear(&list);
    return st;
}

static void join_notes(hb_column_notes *to, const hb_column_notes *next, uint64_t labels, hb_csv_place before)
{
    hb_column_notes own = *next;
    own.first_trimmed = behind(next->first_trimmed, before);
    hb_column_notes_join(to, &own, NULL);
    for (uint64_t i = 0; to->label != NULL && next->label != NULL && i < labels; i++) {
        to->label[i].folded += next->label[i].folded;
    }
}

/* Joins them; `before` are the rows and lines before these rows, from which their places are counted. `labels`: how
 * many the column has, if they are said. HB_ENOMEM. */
static hb_status join_column(hb_csv_column *column, const hb_csv_column *next, uint64_t labels, hb_csv_place before)
{
    hb_csv_shown *to = &column->shown;
    const hb_csv_shown *from = &next->shown;
    const bool first = to->count[HB_CSV_IS_TIME] == 0;
    if (from->count[HB_CSV_IS_TIME] > 0) {
        to->times.zoned = first ? from->times.zoned : to->times.zoned;
        to->times.unit = first || from->times.unit < to->times.unit ? from->times.unit : to->times.unit;
    }
    to->missing = to->count[HB_CSV_IS_MISSING] == 0 ? from->missing : to->missing;
    for (int kind = 0; kind < HB_CSV_KINDS; kind++) {
        join_place(&to->first[kind], from->first[kind], before);
        to->count[kind] += from->count[kind];
    }
    join_place(&to->negative, from->negative, before);
    join_place(&to->large, from->large, before);
    join_place(&to->times.early, from->times.early, before);
    join_place(&to->may_group, from->may_group, before);
    hb_csv_words_join(&to->words, &from->words);
    to->points += from->points;
    to->most = from->most > to->most ? from->most : to->most;
    to->is_complex = to->is_complex || from->is_complex;
    join_notes(&to->notes, &from->notes, labels, before);
    return join_texts(&to->texts, &from->texts);
}

/* --- parts */

bool hb_csv_part_may_join(const hb_csv_part *part, const hb_csv_reader *reader, const hb_csv_progress *p, uint64_t at)
{
    const hb_table_rows *rows = &reader->rows;
    bool may = part->good && part->begin == at && !p->ended;
    for (uint64_t c = 0; may && c < rows->columns; c++) {
        may = may_join_column(&rows->column[c], &part->column[c], rows->context.cells);
    }
    return may;
}

static hb_status join_gaps(hb_table *base, const hb_table *next, uint64_t columns)
{
    if (next->gaps == NULL) {
        return HB_OK;
    }
    base->gaps = base->gaps != NULL ? base->gaps : calloc((size_t)columns, sizeof *base->gaps);
    if (base->gaps == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to count what is missing", base->name);
    }
    for (uint64_t c = 0; c < columns; c++) {
        base->gaps[c].left_out += next->gaps[c].left_out;
        base->gaps[c].replaced += next->gaps[c].replaced;
        base->gaps[c].masked += next->gaps[c].masked;
    }
    return HB_OK;
}

hb_status hb_csv_part_join(const hb_csv_part *part, const hb_csv_fresh *fresh, hb_csv_reader *reader, hb_marks *marks,
                           hb_csv_progress *p)
{
    hb_table *base = reader->rows.base;
    const hb_csv_place before = {p->rows, reader->lines.number - 1};
    for (uint64_t c = 0; c < reader->rows.columns; c++) {
        HB_TRY(join_column(&reader->rows.column[c], &part->column[c], hb_csv_said_labels(fresh, c), before));
    }
    HB_TRY(join_gaps(base, &part->base, reader->rows.columns));
    hb_left_out_join(&base->schema.left_out, p->rows, &part->base.schema.left_out);
    for (size_t i = 0; i < part->marks.count; i++) {
        hb_marks_keep(marks, base->schema.rows + part->marks.kept[i].row, part->marks.kept[i].place);
    }
    base->schema.rows += part->base.schema.rows;
    base->blank_lines += part->base.blank_lines;
    p->rows += part->progress.rows;
    p->ended = part->progress.ended;
    hb_lines_seek(&reader->lines, part->end);
    reader->lines.number += part->lines;
    return HB_OK;
}
