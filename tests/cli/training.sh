#!/bin/sh
# A loop over a whole table: steps of a logistic regression, whose state are totals, by columns and with rows within slots.
# Right beside doubles, and a job that is killed in an iteration goes on in it: the sums of passes before stay.
# Given by ctest besides: KILL_AT_LIBRARY (kill_at.c).
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

text="w = mean((y - 0.5)*x); repeat 5 { e = y - sigmoid(rowsum(w*x), -4, 4); w = w + mean(e*x) }"
"$PYTHON" -c 'import math, random
random.seed(5)
x, y = open("x.csv", "w"), open("y.csv", "w")
print("a,b,c", file=x)
print("y", file=y)
for _ in range(1100):
    row = [round(random.uniform(-1, 1), 6) for _ in range(3)]
    print(*row, sep=",", file=x)
    print(int(random.random() < 1/(1 + math.exp(-2.4*row[0] + 1.5*row[1] - 0.9*row[2]))), file=y)'
expect 0 "$HEBATCH" keygen --params boot-test --insecure --out keys --for "$text"
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 --range -1..1 x.csv x.heb
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 --range 0..1 y.csv y.heb

# By what it may come to without --range, w leaves what sigmoid is approximated on.
refuse 65 "its interval is -4 .. 4.*in iteration" "$HEBATCH" eval --keys keys "$text" x=x.heb y=y.heb w=w.heb \
    --noise expected --dry-run
# shellcheck disable=SC2120 # called by way of expect, with arguments
compute() {
    "$HEBATCH" eval --keys keys "$text" x=x.heb y=y.heb w=w.heb --range w=-1..1 --noise expected "$@"
}
expect 0 compute
complains "6 passes over the rows"
complains "bootstraps  *give [1-9].* levels again: [1-9][0-9]* total"
mv w.heb whole.heb

# Datasets that several passes read are read by the first of them alone: spoilt behind it, they are not missed.
two="u = mean((y - 0.5)*x); v = mean(u*x)"
expect 0 "$HEBATCH" eval --keys keys "$two" x=x.heb y=y.heb v=v.heb
complains "2 passes over the rows"
complains "^hebatch: memory  .* row blocks* at a time, up to [0-9.]* [KM]iB of it for inputs that several passes read"
# x alone is read twice.
"$PYTHON" - <<'PYTHON' || fail "not the memory of what is kept"
import json
plan = json.load(open("v.heb.report.json"))["plan"]
ciphertexts = json.load(open("x.heb.report.json"))["plan"]["stored_bytes"]
assert ciphertexts <= plan["kept_bytes"] < 1.02*ciphertexts and plan["kept_bytes"] < plan["rank_host_bytes"], plan
PYTHON
KILL_AT_STOPS=1 KILL_AT_NAME=/totals-0 LD_PRELOAD=$KILL_AT_LIBRARY "$HEBATCH" eval --keys keys "$two" x=x.heb y=y.heb \
    v=kept.heb --keep 0.001s >out 2>err &
running=$!
until [ "$(ps -o state= -p $running | cut -c1)" = T ]; do
    kill -0 $running || fail "the job ended before its second pass"
    sleep 0.02
done
cp x.heb/part-00000.h5 whole.h5
flip x.heb/part-00000.h5 $(($(wc -c <whole.h5) / 2))
kill -CONT $running
wait $running || fail "a dataset was read again"
refuse 65 "x.heb" "$HEBATCH" verify x.heb
cat whole.h5 >x.heb/part-00000.h5
expect 0 "$HEBATCH" verify kept.heb --same-as v.heb

# Killed before the totals of the fourth pass, iteration 3, are stored, where those of each pass are: the first three are
# not computed again, whatever --batch is by then: steps stay as large as they were.
code=0
KILL_AT_NAME=/totals-3.partial LD_PRELOAD=$KILL_AT_LIBRARY compute --keep 0.001s --batch 2 >out 2>err || code=$?
[ "$code" = 137 ] || fail "exit code $code"
ls w.heb.partial | grep -q '^totals-3[.]partial[.]' || fail "the file that was begun has another name"
absent w.heb w.heb.partial/totals-3 w.heb.partial/totals-1 w.heb.partial/sums-2
[ -e w.heb.partial/totals-2 ] || fail "no totals of the third pass"
expect 0 "$HEBATCH" status w.heb
says "3 are done"
refuse 73 "resume" compute
cp -R w.heb.partial kept
# Files that are too large to be written, as on a full disk, are not missed: the job goes on to where its result gets its
# name, and anyone who goes on after a kill does from the last ones that are whole.
full() {
    ulimit -f 800 # of 512 bytes: the result is smaller, sums are larger
    trap '' XFSZ
    KILL_AT_NAME=w.heb LD_PRELOAD=$KILL_AT_LIBRARY compute --keep 0.001s --resume
}
code=0
(full) >out 2>err || code=$?
[ "$code" = 137 ] || fail "exit code $code on a full disk"
[ "$(grep -c "checkpoint   of what passes add up could not be stored: w.heb.partial/totals-3.partial: " err)" = 1 ] ||
    fail "not one warning of a full disk"
[ -e w.heb.partial/totals-2 ] || fail "the last whole checkpoint is gone"
# Where nothing but such a file would be left of a job, it fails for want of it.
code=0
(SLURM_JOB_END_TIME=1000 full) >out 2>err || code=$?
[ "$code" = 74 ] || fail "exit code $code when stopped on a full disk"
expect 0 compute --resume --batch 1
complains "steps  *2 of 2 row blocks of [0-9]* rows, as the job began, whatever --batch says now; 3 row blocks in all"
complains "passes  *3 of 6 are done"
! grep -q "pass [123] of 6" err || fail "passes were computed again"
complains "pass 5 of 6: evaluated 3/3"
expect 0 "$HEBATCH" verify w.heb --same-as whole.heb
# A resume on two ranks, and with limbs divided over two. Damaged totals do not count.
for way in "2 --limb-ranks 1" "2 --limb-ranks 2" "1 --limb-ranks 1"; do
    rm -rf w.heb
    cp -R kept w.heb.partial
    case $way in 1*) flip w.heb.partial/totals-2 5000 ;; esac
    # shellcheck disable=SC2086 # options are words
    expect 0 $MPIRUN -n ${way%% *} "$HEBATCH" eval --keys keys "$text" x=x.heb y=y.heb w=w.heb --range w=-1..1 \
        --noise expected --resume ${way#* }
    case $way in
    1*)
        complains "totals do not count"
        complains "pass 1 of 6: evaluated 3/3"
        ;;
    2*) complains "passes  *3 of 6 are done" ;;
    esac
    expect 0 "$HEBATCH" verify w.heb --same-as whole.heb
    [ "$(ls w.heb | tr '\n' ' ')" = "index.h5 part-00000.h5 " ] || fail "left in the result: $(ls w.heb)"
done
rm -rf w.heb
mv kept w.heb.partial
expect 0 compute --force
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 w.heb w.csv
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 whole.heb whole.csv
same w.csv whole.csv

"$PYTHON" - <<'PYTHON' || fail "not what doubles give"
import math
def read(name):
    return [[float(v) for v in line.split(",")] for line in open(name).read().split()[1:]]
x, y, found = read("x.csv"), [row[0] for row in read("y.csv")], read("w.csv")[0]
w = [0, 0, 0]
for _ in range(6):
    e = [b - 1/(1 + math.exp(-sum(u*v for u, v in zip(w, row)))) for row, b in zip(x, y)]
    w = [u + sum(d*row[i] for d, row in zip(e, x))/len(x) for i, u in enumerate(w)]
assert len(found) == 3
for a, b in zip(w, found):
    assert abs(a - b) < 2.0**-14, (w, found)
PYTHON

# Nesterov's steps with rows within slots: of the two totals that are its state both are bootstrapped, as one, where one
# of them has to be. Anyone who computes it, or goes on with it, gets the same words.
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own
text="w = mean(0.5*z); v = w
    repeat 4 { t = o @ (w*z); m = mean((0.5 - 0.8*t + (0.2*t)*(t*t))*z); n = w + m; w = 1.3*w + 1.3*m - 0.3*v; v = n }"
printf '%s\n' a,b,c 0.25,0.25,0.25 0.25,0.25,0.25 0.25,0.25,0.25 >o.csv
expect 0 "$HEBATCH" keygen --params boot-test --insecure --out slots --relin --rotations sum,1..3,-3..-1 --bootstrap
expect 0 "$HEBATCH" encrypt --pack rows --key slots/secret.h5 --range=-1..1 x.csv z.heb
# nesterov RESULT WORD...: in one process, or as many as stand in $ranks.
nesterov() {
    result=$1
    shift
    ${ranks:+$MPIRUN -n $ranks} "$HEBATCH" eval --keys slots "$text" z=z.heb o=o.csv w="$result" --noise expected \
        --range w=-1..1,v=-1..1,n=-1..1,m=-1..1,t=-1..1 "$@"
}
ranks=
expect 0 nesterov one.heb
complains "bootstraps  *give 1 ciphertext levels again: 1 total; 1 of them with two real values each"
code=0
KILL_AT_NAME=/totals-2 LD_PRELOAD=$KILL_AT_LIBRARY nesterov on.heb --keep 0.001s >out 2>err || code=$?
[ "$code" = 137 ] || fail "exit code $code"
ranks=2
expect 0 nesterov on.heb --resume
complains "passes  *2 of 5 are done"
expect 0 nesterov limbs.heb --limb-ranks 2
for other in on limbs; do
    expect 0 "$HEBATCH" verify $other.heb --same-as one.heb
done
expect 0 "$HEBATCH" decrypt --key slots/secret.h5 one.heb one.csv
"$PYTHON" - <<'PYTHON' || fail "not what doubles give"
def read(name):
    return [[float(v) for v in line.split(",")] for line in open(name).read().split()[1:]]
z, found = read("x.csv"), read("one.csv")[0]
w = v = [sum(0.5*row[i] for row in z)/len(z) for i in range(3)]
for _ in range(4):
    t = [0.25*sum(a*b for a, b in zip(w, row)) for row in z]
    m = [sum((0.5 - 0.8*u + 0.2*u**3)*row[i] for u, row in zip(t, z))/len(z) for i in range(3)]
    w, v = [1.3*a + 1.3*b - 0.3*c for a, b, c in zip(w, m, v)], [a + b for a, b in zip(w, m)]
assert len(found) == 3
for a, b in zip(w, found):
    assert abs(a - b) < 2.0**-14, (w, found)
PYTHON
