#!/bin/sh
# The same of reals: random programs over tables with meanings, whose errors are within what the plan proves, and nearly
# all within a bit of what it expects (tests/random); and programs that were refused once.
# Arguments: how many times as many programs, and a seed.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
programs=$(cd "${forge%/*}/../random" && pwd)/run.py
times=${1:-1} seed=${2:-1}
export HEBATCH
"$PYTHON" "$programs" reals --count $((8 * times)) --seed "$seed" --batch 8 --hand 13 >out 2>err || fail "reals"
tail -n 2 out
"$PYTHON" "$programs" folded-reals --count $((3 * times)) --seed "$seed" --batch 3 >out 2>err || fail "folded-reals"
tail -n 2 out
for setup in packed boot; do # rows within slots; where levels run out
    "$PYTHON" "$programs" $setup --count $((3 * times)) --seed "$seed" --batch 3 --hand 5 >out 2>err || fail "$setup"
    tail -n 2 out
done

# A chosen value lies between the two, so a choice of two truth values is one, and is a condition.
printf 'a,on,off\n0.5,true,false\n2.5,false,true\n1,true,true\n' >x.csv
expect 0 "$HEBATCH" keygen --n 2048 --levels 16 --scale-bits 45 --special-primes 3 --insecure --out keys --relin
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 x.csv x.heb --range a=0..4
expect 0 "$HEBATCH" eval --keys keys "y = where(where(x.a < 1.5, x.on, x.off), x.a, 3)" x=x.heb y=y.heb --json
"$PYTHON" -c 'import json
low, high = json.load(open("y.heb.report.json"))["precision_bits"][0]["values"]
assert -0.01 < low <= 0 and 4 <= high < 4.01, (low, high)' || fail "the range of what is chosen"
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y.csv
"$PYTHON" -c '
values = [float(line) for line in open("y.csv").read().split()[1:]]
assert all(abs(v - w) < 1e-3 for v, w in zip(values, (0.5, 2.5, 1))), values' || fail "not what was chosen"

# Constants are of any size where ranges tell what a condition comes to: a number, with a warning. Alone it is
# approximated as any.
settled() { # WARNING TEXT VALUE...
    expect 0 "$HEBATCH" eval --keys keys "y = $2" x=x.heb y=y.heb --force
    [ -z "$1" ] || complains "$1"
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y.csv --force
    shift 2
    "$PYTHON" -c 'import sys
values = [float(line) for line in open("y.csv").read().split()[1:]]
assert len(values) == 3 and all(abs(v - float(w)) < 1e-3 for v, w in zip(values, sys.argv[1:])), values' "$@" ||
        fail "not what ranges tell"
}
settled "'x.a < 5000000000' is always true" 'where(x.a < 5000000000, x.a, 7e9)' 0.5 2.5 1
settled "'-5e22 > x.a' is never true" 'where(-5e22 > x.a, 7e9, x.a)' 0.5 2.5 1
settled "is always true" 'where(x.a between -1e12 and 10000000000000000000000, x.a, x.a + 1)' 0.5 2.5 1
settled "'x.a >= 1e300' is never true" 'where(x.a >= 1e300 or x.a < 2, x.a, 3)' 0.5 3 1
settled "" 'x.a < 5000000000' 1 1 1
settled "" 'x.a >= 5000000000' 0 0 0
settled "" 'max(-1e12, min(x.a, 1e12))' 0.5 2.5 1
refuse 65 "numbers that are added are" "$HEBATCH" eval --keys keys 'y = x.a^2 - 1e12 < 3' x=x.heb y=refused.heb

# Labels and truth values have the range of their meaning: that of the cells would tell of them, and here say all.
printf 'on,ward\ntrue,lab\n' >u.csv
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 u.csv u.heb --category ward=icu,er,lab
expect 0 "$HEBATCH" info u.heb
grep -q "'on': values 0..1, true or false" out || fail "the range of truth values"
grep -q "'ward': values 0..2, 3 labels" out || fail "the range of labels"
expect 0 "$HEBATCH" keygen --key keys/secret.h5 --rotations sum
expect 0 "$HEBATCH" eval --keys keys "g = groupby(u.ward, sum(x.a), count(u.on))" x=x.heb u=u.heb g=g.heb
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 g.heb g.csv
"$PYTHON" -c '
groups = [line.split(",") for line in open("g.csv").read().split()[1:]]
assert [g[0] for g in groups] == ["icu", "er", "lab"], groups
sums = [float(v) for g in groups for v in g[1:]]
assert all(abs(v - w) < 1e-2 for v, w in zip(sums, (0, 0, 0, 0, 4, 3))), sums' || fail "groups of a table of one row"
refuse 65 "none of them is in" "$HEBATCH" encrypt --key keys/secret.h5 u.csv v.heb --category ward=icu,er,lab --range on=3..4

# keygen knows neither names of columns nor which names are plain tables.
printf 'k,l\n1,0\n2,0\n1,1\n' >w.csv
for text in 'y = (x.on, x.on)' 'y = groupby((w.k, w.l), sum(x.a), count())'; do
    expect 0 "$HEBATCH" keygen --n 2048 --levels 16 --scale-bits 45 --special-primes 3 --insecure --out made --for "$text"
    rm -rf keys
    mv made keys
    expect 0 "$HEBATCH" encrypt --key keys/secret.h5 x.csv x.heb --range a=0..4 --force
    plain=
    case $text in *w.*) plain=w=w.csv ;; esac
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" eval --keys keys "$text" x=x.heb $plain y=y.heb --force
done

# A plain table of one row stands in every slot beside a total: elsewhere polynomials are far off their interval.
printf 'c\n19752\n' >c.csv
printf 's\n19751\n' >s.csv
expect 0 "$HEBATCH" keygen --key keys/secret.h5 --relin --rotations sum
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 c.csv c.heb --range c=19733..19773
for text in 'c.c < s.s' 's.s >= c.c + 1'; do
    expect 0 "$HEBATCH" eval --keys keys "y = where($text, x.a, x.a - 1)" x=x.heb c=c.heb s=s.csv y=y.heb --force
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y.csv --force
    "$PYTHON" -c '
values = [float(line) for line in open("y.csv").read().split()[1:]]
assert all(abs(v - w) < 1e-2 for v, w in zip(values, (-0.5, 1.5, 0))), values' || fail "a total beside a plain row"
done
