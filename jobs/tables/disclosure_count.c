#include "disclosure_count.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/parse.h"
#include "io/files/durable.h"
#include "io/files/file_lock.h"

#define SUFFIX ".shared.json"

enum { MOST_BYTES = 4096 };

/* Sums of fractions may be off by so much. */
static const double rounding = 1e-9;

static hb_status understand(const json_t *document, const char *path, const uint8_t key_id[HB_KEY_ID_BYTES],
                            hb_disclosure_count *disclosed)
{
    char id[2 * HB_KEY_ID_BYTES + 1];
    const char *of = json_string_value(json_object_get(document, "key_id"));
    const json_t *results = json_object_get(document, "results"), *spent = json_object_get(document, "spent");
    hb_hex(id, key_id, HB_KEY_ID_BYTES);
    if (of == NULL || !json_is_integer(results) || json_integer_value(results) < 0 || !json_is_number(spent) ||
        !(json_number_value(spent) >= 0)) {
        return HB_FAIL(HB_EDATA, "%s does not count the results that were shown under a key", path);
    }
    if (strcmp(of, id) != 0) {
        return HB_FAIL(HB_EDATA, "%s counts the results of key %.64s, not of %s", path, of, id);
    }
    *disclosed = (hb_disclosure_count){(uint64_t)json_integer_value(results), json_number_value(spent)};
    return HB_OK;
}

static hb_status read_from(const char *path, const uint8_t key_id[HB_KEY_ID_BYTES], hb_disclosure_count *disclosed)
{
    uint8_t *data;
    size_t bytes;
    mode_t mode;
    bool there;
    *disclosed = (hb_disclosure_count){0};
    HB_TRY(hb_path_is_there(path, &there));
    if (!there) {
        return HB_OK;
    }
    HB_TRY(hb_read_file(path, MOST_BYTES, &data, &bytes, &mode));
    json_t *document = json_loadb((const char *)data, bytes, JSON_REJECT_DUPLICATES, NULL);
    free(data);
    const hb_status st = understand(document, path, key_id, disclosed);
    json_decref(document);
    return st;
}

hb_status hb_disclosure_count_read(const char *key_path, const uint8_t key_id[HB_KEY_ID_BYTES],
                                   hb_disclosure_count *disclosed)
{
    char *path;
    HB_TRY(hb_path_with(key_path, SUFFIX, &path));
    const hb_status st = read_from(path, key_id, disclosed);
    free(path);
    return st;
}

hb_status hb_disclosure_count_check(const char *key_path, const hb_disclosure_count *disclosed, uint64_t results,
                                    uint64_t promised)
{
    if (disclosed->spent + (double)results / (double)promised <= 1 + rounding) {
        return HB_OK;
    }
    return HB_FAIL(HB_EDATA,
                   "%" PRIu64 " results more, of %" PRIu64 " promised, are more than %s may show: noise was made for "
                   "fewer, and %" PRIu64 " are shown already; promise more with --share, or take another key",
                   results, promised, key_path, disclosed->results);
}

/* Writes the file that is held open and gives it its name. */
static hb_status place(int fd, const char *partial, const char *path, const uint8_t key_id[HB_KEY_ID_BYTES],
                       const hb_disclosure_count *disclosed)
{
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(id, key_id, HB_KEY_ID_BYTES);
    json_t *document = json_pack("{s:s, s:I, s:f}", "key_id", id, "results", (json_int_t)disclosed->results, "spent",
                                 disclosed->spent);
    char *text = json_dumps(document, JSON_INDENT(2));
    json_decref(document);
    if (text == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory to count results");
    }
    hb_status st = HB_OK;
    HB_GOTO(hb_write_at(fd, text, strlen(text), 0, partial));
    HB_GOTO(hb_sync(fd, partial));
    st = hb_rename(partial, path, true);
done:
    free(text);
    return st;
}

static hb_status add(const char *key_path, const char *partial, const char *path, const uint8_t key_id[HB_KEY_ID_BYTES],
                     uint64_t results, uint64_t promised, hb_disclosure_count *disclosed)
{
    int fd;
    HB_TRY(hb_file_lock_new_file(partial, 0600, true, &fd)); /* from here on no other job counts */
    hb_status st = HB_OK;
    HB_GOTO(read_from(path, key_id, disclosed));
    HB_GOTO(hb_disclosure_count_check(key_path, disclosed, results, promised));
    disclosed->results += results;
    disclosed->spent += (double)results / (double)promised;
    st = place(fd, partial, path, key_id, disclosed);
done:
    if (st != HB_OK) {
        const hb_error cause = *hb_last_error();
        (void)unlink(partial);
        hb_set_error(&cause);
    }
    close(fd);
    return st;
}

hb_status hb_disclosure_count_add(const char *key_path, const uint8_t key_id[HB_KEY_ID_BYTES], uint64_t results,
                                  uint64_t promised, hb_disclosure_count *disclosed)
{
    char *path = NULL, *partial = NULL;
    hb_status st = HB_OK;
    HB_GOTO(hb_path_with(key_path, SUFFIX, &path));
    HB_GOTO(hb_path_with(path, ".partial", &partial));
    st = add(key_path, partial, path, key_id, results, promised, disclosed);
done:
    free(partial);
    free(path);
    return st;
}
