#include "party.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/parse.h"
#include "io/files/durable.h"
#include "io/joint/message.h"
#include "ranks/unseal.h"

static hb_status unseal(void *party, const char *name, const hb_seed *with)
{
    return hb_party_file_unseal(party, name, with);
}

static hb_status seal(void *party, const hb_key_seal_how *how, const hb_seed *with)
{
    return hb_party_file_seal(party, how, with);
}

hb_status hb_party_unseal(hb_party_file *party, const char *path)
{
    return party->seal != NULL ? hb_unseal_by(&party->seal->how, path, unseal, party) : HB_OK;
}

hb_status hb_party_open(const char *path, hb_party_file *party)
{
    HB_TRY(hb_party_file_read(path, party));
    const hb_status st = hb_party_unseal(party, path);
    if (st != HB_OK) {
        hb_party_file_clear(party);
    }
    return st;
}

/* The two files, and which of them are there. */
typedef struct places {
    char *secret, *card;
    bool has_secret, has_card;
} places;

static void places_clear(places *p)
{
    free(p->secret);
    free(p->card);
}

static hb_status find_places(const hb_party_request *request, places *p)
{
    *p = (places){.secret = NULL};
    HB_TRY(hb_path_with(request->folder, "/" HB_PARTY_FILE, &p->secret));
    HB_TRY(hb_path_with(request->folder, "/" HB_CARD_FILE, &p->card));
    if (hb_path_is_there(p->secret, &p->has_secret) != HB_OK || hb_path_is_there(p->card, &p->has_card) != HB_OK) {
        return HB_FAIL(HB_ECREATE, "%s", hb_last_error()->text);
    }
    if (p->has_card) {
        return HB_FAIL(HB_ECREATE, "%s exists: a party is made once, for all its sessions; choose another --out",
                       p->card);
    }
    return HB_OK;
}

static hb_status check_name(const char *name)
{
    char padded[HB_OWNER_NAME_BYTES] = "";
    const size_t length = strlen(name);
    if (length < sizeof padded) {
        memcpy(padded, name, length);
    }
    return hb_owner_name_check(padded) == HB_OK
               ? HB_OK
               : HB_FAIL(HB_EUSAGE, "--party '%s': a name has 1 to 32 of the characters a-z, 0-9 and -", name);
}

hb_status hb_party_try(const hb_party_request *request)
{
    places p;
    HB_TRY(check_name(request->name));
    const hb_status st = find_places(request, &p);
    places_clear(&p);
    return st;
}

static hb_status make_secret(const hb_party_request *request, const char *path)
{
    hb_party_file party = {.name = ""};
    hb_seed root;
    hb_status st;
    hb_lock(&root, sizeof root);
    if (request->root != NULL) {
        root = *request->root;
    } else {
        hb_seed_random(&root);
    }
    HB_GOTO(hb_party_file_init(&party, request->name, &root));
    if (request->seal) {
        HB_GOTO(hb_seal_begin(path, NULL, request->cost));
        HB_GOTO(hb_seal_by(seal, &party));
    }
    st = hb_party_file_write(path, &party);
done:
    hb_party_file_clear(&party);
    hb_wipe(&root, sizeof root);
    return st;
}

/* The card follows from the secret file, which is there. */
static hb_status make_card(const hb_party_request *request, const places *p, hb_owner_card *card)
{
    hb_party_file party;
    hb_status st;
    HB_TRY(hb_party_open(p->secret, &party));
    if (strcmp(party.name, request->name) != 0) {
        HB_GOTO(HB_FAIL(HB_ECREATE, "%s exists, and is that of %s", p->secret, party.name));
    }
    HB_GOTO(hb_party_card(card, &party.root, party.name));
    st = hb_card_write(p->card, card, &party.root);
done:
    hb_party_file_clear(&party);
    return st;
}

hb_status hb_party_make(const hb_party_request *request, hb_owner_card *card)
{
    places p;
    hb_status st;
    HB_TRY(check_name(request->name));
    HB_GOTO(find_places(request, &p));
    if (mkdir(request->folder, 0700) != 0 && errno != EEXIST) {
        HB_GOTO(HB_FAIL(HB_ECREATE, "cannot create the directory %s: %s", request->folder, strerror(errno)));
    }
    if (!p.has_secret) {
        HB_GOTO(make_secret(request, p.secret));
    }
    st = make_card(request, &p, card);
done:
    places_clear(&p);
    return st;
}
