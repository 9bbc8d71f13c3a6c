/* CSV output: rows have no fixed length, so ranks write 64-bit words to a scratch file, which is formatted at
 * commit. For standard output that file is memory that has no name and touches no disk. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/chunk.h"
#include "base/modarith.h"
#include "base/seed.h"
#include "csv_field.h"
#include "csv_private.h"
#include "io/files/durable.h"
#include "io/files/file_lock.h"
#include "table/real_text.h"
#include "table_private.h"

static hb_status csv_make(const hb_table_writer *writer, bool fresh, int *fd)
{
    return hb_file_lock_new_file(writer->partial, 0600, fresh, fd);
}

static hb_status csv_locate(hb_table_writer *writer)
{
    writer->offset = 0;
    return HB_OK;
}

/* Writes the line of names. sources: which columns of a larger table these are; NULL: all of it. */
static void put_header(FILE *out, const hb_schema *schema, const uint64_t *sources, char delimiter)
{
    const uint64_t shown = hb_schema_shown(schema);
    for (uint64_t c = 0; c < shown; c++) {
        if (c > 0) {
            fputc(delimiter, out);
        }
        size_t stem = 0;
        const uint64_t digits = hb_columns_digits(&schema->column[c], shown - c, &stem);
        if (schema->named && digits > 0) {
            char name[HB_COLUMN_NAME_MAX + 1] = "";
            memcpy(name, schema->column[c].name, stem); /* which is shorter than that of a digit */
            hb_csv_put_field(out, name, delimiter, shown == 1);
            c += digits - 1;
        } else if (schema->named) {
            hb_csv_put_field(out, schema->column[c].name, delimiter, shown == 1);
        } else {
            /* A CSV always has a line of names, as reading one needs it. */
            fprintf(out, "column%" PRIu64, (sources != NULL ? sources[c] : c) + 1);
        }
    }
    fputc('\n', out);
}

static void put_real(FILE *out, const char *plus, uint64_t value)
{
    char text[HB_REAL_TEXT];
    hb_real_text(text, hb_real_of(value));
    fprintf(out, "%s%s", text[0] == '-' ? "" : plus, text);
    hb_wipe(text, sizeof text); /* decrypted */
}

/* Writes the meaning of an integer; false where it has none. Reals are errors away from integers. */
static bool put_meaning(FILE *out, const hb_column *column, uint64_t value, char delimiter)
{
    char room[HB_MEANING_TEXT];
    const bool real = column->cells == HB_CELL_REAL;
    const double nearest = real ? rint(hb_real_of(value)) : 0;
    if (!(fabs(nearest) < 0x1p62)) {
        return false;
    }
    const uint64_t integer = real ? (uint64_t)(int64_t)nearest : value;
    const char *text = hb_meaning_text(&column->meaning, real || column->is_signed, integer, room);
    if (text != NULL) {
        hb_csv_put_field(out, text, delimiter, false);
    }
    hb_wipe(room, sizeof room); /* decrypted */
    return text != NULL;
}

/* An integer, as a decimal with so many digits behind the point, but for zeros at its end. */
static void put_wide(FILE *out, bool is_signed, const uint64_t value[HB_WIDE_CELL], size_t behind)
{
    char text[HB_WIDE_TEXT], *digits = text;
    hb_wide_text(text, hb_wide_of_cell(value, is_signed));
    if (*digits == '-') {
        fputc(*digits++, out);
    }
    size_t length = strlen(digits);
    for (; behind > 0 && digits[length - 1] == '0'; behind--) {
        length -= length > 1; /* of 0 itself one digit stays */
    }
    const size_t whole = length > behind ? length - behind : 0;
    fprintf(out, "%.*s", whole > 0 ? (int)whole : 1, whole > 0 ? digits : "0");
    fputs(behind > 0 ? "." : "", out);
    for (size_t zeros = length; zeros < behind; zeros++) {
        fputc('0', out);
    }
    fprintf(out, "%.*s", (int)(length - whole), digits + whole);
    hb_wipe(text, sizeof text); /* decrypted */
}

/* Whether there is nothing of a value, as of a mean of no rows, or where the mask says so. */
static bool is_missing(const hb_schema *schema, uint64_t c, const uint64_t *row, const uint64_t *value)
{
    const hb_column *column = &schema->column[c];
    return (column->cells == HB_CELL_REAL && isnan(hb_real_of(value[0]))) || hb_table_is_masked(schema, c, row);
}

/* Writes a cell: one word, or two of a complex number or a wide integer. False where it has no text. */
static bool put_cell(FILE *out, const hb_column *column, const uint64_t *value, char delimiter)
{
    const bool wide = column->cells == HB_CELL_WIDE;
    if (wide && column->meaning.kind == HB_MEANING_NUMBER) {
        put_wide(out, column->is_signed, value, (size_t)hb_scale_digits(hb_meaning_scale(&column->meaning)));
        return true;
    }
    if (!hb_meaning_is_plain(&column->meaning)) {
        const uint64_t high = wide && column->is_signed && (int64_t)value[0] < 0 ? UINT64_MAX : 0;
        return (!wide || value[1] == high) && put_meaning(out, column, value[0], delimiter);
    }
    if (column->cells != HB_CELL_REAL) {
        fprintf(out, column->is_signed ? "%" PRId64 : "%" PRIu64, value[0]);
        return true;
    }
    put_real(out, "", value[0]);
    if (column->halves == HB_HALVES_COMPLEX) {
        put_real(out, "+", value[1]);
        fputc('j', out);
    }
    return true;
}

/* Writes the number that digits are, the highest one first. */
static void put_digits(FILE *out, const hb_column *column, const uint64_t *values, uint64_t digits)
{
    hb_u128 number = 0;
    for (uint64_t i = 0; i < digits; i++) {
        number = number * column->digit_base + values[i * hb_column_words(column)];
    }
    uint64_t words[HB_WIDE_CELL] = {(uint64_t)number, (uint64_t)(number >> 64)};
    put_wide(out, false, words, 0);
    hb_wipe(words, sizeof words); /* decrypted */
}

/* How many columns, from each on, are the digits of one number; the caller frees it. */
static uint64_t *find_digits(const hb_schema *schema)
{
    uint64_t *digits = calloc((size_t)schema->columns + 1, sizeof *digits);
    for (uint64_t c = 0; digits != NULL && schema->named && c < schema->columns; c++) {
        size_t stem;
        digits[c] = hb_columns_digits(&schema->column[c], schema->columns - c, &stem); /* masks are none */
    }
    return digits;
}

/* Writes some whole rows as text, from `row` on. */
static hb_status put_some(FILE *out, const char *file, const hb_schema *schema, const uint64_t *digits, uint64_t row,
                          const uint64_t *values, uint64_t rows)
{
    const char delimiter = hb_table_delimiter(file);
    const uint64_t shown = hb_schema_shown(schema), width = hb_schema_words(schema, 0, schema->columns);
    for (uint64_t r = 0; r < rows; r++) {
        const uint64_t *from = values + r * width, *value = from;
        for (uint64_t c = 0; c < shown; c++) {
            if (digits[c] > 0) {
                put_digits(out, &schema->column[c], value, digits[c]);
                value += (digits[c] - 1) * hb_column_words(&schema->column[c]);
                c += digits[c] - 1;
            } else if (is_missing(schema, c, from, value)) {
                hb_csv_put_field(out, "", delimiter, shown == 1);
            } else if (!put_cell(out, &schema->column[c], value, delimiter)) {
                char label[HB_COLUMN_LABEL], words[HB_MEANING_WORDS];
                hb_column_label(label, schema, c);
                hb_meaning_words(&schema->column[c].meaning, words);
                return HB_FAIL(HB_EDATA,
                               "%s: row %" PRIu64 ", column %s: the value is none of the column, which has %s; was it "
                               "decrypted with the right key?",
                               file, row + r + 1, label, words);
            }
            value += hb_column_words(&schema->column[c]);
            fputc(c + 1 == shown ? '\n' : delimiter, out);
        }
    }
    return HB_OK;
}

static hb_status put_lines(FILE *out, const char *file, const hb_schema *schema, uint64_t row, const uint64_t *values,
                           uint64_t rows)
{
    uint64_t *digits = find_digits(schema);
    const hb_status st = digits != NULL ? put_some(out, file, schema, digits, row, values, rows)
                                        : HB_FAIL(HB_ENOMEM, "%s: no memory for its columns", file);
    free(digits);
    return st;
}

/* Reads the scratch file back, some rows at a time, and writes them as text. */
static hb_status put_rows(FILE *out, const hb_table_writer *writer)
{
    enum { MOST = 1 << 14 }; /* words at a time, unless one row has more */
    const hb_schema *schema = &writer->schema;
    const uint64_t most = writer->words < MOST ? MOST / writer->words : 1; /* rows */
    const size_t bytes = (size_t)(most * writer->words) * sizeof(uint64_t);
    uint64_t *values = malloc(bytes);
    hb_status st = HB_OK;
    if (!values) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a buffer", writer->partial);
    }
    for (hb_chunk c = hb_chunks(schema->rows, most); st == HB_OK && !ferror(out) && hb_chunk_next(&c);) {
        st = hb_table_read_back(writer, c.first, c.count, values);
        if (st == HB_OK) {
            /* Failures of the stream are looked for once a piece, in the loop's condition, and at the flush. */
            st = put_lines(out, writer->file, schema, c.first, values, c.count);
        }
    }
    hb_wipe(values, bytes); /* decrypted */
    free(values);
    return st;
}

static hb_status put_csv(FILE *out, const hb_table_writer *writer)
{
    if (writer->schema.grouping == NULL) {
        put_header(out, &writer->schema, writer->sources, hb_table_delimiter(writer->file));
        return put_rows(out, writer);
    }
    hb_schema schema;
    uint64_t *values;
    HB_TRY(hb_table_show_groups(writer, &schema, &values));
    put_header(out, &schema, NULL, hb_table_delimiter(writer->file));
    const hb_status st = put_lines(out, writer->file, &schema, 0, values, schema.rows);
    hb_wipe(values, hb_table_shown_bytes(&schema)); /* decrypted */
    free(values);
    hb_schema_clear(&schema);
    return st;
}

/* Formats on the creator alone, after all ranks have synced. */
static hb_status csv_finish(hb_table_writer *writer, const char **finished)
{
    const char *path = writer->formatted;
    /* The stream's buffer is ours, to be wiped: it held decrypted values. */
    char text[BUFSIZ];
    int fd;
    HB_TRY(hb_file_lock_new_file(path, 0600, writer->force, &fd));
    /* Closing the writer removes it from now on. */
    writer->formatting = true;
    FILE *out = fdopen(fd, "w");
    if (!out) {
        close(fd);
        return HB_FAIL(HB_ENOMEM, "%s: cannot open a stream: %s", path, strerror(errno));
    }
    (void)setvbuf(out, text, _IOFBF, sizeof text);
    hb_status st = put_csv(out, writer);
    errno = 0;
    /* A full disk shows here at the latest; fclose then has nothing left to write. */
    if (st == HB_OK && (fflush(out) != 0 || ferror(out))) {
        st = HB_FAIL(HB_EIO, "%s: cannot write: %s", path, errno ? strerror(errno) : "the disk may be full");
    }
    if (st == HB_OK) {
        st = hb_sync(fd, path);
    }
    /* This closes the descriptor as well, and with it the lock: the caller renames at once. */
    if (fclose(out) != 0 && st == HB_OK) {
        st = HB_FAIL(HB_EIO, "%s: cannot write: %s", path, strerror(errno));
    }
    hb_wipe(text, sizeof text);
    *finished = path;
    return st;
}

const hb_table_writer_ops hb_table_writer_csv = {.make = csv_make, .locate = csv_locate, .finish = csv_finish};

/* --- to standard output */

bool hb_table_is_stdout(const char *name)
{
    return strcmp(name, "-") == 0 || strcmp(name, "/dev/stdout") == 0;
}

static hb_status stdout_make(const hb_table_writer *writer, bool fresh, int *fd)
{
    (void)fresh;
    *fd = memfd_create("hebatch table", MFD_CLOEXEC);
    return *fd >= 0 ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory for its cells: %s", writer->file, strerror(errno));
}

static hb_status stdout_locate(hb_table_writer *writer)
{
    writer->offset = 0;
    return HB_OK;
}

static hb_status stdout_finish(hb_table_writer *writer, const char **finished)
{
    char text[BUFSIZ]; /* ours, to be wiped */
    *finished = writer->partial;
    /* Another stream on the same descriptor: earlier output comes first. */
    const int fd = fflush(stdout) == 0 ? dup(STDOUT_FILENO) : -1;
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out == NULL) {
        if (fd >= 0) {
            close(fd);
        }
        return HB_FAIL(HB_EIO, "cannot write to standard output: %s", strerror(errno));
    }
    (void)setvbuf(out, text, _IOFBF, sizeof text);
    hb_status st = put_csv(out, writer);
    errno = 0;
    if (st == HB_OK && (fflush(out) != 0 || ferror(out))) {
        st = HB_FAIL(HB_EIO, "cannot write to standard output: %s",
                     errno != 0 ? strerror(errno) : "an earlier write failed");
    }
    if (fclose(out) != 0 && st == HB_OK) {
        st = HB_FAIL(HB_EIO, "cannot write to standard output: %s", strerror(errno));
    }
    hb_wipe(text, sizeof text);
    return st;
}

const hb_table_writer_ops hb_table_writer_stdout = {
    .make = stdout_make, .locate = stdout_locate, .finish = stdout_finish};
