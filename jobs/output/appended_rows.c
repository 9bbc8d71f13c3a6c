#include "appended_rows.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/seed.h"
#include "io/files/durable.h"
#include "row_key.h"
#include "table_identity.h"

#define SUFFIX ".appends"

/* The most values of a table that is read once more without being asked for. */
static const uint64_t most_values = ((uint64_t)64 << 20) / sizeof(uint64_t);

/* --- the key */

static hb_status read_key(const char *path, hb_seed *key)
{
    bool whole;
    HB_TRY(hb_row_key_read(path, key, &whole));
    return whole ? HB_OK
                 : HB_FAIL(HB_EDATA,
                           "%s: is no key by which rows that were appended are known: it is damaged; without it, "
                           "another is made",
                           path);
}

/* Reads the key, or draws one that is not stored yet. */
static hb_status find_key(const char *path, hb_appended_rows *rows)
{
    bool there;
    HB_TRY(hb_path_is_there(path, &there));
    if (there) {
        return read_key(path, &rows->key);
    }
    hb_seed_random(&rows->key);
    rows->is_new = true;
    return HB_OK;
}

hb_status hb_appended_rows_keep_key(const char *dataset, const hb_appended_rows *rows)
{
    char *path;
    if (!rows->is_new) {
        return HB_OK;
    }
    HB_TRY(hb_path_with(dataset, SUFFIX, &path));
    const hb_status st = hb_write_file(path, rows->key.bytes, sizeof rows->key.bytes, 0600, true);
    free(path);
    return st;
}

/* --- digests of rows */

/* BLAKE2b of the rows under a key that is derived from this one, behind the name of the derived key. */
static hb_status digest_rows(const hb_seed *key, hb_table *table, uint8_t stands[HB_DIGEST_BYTES])
{
    const hb_schema *schema = hb_table_schema(table);
    uint8_t digest[HB_DIGEST_BYTES];
    hb_seed name, own;
    hb_digest_state state;
    hb_seed_derive(&name, key, "name of the key of appended rows");
    hb_seed_derive(&own, key, "appended rows");
    hb_digest_begin(&state, "hebatch rows");
    hb_digest_add(&state, own.bytes, sizeof own.bytes); /* nothing can be appended to a BLAKE2b: a prefix is a key */
    hb_digest_add_u64(&state, schema->rows);
    hb_digest_add_u64(&state, schema->columns);
    hb_digest_add_u64(&state, schema->left_out.rows);
    hb_digest_add(&state, schema->left_out.sum, sizeof schema->left_out.sum);
    const hb_status st = hb_table_values_add(&state, table);
    hb_digest_end(&state, digest);
    if (st == HB_OK) {
        memcpy(stands, name.bytes, HB_APPENDED_KEY_BYTES);
        memcpy(stands + HB_APPENDED_KEY_BYTES, digest, HB_DIGEST_BYTES - HB_APPENDED_KEY_BYTES);
    }
    hb_wipe(&own, sizeof own);
    hb_wipe(&name, sizeof name);
    hb_wipe(&state, sizeof state);
    return st;
}

static hb_status identify(const hb_output_request *request, hb_table *table, hb_appended_rows *rows)
{
    char *path;
    const hb_schema *schema = hb_table_schema(table);
    *rows = (hb_appended_rows){.is_new = false};
    if (!request->resume && schema->rows > most_values / schema->columns) {
        return HB_OK;
    }
    HB_TRY(hb_path_with(request->path, SUFFIX, &path));
    hb_lock(&rows->key, sizeof rows->key);
    hb_status st = find_key(path, rows);
    st = st == HB_OK ? digest_rows(&rows->key, table, rows->stands) : st;
    free(path);
    return st;
}

/* --- messages */

/* A job that is started anew, as by a scheduler, finds that the rows are there. Who asks without --resume gets them
 * once more, with a word. */
static hb_status refuse(const hb_group *group, const hb_output_request *request, hb_appended_before before,
                        uint64_t rows, uint64_t at)
{
    char when[32] = "";
    struct tm utc;
    const time_t seconds = (time_t)at;
    if (gmtime_r(&seconds, &utc) != NULL) {
        strftime(when, sizeof when, " on %Y-%m-%d at %H:%M:%S UTC", &utc);
    }
    const hb_human count = hb_human_things(rows, "row");
    if (before == HB_APPENDED_PERHAPS && request->resume) {
        return HB_FAIL(HB_ECREATE,
                       "%s: a table of as many rows (%s) was appended%s, and nobody can tell whether it was this one: "
                       "by an older program, without --resume, or with another %s" SUFFIX
                       "; if it was not, append it without --resume",
                       request->path, count.text, when, request->path);
    }
    if (before == HB_APPENDED_BEFORE && request->resume) {
        return HB_FAIL(HB_ECREATE,
                       "%s: this table (%s) was appended already%s: nothing is left to do (without --resume its rows "
                       "are appended once more)",
                       request->path, count.text, when);
    }
    if (before == HB_APPENDED_BEFORE) {
        hb_console_warn(group, "%s: this table (%s) was appended already%s; its rows are appended once more",
                        request->path, count.text, when);
    }
    return HB_OK;
}

hb_status hb_appended_rows_check(const hb_group *group, const hb_common *common, const hb_output_request *request,
                                 hb_table *table, hb_appended_rows *rows)
{
    const uint64_t count = hb_table_schema(table)->rows;
    uint64_t at = 0;
    HB_TRY(identify(request, table, rows));
    const hb_appended_before before = hb_dataset_was_appended(request->old, rows->stands, count, &at);
    const hb_status st = refuse(group, request, before, count, at);
    if (st != HB_OK && request->dry_run) {
        hb_console_result(group, common, "output       %s", hb_last_error()->text);
        hb_clear_error();
        return HB_OK;
    }
    return st;
}
