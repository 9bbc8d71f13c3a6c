/* One field of a CSV, as all of the program's CSVs have it. */
#ifndef HB_IO_TABLE_CSV_FIELD_H
#define HB_IO_TABLE_CSV_FIELD_H

#include <stdbool.h>
#include <stdio.h>

/* Writes a text as a field, in quotes where it needs them, and with quotes doubled. alone: the field is its whole line,
 * which readers skip where it is empty. Failures show in ferror. */
void hb_csv_put_field(FILE *to, const char *text, char delimiter, bool alone);

#endif
