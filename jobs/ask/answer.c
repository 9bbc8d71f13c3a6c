/* The answer to a question: decrypted tables, as people and programs want to see them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/seed.h"
#include "cli/console.h"
#include "cli/report.h"
#include "io/files/durable.h"
#include "io/table/csv_field.h"
#include "job.h"
#include "lang/text/binding.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for the answer")

/* A table of texts; the first row has the headings. */
typedef struct answer_table {
    char *name;       /* of the result, owned; of several in one row "answer" */
    const char *path; /* of the file that has all rows; borrowed */
    char **cell;      /* [rows * columns]; owned, plaintext */
    size_t rows, columns;
    json_t *kinds; /* [columns] as the report of decrypt calls them, "category"; owned */
} answer_table;

typedef struct answers {
    answer_table *table; /* [tables]; owned */
    size_t tables;
} answers;

static void clear_table(answer_table *table)
{
    for (size_t i = 0; table->cell != NULL && i < table->rows * table->columns; i++) {
        if (table->cell[i] != NULL) {
            hb_wipe(table->cell[i], strlen(table->cell[i]));
        }
        free(table->cell[i]);
    }
    free(table->cell);
    free(table->name);
    json_decref(table->kinds);
}

static void clear(answers *answer)
{
    for (size_t i = 0; i < answer->tables; i++) {
        clear_table(&answer->table[i]);
    }
    free(answer->table);
    *answer = (answers){0};
}

/* How many fields a CSV has that decrypt wrote, and how many stand in its first line. */
static size_t count_fields(const char *at, const char *end, size_t *columns)
{
    size_t fields = 0;
    *columns = 0;
    while (at < end) {
        size_t length;
        at = hb_csv_walk_field(at, end, NULL, &length);
        fields++;
        if (*columns == 0 && (at == end || *at == '\n')) {
            *columns = fields;
        }
        at += at < end;
    }
    return fields;
}

static hb_status parse(answer_table *table, const char *path, const char *at, const char *end)
{
    const size_t fields = count_fields(at, end, &table->columns);
    if (fields == 0 || fields % table->columns != 0) {
        return HB_FAIL(HB_EDATA, "%s: this is no answer that decrypt wrote", path);
    }
    table->rows = fields / table->columns;
    table->cell = calloc(fields, sizeof *table->cell);
    for (size_t i = 0; table->cell != NULL && i < fields; i++) {
        table->cell[i] = hb_csv_take_field(&at, end);
        if (table->cell[i] == NULL) {
            return NO_MEMORY;
        }
        at += at < end;
    }
    return table->cell != NULL ? HB_OK : NO_MEMORY;
}

/* Returns a heading of a result without the name of the lone table, which nobody wrote. NULL when out of memory. */
static char *heading_of(const hb_question *q, const char *heading)
{
    char *out = malloc(strlen(heading) + 1), *to = out;
    const char *name = q->table[0].name;
    const size_t length = strlen(name);
    bool quoted = false;
    for (const char *at = heading; out != NULL && *at != '\0'; at++) {
        const bool begins = at == heading || !(hb_name_goes_on(at[-1]) || at[-1] == '.');
        quoted = quoted != (*at == '\'');
        if (q->lone && !quoted && begins && strncmp(at, name, length) == 0 && at[length] == '.') {
            at += length;
        } else {
            *to++ = *at;
        }
    }
    if (out != NULL) {
        *to = '\0';
    }
    return out;
}

/* Takes from the report of decrypt which kind of cells each column has: their texts do not say it. */
static hb_status take_kinds(answer_table *table, const json_t *report, const char *path)
{
    const json_t *columns = json_object_get(report, "table_column"), *column;
    size_t i;
    table->kinds = json_array();
    json_array_foreach(columns, i, column)
    {
        json_t *kind = json_object_get(column, "kind");
        if (!json_is_string(kind) || json_array_append(table->kinds, kind) != 0) {
            break;
        }
    }
    return json_array_size(table->kinds) == table->columns
               ? HB_OK
               : HB_FAIL(HB_EINTERNAL, "%s" HB_REPORT_SUFFIX " does not say the kinds of its columns", path);
}

static hb_status read_table(answer_table *table, const hb_question *q, const char *path)
{
    enum { MOST = 1 << 28 };
    uint8_t *data = NULL;
    size_t bytes;
    mode_t mode;
    HB_TRY(hb_read_file(path, MOST, &data, &bytes, &mode));
    hb_status st = parse(table, path, (const char *)data, (const char *)data + bytes);
    hb_wipe(data, bytes);
    free(data);
    for (size_t c = 0; c < table->columns && st == HB_OK; c++) {
        char *heading = heading_of(q, table->cell[c]);
        st = heading != NULL ? HB_OK : NO_MEMORY;
        if (st == HB_OK) {
            free(table->cell[c]);
            table->cell[c] = heading;
        }
    }
    return st;
}

/* Puts the columns of a table of one row behind those of another. */
static hb_status join(answer_table *to, answer_table *from)
{
    const size_t columns = to->columns + from->columns;
    char **cell = calloc(2 * columns, sizeof *cell), *name = strdup("answer");
    if (cell == NULL || name == NULL) {
        free(cell);
        free(name);
        return NO_MEMORY;
    }
    for (size_t row = 0; row < 2; row++) {
        memcpy(cell + row * columns, to->cell + row * to->columns, to->columns * sizeof *cell);
        memcpy(cell + row * columns + to->columns, from->cell + row * from->columns, from->columns * sizeof *cell);
    }
    free(to->cell);
    free(to->name);
    free(from->cell);
    from->cell = NULL;
    to->name = name;
    to->cell = cell;
    to->columns = columns;
    return json_array_extend(to->kinds, from->kinds) == 0 ? HB_OK : NO_MEMORY;
}

/* Makes bits of totals those of the result. */
static void divide(json_t *precision, const char *member, double divisor)
{
    const json_t *bits = json_object_get(precision, member);
    if (json_is_number(bits) && divisor > 0) {
        (void)json_object_set_new(precision, member, json_real(json_number_value(bits) + log2(divisor)));
    }
}

/* Takes how exact an approximate result is from the report that decrypt wrote. */
static void take_precision(hb_asked_command *result, const json_t *report)
{
    json_t *found = result->precision != NULL ? json_object_get(report, "precision_bits") : NULL;
    if (found != NULL) {
        json_decref(result->precision);
        result->precision = json_incref(found);
        divide(found, "proven", result->divisor);
        divide(found, "expected", result->divisor);
    }
    if (result->precision != NULL && result->gap > 0) {
        (void)json_object_set_new(result->precision, "threshold_gap", json_real(result->gap));
    }
}

static hb_status add_result(answers *answer, const hb_question *q, hb_asked_command *result)
{
    const char *path = result->output;
    json_t *report = hb_report_beside(path, HB_REPORT_SUFFIX, NULL);
    answer_table table = {.name = strdup(result->name), .path = path};
    answer_table *longer = realloc(answer->table, (answer->tables + 1) * sizeof *longer);
    hb_status st = table.name != NULL && longer != NULL ? HB_OK : NO_MEMORY;
    answer->table = longer != NULL ? longer : answer->table;
    st = st == HB_OK ? read_table(&table, q, path) : st;
    st = st == HB_OK ? take_kinds(&table, report, path) : st;
    take_precision(result, report);
    json_decref(report);
    answer_table *last = answer->tables > 0 ? &answer->table[answer->tables - 1] : NULL;
    if (st == HB_OK && last != NULL && last->rows == 2 && table.rows == 2) {
        st = join(last, &table);
        clear_table(&table);
    } else if (st == HB_OK) {
        answer->table[answer->tables++] = table;
    } else {
        clear_table(&table);
    }
    return st;
}

/* Characters of a text in UTF-8. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

static bool is_number(const char *text)
{
    char *end = NULL;
    (void)strtod(text, &end);
    return text[0] != '\0' && *end == '\0' && strpbrk(text, "xXnN") == NULL;
}

/* Whether all cells of a column below its heading are numbers, or missing. */
static bool has_numbers(const answer_table *table, size_t column)
{
    bool all = true;
    for (size_t r = 1; r < table->rows && all; r++) {
        const char *cell = table->cell[r * table->columns + column];
        all = cell[0] == '\0' || is_number(cell);
    }
    return all;
}

/* How the cells of a column stand below each other. */
typedef struct column_look {
    size_t width;
    bool right;
} column_look;
static column_look look_at(const answer_table *table, size_t column)
{
    column_look look = {.right = has_numbers(table, column)};
    for (size_t i = column; i < table->rows * table->columns; i += table->columns) {
        const size_t own = width_of(table->cell[i]);
        look.width = own > look.width ? own : look.width;
    }
    return look;
}

/* For a terminal, which many rows would fill: the first ones, and where all are. */
static hb_status print_aligned(const answer_table *shown, FILE *to)
{
    enum { MOST_ROWS = 20 };
    answer_table first = *shown;
    const answer_table *table = &first;
    first.rows = shown->rows - 1 > MOST_ROWS ? MOST_ROWS + 1 : shown->rows;
    column_look *look = calloc(table->columns, sizeof *look);
    if (look == NULL) {
        return NO_MEMORY;
    }
    for (size_t c = 0; c < table->columns; c++) {
        look[c] = look_at(table, c);
    }
    for (size_t i = 0; i < table->rows * table->columns; i++) {
        const column_look *of = &look[i % table->columns];
        const int room = (int)(of->width - width_of(table->cell[i]));
        const bool last = (i + 1) % table->columns == 0;
        fprintf(to, "%*s%s%*s%s", of->right ? room : 0, "", table->cell[i], of->right || last ? 0 : room, "",
                last ? "\n" : "  ");
    }
    free(look);
    if (shown->rows > first.rows) {
        fprintf(to, "these are %d of %zu rows; %s has all\n", MOST_ROWS, shown->rows - 1, shown->path);
    }
    return HB_OK;
}

/* Failures show in ferror. */
static void put_to_file(void *to, const char *text, size_t bytes)
{
    fwrite(text, 1, bytes, to);
}

static hb_status print_tables(const answers *answer, bool aligned, FILE *to)
{
    hb_status st = HB_OK;
    for (size_t t = 0; t < answer->tables && st == HB_OK; t++) {
        const answer_table *table = &answer->table[t];
        fputs(t > 0 ? "\n" : "", to);
        st = aligned ? print_aligned(table, to) : HB_OK;
        for (size_t i = 0; !aligned && i < table->rows * table->columns; i++) {
            hb_csv_put_field(put_to_file, to, table->cell[i], ',', table->columns == 1);
            fputc((i + 1) % table->columns == 0 ? '\n' : ',', to);
        }
    }
    return st;
}

/* A number where JSON's numbers, doubles, show just that one; else its text. */
static json_t *number_json(const char *cell, bool integer)
{
    enum { SURE_DIGITS = 15 };                  /* so many decimal digits come back from a double as they were */
    const long long exact = (long long)1 << 53; /* integers that FP64 holds */
    char *end;
    errno = 0;
    const long long whole = strtoll(cell, &end, 10);
    if (*end == '\0' && errno == 0 && integer) {
        return whole <= exact && whole >= -exact ? json_integer(whole) : json_string(cell);
    }
    return is_number(cell) && strspn(cell, "+-.0123456789") == strlen(cell) && strlen(cell) <= SURE_DIGITS
               ? json_real(strtod(cell, NULL))
               : json_string(cell);
}

/* A cell as JSON says its kind; null where it is missing, and for a mean of no rows. */
static json_t *cell_json(const char *cell, const char *kind)
{
    if (cell[0] == '\0') {
        return json_null();
    }
    if (strcmp(kind, "boolean") == 0) {
        return json_boolean(strcmp(cell, "true") == 0);
    }
    if (strcmp(kind, "integer") == 0 || strcmp(kind, "decimal") == 0) {
        return number_json(cell, kind[0] == 'i');
    }
    const double real = strcmp(kind, "real") == 0 ? strtod(cell, NULL) : INFINITY;
    return isnan(real) ? json_null() : isfinite(real) ? json_real(real) : json_string(cell);
}

static json_t *table_json(const answer_table *table)
{
    json_t *columns = json_array(), *rows = json_array();
    for (size_t c = 0; c < table->columns; c++) {
        (void)json_array_append_new(columns, json_string(table->cell[c]));
    }
    for (size_t r = 1; r < table->rows; r++) {
        json_t *row = json_array();
        for (size_t c = 0; c < table->columns; c++) {
            const char *kind = json_string_value(json_array_get(table->kinds, c));
            (void)json_array_append_new(row, cell_json(table->cell[r * table->columns + c], kind));
        }
        (void)json_array_append_new(rows, row);
    }
    const bool all = json_array_size(columns) == table->columns && json_array_size(rows) + 1 == table->rows;
    json_t *of = all ? json_pack("{s:O, s:O, s:O}", "columns", columns, "kinds", table->kinds, "rows", rows) : NULL;
    json_decref(columns);
    json_decref(rows);
    return of;
}

/* How exact each approximate result is. */
static json_t *precision_json(const hb_asked_plan *plan)
{
    json_t *all = json_object();
    for (uint32_t i = 0; i < plan->decrypts; i++) {
        const hb_asked_command *result = &plan->decrypt[i];
        if (result->precision != NULL) {
            (void)json_object_set(all, result->name, result->precision);
        }
    }
    return all;
}

static json_t *answer_json(const answers *answer)
{
    json_t *all = json_object();
    for (size_t t = 0; t < answer->tables && all != NULL; t++) {
        json_t *table = table_json(&answer->table[t]);
        if (table == NULL || json_object_set_new(all, answer->table[t].name, table) != 0) {
            json_decref(all);
            all = NULL;
        }
    }
    return all;
}

/* A new file, or stdout. */
static hb_status print_text(const hb_asked_job *job, const answers *answer)
{
    const char *out = job->options->out;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (to == NULL) {
        return NO_MEMORY;
    }
    const bool stays = job->options->stay == HB_ASKED_STAY_ALL; /* the file that has all rows */
    hb_status st = print_tables(answer, out == NULL && stays && isatty(STDOUT_FILENO) == 1, to);
    st = fclose(to) == 0 ? st : NO_MEMORY;
    if (st == HB_OK && out != NULL) {
        st = hb_write_file(out, text, size, 0600, false);
    } else if (st == HB_OK) {
        text[size - 1] = '\0'; /* a line end follows */
        hb_console_copy(job->group, job->common, text);
    }
    if (text != NULL) {
        hb_wipe(text, size);
    }
    free(text);
    return st;
}

static hb_status print_json(const hb_asked_job *job, const answers *answer)
{
    const hb_asked_times *t = &job->times;
    json_t *datasets = json_array();
    const bool none = job->options->stay == HB_ASKED_STAY_NONE;
    for (uint32_t i = 0; i < job->plan.encrypts && !none; i++) {
        (void)json_array_append_new(datasets, hb_report_text(job->plan.encrypt[i].output));
    }
    return hb_report_results(job->group, "ask",
                             json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:O, s:{s:f, s:f, s:f, s:f, s:f}}", "question",
                                       job->options->question, "expression", job->question.text, "answer",
                                       answer_json(answer), "precision_bits", precision_json(&job->plan), "keys",
                                       hb_report_text(none ? NULL : job->plan.keygen.output), "encrypted", datasets,
                                       "params", json_object_get(job->plan.suggested, "params"), "seconds", "search",
                                       t->search, "keys", t->keys, "encrypt", t->encrypt, "eval", t->eval, "decrypt",
                                       t->decrypt));
}

hb_status hb_asked_answer(hb_asked_job *job)
{
    const double started = hb_now();
    answers answer = {.tables = 0};
    hb_status st = HB_OK;
    hb_phase_begin(&job->phases);
    for (uint32_t i = 0; i < job->plan.decrypts; i++) {
        const hb_asked_command *command = &job->plan.decrypt[i];
        const hb_phase phase = {i == 0 ? "decrypts the answer" : NULL, &command->words, .shared = true, .secret = true};
        HB_GOTO(hb_phase_run(&job->phases, &phase, NULL));
        HB_GOTO(add_result(&answer, &job->question, &job->plan.decrypt[i]));
    }
    job->times.decrypt = hb_now() - started;
    st = job->common->json && job->options->out == NULL ? print_json(job, &answer) : print_text(job, &answer);
done:
    clear(&answer);
    return st;
}
