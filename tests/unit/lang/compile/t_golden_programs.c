/* The programs that expressions become, line by line, against those of tests/vectors/programs: a change of the compiler
 * that is to change no program shows here that it changes none. `t_golden_programs write` writes the files anew, and
 * their differences show which programs a change made cheaper or costlier. Nothing here shows that a program is right:
 * the random programs do that.
 *
 * A file says what is compiled, and below the line "---" stands the text form of the graph and the program:
 *     preset bfv-8192
 *     trust expected                     (else: proven)
 *     bits 20                            (precision that results are to have)
 *     table x encrypted 10000            (or plain, spread; rows; slots of a row, where rows stand within slots)
 *     column age 0..120 scale 10         (or: bool, date, category A B C)
 *     cells 1 2 3                        (of a plain table, row by row)
 *     text y = x.age * x.age             (a line a statement)
 *     results y                          (else: the name that is assigned last)                                     */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <glob.h>
#include <inttypes.h>

#include "lang/compile/compile.h"
#include "scheme/params.h"
#include "scheme/quality.h"
#include "table/schema.h"

enum { TABLES = 6, COLUMNS = 32, CELLS = 256, RESULTS = 8, LABELS = 16, LINE = 1024, TEXT = 8192 };

typedef struct table {
    char name[32];
    hb_schema schema;
    hb_column column[COLUMNS];
    hb_interval range[COLUMNS];
    hb_number cell[CELLS];
    uint32_t cells;
    bool encrypted, spread;
    uint64_t block;
} table;

typedef struct golden {
    char head[TEXT], preset[32], text[TEXT], results[LINE];
    const char *result[RESULTS];
    uint32_t result_count;
    hb_quality_trust trust;
    double bits;
    table tables[TABLES];
    uint32_t table_count;
} golden;

static hb_params *open_preset(const char *name)
{
    static struct {
        char name[32];
        hb_params *params;
    } opened[16];
    size_t i = 0;
    while (opened[i].params != NULL && strcmp(opened[i].name, name) != 0) {
        i++;
        assert_true(i < sizeof opened / sizeof *opened);
    }
    if (opened[i].params == NULL) {
        hb_params_spec spec;
        assert_int_equal(hb_params_preset(name, &spec), HB_OK);
        assert_int_equal(hb_params_open(&spec, &opened[i].params), HB_OK);
        snprintf(opened[i].name, sizeof opened[i].name, "%s", name);
    }
    return opened[i].params;
}

static void read_table(golden *g, const char *line)
{
    char kind[16] = "";
    unsigned long long rows = 0, block = 0;
    assert_true(g->table_count < TABLES);
    table *t = &g->tables[g->table_count++];
    assert_true(sscanf(line, "%31s %15s %llu %llu", t->name, kind, &rows, &block) >= 3);
    t->spread = strcmp(kind, "spread") == 0;
    t->encrypted = t->spread || strcmp(kind, "encrypted") == 0;
    t->block = block;
    t->schema = (hb_schema){.rows = rows, .rank = 2, .width = 8, .named = true, .column = t->column};
}

static void read_labels(hb_column *column, char *words)
{
    const char *label[LABELS];
    uint64_t count = 0;
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(count < LABELS);
        label[count++] = word;
    }
    assert_int_equal(hb_labels_make(label, count, &column->meaning.labels), HB_OK);
    column->meaning.kind = HB_MEANING_CATEGORY;
}

static void read_column(golden *g, bool reals, char *line)
{
    table *t = &g->tables[g->table_count - 1];
    char name[64], range[64] = "", kind[16] = "";
    int used = 0;
    unsigned long long scale = 0;
    assert_true(t->schema.columns < COLUMNS);
    hb_column *column = &t->column[t->schema.columns];
    assert_true(sscanf(line, "%63s %63s %15s %n", name, range, kind, &used) >= 2);
    column->name = strdup(name);
    const char *dots = strstr(range, "..");
    assert_non_null(dots);
    const double low = strtod(range, NULL), high = strtod(dots + 2, NULL);
    column->cells = reals ? HB_CELL_REAL : HB_CELL_INTEGER;
    column->is_signed = !reals && low < 0;
    t->range[t->schema.columns++] =
        reals ? hb_interval_of_reals(low, high) : hb_interval_of((int64_t)low, (int64_t)high);
    if (strcmp(kind, "scale") == 0) {
        assert_int_equal(sscanf(line + used, "%llu", &scale), 1);
        column->meaning.scale = scale;
    } else if (strcmp(kind, "category") == 0) {
        read_labels(column, line + used);
    } else if (kind[0] != '\0') {
        assert_true(strcmp(kind, "bool") == 0 || strcmp(kind, "date") == 0);
        column->meaning.kind = kind[0] == 'b' ? HB_MEANING_BOOL : HB_MEANING_DATE;
    }
}

static void read_cells(golden *g, char *line)
{
    table *t = &g->tables[g->table_count - 1];
    for (char *word = strtok(line, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(t->cells < CELLS);
        const double value = strtod(word, NULL);
        t->cell[t->cells++] = (hb_number){.integer = (int64_t)value, .real = value};
    }
}

static void read_line(golden *g, char *line)
{
    char *rest = strchr(line, ' ');
    assert_non_null(rest);
    *rest++ = '\0';
    if (strcmp(line, "preset") == 0) {
        snprintf(g->preset, sizeof g->preset, "%s", rest);
    } else if (strcmp(line, "trust") == 0) {
        g->trust = HB_QUALITY_EXPECTED;
    } else if (strcmp(line, "bits") == 0) {
        g->bits = strtod(rest, NULL);
    } else if (strcmp(line, "table") == 0) {
        read_table(g, rest);
    } else if (strcmp(line, "column") == 0) {
        read_column(g, open_preset(g->preset)->spec.scheme == HB_CKKS, rest);
    } else if (strcmp(line, "cells") == 0) {
        read_cells(g, rest);
    } else if (strcmp(line, "results") == 0) {
        snprintf(g->results, sizeof g->results, "%s", rest);
    } else {
        assert_string_equal(line, "text");
        assert_true(strlen(g->text) + strlen(rest) + 2 < sizeof g->text);
        strcat(g->text, g->text[0] != '\0' ? "\n" : "");
        strcat(g->text, rest);
    }
}

/* Reads the source and its options, up to the line "---"; reading goes on behind it. */
static void read_golden(golden *g, FILE *from)
{
    char line[LINE];
    *g = (golden){.trust = HB_QUALITY_WORST};
    while (fgets(line, sizeof line, from) != NULL && strcmp(line, "---\n") != 0) {
        assert_true(strlen(g->head) + strlen(line) < sizeof g->head);
        strcat(g->head, line);
        line[strcspn(line, "\n")] = '\0';
        read_line(g, line);
    }
    for (char *name = strtok(g->results, " "); name != NULL; name = strtok(NULL, " ")) {
        assert_true(g->result_count < RESULTS);
        g->result[g->result_count++] = name;
    }
}

static void clear_golden(golden *g)
{
    for (uint32_t i = 0; i < g->table_count; i++) {
        for (uint64_t c = 0; c < g->tables[i].schema.columns; c++) {
            hb_meaning_clear(&g->tables[i].column[c].meaning);
            free(g->tables[i].column[c].name);
        }
    }
}

static hb_operand operand_of(const table *t, const hb_params *params)
{
    return (hb_operand){.name = t->name,
                        .schema = &t->schema,
                        .encrypted = t->encrypted,
                        .encoding = HB_ENCODE_SLOTS,
                        .order = t->block > 0 ? HB_PACK_ROWS : HB_PACK_COLUMNS,
                        .block = t->block,
                        .filled = t->spread,
                        .dirty_padding = t->spread,
                        .spread = t->spread ? t->schema.columns : 0,
                        .limbs = params->fresh_limbs,
                        .quality = hb_quality_fresh(params, true, HB_BINOMIAL),
                        .ranged = true,
                        .values = t->range[0],
                        .column_ranges = t->range,
                        .cells = t->cells > 0 ? t->cell : NULL};
}

/* The text form of the program that a golden's expression becomes. The caller frees it. */
static char *listing_of(golden *g, const char *path)
{
    const hb_params *params = open_preset(g->preset);
    hb_operand operands[TABLES];
    char **reads = NULL, **assigns = NULL;
    hb_program program = {0};
    assert_int_equal(hb_program_names(g->text, &reads, &assigns), HB_OK);
    for (uint32_t i = 0; g->result_count == 0 && assigns[i] != NULL; i++) {
        g->result[0] = assigns[i];
    }
    for (uint32_t i = 0; i < g->table_count; i++) {
        operands[i] = operand_of(&g->tables[i], params);
    }
    const hb_program_source source = {.text = g->text,
                                      .params = params,
                                      .operands = operands,
                                      .operand_count = g->table_count,
                                      .outputs = g->result,
                                      .output_count = g->result_count > 0 ? g->result_count : 1,
                                      .trust = g->trust,
                                      .bits = g->bits,
                                      .listing = HB_LISTING_WITH_NUMBERS};
    if (hb_program_compile(&program, &source) != HB_OK) {
        fail_msg("%s does not compile: %s", path, hb_last_error()->text);
    }
    char *listing = strdup(program.description.listing);
    assert_non_null(listing);
    hb_program_clear(&program);
    hb_names_free(reads);
    hb_names_free(assigns);
    return listing;
}

/* Compares the rest of a file with a text, and shows the first line that differs. */
static void compare(const char *path, FILE *from, const char *listing)
{
    char line[LINE];
    int number = 0;
    while (fgets(line, sizeof line, from) != NULL) {
        const size_t length = strcspn(listing, "\n");
        number++;
        if (strncmp(line, listing, length) != 0 || line[length] != '\n') {
            fail_msg("%s: line %d below --- was\n%sand is\n%.*s\n(t_golden_programs write: writes all anew)", path,
                     number, line, (int)length, listing);
        }
        listing += length + (listing[length] == '\n');
    }
    if (*listing != '\0') {
        fail_msg("%s: the program has more lines than the file, from\n%.200s", path, listing);
    }
}

static void check_file(const char *path, bool write)
{
    golden *g = malloc(sizeof *g);
    FILE *file = fopen(path, "r");
    assert_non_null(g);
    assert_non_null(file);
    read_golden(g, file);
    char *listing = listing_of(g, path);
    if (write) {
        assert_int_equal(fclose(file), 0);
        file = fopen(path, "w");
        assert_non_null(file);
        assert_true(fprintf(file, "%s---\n%s", g->head, listing) > 0);
    } else {
        compare(path, file, listing);
    }
    assert_int_equal(fclose(file), 0);
    free(listing);
    clear_golden(g);
    free(g);
}

static bool writing;

static void every_program_is_as_it_was(void **state)
{
    (void)state;
    glob_t found;
    assert_int_equal(glob(HB_TESTS_VECTORS "/programs/*.txt", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        check_file(found.gl_pathv[i], writing);
    }
    assert_true(found.gl_pathc >= 60);
    globfree(&found);
}

int main(int argc, char **argv)
{
    writing = argc > 1 && strcmp(argv[1], "write") == 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_program_is_as_it_was)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return writing ? 1 : failed; /* who writes has compared nothing */
}
