/* One field of a CSV, as all of the program's CSVs have it. */
#ifndef HB_IO_TABLE_CSV_FIELD_H
#define HB_IO_TABLE_CSV_FIELD_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether a text needs quotes as a field between such signs. alone: the field is its whole line, which readers
 * skip where it is empty. */
static inline bool hb_csv_needs_quotes(const char *text, char delimiter, bool alone)
{
    const size_t length = strlen(text);
    const char special[] = {delimiter, '"', '\r', '\n', '\0'};
    /* Blanks around a field are dropped when it is read, unless they are in quotes. */
    const bool blank = length > 0 && (strchr(" \t", text[0]) != NULL || strchr(" \t", text[length - 1]) != NULL);
    return blank || strpbrk(text, special) != NULL || (alone && length == 0);
}
/* Takes the next bytes of a field; `to` remembers failures. */
typedef void (*hb_csv_put)(void *to, const char *text, size_t bytes);
/* Gives a text as a field, in quotes where it needs them, and with quotes doubled. */
static inline void hb_csv_put_field(hb_csv_put put, void *to, const char *text, char delimiter, bool alone)
{
    /* Texts that need no quotes get none, as most programs write them. */
    if (!hb_csv_needs_quotes(text, delimiter, alone)) {
        put(to, text, strlen(text));
        return;
    }
    put(to, "\"", 1);
    for (; *text != '\0'; text++) {
        put(to, "\"\"", *text == '"' ? 1 : 0);
        put(to, text, 1);
    }
    put(to, "\"", 1);
}

/* Reads a field as hb_csv_put_field writes it with commas. Returns the end of the one at `at`, which is a comma, a line
 * end or `end`. *length: of its text without quotes, which is written to `to`, unless that is NULL. */
static inline const char *hb_csv_walk_field(const char *at, const char *end, char *to, size_t *length)
{
    const bool quoted = at < end && *at == '"';
    *length = 0;
    at += quoted;
    while (at < end && (quoted || (*at != ',' && *at != '\n'))) {
        if (quoted && *at == '"') {
            at++;
            if (at == end || *at != '"') {
                break;
            }
        }
        if (to != NULL) {
            to[*length] = *at;
        }
        ++*length;
        at++;
    }
    return at;
}
/* Takes the text of such a field, owned, in memory of its own length, and moves *at to the end of the field. NULL: no
 * memory. */
static inline char *hb_csv_take_field(const char **at, const char *end)
{
    size_t length;
    (void)hb_csv_walk_field(*at, end, NULL, &length);
    char *field = malloc(length + 1);
    if (field != NULL) {
        *at = hb_csv_walk_field(*at, end, field, &length);
        field[length] = '\0';
    }
    return field;
}

#endif
