#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/chunk.h"
#include "cli/console.h"
#include "io/files/durable.h"
#include "io/table/table.h"
#include "job.h"
#include "keys/keygen_job.h"
#include "scheme/codec.h"

/* Makes the folder on rank 0, if there is enough space. */
static hb_status make_folder(hb_bench_scratch *scratch, const char *parent, uint64_t bytes)
{
    uint64_t there = 0;
    if (strlen(parent) > sizeof scratch->folder - sizeof "/hebatch-bench.XXXXXX") {
        return HB_FAIL(HB_EUSAGE, "--scratch: the name of the folder is too long");
    }
    if (access(parent, W_OK | X_OK) != 0) {
        return HB_FAIL(HB_ECREATE, "--scratch %s: cannot work there: %s", parent, strerror(errno));
    }
    /* Before anything is made: a full disk in the middle would cost all of the run. */
    HB_TRY(hb_free_bytes(parent, &there));
    if (bytes > there) {
        return HB_FAIL(HB_EIO, "--scratch %s: %s are needed, but only %s are free there; fewer --rows need less",
                       parent, hb_human_bytes((double)bytes).text, hb_human_bytes((double)there).text);
    }
    snprintf(scratch->folder, sizeof scratch->folder, "%s/hebatch-bench.XXXXXX", parent);
    if (mkdtemp(scratch->folder) == NULL) {
        scratch->folder[0] = '\0';
        return HB_FAIL(HB_ECREATE, "--scratch %s: cannot make a folder: %s", parent, strerror(errno));
    }
    return HB_OK;
}

hb_status hb_bench_scratch_make(hb_bench_scratch *scratch, hb_group *group, const char *parent, uint64_t bytes)
{
    memset(scratch, 0, sizeof *scratch);
    HB_TRY(hb_agree(group, group->rank == 0 ? make_folder(scratch, parent, bytes) : HB_OK));
    HB_TRY(hb_agree(group, hb_group_broadcast(group, scratch->folder, sizeof scratch->folder, 0)));
    snprintf(scratch->keys, sizeof scratch->keys, "%s/keys", scratch->folder);
    snprintf(scratch->key, sizeof scratch->key, "%s/keys/" HB_KEYFILE_SECRET, scratch->folder);
    snprintf(scratch->table, sizeof scratch->table, "%s/table.h5:/table", scratch->folder);
    snprintf(scratch->dataset, sizeof scratch->dataset, "%s/dataset.heb", scratch->folder);
    snprintf(scratch->other, sizeof scratch->other, "%s/other.heb", scratch->folder);
    snprintf(scratch->result, sizeof scratch->result, "%s/result.heb", scratch->folder);
    snprintf(scratch->back, sizeof scratch->back, "%s/back.h5:/table", scratch->folder);
    return HB_OK;
}

/* Makes a pair, and the key for products where the parameters have one. This rank does it alone, in a group of its
 * own. */
static hb_status make_keys(const char *folder, const hb_params *params, const hb_common *common)
{
    const hb_keygen_options options = {.spec = &params->spec,
                                       .output = folder,
                                       .request = {.relin = hb_params_can_switch(params)},
                                       .device = {.kind = "cpu"}};
    hb_group *alone = NULL;
    HB_TRY(hb_group_open_alone(&alone));
    hb_keygen_job job;
    hb_status st = hb_keygen_job_open(&job, alone, common, &options);
    st = st == HB_OK ? hb_keygen_job_run(&job) : st;
    hb_keygen_job_close(&job);
    hb_group_close(alone);
    return st;
}

enum { ROWS = 4096 /* at a time */ };

/* Multiples of 2^64 / golden ratio go all over the range without repeating, and need no state. */
static hb_status write_rows(hb_table_writer *writer, const hb_schema *schema, uint64_t most, uint64_t *values)
{
    for (hb_chunk c = hb_chunks(schema->rows, ROWS); hb_chunk_next(&c);) {
        for (uint64_t i = 0; i < c.count * schema->columns; i++) {
            const uint64_t spread =
                (c.first * schema->columns + i) * UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio */
            values[i] = (spread >> 32) % most;
        }
        HB_TRY(hb_table_write(writer, &(hb_rectangle){c.first, c.count, 0, schema->columns}, values));
    }
    HB_TRY(hb_table_sync(writer));
    return hb_table_commit(writer);
}

/* Makes a table of unsigned 32-bit values that plaintexts hold, all over the range. */
static hb_status make_table(const char *name, const hb_params *params, uint64_t rows, uint64_t columns)
{
    hb_schema schema = {.rows = rows, .columns = columns, .rank = 2, .width = sizeof(uint32_t)};
    hb_table_writer *writer = NULL;
    char no_name[] = "";
    uint64_t *values = calloc(ROWS * columns, sizeof *values);
    const bool real = hb_codec_cell_type(params->spec.scheme) == HB_CELL_REAL;
    /* Products of reals are to have room, too. */
    const uint64_t held = real ? 1000 : hb_codec_cell_range(&params->spec, false).most;
    const uint64_t most = held < UINT32_MAX ? held + 1 : UINT32_MAX;
    schema.column = calloc(columns, sizeof *schema.column);
    hb_status st = HB_OK;
    if (values == NULL || schema.column == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "out of memory for a table of %" PRIu64 " columns", columns));
    }
    for (uint64_t c = 0; c < columns; c++) {
        /* Never freed as a name: the columns are freed alone. */
        schema.column[c].name = no_name;
    }
    HB_GOTO(hb_table_create(name, &schema, false, &writer));
    st = write_rows(writer, &schema, most, values);
done:
    hb_table_writer_close(writer);
    free(schema.column);
    free(values);
    return st;
}

hb_status hb_bench_scratch_fill(const hb_bench_scratch *scratch, hb_group *group, const hb_common *common,
                                const hb_params *params, uint64_t rows, uint64_t columns)
{
    hb_status st = HB_OK;
    if (group->rank == 0) {
        st = make_keys(scratch->keys, params, common);
        st = st == HB_OK ? make_table(scratch->table, params, rows, columns) : st;
    }
    return hb_agree(group, st);
}

/* Asks the system to drop a file from memory; a hint that may do nothing. */
static hb_status forget_entry(void *context, int folder, const char *path, const char *entry)
{
    (void)context;
    (void)path;
    const int fd = openat(folder, entry, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) {
        (void)!posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        close(fd);
    }
    return HB_OK;
}

void hb_bench_scratch_forget(const hb_bench_scratch *scratch, const hb_group *group)
{
    if (group->rank == 0) {
        const char *const folders[] = {scratch->dataset, scratch->other, scratch->folder};
        for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
            (void)!hb_folder_each(folders[i], forget_entry, NULL); /* some may not be there yet */
        }
        hb_clear_error();
    }
}

static hb_status remove_folder_of_files(const char *path)
{
    bool there;
    HB_TRY(hb_path_is_there(path, &there));
    return there ? hb_remove_folder(path) : HB_OK;
}

hb_status hb_bench_scratch_remove_dataset(const char *name, const hb_group *group)
{
    static const char *const suffixes[] = {"", ".partial"};
    hb_status st = HB_OK;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0] && st == HB_OK && group->rank == 0; i++) {
        char path[HB_BENCH_PATH + 16];
        snprintf(path, sizeof path, "%s%s", name, suffixes[i]);
        st = remove_folder_of_files(path);
    }
    return st;
}

hb_status hb_bench_scratch_remove(const hb_bench_scratch *scratch, const hb_group *group)
{
    if (group->rank != 0 || scratch->folder[0] == '\0') {
        return HB_OK;
    }
    const char *const datasets[] = {scratch->dataset, scratch->other, scratch->result};
    for (size_t i = 0; i < sizeof datasets / sizeof datasets[0]; i++) {
        HB_TRY(hb_bench_scratch_remove_dataset(datasets[i], group));
    }
    HB_TRY(remove_folder_of_files(scratch->keys));
    return hb_remove_folder(scratch->folder);
}
