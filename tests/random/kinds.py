"""The kinds of values that programs are made of, as rows: what they take, how they are written, what they come to.

Letters of arguments: n numbers; 1 one column of numbers; o numbers, a constant or a plain table; k a constant; c a
condition; d dates; l labels; t a total. A function takes the maker and the values, and gives the columns, or a pair of
these and how many products it takes.
"""

import math
import operator

from values import F, LABELS, Column, need

MOST_CONDITION = 700  # values that a condition is a polynomial through
MOST_DIGITS = 10**9


def turns(m, values):
    """How many products a condition takes on so many values: one after another; of reals a composition of signs."""
    return 12 if m.reals else max(1, int(values)).bit_length() + 1


def broadcast(x, y):
    need(len(x.columns) == len(y.columns) or 1 in (len(x.columns), len(y.columns)))
    count = max(len(x.columns), len(y.columns))
    return zip(x.columns * (count // len(x.columns)), y.columns * (count // len(y.columns)))


def check_plain(x, y):
    """A plain table is not scaled: it has as many digits as the other side, or more. Something is encrypted."""
    need(x.encrypted() or y.encrypted())
    for one, other in ((x, y), (y, x)):
        if one.plain:
            need(all(a.scale >= b.scale for a, b in (broadcast(one, other))))


def column(rows, low, high, scale):
    need(scale <= MOST_DIGITS)
    return Column("number", rows, low, high, scale)


def added(x, y, sign=1):
    x, y = x.numbers(), y.numbers()
    low, high = (y.low, y.high) if sign > 0 else (-y.high, -y.low)
    return column([a + sign * b for a, b in zip(x.rows, y.rows)], x.low + low, x.high + high, max(x.scale, y.scale))


def multiplied(x, y):
    x, y = x.numbers(), y.numbers()
    ends = [a * b for a in (x.low, x.high) for b in (y.low, y.high)]
    return column([a * b for a, b in zip(x.rows, y.rows)], min(ends), max(ends), x.scale * y.scale)


def sum_of(_, x, y):
    check_plain(x, y)
    return [added(a, b) for a, b in broadcast(x, y)], 0


def difference(_, x, y):
    check_plain(x, y)
    need(full_text(x) != full_text(y))
    return [added(a, b, -1) for a, b in broadcast(x, y)], 0


def product(_, x, y):
    need(x.encrypted() or y.encrypted())
    for one in (x, y):
        need(one.encrypted() or all(any(c.rows) for c in one.columns))
    return [multiplied(a, b) for a, b in broadcast(x, y)], 1


def negated(_, x):
    return [column([-v for v in c.rows], -c.high, -c.low, c.scale) for c in (c.numbers() for c in x.columns)], 0


def power(exponent):
    def of(_, x):
        made = []
        for c in (c.numbers() for c in x.columns):
            ends = sorted((c.low**exponent, c.high**exponent))
            least = F(0) if exponent % 2 == 0 and c.low < 0 < c.high else ends[0]
            made.append(column([v**exponent for v in c.rows], least, ends[1], c.scale**exponent))
        return made, exponent.bit_length()

    return of


def polynomial(m, x, *coefficients):
    made = []
    need(coefficients[-1].one.low != 0 and len({c.one.low for c in coefficients}) > 1)
    for c in (c.numbers() for c in x.columns):
        value = coefficients[-1].one
        for coefficient in coefficients[-2::-1]:
            value = added(multiplied(value, c), coefficient.one)
        made.append(value)
    if not m.reals:  # every term gets the largest scale that one has
        scale = max(c.scale for c in x.columns)
        scale = max(c.one.scale * scale**i for i, c in enumerate(coefficients))
        made = [column(c.rows, c.low, c.high, scale) for c in made]
    return made, 3


def chosen(_, c, x, y):
    need(x.encrypted() or y.encrypted() or (x.constant and y.constant and x.one.low != y.one.low))
    need(full_text(x) != full_text(y) and len(c.columns) == 1 and not x.plain and not y.plain)
    need(not asked(c) & (asked(x) | asked(y)))
    made = []
    for a, b in broadcast(x, y):
        same = a.kind == b.kind
        need(same or "number" in (a.kind, b.kind) and {a.kind, b.kind} <= {"number", "bool"})
        rows = [v if t else w for t, v, w in zip(c.one.rows, a.rows, b.rows)]
        made.append(
            Column(a.kind if same else "number", rows, min(a.low, b.low), max(a.high, b.high), max(a.scale, b.scale))
        )
    return made, 1


def extreme(pick):
    def of(m, x, y):
        need(full_text(x) != full_text(y) and not x.plain and not y.plain and (x.encrypted() or y.encrypted()))
        made, depth = [], 0
        for a, b in broadcast(x, y):
            need(a.kind == b.kind != "label" or {a.kind, b.kind} == {"number", "bool"})
            if a.kind != b.kind or a.kind == "number":
                a, b = a.numbers(), b.numbers()
            scale = max(a.scale, b.scale)
            values = ((a.high - b.low) - (a.low - b.high)) * scale
            need(values <= MOST_CONDITION)
            need(not x.constant or b.low < a.low < b.high)
            need(not y.constant or a.low < b.low < a.high)
            need(m.apart(a, b))
            rows = [pick(v, w) for v, w in zip(a.rows, b.rows)]
            made.append(Column(a.kind, rows, pick(a.low, b.low), pick(a.high, b.high), scale))
            depth = max(depth, turns(m, values) + 1)
        return made, depth

    return of


def magnitude(m, x):
    made, depth = [], 0
    for c in (c.numbers() for c in x.columns):
        need(c.low < 0 < c.high and (c.high - c.low) * c.scale <= MOST_CONDITION and m.apart(c))
        made.append(column([abs(v) for v in c.rows], 0, max(-c.low, c.high), c.scale))
        depth = max(depth, turns(m, (c.high - c.low) * c.scale) + 1)
    return made, depth


def days_between(_, x, y):
    need(full_text(x) != full_text(y))
    a, b = x.one, y.one
    return [column([v - w for v, w in zip(a.rows, b.rows)], a.low - b.high, a.high - b.low, 1)], 0


def days_later(_, x, y):
    a, b = x.one, y.one.numbers()
    need(b.scale == 1 and not y.plain and b.high - b.low < 200 and all(v.denominator == 1 for v in b.rows))
    return [Column("day", [v + w for v, w in zip(a.rows, b.rows)], a.low + b.low, a.high + b.high)], 0


def same_kind(_, x):
    return x.columns, 0


def row_sum(_, x):
    need(len(x.columns) > 1)
    total = x.columns[0].numbers()
    for c in x.columns[1:]:
        total = added(total, c)
    return [total], 0


def beside(_, x, y):
    need(x.encrypted() and y.encrypted() and x.total == y.total and len(x.columns) + len(y.columns) <= 4)
    need(full_text(x) != full_text(y))
    return x.columns + y.columns, 0


def rotated(step):
    def of(m, x):
        need(x.clean and not x.total and m.rows + step < 512)
        made = []
        for c in x.columns:
            c.numbers()
            rows = (c.rows + [F(0)] * step)[step:][: m.rows]
            made.append(Column(c.kind, rows, min(c.low, 0), max(c.high, 0), c.scale))
        return made, 0

    return of


def total(m, x):
    need(not x.total)
    return [m.total_of(c.numbers()) for c in x.columns], 1


def total_where(m, x, c):
    need(not x.total or not c.total)
    need(not c.plain or any(c.one.rows))
    return [m.total_of(multiplied(v, c.one)) for v in x.columns], 2


def dot(m, x, y):
    need(not x.total or not y.total)
    return [m.total_of(c) for c in product(m, x, y)[0]], 2


def counted(m, c):
    need(not c.total and not c.plain)
    return [m.total_of(c.one)], 1


def looked_up(m, x, *entries):
    need(x.encrypted())
    c = x.one.numbers()
    need(c.scale == 1 and c.high - c.low <= 100 and c.low <= 0 and c.high >= len(entries))
    values = [e.one.low for e in entries]
    need(len(set(values)) > 1)
    rows = [values[int(v)] if 0 <= v < len(entries) else F(0) for v in c.rows]
    return [column(rows, min(values + [0]), max(values + [0]), max(e.one.scale for e in entries))], turns(
        m, c.high - c.low
    )


def looked_up_label(m, x, *entries):
    need(x.encrypted())
    values = [e.one.low for e in entries]
    need(len(set(values)) > 1 and len(entries) == len(LABELS) - 1)
    rows = [values[int(v)] if v < len(entries) else F(0) for v in x.one.rows]
    return [column(rows, min(values + [0]), max(values + [0]), max(e.one.scale for e in entries))], 2


def looked_up_table(m, x):
    c = x.one.numbers()
    need(x.encrypted() and c.scale == 1 and c.high - c.low <= 100 and c.low <= 0 and c.high >= 6)
    table = m.tables["L"]
    prices = dict(reversed(list(zip(table["key"].rows, table["price"].rows))))
    low, high = min(min(prices.values()), 0), max(max(prices.values()), 0)
    return [column([prices.get(v, F(0)) for v in c.rows], low, high, 100)], turns(m, c.high - c.low)


def one_hot(m, x):
    c = x.one.numbers()
    need(x.encrypted() and c.scale == 1 and c.low <= 0 and c.high > 2 and c.high - c.low <= 100)
    return [column([F(v == i) for v in c.rows], 0, 1, 1) for i in range(3)], turns(m, c.high - c.low)


def weighed(table):
    def of(m, x):
        weights = m.tables[table]
        need(len(x.columns) == len(weights) and x.encrypted() and (table != "V" or not x.total))
        made = []
        for row in range(len(next(iter(weights.values())).rows)):
            sums = None
            for c, w in zip(x.columns, weights.values()):
                weight = Column("number", [w.rows[row]] * len(c.rows), w.low, w.high, w.scale)
                one = multiplied(c, weight)
                sums = one if sums is None else added(sums, one)
            made.append(sums)
        return made, 1 if table == "W" else 3

    return of


COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def compared(sign, kind="number"):
    compare = COMPARISONS[sign]

    def of(m, x, y):
        need(full_text(x) != full_text(y) and not x.total and not y.plain and x.encrypted())
        a, b = x.one, y.one
        if kind == "number":
            a, b = a.numbers(), b.numbers()
        need(a.kind == b.kind)
        scale = max(a.scale, b.scale)
        equal = sign in ("==", "!=")
        values = (a.high - a.low + b.high - b.low) * scale
        need(values <= MOST_CONDITION and not (m.reals and equal and kind == "number"))
        need(not y.constant or a.low < b.low < a.high or kind == "label")
        need(y.constant or max(a.low, b.low) < min(a.high, b.high))
        need(not equal or not y.constant or a.scale >= b.scale)
        need(kind == "label" or m.apart(a, b))
        return [Column("number", [F(compare(v, w)) for v, w in zip(a.rows, b.rows)], 0, 1)], turns(m, values)

    return of


def between(m, x, y, z):
    a, low, high = x.one.numbers(), y.one, z.one
    need(x.encrypted() and not x.total and a.low < low.low and high.low < a.high and high.low - low.low >= 1)
    need((a.high - a.low) * a.scale <= MOST_CONDITION and m.apart(a, low) and m.apart(a, high))
    rows = [F(low.low <= v <= high.low) for v in a.rows]
    return [Column("number", rows, 0, 1)], turns(m, (a.high - a.low) * max(a.scale, low.scale, high.scale))


def among(m, x, y, z):
    a, c, d = x.one.numbers(), y.one, z.one
    need(x.encrypted() and not x.total and a.low < c.low < a.high and a.low < d.low < a.high and c.low != d.low)
    need(max(c.scale, d.scale) <= a.scale and 3 < (a.high - a.low) * a.scale <= MOST_CONDITION)
    return [Column("number", [F(v in (c.low, d.low)) for v in a.rows], 0, 1)], turns(m, (a.high - a.low) * a.scale)


def either_label(_, x, y):
    rows = [F(v in (y.one.low, 1)) for v in x.one.rows]
    need(y.constant and y.one.low != 1)
    return [Column("number", rows, 0, 1)], 2


def plain_compared(m, k):
    rows = [F(v > k.one.low) for v in m.tables["w"]["n"].rows]
    need(any(rows) and not all(rows))
    return [Column("number", rows, 0, 1)], 0


def plain_labelled(m, label):
    rows = [F(v == label.one.low) for v in m.tables["w"]["k"].rows]
    need(label.constant and any(rows) and not all(rows))
    return [Column("number", rows, 0, 1)], 0


def by_digits(sign):
    def of(m, bound):
        return [Column("number", [F(COMPARISONS[sign](v, bound.one.low)) for v in m.tables["i"]["num"].rows], 0, 1)], 6

    return of


def truth(m, x):
    need(x.encrypted())
    return [x.one], 0


def opposite(_, c):
    return [Column("number", [1 - v for v in c.one.rows], 0, 1)], 0


def asked(c):
    """What a condition asks, without how that is joined: asked twice, it may be true whatever is encrypted."""
    if c.text in ("({0})", "{0}", "not ({0})", "({0}) and ({1})", "({0}) or ({1})", "where({0}, {1}, {2})"):
        return set().union(*(asked(p) for p in c.parts))
    return {full_text(c)}


def full_text(value):
    return value.text.format(*(full_text(p) for p in value.parts)) if value.parts else value.text


def logic(both):
    def of(_, c, d):
        need(not asked(c) & asked(d) and (c.encrypted() or d.encrypted()))
        rows = [F(bool(v and w) if both else bool(v or w)) for v, w in zip(c.one.rows, d.one.rows)]
        return [Column("number", rows, 0, 1)], 1

    return of


def smooth(function, least, most):
    """A function that grows, of values from least to most."""

    def of(_, x):
        made = []
        for c in (c.numbers() for c in x.columns):
            need(least <= c.low < c.high <= most)
            made.append(column([F(function(v)) for v in c.rows], F(function(c.low)), F(function(c.high)), 1))
        return made, 6

    return of


def rectified(m, x):
    c = x.one.numbers()
    need(c.low < 0 < c.high and m.apart(c))
    return [column([max(v, F(0)) for v in c.rows], 0, c.high, 1)], 13


def divided(_, x, y):
    need(x.encrypted() and y.one.low != 0)
    inverse = Column("number", [1 / y.one.low] * len(x.columns[0].rows), *sorted((1 / y.one.low, 1 / y.one.low)))
    return [multiplied(c, inverse) for c in x.columns], 1


class Kind:
    """weight: how often; arguments: letters; text; make; flags: clean, 0 stays where there are no rows; loops, of its
    first argument, again and again; integers, reals: of these alone."""

    def __init__(self, weight, arguments, text, make, flags=""):
        self.weight, self.arguments, self.text, self.make = weight, arguments, text, make
        self.clean, self.loops = "clean" in flags, "loops" in flags
        self.schemes = [scheme for scheme in ("integers", "reals") if scheme in flags] or ["integers", "reals"]


NUMBERS = (
    Kind(6, "no", "({0} + {1})", sum_of, "clean loops"),
    Kind(6, "no", "({0} - {1})", difference, "clean loops"),
    Kind(6, "no", "{0}*{1}", product, "clean loops"),
    Kind(2, "n", "(-{0})", negated, "clean loops"),
    Kind(2, "n", "square({0})", power(2), "clean loops"),
    Kind(1, "n", "({0})^2", power(2), "clean loops"),
    Kind(1, "n", "({0})^3", power(3), "clean loops"),
    Kind(2, "nkkk", "poly({0}, {1}, {2}, {3})", polynomial),
    Kind(4, "cno", "where({0}, {1}, {2})", chosen),
    Kind(2, "no", "max({0}, {1})", extreme(max), "loops"),
    Kind(2, "no", "min({0}, {1})", extreme(min), "loops"),
    Kind(2, "n", "abs({0})", magnitude, "loops"),
    Kind(2, "dd", "({0} - {1})", days_between),
    Kind(3, "n", "rowsum({0})", row_sum, "clean"),
    Kind(3, "nn", "({0}, {1})", beside, "clean"),
    Kind(1, "n", "rotate({0}, 1)", rotated(1)),
    Kind(1, "n", "rotate({0}, 3)", rotated(3)),
    Kind(3, "n", "sum({0})", total),
    Kind(2, "nc", "sum({0} where {1})", total_where),
    Kind(1, "nn", "dot({0}, {1})", dot),
    Kind(1, "c", "count({0})", counted),
    Kind(1, "1kkk", "lookup({0}, 0:{1}, 1:{2}, 2:{3})", looked_up, "integers"),
    Kind(1, "lkk", "lookup({0}, 'ICU':{1}, 'ER':{2})", looked_up_label, "integers"),
    Kind(1, "1", "lookup({0}, L)", looked_up_table, "integers"),
    Kind(1, "1", "onehot({0}, 0..2)", one_hot, "integers"),
    Kind(4, "2", "(W @ ({0}))", weighed("W")),
    Kind(2, "2", "(V @ ({0}))", weighed("V")),
    Kind(2, "c", "({0})", truth),
    Kind(2, "n", "sigmoid({0})", smooth(lambda v: 1 / (1 + math.exp(-v)), -8, 8), "reals"),
    Kind(1, "n", "tanh({0})", smooth(math.tanh, -4, 4), "reals"),
    Kind(1, "n", "exp({0})", smooth(math.exp, -4, 3), "reals"),
    Kind(1, "n", "log({0} + 3.5)", smooth(lambda v: math.log(v + 3.5), -3, 8), "reals"),
    Kind(1, "n", "sqrt({0} + 3.5)", smooth(lambda v: math.sqrt(v + 3.5), -3, 8), "reals"),
    Kind(1, "n", "(-1/({0} + 3.5))", smooth(lambda v: -1 / (v + 3.5), -3, 8), "reals"),
    Kind(1, "1", "relu({0})", rectified, "reals"),
    Kind(2, "nk", "({0} / {1})", divided, "reals"),
)
CONDITIONS = tuple(
    [Kind(1, "1k", "{0} %s {1}" % sign, compared(sign)) for sign in COMPARISONS]
    + [Kind(1, "11", "{0} %s {1}" % sign, compared(sign)) for sign in COMPARISONS]
    + [Kind(1, "dd", "{0} %s {1}" % sign, compared(sign, "day")) for sign in COMPARISONS]
    + [Kind(1, "ll", "{0} %s {1}" % sign, compared(sign, "label")) for sign in ("==", "!=")]
    + [Kind(1, "b", "i.num %s {0}" % sign, by_digits(sign), "integers") for sign in ("<", ">=", "==")]
) + (
    Kind(2, "1kk", "{0} between {1} and {2}", between),
    Kind(2, "1kk", "{0} in ({1}, {2})", among, "integers"),
    Kind(1, "ll", "{0} in ({1}, 'ER')", either_label),
    Kind(1, "k", "w.n > {0}", plain_compared),
    Kind(1, "l", "w.k == {0}", plain_labelled),
    Kind(2, "s", "{0}", truth),
    Kind(2, "c", "not ({0})", opposite),
    Kind(3, "cc", "({0}) and ({1})", logic(True)),
    Kind(3, "cc", "({0}) or ({1})", logic(False)),
)
DATES = (
    Kind(2, "d1", "({0} + {1})", days_later),
    Kind(2, "dk", "({0} + {1})", days_later),
    Kind(2, "cdd", "where({0}, {1}, {2})", chosen),
    Kind(1, "dd", "max({0}, {1})", extreme(max)),
    Kind(1, "dd", "min({0}, {1})", extreme(min)),
)
LABELLED = (Kind(1, "cll", "where({0}, {1}, {2})", chosen),)
TRUTHS = (Kind(1, "css", "where({0}, {1}, {2})", chosen),)
