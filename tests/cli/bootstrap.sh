#!/bin/sh
# eval where levels do not suffice: chains, random programs, sums, columns, complex values and weights with bootstrapped
# values among them, against doubles within what the plan proves and expects; --bootstrap, and what is refused.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

expect 0 "$HEBATCH" keygen --params boot-test --out keys --insecure --for 'y = sum(x)' --conj --rotations 3
"$PYTHON" - <<'PYTHON'
import random
random.seed(11)
def table(name, columns, rows, cell):
    with open(name, "w") as f:
        f.write(",".join(columns) + "\n")
        for _ in range(rows):
            f.write(",".join(cell() for _ in columns) + "\n")
real = lambda: repr(round(random.uniform(-1, 1), 6))
table("x.csv", ["p", "q", "r"], 500, real)
table("z.csv", ["z"], 500, lambda: "%.6f%+.6fi" % (random.uniform(-0.7, 0.7), random.uniform(-0.7, 0.7)))
table("W.csv", ["p", "q", "r"], 2, lambda: repr(round(random.uniform(-0.3, 0.3), 4)))
for name in "U.csv", "V.csv":
    table(name, ["p", "q", "r"], 3, lambda: repr(round(random.uniform(-0.12, 0.12), 4)))
PYTHON
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 x.csv x.heb --range=-1..1
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 z.csv z.heb --range=-1..1

cat >model.py <<'PYTHON'
"""The expression that was evaluated, in doubles: model.py EXPRESSION RESULT REPORT BOOTSTRAPS: as many at least."""
import json, re, sys
import numpy as np
text, result, report, bootstraps = sys.argv[1:]
def cells(line):
    return [complex(c.replace("i", "j")) if c[-1] in "ij" else float(c) for c in line.strip().split(",")]
def read(name):
    return np.array([cells(line) for line in open(name).readlines()[1:]])
class Weights:
    def __init__(self, w): self.w = w
    def __matmul__(self, a): return a @ self.w.T
def col(a, i): return a[:, i - 1:i]
names = {"x": read("x.csv"), "z": read("z.csv"), "W": Weights(read("W.csv")),
         "U": Weights(read("U.csv")), "V": Weights(read("V.csv")), "col": col, "re": np.real, "im": np.imag,
         "sum": lambda a: a.sum(axis=0, keepdims=True), "mean": lambda a: a.mean(axis=0, keepdims=True),
         "dot": lambda a, b: (a * b).sum(axis=0, keepdims=True), "rowsum": lambda a: a.sum(axis=1, keepdims=True),
         "sigmoid": lambda a: 1 / (1 + np.exp(-a)), "conj": np.conj}
for statement in text.split(";"):
    statement = re.sub(r"\b([a-zA-Z_]\w*)\.([1-9])", r"col(\1,\2)", statement).replace("^", "**")
    exec(re.sub(r"([0-9])i\b", r"\1j", statement).strip(), names)
want, got = names["y"], read(result)
note = json.load(open(report))
bits = [n for n in note["precision_bits"] if n["node"].lstrip().startswith("y =")][0]
error = np.abs(got - want).max()
assert got.shape == want.shape, (got.shape, want.shape)
assert error <= 2.0 ** -14, (text, error, bits)
assert error <= np.exp2(-bits["proven"]), (text, error, bits)
assert error <= np.exp2(2 - bits["expected"]), (text, error, bits)
assert len(note["bootstraps"]) >= int(bootstraps), note["bootstraps"]
for bootstrap in note["bootstraps"]:
    assert bootstrap["limbs"][0] >= 4 and bootstrap["limbs"][1] == 18 and bootstrap["expected"][1] <= bootstrap["expected"][0] + 0.5, bootstrap
PYTHON

# check BOOTSTRAPS EXPRESSION WORD...: the result, beside the same in doubles; words as eval has them.
check() {
    bootstraps=$1
    shift
    rm -rf y.heb y.csv
    expect 0 "$HEBATCH" eval --keys keys --noise expected "$@" y=y.heb
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y.csv
    "$PYTHON" model.py "$1" y.csv y.heb.report.json "$bootstraps" || fail "not what doubles give: $1"
}
# turns COUNT TEXT: so often.
turns() {
    i=0
    while [ $i -lt "$1" ]; do
        printf '%s' "$2"
        i=$((i + 1))
    done
}

# A chain of depth 30 and one of 60; columns in pairs; a product of powers of one value.
chain="u = x; $(turns 15 'u = 1.5*u - 0.5*u*u^2; ')y = u"
check 1 "$chain" x=x.heb --range u=-1..1
check 1 "$chain" x=x.heb --range u=-1..1 --bootstrap twice
check 2 "u = 0.25*x.1 + 0.75; $(turns 30 'u = 1.5*u - 0.5*u*u^2; ')y = u" x=x.heb --range u=-1..1
# Totals, weights, functions, rotations and complex values before and behind.
check 1 "m = mean(x); $(turns 24 'm = 0.5*m*m + 0.5*m; ')y = m + x*x" x=x.heb
check 1 "u = x; $(turns 15 'u = 0.5*u*u + 0.25; ')v = W @ u; $(turns 8 'v = 0.5*v*v + 0.25; ')y = sum(v)*x.1" x=x.heb W=W.csv
check 1 "u = x.1; $(turns 17 'u = 0.5*u*u + 0.25*x.2; ')y = sigmoid(u)*x.3" x=x.heb
check 1 "u = z; $(turns 20 'u = 0.5*u*u + 0.5i*z; ')y = u*conj(u) + 0.5*u" z=z.heb
check 1 "u = z; $(turns 12 'u = 0.5*u*u + 0.5*z; ')v = re(u)*im(u); $(turns 8 'v = 0.5*v*v + 0.5*v; ')y = v" z=z.heb

# Rows within slots: of one value two row blocks are bootstrapped as one, and a last one alone; of two values, of which
# different statements take one and then the other, both, where that is fewer.
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own
two="u = x; v = 0.5*x*x; $(turns 8 't = 0.25*u*u; v = 0.5*v + t*u; u = 0.5*u + t*v; ')y = u + v"
plan() {
    expect 0 "$HEBATCH" eval --keys keys --noise expected --dry-run "$@" y=no.heb
}
cp x.csv all.csv
for rows in 500 300 100; do
    head -n $((rows + 1)) all.csv >x.csv
    expect 0 "$HEBATCH" encrypt --key keys/secret.h5 --pack rows x.csv b$rows.heb --range=-1..1
    plan "$two" x=b$rows.heb --range u=-1..1,v=-1..1,t=-1..1
    case $rows in
    500) says "^bootstraps   give 4 ciphertexts levels again: 2 for every two of 4 row blocks$" ;;
    *) says "^bootstraps   give [31] .* again: 1 in .*; [31] of them with two real values each$" ;;
    esac
done
refuse 64 "eval: --batch 1: here 2 row blocks are computed as one, so it is a multiple of 2" "$HEBATCH" eval \
    --keys keys --noise expected --dry-run --batch 1 "$two" x=b500.heb y=no.heb --range u=-1..1,v=-1..1,t=-1..1
check 1 "$two" x=b100.heb --range u=-1..1,v=-1..1,t=-1..1
head -n 301 all.csv >x.csv
plan "$chain" x=b300.heb --range u=-1..1
says "^bootstraps   give 2 ciphertexts levels again: 1 for every two of 3 row blocks$"
check 1 "$chain" x=b300.heb --range u=-1..1
expect 0 $MPIRUN -n 2 "$HEBATCH" eval --keys keys --noise expected "$chain" x=b300.heb y=r.heb --range u=-1..1
expect 0 "$HEBATCH" verify r.heb --same-as y.heb
for batch in 2 4 5; do # of 3 row blocks
    expect 0 "$HEBATCH" eval --keys keys --noise expected "$chain" x=b300.heb y=r.heb --range u=-1..1 --batch $batch --force
    expect 0 "$HEBATCH" verify r.heb --same-as y.heb
done
rm -rf r.heb
mv all.csv x.csv

# Two row blocks go as one through a matrix, a sum of columns and copies of a column, also of an odd number of them.
cp x.csv all.csv
"$PYTHON" -c 'import random
random.seed(13)
print("a,b,c,d,e,f")
for _ in range(300):
    print(",".join(repr(round(random.uniform(-1, 1), 6)) for _ in range(6)))' >six.csv
for rows in 300 400; do # three and four row blocks
    head -n $((rows + 1)) all.csv >x.csv
    expect 0 "$HEBATCH" encrypt --key keys/secret.h5 --pack rows x.csv c$rows.heb --range=-1..1
    through="u = x; $(turns 12 'u = 1.5*u - 0.5*u*u^2; ')v = W @ u; y = v*v"
    eval_with_keys "$through" --noise expected x=c$rows.heb W=W.csv y=y.heb --range u=-1..1
    grep -q "two row blocks as one" y.heb.report.json || fail "row blocks go one by one through a matrix"
    check 1 "$through" x=c$rows.heb W=W.csv --range u=-1..1
    # Through a sum of two products as well, also where one vector is brought down.
    network="h = x; $(turns 7 'h = U @ h + 0.25 + V @ (h*x); h = 1.5*h - 0.5*h*h^2; ')y = V @ (h*x) - U @ h"
    eval_with_keys "$network" --noise expected x=c$rows.heb U=U.csv V=V.csv y=y.heb
    grep -q "two row blocks as one" y.heb.report.json || fail "row blocks go one by one through two matrices"
    grep -q "sum of products with matrices" y.heb.report.json || fail "a sum of two products is none"
    check 1 "$network" x=c$rows.heb U=U.csv V=V.csv
done
cp six.csv x.csv
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 --pack rows x.csv six.heb --range=-1..1
through="u = x; $(turns 12 'u = 1.5*u - 0.5*u*u^2; ')v = sigmoid(rowsum(u*x)); y = v*x"
eval_with_keys "$through" --noise expected x=six.heb y=y.heb --range u=-1..1
grep -q "two row blocks as one" y.heb.report.json || fail "row blocks go one by one through a sum of columns"
grep -q "copies of a column" y.heb.report.json || fail "copies of a column are made by a matrix"
check 1 "$through" x=six.heb --range u=-1..1
# Products with a total, and masks, of two row blocks, the last of which is not full.
total="u = x; $(turns 12 'u = 1.5*u - 0.5*u*u^2; ')m = mean(u*u); v = sigmoid(rowsum(m*x)); y = v*x"
eval_with_keys "$total" --noise expected x=six.heb y=y.heb --range u=-1..1
check 1 "$total" x=six.heb --range u=-1..1
check 1 "$through" x=six.heb --range u=-1..1
for batch in 2 4 6; do # of five row blocks
    expect 0 "$HEBATCH" eval --keys keys --noise expected "$through" x=six.heb y=r.heb --range u=-1..1 --batch $batch --force
    expect 0 "$HEBATCH" verify r.heb --same-as y.heb
done
expect 0 $MPIRUN -n 2 "$HEBATCH" eval --keys keys --noise expected "$through" x=six.heb y=r.heb --range u=-1..1 --force
expect 0 "$HEBATCH" verify r.heb --same-as y.heb
rm -rf r.heb
mv all.csv x.csv

# Programs at random, of three values that stay within [-1, 1].
"$PYTHON" - <<'PYTHON' >programs
import random
random.seed(5)
for program in range(2):
    text = ["u = x.1", "v = 0.5*x.2 + 0.5*x.3", "w = 0.5*x.1 - 0.5*x.3"]
    for _ in range(22):
        a, b, c = (random.choice("uvw") for _ in range(3))
        text.append("%s = %s" % (random.choice("uvw"), random.choice((
            f"0.5*{a}*{b} - 0.5*{c}", f"{a}*{b}", f"0.75*{a}*{a} + 0.25*x.2", f"0.5*{a} + 0.25*{b} - 0.25*x.1*{c}",
            f"0.25*{a}*{b} + 0.25*{b}*{c} - 0.5*x.3", f"0.5*{a}*{b} + 0.5*mean({c})", f"-{a}*{b}*{c}"))))
    print("; ".join(text) + "; y = u + v*w")
PYTHON
while read -r program; do
    check 0 "$program" x=x.heb
done <programs

# The plan says where; never is never, and what cannot be is said. Results are inputs like any other.
expect 0 "$HEBATCH" eval --keys keys --noise expected "$chain" x=x.heb y=no.heb --range u=-1..1 --dry-run
blocks=$(sed -n 's/^steps .*; \([0-9]*\) row blocks* in all/\1/p' out)
says "^bootstraps   give $((2 * blocks)) ciphertexts levels again: 2 in .*; $blocks of them with two real values each$"
says "^bootstrap    3 columns, values up to 1, from level 3 to level 17, .* expected before, .* after: u = 1.5"
refuse 65 "no level is left for this product" "$HEBATCH" eval --keys keys --noise expected "$chain" x=x.heb y=no.heb \
    --range u=-1..1 --bootstrap never
refuse 64 "it is auto, never or twice" "$HEBATCH" eval --keys keys "$chain" x=x.heb y=no.heb --bootstrap often
refuse 65 "bits of precision in the expected case, and 30 are wanted" "$HEBATCH" eval --keys keys --noise expected \
    "$chain" x=x.heb y=no.heb --range u=-1..1 --precision 30
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 x.csv free.heb
# A polynomial of one value stays where it is; of two nothing is known but that they grow.
refuse 64 "bootstrapping needs the range of" "$HEBATCH" eval --keys keys "u = x; $(turns 20 'u = 1.5*u - 0.5*u*u*x; ')y = u" \
    x=free.heb y=no.heb
absent no.heb
expect 0 "$HEBATCH" eval --keys keys "$chain" x=free.heb y=no.heb --dry-run
expect 0 "$HEBATCH" eval --keys keys --noise expected "$chain" x=x.heb y=r.heb --range u=-1..1
expect 0 "$HEBATCH" info r.heb
says "computed"
expect 0 "$HEBATCH" eval --keys keys --noise expected "$chain" x=x.heb y=r2.heb --range u=-1..1 --queues 2
expect 0 "$HEBATCH" verify r2.heb --same-as r.heb

# On a CPU lines of progress go on within one operation, and name its steps; of a quiet job there are none.
if [ "$HEBATCH_DEVICE" = cpu ]; then
    long="u = x; $(turns 50 'u = 1.5*u - 0.5*u*u^2; ')y = u"
    expect 0 "$HEBATCH" eval --keys keys --noise expected "$long" x=x.heb y=steps.heb --range u=-1..1 --progress 0.001s
    complains '^hebatch: evaluated 0/1 row block ([0-9]*%) in .*, now [A-Za-z ]* [0-9]* of [0-9]*$'
    expect 0 "$HEBATCH" eval --keys keys --noise expected "$chain" x=x.heb y=quiet.heb --range u=-1..1 --progress 0.001s --quiet
    ! grep -q "evaluated\|now " err || fail "a quiet job tells of its steps"
fi

# Where no chain has the levels, a preset with bootstrapping is proposed.
expect 0 "$HEBATCH" params suggest --scheme ckks "u = x; $(turns 50 'u = 0.5*u*u + 0.25; ')y = u" --rows 1000 --range x=-1..1 --noise expected
says "keygen --params boot-16 " # of those with bootstrapping the one that takes least
