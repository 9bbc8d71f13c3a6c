/* Totals of reals whose slots are summed together: which programs they are in, and that no total loses bits by it. */
#include <math.h>

#include "lang/compile/compact.h"
#include "reals_world.h"
#include "scheme/quality.h"
#include "scheme/slots.h"
#include "unit/unit.h"

typedef struct merged_case {
    const char *text;
    uint32_t summed; /* sums of slots one by one */
    bool merges;
} merged_case;

static const hb_output *compile_totals(world *w, const char *text, hb_quality_trust trust, double compact)
{
    static const char *const outputs[] = {"y", "z"};
    const hb_program_source source = {.text = text,
                                      .params = w->params,
                                      .operands = w->operand,
                                      .operand_count = 4,
                                      .outputs = outputs,
                                      .output_count = strstr(text, "z =") != NULL ? 2 : 1,
                                      .trust = trust,
                                      .compact = compact};
    hb_program_clear(&w->program);
    if (hb_program_compile(&w->program, &source) != HB_OK) {
        fail_msg("%s: %s", text, hb_last_error()->text);
    }
    return &w->program.outputs[0];
}

/* Bits of the bound that is trusted, of the worst column. */
static double bits_of(const world *w, const hb_output *y, hb_quality_trust trust)
{
    const double bound = trust == HB_QUALITY_WORST ? y->quality.worst : y->likely;
    return hb_quality_bits(w->params, y->limbs, bound);
}

static void assert_merged(world *w, const merged_case *c, hb_quality_trust trust)
{
    const hb_output apart = *compile_totals(w, c->text, trust, 0);
    const double least = bits_of(w, &apart, trust) - HB_COMPACT_LOSS;
    const hb_output *y = compile_totals(w, c->text, trust, HB_COMPACT_AUTO);
    if (count_of(&w->program, HB_OP_SUM_SLOTS) != c->summed || (y->summed_limbs > 0) != c->merges) {
        fail_msg("%s: %u sums of slots, merged in %u limbs", c->text, count_of(&w->program, HB_OP_SUM_SLOTS),
                 y->summed_limbs);
    }
    if (!c->merges) {
        return;
    }
    assert_true(y->packed && y->reversed && y->limbs <= y->summed_limbs && y->summed_limbs <= y->computed_limbs);
    if (!(bits_of(w, y, trust) >= least - 1e-3)) {
        fail_msg("%s: %g bits, and apart %g", c->text, bits_of(w, y, trust), least);
    }
    assert_true(y->quality.norm > 0 && y->quality.norm <= y->quality.worst); /* sums of packed totals go by that */
    uint32_t next = 0;
    for (uint32_t k = 0; k < w->program.passes[0].total_count; k++) {
        const hb_instruction *in = &w->program.passes[0].totals[k];
        if (in->op == HB_OP_STORE && in->operand == 0) {
            assert_int_equal(in->column, next++); /* mergers take them in order */
        }
    }
    assert_int_equal(next, y->schema.columns);
    int64_t steps[HB_GALOIS_MOST_STEPS];
    const uint32_t rotations = hb_slots_sum_steps(&w->params->spec, steps);
    for (uint32_t i = 0; i < rotations; i++) {
        uint32_t found = 0;
        for (uint32_t k = 0; k < w->program.keys.count; k++) {
            found += w->program.keys.request[k].element == hb_slots_rotation(&w->params->spec, steps[i]);
        }
        assert_int_equal(found, 1);
    }
}

static void totals_merge(void **state)
{
    (void)state;
    static const merged_case cases[] = {
        {"y = sum(x)", 0, true},
        {"y = (sum(x.p), sum(x.q))", 0, true},
        {"y = (sum(x.q), 2*sum(x.q) - 3*sum(x.r), -sum(x.p) + sum(x.q), 7*sum(x.r), sum(x.r))", 0, true},
        {"y = (sum(x.p) + 5.25, sum(x.q) - 0.1, 3*sum(x.q))", 0, true},
        {"y = (sum(x.p*t.p), sum(x.q*t.q), sum(x.r*x.r*t.p), sum(x.p*x.p))", 0, true},
        {"y = (sum(x.p*x.q*x.r), sum(low.p))", 0, true}, /* one comes down to where the other is */
        {"y = (sum(x.p), sum(x.q)); z = (sum(x.r), sum(x.p) - sum(x.q))", 0, true},
        {"y = (sum(x.p), sum(x.q)); z = (sum(x.r)*sum(x.r), sum(x.r))", 1, true}, /* not those of z */
        {"y = (sum(x.p), sum(x.q)); z = x.p - sum(x.p)", 2, false},               /* read with rows */
        {"y = (sum(x.p), sum(x.q)*sum(x.q))", 2, false},
        {"y = (mean(x.p), mean(x.q))", 2, false}, /* rounding behind the product would count in each slot */
        {"y = sum(x.p)", 1, false},
    };
    world w;
    open_world(&w, "ckks-14", ROWS);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_merged(&w, &cases[i], HB_QUALITY_WORST);
        assert_merged(&w, &cases[i], HB_QUALITY_EXPECTED);
    }
    close_world(&w);
}

/* Where slots have no imaginary unit, totals are summed one by one. */
static void not_like_seal(void **state)
{
    (void)state;
    world w;
    open_world(&w, "seal-ckks-8192", ROWS);
    const hb_output *y = compile_totals(&w, "y = sum(x)", HB_QUALITY_WORST, HB_COMPACT_AUTO);
    assert_true(y->packed && !y->reversed && y->summed_limbs == 0);
    assert_int_equal(count_of(&w.program, HB_OP_SUM_SLOTS), COLUMNS);
    close_world(&w);
}

HB_UNIT(merged_reals)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(totals_merge), cmocka_unit_test(not_like_seal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
