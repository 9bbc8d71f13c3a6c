#include "key_store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/parse.h"
#include "io/base/durable.h"
#include "scheme/params.h"
#include "scheme/slots.h"

hb_key_text hb_key_text_of(const hb_params_spec *spec, uint32_t element)
{
    const char *swapped = hb_slots_swap_word(spec);
    hb_key_text name;
    int swap;
    const int64_t step = element == HB_RELINEARIZATION ? 0 : hb_slots_step(spec, element, &swap);
    if (element == HB_RELINEARIZATION) {
        snprintf(name.text, sizeof name.text, "relinearization key");
    } else if (step == 0) {
        snprintf(name.text, sizeof name.text, "key of %s(x)", swapped);
    } else {
        snprintf(name.text, sizeof name.text, "key of rotate(%s%sx%s,%" PRId64 ")", swap ? swapped : "",
                 swap ? "(" : "", swap ? ")" : "", step);
    }
    return name;
}

/* Of the pair, of the parameters, and the key that its name says. */
static hb_status check_file(const char *path, const hb_switch_key_file *file, const hb_params *params,
                            const uint8_t key_id[HB_KEY_ID_BYTES], uint32_t element)
{
    if (memcmp(file->key_id, key_id, HB_KEY_ID_BYTES) != 0) {
        char own[2 * HB_KEY_ID_BYTES + 1], wanted[2 * HB_KEY_ID_BYTES + 1];
        hb_hex(own, file->key_id, HB_KEY_ID_BYTES);
        hb_hex(wanted, key_id, HB_KEY_ID_BYTES);
        return HB_FAIL(HB_EDATA, "%s belongs to key %s, but the data was encrypted with key %s", path, own, wanted);
    }
    if (!hb_params_same(&file->spec, &params->spec)) {
        return HB_FAIL(HB_EDATA, "%s has other parameters than the data", path);
    }
    if (file->element == element) {
        return HB_OK;
    }
    return HB_FAIL(HB_EDATA, "%s holds the %s: it has another file's name", path,
                   hb_key_text_of(&params->spec, file->element).text);
}

static hb_status read_first(void *context)
{
    hb_key_ahead *ahead = context;
    return hb_switch_key_file_read(ahead->path, &ahead->file);
}

void hb_key_ahead_begin(hb_key_ahead *ahead, const char *directory, hb_elements elements)
{
    *ahead = (hb_key_ahead){.path = NULL};
    if (elements.count > 0 && hb_switch_key_path(directory, elements.element[0], &ahead->path) == HB_OK) {
        hb_background_begin(&ahead->reading, read_first, ahead);
    }
}

void hb_key_ahead_wait(hb_key_ahead *ahead)
{
    const hb_error before = *hb_last_error();
    (void)hb_background_end(&ahead->reading); /* who loads the key hears of it */
    hb_set_error(&before);
}

void hb_key_ahead_end(hb_key_ahead *ahead)
{
    hb_key_ahead_wait(ahead);
    hb_switch_key_file_clear(&ahead->file);
    free(ahead->path);
    *ahead = (hb_key_ahead){.path = NULL};
}

/* The file of the key, taken over or read now. */
static hb_status take_file(hb_key_ahead *ahead, const char *path, hb_switch_key_file *file)
{
    if (ahead == NULL || ahead->path == NULL || strcmp(ahead->path, path) != 0) {
        return hb_switch_key_file_read(path, file);
    }
    HB_TRY(hb_background_end(&ahead->reading));
    *file = ahead->file;
    ahead->file = (hb_switch_key_file){.parts = 0};
    return HB_OK;
}

static hb_status load_one(hb_switch_keys *keys, const hb_session *session, const char *path,
                          const uint8_t key_id[HB_KEY_ID_BYTES], uint32_t element, hb_key_ahead *ahead)
{
    hb_switch_key_file file = {.parts = 0};
    hb_switch_key key = {0};
    hb_status st;
    HB_GOTO(take_file(ahead, path, &file));
    HB_GOTO(check_file(path, &file, session->params, key_id, element));
    HB_GOTO(hb_switch_key_load(&key, session->engine, session->params, element, file.b, file.a, file.seeds));
    st = hb_switch_keys_add(keys, &key);
done:
    hb_switch_key_clear(&key);
    hb_switch_key_file_clear(&file);
    return st;
}

hb_status hb_key_store_load(hb_switch_keys *keys, const hb_session *session, const char *directory,
                            const uint8_t key_id[HB_KEY_ID_BYTES], hb_elements elements, hb_key_ahead *ahead)
{
    for (uint32_t i = 0; i < elements.count; i++) {
        char *path;
        HB_TRY(hb_switch_key_path(directory, elements.element[i], &path));
        const hb_status st = load_one(keys, session, path, key_id, elements.element[i], i == 0 ? ahead : NULL);
        free(path);
        HB_TRY(st);
    }
    return HB_OK;
}

/* What is looked for, what was found, and what is to be said of the rest. */
typedef struct search {
    const char *directory;
    const hb_params_spec *spec;
    hb_elements found;
    char operation[64];  /* the first that lacks its key; empty: none does */
    char options[160];   /* of keygen, for the keys other than of rotations */
    char rotations[160]; /* the steps that lack theirs, as far as there is room */
} search;

static hb_status is_there(const search *s, uint32_t element, bool *there)
{
    char *path;
    HB_TRY(hb_switch_key_path(s->directory, element, &path));
    const hb_status st = hb_path_is_there(path, there);
    free(path);
    return st;
}

static void note_missing(search *s, const char *operation, char *list, size_t capacity, const char *item)
{
    if (s->operation[0] == '\0') {
        snprintf(s->operation, sizeof s->operation, "%s", operation);
    }
    const size_t held = strlen(list);
    if (held + strlen(item) < capacity) {
        snprintf(list + held, capacity - held, "%s", item);
    }
}

/* What the key is for, and which option of keygen makes it. */
static void note_request(search *s, const hb_key_request *request)
{
    char operation[48], item[24];
    if (request->step != 0) {
        snprintf(operation, sizeof operation, "rotate(x,%" PRId64 ")", request->step);
        snprintf(item, sizeof item, "%s%" PRId64, s->rotations[0] == '\0' ? "" : ",", request->step);
        note_missing(s, operation, s->rotations, sizeof s->rotations, item);
    } else if (request->source == HB_FROM_SQUARE) {
        note_missing(s, "a product of ciphertexts", s->options, sizeof s->options, " --relin");
    } else {
        snprintf(operation, sizeof operation, "%s(x)", hb_slots_swap_word(s->spec));
        snprintf(item, sizeof item, " --%s", hb_slots_swap_word(s->spec));
        note_missing(s, operation, s->options, sizeof s->options, item);
    }
}

/* By the keys of a step's terms, as the evaluator rotates with what was loaded; *all: they are there. */
static hb_status find_terms(search *s, int64_t step, bool *all)
{
    int64_t terms[HB_GALOIS_MOST_STEPS];
    const uint32_t count = hb_slots_terms(s->spec, step, terms);
    *all = true;
    for (uint32_t i = 0; i < count && *all; i++) {
        HB_TRY(is_there(s, hb_slots_rotation(s->spec, terms[i]), all));
    }
    for (uint32_t i = 0; i < count && *all; i++) {
        HB_TRY(hb_elements_add(&s->found, hb_slots_rotation(s->spec, terms[i])));
    }
    return HB_OK;
}

static hb_status find_request(search *s, const hb_key_request *request)
{
    bool there;
    HB_TRY(is_there(s, request->element, &there));
    if (there) {
        return hb_elements_add(&s->found, request->element);
    }
    if (request->step != 0) {
        HB_TRY(find_terms(s, request->step, &there));
    }
    if (!there) {
        note_request(s, request);
    }
    return HB_OK;
}

/* Rotations last. */
static hb_status find_all(search *s, const hb_key_requests *requests)
{
    for (int rotations = 0; rotations < 2; rotations++) {
        for (uint32_t i = 0; i < requests->count; i++) {
            if ((requests->request[i].step != 0) == (rotations != 0)) {
                HB_TRY(find_request(s, &requests->request[i]));
            }
        }
    }
    return HB_OK;
}

static hb_status check_directory(const char *directory)
{
    struct stat status;
    if (stat(directory, &status) != 0) {
        return HB_FAIL(HB_ENOINPUT, "--keys %s: %s", directory, strerror(errno));
    }
    if (S_ISDIR(status.st_mode)) {
        return HB_OK;
    }
    return HB_FAIL(HB_ENOINPUT, "--keys %s: is no directory; give the one that holds the keys", directory);
}

/* The pair of the first key of the directory that can be read, of the key for encrypting or one for computing; the
 * secret key is not opened for that. */
static hb_status find_pair(const char *directory, uint8_t key_id[HB_KEY_ID_BYTES], bool *found)
{
    char *path;
    uint32_t *elements, count;
    hb_keyfile pair = {.ternary = NULL};
    *found = false;
    HB_TRY(hb_path_with(directory, "/" HB_KEYFILE_PUBLIC, &path));
    if (hb_keyfile_read(path, &pair) == HB_OK) {
        memcpy(key_id, pair.key_id, HB_KEY_ID_BYTES);
        *found = true;
    }
    hb_keyfile_clear(&pair);
    free(path);
    HB_TRY(hb_switch_key_list(directory, &elements, &count));
    hb_status st = HB_OK;
    for (uint32_t i = 0; i < count && !*found && st == HB_OK; i++) {
        hb_switch_key_label label;
        st = hb_switch_key_path(directory, elements[i], &path);
        if (st == HB_OK && hb_switch_key_file_look(path, &label) == HB_OK) {
            memcpy(key_id, label.key_id, HB_KEY_ID_BYTES);
            *found = true;
        }
        free(st == HB_OK ? path : NULL);
    }
    free(elements);
    return st;
}

/* Where the secret key is, if it is of the pair for all that can be seen. */
static hb_status name_secret(const search *s, const uint8_t key_id[HB_KEY_ID_BYTES], char *who, size_t capacity)
{
    uint8_t own[HB_KEY_ID_BYTES];
    char id[2 * HB_KEY_ID_BYTES + 1], *secret;
    bool known;
    hb_hex(id, key_id, HB_KEY_ID_BYTES);
    HB_TRY(find_pair(s->directory, own, &known));
    if (known && memcmp(own, key_id, HB_KEY_ID_BYTES) != 0) {
        char other[2 * HB_KEY_ID_BYTES + 1];
        hb_hex(other, own, HB_KEY_ID_BYTES);
        return HB_FAIL(HB_EDATA, "--keys %.200s: its keys belong to key %s, but the data was encrypted with key %s",
                       s->directory, other, id);
    }
    HB_TRY(hb_path_with(s->directory, "/" HB_KEYFILE_SECRET, &secret));
    bool there = false;
    const hb_status st = hb_path_is_there(secret, &there);
    if (known && there) {
        snprintf(who, capacity, "make it: hebatch keygen --key %.150s", secret);
    } else {
        snprintf(who, capacity, "whoever has the secret key %s makes it: hebatch keygen --key " HB_KEYFILE_SECRET, id);
    }
    free(secret);
    return st;
}

static hb_status refuse_missing(const search *s, const uint8_t key_id[HB_KEY_ID_BYTES])
{
    char who[256];
    HB_TRY(name_secret(s, key_id, who, sizeof who));
    return HB_FAIL(HB_ENOINPUT, "%.100s has no key for %s; %s%s%s%s", s->directory, s->operation, who, s->options,
                   s->rotations[0] == '\0' ? "" : " --rotations ", s->rotations);
}

hb_status hb_key_store_find(hb_elements *elements, const char *directory, const hb_params *params,
                            const uint8_t key_id[HB_KEY_ID_BYTES], const hb_key_requests *requests)
{
    search s = {.directory = directory, .spec = &params->spec};
    hb_status st = check_directory(directory);
    st = st == HB_OK ? find_all(&s, requests) : st;
    if (st == HB_OK && s.operation[0] != '\0') {
        st = refuse_missing(&s, key_id);
    }
    if (st != HB_OK) {
        free(s.found.element);
        s.found = (hb_elements){NULL, 0};
    }
    *elements = s.found;
    return st;
}
