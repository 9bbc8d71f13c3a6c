/* Notes about cells that are perhaps not read as their owner thinks, or that decryption writes in another way. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv_advice.h"
#include "csv_columns.h"
#include "table/alike.h"
#include "table/shell_line.h"
#include "table/utf8.h"
#include "table_private.h"

/* Labels are public; of long ones the beginning is shown. */
enum { SHOWN = 60 };

/* The columns of a table, of which each note has a label. */
typedef struct noting {
    const hb_table *of;
    const hb_schema *schema;
    const char *folded; /* what --fold was given for; NULL: nothing */
    bool shows_names;
    uint64_t *alike; /* [columns] the first column before it whose name looks alike, or itself; NULL: not known */
    uint64_t trimmed_names; /* columns whose names lose blanks ... */
    uint64_t first_trimmed; /* ... and the first of them */
} noting;

static void make_label(char label[HB_COLUMN_LABEL], const noting *n, uint64_t column)
{
    hb_column_label_of(label, n->schema, column, n->shows_names);
}

static const hb_table *noted(const hb_table *table)
{
    return table->original != NULL ? table->original : table;
}

/* Bytes of a label that are shown: whole characters. */
static int shown_bytes(const char *label)
{
    return (int)hb_utf8_shown(label, strlen(label), SHOWN);
}

static void note_zeros(const noting *n, uint64_t column, const hb_leading_zeros *zeros, char note[HB_TABLE_NOTE])
{
    const bool one = zeros->count == 1;
    char label[HB_COLUMN_LABEL];
    if (zeros->count > 0) {
        make_label(label, n, column);
        snprintf(note, HB_TABLE_NOTE,
                 "column %s: %" PRIu64 " number%s with zeros in front lose%s them, as 007 becomes 7%s; read as labels, "
                 "which are PUBLIC, they stay as they are: --category",
                 label, zeros->count, one ? "" : "s", one ? "s" : "",
                 hb_leading_zeros_mixes(zeros) ? "; others have fewer digits: ids such as 007 and 7 become one" : "");
    }
}

/* Whether --fold makes any of these labels one. */
static hb_status may_fold(const hb_labels *labels, bool *may)
{
    hb_folds folds;
    uint64_t place = 0;
    *may = false;
    HB_TRY(hb_folds_make(labels->text, NULL, labels->count, &folds));
    for (uint64_t i = 0; i < labels->count && !*may; i++) {
        *may = hb_folds_find(&folds, labels->text[i], strlen(labels->text[i]), &place) && place != i;
    }
    hb_folds_clear(&folds);
    return HB_OK;
}

/* Writes the columns that --fold was given for, which may be of other tables, and another one, as a shell takes them;
 * where there is no room for all, COLUMN,.. alone, for which there is. Returns the length. */
static size_t list_folded(const char *given, const hb_column *other, char *out, size_t bytes)
{
    static const char any[] = "COLUMN,..";
    char *list = hb_csv_list_with(given, other->name != NULL ? other->name : "", "");
    const bool fits = list != NULL && strlen(list) < bytes;
    snprintf(out, bytes, "%s", fits ? list : any);
    free(list);
    return strlen(out);
}

static hb_status note_alike(const noting *n, uint64_t column, char note[HB_TABLE_NOTE])
{
    static const char before[] = "; --fold ", behind[] = " makes one of such labels";
    enum { AROUND = sizeof before + sizeof behind, LEAST = AROUND + 16 };
    const hb_column *of = &n->schema->column[column];
    const hb_labels *labels = of->meaning.labels;
    char label[HB_COLUMN_LABEL];
    hb_alike alike = {.count = 0};
    bool may = false;
    if (labels != NULL) {
        HB_TRY(hb_alike_find(labels, &alike));
    }
    if (alike.count == 0) {
        return HB_OK;
    }
    HB_TRY(may_fold(labels, &may));
    make_label(label, n, column);
    const int length = snprintf(
        note, HB_TABLE_NOTE,
        "column %s: %" PRIu64 " of %" PRIu64 " labels differ from another one by blanks, capitals or Unicode "
        "form alone, and stay apart, as '%.*s' and '%.*s'",
        label, alike.count, labels->count, shown_bytes(alike.one), alike.one, shown_bytes(alike.other), alike.other);
    if (may && length + LEAST < HB_TABLE_NOTE) {
        char *at = note + length + sizeof before - 1;
        memcpy(note + length, before, sizeof before);
        at += list_folded(n->folded, of, at, (size_t)(HB_TABLE_NOTE - length - AROUND));
        memcpy(at, behind, sizeof behind);
    }
    return HB_OK;
}

/* Notes a column whose name looks like that of an earlier one. */
static void note_name(const noting *n, uint64_t column, char note[HB_TABLE_NOTE])
{
    char one[HB_COLUMN_LABEL], other[HB_COLUMN_LABEL];
    const uint64_t c = n->alike[column];
    if (c < column) {
        make_label(one, n, c);
        make_label(other, n, column);
        snprintf(note, HB_TABLE_NOTE,
                 "columns %" PRIu64 " and %" PRIu64 " have names that differ by blanks, capitals or Unicode form "
                 "alone, '%.*s' and '%.*s', and stay two columns",
                 c + 1, column + 1, shown_bytes(one), one, shown_bytes(other), other);
    }
}

static void note_trimmed(const noting *n, uint64_t column, const hb_column_notes *notes, char note[HB_TABLE_NOTE])
{
    char place[HB_CSV_PLACE], label[HB_COLUMN_LABEL];
    if (notes->trimmed > 0) {
        const bool one = notes->trimmed == 1, several = notes->file != NULL;
        make_label(label, n, column);
        snprintf(note, HB_TABLE_NOTE,
                 "column %s: %" PRIu64 " label%s without quotes lose%s blanks in front or behind%s %s%s%.*s; in quotes "
                 "they stay",
                 label, notes->trimmed, one ? "" : "s", one ? "s" : "", one ? ", in" : ", first in",
                 hb_csv_place_text(place, notes->first_trimmed), several ? " of " : "", SHOWN,
                 several ? notes->file : "");
    }
}

/* Other spellings are no labels, and not public. As many labels are named as there is room for. */
static void note_folded(const noting *n, uint64_t column, const hb_column_notes *notes, char note[HB_TABLE_NOTE])
{
    const hb_labels *labels = n->schema->column[column].meaning.labels;
    char label[HB_COLUMN_LABEL];
    enum { ROOM = 2 * SHOWN + 40 }; /* for a label and what stands behind it */
    uint64_t cells = 0, folded = 0, named = 0;
    for (uint64_t i = 0; notes->label != NULL && labels != NULL && i < labels->count; i++) {
        cells += notes->label[i].folded;
        folded += notes->label[i].folded > 0;
    }
    if (cells == 0) {
        return;
    }
    make_label(label, n, column);
    size_t used = (size_t)snprintf(note, HB_TABLE_NOTE, "column %s: %" PRIu64 " cell%s folded into other spellings",
                                   label, cells, cells == 1 ? " is" : "s are");
    for (uint64_t i = 0; i < labels->count && used + ROOM < HB_TABLE_NOTE; i++) {
        if (notes->label[i].folded > 0) {
            used += (size_t)snprintf(note + used, HB_TABLE_NOTE - used, "%s%" PRIu64 " into '%.*s'",
                                     named++ == 0 ? ": " : ", ", notes->label[i].folded, shown_bytes(labels->text[i]),
                                     labels->text[i]);
        }
    }
    if (named < folded) {
        snprintf(note + used, HB_TABLE_NOTE - used, ", the others into %" PRIu64 " more labels", folded - named);
    }
}

/* Both words of a spelling are named, so that nothing tells which of the values a column has. */
static void add_spellings(hb_spellings spellings, char *out, size_t room)
{
    static const char *const words[HB_TRUTH_SPELLINGS] = {
        "true/false", "TRUE/FALSE", "True/False", "true/false in mixed letters",
        "yes/no",     "YES/NO",     "Yes/No",     "yes/no in mixed letters"};
    size_t length = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < HB_TRUTH_SPELLINGS; i++) {
        if ((spellings >> i & 1) != 0) {
            length += (size_t)snprintf(out + length, room - length, "%s%s", length > 0 ? ", " : "", words[i]);
        }
    }
}

static void note_spelling(const noting *n, uint64_t column, hb_spellings spellings, char note[HB_TABLE_NOTE])
{
    const hb_meaning *meaning = &n->schema->column[column].meaning;
    char truths[160], label[HB_COLUMN_LABEL];
    if (hb_spellings_replaced(spellings) == 0) {
        return;
    }
    make_label(label, n, column);
    add_spellings(spellings, truths, sizeof truths);
    if ((spellings >> HB_SPELT_PERCENT & 1) != 0) {
        snprintf(note, HB_TABLE_NOTE,
                 "column %s: percentages are read as fractions, 12.5 %% as 0.125; decrypt writes fractions", label);
    } else if (truths[0] != '\0') {
        snprintf(note, HB_TABLE_NOTE, "column %s: truth values are read from %s; decrypt writes true/false to a CSV",
                 label, truths);
    } else if ((spellings >> HB_SPELT_TIME & 1) != 0) {
        snprintf(note, HB_TABLE_NOTE, "column %s: times are read in another spelling%s; decrypt writes %s to a CSV",
                 label, meaning->zoned ? " or zone" : "",
                 meaning->unit == HB_TIME_SECONDS ? meaning->zoned ? "YYYY-MM-DDTHH:MM:SSZ" : "YYYY-MM-DDTHH:MM:SS"
                 : meaning->zoned                 ? "YYYY-MM-DDTHH:MMZ"
                                                  : "YYYY-MM-DDTHH:MM");
    } else {
        snprintf(note, HB_TABLE_NOTE, "column %s: dates are read %s; decrypt writes YYYY-MM-DD to a CSV", label,
                 (spellings >> HB_SPELT_DATE_ORDER & 1) != 0 ? "in another order" : "without their times of day");
    }
}

/* Notes the first column whose name was read without the blanks around it, and counts the others: where names stand
 * behind commas and blanks all columns are alike. */
static void note_blanks(const noting *n, uint64_t column, char note[HB_TABLE_NOTE])
{
    const uint64_t count = n->trimmed_names;
    char label[HB_COLUMN_LABEL];
    if (count > 0 && column == n->first_trimmed) {
        make_label(label, n, column);
        snprintf(note, HB_TABLE_NOTE,
                 "%" PRIu64 " column%s lose%s the blanks around %s name%s, %s '%.*s'; in quotes blanks stay", count,
                 count == 1 ? "" : "s", count == 1 ? "s" : "", count == 1 ? "its" : "their", count == 1 ? "" : "s",
                 count == 1 ? "which is" : "the first one is", shown_bytes(label), label);
    }
}

/* Notes labels that mean a missing cell among numbers, and here do not: the reader may count on that. */
static void note_gaps(const noting *n, uint64_t column, char note[HB_TABLE_NOTE])
{
    char list[120] = "", label[HB_COLUMN_LABEL];
    const uint64_t count = hb_labels_list_gaps(n->schema->column[column].meaning.labels, list, sizeof list);
    if (count > 0) {
        make_label(label, n, column);
        snprintf(note, HB_TABLE_NOTE,
                 "column %s: '%s' %s as any other, while among numbers %s a missing cell; where --na has it, it is one "
                 "here, too",
                 label, list, count == 1 ? "is a label" : "are labels", count == 1 ? "it means" : "each means");
    }
}

static hb_status note_column(const noting *n, uint64_t column, hb_note_kind kind, char note[HB_TABLE_NOTE])
{
    const hb_column_notes none = {.trimmed = 0}, *notes = n->of->notes != NULL ? &n->of->notes[column] : &none;
    note[0] = '\0';
    if (kind == HB_NOTE_ALIKE) {
        return note_alike(n, column, note);
    }
    if (kind == HB_NOTE_BLANKS) {
        note_blanks(n, column, note);
    } else if (kind == HB_NOTE_NAME) {
        note_name(n, column, note);
    } else if (kind == HB_NOTE_ZEROS) {
        note_zeros(n, column, &notes->leading_zeros, note);
    } else if (kind == HB_NOTE_TRIMMED) {
        note_trimmed(n, column, notes, note);
    } else if (kind == HB_NOTE_GAPS) {
        note_gaps(n, column, note);
    } else if (kind == HB_NOTE_FOLDED) {
        note_folded(n, column, notes, note);
    } else {
        note_spelling(n, column, notes->spellings, note);
    }
    return HB_OK;
}

static void count_trimmed_names(noting *n)
{
    n->first_trimmed = n->schema->columns;
    for (uint64_t c = 0; n->of->notes != NULL && c < n->schema->columns; c++) {
        if (n->of->notes[c].name_trimmed) {
            n->first_trimmed = n->trimmed_names == 0 ? c : n->first_trimmed;
            n->trimmed_names++;
        }
    }
}

/* Compares names that may be shown; the others look like none. */
static hb_status compare_names(noting *n)
{
    const hb_schema *schema = n->schema;
    const char **names = calloc((size_t)schema->columns + 1, sizeof *names);
    n->alike = calloc((size_t)schema->columns + 1, sizeof *n->alike);
    hb_status st = HB_OK;
    if (names == NULL || n->alike == NULL) {
        st = HB_FAIL(HB_ENOMEM, "no memory for the names of %" PRIu64 " columns", schema->columns);
    } else {
        for (uint64_t c = 0; schema->named && n->shows_names && c < schema->columns; c++) {
            names[c] = schema->column[c].name;
        }
        st = hb_alike_before(names, schema->columns, n->alike);
    }
    free(names);
    return st;
}

hb_status hb_table_notes(const hb_table *table, const char *folded, hb_note_kind kind, hb_note_taker *say,
                         void *context)
{
    const hb_table *of = noted(table);
    noting n = {.of = of, .schema = &of->schema, .folded = folded};
    char note[HB_TABLE_NOTE];
    n.shows_names = hb_columns_show_names(of->schema.column, of->schema.columns);
    count_trimmed_names(&n);
    hb_status st = kind == HB_NOTE_NAME ? compare_names(&n) : HB_OK;
    for (uint64_t c = 0; st == HB_OK && c < hb_table_noted(table); c++) {
        st = note_column(&n, c, kind, note);
        if (st == HB_OK && note[0] != '\0') {
            say(context, c, note);
        }
    }
    free(n.alike);
    return st;
}
