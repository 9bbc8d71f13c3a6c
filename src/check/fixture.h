/* Everything that encrypting, evaluating and decrypting a batch takes: keys, workspaces, operands. It is for checks and
 * measurements; jobs have only the parts that each of them needs. */
#ifndef HB_CHECK_FIXTURE_H
#define HB_CHECK_FIXTURE_H

#include "scheme/cipher.h"
#include "scheme/codec.h"
#include "scheme/evaluator.h"
#include "scheme/params.h"

/* One set of all this. hb_fixture_init sets the members down to `budgets`, hb_fixture_evaluate the rest. It owns all
 * members but those marked borrowed. */
typedef struct hb_fixture {
    hb_engine *engine;       /* borrowed */
    const hb_params *params; /* borrowed */
    size_t count;            /* ciphertexts */
    hb_seed root, public_seed;
    hb_codec *codec;
    hb_secret_key secret;
    hb_public_key public_key;
    hb_encryptor *with_secret, *with_public;
    hb_decryptor *decryptor;
    hb_batch values, plain, c0, c1, phase; /* [count] on the engine, undefined at first */
    hb_seed *seeds;                        /* [count] */
    uint32_t *budgets;                     /* [count] */
    /* From hb_fixture_evaluate on. */
    hb_evaluator *evaluator;
    hb_switch_keys keys;
    hb_ciphertexts a, b;         /* [count] of the public key, 2 components */
    hb_ciphertexts wide, narrow; /* [count] of 3 and of 2 components, undefined at first */
} hb_fixture;

/* Opens a fixture for `count` ciphertexts. Keys and every draw follow from `root`. Values are slots where the
 * parameters have them, else coefficients; errors are Gaussian. *s is zero before; the caller clears it before the
 * engine, also after a failure. HB_ENOMEM and the errors of opening its parts. */
hb_status hb_fixture_init(hb_fixture *s, hb_engine *engine, const hb_params *params, const hb_seed *root, size_t count);
/* Adds an evaluator of products and its operands: ciphertexts of `plain`, which is set. With a special prime it also
 * adds the relinearization key, and keys for the first `rotations` of the steps 1, 2, 4 .. n / 4; where it is all of
 * them, for the swap too. Called once. */
hb_status hb_fixture_evaluate(hb_fixture *s, uint32_t rotations);
/* Adds the key for an element, of a root of its own, after hb_fixture_init; there is none for it yet. */
hb_status hb_fixture_add_key(hb_fixture *s, uint32_t element);
/* Adds the keys that bootstrapping takes, with a sparse secret of their own root, after hb_fixture_init; none of them
 * is there yet. HB_ECONFIG where the parameters have no bootstrapping. */
hb_status hb_fixture_add_bootstrap_keys(hb_fixture *s);
/* Closes everything that was opened; a zeroed fixture is allowed. Memory of operands is not wiped. */
void hb_fixture_clear(hb_fixture *s);

#endif
