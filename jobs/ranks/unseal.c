#include "unseal.h"

#include <stdio.h>
#include <string.h>

#include "cli/passphrase.h"
#include "share_root.h"

/* The key that opens sealed keys, and its derivation. */
static struct opener {
    bool known;
    hb_key_seal_how how;
    hb_seed key;
} opener;

void hb_unseal_forget(void)
{
    hb_wipe(&opener, sizeof opener);
}

/* Makes it of a passphrase. */
static hb_status make_opener(const hb_key_seal_how *how, const char *name, const char *where, bool fresh)
{
    hb_passphrase passphrase;
    hb_lock(&opener, sizeof opener);
    opener = (struct opener){.how = *how};
    hb_status st = hb_passphrase_read(&passphrase, name, where, fresh);
    st = st == HB_OK ? hb_key_seal_derive(how, &passphrase, &opener.key) : st;
    hb_wipe(&passphrase, sizeof passphrase);
    opener.known = st == HB_OK;
    return st;
}

static bool opens(const hb_key_seal_how *how)
{
    return opener.known && opener.how.passes == how->passes && opener.how.memory == how->memory &&
           memcmp(opener.how.salt, how->salt, sizeof how->salt) == 0;
}

hb_status hb_unseal_by(const hb_key_seal_how *how, const char *name, hb_unsealer open, void *secret)
{
    enum { TRIES = 3 };
    for (int i = 1;; i++) {
        if (!opens(how)) {
            HB_TRY(make_opener(how, name, NULL, false));
        }
        const hb_status st = open(secret, name, &opener.key);
        if (st != HB_EPERM) {
            return st;
        }
        opener.known = false;
        if (!hb_passphrase_is_asked(NULL) || i == TRIES) {
            return st;
        }
        hb_clear_error();
    }
}

static hb_status open_key(void *key, const char *name, const hb_seed *with)
{
    return hb_keyfile_unseal(key, name, with);
}

hb_status hb_unseal(hb_keyfile *key, const char *name)
{
    return hb_keyfile_is_sealed(key) ? hb_unseal_by(&key->seal->how, name, open_key, key) : HB_OK;
}

hb_status hb_unseal_known(hb_keyfile *key, const char *name)
{
    if (!hb_keyfile_is_sealed(key)) {
        return HB_OK;
    }
    return opens(&key->seal->how) ? hb_keyfile_unseal(key, name, &opener.key)
                                  : HB_FAIL(HB_EDATA, "%s: is sealed, but not as the key that rank 0 has", name);
}

/* Sends rank 0's opener to all ranks. Collective. */
static hb_status share_opener(hb_group *group)
{
    struct opener own = opener;
    hb_lock(&opener, sizeof opener);
    hb_status st = hb_group_broadcast(group, &own.known, sizeof own.known, 0);
    st = st == HB_OK ? hb_group_broadcast(group, &own.how, sizeof own.how, 0) : st;
    st = hb_agree(group, st);
    if (st == HB_OK && own.known && group->size > 1) {
        st = hb_agree(group, hb_share_seed(group, &own.key));
    }
    if (st == HB_OK) {
        opener = own;
    }
    hb_wipe(&own, sizeof own);
    return st;
}

hb_status hb_unseal_all(hb_group *group, hb_keyfile *key, const char *name)
{
    HB_TRY(hb_agree(group, group->rank == 0 ? hb_unseal(key, name) : HB_OK));
    if (group->size == 1) {
        return HB_OK;
    }
    HB_TRY(share_opener(group));
    return hb_agree(group, hb_unseal_known(key, name));
}

hb_status hb_seal_begin(const char *name, const char *where, hb_seal_cost cost)
{
    hb_key_seal_how how;
    hb_key_seal_begin(&how, cost);
    return make_opener(&how, name, where, true);
}

hb_status hb_seal_share(hb_group *group)
{
    return share_opener(group);
}

hb_status hb_seal_by(hb_sealer seal, void *secret)
{
    HB_ASSERT(opener.known);
    return seal(secret, &opener.how, &opener.key);
}

static hb_status seal_key(void *key, const hb_key_seal_how *how, const hb_seed *with)
{
    return hb_keyfile_seal(key, how, with);
}

hb_status hb_seal(hb_keyfile *key)
{
    return hb_seal_by(seal_key, key);
}
