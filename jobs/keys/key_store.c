#include "key_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/parse.h"
#include "ring/galois.h"

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
    return file->element == element ? HB_OK
                                    : HB_FAIL(HB_EDATA, "%s holds the %s: it has another file's name", path,
                                              hb_key_text_of(params->ring.n, file->element).text);
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

static hb_status load_one(hb_switch_keys *ring, const hb_session *session, const char *path,
                          const uint8_t key_id[HB_KEY_ID_BYTES], uint32_t element, hb_key_ahead *ahead)
{
    hb_switch_key_file file = {.parts = 0};
    hb_switch_key key = {0};
    hb_status st;
    HB_GOTO(take_file(ahead, path, &file));
    HB_GOTO(check_file(path, &file, session->params, key_id, element));
    HB_GOTO(hb_switch_key_load(&key, session->engine, session->params, element, file.b, file.a, file.seeds));
    st = hb_switch_keys_add(ring, &key);
done:
    hb_switch_key_clear(&key);
    hb_switch_key_file_clear(&file);
    return st;
}

hb_status hb_key_store_load(hb_switch_keys *ring, const hb_session *session, const char *directory,
                            const uint8_t key_id[HB_KEY_ID_BYTES], hb_elements elements, hb_key_ahead *ahead)
{
    for (uint32_t i = 0; i < elements.count; i++) {
        char *path;
        HB_TRY(hb_switch_key_path(directory, elements.element[i], &path));
        const hb_status st = load_one(ring, session, path, key_id, elements.element[i], i == 0 ? ahead : NULL);
        free(path);
        HB_TRY(st);
    }
    return HB_OK;
}
