#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/seed.h"
#include "io/base/durable.h"

extern char **environ;

/* Runs before main in every process of this program; a reader ends here, before anything else of the program has
 * begun. */
__attribute__((constructor)) static void serve_if_asked(void)
{
    if (hb_reader_served()) {
        _exit(0);
    }
}

/* Bytes of cells for one request, unless one row alone has more: HDF5 keeps chunks of about as much. */
#define AREA_MOST ((uint64_t)64 << 20)

/* --- the process */

static hb_status no_reader(const hb_reader *reader, int error)
{
    return HB_FAIL(HB_EUNAVAILABLE, "%s: cannot start the process that reads HDF5 tables: %s", reader->name,
                   strerror(error));
}

/* Gives the reader its socket and memory, and closes standard streams to it: what a crash would print is said better
 * here. */
static int set_files(posix_spawn_file_actions_t *files, int socket, int memory)
{
    int error = 0;
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && error == 0; fd++) {
        error = posix_spawn_file_actions_addopen(files, fd, "/dev/null", O_RDWR, 0);
    }
    error = error != 0 ? error : posix_spawn_file_actions_adddup2(files, socket, HB_READER_SOCKET);
    return error != 0 ? error : posix_spawn_file_actions_adddup2(files, memory, HB_READER_MEMORY);
}

/* Blocks all signals in the reader: a signal to the group of processes is for the caller, which may need the reader to
 * end in good order. */
static int set_signals(posix_spawnattr_t *attributes)
{
    sigset_t all;
    sigfillset(&all);
    const int error = posix_spawnattr_setsigmask(attributes, &all);
    return error != 0 ? error : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK);
}

/* Starts the program by its name, where that still leads to it: under valgrind /proc/self/exe is valgrind's. Returns 0
 * or an errno. */
static int spawn(pid_t *pid, int socket, int memory)
{
    char own[PATH_MAX + 1] = "", name[] = HB_READER_NAME;
    /* The name by which the process sees that it is the reader. */
    char *const arguments[] = {name, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    const ssize_t length = readlink("/proc/self/exe", own, PATH_MAX);
    if (length <= 0 || length >= PATH_MAX || access(own, X_OK) != 0) {
        strcpy(own, "/proc/self/exe");
    }
    /* The functions return their error; errno says nothing here. */
    int error = posix_spawn_file_actions_init(&files);
    if (error != 0) {
        return error;
    }
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        error = set_files(&files, socket, memory);
        error = error != 0 ? error : set_signals(&attributes);
        error = error != 0 ? error : posix_spawn(pid, own, &files, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* Moves a descriptor above those that the reader will have, which file actions would otherwise overwrite; -1 with
 * errno. */
static int above_own(int fd)
{
    const int moved = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, HB_READER_MEMORY + 1);
    if (fd >= 0) {
        close(fd);
    }
    return moved;
}

/* Makes socket, memory and process. What a failure leaves is closed by hb_reader_close. */
static hb_status start(hb_reader *reader)
{
    int pair[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return no_reader(reader, errno);
    }
    /* All are closed on exec, so the reader has only what set_files gives it; this end stays with the caller. */
    reader->socket = pair[0];
    const int theirs = above_own(pair[1]);
    reader->memory = above_own(memfd_create("cells", MFD_CLOEXEC));
    const int error = theirs < 0 || reader->memory < 0 ? errno : spawn(&reader->pid, theirs, reader->memory);
    if (theirs >= 0) {
        close(theirs);
    }
    if (error != 0) {
        reader->pid = 0;
        return no_reader(reader, error);
    }
    return HB_OK;
}

/* Says why the process is gone, by how it ended. */
static hb_status explain_end(hb_reader *reader)
{
    int status = 0;
    const pid_t pid = reader->pid;
    pid_t ended;
    /* It is waited for once; from here on requests are refused. */
    reader->pid = 0;
    do {
        ended = waitpid(pid, &status, 0);
    } while (ended < 0 && errno == EINTR);
    const int signal = ended == pid && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (signal == SIGKILL) {
        return HB_FAIL(HB_ENOMEM, "%s: the process that read it was killed, as when memory runs out", reader->name);
    }
    if (signal == SIGXCPU) {
        return HB_FAIL(HB_EDATA, "%s: HDF5 came to no end with it: the file is damaged", reader->name);
    }
    if (signal != 0) {
        return HB_FAIL(HB_EDATA, "%s: HDF5 crashed on it (%s): the file is damaged, or memory ended; h5dump shows more",
                       reader->name, strsignal(signal));
    }
    /* as a loader ends that finds no memory, or no library; sanitizers end a crash with a code of their own */
    const int code = ended == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
    if (code == 126 || code == 127) {
        return HB_FAIL(HB_EUNAVAILABLE, "%s: the process that reads HDF5 tables could not start", reader->name);
    }
    return HB_FAIL(HB_EDATA, "%s: HDF5 ended on it with exit code %d: the file is damaged", reader->name, code);
}

void hb_reader_close(hb_reader *reader)
{
    if (reader->cells != NULL) {
        hb_wipe(reader->cells, reader->bytes);
        munmap(reader->cells, reader->bytes);
    }
    if (reader->socket > 0) {
        close(reader->socket); /* at which it ends */
    }
    if (reader->memory > 0) {
        close(reader->memory);
    }
    /* It ends at the closed socket. */
    while (reader->pid > 0 && waitpid(reader->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    *reader = (hb_reader){.pid = 0};
}

/* --- requests and answers */

/* Sends everything to the reader; a reader that is gone is asked why. */
static hb_status tell(hb_reader *reader, const void *data, size_t bytes)
{
    const char *from = data;
    while (bytes > 0) {
        /* A reader that is gone must not end this process by SIGPIPE. */
        const ssize_t done = send(reader->socket, from, bytes, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return explain_end(reader);
        }
        from += done;
        bytes -= (size_t)done;
    }
    return HB_OK;
}

/* Receives exactly so much from the reader. */
static hb_status hear(hb_reader *reader, void *data, size_t bytes)
{
    char *to = data;
    while (bytes > 0) {
        const ssize_t done = recv(reader->socket, to, bytes, 0);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return explain_end(reader);
        }
        to += done;
        bytes -= (size_t)done;
    }
    return HB_OK;
}

/* Nothing that the reader says is believed: it may be HDF5 that was led astray by its file. */
static hb_status refuse_answer(const hb_reader *reader)
{
    return HB_FAIL(HB_EDATA, "%s: the process that reads it gave an answer that cannot be: the file is damaged",
                   reader->name);
}

/* Receives an answer and fails as it says; statuses that HDF5 has no reason for are refused. */
static hb_status hear_answer(hb_reader *reader, hb_reader_answer *answer)
{
    HB_TRY(hear(reader, answer, sizeof *answer));
    /* The text need not end, either. */
    answer->text[sizeof answer->text - 1] = '\0';
    switch (answer->status) {
    case HB_OK:
        return HB_OK;
    case HB_EDATA:
    case HB_ENOINPUT:
    case HB_EUSAGE:
    case HB_EINTERNAL:
    case HB_ENOMEM:
    case HB_EIO:
        return HB_FAIL((hb_status)answer->status, "%s", answer->text);
    /* A status that the reader never has reason to return. */
    default:
        return refuse_answer(reader);
    }
}

/* Floats of other widths are read by HDF5 alone. */
static bool is_possible_type(const hb_reader_answer *a, hb_cell_type cells)
{
    const bool integer = a->width == 1 || a->width == 2 || a->width == 4 || a->width == 8;
    const bool floats = cells == HB_CELL_REAL && !a->is_signed && (!a->placed || a->width == 4 || a->width == 8);
    return a->big_endian <= 1 && a->is_signed <= 1 && a->floats <= 1 && a->is_complex <= a->floats &&
           (a->floats == 1 ? floats : integer);
}

/* Checks everything that is used as a size, a shape or a flag. */
static bool is_possible(const hb_reader_answer *a, hb_cell_type type, uint64_t file_bytes)
{
    uint64_t cells, bytes;
    const bool shaped = (a->rank == 2 || (a->rank == 1 && a->columns == 1)) && a->columns > 0 &&
                        is_possible_type(a, type) && a->named <= 1 && a->placed <= 1;
    const uint64_t width = (uint64_t)a->width * (a->is_complex + 1u); /* of a cell */
    const bool lies_in = !__builtin_mul_overflow(a->rows, a->columns, &cells) &&
                         !__builtin_mul_overflow(cells, width, &bytes) && a->offset <= file_bytes &&
                         bytes <= file_bytes - a->offset;
    const bool parts = a->parts == 0 || (a->parts == 1 && !a->placed && !a->is_complex &&
                                         a->width == sizeof(uint64_t) && a->floats == (type == HB_CELL_REAL));
    return shaped && parts && (!a->placed || lies_in);
}

/* Receives a text, which the caller frees. */
static hb_status hear_text(hb_reader *reader, char **text)
{
    uint8_t length = 0;
    char bytes[UINT8_MAX];
    HB_TRY(hear(reader, &length, sizeof length));
    /* A length is at most 255, as is the room for it. */
    HB_TRY(hear(reader, bytes, length));
    *text = strndup(bytes, length);
    return *text != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory for the names of its columns", reader->name);
}

/* Receives a name for each column; columns of a table without names get "". */
static hb_status hear_names(hb_reader *reader, hb_schema *schema)
{
    for (uint64_t c = 0; c < schema->columns; c++) {
        if (schema->named) {
            HB_TRY(hear_text(reader, &schema->column[c].name));
        } else if ((schema->column[c].name = strdup("")) == NULL) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory for the names of its columns", reader->name);
        }
    }
    return HB_OK;
}

/* Receives the labels of a category. What they may be is checked where labels are made. */
static hb_status hear_labels(hb_reader *reader, uint32_t count, hb_meaning *meaning)
{
    char **text = calloc((size_t)count + 1, sizeof *text);
    hb_status st = HB_OK;
    if (text == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for its labels", reader->name);
    }
    for (uint32_t i = 0; i < count && st == HB_OK; i++) {
        st = hear_text(reader, &text[i]);
    }
    st = st == HB_OK ? hb_labels_make((const char *const *)text, count, &meaning->labels) : st;
    for (uint32_t i = 0; i < count; i++) {
        free(text[i]);
    }
    free(text);
    meaning->kind = st == HB_OK ? HB_MEANING_CATEGORY : HB_MEANING_NUMBER;
    return st;
}

/* Receives what columns of a table in parts are. */
static hb_status hear_columns(hb_reader *reader, hb_schema *schema)
{
    uint64_t labels = 0;
    for (uint64_t c = 0; c < schema->columns; c++) {
        hb_column *column = &schema->column[c];
        hb_reader_column told;
        HB_TRY(hear(reader, &told, sizeof told));
        const bool category = told.meaning == HB_MEANING_CATEGORY;
        labels += told.labels;
        if (told.is_signed > (column->cells == HB_CELL_INTEGER) || told.labels > HB_MOST_LABELS ||
            labels > HB_MOST_TABLE_LABELS || category != (told.labels > 0) ||
            (!category && told.meaning != HB_MEANING_NUMBER && told.meaning != HB_MEANING_BOOL)) {
            return refuse_answer(reader);
        }
        column->is_signed = told.is_signed;
        column->meaning.kind = category ? HB_MEANING_NUMBER : (hb_meaning_kind)told.meaning;
        HB_TRY(category ? hear_labels(reader, told.labels, &column->meaning) : HB_OK);
    }
    return HB_OK;
}

/* Receives what the first request is answered with, and fills the schema of it. */
static hb_status hear_table(hb_reader *reader, const hb_reader_target *target, hb_schema *schema, hb_h5_place *place,
                            bool *placed)
{
    hb_reader_answer answer;
    const bool real = target->cells == HB_CELL_REAL;
    HB_TRY(hear_answer(reader, &answer));
    reader->words = answer.is_complex ? 2 : 1;
    if (!is_possible(&answer, target->cells, target->file_bytes)) {
        return refuse_answer(reader);
    }
    /* The number of columns is the file's: allocating for too many fails here, in words. */
    HB_TRY(hb_schema_alloc(schema, answer.rows, answer.columns));
    schema->rank = answer.rank;
    schema->width = real ? sizeof(double) : answer.width;
    schema->big_endian = answer.big_endian;
    schema->named = answer.named;
    for (uint64_t c = 0; c < answer.columns; c++) {
        schema->column[c].cells = target->cells;
        schema->column[c].is_signed = !real && answer.is_signed;
        schema->column[c].halves = answer.is_complex ? HB_HALVES_COMPLEX : HB_HALVES_REAL;
    }
    *placed = answer.placed;
    *place = (hb_h5_place){answer.offset,
                           {answer.width, answer.big_endian, answer.is_signed, answer.floats, answer.is_complex}};
    HB_TRY(answer.parts ? hear_columns(reader, schema) : HB_OK);
    return hear_names(reader, schema);
}

/* Starts the process and says what it is to open. */
static hb_status ask(hb_reader *reader, const char *file, const char *dataset, hb_reader_hello hello)
{
    const size_t file_length = strlen(file) + 1, dataset_length = strlen(dataset) + 1;
    if (file_length > HB_READER_PATH_MOST || dataset_length > HB_READER_PATH_MOST) {
        return HB_FAIL(HB_ENOINPUT, "%.200s...: the name is too long", reader->name);
    }
    strcpy(hello.version, HB_READER_VERSION);
    hello.file_bytes = (uint32_t)file_length;
    hello.dataset_bytes = (uint32_t)dataset_length;
    /* Names go over the socket and not as arguments, which other users could see. */
    HB_TRY(start(reader));
    HB_TRY(tell(reader, &hello, sizeof hello));
    HB_TRY(tell(reader, file, file_length));
    return tell(reader, dataset, dataset_length);
}

/* Sends the names of columns that are read alone. */
static hb_status tell_columns(hb_reader *reader, const hb_reading *reading, bool any)
{
    for (size_t i = 0; any && i < reading->count; i++) {
        const uint8_t length = (uint8_t)strnlen(reading->column[i].name, UINT8_MAX);
        if (reading->column[i].selected) {
            HB_TRY(tell(reader, &length, sizeof length));
            HB_TRY(tell(reader, reading->column[i].name, length));
        }
    }
    return HB_OK;
}

hb_status hb_reader_open(hb_reader *reader, const hb_reader_target *target, hb_schema *schema, hb_h5_place *place,
                         bool *placed)
{
    *reader = (hb_reader){.name = target->name};
    const hb_reading *reading = target->reading;
    hb_reader_hello hello = {.real = target->cells == HB_CELL_REAL, .lenient = reading->columns_optional};
    for (size_t i = 0; reading->selects && i < reading->count; i++) {
        hello.columns += reading->column[i].selected;
    }
    HB_TRY(ask(reader, target->file, target->dataset, hello));
    HB_TRY(tell_columns(reader, reading, hello.columns > 0));
    return hear_table(reader, target, schema, place, placed);
}

static hb_status hear_outline(hb_reader *reader, char **text)
{
    hb_reader_answer answer;
    HB_TRY(hear_answer(reader, &answer));
    if (answer.rows > HB_READER_OUTLINE_MOST) {
        return refuse_answer(reader);
    }
    *text = calloc(1, (size_t)answer.rows + 1);
    if (*text == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for what it says", reader->name);
    }
    return hear(reader, *text, (size_t)answer.rows);
}

hb_status hb_reader_outline(const char *file, char **text)
{
    hb_reader reader = {.name = file};
    hb_status st = ask(&reader, file, "/", (hb_reader_hello){.outline = 1});
    *text = NULL;
    st = st == HB_OK ? hear_outline(&reader, text) : st;
    if (st != HB_OK) {
        free(*text);
        *text = NULL;
    }
    hb_reader_close(&reader);
    return st;
}

/* Makes the common memory as large as asked for. Its space is taken now: memory that ends when it is touched is a
 * crash, here as there. */
static hb_status reserve(hb_reader *reader, uint64_t bytes)
{
    if (bytes <= reader->bytes) {
        return HB_OK;
    }
    if (reader->cells != NULL) {
        hb_wipe(reader->cells, reader->bytes);
        munmap(reader->cells, reader->bytes);
        /* Forgotten before anything can fail, so that closing does not unmap it again. */
        reader->cells = NULL;
        reader->bytes = 0;
    }
    if (bytes > INT64_MAX) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for one row", reader->name);
    }
    HB_TRY(hb_reserve(reader->memory, bytes, reader->name));
    void *cells = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, reader->memory, 0);
    if (cells == MAP_FAILED) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to read it: %s", reader->name, strerror(errno));
    }
    reader->cells = cells;
    reader->bytes = (size_t)bytes;
    return HB_OK;
}

hb_status hb_reader_read(hb_reader *reader, const hb_rectangle *cells, uint64_t *values)
{
    if (reader->pid == 0) {
        return HB_FAIL(HB_EDATA, "%s: cannot be read any more", reader->name);
    }
    /* Some rows at a time, at least one. */
    const uint64_t wide = cells->columns * reader->words;
    const uint64_t fit = AREA_MOST / sizeof *values / wide, most = fit > 0 ? fit : 1;
    for (uint64_t row = 0; row < cells->rows; row += most) {
        const uint64_t rows = cells->rows - row < most ? cells->rows - row : most;
        const hb_rectangle some = {
            .row = cells->row + row, .column = cells->column, .rows = rows, .columns = cells->columns};
        const size_t count = (size_t)(rows * wide);
        hb_reader_answer answer;
        /* Before the request, as the reader maps what is there. */
        HB_TRY(reserve(reader, count * sizeof *values));
        HB_TRY(tell(reader, &some, sizeof some));
        HB_TRY(hear_answer(reader, &answer));
        memcpy(values + row * wide, reader->cells, count * sizeof *values);
    }
    return HB_OK;
}
