"""The kinds of results that programs have, as rows: what they take, how they are written, and the cells that they have
to have."""

import itertools

from arithmetic import somewhere
from conditions import domain_of, member
from kinds import Kind
from values import F, cell_text, need


class Wanted:
    """cells: for each row its columns' texts, numbers (Fractions, exact; floats, rounded once), None (empty); how: rows
    (in order), some (some of them, those in `sure` at least, in any order); text: how the result is written, where its
    kind does not say so."""

    def __init__(self, cells, how="rows", sure=None, depth=0, text=None):
        self.cells, self.how, self.sure, self.depth, self.text = cells, how, sure, depth, text

    def readable(self):
        """Whether a column has the same in every row that has a cell of it, so that everybody might know it."""
        shown = [[c.between(0) if isinstance(c, Spread) else c for c in line] for line in self.cells]
        return any(len(set(map(str, column)) - {"None"}) <= 1 for column in zip(*shown))


def cell(column, row):
    return column.rows[row] if column.kind == "number" else cell_text(column.kind, column.rows[row])


def rows_of(m, *values):
    columns = [c for v in values for c in v.columns]
    need(all(v.encrypted() for v in values))
    one = all(v.total for v in values)
    need(one or not any(v.total for v in values))
    return Wanted([[cell(c, row) for c in columns] for row in range(1 if one else m.rows)])


def mean_of(rows):
    return float(sum(rows) / len(rows)) if rows else None


def variance_of(rows):
    if len(rows) < 2:
        return None
    middle = sum(rows) / len(rows)
    return float(sum((v - middle) ** 2 for v in rows) / (len(rows) - 1))


class Spread:
    """A mean or variance of reals: worked out of a sum, a sum of squares and a count, each off by up to an error."""

    def __init__(self, name, rows):
        self.name, self.parts = name, (float(len(rows)), float(sum(rows)), float(sum(v * v for v in rows)))

    def worked(self, count, total, squares):
        return total / count if self.name == "mean" else (squares - total**2 / count) / (count - 1)

    def between(self, error):
        """The least and most that it may be; None: anything."""
        if self.parts[0] - error < (0.5 if self.name == "mean" else 1.5):
            return None
        made = [self.worked(*corner) for corner in itertools.product(*((p - error, p + error) for p in self.parts))]
        return min(made), max(made)


def worked_out(m, name, rows):
    if name == "sum":
        return sum(rows, F(0))
    return Spread(name, rows) if m.reals else AGGREGATES[name](rows)


def fits(m, value, squares=False, plain=False):
    need(value.encrypted() or plain and value.plain)
    for c in value.columns:
        c.numbers()
        need(m.rows * c.stored() ** (2 if squares else 1) < m.most)


AGGREGATES = {"mean": mean_of, "var": variance_of}


def of_one_row(rows, *values):
    """The first row where no value has more: a value of one row stands in every row of others."""
    return rows[:1] if all(v is None or v.total for v in values) else rows


def aggregates(m, *values):
    """Mean, variance and sum of columns of numbers, and the rows where a condition is true."""
    x, y, z, c = values
    fits(m, x), fits(m, y, squares=True), fits(m, z)
    need(all(len(v.columns) == 1 for v in values) and not c.plain and not all(v.total for v in values))
    some = [v for v, t in of_one_row(list(zip(x.one.rows, c.one.rows)), x, c) if t]
    spread = worked_out(m, "var", of_one_row(y.one.rows, y))
    sums = [sum(of_one_row(v.one.rows, v)) for v in (z, c)]
    return Wanted([[worked_out(m, "mean", some), spread] + sums + [F(m.rows)]], depth=3)


def aggregate(name, where=False):
    def of(m, x, c=None):
        fits(m, x, squares=name == "var")
        need(c is None or len(c.columns) == 1 and not (c.plain and not somewhere(c.one)))
        pairs = [of_one_row(list(zip(k.rows, c.one.rows if c else k.rows)), x, c) for k in x.columns]
        chosen = [[v for v, t in pair if t or not c] for pair in pairs]
        return Wanted([[worked_out(m, name, rows) for rows in chosen]], depth=2)

    return of


def places_of(m, key):
    """The values of a key, and whether there is a group of each, also without rows."""
    c = key.one
    if key.plain:
        need(not m.reals or all(v.denominator == 1 for v in c.rows))
        return sorted(set(c.rows)), False
    need(c.scale == 1 and all(v.denominator == 1 for v in c.rows) and c.high - c.low < 12)
    return domain_of(c), not key.parts and not key.total  # the range of one row may be that of its value


def groups(m, keys, made, chosen=None):
    """made: names of aggregates and their values; chosen: the rows that count."""
    columns = [k.one for k in keys]
    need(not any(k.one.known for k in keys))
    values = keys + tuple(value for _, value in made) + (chosen,)
    need(any(v is not None and not v.total for v in values) and (len(keys) == 1 or not any(k.total for k in keys)))
    domains, whole = zip(*(places_of(m, k) for k in keys))
    places = list(itertools.product(*domains))
    need(len(places) <= 24)
    cells, sure = [], []
    for place in places:
        rows = [i for i in range(m.rows) if all(c.rows[i] == v for c, v in zip(columns, place))]
        counted = [i for i in rows if chosen is None or chosen.one.rows[i]]
        line = [v if c.kind == "number" else cell_text(c.kind, v) for c, v in zip(columns, place)]
        for name, value in made:
            line.append(
                F(len(counted)) if name == "count" else worked_out(m, name, [value.one.rows[i] for i in counted])
            )
        cells.append(line)
        sure.append(all(whole) or bool(rows))
    return Wanted(cells, "some", sure, depth=6)


def grouped(keys, names, where=False):
    def of(m, *values):
        chosen = values[-1] if where else None
        rest = list(values[keys : len(values) - 1 if where else len(values)])
        need(chosen is None or chosen.encrypted())
        made = []
        for name in names:
            value = rest.pop(0) if name != "count" else None
            if value:
                fits(m, value, squares=name == "var", plain=True)
                need(len(value.columns) == 1)
            made.append((name, value))
        return groups(m, values[:keys], made, chosen)

    return of


def listed(m, key, x):
    """Groups of up to three values of an encrypted key, which are listed."""
    c = key.one
    need(key.encrypted() and not c.known and not (key.total and x.total) and c.scale == 1 and c.high - c.low < 12)
    fits(m, x)
    values = m.r.sample(domain_of(c), m.r.randint(1, min(3, int(c.high - c.low) + 1)))
    texts = ["'%s'" % cell_text(c.kind, v) if c.kind != "number" else str(v) for v in values]
    cells = []
    for value in values:
        rows = [x.one.rows[i] for i in range(m.rows) if c.rows[i] == value]
        cells.append([value if c.kind == "number" else cell_text(c.kind, value), sum(rows, F(0)), F(len(rows))])
    text = "groupby({0}, %s, sum({1}), count())" % ", ".join(texts)
    return Wanted(cells, "some", [True] * len(cells), depth=7, text=text)


def histogram(_, x):
    c = x.one
    need(x.encrypted() and not x.total and not c.known and (c.high - c.low) * c.scale <= 70)
    cells = [[v if c.kind == "number" else cell_text(c.kind, v), F(c.rows.count(v))] for v in domain_of(c)]
    return Wanted(cells, "some", [line[1] > 0 for line in cells], depth=7)


def binned(m, x):
    """Up to three bins of numbers with nothing in common, each of which some value may be in."""
    c = x.one
    need(x.encrypted() and not x.total and c.kind == "number" and c.scale == 1 and c.high - c.low < 200)
    bins = [member(m, c) for _ in range(m.r.randint(1, 3))]
    for i, (_, (low, high)) in enumerate(bins):
        need(not any(low <= last and first <= high for _, (first, last) in bins[:i]))
        need(c.low <= low and high <= c.high and c.low < c.high)
    counts = [F(sum(low <= v <= high for v in c.rows)) for _, (low, high) in bins]
    cells = [[low if low == high else text, count] for (text, (low, high)), count in zip(bins, counts)]
    return Wanted(cells, depth=9, text="histogram({0}, %s)" % ", ".join(text for text, _ in bins))


def fetched(m, *values):
    """Rows by a first column that is different in each, or by one column alone."""
    *columns, c = values
    need(m.rows < 99 and c.encrypted() and sum(c.one.rows) <= 4 and not c.one.known)
    for x in columns:
        need(not x.total and len(x.columns) == 1 and x.encrypted() and not x.one.known)
        need(x.one.stored() < m.most / m.rows)
    cells = [[cell(x.one, i) for x in columns] for i in range(m.rows) if c.one.rows[i]]
    if len(columns) > 1:
        need("x" in m.setup.leaves)
        keys = m.tables["x"]["id"].rows
        cells = [[keys[i]] + line for i, line in zip((i for i in range(m.rows) if c.one.rows[i]), cells)]
    return Wanted(cells, "some", [True] * len(cells), depth=5)


RESULTS = (
    Kind(8, "n", "{0}", rows_of),
    Kind(1, "c", "{0}", rows_of, "packed"),
    Kind(4, "nsd", "({0}, {1}, {2})", rows_of, "apart"),
    Kind(4, "lnn", "({0}, {1}, {2})", rows_of, "apart"),
    Kind(3, "nncdl", "({0}, {1}, {2}, {3}, {4})", rows_of, "apart"),
    Kind(3, "nn", "({0}, {1})", rows_of, "apart"),
    Kind(2, "c", "{0}", rows_of, "apart"),
    Kind(2, "d", "{0}", rows_of, "apart"),
    Kind(2, "l", "{0}", rows_of, "apart"),
    Kind(2, "s", "{0}", rows_of, "apart"),
    Kind(3, "111c", "(mean({0} where {3}), var({1}), sum({2}), count({3}), count())", aggregates, "apart"),
    Kind(2, "n", "mean({0})", aggregate("mean"), "apart"),
    Kind(2, "n", "var({0})", aggregate("var"), "apart"),
    Kind(2, "nc", "mean({0} where {1})", aggregate("mean", True), "apart"),
    Kind(2, "nc", "var({0} where {1})", aggregate("var", True), "apart"),
    Kind(2, "nc", "sum({0} where {1})", aggregate("sum", True), "apart"),
    Kind(2, "l11", "groupby({0}, sum({1}), count(), mean({2}))", grouped(1, ("sum", "count", "mean")), "apart"),
    Kind(2, "g1", "groupby({0}, mean({1}))", grouped(1, ("mean",)), "apart"),
    Kind(2, "gg1", "groupby(({0}, {1}), sum({2}), count())", grouped(2, ("sum", "count")), "apart"),
    Kind(2, "gp1", "groupby({0}, mean({1}), sum({2}), count())", grouped(1, ("mean", "sum", "count")), "apart"),
    Kind(2, "gg1pp", "groupby(({0}, {1}), sum({2}), sum({3}), var({4}))", grouped(2, ("sum", "sum", "var")), "apart"),
    Kind(1, "g11", "groupby({0}, var({1}), sum({2}))", grouped(1, ("var", "sum")), "apart"),
    Kind(2, "gg1c", "groupby(({0}, {1}) where {3}, sum({2}), count())", grouped(2, ("sum", "count"), True), "apart"),
    Kind(2, "g1c", "groupby({0} where {2}, mean({1}), count())", grouped(1, ("mean", "count"), True), "apart"),
    Kind(2, "g1", "groupby({0}, ..)", listed, "integers apart"),
    Kind(2, "1", "histogram({0})", histogram, "integers apart"),
    Kind(1, "l", "histogram({0})", histogram, "integers apart"),
    Kind(1, "s", "histogram({0})", histogram, "integers apart"),
    Kind(0.5, "d", "histogram({0})", histogram, "integers apart"),
    Kind(2, "1", "histogram({0}, ..)", binned, "integers apart"),
    Kind(1, "1c", "fetch({0} where {1}, 4)", fetched, "integers apart"),
    Kind(2, "nlc", "fetch((x.id, {0}, {1}) where {2}, 4)", fetched, "integers apart"),
    Kind(1, "sdnc", "fetch((x.id, {0}, {1}, {2}) where {3}, 4)", fetched, "integers apart"),
)
