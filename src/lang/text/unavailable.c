#include <stddef.h>

#include "unavailable.h"

#define REMAINDERS "remainders are not part of BFV or CKKS; take them after decrypting"
/* The advice to make a column, and that it is such an advice. */
#define MADE(example) "make a column of it when the table is encrypted: --derive '" example "'", .derived = true

static const hb_unavailable unavailable[] = {
    {.names = {"avg", "average"}, .advice = "use mean"},
    {.names = {"median", "percentile", "quantile", "rank", "sort", "order"},
     .advice = "rows cannot be put in order while they are encrypted; take it after decrypting"},
    {.names = {"top", "nlargest", "nsmallest", "argmax", "argmin"},
     .advice = "decrypt the counts, or the means by groups, and sort them then"},
    {.names = {"first", "last", "head", "tail", "row_number", "cumsum", "running", "lag", "lead", "shift", "diff"},
     .advice = "a row knows no other row while it is encrypted; take it after decrypting"},
    {.names = {"std", "stdev", "stddev", "sd"},
     .advice = "use var; its root, after decrypting, is the standard deviation"},
    {.names = {"variance"}, .advice = "use var"},
    {.names = {"len", "length", "size", "nrow"}, .advice = "use count() of the rows, or count(condition) of some"},
    {.names = {"total"}, .advice = "use sum"},
    {.names = {"sumif", "sumifs"}, .advice = "use sum(x where condition)"},
    {.names = {"countif", "countifs"}, .advice = "use count(condition)"},
    {.names = {"averageif", "avgif", "meanif"}, .advice = "use mean(x where condition)"},
    {.names = {"sumproduct"}, .advice = "use dot(x, y)"},
    {.names = {"filter", "select"},
     .advice = "use sum(x where condition), or fetch(x where condition, 20) for the rows themselves"},
    {.names = {"join", "merge", "vlookup", "xlookup"},
     .advice = "use lookup(x, w), which takes numbers from a plain table w"},
    {.names = {"bin", "cut", "bucket", "decade"},
     .advice = "make a column of it when the table is encrypted: --derive 'group=bin(x, 0..9, 10..19, ..)'; or use "
               "histogram(x, "
               "0..9, 10..19)"},
    {.names = {"year"}, .advice = MADE("year=year(d)")},
    {.names = {"quarter"}, .advice = MADE("quarter=quarter(d)")},
    {.names = {"month"}, .advice = MADE("month=month(d)")},
    {.names = {"weekday", "day", "dayofweek"}, .advice = MADE("weekday=weekday(d)")},
    {.names = {"age", "years_between", "datediff"}, .advice = MADE("age=age(birth, 2026-11-28)")},
    {.names = {"hour"}, .advice = MADE("hour=hour(t)")},
    {.names = {"minute"}, .advice = "make a column of it before encrypting"},
    {.names = {"like", "contains", "startswith", "endswith", "upper", "lower", "concat", "substr", "substring", "trim"},
     .advice = "a text is a label, and conditions compare whole labels: x in ('a', 'b')"},
    {.names = {"corr", "correlation", "cov", "covar", "covariance"},
     .advice = "decrypt var(x + y), var(x - y), var(x) and var(y): (var(x + y) - var(x - y))/4 is the covariance, and "
               "that over "
               "sqrt(var(x)*var(y)) is the correlation; with missing cells take var(x where y is not missing) and "
               "var(y where x "
               "is not missing)"},
    {.names = {"pow", "power"}, .advice = "write a power as x^2; the exponent is an integer"},
    {.names = {"mod"}, .advice = REMAINDERS},
    {.names = {"if", "iff", "ifelse", "case"}, .advice = "use where(condition, x, y)"},
    {.names = {"unique", "distinct", "nunique", "mode", "value_counts"},
     .advice = "use histogram(x), which counts the rows of each value"},
    {.names = {"round", "floor", "ceil"},
     .advice = "round the values after decrypting, or before encrypting (encrypt --round)"},
    {.names = {"prod", "product"}, .advice = "no total multiplies all rows; x.1*x.2 multiplies two columns"},
    {.names = {"ln"}, .advice = "use log, for reals (CKKS)"},
    {.names = {"sin", "cos"},
     .advice =
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
