"""Random programs out of the rows of kinds, and how they are written: in one command, or one operation after another,
as somebody would do by hand."""

import random
import re

import arithmetic
import constants
import kinds
import results
from values import F, LABELS, ONE_ROW, PLAIN, Column, Impossible, Value, cell_text, decimal_text, need, scale_of

TRIES = 60
SHAPES = {"n": kinds.NUMBERS, "c": kinds.CONDITIONS, "d": kinds.DATES, "l": kinds.LABELLED, "s": kinds.TRUTHS}
SHAPES["p"] = kinds.PLAINS
OF_KIND = {"n": ("number", "bool"), "p": ("number", "bool"), "d": ("day",), "l": ("label",), "s": ("bool",)}


class Maker:
    """One program. setup: see setups.py; tables: of values.make_tables; most: what values may come to, as stored."""

    def __init__(self, setup, tables, seed):
        self.setup, self.tables, self.r = setup, tables, random.Random(seed)
        self.rows, self.most, self.deepest, self.reals = setup.rows, setup.most, setup.deepest, setup.reals
        self.scheme = "reals" if self.reals else "integers"
        self.made = []

    def total_of(self, column):
        if column.known:
            return arithmetic.number(column.rows, sum(column.rows), column.scale)
        low, high = self.rows * min(column.low, 0), self.rows * max(column.high, 0)
        return arithmetic.column([sum(column.rows)] * self.rows, low, high, column.scale)

    def apart(self, a, b=None):
        """Whether no row of reals is so near to where the condition turns that it may come out either way."""
        if not self.reals:
            return True
        most = max(abs(a.low - (b.high if b else 0)), abs(a.high - (b.low if b else 0)))
        return all(abs(v - w) * 100 >= most for v, w in zip(a.rows, b.rows if b else [0] * len(a.rows)))

    # --- leaves

    def column_of(self, shape, tables):
        places = [
            (t, name)
            for t in tables
            for name, c in self.tables[t].items()
            if c.kind in OF_KIND[shape] and name != "id" and name != "num"
        ]
        need(places)
        table, name = self.r.choice(places)
        total = self.rows > 1 and table in ONE_ROW or table in PLAIN and self.rows == 1
        if self.setup.packed and (table in PLAIN or self.r.random() < 0.7):
            text, names = table, list(self.tables[table])
        else:
            text, names = "%s.%s" % (table, name), [name]
        columns = [self.tables[table][n] for n in names]
        value = Value(text, [self.as_column(c, table in ONE_ROW) for c in columns], total=total)
        value.plain, value.clean = table in PLAIN, not total and table != "f"
        value.depth = 1 if total else 0
        value.named = self.r.random() < 0.05
        return value

    def as_column(self, c, one_row):
        return Column(c.kind, c.rows * self.rows if one_row else c.rows, c.low, c.high, 1 if self.reals else c.scale)

    def constant(self, shape="k"):
        kind = {"l": "label", "d": "day", "s": "bool"}.get(shape, "number")
        text = None
        if shape == "b":
            value = self.r.choice((F(self.r.randint(1, 59999)), self.r.choice(self.tables["i"]["num"].rows)))
            need(0 < value < 60000)
            scale = 1
        elif kind == "number":
            value, scale, text = self.number()
        else:
            value = F(self.r.randint(*{"l": (0, len(LABELS) - 1), "d": (19700, 19820), "s": (0, 1)}[shape]))
            scale = 1
        text = text or (decimal_text(value) if kind == "number" else "'%s'" % cell_text(kind, value))
        column = Column(kind, [value] * self.rows, value, value, 1 if self.reals else scale, known=True)
        value = Value(text, [column], constant=True)
        value.named = shape == "k" and self.r.random() < 0.1
        return value

    def row_count(self):
        return Value("count()", [arithmetic.number([F(0)] * self.rows, self.rows)], constant=True)

    def number(self):
        """A constant, its scale and its text: of every sign and size, now and then as arithmetic on constants."""
        draw = self.r.random()
        if draw < 0.15:
            value = F(self.r.choice((0, 1, -1, 1, -1)))
        elif draw < 0.5:
            value = F(self.r.randint(-25, 25))
        elif draw < 0.9:
            value = F(self.r.randint(-250, 250), 10 ** self.r.choice((1, 1, 2, 3)))
        else:
            value = F(self.r.randint(-2000, 2000))
        draw = self.r.random()
        if draw < 0.15:
            return constants.made_of(self.r, value)
        if draw < 0.85:
            return value, scale_of(value), None
        one = F(self.r.randint(-9, 9), self.r.choice((1, 10)))
        if self.r.random() < 0.5:
            return value, max(scale_of(one), scale_of(value - one)), "(%s + %s)" % tuple(
                map(decimal_text, (one, value - one))
            )
        return one * 5, scale_of(one), "(%s*5)" % decimal_text(one)

    def leaf(self, shape):
        draw = self.r.random()
        if shape == "p":
            return self.column_of(shape, self.setup.plain)
        one_row = ("Q",) if self.setup.packed else ("u", "f")
        return self.column_of(shape, one_row if draw < 0.15 else self.setup.leaves)

    # --- what arguments stand for

    def argument(self, letter, height):
        if letter in "kb":
            return self.constant(letter)
        if letter == "g":
            return self.key(height)
        if letter in "1n24":
            value = self.value("n", height)
            need(letter == "n" or len(value.columns) == int(letter))
            return value
        if letter == "o":
            draw = self.r.random()
            if draw < 0.02:
                return self.row_count()
            if draw < 0.3:
                return self.constant()
            if draw < 0.4:
                return self.value("p", min(height, 2))
            return self.value("n", height)
        if letter == "q":
            return self.constant() if self.r.random() < 0.5 else self.value("p", height)
        draw = self.r.random()
        if letter in "dls" and draw < 0.3:
            return self.constant(letter)
        if letter in "dl" and draw < 0.4:
            return self.column_of(letter, self.setup.plain)
        return self.value(letter, height)

    def key(self, height):
        """A key of groups."""
        draw = self.r.random()
        if draw < 0.2 and "w" in self.setup.plain:
            return self.column_of(self.r.choice("lnd"), ("w",))
        if draw < 0.4 and not self.reals:
            return self.value(self.r.choice("lsnc"), height - 1)
        return self.column_of(self.r.choice("lsn"), self.setup.leaves)

    def again(self, shape):
        """A value that is there already, which then has a name."""
        fitting = [v for v in self.made if v.shape == shape and not v.constant]
        need(fitting)
        value = self.r.choice(fitting)
        value.named = True
        return value

    def value(self, shape, height):
        for _ in range(TRIES):
            try:
                draw = self.r.random()
                if shape != "c" and (height <= 0 or draw < 0.12):
                    return self.leaf(shape)
                if draw < 0.2:
                    return self.again(shape)
                fitting = [k for k in SHAPES[shape] if k.is_for(self.setup)]
                return self.of_kind(self.r.choices(fitting, [k.weight for k in fitting])[0], shape, height)
            except Impossible:
                continue
        raise Impossible

    def of_kind(self, kind, shape, height):
        need(self.scheme in kind.schemes)
        parts = [self.argument(letter, height - 1) for letter in kind.arguments]
        if kind.arguments in ("no", "cno") and self.r.random() < 0.4:
            parts[-2:] = parts[:-3:-1]
        if shape == "d" or kind.arguments in ("dd", "ddd", "ll", "ss", "cll", "css", "cdd"):
            need(any(p.encrypted() for p in parts[kind.arguments.startswith("c") :]))
            need(not kind.text.startswith("(") or not parts[0].constant)
        if kind.text.startswith(("w.", "i.")):
            need(kind.text[0] in self.setup.plain + ("i" if "x" in self.setup.leaves else "",))
        depth = max(p.depth for p in parts)
        made = kind.make(self, *parts)
        columns, more = made[:2]
        text, parts = made[2:] if len(made) > 2 else (kind.text, parts)
        value = Value(text, columns, parts, depth + more)
        value.clean = kind.clean and all(p.clean or p.constant or p.plain for p in parts)
        if kind.text.startswith(("sum", "count", "dot", "mean")):
            value.total = True
        else:
            value.total = all(p.total or p.constant for p in parts) and not kind.text.startswith(("w.", "i."))
        value.plain = kind.text.startswith("w.") or any(p.plain for p in parts)
        value.plain = value.plain and all(p.plain or p.constant for p in parts)
        if kind.loops and parts[0].encrypted() and self.r.random() < 0.15:
            value = self.looped(kind, value)
        self.check(value)
        value.shape = shape
        value.left = any(
            all(p.left or not p.encrypted() or p.columns[min(i, len(p.columns) - 1)].known for p in parts)
            for i in range(len(value.columns))
        )
        value.named = value.named or self.r.random() < 0.15
        self.made.append(value)
        return value

    def looped(self, kind, value):
        """The same operation again and again, of what it came to."""
        value.loop = self.r.choice((2, 3))
        state = value.parts[0]
        need(len(state.columns) == len(value.columns) and state.total == value.total)
        need(value.text == kind.text)
        for _ in range(value.loop - 1):
            self.check(value)
            stand = Value("state", value.columns, depth=value.depth, total=value.total, clean=value.clean)
            value.columns, more = kind.make(self, stand, *value.parts[1:])
            value.depth += more
        value.named = True
        return value

    def check(self, value):
        need(value.depth <= self.deepest)
        for c in value.columns:
            need(c.kind != "number" or c.stored() < self.most)

    def result(self):
        """The value that stands for the result, and what its cells are wanted to be."""
        for _ in range(1000):
            self.made = []
            try:
                fitting = [k for k in results.RESULTS if k.is_for(self.setup)]
                kind = self.r.choices(fitting, [k.weight for k in fitting])[0]
                need(self.scheme in kind.schemes)
                height = self.r.choice((1, 2, 3)) if len(kind.arguments) < 3 else self.r.choice((0, 1, 2))
                parts = [self.argument(letter, height) for letter in kind.arguments]
                need(all(p.encrypted() or p.plain and kind.text.startswith("groupby") for p in parts))
                need(not any(c.known for p in parts for c in p.columns) or self.r.random() < 0.05)
                need(not any(p.left and p.encrypted() and not any(c.known for c in p.columns) for p in parts))
                wanted = kind.make(self, *parts)
                value = Value(wanted.text or kind.text, [], parts)
                need(max(p.depth for p in parts) + wanted.depth <= self.deepest + 2)
                if kind.text == "{0}":  # the value is the result itself
                    value = parts[0]
                need(self.rows == 1 or tables_in(arithmetic.full_text(value)).intersection(self.setup.leaves))
                return value, wanted
            except Impossible:
                continue
        raise AssertionError("nothing fits")


def tables_in(text):
    return set(re.findall(r"\b([xzwufoWVLviPRQNM])\b", re.sub(r"'[^']*'", "", text)))


class Written:
    """A program as statements; names begin with `prefix`, and the result is called so."""

    def __init__(self, value, prefix):
        self.prefix, self.names, self.statements, self.count = prefix, {}, [], 0
        self.values = {}  # of intermediate names, in their order
        text = self.body(value, value.parts) if not value.loop else self.of(value)
        self.statements.append("%s = %s" % (prefix, text))

    def body(self, value, parts):
        return value.text.format(*(self.of(p) for p in parts)) if value.parts else value.text

    def of(self, value):
        if id(value) in self.names:
            return self.names[id(value)]
        if not value.parts and not value.named:
            return value.text
        if value.loop:
            name = self.name(value)
            first, rest = self.of(value.parts[0]), [self.of(p) for p in value.parts[1:]]
            self.names[id(value)] = name
            self.statements.append("%s = %s" % (name, first))
            self.statements.append("repeat %d { %s = %s }" % (value.loop, name, value.text.format(name, *rest)))
            return name
        text = self.body(value, value.parts)
        if not value.named:
            return text
        self.names[id(value)] = name = self.name(value)
        self.statements.append("%s = %s" % (name, text))
        return name

    def name(self, value):
        self.count += 1
        name = "%s_%d" % (self.prefix, self.count)
        self.values[name] = value
        return name

    def stored(self):
        """An intermediate name that is stored too, with the value, in every second program that has one."""
        fitting = [name for name, value in self.values.items() if value.secret()]
        return fitting[-1:] if len(self.text) % 2 else []

    @property
    def text(self):
        return "; ".join(self.statements)


class ByHand:
    """The same program one operation a command: steps are statements, whose results are the datasets of later ones."""

    def __init__(self, value, prefix):
        self.prefix, self.names, self.steps, self.result = prefix, {}, [], prefix
        self.of(value, last=True)

    def step(self, text):
        name = "%sh%d" % (self.prefix, len(self.steps))
        self.steps.append((name, "%s = %s" % (name, text)))
        return name

    def of(self, value, last=False):
        if id(value) in self.names:
            return self.names[id(value)]
        if value.plain and value.parts:
            return value.text.format(*(self.of(p) for p in value.parts))
        if value.text == "count()":  # beside a total that is stored it would be of one row
            name = str(value.one.rows[0])
        elif not value.parts:
            name = self.step(value.text) if last else value.text
        else:
            parts = [self.of(p) for p in value.parts]
            name = self.step(value.text.format(*parts))
            for _ in range(value.loop - 1):
                name = self.step(value.text.format(name, *parts[1:]))
        self.names[id(value)] = name
        return name
