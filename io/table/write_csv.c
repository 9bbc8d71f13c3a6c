/* CSV output: rows have no fixed length, so ranks write 64-bit words to a scratch file, of which the text is made at
 * commit, in rounds: in each, every thread of every rank makes the text of some rows in its memory, the ranks tell one
 * another how long theirs are, and each writes its own to its place. For standard output the scratch file is memory
 * that has no name and touches no disk. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/chunk.h"
#include "base/seed.h"
#include "csv_private.h"
#include "io/files/durable.h"
#include "io/files/file_lock.h"
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

/* --- the text, of all ranks */

/* Bytes of the text of a block: its words are as many as make a round much longer than the messages between two, fewer
 * where labels may be long; and the fewest words that are worth a message. */
enum { MOST_TEXT = 64 * HB_TABLE_TEXT_WORDS, FEWEST_WORDS = 1 << 12 };

/* The rows of a thread in a round. */
typedef struct block {
    const struct output *of;
    hb_status (*work)(struct block *b); /* of this step of a round */
    uint64_t row, rows;
    uint64_t *words; /* of the rows */
    hb_csv_page page;
    uint64_t at; /* its place in the file */
    hb_status status;
    hb_error error;
    pthread_t thread;
} block;

typedef struct output {
    hb_table_writer *writer;
    const hb_table_ranks *ranks;
    int lock, cells;   /* descriptors: of the new file's lock, on the creator; of the scratch file; ... */
    int text_fd;       /* ... of the text */
    const char *path;  /* of the text, for messages */
    uint64_t rows, at; /* of a block; the bytes that the rounds so far have written */
    block *block;      /* [threads of this rank] */
    uint64_t *lengths; /* [ranks + 1] of the texts of a round; the last one counts ranks that have failed */
    uint64_t *made;    /* [ranks] bytes of the texts so far */
} output;

static hb_status write_stream(int fd, const char *text, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t done = write(fd, text, bytes);
        if (done < 0 && errno != EINTR) {
            return HB_FAIL(HB_EIO, "cannot write to standard output: %s", strerror(errno));
        }
        text += done > 0 ? done : 0;
        bytes -= done > 0 ? (size_t)done : 0;
    }
    return HB_OK;
}

static hb_status write_page(const output *o, const hb_csv_page *page, uint64_t at)
{
    if (page->used == 0) {
        return HB_OK;
    }
    if (o->writer->stream) {
        return write_stream(o->text_fd, page->bytes, page->used);
    }
    HB_TRY(hb_write_beside_others(o->text_fd, page->bytes, page->used, at, o->path));
    /* The sync in the end then has little left to do. */
    hb_begin_writing(o->text_fd, page->used, at);
    return HB_OK;
}

static hb_status make_block(block *b)
{
    const output *o = b->of;
    const hb_table_writer *writer = o->writer;
    const uint64_t bytes = writer->words * sizeof *b->words;
    b->page.used = 0;
    if (b->rows == 0) {
        return HB_OK;
    }
    HB_TRY(hb_read_at(o->cells, b->words, (size_t)(b->rows * bytes), writer->offset + b->row * bytes, writer->partial));
    return hb_csv_page_add(&b->page, &writer->schema, &(hb_csv_rows){b->row, b->rows, b->words, false, NULL},
                           writer->file);
}

static hb_status write_block(block *b)
{
    return write_page(b->of, &b->page, b->at);
}

static void *work_on_block(void *context)
{
    block *b = context;
    b->status = b->work(b);
    b->error = *hb_last_error();
    return NULL;
}

/* Does the work for each block, in threads where they can be started. Returns the failure of the first that failed. */
static hb_status each_block(const output *o, hb_status (*work)(block *b))
{
    const uint32_t threads = o->ranks->threads;
    sigset_t all, before;
    uint32_t running = 0;
    for (uint32_t i = 0; i < threads; i++) {
        o->block[i].work = work;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the thread that runs the job */
    while (running + 1 < threads &&
           pthread_create(&o->block[running + 1].thread, NULL, work_on_block, &o->block[running + 1]) == 0) {
        running++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)work_on_block(&o->block[0]);
    for (uint32_t i = running + 1; i < threads; i++) {
        (void)work_on_block(&o->block[i]);
    }
    for (uint32_t i = 1; i <= running; i++) {
        pthread_join(o->block[i].thread, NULL);
    }
    for (uint32_t i = 0; i < threads; i++) {
        if (o->block[i].status != HB_OK) {
            hb_set_error(&o->block[i].error);
            return o->block[i].status;
        }
    }
    return HB_OK;
}

/* Makes the text of this rank's blocks of the round that begins with row `first`. */
static hb_status make_blocks(const output *o, uint64_t first)
{
    const uint64_t all = o->writer->schema.rows, threads = o->ranks->threads;
    for (uint64_t i = 0; i < threads; i++) {
        const uint64_t before = (o->ranks->rank * threads + i) * o->rows;
        block *b = &o->block[i];
        b->row = before < all - first ? first + before : all;
        b->rows = hb_smaller(all - b->row, o->rows);
    }
    return each_block(o, make_block);
}

/* Tells all ranks how long the texts of a round are, or that this rank has failed. Collective. */
static hb_status tell_lengths(const output *o, hb_status mine)
{
    const hb_table_ranks *ranks = o->ranks;
    memset(o->lengths, 0, (size_t)(ranks->count + 1) * sizeof *o->lengths);
    for (uint32_t i = 0; i < ranks->threads; i++) {
        o->lengths[ranks->rank] += o->block[i].page.used;
    }
    o->lengths[ranks->count] = mine != HB_OK;
    if (ranks->sum != NULL) {
        const hb_error cause = *hb_last_error();
        HB_TRY(ranks->sum(ranks->context, o->lengths, (size_t)ranks->count + 1));
        hb_set_error(&cause);
    }
    /* One message a round is enough until there is a reason to tell. */
    return o->lengths[ranks->count] == 0 ? HB_OK : hb_table_agree(ranks, mine);
}

/* Finds the place of each block. */
static void place_blocks(output *o)
{
    const hb_table_ranks *ranks = o->ranks;
    uint64_t at = o->at;
    for (uint64_t r = 0; r < ranks->count; r++) {
        o->at += o->lengths[r];
        o->made[r] += o->lengths[r];
        at += r < ranks->rank ? o->lengths[r] : 0;
    }
    for (uint32_t i = 0; i < ranks->threads; i++) {
        o->block[i].at = at;
        at += o->block[i].page.used;
    }
}

static hb_status write_blocks(const output *o)
{
    if (!o->writer->stream) {
        return each_block(o, write_block);
    }
    for (uint32_t i = 0; i < o->ranks->threads; i++) {
        HB_TRY(write_block(&o->block[i]));
    }
    return HB_OK;
}

/* Totals of groups are few: the creator makes all of their text. */
static hb_status put_groups(output *o)
{
    hb_schema schema;
    uint64_t *values;
    hb_csv_page page = {.used = 0};
    HB_TRY(hb_table_show_groups(o->writer, &schema, &values));
    hb_status st = hb_csv_page_add(&page, &schema, &(hb_csv_rows){0, schema.rows, values, true, NULL}, o->writer->file);
    st = st == HB_OK ? write_page(o, &page, 0) : st;
    o->at = o->made[0] = page.used;
    hb_csv_page_clear(&page);
    hb_wipe(values, hb_table_shown_bytes(&schema)); /* decrypted */
    free(values);
    hb_schema_clear(&schema);
    return st;
}

/* Every rank makes the line of names, so that all know how long it is. */
static hb_status put_names(output *o)
{
    const hb_table_writer *writer = o->writer;
    hb_csv_page page = {.used = 0};
    hb_status st = hb_csv_page_add(&page, &writer->schema, &(hb_csv_rows){.names = true, .sources = writer->sources},
                                   writer->file);
    o->at = o->made[0] = page.used; /* the creator's */
    if (st == HB_OK && writer->creator) {
        st = write_page(o, &page, 0);
    }
    hb_csv_page_clear(&page);
    return st;
}

/* Collective. A write that fails is told in the next round. */
static hb_status put_rounds(output *o)
{
    const hb_table_ranks *ranks = o->ranks;
    const uint64_t rows = o->writer->schema.rows, round = o->rows * ranks->threads * ranks->count;
    hb_status st = put_names(o);
    for (uint64_t first = 0; first < rows; first += hb_smaller(round, rows - first)) {
        st = st == HB_OK ? make_blocks(o, first) : st;
        HB_TRY(tell_lengths(o, st));
        place_blocks(o);
        st = write_blocks(o);
    }
    return st;
}

static hb_status put_all(output *o, hb_table_text_size *text)
{
    hb_status st = HB_OK;
    if (o->writer->schema.grouping == NULL) {
        st = put_rounds(o);
    } else if (o->writer->creator) {
        st = put_groups(o);
    }
    *text = (hb_table_text_size){.bytes = o->at};
    for (uint64_t r = 0; r < o->ranks->count; r++) {
        text->most = hb_larger(text->most, o->made[r]);
    }
    return st;
}

/* Returns a bound of the text of a row: of labels; numbers and dates have about this many characters a word. */
static uint64_t row_text(const hb_table_writer *writer)
{
    enum { WORD = 32 };
    uint64_t bytes = writer->words * WORD;
    for (uint64_t c = 0; c < writer->schema.columns; c++) {
        const hb_labels *labels = writer->schema.column[c].meaning.labels;
        size_t longest = 0;
        for (uint64_t i = 0; labels != NULL && i < labels->count; i++) {
            longest = hb_larger(longest, strlen(labels->text[i]));
        }
        bytes += longest;
    }
    return bytes;
}

/* Shares the rows: all threads have as many, but where there are few. */
static hb_status take_memory(output *o)
{
    const hb_table_writer *writer = o->writer;
    const uint64_t words = writer->words > 0 ? writer->words : 1, sharers = o->ranks->count * o->ranks->threads;
    const uint64_t rows = writer->schema.rows, fewest = FEWEST_WORDS / words;
    const uint64_t most =
        hb_larger(1, hb_smaller(HB_TABLE_TEXT_WORDS / words, MOST_TEXT / hb_larger(1, row_text(writer))));
    const uint64_t blocks = (rows / most / sharers + 1) * sharers;
    o->rows = hb_larger(1, hb_larger(fewest, rows / blocks + (rows % blocks > 0)));
    o->lengths = calloc((size_t)o->ranks->count + 1, sizeof *o->lengths);
    o->made = calloc((size_t)o->ranks->count, sizeof *o->made);
    o->block = calloc(o->ranks->threads, sizeof *o->block);
    bool whole = o->lengths != NULL && o->made != NULL && o->block != NULL;
    for (uint32_t i = 0; whole && i < o->ranks->threads; i++) {
        o->block[i].of = o;
        o->block[i].words = malloc((size_t)(o->rows * words) * sizeof(uint64_t));
        whole = o->block[i].words != NULL;
    }
    return whole ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory for its text", writer->file);
}

static void output_clear(output *o)
{
    const size_t bytes = (size_t)(o->rows * o->writer->words) * sizeof(uint64_t);
    for (uint32_t i = 0; o->block != NULL && i < o->ranks->threads; i++) {
        if (o->block[i].words != NULL) {
            hb_wipe(o->block[i].words, bytes); /* decrypted */
        }
        free(o->block[i].words);
        hb_csv_page_clear(&o->block[i].page);
    }
    free(o->block);
    free(o->made);
    free(o->lengths);
    const int fd[] = {o->text_fd, o->cells != o->writer->fd ? o->cells : -1, o->lock};
    for (int i = 0; i < 3; i++) {
        if (fd[i] >= 0) {
            close(fd[i]);
        }
    }
}

/* Opens the file of the text. A host that reaches it by NFS may write a page of it as a whole, and over the bytes that
 * another host has written there meanwhile, unless every write goes to the server at once. */
static hb_status open_text(output *o)
{
    const int flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    struct statfs system;
    struct stat info;
    o->text_fd = open(o->path, flags);
    if (o->text_fd >= 0 && o->ranks->count > 1 && fstatfs(o->text_fd, &system) == 0 &&
        system.f_type == NFS_SUPER_MAGIC) {
        close(o->text_fd);
        o->text_fd = open(o->path, flags | O_DSYNC);
    }
    if (o->text_fd < 0) {
        return HB_FAIL(HB_ECREATE, "%s: cannot be opened to write: %s", o->path, strerror(errno));
    }
    const bool regular = fstat(o->text_fd, &info) == 0 && S_ISREG(info.st_mode);
    return regular ? HB_OK : HB_FAIL(HB_ECREATE, "%s: is no regular file", o->path);
}

/* Opens the scratch file anew: then a host that reaches it by NFS reads what other hosts have written and synced. */
static hb_status open_cells(output *o)
{
    const hb_table_writer *writer = o->writer;
    o->cells = writer->fd;
    if (o->ranks->count == 1) {
        return HB_OK;
    }
    o->cells = open(writer->partial, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (o->cells < 0 || !hb_path_means(writer->partial, writer->fd)) {
        return HB_FAIL(HB_ECREATE, "%s: another job has replaced it", writer->partial);
    }
    return HB_OK;
}

static hb_status open_all(output *o)
{
    HB_TRY(open_text(o));
    HB_TRY(open_cells(o));
    return take_memory(o);
}

/* The creator makes the file. */
static hb_status make_file(output *o)
{
    hb_table_writer *writer = o->writer;
    if (writer->creator) {
        HB_TRY(hb_file_lock_new_file(writer->finished, 0600, writer->force, &o->lock));
        /* Closing the writer removes it from now on. */
        writer->finishing = true;
    }
    return HB_OK;
}

/* Makes the text on all ranks, after all have synced. */
static hb_status csv_finish(hb_table_writer *writer, const hb_table_ranks *ranks, hb_table_text_size *text,
                            const char **finished)
{
    output o = {.writer = writer, .ranks = ranks, .lock = -1, .cells = -1, .text_fd = -1, .path = writer->finished};
    hb_status st = HB_OK;
    *finished = writer->finished;
    HB_GOTO(hb_table_agree(o.ranks, make_file(&o)));
    HB_GOTO(hb_table_agree(o.ranks, open_all(&o)));
    st = put_all(&o, text);
    /* A full disk shows here at the latest. */
    st = st == HB_OK ? hb_sync(o.text_fd, o.path) : st;
    st = hb_table_agree(o.ranks, st);
done:
    /* This closes the lock as well: the caller renames at once. */
    output_clear(&o);
    return st;
}

const hb_table_writer_ops hb_table_writer_csv = {.make = csv_make, .locate = csv_locate, .finish_together = csv_finish};

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

static hb_status stdout_finish(hb_table_writer *writer, const hb_table_ranks *ranks, hb_table_text_size *text,
                               const char **finished)
{
    output o = {
        .writer = writer, .ranks = ranks, .lock = -1, .cells = writer->fd, .text_fd = -1, .path = writer->partial};
    hb_status st = HB_OK;
    *finished = writer->partial;
    /* Earlier output comes first. */
    o.text_fd = fflush(stdout) == 0 ? dup(STDOUT_FILENO) : -1;
    HB_GOTO(o.text_fd >= 0 ? HB_OK : HB_FAIL(HB_EIO, "cannot write to standard output: %s", strerror(errno)));
    HB_GOTO(take_memory(&o));
    st = put_all(&o, text);
done:
    output_clear(&o);
    return st;
}

const hb_table_writer_ops hb_table_writer_stdout = {
    .make = stdout_make, .locate = stdout_locate, .finish = stdout_finish};
