/* The plan of a trial of joint keys, and its ciphertexts on an engine: inputs, the results that everybody computes of
 * them, and their phases in the end. One process. */
#ifndef HB_TRIAL_VALUES_H
#define HB_TRIAL_VALUES_H

#include "io/joint/message.h"
#include "joint/part_plan.h"
#include "owners/rounds.h"
#include "owners/seat.h"
#include "scheme/cipher.h"
#include "scheme/evaluator.h"

enum { HB_TRIAL_NAME = 64 };

/* A result, of the sum of all inputs for its set. */
typedef enum hb_trial_sort {
    HB_TRIAL_SUM,      /* itself: the public key, and the owners' secrets or shares */
    HB_TRIAL_PRODUCT,  /* its square, relinearized */
    HB_TRIAL_ROTATION, /* its automorphism */
} hb_trial_sort;

typedef struct hb_trial_step {
    hb_trial_sort sort;
    uint32_t limbs, set;
    uint32_t key;     /* its place among all keys for computing, as hb_joint_combine comes to them */
    uint32_t element; /* of an automorphism */
    hb_part_plan plan;
    char name[HB_TRIAL_NAME];
} hb_trial_step;

/* Zeroed: nothing. */
typedef struct hb_trial_plan {
    hb_trial_shape shape;
    hb_trial_result *result; /* [shape.result_count], the shape's */
    hb_trial_step *step;     /* likewise */
    hb_name_list left_out;   /* results whose parts have no room in the noise budget */
} hb_trial_plan;

/* Returns how many results of a plan an owner makes parts of, each of which his ledger counts. */
static inline uint32_t hb_trial_takes(const hb_trial_plan *plan, const hb_joint_session *session, uint32_t owner)
{
    uint32_t takes = 0;
    for (uint32_t i = 0; i < plan->shape.result_count; i++) {
        takes += hb_trial_has(session, plan->result[i].set, owner);
    }
    return takes;
}

/* Zeroed: nothing is open. */
typedef struct hb_trial_values {
    const hb_params *params;
    hb_trial_plan plan;
    hb_engine *engine;
    hb_encryptor *encryptor;
    hb_ciphertexts one;    /* [1], an input */
    hb_ciphertexts *sum;   /* [sets] of [1] each */
    hb_batch plain;        /* [1] */
    hb_batch *plain_sum;   /* [sets] of [1] each: the sums of the values */
    hb_ciphertexts *value; /* [results] of [1] each; those that are not computed yet are not allocated */
    uint32_t keys;         /* that were taken so far */
} hb_trial_values;

/* Sets *most to the results that a trial takes of the owner who makes most parts, for the keys of a session and of its
 * later rounds, and those of `next`, another round, unless that is NULL; 0: no trial has room in the noise budget.
 * HB_EUSAGE, HB_ENOMEM. */
hb_status hb_trial_count(const hb_params *params, const hb_joint_session *session, const hb_joint_rounds *rounds,
                         const hb_joint_session *next, uint32_t *most);

/* Plans the trial of the keys of a session and of its later rounds: for the first set of owners the sum, and with each
 * key for computing a product or a rotation; for every other set the sum alone, as keys do not depend on who decrypts.
 * Results whose parts would leave less than one bit of budget are left out. Opens memory for inputs that are encrypted
 * with the joint public key. Borrows all. HB_EDATA where no result is left; HB_ENOMEM. The caller closes, also after a
 * failure. */
hb_status hb_trial_values_open(hb_trial_values *x, const hb_seat *seat, const hb_joint_rounds *rounds,
                               const hb_public_key *key);
void hb_trial_values_close(hb_trial_values *x);

/* Encrypts an owner's input for a set, all of it drawn from his seed: values uniform modulo t in `plain`, and their
 * encryption in `one`. Does not wait. */
hb_status hb_trial_encrypt(hb_trial_values *x, const hb_seed *seed, uint32_t set);
/* Computes the result for the next key for computing, if the plan has one: hb_joint_folders.each. Waits. */
hb_status hb_trial_take_key(void *values, const hb_switch_key *key);
/* Decrypts a result, of whose phase the owners' parts were added to component 0 already, and compares it with the same
 * computed in the clear of the sums of the values. Sets *noise to log2 of the measured noise. HB_EDATA naming the
 * result where it is wrong. Waits. */
hb_status hb_trial_compare(hb_trial_values *x, uint32_t result, double *noise);

#endif
