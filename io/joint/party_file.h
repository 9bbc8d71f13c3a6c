/* The secret file of an owner of joint keys, party.h5 (HDF5, layout in io/README.md, "Joint keys"): his name and his
 * root, from which everything of his follows in every session (joint/party.h). Mode 0600; under a passphrase if he
 * likes, as secret.h5 (io/keys/key_seal.h). Host memory only; HDF5 is called from one thread at a time. */
#ifndef HB_IO_JOINT_PARTY_FILE_H
#define HB_IO_JOINT_PARTY_FILE_H

#include "io/keys/key_seal.h"
#include "joint/party.h"

#define HB_PARTY_FILE "party.h5"

typedef struct hb_party_file {
    char name[HB_OWNER_NAME_BYTES];
    uint8_t card[HB_DIGEST_BYTES]; /* fingerprint of the owner's card (hb_card_fingerprint) */
    hb_seed root;                  /* zeros where it is sealed; wiped by clear */
    hb_key_seal *seal;             /* of a sealed file; freed by clear; else NULL */
} hb_party_file;

/* Makes the contents for a name and a root. HB_EUSAGE where the name is none of an owner. */
hb_status hb_party_file_init(hb_party_file *party, const char *name, const hb_seed *root);
/* Wipes the root and replaces it by the sealed box. HB_ENOMEM: then nothing has changed. */
hb_status hb_party_file_seal(hb_party_file *party, const hb_key_seal_how *how, const hb_seed *with);
/* Restores the root. HB_EPERM, naming the file, where it was sealed with another key, so that the passphrase is wrong;
 * HB_EDATA where the root is not that of the card. After a failure it stays sealed. */
hb_status hb_party_file_unseal(hb_party_file *party, const char *path, const hb_seed *with);
/* Writes the file, mode 0600. HB_ECREATE when it exists or the folder cannot be written; HB_EIO, HB_ENOMEM. */
hb_status hb_party_file_write(const char *path, const hb_party_file *party);
/* Reads the file. HB_EPERM where group or others have any right to it, HB_EDATA where it is damaged, HB_ENOINPUT when
 * it is missing; HB_EIO, HB_ENOMEM. The caller clears *party, which is zeroed after a failure. */
hb_status hb_party_file_read(const char *path, hb_party_file *party);
void hb_party_file_clear(hb_party_file *party);

#endif
