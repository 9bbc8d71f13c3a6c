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

uint64_t hb_csv_said_labels(const hb_csv_fresh *fresh, uint64_t column)
{
    const hb_labels *labels = fresh->base.schema.column[column].meaning.labels;
    return labels != NULL && fresh->reader->rows.column[column].shown.notes.label != NULL ? labels->count : 0;
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

bool hb_csv_part_may_join(const hb_csv_part *part, const hb_csv_reader *reader, const hb_csv_progress *p, uint64_t at)
{
    const hb_table_rows *rows = &reader->rows;
    bool may = part->good && part->begin == at && !p->ended;
    for (uint64_t c = 0; may && c < rows->columns; c++) {
        may = hb_csv_may_join(&rows->column[c], &part->column[c], rows->context.cells);
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
        HB_TRY(hb_csv_join(&reader->rows.column[c], &part->column[c], hb_csv_said_labels(fresh, c), before));
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
