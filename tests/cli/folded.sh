#!/bin/sh
# Values that are the same in every row, whatever the cells are, in all places: they are computed with, beside plain
# tables as well, and refused where nothing else is left.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
printf 'a,ward,id,on\n2,0,7,no\n1,0,9,no\n3,1,4,yes\n5,1,6,yes\n' >x.csv
printf 'n,k\n2,0\n-3,1\n1,0\n3,1\n' >w.csv
printf 's\n3\n' >o.csv
printf 'c\n4\n' >u.csv
ranges='a=0..6,ward=0..1,id=1..9'
four='(max(x.a, x.a + 4) - x.a)'

evaluate() { # STATUS TEXT
    files=x=x.heb
    case $2 in *w.*) files="$files w=w.csv" ;; esac
    case $2 in *o.*) files="$files o=o.csv" ;; esac
    case $2 in *u.*) files="$files u=u.heb" ;; esac
    # shellcheck disable=SC2086
    expect "$1" "$HEBATCH" eval --keys keys "$2" $files y=y.heb --force
}

# result TEXT LINE...: what decrypts of y = TEXT, to three digits behind the point.
result() {
    evaluate 0 "y = $1"
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb - --quiet
    shift
    printf '%s\n' "$@" >wanted
    sed 1d out | awk -F, '{ for (i = 1; i <= NF; i++) { v = $i == "" ? "" : sprintf("%.3f", $i) + 0
        printf "%s%s", (i > 1 ? "," : ""), (v == "" ? "" : v + 0) } print "" }' | cmp - wanted ||
        fail "not what was wanted"
}

# nothing TEXT WORDS: of y = TEXT nothing encrypted is left.
nothing() {
    evaluate 64 "y = $1"
    complains "$2"
}

results() {
    # Beside plain tables.
    result "w.n*$four + x.a" 10 -11 7 17
    result "x.a*(w.n - $four)" -4 -7 -9 -5
    result "($four - w.n + x.a - w.n*$four)*x.a" -8 20 6 -30
    result "(x.a + w.n - x.a)*x.a" 4 -3 3 15
    result "where(w.n > 0, $four, 2) + x.a" 6 3 7 9
    result "where(x.a < 99, w.n, x.a)*x.a" 4 -3 3 15
    result "sum(w.n*$four)*x.a" 24 12 36 60
    result "sum($four)*o.s + sum(x.a)" 59
    result "sum($four where w.n > 0) + x.a" 14 13 15 17
    result "rotate($four, 1) + x.a" 6 5 7 5
    # In aggregates.
    result "groupby(x.ward, sum($four), mean($four), var($four))" 0,8,4,0 1,8,4,0
    result "groupby($four, sum(x.a), count())" 4,11,4
    result "groupby((w.k, $four), sum(x.a), count())" 0,4,5,2 1,4,6,2
    result "groupby(x.ward where x.a < 99, sum(x.a))" 0,3 1,8
    result "groupby(x.ward, sum(x.a), count(x.a > 99), count(x.a < 99))" 0,3,0,2 1,8,0,2
    result "(sum(x.a), count(x.a > 99), count(x.a < 99))" 11,0,4
    result "count(x.a < 99)*x.a + count()" 12 8 16 24
    result "x.a + count(w.n > 0)" 5 4 6 8
    result "groupby(x.ward, count(x.a > 99 where x.on), sum(x.a))" 0,0,3 1,0,8
    result "groupby(x.ward, sum(count(x.a < 99)), mean(count(x.a < 99)), sum(x.a))" 0,8,4,3 1,8,4,8
    # Numbers of rows beside decimals, which are held times a power of ten.
    result "3*count() - 0.5*x.a" 11 11.5 10.5 9.5
    result "(count() > 0) + 0.5*x.a" 2 1.5 2.5 3.5
    result "where(count() > 3, 7, 8)*0.5 + (0.5*x.a - count())" 0.5 0 1 2
    result "(sum(x.a), count(x.a > 99 where w.n > 0))" 11,0
    result "sum(u.c - u.c + w.n) + x.a" 5 4 6 8
    nothing "w.n*$four" "nothing encrypted is left here: everyone could read the result"
    nothing "(x.a, w.n*$four)" "nothing encrypted is left here"
    nothing "(w.n*$four - w.n*$four)" "this is 0 whatever is encrypted"
    nothing "x.a + w.n - x.a" "nothing encrypted is left here"
    nothing "groupby(w.k, sum($four))" "nothing encrypted is left here"
    nothing "groupby($four, count())" "nothing of these groups is encrypted"
    nothing "histogram($four)" "nothing of these groups is encrypted"
}

expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,50,50,50,50,50,50,50 --plain 65537 --insecure --out keys --relin \
    --swap --rotations sum,1
expect 0 "$HEBATCH" encrypt --key keys/public.h5 x.csv x.heb --range $ranges
expect 0 "$HEBATCH" encrypt --key keys/public.h5 u.csv u.heb --range c=0..9
results
result "groupby((x.ward, $four), sum(x.a), count())" 0,4,3,2 1,4,8,2
# A number of rows is what an entry gives, at the scale of the other entries.
result 'lookup(x.ward, 0:count(), 1:-0.25*count())' 4 4 -1 -1
result 'lookup(x.a, 2:0.5, 3..6:where(count() > 2, -1.75, 59), 1:(count() < 3), -0.25)' 0.5 0 -1.75 -1.75
nothing 'lookup(x.ward, 0:count(x.a > 2))' "entries, as 1:10, are of constants"
# Exact, mod t.
result "groupby(x.ward, sum($four - 9))" 0,-10 1,-10
result "(w.n > $four - 3)*x.a" 2 0 0 5
result "histogram(x.a where x.a < 99, 0..2, 3..6)" 0,2 3,2
evaluate 65 "y = x.a + sum($four)*65000"
complains "values can be 1040000 .. 1040006"
# Rows of which everybody knows how many they are.
result 'fetch((x.id, x.a) where x.a < 99, 5)' 4,3 6,5 7,2 9,1
result 'fetch((x.id, x.a) where w.n > 0, 3)' 4,3 6,5 7,2
result 'fetch(x.id where o.s == 3, 4)' 4 6 7 9
nothing 'fetch(x.id where w.n > 0, 2)' "the condition selects 3 rows, as everybody knows, and 2 are fetched at most"
evaluate 0 'y = fetch(x.id where x.a > 99, 2)'
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb - --quiet
[ "$(cat out)" = id ] || fail "rows where there are none: $(cat out)"

rm -rf keys ./*.heb
expect 0 "$HEBATCH" keygen --n 2048 --levels 24 --scale-bits 45 --special-primes 4 --insecure --relin --conj --rotations \
    sum,1 --out keys
expect 0 "$HEBATCH" encrypt --key keys/public.h5 x.csv x.heb --range $ranges
expect 0 "$HEBATCH" encrypt --key keys/public.h5 u.csv u.heb --range c=0..9
results
# Functions of such numbers are numbers.
result "x.a / $four" 0.5 0.25 0.75 1.25
result "sigmoid($four - 4)*x.a" 1 0.5 1.5 2.5
result "relu((x.a - x.a - 2, x.a)) + x.a" 2,4 1,2 3,6 5,10
# Which of two is larger is known behind roundings as well, and no sign is approximated for it.
result 'max(0.5*x.a, 0.5*x.a + 2)' 3 2.5 3.5 4.5
result 'min(x.a*x.a/4, x.a^2/4 + 2)' 1 0.25 2.25 6.25
result 'max(0.5*x.a + 0.25*x.ward, 0.25*x.ward + 0.5*x.a - 1)' 1 0.5 1.75 2.75
expect 0 "$HEBATCH" eval --keys keys 'y = min(0.5*x.a, 0.5*x.a + 2)' x=x.heb y=y.heb --force --dry-run
grep -q "sign on" err out && fail "a sign is approximated"
exit 0
