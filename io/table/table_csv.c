/* CSV tables. One scan at opening checks every field and keeps the file offset of some rows, so that a rectangle
 * is read without a scan from the top, and memory stays small for any number of rows. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/seed.h"
#include "marks.h"
#include "table_rows.h"

/* A CSV table that was opened. */
typedef struct csv_table {
    hb_table base;
    char *path;
    hb_table_rows rows;
    uint64_t fields; /* of a line */
    bool trails;     /* the line of names ends in the sign between fields */
    char *room;      /* [room_bytes] for texts of the row without doubled quotes */
    size_t room_bytes;
    hb_lines lines;
    hb_marks marks;       /* where rows begin in the text */
    uint64_t begin, line; /* where the first row of the file does, and in which line */
    pthread_mutex_t lock; /* over all that reading changes: one thread reads at a time */
} csv_table;

/* Makes room for all texts of a line, where it has quotes. */
static hb_status make_room(csv_table *table, const char *line, size_t length)
{
    table->rows.context.room = NULL;
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
    table->rows.context.room = table->room;
    return HB_OK;
}

/* The signs that tables have between fields, and their words (--delimiter). */
static const struct {
    char sign;
    const char *word;
} delimiters[] = {{',', "comma"}, {';', "semicolon"}, {'\t', "tab"}, {'|', "pipe"}};

enum { DELIMITERS = sizeof delimiters / sizeof *delimiters };

static const char *word_of(char sign)
{
    size_t i = 0;
    while (i + 1 < DELIMITERS && delimiters[i].sign != sign) {
        i++;
    }
    return delimiters[i].word;
}

/* Refuses a line that goes on behind the last column, from `at` on. Some programs end each line in a delimiter. */
static hb_status refuse_rest(const csv_table *table, hb_csv_place place, const char *at, const char *end)
{
    const char delimiter = table->rows.context.delimiter;
    while (at < end && (*at == delimiter || *at == ' ' || *at == '\t')) {
        at++;
    }
    const char *help =
        "; the header has to name every column, and a text with the sign between fields stands in quotes";
    char where[HB_CSV_PLACE], ends[160];
    if (at == end) {
        snprintf(ends, sizeof ends,
                 "; it ends in a %s, which the header line does not: take it out at the end of every line",
                 word_of(delimiter));
        help = ends;
    }
    return HB_FAIL(HB_EDATA, "%s: %s has more fields than the header line, which has %" PRIu64 "%s", table->path,
                   hb_csv_place_text(where, place), table->fields, help);
}

/* Whether a line, which may be several of the file, ends within quotes. */
static bool is_open(const char *line, const char *end)
{
    bool open = false;
    for (; line < end; line++) {
        open = open != (*line == '"');
    }
    return open;
}

/* Another sign between fields, by which a line has as many as the header line, or several where it is one field by the
 * sign that was taken, which may stand within names; NULL: none is. */
static const char *other_delimiter(const csv_table *table, const char *line, const char *end, bool lone)
{
    const char *name = NULL;
    for (size_t i = 0; i < DELIMITERS; i++) {
        const uint64_t fields = hb_csv_count_fields(line, end, delimiters[i].sign);
        const bool splits = fields == table->fields || (lone && fields > 1);
        name = delimiters[i].sign != table->rows.context.delimiter && splits ? delimiters[i].word : name;
    }
    return name;
}

/* A row with too few fields. */
static hb_status refuse_few(const csv_table *table, hb_csv_place place, uint64_t fields, const char *line,
                            const char *end)
{
    char where[HB_CSV_PLACE], help[96] = ": an empty field needs its sign between fields, too";
    const char *other = other_delimiter(table, line, end, fields == 1);
    if (is_open(line, end)) {
        return HB_FAIL(HB_EDATA, "%s: %s has a quote that is not closed", table->path, hb_csv_place_text(where, place));
    }
    if (table->trails && fields + 1 == table->fields) {
        snprintf(help, sizeof help, ", as it ends in the sign between fields: take it out there");
    } else if (other != NULL) {
        snprintf(help, sizeof help, "; if another sign stands between fields, say which: --delimiter %s", other);
    }
    return HB_FAIL(HB_EDATA, "%s: %s has %" PRIu64 " field%s; the header line has %" PRIu64 "%s", table->path,
                   hb_csv_place_text(where, place), fields, fields == 1 ? "" : "s", table->fields, help);
}

/* Reads the cells of the first `columns` columns of a line, and with all of them the rest of it, of which only the
 * fields are counted. `place` is for messages. */
static hb_status read_cells(csv_table *table, hb_csv_place place, const char *line, size_t length, uint64_t columns)
{
    const hb_schema *schema = &table->base.schema;
    const char *at = line, *end = line + length;
    uint64_t c = 0, field = 0;
    HB_TRY(make_room(table, line, length));
    for (;; field++) {
        if (c < columns && table->rows.column[c].field == field) {
            hb_csv_read_cell(&table->rows.context, &table->rows.column[c], &schema->column[c].meaning, &at, end,
                             &table->rows.cell[c]);
            c++;
        } else {
            at = hb_csv_field_end(at, end, table->rows.context.delimiter);
        }
        if (at == end || (c == columns && columns < table->rows.columns) || field + 1 == table->fields) {
            break;
        }
        at++; /* the delimiter */
    }
    if (at == end && field + 1 < table->fields && (c < columns || columns == table->rows.columns)) {
        return refuse_few(table, place, field + 1, line, end);
    }
    if (at < end && field + 1 == table->fields) {
        return refuse_rest(table, place, at + 1, end);
    }
    return HB_OK;
}

/* Reads the cells of the first `columns` columns of the next row; of all where rows may be dropped. */
static hb_status next_row(csv_table *table, uint64_t row, uint64_t columns)
{
    const char *line;
    size_t length;
    columns = table->rows.drops ? table->rows.columns : columns;
    do {
        HB_TRY(hb_lines_next(&table->lines, &line, &length));
        HB_TRY(line != NULL ? read_cells(table, (hb_csv_place){row + 1, 0}, line, length, columns)
                            : hb_table_rows_changed(&table->rows, row));
    } while (table->rows.drops && hb_table_rows_is_dropped(&table->rows));
    return HB_OK;
}

/* Goes to the beginning of `row` from the nearest place before it that is known, by reading lines. */
static hb_status go_to_row(csv_table *table, uint64_t row)
{
    hb_mark from = hb_marks_before(&table->marks, row);
    hb_lines_seek(&table->lines, from.place);
    for (; from.row < row; from.row++) {
        const char *line;
        size_t length;
        HB_TRY(table->rows.drops ? next_row(table, from.row, 0) : hb_lines_next(&table->lines, &line, &length));
    }
    return HB_OK;
}

/* Reads one row of a rectangle. Everything was checked at opening: a refusal here means that the file was changed
 * since. */
static hb_status read_row(csv_table *table, uint64_t row, const hb_rectangle *cells, uint64_t *values)
{
    HB_TRY(next_row(table, row, hb_table_rows_needed(&table->rows, cells)));
    return hb_table_rows_put(&table->rows, row, cells->column, cells->columns, &values);
}

/* Reads a rectangle under the lock, and remembers where it began and ended. */
static hb_status read_rows(csv_table *table, const hb_rectangle *cells, uint64_t *values)
{
    const uint64_t words = hb_schema_words(&table->base.schema, cells->column, cells->columns);
    HB_TRY(go_to_row(table, cells->row));
    const hb_mark begin = {.row = cells->row, .place = hb_lines_tell(&table->lines)};
    for (uint64_t r = 0; r < cells->rows; r++) {
        HB_TRY(read_row(table, cells->row + r, cells, values + r * words));
    }
    /* Threads read neighbouring rectangles, of the same rows or of the next ones. */
    hb_marks_remember(&table->marks, begin);
    hb_marks_remember(&table->marks, (hb_mark){.row = cells->row + cells->rows, .place = hb_lines_tell(&table->lines)});
    return HB_OK;
}

/* Finds a row by reading all before it, as lines are counted from the beginning. */
static hb_status find_row(csv_table *table, uint64_t row, hb_csv_place *place)
{
    const uint64_t columns = table->rows.drops ? table->rows.columns : 0;
    hb_lines_seek(&table->lines, table->begin);
    table->lines.number = table->line;
    for (uint64_t found = 0, number = 1; found <= row; number++) {
        const char *line;
        size_t length;
        *place = (hb_csv_place){number, table->lines.number};
        HB_TRY(hb_lines_next(&table->lines, &line, &length));
        if (line == NULL) {
            return hb_table_rows_changed(&table->rows, row);
        }
        HB_TRY(read_cells(table, *place, line, length, columns));
        found += !(table->rows.drops && hb_table_rows_is_dropped(&table->rows));
    }
    return HB_OK;
}

static hb_status csv_find(hb_table *base, uint64_t row, const hb_table **of, hb_csv_place *place)
{
    csv_table *table = (csv_table *)base;
    *of = base;
    pthread_mutex_lock(&table->lock);
    const hb_status st = find_row(table, row, place);
    pthread_mutex_unlock(&table->lock);
    return st;
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

/* Frees the parts that hb_table_open_csv has made, also after a failure; the schema is cleared already. */
static void csv_close(hb_table *base)
{
    csv_table *table = (csv_table *)base;
    hb_lines_clear(&table->lines);
    if (base->fd >= 0) {
        close(base->fd);
    }
    pthread_mutex_destroy(&table->lock);
    hb_table_rows_clear(&table->rows);
    if (table->room != NULL) {
        hb_wipe(table->room, table->room_bytes);
    }
    free(table->room);
    hb_marks_clear(&table->marks);
    free(table->path);
    free(table);
}

static hb_status make_columns(csv_table *table, hb_csv_heading *names)
{
    hb_schema *schema = &table->base.schema;
    HB_TRY(hb_schema_alloc(schema, 0, names->columns));
    schema->rank = 2;
    schema->width = table->rows.context.cells == HB_CELL_WIDE ? 16 : 8;
    schema->named = true;
    table->fields = names->count;
    table->trails = names->name[names->count - 1][0] == '\0';
    HB_TRY(hb_table_rows_alloc(&table->rows));
    for (uint64_t f = 0, c = 0; f < names->count; f++) {
        if (!names->taken[f]) {
            continue;
        }
        hb_column *to = &schema->column[c];
        to->cells = table->rows.context.cells;
        to->name = names->name[f];
        names->name[f] = NULL;
        table->rows.column[c].field = f;
        table->rows.column[c].shown.notes.name_trimmed = names->trimmed[f];
        HB_TRY(hb_table_rows_set_column(&table->rows, c, true));
        c++;
    }
    return HB_OK;
}

static hb_status read_header(csv_table *table)
{
    hb_csv_heading names = {0};
    hb_status st = hb_csv_heading_read(&names, &table->lines, table->rows.reading);
    table->rows.context.delimiter = table->lines.delimiter;
    /* Commas between fields tell that points stand before fractions; a single field has none beside it. */
    const bool commas = table->lines.delimiter == ',' && (names.count > 1 || table->rows.reading->delimiter == ',');
    table->rows.context.looks = table->rows.context.dialect.decimal == 0 && !commas;
    st = st == HB_OK ? make_columns(table, &names) : st;
    hb_csv_heading_clear(&names);
    return st;
}

/* Reads a row of the file, and notes the facts that its cells show about their columns. */
static hb_status scan_row(csv_table *table, hb_csv_place place, const char *line, size_t length, bool *dropped)
{
    HB_TRY(read_cells(table, place, line, length, table->rows.columns));
    return hb_table_rows_note(&table->rows, place, dropped);
}

/* Looks at all rows, and counts the rows that are read. */
static hb_status scan_rows(csv_table *table)
{
    hb_schema *schema = &table->base.schema;
    bool ended = false;
    for (uint64_t row = 0;; row++) {
        /* Before the line is read, which may move the buffer. */
        const uint64_t offset = hb_lines_tell(&table->lines);
        const hb_csv_place place = {row + 1, table->lines.number};
        const char *line;
        size_t length;
        bool dropped;
        HB_TRY(hb_lines_next(&table->lines, &line, &length));
        if (!line) {
            return HB_OK;
        }
        if (hb_csv_is_blank(line, length, table->rows.context.delimiter)) {
            ended = true; /* fine at the end of the file, and only there */
            table->base.blank_lines++;
            row--;
            continue;
        }
        if (ended) {
            /* The last line that was empty. */
            char where[HB_CSV_PLACE];
            return HB_FAIL(HB_EDATA, "%s: %s is an empty line", table->path,
                           hb_csv_place_text(where, (hb_csv_place){place.row, place.line - 1}));
        }
        HB_TRY(scan_row(table, place, line, length, &dropped));
        if (!dropped) {
            hb_marks_keep(&table->marks, schema->rows, offset);
            schema->rows++;
        }
    }
}

/* Notes the dropped parts of texts. */
static hb_status keep_notes(csv_table *table)
{
    const hb_schema *schema = &table->base.schema;
    table->base.notes = calloc((size_t)schema->columns + 1, sizeof *table->base.notes);
    if (table->base.notes == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " columns", table->path, schema->columns);
    }
    for (uint64_t c = 0; c < table->rows.columns; c++) {
        table->base.notes[c] = table->rows.column[c].shown.notes;
        table->rows.column[c].shown.notes.label = NULL; /* the table's now */
    }
    return HB_OK;
}

/* One way through the whole file. */
static hb_status scan(csv_table *table)
{
    HB_TRY(read_header(table));
    table->begin = hb_lines_tell(&table->lines);
    table->line = table->lines.number;
    HB_TRY(scan_rows(table));
    const hb_reading *reading = table->rows.reading;
    if (reading->surveyed != NULL) {
        return reading->surveyed(reading->survey, &table->base.schema, table->rows.column);
    }
    HB_TRY(hb_table_rows_decide(&table->rows));
    return keep_notes(table);
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
    pthread_mutex_init(&table->lock, NULL); /* on Linux it cannot fail */
    hb_status st = HB_OK;
    HB_GOTO(hb_table_rows_init(&table->rows, &table->base, cells, reading));
    HB_GOTO(hb_marks_init(&table->marks, file));
    table->path = strdup(file);
    if (!table->path) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory to open it", file));
    }
    table->base.name = table->path;
    /* The scan ends at the size of this moment: later lines are not read. */
    HB_GOTO(hb_table_open_file(&table->base, file));
    HB_GOTO(hb_lines_init(&table->lines, table->base.fd, table->base.bytes, table->path, reading->dialect.charset));
    /* Lines that a logger appends meanwhile are no change: the rows that were counted stay. */
    table->base.grows = table->lines.text.gzip == NULL;
    st = scan(table);
    st = st == HB_OK ? st : hb_csv_heading_explain(&table->lines, reading, st);
done:
    table->rows.reading = NULL;
    if (st == HB_OK) {
        *out = &table->base;
    } else {
        hb_table_close(&table->base);
    }
    return st;
}
