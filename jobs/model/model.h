/* Models that were trained in the clear: networks of dense layers, and polynomials. Logistic and linear regressions and
 * scorecards are networks of one layer. A model becomes statements of the expression language, which read x and assign
 * y, with its weights as tables of constants (program.h). Rank-local; the layout of files: README.md. */
#ifndef HB_MODEL_MODEL_H
#define HB_MODEL_MODEL_H

#include "base/digest.h"
#include "lang/program/program.h"

/* Limits against hostile input: layers; inputs and outputs of a layer; numbers of a matrix (as for a table that is read
 * whole); coefficients of a polynomial; bytes of a polynomial model's terms. */
#define HB_MODEL_MOST_LAYERS 32u
#define HB_MODEL_MOST_WIDTH 16384u /* 2^14 */
#define HB_MODEL_MOST_WEIGHTS ((size_t)1 << 24)
#define HB_MODEL_MOST_COEFFICIENTS 64u

/* The function that a layer applies to its sums: one of the language, or a polynomial. */
typedef enum hb_activation {
    HB_ACTIVATION_IDENTITY,
    HB_ACTIVATION_SQUARE,
    HB_ACTIVATION_RELU,
    HB_ACTIVATION_SIGMOID,
    HB_ACTIVATION_TANH,
    HB_ACTIVATION_GELU,
    HB_ACTIVATION_SILU,
    HB_ACTIVATION_SOFTMAX, /* over the layer's outputs */
    HB_ACTIVATION_POLYNOMIAL,
    HB_ACTIVATIONS
} hb_activation;

/* Names of the activations in that order; a polynomial's is a list. */
extern const char *const hb_activation_names[HB_ACTIVATIONS];

/* y = activation(W x + b); all members are owned. */
typedef struct hb_model_layer {
    uint32_t inputs, outputs;
    hb_number *weights; /* [outputs][inputs] */
    hb_number *bias;    /* [outputs] */
    bool biased;        /* some entry is not 0 */
    hb_activation activation;
    double coefficients[HB_MODEL_MOST_COEFFICIENTS]; /* of a polynomial, in ascending powers */
    uint32_t coefficient_count;
    bool ranged; /* the sums before the activation are declared to lie in [low, high] */
    double low, high;
} hb_model_layer;

/* A model. */
typedef struct hb_model {
    char *path;
    char *kind;             /* as its file names it */
    hb_model_layer *layers; /* [layer_count]; 0: it is a polynomial ... */
    char *terms;            /* ... and this is its text; NULL for networks */
    uint32_t layer_count;
    uint32_t inputs;
    char **names;                    /* [inputs] columns of x; NULL: by position */
    uint8_t digest[HB_DIGEST_BYTES]; /* of everything that determines the results */
    char *text;                      /* statements, made by hb_model_complete */
    /* Operands of the statements: tables of constants, W1, b1, W2, ..; declared ranges of sums, z1, z2 .. */
    hb_operand *operands;
    hb_schema *schemas;
    char (*operand_names)[8];
    uint32_t operand_count;
} hb_model;

/* Reads and checks a whole model from a JSON file or, if the name says so, an HDF5 file (README.md). The caller clears
 * *model, also after a failure. HB_ENOINPUT when a file cannot be read; HB_EDATA, with the place, for a file that is no
 * model; HB_EUNAVAILABLE where no process that reads HDF5 can be started; HB_ENOMEM. Tables of a JSON file must lie in
 * its folder or below, or HB_EDATA, unless `follow_files`. */
hb_status hb_model_read(hb_model *model, const char *path, bool follow_files);
void hb_model_clear(hb_model *model);

/* Makes statements and tables from the layers, and checks that widths fit. HB_EDATA, HB_ENOMEM. */
hb_status hb_model_complete(hb_model *model);
/* Fits the first layer to the columns of x. Where the model has names, columns match by name, in any order, and a
 * column that the model does not name gets weight 0; else columns match by position. HB_EDATA where a column is
 * missing, or the number of columns differs. */
hb_status hb_model_fit(hb_model *model, const hb_schema *x);

#endif
