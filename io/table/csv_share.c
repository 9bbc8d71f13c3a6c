/* The look at a CSV by several ranks: each looks at a range of its bytes, and tells the others what it found. Nobody
 * knows where the first line of a range begins, as for the parts of threads (csv_scan.c): a range counts if the one
 * before ended where it began. If one does not, or has a fault, or findings that cannot be joined, every rank looks at
 * the whole text, and so refuses it in the words of a rank alone. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/partition.h"
#include "base/seed.h"
#include "csv_part.h"

/* Bytes for other ranks, which run the same program. */
typedef struct pack {
    uint8_t *data;
    size_t used, room;
    bool failed; /* there was no memory */
} pack;

static void add(pack *to, const void *data, size_t bytes)
{
    if (to->room - to->used < bytes) {
        const size_t room = 2 * to->room + bytes + 4096;
        uint8_t *more = hb_wipe_and_grow(to->data, to->used, to->room, room);
        to->failed = to->failed || more == NULL;
        to->data = more != NULL ? more : to->data;
        to->room = more != NULL ? room : to->room;
    }
    if (!to->failed && bytes > 0) {
        memcpy(to->data + to->used, data, bytes);
        to->used += bytes;
    }
}

static bool take(pack *from, void *data, size_t bytes)
{
    from->failed = from->failed || from->room - from->used < bytes;
    if (!from->failed && bytes > 0) {
        memcpy(data, from->data + from->used, bytes);
        from->used += bytes;
    }
    return !from->failed;
}

static void clear(pack *of)
{
    if (of->data != NULL) {
        hb_wipe(of->data, of->room);
    }
    free(of->data);
    *of = (pack){.used = 0};
}

/* The words in front of the findings. */
typedef struct head {
    uint64_t first, size; /* of the text, which is the same on all ranks */
    uint64_t good, begin, end, lines, all, ended, rows, blank_lines, marks, gaps;
    hb_left_out left_out;
} head;

static head head_of(const hb_csv_part *part, const hb_csv_reader *reader)
{
    return (head){.first = hb_lines_tell(&reader->lines),
                  .size = reader->lines.text.size,
                  .good = part->good,
                  .begin = part->begin,
                  .end = part->end,
                  .lines = part->lines,
                  .all = part->progress.rows,
                  .ended = part->progress.ended,
                  .rows = part->base.schema.rows,
                  .blank_lines = part->base.blank_lines,
                  .marks = part->good ? part->marks.count : 0,
                  .gaps = part->good && part->base.gaps != NULL,
                  .left_out = part->base.schema.left_out};
}

static void pack_labels(pack *to, const hb_csv_set *set)
{
    hb_csv_listing list;
    if (hb_csv_set_list(set, &list) != HB_OK) {
        to->failed = true;
        return;
    }
    add(to, &set->count, sizeof set->count);
    for (uint64_t i = 0; i < list.count; i++) {
        const uint64_t length = strlen(list.text[i]);
        add(to, &list.cells[i], sizeof list.cells[i]);
        add(to, &length, sizeof length);
        add(to, list.text[i], (size_t)length);
    }
    hb_csv_listing_clear(&list);
}

static void pack_part(pack *to, const hb_csv_part *part, const hb_csv_fresh *fresh)
{
    const uint64_t columns = fresh->reader->rows.columns;
    const head h = head_of(part, fresh->reader);
    add(to, &h, sizeof h);
    add(to, part->marks.kept, (size_t)h.marks * sizeof *part->marks.kept);
    add(to, part->base.gaps, h.gaps != 0 ? (size_t)columns * sizeof *part->base.gaps : 0);
    for (uint64_t c = 0; h.good != 0 && c < columns; c++) {
        const hb_csv_shown *shown = &part->column[c].shown;
        add(to, shown, sizeof *shown); /* of its pointers no use is made */
        add(to, shown->notes.label, (size_t)hb_csv_said_labels(fresh, c) * sizeof *shown->notes.label);
        pack_labels(to, &shown->texts);
    }
}

static hb_status unpack_labels(pack *from, hb_csv_set *set)
{
    uint64_t count = 0;
    char text[HB_LABEL_MAX + 1];
    (void)take(from, &count, sizeof count);
    for (uint64_t i = 0; i < count && !from->failed; i++) {
        hb_label_cells cells;
        uint64_t length = 0;
        (void)take(from, &cells, sizeof cells);
        (void)take(from, &length, sizeof length);
        from->failed = from->failed || length > HB_LABEL_MAX;
        if (take(from, text, from->failed ? 0 : (size_t)length)) {
            const hb_csv_text label = {text, (size_t)length, false};
            HB_TRY(hb_csv_set_add(set, &label, cells, HB_MOST_LABELS));
        }
    }
    hb_wipe(text, sizeof text); /* plaintext */
    return HB_OK;
}

static hb_status unpack_column(pack *from, hb_csv_column *column, uint64_t labels)
{
    hb_label_cells *own = column->shown.notes.label;
    hb_csv_shown shown;
    if (!take(from, &shown, sizeof shown)) {
        return HB_OK;
    }
    shown.notes.label = own;
    shown.notes.file = shown.missing = shown.odd_advice = NULL;
    shown.wrong = (hb_csv_cell){.kind = HB_CSV_IS_NUMBER};
    shown.texts = shown.strange = (hb_csv_set){.count = 0};
    column->shown = shown;
    (void)take(from, own, (size_t)labels * sizeof *own);
    return unpack_labels(from, &column->shown.texts);
}

/* Makes a part of what another rank has found; *whole false where it is cut or of another text. */
static hb_status unpack_part(pack *from, hb_csv_part *part, const hb_csv_fresh *fresh, bool *whole)
{
    const uint64_t columns = fresh->reader->rows.columns;
    head h = {.good = 0};
    *whole = take(from, &h, sizeof h) && h.marks <= HB_MOST_MARKS;
    HB_TRY(hb_csv_part_begin(part, fresh, 2 + (*whole ? (size_t)h.marks : 0)));
    *whole = *whole && take(from, part->marks.kept, (size_t)h.marks * sizeof *part->marks.kept);
    part->marks.count = *whole ? (size_t)h.marks : 0;
    if (h.gaps != 0) {
        part->base.gaps = calloc((size_t)columns, sizeof *part->base.gaps);
        if (part->base.gaps == NULL) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory to count what is missing", part->base.name);
        }
        (void)take(from, part->base.gaps, (size_t)columns * sizeof *part->base.gaps);
    }
    for (uint64_t c = 0; h.good != 0 && c < columns; c++) {
        HB_TRY(unpack_column(from, &part->column[c], hb_csv_said_labels(fresh, c)));
    }
    part->progress = (hb_csv_progress){h.all, h.ended != 0};
    part->begin = h.begin;
    part->end = h.end;
    part->lines = h.lines;
    part->base.schema.rows = h.rows;
    part->base.blank_lines = h.blank_lines;
    part->base.schema.left_out = h.left_out;
    part->good = h.good != 0;
    *whole = *whole && !from->failed && h.first == hb_lines_tell(&fresh->reader->lines) &&
             h.size == fresh->reader->lines.text.size;
    return HB_OK;
}

/* Where the range of a rank begins. */
static uint64_t begin_of(const hb_csv_reader *reader, const hb_reading_ranks *ranks, uint64_t rank)
{
    const uint64_t first = hb_lines_tell(&reader->lines), size = reader->lines.text.size;
    const uint64_t all = size > first ? size - first : 0;
    return rank == ranks->count ? UINT64_MAX : first + hb_partition(all, (uint32_t)rank, (uint32_t)ranks->count).first;
}

/* Makes a reader whose findings are those of a part. */
static hb_status begin_reader(hb_csv_reader *own, const hb_csv_reader *reader, hb_csv_part *part)
{
    HB_TRY(hb_csv_reader_copy(own, reader));
    own->rows.base = &part->base;
    own->rows.column = part->column;
    own->lines.number = 1;
    return HB_OK;
}

/* Looks at this rank's range. The look at the whole text tells of any failure. */
static hb_status look(const hb_csv_reader *reader, const hb_reading_ranks *ranks, hb_csv_part *mine)
{
    const uint64_t begin = begin_of(reader, ranks, ranks->rank), end = begin_of(reader, ranks, ranks->rank + 1);
    const uint64_t size = reader->lines.text.size;
    hb_csv_reader own = {.room = NULL};
    bool found = true;
    hb_status st;
    HB_GOTO(begin_reader(&own, reader, mine));
    own.lines.until = end;
    hb_lines_seek(&own.lines, ranks->rank > 0 ? begin - 1 : begin);
    if (ranks->rank > 0) {
        HB_GOTO(hb_lines_find_break(&own.lines, end < size ? end : size, &found));
    }
    own.lines.number = 1;
    mine->begin = found ? hb_lines_tell(&own.lines) : UINT64_MAX;
    if (found) {
        HB_GOTO(hb_csv_scan_until(&own, &mine->marks, &mine->progress, end));
    }
    mine->end = hb_lines_tell(&own.lines);
    mine->lines = own.lines.number - 1;
    mine->good = true;
    for (uint64_t c = 0; c < reader->rows.columns; c++) { /* no reason of a refusal is told */
        const hb_csv_column *column = &mine->column[c];
        const bool refuses = column->missing == HB_MISSING_REFUSE && column->shown.count[HB_CSV_IS_MISSING] > 0;
        mine->good = mine->good && !refuses && !column->shown.texts.full;
    }
done:
    hb_csv_reader_clear(&own, true);
    return st;
}

/* The findings of the ranks so far. */
typedef struct joined {
    hb_csv_part part;
    hb_csv_reader reader;
    bool taken;
} joined;

static hb_status join_next(joined *all, pack *from, const hb_csv_fresh *fresh, uint64_t end)
{
    hb_csv_part next = {.good = false};
    const uint64_t at = hb_lines_tell(&all->reader.lines);
    bool whole = false;
    hb_status st = unpack_part(from, &next, fresh, &whole);
    all->taken = all->taken && whole;
    if (st == HB_OK && all->taken && at < end && at < fresh->reader->lines.text.size) {
        all->taken = hb_csv_part_may_join(&next, &all->reader, &all->part.progress, at);
        if (all->taken) {
            st = hb_csv_part_join(&next, fresh, &all->reader, &all->part.marks, &all->part.progress);
        }
    }
    hb_csv_part_clear(&next, fresh->reader->rows.columns);
    return st;
}

/* Tells each rank's findings to all, and joins them. */
static hb_status exchange(joined *all, pack *mine, const hb_csv_fresh *fresh, uint64_t *size, uint64_t *most)
{
    const hb_reading_ranks *ranks = fresh->reader->rows.reading->ranks;
    pack other = {.used = 0};
    hb_status st = HB_OK;
    for (uint64_t r = 0; r < ranks->count; r++) {
        size[r] = mine->used;
        HB_TRY(ranks->tell(ranks->context, &size[r], sizeof size[r], r));
        *most = size[r] > *most ? size[r] : *most;
    }
    other.data = malloc((size_t)*most + 1);
    HB_TRY(ranks->agree(ranks->context, other.data != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for findings")));
    for (uint64_t r = 0; r < ranks->count; r++) {
        if (r == ranks->rank) {
            memcpy(other.data, mine->data, mine->used);
        }
        HB_GOTO(ranks->tell(ranks->context, other.data, (size_t)size[r], r));
        other.used = 0;
        other.room = (size_t)size[r];
        other.failed = false;
        const hb_status next = join_next(all, &other, fresh, begin_of(fresh->reader, ranks, r + 1));
        st = st == HB_OK ? next : st;
    }
done:
    other.room = (size_t)*most;
    clear(&other);
    return ranks->agree(ranks->context, st);
}

hb_status hb_csv_share_scan(hb_csv_reader *reader, hb_marks *marks, hb_csv_progress *p, bool *taken)
{
    const hb_reading_ranks *ranks = reader->rows.reading->ranks;
    const size_t most_marks = 16 + HB_MOST_MARKS / (size_t)ranks->count;
    hb_csv_fresh fresh = {.column = NULL};
    hb_csv_part mine = {.good = false};
    joined all = {.taken = hb_lines_are_plain(&reader->lines)};
    pack out = {.used = 0};
    uint64_t most = 0, *size = calloc((size_t)ranks->count, sizeof *size);
    hb_status st = size != NULL ? hb_csv_fresh_init(&fresh, reader)
                                : HB_FAIL(HB_ENOMEM, "%s: no memory for ranks", reader->rows.base->name);
    st = st == HB_OK ? hb_csv_part_begin(&mine, &fresh, most_marks) : st;
    st = st == HB_OK ? hb_csv_part_begin(&all.part, &fresh, HB_MOST_MARKS) : st;
    st = st == HB_OK && all.taken ? begin_reader(&all.reader, reader, &all.part) : st;
    if (st == HB_OK && all.taken) {
        hb_lines_seek(&all.reader.lines, hb_lines_tell(&reader->lines));
        if (look(reader, ranks, &mine) != HB_OK) {
            hb_clear_error();
        }
    }
    if (st == HB_OK) {
        pack_part(&out, &mine, &fresh);
        st = out.failed ? HB_FAIL(HB_ENOMEM, "%s: no memory for findings", reader->rows.base->name) : HB_OK;
    }
    HB_GOTO(ranks->agree(ranks->context, st));
    HB_GOTO(exchange(&all, &out, &fresh, size, &most));
    *taken = all.taken;
    if (all.taken) {
        all.part.end = hb_lines_tell(&all.reader.lines);
        all.part.lines = all.reader.lines.number - 1;
        st = hb_csv_part_join(&all.part, &fresh, reader, marks, p);
    }
done:
    hb_csv_reader_clear(&all.reader, true);
    hb_csv_part_clear(&all.part, reader->rows.columns);
    hb_csv_part_clear(&mine, reader->rows.columns);
    hb_csv_fresh_clear(&fresh);
    clear(&out);
    free(size);
    return st;
}
