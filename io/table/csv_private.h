/* CSV text: lines through a bounded buffer, fields of a line, and a name written as a field. What of RFC 4180 is read
 * stands in io/README.md. */
#ifndef HB_IO_TABLE_CSV_PRIVATE_H
#define HB_IO_TABLE_CSV_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

#define HB_CSV_LINE_MAX ((size_t)16 << 20)

/* The lines of a regular file, read with pread through one buffer that grows to the longest line. */
typedef struct hb_lines {
    int fd;           /* borrowed */
    const char *path; /* borrowed; for messages */
    uint64_t size;    /* of the file when it was opened: what is appended later is not read */
    char *buffer;
    size_t capacity, begin, end; /* unread text is buffer[begin .. end) */
    uint64_t base;               /* file offset of buffer[0] */
} hb_lines;

hb_status hb_lines_init(hb_lines *lines, int fd, uint64_t size, const char *path);
void hb_lines_clear(hb_lines *lines);
/* Offset of the next line, and going to one. */
uint64_t hb_lines_tell(const hb_lines *lines);
void hb_lines_seek(hb_lines *lines, uint64_t offset);
/* The next line without its line break, valid until the next call; *line NULL at the end of the file. HB_EDATA when it
 * is longer than HB_CSV_LINE_MAX. */
hb_status hb_lines_next(hb_lines *lines, const char **line, size_t *length);

typedef enum hb_csv_fault { HB_CSV_GOOD, HB_CSV_EMPTY, HB_CSV_TOO_LARGE, HB_CSV_NOT_INTEGER } hb_csv_fault;

typedef struct hb_csv_number {
    uint64_t magnitude; /* at most 2^63 if negative */
    bool negative;      /* of a value below 0 */
} hb_csv_number;

/* The number in the field at *at, which ends at a comma or at `end`; leaves *at there. */
hb_csv_fault hb_csv_parse_number(const char **at, const char *end, hb_csv_number *number);
/* The text of the field at *at, allocated, quotes removed. HB_EDATA for broken quotes, control characters and names
 * above HB_COLUMN_NAME_MAX bytes; `path` and `column` (from 1) are for the message. */
hb_status hb_csv_parse_name(const char **at, const char *end, const char *path, uint64_t column, char **name);
/* The end of the field that begins at `at`. */
const char *hb_csv_field_end(const char *at, const char *end);
bool hb_csv_is_blank(const char *line, size_t length);

/* Writes a name as one field, in quotes where it needs them. */
void hb_csv_put_name(FILE *file, const char *name);

#endif
