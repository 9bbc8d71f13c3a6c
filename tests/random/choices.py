"""Choices: where, the larger and the smaller, lists and tables to look up, a column for each of some values."""

import constants
from arithmetic import broadcast, column, number, same_text
from conditions import MOST_CONDITION, decided, domain_of, label_members, member, turns
from values import F, LABELS, Column, need


def chosen_of(c, a, b, same):
    """One column of a choice: a where the condition c is true, else b."""
    alike = a.kind == b.kind
    need(alike or {a.kind, b.kind} == {"number", "bool"})
    kind, scale = a.kind if alike else "number", max(a.scale, b.scale)
    rows = [v if t else w for t, v, w in zip(c.rows, a.rows, b.rows)]
    if same:
        return Column(kind, a.rows, a.low, a.high, scale, a.known)
    if c.known:
        side = a if c.rows[0] else b
        return Column(kind, rows, side.low, side.high, scale, side.known)
    return Column(kind, rows, min(a.low, b.low), max(a.high, b.high), scale)


def chosen(_, c, x, y):
    need(c.encrypted() or x.encrypted() or y.encrypted())
    need(x.encrypted() or y.encrypted() or not (x.constant and y.constant and x.one.low == y.one.low))
    for condition in c.columns:  # a plain side that is taken in every row is nothing that is encrypted
        need(not condition.known or not (x if condition.rows[0] else y).plain)
    count = max(len(v.columns) for v in (c, x, y))
    sides = []
    for v in (c, x, y):
        need(len(v.columns) in (1, count))
        sides.append(v.columns * (count // len(v.columns)))
    return [chosen_of(*three, same_text(x, y)) for three in zip(*sides)], 1


def plain_choice(_, c, x, y):
    """Between plain tables or constants, by a condition on plain tables."""
    need(c.plain and (x.plain or y.plain or x.one.low != y.one.low))
    return [chosen_of(c.one, a, b, False) for a, b in broadcast(x, y)], 0


def chosen_by_constants(m, x, y):
    """A choice by a condition of constants alone."""
    text, true = constants.condition(m.r)
    need(x.encrypted() or y.encrypted())
    need(not (x if true else y).plain)  # which is nothing that is encrypted
    made = [chosen_of(number(a.rows, int(true)), a, b, False) for a, b in broadcast(x, y)]
    return made, 0, "where(%s, {0}, {1})" % text, [x, y]


def extreme(pick):
    def of(m, x, y):
        need(x.encrypted() or y.encrypted())
        made, depth = [], 0
        for a, b in broadcast(x, y):
            need(a.kind == b.kind != "label" or {a.kind, b.kind} == {"number", "bool"})
            if a.kind != b.kind or a.kind == "number":
                a, b = a.numbers(), b.numbers()
            scale = max(a.scale, b.scale)
            larger = decided(">=", a, b)
            need(same_text(x, y) or m.apart(a, b))
            if same_text(x, y) or larger is not None:
                side, value = (a, x) if same_text(x, y) or larger == (pick is max) else (b, y)
                need(not value.plain)
                made.append(Column(a.kind, side.rows, side.low, side.high, scale, side.known))
                continue
            values = ((a.high - b.low) - (a.low - b.high)) * scale
            need(values <= MOST_CONDITION)
            rows = [pick(v, w) for v, w in zip(a.rows, b.rows)]
            made.append(Column(a.kind, rows, pick(a.low, b.low), pick(a.high, b.high), scale))
            depth = max(depth, turns(m, values) + 1)
        return made, depth

    return of


def magnitude(m, x):
    made, depth = [], 0
    for c in x.columns:
        need((c.high - c.low) * c.scale <= MOST_CONDITION and m.apart(c.numbers()))
        ends = sorted((abs(c.low), abs(c.high)))
        low = F(0) if c.low < 0 < c.high else ends[0]
        made.append(Column(c.kind, [abs(v) for v in c.rows], low, ends[1], c.scale, c.known))
        if c.low < 0 < c.high:
            depth = max(depth, turns(m, (c.high - c.low) * c.scale) + 1)
    return made, depth


def rectified(m, x):
    c = x.one.numbers()
    need(c.low < c.high and m.apart(c))
    return [column([max(v, F(0)) for v in c.rows], max(c.low, 0), max(c.high, 0), 1)], 13


# --- lists and tables


def found_in(entries, value):
    return next((v for (low, high), v in entries if low <= value <= high), F(0))


def looked_up(m, x):
    """A number for each of up to four values or ranges of them, which have nothing in common."""
    need(x.encrypted())
    c = x.one
    if c.kind == "label":
        keys = [("'%s'" % LABELS[i], (F(i), F(i))) for i in label_members(m)]
    else:
        c = c.numbers()
        need(c.scale == 1 and c.high - c.low <= 100)
        keys = [member(m, c) for _ in range(m.r.randint(1, 4))]
    for i, (_, (low, high)) in enumerate(keys):
        need(not any(low <= last and first <= high for _, (first, last) in keys[:i]))
    values = [m.constant() for _ in keys]
    entries = [(ends, v.one.low) for (_, ends), v in zip(keys, values)]
    found = {found_in(entries, v) for v in domain_of(c)}
    scale = max(v.one.scale for v in values)
    rows = [found_in(entries, v) for v in c.rows]
    made = column(rows, min(found), max(found), scale, known=len(found) == 1)
    text = "lookup({0}, %s, 0)" % ", ".join("%s:{%d}" % (key, i + 1) for i, (key, _) in enumerate(keys))
    return [made], turns(m, c.high - c.low), text, [x] + values


def looked_up_table(m, x):
    c = x.one.numbers()
    need(x.encrypted() and c.scale == 1 and c.high - c.low <= 100)
    table = m.tables["L"]
    need(len(set(table["key"].rows)) == len(table["key"].rows))
    prices = dict(zip(table["key"].rows, table["price"].rows))
    found = [prices.get(v, F(0)) for v in domain_of(c)]
    rows = [prices.get(v, F(0)) for v in c.rows]
    return [column(rows, min(found), max(found), 100, known=min(found) == max(found))], turns(m, c.high - c.low)


def one_hot(m, x):
    """A column for each of up to three values."""
    need(x.encrypted())
    c = x.one
    if c.kind == "label":
        keys = [("'%s'" % LABELS[i], F(i)) for i in label_members(m)]
    else:
        c = c.numbers()
        need(c.scale == 1 and c.high - c.low <= 100)
        values = m.r.sample(range(int(c.low) - 1, int(c.high) + 2), min(3, int(c.high - c.low) + 1))
        keys = [(str(v), F(v)) for v in values]
    made = []
    for _, value in keys:
        rows = [F(v == value) for v in c.rows]
        inside = c.low <= value <= c.high
        made.append(column(rows, 0, 1, 1) if inside and c.low < c.high else number(rows, int(inside)))
    return made, turns(m, c.high - c.low), "onehot({0}, %s)" % ", ".join(key for key, _ in keys), [x]
