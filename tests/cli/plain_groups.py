"""A hospital's table, random aggregates of it as hebatch's language has them, and what Python makes of them.

Names p are encrypted, w are a plain table of as many rows, of which the values that there are make groups.

plain_groups.py table ROWS | plain ROWS | range | programs COUNT | check PROGRAM <CSV |
near TOLERANCE PROGRAM <CSV"""
import csv
import io
import random
import re
import sys
from fractions import Fraction

COLUMNS = {"id": (0, 99999), "ward": (0, 3), "sex": (0, 1), "age": (18, 90), "stay": (-3, 11), "grade": (2, 6)}
PLAIN = {"unit": [-4, 0, 7, 100], "kind": [0, 1], "site": [3, 5, 9]}


def table(rows):
    source = random.Random(5)
    print(",".join(COLUMNS))
    for _ in range(rows):
        print(",".join(str(source.randint(*bounds)) for bounds in COLUMNS.values()))


def plain_table(rows):
    source = random.Random(6)
    print(",".join(PLAIN))
    for _ in range(rows):
        print(",".join(str(source.choice(values)) for values in PLAIN.values()))


def plain_condition(source, without=""):
    """A condition of columns that are not in a text: in groups by them it would select no row of some."""
    return source.choice([c for c in ["w.kind", "w.unit == 7", "w.unit >= 0 and w.kind == 0", "w.unit < w.site",
                                      "not w.site in (3, 8..9)", "w.site between 4 and 9", "p.sex == 1"]
                          if not set(re.findall(r"w\.\w+", c)) & set(re.findall(r"w\.\w+", without))])


def condition(source):
    kind = source.randrange(5)
    if kind == 0:
        return "p.sex"
    if kind == 1:
        return f"p.ward == {source.randint(0, 3)}"
    if kind == 2:
        return f"p.grade in (2, 4..{source.randint(4, 5)})"
    if kind == 3:
        return f"p.stay < {source.randint(-2, 9)}"
    return f"p.sex and p.grade > {source.randint(2, 5)}"


def value(source):
    return source.choice(["p.age", "p.stay", "p.age - 3*p.stay", "p.stay*p.grade", "2*p.age + 1"])


def aggregate(source, name, conditions=(condition,)):
    chosen = f" where {source.choice(conditions)(source)}" if source.random() < 0.4 else ""
    if name == "count":
        return "count()" if source.random() < 0.6 else f"count({source.choice(conditions)(source)})"
    return f"{name}({value(source)}{chosen})"


def programs(count):
    source = random.Random(11)
    for i in range(count):
        names = source.sample(["sum", "mean", "var", "count"], source.randint(1, 3))
        aggregates = ", ".join(aggregate(source, name) for name in names)
        where = f" where {condition(source)}" if source.random() < 0.25 else ""
        kind = i % 6
        if kind == 0:
            print(f"y = cols({aggregates}, sum(p.age))")
        elif kind == 1:
            print(f"y = groupby({source.choice(['p.ward', 'p.sex', 'p.grade', 'p.stay'])}{where}, {aggregates})")
        elif kind == 2:
            print(f"y = groupby(({source.choice(['p.ward', 'p.grade'])}, p.sex), {aggregates})")
        elif kind == 3:
            print(f"y = groupby(p.stay{where}, {source.randint(-3, 0)}..{source.randint(0, 4)}, {source.randint(5, 11)}, {aggregates})")
        elif kind == 4:
            print(f"y = histogram(p.age{where}, 0..{source.randint(18, 40)}, 41..64, 65..120)")
        else:
            print(f"y = histogram(p.{source.choice(['ward', 'grade'])}{where})")


def mixed_programs(count):
    source = random.Random(12)
    for i in range(count):
        keys = source.choice([["w.unit", "w.kind", "w.site", "(w.site, w.kind)"], ["(p.ward, w.site)", "(w.kind, p.sex)"],
                              ["w.unit, 7, -9..0", "w.site, 4..20", "w.kind, 1"]][i % 3])
        used = keys if i % 4 > 0 else ""

        def chosen(source):
            return plain_condition(source, used)

        def mixed(source):
            return f"{condition(source)} {source.choice(['and', 'or'])} ({plain_condition(source)})"

        members = "," in re.sub(r"\(.*\)", "", keys)
        where = f" where {source.choice((condition, chosen, mixed))(source)}" if not members and i % 2 else ""
        used += where
        names = source.sample(["sum", "mean", "var", "count"], source.randint(1, 3))
        aggregates = ", ".join(aggregate(source, name, (condition, chosen, mixed)) for name in names)
        if i % 4 == 0:
            print(f"y = cols({aggregates}, sum(p.age where {plain_condition(source)}))")
        else:
            print(f"y = groupby({keys}{where}, sum(p.stay), {aggregates})")


def split(text):
    """The arguments of a call, at commas outside parentheses."""
    parts, depth, last = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(text[last:i].strip())
            last = i + 1
    return parts + [text[last:].strip()]


def plain(text, row):
    """An expression of a row."""
    text = re.sub(r"\b[pw]\.(\w+)", r"row['\1']", text)
    text = re.sub(r"(row\['\w+'\]) between (\d+) and (\d+)", r"\2 <= \1 <= \3", text)
    text = re.sub(r"not (\S+) in (\([^)]*\))", r"(not (\1 in \2))", text)
    text = re.sub(r" in \(([^)]*)\)", lambda m: " in [" + ", ".join(
        "*range(" + p.replace("..", ", 1 + ") + ")" if ".." in p else p for p in split(m[1])) + "]", text)
    return int(eval(text, {"row": row}))


def selected(text, rows):
    value, _, chosen = text.partition(" where ")
    return value, [r for r in rows if plain(chosen, r)] if chosen else rows


def compute(call, rows):
    name, argument = call[:-1].split("(", 1)
    if name == "count":
        return len(rows) if not argument else sum(plain(argument, r) for r in rows)
    argument, rows = selected(argument, rows)
    values = [plain(argument, r) for r in rows]
    if name == "sum":
        return sum(values)
    if len(values) < (1 if name == "mean" else 2):
        return None
    mean = Fraction(sum(values), len(values))
    if name == "mean":
        return float(mean)
    return float((sum(v * v for v in values) - mean * sum(values)) / (len(values) - 1))


def domain(column):
    if column in PLAIN:
        return None
    low, high = COLUMNS[column]
    return list(range(low, high + 1))


def grouped(arguments, rows, bins):
    keys, rows = selected(arguments[0], rows)
    keys = [k.strip()[2:] for k in split(keys.strip("()"))]
    members = [a for a in arguments[1:] if re.fullmatch(r"-?\d+(\.\.-?\d+)?", a)]
    calls = arguments[1 + len(members):] if not bins else ["count()"]
    ranges = [[int(e) for e in m.split("..")] for m in members]
    if bins and members:
        for low, high in ranges:
            mine = [r for r in rows if low <= r[keys[0]] <= high]
            yield [f"{low}..{high}"] + [compute(c, mine) for c in calls]
        return
    groups = [[]]
    for key in keys:
        groups = [g + [v] for g in groups for v in domain(key) or PLAIN[key]]
    if members:
        groups = [[v] for r in ranges for v in (domain(keys[0]) or PLAIN[keys[0]]) if r[0] <= v <= r[-1]]
    public = [k for k in keys if k in PLAIN] if any(k in PLAIN for k in keys) else None
    there = rows_of_filter(arguments[0])
    for group in groups:
        seen = public is None or any(all(r[k] == v for k, v in zip(keys, group) if k in PLAIN) for r in there)
        if seen:
            mine = [r for r in rows if [r[k] for k in keys] == group]
            yield group + [compute(c, mine) for c in calls]


def rows_of_filter(argument):
    """The rows that the filter of groups leaves by plain tables alone: all where it reads others."""
    chosen = argument.partition(" where ")[2]
    return [r for r in table_rows() if "p." in chosen or not chosen or plain(chosen, r)]


def table_rows():
    rows = []
    with open("p.csv", encoding="utf-8") as p, open("w.csv", encoding="utf-8") as w:
        for x, y in zip(csv.DictReader(p), csv.DictReader(w)):
            rows.append({k: int(v) for k, v in {**x, **y}.items()})
    return rows


def near(tolerance, text):
    """Checks groups of reals, whose results are off by errors."""
    arguments = split(re.fullmatch(r"y = groupby\((.*)\)", text)[1])
    wanted = list(grouped(arguments, table_rows(), False))
    got = [[float(x) for x in line] for line in list(csv.reader(io.StringIO(sys.stdin.read())))[1:]]
    assert len(got) == len(wanted) and all(
        len(x) == len(y) and all(abs(a - b) < tolerance for a, b in zip(x, y)) for x, y in zip(got, wanted)), (got, wanted)


def check(text):
    rows = table_rows()
    name, inside = re.fullmatch(r"\w+ = (\w+)\((.*)\)", text).groups()
    arguments = split(inside)
    wanted = ([[compute(a, rows) for a in arguments]] if name == "cols"
              else list(grouped(arguments, rows, name == "histogram")))
    out = list(csv.reader(io.StringIO(sys.stdin.read())))[1:]
    if name == "histogram" and isinstance(wanted[0][0], str) and out[0][0] == "0":
        wanted = [[i] + line[1:] for i, line in enumerate(wanted)]  # bins as their numbers
    got = [[None if x == "" else x if ".." in x else float(x) if isinstance(w, float) else int(x)
            for x, w in zip(line, line_wanted)] for line, line_wanted in zip(out, wanted)]
    assert got == wanted and len(out) == len(wanted), (got, wanted)


if __name__ == "__main__":
    if sys.argv[1] == "table":
        table(int(sys.argv[2]))
    elif sys.argv[1] == "plain":
        plain_table(int(sys.argv[2]))
    elif sys.argv[1] == "range":
        print(",".join(f"{name}={low}..{high}" for name, (low, high) in COLUMNS.items()))
    elif sys.argv[1] == "programs":
        programs(int(sys.argv[2]))
        mixed_programs(int(sys.argv[2]) // 3)
    elif sys.argv[1] == "near":
        near(float(sys.argv[2]), sys.argv[3])
    else:
        check(sys.argv[2])
