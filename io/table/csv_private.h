/* CSV text: lines through a bounded buffer, fields of a line, and a name written as a field. io/README.md says which
 * parts of RFC 4180 are read. */
#ifndef HB_IO_TABLE_CSV_PRIVATE_H
#define HB_IO_TABLE_CSV_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/cell.h"
#include "base/status.h"
#include "text_file.h"

enum { HB_CSV_ORDER = 6 };                 /* an order of dates, such as d.m.y, and a zero */
#define HB_CSV_LINE_MAX ((size_t)16 << 20) /* bytes; also bounds the buffer */

/* The lines of a text, read through one buffer that grows to the longest line. Line breaks within quoted fields are
 * part of their line. One thread at a time. */
typedef struct hb_lines {
    hb_text_file text;
    char delimiter; /* between fields; 0: not known yet, any of HB_CSV_DELIMITERS */
    bool ended;     /* the text ends where the buffer does */
    char *buffer;
    size_t capacity, begin, end; /* unread text is buffer[begin .. end) */
    uint64_t base;               /* offset of buffer[0] in the text */
    uint64_t until;              /* behind this offset little is read at a time, as it may not be wanted */
    uint64_t number;             /* of the next line, from 1, as editors count them; unknown after hb_lines_seek */
} hb_lines;

#define HB_CSV_DELIMITERS ",;\t|"

/* Begins at the first line, after a byte-order mark; the text is in the encoding that is said. Takes over the file,
 * also after a failure. HB_ENOMEM. hb_lines_clear wipes the buffer, which held plaintext, and takes a zeroed struct. */
hb_status hb_lines_init(hb_lines *lines, int fd, uint64_t size, const char *path, hb_charset said);
void hb_lines_clear(hb_lines *lines);
/* Begins to read the same text for another thread; hb_lines_are_plain has to be true of it. HB_ENOMEM. */
hb_status hb_lines_copy(hb_lines *lines, const hb_lines *from);
/* Returns whether the text is the bytes of the file, so that threads can read it at any place. */
static inline bool hb_lines_are_plain(const hb_lines *lines)
{
    return lines->text.gzip == NULL && lines->text.decoder == NULL;
}
/* Return the offset in the text of the next line, and go to a line that begins at `offset`. */
uint64_t hb_lines_tell(const hb_lines *lines);
void hb_lines_seek(hb_lines *lines, uint64_t offset);
/* Goes behind the first line break from where the text is, which *found tells to stand before `end` - 1: more of the
 * text follows it before `end`. Errors as of hb_lines_next. */
hb_status hb_lines_find_break(hb_lines *lines, uint64_t end, bool *found);
/* Returns the next line without its line break (LF or CR LF), valid until the next call; *line is NULL at the end of
 * the file. HB_EDATA when the line is longer than HB_CSV_LINE_MAX, or the file is damaged or has become shorter;
 * HB_EIO, HB_ENOMEM. */
hb_status hb_lines_next(hb_lines *lines, const char **line, size_t *length);

/* A fault of a field. */
typedef enum hb_csv_fault {
    HB_CSV_GOOD,
    HB_CSV_EMPTY,
    HB_CSV_TOO_LARGE,
    HB_CSV_UNHELD,    /* an integer that no double is */
    HB_CSV_NO_NUMBER, /* not a number of the wanted type */
    HB_CSV_NO_MEMORY
} hb_csv_fault;

/* The number in a field. */
typedef struct hb_csv_number {
    uint64_t magnitude; /* of an integer from -2^63 to 2^64 - 1, or of a wide one from -2^127 to 2^128 - 1 ... */
    uint64_t high;      /* ... with these upper 64 bits */
    double real;        /* the number, where reals are wanted */
    double imaginary;   /* its imaginary part, 0 if it ... */
    bool is_complex;    /* ... has no such part */
    bool wide;          /* it was read as a wide one */
    bool negative;      /* it is below 0 */
    bool padded;        /* it begins with a zero that is not its only digit; it has ... */
    uint32_t digits;    /* ... this many digits, and nothing else but a sign; 0: it has something else */
} hb_csv_number;

/* The type that fields are parsed as. */
typedef struct hb_csv_type {
    hb_cell_type cells;
    char delimiter; /* after the field, if it does not end the line */
} hb_csv_type;

/* Returns whether no signed type holds the number. */
static inline bool hb_csv_is_large(const hb_csv_number *number)
{
    return !number->negative && (number->wide ? number->high : number->magnitude) > INT64_MAX;
}

/* Parses the number of this type in the field at *at, which ends at a delimiter or at `end`; leaves *at there even for
 * a fault. *number is set only without a fault. Every integer is a real as well. Reals may have a second part that ends
 * in i or j, 1.5-2j, or only that part, 2j, and such may stand in parentheses, as Python writes them. */
hb_csv_fault hb_csv_parse_number(const char **at, const char *end, hb_csv_type type, hb_csv_number *number);
/* Returns in *name the text of the field at *at, without its quotes or, of which *trimmed tells, the blanks around it,
 * and leaves *at at the field's end; the caller frees it. `path` and `column` (counted from 1) are for the message.
 * HB_EDATA for broken quotes, control characters and names above HB_COLUMN_NAME_MAX bytes; HB_ENOMEM. */
hb_status hb_csv_parse_name(const char **at, const char *end, char delimiter, const char *path, uint64_t column,
                            char **name, bool *trimmed);
/* Returns the end of the field that begins at `at`: a delimiter outside quotes, or `end`. */
const char *hb_csv_field_end(const char *at, const char *end, char delimiter);
/* csv_reader.c: returns how many fields a line has. */
uint64_t hb_csv_count_fields(const char *line, const char *end, char delimiter);
/* A text within a field. */
typedef struct hb_csv_text {
    const char *text;
    size_t length;
    bool quoted; /* it was quoted */
} hb_csv_text;
/* Returns in *text the text of a field [at, end), without the spaces and quotes around it. A text with doubled quotes
 * goes to `room`, which has as many bytes as the field. False for broken quotes. */
bool hb_csv_field_text(const char *at, const char *end, char delimiter, char *room, hb_csv_text *out);
/* Returns the delimiter of a line of names: the one that occurs most often outside quotes; a comma for a tie, or
 * none. */
char hb_csv_find_delimiter(const char *line, const char *end);
/* Returns whether a line has only spaces and tabs, and no tab where that is the delimiter. */
bool hb_csv_is_blank(const char *line, size_t length, char delimiter);

#endif
