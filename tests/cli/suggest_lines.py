"""params suggest: the lines that it prints run to the end, as they stand, and their results are those of plain arithmetic."""
import csv
import datetime
import itertools
import json
import math
import os
import pathlib
import random
import shlex
import shutil
import subprocess
import sys
import tempfile

HEBATCH = os.environ["HEBATCH"]
random.seed(20)


def table(path, columns):
    names = list(columns)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(zip(*columns.values()))
    return columns


def rows(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))[1:]


def run(words):
    done = subprocess.run([HEBATCH, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (shlex.join(words), done.returncode, done.stderr[-600:], done.stdout[-600:])
    return done.stdout


def lines(question, options):
    """The lines, run in a folder of their own but for the tables; the names of the results."""
    printed = run(["params", "suggest", question, *options])
    commands = [line for line in printed.split("\n") if line.startswith("hebatch ")]
    kinds = [line.split()[1] for line in commands]
    assert kinds[0] == "keygen" and {"encrypt", "eval", "decrypt"} == set(kinds[1:]), printed
    for line in commands:
        run(shlex.split(line)[1:])
    return commands


def close(got, wanted, tolerance):
    return abs(float(got) - wanted) <= tolerance


def check(question, options, wanted, tolerance=0.0):
    """wanted: of each result the rows, of numbers or texts."""
    folder = tempfile.mkdtemp(dir=".")
    here = os.getcwd()
    for file in pathlib.Path(".").glob("*.csv"):
        (pathlib.Path(folder) / file.name).write_bytes(file.read_bytes())
    os.chdir(folder)
    try:
        commands = lines(question, options)
        for name, expected in wanted.items():
            got = rows(f"{name}.csv")
            assert len(got) == len(expected), (question, got[:4], expected[:4])
            for found, right in zip(got, expected):
                right = right if isinstance(right, (list, tuple)) else [right]
                for x, y in zip(found, right, strict=True):
                    same = x == y if isinstance(y, str) else close(x, y, tolerance)
                    assert same, (question, options, found, right, commands)
    finally:
        os.chdir(here)
    return commands


def integers():
    a = [random.randint(-40, 90) for _ in range(50)]
    b = [random.randint(0, 12) for _ in range(50)]
    c = [random.choice(["icu", "lab", "heart, acute"]) for _ in range(50)]
    kg = [random.randint(300, 1200) / 10 for _ in range(50)]
    day = [datetime.date(2024, 1, 1) + datetime.timedelta(random.randint(0, 60)) for _ in range(50)]
    notes = [random.choice(["unknown", "", "3,5", "a note"]) for _ in range(50)]
    table("p.csv", {"a": a, "b": b, "ward": c, "weight kg": kg, "day": day, "notes": notes})
    table("w.csv", {"a": [3], "b": [-2]})
    table("wards.csv", {"ward": ["icu", "lab"], "cost": [900, 250]})
    p = ["--table", "p=p.csv"]
    # Columns that the question does not read are not looked at.
    check("y = p.a * p.b - 7", p, {"y": [x * y - 7 for x, y in zip(a, b)]})
    check("s = sum(p.a); q = sum(p.a * p.a)", p, {"s": [sum(a)], "q": [sum(x * x for x in a)]})
    check("y = p.b > 6", p, {"y": [int(y > 6) for y in b]})
    check("y = p.b > 6", p + ["--noise", "expected"], {"y": [int(y > 6) for y in b]})
    check("g = groupby(p.ward, count(), sum(p.a))", p + ["--category", "ward"],
          {"g": [[w, c.count(w), sum(x for x, y in zip(a, c) if y == w)] for w in sorted(set(c))]})
    check('s = sum(p."weight kg")', p + ["--scale", '"weight kg"=10'], {"s": [round(sum(kg), 1)]}, 1e-9)
    check("y = p.a + p.b", p + ["--range", "p.a=-50..100"], {"y": [x + y for x, y in zip(a, b)]})
    check("y = p.a * p.b", p + ["--range", "p=-50..1000"], {"y": [x * y for x, y in zip(a, b)]})
    check("y = (p.a * 1000) * p.b", p + ["--plain", "65537", "--wrap"],
          {"y": [(x * 1000 * y + 32768) % 65537 - 32768 for x, y in zip(a, b)]})
    check("cost = sum(p.b * lookup(p.ward, wards, 0))",
          ["--table", "p=p.csv,wards=wards.csv", "--category", "ward=icu,lab,\"heart, acute\""],
          {"cost": [sum({"icu": 900, "lab": 250}.get(w, 0) * y for w, y in zip(c, b))]})
    # Labels that no row has keep their groups: their values are not measured.
    labels = ["--category", "ward=er,icu,lab,\"heart, acute\",or"]
    check("y = lookup(p.ward, 'er':5, 0)*p.b + p.b", p + labels, {"y": b})
    check("g = groupby(p.ward, count())", p + labels,
          {"g": [[w, c.count(w)] for w in ("er", "icu", "lab", "heart, acute", "or")]})
    check("y = rowsum(w * x)", ["--table", "w=w.csv,x=q.csv", "--fill", "w"]
          if table("q.csv", {"a": a, "b": b}) else [], {"y": [3 * x - 2 * y for x, y in zip(a, b)]})
    check("y = rowsum(w * x)", ["--table", "w=w.csv,x=q.csv"], {"y": [3 * x - 2 * y for x, y in zip(a, b)]})
    check("y = w @ x", ["--table", "w=w.csv,x=q.csv"], {"y": [3 * x - 2 * y for x, y in zip(a, b)]})
    check("n = count(p.day < '2024-02-01')", p, {"n": [sum(d < datetime.date(2024, 2, 1) for d in day)]})
    big = [random.randint(0, 2**40) for _ in range(20)]
    table("big.csv", {"v": big, "u": [random.randint(0, 2**30) for _ in range(20)]})
    u = [int(r[1]) for r in rows("big.csv")]
    check("y = b.v * b.u", ["--table", "b=big.csv"], {"y": [x * y for x, y in zip(big, u)]})


def plain():
    """Names that eval reads as plain tables, with other noise and other keys than datasets have."""
    a = [random.randint(0, 120) for _ in range(40)]
    b = [random.randint(-9, 9) for _ in range(40)]
    i = [random.randint(0, 50) for _ in range(40)]
    j = [random.randint(-300, 300) for _ in range(40)]
    day = [datetime.date(2023, 12, 20) + datetime.timedelta(random.randint(0, 40)) for _ in range(40)]
    kg = [random.randint(-900, 900) / 10 for _ in range(40)]
    table("x.csv", {"a": a, "b": b})
    table("w.csv", {"i": i, "j": j, "day": day, "kg": kg})
    table("one.csv", {"n": [3], "huge": [10**12]})
    table("m.csv", {"a": [300000000, -5], "b": [10**12, 7]})
    w = ["--table", "x=x.csv", "--plain-table", "w=w.csv", "--scale", "kg=10"]
    check("y = (x.a < 100)*w.i + x.a", w, {"y": [(p < 100) * q + p for p, q in zip(a, i)]})
    check("y = (max(x.a, x.a+4) - x.a)*w.i + x.a", w, {"y": [4 * q + p for p, q in zip(a, i)]})
    check("y = -w.i*x.a; s = sum(w.i)*x.b; z = w.i*w.j*w.j*x.a; c = count(w.j > 0 and x.a > 50)", w,
          {"y": [-p * q for p, q in zip(a, i)], "s": [sum(i) * p for p in b],
           "z": [p * q * r * r for p, q, r in zip(a, i, j)], "c": [sum(q > 0 and p > 50 for p, q in zip(a, j))]})
    check("s = sum(x.a where w.day < '2024-01-01'); t = sum(w.kg where x.a > 60)", w,
          {"s": [sum(p for p, d in zip(a, day) if d < datetime.date(2024, 1, 1))],
           "t": [round(sum(q for p, q in zip(a, kg) if p > 60), 1)]}, 1e-9)
    check("g = groupby(w.i, sum(x.a))", w,
          {"g": [[g, sum(p for p, q in zip(a, i) if q == g)] for g in sorted(set(i))]})
    # Numbers that need a larger t than the values of datasets: of a plain table, of weights, of the question.
    one = ["--table", "x=x.csv", "--plain-table", "one=one.csv"]
    check("y = x.a*one.n; z = x.b*one.huge", one, {"y": [3 * p for p in a], "z": [10**12 * p for p in b]})
    product = [[300000000 * p + 10**12 * q, 7 * q - 5 * p] for p, q in zip(a, b)]
    check("y = m @ x", ["--table", "x=x.csv,m=m.csv"], {"y": product})
    check("y = m @ x", ["--table", "x=x.csv", "--plain-table", "m=m.csv"], {"y": product})
    x = ["--table", "x=x.csv", "--columns", "a,b"]
    check("y = x.a*123456789 - x.a*123456788", x, {"y": a})
    check("limit = 123456789; y = 3*x.a + limit - 123456700", x, {"y": [3 * p + 89 for p in a]})
    check("y = x.a + 3000000000000000000", x, {"y": [str(p + 3 * 10**18) for p in a]})
    # A range of a plain table is checked, and eval gets it; rows of the datasets are said.
    check("y = x.a*w.i", w + ["--rows", "40", "--range", "w.i=0..60"], {"y": [p * q for p, q in zip(a, i)]})
    real = [random.uniform(-1, 1) for _ in range(40)]
    table("r.csv", {"u": real})
    reals = ["--scheme", "ckks", "--table", "r=r.csv", "--plain-table", "one=one.csv,w=w.csv"]
    check("y = r.u / one.n + 0.5*w.kg*r.u", reals, {"y": [p / 3 + 0.5 * k * p for p, k in zip(real, kg)]}, 0.2)


def missing():
    """Cells that are missing of columns that are not read do not matter."""
    table("m.csv", {"age": [50, 60, 70], "kg": ["", 80, "NA"], "ward": ["x", "y", "y"]})
    check("s = sum(m.age)", ["--table", "m=m.csv"], {"s": [180]})
    # An option for a column makes it one that is read: its rows are dropped.
    check("s = sum(m.age)", ["--table", "m=m.csv", "--missing", "kg=drop"], {"s": [60]})
    check("s = sum(m.kg); t = sum(m.age)", ["--table", "m=m.csv", "--missing", "drop"], {"s": [80], "t": [60]})
    check("s = sum(m.kg)", ["--table", "m=m.csv", "--missing", "kg=0"], {"s": [80]})
    # A scale, or a category, of a column that is not read takes none of the rows in which it is missing.
    check("s = sum(m.age)", ["--table", "m=m.csv", "--missing", "drop", "--scale", "kg=10"], {"s": [180]})


def reals():
    x = [random.uniform(-1, 1.5) for _ in range(40)]
    y = [random.uniform(0, 4) for _ in range(40)]
    big = [random.uniform(1, 3e6) for _ in range(40)]
    table("r.csv", {"x": x, "y": y, "big": big, "text": ["a"] * 40})
    r = ["--scheme", "ckks", "--table", "r.csv"]
    mean = sum(x) / 40
    check("y = 0.5 * r.x * r.y - 1.25", r, {"y": [0.5 * a * b - 1.25 for a, b in zip(x, y)]}, 0.02)
    check("v = var(r.x)", r, {"v": [sum((a - mean) ** 2 for a in x) / 39]}, 0.01)
    check("y = 1.5 * r.big^2 + r.x", r, {"y": [1.5 * a * a + b for a, b in zip(big, x)]}, 2**44 / 512)
    check("y = sigmoid(r.x)", r + ["--precision", "8"], {"y": [1 / (1 + math.exp(-a)) for a in x]}, 2**-8)
    check("y = relu(r.x)", r + ["--precision", "7"], {"y": [max(a, 0) for a in x]}, 2**-7)
    expected = ["--precision", "6", "--noise", "expected"]
    check("y = max(r.x, r.y)", r + expected, {"y": list(map(max, x, y))}, 2**-6)
    check("y = r.x * r.x", r + ["--precision", "12", "--share", "10"], {"y": [a * a for a in x]}, 2**-11)
    far = ["--range", "r.x=-2..2", "--gap", "0.125"]
    apart = [a if abs(a - 0.25) > 0.6 else 1.4 for a in x]
    table("r.csv", {"x": apart, "y": y})
    check("n = count(r.x > 0.25)", r + far, {"n": [sum(a > 0.25 for a in apart)]}, 0.5)
    table("w.csv", {"a": [0.5, 1], "b": [-0.25, 2]})
    table("t.csv", {"a": x, "b": y})
    product = [[0.5 * a - 0.25 * b, a + 2 * b] for a, b in zip(x, y)]
    check("y = w @ x", ["--scheme", "ckks", "--table", "w=w.csv,x=t.csv"], {"y": product}, 0.02)
    check("z = 2 * x; y = z * z", ["--scheme", "ckks", "--table", "x=w.csv", "--range", "z=-4..5"],
          {"y": [[1, 0.25], [4, 16]]}, 0.05)


def planned(question, options):
    """Results have the ranges that were planned: the datasets store what was planned of the tables."""
    told = json.loads(run(["params", "suggest", question, *options, "--json"]))
    for words in [told["keygen"], *told["commands"]]:
        run(words[1:] + ([] if words is told["keygen"] else ["--force"]))
    for output in told["outputs"]:
        table = json.loads(run(["info", f"{output['name']}.heb", "--json"]))["table"]
        ends = [[float(column["values"][end]) for end in ("least", "most")] for column in table["column"]]
        got = [min(least for least, _ in ends), max(most for _, most in ends)]
        wanted = [float(output[end]) for end in ("least", "most")]
        assert got == wanted, (question, options, output, got, told["commands"])
    shutil.rmtree("KEYS")
    return json.loads(run(["info", "k.heb", "--json"]))["table"]["column"] if "k=" in options[1] else None


def ranges():
    """The plan for a column is as its dataset stores it: measured, or listed beside ranges that were said."""
    table("d.csv", {"p": ["1.12", "19.96", "3.3"], "q": [3, 5, 4], "w": ["a", "b", "a"], "ok": ["true"] * 3,
                    "day": ["2024-01-03", "2024-02-01", "2024-01-09"], "neg": ["-7.5", "-2.25", "-3"]})
    table("e.csv", {"u": ["0.07", "0.5", "0.11"], "v": [-3, 8, 2]})
    d = ["--table", "k=d.csv", "--scale", "p=100,neg=100", "--category", "w=a,b,c,d,e"]
    both = ["--table", "k=d.csv,e=e.csv", "--scale", "p=100,neg=100,u=100", "--category", "w=a,b,c,d,e"]
    question = "a = k.p - 1; b = k.neg + 1; c = k.q * k.q"
    for said in ([], ["--range", "k.q=0..9"], ["--range", "k.p=0..20"], ["--range", "k=-30..30"],
                 ["--noise", "expected"]):
        planned(question, d + said)
    planned("a = k.p - e.u; b = e.v * e.v; c = k.neg + k.p", both)
    planned("a = k.p - e.u; b = e.v * e.v", both + ["--range", "e.v=-9..9"])
    planned("a = k.p - 1", ["--table", "k=d.csv", "--scale", "p=100", "--columns", "p,q"])
    # Labels and truth values have the range of their meaning, whatever is said or measured.
    for said in ([], ["--range", "k.w=0..100,k.ok=0..7"], ["--range", "k=-30..30000"]):
        columns = planned("a = k.ok * k.q; b = k.w == 'b'", d + said)
        stored = {column["name"]: column["values"] for column in columns}
        for name, most in (("w", "4"), ("ok", "1")):
            assert stored[name] in (None, {"least": "0", "most": most}), stored
    check("n = count(k.p < 5.5)", d, {"n": [2]})
    check("n = count(k.w == 'b'); m = count(k.day < '2024-01-10')", d, {"n": [1], "m": [2]})
    table("f.csv", {"x": ["1e-9", "3e-7"], "y": ["70000000000000", "300000000"], "z": ["-2.5", "7"]})
    f = ["--scheme", "ckks", "--table", "f=f.csv"]
    planned("a = 2 * f.x; c = f.z * f.z", f)
    planned("a = 2 * f.x; b = f.y + f.z; c = f.z * f.z", f + ["--range", "f.z=-3..7.5"])


os.chdir(tempfile.mkdtemp())
for kind in sys.argv[1:] or ("integers", "plain", "missing", "reals", "ranges"):
    {"integers": integers, "plain": plain, "missing": missing, "reals": reals,
     "ranges": ranges}[kind]()
print("equal")
