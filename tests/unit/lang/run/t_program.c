/* Compiled expressions: instructions, registers, passes, results, keys. */
#include "lang/compile/compact.h"
#include "program_fixture.h"
#include "scheme/slots.h"
#include "unit/unit.h"

static void instructions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t loads, products, relinearizations, passes;
    } cases[] = {
        {"y = a.1 + b", 2, 0, 0, 1},
        {"y = b*d + d*b", 2, 1, 1, 1},                                /* one product */
        {"y = (b + d)*(d + b) + (b + d)^2", 2, 1, 1, 1},              /* the same, as a square */
        {"y = b*d + a.1*b - a.2*d", 4, 3, 1, 1},                      /* relinearized together */
        {"p = b*d; q = p + a.1*d; y = rotate(p, 1) + q", 3, 2, 2, 1}, /* p by itself, then everywhere */
        {"p = b*d; q = p + a.1; y = p*a.2 + q*b", 4, 3, 2, 1},        /* q needs no other one */
        {"y = dot(b, d)", 2, 1, 1, 1},                                /* of the total */
        {"y = sum(b*d) + sum(b)", 2, 1, 1, 1},
        {"y = rowsum(a*a)", 3, 3, 1, 1},
        {"y = rowsum(a*w)", 3, 0, 0, 1},
        {"y = sum(b) + b", 2, 0, 0, 2}, /* loaded again for the second pass */
        {"m = sum(b); y = sum(square(b - m))", 2, 1, 1, 2},
        {"m = sum(b); y = sum(b*m)*sum(b - sum(d*m))", 4, 3, 3, 3},
        {"y = b^2", 1, 1, 1, 1},
        {"y = b^7 + b^4", 1, 4, 4, 1}, /* of b^2, b^3, b^4 for b^7, and of the result */
        {"y = b^15", 1, 6, 6, 1},
        {"z = b^5; y = b", 1, 0, 0, 1}, /* values that are not stored are not computed */
        {"y = -(-b) + 0*1 + 1*d", 2, 0, 0, 1},
    };
    fixture f;
    open_fixture(&f, "bfv-16384", 100000);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_compiles(&f, cases[i].text);
        const hb_program *p = &f.program;
        if (count_of(p, HB_OP_LOAD) != cases[i].loads || count_of(p, HB_OP_MULTIPLY) != cases[i].products ||
            count_of(p, HB_OP_RELINEARIZE) != cases[i].relinearizations || p->pass_count != cases[i].passes) {
            fail_msg("%s: %u loads, %u products, %u relinearizations, %u passes", cases[i].text,
                     count_of(p, HB_OP_LOAD), count_of(p, HB_OP_MULTIPLY), count_of(p, HB_OP_RELINEARIZE),
                     p->pass_count);
        }
        const bool listed = p->keys.count > 0 && p->keys.request[0].source == HB_FROM_SQUARE;
        assert_int_equal(listed, cases[i].relinearizations > 0);
    }
    close_fixture(&f);
}

/* Each key once, for the highest level at which it is used. */
static void keys(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t square, rotation; /* limbs below those of fresh ciphertexts */
    } cases[] = {
        {"y = modswitch(b)*modswitch(d) + rotate(modswitch(b), 3)", 1, 1},
        {"y = modswitch(b)*modswitch(d) + rotate(modswitch(b), 3); z = b*d", 0, 1},
        {"y = rotate(rotate(b, 3)*modswitch(d), 3)", 1, 0},
    };
    fixture f;
    open_fixture(&f, "bfv-16384", 100000);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const outputs[] = {"y", "z"};
        const hb_program_source source = {.text = cases[i].text,
                                          .params = f.params,
                                          .operands = f.operand,
                                          .operand_count = OPERANDS,
                                          .outputs = outputs,
                                          .output_count = i == 1 ? 2 : 1,
                                          .trust = HB_QUALITY_WORST};
        hb_program_clear(&f.program);
        assert_int_equal(hb_program_compile(&f.program, &source), HB_OK);
        const hb_key_requests *requests = &f.program.keys;
        assert_int_equal(requests->count, 2);
        assert_int_equal(requests->request[0].source, HB_FROM_SQUARE);
        assert_int_equal(requests->request[0].limbs, f.params->data_limbs - cases[i].square);
        assert_int_equal(requests->request[1].step, 3);
        assert_int_equal(requests->request[1].limbs, f.params->data_limbs - cases[i].rotation);
    }
    hb_key_requests requests = {.count = 0};
    const uint32_t limbs[] = {3, 5, 4, 0, 2}, most[] = {3, 5, 5, 0, 0};
    for (size_t i = 0; i < sizeof limbs / sizeof *limbs; i++) {
        assert_int_equal(
            hb_key_requests_add(
                &requests,
                (hb_key_request){.source = HB_FROM_AUTOMORPHISM, .element = 3, .step = 1, .limbs = limbs[i]}),
            HB_OK);
        assert_int_equal(requests.count, 1);
        assert_int_equal(requests.request[0].limbs, most[i]);
    }
    assert_int_equal(hb_key_requests_add(&requests, (hb_key_request){.source = HB_FROM_SQUARE, .limbs = 1}), HB_OK);
    assert_int_equal(requests.count, 2);
    hb_key_requests_clear(&requests);
    close_fixture(&f);
}

/* Many columns take few registers: each is finished before the next one is loaded. */
static void registers(void **state)
{
    (void)state;
    enum { COLUMNS = 200 };
    fixture f;
    open_fixture(&f, "bfv-16384", 100000);
    hb_column columns[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) {
        columns[i] = (hb_column){.name = (char *)""};
    }
    f.schema[A].columns = COLUMNS;
    f.schema[A].named = false;
    f.schema[A].column = columns;
    assert_compiles(&f, "y = a*b - a + 3");
    assert_int_equal(count_of(&f.program, HB_OP_LOAD), COLUMNS + 1);
    assert_int_equal(count_of(&f.program, HB_OP_STORE), COLUMNS);
    assert_in_range(f.program.register_count, 3, 4); /* b, a column, their product, the result */
    assert_compiles(&f, "y = rowsum(a*a)");
    assert_in_range(f.program.register_count, 3, 4);
    assert_compiles(&f, "s = sum(a); y = sum(a*a) - s*s");
    uint32_t rows = 0;
    for (uint32_t i = 0; i < f.program.register_count; i++) {
        rows += !f.program.registers[i].total;
    }
    assert_in_range(rows, 2, 3);
    /* Rotations of one value stand side by side. */
    assert_compiles(&f, "y = rotate(b,1) + 2*rotate(b,2) + 3*rotate(b,-3)*rotate(b, 1)");
    const hb_instruction *row = f.program.passes[0].rows;
    for (uint32_t i = 0; i < f.program.passes[0].row_count; i++) {
        if (row[i].op == HB_OP_ROTATE) {
            assert_true(row[i + 1].op == HB_OP_ROTATE && row[i + 2].op == HB_OP_ROTATE);
            assert_true(row[i].a == row[i + 1].a && row[i].a == row[i + 2].a);
            break;
        }
    }
    assert_int_equal(count_of(&f.program, HB_OP_ROTATE), 3);
    close_fixture(&f);
}

static void polynomials(void **state)
{
    (void)state;
    static const struct {
        uint32_t degree, products, depth;
    } cases[] = {{1, 0, 0},  {2, 1, 1},  {3, 2, 2},   {4, 3, 2},   {5, 3, 3},    {6, 4, 3},
                 {7, 4, 3},  {8, 5, 3},  {9, 5, 4},   {12, 6, 4},  {15, 7, 4},   {16, 8, 4},
                 {17, 8, 5}, {23, 9, 5}, {31, 11, 5}, {63, 16, 6}, {127, 24, 7}, {255, 33, 8}};
    fixture f;
    open_fixture(&f, "bfv-32768", 100000);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048], *at = text + sprintf(text, "y = poly(b");
        for (uint32_t c = 0; c <= cases[i].degree; c++) {
            at += sprintf(at, ",%u", c * c % 251 + 1 + c);
        }
        strcpy(at, ")");
        assert_compiles(&f, text);
        assert_int_equal(f.program.products, cases[i].products);
        assert_int_equal(f.program.depth, cases[i].depth);
    }
    /* Sparse: only the powers that are there. */
    assert_compiles(&f, "y = poly(b, 1, 0, 0, 0, 0, 0, 0, 0, 5)");
    assert_int_equal(f.program.products, 3);
    assert_compiles(&f, "y = poly(b, 0, 3, 0, 0)");
    assert_int_equal(f.program.products, 0);
    assert_int_equal(compile(&f, "y = poly(b, 3, 0, 0)"), HB_EUSAGE);
    assert_int_equal(compile(&f, "y = poly(b, d)"), HB_EUSAGE);
    close_fixture(&f);
}

static void results(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t rows, columns;
        uint32_t rank;
        const char *name; /* of the first column; NULL: they have none */
        bool is_signed, dirty_padding;
    } cases[] = {
        {"y = a", 100000, 3, 2, "x", false, false},
        {"y = a.y_1*3", 100000, 1, 2, "y", false, false},
        {"y = a.\"odd name\"", 100000, 1, 2, "y", true, false},
        {"y = a + b", 100000, 3, 2, "x", false, false},
        {"y = a*w", 100000, 3, 2, "x", false, false},
        {"y = e + a", 100000, 3, 2, NULL, false, false},
        {"y = b*b", 100000, 1, 1, "y", false, false},
        {"y = b - 300", 100000, 1, 1, "y", true, false},
        {"y = square(b - 300)", 100000, 1, 1, "y", false, false}, /* known not to be negative */
        {"y = d*2", 100000, 1, 1, "y", true, false},
        {"y = rotate(b, 1)", 100000, 1, 1, "y", false, true},
        {"y = sum(a)", 1, 3, 2, "x", false, true},
        {"y = sum(a.x)", 1, 1, 2, "y", false, true},
        {"y = rowsum(a)", 100000, 1, 1, "y", true, false},
        {"y = sum(b)*b", 100000, 1, 1, "y", false, false},
        {"y = sum(b) + b", 100000, 1, 1, "y", false, true},
    };
    fixture f;
    open_fixture(&f, "bfv-16384", 100000);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_compiles(&f, cases[i].text);
        const hb_output *o = &f.program.outputs[0];
        assert_string_equal(o->name, "y");
        assert_int_equal(o->at, 1);
        assert_int_equal(o->schema.rows, cases[i].rows);
        assert_int_equal(o->schema.columns, cases[i].columns);
        assert_int_equal(o->schema.rank, cases[i].rank);
        assert_int_equal(o->schema.width, 8);
        assert_int_equal(o->schema.named, cases[i].name != NULL);
        assert_string_equal(o->schema.column[0].name, cases[i].name != NULL ? cases[i].name : "");
        assert_int_equal(o->schema.column[0].is_signed, cases[i].is_signed);
        assert_int_equal(o->dirty_padding, cases[i].dirty_padding);
        assert_int_equal(o->total, cases[i].rows == 1);
    }
    close_fixture(&f);
}
/* No rows at all: everything but a sum. */
static void empty(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "bfv-8192", 0);
    assert_compiles(&f, "y = a*3 + b*d - rotate(b, 1)");
    assert_int_equal(f.program.rows, 0);
    assert_int_equal(compile(&f, "y = sum(b)"), HB_EUSAGE);
    close_fixture(&f);
}

static void hostile(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "bfv-8192", 1000);
    char *text = malloc(1 << 17), *at = text;
    assert_non_null(text);
    /* each sum inside another value with rows: as many passes */
    at += sprintf(at, "s = b");
    for (int i = 0; i < 150; i++) {
        at += sprintf(at, "; s = b - sum(s)");
    }
    assert_int_equal(compile(&f, text), HB_EUSAGE);
    assert_non_null(strstr(hb_last_error()->text, "more than 100 passes"));
    /* a long chain is no deep one */
    at = text + sprintf(text, "y = b");
    for (int i = 1; i < 5000; i++) {
        at += sprintf(at, "+%d*d", i);
    }
    assert_compiles(&f, text);
    /* rows of earlier passes again and again */
    at = text + sprintf(text, "x0 = b");
    for (int i = 1; i < 90; i++) {
        at += sprintf(at, "; x%d = x%d + sum(x%d)", i, i - 1, i - 1);
    }
    const hb_status st = compile(&f, text);
    assert_true(st == HB_OK || st == HB_EDATA);
    free(text);
    close_fixture(&f);
}

/* One value under several names, and a part of it: each result is brought down by itself, all columns of it alike. */
static void compact_by_several_names(void **state)
{
    (void)state;
    static const char *const sets[][4] = {
        {"y"}, {"z"}, {"part"}, {"part", "y"}, {"y", "part", "z"}, {"z", "y", "part"}};
    const char *text = "y = a + 1; z = y; part = y.1";
    for (int bits = 20; bits <= 60; bits += 40) {
        fixture f;
        uint32_t limbs = 0;
        open_fixture(&f, "bfv-8192", 1000);
        for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
            uint32_t count = 0;
            while (count < 4 && sets[i][count] != NULL) {
                count++;
            }
            const hb_program_source source = {.text = text,
                                              .params = f.params,
                                              .operands = f.operand,
                                              .operand_count = OPERANDS,
                                              .outputs = sets[i],
                                              .output_count = count,
                                              .compact = bits,
                                              .trust = HB_QUALITY_WORST};
            hb_program_clear(&f.program);
            assert_int_equal(hb_program_compile(&f.program, &source), HB_OK);
            limbs = i == 0 ? f.program.outputs[0].limbs : limbs;
            assert_true(limbs < f.params->data_limbs);
            for (uint32_t o = 0; o < count; o++) {
                assert_int_equal(f.program.outputs[o].limbs, limbs);
            }
            for (uint32_t k = 0; k < f.program.passes[0].row_count; k++) {
                const hb_instruction *in = &f.program.passes[0].rows[k];
                if (in->op == HB_OP_STORE) { /* a file has one level */
                    assert_int_equal(f.program.registers[in->a].limbs, limbs);
                }
            }
        }
        close_fixture(&f);
    }
}

/* Compiles for results `y` and `z`, or the first alone, that keep so many bits; returns y. */
static const hb_output *compile_compact(fixture *f, const char *text, uint32_t outputs, double bits)
{
    static const char *const names[] = {"y", "z"};
    const hb_program_source source = {.text = text,
                                      .params = f->params,
                                      .operands = f->operand,
                                      .operand_count = OPERANDS,
                                      .outputs = names,
                                      .output_count = outputs,
                                      .compact = bits,
                                      .trust = HB_QUALITY_WORST};
    hb_program_clear(&f->program);
    if (hb_program_compile(&f->program, &source) != HB_OK) {
        fail_msg("%s: %s", text, hb_last_error()->text);
    }
    return &f->program.outputs[0];
}

/* A total that merges has the bound that it has by itself: no other result makes it better or worse. */
static void assert_same_alone(fixture *f, const char *text, double bits)
{
    const hb_output with = *compile_compact(f, text, 2, bits), *alone = compile_compact(f, text, 1, bits);
    assert_true(with.summed_limbs > 0 && with.summed_limbs == alone->summed_limbs && with.limbs == alone->limbs);
    if (with.quality.worst != alone->quality.worst || with.quality.expected != alone->quality.expected) {
        fail_msg("%s: the bound of y is 2^%.17g, and that of y alone 2^%.17g", text, with.quality.worst,
                 alone->quality.worst);
    }
}

/* Slots of totals that are only stored are summed together; else each by itself. Keys have the level of that. */
static void sums_of_slots_merge(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t outputs, summed; /* sums of slots one by one */
        bool merges;
    } cases[] = {
        {"y = (sum(b), sum(d), sum(b) + 0, sum(a.1))", 1, 0, true},
        {"y = (sum(d), 2*sum(b) - 3*sum(d), -sum(b) + sum(a.1), 7*sum(a.2))", 1, 0, true},
        {"y = (sum(b) + 5, sum(b) - 5, 3*sum(b))", 1, 0, true},
        {"y = (dot(b, d), sum(b))", 1, 0, true},
        {"y = (sum(b), sum(d)); z = (sum(a.1), sum(d) - sum(b))", 2, 0, true},
        {"y = (sum(b), sum(d)); z = (sum(a.1), sum(a.2)*sum(a.2))", 2, 2, true}, /* not those of z */
        {"y = (sum(b), sum(d)); z = b - sum(b)", 2, 2, false}, /* read with rows: stays, and so does y */
        {"y = (sum(b), sum(d)); z = (sum(a.1), sum(d)*sum(d))", 2, 3, false},
        {"y = sum(b)", 1, 1, false},
    };
    fixture f;
    open_fixture(&f, "bfv-16384", 100000);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hb_output *y = compile_compact(&f, cases[i].text, cases[i].outputs, HB_COMPACT_AUTO);
        const hb_program *p = &f.program;
        if (count_of(p, HB_OP_SUM_SLOTS) != cases[i].summed || (y->summed_limbs > 0) != cases[i].merges) {
            fail_msg("%s: %u sums of slots, merged in %u limbs", cases[i].text, count_of(p, HB_OP_SUM_SLOTS),
                     y->summed_limbs);
        }
        if (!cases[i].merges || cases[i].summed > 0) {
            continue;
        }
        assert_true(hb_quality_bits(f.params, y->limbs, y->quality.worst) >= HB_COMPACT_PACKED);
        assert_true(y->packed && y->reversed && y->limbs <= y->summed_limbs && y->summed_limbs < y->computed_limbs);
        uint32_t next = 0, swaps = 0;
        for (uint32_t k = 0; k < p->passes[0].total_count; k++) {
            const hb_instruction *in = &p->passes[0].totals[k];
            if (in->op == HB_OP_STORE && in->operand == 0) {
                assert_int_equal(in->column, next++); /* mergers take them in order */
            }
        }
        assert_int_equal(next, y->schema.columns);
        for (uint32_t k = 0; k < p->keys.count; k++) {
            const hb_key_request *key = &p->keys.request[k];
            swaps += key->element == hb_slots_swap(&f.params->spec);
            assert_true(key->source == HB_FROM_SQUARE || key->limbs == y->summed_limbs);
        }
        assert_int_equal(swaps, 1);
    }
    close_fixture(&f);
}

/* Where a result cannot be packed, all are packed once more. */
static void merged_bounds_of_rounds(void **state)
{
    (void)state;
    static const char both[] = "y = (sum(b), sum(d), sum(a.1)); z = (sum((b*d)^16), sum((b*d)^17))";
    fixture f;
    open_fixture(&f, "bfv-16384", 100000);
    for (double bits = 20; bits <= 100; bits += 10) {
        assert_same_alone(&f, both, bits);
    }
    compile_compact(&f, both, 2, 60);
    assert_true(f.program.outputs[0].summed_limbs >
                f.program.outputs[0].limbs); /* slots merge above the lowest level */
    assert_false(f.program.outputs[1].packed);
    assert_same_alone(&f, "y = (sum(b), sum(d)); z = (sum(a.1), sum(a.2)*sum(a.2))", HB_COMPACT_AUTO);
    close_fixture(&f);
}

HB_UNIT(program)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(instructions),
                                       cmocka_unit_test(keys),
                                       cmocka_unit_test(registers),
                                       cmocka_unit_test(polynomials),
                                       cmocka_unit_test(results),
                                       cmocka_unit_test(empty),
                                       cmocka_unit_test(hostile),
                                       cmocka_unit_test(compact_by_several_names),
                                       cmocka_unit_test(sums_of_slots_merge),
                                       cmocka_unit_test(merged_bounds_of_rounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
