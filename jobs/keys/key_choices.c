/* Names and bytes of the chosen keys, without loading them. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "key_store_private.h"
#include "scheme/params.h"

uint64_t hb_key_choices_bytes(const hb_params *params, hb_key_choices choices)
{
    uint64_t bytes = choices.count > 0 ? hb_switch_key_preparing_bytes(params) : 0;
    for (uint32_t i = 0; i < choices.count; i++) {
        const hb_key_purpose purpose = hb_key_choice_purpose(&params->spec, choices.key[i]);
        bytes += hb_key_purpose_bytes(params, &purpose);
    }
    return bytes;
}

/* The question about a key. */
typedef struct all_choices {
    const hb_params *params;
    hb_key_choices choices;
} all_choices;

static bool is_choice(const hb_switch_key *key, const hb_params *params, hb_key_choice choice)
{
    const hb_key_purpose purpose = hb_key_choice_purpose(&params->spec, choice);
    return key->source == purpose.source && key->element == purpose.element &&
           key->limbs == hb_key_purpose_limbs(params, &purpose);
}

static bool is_wanted(const void *context, const hb_switch_key *key)
{
    const all_choices *w = context;
    bool found = false;
    for (uint32_t i = 0; i < w->choices.count; i++) {
        found = found || is_choice(key, w->params, w->choices.key[i]);
    }
    return found;
}

static bool is_held(const hb_switch_keys *held, const hb_params *params, hb_key_choice choice)
{
    bool found = false;
    for (uint32_t i = 0; held != NULL && i < held->count; i++) {
        found = found || is_choice(&held->key[i], params, choice);
    }
    return found;
}

hb_status hb_key_choices_missing(hb_key_choices *missing, const hb_params *params, hb_key_choices choices,
                                 const hb_switch_keys *held)
{
    *missing = (hb_key_choices){.key = calloc((size_t)choices.count + 1, sizeof *missing->key)};
    if (missing->key == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of keys");
    }
    for (uint32_t i = 0; i < choices.count; i++) {
        if (!is_held(held, params, choices.key[i])) {
            missing->key[missing->count++] = choices.key[i];
        }
    }
    return HB_OK;
}

void hb_key_choices_keep(const hb_params *params, hb_key_choices choices, hb_switch_keys *held)
{
    const all_choices all = {params, choices};
    hb_switch_keys_filter(held, is_wanted, &all);
}

hb_status hb_key_label_check(const char *path, const hb_switch_key_label *file, const hb_params *params,
                             const uint8_t key_id[HB_KEY_ID_BYTES], hb_key_name name)
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
    if (hb_key_name_same(file->name, name)) {
        return HB_OK;
    }
    return HB_FAIL(HB_EDATA, "%s holds the %s: it has another file's name", path,
                   hb_key_text_of(&params->spec, file->name).text);
}

hb_status hb_key_choices_look(const char *directory, const hb_params *params, const uint8_t key_id[HB_KEY_ID_BYTES],
                              hb_key_choices choices, uint64_t *bytes)
{
    *bytes = 0;
    for (uint32_t i = 0; i < choices.count; i++) {
        hb_switch_key_label label;
        char *path;
        HB_TRY(hb_switch_key_path(directory, choices.key[i].file, &path));
        hb_status st = hb_switch_key_file_look(path, &label);
        st = st == HB_OK ? hb_key_label_check(path, &label, params, key_id, choices.key[i].file) : st;
        free(path);
        HB_TRY(st);
        *bytes += label.file_bytes;
    }
    return HB_OK;
}

hb_status hb_key_choices_time(const char *directory, hb_key_choices choices, double *rate)
{
    hb_switch_key_label label;
    hb_switch_key_file file = {.parts = 0};
    char *path;
    HB_ASSERT(choices.count > 0);
    HB_TRY(hb_switch_key_path(directory, choices.key[0].file, &path));
    hb_status st = hb_switch_key_file_look(path, &label);
    const double begun = hb_now();
    st = st == HB_OK ? hb_switch_key_file_read(path, &file) : st;
    if (st == HB_OK) {
        *rate = (double)label.file_bytes / (hb_now() - begun + 1e-9);
    }
    hb_switch_key_file_clear(&file);
    free(path);
    return st;
}
