#!/bin/sh
# Comparisons of reals: results say within which distance of a threshold a value may count as a part, as results of these
# do, and no others.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

expect 0 "$HEBATCH" keygen --n 2048 --levels 16 --scale-bits 45 --special-primes 3 --insecure --out keys --relin \
    --rotations sum
printf 'glucose\n7.00\n9.5\n4.25\n8\n' >x.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 x.csv x.heb --range glucose=0..16
expect 0 "$HEBATCH" eval --keys keys "hi = count(x.glucose > 7.005); all = sum(x.glucose); two = 2*hi" x=x.heb hi=hi.heb \
    all=all.heb two=two.heb --noise expected --json
gap=$(sed -n 's/.* except within \([0-9.]*\) of 0: .*/\1/p' err)
[ -n "$gap" ] || fail "the plan does not say the gap"
line="^comparisons  values within $gap of a threshold of a comparison may count as a part$"
expect 0 "$HEBATCH" eval --keys keys "later = hi + 1" hi=hi.heb later=later.heb --noise expected
for name in hi two later; do
    expect 0 "$HEBATCH" info $name.heb
    says "$line"
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 $name.heb $name.csv --json
    "$PYTHON" -c 'import json, sys
assert abs(json.load(open(sys.argv[1]))["threshold_gap"] - float(sys.argv[2])) < 1e-3' $name.csv.report.json "$gap" ||
        fail "the report of $name does not say the gap"
    for file in $name.heb $name.csv; do
        expect 0 "$HEBATCH" status $file
        says "$line"
    done
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 $name.heb $name.csv --force
    says "$line"
done
for name in x all; do
    expect 0 "$HEBATCH" info $name.heb
    ! grep -q "may count as a part" out || fail "$name is made by no comparison"
done
# relu has its gap in its error.
expect 0 "$HEBATCH" eval --keys keys "y = relu(x.glucose - 5)" x=x.heb y=y.heb --noise expected
expect 0 "$HEBATCH" info y.heb
! grep -q "may count as a part" out || fail "relu counts nothing"
