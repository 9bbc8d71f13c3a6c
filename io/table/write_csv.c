/* CSV output: rows have no fixed length, so ranks write 64-bit words to a scratch file, which is formatted at
 * commit. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/seed.h"
#include "csv_private.h"
#include "io/base/claim.h"
#include "io/base/durable.h"
#include "io/base/real_text.h"
#include "table_private.h"

static hb_status csv_make(const hb_table_writer *writer, bool fresh, int *fd)
{
    return hb_claim_new_file(writer->partial, 0600, fresh, fd);
}

static hb_status csv_locate(hb_table_writer *writer)
{
    writer->offset = 0;
    return HB_OK;
}

/* Writes the line of names. */
static void put_header(FILE *out, const hb_schema *schema)
{
    for (uint64_t c = 0; c < schema->columns; c++) {
        if (c > 0) {
            fputc(',', out);
        }
        if (schema->named) {
            hb_csv_put_name(out, schema->column[c].name);
        } else {
            /* A CSV always has a line of names, as reading one needs it. */
            fprintf(out, "column%" PRIu64, c + 1);
        }
    }
    fputc('\n', out);
}

static void put_cell(FILE *out, const hb_column *column, uint64_t value)
{
    if (column->cells == HB_CELL_REAL) {
        char text[HB_REAL_TEXT];
        hb_real_text(text, hb_real_of(value));
        fputs(text, out);
        hb_wipe(text, sizeof text); /* decrypted */
    } else {
        fprintf(out, column->is_signed ? "%" PRId64 : "%" PRIu64, value);
    }
}

/* Reads the scratch file back, some cells at a time, and writes them as text. */
static hb_status put_rows(FILE *out, const hb_table_writer *writer)
{
    enum { MOST = 1 << 14 }; /* cells at a time */
    const hb_schema *schema = &writer->schema;
    uint64_t *values = malloc(MOST * sizeof *values), cells = schema->rows * schema->columns, column = 0;
    hb_status st = HB_OK;
    if (!values) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a buffer", writer->partial);
    }
    for (uint64_t done = 0; done < cells && !ferror(out) && st == HB_OK; done += MOST) {
        const size_t piece = (size_t)(cells - done < MOST ? cells - done : MOST);
        st = hb_read_at(writer->fd, values, piece * sizeof *values, done * sizeof *values, writer->partial);
        for (size_t i = 0; i < piece && st == HB_OK; i++) {
            /* Failures of the stream are looked for once a piece, in the loop's condition, and at the flush. */
            put_cell(out, &schema->column[column], values[i]);
            column = column + 1 == schema->columns ? 0 : column + 1;
            fputc(column == 0 ? '\n' : ',', out);
        }
    }
    hb_wipe(values, MOST * sizeof *values); /* decrypted */
    free(values);
    return st;
}

/* Formats on the creator alone, after all ranks have synced. */
static hb_status csv_finish(hb_table_writer *writer, const char **finished)
{
    const char *path = writer->formatted;
    /* The stream's buffer is ours, to be wiped: it held decrypted values. */
    char text[BUFSIZ];
    int fd;
    HB_TRY(hb_claim_new_file(path, 0600, writer->force, &fd));
    /* Closing the writer removes it from now on. */
    writer->formatting = true;
    FILE *out = fdopen(fd, "w");
    if (!out) {
        close(fd);
        return HB_FAIL(HB_ENOMEM, "%s: cannot open a stream: %s", path, strerror(errno));
    }
    (void)setvbuf(out, text, _IOFBF, sizeof text);
    put_header(out, &writer->schema);
    hb_status st = put_rows(out, writer);
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
