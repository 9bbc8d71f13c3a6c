#!/bin/sh
# eval on reals: results against the same arithmetic in doubles, within what the plan proves; what is refused.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

# Eight levels of 40 bits, two special primes, digits of two primes: six row blocks of 1024.
REALS="--n 2048 --levels 8 --scale-bits 40 --special-primes 2 --insecure"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $REALS --out keys --relin --conj --rotations sum,3,-2
keys=keys secret=keys/secret.h5
"$PYTHON" - <<'PYTHON'
import random
random.seed(7)
def table(name, columns, rows, low, high):
    with open(name, "w") as f:
        f.write(",".join(columns) + "\n")
        for _ in range(rows):
            f.write(",".join(repr(round(random.uniform(low, high), 6)) for _ in columns) + "\n")
table("x.csv", ["p", "q", "r"], 5300, -1.5, 1.5)
table("z.csv", ["z"], 5300, 0, 40)
table("t.csv", ["p", "q", "r"], 5300, -2, 2)
table("w.csv", ["p", "q", "r"], 1, -1, 1)
table("W.csv", ["p", "q", "r"], 2, -1, 1)
table("k.csv", ["k"], 1, 3, 4)
PYTHON
expect 0 "$HEBATCH" encrypt --key $secret x.csv x.heb
expect 0 "$HEBATCH" encrypt --key keys/public.h5 z.csv z.heb

cat >model.py <<'PYTHON'
"""The expression that was evaluated, in doubles on whole columns: model.py EXPRESSION RESULT REPORT."""
import json, os, re, sys
import numpy as np
text, result, report = sys.argv[1:]
SLOTS = 1024
def read(name):
    return np.atleast_2d(np.genfromtxt(name + ".csv", delimiter=",", skip_header=1).reshape(
        -1, len(open(name + ".csv").readline().split(","))))
def rotate(a, k):
    rows = len(a)
    padded = np.vstack([a, np.zeros((-rows % SLOTS, a.shape[1]))]).reshape(-1, SLOTS, a.shape[1])
    return np.roll(padded, -k, axis=1).reshape(-1, a.shape[1])[:rows]
class Weights:
    def __init__(self, w): self.w = w
    def __matmul__(self, a): return a @ self.w.T
def col(a, i): return a[:, i - 1:i]
names = {"x": read("x"), "z": read("z"), "t": read("t"), "k": read("k"), "w": read("w"), "W": Weights(read("W")),
         "v": Weights(read("w")), "col": col, "rotate": rotate, "conj": lambda a: a, "square": lambda a: a * a,
         "sum": lambda a: a.sum(axis=0, keepdims=True), "mean": lambda a: a.mean(axis=0, keepdims=True),
         "dot": lambda a, b: (a * b).sum(axis=0, keepdims=True), "rowsum": lambda a: a.sum(axis=1, keepdims=True),
         "poly": lambda a, *c: sum(c[i] * a ** i for i in range(len(c))), "modswitch": lambda a: a}
for name in ("u", "m"):
    if re.search(rf"\b{name}\b", text.replace("m =", "")) and name + ".csv" in os.listdir():
        names[name] = read(name)
while "repeat" in text: # loops are written out, inner ones first
    text = re.sub(r"repeat (\d+) \{([^{}]*)\}", lambda m: "; ".join([m[2].strip(" ;")] * int(m[1])), text)
for statement in text.split(";"):
    statement = re.sub(r"\b([a-zA-Z_]\w*)\.([1-9])", r"col(\1,\2)", statement).replace("^", "**")
    exec(statement.strip(), names)
want = names["y"]
got = np.genfromtxt(result, delimiter=",", skip_header=1).reshape(want.shape)
notes = json.load(open(report))["precision_bits"]
proven = [n["proven"] for n in notes if n["node"].lstrip().startswith("y =")][0]
error = np.abs(got - want).max()
assert error <= 2.0 ** -proven + 1e-12 * np.abs(want).max(), (error, -np.log2(error), proven)
low, high = [n["values"] for n in notes if n["node"].lstrip().startswith("y =")][0]
assert want.min() >= low and want.max() <= high, (want.min(), want.max(), low, high)
PYTHON

# evaluate EXPRESSION WORD...: with x=x.heb and the rest as words; decrypts y and compares.
evaluate() {
    rm -rf y.heb y.csv y.heb.report.json
    text=$1
    shift
    range=x=-1.5..1.5
    case $* in *z=*) range=$range,z=0..40 ;; esac
    expect 0 "$HEBATCH" eval --keys $keys "$text" x=x.heb "$@" y=y.heb --range $range
    absent y.heb.partial
    expect 0 "$HEBATCH" decrypt --key $secret y.heb y.csv
    "$PYTHON" model.py "$text" y.csv y.heb.report.json || fail "not what doubles give: $text"
}

evaluate "y = 0.5*x.1*x.2 + x.3"
evaluate "y = x + x*2 - 0.125"
evaluate "y = mean(x)"
evaluate "y = mean(x*x) - mean(x)^2"
evaluate "m = mean(x.1); y = mean(square(x.1 - m))" # two passes
evaluate "y = v @ x + 0.25" v=w.csv
evaluate "y = W @ x" W=W.csv
evaluate "y = rowsum(w * x) - 1e-3" w=w.csv
evaluate "y = x^7"
evaluate "y = conj(x) + x"
evaluate "y = rotate(x, 3) - rotate(x, -2)*x"
evaluate "y = rotate(x + 1, 5)" # along the terms of a step without a key of its own
evaluate "y = sum(rotate(x*x, 3) + 1.5)" # what rotations bring into slots without rows does not count
evaluate "y = dot(x.1, x.2)"
evaluate "y = x*t + t - 2*x" t=t.csv
evaluate "y = z*x.1 - x.2*k" z=z.heb k=k.csv
evaluate "y = sum(x)*x - mean(x*t)" t=t.csv
evaluate "y = poly(x.1, 0.5, -1, 0, 2.5)"
evaluate "y = modswitch(x.1)*x.2 + x.3*x.3 + 0.75*x.1"
# Numbers go where they take no level.
evaluate "y = (0.5*x.1*x.2 - 0.25*x.3)*x.2 + 0.125*x.1*(x.3*x.2)"
evaluate "y = 0.5*(x.1*t.2) - 0.25*t.1*(0.3*x.1*x.2)" t=t.csv
evaluate "a = 0.5*x.1*x.2; y = mean(a)*(0.3*a + x.3) - 0.7*(x.1*a)"
evaluate "y = poly(-0.25*x.1*x.2, 0.5, -1, 0, 2.5, 0, 0, 0.5)"
evaluate "y = 0.5*x; repeat 3 { y = 1.5*y - 0.5*y^3 }"
evaluate "a = x.1; y = x.2; repeat 2 { b = 0.5*(a + y); repeat 2 { y = 0.5*y }; a = b }; y = y + a"

# An encrypted row stands in every row: masked, where a level is left, so that others' errors are not added to it.
cp w.csv u.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 u.csv u.heb --range=-1..1
evaluate "y = rowsum(u * x) - mean(x.1)" u=u.heb
evaluate "y = square(x - u)*u.2" u=u.heb
expect 0 "$HEBATCH" eval --keys keys "y = x^128 - u" x=x.heb u=u.heb y=planned.heb --dry-run --verbose --range x=-1..1
says "mask of all rows but one"
expect 0 "$HEBATCH" eval --keys keys "y = (x^128)*u" x=x.heb u=u.heb y=planned.heb --dry-run --verbose --range x=-1..1
if grep -q "mask of all rows" err; then fail "a mask that leaves no level"; fi
expect 0 "$HEBATCH" encrypt --key keys/public.h5 W.csv W.heb --range=-1..1
evaluate "y = W @ x + mean(x.1)" W=W.heb
rm -rf m.heb m.csv
expect 0 "$HEBATCH" eval --keys keys "m = mean(x)" x=x.heb m=m.heb --range x=-1.5..1.5 --compact off
expect 0 "$HEBATCH" decrypt --key $secret m.heb m.csv
evaluate "y = square(x - m)" m=m.heb

# In coefficients values are added and scaled.
rm -rf y.heb y.csv
expect 0 "$HEBATCH" encrypt --key $secret --encoding coefficients x.csv coefficients.heb
expect 0 "$HEBATCH" eval "y = 0.5*x + t - 2*x + 0.25" x=coefficients.heb t=t.csv y=y.heb
expect 0 "$HEBATCH" decrypt --key $secret y.heb y.csv
"$PYTHON" model.py "y = 0.5*x + t - 2*x + 0.25" y.csv y.heb.report.json || fail "values in coefficients"

# For a result of several columns the plan tells the values of all.
printf 'p,q,r\n1,-1,0.5\n' >signs.csv
expect 0 "$HEBATCH" eval --keys keys "y = x*w" x=x.heb w=signs.csv y=planned.heb --dry-run --range x=0..1.5
says "values -1.5 .. 1.5, .* limbs: y = "

# A result is an input like any other, at its level, with its range.
evaluate "y = rotate(x.1*x.2, 3)"
rm -rf r.heb
mv y.heb r.heb
expect 0 "$HEBATCH" eval --keys keys "y = r*x.3 + sum(r)" x=x.heb r=r.heb y=y.heb --range x=-1.5..1.5 --json
expect 0 "$HEBATCH" info r.heb
says "computed"
expect 0 "$HEBATCH" eval --keys keys "y = 0.5*x.1*x.2 + x.3" x=x.heb y=planned.heb --dry-run --range x=-1.5..1.5
says "precision    [0-9.]* bits at least, [0-9.]* expected, values -2.625 .. 2.625, 7 of 9 limbs: y = "
absent planned.heb planned.heb.partial

# The same words whatever is done at a time.
text="y = mean(x*x) - mean(x)^2 + 0.5*x"
rm -rf y.heb
expect 0 "$HEBATCH" eval --keys keys "$text" x=x.heb y=y.heb --range x=-1.5..1.5
for options in "--queues 3" "--batch 2" "--queues 2 --batch 1"; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" eval --keys keys "$text" x=x.heb y=y2.heb --force --range x=-1.5..1.5 $options
    expect 0 "$HEBATCH" verify y2.heb --same-as y.heb
done

# refused CODE WORDS EXPRESSION WORD...: and nothing is left behind.
refused() {
    refused_code=$1 refused_words=$2
    shift 2
    refuse "$refused_code" "$refused_words" "$HEBATCH" eval "$@"
    absent bad.heb bad.heb.partial
    rm -f bad.heb.report.json
}
refused 65 "no level is left for this product" "y = x^512" --keys keys x=x.heb y=bad.heb
refused 65 "the values of .* can be up to .*primes left" "y = (100*x)^256" --keys keys x=x.heb y=bad.heb --range x=-1.5..1.5
refused 65 "the values of .* can be up to 7950, and with 1 prime left ciphertexts hold values up to 5" \
    "y = modswitch(modswitch(modswitch(modswitch(modswitch(modswitch(modswitch(modswitch(sum(x)))))))))" --keys keys x=x.heb \
    y=bad.heb --range x=-1.5..1.5
refused 65 "bits of precision in the worst case, and 40 are wanted" "y = x*x" --keys keys x=x.heb y=bad.heb --range x=-1.5..1.5 --precision 40
refused 65 "has no bits of precision (errors up to 2^[0-9.]*) in the worst case, and 3 are wanted" "y = 274877906944*x" --keys keys x=x.heb \
    y=bad.heb --range x=-1.5..1.5 --precision 3
refused 65 "a sum with 1e+18, and numbers that are added are 2.097e+06 at most" "y = x + 1e18" --keys keys x=x.heb y=bad.heb \
    --range x=-1.5..1.5
printf 'p,q,r\n' >none.csv
refused 64 "W has no rows, and so no weights" "y = W @ x" --keys keys x=x.heb W=none.csv y=bad.heb --range x=-1.5..1.5
refused 64 "CKKS has no swap of rows" "y = swap(x)" --keys keys x=x.heb y=bad.heb
refused 64 "do not wrap around" "y = x + 1" x=x.heb y=bad.heb --wrap
refused 64 "this is 0 whatever is encrypted" "y = 0.0*x" x=x.heb y=bad.heb
mkdir empty
refused 66 "no key for rotate(x,100); the owner of the secret key" "y = rotate(x, 100)" --keys empty x=x.heb y=bad.heb --range x=-1.5..1.5
refused 65 "none of them is in 7..9.5" "y = r + 1" r=r.heb y=bad.heb --range r=7..9.5
refused 65 "outside the range that was declared, 0..0.5" "y = x*t" x=x.heb t=t.csv y=bad.heb --range x=-1.5..1.5,t=0..0.5

# Keys and data of the two schemes do not go together.
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen --n 2048 --bits 40,40,41 --plain 65537 --insecure --out integers --relin
table 5300 1 50 >i.csv
expect 0 "$HEBATCH" encrypt --key integers/public.h5 i.csv i.heb
refused 65 "different parameters" "y = x.1 * i" --keys keys x=x.heb i=i.heb y=bad.heb
refused 65 "belongs to key" "y = x * x" --keys integers x=x.heb y=bad.heb --range x=-1.5..1.5
refused 64 "constants are integers here" "y = rotate(i, 0.5)" i=i.heb y=bad.heb
refused 64 "there is no function 'rank'" "y = rank(i)" i=i.heb y=bad.heb
refused 64 "BFV has integers, so the ends" "y = i + 1" i=i.heb y=bad.heb --range i=0..0.5
refused 64 "values of BFV are exact" "y = i + 1" i=i.heb y=bad.heb --precision 8

# As Microsoft SEAL computes: products keep the scale that they have.
expect 0 "$HEBATCH" keygen --n 2048 --bits 50,40,40,40,50 --scale-bits 40 --like-seal --insecure --out seal --relin --conj \
    --rotations sum,3
keys=seal secret=seal/secret.h5
rm -rf x.heb
expect 0 "$HEBATCH" encrypt --key $secret x.csv x.heb
evaluate "y = 0.5*x.1*x.2 + x.3"
evaluate "y = mean(x*x) - mean(x)^2"
evaluate "y = rotate(conj(x), 3) - 2*x + 0.25"

# For primes up to twice the scale a product keeps what is said before and proven, and what decrypts is within it.
FAR="--n 4096 --bits 44,29,36 --scale-bits 28 --like-seal --insecure"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" params check $FAR
says "^products: 6.2 bits proven, 15.[01] expected after a product of values within 1$"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $FAR --out far --relin
"$PYTHON" -c 'print("v\n" + "1\n-1\n0.5\n" * 20)' >far.csv
expect 0 "$HEBATCH" encrypt --key far/secret.h5 far.csv far.heb --range=-1..1
expect 0 "$HEBATCH" eval --keys far 'y = v*v' v=far.heb y=far-squared.heb
expect 0 "$HEBATCH" decrypt --key far/secret.h5 far-squared.heb far-squared.csv --json
"$PYTHON" - <<'PYTHON' || fail "errors are above what is proven"
import json
proven = json.load(open("out"))["precision_bits"]["proven"]
wrong = max(abs(float(y) - v * v) for y, v in zip(open("far-squared.csv").read().split()[1:], [1, -1, 0.5] * 20))
assert 0 < wrong <= 2**-proven, (wrong, proven)
PYTHON

# Where the special prime is shorter than a digit, keys add errors that no value is beside: refused by either bound.
SHORT="--n 2048 --bits 58,40,24 --scale-bits 40 --like-seal --insecure"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" params check $SHORT
says "^warning: the special prime has 24 bits, fewer than the 58 of q_0, so each rotation adds a large error: after one no bits proven"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" params check $SHORT --json
grep -q '"long_digit": true' out || fail "params check --json does not say that a digit is longer"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SHORT --out short --rotations sum,3
expect 0 "$HEBATCH" encrypt --key short/secret.h5 x.csv short.heb
for noise in worst expected; do
    for text in "y = rotate(x, 3)" "y = sum(x)" "y = 1000*sum(x.1)"; do
        refused 65 "a result that may be wrong is refused" "$text" x=short.heb --keys short --noise $noise y=bad.heb
    done
    expect 0 "$HEBATCH" eval --keys short --force --noise $noise 'y = x + x' x=short.heb y=sum.heb
done
refused 65 "the special prime is shorter than q_0" "y = sum(x)" x=short.heb --keys short --noise expected y=bad.heb
# Only who asks for it gets a result whose error is not known.
expect 0 "$HEBATCH" eval --keys short --noise unknown "y = sum(x)" x=short.heb y=unknown.heb
refuse 64 "bits that --noise unknown does without" "$HEBATCH" eval --keys short --noise unknown --precision 10 \
    "y = sum(x)" x=short.heb y=bad.heb
expect 0 "$HEBATCH" params check seal-ckks-8192
grep -q warning out && fail "params check warns of parameters whose special prime is as long as digits"
expect 0 "$HEBATCH" params check --n 8192 --bits 58,40,40 --plain-bits 20
says "^warning: the special prime has 40 bits, fewer than the 58 of q_0"

# Results at the lowest level that keeps so many bits and has room for the values.
expect 0 "$HEBATCH" eval --keys keys --force --noise expected --compact 8 'y = x + 1' x=x.heb y=compact.heb
expect 0 "$HEBATCH" info compact.heb
grep -q "at [0-9]* of" out || fail "info does not say the level"
[ "$(du -s compact.heb | cut -f1)" -lt "$(du -s x.heb | cut -f1)" ] || fail "a compact result is no smaller"
expect 0 "$HEBATCH" decrypt --key $secret --force compact.heb compact.csv

# Keys by need: those of an expression, and no others.
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $REALS --out needed --for "y = conj(x)*rotate(x, 3) + 0.5"
[ "$(find needed -name '*.h5' | wc -l)" = 5 ] || fail "other keys than the expression needs: $(ls needed)"

# All of no values lie in 0 .. 0; and where less than a bit is proven, that is said.
printf 'a\n' >none.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 none.csv none.heb --range measured
expect 0 "$HEBATCH" eval --keys keys 'y = x*x' x=none.heb y=none-squared.heb
expect 0 "$HEBATCH" info none-squared.heb
says "^column       'y': values 0..0$"
refuse 65 "--noise expected computes it" \
    "$HEBATCH" eval --keys keys 'y = 4000*(4000*x)' x=none.heb y=large.heb
expect 0 "$HEBATCH" eval --keys keys --noise expected 'y = 4000*(4000*x)' x=none.heb y=large.heb
expect 0 "$HEBATCH" info large.heb
says "^precision    no bits proven (errors up to 2^[0-9.]*), [0-9.]* expected, at "
# Where no bit is expected either nothing computes it.
for noise in worst expected; do
    refused 65 "a result that may be wrong is refused" --keys keys --noise $noise 'y = 1000000000*(1000000000*x)' x=none.heb y=bad.heb
done
grep -q "noise expected" err && fail "an option is advised that does not compute it"
exit 0
