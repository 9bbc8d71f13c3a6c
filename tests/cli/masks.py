"""Aggregates of random tables with gaps, as hebatch computes them, beside the same in Python.

masks.py SCHEME SEED KEYS

Missing cells are skipped as SQL and pandas skip them: a condition of one is unknown, which selects nothing.
"""
import csv
import os
import random
import subprocess
import sys

HEBATCH = os.environ["HEBATCH"]
KEYS = sys.argv[3]
WARDS = ["er", "icu", "lab"]


def table(rows):
    """Rows of a ward, an age, a stay and a flag, any of which may be missing, and of a day that is always there."""
    def cell(values):
        return None if random.random() < 0.25 else random.choice(values)
    return [(cell(WARDS), cell(range(0, 10)), cell(range(-5, 6)), cell([False, True]),
             random.randint(1, 9)) for _ in range(rows)]


def text(value):
    return "" if value is None else str(value).lower()


def less(x, y):
    return None if x is None or y is None else x < y


def both(x, y):
    return False if x is False or y is False else None if x is None or y is None else True


def either(x, y):
    return True if x is True or y is True else None if x is None or y is None else False


def opposite(x):
    return None if x is None else not x


def mean(values):
    return sum(values) / len(values) if values else None


def variance(values):
    middle = mean(values)
    return sum((v - middle) ** 2 for v in values) / (len(values) - 1) if len(values) > 1 else None


def questions(rows, reals):
    """Names, expressions and what they come to: a number, or a list of rows."""
    there = lambda k: [r[k] for r in rows if r[k] is not None]
    chosen = lambda k, c: [r[k] for r in rows if r[k] is not None and c(r) is True]
    old, short = (lambda r: less(4, r[1])), (lambda r: less(r[2], 2))
    yield "s", "sum(p.stay)", sum(there(2))
    yield "n", "count(p.age)", len(there(1))
    yield "m", "mean(p.stay)", mean(there(2))
    yield "v", "var(p.age)", variance(there(1))
    # Columns with gaps beside one without: each has its own count.
    wide = lambda f, c: [f(chosen(k, c)) for k in (1, 4, 2)]
    yield "beside", "mean((p.age, p.day, p.stay))", [wide(mean, lambda r: True)]
    yield "apart", "var((p.age, p.day, p.stay))", [wide(variance, lambda r: True)]
    yield "among", "mean((p.age, p.day, p.stay) where p.on)", [wide(mean, lambda r: r[3])]
    yield "here_all", "mean((p.age, p.day, p.stay) where p.age < 20)", [wide(mean, lambda r: r[1] is not None)]
    yield "some_wards", "groupby(p.ward where p.on, var((p.age, p.day)), mean((p.day, p.stay)))", [
        [w, *[f(chosen(k, lambda r, w=w: r[3] and r[0] == w)) for f, k in
              ((variance, 1), (variance, 4), (mean, 4), (mean, 2))]] for w in WARDS]
    yield "plainly", "mean((p.age, p.day) where w.k > 1)", [
        [mean([r[k] for r in rows[::3] if r[k] is not None]) for k in (1, 4)]]
    yield "gone", "count(p.age is missing)", sum(r[1] is None for r in rows)
    yield "here", "count(p.age is not missing)", len(there(1))
    yield "plus", "sum(p.stay + 1)", sum(v + 1 for v in there(2))
    yield "dots", "dot(p.age, p.stay)", sum(r[1] * r[2] for r in rows if r[1] is not None and r[2] is not None)
    yield "flags", "count(p.on)", sum(v for v in there(3))
    yield "two", "sum(p.age - p.stay)", sum(r[1] - r[2] for r in rows if r[1] is not None and r[2] is not None)
    yield "some", "sum(p.stay where p.on)", sum(chosen(2, lambda r: r[3]))
    yield "off", "sum(p.stay where not p.on)", sum(chosen(2, lambda r: opposite(r[3])))
    yield "middle", "mean(p.age where p.on)", mean(chosen(1, lambda r: r[3]))
    yield "left", "sum(p.stay where p.age is missing)", sum(chosen(2, lambda r: r[1] is None))
    # Conditions that the range of a column decides: missing cells fulfil none.
    yield "never", "count(p.age > 20)", 0
    yield "always", "count(p.age < 20)", len(there(1))
    yield "empty", "sum(p.stay where p.age > 20)", 0
    yield "nobody", "mean(p.stay where p.age > 20)", None
    yield "everybody", "sum(p.stay where p.age < 20)", sum(chosen(2, lambda r: less(r[1], 20)))
    yield "nowhere", "groupby(p.ward, count(p.age > 20))", [[w, 0] for w in WARDS]
    yield "decided", ("groupby(p.ward, count(p.age < 20), count(p.age > 20), sum(p.stay where p.age > 20), "
                      "mean(p.stay where p.age > 20), sum(p.stay where p.age < 20))"), [
        [w, sum(r[1] is not None for r in g), 0, 0, None,
         sum(r[2] for r in g if r[1] is not None and r[2] is not None)]
        for w in WARDS for g in [[r for r in rows if r[0] == w]]]
    if reals:
        return
    yield "olds", "count(p.age > 4)", sum(old(r) is True for r in rows)
    yield "young", "count(not p.age > 4)", sum(old(r) is False for r in rows)
    yield "and", "count(p.age > 4 and p.stay < 2)", sum(both(old(r), short(r)) is True for r in rows)
    yield "or", "count(p.age > 4 or p.stay < 2)", sum(either(old(r), short(r)) is True for r in rows)
    yield "nand", "count(not (p.age > 4 and p.stay < 2))", sum(both(old(r), short(r)) is False for r in rows)
    yield "nor", "count(not (p.age > 4 or p.stay < 2))", sum(either(old(r), short(r)) is False for r in rows)
    yield "wards", "groupby(p.ward, count(), sum(p.stay), mean(p.age), count(p.age), count(p.on))", [
        [w, len(g), sum(r[2] for r in g if r[2] is not None), mean([r[1] for r in g if r[1] is not None]),
         sum(r[1] is not None for r in g), sum(r[3] is True for r in g)]
        for w in WARDS for g in [[r for r in rows if r[0] == w]]]
    yield "bins", "histogram(p.age, 0..4, 5..9)", [
        [name, sum(r[1] is not None and low <= r[1] <= high for r in rows)]
        for name, low, high in (("0..4", 0, 4), ("5..9", 5, 9))]


def run(*arguments):
    done = subprocess.run([HEBATCH, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout


def decrypted(path):
    rows = list(csv.reader(run("decrypt", "--quiet", "--key", KEYS + "/secret.h5", path, "-").splitlines()))
    return rows[1:]


def same(got, want, near):
    if want is None or isinstance(want, str):
        return got == (want or "")
    return got != "" and abs(float(got) - want) <= near * (1 + abs(want))


def rowwise(rows, near):
    """Results row by row are missing where an operand is, also of a second command, which selects rows by them."""
    with open("weights.csv", "w") as out:
        out.write("a,b\n2,-1\n1,3\n")
    run("eval", "--keys", KEYS, "t = p.age + p.stay; q = p.age*p.stay; u = 2*p.stay - 1; w = (p.age, p.stay); "
        "x = W @ (p.age, p.stay)", "--compact", "off", "p=p.heb", "W=weights.csv", "t=t.heb", "q=q.heb", "u=u.heb",
        "w=w.heb", "x=x.heb", "--force")
    run("eval", "--keys", KEYS, "z = t - u; k = count(u); c = sum(u); n = count(t); l = sum(t + 1)", "t=t.heb",
        "u=u.heb", "z=z.heb", "k=k.heb", "c=c.heb", "n=n.heb", "l=l.heb", "--force")
    pair = lambda f: [[f(r[1], r[2]) if r[1] is not None and r[2] is not None else None] for r in rows]
    single = [[2 * r[2] - 1 if r[2] is not None else None] for r in rows]
    sums = [r[1] + r[2] for r in rows if r[1] is not None and r[2] is not None]
    for name, want in (("t", pair(lambda a, b: a + b)), ("q", pair(lambda a, b: a * b)), ("u", single),
                       ("w", [[r[1], r[2]] for r in rows]), ("z", pair(lambda a, b: a + b - (2 * b - 1))),
                       ("k", [[sum(r[2] is not None for r in rows)]]),
                       ("c", [[sum(v[0] for v in single if v[0] is not None)]]),
                       ("x", [x + y for x, y in zip(pair(lambda a, b: 2 * a - b), pair(lambda a, b: a + 3 * b))]),
                       ("n", [[len(sums)]]), ("l", [[sum(v + 1 for v in sums)]])):
        got = decrypted(f"{name}.heb")
        right = len(got) == len(want) and all(same(g, v, near) for x, y in zip(got, want) for g, v in zip(x, y))
        assert right, (name, got, want)


def main():
    scheme, seed = sys.argv[1], int(sys.argv[2])
    random.seed(seed)
    rows, reals = table(random.randint(5, 40)), scheme == "ckks"
    near = 1e-3 if reals else 1e-9
    with open("p.csv", "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["ward", "age", "stay", "on", "day"])
        writer.writerows([[text(v) for v in r] for r in rows])
    asked = list(questions(rows, reals))
    run("encrypt", "--quiet", "--key", KEYS + "/public.h5", "p.csv", "p.heb", "--category", "ward=" + ",".join(WARDS),
        "--missing", "ward=mask,age=mask,stay=mask,on=mask", "--range", "age=0..9,stay=-5..5,day=1..9", "--force")
    with open("w.csv", "w") as out:
        out.write("\n".join(["k", *[str(2 if i % 3 == 0 else 1) for i in range(len(rows))]]) + "\n")
    run("eval", "--keys", KEYS, "; ".join(f"r_{n} = {e}" for n, e, _ in asked), "p=p.heb", "w=w.csv",
        *[f"r_{n}=r_{n}.heb" for n, _, _ in asked], "--force")
    for name, expression, want in asked:
        got = decrypted(f"r_{name}.heb")
        want = want if isinstance(want, list) else [[want]]
        right = len(got) == len(want) and all(len(x) == len(y) and all(same(g, v, near) for g, v in zip(x, y))
                                              for x, y in zip(got, want))
        assert right, (seed, expression, got, want, rows)
    rowwise(rows, near)


main()
