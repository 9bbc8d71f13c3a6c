/* The words of hebatch keygen, which makes keys of one owner, the key from one pair to another, or one step of joint
 * keys of several. */
#ifndef HB_COMMANDS_KEYGEN_H
#define HB_COMMANDS_KEYGEN_H

#include "cli/params_options.h"
#include "keys/keygen_job.h"

/* Words for joint keys. NULL or 0: not given. */
typedef struct hb_owners_words {
    const char *party, *session, *join, *combine; /* one of them names the step */
    const char *check, *trial;
    hb_texts cards;
    uint64_t threshold, results;
    bool more;
} hb_owners_words;
enum { HB_OWNERS_OPTIONS = 10 };
/* Fills rows[0 .. HB_OWNERS_OPTIONS) with options that write to *words. */
void hb_owners_options(hb_option rows[HB_OWNERS_OPTIONS], hb_owners_words *words);

typedef struct hb_keygen_words {
    const char *directory, *secret, *test_seed, *cost, *model;
    const char *rekey, *to; /* the old secret key; the public key of another person */
    uint64_t ring;          /* N of a smaller ring, whose pair is made; 0: not given */
    bool dry_run, seal, follow_files;
    hb_params_choice params;
    hb_keygen_request request;
    hb_device_choice device;
    hb_owners_words owners;
} hb_keygen_words;

/* Returns whether the text of an option is there; "" takes back what the environment gives. */
static inline bool hb_is_given(const char *text)
{
    return text != NULL && text[0] != '\0';
}

/* Sets *joint to whether the words ask for a step of joint keys. HB_EUSAGE for several steps, for an option that the
 * step does not take, and for an option of such steps without one. */
hb_status hb_keygen_is_joint(const hb_keygen_words *words, bool *joint);
/* Does that step, on one rank. HB_ENOINPUT where others have to do theirs first and nothing was done. */
hb_status hb_keygen_joint(hb_group *group, const hb_common *common, const hb_keygen_words *words);
/* Makes the key from the pair of words->rekey to another. */
hb_status hb_keygen_rekey(hb_group *group, const hb_common *common, const hb_keygen_words *words);

/* Sets *spec to the parameters of a pair of a smaller ring, of degree words->ring, for the pair of words->secret. On
 * every rank. HB_EUSAGE for words that do not go with it; HB_ECONFIG where there is no such ring. */
hb_status hb_keygen_ring_spec(const hb_keygen_words *words, hb_params_spec *spec);
/* Makes the key from that pair, which is there by now, to that of words->secret, beside it. *path is owned by the
 * caller. Collective. */
hb_status hb_keygen_ring_key(hb_group *group, const hb_keygen_words *words, const hb_seed *root, char **path);

#endif
