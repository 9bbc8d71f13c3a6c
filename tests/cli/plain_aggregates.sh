#!/bin/sh
# Aggregates of plain values, in groups, whether something encrypted tells these apart or not, and alone, as numbers,
# and plain columns beside encrypted ones: integers and decimals against Python's exact fractions, also with several plain moduli, reals
# against doubles, also of rows within slots; some of each on 3 ranks; tables of other rows; rows that are left out;
# what is refused.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own

cat >check.py <<'PYTHON'
"""tables: writes x.csv, w.csv, one.csv; expression KEYS: prints the aggregates by these; check KEYS NEAR: a result."""
import csv, random, sys
from fractions import Fraction as F

random.seed(41)
ROWS = 1040  # two row blocks, of integers and of reals
x = [dict(a=random.randrange(-9, 10), k=random.randrange(3), on=random.randrange(2)) for _ in range(ROWS)]
w = [dict(u=random.randrange(-7, 8), v=random.randrange(1, 9), g=random.randrange(2), d=F(random.randrange(-99, 99), 10))
     for _ in range(ROWS)]
long = [dict(n=n, m=7 - n) for n in (-4, 1, 9, 3, 3, 0, 5)]  # which has other rows
# Each: its text, how it is called, over which rows r of x and s of w, and of what.
every = lambda r, s: True
tests = [
    ("sum(w.u)", "sum", every, lambda s: s["u"]),
    ("sum(w.u*w.v)", "sum", every, lambda s: s["u"] * s["v"]),
    ("sum(2*w.d - w.u)", "sum", every, lambda s: 2 * s["d"] - s["u"]),
    ("mean(w.d)", "mean", every, lambda s: s["d"]),
    ("var(w.v)", "var", every, lambda s: s["v"]),
    ("sum(w.v where w.u > 0)", "sum", lambda r, s: s["u"] > 0, lambda s: s["v"]),
    ("mean(w.u where w.u > 0)", "mean", lambda r, s: s["u"] > 0, lambda s: s["u"]),
    ("sum(w.d where x.on)", "sum", lambda r, s: r["on"], lambda s: s["d"]),
    ("mean(w.v where x.on)", "mean", lambda r, s: r["on"], lambda s: s["v"]),
    ("sum(one.p)", "sum", every, lambda s: 3),
    ("sum(w.v > w.u)", "sum", every, lambda s: s["v"] > s["u"]),
    ("count()", "count", every, lambda s: 1),
]
keys = {
    "x.k": lambda r, s: (r["k"],),
    "x.k where x.on": lambda r, s: (r["k"],) if r["on"] else None,
    "x.k where w.v > 2": lambda r, s: (r["k"],) if s["v"] > 2 else None,
    "(w.g, x.k)": lambda r, s: (s["g"], r["k"]),
    "(x.k, x.on)": lambda r, s: (r["k"], r["on"]),
    "w.g where x.on": lambda r, s: (s["g"],) if r["on"] else None,
    "w.g": lambda r, s: (s["g"],),
    "(w.g, x.k - x.k + 1) where w.v > 2": lambda r, s: (s["g"], 1) if s["v"] > 2 else None,
    "(x.k, x.k - x.k + 1)": lambda r, s: (r["k"], 1),
    "(w.g, sum(long.n), x.k)": lambda r, s: (s["g"], sum(t["n"] for t in long), r["k"]),
    "(w.g, one.p, x.k, x.on)": lambda r, s: (s["g"], 3, r["k"], r["on"]),
}


def of(name):
    """Some aggregates are of plain rows alone there."""
    return [t for t in tests if name != "x.k where x.on" or "x.on" not in t[0]]


def value(kind, values):
    if kind == "sum" or kind == "count":
        return sum(values)
    if not values or (kind == "var" and len(values) < 2):
        return None
    mean = F(sum(values)) / len(values)
    return mean if kind == "mean" else sum((v - mean) ** 2 for v in values) / F(len(values) - 1)


def write(name, rows):
    with open(name, "w") as file:
        print(*rows[0], sep=",", file=file)
        for row in rows:
            print(*(float(v) if isinstance(v, F) else v for v in row.values()), sep=",", file=file)


if sys.argv[1] == "tables":
    write("x.csv", x)
    write("w.csv", w)
    write("one.csv", [dict(p=3)])
    write("long.csv", long)
elif sys.argv[1] == "expression":
    print("g = groupby(%s, %s)" % (sys.argv[2], ", ".join(t[0] for t in of(sys.argv[2]))))
else:
    near = float(sys.argv[3])
    key, width = keys[sys.argv[2]], sys.argv[2].count(",") + 1
    whole = lambda cell: int({"true": 1, "false": 0}.get(cell, cell))
    lines = {tuple(map(whole, line[:width])): line[width:] for line in list(csv.reader(open("g.csv")))[1:]}
    rows = [(key(r, s), r, s) for r, s in zip(x, w)]
    assert set(lines) == {k for k, r, s in rows} - {None}, lines
    for group, line in lines.items():
        for (text, kind, some, what), cell in zip(of(sys.argv[2]), line):
            right = value(kind, [what(s) for k, r, s in rows if k == group and some(r, s)])
            if right is None:
                assert cell == "" or near, (group, text, cell)
                continue
            exact = kind in ("sum", "count") and not near
            assert F(cell) == right if exact else abs(float(cell) - right) <= max(near, 1e-12), (group, text, cell, right)
PYTHON
"$PYTHON" check.py tables
awk -F, -v OFS=, 'NR == 1 { print "a", "k" } NR > 1 { print $2, $1 }' w.csv >pair.csv # the columns of x, in its order

# tables TEXT: what the names of a text are bound to.
tables() {
    for name in w one long pair; do
        ! printf '%s' "$1" | grep -Eq "(^|[^a-z.])$name([., )]|$)" || echo "$name=$name.csv"
    done
}

# computed TEXT ARGUMENTS...: on the ranks that RANKS says, where it says some.
computed() {
    text=$1
    shift
    # shellcheck disable=SC2046,SC2086
    expect 0 ${RANKS:+$MPIRUN -n $RANKS} "$HEBATCH" eval "$text" x=x.heb $(tables "$text") "$@" $READ
}

# groups KEYS NEAR KEY: aggregates by this key are right.
groups() {
    text=$("$PYTHON" check.py expression "$3")
    rm -rf g.heb
    computed "$text" --keys "$1" g=g.heb
    expect 0 "$HEBATCH" decrypt --key "$1/secret.h5" g.heb g.csv --force
    "$PYTHON" check.py check "$3" "$2" || fail "$3: not what plain arithmetic gives"
}

# nothing WORDS TEXT: refused, as nothing encrypted is left.
nothing() {
    # shellcheck disable=SC2046,SC2086
    refuse 64 "$1" "$HEBATCH" eval --keys keys "$2" x=x.heb $(tables "$2") y=y.heb $READ
    absent y.heb y.heb.partial
}

expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,50,50,51 --plain 7340033 --insecure --relin --rotations sum --swap \
    --out keys
expect 0 "$HEBATCH" encrypt --key keys/public.h5 x.csv x.heb --range measured
READ="--scale d=10"
for key in "x.k" "x.k where x.on" "x.k where w.v > 2" "(w.g, x.k)" "(x.k, x.on)" "w.g where x.on" \
    "(x.k, x.k - x.k + 1)" "(w.g, one.p, x.k, x.on)" "(w.g, sum(long.n), x.k)" \
    "w.g" "(w.g, x.k - x.k + 1) where w.v > 2"; do
    RANKS=
    [ "$key" != "(w.g, x.k)" ] || RANKS=3
    groups keys 0 "$key"
done
RANKS=
# The list of groups, and several columns at once.
rm -rf g.heb
expect 0 "$HEBATCH" eval --keys keys "g = groupby(x.k, 0, 2, sum(w))" x=x.heb w=w.csv g=g.heb --scale d=10
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 g.heb g.csv --force
"$PYTHON" - <<'PYTHON' || fail "several columns at once are wrong"
import csv
from fractions import Fraction as F
x, w = (list(csv.DictReader(open(name))) for name in ("x.csv", "w.csv"))
lines = list(csv.reader(open("g.csv")))
assert lines[0] == ["k", "sum(u)", "sum(v)", "sum(g)", "sum(d)"], lines[0]
assert [line[0] for line in lines[1:]] == ["0", "2"], lines
for line in lines[1:]:
    for name, cell in zip("uvgd", line[1:]):
        assert F(cell) == sum(F(s[name]) for r, s in zip(x, w) if r["k"] == line[0]), (line, name)
PYTHON

nothing "nothing of these groups is encrypted: everyone who has the plain tables" "y = groupby(w.g, sum(w.v)); z = x.a"
nothing "0 whatever was encrypted" "y = groupby(x.k, sum(0*w.v))"
nothing "0 whatever was encrypted" "y = groupby(x.k, sum(w.v where w.u > 99))"

# numbers KEYS NEAR TEXT PYTHON: what is computed with aggregates of plain values alone; PYTHON says it of a row.
numbers() {
    rm -rf y.heb
    computed "y = $3" --keys "$1" y=y.heb
    expect 0 "$HEBATCH" decrypt --key "$1/secret.h5" y.heb y.csv --force
    "$PYTHON" - "$2" "$4" <<'PYTHON' || fail "$3: not what plain arithmetic gives"
import csv, math, sys
from fractions import Fraction as F
near = F(sys.argv[1])
def table(name):
    number = lambda cell: F(cell) if "." in cell else int(cell)
    return [{k: number(v) for k, v in row.items()} for row in csv.DictReader(open(name))]
x, w, long, pair = table("x.csv"), table("w.csv"), table("long.csv"), table("pair.csv")
columns, known = {}, {}
def column(name, some=lambda s: True):
    """The same list whenever it is asked for: PYTHON is evaluated for every row."""
    key = (name, some.__code__)
    if key not in columns:
        columns[key] = [s[name] for s in w if some(s)]
    return columns[key]
def moments(values):
    if id(values) not in known:
        mean = F(sum(values)) / len(values)
        known[id(values)] = mean, sum((v - mean) ** 2 for v in values) / (len(values) - 1)
    return known[id(values)]
def mean(values):
    return moments(values)[0]
def var(values):
    return moments(values)[1]
sums = {}
def total(name, rows=w):
    key = (name, id(rows))
    if key not in sums:
        sums[key] = sum(s[name] for s in rows)
    return sums[key]
product = sum(s["u"]*s["v"] for s in w)
right = eval("lambda r, s: " + sys.argv[2])
once = {}
for r, s, line in zip(x, w, list(csv.reader(open("y.csv")))[1:]):
    key = (tuple(r.values()), tuple(s.values()))
    wanted = once[key] if key in once else once.setdefault(key, right(r, s))
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    assert len(line) == len(wanted), line
    for cell, value in zip(line, wanted):
        assert abs(F(cell) - value) <= near, (r, s, cell, value)
PYTHON
}

numbers keys 0 "sum(w.u)*x.a" "total('u')*r['a']"
RANKS=3
numbers keys 0 "(sum(w.u) - 3*w.u)*x.a + sum(w.d)" "(total('u') - 3*s['u'])*r['a'] + total('d')"
RANKS=
numbers keys 0 "sum(w.v where w.u > 5)*(x.a, x.k)" "tuple(sum(column('v', lambda s: s['u'] > 5))*r[k] for k in 'ak')"
numbers keys 0 "count((w.u, w.v) > 3)*(x.a, x.k)" "(sum(u > 3 for u in column('u'))*r['a'], sum(v > 3 for v in column('v'))*r['k'])"
numbers keys 0 "dot(w.u, w.v)*x.a + count(w.u > 3)*x.k" "product*r['a'] + sum(u > 3 for u in column('u'))*r['k']"
numbers keys 0 "x.a - max(w.u, sum(w.u) - sum(w.u) + 2)" "r['a'] - max(s['u'], 2)"
numbers keys 0 "sum((w.u, w.v)) @ (x.a, x.k)" "total('u')*r['a'] + total('v')*r['k']"
# beside KEYS NEAR: plain columns beside plain totals and beside encrypted ones, and totals of a table of other rows.
beside() {
    numbers "$1" "$2" "((w.u, sum(w.v))*(x.a, x.k), (one.p, w.u, sum(w.v))*x.a - (w.g, 2*w.g, 3*w.g))" \
        "(s['u']*r['a'], total('v')*r['k'], 3*r['a'] - s['g'], s['u']*r['a'] - 2*s['g'], total('v')*r['a'] - 3*s['g'])"
    numbers "$1" "$2" "(rowsum((x.a, w.u, one.p, sum(w.v))), (x.a, w.u)*(x.k, x.a) - (w.v, x.k), (sum(x.k), sum(w.u))*x.a)" \
        "(r['a'] + s['u'] + 3 + total('v'), r['a']*r['k'] - s['v'], s['u']*r['a'] - r['k'], total('k', x)*r['a'], total('u')*r['a'])"
    numbers "$1" "$2" "(((x.a, w.u) - (x.k, w.v))*x.a + (w.u, x.k), -(w.u, x.a) + square((x.k, w.v) - x.a))" \
        "((r['a'] - r['k'])*r['a'] + s['u'], (s['u'] - s['v'])*r['a'] + r['k'], (r['k'] - r['a'])**2 - s['u'], (s['v'] - r['a'])**2 - r['a'])"
    numbers "$1" "$2" "((sum(long.n), w.u)*(x.a, x.k), rowsum((x.a, sum(long.n))) + dot(long.n, long.m) - count(long.n > 2)*x.k, (w.u - sum(long.n where long.m > 2))*x.a)" \
        "(total('n', long)*r['a'], s['u']*r['k'], r['a'] + sum(t['n'] + t['n']*t['m'] for t in long) - sum(t['n'] > 2 for t in long)*r['k'], (s['u'] - sum(t['n'] for t in long if t['m'] > 2))*r['a'])"
}
beside keys 0
rm -rf y.heb
# A result keeps no plain column, totals and rows do not stand side by side, and rows of other tables do not meet.
nothing "nothing encrypted is left here" "y = (x.a, w.u)"
nothing "nothing encrypted is left here" "y = sum((x.a, w.u))"
nothing "columns of a result are encrypted values" "y = (var(x.a), w.u)"
nothing "all have rows, or all are totals of one row" "y = (sum(x.a), w.u)*x.a"
for text in "long.n*x.a" "(x.a, long.n)*x.k" "rowsum((x.a, long.n))" "max(x.a, long.n)" "where(long.n > 1, x.a, x.k)" \
    "sum(x.a where long.n > 1)" "(sum(long.n), long.m)*(x.a, x.k)" "(long.n - sum(long.n))*x.a" \
    "groupby(long.n, sum(x.a))" "groupby(x.k, sum(long.n))" "groupby(x.k, count(long.n > 1))"; do
    nothing "long has 7 rows, and x has 1040; expected as many, or one row" "y = $text"
done
nothing "w.u has 1040 rows, and long.n has 7; expected as many, or one row" "y = (w.u, long.n)*(x.a, x.k)"
nothing "w.g has 1040 rows, and long.n has 7; expected as many, or one row" "y = groupby((w.g, long.n), sum(x.a))"
nothing "nothing is encrypted in y" "y = sum(w.v); z = x.a"
nothing "divided when they are decrypted" "y = x.a - mean(w.v)"
nothing "divided when they are decrypted" "y = x.a*var(w.v where w.u > 0)"
nothing "0 whatever is encrypted" "y = sum(w.v where w.u > 99)*x.a"

# Rows that are left out must be the same ones.
printf '%s\n' a,k 1,0 ,1 3,1 4,0 >few.csv
printf '%s\n' v,z 10,1 ,1 12,1 13,1 >same.csv
printf '%s\n' v,z 10,1 11,1 ,1 13,1 >other.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 few.csv few.heb --missing drop --range k=0..1
expect 0 "$HEBATCH" eval --keys keys "y = groupby(x.k, sum(w.v))" x=few.heb w=same.csv y=y.heb --missing drop
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb -
printf '%s\n' 'k,sum(w.v)' 0,23 1,12 >expected
same out expected
rm -rf y.heb
refuse 64 "but not the same ones" "$HEBATCH" eval --keys keys "y = groupby(x.k, sum(w.v))" x=few.heb w=other.csv y=y.heb --missing drop
absent y.heb

# The same with several plain moduli, whose values are longer.
expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,50,50,50,51 --wide 64 --insecure --relin --rotations sum --swap \
    --out wide
rm -rf x.heb
expect 0 "$HEBATCH" encrypt --key wide/public.h5 x.csv x.heb --range measured
RANKS=3
groups wide 0 "(w.g, x.k)"
RANKS=
beside wide 0
numbers wide 0 "(1000000007*sum(w.u) - w.u)*x.a" "(1000000007*total('u') - s['u'])*r['a']"
numbers wide 0 "rowsum((1000000007*w.v, x.a, 1000000007*sum(w.v)))" "1000000007*(s['v'] + total('v')) + r['a']"

# Reals: the key takes steps, of which everybody knows what they come to below the first one; several encrypted keys are
# joined to one, and a key that is the same in every row takes no step.
expect 0 "$HEBATCH" keygen --n 2048 --levels 24 --scale-bits 45 --special-primes 4 --insecure --relin --rotations sum \
    --scheme ckks --out reals
rm -rf x.heb
awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) on = $i == "on" ? i : on }
    NR > 1 { $on = $on ? "true" : "false" } { print }' x.csv >true.csv
expect 0 "$HEBATCH" encrypt --key reals/public.h5 true.csv x.heb --range measured
READ=
for key in "x.k" "x.k where x.on" "(w.g, x.k)" "(x.k, x.on)" "(x.k, x.k - x.k + 1)" \
    "w.g" "(w.g, x.k - x.k + 1) where w.v > 2"; do
    RANKS=
    [ "$key" != "x.k where x.on" ] || RANKS=3
    groups reals 0.1 "$key"
done
RANKS=
numbers reals 1e-5 "x.a - mean(w.d)" "r['a'] - mean(column('d'))"
numbers reals 1e-5 "x.a / sum(w.v)" "F(r['a'])/total('v')"
numbers reals 1e-4 "mean((w.u, w.v) where w.g)*(x.a, x.k)" "tuple(mean(column(c, lambda s: s['g']))*r[k] for c, k in ('ua', 'vk'))"
numbers reals 1e-4 "x.a*(w.d - mean(w.d))/var(w.d)" "r['a']*(s['d'] - mean(column('d')))/var(column('d'))"
numbers reals 1e-4 "var(w.v where w.u > 0)*x.a" "var(column('v', lambda s: s['u'] > 0))*r['a']"
beside reals 1e-4
numbers reals 1e-4 "x.a - mean(long.n)" "r['a'] - sum(t['n'] for t in long)/F(len(long))"
rm -rf y.heb
refuse 64 "selects no row, so there is no mean" "$HEBATCH" eval --keys reals "y = x.a - mean(w.d where w.u > 99)" x=x.heb w=w.csv y=y.heb --force

# Rows within slots, several in a ciphertext: aggregates are numbers of all columns at once.
rm -rf x.heb
expect 0 "$HEBATCH" encrypt --key reals/public.h5 x.csv x.heb --range measured --columns a,k --pack rows
numbers reals 1e-4 "sum(pair)*x" "tuple(total(c, pair)*r[c] for c in 'ak')"
numbers reals 1e-4 "x - mean(pair)" "tuple(r[c] - total(c, pair)/len(pair) for c in 'ak')"
numbers reals 1e-4 "(pair - sum(pair))*x - sum(long.n)" \
    "tuple((s[d] - total(c, pair))*r[c] - total('n', long) for c, d in ('av', 'ku'))"
numbers reals 1e-4 "count(pair > 3)*x + sum(long)" \
    "tuple(sum(q[c] > 3 for q in pair)*r[c] + total(d, long) for c, d in ('an', 'km'))"
exit 0
