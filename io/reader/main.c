/* The reader's side of process.h: a process that does nothing but open one table and read cells of it with HDF5,
 * which may have any layout and filter, but, unless that is asked for, no data in other files. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "confine.h"
#include "io/files/durable.h"
#include "io/h5/h5.h"
#include "process.h"
#include "source_private.h"

/* Chunks are read again for every rectangle that touches them; a block of rows should fit. */
#define CHUNK_CACHE_BYTES ((size_t)64 << 20)
#define CHUNK_CACHE_SLOTS 12421 /* a prime, some 100 times the chunks held (H5Pset_chunk_cache) */
#define MOST_DESCRIPTORS 4096   /* of the caller, that it may have left open */
/* Seconds of processor time in which opening, and one request, come to an end unless HDF5 runs in a circle, as it does
 * on some damaged files: both take well below one second. */
enum { OPENING_MOST = 5, REQUEST_MOST = 30 };
/* A request may take a second more for so many bytes of the file, as it may go through all of them. */
#define BYTES_PER_SECOND ((rlim_t)4 << 20)

/* The one table; the end of the process frees it. */
typedef struct served_table {
    char *file, *dataset, *name; /* FILE:/DATASET, for messages */
    const char *opened;          /* the name by which HDF5 has opened the file */
    hid_t handle, dataset_handle, space;
    hb_schema schema;
    bool real;             /* integers are read as doubles, too */
    bool follows;          /* data may be in other files */
    bool lenient;          /* columns that are wanted need not be there */
    bool lists_attributes; /* it is no table: `rows` are bytes of `outline` */
    char *h5_attributes;
    hb_h5_type type;
    hb_h5_cells cells_are;    /* unless it is in parts */
    const char *const *parts; /* of complex numbers: names of the two */
    bool placed;
    hb_h5_place place;
    rlim_t file_bytes;
    bool in_parts; /* columns come from sources of their own */
    hb_sources sources;
    uint64_t *cells; /* [bytes] of memory that the caller has too */
    size_t bytes;
} served_table;

/* Makes the type of the words that are read, which the caller closes. */
static hb_status memory_type(const served_table *table, hid_t *type)
{
    const hid_t integer = table->type.is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
    if (!table->type.is_complex) {
        return HB_H5(*type = H5Tcopy(table->type.floats ? H5T_NATIVE_DOUBLE : integer), HB_ENOMEM,
                     "%s: no memory to read it", table->name);
    }
    return hb_h5_complex_type(H5T_NATIVE_DOUBLE, table->parts, type);
}

/* HDF5 widens to 64 bits, turns bytes round and converts numbers as it reads. */
static hb_status read_with_hdf5(served_table *table, const hb_rectangle *cells, uint64_t *values)
{
    int rank = (int)table->schema.rank;
    const hsize_t start[2] = {cells->row, cells->column}, extent[2] = {cells->rows, cells->columns};
    HB_TRY(HB_H5(H5Sselect_hyperslab(table->space, H5S_SELECT_SET, start, NULL, extent, NULL), HB_EIO,
                 "%s: cannot select rows %" PRIu64 " to %" PRIu64, table->name, cells->row + 1,
                 cells->row + cells->rows));
    /* The cells come to stand as a rectangle of their own. */
    hid_t memory;
    HB_TRY(HB_H5(memory = H5Screate_simple(rank, extent, NULL), HB_ENOMEM, "%s: no memory to read it", table->name));
    hid_t type = 0;
    hb_status st = HB_OK;
    HB_GOTO(memory_type(table, &type));
    st = HB_H5(H5Dread(table->dataset_handle, type, memory, table->space, H5P_DEFAULT, values), HB_EIO,
               "%s: cannot read rows %" PRIu64 " to %" PRIu64, table->name, cells->row + 1, cells->row + cells->rows);
done:
    hb_h5_close(type);
    hb_h5_close(memory);
    return st;
}

static const char *class_name(H5T_class_t class)
{
    static const char *const names[] = {"integer",  "float",     "time", "string",          "bit field",  "opaque",
                                        "compound", "reference", "enum", "variable-length", "fixed array"};
    return class >= 0 && class < (H5T_class_t)(sizeof names / sizeof names[0]) ? names[class] : "unknown";
}

/* Takes width, order of bytes and sign of the dataset's numbers; any other class is refused by name. */
static hb_status read_type(served_table *table)
{
    hid_t type;
    HB_TRY(HB_H5(type = H5Dget_type(table->dataset_handle), HB_EDATA, "%s: has no type", table->name));
    hid_t part = 0;
    const bool complex = table->real && hb_h5_is_complex(type, &part, &table->parts);
    const hid_t number = complex ? part : type;
    const H5T_class_t class = H5Tget_class(number);
    const size_t size = H5Tget_size(number);
    /* Taken before anything is refused, so that the type is closed in one place. */
    table->type = (hb_h5_type){.width = (uint32_t)size,
                               .big_endian = H5Tget_order(number) == H5T_ORDER_BE,
                               .is_signed = class == H5T_INTEGER && H5Tget_sign(number) == H5T_SGN_2,
                               .floats = class == H5T_FLOAT,
                               .is_complex = complex};
    table->cells_are.bits = class == H5T_FLOAT ? (uint64_t)hb_h5_float_bits(number) : 0;
    hb_h5_close(part);
    hb_h5_close(type);
    if (class == H5T_FLOAT) {
        return HB_OK;
    }
    if (class != H5T_INTEGER) {
        return HB_FAIL(HB_EDATA, "%s: holds values of class %s; only %s can be encrypted with these parameters",
                       table->name, class_name(class), table->real ? "numbers" : "integers");
    }
    if (size != 1 && size != 2 && size != 4 && size != 8) {
        return HB_FAIL(HB_EDATA, "%s: holds integers of %zu bytes; they must have 1, 2, 4 or 8", table->name, size);
    }
    return HB_OK;
}

/* Says which shape the dataset has: people often give the wrong one of a file's datasets. */
static hb_status refuse_shape(const served_table *table, int rank, const hsize_t *extent)
{
    char shape[128] = "a scalar";
    size_t length = 0;
    for (int d = 0; d < rank && length < sizeof shape; d++) {
        length +=
            (size_t)snprintf(shape + length, sizeof shape - length, "%s%" PRIu64, d ? " x " : "", (uint64_t)extent[d]);
    }
    return HB_FAIL(HB_EDATA, "%s: has the shape %s; a table has 1 or 2 dimensions", table->name, shape);
}

/* Takes rows and columns; a 1-D dataset has one column. */
static hb_status read_shape(served_table *table)
{
    /* Room for any rank that HDF5 has, as the rank is known only afterwards. */
    hsize_t extent[H5S_MAX_RANK] = {0};
    int rank;
    HB_TRY(HB_H5(table->space = H5Dget_space(table->dataset_handle), HB_EDATA, "%s: has no shape", table->name));
    HB_TRY(HB_H5(rank = H5Sget_simple_extent_dims(table->space, extent, NULL), HB_EDATA, "%s: has no extents",
                 table->name));
    if (rank != 1 && rank != 2) {
        return refuse_shape(table, rank, extent);
    }
    uint64_t columns = rank == 2 ? extent[1] : 1;
    if (columns == 0) {
        return HB_FAIL(HB_EDATA, "%s: has no columns", table->name);
    }
    hb_schema *schema = &table->schema;
    HB_TRY(hb_schema_alloc(schema, extent[0], columns));
    schema->rank = (uint32_t)rank;
    return HB_OK;
}

/* Opens the file as HDF5 does by itself, as it is none of ours. The name may lead to a pipe by now, so it is the file
 * that the caller has opened; only data in other files are looked for by its name. */
static hb_status open_file(served_table *table)
{
    struct stat given, named;
    const bool same = fstat(HB_H5_PROCESS_FILE, &given) == 0 && given.st_nlink > 0 &&
                      stat(table->opened, &named) == 0 && given.st_ino == named.st_ino && given.st_dev == named.st_dev;
    return same ? HB_H5(table->handle = H5Fopen(table->opened, H5F_ACC_RDONLY, H5P_DEFAULT), HB_EDATA,
                        "%s: cannot be opened as HDF5", table->file)
                : HB_FAIL(HB_EIO, "%s: another file has come in its place: start again", table->file);
}

static hb_status open_dataset(served_table *table)
{
    const char *file = table->file, *dataset = table->dataset;
    hid_t access;
    HB_TRY(HB_H5(access = H5Pcreate(H5P_DATASET_ACCESS), HB_ENOMEM, "%s: cannot make HDF5 properties", file));
    /* 1.0: chunks that were read to their end go first. */
    hb_status st = HB_H5(H5Pset_chunk_cache(access, CHUNK_CACHE_SLOTS, CHUNK_CACHE_BYTES, 1.0), HB_EINTERNAL,
                         "%s: HDF5 refuses a chunk cache", file);
    if (st == HB_OK) {
        st = hb_h5_process_open_object(table->handle, dataset, table->name, table->follows, &table->dataset_handle);
    }
    if (st == HB_OK) {
        st = HB_H5(table->dataset_handle, HB_ENOINPUT, "%s: has no dataset '%s'", file, dataset);
    }
    table->in_parts = st == HB_OK && hb_is_in_parts(table->dataset_handle);
    if (st == HB_OK && !table->in_parts) {
        /* Again, as only this way takes the cache. */
        hb_h5_close(table->dataset_handle);
        st = HB_H5(table->dataset_handle = H5Dopen2(table->handle, dataset, access), HB_ENOINPUT,
                   "%s: has no dataset '%s'", file, dataset);
    }
    hb_h5_close(access);
    return st;
}

/* --- the caller */

/* Receives from the caller; when it says no more this process has nothing left to do. */
static void hear(void *data, size_t bytes)
{
    char *to = data;
    while (bytes > 0) {
        const ssize_t done = recv(HB_H5_PROCESS_SOCKET, to, bytes, 0);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            _exit(0);
        }
        to += done;
        bytes -= (size_t)done;
    }
}

static void tell(const void *data, size_t bytes)
{
    const char *from = data;
    while (bytes > 0) {
        const ssize_t done = send(HB_H5_PROCESS_SOCKET, from, bytes, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            _exit(0);
        }
        from += done;
        bytes -= (size_t)done;
    }
}

/* Zeroed first, so that nothing of this process's memory goes out with it. */
static void answer(const served_table *table, hb_status st)
{
    const hb_schema *schema = &table->schema;
    hb_h5_process_answer a = {.status = (int32_t)st};
    if (st == HB_OK) {
        a.rows = schema->rows;
        a.columns = schema->columns;
        a.rank = schema->rank;
        a.width = table->type.width;
        a.big_endian = table->type.big_endian;
        a.is_signed = table->type.is_signed;
        a.floats = table->type.floats;
        a.is_complex = table->type.is_complex;
        a.named = schema->named;
        a.placed = table->placed;
        a.offset = table->place.offset;
        a.parts = table->in_parts;
    } else {
        snprintf(a.text, sizeof a.text, "%s", hb_last_error()->text);
    }
    tell(&a, sizeof a);
}

static void tell_text(const char *text)
{
    const uint8_t length = (uint8_t)strnlen(text, UINT8_MAX);
    tell(&length, sizeof length);
    tell(text, length);
}

/* Sends the columns and their names, after an answer that announces them. */
static void tell_columns(const served_table *table)
{
    const hb_schema *schema = &table->schema;
    const uint64_t count = table->in_parts ? schema->columns : 1;
    for (uint64_t c = 0; c < count; c++) {
        const hb_source *source = table->in_parts ? &table->sources.source[c] : NULL;
        hb_h5_process_column column;
        memset(&column, 0, sizeof column); /* padding between its members goes out, too */
        column.cells = source != NULL ? source->cells : table->cells_are;
        if (source != NULL) {
            column.is_signed = source->is_signed;
            column.meaning = (uint8_t)source->meaning;
            column.labels = source->meaning == HB_MEANING_CATEGORY ? (uint32_t)source->count : 0;
        }
        tell(&column, sizeof column);
        for (uint64_t i = 0; i < column.labels; i++) {
            tell_text(source->label[i]);
        }
    }
    for (uint64_t c = 0; schema->named && c < schema->columns; c++) {
        tell_text(schema->column[c].name); /* at most HB_COLUMN_NAME_MAX */
    }
}

/* NULL when out of memory, or for a length that no name has. */
static char *hear_name(uint32_t bytes)
{
    char *name = bytes > 0 && bytes <= HB_H5_PROCESS_PATH_MOST ? malloc(bytes) : NULL;
    if (name != NULL) {
        hear(name, bytes);
        name[bytes - 1] = '\0';
    }
    return name;
}

/* Receives which table is to be opened. */
static hb_status hear_hello(served_table *table)
{
    hb_h5_process_hello hello;
    hear(&hello, sizeof hello);
    /* An update may have replaced the program's file between the two starts. */
    if (memcmp(hello.version, (char[sizeof hello.version]){HB_H5_PROCESS_VERSION}, sizeof hello.version) != 0) {
        return HB_FAIL(HB_EINTERNAL, "the program was replaced by another version while it ran: start it again");
    }
    table->real = hello.real == 1;
    table->follows = hello.follows == 1;
    table->lists_attributes = hello.h5_attributes == 1;
    table->file = hear_name(hello.file_bytes);
    table->dataset = hear_name(hello.dataset_bytes);
    table->lenient = hello.lenient == 1;
    table->sources.wanted = calloc((size_t)hello.columns + 1, sizeof *table->sources.wanted);
    for (; table->sources.wanted != NULL && table->sources.wanted_count < hello.columns;
         table->sources.wanted_count++) {
        uint8_t length;
        hear(&length, sizeof length);
        char *name = calloc(1, (size_t)length + 1);
        if (name == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for names of columns");
        }
        hear(name, length);
        table->sources.wanted[table->sources.wanted_count] = name;
    }
    if (table->file == NULL || table->dataset == NULL || table->sources.wanted == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the name of a table");
    }
    return asprintf(&table->name, "%s:%s", table->file, table->dataset) >= 0
               ? HB_OK
               : HB_FAIL(HB_ENOMEM, "no memory for the name of a table");
}

/* A table whose columns come from sources of their own. */
static hb_status open_parts(served_table *table)
{
    hb_sources *sources = &table->sources;
    sources->name = table->name;
    sources->file = table->opened;
    sources->follows = table->follows;
    sources->real = table->real;
    hb_status st = hb_sources_find(table->dataset_handle, sources);
    if (st == HB_EUSAGE && table->lenient) {
        hb_clear_error();
        *sources =
            (hb_sources){.name = table->name, .file = table->opened, .follows = table->follows, .real = table->real};
        st = hb_sources_find(table->dataset_handle, sources);
    }
    HB_TRY(st);
    HB_TRY(hb_schema_alloc(&table->schema, sources->rows, sources->count));
    table->schema.rank = sources->flat ? 1 : 2;
    table->type = (hb_h5_type){.width = sizeof(uint64_t), .floats = table->real};
    if (!sources->named) {
        return hb_h5_process_names(table->dataset_handle, table->name, &table->schema);
    }
    table->schema.named = true;
    for (uint64_t c = 0; c < sources->count; c++) {
        table->schema.column[c].name = strdup(sources->source[c].name);
        if (table->schema.column[c].name == NULL) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory for the names of its columns", table->name);
        }
    }
    return HB_OK;
}

/* Everything that can go wrong with a damaged file goes wrong here or in read_cells. */
static hb_status open_table(served_table *table)
{
    struct stat info;
    HB_TRY(hear_hello(table));
    /* Before any call of HDF5, which would look for data in other files elsewhere than these were looked at. */
    (void)unsetenv("HDF5_EXT_PREFIX");
    (void)unsetenv("HDF5_VDS_PREFIX");
    (void)unsetenv("HDF5_EXTFILE_PREFIX");
    HB_TRY(hb_h5_begin());
    table->file_bytes = fstat(HB_H5_PROCESS_FILE, &info) == 0 ? (rlim_t)info.st_size : 0;
    _Static_assert(HB_H5_PROCESS_FILE == 5, "the name says so");
    table->opened = table->follows ? table->file : "/proc/self/fd/5";
    hb_h5_process_confine(table->opened, table->follows);
    hb_h5_process_end_with(HB_H5_PROCESS_SOCKET); /* as confined as all else */
    HB_TRY(open_file(table));
    if (table->lists_attributes) {
        return hb_h5_attributes_text(table->handle, table->file, table->opened, &table->h5_attributes,
                                     &table->schema.rows);
    }
    HB_TRY(open_dataset(table));
    if (table->in_parts) {
        return open_parts(table);
    }
    HB_TRY(read_type(table));
    HB_TRY(read_shape(table));
    HB_TRY(hb_h5_process_check_storage(table->dataset_handle, table->name, table->opened, table->follows));
    const hb_gaps_of of = {.table = table->name,
                           .column = "1",
                           .bits = (int)table->cells_are.bits,
                           .is_signed = table->type.is_signed,
                           .numbers = !table->type.is_complex};
    HB_TRY(hb_h5_process_find_gaps(&of, table->dataset_handle, &table->cells_are.gaps));
    HB_TRY(hb_h5_process_names(table->dataset_handle, table->name, &table->schema));
    table->placed = hb_h5_process_is_in_file(table->dataset_handle, table->opened) &&
                    hb_h5_process_find_place(table->dataset_handle, &table->schema, &table->type,
                                             (uint64_t)table->file_bytes, &table->place);
    return HB_OK;
}

/* Maps as much as the caller has made of the memory, if that is more than is mapped already. */
static hb_status map_cells(served_table *table, size_t bytes)
{
    struct stat info;
    if (bytes <= table->bytes) {
        return HB_OK;
    }
    if (table->cells != NULL) {
        /* Mapped anew as a whole: the old part is of the same memory. */
        munmap(table->cells, table->bytes);
    }
    table->cells = NULL;
    table->bytes = 0;
    void *cells = fstat(HB_H5_PROCESS_MEMORY, &info) == 0 && (uint64_t)info.st_size >= bytes
                      ? mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, HB_H5_PROCESS_MEMORY, 0)
                      : MAP_FAILED;
    if (cells == MAP_FAILED) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to read it", table->name);
    }
    table->cells = cells;
    table->bytes = (size_t)info.st_size;
    return HB_OK;
}

/* Answers a request: cells go into the memory that both have. */
static hb_status read_cells(served_table *table, const hb_rectangle *cells)
{
    const hb_schema *schema = &table->schema;
    /* The caller is believed as little as HDF5: a wrong request must not leave the memory. */
    if (cells->rows > schema->rows || cells->row > schema->rows - cells->rows || cells->columns > schema->columns ||
        cells->column > schema->columns - cells->columns) {
        return HB_FAIL(HB_EINTERNAL, "%s: cells outside the table", table->name);
    }
    const size_t words = table->type.is_complex ? 2 : 1;
    HB_TRY(map_cells(table, (size_t)(cells->rows * cells->columns) * words * sizeof *table->cells));
    return table->in_parts ? hb_sources_read(&table->sources, cells, table->cells)
                           : read_with_hdf5(table, cells, table->cells);
}

/* Has the system end the process with SIGXCPU once it has used so much more processor time. */
static void set_deadline(rlim_t seconds)
{
    struct rusage used;
    struct rlimit limit;
    if (getrusage(RUSAGE_SELF, &used) == 0 && getrlimit(RLIMIT_CPU, &limit) == 0) {
        const rlim_t end = (rlim_t)used.ru_utime.tv_sec + (rlim_t)used.ru_stime.tv_sec + 1 + seconds;
        limit.rlim_cur = end < limit.rlim_max ? end : limit.rlim_max;
        (void)setrlimit(RLIMIT_CPU, &limit);
    }
}

/* Allows no image of the plaintext on a disk, and holds nothing of the caller's open. */
static void be_alone(void)
{
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    sigset_t deadline; /* of all signals the one that is not blocked here */
    sigemptyset(&deadline);
    sigaddset(&deadline, SIGXCPU);
    (void)signal(SIGXCPU, SIG_DFL);
    (void)sigprocmask(SIG_UNBLOCK, &deadline, NULL);
    /* A library of the caller may have opened descriptors that are not closed on exec. */
    for (int fd = HB_H5_PROCESS_FILE + 1; fd < MOST_DESCRIPTORS; fd++) {
        close(fd);
    }
}

bool hb_h5_process_served(void)
{
    /* Every process of the program comes here; only the one that was given this name stays. */
    if (strcmp(program_invocation_name, HB_H5_PROCESS_NAME) != 0) {
        return false;
    }
    served_table table = {.file = NULL}; /* the end of the process closes it */
    be_alone();
    set_deadline(OPENING_MOST);
    hb_status st = open_table(&table);
    answer(&table, st);
    if (st == HB_OK) {
        table.lists_attributes ? tell(table.h5_attributes, table.schema.rows) : tell_columns(&table);
    }
    /* After a failure the caller has the reason, and this process is of no use any more. */
    while (st == HB_OK && !table.lists_attributes) {
        hb_rectangle cells;
        hear(&cells, sizeof cells);
        set_deadline(REQUEST_MOST + table.file_bytes / BYTES_PER_SECOND);
        st = read_cells(&table, &cells);
        answer(&table, st);
    }
    return true;
}
