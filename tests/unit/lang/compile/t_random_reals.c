/* Random expressions on reals: encrypted, compiled, run, decrypted, and compared with the same arithmetic in doubles.
 * No error is above the bound that the plan proves, nearly all largest ones are within a bit of the one that it
 * expects, and no value leaves its range. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lang/compile/compile.h"
#include "lang/run/runner.h"
#include "reference/divided_totals.h"
#include "reference/real_tables.h"
#include "table/real_text.h"

enum { EXPRESSIONS = 200 };

static bool with_functions; /* among the drawn operations */
static uint32_t long_run;   /* programs with functions; 0: few */

/* --- expressions, with their values in every slot */

typedef struct term {
    char text[2600];
    bool total, clean; /* clean: 0 where there is no row */
    double v[ALL];
} term;

static bool has_row(uint32_t slot)
{
    return slot < ROWS;
}

static void leaf(fixture *f, term *t)
{
    const uint32_t column = (uint32_t)draw(f, 5);
    *t = (term){.clean = column < 4, .total = column == 4};
    if (column == 4) { /* one row, which stands in all */
        strcpy(t->text, "Z");
        for (uint32_t i = 0; i < ALL; i++) {
            t->v[i] = f->value[O][0];
        }
        return;
    }
    if (column == 3) {
        strcpy(t->text, "low");
    } else {
        snprintf(t->text, sizeof t->text, "x.%u", column + 1);
    }
    memcpy(t->v, f->value[column == 3 ? LOW : X] + (column % 3) * (size_t)ALL, sizeof t->v);
}

/* "(before t.text after)". */
static void write(term *t, const char *before, const char *after)
{
    char old[sizeof t->text];
    strcpy(old, t->text);
    snprintf(t->text, sizeof t->text, "%s%.2500s%s", before, old, after);
}

static void total(term *t, bool mean)
{
    double sum = 0;
    for (uint32_t i = 0; i < ROWS && !t->total; i++) {
        sum += t->v[i];
    }
    for (uint32_t i = 0; i < ALL && !t->total; i++) {
        t->v[i] = mean ? sum / ROWS : sum;
    }
    t->total = true;
    t->clean = false;
    write(t, mean ? "mean(" : "sum(", ")");
}

static void with_number(fixture *f, term *t, uint32_t kind)
{
    char after[64], text[HB_REAL_TEXT];
    const double c = draw(f, 3) == 0 ? (double)draw(f, 7) + 2 : number(f, 2) + 2.5;
    hb_real_text(text, c);
    snprintf(after, sizeof after, " %c %s)", "+-*"[kind], text);
    for (uint32_t i = 0; i < ALL; i++) {
        const double added = has_row(i) || t->total ? c : 0;
        t->v[i] = kind == 2 ? t->v[i] * c : t->v[i] + (kind == 0 ? added : -added);
    }
    write(t, "(", after);
}

static void with_plain(fixture *f, term *t, uint32_t kind)
{
    const bool row = draw(f, 2) == 0;
    char after[16];
    snprintf(after, sizeof after, " %c %s)", "+-*"[kind], row ? "k" : "t");
    for (uint32_t i = 0; i < ALL; i++) {
        const double y = row ? (has_row(i) || t->total ? f->value[K][0] : 0) : f->value[T][i];
        t->v[i] = kind == 2 ? t->v[i] * y : t->v[i] + (kind == 0 ? y : -y);
    }
    t->clean = !(row && t->total) && (kind == 2 || t->clean);
    t->total = t->total && row;
    write(t, "(", after);
}

static void rotate(fixture *f, term *t)
{
    const int64_t step = (int64_t)draw(f, 15) - 7;
    char after[16];
    static double moved[ALL];
    for (uint32_t i = 0; i < ALL; i++) {
        moved[i] = t->v[i / SLOTS * SLOTS + (uint32_t)((int64_t)(i % SLOTS) + step + SLOTS) % SLOTS];
    }
    memcpy(t->v, moved, sizeof moved);
    t->clean = step == 0;
    snprintf(after, sizeof after, ", %d)", (int)step);
    write(t, "rotate(", after);
}

static void weigh(fixture *f, term *t)
{
    const uint32_t row = (uint32_t)draw(f, 2);
    *t = (term){.clean = true};
    for (uint32_t i = 0; i < ALL; i++) {
        for (uint32_t c = 0; c < COLUMNS; c++) {
            t->v[i] += f->value[W][row * COLUMNS + c] * f->value[X][c * ALL + i];
        }
    }
    snprintf(t->text, sizeof t->text, "(w @ x).%u", row + 1);
}

static void power(fixture *f, term *t)
{
    const uint32_t exponent = 2 + (uint32_t)draw(f, 3);
    char after[8];
    snprintf(after, sizeof after, ")^%u", exponent);
    for (uint32_t i = 0; i < ALL; i++) {
        t->v[i] = pow(t->v[i], exponent);
    }
    write(t, "(", after);
}

/* Whether values suit polynomials in the Chebyshev basis; the powers of larger ones depend on one draw. */
static bool is_small(const term *t)
{
    double most = 0;
    for (uint32_t i = 0; i < ALL; i++) {
        most = fmax(most, fabs(t->v[i]));
    }
    return most <= 1 && strlen(t->text) < 100;
}

/* The contents of slots without a row are unknown. */
static void polynomial(fixture *f, term *t)
{
    const uint32_t degree = draw(f, 2) == 0 ? 7 : 2 + (uint32_t)draw(f, 14);
    double c[16];
    char after[160] = "", text[16];
    for (uint32_t k = 0; k <= degree; k++) {
        snprintf(text, sizeof text, ", %.2f", k < degree && draw(f, 4) == 0 ? 0 : (number(f, 1) + 1.1) / (k + 1));
        c[k] = strtod(text + 2, NULL);
        strcat(after, text);
    }
    strcat(after, ")");
    for (uint32_t i = 0; i < ALL; i++) {
        double sum = 0;
        for (uint32_t k = degree + 1; k-- > 0;) {
            sum = sum * t->v[i] + c[k];
        }
        t->v[i] = sum;
    }
    t->clean = false;
    write(t, "poly(", after);
}

/* --- functions, also of values that are certainly in their domain */

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double gelu(double x)
{
    return x * (1 + erf(x / sqrt(2))) / 2;
}

static double silu(double x)
{
    return x * sigmoid(x);
}

static double relu(double x)
{
    return fmax(x, 0);
}

static double logarithm(double x)
{
    return log(x * x + 1.5);
}

static double inverse(double x)
{
    return 3 / (x * x + 0.75);
}

static double root(double x)
{
    return sqrt(x * x + 0.5);
}

static double cubic(double x)
{
    return 0.5 - x / 4 + (4 * x / 4 * (x / 4) * (x / 4) - 3 * x / 4);
}

static void apply(fixture *f, term *t)
{
    static const struct {
        const char *before, *after;
        double (*function)(double);
    } functions[] = {{"sigmoid(", ")", sigmoid},
                     {"tanh(", ")", tanh},
                     {"exp(", ")", exp},
                     {"erf(", ")", erf},
                     {"gelu(", ")", gelu},
                     {"silu(", ")", silu},
                     {"relu(", ")", relu},
                     {"abs(", ")", fabs},
                     {"log((", ")^2 + 1.5)", logarithm},
                     {"3/((", ")^2 + 0.75)", inverse},
                     {"sqrt((", ")^2 + 0.5)", root},
                     {"cheb(", ", -4, 4, 0.5, -1, 0, 1)", cubic}};
    const size_t kind = (size_t)draw(f, sizeof functions / sizeof *functions);
    for (uint32_t i = 0; i < ALL; i++) {
        t->v[i] = has_row(i) || t->total ? functions[kind].function(t->v[i]) : 0;
    }
    write(t, functions[kind].before, functions[kind].after);
}

static void extreme(fixture *f, term *t)
{
    const bool largest = draw(f, 2) == 0;
    const double *x = f->value[X];
    for (uint32_t i = 0; i < ALL; i++) {
        const double y = has_row(i) ? x[i] : 0;
        t->v[i] = largest ? fmax(t->v[i], y) : fmin(t->v[i], y);
    }
    t->total = false;
    t->clean = false; /* of totals */
    write(t, largest ? "max(" : "min(", ", x.1)");
}

static void combine(fixture *f, term *a, const term *b)
{
    const uint32_t kind = (uint32_t)draw(f, 3);
    char before[2620];
    snprintf(before, sizeof before, "(%s %c ", b->text, "+-*"[kind]);
    for (uint32_t i = 0; i < ALL; i++) {
        a->v[i] = kind == 0 ? b->v[i] + a->v[i] : kind == 1 ? b->v[i] - a->v[i] : b->v[i] * a->v[i];
    }
    a->clean = kind == 2 ? a->clean || b->clean : a->clean && b->clean;
    a->total = a->total && b->total;
    char old[sizeof a->text];
    strcpy(old, a->text);
    snprintf(a->text, sizeof a->text, "%.1290s%.1290s)", before, old);
}

static void generate(fixture *f, term *t, int depth)
{
    if (depth == 0) {
        leaf(f, t);
        return;
    }
    if (with_functions && draw(f, 3) == 0) {
        generate(f, t, depth - 1);
        if (draw(f, 8) == 0) {
            extreme(f, t);
        } else {
            apply(f, t);
        }
        return;
    }
    const uint32_t kind = (uint32_t)draw(f, 16);
    if (kind < 5) {
        term *other = malloc(sizeof *other);
        assert_non_null(other);
        generate(f, other, (int)draw(f, (uint64_t)depth));
        generate(f, t, depth - 1);
        combine(f, t, other);
        free(other);
        return;
    }
    if (kind == 5) {
        weigh(f, t);
        return;
    }
    generate(f, t, depth - 1);
    if (kind < 8) {
        with_number(f, t, (uint32_t)draw(f, 3));
    } else if (kind == 8) {
        with_plain(f, t, (uint32_t)draw(f, 3));
    } else if (kind == 9) {
        power(f, t);
    } else if (kind == 10 && t->clean) {
        rotate(f, t);
    } else if (kind == 11) {
        total(t, draw(f, 2) == 0);
    } else if (kind >= 14 && is_small(t)) {
        polynomial(f, t);
    } else {
        write(t, "conj(", ")");
    }
}

/* --- runs */

static hb_status load(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_ciphertexts to)
{
    const fixture *f = context;
    const size_t count = hb_ciphertexts_count(to), words = (size_t)to.all.limbs * N;
    for (uint32_t c = 0; c < 2; c++) {
        const hb_batch from = hb_ciphertexts_component(f->sealed[operand], c);
        memcpy(hb_ciphertexts_component(to, c).data, from.data + (column * BLOCKS + first) * words,
               count * words * sizeof(uint64_t));
    }
    return HB_OK;
}

static hb_status load_plain(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_batch to)
{
    fixture *f = context;
    assert_int_equal(column, 0);
    for (size_t i = 0; i < to.count; i++) {
        double *values = (double *)(void *)f->f.values.data;
        memset(values, 0, N * sizeof *values);
        for (uint32_t s = 0; s < SLOTS; s++) {
            const uint32_t slot = (uint32_t)(first + i) * SLOTS + s;
            values[s] = operand == T ? f->value[T][slot] : (has_row(slot) ? f->value[K][0] : 0);
        }
        assert_int_equal(hb_encode(f->f.codec, hb_batch_slice(to, i, 1), f->f.values), HB_OK);
    }
    return HB_OK;
}

static stored_words words; /* of the current run */

static hb_status store(void *context, uint32_t output, uint32_t column, uint64_t first, hb_ciphertexts from)
{
    fixture *f = context;
    const bool looks = note_all_stored(&words, output, column, first, from);
    const uint32_t limbs = f->program->outputs[output].limbs;
    hb_decryptor *decryptor;
    hb_batch phase, plain, kept;
    assert_true(from.size == 2 && from.all.limbs == limbs && column == 0);
    assert_int_equal(hb_decryptor_open(f->engine, &f->f.secret, limbs, 1, &decryptor), HB_OK);
    assert_int_equal(hb_batch_alloc(f->engine, &phase, 1, limbs, f->params->ids), HB_OK);
    assert_int_equal(hb_batch_alloc(f->engine, &kept, 1, limbs, f->params->ids), HB_OK);
    assert_int_equal(hb_plaintexts_alloc(&plain, f->engine, f->params, limbs, 1), HB_OK);
    for (size_t i = 0; i < hb_ciphertexts_count(from) && looks; i++) {
        const hb_batch c0 = hb_batch_slice(hb_ciphertexts_component(from, 0), i, 1),
                       c1 = hb_batch_slice(hb_ciphertexts_component(from, 1), i, 1);
        memcpy(kept.data, c1.data, (size_t)limbs * N * sizeof *kept.data); /* which goes on being used */
        assert_int_equal(hb_phase(decryptor, phase, c0, kept), HB_OK);
        assert_int_equal(hb_decrypt(decryptor, plain, phase), HB_OK);
        assert_int_equal(hb_decode(f->f.codec, f->f.values, plain), HB_OK);
        memcpy(f->result + (first + i) * SLOTS, f->f.values.data, SLOTS * sizeof(double));
    }
    hb_batch_free(f->engine, &phase);
    hb_batch_free(f->engine, &plain);
    hb_batch_free(f->engine, &kept);
    hb_decryptor_close(decryptor);
    return HB_OK;
}

static void run(fixture *f)
{
    const size_t batch = 1 + (size_t)draw(f, BLOCKS);
    const hb_runner_setting setting = {f->params, &f->f.keys,   f->program, batch, {load, load_plain, store, f},
                                       NULL,      {NULL, NULL}, NULL,       NULL};
    hb_runner *runner;
    begin_stored(&words, f->program, BLOCKS);
    assert_int_equal(hb_runner_open(f->engine, &setting, NULL, &runner), HB_OK);
    for (uint32_t pass = 0; pass < f->program->pass_count; pass++) {
        for (size_t first = 0; first < BLOCKS; first += batch) {
            const size_t count = BLOCKS - first < batch ? BLOCKS - first : batch;
            if (hb_runner_rows(runner, pass, first, count) != HB_OK) {
                fail_msg("%s: %s", hb_last_error()->text, f->program->text);
            }
        }
        assert_int_equal(hb_runner_totals(runner, pass), HB_OK);
    }
    hb_runner_close(runner);
    run_divided(f->engine, f->params, f->program, setting, BLOCKS, &words);
}

/* Returns by how many bits the largest error is above the bound that is expected; negative: below. */
static double compare(const fixture *f, const term *t)
{
    const hb_output *o = &f->program->outputs[0];
    double error = 0, most = 0;
    for (uint32_t i = 0; i < (t->total ? SLOTS : ROWS); i++) {
        const double slack = 1e-10 * fmax(1, fabs(t->v[i]));
        error = fmax(error, fabs(f->result[i] - t->v[i]));
        most = fmax(most, fabs(t->v[i]));
        if (t->v[i] < o->values.low - slack || t->v[i] > o->values.high + slack) {
            fail_msg("%g is not in %g .. %g: %s", t->v[i], o->values.low, o->values.high, t->text);
        }
    }
    const double bits = -log2(error + 0x1p-200), slack = 1e-12 * fmax(1, most);
    const double worst = hb_quality_bits(f->params, o->limbs, o->quality.worst);
    const double expected = hb_quality_bits(f->params, o->limbs, o->quality.expected);
    if (error > exp2(-worst) + slack) {
        fail_msg("%.1f bits are right, %.1f are proven, %.1f expected: %s", bits, worst, expected, t->text);
    }
    return log2(fmax(error - slack, 0x1p-200)) + expected;
}

typedef struct tally {
    uint32_t done, above, within;
    uint32_t many;  /* of them: of many draws, and so within, if they are; one row is a single one */
    double squares; /* of the bits between errors and expected ones */
} tally;

static tally run_random(fixture *f, uint32_t expressions)
{
    static double result[ALL];
    term *t = malloc(sizeof *t);
    tally of = {0};
    assert_non_null(t);
    for (uint32_t tried = 0; of.done < expressions && tried < 6 * expressions; tried++) {
        static const char *const outputs[] = {"y"};
        char text[2700];
        hb_program program;
        generate(f, t, 1 + (int)(tried % 9));
        snprintf(text, sizeof text, "y = %s", t->text);
        if (strlen(t->text) > 600) { /* cut */
            continue;
        }
        const hb_program_source source = {.text = text,
                                          .params = f->params,
                                          .operands = f->operand,
                                          .operand_count = TABLES,
                                          .outputs = outputs,
                                          .output_count = 1,
                                          .trust = HB_QUALITY_WORST};
        const hb_status st = hb_program_compile(&program, &source);
        if (st == HB_OK) {
            f->program = &program;
            f->result = result;
            run(f);
            const double bits = compare(f, t);
            of.above += bits > hb_quality_margin(f->params);
            of.many += strchr(text, 'Z') == NULL;
            of.within += strchr(text, 'Z') == NULL && fabs(bits) <= 1;
            of.squares += bits * bits;
            of.done++;
        } else if (st != HB_EDATA && st != HB_ECONFIG && strstr(hb_last_error()->text, "transparent") == NULL &&
                   strstr(hb_last_error()->text, "little or nothing is left") == NULL &&
                   strstr(hb_last_error()->text, "nothing encrypted is in it") == NULL) {
            fail_msg("%s: %s", text, hb_last_error()->text);
        }
        hb_program_clear(&program);
    }
    free(t);
    assert_int_equal(of.done, expressions); /* others had no level or no room left */
    return of;
}

static void random_expressions(void **state)
{
    const tally of = run_random(*state, EXPRESSIONS);
    assert_true(of.above < EXPRESSIONS / 50);
    /* Most others are powers of totals, and one draw of values decides how large these are. */
    assert_true(of.within > of.many * 85 / 100);
}

/* Errors of approximations are never above the expected ones, and mostly near them, but their factors may be small
 * where they are largest. */
static void random_functions(void **state)
{
    with_functions = true;
    const tally of = run_random(*state, long_run > 0 ? long_run : EXPRESSIONS / 4);
    with_functions = false;
    assert_true(words.shares > 0 && of.above < of.done / 50);
    if (long_run > 0) {
        print_message("%u programs with functions: %u above what is expected, %u within a bit of it, rms %.2f bits\n",
                      of.done, of.above, of.within, sqrt(of.squares / of.done));
    }
}

/* A number: as many expressions with functions, and their statistics. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_expressions), cmocka_unit_test(random_functions)};
    long_run = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
