#include "products.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/base/durable.h"

/* relin.h5 in the directory that `key` is, or lies in; *path NULL where there is none. */
static hb_status find_key(const char *key, char **path)
{
    struct stat info;
    char *folder = NULL, *name = NULL;
    bool there = false;
    hb_status st;
    HB_GOTO(stat(key, &info) == 0 && S_ISDIR(info.st_mode) ? hb_path_with(key, "", &folder)
                                                           : hb_folder_of(key, &folder));
    HB_GOTO(hb_switch_key_path(folder, HB_RELINEARIZATION, &name));
    st = hb_path_is_there(name, &there);
done:
    free(folder);
    *path = there ? name : NULL;
    if (!there) {
        free(name);
    }
    return st;
}

static hb_status load(hb_seal_products *products, const hb_params *params, const char *path,
                      const uint8_t key_id[HB_KEY_ID_BYTES])
{
    hb_switch_key_file file;
    HB_TRY(hb_switch_key_file_read(path, &file));
    hb_status st = HB_OK;
    if (file.element != HB_RELINEARIZATION || memcmp(file.key_id, key_id, HB_KEY_ID_BYTES) != 0 ||
        !hb_params_same(&file.spec, &params->spec)) {
        st = HB_FAIL(HB_EDATA, "%s: is no relinearization key of the pair that --key names", path);
    }
    if (st == HB_OK) {
        st = hb_switch_key_load(&products->key, products->engine, params, HB_RELINEARIZATION, file.b, file.a,
                                file.seeds);
    }
    hb_switch_key_file_clear(&file);
    return st;
}

hb_status hb_seal_products_open(hb_seal_products *products, const hb_seal_setup *setup, const char *key,
                                const uint8_t key_id[HB_KEY_ID_BYTES], uint32_t limbs, bool *found)
{
    const hb_evaluator_needs needs = {.limbs = limbs, .count = 1, .switching = true};
    char *path;
    *products = (hb_seal_products){.engine = setup->engine};
    HB_TRY(find_key(key, &path));
    *found = path != NULL;
    if (path == NULL) {
        return HB_OK;
    }
    hb_status st;
    HB_GOTO(load(products, setup->params, path, key_id));
    HB_GOTO(hb_evaluator_open(setup->engine, setup->params, &needs, &products->evaluator));
    HB_GOTO(hb_ciphertexts_alloc(&products->wide, setup->engine, setup->params, 3, 1, limbs));
    st = hb_ciphertexts_alloc(&products->narrow, setup->engine, setup->params, 2, 1, limbs);
done:
    free(path);
    return st;
}

hb_status hb_seal_products_relinearize(hb_seal_products *products, const uint64_t *words)
{
    const hb_batch all = products->wide.all;
    HB_TRY(hb_upload(products->engine, all.data, words, all.count * all.stride * sizeof *words));
    return hb_evaluator_relinearize(products->evaluator, products->narrow, products->wide, &products->key);
}

void hb_seal_products_clear(hb_seal_products *products)
{
    hb_evaluator_close(products->evaluator);
    hb_switch_key_clear(&products->key);
    if (products->engine != NULL) {
        hb_batch_free(products->engine, &products->wide.all);
        hb_batch_free(products->engine, &products->narrow.all);
    }
    memset(products, 0, sizeof *products);
}
