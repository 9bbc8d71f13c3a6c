/* The functions of the language: one row each. */
#include "call.h"

#include "syntax.h"

/* Names of results that came before a function are not taken from who has them: it is not reserved. Functions that are
 * approximated take the ends of their interval too. */
static const hb_call_form forms[HB_CALLS] = {
    [HB_CALL_SQUARE] = {.least = 1, .most = 1, .form = "square(x)", .reserved = true},
    [HB_CALL_ROTATE] = {.least = 2, .most = 2, .form = "rotate(x, k)", .reserved = true},
    [HB_CALL_SWAP] = {.least = 1, .most = 1, .form = "swap(x)", .reserved = true},
    [HB_CALL_SUM] = {.least = 1, .most = 1, .form = "sum(x)", .reserved = true, .aggregate = true},
    [HB_CALL_DOT] = {.least = 2, .most = 2, .form = "dot(x, y)", .reserved = true},
    [HB_CALL_POLY] = {.least = 2, .most = UINT32_MAX, .form = "poly(x, c0, c1, ...)", .reserved = true},
    [HB_CALL_ROWSUM] = {.least = 1, .most = 1, .form = "rowsum(x)", .reserved = true},
    [HB_CALL_MODSWITCH] = {.least = 1, .most = 1, .form = "modswitch(x)", .reserved = true},
    [HB_CALL_MEAN] = {.least = 1, .most = 1, .form = "mean(x)", .aggregate = true},
    [HB_CALL_CONJ] = {.least = 1, .most = 1, .form = "conj(x)"},
    [HB_CALL_RE] = {.least = 1, .most = 1, .form = "re(x)"},
    [HB_CALL_IM] = {.least = 1, .most = 1, .form = "im(x)"},
    [HB_CALL_ABS2] = {.least = 1, .most = 1, .form = "abs2(x)"},
    [HB_CALL_CHEB] = {.least = 4, .most = UINT32_MAX, .form = "cheb(x, low, high, c0, c1, ...)", .reals = true},
    [HB_CALL_SIGMOID] = {.least = 1, .most = 3, .form = "sigmoid(x) or sigmoid(x, low, high)", .reals = true},
    [HB_CALL_TANH] = {.least = 1, .most = 3, .form = "tanh(x) or tanh(x, low, high)", .reals = true},
    [HB_CALL_EXP] = {.least = 1, .most = 3, .form = "exp(x) or exp(x, low, high)", .reals = true},
    [HB_CALL_LOG] = {.least = 1, .most = 3, .form = "log(x) or log(x, low, high)", .reals = true},
    [HB_CALL_INV] = {.least = 1, .most = 3, .form = "inv(x) or inv(x, low, high)", .reals = true},
    [HB_CALL_SQRT] = {.least = 1, .most = 3, .form = "sqrt(x) or sqrt(x, low, high)", .reals = true},
    [HB_CALL_ERF] = {.least = 1, .most = 3, .form = "erf(x) or erf(x, low, high)", .reals = true},
    [HB_CALL_GELU] = {.least = 1, .most = 3, .form = "gelu(x) or gelu(x, low, high)", .reals = true},
    [HB_CALL_SILU] = {.least = 1, .most = 3, .form = "silu(x) or silu(x, low, high)", .reals = true},
    [HB_CALL_SIGN] = {.least = 1, .most = 3, .form = "sign(x) or sign(x, low, high)", .reals = true},
    [HB_CALL_STEP] = {.least = 1, .most = 3, .form = "step(x) or step(x, low, high)", .reals = true},
    [HB_CALL_RELU] = {.least = 1, .most = 3, .form = "relu(x) or relu(x, low, high)", .reals = true},
    [HB_CALL_ABS] = {.least = 1, .most = 3, .form = "abs(x) or abs(x, low, high)"},
    [HB_CALL_MAX] = {.least = 2, .most = 2, .form = "max(x, y)"},
    [HB_CALL_MIN] = {.least = 2, .most = 2, .form = "min(x, y)"},
    [HB_CALL_SOFTMAX] = {.least = 1, .most = 1, .form = "softmax(x)", .reals = true},
    [HB_CALL_ONEHOT] = {.least = 2, .most = UINT32_MAX, .form = "onehot(x, 1..12)", .members = true, .choice = true},
    [HB_CALL_LOOKUP] = {.least = 2,
                        .most = UINT32_MAX,
                        .form = "lookup(x, 1:10, 2..5:20, ...) or lookup(x, table)",
                        .members = true,
                        .choice = true},
    [HB_CALL_WHERE] = {.least = 3, .most = 3, .form = "where(condition, a, b)", .choice = true},
    [HB_CALL_COUNT] = {.least = 0, .most = 1, .form = "count(condition) or count()", .aggregate = true},
    [HB_CALL_VAR] = {.least = 1, .most = 1, .form = "var(x)", .aggregate = true},
    [HB_CALL_HISTOGRAM] =
        {.least = 1, .most = UINT32_MAX, .form = "histogram(x, 0..9, 10..19, ...)", .members = true, .aggregate = true},
    [HB_CALL_GROUPBY] =
        {.least = 2, .most = UINT32_MAX, .form = "groupby(key, sum(x), count(), ...)", .members = true, .groups = true},
    [HB_CALL_COLS] = {.least = 1, .most = UINT32_MAX, .form = "cols(a, b, ...)"},
    [HB_CALL_DIGITS] = {.least = 3, .most = UINT32_MAX, .form = "digits(base, high, ..., low)", .choice = true},
    [HB_CALL_CONV] = {.least = 4,
                      .most = 5,
                      .form = "conv(K, x, height, width) or conv(K, x, height, width, stride)",
                      .reals = true},
    [HB_CALL_FETCH] = {.least = 2, .most = 2, .form = "fetch(x where condition, 10)", .aggregate = true},
};

const char *const hb_call_names[] = {
    "square", "rotate", "swap",      "sum",     "dot",  "poly",   "rowsum", "modswitch", "mean",   "conj",   "re",
    "im",     "abs2",   "cheb",      "sigmoid", "tanh", "exp",    "log",    "inv",       "sqrt",   "erf",    "gelu",
    "silu",   "sign",   "step",      "relu",    "abs",  "max",    "min",    "softmax",   "onehot", "lookup", "where",
    "count",  "var",    "histogram", "groupby", "cols", "digits", "fetch",  "conv",      NULL};

const hb_call_form *hb_call_form_of(hb_call call)
{
    return &forms[call];
}
