#include <stddef.h>

#include "missing.h"

#define APPROXIMATE "of reals, poly(x, c0, c1, ...) computes a polynomial that is near it where the values are"

const hb_missing *hb_missing_function(size_t i)
{
    static const hb_missing missing[] = {
        {"mean", "use sum, and divide by the number of rows after decrypting"},
        {"avg", "use mean, of integers sum, and divide by the number of rows after decrypting"},
        {"average", "use mean, of integers sum, and divide by the number of rows after decrypting"},
        {"count", "the number of rows is no secret: hebatch info shows it"},
        {"min", "comparisons are not part of BFV or CKKS; compare after decrypting"},
        {"max", "comparisons are not part of BFV or CKKS; compare after decrypting"},
        {"median", "comparisons are not part of BFV or CKKS; compare after decrypting"},
        {"abs", "comparisons are not part of BFV or CKKS; take it after decrypting"},
        {"sqrt", "roots are not part of BFV or CKKS; take them after decrypting"},
        {"sigmoid", APPROXIMATE},
        {"exp", APPROXIMATE},
        {"log", APPROXIMATE},
        {"tanh", APPROXIMATE},
        {"sin", APPROXIMATE},
        {"cos", APPROXIMATE},
        {"relu", APPROXIMATE},
    };
    return i < sizeof missing / sizeof *missing ? &missing[i] : NULL;
}

const char *hb_missing_operator(const char *text)
{
    switch (text[0]) {
    case '/':
        return "there is no division on encrypted values; divide after decrypting, or multiply reals by 0.5 and the "
               "like";
    case '%':
        return "remainders are not part of BFV or CKKS; take them after decrypting";
    case '&':
    case '|':
    case '!':
        if (text[1] != '=') {
            return "logic is not part of BFV; of values 0 and 1, a*b is and, a + b - a*b is or, 1 - a is not";
        }
        /* fall through */
    case '<':
    case '>':
    case '=':
        return "comparisons are not part of BFV or CKKS; compare after decrypting";
    default:
        return NULL;
    }
}
