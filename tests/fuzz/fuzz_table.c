/* Any bytes as an HDF5 file with a table /t, of integers or of reals: refused, or read whole twice with the same
 * result. HDF5 may crash on it, or come to no end, in its own process; that is a refusal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "io/table/table.h"

#define MOST_CELLS ((uint64_t)1 << 16) /* a few bytes can say that there are more chunks than any memory holds */

static int memory = -1;
static char path[64], name[80];

static void remove_link(void)
{
    unlink(path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    memory = memfd_create("fuzz", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/tmp/fuzz-%d.h5", (int)getpid());
    snprintf(name, sizeof name, "%s:/t", path);
    char target[64]; /* this process's, anyone who opens it */
    snprintf(target, sizeof target, "/proc/%d/fd/%d", (int)getpid(), memory);
    remove_link();
    if (memory < 0 || symlink(target, path) != 0) {
        abort();
    }
    return atexit(remove_link);
}

static void read_twice(hb_table *table)
{
    const hb_schema *schema = hb_table_schema(table);
    const uint64_t columns = schema->columns < MOST_CELLS ? schema->columns : MOST_CELLS;
    const uint64_t fit = MOST_CELLS / columns, rows = schema->rows < fit ? schema->rows : fit;
    const size_t bytes = (size_t)(rows * hb_schema_words(schema, 0, columns)) * sizeof(uint64_t);
    uint64_t *one = calloc(1, bytes + 1), *other = calloc(1, bytes + 1);
    const hb_rectangle cells = {.rows = rows, .columns = columns};
    if (!one || !other) {
        abort();
    }
    if (hb_table_read(table, &cells, one) == HB_OK &&
        (hb_table_read(table, &cells, other) != HB_OK || memcmp(one, other, bytes) != 0)) {
        abort();
    }
    free(one);
    free(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hb_table *table;
    if (ftruncate(memory, 0) != 0 || pwrite(memory, data, size, 0) != (ssize_t)size) {
        abort();
    }
    for (hb_cell_type cells = HB_CELL_INTEGER; cells <= HB_CELL_REAL; cells++) {
        if (hb_table_open(name, cells, &table) == HB_OK) {
            read_twice(table);
            hb_table_close(table);
        }
    }
    return 0;
}
