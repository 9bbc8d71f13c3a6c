#!/bin/sh
# A loop of forty products in turn, with bootstrapping: planned, computed, killed in the middle and resumed.
# Given by ctest besides: KILL_AT_LIBRARY (kill_at.c).
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

text="y = x; repeat 20 { y = 1.5*y - 0.5*y^3 }"
long="y = x; repeat 50 { y = 1.5*y - 0.5*y^3 }"
"$PYTHON" -c 'import random
random.seed(3)
print("x")
for _ in range(1100):
    print(round(random.choice([-1, 1])*random.uniform(0.05, 1), 6))' >x.csv
expect 0 "$HEBATCH" keygen --params boot-test --insecure --out keys --for "$text"
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 --range -1..1 x.csv x.heb
refuse 65 "in iteration 10 of 20" "$HEBATCH" eval --keys keys "$text" x=x.heb y=y.heb --noise expected --bootstrap never
refuse 65 "no error of them is proven any more; --noise expected computes it, right to 2^-3[0-9.]* as expected" \
    "$HEBATCH" eval --keys keys "$long" x=x.heb y=y.heb
# Anyone who has too few levels, and asked for proofs that there are none of, hears of bootstrapping.
expect 0 "$HEBATCH" keygen --params ckks-13 --out short
expect 0 "$HEBATCH" encrypt --key short/secret.h5 --range -1..1 x.csv short.heb
refuse 65 "boot-16 would do with --noise expected, by bootstrapping; hebatch params suggest looks for others" \
    "$HEBATCH" eval --keys short "$long" x=short.heb y=y.heb
refuse 65 "ckks-14 would do; hebatch params suggest looks for others" "$HEBATCH" eval --keys short 'y = x^16' x=short.heb y=y.heb
refuse 65 "boot-16 would do with --noise expected" "$HEBATCH" params suggest --scheme ckks "$long" --table x=x.csv
expect 0 "$HEBATCH" params suggest --scheme ckks "$long" --table x=x.csv --noise expected
says "^parameters  *boot-16, " # which is predicted to take least
expect 0 "$HEBATCH" eval --keys keys "$text" x=x.heb y=y.heb --noise expected --dry-run
says "^depth        40 products of ciphertexts one after another"
says "^bootstraps   give [1-9][0-9]* ciphertexts levels again: "
says "^bootstrap    .*, from level 3 to level 17, .* expected after: y = 1.5.* (in iteration [1-9][0-9]* of 20)$"
says "values -1 .. 1, .* in each of 20 iterations: y = 1.5"
[ "$(grep -c "^precision" out)" = 1 ] || fail "a line an iteration"
says "^time  .*about .*loop (bound by computing) " # a fast machine says nothing of its keys
says "^disk  .* to read, .* of keys once a host, "
says "^checkpoint  .* of a step, stored on its way after 0:10:00"
absent y.heb y.heb.partial

# Where bootstrapping does not help, its reason is said, and not that levels are missing alone.
ranged="levels do not suffice, and bootstrapping needs the range of 3.9.y.(1-y), which is not known: give it with --range"
grows="y = x; repeat 20 { y = 3.9*y*(1-y) }"
refuse 65 "none of the presets would do; with boot-16, which bootstraps, $ranged" \
    "$HEBATCH" eval --keys short "$grows" x=short.heb y=y.heb
refuse 64 "$ranged$" "$HEBATCH" params suggest --scheme ckks "$grows" --table x=x.csv

# A run that is killed between its output and its report leaves nothing that the next one does not take away.
expect 0 "$HEBATCH" keygen --key short/secret.h5 --relin
if [ -n "${KILL_AT_LIBRARY-}" ]; then # not under sanitizers
    KILL_AT_NAME=y.heb.report.json LD_PRELOAD=$KILL_AT_LIBRARY "$HEBATCH" eval --keys short 'y = x*x' x=short.heb y=y.heb \
        >out 2>err && fail "not killed"
    [ -d y.heb ] && [ -e y.heb.report.json.partial ] || fail "killed elsewhere: $(ls)"
    refuse 73 "y.heb: exists already" "$HEBATCH" eval --keys short 'y = x*x' x=short.heb y=y.heb --resume
    absent y.heb.report.json.partial
    rm -r y.heb y.heb.report.json
fi

# A chaotic map: nothing is expected of it but its declared range, and nothing of a thousandth of it.
chaos="c = x; repeat 40 { c = cheb(c, -1.001, 1.001, 0, 0, 1) }"
for result in "y = c" "y = c/1000"; do
    refuse 65 "a result that may be wrong is refused" "$HEBATCH" eval --keys keys "$chaos; $result" x=x.heb y=y.heb \
        --range c=-1..1 --noise expected
    expect 0 "$HEBATCH" eval --keys keys "$chaos; $result" x=x.heb y=y.heb --range c=-1..1 --noise unknown --dry-run
    says "none expected"
done

expect 0 "$HEBATCH" eval --keys keys "$text" x=x.heb y=y.heb --noise expected
mv y.heb whole.heb
# Row blocks that were finished stay, and others go through all iterations; the words are the same.
at=24 stored=0
until [ "$stored" != 0 ]; do
    rm -rf y.heb.partial
    code=0
    KILL_AT=$((at += 4)) LD_PRELOAD=$KILL_AT_LIBRARY "$HEBATCH" eval --keys keys "$text" x=x.heb y=y.heb \
        --noise expected >out 2>err || code=$?
    [ "$code" = 137 ] || fail "exit code $code when killed at $at"
    expect 0 "$HEBATCH" status y.heb
    stored=$(sed -n 's/^units *\([0-9]*\) of 2 .*/\1/p' out)
    stored=${stored:-0}
done
absent y.heb
expect 0 "$HEBATCH" eval --keys keys "$text" x=x.heb y=y.heb --noise expected --resume
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y.csv
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 whole.heb whole.csv
same y.csv whole.csv
"$PYTHON" - <<'PYTHON' || fail "not what doubles give"
x, y = ([float(v) for v in open(name).read().split()[1:]] for name in ("x.csv", "y.csv"))
assert len(x) == len(y) == 1100
for a, b in zip(x, y):
    for _ in range(20):
        a = 1.5*a - 0.5*a**3
    assert abs(a - b) < 2.0**-19, (a, b)
PYTHON

# Within a step: what is live is stored, and the step goes on behind it, on any number of ranks, with the same words.
cube() {
    "$@" "$HEBATCH" eval --keys keys "$text" x=x.heb y=y.heb --noise expected --resume
}
rm -rf y.heb
at=40 turn=0
until [ "$turn" -gt 1 ]; do
    rm -rf y.heb.partial
    code=0
    KILL_AT=$((at += 10)) LD_PRELOAD=$KILL_AT_LIBRARY "$HEBATCH" eval --keys keys "$text" x=x.heb y=y.heb \
        --noise expected --keep 0.001s >out 2>err || code=$?
    [ "$code" = 137 ] || fail "exit code $code when killed at $at"
    expect 0 "$HEBATCH" status y.heb.partial
    turn=$(sed -n 's/^checkpoint  *of step .* is stored, in iteration \([0-9]*\) of 20$/\1/p' out | head -n 1)
    turn=${turn:-0}
done
cp -R y.heb.partial y.kept
# goes_on LAUNCHER...
goes_on() {
    rm -rf y.heb y.heb.partial
    cp -R y.kept y.heb.partial
    expect 0 cube "$@"
    grep -q "checkpoint   of 1 step is there, in iteration $turn of 20 and later" err || fail "not from iteration $turn"
    grep -q "checkpoint   1 step went on from it" err || fail "it began anew"
    expect 0 "$HEBATCH" verify y.heb --same-as whole.heb
    absent y.heb/checkpoint-*
}
goes_on env
# shellcheck disable=SC2086
goes_on $MPIRUN -n 2
limbs() {
    # shellcheck disable=SC2086
    $MPIRUN -n 2 "$@" --limb-ranks 2
}
goes_on limbs
# Nor is it gone on with by other polynomials, whose results look alike.
rm -rf y.heb
cp -R y.kept y.heb.partial
for other in --gap=0.1 --precision=1 --range=x=-1..1; do
    refuse 65 "cannot be continued: an input, .* --range, --precision, --gap" \
        "$HEBATCH" eval --keys keys "$text" x=x.heb y=y.heb --noise expected --resume "$other"
done
# A checkpoint with another step's name, or a damaged one, does not count.
mkdir misnamed.heb.partial
cp y.kept/job.json y.kept/checkpoint-*-0 misnamed.heb.partial
for file in misnamed.heb.partial/checkpoint-*-0; do
    mv "$file" "$(echo "$file" | sed 's/checkpoint-0-\([0-9]*\)-/checkpoint-0-7\1-/')"
done
expect 0 "$HEBATCH" status misnamed.heb
if grep "^checkpoint  *of step" out; then
    fail "the checkpoint of another step is believed"
fi
rm -rf y.heb.partial
cp -R y.kept y.heb.partial
"$PYTHON" -c 'import glob
name = glob.glob("y.heb.partial/checkpoint-*-0")[0]
with open(name, "r+b") as f:
    f.seek(5000)
    byte = f.read(1)
    f.seek(5000)
    f.write(bytes([byte[0] ^ 1]))'
expect 0 cube env
grep -q "checkpoint   1 step began anew: y.heb.partial/checkpoint-.* is damaged" err || fail "damage is not seen"
expect 0 "$HEBATCH" verify y.heb --same-as whole.heb
# A job that is asked to stop ends in the midst of a step, also where its limbs are divided: each start makes headway, and
# those after it go on, in other groups.
rm -rf y.heb y.heb.partial
for start in env limbs; do
    expect 75 cube "$start" env SLURM_JOB_END_TIME=1000
    grep -q "checkpoint   of 1 step is stored, in iteration" err || fail "not left within a step"
done
grep -q "checkpoint   of 1 step is there" err || fail "nothing was there"
expect 0 cube env
expect 0 "$HEBATCH" verify y.heb --same-as whole.heb

# Where rows are added up as well, what a step has added up so far is part of its state, and counts once.
added="y = x; repeat 6 { y = 1.5*y - 0.5*y^3; s = sum(y) }; t = sum(y*x)"
expect 0 "$HEBATCH" keygen --key keys/secret.h5 --for "$added"
add() {
    "$@" "$HEBATCH" eval --keys keys "$added" x=x.heb y=z.heb s=s.heb t=t.heb --noise expected --resume
}
expect 0 "$HEBATCH" eval --keys keys "$added" x=x.heb y=z1.heb s=s1.heb t=t1.heb --noise expected
starts=0
code=75
while [ "$code" = 75 ] && [ "$starts" -lt 40 ]; do
    code=0
    add env SLURM_JOB_END_TIME=1000 >out 2>err || code=$?
    starts=$((starts + 1))
done
[ "$code" = 0 ] && [ "$starts" -gt 3 ] || fail "exit code $code after $starts starts"
for output in z s t; do
    expect 0 "$HEBATCH" verify $output.heb --same-as ${output}1.heb
done

# One row that stands in all stays so in a loop; so does a total.
printf 'z\n0.7\n' >one.csv
one='y = z; repeat 2 { y = 1.5*y - 0.5*y^3 }; a = y*x; m = mean(x); repeat 2 { m = 1.5*m - 0.5*m^3 }; b = m*x'
expect 0 "$HEBATCH" keygen --params boot-test --insecure --out row --for "$one" --quiet
expect 0 "$HEBATCH" encrypt --quiet --key row/secret.h5 --range -1..1 one.csv z.row
expect 0 "$HEBATCH" encrypt --quiet --key row/secret.h5 --range -1..1 x.csv x.row
expect 0 "$HEBATCH" eval --quiet --keys row "$one" x=x.row z=z.row a=a.row b=b.row --noise expected
expect 0 "$HEBATCH" decrypt --quiet --key row/secret.h5 a.row a.csv
expect 0 "$HEBATCH" decrypt --quiet --key row/secret.h5 b.row b.csv
"$PYTHON" - <<'PYTHON' || fail "one row in a loop"
x, a, b = ([float(v) for v in open(name).read().split()[1:]] for name in ("x.csv", "a.csv", "b.csv"))
z, m = 0.7, sum(x) / len(x)
for _ in range(2):
    z, m = 1.5*z - 0.5*z**3, 1.5*m - 0.5*m**3
assert len(a) == len(b) == len(x) == 1100
for i in range(len(x)):
    assert abs(a[i] - z*x[i]) < 2.0**-16 and abs(b[i] - m*x[i]) < 2.0**-16, (i, a[i], z*x[i], b[i], m*x[i])
PYTHON

# Errors of values near 0 grow longest. The largest is that of the one or two values nearest to 0, which is as random as
# one draw: four times what is expected is seen once in thousands.
steep='y = x; repeat 25 { y = 1.5*y - 0.5*y^3 }'
"$PYTHON" -c 'import random
random.seed(7)
print("x")
for i in range(2048):
    print(random.choice((-1, 1))*random.uniform(1e-5, 1e-4) if i % 1024 == 0 else random.uniform(-1, 1))' >steep.csv
expect 0 "$HEBATCH" keygen --n 4096 --levels 54 --scale-bits 45 --special-primes 4 --insecure --relin --out deep --quiet
expect 0 "$HEBATCH" encrypt --quiet --key deep/secret.h5 --range -1..1 steep.csv steep.heb
expect 0 "$HEBATCH" eval --quiet --keys deep "$steep" x=steep.heb y=steep_y.heb --noise expected
expect 0 "$HEBATCH" decrypt --quiet --key deep/secret.h5 steep_y.heb steep_y.csv
expect 0 "$HEBATCH" info steep_y.heb --json
"$PYTHON" - <<'PYTHON' || fail "more errors than expected near 0"
import json, math
x, y = ([float(v) for v in open(name).read().split()[1:]] for name in ("steep.csv", "steep_y.csv"))
for _ in range(25):
    x = [1.5*v - 0.5*v**3 for v in x]
seen = -math.log2(max(abs(v - w) for v, w in zip(x, y)))
expected = json.load(open("out"))["precision_bits"]["expected"]
assert expected - 2 < seen and expected < 22, (seen, expected)
PYTHON
