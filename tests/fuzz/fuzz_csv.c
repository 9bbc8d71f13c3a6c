/* Any bytes as a CSV file, of integers and of reals, as they are, and with missing cells dropped, column a a category
 * and b decimals, in the usual spelling and in another one: opened, read whole and in two halves, which must agree, or
 * refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "io/table/table.h"

static int memory = -1;
static char path[64];

static void remove_link(void)
{
    unlink(path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    memory = memfd_create("fuzz", 0);
    /* the name decides the kind of a table, and a descriptor's has no .csv at its end */
    snprintf(path, sizeof path, "/tmp/fuzz-%d.csv", (int)getpid());
    char target[64];
    snprintf(target, sizeof target, "/proc/self/fd/%d", memory);
    remove_link();
    if (memory < 0 || symlink(target, path) != 0) {
        abort();
    }
    return atexit(remove_link);
}

/* Whether doubles hold every integer, of which -1 is the word of 2^64 - 1 as well, and so not among those held. */
static bool doubles_hold(const uint64_t *words, uint64_t count)
{
    const uint64_t most = UINT64_C(1) << 53;
    bool held = true;
    for (uint64_t i = 0; i < count; i++) {
        held = held && words[i] <= most;
    }
    return held;
}

static void take_note(void *context, uint64_t column, const char *note)
{
    (void)context;
    if (note[0] == '\0' || strlen(note) >= HB_TABLE_NOTE || column > UINT32_MAX) {
        abort();
    }
}

/* Returns whether doubles hold its cells, where they are integers. */
static bool read_all(hb_table *table)
{
    const hb_schema *schema = hb_table_schema(table);
    const uint64_t words = hb_schema_words(schema, 0, schema->columns);
    uint64_t half = schema->rows / 2, cells = schema->rows * words;
    uint64_t *whole = malloc((size_t)cells * 8 + 8), *parts = malloc((size_t)cells * 8 + 8);
    const hb_rectangle all = {.rows = schema->rows, .columns = schema->columns};
    const hb_rectangle bottom = {.row = half, .rows = schema->rows - half, .columns = schema->columns};
    const hb_rectangle top = {.rows = half, .columns = schema->columns};
    if (!whole || !parts || hb_table_read(table, &all, whole) != HB_OK ||
        hb_table_read(table, &bottom, parts + half * words) != HB_OK || hb_table_read(table, &top, parts) != HB_OK ||
        memcmp(whole, parts, (size_t)cells * 8) != 0) {
        abort(); /* an accepted table can be read, the same every time */
    }
    const bool held = doubles_hold(whole, cells);
    free(whole);
    free(parts);
    return held;
}

/* Reads the file with options, and the notes about its columns. */
static void read_said(const hb_reading_words *words)
{
    hb_table *table;
    hb_reading reading;
    if (hb_reading_parse(words, &reading) != HB_OK) {
        abort();
    }
    reading.columns_optional = true; /* a table may lack them */
    if (hb_table_open_as(path, HB_CELL_INTEGER, &reading, &table) == HB_OK) {
        (void)read_all(table);
        for (int kind = 0; kind < HB_NOTE_KINDS; kind++) {
            if (hb_table_notes(table, NULL, (hb_note_kind)kind, take_note, NULL) != HB_OK) {
                abort();
            }
        }
        hb_table_close(table);
    }
    hb_reading_clear(&reading);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hb_table *table;
    if (ftruncate(memory, 0) != 0 || pwrite(memory, data, size, 0) != (ssize_t)size) {
        abort();
    }
    static const char *const categories[] = {"a"};
    hb_reading_words words = {.categories = categories, .category_count = 1, .scale = "b=100", .missing = "drop,c=0"};
    read_said(&words);
    words.decimal = "comma";
    words.date_format = "d.m.y";
    static const char *const na[] = {"?,unknown", "a=x"};
    words.na = na;
    words.na_count = 2;
    words.round = true;
    read_said(&words);
    bool real_too = false; /* it was accepted as a table of integers that reals hold */
    for (hb_cell_type cells = HB_CELL_INTEGER; cells <= HB_CELL_REAL; cells++) {
        const bool opened = hb_table_open(path, cells, &table) == HB_OK;
        if (real_too && !opened) {
            abort();
        }
        if (opened) {
            real_too = read_all(table);
            hb_table_close(table);
        }
    }
    return 0;
}
