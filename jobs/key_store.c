#include "key_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "galois.h"
#include "hex.h"

hb_status hb_elements_add(hb_elements *list, uint32_t element)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->element[i] == element) {
            return HB_OK;
        }
    }
    uint32_t *longer = realloc(list->element, (list->count + (size_t)1) * sizeof *longer);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of keys");
    }
    longer[list->count++] = element;
    list->element = longer;
    return HB_OK;
}

hb_key_text hb_key_text_of(size_t n, uint32_t element)
{
    hb_key_text name;
    int swap;
    const int64_t step = element == HB_RELINEARIZATION ? 0 : hb_galois_step(n, element, &swap);
    if (element == HB_RELINEARIZATION) {
        snprintf(name.text, sizeof name.text, "relinearization key");
    } else if (step == 0) {
        snprintf(name.text, sizeof name.text, "key of swap(x)");
    } else {
        snprintf(name.text, sizeof name.text, "key of rotate(%s,%" PRId64 ")", swap ? "swap(x)" : "x", step);
    }
    return name;
}

/* What is looked for, what was found, and what is to be said of the rest. */
typedef struct search {
    const char *directory;
    size_t n;
    hb_elements found;
    char operation[64];  /* the first that lacks its key; empty: none does */
    char options[160];   /* of keygen, for the keys other than of rotations */
    char rotations[160]; /* the steps that lack theirs, as far as there is room */
} search;

static hb_status is_there(const search *s, uint32_t element, bool *there)
{
    char *path;
    HB_TRY(hb_switch_key_path(s->directory, element, &path));
    *there = access(path, F_OK) == 0;
    free(path);
    return HB_OK;
}

static void note_missing(search *s, const char *operation, char *list, size_t room, const char *item)
{
    if (s->operation[0] == '\0') {
        snprintf(s->operation, sizeof s->operation, "%s", operation);
    }
    const size_t held = strlen(list);
    if (held + strlen(item) < room) {
        snprintf(list + held, room - held, "%s", item);
    }
}

static hb_status find_one(search *s, uint32_t element, const char *operation, const char *option)
{
    bool there;
    HB_TRY(is_there(s, element, &there));
    if (there) {
        return hb_elements_add(&s->found, element);
    }
    note_missing(s, operation, s->options, sizeof s->options, option);
    return HB_OK;
}

/* By the step's own key, or by the keys of its non-adjacent form, as the evaluator rotates with what was loaded. */
static hb_status find_step(search *s, int64_t step)
{
    bool there;
    const uint32_t element = hb_galois_rotation(s->n, step);
    HB_TRY(is_there(s, element, &there));
    if (there) {
        return hb_elements_add(&s->found, element);
    }
    int64_t terms[64];
    const uint32_t count = hb_galois_naf(s->n, step, terms);
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(is_there(s, hb_galois_rotation(s->n, terms[i]), &there));
        if (!there) {
            char operation[48], item[24];
            snprintf(operation, sizeof operation, "rotate(x,%" PRId64 ")", step);
            snprintf(item, sizeof item, "%s%" PRId64, s->rotations[0] == '\0' ? "" : ",", step);
            note_missing(s, operation, s->rotations, sizeof s->rotations, item);
            return HB_OK;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(hb_elements_add(&s->found, hb_galois_rotation(s->n, terms[i])));
    }
    return HB_OK;
}

static hb_status find_all(search *s, const hb_key_wants *wants)
{
    if (wants->relinearization) {
        HB_TRY(find_one(s, HB_RELINEARIZATION, "a product of ciphertexts", " --relin"));
    }
    if (wants->swap) {
        HB_TRY(find_one(s, hb_galois_swap(s->n), "swap(x)", " --swap"));
    }
    for (uint32_t i = 0; i < wants->step_count; i++) {
        HB_TRY(find_step(s, wants->steps[i]));
    }
    if (s->operation[0] == '\0') {
        return HB_OK;
    }
    return HB_FAIL(HB_ENOINPUT,
                   "%.100s has no key for %s; whoever has the secret key makes it: hebatch keygen --key "
                   "%.100s/secret.h5%s%s%s",
                   s->directory, s->operation, s->directory, s->options, s->rotations[0] == '\0' ? "" : " --rotations ",
                   s->rotations);
}

hb_status hb_key_store_find(const char *directory, const hb_params *params, const hb_key_wants *wants,
                            uint32_t **elements, uint32_t *count)
{
    search s = {.directory = directory, .n = params->ring.n};
    const hb_status st = find_all(&s, wants);
    if (st != HB_OK) {
        free(s.found.element);
        s.found = (hb_elements){NULL, 0};
    }
    *elements = s.found.element;
    *count = s.found.count;
    return st;
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
    uint8_t digest[HB_DIGEST_BYTES];
    hb_params_digest(digest, &file->spec);
    if (memcmp(digest, params->digest, sizeof digest) != 0) {
        return HB_FAIL(HB_EDATA, "%s has other parameters than the data", path);
    }
    return file->element == element ? HB_OK
                                    : HB_FAIL(HB_EDATA, "%s holds the %s: it has another file's name", path,
                                              hb_key_text_of(params->ring.n, file->element).text);
}

static hb_status load_one(hb_key_ring *ring, const hb_session *session, const char *path,
                          const uint8_t key_id[HB_KEY_ID_BYTES], uint32_t element)
{
    hb_switch_key_file file;
    hb_switch_key key = {0};
    hb_status st;
    HB_GOTO(hb_switch_key_file_read(path, &file));
    HB_GOTO(check_file(path, &file, session->params, key_id, element));
    HB_GOTO(hb_switch_key_load(&key, session->engine, session->params, element, file.b, file.a, file.seeds));
    st = hb_key_ring_add(ring, &key);
done:
    hb_switch_key_clear(&key);
    hb_switch_key_file_clear(&file);
    return st;
}

hb_status hb_key_store_load(hb_key_ring *ring, const hb_session *session, const char *directory,
                            const uint8_t key_id[HB_KEY_ID_BYTES], const uint32_t *elements, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char *path;
        HB_TRY(hb_switch_key_path(directory, elements[i], &path));
        const hb_status st = load_one(ring, session, path, key_id, elements[i]);
        free(path);
        HB_TRY(st);
    }
    return HB_OK;
}
