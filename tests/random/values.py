"""The data of random programs: columns of rationals that mean something, and the tables they are read from."""

import datetime
import fractions
import random

F = fractions.Fraction
LABELS = ("ICU", "ER", "day ward")
FIRST = datetime.date(2024, 1, 1)
DAY_ZERO = datetime.date(1970, 1, 1)


class Impossible(Exception):
    """This would not fit, or means nothing: something else is tried."""


def need(condition):
    if not condition:
        raise Impossible


def decimal_text(value):
    """A rational with finitely many decimal digits, exactly."""
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    text = str(abs(value * 10**digits).numerator).rjust(digits + 1, "0")
    text = text[: len(text) - digits] + ("." + text[len(text) - digits :] if digits else "")
    return ("-" if value < 0 else "") + text


def scale_of(value):
    scale = 1
    while (value * scale).denominator != 1:
        scale *= 10
    return scale


def cell_text(kind, value):
    if kind == "bool":
        return "true" if value else "false"
    if kind == "label":
        return LABELS[int(value)]
    if kind == "day":
        return str(DAY_ZERO + datetime.timedelta(int(value)))
    return decimal_text(F(value))


class Column:
    """kind: number, bool, label, day (labels by their place, dates as days since 1970); rows: one value for each row, a
    Fraction; low, high: what they are known to lie between; scale: of decimals, 1 of reals; known: the same in every
    row, as everybody can tell by ranges alone."""

    def __init__(self, kind, rows, low, high, scale=1, known=False):
        self.kind, self.rows, self.low, self.high, self.scale = kind, rows, F(low), F(high), scale
        self.known = known

    def stored(self):
        return max(abs(self.low), abs(self.high)) * self.scale

    def numbers(self):
        """The same as numbers, if it may stand for such."""
        need(self.kind in ("number", "bool"))
        return Column("number", self.rows, self.low, self.high, self.scale, self.known)


class Value:
    """columns; text: with {0}, {1} .. for the parts, which are values; depth: of products; total: one row, which stands
    in all; constant: a number that is written out; plain: of a plain table; clean: 0 in slots without rows."""

    def __init__(self, text, columns, parts=(), depth=0, total=False, constant=False, plain=False, clean=False):
        self.text, self.columns, self.parts, self.depth = text, columns, parts, depth
        self.total, self.constant, self.plain, self.clean = total, constant, plain, clean
        self.loop = 0  # how often the text, of the first part, is done again
        self.named = False  # stands in a statement of its own
        self.left = False  # nothing is left in a column but what everybody knows, and plain tables

    @property
    def one(self):
        need(len(self.columns) == 1)
        return self.columns[0]

    def secret(self):
        """Whether nobody knows a column of it."""
        return self.encrypted() and not self.left and not any(c.known for c in self.columns)

    def encrypted(self):
        return not self.constant and not self.plain


def numbers(*columns):
    return {"c%d" % (i + 1): ("number", *column) for i, column in enumerate(columns)}


# A column of a table: its kind, least and most value, scale.
TABLES = {
    "x": {
        "a": ("number", 0, 6, 1),
        "kg": ("number", -3, 3, 10),
        "eur": ("number", 0, 2, 100),
        "on": ("bool", 0, 1, 1),
        "ward": ("label", 0, 2, 1),
        "day": ("day", 0, 60, 1),
        "id": ("id", 1, 99, 1),
    },
    "z": {
        "b": ("number", -4, 5, 1),
        "lb": ("number", -1, 1, 1000),
        "off": ("bool", 0, 1, 1),
        "unit": ("label", 0, 2, 1),
        "out": ("day", 20, 70, 1),
    },
    "w": {"p": ("number", -2, 2, 100), "n": ("number", -3, 3, 1), "k": ("label", 0, 2, 1), "d": ("day", 0, 60, 1)},
    "u": {
        "c": ("number", -3, 4, 1),
        "g": ("number", -2, 2, 10),
        "ok": ("bool", 0, 1, 1),
        "main": ("label", 0, 2, 1),
        "since": ("day", 10, 50, 1),
    },
    "f": {"q": ("number", -1, 3, 10)},
    "o": {"s": ("number", -2, 2, 10), "at": ("day", 10, 50, 1), "one": ("label", 0, 2, 1)},
    "W": {"w1": ("number", -2, 2, 10), "w2": ("number", -3, 3, 1)},
    "V": {"v1": ("number", -2, 2, 10), "v2": ("number", -1, 1, 1)},
    "v": {"t": ("number", -2, 3, 1)},
    "L": {"key": ("id", 0, 6, 1), "price": ("number", -2, 2, 100)},
    "i": {"num": ("number", 0, 60000, 1)},
    "P": numbers((-2, 2, 10), (-2, 2, 1), (0, 1, 100), (-1, 1, 10)),
    "R": numbers((-1, 1, 10), (0, 2, 1), (-1, 1, 100), (0, 3, 10)),
    "Q": numbers((-1, 1, 10), (0, 2, 1), (-1, 1, 100), (-2, 0, 10)),
    "N": numbers((-1, 2, 10), (1, 2, 1), (-1, 1, 100), (0, 3, 10)),
    "M": numbers((-1, 1, 10), (-2, 2, 1), (-1, 1, 10), (-1, 1, 1)),
}
ROWS_OF = {"u": 1, "f": 1, "o": 1, "W": 2, "V": 2, "L": 4, "v": 5, "Q": 1, "M": 3}  # the others have those of the setup
PLAIN = ("w", "o", "W", "L", "v", "N", "M")
ONE_ROW = ("u", "f", "o", "Q")


def make_tables(rows):
    """table -> column -> Column, the same for the same number of rows."""
    r = random.Random(rows)
    made = {}
    for table, columns in TABLES.items():
        count = ROWS_OF.get(table, rows)
        made[table] = {}
        for name, (kind, low, high, scale) in columns.items():
            if kind == "id":
                values = [F(v) for v in r.sample(range(low, high + 1), min(count, high + 1 - low))]
                values += [F(r.randint(low, high)) for _ in range(count - len(values))]
            else:
                values = [F(r.randint(low * scale, high * scale), scale) for _ in range(count)]
            first = (FIRST - DAY_ZERO).days if kind == "day" else 0
            values = [v + first for v in values]
            made[table][name] = Column("number" if kind == "id" else kind, values, low + first, high + first, scale)
    return made


def write_table(path, columns, left_out=(), filled=False):
    """left_out: places of rows without a cell, which are to be dropped; filled: cells as in the first row are empty."""
    cells = [[cell_text(c.kind, v) for v in c.rows] for c in columns.values()]
    if filled:
        cells = [["" if cell == column[0] else cell for cell in column] for column in cells]
    rows = [list(row) for row in zip(*cells)]
    for place in left_out:
        if len(rows) >= place:
            rows.insert(place, [""] + (rows[0][1:] if len(rows[0]) > 1 else []))
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join(columns) + "\n")
        file.writelines((",".join(row) or '""') + "\n" for row in rows)
