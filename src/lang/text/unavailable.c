#include <stddef.h>

#include "unavailable.h"

#define REMAINDERS "remainders are not part of BFV or CKKS; take them after decrypting"
#define MADE(example) "make a column of it when the table is encrypted: --derive '" example "'"

static const hb_unavailable unavailable[] = {
    {{"avg", "average"}, "use mean"},
    {{"median", "percentile", "quantile", "rank", "sort", "order"},
     "rows cannot be put in order while they are encrypted; take it after decrypting"},
    {{"top", "nlargest", "nsmallest", "argmax", "argmin"},
     "decrypt the counts, or the means by groups, and sort them then"},
    {{"first", "last", "head", "tail", "row_number", "cumsum", "running", "lag", "lead", "shift", "diff"},
     "a row knows no other row while it is encrypted; take it after decrypting"},
    {{"std", "stdev", "stddev", "sd"}, "use var; its root, after decrypting, is the standard deviation"},
    {{"variance"}, "use var"},
    {{"len", "length", "size", "nrow"}, "use count() of the rows, or count(condition) of some"},
    {{"total"}, "use sum"},
    {{"sumif", "sumifs"}, "use sum(x where condition)"},
    {{"countif", "countifs"}, "use count(condition)"},
    {{"averageif", "avgif", "meanif"}, "use mean(x where condition)"},
    {{"sumproduct"}, "use dot(x, y)"},
    {{"filter", "select"}, "use sum(x where condition), or fetch(x where condition, 20) for the rows themselves"},
    {{"join", "merge", "vlookup", "xlookup"}, "use lookup(x, w), which takes numbers from a plain table w"},
    {{"bin", "cut", "bucket", "decade"},
     "make a column of it when the table is encrypted: --derive 'group=bin(x, 0..9, 10..19, ..)'; or use histogram(x, "
     "0..9, 10..19)"},
    {{"year"}, MADE("year=year(d)")},
    {{"quarter"}, MADE("quarter=quarter(d)")},
    {{"month"}, MADE("month=month(d)")},
    {{"weekday", "day", "dayofweek"}, MADE("weekday=weekday(d)")},
    {{"age", "years_between", "datediff"}, MADE("age=age(birth, 2026-11-28)")},
    {{"hour"}, MADE("hour=hour(t)")},
    {{"minute"}, "make a column of it before encrypting"},
    {{"like", "contains", "startswith", "endswith", "upper", "lower", "concat", "substr", "substring", "trim"},
     "a text is a label, and conditions compare whole labels: x in ('a', 'b')"},
    {{"corr", "correlation", "cov", "covar", "covariance"},
     "decrypt var(x + y), var(x - y), var(x) and var(y): (var(x + y) - var(x - y))/4 is the covariance, and that over "
     "sqrt(var(x)*var(y)) is the correlation; with missing cells take var(x where y is not missing) and var(y where x "
     "is not missing)"},
    {{"pow", "power"}, "write a power as x^2; the exponent is an integer"},
    {{"mod"}, REMAINDERS},
    {{"if", "iff", "ifelse", "case"}, "use where(condition, x, y)"},
    {{"unique", "distinct", "nunique", "mode", "value_counts"},
     "use histogram(x), which counts the rows of each value"},
    {{"round", "floor", "ceil"}, "round the values after decrypting, or before encrypting (encrypt --round)"},
    {{"prod", "product"}, "no total multiplies all rows; x.1*x.2 multiplies two columns"},
    {{"ln"}, "use log, for reals (CKKS)"},
    {{"sin", "cos"},
     "for reals, cheb(x, low, high, c0, c1, ...) and poly(x, c0, c1, ...) compute a polynomial that is near it"},
};

const hb_unavailable *hb_unavailable_functions(size_t i)
{
    return i < sizeof unavailable / sizeof *unavailable ? &unavailable[i] : NULL;
}

const char *hb_unavailable_operator(const char *text)
{
    switch (text[0]) {
    case '/':
        return "there is no division of integers; divide after decrypting, or write a constant factor as a decimal, "
               "0.5*x";
    case '%':
        return REMAINDERS;
    case '&':
        return "write 'and' between conditions";
    case '|':
        return "write 'or' between conditions";
    case '!':
        return "write 'not' before a condition";
    case '?':
        return "use where(condition, x, y)";
    case '`':
        return "a text stands in single quotes, 'text', and the name of a column in double quotes, a.\"odd name\"";
    default:
        return NULL;
    }
}
