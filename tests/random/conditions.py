"""Conditions: comparisons, lists, and, or, not; also where ranges alone decide them."""

import operator

import constants
from arithmetic import broadcast, check_encrypted, number, same_text
from values import F, LABELS, Column, cell_text, decimal_text, need

MOST_CONDITION = 700  # values that a condition is a polynomial through
COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def turns(m, values):
    """How many products a condition takes on so many values: one after another; of reals a composition of signs."""
    return 12 if m.reals else max(1, int(values)).bit_length() + 1


def truths(rows):
    return Column("number", [F(bool(v)) for v in rows], 0, 1)


def decided(sign, a, b):
    """The result of a comparison that follows from ranges alone, or None."""
    compare = COMPARISONS[sign]
    if sign in ("==", "!="):
        if a.high < b.low or b.high < a.low:
            return sign == "!="
        return compare(a.low, b.low) if a.low == a.high == b.low == b.high else None
    ends = {compare(v, w) for v in (a.low, a.high) for w in (b.low, b.high)}
    return ends.pop() if len(ends) == 1 else None


def compared(sign, kind="number"):
    compare = COMPARISONS[sign]

    def of(m, x, y):
        check_encrypted(x, y)
        made, depth = [], 0
        for a, b in broadcast(x, y):
            if kind == "number":
                a, b = a.numbers(), b.numbers()
            need(a.kind == b.kind)
            equal = sign in ("==", "!=")
            need(not (m.reals and equal and kind == "number"))
            need(not equal or all(not one.constant or one.one.scale <= c.scale for one, c in ((x, b), (y, a))))
            rows = [compare(v, w) for v, w in zip(a.rows, b.rows)]
            answer = compare(0, 0) if same_text(x, y) else decided(sign, a, b)
            need(same_text(x, y) or kind == "label" or m.apart(a, b))
            if answer is not None:
                made.append(number(rows, int(answer)))
                continue
            values = (a.high - a.low + b.high - b.low) * max(a.scale, b.scale)
            need(values <= MOST_CONDITION)
            made.append(truths(rows))
            depth = max(depth, turns(m, values))
        return made, depth

    return of


def between(m, x, y, z):
    need(x.encrypted() and len(x.columns) == 1)
    a, low, high = x.one, y.one, z.one
    need(a.kind == low.kind == high.kind)
    rows = [v <= w <= u for v, w, u in zip(low.rows, a.rows, high.rows)]
    values = (max(a.high, low.high, high.high) - min(a.low, low.low, high.low)) * max(a.scale, low.scale, high.scale)
    need(values <= MOST_CONDITION and m.apart(a, low) and m.apart(a, high))
    above, below = decided(">=", a, low), decided("<=", a, high)
    if above is False or below is False or y.constant and z.constant and low.low > high.low:
        return [number(rows, 0)], 0
    if above and below:
        return [number(rows, 1)], 0
    return [truths(rows)], turns(m, values) + 1


def member(m, c):
    """A value of a column as it stands in a list, and its first and last value: near those of the column."""
    if c.kind != "number":
        value = F(m.r.randint(int(c.low), int(c.high)))
        return "'%s'" % cell_text(c.kind, value), (value, value)
    step = F(1, c.scale)
    first = m.r.randint(int(c.low / step) - 2, int(c.high / step) + 2) * step
    last = first + (m.r.randint(1, 3) * step if m.r.random() < 0.3 else 0)
    text = decimal_text(first) + ("..%s" % decimal_text(last) if last > first else "")
    return text, (first, last)


def domain_of(c):
    return [c.low + F(i, c.scale) for i in range(int((c.high - c.low) * c.scale) + 1)]


def among(m, x):
    """In a list of up to four values or ranges of them."""
    c = x.one
    need(x.encrypted() and c.high - c.low < MOST_CONDITION / c.scale and not (m.reals and c.kind == "number"))
    members = [member(m, c) for _ in range(m.r.randint(1, 4))]
    need(m.reals is False or len({ends for _, ends in members}) < 3)
    found = {v for v in domain_of(c) if any(low <= v <= high for _, (low, high) in members)}
    rows = [v in found for v in c.rows]
    made = truths(rows) if 0 < len(found) < len(domain_of(c)) else number(rows, int(bool(found)))
    text = "({0} in (%s))" % ", ".join(text for text, _ in members)
    return [made], turns(m, (c.high - c.low) * c.scale), text, [x]


def plain_compared(m, k):
    rows = [v > k.one.low for v in m.tables["w"]["n"].rows]
    need(any(rows) and not all(rows))
    return [truths(rows)], 0


def plain_both(sign):
    """Two plain tables, or one and a constant."""

    def of(_, x, y):
        rows = [COMPARISONS[sign](v, w) for v, w in zip(x.one.rows, y.one.rows)]
        need(any(rows) and not all(rows))
        return [truths(rows)], 0

    return of


def plain_labelled(m, label):
    rows = [v == label.one.low for v in m.tables["w"]["k"].rows]
    need(label.constant and any(rows) and not all(rows))
    return [truths(rows)], 0


def plain_dated(m, day):
    rows = [v < day.one.low for v in m.tables["w"]["d"].rows]
    need(day.constant and any(rows) and not all(rows))
    return [truths(rows)], 0


def by_digits(sign):
    def of(m, bound):
        return [truths([COMPARISONS[sign](v, bound.one.low) for v in m.tables["i"]["num"].rows])], 6

    return of


def digits_between(m, low, high):
    need(low.one.low < high.one.low)
    return [truths([low.one.low <= v <= high.one.low for v in m.tables["i"]["num"].rows])], 8


def settled_number(_, x):
    """A number that is the same in every row, whatever the cells are."""
    need(x.encrypted() and len(x.columns) == 1)
    x.one.numbers()
    return [number(x.one.rows, 2, x.one.scale)], 0


def settled_condition(truth):
    def of(_, x):
        c = x.one.numbers()
        need(x.encrypted() and not x.total and -900 < c.low and c.high < 900)
        return [number(c.rows, truth)], 0

    return of


def opposite(_, c):
    return [
        number(v.rows, 1 - v.rows[0]) if v.known else Column("number", [1 - one for one in v.rows], 0, 1)
        for v in c.columns
    ], 0


def joined(both, c, d):
    rows = [v and w if both else v or w for v, w in zip(c.rows, d.rows)]
    for one, other in ((c, d), (d, c)):
        if one.known and bool(one.rows[0]) != both:
            return number(rows, int(not both))
        if one.known:
            return number(rows, other.rows[0]) if other.known else truths(rows)
    return truths(rows)


def beside_constants(m, c):
    """A condition, and one of constants alone."""
    text, true = constants.condition(m.r)
    both = m.r.random() < 0.5
    made = [joined(both, v, number(v.rows, int(true))) for v in c.columns]
    need(not c.plain or not any(v.known for v in made))
    words = (text, "and" if both else "or", "({0})")
    return made, 0, " ".join(words if m.r.random() < 0.5 else words[::-1]), [c]


def far_beyond(m, p):
    """A plain column, times a number that is far beyond t, and compared with such a number."""
    large, bound = m.r.choice((5 * 10**9, 10**15, 4 * 10**12)), m.r.randint(-2, 2)
    rows = [v > bound for v in p.one.rows]
    need(any(rows) and not all(rows))
    return [truths(rows)], 0, "{0}*%d > %d*%d" % (large, bound, large), [p]


def logic(both):
    def of(_, c, d):
        return [joined(both, a, b) for a, b in broadcast(c, d)], 1

    return of


def truth(_, x):
    need(not x.constant)
    return x.columns, 0


def label_members(m):
    return m.r.sample(range(len(LABELS)), m.r.randint(1, len(LABELS)))
