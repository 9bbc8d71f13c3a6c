#include "table_identity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/chunk.h"
#include "base/seed.h"
#include "cli/stop.h"

static const uint64_t most_values = ((uint64_t)64 << 20) / sizeof(uint64_t);  /* of a table whose values are read */
static const uint64_t buffer_values = ((uint64_t)1 << 20) / sizeof(uint64_t); /* read at a time */

static uint64_t nanoseconds(struct timespec time)
{
    const int64_t second = 1000 * 1000 * 1000; /* 10^9 ns */
    return (uint64_t)(time.tv_sec * second + time.tv_nsec);
}

/* Adds the file of one table, and which dataset of it. Links are followed: it is the file that will be read. */
static hb_status add_file(hb_digest_state *state, const char *name)
{
    char *path, *dataset;
    struct stat info;
    HB_TRY(hb_table_name_split(name, &path, &dataset));
    const bool seen = stat(path, &info) == 0;
    const hb_status st = seen ? HB_OK : HB_FAIL(HB_ENOINPUT, "%s: cannot look at it: %s", path, strerror(errno));
    if (seen) {
        const char *of = dataset != NULL ? dataset : "";
        hb_digest_add_u64(state, (uint64_t)info.st_size);
        hb_digest_add_u64(state, info.st_ino);
        hb_digest_add_u64(state, nanoseconds(info.st_mtim));
        hb_digest_add_u64(state, nanoseconds(info.st_ctim)); /* which users cannot set */
        hb_digest_add(state, of, strlen(of) + 1);
    }
    free(path);
    free(dataset);
    return st;
}

/* Adds each file of a table. */
static hb_status add_files(hb_digest_state *state, const char *name)
{
    hb_table_names names;
    HB_TRY(hb_table_names_find(hb_table_list_of(&name), &names));
    hb_status st = HB_OK;
    for (size_t i = 0; st == HB_OK && i < names.count; i++) {
        st = add_file(state, names.name[i]);
    }
    hb_table_names_clear(&names);
    return st;
}

/* Adds shape, names and signs; a table of the same values with other names is another table to an expression. */
static void add_schema(hb_digest_state *state, const hb_schema *schema)
{
    hb_digest_add_u64(state, schema->rows);
    hb_digest_add_u64(state, schema->columns);
    for (uint64_t c = 0; c < schema->columns; c++) {
        /* With its end, so that names cannot run into one another. */
        hb_digest_add(state, schema->column[c].name, strlen(schema->column[c].name) + 1);
        hb_digest_add_u64(state, schema->column[c].is_signed);
        if (schema->column[c].halves != HB_HALVES_REAL) {
            hb_digest_add_u64(state, schema->column[c].halves);
        }
    }
}

hb_status hb_table_values_add(hb_digest_state *state, hb_table *table)
{
    const hb_schema *schema = hb_table_schema(table);
    const uint64_t words = hb_schema_words(schema, 0, schema->columns);
    const uint64_t fit = buffer_values / words, step = fit > 0 ? fit : 1;
    const size_t capacity = (size_t)(step * words);
    uint64_t *values = malloc(capacity * sizeof *values);
    if (values == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %zu values of a table", capacity);
    }
    hb_status st = HB_OK;
    for (hb_chunk c = hb_chunks(schema->rows, step); st == HB_OK && hb_chunk_next(&c);) {
        /* In the order of rows, so that the digest does not depend on the size of a piece. */
        const hb_rectangle cells = {.row = c.first, .rows = c.count, .columns = schema->columns};
        HB_GOTO(hb_stop_check());
        st = hb_table_read(table, &cells, values);
        if (st == HB_OK) {
            hb_digest_add(state, values, (size_t)(cells.rows * words) * sizeof *values);
        }
    }
done:
    hb_wipe(values, capacity * sizeof *values);
    free(values);
    return st;
}

hb_status hb_table_identity_add(hb_digest_state *state, const char *name, hb_table *table)
{
    const hb_schema *schema = hb_table_schema(table);
    add_schema(state, schema);
    if (schema->rows <= most_values / schema->columns) {
        return hb_table_values_add(state, table);
    }
    /* Too large to be read for this: its files stand for the contents. */
    return add_files(state, name);
}
