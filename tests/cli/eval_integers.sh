#!/bin/sh
# eval of integers whose noise budget does not suffice: loops, totals, columns, several results and plain moduli, with
# values refreshed among them, exactly; how sure plan, report and files say that is; --noise, --bootstrap; in batches,
# on threads, and after a kill the same bytes.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

# field FILE EXPRESSION: of the report that is in it, as r.
field() {
    "$PYTHON" -c 'import json, sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

expect 0 "$HEBATCH" keygen --params int-test --insecure --out keys --relin --rotations sum --swap --bootstrap
"$PYTHON" - <<'PYTHON'
import random
random.seed(5)
for name in "x", "a":
    with open(name + ".csv", "w") as f:
        f.write("p,q\n")
        f.writelines(f"{random.randint(0, 99)},{random.randint(0, 999)}\n" for _ in range(1500))
PYTHON
for name in x a; do
    expect 0 "$HEBATCH" encrypt --key keys/public.h5 $name.csv $name.heb
done

cat >model.py <<'PYTHON'
"""A program in integers: model.py T TEXT RESULT: of columns p and q, with repeat and sum."""
import re, sys
t, text, result = int(sys.argv[1]), sys.argv[2], sys.argv[3]
def read(name):
    return [[int(c) for c in line.split(",")] for line in open(name).readlines()[1:]]
x, a = read("x.csv"), read("a.csv")
class Column:
    def __init__(self, v): self.v = [c % t for c in v]
    def over(self, o, f):
        w = o.v if isinstance(o, Column) else [o]
        n = max(len(self.v), len(w))
        return Column([f(self.v[i % len(self.v)], w[i % len(w)]) for i in range(n)])
    def __add__(self, o): return self.over(o, lambda p, q: p + q)
    def __sub__(self, o): return self.over(o, lambda p, q: p - q)
    def __mul__(self, o): return self.over(o, lambda p, q: p * q)
lines = re.sub(r"repeat (\d+) \{(.*?)\}", lambda m: "\n".join([m[2]] * int(m[1])), text, flags=re.S)
for column, got in enumerate(zip(*read(result))):
    names = {"x": Column([r[column] for r in x]), "a": Column([r[column] for r in a]),
             "sum": lambda c: Column([sum(c.v)])}
    for statement in re.split(r"[;\n]", lines):
        exec(statement.strip(), names)
    assert [g % t for g in got] == names["y"].v, (column, got[:5], names["y"].v[:5])
PYTHON

# computes PASSES SURE TEXT WORD...: with as many passes at least, and that said of bounds; exact, and the budget that
# is measured is not below the bound.
computes() {
    passes=$1 sure=$2 text=$3
    shift 3
    expect 0 "$HEBATCH" eval --keys keys --wrap --force "$text" x=x.heb a=a.heb y=y.heb "$@"
    complains "^hebatch: certainty  *bounds $sure"
    complains 'refresh  *2 columns, [0-9]* pass.*, k [0-9, ]*: budget [0-9]* bits at least, .* expected after: '
    [ "$(field y.heb.report.json "sum(b['passes'] for b in r['bootstraps']) >= $passes")" = True ] ||
        fail "passes: $text"
    [ "$(field y.heb.report.json "all(len(b['k']) == min(b['passes'], 16) and b['bound'][1] > b['bound'][0] and
        b['bound'][0] <= b['expected'][0] for b in r['bootstraps'])")" = True ] || fail "bounds: $text"
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y.csv --force
    ! grep -q WARNING err || fail "$text: $(cat err)"
    "$PYTHON" model.py 786433 "$text" y.csv || fail "not exact: $text"
    "$PYTHON" - <<'PYTHON' || fail "a budget is below its bound: $text"
import re
text = open("out").read()
numbers = re.search(r"noise budget (\d+) bits at least, .*; (\d+) (?:drawn|proven|likely)", text).groups()
assert int(numbers[0]) >= int(numbers[1]), text
PYTHON
}

DRAWN='hold with all but 2^-64 (passes), no ciphertext is ever lost'
computes 12 "$DRAWN" 'z = x; repeat 20 { z = z * z + a }; y = z'
computes 12 "$DRAWN" 'z = x; repeat 24 { z = z * a }; y = z - x' --batch 1
computes 6 "$DRAWN" 's = sum(x); repeat 16 { s = s * s + 1 }; y = s * a'
computes 5 'are likely, and not sure (passes)' 'u = x; v = a; repeat 12 { w = u * v; v = u + v; u = w }; y = u * v' \
    --noise expected
computes 4 'are proven, no ciphertext' 'z = x; repeat 10 { z = z * z + a }; y = z' --noise worst
expect 0 "$HEBATCH" info y.heb
says '^noise budget [0-9]* bits proven'

# Files say that a bound is drawn, and what is computed of them goes by it.
computes 12 "$DRAWN" 'z = x; repeat 20 { z = z * z + a }; y = z' --compact off
expect 0 "$HEBATCH" info y.heb
says '^noise budget [0-9]* bits drawn, [0-9]* expected, at 6 of 6 limbs'
# So do the plan, the report and its page; the word proven is for bounds that are.
expect 0 "$HEBATCH" eval --keys keys --wrap --dry-run 'z = x; repeat 20 { z = z * z + a }; y = z' x=x.heb a=a.heb y=no.heb
says '^noise budget *[0-9]* bits drawn at least, [0-9]* expected, '
! grep -q 'no bits proven' out || fail "the plan looks like a failure: $(cat out)"
[ "$(field y.heb.report.json "(all(len({'proven', 'drawn'} & set(n)) == 1 for n in r['noise_budget_bits'] + r['steps']),
    min(n['drawn'] for n in r['noise_budget_bits'] if 'drawn' in n) >= 1,
    any('proven' in n for n in r['steps']), r['noise_budget_bits'][-1]['drawn'] >= 1)")" = "(True, True, True, True)" ] ||
    fail "the report does not say which bounds are drawn"
expect 0 "$HEBATCH" status y.heb --html page.html
grep -q '<b>[0-9]* bits</b> drawn</div>' page.html || fail "the page does not say that the least budget is drawn"
grep -q 'all but 2^-64 of ciphertexts' page.html || fail "the page does not explain drawn"
sum=$(sum_of y.heb)
# By proven bounds what comes of a drawn one is drawn, in the plan as in the file.
expect 0 "$HEBATCH" eval --keys keys --wrap --noise worst 'z = y; repeat 6 { z = z * z }; r = z' y=y.heb r=r.heb
complains '^hebatch: certainty  *bounds are drawn, as those of inputs are, no ciphertext is ever lost'
expect 0 "$HEBATCH" info r.heb
says '^noise budget [0-9]* bits drawn, '
rm -r r.heb
expect 0 "$HEBATCH" eval --keys keys --wrap 'z = y; repeat 6 { z = z * z }; r = z' y=y.heb r=r.heb
complains '^hebatch: refresh '
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 r.heb r.csv
"$PYTHON" model.py 786433 'z = x; repeat 20 { z = z * z + a }; repeat 6 { z = z * z }; y = z' r.csv ||
    fail "from a file"

# The same bytes in other batches, and on several threads.
for words in '--batch 1' '--queues 2'; do
    # shellcheck disable=SC2086
    computes 12 "$DRAWN" 'z = x; repeat 20 { z = z * z + a }; y = z' --compact off $words
    [ "$(sum_of y.heb)" = "$sum" ] || fail "other bytes with $words"
done

# What budgets suffice for is not refreshed.
expect 0 "$HEBATCH" eval --keys keys --wrap 'y = x * a + x' x=x.heb a=a.heb y=few.heb
! grep -q '^hebatch: refresh' err || fail "a refresh that nothing needs"
expect 0 "$HEBATCH" info few.heb
says '^noise budget [0-9]* bits proven'

# --- refused
DEEP='z = x; repeat 20 { z = z * z + a }; y = z'
refuse 65 'no noise budget is left after .*: [0-9]* bits too few in the drawn case' \
    "$HEBATCH" eval --keys keys --wrap --bootstrap never "$DEEP" x=x.heb a=a.heb y=no.heb
refuse 64 'it is worst, drawn, expected or unknown' \
    "$HEBATCH" eval --keys keys --noise drown "$DEEP" x=x.heb a=a.heb y=no.heb
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $CHAIN --out short --relin
expect 0 "$HEBATCH" encrypt --key short/public.h5 x.csv short.heb
refuse 64 'do not bootstrap integers; presets called int-... do' \
    "$HEBATCH" eval --keys short --wrap --noise drawn 'y = x + x' x=short.heb y=no.heb
expect 0 "$HEBATCH" keygen --params int-test --insecure --out bare --relin
expect 0 "$HEBATCH" encrypt --key bare/public.h5 x.csv bare.heb
refuse 66 'has no key for bootstrapping; make it: hebatch keygen --key bare/secret.h5 --bootstrap' \
    "$HEBATCH" eval --keys bare --wrap 'z = x; repeat 20 { z = z * z }; y = z' x=bare.heb y=no.heb
absent no.heb

# --- several plain moduli: each has ranges of its own
expect 0 "$HEBATCH" keygen --params int-test --insecure --wide 46 --plain-bits 24 --out wide --relin --bootstrap
expect 0 "$HEBATCH" encrypt --key wide/public.h5 x.csv wide.heb
expect 0 "$HEBATCH" eval --keys wide --wrap 'z = x; repeat 14 { z = z * z + 1 }; y = z' x=wide.heb y=wide_y.heb
complains '^hebatch: refresh '
expect 0 "$HEBATCH" decrypt --key wide/secret.h5 wide_y.heb wide_y.csv
t=$("$HEBATCH" info wide --json | "$PYTHON" -c 'import json, math, sys
r = json.load(sys.stdin)
print(math.prod(map(int, r["params"]["plains"])))') || fail "the plain moduli"
"$PYTHON" model.py "$t" 'z = x; repeat 14 { z = z * z + 1 }; y = z' wide_y.csv || fail "several plain moduli"
