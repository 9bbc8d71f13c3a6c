/* The begin of a session: keys under which inputs could not be decrypted are refused, by the worst of several plain
 * moduli. */
#include "unit/scratch.h"

#include "base/prime.h"
#include "owners/begin.h"
#include "owners/party.h"
#include "scheme/params.h"
#include "unit/unit.h"

enum { OWNERS = 2 };

/* The cards of two owners; the paths are the caller's. */
static void make_cards(char paths[OWNERS][256])
{
    static const char *const names[OWNERS] = {"alice", "bob"};
    for (int i = 0; i < OWNERS; i++) {
        char folder[200];
        const hb_seed root = {{(uint8_t)(i + 1)}};
        hb_owner_card card;
        snprintf(folder, sizeof folder, "%s", in_scratch(names[i]));
        assert_ok(hb_party_make(&(hb_party_request){.folder = folder, .name = names[i], .root = &root}, &card));
        snprintf(paths[i], 256, "%s/" HB_CARD_FILE, folder);
    }
}

/* N = 1024 and two primes of 55 bits for data: with t of 16 bits there is room for parts, and with t of 60 there is
 * none. */
static void make_spec(hb_params_spec *spec, bool longer)
{
    static const uint32_t bits[] = {55, 55, 56};
    uint64_t plain[2], longest;
    *spec = (hb_params_spec){.n = 1024, .key_limbs = 3, .security = hb_security_default(), .insecure = true};
    assert_ok(hb_create_primes(spec->n, bits, spec->key_limbs, spec->primes));
    assert_ok(hb_find_primes(2 * spec->n, 17, 2, plain));
    assert_ok(hb_find_primes(2 * spec->n, 60, 1, &longest));
    spec->bfv = (hb_bfv_spec){.plain = plain[0], .plain_count = 2, .plains = {plain[0], longer ? longest : plain[1]}};
}

static void the_longest_plain_modulus_decides(void **state)
{
    (void)state;
    char paths[OWNERS][256], folder[200];
    hb_params_spec spec;
    hb_joint_begin begin;
    make_cards(paths);
    snprintf(folder, sizeof folder, "%s", in_scratch("joint"));
    const char *const cards[OWNERS] = {paths[0], paths[1]};
    hb_joint_request request = {.folder = folder, .cards = cards, .card_count = OWNERS, .spec = &spec, .results = 100};
    make_spec(&spec, false);
    assert_ok(hb_joint_begin_open(&begin, &request));
    assert_int_equal(hb_spec_residues(&begin.params->spec), 2);
    hb_joint_begin_close(&begin);
    make_spec(&spec, true);
    assert_refused(hb_joint_begin_open(&begin, &request), HB_EDATA, "parts of 2 owners need");
    hb_joint_begin_close(&begin);
    /* A ciphertext under each is a result. */
    make_spec(&spec, false);
    request.results = 2;
    assert_ok(hb_joint_begin_open(&begin, &request));
    hb_joint_begin_close(&begin);
    request.results = 1;
    assert_refused(hb_joint_begin_open(&begin, &request), HB_EUSAGE, "for each of 2 plain moduli");
    hb_joint_begin_close(&begin);
}

HB_UNIT(begin)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_plain_modulus_decides),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
