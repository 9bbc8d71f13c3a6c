#!/bin/sh
# A dataset of one row in aggregates: beside rows it stands in every one of them, and by itself it is one row.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
printf 'a,ward,on\n2,0,no\n1,0,no\n3,1,yes\n5,1,yes\n' >x.csv
printf 'c,g\n4,-2\n' >u.csv
printf 'n\n1\n0\n1\n0\n' >w.csv
printf 's\n3\n' >o.csv
ranges='a=0..6,ward=0..1'

# result TEXT LINE...: what decrypts of y = TEXT, to three digits behind the point; -0 is 0.
result() {
    files=x=x.heb
    case $1 in *u.*) files="$files u=u.heb" ;; esac
    case $1 in *w.*) files="$files w=w.csv" ;; esac
    case $1 in *o.*) files="$files o=o.csv" ;; esac
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" eval --keys keys "$1" $files y=y.heb --force
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb - --quiet
    shift
    printf '%s\n' "$@" >wanted
    sed 1d out | tr -d '"' | awk -F, '{ for (i = 1; i <= NF; i++) { v = $i == "" ? "" : sprintf("%.3f", $i) + 0
        printf "%s%s", (i > 1 ? "," : ""), (v == "" ? "" : v + 0) } print "" }' | cmp - wanted ||
        fail "not what was wanted"
}

results() {
    result 'y = sum(x.a where u.c > 1)' 11
    result 'y = sum(x.a where u.c < 1)' 0
    result 'y = mean(x.a where u.c > 1)' 2.75
    result 'y = sum(u.c where x.on)' 8
    result 'y = mean(u.c where x.on)' 4
    result 'y = var(x.a*u.c where x.on)' 32
    result 'y = var(u.c where x.a < 99)' 0
    # The number of rows is known before a dataset is met.
    result 'y = count() - x.a' 2 3 1 -1
    result 'y = square(count()) + x.a' 18 17 19 21
    result 'y = count()*sum(x.a)' 44
    result 'y = (count(), sum(count()*x.a))' 4,44
    result 'y = (var(sum(x.a) where x.a < 99), mean(u.c where x.a < 99), sum(u.c where x.a < 99))' 0,4,16
    result 'y = groupby(x.ward, sum(u.c), mean(u.g), count())' 0,8,-2,2 1,8,-2,2
    result 'y = groupby(x.ward, sum(x.a where u.c > 1), count(u.g < 0))' 0,3,2 1,8,2
    result 'y = groupby(x.ward where u.c > 1, sum(x.a))' 0,3 1,8
    result 'y = groupby(u.c, 3..4, sum(x.a), count())' 3,0,0 4,11,4
    result 'y = groupby(x.ward, mean(sum(x.a)))' 0,11 1,11
    result 'y = sum(sum(x.a) where x.on)' 22
    # One beside a plain one is the same in every slot, as functions of it need.
    result 'y = where(u.c >= o.s, x.a, x.ward)' 2 1 3 5
    result 'z = sum(x.a); y = where(u.c - o.s > u.g, o.s*u.c, 7)' 12
    # By itself it is one row, also where the command has others.
    result 'z = sum(x.a); y = mean(u.c)' 4
    result 'z = sum(x.a); y = count(u.c > 1)' 1
    result 'z = sum(x.a); y = var(u.c)' ''
    result 'z = sum(x.a); y = sum(u.c where u.g < 0)' 4
    result 'z = sum(x.a); y = (mean(u.c where u.g < 0), mean(x.a), count(u.c < 99))' 4,2.75,1
    result 'z = sum(x.a); y = groupby(u.c, 3..4, sum(u.g), count())' 3,0,0 4,-2,1
    result 'z = sum(x.a); y = (sum(u.c where w.n), mean(u.c where w.n), sum(x.a where w.n))' 8,4,5
    result 'y = groupby(u.c where w.n, 3..4, sum(x.a))' 3,0 4,5
    result 'y = groupby(w.n, sum(u.c), mean(x.a))' 0,8,3 1,8,2.5
}

expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,50,50,50,50,50,50,50 --plain 167772161 --insecure --out keys --relin \
    --swap --rotations sum
expect 0 "$HEBATCH" encrypt --key keys/public.h5 x.csv x.heb --range $ranges
expect 0 "$HEBATCH" encrypt --key keys/public.h5 u.csv u.heb --range c=0..6,g=-3..3
results
result 'z = sum(x.a); y = histogram(u.c, 0..3, 4)' 0,0 4,1
result 'y = fetch((x.a, x.ward) where u.c > 1, 4)' 1,0 2,0 3,1 5,1
result 'y = fetch((x.a, u.c*x.ward) where x.on, 4)' 3,4 5,4
result 'z = sum(x.a); y = fetch((u.c, u.g) where u.c > 1, 2)' 4,-2
# The keys that --for makes are enough.
text='y = groupby(x.ward, sum(x.a where u.c > 1), mean(u.g))'
expect 0 "$HEBATCH" keygen --out made --n 1024 --bits 50,50,50,50,50,50,50,50,50,50 --plain 167772161 \
    --insecure --for "$text" --one-row u
rm -rf keys
mv made keys
expect 0 "$HEBATCH" encrypt --key keys/public.h5 x.csv x.heb --range $ranges --force
expect 0 "$HEBATCH" encrypt --key keys/public.h5 u.csv u.heb --range c=0..6,g=-3..3 --force
result "$text" 0,3,-2 1,8,-2

# Which keys encrypted weights take does not depend on how many columns there are.
printf 'p,q\n2,-1\n' >W.csv
text='y = W @ (x.a, x.ward)'
rm -rf made
expect 0 "$HEBATCH" keygen --out made --n 1024 --bits 50,50,50,50,50,50,50,50,50,50 --plain 167772161 \
    --insecure --for "$text" --one-row W
expect 0 "$HEBATCH" encrypt --key made/public.h5 x.csv own.heb --range $ranges
expect 0 "$HEBATCH" encrypt --key made/public.h5 W.csv W.heb --range p=-9..9,q=-9..9
expect 0 "$HEBATCH" eval --keys made "$text" x=own.heb W=W.heb y=y.heb --force
expect 0 "$HEBATCH" decrypt --key made/secret.h5 y.heb - --quiet
"$PYTHON" -c 'import csv, sys
rows = list(csv.DictReader(open("x.csv")))
got = [int(r[0]) for r in list(csv.reader(sys.stdin))[1:]]
assert got == [2 * int(r["a"]) - int(r["ward"]) for r in rows], got' <out || fail "not the product with encrypted weights"

rm -rf keys ./*.heb
expect 0 "$HEBATCH" keygen --n 2048 --levels 24 --scale-bits 45 --special-primes 4 --insecure --relin --conj --rotations \
    sum --out keys
expect 0 "$HEBATCH" encrypt --key keys/public.h5 x.csv x.heb --range $ranges
expect 0 "$HEBATCH" encrypt --key keys/public.h5 u.csv u.heb --range c=0..6,g=-3..3
results
