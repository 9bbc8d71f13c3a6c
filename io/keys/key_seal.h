/* A secret key under a passphrase, and the ciphertext that its file holds instead of the secret. Argon2id (libsodium)
 * derives a key from the passphrase and a salt, with so much memory and so many passes that trying many passphrases is
 * expensive. XChaCha20-Poly1305 encrypts the secret under that key and authenticates the rest of the file. Host memory
 * only. */
#ifndef HB_IO_KEYS_KEY_SEAL_H
#define HB_IO_KEYS_KEY_SEAL_H

#include "keyfile.h"

/* A passphrase: any bytes as they were given, at least one. */
enum { HB_PASSPHRASE_MOST = 1023 };
typedef struct hb_passphrase {
    char text[HB_PASSPHRASE_MOST + 1];
    size_t length;
} hb_passphrase;

/* The cost of one try of a passphrase, as libsodium's limits of these names: 64 MiB, 256 MiB, 1 GiB. */
typedef enum hb_seal_cost { HB_SEAL_INTERACTIVE, HB_SEAL_MODERATE, HB_SEAL_SENSITIVE, HB_SEAL_COSTS } hb_seal_cost;
extern const char *const hb_seal_cost_names[HB_SEAL_COSTS];

/* Sets *how to a fresh salt and the limits of a cost. */
void hb_key_seal_begin(hb_key_seal_how *how, hb_seal_cost cost);
/* Derives the key that a secret is sealed with. The caller wipes *key. HB_ENOMEM where the memory that `how` asks for
 * is not available. Takes a second or so. */
hb_status hb_key_seal_derive(const hb_key_seal_how *how, const hb_passphrase *passphrase, hb_seed *key);

/* Returns whether a secret key is sealed and not opened: then it has no secret. */
bool hb_keyfile_is_sealed(const hb_keyfile *key);
/* Wipes the secret of a key and replaces it by the sealed box. HB_ENOMEM: then the key is unchanged. */
hb_status hb_keyfile_seal(hb_keyfile *key, const hb_key_seal_how *how, const hb_seed *with);
/* Restores the secret of a sealed key. HB_EPERM, naming the file, where it was sealed with another key, so that the
 * passphrase is wrong; HB_EDATA where the box holds no secret key; HB_ENOMEM. After a failure the key stays sealed. */
hb_status hb_keyfile_unseal(hb_keyfile *key, const char *name, const hb_seed *with);

#endif
