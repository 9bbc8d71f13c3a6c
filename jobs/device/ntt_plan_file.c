#include "ntt_plan_file.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cache_file.h"
#include "cli/console.h"
#include "io/files/durable.h"

enum { MOST_BYTES = 1 << 20, FORMAT = 1 };

static hb_status no_memory(void)
{
    return HB_FAIL(HB_ENOMEM, "no memory for a plan of the transforms");
}

hb_status hb_ntt_plan_path(const hb_cuda_device *card, char **path)
{
    hb_cuda_versions v;
    char name[sizeof card->name], *file;
    *path = NULL;
    hb_cuda_versions_get(&v);
    snprintf(name, sizeof name, "%s", card->name);
    /* Names of GPUs have spaces and may have slashes. */
    for (char *c = name; *c != '\0'; c++) {
        *c = isalnum((unsigned char)*c) ? *c : '-';
    }
    if (asprintf(&file, "ntt-%s-driver-%d.%d-cuda-%d.%d-hebatch-" HEBATCH_VERSION ".json", name, v.driver / 1000,
                 v.driver % 1000 / 10, v.runtime / 1000, v.runtime % 1000 / 10) < 0) {
        return no_memory();
    }
    const hb_status st = hb_cache_path(file, path);
    free(file);
    return st;
}

/* Returns the GPU and versions with which a plan was measured, all of which must be the same; NULL when out of
 * memory. */
static json_t *subject_of(const hb_cuda_device *card)
{
    hb_cuda_versions v;
    hb_cuda_versions_get(&v);
    return json_pack("{s:i, s:s, s:i, s:i, s:i, s:s}", "plan_version", FORMAT, "gpu", card->name, "multiprocessors",
                     card->multiprocessors, "driver", v.driver, "cuda", v.runtime, "hebatch", HEBATCH_VERSION);
}

/* Returns the row of the plan for these transforms, HB_NTT_PLAN_ROWS if there is none. */
static uint32_t find_row(json_int_t n, const char *arithmetic, const char *direction)
{
    uint32_t row = 0;
    for (; row < HB_NTT_PLAN_ROWS; row++) {
        const hb_ntt_kind kind = hb_ntt_kind_of(row);
        if (n == (json_int_t)1 << kind.log_n && strcmp(arithmetic, hb_ntt_arithmetic_name(kind.arithmetic)) == 0 &&
            strcmp(direction, hb_ntt_direction_name(kind.forward)) == 0) {
            break;
        }
    }
    return row;
}

/* Returns the number of the kernel of this name, HB_NTT_CANDIDATES if there is none, as for NULL, which JSON other than
 * a text gives. */
static uint32_t find_candidate(const char *name)
{
    uint32_t number = 0;
    while (number < HB_NTT_CANDIDATES && (name == NULL || strcmp(name, hb_ntt_candidate_of(number)->name) != 0)) {
        number++;
    }
    return number;
}

/* Returns false for anything damaged. Nothing is put into the plan that the card could not run. */
static bool parse_row(const hb_cuda_device *card, json_t *item, hb_cuda_ntt_plan *plan)
{
    json_int_t n;
    const char *arithmetic, *direction;
    json_t *kernels;
    if (json_unpack_ex(item, NULL, JSON_STRICT, "{s:I, s:s, s:s, s:o}", "n", &n, "arithmetic", &arithmetic, "direction",
                       &direction, "kernels", &kernels) != 0 ||
        json_array_size(kernels) != HB_NTT_PLAN_CLASSES) {
        return false;
    }
    const uint32_t row = find_row(n, arithmetic, direction);
    /* A row that is not known is refused at the end. */
    for (uint32_t c = 0; row < HB_NTT_PLAN_ROWS && c < HB_NTT_PLAN_CLASSES; c++) {
        const uint32_t number = find_candidate(json_string_value(json_array_get(kernels, c)));
        /* A kernel that is not known is not possible either. */
        if (number != HB_NTT_BY_RULE && !hb_ntt_possible(number, card, hb_ntt_kind_of(row).log_n)) {
            return false;
        }
        plan->choice[row][c] = (uint8_t)number;
    }
    return row < HB_NTT_PLAN_ROWS;
}

/* Rows that the file does not have go by the rules. */
static hb_status parse(const char *path, const hb_cuda_device *card, json_t *document, json_t *subject,
                       hb_cuda_ntt_plan *plan)
{
    const char *key;
    json_t *value, *rows = json_object_get(document, "rows");
    size_t i;
    /* Every fact of this program and GPU has to be in the file; facts that only the file has do not matter. */
    json_object_foreach(subject, key, value)
    {
        if (!json_equal(value, json_object_get(document, key))) {
            return HB_FAIL(HB_EDATA, "%s: its '%s' is not that of this GPU and program", path, key);
        }
    }
    if (!json_is_array(rows)) {
        return HB_FAIL(HB_EDATA, "%s: it has no rows", path);
    }
    json_array_foreach(rows, i, value)
    {
        if (!parse_row(card, value, plan)) {
            return HB_FAIL(HB_EDATA, "%s: row %zu is damaged", path, i);
        }
    }
    return HB_OK;
}

hb_status hb_ntt_plan_read(const char *path, const hb_cuda_device *card, hb_cuda_ntt_plan *plan)
{
    uint8_t *text = NULL;
    size_t bytes;
    mode_t mode;
    struct stat info;
    json_error_t error;
    json_t *document = NULL, *subject = NULL;
    /* Zeros are the rules. */
    memset(plan, 0, sizeof *plan);
    /* Never measured is the usual case and no reason for a warning; hb_read_file does not tell it from others. */
    if (lstat(path, &info) != 0 && errno == ENOENT) {
        return HB_FAIL(HB_ENOINPUT, "%s: not there", path);
    }
    hb_status st = hb_read_file(path, MOST_BYTES, &text, &bytes, &mode);
    if (st != HB_OK) {
        return HB_FAIL(st == HB_ENOMEM ? st : HB_EDATA, "%s", hb_last_error()->text);
    }
    document = json_loadb((const char *)text, bytes, JSON_REJECT_DUPLICATES, &error);
    if (document == NULL) {
        HB_GOTO(HB_FAIL(HB_EDATA, "%s, line %d: %s", path, error.line, error.text));
    }
    subject = subject_of(card);
    if (subject == NULL) {
        HB_GOTO(no_memory());
    }
    st = parse(path, card, document, subject, plan);
done:
    if (st != HB_OK) {
        memset(plan, 0, sizeof *plan);
    }
    json_decref(subject);
    json_decref(document);
    free(text);
    return st;
}

/* Returns the rows that do not all go by the rules, which are most of the file's size; NULL when out of memory. */
static json_t *rows_json(const hb_cuda_ntt_plan *plan)
{
    static const uint8_t rules[HB_NTT_PLAN_CLASSES];
    json_t *rows = json_array();
    bool failed = rows == NULL;
    for (uint32_t row = 0; !failed && row < HB_NTT_PLAN_ROWS; row++) {
        const hb_ntt_kind kind = hb_ntt_kind_of(row);
        const uint8_t *choice = plan->choice[row];
        if (memcmp(choice, rules, sizeof rules) == 0) {
            continue;
        }
        json_t *kernels = json_array();
        for (uint32_t c = 0; c < HB_NTT_PLAN_CLASSES; c++) {
            /* jansson takes NULL and says so: failures are looked at once, at the end. */
            failed |= json_array_append_new(kernels, json_string(hb_ntt_candidate_of(choice[c])->name)) != 0;
        }
        failed |=
            json_array_append_new(rows, json_pack("{s:I, s:s, s:s, s:o}", "n", (json_int_t)1 << kind.log_n,
                                                  "arithmetic", hb_ntt_arithmetic_name(kind.arithmetic), "direction",
                                                  hb_ntt_direction_name(kind.forward), "kernels", kernels)) != 0;
    }
    if (failed) {
        json_decref(rows);
        return NULL;
    }
    return rows;
}

hb_status hb_ntt_plan_write(const char *path, const hb_cuda_device *card, const hb_cuda_ntt_plan *plan)
{
    json_t *document = subject_of(card);
    char *text = NULL;
    hb_status st = HB_OK;
    if (document == NULL || json_object_set_new(document, "rows", rows_json(plan)) != 0 ||
        (text = json_dumps(document, JSON_INDENT(1))) == NULL) {
        HB_GOTO(no_memory());
    }
    st = hb_cache_write(path, text);
done:
    free(text);
    json_decref(document);
    return st;
}

bool hb_ntt_plan_find(const hb_group *group, const hb_cuda_device *card, hb_cuda_ntt_plan *plan)
{
    char *path;
    memset(plan, 0, sizeof *plan);
    hb_status st = hb_ntt_plan_path(card, &path);
    if (st == HB_OK && path == NULL) {
        return false;
    }
    st = st == HB_OK ? hb_ntt_plan_read(path, card, plan) : st;
    free(path);
    /* Nobody has measured on such a GPU: nothing to warn of. */
    if (st != HB_OK && st != HB_ENOINPUT) {
        hb_console_warn(group,
                        "the measured plan of the transforms is not used: %s; `hebatch bench ntt --plan` makes "
                        "it anew",
                        hb_last_error()->text);
    }
    hb_clear_error();
    return st == HB_OK;
}
