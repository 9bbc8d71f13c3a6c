/* Expressions that are refused or warned of: shapes, levels, noise, ranges. */
#include "program_fixture.h"
#include "unit/unit.h"

/* part: of the message; NULL: the expression compiles. */
typedef struct refusal {
    const char *text, *part;
} refusal;

static void check_all(const refusal *cases, size_t count)
{
    fixture f;
    open_fixture(&f, "bfv-16384", 100000);
    for (size_t i = 0; i < count; i++) {
        const hb_status st = compile(&f, cases[i].text);
        if (st != (cases[i].part == NULL ? HB_OK : HB_EUSAGE)) {
            fail_msg("'%s': %d, '%s'", cases[i].text, st, hb_last_error()->text);
        }
        const char *text = hb_last_error()->text;
        if (cases[i].part != NULL && strstr(text, cases[i].part) == NULL) {
            fail_msg("'%s' is not in '%s'", cases[i].part, text);
        }
    }
    close_fixture(&f);
}

static void names_and_shapes(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"y = a + c", "character 9 of 'y = a + c': nothing is bound to 'c'"},
        {"total = b + 1; y = b*totl", "nothing is bound to 'totl'; did you mean total?"},
        {"y = b*p", "character 7 of 'y = b*p': nothing is bound to 'p'; it is a column of packed: write packed.p"},
        {"y = turned + a", "character 12 of 'y = turned + a': both sides have the same columns in another order, 'y_1' "
                           "where the other has 'x'; pick them by name"},
        {"y = dot(a, turned)", "character 5 of 'y = dot(a, turned)': both sides have the same columns"},
        {"y = a.x + turned.x", NULL},
        {"y = turned + e", NULL},
        {"y = shortone", "nothing is bound to 'shortone'; did you mean short_one?"},
        {"y = b + short_one", "character 9 of 'y = b + short_one': short_one has 100001 rows, and b has 100000"},
        {"y = b*x_plain",
         "character 6 of 'y = b*x_plain': x_plain has 100007 rows, and b has 100000; expected as many"},
        {"z = rowsum(a)\ny = a + (z + w)*e - a.1*b", NULL},
        {"y = a.4", "character 7 of 'y = a.4': there is no column 4; it has 3"},
        {"y = a.y1", "character 7 of 'y = a.y1': there is no column 'y1'; did you mean y_1?"},
        {"y = b.x", "character 7 of 'y = b.x': its columns have no names"},
        {"y = packed + 1", "character 5 of 'y = packed + 1': packed was encrypted row by row"},
        {"y = b + coefficients",
         "character 9 of 'y = b + coefficients': coefficients is encoded in coefficients, and b in slots"},
        {"y = coefficients*coefficients",
         "character 17 of 'y = coefficients*coefficients': a product of values acts on"},
        {"y = coefficients*v", "character 17 of 'y = coefficients*v': a product with a table acts on slots"},
        {"y = rotate(coefficients, 1)", "a rotation acts on slots"},
        {"y = swap(coefficients)", "a swap of rows acts on slots"},
        {"y = sum(coefficients)", "a sum of rows acts on slots"},
        {"y = 2*coefficients + v - 3", NULL},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

static void results_that_are_no_secret(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"y = 0*b", "character 6 of 'y = 0*b': nothing encrypted is left here: this is 0 whatever is encrypted"},
        {"y = b - b", "character 7 of 'y = b - b': nothing encrypted is left"},
        {"y = 3*b - b - 2*b + 1", "character 13 of 'y = 3*b - b - 2*b + 1': nothing encrypted is left"},
        {"y = v*(b + d) - v*b - v*d", "character 21 of"},
        {"y = b*b - b*b", "character 9 of"},
        {"y = modswitch(b) - b", "character 18 of 'y = modswitch(b) - b': nothing encrypted is left here: this is 0"},
        {"y = modswitch(b) - b + d", NULL},
        {"y = b*b - b*b + d", NULL},
        {"y = (b + d) - (d + b + 4)", "this is -4 whatever is encrypted"},
        {"y = b < 300",
         "this is 1 whatever is encrypted, and everyone could read the result (a transparent ciphertext, "
         "which is refused); 'b < 300' is always true"},
        {"y = b < 100 and (b > 200 or b == 150)", "is never true"},
        {"y = b in (0..90, 200) or not b between 91 and 199 or b between 80 and 220", "is always true"},
        {"y = max(b, b + 4) - b", "this is 4 whatever is encrypted"},
        {"y = max(b, 256) + 0.5", "this is 256.5 whatever is encrypted"},
        {"y = rotate(b < 300, 1)", "nothing encrypted is left here: everyone could read the result"},
        {"y = mean(b where b > 300)", NULL},
        {"y = (sum(b where b > 300), sum(b))", NULL},
        {"y = (sum(b), count(b < 300))", NULL},
        {"y = count(b > 300)", NULL},
        {"y = count(b < 300)", NULL},
        {"y = fetch(b where b > 300, 2)", NULL},
        {"y = 3 - 3*1", "character 1 of 'y = 3 - 3*1': nothing is encrypted in y"},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

static void plain_values_and_constants(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"y = v + w", "character 7 of 'y = v + w': the values of the plain table v are not known here"},
        {"y = -v", "character 5 of 'y = -v': the values of the plain table v are not known here"},
        {"y = v", "character 1 of 'y = v': nothing is encrypted in y"},
        {"y = conv(w, b, 2, 2)", "there is no function 'conv': images are convolved as reals"},
        {"y = sum(3)", "sum works on encrypted values, and this is a number"},
        {"y = b*786433", "character 7 of 'y = b*786433': the constant is not between -786432 and 786432"},
        {"y = rotate(b, 1.5)", "constants are integers here; decimals are added, multiplied and compared"},
        {"y = b == 1.5", "no value of the column is equal to a number with so many digits behind the point"},
        {"y = 0.0000000000000000001*b", "the constant has more than 18 digits behind the point"},
        {"y = 0.00001*b*0.00001*b*0.000000001*b", "the product has more than 18 digits behind the point"},
        {"y = 'x'", "a text is no value by itself: it stands for one of the column beside it"},
        {"y = 'x' == 'y'", "a text stands for a value of the column beside it, and here is none"},
        {"y = 'x'*b", "a text stands for a value of the column beside it, and here is none"},
        {"y = b and 'x'", "and takes conditions"},
        {"y = where('x', b, 2)", "where takes conditions, and this is a text"},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

static void aggregates(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"y = mean(b)", NULL},
        {"y = mean(b) + 1", "character 13 of 'y = mean(b) + 1': means are worked out when they are"},
        {"y = cols(b, sum(b))", "columns of a result all have rows, or all are totals of one row"},
        {"y = (b, 3)", "character 5 of 'y = (b, 3)': columns of a result are encrypted values"},
        {"y = count()", "character 1 of 'y = count()': the number of rows is no secret"},
        {"n = count(); y = b*n", NULL}, /* a number that has a name */
        {"y = (sum(b), count())", NULL},
        {"y = count(b)", NULL},
        {"y = sum(b where b)", "where takes conditions, which are 0 or 1"},
        {"y = sum(3 where b == 1)", "sum(x where c) takes columns in front of where; count(c) counts rows"},
        {"y = groupby(b*b, count())", "groups need those of up to 1024: too many to tell apart"},
        {"y = groupby(sum(b), count())", "the values of key 1 are"},
        {"y = groupby(3, count())", "the key of groups is a column"},
        {"y = groupby(v, count())", "the values of the plain table v are not known here"},
        {"y = histogram(b, 0..5, 5..9)", "bins 1 and 2 have a value in common, and a row is in one bin alone"},
        {"y = groupby(b, 1..3, 7, 2, count())", "groups 1 and 3 have a value in common"},
        {"y = histogram(b*b, 0..9)", "and bins need those of up to 1024: too many to tell apart, whatever bins"},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

static void exponents_steps_and_levels(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"y = conj(b)", "character 5 of 'y = conj(b)': BFV has no conjugation"},
        {"y = b*(1000*1000)", "character 12 of 'y = b*(1000*1000)': the constant is not between"},
        {"y = b*(2000000*2000000*2000000)", "the constant is not between"},
        {"y = b^0", "character 6 of 'y = b^0': expected a constant exponent from 1"},
        {"y = b^(1-2)", "expected a constant exponent from 1"},
        {"y = b^1000000", "expected a constant exponent from 1 to 65536"},
        {"y = b^70000", "expected a constant exponent from 1 to 65536"},
        {"y = rotate(b, 8192)", "character 5 of 'y = rotate(b, 8192)': a rotation by 8192"},
        {"y = rotate(b, d)", "the step of a rotation is a constant integer"},
        {"b = a", "character 1 of 'b = a': b is bound to an input"},
        {"y = modswitch(modswitch(modswitch(modswitch(modswitch(modswitch(modswitch(modswitch(b))))))))",
         "there is no level below this one"},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

static void outputs(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "bfv-16384", 100000);
    const char *const unknown[] = {"z"}, *const read[] = {"b"};
    hb_program_source source = {.text = "y = b",
                                .params = f.params,
                                .operands = f.operand,
                                .operand_count = OPERANDS,
                                .outputs = unknown,
                                .output_count = 1,
                                .trust = HB_QUALITY_WORST};
    assert_int_equal(hb_program_compile(&f.program, &source), HB_EUSAGE);
    assert_non_null(strstr(hb_last_error()->text, "assigns nothing to 'z'"));
    hb_program_clear(&f.program);
    source.outputs = read;
    assert_int_equal(hb_program_compile(&f.program, &source), HB_EUSAGE);
    hb_program_clear(&f.program);
    source.output_count = 0;
    assert_int_equal(hb_program_compile(&f.program, &source), HB_EUSAGE);
    close_fixture(&f);
}

static void levels(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "bfv-16384", 100000);
    assert_compiles(&f, "y = b + low");
    assert_int_equal(count_of(&f.program, HB_OP_MOD_SWITCH), 1);
    assert_int_equal(f.program.outputs[0].limbs, f.params->data_limbs - 1);
    assert_compiles(&f, "z = b*low; y = modswitch(b)*low + z"); /* the same node */
    assert_int_equal(count_of(&f.program, HB_OP_MOD_SWITCH), 1);
    assert_int_equal(count_of(&f.program, HB_OP_MULTIPLY), 1);
    assert_compiles(&f, "y = modswitch(modswitch(b*d)) + low");
    assert_int_equal(count_of(&f.program, HB_OP_MOD_SWITCH), 3);
    assert_int_equal(f.program.outputs[0].limbs, f.params->data_limbs - 2);
    close_fixture(&f);
}

static void noise(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "bfv-4096", 1000);
    assert_compiles(&f, "y = b + d");
    assert_int_equal(f.program.description.note_count, 1);
    assert_true(f.program.description.notes[0].worst > 0 &&
                f.program.description.notes[0].worst <= f.program.description.notes[0].expected);
    assert_string_equal(f.program.description.notes[0].text, "y = b + d");
    assert_compiles(&f, "z = 3*b + d; y = modswitch(-z) + 1"); /* nearest to its end is -z, switched */
    assert_int_equal(f.program.description.note_count, 2);
    assert_string_equal(f.program.description.notes[0].text, "y = modswitch(-z) + 1");
    assert_string_equal(f.program.description.notes[1].text, "z = 3*b + d");
    assert_true(f.program.description.notes[0].limbs == 1 &&
                f.program.description.notes[0].worst <= f.program.description.notes[1].worst);
    assert_int_equal(compile(&f, "z = b + d; y = 3 + (z*b)^2"), HB_EDATA);
    const char *text = hb_last_error()->text;
    assert_non_null(
        strstr(text, "character 22 of 'z = b + d; y = 3 + (z*b)^2': no noise budget is left after (z*b): "));
    assert_non_null(strstr(text, "; bfv-8192 would do; hebatch params suggest looks for others"));
    assert_int_equal(compile(&f, "y = b^60000"), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "; int-16 would do, by bootstrapping; hebatch params suggest looks"));
    close_fixture(&f);
    /* The preset that is named does. */
    char named[32];
    open_fixture(&f, "bfv-8192", 1000);
    assert_int_equal(compile(&f, "y = b^32"), HB_EDATA);
    assert_int_equal(sscanf(strstr(hb_last_error()->text, "; bfv-"), "; %31s", named), 1);
    close_fixture(&f);
    assert_string_equal(named, "bfv-16384");
    open_fixture(&f, named, 1000);
    assert_compiles(&f, "y = b^32");
    close_fixture(&f);
}

static void assert_warns(fixture *f, const char *text, uint32_t count, const char *part)
{
    assert_compiles(f, text);
    if (f->program.description.warning_count != count ||
        (count > 0 && strstr(f->program.description.warnings[count - 1], part) == NULL)) {
        fail_msg("%s: %u warnings, %s", text, f->program.description.warning_count,
                 f->program.description.warning_count > 0
                     ? f->program.description.warnings[f->program.description.warning_count - 1]
                     : "");
    }
}

/* Ranges of single columns, and of the others. */
static void column_ranges(void **state)
{
    (void)state;
    fixture f;
    hb_range *ranges = NULL;
    uint32_t count = 0;
    hb_interval columns[3];
    open_fixture(&f, "bfv-16384", 1000);
    f.schema[A].width = 8;
    assert_int_equal(hb_ranges_parse("a.\"odd name\"=-5..7,a.1=0..1,a=100..200,b=0..9", &ranges, &count), HB_OK);
    assert_int_equal(hb_ranges_apply(ranges, count, &f.operand[A], columns), HB_OK);
    assert_string_equal(hb_ranges_stranger(ranges, count, f.operand, 1), "b");
    assert_null(hb_ranges_stranger(ranges, count, f.operand, OPERANDS));
    assert_compiles(&f, "y = a.3 + a.x");
    assert_true(f.program.outputs[0].least == -5 && f.program.outputs[0].most == 8);
    assert_compiles(&f, "y = a.y_1");
    assert_true(f.program.outputs[0].least == 100 && f.program.outputs[0].most == 200);
    assert_true(!f.program.outputs[0].schema.column[0].is_signed);
    hb_ranges_free(ranges, count);
    /* one that is not known among others that are */
    f.operand[A].ranged = false;
    columns[1].known = false;
    assert_warns(&f, "y = a*2", 1,
                 "not known of a.y_1, so results may wrap around mod t = 786433 unseen; to have it checked: "
                 "--range a.y_1=LEAST..MOST");
    assert_warns(&f, "y = a*200000", 2,
                 "y.\"odd name\" may leave the plain range: the values can be -1000000 .. 1400000");
    assert_warns(&f, "y = a*786432 + 1", 2,
                 "y.x and 1 more column may leave the plain range: the values can be -3932159 .. 5505025");
    static const char *const wrong[] = {"a.4=1..2", "a.z=1..2", "a.1=1..2,a.x=1..2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(hb_ranges_parse(wrong[i], &ranges, &count), HB_OK);
        assert_int_equal(hb_ranges_apply(ranges, count, &f.operand[A], columns), HB_EUSAGE);
        hb_ranges_free(ranges, count);
    }
    close_fixture(&f);
}

/* Ranges of decimals are shown as decimals, for every scale. */
static void decimal_ranges(void **state)
{
    (void)state;
    static const struct {
        const char *range;
        int64_t least, most; /* of twice the column */
    } good[] = {{"a.y_1=-3..20", -600, 4000}, {"a=1..2", 200, 400}};
    static const char *const long_end = /* 2^300 */
        "2037035976334486086268445688409378161051468393665936250636140449354381299763336706183397376";
    char far[128];
    fixture f;
    hb_range *ranges = NULL;
    uint32_t count = 0;
    hb_interval columns[3];
    open_fixture(&f, "bfv-16384", 1000);
    f.schema[A].width = 8;
    f.schema[A].column[1].meaning.scale = 100;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(hb_ranges_parse(good[i].range, &ranges, &count), HB_OK);
        assert_int_equal(hb_ranges_apply(ranges, count, &f.operand[A], columns), HB_OK);
        assert_compiles(&f, "y = 2*a.y_1");
        assert_int_equal(f.program.outputs[0].least, good[i].least);
        assert_int_equal(f.program.outputs[0].most, good[i].most);
        hb_ranges_free(ranges, count);
    }
    snprintf(far, sizeof far, "a.y_1=0..%.90s", long_end);
    assert_int_equal(hb_ranges_parse(far, &ranges, &count), HB_OK);
    assert_int_equal(hb_ranges_apply(ranges, count, &f.operand[A], columns), HB_EUSAGE);
    hb_ranges_free(ranges, count);
    f.schema[A].column[1].meaning.scale = 1;
    close_fixture(&f);
}

static void matching(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "bfv-16384", 1000);
    assert_warns(&f, "y = a + e", 1,
                 "columns are matched by position (character 7): 'x' with 'p', 'y_1' with 'q', 'odd name' "
                 "with 'r'");
    assert_warns(&f, "y = a + e + a*e", 1, "matched by position (character 7)"); /* once */
    assert_warns(&f, "y = a.x + e.p", 0, NULL);
    assert_warns(&f, "y = a*2 + a", 0, NULL);
    assert_warns(&f, "y = a*w + b", 0, NULL);
    close_fixture(&f);
}

static void warnings(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "bfv-16384", 1000); /* t = 786433; b in [0, 255], d of 8 bytes */
    assert_warns(&f, "y = b*b*12", 0, "");
    assert_warns(&f, "y = b*b*13", 1,
                 "y may leave the plain range: the values can be 0 .. 845325, and mod t = 786433 "
                 "there are 0 .. 786432; others wrap around; hebatch params suggest finds a "
                 "t that holds it");
    assert_warns(&f, "y = b*b*6 - 1", 0, "");
    assert_warns(&f, "y = -b*b*7", 1, "can be -455175 .. 0, and mod t = 786433 there are -393216 .. 393216");
    assert_warns(&f, "y = 786432*b - 786431*b", 0, ""); /* b */
    assert_warns(&f, "y = 786432*b - 786430*b", 0, "");
    assert_warns(&f, "y = 786432*b - 700000*b", 1, "can be 0 .. 22040160, and");
    assert_warns(&f, "y = sum(b)", 0, "");
    assert_warns(&f, "y = sum(b*b)", 1, "can be 0 .. 65025000");
    assert_warns(&f, "y = sum(b*b) - sum(b*b*2) - sum(b)", 1, "can be -130305000 .. 65025000"); /* of the result */
    assert_warns(&f, "y = b^40", 1,
                 "can be 0 .. more than 2^316, and mod t = 786433 there are 0 .. 786432; others "
                 "wrap around; no t holds that");
    assert_warns(&f, "y = w*b*10", 0, NULL);
    assert_warns(&f, "y = d*b", 1, "the range of values is not known of d, so");
    f.schema[A].width = f.schema[V].width = 8;
    assert_warns(&f, "y = a + d*v", 1,
                 "not known of a, d, v, so results may wrap around mod t = 786433 unseen; to have it "
                 "checked: --range a=LEAST..MOST,d=LEAST..MOST,v=LEAST..MOST");
    assert_warns(&f, "y = a.y_1*b", 1, "not known of a.y_1, so");
    assert_warns(&f, "y = where(b < 300, b, 2*b)", 1,
                 "'b < 300' is always true (character 13), as far as ranges are known");
    assert_int_equal(count_of(&f.program, HB_OP_MULTIPLY) + count_of(&f.program, HB_OP_ADD), 0);
    assert_warns(&f, "y = where(b < 9 or b > 5, b, 2*b)", 1, "'b < 9 or b > 5' is always true (character 17)");
    assert_warns(&f, "y = where(b < 300 and b >= 0, b, 2*b)", 2, "'b >= 0' is always true (character 25)");
    assert_warns(&f, "y = max(b, b + 4)", 0, "");
    assert_int_equal(count_of(&f.program, HB_OP_MULTIPLY), 0);
    assert_warns(&f, "z = b; y = b", 1, "z (character 1) is neither used nor stored");
    assert_warns(&f, "z = 3; c = z - 1; y = where(c > 1, b, 2)", 0, NULL);
    f.operand[D].ranged = true;
    f.operand[D].least = -1000;
    f.operand[D].most = 1000;
    assert_warns(&f, "y = d*b", 0, "");
    assert_warns(&f, "y = d*d*b", 1, "y may leave the plain range: the values can be 0 .. 255000000");
    close_fixture(&f);
}

HB_UNIT(program_refused)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_and_shapes),
                                       cmocka_unit_test(results_that_are_no_secret),
                                       cmocka_unit_test(plain_values_and_constants),
                                       cmocka_unit_test(aggregates),
                                       cmocka_unit_test(exponents_steps_and_levels),
                                       cmocka_unit_test(outputs),
                                       cmocka_unit_test(levels),
                                       cmocka_unit_test(noise),
                                       cmocka_unit_test(column_ranges),
                                       cmocka_unit_test(decimal_ranges),
                                       cmocka_unit_test(matching),
                                       cmocka_unit_test(warnings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
