#include "share_root.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum { SEALED = crypto_box_SEALBYTES + HB_SEED_BYTES, KEY_WORDS = crypto_box_PUBLICKEYBYTES / sizeof(uint64_t) };
_Static_assert(crypto_box_PUBLICKEYBYTES % sizeof(uint64_t) == 0, "the ranks gather public keys as words");

/* Buffers for messages to and from all members, on each of them. */
typedef struct envelopes {
    uint64_t (*keys)[KEY_WORDS];               /* [members] public keys */
    uint8_t (*sealed)[SEALED];                 /* [members] the seed, for each */
    uint8_t secret[crypto_box_SECRETKEYBYTES]; /* of this member's pair */
} envelopes;

/* The places of the other members' keys stay zero, so that a sum over the ranks gathers all keys. */
static hb_status make_pair(envelopes *e, const hb_group *members)
{
    const size_t count = (size_t)members->size;
    uint8_t own[crypto_box_PUBLICKEYBYTES];
    e->keys = calloc(count, sizeof *e->keys);
    e->sealed = calloc(count, sizeof *e->sealed);
    if (e->keys == NULL || e->sealed == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the keys of %zu ranks", count);
    }
    crypto_box_keypair(own, e->secret); /* always succeeds */
    memcpy(e->keys[members->rank], own, sizeof own);
    return HB_OK;
}

/* For the first member alone. Sealing fails only for a key that is none. */
static hb_status seal_all(envelopes *e, const hb_group *members, const hb_seed *seed)
{
    for (int m = 1; m < members->size; m++) {
        uint8_t key[crypto_box_PUBLICKEYBYTES];
        memcpy(key, e->keys[m], sizeof key);
        if (crypto_box_seal(e->sealed[m], seed->bytes, sizeof seed->bytes, key) != 0) {
            return HB_FAIL(HB_ECOMM, "the key of member %d of these ranks, for a secret of the run, arrived damaged",
                           m);
        }
    }
    return HB_OK;
}

/* Opens this member's envelope; a damaged one does not open. */
static hb_status unseal(const envelopes *e, const hb_group *members, hb_seed *seed)
{
    uint8_t key[crypto_box_PUBLICKEYBYTES];
    memcpy(key, e->keys[members->rank], sizeof key);
    if (crypto_box_seal_open(seed->bytes, e->sealed[members->rank], SEALED, key, e->secret) != 0) {
        return HB_FAIL(HB_ECOMM, "a secret of the run arrived damaged");
    }
    return HB_OK;
}

hb_status hb_share_seed(hb_group *members, hb_seed *seed)
{
    const size_t count = (size_t)members->size;
    envelopes e = {0};
    hb_status st;
    /* Neither the seed nor the key of its envelope goes to swap or into a core file. */
    hb_lock(&e.secret, sizeof e.secret);
    hb_lock(seed, sizeof *seed);
    HB_GOTO(hb_agree(members, make_pair(&e, members)));
    /* Each has filled its own place only: the sum is all keys, on all of them. */
    HB_GOTO(hb_agree(members, hb_group_sum(members, e.keys[0], count * KEY_WORDS)));
    HB_GOTO(hb_agree(members, members->rank == 0 ? seal_all(&e, members, seed) : HB_OK));
    HB_GOTO(hb_agree(members, hb_group_broadcast(members, e.sealed, count * sizeof *e.sealed, 0)));
    st = hb_agree(members, members->rank == 0 ? HB_OK : unseal(&e, members, seed));
done:
    hb_wipe(e.secret, sizeof e.secret);
    free(e.sealed);
    free(e.keys);
    return st;
}

hb_status hb_share_root(hb_group *members, hb_seed *root)
{
    hb_lock(root, sizeof *root);
    if (members->rank == 0) {
        hb_seed_random(root);
    }
    return hb_share_seed(members, root);
}
