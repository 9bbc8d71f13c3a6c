/* CSV tables. One scan at opening checks every field and keeps the file offset of some rows, so that a rectangle
 * is read without a scan from the top, and memory stays small for any number of rows. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/seed.h"
#include "csv_columns.h"
#include "io/base/real_text.h"
#include "table_private.h"

#define FIRST_STRIDE 1024 /* rows between two offsets that are kept */
#define MAX_OFFSETS ((size_t)1 << 16)

/* A row, and where it begins in the text. */
typedef struct mark {
    uint64_t row, offset;
} mark;

/* Places that are remembered: the next rectangle mostly begins where one of the last ones began or ended. */
enum { RECENT = 16 };

/* A CSV table that was opened. */
typedef struct csv_table {
    hb_table base;
    char *path;
    const hb_reading *reading; /* borrowed while the table is opened */
    hb_csv_context context;    /* how fields are read */
    hb_csv_column *column;     /* [base.schema.columns] */
    hb_csv_cell *cell;         /* [base.schema.columns] of the row that was read last */
    uint64_t columns, fields;  /* that are read; of a line */
    bool drops;                /* rows with missing cells are none */
    char *room;                /* [room_bytes] for texts of the row without doubled quotes */
    size_t room_bytes;
    hb_lines lines;
    uint64_t *offsets; /* [count] of rows 0, stride, 2 stride ...; the stride doubles when MAX_OFFSETS is reached */
    uint64_t stride;
    size_t count;
    mark recent[RECENT];  /* where the last rectangles began and ended: the next one mostly begins at one of them */
    size_t turn;          /* counts marks; turn % RECENT is replaced next */
    pthread_mutex_t lock; /* over all that reading changes: one thread reads at a time */
} csv_table;

/* Makes room for all texts of a line, where it has quotes. */
static hb_status make_room(csv_table *table, const char *line, size_t length)
{
    table->context.room = NULL;
    if (memchr(line, '"', length) == NULL) {
        return HB_OK;
    }
    if (length > table->room_bytes) {
        char *room = malloc(length);
        if (room == NULL) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory for a line of %zu bytes", table->path, length);
        }
        if (table->room != NULL) {
            hb_wipe(table->room, table->room_bytes); /* plaintext */
        }
        free(table->room);
        table->room = room;
        table->room_bytes = length;
    }
    table->context.room = table->room;
    return HB_OK;
}

/* Reads the cells of the first `columns` columns of a line, and with all of them the rest of it, of which only the
 * fields are counted. `row`, counted from 0, is for messages. */
static hb_status read_cells(csv_table *table, uint64_t row, const char *line, size_t length, uint64_t columns)
{
    const hb_schema *schema = &table->base.schema;
    const char *at = line, *end = line + length;
    uint64_t c = 0, field = 0;
    HB_TRY(make_room(table, line, length));
    for (;; field++) {
        if (c < columns && table->column[c].field == field) {
            hb_csv_read_cell(&table->context, &table->column[c], &schema->column[c].meaning, &at, end, &table->cell[c]);
            c++;
        } else {
            at = hb_csv_field_end(at, end, table->context.delimiter);
        }
        if (at == end || (c == columns && columns < schema->columns) || field + 1 == table->fields) {
            break;
        }
        at++; /* the delimiter */
    }
    if (at == end && field + 1 < table->fields && (c < columns || columns == schema->columns)) {
        return HB_FAIL(HB_EDATA, "%s: row %" PRIu64 " has %" PRIu64 " fields; the header line has %" PRIu64,
                       table->path, row + 1, field + 1, table->fields);
    }
    if (at < end && field + 1 == table->fields) {
        return HB_FAIL(HB_EDATA, "%s: row %" PRIu64 " has more fields than the header line, which has %" PRIu64,
                       table->path, row + 1, table->fields);
    }
    return HB_OK;
}

/* Whether a row whose cells were all read has one without which it is no row. */
static bool is_dropped(const csv_table *table)
{
    uint64_t c = 0;
    while (c < table->base.schema.columns &&
           !(table->cell[c].kind == HB_CSV_IS_MISSING && table->column[c].missing == HB_MISSING_DROP)) {
        c++;
    }
    return c < table->base.schema.columns;
}

static hb_status changed(const csv_table *table, uint64_t row)
{
    return HB_FAIL(HB_EDATA, "%s: row %" PRIu64 " was changed while the file was read", table->path, row + 1);
}

/* Reads the cells of the first `columns` columns of the next row; of all where rows may be dropped. */
static hb_status next_row(csv_table *table, uint64_t row, uint64_t columns)
{
    const char *line;
    size_t length;
    columns = table->drops ? table->base.schema.columns : columns;
    do {
        HB_TRY(hb_lines_next(&table->lines, &line, &length));
        HB_TRY(line != NULL ? read_cells(table, row, line, length, columns) : changed(table, row));
    } while (table->drops && is_dropped(table));
    return HB_OK;
}

/* Goes to the beginning of `row` from the nearest place before it that is known, by reading lines. */
static hb_status go_to_row(csv_table *table, uint64_t row)
{
    mark from = {.row = row / table->stride * table->stride, .offset = table->offsets[row / table->stride]};
    /* Marks that were never set have row 0 and lose against any offset that is kept. */
    for (size_t i = 0; i < RECENT; i++) {
        if (table->recent[i].row <= row && table->recent[i].row > from.row) {
            from = table->recent[i];
        }
    }
    hb_lines_seek(&table->lines, from.offset);
    for (; from.row < row; from.row++) {
        const char *line;
        size_t length;
        HB_TRY(table->drops ? next_row(table, from.row, 0) : hb_lines_next(&table->lines, &line, &length));
    }
    return HB_OK;
}

/* Stores the words of a number; returns where the next one goes. */
static uint64_t *put_number(uint64_t *values, const hb_column *column, const hb_csv_number *number)
{
    const uint64_t integer = number->negative ? 0 - number->magnitude : number->magnitude;
    *values++ = column->cells == HB_CELL_REAL ? hb_real_word(number->real) : integer;
    if (column->cells == HB_CELL_WIDE) {
        *values++ = number->negative ? ~number->high + (number->magnitude == 0) : number->high;
    }
    if (column->halves == HB_HALVES_COMPLEX) {
        *values++ = hb_real_word(number->imaginary);
    }
    return values;
}

/* What a cell is read as, where it is not what the scan of the table made of its column. */
static bool is_changed(const hb_column *column, const hb_csv_cell *cell)
{
    const hb_csv_number *number = &cell->number;
    /* A sign that the scan had not seen would be taken for another number. */
    return cell->kind != HB_CSV_IS_NUMBER || (number->is_complex && column->halves == HB_HALVES_REAL) ||
           (column->cells != HB_CELL_REAL && (column->is_signed ? hb_csv_is_large(number) : number->negative));
}

/* Reads one row of a rectangle. Everything was checked at opening: a refusal here means that the file was changed
 * since. */
static hb_status read_row(csv_table *table, uint64_t row, const hb_rectangle *cells, uint64_t *values)
{
    HB_TRY(next_row(table, row, cells->column + cells->columns));
    for (uint64_t c = cells->column; c < cells->column + cells->columns; c++) {
        const hb_column *column = &table->base.schema.column[c];
        const hb_csv_cell *cell = &table->cell[c];
        cell = cell->kind == HB_CSV_IS_MISSING ? &table->column[c].stand_in : cell;
        HB_TRY(is_changed(column, cell) ? changed(table, row) : HB_OK);
        values = put_number(values, column, &cell->number);
    }
    return HB_OK;
}

static void note_place(csv_table *table, mark place)
{
    table->recent[table->turn++ % RECENT] = place;
}

/* Reads a rectangle under the lock, and remembers where it began and ended. */
static hb_status read_rows(csv_table *table, const hb_rectangle *cells, uint64_t *values)
{
    const uint64_t words = hb_schema_words(&table->base.schema, cells->column, cells->columns);
    HB_TRY(go_to_row(table, cells->row));
    mark begin = {.row = cells->row, .offset = hb_lines_tell(&table->lines)};
    for (uint64_t r = 0; r < cells->rows; r++) {
        HB_TRY(read_row(table, cells->row + r, cells, values + r * words));
    }
    /* Threads read neighbouring rectangles, of the same rows or of those that follow. */
    note_place(table, begin);
    note_place(table, (mark){.row = cells->row + cells->rows, .offset = hb_lines_tell(&table->lines)});
    return HB_OK;
}

/* Is hb_table_ops.read of a CSV; any number of threads, one after another. */
static hb_status csv_read(hb_table *base, const hb_rectangle *cells, uint64_t *values)
{
    csv_table *table = (csv_table *)base;
    /* Parsing is done under the lock too: it works in the one buffer. */
    pthread_mutex_lock(&table->lock);
    const hb_status st = read_rows(table, cells, values);
    pthread_mutex_unlock(&table->lock);
    return st;
}

/* Frees what hb_table_open_csv has made, however far it came; the schema is cleared already. */
static void csv_close(hb_table *base)
{
    csv_table *table = (csv_table *)base;
    hb_lines_clear(&table->lines);
    if (base->fd >= 0) {
        close(base->fd);
    }
    pthread_mutex_destroy(&table->lock);
    for (uint64_t c = 0; table->column != NULL && c < table->columns; c++) {
        hb_csv_column_clear(&table->column[c]);
    }
    if (table->cell != NULL) {
        hb_wipe(table->cell, (size_t)table->columns * sizeof *table->cell); /* plaintext */
    }
    if (table->room != NULL) {
        hb_wipe(table->room, table->room_bytes);
    }
    free(table->column);
    free(table->cell);
    free(table->room);
    free(table->offsets);
    free(table->path);
    free(table);
}

/* What is said of a column, or nothing. */
static void set_column(const csv_table *table, const hb_column_reading *how, hb_csv_column *column, hb_column *to)
{
    const hb_reading *reading = table->reading;
    const bool own = how != NULL && how->has_missing;
    column->missing = own ? how->missing : reading->missing;
    column->replacement = own ? how->replacement : reading->replacement;
    column->guessed = how == NULL || !how->has_meaning;
    if (!column->guessed) {
        column->collects = how->collects_labels;
        column->exact = how->meaning.kind == HB_MEANING_NUMBER;
        to->meaning = hb_meaning_share(&how->meaning);
    }
}

static hb_status make_columns(csv_table *table, hb_csv_heading *names)
{
    hb_schema *schema = &table->base.schema;
    HB_TRY(hb_schema_alloc(schema, 0, names->columns));
    schema->rank = 2;
    schema->width = table->context.cells == HB_CELL_WIDE ? 16 : 8;
    schema->named = true;
    table->fields = names->count;
    table->columns = names->columns;
    table->column = calloc((size_t)names->columns + 1, sizeof *table->column);
    table->cell = calloc((size_t)names->columns + 1, sizeof *table->cell);
    if (table->column == NULL || table->cell == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " columns", table->path, names->columns);
    }
    for (uint64_t f = 0, c = 0; f < names->count; f++) {
        if (!names->taken[f]) {
            continue;
        }
        hb_column *to = &schema->column[c];
        to->cells = table->context.cells;
        to->name = names->name[f];
        names->name[f] = NULL;
        table->column[c].field = f;
        set_column(table, table->reading->count > 0 ? hb_reading_of(table->reading, to->name) : NULL, &table->column[c],
                   to);
        if (to->cells == HB_CELL_REAL && hb_meaning_scale(&to->meaning) > 1) {
            return HB_FAIL(HB_EUSAGE, "--scale: reals have no scale: leave it out for column '%.64s'", to->name);
        }
        table->column[c].exact = table->column[c].exact && to->cells != HB_CELL_REAL;
        table->drops = table->drops || table->column[c].missing == HB_MISSING_DROP;
        c++;
    }
    return HB_OK;
}

static hb_status read_header(csv_table *table)
{
    hb_csv_heading names = {0};
    hb_status st = hb_csv_heading_read(&names, &table->lines, table->reading);
    table->context.delimiter = table->lines.delimiter;
    st = st == HB_OK ? make_columns(table, &names) : st;
    hb_csv_heading_clear(&names);
    return st;
}

/* Remembers where `row` begins, if it is one of those that are kept. When the array is full every other offset goes. */
static void keep_offset(csv_table *table, uint64_t row, uint64_t offset)
{
    if (row % table->stride != 0) {
        return;
    }
    if (table->count == MAX_OFFSETS) {
        for (size_t i = 0; i < MAX_OFFSETS / 2; i++) {
            table->offsets[i] = table->offsets[2 * i];
        }
        table->count /= 2;
        table->stride *= 2;
    }
    table->offsets[table->count++] = offset;
}

/* Fails as soon as a column holds values of which no 64-bit type holds both. */
static hb_status check_signs(const csv_table *table, uint64_t column)
{
    const hb_csv_shown *shown = &table->column[column].shown;
    if (shown->negative == 0 || shown->large == 0 || table->context.cells == HB_CELL_REAL) {
        return HB_OK; /* each alone is fine: the column is signed, or it is not */
    }
    char label[HB_COLUMN_LABEL];
    hb_column_label(label, &table->base.schema, column);
    const int bits = table->context.cells == HB_CELL_WIDE ? 128 : 64;
    return HB_FAIL(HB_EDATA,
                   "%s: column %s is negative in row %" PRIu64 " and above 2^%d - 1 in row %" PRIu64
                   ": no %d-bit type holds both",
                   table->path, label, shown->negative, bits - 1, shown->large, bits);
}

/* Reads a row, counted from 0 in the file, and notes what its cells show of their columns. */
static hb_status scan_row(csv_table *table, uint64_t row, const char *line, size_t length, bool *dropped)
{
    const uint64_t columns = table->base.schema.columns;
    HB_TRY(read_cells(table, row, line, length, columns));
    *dropped = table->drops && is_dropped(table);
    for (uint64_t c = 0; c < columns && !*dropped; c++) {
        HB_TRY(hb_csv_note_cell(&table->column[c], row, &table->cell[c]));
        HB_TRY(check_signs(table, c));
    }
    return HB_OK;
}

/* Looks at all rows, and counts those that are read. */
static hb_status scan_rows(csv_table *table)
{
    hb_schema *schema = &table->base.schema;
    bool ended = false;
    for (uint64_t row = 0;; row++) {
        /* Before the line is read, which may move the buffer. */
        const uint64_t offset = hb_lines_tell(&table->lines);
        const char *line;
        size_t length;
        bool dropped;
        HB_TRY(hb_lines_next(&table->lines, &line, &length));
        if (!line) {
            return HB_OK;
        }
        if (hb_csv_is_blank(line, length, table->context.delimiter)) {
            ended = true; /* fine at the end of the file, and only there */
            row--;
            continue;
        }
        if (ended) {
            return HB_FAIL(HB_EDATA, "%s: row %" PRIu64 " is an empty line", table->path, row + 1);
        }
        HB_TRY(scan_row(table, row, line, length, &dropped));
        if (!dropped) {
            keep_offset(table, schema->rows, offset);
            schema->rows++;
        }
    }
}

/* Decides what columns are, after all rows. */
static hb_status decide(csv_table *table)
{
    hb_schema *schema = &table->base.schema;
    bool all = true;
    for (uint64_t c = 0; c < schema->columns; c++) {
        bool readable;
        hb_status st = hb_csv_decide(&table->context, &table->column[c], &schema->column[c], &readable);
        if (st != HB_OK) {
            const hb_error cause = *hb_last_error();
            return HB_FAIL(st, "%s: %.400s", table->path, cause.text);
        }
        HB_TRY(check_signs(table, c));
        all = all && readable;
    }
    return all ? HB_OK : hb_csv_refuse(table->path, schema, table->column, table->context.cells);
}

/* One way through the whole file. */
static hb_status scan(csv_table *table)
{
    HB_TRY(read_header(table));
    HB_TRY(scan_rows(table));
    return decide(table);
}

static const hb_table_ops csv_ops = {.read = csv_read, .close = csv_close};

hb_status hb_table_open_csv(const char *file, hb_cell_type cells, const hb_reading *reading, hb_table **out)
{
    csv_table *table = calloc(1, sizeof *table);
    if (!table) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to open it", file);
    }
    table->base.ops = &csv_ops;
    table->base.fd = -1;
    pthread_mutex_init(&table->lock, NULL); /* on Linux it cannot fail */
    table->context.cells = cells;
    table->reading = reading;
    table->stride = FIRST_STRIDE;
    table->path = strdup(file);
    table->offsets = malloc(MAX_OFFSETS * sizeof *table->offsets);
    hb_status st = HB_OK;
    if (!table->path || !table->offsets) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory to open it", file));
    }
    table->base.name = table->path;
    /* Its size at this moment is what is scanned: lines that come later are not read. */
    HB_GOTO(hb_table_open_file(&table->base, file));
    HB_GOTO(hb_lines_init(&table->lines, table->base.fd, table->base.bytes, table->path));
    /* Lines that a logger appends meanwhile are no change: the rows that were counted stay. */
    table->base.grows = table->lines.text.gzip == NULL;
    st = scan(table);
done:
    table->reading = NULL;
    if (st == HB_OK) {
        *out = &table->base;
    } else {
        hb_table_close(&table->base);
    }
    return st;
}
