#!/bin/sh
# Meanings of numbers go through every operation: random programs over tables with meanings against exact rationals
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
random integers 14
random folded 7
random deep 3
random long 4
random wide 2
random two 4
random one 4
random blocks 2
random left-out 4
random apart 6
random rows 4
random filled 4

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

# Reasons say what people wrote, and not the integers that are stored for it.
printf 'kg,day,ward\n0.5,2024-01-03,er\n-2,2024-02-01,icu\n' >m.csv
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 m.csv m.heb --scale kg=10 --category ward=icu,er \
    --range kg=-3..3,day=2024-01-01..2024-03-01
reason() { # WORDS TEXT
    expect 64 "$HEBATCH" eval --keys keys "y = $2" m=m.heb y=refused.heb
    complains "$1"
}
reason "no value is in group 1, or in part of it: they are -3 .. 3" "histogram(m.kg, 4..9)"
reason "no value is in group 1, or in part of it: they are '2024-01-01' .. '2024-03-01'" "groupby(m.day, '2023-01-01', sum(m.kg))"
reason "this is 'er' whatever is encrypted" "where(m.kg < 4, 'er', m.ward)"
reason "this is '2024-01-05' whatever is encrypted" "where(m.kg < 4, '2024-01-05', m.day)"
reason "this is 2.5 whatever is encrypted" "where(m.kg < 4, 2.5, m.kg)"
reason "values -243 .. 243 with 5 digits behind the point are too many" "abs(m.kg^5)"
reason "the values of key 1 are -27 .. 27 with 3 digits behind the point" "groupby(m.kg^3, sum(m.kg))"
refuse 65 "the values can be -2700000 .. 2700000 with 3 digits behind the point.* there are -83886.08" \
    "$HEBATCH" eval --keys keys 'y = 100000*m.kg^3' m=m.heb y=refused.heb
refuse 65 "column 'day' lie in 2024-01-01..2024-03-01: none of them is in 2020-01-01..2020-01-05" \
    "$HEBATCH" eval --keys keys 'y = m.day' m=m.heb y=refused.heb --range m.day=2020-01-01..2020-01-05

# Lists pair column by column: a truth value stays one beside decimals. Names are those of both sides, whatever ranges
# say of the condition.
printf 'on,ok,kg,n\ntrue,false,1.50,3\nfalse,true,2.25,4\n' >k.csv
rm -rf k.heb
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 k.csv k.heb --scale kg=100 --range kg=0..5,n=0..9
result 'where(k.on, (k.on, k.kg), (k.ok, k.n))' column1,column2 true,1.5 true,4
result 'where(k.on, (k.on, k.n), (k.ok, k.kg))' column1,column2 true,3 true,2.25
result 'where(k.n < 10, (k.on, k.n), (k.ok, k.kg))' column1,column2 true,3 false,4
result 'where(k.ok, (k.on, k.kg), (k.on, k.n))' column1,column2 true,3 false,2.25
result '(k.n, k.kg) + (k.n, k.n)' column1,column2 6,4.5 8,6.25
