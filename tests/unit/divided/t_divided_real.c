/* Operations on reals by members that share the limbs of polynomials: the words of one that has all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/members.h"
#include "ring/real_ops.h"
#include "ring/roots.h"
#include "unit/unit.h"

typedef struct shape {
    uint32_t limbs; /* of the level */
    size_t count;
    size_t gap; /* words between polynomials */
    bool wide;  /* coefficients are double-doubles */
} shape;

/* Every member has all reals and knows the refused ones, for any limbs of its own: here the special one alone, too. */
static hb_status reals(side *s, const void *with)
{
    const shape *f = with;
    hb_engine *e = s->engine;
    const hb_params *p = s->params;
    const uint32_t special = p->key_limbs - 1;
    const hb_batch slots = taken(s, f->count, 1, &p->common_id, f->gap);
    const hb_batch coefficients = take(s, f->wide ? 2 * f->count : f->count, 1, &p->common_id, 0);
    const hb_batch r = take(s, f->count, f->limbs, p->ids, f->gap), one = take(s, f->count, 1, &p->ids[special], 0);
    hb_composition k;
    hb_slot_tables tables;
    uint64_t *refused = take_bytes(s, 2 * sizeof *refused);
    for (size_t i = 0; i < f->count * slots.stride; i++) {
        slots.data[i] = hb_real_word((double)(int64_t)scattered(slots.data[i]) * 0x1p-63);
    }
    refused[0] = refused[1] = UINT64_MAX;
    HB_TRY(hb_composition_init(&k, &p->ring, p->ids, f->limbs));
    HB_TRY(hb_slot_tables_init(&tables, e, 3, f->wide));
    s->taken[s->takens++] = tables.twiddles;
    s->taken[s->takens++] = tables.order;
    HB_TRY(hb_slots_to_coefficients(e, coefficients, slots, &tables));
    HB_TRY(expect_batch(s, "coefficients of slots", coefficients));
    hb_real_scale scale = hb_real_scale_of(0x1.2p40), huge = hb_real_scale_of(0x1p900);
    scale.inverse = (hb_dd){0x1.c71c71c71c71cp-41, 0x1.c71c71c71c71cp-95};
    scale.wide = huge.wide = f->wide;
    const hb_rounding rounding[] = {{scale, &refused[0], 0}, {huge, &refused[1], 7}};
    HB_TRY(hb_round_reals(e, r, coefficients, &rounding[0]));
    HB_TRY(expect_batch(s, "residues of coefficients", r));
    HB_TRY(hb_round_reals(e, one, coefficients, &rounding[1]));
    HB_TRY(expect_batch(s, "refused coefficients", one));
    HB_ASSERT(refused[0] == UINT64_MAX && refused[1] == 7 * p->ring.n);
    HB_TRY(expect_words(s, "refusals", refused, 2));
    HB_TRY(hb_compose_reals(e, coefficients, hb_batch_limbs(e, r, 0, k.limbs), &k, &scale));
    HB_TRY(expect_batch(s, "reals of residues", coefficients));
    HB_TRY(hb_coefficients_to_slots(e, slots, coefficients, &tables));
    return expect_batch(s, "slots of coefficients", slots);
}

static void expect_same(performance p, uint32_t delay)
{
    meeting at;
    meeting_init(&at, p.members);
    at.most_delay = delay;
    const hb_status st = perform(&p, &at, NULL);
    if (st != HB_OK) {
        fail_msg("%u members, way %d, %u queues: %s", p.members, (int)p.division, p.queues, hb_last_error()->text);
    }
    meeting_clear(&at);
}

static void test_reals(void **state)
{
    (void)state;
    hb_params *params = six_primes();
    const shape shapes[] = {{5, 3, 64, false}, {5, 1, 0, false}, {4, 7, 0, false}, {2, 3, 64, false},
                            {1, 2, 0, false},  {5, 3, 64, true}, {2, 4, 0, true}};
    for (uint32_t members = 1; members <= 5; members++) {
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
            for (uint32_t small = 0; small < 2;
                 small++) { /* many pieces, one under way while another is computed with */
                expect_same((performance){.spec = &params->spec,
                                          .play = reals,
                                          .with = &shapes[i],
                                          .members = members,
                                          .queues = 1 + small,
                                          .batch_bytes = small},
                            50);
            }
        }
    }
    hb_params_close(params);
}

HB_UNIT(divided_real)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
