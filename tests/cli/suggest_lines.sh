#!/bin/sh
# params suggest: the commands that it prints run as they stand, and it looks at what a question reads.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

for kind in integers missing reals; do
    "$PYTHON" "${0%/*}/suggest_lines.py" $kind >out 2>err || fail "lines of $kind: $(tail -n 3 err)"
done

printf '%s\n' condition,age a,3 b,4 >clean.csv
printf '%s\n' age 3 4 >ages.csv
printf '%s\n' cost 9 8 >costs.csv
refuse 64 "the expression reads no a, but condition; if that is a column of it, write a.condition" \
    "$HEBATCH" params suggest 'g = groupby(condition, count())' --table a=clean.csv
refuse 64 "nosuch" "$HEBATCH" params suggest 's = sum(a.age)' --table a=clean.csv --columns age,nosuch
refuse 64 "no table has a column 'nosuch'" "$HEBATCH" params suggest 's = sum(a.age); t = sum(b.cost)' \
    --table a=ages.csv,b=costs.csv --columns age,cost,nosuch
expect 0 "$HEBATCH" params suggest 'y = sigmoid(x)' --scheme ckks --rows 9 --range x=-4..4 --precision 8
says "^hebatch encrypt --key KEYS/public.h5 x.csv x.heb --range -4..4$"
says "^hebatch eval --keys KEYS 'y = sigmoid(x)' x=x.heb y=y.heb --precision 8$"
# What is expected, with bits in hand of what is drawn alone, never takes more than what is proven.
for question in 'y = max(a, b)' 'y = min(a, b)' 'y = relu(a)' 'y = abs(a)'; do
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
