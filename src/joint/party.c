#include "party.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

_Static_assert(HB_SIGNATURE_BYTES == crypto_sign_BYTES && HB_CARD_KEY_BYTES == crypto_sign_PUBLICKEYBYTES,
               "signatures are Ed25519's");
_Static_assert(HB_CARD_KEY_BYTES == crypto_box_PUBLICKEYBYTES, "boxes are X25519's");
_Static_assert(HB_SEED_BYTES == crypto_sign_SEEDBYTES && HB_SEED_BYTES == crypto_box_SEEDBYTES, "keys are of seeds");

static void sign_keys(uint8_t public_key[HB_CARD_KEY_BYTES], uint8_t secret[crypto_sign_SECRETKEYBYTES],
                      const hb_seed *root)
{
    hb_seed seed;
    hb_seed_derive(&seed, root, "sign");
    HB_ASSERT(crypto_sign_seed_keypair(public_key, secret, seed.bytes) == 0);
    hb_wipe(&seed, sizeof seed);
}

hb_status hb_party_card(hb_owner_card *card, const hb_seed *root, const char *name)
{
    uint8_t secret[crypto_sign_SECRETKEYBYTES], box[crypto_box_SECRETKEYBYTES];
    hb_seed seed;
    hb_owner_card made = {.name = ""};
    if (strlen(name) < sizeof made.name) {
        memcpy(made.name, name, strlen(name));
    }
    HB_TRY(hb_owner_name_check(made.name));
    sign_keys(made.sign, secret, root);
    hb_seed_derive(&seed, root, "box");
    HB_ASSERT(crypto_box_seed_keypair(made.box, box, seed.bytes) == 0);
    hb_seed_derive(&seed, root, "nonce");
    memcpy(made.nonce, seed.bytes, sizeof made.nonce);
    hb_wipe(secret, sizeof secret);
    hb_wipe(box, sizeof box);
    *card = made;
    return HB_OK;
}

void hb_card_fingerprint(uint8_t digest[HB_DIGEST_BYTES], const hb_owner_card *card)
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch card");
    hb_digest_add_text(&state, card->name);
    hb_digest_add(&state, card->sign, sizeof card->sign);
    hb_digest_add(&state, card->box, sizeof card->box);
    hb_digest_add(&state, card->nonce, sizeof card->nonce);
    hb_digest_end(&state, digest);
}

hb_fingerprint hb_fingerprint_text(const uint8_t digest[HB_DIGEST_BYTES])
{
    hb_fingerprint print;
    for (size_t i = 0; i < HB_DIGEST_BYTES; i += 2) {
        snprintf(print.text + 5 * i / 2, 6, "%02x%02x%s", digest[i], digest[i + 1], i + 2 < HB_DIGEST_BYTES ? " " : "");
    }
    return print;
}

hb_fingerprint hb_fingerprint_of(const hb_owner_card *card)
{
    uint8_t digest[HB_DIGEST_BYTES];
    hb_card_fingerprint(digest, card);
    return hb_fingerprint_text(digest);
}

hb_status hb_party_find(const hb_joint_session *session, const hb_owner_card *card, uint32_t *owner)
{
    for (*owner = 0; *owner < session->owners; ++*owner) {
        if (memcmp(&session->cards[*owner], card, sizeof *card) == 0) {
            return HB_OK;
        }
    }
    for (uint32_t i = 0; i < session->owners; i++) {
        if (strcmp(session->cards[i].name, card->name) == 0) {
            return HB_FAIL(
                HB_EDATA,
                "no card of the session is that of %s: of this name it has fingerprint %s, and this party has "
                "%s: give the party.h5 that the session's card was made with",
                card->name, hb_fingerprint_of(&session->cards[i]).text, hb_fingerprint_of(card).text);
        }
    }
    return HB_FAIL(HB_EDATA, "no card of the session is that of %s", card->name);
}

static void digest_facts(uint8_t digest[HB_DIGEST_BYTES], const hb_signed_facts *facts)
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch signed");
    hb_digest_add_text(&state, facts->kind);
    hb_digest_add(&state, facts->session, HB_DIGEST_BYTES);
    hb_digest_add_text(&state, facts->from);
    hb_digest_add(&state, facts->body, HB_DIGEST_BYTES);
    hb_digest_end(&state, digest);
}

void hb_party_sign(uint8_t signature[HB_SIGNATURE_BYTES], const hb_seed *root, const hb_signed_facts *facts)
{
    uint8_t public_key[HB_CARD_KEY_BYTES], secret[crypto_sign_SECRETKEYBYTES], digest[HB_DIGEST_BYTES];
    sign_keys(public_key, secret, root);
    digest_facts(digest, facts);
    HB_ASSERT(crypto_sign_detached(signature, NULL, digest, sizeof digest, secret) == 0);
    hb_wipe(secret, sizeof secret);
}

bool hb_card_signed(const hb_owner_card *card, const uint8_t signature[HB_SIGNATURE_BYTES],
                    const hb_signed_facts *facts)
{
    uint8_t digest[HB_DIGEST_BYTES];
    digest_facts(digest, facts);
    return strcmp(card->name, facts->from) == 0 &&
           crypto_sign_verify_detached(signature, digest, sizeof digest, card->sign) == 0;
}
