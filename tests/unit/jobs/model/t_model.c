/* Models from files: statements, tables, ranges, columns, and refusals. */
#include "unit/scratch.h"

#include <hdf5.h>
#include <math.h>

#include "model/model.h"
#include "unit/unit.h"

static char path[96];

static hb_status read_text(hb_model *model, const char *text)
{
    snprintf(path, sizeof path, "%s/net.json", scratch_folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return hb_model_read(model, path, false);
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
    assert_string_equal(model.text, "z1 = W1 @ x + b1 #= layer 1 of the model\n"
                                    "h1 = poly(z1, 0.5, 0, 1) #= layer 1 of the model, a polynomial\n"
                                    "z2 = W2 @ h1 #= layer 2 of the model\n"
                                    "y = sigmoid(z2) #= layer 2 of the model, sigmoid\n");
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
    assert_string_equal(model.text,
                        "z1 = W1 @ x + b1 #= layer 1 of the model\ny = z1 #= layer 1 of the model, identity\n");
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
    assert_string_equal(model.text, "y = -0.5 + 2 * x.\"age\"^3 * x.\"a \"\"b\"\"\"^1 "
                                    "#= the polynomial of the model\n");
    hb_model_clear(&model);
    assert_int_equal(read_text(&model, "{\"kind\": \"polynomial\", \"inputs\": 4, \"terms\": [{\"coefficient\": 1, "
                                       "\"powers\": {\"4\": 2}}]}"),
                     HB_OK);
    assert_string_equal(model.text, "y = 1 * x.4^2 #= the polynomial of the model\n");
    hb_model_clear(&model);
}

/* The digest is of the computation, not of its text. */
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

/* --- HDF5 */

static void put(hid_t at, const char *name, hid_t type, hsize_t count, const void *values)
{
    const hid_t space = count > 0 ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, type, values) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
}

static void put_table(hid_t at, const char *name, hid_t type, const hsize_t extent[2], const void *values)
{
    const hid_t space = H5Screate_simple(extent[1] > 0 ? 2 : 1, extent, NULL);
    const hid_t dataset = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(dataset);
    H5Sclose(space);
}

static hid_t text_type(size_t bytes)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    assert_true(H5Tset_size(type, bytes) >= 0);
    return type;
}

/* The network of the JSON above, in net.h5; `more` adds to the second layer, or to the root. */
static void make_h5(void (*more)(hid_t root, hid_t layer))
{
    snprintf(path, sizeof path, "%s/net.h5", scratch_folder);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t first = H5Gcreate2(file, "layer0", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t second = H5Gcreate2(file, "layer1", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t variable = text_type(H5T_VARIABLE), fixed = text_type(7);
    const char *const names[] = {"age", "dose"};
    const double weights[] = {0.5, -1, 2, 0, 1, 1}, coefficients[] = {0.5, 0, 1}, ranges[] = {1, 8, -1, 1};
    const int32_t bias[] = {1, 0, -2};
    const float second_weights[] = {1, -1, 4};
    assert_true(file >= 0 && first >= 0 && second >= 0);
    put_table(file, "inputs", variable, (hsize_t[]){2, 0}, names);
    put_table(first, "weights", H5T_IEEE_F64LE, (hsize_t[]){3, 2}, weights);
    put_table(first, "bias", H5T_STD_I32LE, (hsize_t[]){3, 0}, bias);
    put(first, "activation", H5T_NATIVE_DOUBLE, 3, coefficients);
    put(first, "range", H5T_NATIVE_DOUBLE, 2, ranges);
    put_table(second, "weights", H5T_IEEE_F32LE, (hsize_t[]){3, 0}, second_weights);
    put(second, "activation", fixed, 0, "sigmoid"); /* which fills it, without a zero */
    put(second, "range", H5T_NATIVE_DOUBLE, 2, ranges + 2);
    if (more != NULL) {
        more(file, second);
    }
    H5Tclose(variable);
    H5Tclose(fixed);
    H5Gclose(first);
    H5Gclose(second);
    assert_true(H5Fclose(file) >= 0);
}

/* The same as from JSON, to the digest. */
static void test_h5(void **state)
{
    (void)state;
    hb_model json, h5;
    assert_int_equal(read_text(&json, network), HB_OK);
    make_h5(NULL);
    assert_int_equal(hb_model_read(&h5, path, false), HB_OK);
    assert_string_equal(h5.text, json.text);
    assert_string_equal(h5.kind, "network");
    assert_string_equal(h5.names[1], "dose");
    assert_memory_equal(h5.digest, json.digest, sizeof h5.digest);
    hb_model_clear(&json);
    hb_model_clear(&h5);

    /* Weights and biases of a JSON file in HDF5; of one dimension they are a row. */
    assert_int_equal(read_text(&json, "{\"kind\": \"linear\", \"weights\": {\"file\": \"net.h5:/layer1/weights\"}}"),
                     HB_OK);
    const hb_operand *w = operand(&json, "W1");
    assert_true(w->schema->rows == 1 && w->schema->columns == 3 && w->cells[2].real == 4);
    hb_model_clear(&json);
    assert_int_equal(read_text(&json, "{\"kind\": \"linear\", \"weights\": {\"file\": \"net.h5:/layer0/weights\"}, "
                                      "\"bias\": {\"file\": \"net.h5:/layer0/bias\"}}"),
                     HB_OK);
    assert_true(operand(&json, "b1")->cells[2].real == -2);
    hb_model_clear(&json);
}

static void add_unknown(hid_t root, hid_t layer)
{
    (void)root;
    const int64_t one = 1;
    put(layer, "ranges", H5T_NATIVE_INT64, 0, &one);
}

static void add_gap(hid_t root, hid_t layer)
{
    (void)layer;
    H5Gclose(H5Gcreate2(root, "layer3", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static void add_deep(hid_t root, hid_t layer)
{
    (void)root;
    H5Gclose(H5Gcreate2(layer, "bias", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static void add_bias(hid_t root, hid_t layer)
{
    (void)root;
    put_table(layer, "bias", H5T_IEEE_F64LE, (hsize_t[]){2, 0}, (double[]){1, 2});
}

static void add_not_finite(hid_t root, hid_t layer)
{
    (void)root;
    put_table(layer, "bias", H5T_IEEE_F64LE, (hsize_t[]){1, 0}, (double[]){NAN});
}

static void add_infinite_range(hid_t root, hid_t layer)
{
    (void)root;
    H5Adelete(layer, "range");
    put(layer, "range", H5T_NATIVE_DOUBLE, 2, (double[]){0, INFINITY});
}

static void add_complex(hid_t root, hid_t layer)
{
    (void)root;
    const hid_t type = H5Tcreate(H5T_COMPOUND, 16);
    H5Tinsert(type, "r", 0, H5T_IEEE_F64LE);
    H5Tinsert(type, "i", 8, H5T_IEEE_F64LE);
    put_table(layer, "bias", type, (hsize_t[]){1, 0}, (double[]){1, 2});
    H5Tclose(type);
}

static void add_other_kind(hid_t root, hid_t layer)
{
    (void)layer;
    const hid_t type = text_type(4);
    put(root, "kind", type, 0, "line");
    H5Tclose(type);
}

static void add_cube(hid_t root, hid_t layer)
{
    (void)layer;
    const hsize_t extent[] = {2, 2};
    const hid_t space = H5Screate_simple(2, extent, NULL);
    H5Aclose(H5Acreate2(root, "range", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
}

static void add_long_list(hid_t root, hid_t layer)
{
    (void)layer;
    const hid_t type = text_type(H5T_VARIABLE);
    const hsize_t extent = HB_MODEL_MOST_WIDTH + 1;
    H5Ldelete(root, "inputs", H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &extent, NULL);
    H5Dclose(H5Dcreate2(root, "inputs", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Tclose(type);
}

static void test_h5_refused(void **state)
{
    (void)state;
    static const struct {
        void (*more)(hid_t root, hid_t layer);
        const char *words;
    } cases[] = {
        {add_unknown, "layer 2: there is no \"ranges\" here; did you mean \"range\"?"},
        {add_gap, "there is no \"layer3\" here"},
        {add_deep, "/layer1/bias: is neither a dataset nor a group of datasets"},
        {add_bias, "layer 2: bias: 2 numbers for 1 outputs"},
        {add_not_finite, "/layer1/bias"},
        {add_infinite_range, "attribute 'range': has a number that is not finite"},
        {add_complex, "layer 2: bias: complex numbers"},
        {add_other_kind, "its \"kind\" is network"},
        {add_cube, "attribute 'range': is neither one value nor a list"},
        {add_long_list, "/inputs: is neither one value nor a list of at most 16384"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_model model;
        make_h5(cases[i].more);
        const hb_status st = hb_model_read(&model, path, false);
        if (st != HB_EDATA || strstr(hb_last_error()->text, cases[i].words) == NULL) {
            fail_msg("%s: %d, %s", cases[i].words, (int)st, st != HB_OK ? hb_last_error()->text : "");
        }
        hb_model_clear(&model);
    }
}

/* Every few bytes of a file are damaged once, and it is cut there: a reason or a model, never a crash. */
static void test_h5_damaged(void **state)
{
    (void)state;
    static uint8_t good[1 << 16], bad[1 << 16];
    hb_model model;
    make_h5(NULL);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t bytes = fread(good, 1, sizeof good, file);
    assert_int_equal(fclose(file), 0);
    assert_true(bytes > 1000 && bytes < sizeof good);
    size_t refused = 0;
    uint64_t noise_state = 7;
    for (size_t i = 0; i < 72; i++) {
        memcpy(bad, good, bytes);
        const size_t at = i < 24 ? 6 * i : noise(&noise_state) % bytes;
        bad[at] ^= (uint8_t)(1 + noise(&noise_state) % 255);
        file = fopen(path, "w");
        assert_non_null(file);
        const size_t length = i % 6 == 5 ? at : bytes;
        assert_int_equal(fwrite(bad, 1, length, file), length);
        assert_int_equal(fclose(file), 0);
        const hb_status st = hb_model_read(&model, path, false);
        assert_true(st == HB_OK || st == HB_EDATA || st == HB_ENOINPUT || st == HB_ENOMEM || st == HB_EIO);
        assert_true(st == HB_OK || strlen(hb_last_error()->text) > 0);
        refused += st != HB_OK;
        hb_model_clear(&model);
    }
    assert_true(refused > 12);
}

HB_UNIT(model)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_network), cmocka_unit_test(test_columns),    cmocka_unit_test(test_polynomial),
        cmocka_unit_test(test_digest),  cmocka_unit_test(test_refused),    cmocka_unit_test(test_files_of_weights),
        cmocka_unit_test(test_h5),      cmocka_unit_test(test_h5_refused), cmocka_unit_test(test_h5_damaged),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
