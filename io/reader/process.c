#include "process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/seed.h"
#include "io/files/durable.h"
#include "process_private.h"

/* Runs before main in every process of this program; a reader ends here, before anything else of the program has
 * begun. */
__attribute__((constructor)) static void serve_if_asked(void)
{
    if (hb_h5_process_served()) {
        _exit(0);
    }
}

/* Bytes of cells for one request, unless one row alone has more: HDF5 keeps chunks of about as much. */
#define AREA_MOST ((uint64_t)64 << 20)

/* --- requests and answers */

/* Nothing that the reader says is believed: it may be HDF5 that was led astray by its file. */
static hb_status refuse_answer(const hb_h5_process *process)
{
    return HB_FAIL(HB_EDATA, "%s: the process that reads it gave an answer that cannot be: the file is damaged",
                   process->name);
}

/* Receives an answer and fails as it says; statuses that HDF5 has no reason for are refused. */
static hb_status hear_answer(hb_h5_process *process, hb_h5_process_answer *answer)
{
    HB_TRY(hb_h5_process_hear(process, answer, sizeof *answer));
    /* The text need not end, either. */
    answer->text[sizeof answer->text - 1] = '\0';
    static const hb_status refusals[] = {HB_EDATA, HB_ENOINPUT, HB_EUSAGE, HB_EINTERNAL, HB_ENOMEM, HB_EIO};
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        if (answer->status == (int32_t)refusals[i]) {
            return HB_FAIL(refusals[i], "%s", answer->text);
        }
    }
    return answer->status == HB_OK ? HB_OK : refuse_answer(process);
}

/* Floats of other widths are read by HDF5 alone. */
static bool is_possible_type(const hb_h5_process_answer *a, hb_cell_type cells)
{
    const bool integer = a->width == 1 || a->width == 2 || a->width == 4 || a->width == 8;
    const bool floats = !a->is_signed && (!a->placed || a->width == 4 || a->width == 8);
    return a->big_endian <= 1 && a->is_signed <= 1 && a->floats <= 1 &&
           a->is_complex <= (a->floats && cells == HB_CELL_REAL) && (a->floats == 1 ? floats : integer);
}

/* Checks everything that is used as a size, a shape or a flag. */
static bool is_possible(const hb_h5_process_answer *a, hb_cell_type type, uint64_t file_bytes)
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
static hb_status hear_text(hb_h5_process *process, char **text)
{
    uint8_t length = 0;
    char bytes[UINT8_MAX];
    HB_TRY(hb_h5_process_hear(process, &length, sizeof length));
    /* A length is at most 255, as is the room for it. */
    HB_TRY(hb_h5_process_hear(process, bytes, length));
    *text = strndup(bytes, length);
    return *text != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory for the names of its columns", process->name);
}

/* Receives a name for each column; columns of a table without names get "". */
static hb_status hear_names(hb_h5_process *process, hb_schema *schema)
{
    for (uint64_t c = 0; c < schema->columns; c++) {
        if (schema->named) {
            HB_TRY(hear_text(process, &schema->column[c].name));
        } else if ((schema->column[c].name = strdup("")) == NULL) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory for the names of its columns", process->name);
        }
    }
    return HB_OK;
}

/* Receives the labels of a category. Their contents are checked where labels are made. */
static hb_status hear_labels(hb_h5_process *process, uint32_t count, hb_meaning *meaning)
{
    char **text = calloc((size_t)count + 1, sizeof *text);
    hb_status st = HB_OK;
    if (text == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for its labels", process->name);
    }
    for (uint32_t i = 0; i < count && st == HB_OK; i++) {
        st = hear_text(process, &text[i]);
    }
    st = st == HB_OK ? hb_labels_make((const char *const *)text, count, &meaning->labels) : st;
    for (uint32_t i = 0; i < count; i++) {
        free(text[i]);
    }
    free(text);
    meaning->kind = st == HB_OK ? HB_MEANING_CATEGORY : HB_MEANING_NUMBER;
    return st;
}

static bool is_possible_column(const hb_h5_process_column *told, hb_cell_type cells)
{
    const hb_h5_gaps *gaps = &told->cells.gaps;
    return told->is_signed <= (cells == HB_CELL_INTEGER && told->cells.bits == 0) && told->cells.bits <= UINT8_MAX &&
           gaps->count <= HB_MOST_GAPS && gaps->bounds <= HB_GAPS_BELOW + HB_GAPS_ABOVE;
}

/* Receives the type and gaps of the cells of a table that is not in parts. */
static hb_status hear_cells(hb_h5_process *process, const hb_h5_process_answer *answer, hb_cell_type cells,
                            hb_h5_cells *out)
{
    hb_h5_process_column told;
    HB_TRY(hb_h5_process_hear(process, &told, sizeof told));
    *out = told.cells;
    return is_possible_column(&told, cells) && (told.cells.bits > 0) == answer->floats ? HB_OK : refuse_answer(process);
}

/* Receives the columns of a table in parts. */
static hb_status hear_columns(hb_h5_process *process, hb_schema *schema, hb_h5_cells *cells)
{
    uint64_t labels = 0;
    for (uint64_t c = 0; c < schema->columns; c++) {
        hb_column *column = &schema->column[c];
        hb_h5_process_column told;
        HB_TRY(hb_h5_process_hear(process, &told, sizeof told));
        cells[c] = told.cells;
        const bool category = told.meaning == HB_MEANING_CATEGORY;
        labels += told.labels;
        if (!is_possible_column(&told, column->cells) || told.labels > HB_MOST_LABELS ||
            labels > HB_MOST_TABLE_LABELS || category != (told.labels > 0) ||
            (!category && told.meaning != HB_MEANING_NUMBER && told.meaning != HB_MEANING_BOOL)) {
            return refuse_answer(process);
        }
        column->is_signed = told.is_signed;
        column->meaning.kind = category ? HB_MEANING_NUMBER : (hb_meaning_kind)told.meaning;
        if (category) {
            HB_TRY(hear_labels(process, told.labels, &column->meaning));
        }
    }
    return HB_OK;
}

/* Receives the answer to the first request, and fills the schema from it. */
static hb_status hear_table(hb_h5_process *process, const hb_h5_process_target *target, hb_schema *schema,
                            hb_h5_process_found *found)
{
    hb_h5_process_answer answer;
    const bool real = target->cells == HB_CELL_REAL;
    HB_TRY(hear_answer(process, &answer));
    process->words = answer.is_complex ? 2 : 1;
    if (!is_possible(&answer, target->cells, target->file_bytes)) {
        return refuse_answer(process);
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
    found->placed = answer.placed;
    found->place = (hb_h5_place){answer.offset,
                                 {answer.width, answer.big_endian, answer.is_signed, answer.floats, answer.is_complex}};
    found->parts = answer.parts;
    found->cells = calloc(answer.parts ? (size_t)answer.columns : 1, sizeof *found->cells);
    if (found->cells == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for what its columns are", process->name);
    }
    HB_TRY(answer.parts ? hear_columns(process, schema, found->cells)
                        : hear_cells(process, &answer, target->cells, found->cells));
    return hear_names(process, schema);
}

/* Starts the process and sends the name of its table. */
static hb_status ask(hb_h5_process *process, int fd, const char *file, const char *dataset, hb_h5_process_hello hello)
{
    const size_t file_length = strlen(file) + 1, dataset_length = strlen(dataset) + 1;
    if (file_length > HB_H5_PROCESS_PATH_MOST || dataset_length > HB_H5_PROCESS_PATH_MOST) {
        return HB_FAIL(HB_ENOINPUT, "%.200s...: the name is too long", process->name);
    }
    strcpy(hello.version, HB_H5_PROCESS_VERSION);
    hello.file_bytes = (uint32_t)file_length;
    hello.dataset_bytes = (uint32_t)dataset_length;
    /* Names go over the socket and not as arguments, which other users could see. */
    HB_TRY(hb_h5_process_start(process, fd));
    HB_TRY(hb_h5_process_tell(process, &hello, sizeof hello));
    HB_TRY(hb_h5_process_tell(process, file, file_length));
    return hb_h5_process_tell(process, dataset, dataset_length);
}

/* Sends the names of columns that are read alone. */
static hb_status tell_columns(hb_h5_process *process, const hb_h5_process_target *target)
{
    for (uint32_t i = 0; i < target->column_count; i++) {
        const uint8_t length = (uint8_t)strnlen(target->columns[i], UINT8_MAX);
        HB_TRY(hb_h5_process_tell(process, &length, sizeof length));
        HB_TRY(hb_h5_process_tell(process, target->columns[i], length));
    }
    return HB_OK;
}

hb_status hb_h5_process_open(hb_h5_process *process, const hb_h5_process_target *target, hb_schema *schema,
                             hb_h5_process_found *found)
{
    *process = (hb_h5_process){.name = target->name, .stopped = target->stopped};
    const hb_h5_process_hello hello = {.real = target->cells == HB_CELL_REAL,
                                       .columns = target->column_count,
                                       .lenient = target->lenient,
                                       .follows = target->follows};
    HB_TRY(ask(process, target->fd, target->file, target->dataset, hello));
    HB_TRY(tell_columns(process, target));
    return hear_table(process, target, schema, found);
}

static hb_status hear_attributes(hb_h5_process *process, char **text)
{
    hb_h5_process_answer answer;
    HB_TRY(hear_answer(process, &answer));
    if (answer.rows > HB_H5_ATTRIBUTES_MOST) {
        return refuse_answer(process);
    }
    *text = calloc(1, (size_t)answer.rows + 1);
    if (*text == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for its contents", process->name);
    }
    return hb_h5_process_hear(process, *text, (size_t)answer.rows);
}

hb_status hb_h5_process_attributes(int fd, const char *file, char **text)
{
    hb_h5_process process = {.name = file};
    hb_status st = ask(&process, fd, file, "/", (hb_h5_process_hello){.h5_attributes = 1});
    *text = NULL;
    st = st == HB_OK ? hear_attributes(&process, text) : st;
    if (st != HB_OK) {
        free(*text);
        *text = NULL;
    }
    hb_h5_process_close(&process);
    return st;
}

/* Makes the common memory as large as asked for. Its space is taken now: memory that ends when it is touched is a
 * crash, here as there. */
static hb_status reserve(hb_h5_process *process, uint64_t bytes)
{
    if (bytes <= process->bytes) {
        return HB_OK;
    }
    if (process->cells != NULL) {
        hb_wipe(process->cells, process->bytes);
        munmap(process->cells, process->bytes);
        /* Forgotten before anything can fail, so that closing does not unmap it again. */
        process->cells = NULL;
        process->bytes = 0;
    }
    if (bytes > INT64_MAX) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for one row", process->name);
    }
    HB_TRY(hb_reserve(process->memory, bytes, process->name));
    void *cells = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, process->memory, 0);
    if (cells == MAP_FAILED) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to read it: %s", process->name, strerror(errno));
    }
    process->cells = cells;
    process->bytes = (size_t)bytes;
    return HB_OK;
}

hb_status hb_h5_process_read(hb_h5_process *process, const hb_rectangle *cells, uint64_t *values)
{
    if (process->pid == 0) {
        return HB_FAIL(HB_EDATA, "%s: cannot be read any more", process->name);
    }
    /* Some rows at a time, at least one. */
    const uint64_t wide = cells->columns * process->words;
    const uint64_t fit = AREA_MOST / sizeof *values / wide, most = fit > 0 ? fit : 1;
    for (uint64_t row = 0; row < cells->rows; row += most) {
        const uint64_t rows = cells->rows - row < most ? cells->rows - row : most;
        const hb_rectangle some = {
            .row = cells->row + row, .column = cells->column, .rows = rows, .columns = cells->columns};
        const size_t count = (size_t)(rows * wide);
        hb_h5_process_answer answer;
        /* Before the request, as the reader maps the reserved memory. */
        HB_TRY(reserve(process, count * sizeof *values));
        HB_TRY(hb_h5_process_tell(process, &some, sizeof some));
        HB_TRY(hear_answer(process, &answer));
        memcpy(values + row * wide, process->cells, count * sizeof *values);
    }
    return HB_OK;
}
