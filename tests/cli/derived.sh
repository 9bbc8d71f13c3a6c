#!/bin/sh
# Plain tables that meet each other, or constants, before they meet what is encrypted: integers, decimals and several
# plain moduli against Python's exact arithmetic, reals by columns and within slots against its doubles; on 1 and 3
# ranks; what is refused, and that it is refused before anything is computed.
. "$(dirname "$0")/harness.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own

cat >check.py <<'PYTHON'
"""tables: writes x.csv and plain tables; expression KIND: prints the program; check KIND FILE: holds a result."""
import csv, random, sys
from fractions import Fraction as F

random.seed(36)
ROWS = 2500
KINDS = ("integers", "totals", "wide", "reals")
x = [dict(a=random.randrange(-9, 10), b=random.randrange(0, 12), kg=F(random.randrange(0, 300), 100),
          on=random.randrange(2)) for _ in range(ROWS)]
w = [dict(u=random.randrange(-7, 8), v=random.randrange(0, 9), k=random.randrange(1, 4),
          d=F(random.randrange(-20, 20), 10), big=random.randrange(-2**62, 2**62)) for _ in range(ROWS)]
one = dict(p=3, q=-2)
W = [[1, -2], [3, 4], [-5, 6]]

# Each: its text, and what it is of a row r of x and a row s of w.
tests = {
    "integers": [
        ("-w.u*x.a", lambda r, s: -s["u"] * r["a"]),
        ("17*w.u*x.a", lambda r, s: 17 * s["u"] * r["a"]),
        ("w.u*w.u*x.a", lambda r, s: s["u"] ** 2 * r["a"]),
        ("w.u^3*x.a", lambda r, s: s["u"] ** 3 * r["a"]),
        ("square(w.u - 1)*x.a", lambda r, s: (s["u"] - 1) ** 2 * r["a"]),
        ("(w.u + 1)*x.a", lambda r, s: (s["u"] + 1) * r["a"]),
        ("(3 - w.u)*x.a", lambda r, s: (3 - s["u"]) * r["a"]),
        ("(w.u - w.v)*x.a - w.u", lambda r, s: (s["u"] - s["v"]) * r["a"] - s["u"]),
        ("x.a + 2*w.u - w.v*w.u", lambda r, s: r["a"] + 2 * s["u"] - s["v"] * s["u"]),
        ("(w.u*one.p + one.q)*x.a", lambda r, s: (s["u"] * one["p"] + one["q"]) * r["a"]),
        ("2*one.p*x.a", lambda r, s: 2 * one["p"] * r["a"]),
        ("(big.n - big.n + w.u)*x.a", lambda r, s: s["u"] * r["a"]),
        ("(w.u + w.v > 3)*x.a", lambda r, s: (s["u"] + s["v"] > 3) * r["a"]),
        ("(2*w.u < w.v or w.k == 1 and not w.v in (2, 4..6))*x.a",
         lambda r, s: (2 * s["u"] < s["v"] or s["k"] == 1 and s["v"] not in (2, 4, 5, 6)) * r["a"]),
        ("(big.n*big.n > 5*big.n)*x.a", lambda r, s: (s["big"] ** 2 > 5 * s["big"]) * r["a"]),
        ("rowsum((w.u + 1, 2*w.v)*x.a)", lambda r, s: (s["u"] + 1 + 2 * s["v"]) * r["a"]),
        ("max(w.u, w.d)*x.a - min(3, w.v)", lambda r, s: max(s["u"], s["d"]) * r["a"] - min(3, s["v"])),
        ("poly(w.d, 1, -0.5, 2)*x.a + abs(w.u)", lambda r, s: (1 - s["d"] / 2 + 2 * s["d"] ** 2) * r["a"] + abs(s["u"])),
        ("3*(w.k == 2)*x.a", lambda r, s: 3 * (s["k"] == 2) * r["a"]),
        ("where(w.k == 1, w.u, 2*w.v)*x.a", lambda r, s: (s["u"] if s["k"] == 1 else 2 * s["v"]) * r["a"]),
        ("where(w.k == 1, 2*w.u, x.a)", lambda r, s: 2 * s["u"] if s["k"] == 1 else r["a"]),
        ("where(x.on, 2*w.u, 0)", lambda r, s: 2 * s["u"] * r["on"]),
        ("where(x.on, w.u*w.v, -w.u)", lambda r, s: s["u"] * s["v"] if r["on"] else -s["u"]),
        ("(w.d + 1)*x.a", lambda r, s: (s["d"] + 1) * r["a"]),
        ("(w.d*w.d - w.u)*x.a", lambda r, s: (s["d"] ** 2 - s["u"]) * r["a"]),
        ("x.kg + w.d", lambda r, s: r["kg"] + s["d"]),
        ("w.u - x.kg", lambda r, s: s["u"] - r["kg"]),
        ("x.a + 0.5*w.u", lambda r, s: r["a"] + F(1, 2) * s["u"]),
        ("(w.d < w.u)*x.kg", lambda r, s: (s["d"] < s["u"]) * r["kg"]),
    ],
    "totals": [
        ("sum(2*w.u*x.a)", lambda r, s: 2 * s["u"] * r["a"]),
        ("sum(x.a)*(2*one.p + 1) - one.q*one.q", None),
        ("dot(w.u + w.v, x.a)", lambda r, s: (s["u"] + s["v"]) * r["a"]),
        ("sum(w.u*w.v*x.b where 2*w.u < w.v)", lambda r, s: s["u"] * s["v"] * r["b"] * (2 * s["u"] < s["v"])),
    ],
    "wide": [
        ("(big.n - 1)*x.a", lambda r, s: (s["big"] - 1) * r["a"]),
        ("big.n*w.u*x.a", lambda r, s: s["big"] * s["u"] * r["a"]),
        ("x.a + big.n*w.k", lambda r, s: r["a"] + s["big"] * s["k"]),
    ],
    "reals": [
        ("-w.u*x.a", lambda r, s: -s["u"] * r["a"]),
        ("w.d/3*x.a", lambda r, s: float(s["d"]) / 3 * r["a"]),
        ("(0.25*w.d^2 - w.u)*x.a", lambda r, s: float(s["d"] ** 2 / 4 - s["u"]) * r["a"]),
        ("x.kg + w.u/w.k", lambda r, s: float(r["kg"]) + s["u"] / s["k"]),
        ("x.a/(w.v + 1)", lambda r, s: r["a"] / (s["v"] + 1)),
        ("(one.p - w.u)*x.a", lambda r, s: (one["p"] - s["u"]) * r["a"]),
        ("(w.u*w.v > 2*w.d)*x.a", lambda r, s: (s["u"] * s["v"] > 2 * s["d"]) * r["a"]),
    ],
}


def write(name, rows):
    with open(name, "w") as file:
        print(*rows[0], sep=",", file=file)
        for row in rows:
            print(*(float(v) if isinstance(v, F) else v for v in row.values()), sep=",", file=file)


if sys.argv[1] == "tables":
    write("x.csv", x)
    write("w.csv", [{name: row[name] for name in "uvkd"} for row in w])
    write("big.csv", [dict(n=row["big"]) for row in w])
    write("huge.csv", [dict(n=float(row["big"])) for row in w])
    write("one.csv", [one])
    write("W.csv", [dict(p=p, q=q) for p, q in W])
    write("short.csv", [{name: row[name] for name in "uvkd"} for row in w[:7]])
elif sys.argv[1] == "expression":
    print("y = (%s)" % ", ".join(text for text, _ in tests[sys.argv[2]]))
else:
    lines = list(csv.reader(open(sys.argv[3])))[1:]
    for i, (text, value) in enumerate(tests[sys.argv[2]]):
        right = [value(r, s) for r, s in zip(x, w)] if value else [7 * r["a"] - F(4, ROWS) for r in x]
        right = [sum(right)] if sys.argv[2] == "totals" else right
        assert len(lines) == len(right), len(lines)
        for row, (line, wanted) in enumerate(zip(lines, right)):
            if sys.argv[2] == "reals":
                assert abs(float(line[i]) - wanted) < 1e-4, (text, row, line[i], wanted)
            else:
                assert F(line[i]) == wanted, (text, row, line[i], wanted)
PYTHON
"$PYTHON" check.py tables
READ="--scale d=10"

# files TEXT: binds the names that it reads.
files() {
    for name in x:x.heb w:w.csv one:one.csv big:big.csv huge:huge.csv W:W.csv short:short.csv; do
        case $1 in *"${name%%:*}".* | *"${name%%:*}"\ @*) echo "${name%%:*}=${name#*:}" ;; esac
    done
}

# evaluate KEYS KIND: on 1 and 3 ranks the same ciphertexts, which are right.
evaluate() {
    rm -rf y.heb y3.heb
    text=$("$PYTHON" check.py expression "$2")
    # shellcheck disable=SC2046,SC2086
    expect 0 "$HEBATCH" eval --keys "$1" "$text" $(files "$text") y=y.heb $READ
    # shellcheck disable=SC2046,SC2086
    expect 0 $MPIRUN -n 3 "$HEBATCH" eval --keys "$1" "$text" $(files "$text") y=y3.heb $READ
    expect 0 "$HEBATCH" decrypt --key "$1/secret.h5" y.heb y.csv --force
    expect 0 "$HEBATCH" decrypt --key "$1/secret.h5" y3.heb y3.csv --force
    same y.csv y3.csv
    "$PYTHON" check.py check "$2" y.csv || fail "$2: not what plain arithmetic gives"
}

expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,51 --plain 7340033 --insecure --relin --rotations sum --swap --out keys
expect 0 "$HEBATCH" encrypt --key keys/public.h5 x.csv x.heb --scale kg=100 --range measured
evaluate keys integers
evaluate keys totals

# Aggregates that decryption works out, and groups by what is computed.
rm -rf g.heb
expect 0 $HEBATCH eval --keys keys "g = groupby(w.k*10 + 1, count(), sum(w.u*w.u*x.a), mean((w.v + 1)*x.b where w.u > 0))" x=x.heb w=w.csv g=g.heb --scale d=10
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 g.heb g.csv
"$PYTHON" - <<'PYTHON' || fail "groups of what is computed are wrong"
import csv, sys
x, w = (list(csv.DictReader(open(name))) for name in ("x.csv", "w.csv"))
lines = list(csv.reader(open("g.csv")))[1:]
assert [line[0] for line in lines] == ["11", "21", "31"], lines
for line in lines:
    rows = [(r, s) for r, s in zip(x, w) if int(s["k"]) * 10 + 1 == int(line[0])]
    some = [(int(s["v"]) + 1) * int(r["b"]) for r, s in rows if int(s["u"]) > 0]
    assert int(line[1]) == len(rows)
    assert int(line[2]) == sum(int(s["u"]) ** 2 * int(r["a"]) for r, s in rows)
    assert float(line[3]) == sum(some) / len(some), line
PYTHON

# Weights that are computed: the numbers of the expression, also in params suggest.
suggest="$HEBATCH params suggest --rows 2500 --range x.a=-9..9,x.b=0..11 --columns x=2 --table W=W.csv"
expect 0 $suggest "y = (2*W - 1) @ (x.a, x.b)"
rm -rf y.heb
expect 0 $HEBATCH eval --keys keys "V = 2*W; y = (V - 1) @ (x.a, x.b) + 1" x=x.heb W=W.csv y=y.heb
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y.csv --force
awk -F, 'NR == 1 { print "column1,column2,column3"; next } { a = $1; b = $2
    print (a - 5 * b + 1) "," (5 * a + 7 * b + 1) "," (11 * b - 11 * a + 1) }' x.csv >expected.csv
same y.csv expected.csv

# Members that share limbs compute the same; a plan computes nothing; what was stopped goes on.
rm -rf y.heb z.heb
expect 0 $HEBATCH eval --keys keys "y = (w.u - w.v)*x.a" x=x.heb w=w.csv y=y.heb --scale d=10
expect 0 $MPIRUN -n 2 $HEBATCH eval --keys keys "z = (w.u - w.v)*x.a" x=x.heb w=w.csv z=z.heb --scale d=10 --limb-ranks 2
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y.csv --force
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 z.heb z.csv --force
tail -n +2 y.csv >y.rows
tail -n +2 z.csv >z.rows
same y.rows z.rows
rm -rf z.heb
expect 0 $HEBATCH eval --keys keys "z = (w.u - w.v)*x.a" x=x.heb w=w.csv z=z.heb --scale d=10 --dry-run
absent z.heb z.heb.partial
expect 0 $HEBATCH eval --keys keys "z = (w.u - w.v)*x.a" x=x.heb w=w.csv z=z.heb --scale d=10 --resume

# The range of what is computed is that of its rows: w.u*w.u is 0 .. 49.
rm -rf z.heb
expect 0 $HEBATCH eval --keys keys "z = w.u*w.u*x.b" x=x.heb w=w.csv z=z.heb --scale d=10 --dry-run
says "values 0..539"

# Several plain moduli.
expect 0 "$HEBATCH" keygen --n 4096 --bits 40,40,40,41 --wide 72 --out wide --insecure
rm -rf x.heb
expect 0 "$HEBATCH" encrypt --key wide/public.h5 x.csv x.heb --scale kg=100 --range measured
evaluate wide wide

# Reals: by columns, and within slots.
expect 0 "$HEBATCH" keygen --n 2048 --levels 9 --scale-bits 40 --insecure --relin --rotations sum --scheme ckks --out reals
rm -rf x.heb
expect 0 "$HEBATCH" encrypt --key reals/public.h5 x.csv x.heb
READ=
evaluate reals reals
# A total and a row that is computed stand in every slot, where a function of both would leave its interval.
rm -rf y.heb
expect 0 "$HEBATCH" eval --keys reals "y = sigmoid(mean(x.a)*(one.p/64) + 2*one.q, -4.9, -3.1)" x=x.heb one=one.csv y=y.heb
expect 0 "$HEBATCH" decrypt --key reals/secret.h5 y.heb y.csv --force
"$PYTHON" - <<'PYTHON' || fail "a total beside a row that is computed is wrong"
import csv, math
a = [float(row["a"]) for row in csv.DictReader(open("x.csv"))]
wanted = 1 / (1 + math.exp(4 - 3 / 64 * sum(a) / len(a)))
assert abs(float(open("y.csv").read().split()[1]) - wanted) < 1e-3, wanted
PYTHON
cut -d, -f1,2 w.csv >uv.csv
cut -d, -f1,2 x.csv >ab.csv
expect 0 "$HEBATCH" encrypt --key reals/public.h5 ab.csv ab.heb --pack rows
rm -rf y.heb
expect 0 "$HEBATCH" eval --keys reals "y = (2*w - one/4)*x + w.v*x - (w.u > w.v)*x + abs(rowsum(w))*x" x=ab.heb w=uv.csv one=one.csv y=y.heb
expect 0 "$HEBATCH" decrypt --key reals/secret.h5 y.heb y.csv --force
"$PYTHON" - <<'PYTHON' || fail "rows within slots are wrong"
import csv
x, w, y = (list(csv.reader(open(name)))[1:] for name in ("ab.csv", "uv.csv", "y.csv"))
for r, s, t in zip(x, w, y):
    u, v = map(float, s)
    for cell, of, one, got in zip(r, (u, v), (3, -2), t):
        right = (2 * of - one / 4 + v - (u > v) + abs(u + v)) * float(cell)
        assert abs(float(got) - right) < 1e-4, (r, s, t, right)
PYTHON

# Refusals before anything is computed: refused KEYS CODE WORDS TEXT.
refused() {
    keys=$1 code_wanted=$2 words=$3
    # shellcheck disable=SC2046,SC2086
    refuse "$code_wanted" "$words" "$HEBATCH" eval --keys "$keys" "$4" $(files "$4") y=y.heb $READ
    absent y.heb y.heb.partial
}
rm -rf y.heb
refused reals 64 "character 1 of 'y = 2\*w.u; z = x.a': nothing is encrypted in y" "y = 2*w.u; z = x.a"
refused reals 64 "nothing is encrypted in y" "y = w.u + w.v > 3; z = x.a"
refused reals 64 "4 columns and 2; expected the same number" "y = (w - one)*x.a + w.u + one.p"
refused reals 65 "row [0-9]* of the plain table: a division by 0$" "y = x.a/w.u"
refused reals 65 "row [0-9]* of the plain table: a number is larger than any double" "y = huge.n^60*x.a"
refused reals 65 "and plaintexts hold numbers up to" "y = huge.n^3*x.a"
refused reals 64 "w.u has 2500 rows, and short.u has 7; expected as many, or one row" "y = (w.u + short.u)*x.a"
rm -rf x.heb
expect 0 "$HEBATCH" encrypt --key keys/public.h5 x.csv x.heb --scale kg=100 --range measured
refused keys 65 "row [0-9]* of the plain table: a number is beyond the 128 bits in which plain tables are computed with$" "y = (big.n^3 > 5)*x.a"
READ="--scale d=10"
refused keys 65 "y may leave the plain range: the values can be" "y = big.n*w.u*x.a"
