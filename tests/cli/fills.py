"""Questions about a random hospital's table with gaps, as hebatch answers them, beside the same in Python.

fills.py SCHEME SEED KEYS

Columns of dates, years, ages, decimals and numbers below 0 have ranges without 0. Their missing cells are stored as the
value of the range that is nearest to 0, which no answer may show.
"""
import csv
import datetime
import os
import random
import subprocess
import sys

HEBATCH = os.environ["HEBATCH"]
KEYS = sys.argv[3]
WARDS = ["er", "icu", "lab"]
FIRST = datetime.date(2024, 1, 10)
NAMES = ["ward", "admitted", "discharged", "since", "age", "temp", "cold", "dose"]
WARD, IN, OUT, SINCE, AGE, TEMP, COLD, DOSE = range(8)


def table(rows):
    """Rows whose cells may each be missing; the last column has all."""
    gap = lambda value: None if random.random() < 0.25 else value
    made = []
    for _ in range(rows):
        day = FIRST + datetime.timedelta(days=random.randint(0, 40))
        made.append((gap(random.choice(WARDS)), gap(day), gap(day + datetime.timedelta(days=random.randint(0, 9))),
                     gap(random.randint(1995, 1999)), gap(random.randint(18, 24)), gap(random.randint(360, 372) / 10),
                     gap(-random.randint(41, 47)), random.randint(2, 5)))
    return made


def text(value):
    return "" if value is None else str(value)


def days(date):
    return (date - datetime.date(1970, 1, 1)).days


def mean(values):
    return sum(values) / len(values) if values else None


def variance(values):
    middle = mean(values)
    return sum((v - middle) ** 2 for v in values) / (len(values) - 1) if len(values) > 1 else None


def exact(rows):
    """Questions that compare: names, expressions and what they come to."""
    late = datetime.date(2024, 2, 1)
    both = lambda r, *k: all(r[i] is not None for i in k)
    yield "late", "count(p.admitted > '2024-02-01')", sum(both(r, IN) and r[IN] > late for r in rows)
    yield "early", "count(not p.admitted > '2024-02-01')", sum(both(r, IN) and r[IN] <= late for r in rows)
    yield "on", "count(p.admitted in ('2024-01-15', '2024-01-20'..'2024-02-05'))", sum(
        both(r, IN) and (r[IN] == datetime.date(2024, 1, 15) or
                         datetime.date(2024, 1, 20) <= r[IN] <= datetime.date(2024, 2, 5)) for r in rows)
    yield "stays", "count(p.discharged - p.admitted > 4)", sum(
        both(r, IN, OUT) and (r[OUT] - r[IN]).days > 4 for r in rows)
    yield "order", "count(p.discharged > p.admitted)", sum(both(r, IN, OUT) and r[OUT] > r[IN] for r in rows)
    yield "any", "count(p.age < 21 or p.cold < -44)", sum(
        (both(r, AGE) and r[AGE] < 21) or (both(r, COLD) and r[COLD] < -44) for r in rows)
    yield "doses", "sum(p.dose where p.since > 1996)", sum(r[DOSE] for r in rows if both(r, SINCE) and r[SINCE] > 1996)
    yield "ages", "sum(p.age where p.temp >= 36.55)", sum(
        r[AGE] for r in rows if both(r, AGE, TEMP) and r[TEMP] >= 36.55)
    yield "own", "mean(p.temp where p.temp >= 36.5)", mean([r[TEMP] for r in rows if both(r, TEMP) and r[TEMP] >= 36.5])
    yield "years", "groupby(p.since, count(), sum(p.age), mean(p.temp), count(p.cold), var(p.age))", [
        [year, len(g), sum(r[AGE] for r in g if both(r, AGE)), mean([r[TEMP] for r in g if both(r, TEMP)]),
         sum(both(r, COLD) for r in g), variance([r[AGE] for r in g if both(r, AGE)])]
        for year in range(1995, 2000) for g in [[r for r in rows if r[SINCE] == year]]]
    yield "cells", "groupby((p.ward, p.age), count(), sum(p.dose))", [
        [ward, age, len(g), sum(r[DOSE] for r in g)]
        for ward in WARDS for age in range(18, 25) for g in [[r for r in rows if r[WARD] == ward and r[AGE] == age]]]
    yield "bins", "histogram(p.age, 18..20, 21..22, 23..24)", [
        [f"{low}..{high}", sum(both(r, AGE) and low <= r[AGE] <= high for r in rows)]
        for low, high in ((18, 20), (21, 22), (23, 24))]


def questions(rows, reals):
    there = lambda *k: [[r[i] for i in k] for r in rows if all(r[i] is not None for i in k)]
    one = lambda k: [r[0] for r in there(k)]
    yield "sum", "sum(p.age)", sum(one(AGE))
    yield "some", "sum((p.since, p.age, p.cold))", [[sum(one(SINCE)), sum(one(AGE)), sum(one(COLD))]]
    yield "cold", "mean(p.cold)", mean(one(COLD))
    yield "temp", "mean(p.temp)", mean(one(TEMP))
    yield "var", "var(p.age)" if reals else "var(p.since)", variance(one(AGE if reals else SINCE))
    yield "vart", "var(p.temp)", variance(one(TEMP))
    yield "gone", "count(p.since is missing)", sum(r[SINCE] is None for r in rows)
    yield "here", "count(p.admitted)", len(one(IN))
    yield "dot", "dot(p.age, p.temp)", sum(a * b for a, b in there(AGE, TEMP))
    yield "stay", "sum(p.discharged - p.admitted)", sum((b - a).days for a, b in there(IN, OUT))
    yield "meanstay", "mean(p.discharged - p.admitted)", mean([(b - a).days for a, b in there(IN, OUT)])
    yield "twice", "sum(2*p.age)", 2 * sum(one(AGE))
    yield "less", "sum(-p.cold)", -sum(one(COLD))
    yield "more", "sum(p.age + 1)", sum(v + 1 for v in one(AGE))
    yield "mixed", "sum(p.age + p.temp)", sum(a + b for a, b in there(AGE, TEMP))
    yield "same", "sum(p.age + p.age - 3*p.age)", -sum(one(AGE))
    yield "square", "sum(p.age^2)", sum(v * v for v in one(AGE))
    yield "times", "sum(p.age*p.dose)", sum(a * b for a, b in there(AGE, DOSE))
    yield "scaled", "sum(p.temp*0.5)", sum(one(TEMP)) / 2
    yield "left", "sum(p.dose where p.age is missing)", sum(r[DOSE] for r in rows if r[AGE] is None)
    if reals:
        yield "old", "count(p.age > 20.5)", sum(v > 20 for v in one(AGE))
        yield "recent", "sum(p.dose where p.since > 1996.5)", sum(r[DOSE] for r in rows if r[SINCE] and r[SINCE] >= 1997)
        yield "groups", "groupby(p.since, count(), sum(p.age))", [
            [year, len(g), sum(r[AGE] for r in g if r[AGE] is not None)]
            for year in range(1995, 2000) for g in [[r for r in rows if r[SINCE] == year]]]
        return
    yield from exact(rows)


def run(*arguments):
    done = subprocess.run([HEBATCH, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout


def decrypted(path):
    return list(csv.reader(run("decrypt", "--quiet", "--key", KEYS + "/secret.h5", path, "-").splitlines()))[1:]


def same(got, want, near):
    if want is None or isinstance(want, str):
        return got == (want or "")
    if isinstance(want, datetime.date):
        return got == str(want) or (got.replace(".", "").isdigit() and abs(float(got) - days(want)) < 0.01)
    return got != "" and abs(float(got) - want) <= near * (1 + abs(want))


def check(name, got, want, near, about=None):
    right = len(got) == len(want) and all(
        len(x) == len(y) and all(same(g, v, near) for g, v in zip(x, y)) for x, y in zip(got, want))
    assert right, (name, got, want, about)


def rowwise(rows, near):
    """Results row by row, and what a second command makes of them. A copy keeps the fill, all else does not."""
    run("eval", "--keys", KEYS, "c = p.age; d = p.discharged - p.admitted; w = (p.since, p.age); q = p.age*p.cold; "
        "u = p.age + 1; x = p", "--compact", "off", "p=p.heb", *[f"{n}={n}.heb" for n in "cdwqux"], "--force")
    run("eval", "--keys", KEYS, "a = sum(c); b = sum(d); e = sum((w.since, w.age)); f = sum(q); g = sum(u); "
        "h = sum(c + u); i = mean(c)", *[f"{n}={n}.heb" for n in "cdwquabefghi"], "--force")
    pick = lambda f, *k: [[f(*[r[i] for i in k]) if all(r[i] is not None for i in k) else None] for r in rows]
    column = lambda k: [r[k] for r in rows if r[k] is not None]
    total = lambda cells: sum(v[0] for v in cells if v[0] is not None)
    stays, products = pick(lambda a, b: (b - a).days, IN, OUT), pick(lambda a, b: a * b, AGE, COLD)
    for name, want in (("c", pick(lambda a: a, AGE)), ("d", stays), ("w", [[r[SINCE], r[AGE]] for r in rows]),
                       ("q", products), ("u", pick(lambda a: a + 1, AGE)), ("x", [list(r) for r in rows]),
                       ("a", [[sum(column(AGE))]]), ("b", [[total(stays)]]),
                       ("e", [[sum(column(SINCE)), sum(column(AGE))]]), ("f", [[total(products)]]),
                       ("g", [[sum(v + 1 for v in column(AGE))]]), ("h", [[sum(2 * v + 1 for v in column(AGE))]]),
                       ("i", [[mean(column(AGE))]])):
        check(name, decrypted(f"{name}.heb"), want, near, rows)


def main():
    scheme, seed = sys.argv[1], int(sys.argv[2])
    random.seed(seed)
    rows, reals = table(random.randint(20, 40)), scheme == "ckks"
    near = 1e-3 if reals else 1e-9
    with open("p.csv", "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(NAMES)
        writer.writerows([[text(v) for v in r] for r in rows])
    meant = ["--category", "ward=" + ",".join(WARDS), "--missing", "mask"] + ([] if reals else ["--scale", "temp=10"])
    run("encrypt", "--quiet", "--key", KEYS + "/public.h5", "p.csv", "p.heb", *meant, "--range",
        "admitted=2024-01-10..2024-02-19,discharged=2024-01-10..2024-02-28,since=1995..1999,age=18..24,temp=36..38,"
        "cold=-47..-41,dose=2..5", "--force")
    run("verify", "--key", KEYS + "/secret.h5", "p.heb", "--against", "p.csv")
    check("p", decrypted("p.heb"), [list(r) for r in rows], near)
    asked = list(questions(rows, reals))
    run("eval", "--keys", KEYS, "; ".join(f"r_{n} = {e}" for n, e, _ in asked), "p=p.heb",
        *[f"r_{n}=r_{n}.heb" for n, _, _ in asked], "--force")
    for name, expression, want in asked:
        check((seed, expression), decrypted(f"r_{name}.heb"), want if isinstance(want, list) else [[want]], near, rows)
    rowwise(rows, near)


main()
