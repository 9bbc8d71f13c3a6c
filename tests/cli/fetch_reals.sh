#!/bin/sh
# Rows of reals that an encrypted condition selects come as themselves, in one small ciphertext.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

# 700 rows in two row blocks: numbers, and which are selected.
"$PYTHON" - >x.csv <<'TEXT'
import random
random.seed(7)
print("on,few,score,pay")
for row in range(700):
    print(f"{row in (0, 3, 511, 512, 699)},{row == 600},".lower() +
          f"{row / 1000},{random.uniform(-100, 100):.3f}")
TEXT
expect 0 "$HEBATCH" keygen --n 1024 --levels 3 --scale-bits 38 --first-bits 50 --special-primes 2 --insecure --out keys \
    --relin --rotations sum
expect 0 "$HEBATCH" encrypt --key keys/public.h5 x.csv x.heb --range score=0..1,pay=-100..100

# rows NAME ON: what decryption shows of a result are the rows whose column is true.
rows() {
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 "$1" - --quiet
    "$PYTHON" -c 'import csv, sys
want = [(float(r["score"]), float(r["pay"])) for r in csv.DictReader(open("x.csv")) if r[sys.argv[1]] == "true"]
have = [(float(r["score"]), float(r["pay"])) for r in csv.DictReader(sys.stdin)]
assert len(have) == len(want), (have, want)
assert all(abs(a - b) < 1e-3 for x, y in zip(have, want) for a, b in zip(x, y)), (have, want)' "$2" <out ||
        fail "$1 has other rows"
}

expect 0 "$HEBATCH" eval --keys keys 'y = fetch((x.score, x.pay) where x.on, 6); z = fetch((x.score, x.pay) where x.few, 1);
    none = fetch((x.score, x.pay) where x.on and x.few, 2)' x=x.heb y=y.heb z=z.heb none=none.heb --noise expected
rows y.heb on
rows z.heb few
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 none.heb - --quiet
[ "$(cat out)" = score,pay ] || fail "rows were fetched where none is selected"
expect 0 "$HEBATCH" info y.heb --json
"$PYTHON" -c 'import json, sys
assert json.load(open("out"))["ciphertexts"] == 1' || fail "the rows take more than one ciphertext"

# Ranks, and totals one by one, make the same rows.
expect 0 $MPIRUN -n 2 "$HEBATCH" eval --keys keys 'y = fetch((x.score, x.pay) where x.on, 6)' x=x.heb y=two.heb --noise expected
rows two.heb on
expect 0 $MPIRUN -n 2 "$HEBATCH" eval --keys keys 'y = fetch((x.score, x.pay) where x.on, 6)' x=x.heb y=members.heb \
    --noise expected --limb-ranks 2
expect 0 "$HEBATCH" eval --keys keys 'y = fetch((x.score, x.pay) where x.on, 6)' x=x.heb y=one.heb --noise expected
for name in two members; do
    expect 0 "$HEBATCH" verify one.heb --same-as $name.heb
done
expect 0 "$HEBATCH" eval --keys keys 'y = fetch((x.score, x.pay) where x.few, 1)' x=x.heb y=off.heb --noise expected \
    --compact off
rows off.heb few

# A plain condition is public; more rows than are fetched are refused, as are errors that hide rows.
printf 'k\n' >w.csv
"$PYTHON" -c 'for row in range(700): print(int(row in (5, 650)))' >>w.csv
expect 0 "$HEBATCH" eval --keys keys 'y = fetch((x.score, x.pay) where w.k == 1, 2)' x=x.heb w=w.csv y=w.heb --noise expected
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 w.heb - --quiet
"$PYTHON" -c 'import csv, sys
assert [round(float(r["score"]) * 1000) for r in csv.DictReader(sys.stdin)] == [5, 650]' <out ||
    fail "not the rows of a plain condition"
refuse 64 "the condition selects 2 rows, as everybody knows, and 1 are fetched at most" \
    "$HEBATCH" eval --keys keys 'y = fetch(x.pay where w.k == 1, 1)' x=x.heb w=w.csv y=no.heb --noise expected
expect 0 "$HEBATCH" eval --keys keys 'y = fetch(x.pay where x.on, 3)' x=x.heb y=more.heb --noise expected
refuse 65 "rows are selected" "$HEBATCH" decrypt --key keys/secret.h5 more.heb - --quiet

# A plain condition beside an encrypted one leaves cells without rows, which are no ciphertext that everybody can read.
printf 'k\n' >last.csv
"$PYTHON" -c 'for row in range(700): print(int(row == 600))' >>last.csv
for compact in off 8; do
    expect 0 "$HEBATCH" eval --keys keys 'y = fetch((x.score, x.pay) where x.few and w.k == 1, 1);
        z = fetch((x.score, x.pay) where w.k == 1, 1)' x=x.heb w=last.csv y=both.$compact.heb z=plain.$compact.heb \
        --noise expected --compact $compact
    rows both.$compact.heb few
    rows plain.$compact.heb few
done

# Of rows that a comparison selects; a row whose value is near its threshold counts as a part, and is noticed: by its own
# count, by the values of other rows, and where no column is large. Small tables are proven, too.
expect 0 "$HEBATCH" keygen --n 1024 --levels 13 --scale-bits 40 --first-bits 50 --special-primes 4 --insecure --out deep \
    --relin --rotations sum
# compared NAME ROWS A B NOISE: y.NAME.heb of a table whose first row has these values.
compared() {
    "$PYTHON" -c 'import sys
print("a,b")
for row in range(int(sys.argv[1])):
    print(sys.argv[2] + "," + sys.argv[3] if row == 0 else "0.9,1" if row == 3 else "0.05,3")' "$2" "$3" "$4" >"$1".csv
    expect 0 "$HEBATCH" encrypt --key deep/public.h5 "$1".csv "$1".heb --range a=0..1,b=-100..100
    expect 0 "$HEBATCH" eval --keys deep 'y = fetch(x.b where x.a > 0.5, 3)' x="$1".heb y="$1".y.heb --noise "$5" \
        --gap 0.05
}
for noise in expected worst; do
    compared clear.$noise 24 0.53 77 $noise
    expect 0 "$HEBATCH" decrypt --key deep/secret.h5 clear.$noise.y.heb - --quiet
    "$PYTHON" -c 'import sys
assert all(abs(float(a) - b) < 0.02 for a, b in zip(sys.stdin.read().split()[1:], (77, 1), strict=True))' <out ||
        fail "not the rows that the comparison selects: $(cat out)"
    expect 0 "$HEBATCH" info clear.$noise.y.heb --json
done
compared small 5 0.1 -100 worst
expect 0 "$HEBATCH" decrypt --key deep/secret.h5 small.y.heb - --quiet
"$PYTHON" -c 'import sys
assert abs(float(sys.stdin.read().split()[1]) - 1) < 0.02' <out || fail "not the row of a small table: $(cat out)"
compared below 24 0.49 -100 expected
compared above 24 0.51 100 expected
compared nearly 24 0.514 100 worst
for name in below above nearly; do
    refuse 65 "the sums are those of no rows" "$HEBATCH" decrypt --key deep/secret.h5 $name.y.heb - --quiet
done
