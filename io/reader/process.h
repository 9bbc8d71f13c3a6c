/* A process in which HDF5 reads a user's table. Current releases of HDF5 crash on damaged or malicious files, and where
 * memory runs out; in this process a crash costs only the reader, and the caller gets a message. No other process calls
 * HDF5 on such a file. The process is this program started again (/proc/self/exe), which notices before its main
 * function that it is the reader: there is no fork, so that the caller may have MPI, CUDA and threads. */
#ifndef HB_IO_READER_PROCESS_H
#define HB_IO_READER_PROCESS_H

#include <hdf5.h>
#include <sys/types.h>

#include "table/packing.h"
#include "table/schema.h"
#include "type.h"

/* --- the messages between both processes, of one build of one program */

enum {
    HB_H5_PROCESS_SOCKET = 3, /* descriptor of the reader: requests and answers */
    HB_H5_PROCESS_MEMORY = 4, /* descriptor of the cells */
    HB_H5_PROCESS_FILE = 5,   /* descriptor of the table's file, which the caller has opened and looked at */
    HB_H5_PROCESS_PATH_MOST = 1 << 16,
    HB_H5_ATTRIBUTES_MOST = 8 << 20 /* bytes of an outline */
};

#define HB_H5_PROCESS_NAME "hebatch-table-reader" /* argv[0] */
#define HB_H5_PROCESS_VERSION "hebatch table reader " HEBATCH_VERSION ", 9"

/* The caller's first message; both names follow it, with their zeros. Then each request is an hb_rectangle. The dataset
 * "/" asks for an outline; nothing follows it. */
typedef struct hb_h5_process_hello {
    char version[64];
    uint32_t file_bytes, dataset_bytes;
    uint32_t real; /* 1: cells are read as doubles, 0: as integers */
    /* For a table in parts: number of names of the only columns to read, which follow the others as texts. */
    uint32_t columns;
    uint32_t lenient;       /* 1: a table without all of them is read whole */
    uint32_t follows;       /* 1: data may be in other files */
    uint32_t h5_attributes; /* 1: no table is opened; the answer's rows are the bytes of the outline, which follows */
} hb_h5_process_hello;

/* The answer to opening the table, with all members set; and to every request, with status and text. */
typedef struct hb_h5_process_answer {
    int32_t status; /* an hb_status; except after HB_OK nothing follows, and `text` says why */
    char text[sizeof(((hb_error *)NULL)->text)];
    uint64_t rows, columns;
    uint32_t rank, width; /* width: of the stored type; of each part of complex numbers */
    uint8_t big_endian, is_signed, floats, is_complex, named, placed;
    uint8_t parts; /* each column has its own type */
    uint64_t offset;
} hb_h5_process_answer;
/* Follows the first answer: for a table in parts one for every column, followed by its labels as texts; for other
 * tables one for all columns, in which only `cells` is set. */
typedef struct hb_h5_process_column {
    uint8_t is_signed;
    uint8_t meaning; /* an hb_meaning_kind */
    uint32_t labels; /* number of labels */
    hb_h5_cells cells;
} hb_h5_process_column;
/* If the table is named, all names follow, as texts. A text is its length, at most 255, in a byte, and its bytes. */

/* --- the caller's side */

/* A reader that was started. Zeroed: none. */
typedef struct hb_h5_process {
    pid_t pid; /* 0: there is none */
    int socket, memory;
    uint64_t *cells; /* [bytes] of memory that both processes share */
    size_t bytes;
    uint32_t words;             /* of a cell: 2 for complex ones */
    const char *name;           /* of the table, for messages; borrowed */
    hb_status (*stopped)(void); /* of the target */
} hb_h5_process;

/* The table to open. */
typedef struct hb_h5_process_target {
    int fd; /* the file, open; borrowed */
    const char *file, *dataset;
    const char *const *columns; /* [column_count] of a table in parts: names of the only columns to read */
    uint32_t column_count;      /* 0: all are read */
    bool lenient;               /* a table without all of them is read whole */
    bool follows;               /* data may be in other files */
    hb_cell_type cells;
    uint64_t file_bytes;        /* of the file, for checking answers */
    const char *name;           /* of file and dataset, for messages; must outlive the reader */
    hb_status (*stopped)(void); /* asked while the reader is waited for: a failure ends it; NULL: not asked */
} hb_h5_process_target;

/* The findings about a table. Zeroed: none. */
typedef struct hb_h5_process_found {
    bool placed; /* cells lie one after another, from `place` on */
    hb_h5_place place;
    hb_h5_cells *cells; /* [columns] where `parts`, else one for all columns; the caller frees it */
    bool parts;
} hb_h5_process_found;

/* Starts the process and opens the table there: returns its schema with names, and the type and place of its cells, all
 * checked against the file's size. Floating-point numbers are doubles even where integers are wanted; the columns say
 * so. The caller closes *reader, clears *schema and frees found->cells, also after a failure. Returns HB_EDATA when
 * HDF5 crashed or refused; HB_ENOINPUT for a dataset that does not exist; HB_EUNAVAILABLE when no process could be
 * started; HB_ENOMEM; the failure of `stopped`. HB_EIO for a process that uses no processor time for five
 * minutes, as it waits in vain: it is ended. The same holds for reading. */
hb_status hb_h5_process_open(hb_h5_process *process, const hb_h5_process_target *target, hb_schema *schema,
                             hb_h5_process_found *found);
/* Reads a rectangle as hb_table_ops.read does; one thread at a time. Once the process has ended, every call fails with
 * HB_EDATA. */
hb_status hb_h5_process_read(hb_h5_process *process, const hb_rectangle *cells, uint64_t *values);
/* Starts the process, gets the outline of an HDF5 file (hb_table_h5_attributes), which is open as `fd`, and ends the
 * process. HB_EUNAVAILABLE where it cannot be started; HB_EDATA where it crashed or refuses the file; HB_EIO where it
 * no longer answers; HB_ENOMEM. */
hb_status hb_h5_process_attributes(int fd, const char *file, char **text);
/* Ends the process at any moment, and wipes the shared memory. A zeroed reader is allowed. */
void hb_h5_process_close(hb_h5_process *process);

/* --- the reader's side */

/* Returns whether this process is a reader; it has then served its caller to the end, and must exit. Called before
 * main. */
bool hb_h5_process_served(void);
/* Writes the outline of a file, `file` in messages, that HDF5 has opened under the name `opened`: *bytes bytes of text,
 * which the caller frees, also after a failure. HB_EDATA, HB_ENOMEM. */
hb_status hb_h5_attributes_text(hid_t handle, const char *file, const char *opened, char **text, size_t *bytes);

#endif
