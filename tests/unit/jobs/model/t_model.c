/* Models from files: statements, tables, ranges, how columns are found, and what is refused. */
#include "unit/scratch.h"

#include <math.h>

#include "model/model.h"

static char path[96];

static hb_status read_text(hb_model *model, const char *text)
{
    snprintf(path, sizeof path, "%s/net.json", scratch_folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return hb_model_read(model, path);
}

static const char network[] = "{\"kind\": \"network\", \"inputs\": [\"age\", \"dose\"], \"layers\": ["
                              "{\"weights\": [[0.5, -1], [2, 0], [1, 1]], \"bias\": [1, 0, -2], "
                              "\"activation\": [0.5, 0, 1], \"range\": [1, 8]},"
                              "{\"weights\": [1, -1, 4], \"activation\": \"sigmoid\", \"range\": [-1, 1]}]}";

static const hb_operand *operand(const hb_model *model, const char *name)
{
    for (uint32_t i = 0; i < model->operand_count; i++) {
        if (strcmp(model->operands[i].name, name) == 0) {
            return &model->operands[i];
        }
    }
    fail_msg("there is no %s", name);
    return NULL;
}

/* Rows of zeros without biases are 0.5 behind the first layer, and 2 behind the weights of the second. */
static void test_network(void **state)
{
    (void)state;
    hb_model model;
    assert_int_equal(read_text(&model, network), HB_OK);
    assert_string_equal(model.text, "z1 = W1 @ x + b1\nh1 = poly(z1, 0.5, 0, 1)\nz2 = W2 @ h1\ny = sigmoid(z2)\n");
    assert_int_equal(model.operand_count, 5);
    const hb_operand *w = operand(&model, "W1"), *b = operand(&model, "b1"), *z = operand(&model, "z1");
    assert_true(w->constants && w->schema->rows == 3 && w->schema->columns == 2 && w->cells[1].real == -1);
    assert_true(b->constants && b->schema->rows == 1 && b->schema->columns == 3 && b->cells[2].real == -2);
    assert_true(z->believed && z->values.low == 0 && z->values.high == 8);
    z = operand(&model, "z2");
    assert_true(z->values.low == -1 && fabs(z->values.high - 2.002) < 1e-12);
    hb_model_clear(&model);
}

/* By name in another order, with a column that is not asked for; by position. */
static void test_columns(void **state)
{
    (void)state;
    static char *const names[] = {(char *)"dose", (char *)"other", (char *)"age"};
    hb_column columns[3] = {{.name = names[0]}, {.name = names[1]}, {.name = names[2]}};
    hb_schema x = {.rows = 5, .columns = 3, .named = true, .column = columns};
    hb_model model;
    assert_int_equal(read_text(&model, network), HB_OK);
    uint8_t digest[HB_DIGEST_BYTES];
    memcpy(digest, model.digest, sizeof digest);
    assert_int_equal(hb_model_fit(&model, &x), HB_OK);
    const hb_operand *w = operand(&model, "W1");
    const double expected[] = {-1, 0, 0.5, 0, 0, 2, 1, 0, 1};
    assert_int_equal(w->schema->columns, 3);
    for (size_t i = 0; i < 9; i++) {
        assert_true(w->cells[i].real == expected[i]);
    }
    assert_memory_equal(digest, model.digest, sizeof digest);
    hb_model_clear(&model);

    columns[2].name = names[1];
    assert_int_equal(read_text(&model, network), HB_OK);
    assert_int_equal(hb_model_fit(&model, &x), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "its input age is no column of x"));
    hb_model_clear(&model);

    assert_int_equal(read_text(&model, "{\"kind\": \"logistic\", \"inputs\": 3, \"weights\": [1, 2, 3], \"bias\": 4}"),
                     HB_OK);
    assert_string_equal(model.text, "z1 = W1 @ x + b1\ny = z1\n");
    assert_int_equal(hb_model_fit(&model, &x), HB_OK);
    x.columns = 2;
    assert_int_equal(hb_model_fit(&model, &x), HB_EDATA);
    hb_model_clear(&model);
}

static void test_polynomial(void **state)
{
    (void)state;
    hb_model model;
    assert_int_equal(read_text(&model, "{\"kind\": \"polynomial\", \"inputs\": [\"age\", \"a \\\"b\\\"\"], \"terms\": ["
                                       "{\"coefficient\": -0.5}, {\"coefficient\": 2, \"powers\": {\"age\": 3, "
                                       "\"a \\\"b\\\"\": 1}}]}"),
                     HB_OK);
    assert_string_equal(model.text, "y = -0.5 + 2 * x.\"age\"^3 * x.\"a \"\"b\"\"\"^1\n");
    hb_model_clear(&model);
    assert_int_equal(read_text(&model, "{\"kind\": \"polynomial\", \"inputs\": 4, \"terms\": [{\"coefficient\": 1, "
                                       "\"powers\": {\"4\": 2}}]}"),
                     HB_OK);
    assert_string_equal(model.text, "y = 1 * x.4^2\n");
    hb_model_clear(&model);
}

/* The digest is of what is computed, not of how it is written. */
static void test_digest(void **state)
{
    (void)state;
    hb_model a, b, c;
    assert_int_equal(read_text(&a, "{\"kind\": \"linear\", \"weights\": [1, 2]}"), HB_OK);
    assert_int_equal(read_text(&b, "{\"weights\": [[1.0, 2e0]], \"kind\": \"linear\", \"bias\": [0]}"), HB_OK);
    assert_int_equal(read_text(&c, "{\"kind\": \"linear\", \"weights\": [1, 2.5]}"), HB_OK);
    assert_memory_equal(a.digest, b.digest, sizeof a.digest);
    assert_memory_not_equal(a.digest, c.digest, sizeof a.digest);
    hb_model_clear(&a);
    hb_model_clear(&b);
    hb_model_clear(&c);
}

static void test_files_of_weights(void **state)
{
    (void)state;
    hb_model model;
    char table[96];
    snprintf(table, sizeof table, "%s/w.csv", scratch_folder);
    FILE *file = fopen(table, "w");
    assert_non_null(file);
    assert_true(fputs("a,b\n0.5,1\n-2,3e-3\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(read_text(&model, "{\"kind\": \"linear\", \"weights\": {\"file\": \"w.csv\"}}"), HB_OK);
    const hb_operand *w = operand(&model, "W1");
    assert_true(w->schema->rows == 2 && w->schema->columns == 2 && w->cells[3].real == 3e-3);
    hb_model_clear(&model);
    assert_int_equal(read_text(&model, "{\"kind\": \"linear\", \"weights\": {\"file\": \"none.csv\"}}"), HB_ENOINPUT);
    hb_model_clear(&model);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"[1]", "its \"kind\" is"},
        {"{\"kind\": \"net\"}", "its \"kind\" is"},
        {"{\"kind\": \"linear\"", "line 1"},
        {"{\"kind\": \"linear\", \"weight\": [1]}", "there is no \"weight\" here; did you mean \"weights\"?"},
        {"{\"kind\": \"linear\"}", "weights: expected rows of numbers"},
        {"{\"kind\": \"linear\", \"weights\": []}", "weights: 1 x 0 numbers"},
        {"{\"kind\": \"linear\", \"weights\": [[1, 2], [1]]}", "weights: row 2 has 1 numbers, and the first has 2"},
        {"{\"kind\": \"linear\", \"weights\": [[1, \"2\"]]}", "weights: number 2 of row 1 is no number"},
        {"{\"kind\": \"linear\", \"weights\": [[1], [0]]}", "all weights of output 2 are 0"},
        {"{\"kind\": \"linear\", \"weights\": [1], \"bias\": [1, 2]}", "bias: 2 numbers for 1 outputs"},
        {"{\"kind\": \"linear\", \"weights\": [1], \"activation\": \"step\"}", "activation: expected identity"},
        {"{\"kind\": \"linear\", \"weights\": [1], \"activation\": [1]}", "activation: 1 coefficients"},
        {"{\"kind\": \"linear\", \"weights\": [1], \"range\": [1]}", "range: expected [least, most]"},
        {"{\"kind\": \"linear\", \"weights\": [1], \"range\": [2, 1]}", "the least is above the most"},
        {"{\"kind\": \"linear\", \"weights\": [1], \"inputs\": 2}", "2 inputs, and the first layer has weights for 1"},
        {"{\"kind\": \"linear\", \"weights\": [1, 1], \"inputs\": [\"a\", \"a\"]}", "a is there twice"},
        {"{\"kind\": \"linear\", \"weights\": [1], \"inputs\": -1}", "\"inputs\": expected how many"},
        {"{\"kind\": \"network\", \"layers\": []}", "\"layers\" is a list of 1 to 32"},
        {"{\"kind\": \"network\", \"layers\": [{\"weights\": [1]}, {\"weights\": [1, 2]}]}",
         "layer 2 takes 2 values, and layer 1 gives 1"},
        {"{\"kind\": \"network\", \"layers\": [{\"weights\": [1]}, {\"weights\": [[1], [2, 3]]}]}", "layer 2: weights"},
        {"{\"kind\": \"polynomial\", \"inputs\": 1, \"terms\": []}", "\"terms\" is a list"},
        {"{\"kind\": \"polynomial\", \"inputs\": 1, \"terms\": [{\"coefficient\": 1, \"powers\": {\"2\": 1}}]}",
         "which is no input"},
        {"{\"kind\": \"polynomial\", \"inputs\": 1, \"terms\": [{\"coefficient\": 1, \"powers\": {\"1\": 0}}]}",
         "exponents are integers from 1 to 64"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_model model;
        const hb_status st = read_text(&model, cases[i].text);
        if (st != HB_EDATA || strstr(hb_last_error()->text, cases[i].words) == NULL) {
            fail_msg("%s: %d, %s", cases[i].text, (int)st, st != HB_OK ? hb_last_error()->text : "");
        }
        hb_model_clear(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_network), cmocka_unit_test(test_columns), cmocka_unit_test(test_polynomial),
        cmocka_unit_test(test_digest),  cmocka_unit_test(test_refused), cmocka_unit_test(test_files_of_weights),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
