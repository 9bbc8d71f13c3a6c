#!/bin/sh
# hebatch serve: datasets and weights that stay on the engine. A later job finds them, with the same results; a file that was changed
# in any way is read again; budgets hold; a job that failed leaves nothing; ranks, and ranks that share limbs.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
# shellcheck source=tests/cli/server.sh
. "${0%/*}/server.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own
export XDG_CACHE_HOME="$work/cache"

expect 0 "$HEBATCH" keygen --n 1024 --bits 40,40,41 --plain-bits 14 --insecure --relin --rotations sum --out keys
table 30000 3 50 >x.csv
table 30000 3 40 >y.csv
expect 0 "$HEBATCH" encrypt x.csv x.heb --key keys/public.h5 --range 0..49
expect 0 "$HEBATCH" encrypt x.csv seeded.heb --key keys/secret.h5 --range 0..49
expect 0 "$HEBATCH" encrypt y.csv y.heb --key keys/public.h5 --range 0..49

# job EXPRESSION NAME=FILE...: runs it with the server and without; the results are the same.
job() {
    expression=$1
    shift
    expect 0 "$HEBATCH" eval --keys keys "$expression" "$@" z=alone.heb --wrap --force --quiet
    expect 0 "$HEBATCH" eval --keys keys "$expression" "$@" z=served.heb --wrap --force --quiet --server "$folder"
    diff -r alone.heb served.heb >/dev/null || fail "other bytes: $expression $*"
}

# stays FOUND KEPT: what the server says of its last job: the part of the bytes that was there (all, none, some), and the
# datasets that stay.
stays() {
    "$PYTHON" - "$folder.err" "$@" <<'PYTHON' || fail "other datasets: $(tail -2 "$folder.err")"
import re, sys
path, found, kept = sys.argv[1:]
last = [line for line in open(path) if re.match("hebatch: (job|datasets) ", line)][-1]
if last.startswith("hebatch: job"):
    sys.exit(found != "none" or kept != "0")
there, needed, stay = re.match(r"hebatch: datasets +(.*) of (.*) were there; .* of (\d+) datasets? stay", last).groups()
part = "none" if there == "0 B" else "all" if there == needed else "some"
sys.exit(part != found or stay != kept)
PYTHON
}

# --- found again

serve one
job 'z = x.c1 * x.c2 + x.c3' x=x.heb
stays none 1
job 'z = x.c1 * x.c2 + x.c3' x=x.heb
stays all 1
job 'z = sum(x.c1 * x.c3)' x=x.heb # another program
stays all 1
job 'z = x.c1 - sum(x.c1)' x=x.heb # that goes over it twice
stays all 1
job 'z = s.c1 + 2 * s.c2' s=seeded.heb
stays none 2
job 'z = s.c1 * s.c2' s=seeded.heb
stays all 2
job 'z = x.c1 * s.c2 + y.c3' s=seeded.heb x=x.heb y=y.heb
stays some 3
job 'z = x.c1 + w.c2' x=x.heb w=x.heb # one file by two names
stays all 3
expect 0 "$HEBATCH" serve one --status
says '^datasets *3 datasets, [1-9]'
(
    cd / || exit 1
    expect 0 "$HEBATCH" eval --keys "$work/keys" 'z = x.c1 * x.c2 + x.c3' x="$work/x.heb" z="$work/far.heb" --wrap \
        --quiet --server "$work/one"
) || exit 1
stays all 3

# --- files that change

cp -r x.heb held.heb
job 'z = h.c1 * h.c2' h=held.heb # a copy is another dataset
stays none 4
rm -r held.heb
cp -r y.heb held.heb # other contents under the name
job 'z = h.c1 * h.c2' h=held.heb
stays none 5
job 'z = h.c1 * h.c2' h=held.heb
stays all 5
part=held.heb/part-00000.h5
stamp=$(stat -c %y $part)
"$PYTHON" -c 'import sys
with open(sys.argv[1], "r+b") as f:
    f.seek(-9000, 2)
    byte = f.read(1)
    f.seek(-9000, 2)
    f.write(bytes([byte[0] ^ 1]))' $part
touch -d "$stamp" $part # as who hides it would
refused() {
    expect 65 "$HEBATCH" eval --keys keys 'z = h.c1 * h.c2' h=held.heb z=no.heb --wrap \
        --quiet "$@"
    complains 'do not match their checksum'
}
refused
refused --server one
stays none 0 # a job that failed leaves nothing
rm -r held.heb
cp -r y.heb held.heb
table 500 3 40 >more.csv
job 'z = h.c1 * h.c2' h=held.heb
stays none 1
expect 0 "$HEBATCH" encrypt more.csv held.heb --append --key keys/public.h5 --range 0..49
job 'z = h.c1 * h.c2' h=held.heb # has more rows
stays none 2
rm held.heb/part-00000.h5
expect 66 "$HEBATCH" eval --keys keys 'z = h.c1' h=held.heb z=no.heb --wrap --server one --quiet
complains part-00000.h5
job 'z = x.c1 * x.c2 + x.c3' x=x.heb
expect 73 "$HEBATCH" eval --keys keys 'z = x.c1 * x.c2' x=x.heb z=served.heb --wrap --quiet --server one
job 'z = x.c1 * x.c2 + x.c3' x=x.heb
stays all 3 # these failed before they began
expect 0 "$HEBATCH" serve one --stop
ends 0

# --- weights

"$PYTHON" -c 'import random
random.seed(3)
for name, rows in (("w", 8), ("v", 8), ("r", 40)):
    with open(name + ".csv", "w") as f:
        print(*(f"i{i}" for i in range(8)), sep=",", file=f)
        for _ in range(rows):
            print(*(f"{random.uniform(-1, 1):.6f}" for _ in range(8)), sep=",", file=f)'
cp w.csv weights.csv
expect 0 "$HEBATCH" keygen --n 1024 --levels 3 --scale-bits 40 --special-primes 1 --insecure --out reals
expect 0 "$HEBATCH" encrypt r.csv r.heb --key reals/public.h5 --range=-1..1 --pack rows --block 16
"$HEBATCH" eval --keys reals 'y = W @ (W @ x)' W=w.csv x=r.heb y=no.heb >out 2>err
# shellcheck disable=SC2046 # several words
expect 0 "$HEBATCH" $(sed -n 's/.*make it: hebatch //p' err)
# product EXPRESSION: as job, of rows within slots.
product() {
    expect 0 "$HEBATCH" eval --keys reals "$1" W=weights.csv x=r.heb y=alone.heb --force --quiet
    expect 0 "$HEBATCH" eval --keys reals "$1" W=weights.csv x=r.heb y=served.heb --force --quiet --server "$folder"
    diff -r alone.heb served.heb >/dev/null || fail "other bytes: $1"
}
# weighs FOUND KEPT: as stays, of weights.
weighs() {
    grep '^hebatch: weights' "$folder.err" | tail -1 >last
    case $1 in
        none) grep -q ' 0 B of .* were there' last || fail "weights: $(cat last)" ;;
        *) grep -Eq ' ([^ ]* [^ ]*) of \1 were there' last || fail "weights: $(cat last)" ;;
    esac
    grep -Eq " of $2 matri(x|ces) stay" last || fail "weights: $(cat last)"
}
serve weights
product 'y = W @ x'
weighs none 1
for turn in 1 2 3; do # whose parameters come and go
    product 'y = W @ x'
    weighs all 1
done
product 'y = W @ (W @ x)' # at two levels, one of which is there
product 'y = W @ (W @ x)'
weighs all 2
cp v.csv weights.csv # other numbers under the name
product 'y = W @ x'
weighs none 3
cp w.csv weights.csv
product 'y = W @ (W @ x)'
weighs all 3
expect 0 "$HEBATCH" serve weights --stop
ends 0
options="--hold 0" serve noweights
product 'y = W @ x'
product 'y = W @ x'
grep -q '^hebatch: weights .* 0 B of 0 matrices stay' noweights.err || fail "no budget: $(tail -1 noweights.err)"
expect 0 "$HEBATCH" serve noweights --stop
ends 0

# --- budgets

bytes=$(du -sb x.heb | cut -f1)
options="--hold 0" serve none
for turn in 1 2; do
    job 'z = x.c1 * x.c2' x=x.heb
    stays none 0
done
expect 0 "$HEBATCH" serve none --stop
ends 0
options="--hold $((bytes / 2))" serve small # too small for a dataset, which is not kept in part
for turn in 1 2; do
    job 'z = x.c1 + x.c2 + x.c3' x=x.heb
    stays none 0
done
expect 0 "$HEBATCH" serve small --stop
ends 0
cp -r x.heb w.heb
options="--hold $((bytes * 5 / 2))" serve two
job 'z = x.c1 + x.c2 + x.c3' x=x.heb
job 'z = w.c1 + w.c2 + w.c3' w=w.heb
job 'z = x.c1 + x.c2 + x.c3' x=x.heb
stays all 2
job 'z = y.c1 + y.c2 + y.c3' y=y.heb
stays none 2
job 'z = x.c1 + x.c2 + x.c3' x=x.heb
stays all 2
job 'z = w.c1 + w.c2 + w.c3' w=w.heb # went, as the one that no job used for longest
stays none 2
job 'z = x.c1 * w.c2 + y.c3 * x.c3' x=x.heb w=w.heb y=y.heb # of more than there is room for
job 'z = x.c1 * w.c2 + y.c3 * x.c3' x=x.heb w=w.heb y=y.heb
stays some 2
expect 0 "$HEBATCH" serve two --stop
ends 0
refuse 64 "is not a size" "$HEBATCH" serve none --hold lots

# --- many jobs take no more memory

serve many
resident() {
    sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' /proc/$server/status
}
repeat() {
    turn=0
    while [ $turn -lt "$1" ]; do
        "$HEBATCH" eval --keys keys 'z = x.c1 + 1' x=x.heb z=many.heb --wrap --force --quiet --server many >out 2>err ||
            fail "job $turn: $(cat err)"
        turn=$((turn + 1))
    done
}
repeat 40
before=$(resident)
repeat 160
after=$(resident)
[ "$after" -le $((before + 4096)) ] || fail "from $before to $after KiB in 160 jobs"
stays all 1
expect 0 "$HEBATCH" serve many --stop
ends 0

# --- ranks

# shellcheck disable=SC2086 # a command of several words
serve ranks $MPIRUN -n 2
for limbs in 1 2; do
    for turn in 1 2; do
        expect 0 "$HEBATCH" eval --keys keys 'z = x.c1 * s.c2 + x.c3' x=x.heb s=seeded.heb z=served.heb --wrap --force \
            --quiet --server ranks --limb-ranks $limbs
        [ $turn = 1 ] && stays none 2
    done
    stays all 2
    expect 0 "$HEBATCH" eval --keys keys 'z = x.c1 * s.c2 + x.c3' x=x.heb s=seeded.heb z=alone.heb --wrap --force --quiet
    expect 0 "$HEBATCH" verify served.heb --same-as alone.heb
    for turn in 1 2; do
        expect 0 "$HEBATCH" eval --keys reals 'y = W @ x' W=w.csv x=r.heb y=served.heb --force --quiet --server ranks \
            --limb-ranks $limbs
    done
    weighs all 1
    expect 0 "$HEBATCH" eval --keys reals 'y = W @ x' W=w.csv x=r.heb y=alone.heb --force --quiet
    expect 0 "$HEBATCH" verify served.heb --same-as alone.heb
done
expect 0 "$HEBATCH" serve ranks --stop
ends 0
