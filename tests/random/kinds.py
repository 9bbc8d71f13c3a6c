"""The kinds of values that programs are made of, as rows: what they take, how they are written, what they come to.

Letters of arguments: n numbers; 1 one column of numbers, 2 two; o numbers, a constant or a plain table; k a constant;
c a condition; p a plain table, q one or a constant; d dates; l labels; s truth values; b a number beside digits. The
values of a row: arithmetic.py.
"""

import math

from arithmetic import (
    SIGMOID,
    average,
    beside,
    counted,
    days_between,
    days_later,
    difference,
    divided,
    dot,
    negated,
    plain_beside,
    plain_of_others,
    plain_product,
    plain_sum,
    plain_total,
    polynomial,
    power,
    product,
    product_beside,
    rotated,
    row_sum,
    row_sum_beside,
    smooth,
    sum_of,
    total,
    total_where,
    weighed,
)
from choices import chosen, chosen_by_constants, extreme, looked_up, looked_up_table, magnitude, one_hot, plain_choice, rectified
from conditions import (
    COMPARISONS,
    among,
    beside_constants,
    between,
    by_digits,
    compared,
    digits_between,
    far_beyond,
    logic,
    opposite,
    plain_both,
    plain_compared,
    plain_dated,
    plain_labelled,
    settled_condition,
    settled_number,
    truth,
)


class Kind:
    """weight: how often; arguments: letters; text; make; flags: clean, 0 stays where there are no rows; loops, of its
    first argument, again and again; folds, it is the same in every row; integers, reals: of these alone; apart: not
    of rows within slots, packed: of these alone."""

    def __init__(self, weight, arguments, text, make, flags=""):
        self.weight, self.arguments, self.text, self.make = weight, arguments, text, make
        self.clean, self.loops, self.folds = "clean" in flags, "loops" in flags, "folds" in flags
        self.apart, self.packed = "apart" in flags, "packed" in flags
        self.schemes = [scheme for scheme in ("integers", "reals") if scheme in flags] or ["integers", "reals"]

    def is_for(self, setup):
        return not (self.folds and not setup.folds or (self.apart if setup.packed else self.packed))


NUMBERS = (
    Kind(6, "no", "({0} + {1})", sum_of, "clean loops"),
    Kind(6, "no", "({0} - {1})", difference, "clean loops"),
    Kind(6, "no", "{0}*{1}", product, "clean loops"),
    Kind(2, "n", "(-{0})", negated, "clean loops"),
    Kind(2, "n", "square({0})", power(2), "clean loops"),
    Kind(1, "n", "({0})^2", power(2), "clean loops"),
    Kind(1, "n", "({0})^3", power(3), "clean loops"),
    Kind(1, "n", "({0})^4", power(4), "clean"),
    Kind(2, "n", "poly({0}, ..)", polynomial),
    Kind(4, "cno", "where({0}, {1}, {2})", chosen),
    Kind(2, "ckk", "where({0}, {1}, {2})", chosen),
    Kind(1, "no", "where(.., {0}, {1})", chosen_by_constants),
    Kind(2, "no", "max({0}, {1})", extreme(max), "loops"),
    Kind(2, "no", "min({0}, {1})", extreme(min), "loops"),
    Kind(2, "n", "abs({0})", magnitude, "loops"),
    Kind(2, "dd", "({0} - {1})", days_between),
    Kind(3, "n", "rowsum({0})", row_sum, "clean"),
    Kind(2, "np", "rowsum(({0}, {1}))", row_sum_beside, "apart"),
    Kind(1, "np", "rowsum(({1}, {0}))", row_sum_beside, "apart"),
    Kind(2, "npn", "({0}, {1})*{2}", product_beside, "apart"),
    Kind(2, "nn", "({0}, {1})", beside, "clean apart"),
    Kind(1, "nn", "cols({0}, {1})", beside, "clean apart"),
    Kind(1, "n", "rotate({0}, 1)", rotated(1)),
    Kind(1, "n", "rotate({0}, 3)", rotated(3)),
    Kind(3, "n", "sum({0})", total),
    Kind(2, "nc", "sum({0} where {1})", total_where),
    Kind(1, "no", "dot({0}, {1})", dot),
    Kind(1, "c", "count({0})", counted, "apart"),
    Kind(2, "n", "mean({0})", average, "reals"),
    Kind(2, "1", "lookup({0}, ..)", looked_up, "integers"),
    Kind(1, "l", "lookup({0}, ..)", looked_up, "integers"),
    Kind(1, "1", "lookup({0}, L, 0)", looked_up_table, "integers"),
    Kind(1, "1", "onehot({0}, ..)", one_hot, "integers"),
    Kind(1, "l", "onehot({0}, ..)", one_hot, "integers"),
    Kind(4, "2", "(W @ ({0}))", weighed("W"), "apart"),
    Kind(2, "2", "(V @ ({0}))", weighed("V"), "apart"),
    Kind(2, "c", "({0})", truth),
    Kind(2, "n", "sigmoid({0})", SIGMOID, "reals"),
    Kind(1, "n", "tanh({0})", smooth(math.tanh, -4, 4), "reals"),
    Kind(1, "n", "exp({0})", smooth(math.exp, -4, 3), "reals"),
    Kind(1, "n", "log({0} + 3.5)", smooth(lambda v: math.log(v + 3.5), -3, 8), "reals"),
    Kind(1, "n", "sqrt({0} + 3.5)", smooth(lambda v: math.sqrt(v + 3.5), -3, 8), "reals"),
    Kind(1, "n", "(-1/({0} + 3.5))", smooth(lambda v: -1 / (v + 3.5), -3, 8), "reals"),
    Kind(1, "1", "relu({0})", rectified, "reals"),
    Kind(2, "nk", "({0} / {1})", divided, "reals"),
    Kind(20, "n", "(max({0}, {0} + 2) - {0})", settled_number, "folds"),
    Kind(3, "n", "({0} - ({0} + 2) + 4)", settled_number, "folds"),
)
CONDITIONS = tuple(
    [Kind(1, "1k", "{0} %s {1}" % sign, compared(sign)) for sign in COMPARISONS]
    + [Kind(0.3, "k1", "{0} %s {1}" % sign, compared(sign)) for sign in COMPARISONS]
    + [Kind(1, "no", "{0} %s {1}" % sign, compared(sign)) for sign in COMPARISONS]
    + [Kind(1, "dd", "{0} %s {1}" % sign, compared(sign, "day")) for sign in COMPARISONS]
    + [Kind(1, "ll", "{0} %s {1}" % sign, compared(sign, "label")) for sign in ("==", "!=")]
    + [Kind(0.5, "ss", "{0} %s {1}" % sign, compared(sign, "bool")) for sign in ("==", "!=")]
    + [Kind(0.5, "b", "i.num %s {0}" % sign, by_digits(sign), "integers") for sign in COMPARISONS]
) + (
    Kind(1, "bb", "i.num between {0} and {1}", digits_between, "integers"),
    Kind(2, "1kk", "{0} between {1} and {2}", between),
    Kind(1, "1oo", "{0} between {1} and {2}", between),
    Kind(1, "ddd", "{0} between {1} and {2}", between),
    Kind(2, "1", "{0} in (..)", among, "integers"),
    Kind(0.5, "l", "{0} in (..)", among),
    Kind(0.5, "d", "{0} in (..)", among, "integers"),
    Kind(0.5, "s", "{0} in (..)", among),
    Kind(1, "k", "w.n > {0}", plain_compared),
    Kind(1, "pq", "{0} <= {1}", plain_both("<=")),
    Kind(1, "qp", "{0} != {1}", plain_both("!=")),
    Kind(1, "l", "w.k == {0}", plain_labelled),
    Kind(1, "d", "w.d < {0}", plain_dated),
    Kind(1, "p", "{0}*.. > ..", far_beyond),
    Kind(1, "c", "{0} and ..", beside_constants),
    Kind(2, "s", "{0}", truth),
    Kind(2, "c", "not ({0})", opposite),
    Kind(3, "cc", "({0}) and ({1})", logic(True)),
    Kind(3, "cc", "({0}) or ({1})", logic(False)),
    Kind(5, "1", "{0} < 1000", settled_condition(1), "folds"),
    Kind(3, "1", "{0} > 1000", settled_condition(0), "folds"),
)
DATES = (
    Kind(2, "do", "({0} + {1})", days_later(1)),
    Kind(2, "dk", "({0} + {1})", days_later(1)),
    Kind(1, "do", "({0} - {1})", days_later(-1)),
    Kind(2, "cdd", "where({0}, {1}, {2})", chosen),
    Kind(1, "dd", "max({0}, {1})", extreme(max)),
    Kind(1, "dd", "min({0}, {1})", extreme(min)),
)
LABELLED = (Kind(1, "cll", "where({0}, {1}, {2})", chosen),)
TRUTHS = (Kind(1, "css", "where({0}, {1}, {2})", chosen),)
PLAINS = (
    Kind(3, "pq", "({0} + {1})", plain_sum(1)),
    Kind(3, "qp", "({0} - {1})", plain_sum(-1)),
    Kind(3, "pq", "{0}*{1}", plain_product),
    Kind(2, "qp", "{0}*{1}", plain_product),
    Kind(1, "p", "(-{0})", negated),
    Kind(1, "p", "square({0})", power(2)),
    Kind(1, "p", "({0})^2", power(2)),
    Kind(1, "cqq", "where({0}, {1}, {2})", plain_choice),
    Kind(1, "pq", "({0} < {1})", plain_both("<")),
    Kind(2, "p", "sum({0})", plain_total, "apart"),
    Kind(1, "p", "(sum(v.t)*{0})", plain_of_others, "apart"),
    Kind(1, "pp", "({0}, {1})", plain_beside, "apart"),
)
