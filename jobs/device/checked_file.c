#include "checked_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cache_file.h"
#include "cli/parse.h"
#include "io/files/durable.h"

enum { MOST_BYTES = 1 << 16, FORMAT = 1, NAME_BYTES = 8 /* of the parameters' digest, in the name of the file */ };

/* Writes how names of files about these parameters end: a dash, the first bytes of their digest, ".json". */
static void name_end(char end[2 * NAME_BYTES + 7], const hb_params *params)
{
    end[0] = '-';
    hb_hex(end + 1, params->digest, NAME_BYTES);
    memcpy(end + 1 + 2 * NAME_BYTES, ".json", 6);
}

hb_status hb_checked_path(const hb_checked_subject *subject, char **path)
{
    char uuid[2 * HB_CUDA_UUID_BYTES + 1], end[2 * NAME_BYTES + 7], name[96];
    hb_hex(uuid, subject->card->uuid, HB_CUDA_UUID_BYTES);
    name_end(end, subject->params);
    snprintf(name, sizeof name, "checked-%s%s", uuid, end);
    return hb_cache_path(name, path);
}

/* Writes the driver's own version, "" where the system does not say: the version of CUDA, which the driver also has,
 * stays the same over many of them. */
static void driver_version(char *text, int bytes)
{
    text[0] = '\0';
    FILE *file = fopen("/sys/module/nvidia/version", "re");
    if (file != NULL) {
        if (fgets(text, bytes, file) == NULL) {
            text[0] = '\0';
        }
        fclose(file);
    }
    text[strcspn(text, "\n")] = '\0';
    /* It becomes part of a JSON text. */
    for (char *c = text; *c != '\0'; c++) {
        *c = *c >= ' ' && *c <= '~' ? *c : '?';
    }
}

/* Returns all that has to be the same, NULL when out of memory or where the program does not know its own build:
 * without that, a check of an older program would count. */
static json_t *subject_of(const hb_checked_subject *subject)
{
    char uuid[2 * HB_CUDA_UUID_BYTES + 1], params[2 * HB_DIGEST_BYTES + 1], plan[2 * HB_DIGEST_BYTES + 1];
    char build[HB_BUILD_ID_TEXT], driver[64];
    uint8_t digest[HB_DIGEST_BYTES];
    hb_digest_state state;
    hb_cuda_versions v;
    hb_build_id(build);
    if (build[0] == '\0') {
        return NULL;
    }
    hb_cuda_versions_get(&v);
    driver_version(driver, sizeof driver);
    hb_hex(uuid, subject->card->uuid, HB_CUDA_UUID_BYTES);
    hb_hex(params, subject->params->digest, HB_DIGEST_BYTES);
    /* The plan decides which kernels run, so each plan is checked for itself. It is zeroed before it is filled and has
     * no padding that differs. */
    hb_digest_begin(&state, "hebatch plan");
    hb_digest_add(&state, subject->plan, sizeof *subject->plan);
    hb_digest_end(&state, digest);
    hb_hex(plan, digest, sizeof digest);
    return json_pack("{s:i, s:s, s:s, s:s, s:i, s:i, s:s, s:s, s:s}", "checked_version", FORMAT, "gpu",
                     subject->card->name, "uuid", uuid, "driver", driver, "driver_cuda", v.driver, "cuda", v.runtime,
                     "build", build, "params", params, "ntt_plan", plan);
}

/* Compares every fact of the subject with the file; facts that only the file has do not matter. */
static bool passed(const char *path, json_t *subject, json_int_t now)
{
    uint8_t *text = NULL;
    size_t bytes;
    mode_t mode;
    const char *key;
    json_t *value, *document = NULL;
    /* Never larger than a few facts: a larger file is none of ours. */
    bool same = hb_read_file(path, MOST_BYTES, &text, &bytes, &mode) == HB_OK;
    document = same ? json_loadb((const char *)text, bytes, JSON_REJECT_DUPLICATES, NULL) : NULL;
    json_object_foreach(subject, key, value)
    {
        same = same && json_equal(value, json_object_get(document, key));
    }
    const json_t *at = json_object_get(document, "passed");
    const json_int_t then = json_integer_value(at);
    /* A time in the future is of a clock that was wrong, or of a file made to last. */
    same = same && json_is_integer(at) && then <= now && then > now - HB_CHECKED_SECONDS;
    json_decref(document);
    free(text);
    return same;
}

bool hb_checked_recently(const hb_checked_subject *subject)
{
    char *path = NULL;
    const hb_error before = *hb_last_error();
    json_t *own = subject_of(subject);
    const bool recent = own != NULL && hb_checked_path(subject, &path) == HB_OK && path != NULL &&
                        passed(path, own, (json_int_t)time(NULL));
    free(path);
    json_decref(own);
    hb_set_error(&before);
    return recent;
}

/* Takes the facts of a file about a GPU where all of them can be. They only feed a prediction: the check itself asks
 * hb_checked_recently. */
static void take(const char *path, hb_checked_past *past)
{
    hb_cuda_device card = {.index = 0};
    uint8_t *text = NULL;
    size_t bytes;
    mode_t mode;
    int fast = 0;
    double driver = 0;
    json_t *facts = NULL;
    if (hb_read_file(path, MOST_BYTES, &text, &bytes, &mode) == HB_OK) {
        facts = json_loadb((const char *)text, bytes, JSON_REJECT_DUPLICATES, NULL);
    }
    if (json_unpack(facts, "{s:{s:i, s:i, s:b, s:F, s:F, s:F}}", "speed", "major", &card.major, "multiprocessors",
                    &card.multiprocessors, "fast_f64", &fast, "clock", &card.clock, "bandwidth", &card.bandwidth,
                    "driver_seconds", &driver) == 0 &&
        card.multiprocessors > 0 && card.clock >= 0 && card.bandwidth >= 0 && driver >= 0) {
        card.fast_f64 = fast != 0;
        past->card = card;
        past->driver_seconds = driver;
    }
    json_decref(facts);
    free(text);
}

/* Which GPU a file is of does not matter here. */
static void look_in(DIR *folder, const char *end, hb_checked_past *past)
{
    const time_t now = time(NULL);
    const struct dirent *entry;
    char last[NAME_MAX + 1] = "";
    time_t latest = 0;
    while ((entry = readdir(folder)) != NULL) {
        const size_t length = strlen(entry->d_name), ends = strlen(end);
        struct stat info;
        if (strncmp(entry->d_name, "checked-", 8) != 0 || length <= ends ||
            fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 || info.st_mtime > now) {
            continue;
        }
        past->recently = past->recently ||
                         (strcmp(entry->d_name + length - ends, end) == 0 && now - info.st_mtime < HB_CHECKED_SECONDS);
        if (info.st_mtime >= latest) {
            latest = info.st_mtime;
            snprintf(last, sizeof last, "%s", entry->d_name);
        }
    }
    char *path = NULL;
    if (last[0] != '\0' && hb_cache_path(last, &path) == HB_OK && path != NULL) {
        take(path, past);
    }
    free(path);
}

hb_checked_past hb_checked_look(const hb_params *params)
{
    const hb_error before = *hb_last_error();
    char end[2 * NAME_BYTES + 7], *path = NULL;
    hb_checked_past past = {.recently = false};
    name_end(end, params);
    if (hb_cache_path(".", &path) == HB_OK && path != NULL) {
        DIR *folder = opendir(path);
        if (folder != NULL) {
            look_in(folder, end, &past);
            closedir(folder);
        }
    }
    free(path);
    hb_set_error(&before);
    return past;
}

/* Returns what jobs after this one predict by; NULL when out of memory. */
static json_t *speed_of(const hb_cuda_device *card, double driver_seconds)
{
    return json_pack("{s:i, s:i, s:b, s:f, s:f, s:f}", "major", card->major, "multiprocessors", card->multiprocessors,
                     "fast_f64", (int)card->fast_f64, "clock", card->clock, "bandwidth", card->bandwidth,
                     "driver_seconds", driver_seconds);
}

void hb_checked_keep(const hb_checked_subject *subject, double driver_seconds)
{
    char *path = NULL, *text = NULL;
    const hb_error before = *hb_last_error();
    json_t *own = subject_of(subject);
    if (own != NULL && json_object_set_new(own, "passed", json_integer((json_int_t)time(NULL))) == 0 &&
        json_object_set_new(own, "speed", speed_of(subject->card, driver_seconds)) == 0 &&
        hb_checked_path(subject, &path) == HB_OK && path != NULL && (text = json_dumps(own, JSON_INDENT(1))) != NULL) {
        (void)hb_cache_write(path, text);
    }
    free(text);
    free(path);
    json_decref(own);
    hb_set_error(&before);
}
