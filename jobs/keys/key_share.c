/* The part of a job's key files that a rank reads: of keys that it does not hold already, the rows of its limbs. */
#include "key_share_private.h"

#include <stdlib.h>
#include <string.h>

#include "key_store_private.h"

/* The question about a key. */
typedef struct all_choices {
    const hb_key_files *files;
    const hb_params *params;
} all_choices;

/* Whether the key was loaded from this very file for the choice, of the same pair therefore. */
static bool is_choice(const hb_switch_key *key, const hb_params *params, hb_key_choice choice,
                      const hb_switch_key_source *source)
{
    const hb_key_purpose purpose = hb_key_choice_purpose(&params->spec, choice);
    return key->source == purpose.source && key->element == purpose.element &&
           key->limbs == hb_key_purpose_limbs(params, &purpose) &&
           memcmp(key->origin, source->origin, sizeof key->origin) == 0;
}

static bool is_wanted(const void *context, const hb_switch_key *key)
{
    const all_choices *w = context;
    bool found = false;
    for (uint32_t i = 0; i < w->files->choices.count; i++) {
        found = found || is_choice(key, w->params, w->files->choices.key[i], &w->files->source[i]);
    }
    return found;
}

static bool is_held(const hb_key_files *files, hb_key_share share, uint32_t i)
{
    bool found = false;
    for (uint32_t k = 0; share.held != NULL && k < share.held->count; k++) {
        found = found || is_choice(&share.held->key[k], share.params, files->choices.key[i], &files->source[i]);
    }
    return found;
}

/* Chooses the rows of a key that the share has. */
static void choose_rows(hb_switch_key_source *source, hb_key_share share, hb_key_choice choice)
{
    const hb_key_purpose purpose = hb_key_choice_purpose(&share.params->spec, choice);
    hb_key_rows rows;
    rows.parts = hb_switch_key_takes(share.params, &purpose, share.member, &rows.primes);
    hb_switch_key_source_choose(source, rows);
}

uint64_t hb_key_files_choose(hb_key_files *files, hb_key_share share)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < files->choices.count; i++) {
        const hb_key_choice choice = files->choices.key[i];
        if (!is_held(files, share, i)) {
            choose_rows(&files->source[i], share, choice);
            bytes += hb_switch_key_source_reads(&files->source[i]);
        }
    }
    return bytes;
}

hb_status hb_key_share_list(hb_key_files *files, hb_key_share share, hb_key_wanted **list, uint32_t *count)
{
    *list = calloc((size_t)files->choices.count + 1, sizeof **list);
    *count = 0;
    if (*list == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of keys");
    }
    for (uint32_t i = 0; i < files->choices.count; i++) {
        const hb_key_choice choice = files->choices.key[i];
        if (is_held(files, share, i)) {
            hb_switch_key_source_close(&files->source[i]);
        } else {
            choose_rows(&files->source[i], share, choice);
            (*list)[(*count)++] = (hb_key_wanted){&files->source[i], files->path[i], choice};
        }
    }
    return HB_OK;
}

hb_status hb_key_share_same(const hb_key_files *files, hb_group *group, hb_key_share share)
{
    uint8_t digest[HB_DIGEST_BYTES];
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch held");
    for (uint32_t i = 0; i < files->choices.count; i++) {
        hb_digest_add_u64(&state, is_held(files, share, i));
    }
    hb_digest_end(&state, digest);
    return hb_group_same(group, digest, "the keys that are there from an earlier job");
}

hb_status hb_key_share_take(const hb_key_files *files, hb_switch_keys *keys, hb_switch_keys *resting,
                            const hb_session *session)
{
    const all_choices all = {files, session->params};
    hb_switch_keys_filter(keys, is_wanted, &all);
    if (resting != NULL) {
        HB_TRY(hb_switch_keys_move(keys, resting, is_wanted, &all));
        hb_switch_keys_trim(resting, session->resting_most);
    }
    return HB_OK;
}
