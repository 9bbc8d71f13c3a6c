#!/bin/sh
# params suggest: the commands that it prints run as they stand, and it looks at what a question reads.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

for kind in integers plain missing reals ranges; do
    "$PYTHON" "${0%/*}/suggest_lines.py" $kind >out 2>err || fail "lines of $kind: $(tail -n 3 err)"
done

printf '%s\n' condition,age a,3 b,4 >clean.csv
printf '%s\n' age 3 4 >ages.csv
printf '%s\n' cost 9 8 >costs.csv
refuse 64 "the expression reads no a, but condition; if that is a column, write a.condition" \
    "$HEBATCH" params suggest 'g = groupby(condition, count())' --table a=clean.csv
refuse 64 "nosuch" "$HEBATCH" params suggest 's = sum(a.age)' --table a=clean.csv --columns age,nosuch
refuse 64 "no table has a column 'nosuch'" "$HEBATCH" params suggest 's = sum(a.age); t = sum(b.cost)' \
    --table a=ages.csv,b=costs.csv --columns age,cost,nosuch
expect 0 "$HEBATCH" params suggest 'y = sigmoid(x)' --scheme ckks --rows 9 --range x=-4..4 --precision 8
says "^hebatch encrypt --key KEYS/public.h5 x.csv x.heb --range -4..4$"
says "^hebatch eval --keys KEYS 'y = sigmoid(x)' x=x.heb y=y.heb --precision 8$"
# The expected bound, with bits in hand of drawn errors alone, never takes more than the proven one.
for question in 'y = max(a, b)' 'y = abs(a)'; do
    range=a=-1..1
    case $question in *b\)) range=a=-1..1,b=-1..1 ;; esac
    for noise in worst expected; do
        expect 0 "$HEBATCH" params suggest "$question" --scheme ckks --rows 9 --range "$range" --precision 7 \
            --noise $noise --json
        "$PYTHON" -c 'import json; s = json.load(open("out")); print(s["params"]["n"], s["chain_bits"])' >$noise
    done
    "$PYTHON" -c 'w, e = [tuple(map(int, open(f).read().split())) for f in ("worst", "expected")]; assert e <= w, (w, e)' ||
        fail "more is expected than proven of $question"
done

# A name that only other statements read is no result, as that of a number; and labels and truth values have the range of
# their meaning, also where the table does not have all of them: what is suggested is enough for eval.
printf '%s\n' age 30 66 71 >people.csv
printf '%s\n' ok,ward false,icu >one.csv
suggested() {
    question=$1 tables=$2 ranges=$3
    shift 3
    expect 0 "$HEBATCH" params suggest "$question" --table "$tables" --range "$ranges" "$@"
    rm -rf KEYS
    sed -n 's/^\(hebatch keygen .*\)$/\1/p' out | sed "s|^hebatch|\"$HEBATCH\"|" >made.sh
    grep -q keygen made.sh || fail "no keygen line for $question"
    sh -e made.sh >/dev/null 2>&1 || fail "keygen of $question"
}
suggested 'limit = 65; n = count(p.age > limit)' p=people.csv p.age=0..120
expect 0 "$HEBATCH" encrypt --key KEYS/public.h5 people.csv p.heb --range age=0..120
expect 0 "$HEBATCH" eval --keys KEYS 'limit = 65; n = count(p.age > limit)' p=p.heb n=n.heb --dry-run
refuse 64 "nothing encrypted is left" "$HEBATCH" params suggest 'limit = 65; y = p.age - p.age + limit' --table p=people.csv
printf '%s\n' on true false true >truths.csv
suggested 'n = count(u.ok == x.on)' u=one.csv,x=truths.csv u.ok=0..1 --one-row u --category ward
suggested 'n = count(u.ok == x.on)' u=one.csv,x=truths.csv x.on=0..1 --one-row u --category ward
expect 0 "$HEBATCH" encrypt --key KEYS/public.h5 truths.csv x.heb
expect 0 "$HEBATCH" encrypt --key KEYS/public.h5 one.csv u.heb --category ward
expect 0 "$HEBATCH" eval --keys KEYS 'n = count(u.ok == x.on)' u=u.heb x=x.heb n=n.heb --dry-run

# Plain tables that eval refuses are refused before there are keys, and a result that is too deep is named.
printf 'i\n1\n2\n3\n' >three.csv
refuse 64 "w has 3 rows, and x has 400; expected as many, or one row" "$HEBATCH" params suggest 'y = x.a*w.i' \
    --rows 400 --range x.a=0..9 --plain-table w=three.csv
expect 0 "$HEBATCH" params suggest 'y = x.a*sum(w.i)' --rows 400 --range x.a=0..9 --plain-table w=three.csv
refuse 65 "row [0-9].*, column 'i': the value is outside .*, which --range says of the column" \
    "$HEBATCH" params suggest 'y = x.a*w.i' --rows 3 \
    --range x.a=0..9,w.i=0..2 --plain-table w=three.csv
refuse 64 "two files of w" "$HEBATCH" params suggest 'y = x.a*w.i' --table w=three.csv --plain-table w=three.csv
refuse 64 "one-row and --fill are about datasets" "$HEBATCH" params suggest 'y = x.a*w.i' --rows 3 --range x.a=0..9 \
    --plain-table w=three.csv --one-row w

# Without --precision a count keeps bits of its own beside sums of thousands, and errors as large as one are told of.
"$PYTHON" -c 'import random
random.seed(3)
print("Station,Kosten,Alter")
for _ in range(60):
    print(random.choice("AB"), round(random.uniform(120, 12000), 2), random.randint(18, 95), sep=",")' >costs.csv
costs() {
    question=$1
    shift
    "$HEBATCH" params suggest "$question" --scheme ckks --table k=costs.csv "$@"
}
for noise in worst expected; do
    expect 0 costs 'g = groupby(k.Station, count(), mean(k.Kosten), sum(k.Kosten))' --category Station=A,B --noise $noise
    if grep -q "may be off" err; then fail "a warning of errors below one"; fi
    says "^hebatch eval .* --precision 4$"
done
expect 0 costs 's = sum(k.Kosten)'
complains "warning: s may be off by [1-9][0-9]*, of values up to 9.83e+05: --precision BITS asks for more"
expect 0 costs 's = sum(k.Kosten)' --precision 1
if grep -q "may be off" err; then fail "a warning of errors below one"; fi
# A result that is refused is named, and not the deepest one, which has parameters.
refuse 65 "hold g (character 1): .* 25 bits of precision; leave it out: .* a smaller --precision asks for less" costs \
    'g = groupby(k.Station, sum(k.Kosten)); x = (0.01 * k.Alter)^256' --category Station=A,B --range k.Alter=0..100 \
    --precision 25

# Groups of few rows: the errors of all slots are added up, so functions must be more right than they usually are; and
# some precisions need scales of two primes.
printf 'on,eur\ntrue,0.5\nfalse,1.25\ntrue,2\n' >few.csv
for precision in "" "--precision 6"; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" params suggest 'y = groupby(x.on, sum(x.eur))' --scheme ckks --table x=few.csv $precision
    says "^hebatch eval .* --precision [67]$"
done

# Parameters of random programs: the lines that are printed compute what is wanted (tests/random/suggest.py).
random=$(cd "${forge%/*}/../random" && pwd)
export HEBATCH
for programs in "shallow 4" "shallow-reals 1"; do
    # shellcheck disable=SC2086
    "$PYTHON" "$random/suggest.py" ${programs% *} --count "${programs#* }" >out 2>err ||
        fail "lines of random programs"
    tail -n 1 out
done
