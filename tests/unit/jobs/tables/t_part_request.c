/* Requests of parts: what all parts of a dataset have alike, of every residue, and that a job sees where they have
 * not. */
#include "unit/scratch.h"

#include "tables/part_inputs.h"
#include "unit/unit.h"

static hb_part_facts facts_of(uint64_t *columns)
{
    return (hb_part_facts){.from = "alice",
                           .part_of = {1, 2},
                           .u = 46,
                           .w = 56,
                           .receiver = {3},
                           .receiving = {.owners = 3, .threshold = 2, .results = 9, .session = {4}},
                           .owners = 5,
                           .some = true,
                           .row = 7,
                           .rows = 8,
                           .columns = 2,
                           .column = columns};
}

/* Whether a changed copy of the facts is another request. */
static bool differs(const hb_part_facts *changed)
{
    uint64_t columns[2] = {2, 0};
    const hb_part_facts facts = facts_of(columns);
    uint8_t own[HB_DIGEST_BYTES], other[HB_DIGEST_BYTES];
    hb_part_request_digest(own, &facts);
    hb_part_request_digest(other, changed);
    return memcmp(own, other, sizeof own) != 0;
}

static void the_request_is_all_but_owner_and_noise(void **state)
{
    (void)state;
    enum { CASES = 13 };
    for (int i = 0; i < CASES; i++) {
        uint64_t columns[2] = {2, 0};
        hb_part_facts facts = facts_of(columns);
        uint64_t *const numbers[] = {&facts.owners, &facts.row, &facts.rows, &facts.receiving.results, &columns[1]};
        uint8_t *const bytes[] = {facts.part_of, facts.receiver, facts.receiving.session};
        switch (i) {
        case 0:
            strcpy(facts.from, "bob");
            break;
        case 1:
            facts.u++;
            break;
        case 2:
            facts.w++;
            break;
        case 3:
            facts.columns = 1;
            break;
        case 4:
            facts.receiving.threshold++;
            break;
        default:
            if (i < 10) {
                (*numbers[i - 5])++;
            } else {
                bytes[i - 10][0] ^= 1;
            }
        }
        assert_int_equal(differs(&facts), i > 2);
    }
}

/* Another receiving owner, and none of some cells. */
static void the_request_has_its_kind(void **state)
{
    (void)state;
    uint64_t columns[2] = {2, 0};
    hb_part_facts facts = facts_of(columns);
    assert_false(differs(&facts));
    facts.some = false;
    assert_true(differs(&facts));
    facts = facts_of(columns);
    facts.receiving.owners++;
    assert_true(differs(&facts));
}

static void all_residues_of_a_command_are_of_the_same(void **state)
{
    (void)state;
    hb_residues_so_far so_far = {.noted = false};
    hb_job first = {.options.so_far = &so_far}, second = {.options = {.so_far = &so_far, .residue = 1}},
           alone = {.options.residue = 1};
    const uint8_t a[HB_DIGEST_BYTES] = {1}, b[HB_DIGEST_BYTES] = {2};
    assert_ok(hb_job_same_residues(&first, a, "a part"));
    assert_ok(hb_job_same_residues(&second, a, "a part"));
    assert_refused(hb_job_same_residues(&second, b, "a part"), HB_EDATA,
                   "a part: is another one for this plain modulus");
    assert_ok(hb_job_same_residues(&alone, b, "a part"));
}

/* Ciphertexts of every residue count. */
static void more_than_was_promised_is_refused(void **state)
{
    (void)state;
    hb_header header = {.spec = {.joint = {.owners = 3, .threshold = 3, .results = 32},
                                 .bfv = {.plain = 65537, .plain_count = 3, .plains = {65537, 786433, 1179649}}},
                        .ciphertexts = 10};
    assert_int_equal(hb_part_count(&header), 30);
    assert_ok(hb_part_count_check(&header, "a.heb"));
    header.ciphertexts = 11;
    assert_refused(hb_part_count_check(&header, "a.heb"), HB_EDATA,
                   "a.heb: has 33 ciphertexts, of all plain moduli together, and 32 parts were promised");
    header.spec.bfv.plain_count = 0;
    header.ciphertexts = 32;
    assert_ok(hb_part_count_check(&header, "a.heb"));
    header.ciphertexts = 33;
    assert_refused(hb_part_count_check(&header, "a.heb"), HB_EDATA, "a.heb: has 33 ciphertexts, and 32 parts");
}

HB_UNIT(part_request)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_request_is_all_but_owner_and_noise),
        cmocka_unit_test(the_request_has_its_kind),
        cmocka_unit_test(all_residues_of_a_command_are_of_the_same),
        cmocka_unit_test(more_than_was_promised_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
