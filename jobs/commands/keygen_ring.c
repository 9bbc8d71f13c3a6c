/* hebatch keygen --ring: a pair of a smaller ring, for rows in one ciphertext, and the key that brings these into the
 * ring of another pair. */
#include <stdlib.h>
#include <string.h>

#include "io/files/durable.h"
#include "keygen.h"
#include "keys/rekey_keygen.h"
#include "scheme/ring_switch.h"

static hb_status check_words(const hb_keygen_words *w)
{
    if (!hb_is_given(w->directory) || !hb_is_given(w->secret)) {
        return HB_FAIL(HB_EUSAGE,
                       "--ring: give --key with secret.h5 of the pair whose ring is the larger one, and --out "
                       "with a new directory for the pair of the smaller one");
    }
    return hb_keygen_request_is_empty(&w->request) && w->model == NULL && !hb_params_is_chosen(&w->params)
               ? HB_OK
               : HB_FAIL(HB_EUSAGE,
                         "--ring makes a pair of a smaller ring, whose parameters follow from those of --key, "
                         "and the key from it: leave out the options of parameters and of other keys");
}

hb_status hb_keygen_ring_spec(const hb_keygen_words *w, hb_params_spec *spec)
{
    hb_keyfile file = {.kind = HB_KEY_SECRET};
    hb_params *params = NULL;
    hb_status st;
    HB_TRY(check_words(w));
    HB_GOTO(hb_keyfile_read(w->secret, &file));
    if (file.kind != HB_KEY_SECRET) {
        HB_GOTO(HB_FAIL(HB_EDATA, "%s is a public key: the key from a smaller ring is made with the secret one",
                        w->secret));
    }
    HB_GOTO(hb_params_open(&file.spec, &params));
    st = hb_ring_switch_spec(params, (size_t)w->ring, spec);
done:
    hb_params_close(params);
    hb_keyfile_clear(&file);
    return st;
}

/* Sets *folder to that of a file, "." where it has none. */
static hb_status folder_of(const char *file, char **folder)
{
    const char *slash = strrchr(file, '/');
    const size_t length = slash == file ? 1 : slash != NULL ? (size_t)(slash - file) : 0;
    *folder = length > 0 ? strndup(file, length) : strdup(".");
    return *folder != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the name of a folder");
}

hb_status hb_keygen_ring_key(hb_group *group, const hb_keygen_words *w, const hb_seed *root, char **path)
{
    hb_rekey_keygen job = {.path = NULL};
    char *from = NULL, *folder = NULL;
    hb_status st;
    *path = NULL;
    HB_GOTO(hb_agree(group, hb_path_with(w->directory, "/" HB_KEYFILE_SECRET, &from)));
    HB_GOTO(hb_agree(group, folder_of(w->secret, &folder)));
    HB_GOTO(hb_rekey_keygen_run(
        &job, group,
        &(hb_rekey_keygen_options){
            .from = from, .key = w->secret, .directory = folder, .device = w->device, .root = root}));
    *path = job.path;
    job.path = NULL;
done:
    hb_rekey_keygen_close(&job);
    free(folder);
    free(from);
    return st;
}
