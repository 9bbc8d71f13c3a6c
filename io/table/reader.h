/* A process of its own in which HDF5 reads a table of the user's. HDF5 releases that are in use crash on files that are
 * damaged, or made to harm, and where memory ends; there that costs the reader's process, and the caller gets a
 * message. Nothing of HDF5 is called on such a file anywhere else. The process is this program once more
 * (/proc/self/exe), which sees before its main function that it is the reader: no fork, so that the caller may have
 * MPI, CUDA and threads. */
#ifndef HB_IO_TABLE_READER_H
#define HB_IO_TABLE_READER_H

#include <sys/types.h>

#include "table_private.h"

/* --- what goes between the two, of one build of one program */

enum {
    HB_READER_SOCKET = 3, /* of the reader: requests and answers */
    HB_READER_MEMORY = 4, /* cells */
    HB_READER_PATH_MOST = 1 << 16,
    HB_READER_OUTLINE_MOST = 8 << 20 /* bytes of an outline */
};

#define HB_READER_NAME "hebatch-table-reader" /* argv[0] */
#define HB_READER_VERSION "hebatch table reader " HEBATCH_VERSION ", 6"

/* What the caller says first; after it come the bytes of both names, with their zeros. Then each request is an
 * hb_rectangle. An outline is asked for with the dataset "/", and nothing after it. */
typedef struct hb_reader_hello {
    char version[64];
    uint32_t file_bytes, dataset_bytes;
    uint32_t real;    /* 1: cells are read as doubles, 0: as integers */
    uint32_t columns; /* names of columns to read alone, of a table in parts, which follow the others as texts */
    uint32_t lenient; /* 1: where the table has not all of them, it is read whole */
    uint32_t outline; /* 1: no table is opened; the answer's rows are bytes of the outline, which follow */
} hb_reader_hello;

/* The answer to opening the table, with all members set, and to every request, with status and text. */
typedef struct hb_reader_answer {
    int32_t status; /* an hb_status; unless it is HB_OK nothing follows, and `text` says why */
    char text[512];
    uint64_t rows, columns;
    uint32_t rank, width; /* width: of the stored type, of complex numbers that of each part */
    uint8_t big_endian, is_signed, floats, is_complex, named, placed;
    uint8_t parts; /* columns are of types of their own: a description of each follows, too */
    uint64_t offset;
} hb_reader_answer;
/* After the first answer, of a table in parts: one of these for every column, with its labels behind it as texts. */
typedef struct hb_reader_column {
    uint8_t is_signed;
    uint8_t meaning; /* an hb_meaning_kind */
    uint32_t labels; /* how many there are */
} hb_reader_column;
/* If the table is named, all names follow, as texts. A text is its length, at most 255, in a byte, and its bytes. */

/* --- the caller's side */

/* A reader that was started. Zeroed: none. */
typedef struct hb_reader {
    pid_t pid; /* 0: there is none */
    int socket, memory;
    uint64_t *cells; /* [bytes] of memory that both processes have */
    size_t bytes;
    uint32_t words;   /* of a cell: 2 of complex ones */
    const char *name; /* of the table, for messages; borrowed */
} hb_reader;

/* Which table is to be opened. */
typedef struct hb_reader_target {
    const char *file, *dataset;
    const hb_reading *reading; /* of which columns are read alone where they are in parts, nothing else */
    hb_cell_type cells;
    uint64_t file_bytes; /* of the file, by which answers are checked */
    const char *name;    /* of file and dataset, for messages; lives as long as the reader */
} hb_reader_target;

/* Starts the process and opens the table there: returns its schema with names, and, if *placed, where its cells lie,
 * all of it checked against the file's size. The caller closes *reader and clears *schema, also after a failure.
 * Returns HB_EDATA when HDF5 crashed or refused; HB_ENOINPUT for a dataset that is not there; HB_EUNAVAILABLE when no
 * process could be started; HB_ENOMEM. */
hb_status hb_reader_open(hb_reader *reader, const hb_reader_target *target, hb_schema *schema, hb_h5_place *place,
                         bool *placed);
/* Reads a rectangle as hb_table_ops.read does; one thread at a time. After the process has ended, every call fails with
 * HB_EDATA. */
hb_status hb_reader_read(hb_reader *reader, const hb_rectangle *cells, uint64_t *values);
/* Starts the process and has it tell what an HDF5 file holds beside tables (hb_table_outline); ends it. */
hb_status hb_reader_outline(const char *file, char **text);
/* Ends the process, waits for it, and wipes what both had. A zeroed reader is allowed. */
void hb_reader_close(hb_reader *reader);

/* --- the reader's side */

/* Returns whether this process is a reader; it has then served its caller to the end, and is to exit. Called before
 * main. */
bool hb_reader_served(void);
/* Writes the outline of a file, *bytes bytes of text that the caller frees, also after a failure. HB_EDATA,
 * HB_ENOMEM. */
hb_status hb_reader_outline_text(const char *file, char **text, size_t *bytes);

#endif
