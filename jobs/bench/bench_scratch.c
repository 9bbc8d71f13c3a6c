#include "bench_scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "console.h"
#include "cpu_engine.h"
#include "durable.h"
#include "keyfile.h"
#include "table.h"

static hb_status make_folder(hb_bench_scratch *scratch, const char *parent, uint64_t bytes)
{
    uint64_t there = 0;
    if (strlen(parent) > sizeof scratch->folder - sizeof "/hebatch-bench.XXXXXX") {
        return HB_FAIL(HB_EUSAGE, "--scratch: the name of the folder is too long");
    }
    if (access(parent, W_OK | X_OK) != 0) {
        return HB_FAIL(HB_ECREATE, "--scratch %s: cannot work there: %s", parent, strerror(errno));
    }
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
    snprintf(scratch->key, sizeof scratch->key, "%s/" HB_KEYFILE_SECRET, scratch->folder);
    snprintf(scratch->table, sizeof scratch->table, "%s/table.h5:/table", scratch->folder);
    snprintf(scratch->dataset, sizeof scratch->dataset, "%s/dataset.heb", scratch->folder);
    snprintf(scratch->back, sizeof scratch->back, "%s/back.h5:/table", scratch->folder);
    return HB_OK;
}

/* No public half is needed, so the identity of the pair is drawn instead of computed from it. */
static hb_status make_key(const char *path, const hb_params *params)
{
    hb_keyfile key = {.kind = HB_KEY_SECRET, .spec = params->spec, .ternary = malloc(params->spec.n)};
    hb_engine *engine = NULL;
    hb_seed root, id;
    hb_status st;
    hb_seed_random(&root);
    hb_seed_random(&id);
    memcpy(key.key_id, id.bytes, sizeof key.key_id);
    if (key.ternary == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "out of memory for a key of N = %zu", params->spec.n));
    }
    HB_GOTO(hb_cpu_engine_open(&params->ring, &engine));
    HB_GOTO(hb_secret_draw(engine, params, &root, key.ternary));
    st = hb_keyfile_write(path, &key);
done:
    hb_wipe(&root, sizeof root);
    hb_engine_close(engine);
    hb_keyfile_clear(&key);
    return st;
}

enum { ROWS = 4096 /* at a time */ };

static hb_status write_rows(hb_table_writer *writer, const hb_schema *schema, uint64_t most, uint64_t *values)
{
    for (uint64_t row = 0; row < schema->rows; row += ROWS) {
        const uint64_t left = schema->rows - row, rows = left < ROWS ? left : ROWS;
        for (uint64_t i = 0; i < rows * schema->columns; i++) {
            const uint64_t spread =
                (row * schema->columns + i) * UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio */
            values[i] = (spread >> 32) % most;
        }
        HB_TRY(hb_table_write(writer, &(hb_rectangle){row, rows, 0, schema->columns}, values));
    }
    HB_TRY(hb_table_sync(writer));
    return hb_table_commit(writer);
}

/* Unsigned 32-bit values below t, all over the range. */
static hb_status make_table(const char *name, const hb_params *params, uint64_t rows, uint64_t columns)
{
    hb_schema schema = {.rows = rows, .columns = columns, .rank = 2, .width = sizeof(uint32_t)};
    hb_table_writer *writer = NULL;
    char no_name[] = "";
    uint64_t *values = calloc(ROWS * columns, sizeof *values);
    const uint64_t t = params->spec.plain, most = t < UINT32_MAX ? t : UINT32_MAX;
    schema.column = calloc(columns, sizeof *schema.column);
    hb_status st = HB_OK;
    if (values == NULL || schema.column == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "out of memory for a table of %" PRIu64 " columns", columns));
    }
    for (uint64_t c = 0; c < columns; c++) {
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

hb_status hb_bench_scratch_fill(const hb_bench_scratch *scratch, hb_group *group, const hb_params *params,
                                uint64_t rows, uint64_t columns)
{
    hb_status st = HB_OK;
    if (group->rank == 0) {
        st = make_key(scratch->key, params);
        st = st == HB_OK ? make_table(scratch->table, params, rows, columns) : st;
    }
    return hb_agree(group, st);
}

static hb_status forget_entry(int folder, const char *path, const char *entry)
{
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
        (void)!hb_folder_each(scratch->dataset, forget_entry);
        (void)!hb_folder_each(scratch->folder, forget_entry);
    }
}

static hb_status remove_folder_of_files(const char *path)
{
    return access(path, F_OK) != 0 ? HB_OK : hb_remove_folder(path);
}

hb_status hb_bench_scratch_remove(const hb_bench_scratch *scratch, const hb_group *group)
{
    if (group->rank != 0 || scratch->folder[0] == '\0') {
        return HB_OK;
    }
    static const char *const suffixes[] = {"", ".partial"};
    hb_status st = HB_OK;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0] && st == HB_OK; i++) {
        char path[sizeof scratch->dataset + 16];
        snprintf(path, sizeof path, "%s%s", scratch->dataset, suffixes[i]);
        st = remove_folder_of_files(path);
    }
    return st == HB_OK ? hb_remove_folder(scratch->folder) : st;
}
