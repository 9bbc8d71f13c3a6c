/* Writes tables: the common part of both kinds. Cells go to their places with pwrite, so any number of ranks and
 * threads can write. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/seed.h"
#include "io/dataset/file_kind.h"
#include "io/files/durable.h"
#include "io/files/file_lock.h"
#include "table_private.h"

/* Refuses to replace a key, or a part of a dataset, by a table, also with `force`. */
static hb_status check_not_ours(const char *path)
{
    struct stat info;
    if (lstat(path, &info) < 0 || !S_ISREG(info.st_mode)) {
        return HB_OK;
    }
    /* Any file that is none of hebatch's fails to say its kind: that failure is forgotten. */
    hb_file_kind kind;
    const hb_error before = *hb_last_error();
    const hb_status st = hb_file_kind_of(path, &kind);
    hb_set_error(&before);
    if (st == HB_OK) {
        return HB_FAIL(HB_ECREATE, "%s: is a %s of hebatch; it is not replaced by a table", path,
                       kind == HB_FILE_DATASET ? "part of a dataset" : "key file");
    }
    return HB_OK;
}

/* Refuses files that a running job writes, and pipes and devices. A file that may not be written cannot be held, but it
 * can be replaced in a folder that is ours. */
static hb_status check_unheld(const char *path)
{
    int fd;
    const hb_status st = access(path, W_OK) < 0 && errno == EACCES ? HB_ENOINPUT : hb_file_lock_take(path, &fd);
    if (st == HB_OK) {
        close(fd);
    }
    return st == HB_ENOINPUT ? HB_OK : st;
}

/* A link is replaced itself, not its target. */
static hb_status check_free(const char *path, bool force, const char *advice)
{
    struct stat info;
    if (lstat(path, &info) < 0) {
        return errno == ENOENT ? HB_OK : HB_FAIL(HB_ECREATE, "%s: cannot be created: %s", path, strerror(errno));
    }
    if (!S_ISLNK(info.st_mode) && !S_ISDIR(info.st_mode)) {
        HB_TRY(check_unheld(path));
    }
    if (!force) {
        return HB_FAIL(HB_ECREATE, "%s: %s", path, advice);
    }
    return S_ISDIR(info.st_mode) ? HB_FAIL(HB_ECREATE, "%s: is a folder", path) : HB_OK;
}

/* Returns HB_ECREATE unless the file of this writer, and the files that it makes on the way, may be made; with `force`
 * also over others, except for files of hebatch and files that a running job writes. */
static hb_status check_target(const hb_table_writer *writer, bool force)
{
    if (writer->stream) {
        return HB_OK;
    }
    const char *unfinished = "left by an unfinished job; remove it, or use --force";
    HB_TRY(hb_can_create(writer->file));
    HB_TRY(check_free(writer->file, force, "exists already; use --force to replace the whole file"));
    HB_TRY(check_not_ours(writer->file));
    HB_TRY(check_free(writer->partial, force, unfinished));
    return writer->finished ? check_free(writer->finished, force, unfinished) : HB_OK;
}

/* Fails unless the name still belongs to the file that was made, so that it was not replaced. */
static hb_status check_still_ours(const hb_table_writer *writer)
{
    if (!hb_path_means(writer->partial, writer->fd)) {
        return HB_FAIL(HB_ECREATE, "%s: another job has replaced it", writer->partial);
    }
    return HB_OK;
}

/* Makes a writer of a table of this schema, or of any where it is NULL, with names and kind, without a schema and with
 * nothing opened. */
static hb_status writer_alloc(const char *name, const hb_schema *schema, hb_table_writer **out)
{
    hb_table_writer *writer = calloc(1, sizeof *writer);
    const bool grouped = schema != NULL && schema->grouping != NULL;
    const bool masked = schema != NULL && hb_schema_masks(schema) > 0;
    if (!writer) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to write it", name);
    }
    /* From here on closing works, also after a failure. */
    writer->fd = -1;
    hb_status st = HB_OK;
    writer->stream = hb_table_is_stdout(name);
    if (writer->stream) {
        writer->file = strdup("standard output");
        writer->partial = strdup("standard output");
        st = writer->file && writer->partial ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory to write to standard output");
        writer->ops = &hb_table_writer_stdout;
        HB_GOTO(st);
    } else {
        HB_GOTO(hb_table_name_split(name, &writer->file, &writer->dataset));
        if (writer->dataset == NULL && hb_table_is_compressed(writer->file)) {
            HB_GOTO(HB_FAIL(HB_EUSAGE, "%s: compressed tables are read, not written: name it without .gz", name));
        }
        if (writer->dataset && strcmp(writer->dataset, "/") == 0) {
            HB_GOTO(HB_FAIL(HB_EUSAGE, "'%s' names no table: give FILE.h5:/DATASET or FILE.csv", name));
        }
        writer->ops = writer->dataset ? &hb_table_writer_h5 : &hb_table_writer_csv;
        if (writer->dataset && (grouped || masked)) {
            writer->ops = &hb_table_writer_grouped_h5;
        }
        /* Cells of a CSV have another file than its text, which has a name of the same kind. */
        writer->direct = writer->dataset && !grouped && !masked;
        HB_GOTO(hb_path_with(writer->file, writer->direct ? ".partial" : ".partial.raw", &writer->partial));
        if (!writer->direct) {
            HB_GOTO(hb_path_with(writer->file, ".partial", &writer->finished));
        }
    }
    *out = writer;
    writer = NULL;
done:
    hb_table_writer_close(writer);
    return st;
}

/* Decides the type of the file's cells: for an HDF5 dataset the table's own type, for a CSV's scratch file 64 bits. */
static hb_status set_schema(hb_table_writer *writer, const hb_schema *from, const hb_table_view *view)
{
    uint64_t cells;
    HB_TRY(hb_table_set_view(writer, from, view));
    hb_schema *schema = &writer->schema;
    /* Half of the largest offset, so that the file's head and two words a cell fit too. */
    if (__builtin_mul_overflow(schema->rows, schema->columns, &cells) || cells > INT64_MAX / 4 / sizeof(uint64_t)) {
        return HB_FAIL(HB_ECREATE, "%s: %" PRIu64 " rows of %" PRIu64 " columns are more than a file can hold",
                       writer->file, schema->rows, schema->columns);
    }
    writer->words = hb_schema_words(schema, 0, schema->columns);
    writer->real = schema->columns > 0 && schema->column[0].cells == HB_CELL_REAL;
    writer->wide = schema->columns > 0 && schema->column[0].cells == HB_CELL_WIDE;
    writer->by_column = !writer->direct || writer->real || writer->wide;
    writer->width = writer->by_column ? (uint32_t)sizeof(uint64_t) : schema->width;
    writer->big_endian = writer->direct && schema->big_endian && !writer->wide;
    if (writer->stream && cells > (UINT64_C(1) << 31) / sizeof(uint64_t)) {
        return HB_FAIL(HB_EUSAGE,
                       "%" PRIu64 " rows of %" PRIu64 " columns are more than standard output takes at once, 2 GiB: "
                       "name a file, or choose fewer with --rows and --columns",
                       schema->rows, schema->columns);
    }
    /* One type serves all columns of an HDF5 dataset; columns of CSV tables have each their own sign. */
    for (uint64_t c = 0; c < schema->columns; c++) {
        writer->is_signed = writer->is_signed || schema->column[c].is_signed;
        writer->mixed = writer->mixed || schema->column[c].is_signed != schema->column[0].is_signed;
    }
    return HB_OK;
}

/* Returns the length of the file with all cells. */
static uint64_t length_of(const hb_table_writer *writer)
{
    return writer->offset + writer->schema.rows * writer->words * writer->width;
}

/* Opens the file that the creator made. O_NONBLOCK: a file that another process put in its place must not keep this one
 * waiting. */
static hb_status writer_open(hb_table_writer *writer)
{
    struct stat info;
    writer->fd = open(writer->partial, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (writer->fd < 0) {
        return HB_FAIL(HB_ECREATE, "%s: cannot be opened to write: %s", writer->partial, strerror(errno));
    }
    if (fstat(writer->fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        return HB_FAIL(HB_ECREATE, "%s: is no regular file", writer->partial);
    }
    return HB_OK;
}

hb_status hb_table_reserve(const hb_table_writer *writer)
{
    return hb_reserve(writer->fd, length_of(writer), writer->partial);
}

hb_status hb_table_create(const char *name, const hb_schema *schema, bool force, hb_table_writer **out)
{
    return hb_table_create_view(name, schema, NULL, force, out);
}

hb_status hb_table_create_view(const char *name, const hb_schema *schema, const hb_table_view *view, bool force,
                               hb_table_writer **out)
{
    hb_table_writer *writer = NULL;
    HB_TRY(writer_alloc(name, schema, &writer));
    hb_status st = HB_OK;
    HB_GOTO(set_schema(writer, schema, view));
    HB_GOTO(check_target(writer, force));
    writer->force = force;
    HB_GOTO(writer->ops->make(writer, force, &writer->fd));
    /* From here on closing removes the file. */
    writer->creator = true;
    HB_GOTO(writer->ops->locate(writer));
    /* Its full length at once, so that ranks may write anywhere in it. */
    HB_GOTO(hb_set_length(writer->fd, length_of(writer), writer->partial));
    *out = writer;
    writer = NULL;
done:
    hb_table_writer_close(writer);
    return st;
}

hb_status hb_table_join(const char *name, const hb_schema *schema, const hb_table_view *view, hb_table_writer **out)
{
    hb_table_writer *writer = NULL;
    HB_TRY(writer_alloc(name, schema, &writer));
    hb_status st = HB_OK;
    HB_GOTO(writer->stream ? HB_FAIL(HB_EUSAGE, "one rank alone writes a table to standard output") : HB_OK);
    HB_GOTO(set_schema(writer, schema, view));
    HB_GOTO(writer_open(writer));
    HB_GOTO(writer->ops->locate(writer));
    *out = writer;
    writer = NULL;
done:
    hb_table_writer_close(writer);
    return st;
}

hb_status hb_table_probe(const char *name, bool force)
{
    hb_table_writer *writer = NULL;
    HB_TRY(writer_alloc(name, NULL, &writer));
    hb_status st = check_target(writer, force);
    hb_table_writer_close(writer);
    return st;
}

/* The creator's part before the table is finished. */
static hb_status begin_commit(const hb_table_writer *writer)
{
    HB_ASSERT(!writer->committed);
    if (!writer->creator || writer->stream) {
        return HB_OK;
    }
    HB_TRY(hb_table_sync(writer));
    /* Where the file system has no locks, another job may have begun the output anew. */
    return check_still_ours(writer);
}

hb_status hb_table_commit_together(hb_table_writer *writer, const hb_table_ranks *ranks, hb_table_text_size *text)
{
    const char *finished = NULL;
    hb_status st = begin_commit(writer);
    *text = (hb_table_text_size){.bytes = 0};
    if (writer->ops->finish_together != NULL) {
        HB_TRY(hb_table_agree(ranks, st));
        st = writer->ops->finish_together(writer, ranks, text, &finished);
    } else if (writer->creator && st == HB_OK) {
        st = writer->ops->finish(writer, ranks, text, &finished);
    }
    HB_TRY(st);
    if (!writer->creator || writer->stream) {
        writer->committed = writer->creator;
        return HB_OK;
    }
    /* The content was synced before: a crash leaves the old file, or none, or the whole new one. */
    HB_TRY(hb_rename(finished, writer->file, writer->force));
    writer->committed = true;
    if (finished != writer->partial) {
        /* The scratch file of a CSV. Where a crash leaves it, the next job asks for --force. */
        unlink(writer->partial);
    }
    return HB_OK;
}

void hb_table_writer_close(hb_table_writer *writer)
{
    if (!writer) {
        return;
    }
    /* While the lock is still held: afterwards the names may be another job's. */
    if (writer->creator && !writer->committed && !writer->stream) {
        if (writer->finishing) {
            unlink(writer->finished);
        }
        unlink(writer->partial);
    }
    if (writer->fd >= 0) {
        close(writer->fd);
    }
    hb_schema_clear(&writer->schema);
    hb_schema_clear(&writer->whole);
    free(writer->sources);
    free(writer->shown_columns);
    free(writer->file);
    free(writer->dataset);
    free(writer->partial);
    free(writer->finished);
    free(writer);
}
