/* A secret key under a passphrase: what its file holds in place of the secret. Argon2id (libsodium) makes a key of the
 * passphrase and a salt, for so much memory and so many passes over it that trying many passphrases is dear;
 * XChaCha20-Poly1305 encrypts the secret under that key and authenticates the rest of what the file says. Host memory
 * only. */
#ifndef HB_IO_KEYS_KEY_SEAL_H
#define HB_IO_KEYS_KEY_SEAL_H

#include "keyfile.h"

/* A passphrase: bytes as they were given, of which nothing is asked but that there are some. */
enum { HB_PASSPHRASE_MOST = 1023 };
typedef struct hb_passphrase {
    char text[HB_PASSPHRASE_MOST + 1];
    size_t length;
} hb_passphrase;

/* What one try of a passphrase costs, as libsodium's limits of these names: 64 MiB, 256 MiB, 1 GiB. */
typedef enum hb_seal_cost { HB_SEAL_INTERACTIVE, HB_SEAL_MODERATE, HB_SEAL_SENSITIVE, HB_SEAL_COSTS } hb_seal_cost;
extern const char *const hb_seal_cost_names[HB_SEAL_COSTS];

/* Sets *how to a fresh salt and the limits of a cost. */
void hb_key_seal_begin(hb_key_seal_how *how, hb_seal_cost cost);
/* Makes the key that a secret is sealed with. The caller wipes *key. HB_ENOMEM where the memory that `how` asks for is
 * not there. Takes a second or so. */
hb_status hb_key_seal_derive(const hb_key_seal_how *how, const hb_passphrase *passphrase, hb_seed *key);

/* Returns whether the file of a secret key is sealed and has not been opened: then it has no secret. */
bool hb_keyfile_is_sealed(const hb_keyfile *key);
/* Replaces the secret of a key, which is wiped, by what its file will hold. HB_ENOMEM: then the key is as it was. */
hb_status hb_keyfile_seal(hb_keyfile *key, const hb_key_seal_how *how, const hb_seed *with);
/* Brings the secret of a sealed key back. HB_EPERM, naming the file, where it was sealed with another key: the
 * passphrase is another one; HB_EDATA where what was sealed is no secret key; HB_ENOMEM. Then the key stays sealed. */
hb_status hb_keyfile_unseal(hb_keyfile *key, const char *name, const hb_seed *with);

#endif
