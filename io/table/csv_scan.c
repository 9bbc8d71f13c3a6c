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

#include "csv_part.h"

/* Looks at rows that begin before `until`, and counts the rows that are read. */
static hb_status scan_rows(hb_csv_reader *reader, hb_marks *marks, hb_csv_progress *p, uint64_t until)
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

enum { PART = 1 << 19, MOST_THREADS = 16, MORE = 2, MOST_MISSES = 8 };
#define MOST_COLUMN_BYTES ((uint64_t)64 << 20) /* that the columns of all parts take */

typedef struct parts {
    const hb_csv_fresh *fresh;
    uint64_t first, end, count; /* offsets of the first line, and where no part's line begins any more; parts */
    hb_csv_part *of;            /* [window] the part k is in the place k % window */
    uint64_t window, next, joined;
    bool stop, done[MOST_THREADS + MORE]; /* [window] the look at the part in that place is over */
    pthread_mutex_t lock;                 /* over next, joined, stop and done */
    pthread_cond_t changed;
} parts;

static uint64_t begin_of(const parts *all, uint64_t k)
{
    return k < all->count ? all->first + k * PART : all->end;
}

/* Looks at one part. */
static hb_status scan_part(const parts *all, hb_csv_reader *reader, uint64_t k, hb_csv_part *of)
{
    const uint64_t begin = begin_of(all, k), end = begin_of(all, k + 1), size = reader->lines.text.size;
    bool found = true;
    HB_TRY(hb_csv_part_begin(of, all->fresh, 2 + PART / HB_MARKS_STRIDE));
    reader->rows.base = &of->base;
    reader->rows.column = of->column;
    reader->lines.until = end;
    hb_lines_seek(&reader->lines, k > 0 ? begin - 1 : begin);
    if (k > 0) {
        HB_TRY(hb_lines_find_break(&reader->lines, end < size ? end : size, &found));
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
    const hb_status st = hb_csv_reader_copy(&reader, all->fresh->reader);
    pthread_mutex_lock(&all->lock);
    while (!all->stop && all->next < all->count) {
        if (all->next >= all->joined + all->window) {
            pthread_cond_wait(&all->changed, &all->lock);
            continue;
        }
        const uint64_t k = all->next++;
        hb_csv_part *of = &all->of[k % all->window];
        pthread_mutex_unlock(&all->lock);
        of->good = st == HB_OK && scan_part(all, &reader, k, of) == HB_OK;
        pthread_mutex_lock(&all->lock);
        all->done[k % all->window] = true;
        pthread_cond_broadcast(&all->changed);
    }
    pthread_mutex_unlock(&all->lock);
    hb_csv_reader_clear(&reader, true);
    return NULL;
}

static hb_csv_part *wait_for(parts *all, uint64_t k)
{
    hb_csv_part *of = &all->of[k % all->window];
    pthread_mutex_lock(&all->lock);
    while (!all->done[k % all->window]) {
        pthread_cond_wait(&all->changed, &all->lock);
    }
    pthread_mutex_unlock(&all->lock);
    return of;
}

/* Takes the parts in their order. Lines of parts that cannot be joined are looked at here; where that happens again and
 * again, all that is left is. */
static hb_status take_parts(parts *all, hb_csv_reader *reader, hb_marks *marks, hb_csv_progress *p)
{
    int misses = 0;
    for (uint64_t k = 0; k < all->count && misses < MOST_MISSES; k++) {
        hb_csv_part *of = wait_for(all, k);
        const uint64_t at = hb_lines_tell(&reader->lines), end = begin_of(all, k + 1);
        if (at < end && hb_csv_part_may_join(of, reader, p, at)) {
            HB_TRY(hb_csv_part_join(of, all->fresh, reader, marks, p));
            misses -= misses > 0;
        } else if (at < end) {
            reader->lines.until = end;
            HB_TRY(scan_rows(reader, marks, p, end));
            misses += 2;
        }
        hb_csv_part_clear(of, reader->rows.columns);
        pthread_mutex_lock(&all->lock);
        all->done[k % all->window] = false;
        all->joined = k + 1;
        pthread_cond_broadcast(&all->changed);
        pthread_mutex_unlock(&all->lock);
    }
    reader->lines.until = all->end;
    return misses < MOST_MISSES ? HB_OK : scan_rows(reader, marks, p, all->end);
}

/* Looks at the rows by that many threads, with some parts more than threads, so that none of them waits long. */
static hb_status scan_parts(hb_csv_reader *reader, hb_marks *marks, hb_csv_progress *p, uint64_t end, unsigned threads)
{
    pthread_t thread[MOST_THREADS];
    unsigned running = 0;
    hb_csv_fresh fresh;
    const uint64_t size = reader->lines.text.size, first = hb_lines_tell(&reader->lines);
    parts all = {.fresh = &fresh, .first = first, .end = end, .window = threads + MORE};
    all.count = ((end < size ? end : size) - first + PART - 1) / PART;
    all.of = calloc((size_t)all.window, sizeof *all.of);
    if (hb_csv_fresh_init(&fresh, reader) != HB_OK || all.of == NULL) {
        hb_csv_fresh_clear(&fresh);
        free(all.of);
        return scan_rows(reader, marks, p, end);
    }
    pthread_mutex_init(&all.lock, NULL); /* on Linux neither can fail */
    pthread_cond_init(&all.changed, NULL);
    while (running < threads && pthread_create(&thread[running], NULL, work, &all) == 0) {
        running++;
    }
    const hb_status st = running > 0 ? take_parts(&all, reader, marks, p) : scan_rows(reader, marks, p, end);
    pthread_mutex_lock(&all.lock);
    all.stop = true;
    pthread_cond_broadcast(&all.changed);
    pthread_mutex_unlock(&all.lock);
    while (running > 0) {
        pthread_join(thread[--running], NULL);
    }
    for (uint64_t i = 0; i < all.window; i++) {
        hb_csv_part_clear(&all.of[i], reader->rows.columns);
    }
    pthread_cond_destroy(&all.changed);
    pthread_mutex_destroy(&all.lock);
    hb_csv_fresh_clear(&fresh);
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

hb_status hb_csv_scan_until(hb_csv_reader *reader, hb_marks *marks, hb_csv_progress *p, uint64_t end)
{
    const uint64_t at = hb_lines_tell(&reader->lines), size = reader->lines.text.size, stop = end < size ? end : size;
    const unsigned threads = hb_csv_threads(reader);
    reader->lines.until = end;
    return threads > 1 && stop > at && stop - at > 2 * PART ? scan_parts(reader, marks, p, end, threads)
                                                            : scan_rows(reader, marks, p, end);
}
