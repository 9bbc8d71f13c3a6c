/* Plans of loops: ranges and levels of values in iterations, and with bootstrapping as many as are wanted. */
#include <math.h>

#include "lang/analysis/monte_carlo_slots.h"
#include "lang/program/resume_points.h"
#include "reals_world.h"

/* Allocations of so many bytes fail; 0: none. */
static size_t refused;

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    return refused != 0 && bytes == refused ? NULL : __real_malloc(bytes);
}

/* The statements are a polynomial of the value at the beginning of an iteration. It is as low as that polynomial, its
 * range is known by its extrema for any number of iterations, and one note has the least of all. */
static void loops(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t down, operations, notes;
        double low, high;
    } cases[] = {
        {"y = x.p; repeat 3 { y = 1.5*y - 0.5*y^3 }", 6, 3, 2, -1, 1},
        {"y = x.p; repeat 3 { y = poly(y, 0, 1.5, 0, -0.5) }", 6, 3, 2, -1, 1},
        {"y = x.p; repeat 3 { s = y*y; y = y*(1.5 - 0.5*s) }", 6, 3, 2, -1, 1},
        {"y = 0.5*x.p; repeat 3 { y = 2*y*y - 0.5 }", 4, 0, 2, -0.5, 0},
        {"y = 0.5 + 0.5*x.p; repeat 2 { y = 3.5*y*(1 - y) }", 3, 0, 2, 0, 0.875},
        /* Only intervals are known of products of two values. */
        {"y = x.p; repeat 2 { y = 1.5*y - 0.5*y*y*x.q }", 4, 0, 2, -5, 5},
    };
    world w;
    open_world(&w, "ckks-14", ROWS);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_plan(&w, cases[i].text);
        const hb_output *y = &w.program.outputs[0];
        const hb_node_note *note = &w.program.description.notes[w.program.description.note_count - 1];
        if (w.params->fresh_limbs - y->limbs != cases[i].down || count(&w, HB_OP_POLYNOMIAL) != cases[i].operations ||
            w.program.description.note_count != cases[i].notes) {
            fail_msg("%s: %u down, %u polynomials, %u notes", cases[i].text, w.params->fresh_limbs - y->limbs,
                     count(&w, HB_OP_POLYNOMIAL), w.program.description.note_count);
        }
        if (!(y->values.low <= cases[i].low && y->values.low >= cases[i].low - 0x1p-30 &&
              y->values.high >= cases[i].high && y->values.high <= cases[i].high + 0x1p-30)) {
            fail_msg("%s: values %.17g .. %.17g", cases[i].text, y->values.low, y->values.high);
        }
        assert_true((note->computed == 2 || note->computed == 3) && note->iterations == note->computed);
        assert_int_equal(note->limbs, y->limbs);
        assert_true(w.program.description.warning_count == 0);
    }
    /* The note is about the value itself and not about its users, but there are five iterations all the same. */
    assert_plan(&w, "y = x.p; repeat 5 { d = 1 - y; y = y + 0.1*d }");
    const hb_node_note *last = &w.program.description.notes[w.program.description.note_count - 1];
    assert_true(last->iterations == 5 && last->computed < 5);
    assert_int_equal(compile_bits(&w, "y = x.p; repeat 4 { y = 1.5*y - 0.5*y^3 }", 0), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "(in iteration 4 of 4)"));
    close_world(&w);
}

/* A loop that is written out lies in the same range, at the same level, and as much is proven and expected of it, up to
 * its first iteration: errors in slots without rows are taken to grow from there on. Expected errors follow samples,
 * which are drawn for each node by its number. */
static const double SAME = 1.0 / 32, SAMPLED = 1.0 / 16; /* bits */
static void written_out(void **state)
{
    (void)state;
    static const struct {
        const char *start, *turn;
    } loops[] = {{"y = x.p", "y = 1.5*y - 0.5*y^3"},
                 {"y = x.p", "s = y*y; y = (1.5 - s*0.5)*y"},
                 {"y = x.p", "y = y*(1.5 - 0.5*y*x.q)"},
                 {"y = x.p + x.q", "y = y - 0.1*y^3"},      /* beyond 1; at 0 errors stay as they are */
                 {"y = x.p + x.q", "y = 1.5*y - 0.1*y^3"}}; /* where they grow */
    world w;
    open_world(&w, "ckks-15", ROWS);
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        const char *start = loops[i].start, *turn = loops[i].turn;
        char loop[128], out[256];
        snprintf(loop, sizeof loop, "%s; repeat 4 { %s }", start, turn);
        snprintf(out, sizeof out, "%s; %s; %s; %s; %s", start, turn, turn, turn, turn);
        assert_plan(&w, loop);
        const hb_output one = w.program.outputs[0];
        assert_plan(&w, out);
        const hb_output *y = &w.program.outputs[0];
        if (y->limbs != one.limbs || y->values.low != one.values.low || y->values.high != one.values.high ||
            fabs(y->quality.worst - one.quality.worst) > SAME ||
            fabs(y->quality.expected - one.quality.expected) > SAMPLED) {
            fail_msg("%s: %u limbs, %g .. %g, error 2^%g, written out %u limbs, %g .. %g, 2^%g", loop, one.limbs,
                     one.values.low, one.values.high, one.quality.expected, y->limbs, y->values.low, y->values.high,
                     y->quality.expected);
        }
    }
    close_world(&w);
}

/* Checks that resume points ascend, as iterations of so many do, and that so many ciphertexts are live at each; returns
 * how many resume points there are, and how many columns are loaded again. */
static uint32_t assert_stops(const world *w, uint32_t iterations, uint32_t registers, uint32_t *loads)
{
    const hb_pass *pass = &w->program.passes[0];
    uint64_t most = 0, halves = 0;
    *loads = 0;
    for (uint32_t i = 0; i < pass->resume_point_count; i++) {
        const hb_resume_point *point = &pass->resume_points[i], *before = i > 0 ? point - 1 : NULL;
        hb_live live;
        assert_int_equal(hb_live_find(&live, &w->program, 0, point->at), HB_OK);
        assert_int_equal(live.register_count, registers);
        assert_true(point->iterations == iterations && point->iteration >= 1 && point->iteration <= iterations &&
                    point->at < pass->row_count);
        assert_true(before == NULL || (point->at > before->at && point->iteration >= before->iteration));
        const hb_register *kept = &w->program.registers[live.registers[0]];
        const uint64_t words = (uint64_t)registers * kept->size * kept->limbs;
        most = words > most ? words : most;
        const uint64_t half = (uint64_t)registers * kept->size * ((kept->limbs + 1) / 2);
        halves = half > halves ? half : halves;
        *loads = live.load_count > *loads ? live.load_count : *loads;
        hb_live_clear(&live);
    }
    assert_int_equal(hb_program_most_live(&w->program, 1), most);
    assert_int_equal(hb_program_most_live(&w->program, 2), halves);
    return pass->resume_point_count;
}

/* A column that every iteration reads is loaded again, and not kept; a program without loops has no resume points. */
static void resume_points(void **state)
{
    (void)state;
    uint32_t loads;
    world w;
    open_world(&w, "ckks-14", ROWS);
    assert_plan(&w, "y = x.p; repeat 3 { y = 0.5*y*x.q + 0.25 }");
    assert_int_equal(assert_stops(&w, 3, 1, &loads), 2);
    assert_int_equal(loads, 1);
    assert_plan(&w, "y = x.p*x.q; y = y*y + 0.25");
    assert_int_equal(w.program.passes[0].resume_point_count, 0);
    assert_int_equal(hb_program_most_live(&w.program, 1), 0);
    close_world(&w);
}

/* For a hundred products in turn, more than any chain has levels for. */
static void bootstrapped(void **state)
{
    (void)state;
    world w;
    open_world(&w, "boot-test", 2000);
    const hb_program_source source = {.text = "y = x.p; repeat 50 { y = 1.5*y - 0.5*y^3 }",
                                      .params = w.params,
                                      .operands = w.operand,
                                      .operand_count = 4,
                                      .outputs = (const char *const[]){"y"},
                                      .output_count = 1,
                                      .trust = HB_QUALITY_EXPECTED,
                                      .bootstrap = HB_BOOTSTRAP_AUTO};
    assert_int_equal(hb_program_compile(&w.program, &source), HB_OK);
    const hb_node_note *note = &w.program.description.notes[w.program.description.note_count - 1];
    assert_true(note->computed == 50 && note->expected > 16);
    assert_int_equal(w.program.depth, 100);
    assert_int_equal(count(&w, HB_OP_POLYNOMIAL), 50);
    /* 19 levels at first, then 14 at a time, two an iteration. */
    assert_int_equal(count(&w, HB_OP_BOOTSTRAP), 6);
    /* One place in every iteration but the last, and some before bootstraps in the midst of one. */
    uint32_t loads;
    assert_in_range(assert_stops(&w, 50, 1, &loads), 49, 55);
    assert_int_equal(loads, 0);
    const hb_interval values = w.program.outputs[0].values;
    assert_true(values.low <= -1 && values.low > -1 - 0x1p-30 && values.high >= 1 && values.high < 1 + 0x1p-30);
    close_world(&w);
}

/* Errors of values near 0 grow by 1.5 in every iteration, and other errors vanish. Measured over 1500 values the
 * largest is right to 28.3, 26.4 and 25.6 bits. Newton's iterations leave no more of an error than the last one adds. A
 * value that comes to rest in a narrow range has errors that are wider than the range. */
static void expected_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double bits;
    } cases[] = {{"y = x.p; repeat 3 { y = 1.5*y - 0.5*y^3 }", 28.3},
                 {"y = x.p; repeat 6 { y = 1.5*y - 0.5*y^3 }", 26.4},
                 {"y = x.p; repeat 9 { y = 1.5*y - 0.5*y^3 }", 25.6},
                 {"a = 0.25*x.p + 0.75; y = 2 - a; repeat 5 { y = y*(2 - a*y) }", 28.7},
                 {"a = 0.25*x.p + 0.75; y = 1.5 - 0.5*a; repeat 4 { y = y*(1.5 - 0.5*a*y*y) }", 28.4}};
    world w;
    open_world(&w, "boot-test", 1500);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_plan(&w, cases[i].text);
        const double bits =
            hb_quality_bits(w.params, w.program.outputs[0].limbs, w.program.outputs[0].quality.expected);
        if (fabs(bits - cases[i].bits) > 1) {
            fail_msg("%s: %g bits expected", cases[i].text, bits);
        }
    }
    const hb_program_source source = {.text = "y = 0.25*x.p + 0.75; repeat 50 { y = 1.5*y - 0.5*y^3 }",
                                      .params = w.params,
                                      .operands = w.operand,
                                      .operand_count = 4,
                                      .outputs = (const char *const[]){"y"},
                                      .output_count = 1,
                                      .trust = HB_QUALITY_EXPECTED};
    hb_program_clear(&w.program);
    assert_int_equal(hb_program_compile(&w.program, &source), HB_OK);
    const hb_output *y = &w.program.outputs[0];
    const double bits = hb_quality_bits(w.params, y->limbs, y->quality.expected);
    assert_true(y->values.high - y->values.low < 0x1p-16 && fabs(bits - 29.2) <= 1);
    close_world(&w);
}

/* Where errors cannot be followed through slots, or values through iterations, less would be expected. */
static void without_memory(void **state)
{
    (void)state;
    static const char text[] = "y = x.p; repeat 3 { y = 1.5*y - 0.5*y^3 }";
    const size_t sample = sizeof(hb_sample), iterations = 2048 * 4 * sizeof(double) + sizeof(double);
    world w;
    open_world(&w, "ckks-14", ROWS);
    refused = sample;
    assert_int_equal(compile_bits(&w, text, 0), HB_ENOMEM);
    refused = iterations;
    assert_int_equal(compile_bits(&w, text, 0), HB_ENOMEM);
    refused = 0;
    assert_plan(&w, text);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loops),           cmocka_unit_test(written_out),
                                       cmocka_unit_test(resume_points),   cmocka_unit_test(bootstrapped),
                                       cmocka_unit_test(expected_errors), cmocka_unit_test(without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
