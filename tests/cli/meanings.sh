#!/bin/sh
# What numbers mean goes through every operation: random programs over tables with meanings against exact rationals
# (tests/random), some of them once more by hand, one operation a command; and programs that were refused once.
# Arguments: how many times as many programs, and a seed.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
programs=$(cd "${forge%/*}/../random" && pwd)/run.py
times=${1:-1} seed=${2:-1}
export HEBATCH

# random SETUP COUNT
random() {
    "$PYTHON" "$programs" "$1" --count $(($2 * times)) --seed "$seed" --batch 30 --hand 13 >out 2>err || fail "$1"
    tail -n 1 out
}
random integers 60
random folded 30
random deep 15
random long 15
random wide 10
random two 15
random one 15
random blocks 6
random left-out 15
random rows 10

# result TEXT LINE...: a table of kg = -2.4 and 0.7, eur = 1.25 and 0.5; what decrypts of y = TEXT.
printf 'kg,eur\n-2.4,1.25\n0.7,0.5\n' >k.csv
expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,50 --plain 167772161 --insecure --out keys --relin --rotations sum
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 k.csv k.heb --scale kg=10,eur=100 --range kg=-3..3,eur=0..2
result() {
    expect 0 "$HEBATCH" eval --keys keys "y = $1" k=k.heb y=y.heb --force
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb -
    shift
    printf '%s\n' "$@" | cmp - out || fail "not what was wanted"
}
# Every term of a polynomial has one scale.
result 'poly(k.kg, 1, -2.5, 0.5)' y 9.88 -0.505
result 'poly(k.kg, 0.25, 1)' y -2.15 0.95
result 'poly((k.kg, k.eur), 1.5, 0, 2)' kg,eur 13.02,4.625 2.48,2
refuse 64 "more than 18 digits behind the point" \
    "$HEBATCH" eval --keys keys 'y = poly(k.eur, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)' k=k.heb y=refused.heb
