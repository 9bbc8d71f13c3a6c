#include <stddef.h>

#include "missing.h"

const hb_missing *hb_missing_function(size_t i)
{
    static const hb_missing missing[] = {
        {"mean", "use sum, and divide by the number of rows after decrypting"},
        {"avg", "use sum, and divide by the number of rows after decrypting"},
        {"average", "use sum, and divide by the number of rows after decrypting"},
        {"count", "the number of rows is no secret: hebatch info shows it"},
        {"min", "comparisons are not part of BFV; compare after decrypting"},
        {"max", "comparisons are not part of BFV; compare after decrypting"},
        {"median", "comparisons are not part of BFV; compare after decrypting"},
        {"abs", "comparisons are not part of BFV; take it after decrypting"},
        {"sqrt", "roots are not part of BFV; take them after decrypting"},
    };
    return i < sizeof missing / sizeof *missing ? &missing[i] : NULL;
}

const char *hb_missing_operator(const char *text)
{
    switch (text[0]) {
    case '/':
        return "there is no division on encrypted values; divide after decrypting";
    case '%':
        return "remainders are not part of BFV; take them after decrypting";
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
        return "comparisons are not part of BFV; compare after decrypting";
    default:
        return NULL;
    }
}
