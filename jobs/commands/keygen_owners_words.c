/* The options of joint keys: which step they ask for, and whether they go with it. */
#include <string.h>

#include "keygen.h"

void hb_owners_options(hb_option rows[HB_OWNERS_OPTIONS], hb_owners_words *words)
{
    const hb_option own[HB_OWNERS_OPTIONS] = {
        {"party", 0, HB_OPTION_TEXT, &words->party, "NAME", "of several owners each: with --out, party.h5 and card.h5"},
        {"session", 0, HB_OPTION_TEXT, &words->session, "FOLDER", "begin joint keys of several owners there"},
        {"cards", 0, HB_OPTION_TEXTS, &words->cards, "CARDS",
         "with --session: cards of all owners, 'cards/"
         "*.h5'"},
        {"more", 0, HB_OPTION_FLAG, &words->more, NULL,
         "with --session: begin a round of more keys for computing, by all of its owners"},
        {"results", 0, HB_OPTION_ABOVE_0, &words->results, "NUMBER",
         "with --session: ciphertexts, of all plain moduli, that will ever be decrypted, at most"},
        {"threshold", 0, HB_OPTION_ABOVE_0, &words->threshold, "OWNERS",
         "with --session: so many decrypt, not all; rests on X25519 (hebatch help owners)"},
        {"join", 0, HB_OPTION_TEXT, &words->join, "FOLDER", "every owner, with --key PARTY.h5: do what is next"},
        {"combine", 0, HB_OPTION_TEXT, &words->combine, "FOLDER", "with --out: make the keys of what all owners sent"},
        {"check", 0, HB_OPTION_TEXT, &words->check, "DIR", "with --join: compare keys that were combined"},
        {"trial", 0, HB_OPTION_TEXT, &words->trial, "DIR",
         "with --join: the next step of a trial of these keys, by all"}};
    memcpy(rows, own, sizeof own);
}

/* --- which step, and its options */

typedef enum step {
    STEP_NONE = 1, /* a pair of one owner */
    STEP_PARTY = 2,
    STEP_SESSION = 4,
    STEP_JOIN = 8,
    STEP_COMBINE = 16,
    STEP_MORE = 32
} step;

static step step_of(const hb_owners_words *w)
{
    return w->party != NULL     ? STEP_PARTY
           : w->session != NULL ? (w->more ? STEP_MORE : STEP_SESSION)
           : w->join != NULL    ? STEP_JOIN
           : w->combine != NULL ? STEP_COMBINE
                                : STEP_NONE;
}

static const char *step_name(step which)
{
    return which == STEP_PARTY     ? "--party"
           : which == STEP_SESSION ? "--session"
           : which == STEP_MORE    ? "--more"
           : which == STEP_JOIN    ? "--join"
           : which == STEP_COMBINE ? "--combine"
                                   : "a pair of one owner";
}

/* Options that are given, and the steps that have them. */
static hb_status check_options(const hb_keygen_words *w, step which)
{
    const struct {
        bool given;
        const char *options;
        int steps;
    } rules[] = {{hb_is_given(w->directory), "--out", STEP_NONE | STEP_PARTY | STEP_COMBINE},
                 {hb_is_given(w->secret), "--key (or HEBATCH_KEY)", STEP_NONE | STEP_JOIN},
                 {hb_params_is_chosen(&w->params), "an option that chooses parameters", STEP_NONE | STEP_SESSION},
                 {!hb_keygen_request_is_empty(&w->request), "an option that chooses keys for computing",
                  STEP_NONE | STEP_SESSION | STEP_MORE},
                 {w->seal || w->cost != NULL, "--seal, or --cost,", STEP_NONE | STEP_PARTY},
                 {w->dry_run, "--dry-run", STEP_NONE | STEP_PARTY | STEP_SESSION | STEP_MORE},
                 {w->test_seed != NULL, "--insecure-test-seed", STEP_NONE | STEP_PARTY},
                 {hb_is_given(w->rekey) || hb_is_given(w->to), "--rekey, or --to,", STEP_NONE},
                 {w->ring > 0, "--ring", STEP_NONE},
                 {w->owners.cards.count > 0, "--cards", STEP_SESSION},
                 {w->owners.results > 0, "--results", STEP_SESSION},
                 {w->owners.threshold > 0, "--threshold", STEP_SESSION},
                 {w->owners.more, "--more", STEP_MORE},
                 {w->owners.check != NULL, "--check", STEP_JOIN},
                 {w->owners.trial != NULL, "--trial", STEP_JOIN}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].given && (rules[i].steps & (int)which) == 0) {
            return HB_FAIL(HB_EUSAGE, "%s does not go with %s", rules[i].options, step_name(which));
        }
    }
    return HB_OK;
}

static hb_status check_needed(const hb_keygen_words *w, step which)
{
    const bool folder = which == STEP_PARTY || which == STEP_COMBINE;
    if (folder && !hb_is_given(w->directory)) {
        return HB_FAIL(HB_EUSAGE, "--out DIR is missing: where the %s go", which == STEP_PARTY ? "two files" : "keys");
    }
    if (w->owners.check != NULL && w->owners.trial != NULL) {
        return HB_FAIL(HB_EUSAGE, "--check and --trial: one after the other");
    }
    if (which == STEP_JOIN && !hb_is_given(w->secret)) {
        return HB_FAIL(HB_EUSAGE, "--key FILE is missing: party.h5 of the owner who joins");
    }
    if (which == STEP_SESSION && w->owners.cards.count == 0) {
        return HB_FAIL(HB_EUSAGE, "--cards CARDS is missing: card.h5 of every owner");
    }
    if (which == STEP_SESSION && w->owners.results == 0) {
        return HB_FAIL(HB_EUSAGE, "--results NUMBER is missing: ciphertexts that will ever be decrypted under these "
                                  "keys, at most; each takes a little of what hides the owners' secrets");
    }
    return HB_OK;
}

hb_status hb_keygen_is_joint(const hb_keygen_words *words, bool *joint)
{
    const hb_owners_words *w = &words->owners;
    const step which = step_of(w);
    *joint = which != STEP_NONE;
    if ((w->party != NULL) + (w->session != NULL) + (w->join != NULL) + (w->combine != NULL) > 1) {
        return HB_FAIL(HB_EUSAGE, "--party, --session, --join and --combine: give one of them");
    }
    HB_TRY(check_options(words, which));
    return check_needed(words, which);
}
