#!/bin/sh
# Scales of two primes a level: tables that come back as they were, results as good as doubles, and what else knows of
# levels.
. "$(dirname "$0")/harness.sh"
# Results are computed with further, or compared word by word.
export HEBATCH_COMPACT=off

expect 0 "$HEBATCH" keygen --scheme ckks --n 16384 --levels 2 --scale-bits 80 --out keys --relin --rotations 1,sum
key=keys/secret.h5
"$PYTHON" - <<'PYTHON'
import random
random.seed(5)
with open("t.csv", "w") as f:
    f.write("x,y\n")
    for i in range(9000):
        f.write(f"{random.uniform(-1, 1)!r},{random.uniform(-1, 1) * 2.0**-random.randrange(30)!r}\n")
with open("w.csv", "w") as f:
    f.write("x,y\n0.3,-1.7\n")
PYTHON

# Tables of doubles come back, cell by cell.
for options in "--key keys/secret.h5 --pack rows" "--key keys/secret.h5 --encoding coefficients" "--key keys/public.h5"; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" encrypt --force $options t.csv t.heb
    expect 0 "$HEBATCH" decrypt --force --key $key t.heb back.csv
    "$PYTHON" - <<'PYTHON' || fail "the table is not what it was ($options)"
import csv
one, two = ([line for line in csv.reader(open(name))] for name in ("t.csv", "back.csv"))
assert one[0] == two[0] and len(one) == len(two)
assert all(abs(float(x) - float(y)) < 2**-60 for a, b in zip(one[1:], two[1:]) for x, y in zip(a, b))
PYTHON
done
expect 0 "$HEBATCH" info t.heb
says "scale 2^80$"
says "^precision  *5[0-9]\.[0-9] bits proven, .*, at 6 of 6 limbs$"
expect 0 "$HEBATCH" verify t.heb --key $key --against t.csv
expect 0 "$HEBATCH" params show --scheme ckks --n 16384 --levels 2 --scale-bits 80
says "^levels        2: products one after another, two primes each$"

# Results, against exact arithmetic.
expressions='p = t.x * t.y; q = t.x^2 * t.y - 0.3 * t.x + 0.1; r = 2.5 * rotate(t.x, 1); m = mean(t.x * t.y); v = w @ t'
expect 0 "$HEBATCH" eval --keys keys --precision 40 "$expressions" t=t.heb w=w.csv p=p.heb q=q.heb r=r.heb m=m.heb v=v.heb
for name in p q r m v; do
    expect 0 "$HEBATCH" decrypt --key $key $name.heb $name.csv
    says "^precision  *[4-5][0-9].* expected, [5-9][0-9]\.[0-9] bits by the measured noise"
done
expect 0 "$HEBATCH" info p.heb
says ", at 4 of 6 limbs$"
# For a result another, on the lowest level; and none below.
expect 0 "$HEBATCH" eval --keys keys 'z = (p - 0.5)^2' p=p.heb z=z.heb
expect 0 "$HEBATCH" decrypt --key $key z.heb z.csv
refuse 65 "no level is left" "$HEBATCH" eval --keys keys 'y = z * z' z=z.heb y=y.heb
absent y.heb
# Ranks that share the limbs of ciphertexts have the same words.
ASAN_OPTIONS=detect_leaks=0 expect 0 $MPIRUN -n 2 "$HEBATCH" eval --keys keys --limb-ranks 2 'p = t.x * t.y' t=t.heb p=two.heb
ASAN_OPTIONS=detect_leaks=0 expect 0 $MPIRUN -n 2 "$HEBATCH" decrypt --key $key --limb-ranks 2 two.heb two.csv
cmp -s p.csv two.csv || fail "two ranks have other results than one"
"$PYTHON" - <<'PYTHON' || fail "results are not right to 44 bits"
import csv, math
from fractions import Fraction
rows = [(Fraction(float(a)), Fraction(float(b))) for a, b in list(csv.reader(open("t.csv")))[1:]]
of = lambda number: Fraction(float(number))
n = len(rows)
p = [x * y for x, y in rows]
wanted = {
    "p": p,
    "q": [x * x * y - of(0.3) * x + of(0.1) for x, y in rows],
    "m": [sum(p) / n],
    "v": [of(0.3) * x - of(1.7) * y for x, y in rows],
    "z": [(a - of(0.5))**2 for a in p],
    "r": [of(2.5) * rows[i + 1][0] if i % 8192 != 8191 and i + 1 < n else None for i in range(n)],
}
for name, values in wanted.items():
    got = [of(line) for line in open(name + ".csv").read().split()[1:]]
    assert len(got) == len(values), (name, len(got), len(values))
    worst = max(abs(a - b) for a, b in zip(got, values) if b is not None)
    assert worst < 2**-50, (name, float(worst))
PYTHON

# Noise that hides errors leaves as many bits more as the scale has.
expect 0 "$HEBATCH" decrypt --key $key --share 10 p.heb s.csv
says "^shared  *noise hides errors; values are rounded to 2^-3[0-9]; 2 of 10 results"

# Scales and levels that do not exist.
refuse 78 "it has 33 to 48, or with two primes a level 64 to 95" \
    "$HEBATCH" keygen --scheme ckks --n 16384 --levels 2 --scale-bits 55 --out none
refuse 78 "5 primes beside the special ones cannot be levels of 2 each" \
    "$HEBATCH" keygen --scheme ckks --n 16384 --bits 46,46,40,40,40,50 --scale-bits 80 --out none
absent none
expect 0 "$HEBATCH" params suggest 'y = t.x^3' --scheme ckks --rows 9 --range t.x=-1..1 --precision 45 --json
grep -q '"level_primes": 2' out || fail "45 bits do not take two primes a level"
