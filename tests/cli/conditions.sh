#!/bin/sh
# Comparisons and choices of integers, whole numbers and digits, against the same in Python, all of one table in one
# command; what is refused; the t that params suggest finds for them.
. "$(dirname "$0")/harness.sh"

cat >check.py <<'PYTHON'
"""table: writes p.csv; expressions: prints the program; check: holds y.csv to what it should be."""
import random, sys

random.seed(3)
near = [0, 65535, 4096, 4659, 4660, 4661]
rows = []
for i in range(300):
    a = random.choice(near) if i % 3 == 0 else random.randrange(1 << 16)
    b = a if i % 5 == 0 else min(65535, a + 1) if i % 5 == 1 else random.choice(near + [random.randrange(1 << 16)])
    rows.append([random.randrange(16), random.randrange(16), random.randrange(-8, 8), a, b])

tests = [
    ("p.x == 3", lambda x, y, z, a, b: x == 3),
    ("p.x != p.y", lambda x, y, z, a, b: x != y),
    ("p.x < 12", lambda x, y, z, a, b: x < 12),
    ("7 < p.x", lambda x, y, z, a, b: 7 < x),
    ("p.x <= p.y", lambda x, y, z, a, b: x <= y),
    ("p.x > p.z", lambda x, y, z, a, b: x > z),
    ("p.z < p.x and not p.y == 2 or p.x in (1, 5..7)", lambda x, y, z, a, b: (z < x and y != 2) or x in (1, 5, 6, 7)),
    ("p.z not between -3 and 2", lambda x, y, z, a, b: not -3 <= z <= 2),
    ("lookup(p.z, -8:5, 0..3:-7, 6:100, 0)", lambda x, y, z, a, b: 5 if z == -8 else -7 if 0 <= z <= 3 else 100 if z == 6 else 0),
    ("lookup(p.y, prices)", lambda x, y, z, a, b: y * y + 1),
    ("where(p.x < p.y, p.x, p.z)", lambda x, y, z, a, b: x if x < y else z),
    ("max(p.x, p.z)", lambda x, y, z, a, b: max(x, z)),
    ("max(p.x, p.x + 4)", lambda x, y, z, a, b: x + 4),
    ("min(3 + p.z, p.z + 1)", lambda x, y, z, a, b: z + 1),
    ("min(p.z, 3)", lambda x, y, z, a, b: min(z, 3)),
    ("abs(p.x - p.y)", lambda x, y, z, a, b: abs(x - y)),
    ("a < b", lambda x, y, z, a, b: a < b),
    ("a <= b and a != 4660", lambda x, y, z, a, b: a <= b and a != 4660),
    ("a between 4096 and 4660", lambda x, y, z, a, b: 4096 <= a <= 4660),
    ("b in (0, 65535, 4660..9000)", lambda x, y, z, a, b: b in (0, 65535) or 4660 <= b <= 9000),
    ("b >= 4096", lambda x, y, z, a, b: b >= 4096),
    ("p.x < 12 and p.y < 14 and p.x != p.y and not p.z == 3 and p.z != 1 or p.z == 7 or p.z == 6",
     lambda x, y, z, a, b: x < 12 and y < 14 and x != y and z not in (1, 3) or z in (6, 7)),
]
digits = lambda n: [n >> 12, n >> 8 & 15, n >> 4 & 15, n & 15]
if sys.argv[1] == "table":
    print("x,y,z,a3,a2,a1,a0,b3,b2,b1,b0")
    for x, y, z, a, b in rows:
        print(*([x, y, z] + digits(a) + digits(b)), sep=",")
elif sys.argv[1] == "expressions":
    print("a = digits(16, p.a3, p.a2, p.a1, p.a0); b = digits(16, p.b3, p.b2, p.b1, p.b0)")
    print("y = cols(onehot(p.x, 0..15), %s)" % ", ".join(text for text, value in tests))
else:
    lines = open("y.csv").read().splitlines()[1:]
    assert len(lines) == len(rows)
    for line, row in zip(lines, rows):
        words = [int(word) for word in line.split(",")]
        assert words[:16] == [int(row[0] == i) for i in range(16)], (words, row)
        for (text, value), word in zip(tests, words[16:]):
            assert word == int(value(*row)), (text, row, word)
PYTHON

"$PYTHON" check.py table >p.csv
expression=$("$PYTHON" check.py expressions)
awk 'BEGIN { print "price"; for (i = 0; i < 16; i++) print i * i + 1 }' >prices.csv
nibbles=$(for c in x y a3 a2 a1 a0 b3 b2 b1 b0; do printf 'p.%s=0..15,' $c; done)
bits=50,50,50,50,50,50,50,50,50,50,50,50,50
expect 0 "$HEBATCH" keygen --n 1024 --bits $bits --plain 65537 --insecure --out keys --for "$expression"
expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 p.csv p.heb
expect 0 "$HEBATCH" eval --quiet --keys keys "$expression" p=p.heb prices=prices.csv y=y.heb --range "${nibbles}p.z=-8..7"
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 y.heb y.csv
"$PYTHON" check.py check || fail "the results differ"

refused() { # WORDS EXPRESSION
    refuse 64 "$1" "$HEBATCH" eval --keys keys "$2" p=p.heb y=bad.heb --range "${nibbles}p.z=-8..7"
}
while read -r outcome condition; do
    refused "this is [01] whatever is encrypted, and everyone could read .*' is $outcome true" "y = $condition"
done <<'END'
never p.x > 15
never p.x > 100
never p.x >= 16
always p.x >= 0
always p.x > -1
never p.x < 0
always p.x < 100
always p.x <= 15
never p.x <= -1
never 100 < p.x
always 100 > p.x
never p.x == 100
always p.x != 100
always 100 != p.x
never p.x in (16..20, 30)
always p.x in (0..7, 8..15)
never p.x between 16 and 20
always p.x between 0 and 15
never not p.x > 15
always not p.x != 100
always not p.x between 0 and 15
never digits(16, p.a3, p.a2) < 0
always digits(16, p.a3, p.a2) >= 0
never digits(16, p.a3, p.a2) > 256
always digits(16, p.a3, p.a2) != 1000
always p.x < 16
never p.x == 16
always p.z in (-100..100)
always p.x < 12 or p.x > 9
never p.x < 9 and p.x > 12
always p.x < p.y or p.y <= p.x
always p.x in (0..7, 12) or p.x between 8 and 11 or not p.x < 13
never p.x < 4 and (p.x == 7 or p.x > 8)
END
refused "this is 1 whatever is encrypted" "y = lookup(p.x, 0..20:1)"
# A value without an entry would be a 0 in every sum.
lacks() { # WORDS EXPRESSION
    refuse 65 "$1" "$HEBATCH" eval --keys keys "$2" p=p.heb y=bad.heb --range "${nibbles}p.z=-8..7"
}
lacks "no entry for 3 values that the column may have (13, 14, 15): add .*, as in lookup(p.x, 0..12:1, 0)$" \
    "y = lookup(p.x, 0..12:1)"
lacks "no entry for 14 values that the column may have (-7, -6, -5, ..)" "y = lookup(p.z, -8:1, 7:2)"
refused "this is 17 whatever is encrypted" "y = max(p.x, 17)"
# Aggregates of no rows: a sum is 0, and there is no mean.
expect 0 "$HEBATCH" keygen --quiet --key keys/secret.h5 --swap --rotations sum
expect 0 "$HEBATCH" eval --keys keys "m = mean(p.x where p.x > 20); s = sum(p.x where p.x > 20)" p=p.heb m=m.heb s=s.heb \
    --range "${nibbles}p.z=-8..7" --force
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 m.heb -
[ "$(sed 1d out)" = '""' ] || fail "a mean of no rows"
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 s.heb -
[ "$(sed 1d out)" = 0 ] || fail "a sum of no rows"
# A count by itself, and groups and rows of a selection that is empty.
while read -r shown expression; do
    expect 0 "$HEBATCH" eval --keys keys "y = $expression" p=p.heb y=none.heb --range "${nibbles}p.z=-8..7" \
        --force
    expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 none.heb -
    [ "$(sed 1d out | tr '\n' ' ')" = "$(echo "$shown" | tr ';' '\n' | tr '\n' ' ')" ] || fail "$expression: $(cat out)"
done <<'END'
0 count(p.x > 20)
300 count(p.x < 20)
0,300 (count(p.x > 20), count(p.x < 20))
0..7,0;8..15,0 histogram(p.x where p.x > 20, 0..7, 8..15)
4,0,0,,;7,0,0,, groupby(p.x where p.y > 20, 4, 7, count(), sum(p.z), mean(p.z), var(p.x))
0,0;1,0 groupby(p.x < 3 where p.y between 20 and 30, count(p.y > 2))
END
# Groups that a plain table tells apart have no such rows either, nor have its own values.
awk 'BEGIN { print "k,cost"; for (i = 0; i < 300; i++) print i % 2 "," i }' >kinds.csv
expect 0 "$HEBATCH" eval --keys keys "y = groupby(w.k, sum(w.cost where p.x > 20), mean(w.cost where p.x > 20), sum(p.y))" \
    p=p.heb w=kinds.csv y=none.heb --range "${nibbles}p.z=-8..7" --force
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 none.heb -
[ "$(sed 1d out | cut -d , -f 1-3 | tr '\n' ' ')" = "0,0, 1,0, " ] || fail "plain values of no rows: $(cat out)"
expect 0 "$HEBATCH" eval --keys keys "y = groupby(w.k where p.x > 20, count(), sum(w.cost), mean(w.cost), sum(p.y))" \
    p=p.heb w=kinds.csv y=none.heb --range "${nibbles}p.z=-8..7" --force
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 none.heb -
[ "$(sed 1d out | tr '\n' ' ')" = "0,0,0,,0 1,0,0,,0 " ] || fail "plain groups of no rows: $(cat out)"
expect 0 "$HEBATCH" eval --keys keys "y = fetch((p.x, p.y) where p.x > 20, 3)" p=p.heb y=none.heb \
    --range "${nibbles}p.z=-8..7" --force
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 none.heb -
[ "$(cat out)" = x,y ] || fail "rows of no rows: $(cat out)"

# A condition that is the same in every row is a number: the rest is computed, and a notice names the condition.
settled="p.x < 12 or p.x > 9"
expect 0 "$HEBATCH" eval --keys keys "t = $settled; y = (where(t, p.x, p.y), where(not t, p.x, p.z + 1), p.x < 3 and t,
    max(p.x, p.x + 4), min(p.z, p.x + 40), abs(p.x + 1), max(p.x, 20) - p.x, where(p.x < 3, p.z, p.z + 5), p.x - p.x + p.y)" \
    p=p.heb y=settled.heb --range "${nibbles}p.z=-8..7"
complains "'p.x < 12 or p.x > 9' is always true (line 1, character 14), as far as ranges are known"
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 settled.heb settled.csv
"$PYTHON" - <<'PYTHON' || fail "what is the same in every row changed a result"
rows = [[int(v) for v in line.split(",")] for line in open("p.csv").read().splitlines()[1:]]
lines = open("settled.csv").read().splitlines()[1:]
assert len(rows) == len(lines)
for line, (x, y, z, *_) in zip(lines, rows):
    wanted = [x, z + 1, int(x < 3), x + 4, z, x + 1, 20 - x, z if x < 3 else z + 5, y]
    assert [int(v) for v in line.split(",")] == wanted, (line, wanted)
PYTHON
# A plain condition takes no number in the place of a ciphertext: both sides are multiplied.
"$PYTHON" - >odd.csv <<'PYTHON'
rows = [line.split(",") for line in open("p.csv").read().splitlines()[1:]]
print("odd", *[int(row[0]) % 2 for row in rows], sep="\n")
PYTHON
expect 0 "$HEBATCH" eval --keys keys "y = where(o.odd == 1, p.x, p.x + 2)" p=p.heb o=odd.csv y=odd.heb --range "${nibbles}p.z=-8..7"
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 odd.heb odd_y.csv
"$PYTHON" - <<'PYTHON' || fail "where of a plain condition and two values that differ by a number is wrong"
rows = [int(line.split(",")[0]) for line in open("p.csv").read().splitlines()[1:]]
assert [int(v) for v in open("odd_y.csv").read().splitlines()[1:]] == [x if x % 2 else x + 2 for x in rows]
PYTHON
refused "or takes conditions, which are 0 or 1, and the values here are 0 .. 15" "y = p.x or p.y == 3"
refused "'f' " "y = p.x == 'f'"
refused "digits can only be compared; to compute with the number, write base\*high + low" "y = sum(digits(16, p.a3, p.a2))"
refused "digits are compared with as many digits of the same base" "y = digits(16, p.a3, p.a2) < p.x"
refused "a range goes from its least to its most" "y = p.x in (5..3)"
refuse 65 "values -100000 .. 15 are more than t = 65537 tells apart" \
    "$HEBATCH" eval --keys keys "y = p.x < p.y" p=p.heb y=bad.heb --range p.x=0..15,p.y=0..100000 # not true
refuse 64 "the range of p.x is not known, .* --range 'p.x=LEAST..MOST'" "$HEBATCH" eval --keys keys "y = p.x < 3" p=p.heb y=bad.heb
expect 0 "$HEBATCH" eval --keys keys "y = p.x == 3" p=p.heb y=fermat.heb # whatever they are
complains "16 products of ciphertexts one after another, 16 in all"
four="p.x == 1 or p.x == 2 or p.x == 3 or p.x == 4"
expect 0 "$HEBATCH" eval --dry-run --keys keys "y = $four" p=p.heb y=four.heb --range p.x=0..15 # two of two
says "6 products of ciphertexts one after another, 14 in all"
expect 0 "$HEBATCH" eval --dry-run --keys keys "y = p.x == 5 or not ($four) or p.y == 1 or p.y == 2" p=p.heb y=four.heb \
    --range p.x=0..15,p.y=0..15
says "7 products of ciphertexts one after another"

expect 0 "$HEBATCH" params suggest "y = p.x < p.y" --rows 1000 --range p.x=0..9,p.y=0..9 --quiet
says "^hebatch keygen --n 16384 .* --plain 65537 "
expect 0 "$HEBATCH" params suggest "y = p.x == p.y" --rows 1000 --range p.x=0..9,p.y=0..9 --plain 786433 --quiet
says "^hebatch keygen --n .* --plain 786433 "
refuse 65 "the values of the tables need a t of 70001 or more" \
    "$HEBATCH" params suggest "y = p.x < 40000" --rows 10 --range p.x=0..70000 --plain 65537
exit 0
