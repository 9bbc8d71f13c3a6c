#include "cells.h"

#include <string.h>

#include "base/outward.h"
#include "cli/console.h"
#include "cli/escape.h"

enum { MOST_CHARACTERS = 4000, MOST_LINES = 200, MOST_ELEMENTS = 40, MOST_COLUMNS = 16 };

/* One character as hb_escape_next has written it. */
static void put_piece(FILE *to, const char *piece, size_t bytes)
{
    static const char special[] = "&<>\"'";
    static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    const char *at = bytes == 1 ? strchr(special, piece[0]) : NULL;
    if (at != NULL) {
        fputs(names[at - special], to);
    } else {
        fwrite(piece, 1, bytes, to);
    }
}

/* lines: keeps line breaks. */
static void put_text(FILE *to, const char *text, bool lines)
{
    size_t written = 0;
    while (*text != '\0' && written < MOST_CHARACTERS) {
        char piece[HB_ESCAPED_MOST];
        put_piece(to, piece, hb_escape_next(&text, lines, piece));
        written++;
    }
    if (*text != '\0') {
        fputs(" &hellip;", to);
    }
}

void hb_page_text(FILE *to, const char *text)
{
    put_text(to, text, true);
}

static void put_number(FILE *to, const json_t *value, hb_page_look look)
{
    const double number = json_number_value(value);
    if (look == HB_LOOK_BYTES && number >= 0) {
        hb_page_text(to, hb_human_bytes(number).text);
    } else if (look == HB_LOOK_SECONDS && number >= 0) {
        hb_page_text(to, hb_human_seconds(number).text);
    } else if (look == HB_LOOK_BITS && number < 0) {
        fputs("none", to);
    } else if (look == HB_LOOK_BITS) {
        fprintf(to, number < 1e6 ? "%.1f" : "%.3g", hb_decimal_down(number, 1));
    } else if (look == HB_LOOK_ERROR) {
        fprintf(to, "%.4g", hb_significant_up(number, 4));
    } else if (json_is_integer(value)) {
        fprintf(to, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else {
        fprintf(to, "%.4g", number);
    }
}

/* The first characters of a text. */
static void put_begin(FILE *to, const char *text)
{
    enum { SHOWN = 12 };
    for (size_t i = 0; i < SHOWN && *text != '\0'; i++) {
        char piece[HB_ESCAPED_MOST];
        put_piece(to, piece, hb_escape_next(&text, false, piece));
    }
}

static void put_scalar(FILE *to, const json_t *value, hb_page_look look)
{
    if (json_is_string(value) && look == HB_LOOK_HASH && json_string_length(value) > 0) {
        fputs("<code title=\"", to);
        hb_page_text(to, json_string_value(value));
        fputs("\">", to);
        put_begin(to, json_string_value(value));
        fputs("</code>", to);
    } else if (json_is_string(value) && look == HB_LOOK_CODE) {
        fputs("<code>", to);
        hb_page_text(to, json_string_value(value));
        fputs("</code>", to);
    } else if (json_is_string(value)) {
        hb_page_text(to, json_string_value(value));
    } else if (json_is_number(value)) {
        put_number(to, value, look);
    } else if (json_is_boolean(value)) {
        fputs(json_is_true(value) ? "yes" : "no", to);
    } else {
        fputs(value == NULL || json_is_null(value) ? "-" : "&hellip;", to);
    }
}

static void put_members(FILE *to, const json_t *object, hb_page_look look)
{
    const char *name, *before = "";
    json_t *value;
    size_t shown = 0;
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        if (shown++ == MOST_ELEMENTS) {
            fputs(" &hellip;", to);
            return;
        }
        fputs(before, to);
        hb_page_text(to, name);
        fputc(' ', to);
        put_scalar(to, value, look);
        before = ", ";
    }
}

void hb_page_value(FILE *to, const json_t *value, hb_page_look look)
{
    const size_t count = json_array_size(value);
    if (json_is_object(value)) {
        put_members(to, value, look);
    } else if (!json_is_array(value)) {
        put_scalar(to, value, look);
    }
    for (size_t i = 0; i < count && i < MOST_ELEMENTS; i++) {
        fputs(i > 0 ? ", " : "", to);
        put_scalar(to, json_array_get(value, i), look);
    }
    if (count > MOST_ELEMENTS) {
        fprintf(to, " and %zu more", count - MOST_ELEMENTS);
    }
}

static bool is_there(const json_t *value)
{
    return value != NULL && !json_is_null(value) && !(json_is_array(value) && json_array_size(value) == 0);
}

void hb_page_facts(FILE *to, const json_t *object, const hb_page_cell *cells, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_object_get(object, cells[i].member);
        if (is_there(value)) {
            fprintf(to, "%s<dt>%s</dt><dd>", any ? "" : "<dl>\n", cells[i].title);
            hb_page_value(to, value, cells[i].look);
            fputs("</dd>\n", to);
            any = true;
        }
    }
    fputs(any ? "</dl>\n" : "", to);
}

/* Which of the columns any of the objects has. */
static void find_columns(const json_t *list, const hb_page_cell *cells, size_t count, bool has[MOST_COLUMNS])
{
    size_t line;
    json_t *object;
    memset(has, 0, MOST_COLUMNS * sizeof has[0]);
    json_array_foreach(list, line, object)
    {
        for (size_t c = 0; c < count && line < MOST_LINES; c++) {
            has[c] |= is_there(json_object_get(object, cells[c].member));
        }
    }
}

void hb_page_table(FILE *to, const char *heading, const json_t *list, const hb_page_cell *cells, size_t count)
{
    bool has[MOST_COLUMNS];
    const size_t lines = json_array_size(list);
    count = count < MOST_COLUMNS ? count : MOST_COLUMNS;
    if (lines == 0) {
        return;
    }
    find_columns(list, cells, count, has);
    if (heading != NULL) {
        fprintf(to, "<h3>%s</h3>\n", heading);
    }
    fputs("<div class=\"wide\"><table>\n<tr>", to);
    for (size_t c = 0; c < count; c++) {
        if (has[c]) {
            fprintf(to, "<th>%s</th>", cells[c].title);
        }
    }
    fputs("</tr>\n", to);
    for (size_t line = 0; line < lines && line < MOST_LINES; line++) {
        const json_t *object = json_array_get(list, line);
        fputs("<tr>", to);
        for (size_t c = 0; c < count; c++) {
            const json_t *value = json_object_get(object, cells[c].member);
            if (has[c]) {
                fprintf(to, "<td%s>", json_is_number(value) ? " class=\"number\"" : "");
                hb_page_value(to, value, cells[c].look);
                fputs("</td>", to);
            }
        }
        fputs("</tr>\n", to);
    }
    fputs("</table></div>\n", to);
    if (lines > MOST_LINES) {
        fprintf(to, "<p>and %zu more, which the report has</p>\n", lines - MOST_LINES);
    }
}

const char *const hb_page_certainties[HB_PAGE_CERTAINTIES] = {"proven", "drawn", "likely", "assumed"};

size_t hb_page_certainty(const json_t *bits)
{
    size_t i = 0;
    while (i < HB_PAGE_CERTAINTIES && !json_is_number(json_object_get(bits, hb_page_certainties[i]))) {
        i++;
    }
    return i < HB_PAGE_CERTAINTIES ? i : 0;
}
