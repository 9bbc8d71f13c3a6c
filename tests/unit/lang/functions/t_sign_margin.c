/* The error that the operand of a sign may have while the proof holds: it stays in [-1, 1], where the first polynomial
 * is near a number, for every range of the values. */
#include <math.h>

#include "reference/lowered.h"
#include "unit/unit.h"

/* The first polynomial of sign of a value from -most to most. */
static double margin_at_end(double most)
{
    lowered l;
    lowered_open(&l, "ckks-16");
    const uint32_t x = lowered_table(&l, "x", 100, true);
    lowered_column(&l, x, "a", (hb_meaning){0}, hb_interval_of_reals(-most, most));
    lowered_works(&l, "r = sign(x.a)");
    const hb_graph *g = &l.lowering.graph;
    uint32_t n = 0;
    while (n < g->count && g->nodes[n].op != HB_OP_POLYNOMIAL) {
        n++;
    }
    assert_true(n < g->count && g->nodes[n].range.steady);
    const hb_node *operand = &g->nodes[g->nodes[n].a];
    const hb_interval values = hb_interval_to_reals(operand->range.interval);
    const double margin = operand->range.margin;
    assert_true(values.known && margin >= 0);
    assert_true(margin == 0 || hb_interval_magnitude(values) + margin <= 1);
    lowered_close(&l);
    return margin;
}

static void values_stay_where_it_is_proven(void **state)
{
    (void)state;
    for (double most = 0x1p-12; most <= 0x1p12; most *= 1.37) {
        assert_true(margin_at_end(most) > 0x1p-13);
    }
    assert_true(margin_at_end(1) > 0x1p-13);
    assert_true(margin_at_end(0.5) > 0x1p-13);
    assert_true(margin_at_end(73000) > 0x1p-13);
}

HB_UNIT(sign_margin)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_stay_where_it_is_proven)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
