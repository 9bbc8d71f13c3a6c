#include <stddef.h>

#include "missing.h"

#define REALS "functions that are no polynomials are for reals (CKKS); take it after decrypting"
#define COMPARED "integers are compared by <, and there are abs(x), max(x, y) and min(x, y)"
#define DIVIDED "use mean"
#define NEAR "of reals, cheb(x, low, high, c0, c1, ...) and poly(x, c0, c1, ...) compute a polynomial that is near it"

const hb_missing *hb_missing_function(size_t i)
{
    static const hb_missing missing[] = {
        {"avg", DIVIDED},
        {"average", DIVIDED},
        {"median", "rows cannot be put in order while they are encrypted; take it after decrypting"},
        {"sin", NEAR},
        {"cos", NEAR},
        {"cheb", "its coefficients are reals, and these are integers; poly(x, c0, c1, ...) is exact"},
        {"sigmoid", REALS},
        {"tanh", REALS},
        {"exp", REALS},
        {"log", REALS},
        {"inv", REALS},
        {"sqrt", REALS},
        {"erf", REALS},
        {"gelu", REALS},
        {"silu", REALS},
        {"softmax", REALS},
        {"sign", COMPARED},
        {"step", COMPARED},
        {"relu", COMPARED},
        {"abs", "of integers it is abs(x), without an interval"},
    };
    return i < sizeof missing / sizeof *missing ? &missing[i] : NULL;
}

const char *hb_missing_operator(const char *text)
{
    switch (text[0]) {
    case '/':
        return "there is no division of integers; divide after decrypting";
    case '%':
        return "remainders are not part of BFV or CKKS; take them after decrypting";
    case '&':
        return "write and, of conditions";
    case '|':
        return "write or, of conditions";
    case '!':
        return "write not, before a condition";
    default:
        return NULL;
    }
}
