/* Ranges of programs against their results at many values: no result leaves them, for reals and integers, in every
 * order of operands. For functions of one value they are no wider than the results, written in one statement, in
 * several or in a loop. */
#include <math.h>

#include "base/prime.h"
#include "ckks/presets.h"
#include "unit/lang/run/program_fixture.h"
#include "unit/unit.h"

enum { ROWS = 100, COLUMNS = 2, MOST_VALUES = 33 };
/* A prime that is 1 modulo 2048 and holds all results here: 2^59 - 2047. */
#define PLAIN UINT64_C(576460752303421441)

typedef struct world {
    hb_params *params;
    bool reals;
    hb_schema schema;
    hb_column column[COLUMNS];
    hb_operand operand;
    hb_program program;
} world;

/* A table x of p and q, of a chain whose levels no program here uses up. */
static void open_world(world *w, bool reals)
{
    hb_params_spec spec = {.n = 2048, .insecure = true};
    memset(w, 0, sizeof *w);
    w->reals = reals;
    if (reals) {
        const hb_ckks_chain chain = {.first_bits = 50, .scale_bits = 45, .levels = 16, .special_limbs = 3};
        assert_int_equal(hb_ckks_find_chain(&spec, &chain), HB_OK);
    } else {
        uint32_t bits[20];
        spec = (hb_params_spec){
            .n = 1024, .key_limbs = 20, .bfv.plain = PLAIN, .security = {.level = 128}, .insecure = true};
        for (uint32_t i = 0; i < spec.key_limbs; i++) {
            bits[i] = 60;
        }
        assert_int_equal(hb_create_primes(spec.n, bits, spec.key_limbs, spec.primes), HB_OK);
    }
    spec.security.level = 128;
    if (hb_params_open(&spec, &w->params) != HB_OK) {
        fail_msg("%s", hb_last_error()->text);
    }
    w->column[0] = (hb_column){.name = (char *)"p", .cells = reals ? HB_CELL_REAL : HB_CELL_INTEGER, .is_signed = true};
    w->column[1] = (hb_column){.name = (char *)"q", .cells = w->column[0].cells, .is_signed = true};
    w->schema =
        (hb_schema){.rows = ROWS, .columns = COLUMNS, .rank = 2, .width = 8, .named = true, .column = w->column};
    w->operand = (hb_operand){.name = "x",
                              .schema = &w->schema,
                              .encrypted = true,
                              .limbs = w->params->fresh_limbs,
                              .quality = hb_quality_fresh(w->params, true, HB_BINOMIAL),
                              .ranged = true};
}

static void close_world(world *w)
{
    hb_program_clear(&w->program);
    hb_params_close(w->params);
}

/* Returns the range of y, of columns between these. */
static hb_interval range_of(world *w, const char *text, double low, double high)
{
    static const char *const outputs[] = {"y"};
    w->operand.values = w->reals ? hb_interval_of_reals(low, high) : hb_interval_of((int64_t)low, (int64_t)high);
    const hb_program_source source = {.text = text,
                                      .params = w->params,
                                      .operands = &w->operand,
                                      .operand_count = 1,
                                      .outputs = outputs,
                                      .output_count = 1,
                                      .trust = w->reals ? HB_QUALITY_EXPECTED : HB_QUALITY_WORST};
    hb_program_clear(&w->program);
    const hb_status st = hb_program_compile(&w->program, &source);
    return st == HB_OK ? hb_interval_to_reals(w->program.outputs[0].values) : (hb_interval){.known = false};
}

/* --- of one value: exactly */

typedef struct exactly {
    const char *text;
    double from, to, low, high; /* of x.p, and of the result */
} exactly;

static void assert_exact(world *w, const exactly *e, size_t count, double slack)
{
    for (size_t i = 0; i < count; i++) {
        const hb_interval r = range_of(w, e[i].text, e[i].from, e[i].to);
        const double most = slack * fmax(fabs(e[i].low), fabs(e[i].high));
        if (!r.known ||
            !(r.low <= e[i].low && r.low >= e[i].low - most && r.high >= e[i].high && r.high <= e[i].high + most)) {
            fail_msg("%s of %g .. %g: %.17g .. %.17g (%s)", e[i].text, e[i].from, e[i].to, r.low, r.high,
                     r.known ? "" : hb_last_error()->text);
        }
    }
}

/* Extrema by hand: 1.5^17 is 3^17 over 2^17, those of y (1.5 - y^2/2) are +-1 at +-1, of u - u^2 with u = x^2 1/4 at
 * u = 1/2. */
static void reals(void **state)
{
    (void)state;
    static const exactly cases[] = {
        {"y = (x.p + 0.25)^3", -2, 2, -5.359375, 11.390625},
        {"y = (0.25 + x.p)*(x.p + 0.25)*(0.25 + x.p)", -2, 2, -5.359375, 11.390625},
        {"y = 5.875 + (x.p + 0.25)^3", -2, 2, 0.515625, 17.265625},
        {"y = x.p^5", -1, 2, -1, 32},
        {"y = x.p^4*x.p^3", -1, 2, -1, 128},
        {"y = x.p^3*x.p^4", -1, 2, -1, 128},
        {"y = x.p^8*x.p^8*x.p", -1, 1.5, -1, 129140163.0 / 131072},
        {"y = x.p*x.p^16", -1, 1.5, -1, 129140163.0 / 131072},
        {"y = 1 - (x.p + 0.5)^17", -1.5, 0.5, 0, 2},
        {"y = (x.p + x.q)^3", -1, 2, -8, 64},
        {"y = x.p*(1 + x.p)^2*x.p", -1, 1, 0, 4},
        {"y = x.p^2 - x.p^4", -1, 1, 0, 0.25},
        {"y = x.p; y = 1.5*y - 0.5*y^3; y = 1.5*y - 0.5*y^3; y = 1.5*y - 0.5*y^3", -1, 1, -1, 1},
        {"y = x.p; repeat 3 { y = 1.5*y - 0.5*y^3 }", -1, 1, -1, 1},
        {"y = max(x.p, x.p + 4)", -1, 1, 3, 5}, /* one of the two, exactly */
        {"y = min(3 + x.p, x.p + 0.5)", -1, 1, -0.5, 1.5},
        {"y = x.p; s = y*y; y = y*(1.5 - 0.5*s); s = y*y; y = (1.5 - s*0.5)*y", -1, 1, -1, 1},
    };
    world w;
    open_world(&w, true);
    assert_exact(&w, cases, sizeof cases / sizeof *cases, 0x1p-36);
    /* So a function may be asked for there. */
    assert_true(range_of(&w, "y = log((x.p + 0.25)^3 + 5.9)", -2, 2).known);
    assert_true(range_of(&w, "y = 1/(5.9 + (0.25 + x.p)^3)", -2, 2).known);
    assert_false(range_of(&w, "y = log((x.p + 0.25)^3 + 5.3)", -2, 2).known);
    close_world(&w);
}

/* The least of u^2 - u of integers is 0; powers are exact as far as ends go: 12^15 is above 2^53. */
static void integers(void **state)
{
    (void)state;
    static const exactly cases[] = {
        {"y = x.p^3", -3, 12, -27, 1728},
        {"y = x.p*x.p*x.p", -3, 12, -27, 1728},
        {"y = 2*x.p*x.p*x.p", -3, 12, -54, 3456},
        {"y = (x.p - 2)^5", -1, 4, -243, 32},
        {"y = x.p^15", -1, 12, -1, 15407021574586368},
        {"y = x.p^7*x.p^12", -2, 2, -524288, 524288},
        {"y = x.p^17", -2, 3, -131072, 129140163},
        {"y = (x.p + x.q)^3", -1, 3, -8, 216},
        {"y = x.p*x.p - x.p", -4, 5, 0, 20},
        {"y = x.p; y = y*y - y; y = y*y - y", -1, 2, 0, 2},
        {"y = x.p; repeat 2 { y = y*y - y }", -1, 2, 0, 2},
        {"y = max(x.p, x.p + 4)", -1, 2, 3, 6},
        {"y = min(3 + x.p, x.p + 1)", -1, 2, 0, 3},
        {"y = x.p^3 - 3*x.p", -2, 2, -2, 2},
    };
    world w;
    open_world(&w, false);
    assert_exact(&w, cases, sizeof cases / sizeof *cases, 0);
    close_world(&w);
}

/* Mod t a comparison is 0 or 1, for every value of its polynomial over the integers. */
static void modulo(void **state)
{
    (void)state;
    static const exactly cases[] = {
        {"c = x.p < 3; y = c*c*c + c", 0, 9, 0, 2},
        {"c = x.p == 3; y = 1 - c^3", 0, 9, 0, 1},
        {"y = (x.p < 3)*(x.p < 3)*x.q", -5, 9, -5, 9},
        {"y = where(x.p < 3, x.p, 0 - x.p)^3", -2, 9, -729, 729},
    };
    world w;
    open_world(&w, false);
    assert_exact(&w, cases, sizeof cases / sizeof *cases, 0);
    close_world(&w);
}

/* --- of random programs: enclosed */

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 11) % below);
}

/* Names u, v, w with their values at all pairs of those of p and q. */
typedef struct named {
    long double at[MOST_VALUES * MOST_VALUES];
} named;

typedef struct drawn {
    world *w;
    char text[2048];
    named name[3];
    uint32_t values; /* of p and of q */
    double low, high;
} drawn;

static void say(drawn *d, const char *format, uint32_t to, uint32_t a, uint32_t b, int64_t n)
{
    static const char names[] = "uvw";
    const size_t at = strlen(d->text);
    snprintf(d->text + at, sizeof d->text - at, "%c = ", names[to]);
    for (const char *c = format; *c != '\0'; c++) {
        char part[32] = {*c, '\0'};
        if (*c == 'a' || *c == 'b') {
            part[0] = names[*c == 'a' ? a : b];
        } else if (*c == 'n') {
            snprintf(part, sizeof part, "(%g)", (double)n / (d->w->reals ? 4 : 1));
        }
        strcat(d->text, part);
    }
    strcat(d->text, "; ");
}

/* One statement; every kind is defined twice: in words and here. */
static void statement(drawn *d)
{
    static const char *const formats[] = {"a*b",       "a + b", "a - b",       "b*a",      "n*a",
                                          "a + n",     "n - a", "a^2",         "a^3",      "a*a*a - n*a",
                                          "(a + n)^3", "b*a^2", "a^2*b + n*a", "a - n*a^3"};
    const uint32_t kind = draw(sizeof formats / sizeof *formats), to = draw(3), a = draw(3), b = draw(3);
    const int64_t whole = (int64_t)draw(9) - 4;
    const long double n = (long double)whole / (d->w->reals ? 4 : 1);
    say(d, formats[kind], to, a, b, whole);
    named r;
    for (uint32_t i = 0; i < d->values * d->values; i++) {
        const long double x = d->name[a].at[i], y = d->name[b].at[i];
        const long double of[] = {x * y,
                                  x + y,
                                  x - y,
                                  y * x,
                                  n * x,
                                  x + n,
                                  n - x,
                                  x * x,
                                  x * x * x,
                                  x * x * x - n * x,
                                  (x + n) * (x + n) * (x + n),
                                  y * x * x,
                                  x * x * y + n * x,
                                  x - n * x * x * x};
        r.at[i] = of[kind];
    }
    d->name[to] = r;
}

static void begin(drawn *d)
{
    const double ends[] = {(double)draw(8) - 4, (double)draw(8) - 4};
    d->low = fmin(ends[0], ends[1]);
    d->high = fmax(ends[0], ends[1]) + 1;
    d->values = d->w->reals ? MOST_VALUES : (uint32_t)(d->high - d->low) + 1;
    if (d->w->reals) {
        d->low /= 4;
        d->high /= 4;
    }
    strcpy(d->text, "u = x.p; v = x.q; w = x.p; ");
    for (uint32_t i = 0; i < d->values * d->values; i++) {
        const long double step = (d->high - d->low) / (d->values - 1);
        d->name[0].at[i] = d->name[2].at[i] = d->low + step * (i % d->values);
        d->name[1].at[i] = d->low + step * (i / d->values);
    }
}

static uint32_t enclosed(world *w, uint32_t programs)
{
    uint32_t known = 0;
    static drawn d;
    for (uint32_t k = 0; k < programs; k++) {
        d.w = w;
        begin(&d);
        for (uint32_t i = draw(5) + 1; i-- > 0;) {
            statement(&d);
        }
        const uint32_t result = draw(3);
        strcat(d.text, result == 0 ? "y = u" : result == 1 ? "y = v" : "y = w");
        const hb_interval r = range_of(w, d.text, d.low, d.high);
        for (uint32_t i = 0; i < d.values * d.values && r.known; i++) {
            const long double x = d.name[result].at[i], slack = w->reals ? 1e-15L * fabsl(x) : 0;
            if (x < (long double)r.low - slack || x > (long double)r.high + slack) {
                fail_msg("%s of %g .. %g: %.17Lg is not in %.17g .. %.17g", d.text, d.low, d.high, x, r.low, r.high);
            }
        }
        known += r.known;
    }
    return known;
}

static void random_programs(void **state)
{
    (void)state;
    enum { PROGRAMS = 1500 };
    for (int of = 0; of < 2; of++) {
        world w;
        open_world(&w, of == 1);
        random_state = 88172645463325252u;
        assert_in_range(enclosed(&w, PROGRAMS), PROGRAMS / 2, PROGRAMS);
        close_world(&w);
    }
}

HB_UNIT(ranges)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reals), cmocka_unit_test(integers), cmocka_unit_test(modulo),
                                       cmocka_unit_test(random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
