#include "key_store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/parse.h"
#include "io/files/durable.h"
#include "key_store_private.h"
#include "scheme/params.h"
#include "scheme/slots.h"

static void galois_text(char *text, size_t capacity, const hb_params_spec *spec, uint32_t element)
{
    const char *swapped = hb_slots_swap_word(spec);
    int swap;
    const int64_t step = hb_slots_step(spec, element, &swap);
    if (step == 0) {
        snprintf(text, capacity, "key of %s(x)", swapped);
    } else {
        snprintf(text, capacity, "key of rotate(%s%sx%s,%" PRId64 ")", swap ? swapped : "", swap ? "(" : "",
                 swap ? ")" : "", step);
    }
}

const char *hb_key_sort_text(hb_key_sort sort)
{
    static const char *const texts[HB_KEY_SORTS] = {[HB_KEY_RELINEARIZATION] = "relinearization key",
                                                    [HB_KEY_GALOIS] = "Galois key",
                                                    [HB_KEY_TO_SPARSE] = "key to the sparse secret",
                                                    [HB_KEY_FROM_SPARSE] = "key from the sparse secret",
                                                    [HB_KEY_REKEY] = "rekeying key"};
    return texts[sort];
}

hb_key_text hb_key_text_of(const hb_params_spec *spec, hb_key_name name)
{
    hb_key_text text;
    snprintf(text.text, sizeof text.text, "%s", hb_key_sort_text(name.sort));
    if (name.sort == HB_KEY_GALOIS) {
        galois_text(text.text, sizeof text.text, spec, name.element);
    }
    if (name.limbs != 0) {
        const size_t held = strlen(text.text);
        snprintf(text.text + held, sizeof text.text - held, ", levels 0 to %" PRIu32,
                 name.limbs / hb_spec_level_limbs(spec) - 1);
    }
    return text;
}

hb_key_purpose hb_key_choice_purpose(const hb_params_spec *spec, hb_key_choice choice)
{
    hb_key_purpose purpose = hb_key_purpose_of_name(spec, choice.file);
    purpose.limbs = choice.limbs != 0 ? choice.limbs : purpose.limbs;
    return purpose;
}

/* The search: wanted keys, found ones, and messages about the rest. */
typedef struct search {
    const char *directory;
    const hb_params_spec *spec;
    hb_key_names files; /* of the directory */
    hb_key_choices found;
    char operation[64]; /* the first that lacks its key; empty: none does */
    char options[160];  /* of keygen, for the keys other than of rotations */
    int64_t *steps;     /* [step_count], owned: of rotations that lack theirs */
    uint32_t step_count;
} search;

/* Whether a file serves it: the lowest that does, which is the last. */
static bool find_file(const search *s, hb_key_name wanted, hb_key_name *file)
{
    bool found = false;
    for (uint32_t i = 0; i < s->files.count; i++) {
        if (hb_key_name_serves(s->files.name[i], wanted)) {
            *file = s->files.name[i];
            found = true;
        }
    }
    return found;
}

static bool is_there(const search *s, hb_key_name wanted)
{
    hb_key_name file;
    return find_file(s, wanted, &file);
}

/* Adds an existing key; a key that several requests want for different levels is loaded once, for the highest. */
static hb_status add_found(search *s, hb_key_name wanted)
{
    hb_key_choice choice = {.limbs = wanted.limbs};
    (void)find_file(s, wanted, &choice.file);
    for (uint32_t i = 0; i < s->found.count; i++) {
        hb_key_choice *there = &s->found.key[i];
        if (there->file.sort == wanted.sort && there->file.element == wanted.element) {
            const bool higher = there->limbs != 0 && (wanted.limbs == 0 || wanted.limbs > there->limbs);
            *there = higher ? choice : *there;
            return HB_OK;
        }
    }
    hb_key_choice *longer = realloc(s->found.key, (s->found.count + (size_t)1) * sizeof *longer);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of keys");
    }
    longer[s->found.count++] = choice;
    s->found.key = longer;
    return HB_OK;
}

/* The key that serves a request. Keys of one special prime and digits of one prime are for all levels, as they may be
 * turned into integers. */
static hb_key_name wanted_by(const search *s, const hb_key_request *request, uint32_t element)
{
    const bool by_level = hb_spec_switches_first(s->spec);
    const hb_key_purpose purpose = {
        .source = request->source, .element = element, .limbs = by_level ? request->limbs : 0};
    return hb_key_name_of(s->spec, &purpose);
}

static void note_missing(search *s, const char *operation, const char *option)
{
    if (s->operation[0] == '\0') {
        snprintf(s->operation, sizeof s->operation, "%s", operation);
    }
    const size_t held = strlen(s->options);
    if (held + strlen(option) < sizeof s->options) {
        snprintf(s->options + held, sizeof s->options - held, "%s", option);
    }
}

static hb_status note_step(search *s, int64_t step)
{
    int64_t *longer = realloc(s->steps, (s->step_count + (size_t)1) * sizeof *longer);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of rotations");
    }
    s->steps = longer;
    longer[s->step_count++] = step;
    return HB_OK;
}

/* Notes the purpose of the key, and the option of keygen that makes it. */
static hb_status note_request(search *s, const hb_key_request *request)
{
    char operation[48], item[24];
    if (request->bootstrapping) {
        const char *option = strstr(s->options, " --bootstrap") == NULL ? " --bootstrap" : "";
        note_missing(s, "bootstrapping", option);
        return HB_OK;
    }
    if (request->step != 0) {
        snprintf(operation, sizeof operation, "rotate(x,%" PRId64 ")", request->step);
        note_missing(s, operation, "");
        return note_step(s, request->step);
    }
    if (request->source == HB_FROM_SQUARE) {
        note_missing(s, "a product of ciphertexts", " --relin");
    } else {
        snprintf(operation, sizeof operation, "%s(x)", hb_slots_swap_word(s->spec));
        snprintf(item, sizeof item, " --%s", hb_slots_swap_word(s->spec));
        note_missing(s, operation, item);
    }
    return HB_OK;
}

static int by_step(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Writes the steps as keygen takes them: "-2,1..7,8..56/8", as far as there is room. Returns how many they are. */
static uint32_t write_steps(search *s, char *text, size_t capacity)
{
    enum { FEW = 8 }; /* in the order of the expression; more by size, so that runs are found */
    size_t held = 0;
    text[0] = '\0';
    if (s->step_count > FEW) {
        qsort(s->steps, s->step_count, sizeof *s->steps, by_step);
    }
    for (uint32_t i = 0; i < s->step_count;) {
        char item[80];
        const int64_t first = s->steps[i], apart = i + 1 < s->step_count ? s->steps[i + 1] - first : 0;
        uint32_t end = i + 1;
        while (end < s->step_count && s->steps[end] - s->steps[end - 1] == apart) {
            end++;
        }
        const int64_t last = s->steps[end - 1];
        end = end - i >= 3 ? end : i + 1;
        if (end == i + 1) {
            snprintf(item, sizeof item, "%s%" PRId64, i > 0 ? "," : "", first);
        } else if (apart == 1) {
            snprintf(item, sizeof item, "%s%" PRId64 "..%" PRId64, i > 0 ? "," : "", first, last);
        } else {
            snprintf(item, sizeof item, "%s%" PRId64 "..%" PRId64 "/%" PRId64, i > 0 ? "," : "", first, last, apart);
        }
        if (held + strlen(item) >= capacity) {
            return i;
        }
        held += (size_t)snprintf(text + held, capacity - held, "%s", item);
        i = end;
    }
    return s->step_count;
}

/* By the keys of a step's terms, as the evaluator rotates with loaded ones; *all: they exist. */
static hb_status find_terms(search *s, const hb_key_request *request, bool *all)
{
    int64_t terms[HB_GALOIS_MOST_STEPS];
    const uint32_t count = hb_slots_terms(s->spec, request->step, terms);
    *all = true;
    for (uint32_t i = 0; i < count && *all; i++) {
        *all = is_there(s, wanted_by(s, request, hb_slots_rotation(s->spec, terms[i])));
    }
    for (uint32_t i = 0; i < count && *all; i++) {
        HB_TRY(add_found(s, wanted_by(s, request, hb_slots_rotation(s->spec, terms[i]))));
    }
    return HB_OK;
}

static hb_status find_request(search *s, const hb_key_request *request)
{
    const hb_key_name wanted = wanted_by(s, request, request->element);
    bool there = false;
    if (is_there(s, wanted)) {
        return add_found(s, wanted);
    }
    if (request->step != 0 && !request->bootstrapping && !request->exact) {
        HB_TRY(find_terms(s, request, &there));
    }
    return there || request->spare ? HB_OK : note_request(s, request);
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
    hb_key_names names;
    hb_keyfile pair = {.ternary = NULL};
    *found = false;
    HB_TRY(hb_path_with(directory, "/" HB_KEYFILE_PUBLIC, &path));
    if (hb_keyfile_read(path, &pair) == HB_OK) {
        memcpy(key_id, pair.key_id, HB_KEY_ID_BYTES);
        *found = true;
    }
    hb_keyfile_clear(&pair);
    free(path);
    HB_TRY(hb_switch_key_list(directory, &names));
    hb_status st = HB_OK;
    for (uint32_t i = 0; i < names.count && !*found && st == HB_OK; i++) {
        hb_switch_key_label label;
        st = hb_switch_key_path(directory, names.name[i], &path);
        if (st == HB_OK && hb_switch_key_file_look(path, &label) == HB_OK) {
            memcpy(key_id, label.key_id, HB_KEY_ID_BYTES);
            *found = true;
        }
        free(st == HB_OK ? path : NULL);
    }
    free(names.name);
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
    if (hb_spec_owners(s->spec) > 1 && !known) {
        return HB_FAIL(
            HB_ENOINPUT,
            "--keys %.200s: has no keys; those of key %s are where hebatch keygen --combine FOLDER --out KEYS "
            "made them",
            s->directory, id);
    }
    if (hb_spec_owners(s->spec) > 1) {
        snprintf(who, capacity,
                 "if all owners have joined a round with it, run keygen --combine again; else they begin one: hebatch "
                 "keygen --session FOLDER --more");
        return HB_OK;
    }
    HB_TRY(hb_path_with(s->directory, "/" HB_KEYFILE_SECRET, &secret));
    bool there = false;
    const hb_status st = hb_path_is_there(secret, &there);
    if (known && there) {
        snprintf(who, capacity, "make it: hebatch keygen --key %.150s", secret);
    } else {
        snprintf(who, capacity, "the owner of the secret key %s makes it: hebatch keygen --key " HB_KEYFILE_SECRET, id);
    }
    free(secret);
    return st;
}

static hb_status refuse_missing(search *s, const uint8_t key_id[HB_KEY_ID_BYTES])
{
    static const char option[] = " --rotations ";
    char who[256], more[80] = "", steps[sizeof((hb_error *)0)->text];
    HB_TRY(name_secret(s, key_id, who, sizeof who));
    const int other =
        snprintf(NULL, 0, "%.100s has no key for %s; %s%s%s", s->directory, s->operation, who, s->options, option);
    const size_t taken = (size_t)other + sizeof more;
    const uint32_t named = write_steps(s, steps, taken < sizeof steps ? sizeof steps - taken : 1);
    if (named < s->step_count) {
        snprintf(more, sizeof more, ", nor for %" PRIu32 " more rotations, told when these are there",
                 s->step_count - named);
    }
    return HB_FAIL(HB_ENOINPUT, "%.100s has no key for %s%s; %s%s%s%s", s->directory, s->operation, more, who,
                   s->options, steps[0] == '\0' ? "" : option, steps);
}

hb_status hb_key_store_find(hb_key_choices *choices, const char *directory, const hb_params *params,
                            const uint8_t key_id[HB_KEY_ID_BYTES], const hb_key_requests *requests)
{
    search s = {.directory = directory, .spec = &params->spec};
    hb_status st = check_directory(directory);
    st = st == HB_OK ? hb_switch_key_list(directory, &s.files) : st;
    st = st == HB_OK ? find_all(&s, requests) : st;
    if (st == HB_OK && s.operation[0] != '\0') {
        st = refuse_missing(&s, key_id);
    }
    if (st != HB_OK) {
        free(s.found.key);
        s.found = (hb_key_choices){NULL, 0};
    }
    free(s.steps);
    free(s.files.name);
    *choices = s.found;
    return st;
}
