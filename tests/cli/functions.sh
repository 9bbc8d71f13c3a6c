#!/bin/sh
# Functions and comparisons of encrypted reals: against the same in doubles, within what is proven; plans, headers, what
# decrypt says, and what is refused.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

REALS="--n 2048 --levels 16 --scale-bits 45 --special-primes 3 --insecure"
# Functions need a relinearization key alone, whatever their ranges will be.
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $REALS --out keys \
    --for 'y = sigmoid(w @ x + b); z = max(x.1, x.2) < x.3; u = softmax(x); v = x.1/x.2 - 1/x.3 + cheb(x, -1, 1, 0, 1)'
[ "$(find keys -name '*.h5' | wc -l)" = 3 ] || fail "other keys than relinearization: $(ls keys)"
"$PYTHON" - <<'PYTHON'
import random
random.seed(11)
with open("x.csv", "w") as f:
    f.write("p,q,r\n")
    for _ in range(1500):
        f.write(",".join(repr(round(random.uniform(-1, 1), 6)) for _ in range(3)) + "\n")
with open("w.csv", "w") as f:
    f.write("p,q,r\n1.5,-2.25,0.75\n")
with open("two.csv", "w") as f:
    f.write("p,q,r\n0.5,-0.25,0.75\n-1,0.375,1\n")
PYTHON
expect 0 "$HEBATCH" encrypt --key keys/public.h5 x.csv x.heb --range -1..1

cat >model.py <<'PYTHON'
"""model.py RESULT REPORT FUNCTION: FUNCTION of p, q, r is what RESULT must hold, within what REPORT proves and expects."""
import csv, json, math, sys
result, report, text = sys.argv[1:]
sigmoid = lambda v: 1 / (1 + math.exp(-v))
exp, log, sqrt, erf, tanh = math.exp, math.log, math.sqrt, math.erf, math.tanh
gelu = lambda v: v * (1 + erf(v / sqrt(2))) / 2
def softmax(*v): return [exp(a) / sum(map(exp, v)) for a in v]
note = [n for n in json.load(open(report))["precision_bits"] if n["node"].lstrip().startswith("y =")][-1]
rows = list(csv.reader(open("x.csv")))[1:]
results = list(csv.reader(open(result)))[1:]
assert len(rows) == len(results)
largest, (low, high) = 0, note["values"]
for row, got in zip(rows, results):
    p, q, r = map(float, row)
    want = eval(text)
    want = want if isinstance(want, list) else [want]
    assert len(want) == len(got)
    for a, b in zip(want, got):
        if a is not None: # else in the gap
            largest = max(largest, abs(a - float(b)))
            assert low <= a <= high, (a, low, high)
assert largest <= 2 ** -note["proven"], (math.log2(largest), note)
assert largest <= 2 * 2 ** -note["expected"], (math.log2(largest), note)
print("%.1f bits right, %.1f proven, %.1f expected" % (-math.log2(largest), note["proven"], note["expected"]))
PYTHON

# evaluate EXPRESSION FUNCTION WORD...: y=y.heb, decrypted, compared.
evaluate() {
    rm -rf y.heb y.csv y.heb.report.json
    text=$1 model=$2
    shift 2
    expect 0 "$HEBATCH" eval --keys keys "$text" x=x.heb "$@" y=y.heb
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y.csv
    "$PYTHON" model.py y.csv y.heb.report.json "$model" || fail "not what doubles give: $text"
}

# Logistic regression: the interval is mapped by the weights, and takes no level of its own.
evaluate "y = sigmoid(w @ x + 0.5)" "sigmoid(1.5*p - 2.25*q + 0.75*r + 0.5)" w=w.csv
says "besides the approximation's 2^-1[6-9]"
expect 0 "$HEBATCH" eval --keys keys "y = sigmoid(w @ x + 0.5)" x=x.heb w=w.csv y=plan.heb --dry-run --compact off
says "function     sigmoid on -4.* .. 5.*: degree 16, 5 levels, right to 2^-1[6-9].*: sigmoid(w @ x + 0.5)"
says "precision    .* bits at least, .* expected, 2^-.* of it by approximation, values .*, 11 of 17 limbs: y = "
expect 0 "$HEBATCH" info y.heb
says "precision    .* of it by approximation"

# Printed bounds are bounds: bits are never more, errors never less than the exact numbers.
plan="y = sigmoid(w @ x + 0.5); z = sigmoid(3*x.p + 0.125)"
expect 0 "$HEBATCH" eval --keys keys "$plan" x=x.heb w=w.csv y=plan.heb z=z.heb --dry-run --verbose
cp out printed
expect 0 "$HEBATCH" eval --keys keys "$plan" x=x.heb w=w.csv y=plan.heb z=z.heb --dry-run --verbose --json
"$PYTHON" - <<'PYTHON' || fail "a printed bound is false"
import json, math, re
report, text = json.load(open("out")), open("printed").read()
notes = report["precision_bits"]
bits = [float(b) for b in re.findall(r"^precision +([\d.]+) bits at least", text, re.M)]
errors = [float(b) for b in re.findall(r"right to 2\^(-[\d.]+)", text)]
parts = [float(b) for b in re.findall(r"^precision .* 2\^(-[\d.]+) of it by approximation", text, re.M)]
assert len(bits) == len(notes) == 2 and len(errors) == len(report["functions"]) == 2 and len(parts) == 2
nearest = 0
for shown, note in zip(bits, notes):
    assert note["proven"] - 0.1 < shown <= note["proven"], (shown, note)
    nearest += round(note["proven"], 1) == shown
for shown, function in zip(errors, report["functions"]):
    assert math.log2(function["error"]) <= shown < math.log2(function["error"]) + 0.1, (shown, function)
for shown, note in zip(parts, notes):
    assert math.log2(note["approximate"]) <= shown, (shown, note)
assert nearest < len(bits), "rounding to the nearest would print the same"
PYTHON

# Errors of functions that are multiplied cancel, or are not all largest in one place: no more is expected than there is.
closely() {
    evaluate "$@" >bits
    "$PYTHON" -c '
words = open("bits").read().split()
assert words[1] == "bits" and words[6] == "expected" and float(words[0]) - float(words[5]) <= 1, words' ||
        fail "less is right than expected, or much more: $1"
}
closely "e = exp(x.1); f = exp(0 - 1*x.1); y = e*f - 1" "0*p"
closely "s = sigmoid(x.1); y = s*(1 - s)*tanh(x.2)" "sigmoid(p)*(1 - sigmoid(p))*tanh(q)"
evaluate "y = sigmoid(w @ x + 0.5, -6, 7)" "sigmoid(1.5*p - 2.25*q + 0.75*r + 0.5)" w=w.csv --precision 21
# A function whose result is multiplied is approximated again, to more bits.
evaluate "y = 40*sigmoid(4*x.1)" "40*sigmoid(4*p)" --precision 14
# The bounds of a result of several columns are the least of all, each of its own column: the fewest proven bits, and
# the fewest expected ones and the largest part by approximation.
several="y = (1024*x.1^9, sigmoid(4*x.2))"
evaluate "$several" "[1024*p**9, sigmoid(4*q)]" --compact off
"$HEBATCH" eval --keys keys "$several" x=x.heb y=no.heb --dry-run --compact off >out || fail "no plan"
[ "$(sed -n 's/^precision .*, \(.*expected\), .*\(2^.*\) of it by approximation.*/\1 \2/p' out)" = \
    "$("$HEBATCH" info y.heb | sed -n 's/^precision .*, \(.*expected\), .*\(2^.*\) of it by approximation.*/\1 \2/p')" ] ||
    fail "the plan expects other bits of two columns than the result: $(grep ^precision out)"
evaluate "y = softmax(W @ x)" "softmax(0.5*p - 0.25*q + 0.75*r, -p + 0.375*q + r)" W=two.csv
evaluate "y = exp(x.1) - tanh(2*x.2)/4 + erf(x.3)" "exp(p) - tanh(2*q)/4 + erf(r)"
evaluate "y = x.1/(x.2 + 2) + 3/(x.3*x.3 + 0.5) + log(x.1 + 1.25)" "p/(q + 2) + 3/(r*r + 0.5) + log(p + 1.25)"
evaluate "y = cheb(x.1, -2, 2, 0.5, 0.25, 0, -1)" "0.5 + p/8 - 4*(p/2)**3 + 3*p/2"
evaluate "y = relu(x.1 - 0.25) + max(x.2, x.3)" "max(p - 0.25, 0) + max(q, r)"
# Errors go through relu as they are, not by the slopes of its sign: one behind the other is proven, too.
evaluate "y = relu(0.5*relu(x.1) - 0.5*x.2)" "max(0.5*max(p, 0) - 0.5*q, 0)" --gap 0.2
says "3.[1-3] proven, 3.[0-9] expected"
evaluate "y = max(max(x.1, x.2), x.3)" "max(p, q, r)" --gap 0.1 --noise expected
says "[23].[0-9] proven, [0-9.]* expected"
# One error that is added in every iteration is expected so many times, whether it was drawn or is an approximation's.
evaluate "y = x.1; repeat 12 { y = y + 0.1*x.3^3 }" "p + 1.2*r**3"
evaluate "y = x.1; repeat 8 { y = y - 0.2*tanh(x.3, -4, 4) }" "p - 1.6*tanh(r)"
# Nothing is expected to be off by more than what it is said to hold is wide.
expect 0 "$HEBATCH" eval --keys keys "u = 500*relu(x.1, -1, 1); y = u + 8*x.2" x=x.heb y=plan.heb --dry-run --gap 0.1 \
    --noise expected --range u=0..1
says "0.0 expected, values 0 .. 1, .*: u = 500"
evaluate "y = x.1 + 0.5 < x.2" "None if abs(q - p - 0.5) < 0.0101 else float(p + 0.5 < q)"
# More bits of functions where what follows multiplies their error, by either bound.
expect 0 "$HEBATCH" eval --keys keys "y = 500*sigmoid(2.5*x.1)" x=x.heb y=plan.heb --dry-run --precision 12
says "function     sigmoid on -2.*right to 2^-2[2-9]"
expect 0 "$HEBATCH" eval --keys keys "y = x.1 < x.2" x=x.heb y=plan.heb --dry-run --precision 14 --noise expected --gap 2^-10
says "function     sign on -2.* .. 2.* except within 0.00195 of 0"

# A result is an input like any other, with what its functions miss.
rm -rf r.heb
expect 0 "$HEBATCH" eval --keys keys "r = sigmoid(4*x.1)" x=x.heb r=r.heb --compact off
evaluate "y = 2*r - x.2" "2*sigmoid(4*p) - q" r=r.heb
says "besides the approximation's 2^-16"
expect 0 "$HEBATCH" eval --keys keys "y = r*r" r=r.heb y=plan.heb --dry-run --verbose
says "step         product: .* bits at least, .* expected, 2^-.* of it by approximation, values .* of .* limbs: r\*r"
grep -q '^n0 = load r column 0; rows, pass 1' out || fail "the graph is not shown"
grep -q '^    0  r0 = load operand 0 column 0' out || fail "the program is not shown"
expect 0 "$HEBATCH" eval --keys keys "y = 0.375*r" r=r.heb y=plan.heb --dry-run --verbose
grep -q '= product with a real number n0 \*;' out || fail "the graph does not hide a constant"
if grep '^n\|^ *[0-9][0-9]*  ' out | grep '0\.375'; then fail "a constant is shown"; fi
if grep -q '^after ' out; then fail "passes are shown that nobody asked for"; fi
expect 0 "$HEBATCH" eval --keys keys "y = 0.375*r" r=r.heb y=plan.heb --dry-run --verbose --verbose
for pass in lower results levels sizes "data passes" errors "levels of results"; do
    grep -q "^after $pass:" out || fail "the graph is not shown after $pass"
done
if grep '^n\|^ *[0-9][0-9]*  ' out | grep '0\.375'; then fail "a constant is shown after a pass"; fi
absent plan.heb plan.heb.partial

# refused CODE WORDS EXPRESSION WORD...: and nothing is left behind.
refused() {
    refused_code=$1 refused_words=$2
    shift 2
    refuse "$refused_code" "$refused_words" "$HEBATCH" eval --keys keys "$@" y=bad.heb
    absent bad.heb bad.heb.partial
    rm -f bad.heb.report.json
}
refused 65 "the argument of sigmoid can be -4 .. 5, and its interval is -4 .. 4: give a wider one" \
    "y = sigmoid(w @ x + 0.5, -4, 4)" x=x.heb w=w.csv
refused 65 "log of values that may be 0 or less: their range is -1.* a tighter --range may help" "y = log(x.1)" x=x.heb
refused 65 "softmax is made of exp and inv: inv of values that may be 0: .*; a tighter --range may help" \
    "y = softmax(60*x)" x=x.heb
refused 65 "inv" "y = x.1/x.2" x=x.heb
refused 64 "the ends of an interval are constants, the lower one first" "y = exp(x.1, 1, -1)" x=x.heb
refused 64 "a division by 0" "y = x/0" x=x.heb
refused 64 "no test for equality" "y = x.1 == x.2" x=x.heb
refused 64 "the polynomial is a constant" "y = cheb(x, -1, 1, 2, 0)" x=x.heb
refused 64 "softmax works on encrypted values, and this is a number" "y = x + softmax(3)" x=x.heb
refused 65 "bits of precision in the worst case, and 60 are wanted" "y = sigmoid(x)" x=x.heb --precision 60
refused 65 "a corner that is right to 2^-40.0, and with values up to .* it is right to 2^-.* at best" "y = relu(x)" x=x.heb \
    --precision 40
refused 65 "9.54606e-07 is the least that can be had" "y = sign(x.1, -1, 1)" x=x.heb --range x=-1..1 --gap 2^-21
refused 65 "no 48 levels do it; widen the gap, or ask for less" "y = sign(x.1, -1, 1)" x=x.heb --range x=-1..1 --precision 60
refused 65 "no level is left" "y = sigmoid(60*x)*sigmoid(60*x.1)^512" x=x.heb
refused 64 "expected a number between 0 and 1, as 2^-12" "y = sign(x)" x=x.heb --gap 2

# Values that are whole by their meaning are compared for equality, and conditions are combined by products.
printf 'ward,v\nfirst,1.5\nlast,0.5\nfirst,-1\nold,2\n' >c.csv
expect 0 "$HEBATCH" encrypt --quiet --key keys/public.h5 c.csv c.heb --category ward
expect 0 "$HEBATCH" eval --quiet --keys keys "y = where(c.ward == 'first' or not c.ward != 'old', c.v, 0)" c=c.heb y=c_y.heb \
    --range c.v=-2..2 --noise expected
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 c_y.heb c_y.csv
awk 'NR > 1 && ($1 - e[NR] > 0.001 || e[NR] - $1 > 0.001) { exit 1 }
    BEGIN { e[2] = 1.5; e[3] = 0; e[4] = -1; e[5] = 2 }' c_y.csv || fail "conditions of reals: $(cat c_y.csv)"
refuse 64 "reals have no test for equality" "$HEBATCH" eval --keys keys "y = c.v == 2" c=c.heb y=bad.heb

# Integers have none of it.
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out integers
table 20 1 50 >i.csv
expect 0 "$HEBATCH" encrypt --key integers/public.h5 i.csv i.heb
integer() {
    refuse 64 "$1" "$HEBATCH" eval "$2" i=i.heb y=bad.heb
}
integer "there is no division of integers" "y = i/2"
integer "the range of i.c1 is not known" "y = i > 2"
integer "there is no function 'sigmoid': functions that are no polynomials are for reals" "y = sigmoid(i)"
integer "the range of the values is not known" "y = max(i, 2)"
integer "there is no function 'step': integers are compared by <" "y = step(i)"
integer "takes conditions, which are 0 or 1, and the values here are not known to be 0 and 1" "y = i and i"
refuse 64 "comparisons of BFV are exact; it is for reals" "$HEBATCH" eval "y = i + 1" i=i.heb y=bad.heb --gap 0.5
exit 0
