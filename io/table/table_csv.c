/* CSV tables. One scan at opening checks every field and keeps the file offset of some rows, so that a rectangle
 * is read without a scan from the top, and memory stays small for any number of rows. Several threads read a plain
 * text. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/chunk.h"
#include "csv_part.h"

enum { MOST_IDLE = 16, MOST_PIECES = 16, PIECE_CELLS = 1 << 15 };

/* A CSV table that was opened. */
typedef struct csv_table {
    hb_table base;
    char *path;
    hb_csv_reader first;           /* that looked at all rows */
    hb_csv_reader idle[MOST_IDLE]; /* [idle_count] copies of it that no thread uses */
    size_t idle_count;
    hb_marks marks;          /* where rows begin in the text */
    uint64_t begin, line;    /* where the first row of the file does, and in which line */
    pthread_mutex_t lock;    /* over idle readers and marks */
    pthread_mutex_t reading; /* over the first reader */
} csv_table;

/* Reads the cells of the first `columns` columns of the next row; of all where rows may be dropped. */
static hb_status next_row(hb_csv_reader *reader, uint64_t row, uint64_t columns)
{
    const char *line;
    size_t length;
    columns = reader->rows.drops ? reader->rows.columns : columns;
    do {
        HB_TRY(hb_lines_next(&reader->lines, &line, &length));
        HB_TRY(line != NULL ? hb_csv_reader_cells(reader, (hb_csv_place){row + 1, 0}, line, length, columns)
                            : hb_table_rows_changed(&reader->rows, row));
    } while (reader->rows.drops && hb_table_rows_is_dropped(&reader->rows));
    return HB_OK;
}

/* Goes to the beginning of the rectangle from the nearest place before it that is known, by reading lines. */
static hb_status go_to(csv_table *table, hb_csv_reader *reader, const hb_rectangle *cells)
{
    pthread_mutex_lock(&table->lock);
    hb_mark from = hb_marks_before(&table->marks, cells->row);
    const hb_mark end = hb_marks_before(&table->marks, cells->row + cells->rows);
    pthread_mutex_unlock(&table->lock);
    reader->lines.until = end.place;
    hb_lines_seek(&reader->lines, from.place);
    for (; from.row < cells->row; from.row++) {
        const char *line;
        size_t length;
        HB_TRY(reader->rows.drops ? next_row(reader, from.row, 0) : hb_lines_next(&reader->lines, &line, &length));
    }
    return HB_OK;
}

/* Reads a rectangle, and remembers where it began and ended. Everything was checked at opening: a refusal here means
 * that the file was changed since. */
static hb_status read_rows(csv_table *table, hb_csv_reader *reader, const hb_rectangle *cells, uint64_t *values)
{
    const uint64_t columns = hb_table_rows_needed(&reader->rows, cells);
    HB_TRY(go_to(table, reader, cells));
    const hb_mark begin = {.row = cells->row, .place = hb_lines_tell(&reader->lines)};
    for (uint64_t row = cells->row; row < cells->row + cells->rows; row++) {
        HB_TRY(next_row(reader, row, columns));
        HB_TRY(hb_table_rows_put(&reader->rows, row, cells->column, cells->columns, &values));
    }
    /* Threads read neighbouring rectangles, of the same rows or of the next ones. */
    const hb_mark end = {.row = cells->row + cells->rows, .place = hb_lines_tell(&reader->lines)};
    pthread_mutex_lock(&table->lock);
    hb_marks_remember(&table->marks, begin);
    hb_marks_remember(&table->marks, end);
    pthread_mutex_unlock(&table->lock);
    return HB_OK;
}

/* Finds a row by reading all before it, as lines are counted from the beginning. */
static hb_status find_row(csv_table *table, uint64_t row, hb_csv_place *place)
{
    hb_csv_reader *reader = &table->first;
    const uint64_t columns = reader->rows.drops ? reader->rows.columns : 0;
    hb_lines_seek(&reader->lines, table->begin);
    reader->lines.until = UINT64_MAX;
    reader->lines.number = table->line;
    for (uint64_t found = 0, number = 1; found <= row; number++) {
        const char *line;
        size_t length;
        *place = (hb_csv_place){number, reader->lines.number};
        HB_TRY(hb_lines_next(&reader->lines, &line, &length));
        if (line == NULL) {
            return hb_table_rows_changed(&reader->rows, row);
        }
        HB_TRY(hb_csv_reader_cells(reader, *place, line, length, columns));
        found += !(reader->rows.drops && hb_table_rows_is_dropped(&reader->rows));
    }
    return HB_OK;
}

static hb_status csv_find(hb_table *base, uint64_t row, const hb_table **of, hb_csv_place *place)
{
    csv_table *table = (csv_table *)base;
    *of = base;
    pthread_mutex_lock(&table->reading);
    const hb_status st = find_row(table, row, place);
    pthread_mutex_unlock(&table->reading);
    return st;
}

/* Some rows of a rectangle, which one thread reads. */
typedef struct piece {
    csv_table *table;
    hb_rectangle cells;
    uint64_t *values;
    hb_status st;
    hb_error error;
} piece;

/* Takes an idle reader, or makes one. */
static hb_status take_reader(csv_table *table, hb_csv_reader *reader)
{
    *reader = (hb_csv_reader){.room = NULL};
    pthread_mutex_lock(&table->lock);
    if (table->idle_count > 0) {
        *reader = table->idle[--table->idle_count];
    }
    pthread_mutex_unlock(&table->lock);
    return reader->rows.cell != NULL ? HB_OK : hb_csv_reader_copy(reader, &table->first);
}

static void give_back(csv_table *table, hb_csv_reader *reader)
{
    pthread_mutex_lock(&table->lock);
    if (table->idle_count < MOST_IDLE && reader->lines.buffer != NULL) {
        table->idle[table->idle_count++] = *reader;
        *reader = (hb_csv_reader){.room = NULL};
    }
    pthread_mutex_unlock(&table->lock);
    hb_csv_reader_clear(reader, true);
}

static void *read_piece(void *context)
{
    piece *p = context;
    hb_csv_reader reader;
    p->st = take_reader(p->table, &reader);
    p->st = p->st == HB_OK ? read_rows(p->table, &reader, &p->cells, p->values) : p->st;
    p->error = *hb_last_error();
    give_back(p->table, &reader);
    return NULL;
}

/* Reads a large rectangle by several threads. The first rows that cannot be read are told. */
static hb_status read_pieces(csv_table *table, const hb_rectangle *cells, uint64_t *values)
{
    const uint64_t words = hb_schema_words(&table->base.schema, cells->column, cells->columns);
    const uint64_t most = cells->rows * cells->columns / PIECE_CELLS + 1, threads = hb_csv_threads(&table->first);
    const uint64_t count = most < threads ? most : threads, each = (cells->rows + count - 1) / count;
    piece of[MOST_PIECES];
    pthread_t thread[MOST_PIECES];
    uint64_t pieces = 0, running = 1;
    for (hb_chunk c = hb_chunks(cells->rows, each); hb_chunk_next(&c); pieces++) {
        const hb_rectangle some = {cells->row + c.first, c.count, cells->column, cells->columns};
        of[pieces] = (piece){.table = table, .cells = some, .values = values + c.first * words};
    }
    while (running < pieces && pthread_create(&thread[running], NULL, read_piece, &of[running]) == 0) {
        running++;
    }
    (void)read_piece(&of[0]);
    for (uint64_t i = running; i < pieces; i++) { /* there are no more threads to be had */
        (void)read_piece(&of[i]);
    }
    for (uint64_t i = 1; i < running; i++) {
        pthread_join(thread[i], NULL);
    }
    uint64_t first = 0;
    while (first + 1 < pieces && of[first].st == HB_OK) {
        first++;
    }
    if (of[first].st != HB_OK) {
        hb_set_error(&of[first].error);
    }
    return of[first].st;
}

/* Is hb_table_ops.read of a CSV; any number of threads, one after another where the text is not plain. */
static hb_status csv_read(hb_table *base, const hb_rectangle *cells, uint64_t *values)
{
    csv_table *table = (csv_table *)base;
    if (hb_lines_are_plain(&table->first.lines)) {
        return read_pieces(table, cells, values);
    }
    pthread_mutex_lock(&table->reading);
    const hb_status st = read_rows(table, &table->first, cells, values);
    pthread_mutex_unlock(&table->reading);
    return st;
}

/* Frees the parts that hb_table_open_csv has made, also after a failure; the schema is cleared already. */
static void csv_close(hb_table *base)
{
    csv_table *table = (csv_table *)base;
    while (table->idle_count > 0) {
        hb_csv_reader_clear(&table->idle[--table->idle_count], true);
    }
    hb_csv_reader_clear(&table->first, false);
    if (base->fd >= 0) {
        close(base->fd);
    }
    pthread_mutex_destroy(&table->reading);
    pthread_mutex_destroy(&table->lock);
    hb_marks_clear(&table->marks);
    free(table->path);
    free(table);
}

static hb_status make_columns(csv_table *table, hb_csv_heading *names)
{
    hb_schema *schema = &table->base.schema;
    HB_TRY(hb_schema_alloc(schema, 0, names->columns));
    schema->rank = 2;
    schema->width = table->first.rows.context.cells == HB_CELL_WIDE ? 16 : 8;
    schema->named = true;
    table->first.fields = names->count;
    table->first.trails = names->name[names->count - 1][0] == '\0';
    HB_TRY(hb_table_rows_alloc(&table->first.rows));
    for (uint64_t f = 0, c = 0; f < names->count; f++) {
        if (!names->taken[f]) {
            continue;
        }
        hb_column *to = &schema->column[c];
        to->cells = table->first.rows.context.cells;
        to->name = names->name[f];
        names->name[f] = NULL;
        table->first.rows.column[c].field = f;
        table->first.rows.column[c].shown.notes.name_trimmed = names->trimmed[f];
        HB_TRY(hb_table_rows_set_column(&table->first.rows, c, true));
        c++;
    }
    return HB_OK;
}

static hb_status read_header(csv_table *table)
{
    hb_csv_heading names = {0};
    hb_status st = hb_csv_heading_read(&names, &table->first.lines, table->first.rows.reading);
    table->first.rows.context.delimiter = table->first.lines.delimiter;
    /* Commas between fields tell that points stand before fractions; a single field has none beside it. */
    const bool commas =
        table->first.lines.delimiter == ',' && (names.count > 1 || table->first.rows.reading->delimiter == ',');
    table->first.rows.context.looks = table->first.rows.reading->dialect.decimal == 0 && !commas;
    st = st == HB_OK ? make_columns(table, &names) : st;
    hb_csv_heading_clear(&names);
    return st;
}

/* Looks at all rows from where the first reader is. Where ranks read the table together, each looks at a part. */
static hb_status look_at_rows(csv_table *table)
{
    hb_csv_reader *reader = &table->first;
    hb_csv_progress p = {.rows = 0};
    bool taken = false;
    if (reader->rows.reading->ranks != NULL) {
        HB_TRY(hb_csv_share_scan(reader, &table->marks, &p, &taken));
    }
    return taken ? HB_OK : hb_csv_scan_until(reader, &table->marks, &p, UINT64_MAX);
}

/* One way through the whole file. */
static hb_status scan(csv_table *table)
{
    HB_TRY(read_header(table));
    table->begin = hb_lines_tell(&table->first.lines);
    table->line = table->first.lines.number;
    HB_TRY(look_at_rows(table));
    const hb_reading *reading = table->first.rows.reading;
    if (reading->survey.take != NULL) {
        return reading->survey.take(reading->survey.context, &table->base.schema, table->first.rows.column);
    }
    HB_TRY(hb_table_rows_decide(&table->first.rows));
    return hb_table_rows_keep_notes(&table->first.rows);
}

static const hb_table_ops csv_ops = {.read = csv_read, .find = csv_find, .close = csv_close};

hb_status hb_table_open_csv(const char *file, hb_cell_type cells, const hb_reading *reading, hb_table **out)
{
    csv_table *table = calloc(1, sizeof *table);
    if (!table) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to open it", file);
    }
    table->base.ops = &csv_ops;
    table->base.fd = -1;
    pthread_mutex_init(&table->lock, NULL); /* on Linux neither can fail */
    pthread_mutex_init(&table->reading, NULL);
    hb_status st = HB_OK;
    HB_GOTO(hb_table_rows_init(&table->first.rows, &table->base, cells, reading));
    HB_GOTO(hb_marks_init(&table->marks, HB_MOST_MARKS, file));
    table->path = strdup(file);
    if (!table->path) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory to open it", file));
    }
    table->base.name = table->path;
    /* The scan ends at the size of this moment: later lines are not read. */
    HB_GOTO(hb_table_open_file(&table->base, file));
    HB_GOTO(
        hb_lines_init(&table->first.lines, table->base.fd, table->base.bytes, table->path, reading->dialect.charset));
    /* Lines that a logger appends meanwhile are no change: the rows that were counted stay. */
    table->base.grows = table->first.lines.text.gzip == NULL;
    st = scan(table);
    st = st == HB_OK ? st : hb_csv_heading_explain(&table->first.lines, reading, st);
done:
    table->first.rows.reading = NULL;
    if (st == HB_OK) {
        *out = &table->base;
    } else {
        hb_table_close(&table->base);
    }
    return st;
}
