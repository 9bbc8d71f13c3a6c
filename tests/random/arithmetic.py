"""Sums, products, powers, polynomials, totals and dates: what they take, and what they come to.

A function takes the maker and the values, and gives the columns and how many products it takes one after another; some
also give the text, with {0}, {1} .. for the values, and the values.
"""

import math

from values import F, Column, need

MOST_DIGITS = 10**9
BLOCK = 1024  # rows of a ciphertext of integers


def broadcast(x, y):
    need(len(x.columns) == len(y.columns) or 1 in (len(x.columns), len(y.columns)))
    count = max(len(x.columns), len(y.columns))
    return zip(x.columns * (count // len(x.columns)), y.columns * (count // len(y.columns)))


def full_text(value):
    """How a value is written; values of one text are the same, and so is a sum over a single column."""
    if value.text == "rowsum({0})" and len(value.parts[0].columns) == 1:
        return full_text(value.parts[0])
    return value.text.format(*(full_text(p) for p in value.parts)) if value.parts else value.text


def same_text(x, y):
    return full_text(x) == full_text(y)


def check_encrypted(*sides):
    need(any(x.encrypted() for x in sides))


def somewhere(column):
    """Whether a plain column has something else than 0 for each ciphertext."""
    return all(any(column.rows[first : first + BLOCK]) for first in range(0, len(column.rows), BLOCK))


def column(rows, low, high, scale, known=False):
    need(scale <= MOST_DIGITS)
    return Column("number", rows, low, high, scale, known)


def number(rows, value, scale=1):
    """The same number in every row."""
    return column([F(value)] * len(rows), value, value, scale, known=True)


def added(x, y, sign=1):
    x, y = x.numbers(), y.numbers()
    low, high = (y.low, y.high) if sign > 0 else (-y.high, -y.low)
    rows = [a + sign * b for a, b in zip(x.rows, y.rows)]
    return column(rows, x.low + low, x.high + high, max(x.scale, y.scale), x.known and y.known)


def multiplied(x, y):
    x, y = x.numbers(), y.numbers()
    ends = [a * b for a in (x.low, x.high) for b in (y.low, y.high)]
    known = x.known and y.known or any(c.known and not any(c.rows) for c in (x, y))
    return column([a * b for a, b in zip(x.rows, y.rows)], min(ends), max(ends), x.scale * y.scale, known)


def sum_of(_, x, y):
    check_encrypted(x, y)
    return [added(a, b) for a, b in broadcast(x, y)], 0


def difference(_, x, y):
    check_encrypted(x, y)
    made = [added(a, b, -1) for a, b in broadcast(x, y)]
    return [number(c.rows, 0, c.scale) for c in made] if same_text(x, y) else made, 0


def product(_, x, y):
    need(x.encrypted() or y.encrypted())
    for one in (x, y):
        need(not one.plain or all(map(somewhere, one.columns)))
    return [multiplied(a, b) for a, b in broadcast(x, y)], 1


def plain_sum(sign):
    """A sum of plain tables alone, or of one and a constant."""

    def of(_, x, y):
        return [added(a, b, sign) for a, b in broadcast(x, y)], 0

    return of


def plain_product(_, x, y):
    return [multiplied(a, b) for a, b in broadcast(x, y)], 0


def negated(_, x):
    columns = [c.numbers() for c in x.columns]
    return [column([-v for v in c.rows], -c.high, -c.low, c.scale, c.known) for c in columns], 0


def raised(c, exponent):
    ends = sorted((c.low**exponent, c.high**exponent))
    least = F(0) if exponent % 2 == 0 and c.low < 0 < c.high else ends[0]
    return column([v**exponent for v in c.rows], least, ends[1], c.scale**exponent, c.known)


def power(exponent):
    def of(_, x):
        return [raised(c.numbers(), exponent) for c in x.columns], exponent.bit_length()

    return of


def polynomial(m, x):
    """With up to five coefficients, 0 too, but not a constant."""
    coefficients = [m.constant() for _ in range(m.r.randint(2, 5))]
    need(any(c.one.low for c in coefficients[1:]))
    made = []
    for c in (c.numbers() for c in x.columns):
        value = coefficients[-1].one
        for coefficient in coefficients[-2::-1]:
            value = added(multiplied(value, c), coefficient.one)
        made.append(value)
    if not m.reals:  # every term gets the largest scale that one has
        scale = max(c.scale for c in x.columns)
        scale = max(c.one.scale * scale**i for i, c in enumerate(coefficients))
        made = [column(c.rows, c.low, c.high, scale, all(one.known for one in x.columns)) for c in made]
    text = "poly({0}, %s)" % ", ".join("{%d}" % (i + 1) for i in range(len(coefficients)))
    return made, 3, text, [x] + coefficients


def divided(_, x, y):
    need(x.encrypted() and y.one.low != 0)
    inverse = Column("number", [1 / y.one.low] * len(x.columns[0].rows), *sorted((1 / y.one.low, 1 / y.one.low)))
    return [multiplied(c, inverse) for c in x.columns], 1


def smooth(function, least, most):
    """A function that grows, of values from least to most."""

    def of(_, x):
        made = []
        for c in (c.numbers() for c in x.columns):
            need(least <= c.low < c.high <= most)
            made.append(column([F(function(v)) for v in c.rows], F(function(c.low)), F(function(c.high)), 1))
        return made, 6

    return of


SIGMOID = smooth(lambda v: 1 / (1 + math.exp(-v)), -8, 8)

# --- dates


def days_between(_, x, y):
    check_encrypted(x, y)
    a, b = x.one, y.one
    rows = [v - w for v, w in zip(a.rows, b.rows)]
    return [number(rows, 0) if same_text(x, y) else column(rows, a.low - b.high, a.high - b.low, 1)], 0


def known_whole(m, value):
    """Whether programs of reals know that it is a whole number."""
    days = value.parts and value.text == "({0} - {1})" and value.parts[0].one.kind == "day"
    return not m.reals or value.constant or value.plain or days


def days_later(sign):
    def of(m, x, y):
        a, b = x.one, y.one.numbers()
        need(known_whole(m, y))
        check_encrypted(x, y)
        need(b.scale == 1 and b.high - b.low < 200 and all(v.denominator == 1 for v in b.rows))
        low, high = (b.low, b.high) if sign > 0 else (-b.high, -b.low)
        return [Column("day", [v + sign * w for v, w in zip(a.rows, b.rows)], a.low + low, a.high + high)], 0

    return of


# --- several columns, several rows


def row_sum(_, x):
    total = x.columns[0].numbers()
    for c in x.columns[1:]:
        total = added(total, c)
    return [total], 0


def beside(_, x, y):
    need(x.encrypted() and y.encrypted() and x.total == y.total and len(x.columns) + len(y.columns) <= 4)
    return x.columns + y.columns, 0


def row_sum_beside(_, x, y):
    """A sum of encrypted columns and plain ones, which have rows where the encrypted ones have."""
    need(x.encrypted() and (y.total or not x.total))
    total = x.columns[0].numbers()
    for c in x.columns[1:] + y.columns:
        total = added(total, c)
    return [total], 0


def product_beside(_, x, y, z):
    """Products of encrypted columns and plain ones with one column."""
    need(x.encrypted() and z.encrypted() and (y.total or not x.total) and len(z.columns) == 1)
    need(all(map(somewhere, y.columns)) and len(x.columns) + len(y.columns) <= 4)
    return [multiplied(c, z.one) for c in x.columns + y.columns], 2


def plain_beside(_, x, y):
    return x.columns + y.columns, 0


def plain_total(m, x):
    return [c.numbers() if x.total else m.total_of(c.numbers()) for c in x.columns], 0


def plain_of_others(m, x):
    """With the sum of a table that has other rows."""
    rows = m.tables["v"]["t"].rows
    return [multiplied(c, Column("number", [sum(rows)] * len(c.rows), sum(rows), sum(rows))) for c in x.columns], 0


def rotated(step):
    def of(m, x):
        need(x.clean and not x.total and m.rows + step < (128 if m.setup.packed else 512))
        made = []
        for c in x.columns:
            c.numbers()
            need(not c.known)
            rows = (c.rows + [F(0)] * step)[step:][: m.rows]
            made.append(Column(c.kind, rows, min(c.low, 0), max(c.high, 0), c.scale))
        return made, 0

    return of


def total(m, x):
    need(not x.total)
    return [m.total_of(c.numbers()) for c in x.columns], 1


def average(m, x):
    """A mean of reals, which is a value like another."""
    need(not x.total)
    return [multiplied(m.total_of(c.numbers()), number(c.rows, F(1, m.rows))) for c in x.columns], 2


def total_where(m, x, c):
    need(not (x.total and c.total) and len(c.columns) == 1)
    need(not c.plain or somewhere(c.one))
    return [m.total_of(multiplied(v, c.one)) for v in x.columns], 2


def dot(m, x, y):
    need(not all(v.total or v.constant for v in (x, y)))
    return [m.total_of(c) for c in product(m, x, y)[0]], 2


def counted(m, c):
    need(not c.total and not c.plain)
    return [m.total_of(one) for one in c.columns], 1


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
