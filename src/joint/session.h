/* A session of several owners who make joint keys: all that they agree on before one of them draws a secret for it. Its
 * id goes into everything that they draw, send and sign.
 *
 * The joint secret is s = s_1 + .. + s_n, each s_i ternary and known to its owner alone; src/README.md, "Joint keys",
 * says who sends what, and why. Public polynomials come from public seeds, which are functions of the id: nobody
 * chooses them. */
#ifndef HB_JOINT_SESSION_H
#define HB_JOINT_SESSION_H

#include "rlwe/switch_key.h"

#define HB_OWNER_NAME_BYTES 33 /* 1 to 32 characters of a-z, 0-9 and -, and the 0 behind them */
#define HB_CARD_KEY_BYTES 32

/* An owner as others know him: the name, public keys to check his signatures (Ed25519) and to seal for him (X25519),
 * and random bytes. */
typedef struct hb_owner_card {
    char name[HB_OWNER_NAME_BYTES];
    uint8_t sign[HB_CARD_KEY_BYTES], box[HB_CARD_KEY_BYTES], nonce[HB_CARD_KEY_BYTES];
} hb_owner_card;

/* Returns HB_EUSAGE unless it is a name of an owner. */
hb_status hb_owner_name_check(const char name[HB_OWNER_NAME_BYTES]);

/* A rotation key that is made: the element of its automorphism, odd and below 2 N, and the limbs of its level. */
typedef struct hb_joint_rotation {
    uint32_t element, limbs;
} hb_joint_rotation;

typedef struct hb_joint_session {
    const hb_owner_card *cards; /* [owners], borrowed, in ascending order of names */
    uint32_t owners, threshold; /* so many of them decrypt */
    uint64_t results;           /* ciphertexts that will ever be decrypted under the keys */
    uint32_t relin_limbs;       /* of the level of the relinearization key; 0: there is none */
    uint32_t rotation_count;
    const hb_joint_rotation *rotations; /* [rotation_count], borrowed, in ascending order of elements */
    uint8_t nonce[HB_CARD_KEY_BYTES];
    uint8_t params_digest[HB_DIGEST_BYTES];
    /* Facts about the parameters that their digest lacks: owners agree on how much their keys are worth. */
    hb_security security;
    bool insecure;
    hb_distribution secret;
} hb_joint_session;

/* Keys that all owners of a session make together: those of the session itself, or more of them in a later round. Every
 * round has public seeds and draws of its own, by its id, so that one that is given up tells nothing of another: two
 * keys for one element are as of two elements. Its session is as the one that it belongs to, but for the keys and the
 * nonce. */
typedef struct hb_joint_round {
    uint32_t number; /* of a later one, from 1 to HB_MOST_ROUNDS; 0: the session itself */
    uint8_t id[HB_DIGEST_BYTES];
    hb_joint_session session;
} hb_joint_round;
enum { HB_MOST_ROUNDS = 64 };

/* Sets what a session says of its parameters. */
void hb_joint_session_for(hb_joint_session *session, const hb_params *params);

/* Checks a session, nothing in which is trusted, for these parameters. HB_EUSAGE: fewer than 2 owners or more than
 * HB_MOST_OWNERS, a name of other characters, names out of order or twice, a threshold that is not 2 to the number of
 * owners, no results. HB_EDATA: a key of no level or of no automorphism, elements out of order or twice, other
 * parameters. HB_ECONFIG: parameters that are not of BFV, or cannot switch keys where some are to be made. */
hb_status hb_joint_session_check(const hb_joint_session *session, const hb_params *params);

/* Computes the id: H("hebatch session"; params_digest; level of security, year of its table, quantum, insecure,
 * distribution of secrets (0: ternary), as numbers; owners; of each the length of the name, the name, sign, box,
 * nonce; threshold; results; relin_limbs; rotation_count; of each element, limbs; nonce). H is that of io/README.md. */
void hb_joint_session_id(uint8_t id[HB_DIGEST_BYTES], const hb_joint_session *session);

/* Computes the id of a later round of the session of this id: H("hebatch more"; session id, number, relin_limbs,
 * rotation_count; of each element, limbs; nonce). */
void hb_joint_round_id(uint8_t id[HB_DIGEST_BYTES], const uint8_t session_id[HB_DIGEST_BYTES],
                       const hb_joint_round *round);
/* Returns whether a round has a second message of each owner, made from what all owners sent first. */
static inline bool hb_joint_has_second(const hb_joint_round *round)
{
    return round->number == 0 || round->session.relin_limbs != 0;
}

/* Make the public seeds of a session, or of a later round, all derived from H("hebatch crs"; id): that of the public
 * key ("public"), and of parts 0 .. count - 1 of the key for an element ("galois G J") or of round 1 of
 * relinearization, element HB_RELINEARIZATION ("relin J"). */
void hb_joint_public_seed(hb_seed *seed, const uint8_t id[HB_DIGEST_BYTES]);
void hb_joint_switch_seeds(hb_seed *seeds, uint32_t count, const uint8_t id[HB_DIGEST_BYTES], uint32_t element);

/* Computes what an owner commits to before he opens a file: H("hebatch commit"; id, length of the name, name, body), id
 * that of the session, the later round or the trial, body the digest of all that the file holds. */
void hb_joint_commitment(uint8_t digest[HB_DIGEST_BYTES], const uint8_t id[HB_DIGEST_BYTES], const char *name,
                         const uint8_t body[HB_DIGEST_BYTES]);
/* Digests the bodies of all owners' messages of one kind, [owners][HB_DIGEST_BYTES], in the order of names: H("hebatch
 * inputs"; id, owners, bodies). A file that is made of these messages, or opened for them, says so by it. */
void hb_joint_bodies_digest(uint8_t digest[HB_DIGEST_BYTES], const uint8_t id[HB_DIGEST_BYTES], uint32_t owners,
                            const uint8_t *bodies);

/* Derives all that one owner draws in a session, or in a later round: H("hebatch own"; root, id), root his own, 32
 * random bytes. Secret: the caller wipes it. So a step that is repeated gives the same bytes. */
void hb_owner_root(hb_seed *own, const hb_seed *root, const uint8_t id[HB_DIGEST_BYTES]);

#endif
