"""Wide integers: random tables and programs, and what Python's integers say of them.

wide.py make SEED ROWS        writes t.csv and u.csv (columns a, b, c of random widths), w.csv (one row)
wide.py program SEED COUNT    prints COUNT statements and writes them to programs.json
wide.py check SEED ROWS       compares y0.csv ... with what the statements are, exactly
"""
import csv
import json
import random
import sys

NAMES = ("a", "b", "c")
TYPES = {"a": (-(2**63), 2**63 - 1), "b": (0, 2**64 - 1), "c": (-1000, 1000)}


def tables(seed, rows):
    draw = random.Random(seed)

    def cell(name):
        low, high = TYPES[name]
        return draw.choice((low, high, 0, 1)) if draw.random() < 0.1 else draw.randint(low, high)

    made = {t: [[cell(n) for n in NAMES] for _ in range(rows)] for t in "tu"}
    made["w"] = [[draw.randint(-9, 9) or 1, 2**60 + draw.randint(0, 9), -7]]
    return made


def operand(draw):
    return ("column", draw.choice("tu"), draw.randrange(3))


def tree(draw, products):
    """Sums and differences of columns, of numbers times them, and of at most so many products."""
    kind = draw.choice("+-*n" if products else "+-n")
    if kind == "*":
        return ("*", operand(draw), operand(draw) if draw.random() < 0.7 else ("row", draw.randrange(3)))
    if kind == "n":
        return ("n", draw.choice((-3, 2, 5, 2**40 + 1, -(2**61))), operand(draw))
    return (kind, operand(draw), tree(draw, products - 1) if products else operand(draw))


def text(t):
    if t[0] == "column":
        return f"{t[1]}.{NAMES[t[2]]}"
    if t[0] == "row":
        return f"w.{NAMES[t[1]]}"
    if t[0] == "n":
        return f"({t[1]})*{text(t[2])}" if t[1] >= 0 else f"-{-t[1]}*{text(t[2])}"
    if t[0] == "sum":
        return f"sum({text(t[1])})"
    return f"({text(t[1])} {t[0]} {text(t[2])})"


def value(t, made, row):
    if t[0] == "column":
        return made[t[1]][row][t[2]]
    if t[0] == "row":
        return made["w"][0][t[1]]
    if t[0] == "n":
        return t[1] * value(t[2], made, row)
    x, y = value(t[1], made, row), value(t[2], made, row)
    return x + y if t[0] == "+" else x - y if t[0] == "-" else x * y


def main():
    what, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if what == "make":
        for name, rows in tables(seed, count).items():
            with open(f"{name}.csv", "w", newline="") as f:
                csv.writer(f, lineterminator="\n").writerows([NAMES] + rows)
        return
    if what == "program":
        draw = random.Random(seed)
        trees = [tree(draw, 2) for _ in range(count)]
        trees = [("sum", t) if i % 4 == 3 else t for i, t in enumerate(trees)]
        with open("programs.json", "w") as f:
            json.dump(trees, f)
        print("; ".join(f"y{i} = {text(t)}" for i, t in enumerate(trees)))
        return
    made = tables(seed, count)
    with open("programs.json") as f:
        trees = json.load(f)
    for i, t in enumerate(trees):
        with open(f"y{i}.csv") as f:
            found = [int(row[0]) for row in list(csv.reader(f))[1:]]
        if t[0] == "sum":
            wanted = [sum(value(t[1], made, row) for row in range(count))]
            wanted = [(v + 2**127) % 2**128 - 2**127 for v in wanted]
        else:
            wanted = [(value(t, made, row) + 2**127) % 2**128 - 2**127 for row in range(count)]
        if [v % 2**128 for v in found] != [v % 2**128 for v in wanted]:
            sys.exit(f"y{i} = {text(t)} is not {wanted[:3]} ... but {found[:3]} ...")


main()
