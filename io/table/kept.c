/* A table whose rows stay in memory once they were read, as far as there is room: the jobs of several residues read
 * them one after another, and so does the search for ranges. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "table_private.h"

enum { MOST_ROWS = 1 << 11, BLOCK_WORDS = 1 << 16 }; /* of a block, unless a single row has more words */
enum { MOST_BLOCKS = 32 };                           /* that are read together */

/* All columns of some rows. */
typedef struct block {
    uint64_t *word; /* [words], without the second words of cells where all follow from the first */
    size_t words;
    bool narrow; /* they are left out */
} block;

typedef struct kept_table {
    hb_table base;
    hb_table *inner;
    uint64_t words, rows; /* of a row; of a block */
    uint64_t room;        /* bytes that are left */
    block **block;        /* [blocks]; NULL: not kept. The cells of a block never change */
    uint64_t blocks;
    pthread_mutex_t lock; /* over `room` and the pointers */
} kept_table;

static uint64_t high_word(const hb_column *column, uint64_t low)
{
    return column->is_signed && (int64_t)low < 0 ? UINT64_MAX : 0;
}

/* Whether all cells are wide ones with the second word that follows from the first. */
static bool is_narrow(const hb_schema *schema, uint64_t rows, const uint64_t *values)
{
    bool narrow = schema->columns > 0 && schema->column[0].cells == HB_CELL_WIDE; /* all columns are of one type */
    for (uint64_t r = 0; narrow && r < rows; r++) {
        for (uint64_t c = 0; c < schema->columns; c++, values += 2) {
            narrow = narrow && values[1] == high_word(&schema->column[c], values[0]);
        }
    }
    return narrow;
}

static void drop(block *of)
{
    if (of != NULL) {
        hb_wipe(of->word, of->words * sizeof *of->word); /* plaintext */
        free(of->word);
    }
    free(of);
}

static const block *find(kept_table *table, uint64_t index)
{
    pthread_mutex_lock(&table->lock);
    const block *found = table->block[index];
    pthread_mutex_unlock(&table->lock);
    return found;
}

/* Takes bytes of the room for a block; false where there are too few. */
static bool take_room(kept_table *table, uint64_t bytes)
{
    pthread_mutex_lock(&table->lock);
    const bool fits = bytes <= table->room;
    table->room -= fits ? bytes : 0;
    pthread_mutex_unlock(&table->lock);
    return fits;
}

/* Puts a block to the others, unless another thread has read it meanwhile; returns the one that is there. Bytes that it
 * has no use for go back to the room. */
static const block *put(kept_table *table, uint64_t index, block *made, uint64_t unused)
{
    pthread_mutex_lock(&table->lock);
    const block *there = table->block[index];
    if (there == NULL) {
        table->block[index] = made;
    }
    table->room += there == NULL ? unused : unused + made->words * sizeof *made->word;
    pthread_mutex_unlock(&table->lock);
    if (there != NULL) {
        drop(made);
    }
    return there != NULL ? there : made;
}

/* Makes a block of rows that were read; NULL without memory. */
static block *make(const hb_schema *schema, uint64_t rows, const uint64_t *values, size_t all)
{
    const bool narrow = is_narrow(schema, rows, values);
    const size_t words = narrow ? all / 2 : all;
    block *made = malloc(sizeof *made);
    uint64_t *word = made != NULL ? malloc((words + 1) * sizeof *word) : NULL;
    if (word == NULL) {
        free(made);
        return NULL;
    }
    for (size_t i = 0; i < words; i++) {
        word[i] = values[narrow ? 2 * i : i];
    }
    *made = (block){.word = word, .words = words, .narrow = narrow};
    return made;
}

/* Reads blocks `index` .. `end` - 1, of which there is room for some, and keeps them; leaves *found NULL where the
 * first is not kept. They are read together, as a table may read a large rectangle by several threads. */
static hb_status read_blocks(kept_table *table, uint64_t index, uint64_t end, const block **found)
{
    const hb_schema *schema = &table->base.schema;
    const uint64_t row = index * table->rows, each = table->rows * table->words * sizeof(uint64_t);
    uint64_t count = end - index < MOST_BLOCKS ? end - index : MOST_BLOCKS;
    while (count > 0 && !take_room(table, count * each)) {
        count /= 2;
    }
    const uint64_t left = schema->rows - row, rows = left < count * table->rows ? left : count * table->rows;
    const hb_rectangle all = {row, rows, 0, schema->columns};
    uint64_t *values = count > 0 ? malloc((size_t)(count * each)) : NULL;
    if (values == NULL) {
        return HB_OK;
    }
    const hb_status st = hb_table_read(table->inner, &all, values);
    for (uint64_t i = 0; st == HB_OK && i < count; i++) {
        const uint64_t behind = rows - i * table->rows, some = behind < table->rows ? behind : table->rows;
        const size_t words = (size_t)(some * table->words);
        block *made = make(schema, some, values + i * table->rows * table->words, words);
        const block *kept = made != NULL ? put(table, index + i, made, each - made->words * sizeof *values) : NULL;
        *found = i == 0 ? kept : *found;
    }
    hb_wipe(values, (size_t)(count * each)); /* plaintext */
    free(values);
    return st;
}

/* Gives the rows of a rectangle that lie in a block. */
static void give(const kept_table *table, const block *from, const hb_rectangle *cells, uint64_t first,
                 uint64_t *values)
{
    const hb_schema *schema = &table->base.schema;
    const uint64_t words = hb_schema_words(schema, cells->column, cells->columns);
    const uint64_t before = hb_schema_words(schema, 0, cells->column);
    const hb_column *column = schema->column + cells->column;
    for (uint64_t r = 0; r < cells->rows; r++, values += words) {
        const uint64_t *row = from->word + (first + r) * (from->narrow ? schema->columns : table->words);
        if (!from->narrow) {
            memcpy(values, row + before, (size_t)words * sizeof *values);
            continue;
        }
        for (uint64_t c = 0; c < cells->columns; c++) {
            values[2 * c] = row[cells->column + c];
            values[2 * c + 1] = high_word(&column[c], values[2 * c]);
        }
    }
}

/* Returns the first block behind `index` that is kept, or `end`. */
static uint64_t end_of_gap(kept_table *table, uint64_t index, uint64_t end)
{
    pthread_mutex_lock(&table->lock);
    for (index++; index < end && table->block[index] == NULL;) {
        index++;
    }
    pthread_mutex_unlock(&table->lock);
    return index;
}

static hb_status kept_read(hb_table *base, const hb_rectangle *cells, uint64_t *values)
{
    kept_table *table = (kept_table *)base;
    const uint64_t words = hb_schema_words(&base->schema, cells->column, cells->columns);
    for (uint64_t done = 0; done < cells->rows;) {
        const uint64_t row = cells->row + done, index = row / table->rows, first = row % table->rows;
        const uint64_t left = cells->rows - done, here = table->rows - first;
        const hb_rectangle some = {row, left < here ? left : here, cells->column, cells->columns};
        const block *kept = find(table, index);
        if (kept == NULL) {
            HB_TRY(read_blocks(table, index, end_of_gap(table, index, (row + left - 1) / table->rows + 1), &kept));
        }
        if (kept != NULL) {
            give(table, kept, &some, first, values + done * words);
        } else {
            HB_TRY(hb_table_read(table->inner, &some, values + done * words));
        }
        done += some.rows;
    }
    return HB_OK;
}

static hb_status kept_find(hb_table *base, uint64_t row, const hb_table **of, hb_csv_place *place)
{
    return hb_table_find(((const kept_table *)base)->inner, row, of, place);
}

static void forget(kept_table *table)
{
    for (uint64_t i = 0; i < table->blocks; i++) {
        block *of = table->block[i];
        table->room += of != NULL ? of->words * sizeof *of->word : 0;
        drop(of);
        table->block[i] = NULL;
    }
}

/* Rows that were read with another fill are forgotten. */
static void kept_fill(hb_table *base, uint64_t column)
{
    kept_table *table = (kept_table *)base;
    const uint64_t fill = base->schema.column[column].fill;
    if (hb_table_schema(table->inner)->column[column].fill != fill) {
        forget(table);
    }
    hb_table_set_fill(table->inner, column, fill);
}

static void kept_close(hb_table *base)
{
    kept_table *table = (kept_table *)base;
    forget(table);
    free(table->block);
    hb_table_close(table->inner);
    pthread_mutex_destroy(&table->lock);
    free(table);
}

static const hb_table_ops kept_ops = {.read = kept_read, .find = kept_find, .fill = kept_fill, .close = kept_close};

hb_status hb_table_keep(hb_table **io, uint64_t bytes)
{
    hb_table *inner = *io;
    kept_table *table = calloc(1, sizeof *table);
    if (table == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to keep its rows", inner->name);
    }
    table->base = (hb_table){.ops = &kept_ops, .fd = -1, .name = inner->name, .raw = true};
    table->base.original = inner->original != NULL ? inner->original : inner;
    table->words = hb_schema_words(&inner->schema, 0, inner->schema.columns);
    table->rows = table->words < BLOCK_WORDS ? BLOCK_WORDS / (table->words + 1) : 1;
    table->rows = table->rows < MOST_ROWS ? table->rows + (table->rows == 0) : MOST_ROWS;
    table->blocks = inner->schema.rows / table->rows + 1;
    table->block = calloc((size_t)table->blocks, sizeof(block *));
    hb_status st = table->block != NULL ? hb_schema_copy(&table->base.schema, &inner->schema)
                                        : HB_FAIL(HB_ENOMEM, "%s: no memory to keep its rows", inner->name);
    if (st != HB_OK) {
        free(table->block);
        free(table);
        return st;
    }
    pthread_mutex_init(&table->lock, NULL); /* on Linux it cannot fail */
    table->inner = inner;
    table->room = bytes;
    *io = &table->base;
    return HB_OK;
}
