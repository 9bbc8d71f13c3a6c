#!/bin/sh
# A loop of a hundred products in turn, with bootstrapping: planned, computed, killed in the middle and resumed.
# Given by ctest besides: KILL_AT_LIBRARY (kill_at.c).
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

text="y = x; repeat 50 { y = 1.5*y - 0.5*y^3 }"
"$PYTHON" -c 'import random
random.seed(3)
print("x")
for _ in range(1100):
    print(round(random.choice([-1, 1])*random.uniform(0.05, 1), 6))' >x.csv
expect 0 "$HEBATCH" keygen --params boot-test --insecure --out keys --for "$text"
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 --range -1..1 x.csv x.heb
refuse 65 "in iteration 10 of 50" "$HEBATCH" eval --keys keys "$text" x=x.heb y=y.heb --noise expected --bootstrap never
refuse 65 "nothing is proven of them any more; --noise expected computes it, right to 2^-2[0-9.]* as expected" \
    "$HEBATCH" eval --keys keys "$text" x=x.heb y=y.heb
# Whoever has too few levels, and asked for proofs that there are none of, hears of bootstrapping.
expect 0 "$HEBATCH" keygen --params ckks-13 --out short
expect 0 "$HEBATCH" encrypt --key short/secret.h5 --range -1..1 x.csv short.heb
refuse 65 "boot-16 would do with --noise expected" "$HEBATCH" eval --keys short "$text" x=short.heb y=y.heb
refuse 65 "boot-16 would do with --noise expected" "$HEBATCH" params suggest --scheme ckks "$text" --table x=x.csv
expect 0 "$HEBATCH" params suggest --scheme ckks "$text" --table x=x.csv --noise expected
says "^parameters  *boot-16, "
expect 0 "$HEBATCH" eval --keys keys "$text" x=x.heb y=y.heb --noise expected --dry-run
says "^depth        100 products of ciphertexts one after another"
says "values -1 .. 1, .* in each of 50 iterations: y = 1.5"
[ "$(grep -c "^precision" out)" = 1 ] || fail "a line an iteration"
absent y.heb y.heb.partial

expect 0 "$HEBATCH" eval --keys keys "$text" x=x.heb y=y.heb --noise expected
mv y.heb whole.heb
# Row blocks that were finished stay, and others go through all iterations; the words are the same.
at=24 stored=0
until [ "$stored" != 0 ]; do
    rm -rf y.heb.partial
    code=0
    KILL_AT=$((at += 4)) LD_PRELOAD=$KILL_AT_LIBRARY "$HEBATCH" eval --keys keys "$text" x=x.heb y=y.heb \
        --noise expected >out 2>err || code=$?
    [ "$code" = 137 ] || fail "exit code $code when killed at $at"
    expect 0 "$HEBATCH" status y.heb
    stored=$(sed -n 's/^units *\([0-9]*\) of 2 .*/\1/p' out)
    stored=${stored:-0}
done
absent y.heb
expect 0 "$HEBATCH" eval --keys keys "$text" x=x.heb y=y.heb --noise expected --resume
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y.csv
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 whole.heb whole.csv
same y.csv whole.csv
"$PYTHON" - <<'PYTHON' || fail "not what doubles give"
x, y = ([float(v) for v in open(name).read().split()[1:]] for name in ("x.csv", "y.csv"))
assert len(x) == len(y) == 1100
for a, b in zip(x, y):
    for _ in range(50):
        a = 1.5*a - 0.5*a**3
    assert abs(a - b) < 2.0**-19, (a, b)
PYTHON
