/* The pair of an import: secret and public key. */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "cli/parse.h"
#include "keys_private.h"

/* NTT form, all limbs, of a ternary polynomial: its coefficients. HB_EDATA when it is none. */
static hb_status find_ternary(const hb_seal_key_import *x, const char *path, int8_t *ternary)
{
    const hb_params *params = x->setup.params;
    hb_engine *engine = x->setup.engine;
    const size_t n = params->spec.n;
    hb_batch s;
    uint64_t odd = 0;
    HB_TRY(hb_batch_alloc(engine, &s, 1, params->key_limbs, params->ids));
    hb_status st;
    HB_GOTO(hb_key_words(engine, s, x->words));
    HB_GOTO(hb_intt(engine, s));
    HB_GOTO(hb_download(engine, x->words, s.data, params->key_limbs * n * sizeof *x->words));
    HB_GOTO(hb_finish(engine));
    for (uint32_t l = 0; l < params->key_limbs; l++) {
        const uint64_t q = params->spec.primes[l], *row = x->words + l * n;
        for (size_t i = 0; i < n; i++) {
            const int8_t value = (int8_t)((row[i] == 1) - (row[i] == q - 1));
            odd |= (uint64_t)(value == 0 && row[i] != 0) | (uint64_t)(l > 0 && value != ternary[i]);
            ternary[i] = value;
        }
    }
    st = odd == 0 ? HB_OK : HB_FAIL(HB_EDATA, "%s: is no ternary secret, the only kind that SEAL makes", path);
done:
    hb_batch_wipe(engine, s);
    hb_batch_free(engine, &s);
    return st;
}

static hb_status import_secret(hb_seal_key_import *x, hb_keyfile *file)
{
    const hb_params *params = x->setup.params;
    char *path;
    HB_TRY(hb_seal_find(x->folder, HB_SEAL_SECRET, &path));
    if (path == NULL) {
        return HB_OK;
    }
    *file = (hb_keyfile){.kind = HB_KEY_SECRET, .spec = params->spec, .ternary = calloc(params->spec.n, 1)};
    hb_status st;
    HB_GOTO(file->ternary != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a secret of %zu bytes", params->spec.n));
    HB_GOTO(hb_seal_secret_load(path, &x->setup.chain, x->words));
    hb_lock(file->ternary, params->spec.n);
    HB_GOTO(find_ternary(x, path, file->ternary));
    if (x->ternary == NULL) {
        HB_GOTO(hb_secret_key_load(&x->secret, x->setup.engine, params, file->ternary));
        HB_GOTO(hb_seal_key_check_init(&x->check, &x->secret));
    } else if (memcmp(x->ternary, file->ternary, params->spec.n) != 0) {
        HB_GOTO(HB_FAIL(HB_EDATA, "%s: is another secret key than that of %s", path, x->directory));
    }
    x->keys->secret = true;
done:
    free(path);
    return st;
}

static hb_status store(const hb_seal_key_import *x, const char *name, hb_keyfile *file)
{
    char *path;
    memcpy(file->key_id, x->keys->key_id, HB_KEY_ID_BYTES);
    HB_TRY(hb_seal_path(x->to.partial, name, &path));
    const hb_status st = hb_keyfile_write(path, file);
    free(path);
    return st;
}

static hb_status alloc_public(const hb_seal_key_import *x, hb_keyfile *file, bool seeded)
{
    const hb_params *params = x->setup.params;
    *file = (hb_keyfile){.kind = HB_KEY_PUBLIC, .spec = params->spec};
    file->packed_bytes = hb_packed_bytes(&params->ring, params->ids, params->key_limbs);
    file->packed_b = malloc(file->packed_bytes);
    file->packed_a = seeded ? NULL : malloc(file->packed_bytes);
    return file->packed_b != NULL && (seeded || file->packed_a != NULL)
               ? HB_OK
               : HB_FAIL(HB_ENOMEM, "no memory for a public key of %zu bytes", file->packed_bytes);
}

/* A public key of words, [2][key limbs][n]. */
static hb_status pack_public(const hb_seal_key_import *x, hb_keyfile *file)
{
    hb_public_key key = {0};
    HB_TRY(alloc_public(x, file, false));
    hb_status st;
    HB_GOTO(hb_public_key_load_words(&key, x->setup.engine, x->setup.params, x->words));
    st = hb_public_key_pack(&key, file->packed_b, file->packed_a);
done:
    hb_public_key_clear(&key);
    return st;
}

/* A public key of the secret: its error and the seed of a are drawn from a digest of the secret, so that it is
 * always the same. */
static hb_status derive_public(const hb_seal_key_import *x, const int8_t *ternary, hb_keyfile *file)
{
    hb_public_key key = {0};
    hb_digest_state state;
    hb_seed root;
    hb_digest_begin(&state, "hebatch import");
    hb_digest_add(&state, ternary, x->setup.params->spec.n);
    hb_digest_end(&state, root.bytes);
    hb_wipe(&state, sizeof state);
    hb_status st;
    HB_GOTO(alloc_public(x, file, true));
    hb_seed_public(&file->public_seed, 1, &root, 0);
    HB_GOTO(hb_public_key_generate(&key, &x->secret, &root, &file->public_seed));
    st = hb_public_key_pack(&key, file->packed_b, NULL);
done:
    hb_public_key_clear(&key);
    hb_wipe(&root, sizeof root);
    return st;
}

static void identify(hb_seal_key_import *x, const hb_keyfile *file)
{
    hb_key_id(x->keys->key_id, x->setup.params, &file->public_seed, file->packed_b, file->packed_a);
    x->identified = true;
}

hb_status hb_seal_identify_words(hb_seal_key_import *x)
{
    hb_keyfile file = {0};
    const hb_status st = pack_public(x, &file);
    if (st == HB_OK) {
        identify(x, &file);
    }
    hb_keyfile_clear(&file);
    return st;
}

/* The seed that keys.json names in the place of the second polynomial, if that is what it expands to. */
static hb_status try_seed(const hb_seal_key_import *x, hb_keyfile *file)
{
    if (!x->said.seeded) {
        return HB_OK;
    }
    hb_public_key key = {0};
    hb_status st;
    uint8_t *b = malloc(file->packed_bytes), *a = malloc(file->packed_bytes);
    HB_GOTO(b != NULL && a != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a public key"));
    HB_GOTO(hb_public_key_load(&key, x->setup.engine, x->setup.params, file->packed_b, NULL, &x->said.public_seed));
    HB_GOTO(hb_public_key_pack(&key, b, a));
    if (memcmp(a, file->packed_a, file->packed_bytes) == 0) {
        free(file->packed_a);
        file->packed_a = NULL;
        file->public_seed = x->said.public_seed;
    }
done:
    hb_public_key_clear(&key);
    free(b);
    free(a);
    return st;
}

/* The public key has the identity of its pair in itself: nobody can say another. */
static hb_status check_identity(hb_seal_key_import *x, const hb_keyfile *file, const char *path)
{
    uint8_t own[HB_KEY_ID_BYTES];
    char id[2 * HB_KEY_ID_BYTES + 1], said[2 * HB_KEY_ID_BYTES + 1];
    hb_key_id(own, x->setup.params, &file->public_seed, file->packed_b, file->packed_a);
    if (!x->identified || memcmp(own, x->keys->key_id, sizeof own) == 0) {
        return HB_OK;
    }
    hb_hex(id, own, sizeof own);
    hb_hex(said, x->keys->key_id, sizeof own);
    return HB_FAIL(HB_EDATA, "%s: is the public key of %s, but %s says %s: leave it out, or what says so", path, id,
                   x->said.source, said);
}

static hb_status import_public(hb_seal_key_import *x, const int8_t *ternary, hb_keyfile *file)
{
    char *path;
    HB_TRY(hb_seal_find(x->folder, HB_SEAL_PUBLIC, &path));
    if (path == NULL && (ternary == NULL || x->identified)) { /* of the secret alone, one is made for its identity */
        return HB_OK;
    }
    hb_status st;
    if (path != NULL) {
        HB_GOTO(hb_seal_public_load(path, &x->setup.chain, x->words));
        if (x->check.secret != NULL) {
            HB_GOTO(hb_seal_key_check_part(&x->check, HB_RELINEARIZATION, HB_SEAL_NO_TARGET, x->words, path));
        }
        HB_GOTO(pack_public(x, file));
        HB_GOTO(try_seed(x, file));
        HB_GOTO(check_identity(x, file, path));
    } else {
        HB_GOTO(derive_public(x, ternary, file));
    }
    identify(x, file);
    x->keys->public_key = true;
    st = store(x, HB_KEYFILE_PUBLIC, file);
done:
    free(path);
    return st;
}

hb_status hb_seal_import_pair(hb_seal_key_import *x)
{
    hb_keyfile secret = {0}, public = {0};
    hb_status st;
    HB_GOTO(import_secret(x, &secret));
    HB_GOTO(import_public(x, secret.ternary, &public));
    st = x->keys->secret ? store(x, HB_KEYFILE_SECRET, &secret) : HB_OK;
done:
    hb_keyfile_clear(&secret);
    hb_keyfile_clear(&public);
    return st;
}
