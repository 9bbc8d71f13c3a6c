/* The additions to a fixture (fixture.h) for bootstrapping: evaluator, operands. For checks and measurements. */
#ifndef HB_CHECK_BOOTSTRAP_FIXTURE_H
#define HB_CHECK_BOOTSTRAP_FIXTURE_H

#include "fixture.h"
#include "scheme/bootstrap.h"

typedef struct hb_bootstrap_fixture {
    hb_fixture *s; /* borrowed; it has the keys */
    hb_evaluator *evaluator;
    hb_bootstrap *bootstrap;
    hb_ciphertexts a[2], r[2]; /* [s->count] each: of s->plain, and undefined at first */
} hb_bootstrap_fixture;

/* Opens bootstrapping for the fixture's plaintexts, encrypted with its public key, and adds the keys for it to the
 * fixture's where they are not there. *x is zero before; the caller clears it before the fixture, also after a failure.
 * HB_ENOMEM and the errors of opening its parts. */
hb_status hb_bootstrap_fixture_init(hb_bootstrap_fixture *x, hb_fixture *s, const hb_bootstrap_spec *spec);
/* Bootstraps the operands. Does not wait. */
hb_status hb_bootstrap_fixture_apply(hb_bootstrap_fixture *x, hb_bootstrap_kind kind, uint32_t range_bits);
/* Closes everything that was opened; a zeroed one is allowed. */
void hb_bootstrap_fixture_clear(hb_bootstrap_fixture *x);

#endif
