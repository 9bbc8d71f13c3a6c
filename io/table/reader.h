/* A process of its own in which HDF5 reads a table of others. HDF5 releases that are in use crash on files that are
 * damaged, or made to harm, and where memory ends; there it costs that process, and the caller a message. Nothing of
 * HDF5 is called on such a file anywhere else. The process is this program once more (/proc/self/exe), which sees
 * before its main function that it is the reader: no fork, so that the caller may have MPI, CUDA and threads. */
#ifndef HB_IO_TABLE_READER_H
#define HB_IO_TABLE_READER_H

#include <sys/types.h>

#include "table_private.h"

/* --- what goes between the two, of one build of one program ------------------------------------------------------ */

enum {
    HB_READER_SOCKET = 3, /* of the reader: requests and answers */
    HB_READER_MEMORY = 4, /* cells */
    HB_READER_PATH_MOST = 1 << 16
};

#define HB_READER_NAME "hebatch-table-reader" /* argv[0] */
#define HB_READER_VERSION "hebatch table reader " HEBATCH_VERSION ", 1"

/* First, then the bytes of both names, with their zeros. */
typedef struct hb_reader_hello {
    char version[64];
    uint32_t file_bytes, dataset_bytes;
} hb_reader_hello;

/* The answer to every request, to the first one with the rest of this set ... */
typedef struct hb_reader_answer {
    int32_t status; /* of hb_status; not HB_OK: nothing follows, and `text` says why */
    char text[512];
    uint64_t rows, columns;
    uint32_t rank, width;
    uint8_t big_endian, is_signed, named, placed;
    uint64_t offset;
} hb_reader_answer;
/* ... and, if named, one of these for every column. */
typedef struct hb_reader_column {
    uint8_t length;
    char name[HB_COLUMN_NAME_MAX]; /* no zero */
} hb_reader_column;

/* --- the caller's side -------------------------------------------------------------------------------------------- */

typedef struct hb_reader {
    pid_t pid; /* 0: there is none */
    int socket, memory;
    uint64_t *cells; /* [bytes]: memory that both have */
    size_t bytes;
    const char *name; /* of the table, for messages; the caller's */
} hb_reader;

typedef struct hb_reader_target {
    const char *file, *dataset;
    uint64_t file_bytes;
    const char *name; /* of both, for messages; lives as long as the reader */
} hb_reader_target;

/* Starts the process and opens the table there: its schema, its names, and where its cells lie, all of it checked
 * against the file's size. HB_EDATA when HDF5 crashed; HB_EUNAVAILABLE when no process could be started. The caller
 * closes *reader and clears *schema, also after a failure. */
hb_status hb_reader_open(hb_reader *reader, const hb_reader_target *target, hb_schema *schema, hb_h5_place *place,
                         bool *placed);
/* As hb_table_ops.read; one thread at a time. */
hb_status hb_reader_read(hb_reader *reader, const hb_rectangle *cells, uint64_t *values);
void hb_reader_close(hb_reader *reader);

/* --- the reader's side -------------------------------------------------------------------------------------------- */

/* Whether this process is a reader; then it served its caller, and is to end. */
bool hb_reader_served(void);

#endif
