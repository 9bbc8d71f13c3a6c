/* The look at all rows of a CSV. The bytes of a plain text are divided into parts, which threads look at. Nobody knows
 * where a part's first line begins, as quotes that stand before it may hold line breaks: a thread takes the first line
 * break for the end of a line, and goes on to the first line that begins in the next part. A part counts only if the
 * part before ended where it began, which by induction is the true beginning of a line. Where it did not, where a part
 * has a fault, and where its findings cannot be joined to those before, its rows are looked at again, in their order,
 * from where the part before ended. */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv_reader.h"

/* How far a look has come. */
typedef struct progress {
    uint64_t rows; /* all rows, those that are left out included */
    bool ended;    /* there was an empty line, behind which no row may come */
} progress;

/* Looks at rows that begin before `until`, and counts the rows that are read. */
static hb_status scan_rows(hb_csv_reader *reader, hb_marks *marks, progress *p, uint64_t until)
{
    hb_table *base = reader->rows.base;
    const char *line;
    size_t length;
    bool dropped;
    for (;;) {
        /* Before the line is read, which may move the buffer. */
        const uint64_t offset = hb_lines_tell(&reader->lines);
        const hb_csv_place place = {p->rows + 1, reader->lines.number};
        if (offset >= until) {
            return HB_OK;
        }
        HB_TRY(hb_lines_next(&reader->lines, &line, &length));
        if (!line) {
            return HB_OK;
        }
        if (hb_csv_is_blank(line, length, reader->rows.context.delimiter)) {
            p->ended = true; /* fine at the end of the file, and only there */
            base->blank_lines++;
            continue;
        }
        if (p->ended) {
            /* The last line that was empty. */
            char where[HB_CSV_PLACE];
            return HB_FAIL(HB_EDATA, "%s: %s is an empty line", base->name,
                           hb_csv_place_text(where, (hb_csv_place){place.row, place.line - 1}));
        }
        HB_TRY(hb_csv_reader_cells(reader, place, line, length, reader->rows.columns));
        HB_TRY(hb_table_rows_note(&reader->rows, place, &dropped));
        p->rows++;
        if (!dropped) {
            hb_marks_keep(marks, base->schema.rows, offset);
            base->schema.rows++;
        }
    }
}

enum { PART = 1 << 19, MOST_THREADS = 16, MOST_MISSES = 8 };
#define MOST_COLUMN_BYTES ((uint64_t)64 << 20) /* that the columns of all parts take */

/* A part, and what was found in it. */
typedef struct part {
    hb_table base;         /* its rows, those left out, and gaps */
    hb_csv_column *column; /* [columns] */
    hb_marks marks;
    progress progress;
    uint64_t begin, end, lines; /* of its lines; how many there are */
    bool good;                  /* there was no fault */
    bool done;
} part;

typedef struct parts {
    const hb_csv_reader *reader; /* the table's, of which nothing is changed meanwhile but the findings */
    const hb_csv_column *fresh;  /* [columns] without findings */
    hb_table base;               /* the table's, without findings */
    uint64_t first, size, count; /* offsets of the first line and of the text's end; parts */
    part *of;                    /* [window] the part k is in the place k % window */
    uint64_t window, next, joined;
    bool stop;
    pthread_mutex_t lock; /* over next, joined, stop and part.done */
    pthread_cond_t changed;
} parts;

static uint64_t begin_of(const parts *all, uint64_t k)
{
    return k < all->count ? all->first + k * PART : UINT64_MAX;
}

/* Returns how many labels of a column are said, whose cells are counted where they fold. */
static uint64_t said_labels(const parts *all, uint64_t c)
{
    const hb_labels *labels = all->base.schema.column[c].meaning.labels;
    return labels != NULL && all->reader->rows.column[c].shown.notes.label != NULL ? labels->count : 0;
}

static void clear_part(const parts *all, part *of)
{
    for (uint64_t c = 0; of->column != NULL && c < all->reader->rows.columns; c++) {
        hb_csv_column_clear(&of->column[c]);
    }
    free(of->base.gaps);
    free(of->column);
    hb_marks_clear(&of->marks);
    *of = (part){.done = false};
}

/* Makes a part without findings. */
static hb_status begin_part(const parts *all, part *of)
{
    const uint64_t columns = all->reader->rows.columns;
    of->base = all->base;
    of->column = malloc((size_t)(columns + 1) * sizeof *of->column);
    if (of->column == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " columns", all->base.name, columns);
    }
    memcpy(of->column, all->fresh, (size_t)columns * sizeof *of->column);
    for (uint64_t c = 0; c < columns; c++) {
        const uint64_t labels = said_labels(all, c);
        hb_column_notes *notes = &of->column[c].shown.notes;
        notes->label = labels > 0 ? calloc((size_t)labels, sizeof *notes->label) : NULL;
        if (labels > 0 && notes->label == NULL) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory for labels", all->base.name);
        }
    }
    return hb_marks_init(&of->marks, 2 + PART / HB_MARKS_STRIDE, all->base.name);
}

/* Looks at one part. */
static hb_status scan_part(const parts *all, hb_csv_reader *reader, uint64_t k, part *of)
{
    const uint64_t begin = begin_of(all, k), end = begin_of(all, k + 1);
    bool found = true;
    HB_TRY(begin_part(all, of));
    reader->rows.base = &of->base;
    reader->rows.column = of->column;
    reader->lines.until = end;
    hb_lines_seek(&reader->lines, k > 0 ? begin - 1 : begin);
    if (k > 0) {
        HB_TRY(hb_lines_find_break(&reader->lines, end < all->size ? end : all->size, &found));
    }
    reader->lines.number = 1;
    of->begin = found ? hb_lines_tell(&reader->lines) : UINT64_MAX;
    if (found) {
        HB_TRY(scan_rows(reader, &of->marks, &of->progress, end));
    }
    of->end = hb_lines_tell(&reader->lines);
    of->lines = reader->lines.number - 1;
    return HB_OK;
}

/* In a thread: looks at parts, not too far ahead of those that are joined. */
static void *work(void *context)
{
    parts *all = context;
    hb_csv_reader reader;
    const hb_status st = hb_csv_reader_copy(&reader, all->reader);
    pthread_mutex_lock(&all->lock);
    while (!all->stop && all->next < all->count) {
        if (all->next >= all->joined + all->window) {
            pthread_cond_wait(&all->changed, &all->lock);
            continue;
        }
        const uint64_t k = all->next++;
        part *of = &all->of[k % all->window];
        pthread_mutex_unlock(&all->lock);
        of->good = st == HB_OK && scan_part(all, &reader, k, of) == HB_OK;
        pthread_mutex_lock(&all->lock);
        of->done = true;
        pthread_cond_broadcast(&all->changed);
    }
    pthread_mutex_unlock(&all->lock);
    hb_csv_reader_clear(&reader, true);
    return NULL;
}

static part *wait_for(parts *all, uint64_t k)
{
    part *of = &all->of[k % all->window];
    pthread_mutex_lock(&all->lock);
    while (!of->done) {
        pthread_cond_wait(&all->changed, &all->lock);
    }
    pthread_mutex_unlock(&all->lock);
    return of;
}

/* Whether the findings of a part follow on those of the table, whose lines were all looked at up to `at`. */
static bool may_join(const parts *all, const part *of, const progress *p, uint64_t at)
{
    const hb_table_rows *rows = &all->reader->rows;
    bool may = of->good && of->begin == at && of->base.blank_lines == 0 && !p->ended;
    for (uint64_t c = 0; may && c < rows->columns; c++) {
        may = hb_csv_may_join(&rows->column[c], &of->column[c], rows->context.cells);
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

/* Adds the findings of a part to those of the table, and goes to its end. */
static hb_status join(const parts *all, hb_csv_reader *reader, hb_marks *marks, progress *p, const part *of)
{
    hb_table *base = reader->rows.base;
    const hb_csv_place before = {p->rows, reader->lines.number - 1};
    for (uint64_t c = 0; c < reader->rows.columns; c++) {
        HB_TRY(hb_csv_join(&reader->rows.column[c], &of->column[c], said_labels(all, c), before));
    }
    HB_TRY(join_gaps(base, &of->base, reader->rows.columns));
    hb_left_out_join(&base->schema.left_out, p->rows, &of->base.schema.left_out);
    for (size_t i = 0; i < of->marks.count; i++) {
        hb_marks_keep(marks, base->schema.rows + of->marks.kept[i].row, of->marks.kept[i].place);
    }
    base->schema.rows += of->base.schema.rows;
    p->rows += of->progress.rows;
    hb_lines_seek(&reader->lines, of->end);
    reader->lines.number += of->lines;
    return HB_OK;
}

/* Takes the parts in their order. Lines of parts that cannot be joined are looked at here; where that happens again and
 * again, all that is left is. */
static hb_status take_parts(parts *all, hb_csv_reader *reader, hb_marks *marks, progress *p)
{
    int misses = 0;
    for (uint64_t k = 0; k < all->count && misses < MOST_MISSES; k++) {
        part *of = wait_for(all, k);
        const uint64_t at = hb_lines_tell(&reader->lines), end = begin_of(all, k + 1);
        if (at < end && may_join(all, of, p, at)) {
            HB_TRY(join(all, reader, marks, p, of));
            misses -= misses > 0;
        } else if (at < end) {
            reader->lines.until = end;
            HB_TRY(scan_rows(reader, marks, p, end));
            misses += 2;
        }
        clear_part(all, of);
        pthread_mutex_lock(&all->lock);
        all->joined = k + 1;
        pthread_cond_broadcast(&all->changed);
        pthread_mutex_unlock(&all->lock);
    }
    reader->lines.until = UINT64_MAX;
    return misses < MOST_MISSES ? HB_OK : scan_rows(reader, marks, p, UINT64_MAX);
}

/* Looks at the rows by that many threads, with as many parts more than threads that none of them waits long. */
static hb_status scan_parts(hb_csv_reader *reader, hb_marks *marks, progress *p, unsigned threads)
{
    pthread_t thread[MOST_THREADS];
    unsigned running = 0;
    hb_csv_column *fresh = malloc((size_t)(reader->rows.columns + 1) * sizeof *fresh);
    parts all = {.reader = reader,
                 .fresh = fresh,
                 .base = *reader->rows.base,
                 .first = hb_lines_tell(&reader->lines),
                 .size = reader->lines.text.size,
                 .window = threads + 2};
    all.count = (all.size - all.first + PART - 1) / PART;
    all.of = calloc((size_t)all.window, sizeof *all.of);
    if (fresh == NULL || all.of == NULL) {
        free(fresh);
        free(all.of);
        return scan_rows(reader, marks, p, UINT64_MAX);
    }
    for (uint64_t c = 0; c < reader->rows.columns; c++) {
        fresh[c] = reader->rows.column[c];
        fresh[c].shown = (hb_csv_shown){.most = 0};
    }
    pthread_mutex_init(&all.lock, NULL); /* on Linux neither can fail */
    pthread_cond_init(&all.changed, NULL);
    while (running < threads && pthread_create(&thread[running], NULL, work, &all) == 0) {
        running++;
    }
    const hb_status st = running > 0 ? take_parts(&all, reader, marks, p) : scan_rows(reader, marks, p, UINT64_MAX);
    pthread_mutex_lock(&all.lock);
    all.stop = true;
    pthread_cond_broadcast(&all.changed);
    pthread_mutex_unlock(&all.lock);
    while (running > 0) {
        pthread_join(thread[--running], NULL);
    }
    for (uint64_t i = 0; i < all.window; i++) {
        clear_part(&all, &all.of[i]);
    }
    pthread_cond_destroy(&all.changed);
    pthread_mutex_destroy(&all.lock);
    free(fresh);
    free(all.of);
    return st;
}

unsigned hb_csv_threads(const hb_csv_reader *reader)
{
    cpu_set_t own;
    const uint64_t each = reader->rows.columns * sizeof(hb_csv_column) + 1;
    const uint64_t fit = hb_lines_are_plain(&reader->lines) ? MOST_COLUMN_BYTES / each : 1;
    CPU_ZERO(&own);
    const bool known = sched_getaffinity(0, sizeof own, &own) == 0; /* not of more than 1024 processors */
    const unsigned threads = known && CPU_COUNT(&own) < MOST_THREADS ? (unsigned)CPU_COUNT(&own) : MOST_THREADS;
    return threads < fit ? threads : fit > 1 ? (unsigned)fit : 1;
}

hb_status hb_csv_scan(hb_csv_reader *reader, hb_marks *marks)
{
    progress p = {.rows = 0};
    const uint64_t at = hb_lines_tell(&reader->lines), size = reader->lines.text.size;
    const unsigned threads = hb_csv_threads(reader);
    reader->lines.until = UINT64_MAX;
    return threads > 1 && size > at && size - at > 2 * PART ? scan_parts(reader, marks, &p, threads)
                                                            : scan_rows(reader, marks, &p, UINT64_MAX);
}
