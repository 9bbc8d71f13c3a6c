#!/bin/sh
# eval --batch: the bytes are the same whatever is computed at a time, for outputs with rows and without, in several
# passes, with bootstraps, on one to three ranks, with divided limbs, and where a job goes on with another batch than it
# began with. batch.sh [bfv]: under CKKS, or on integers.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"
# 20 row blocks in units of 1, and 130 in units of 3.
case ${1:-ckks} in
ckks)
    params="--params boot-test" blocks=20 unit=1 noise=expected
    text='z = x; repeat 3 { z = 1.5*z - 0.5*z*z*z }; m = mean(z); c = z - m'
    "$PYTHON" -c 'import random
random.seed(5)
print("c1,c2")
for _ in range(9800): print("%.6f,%.6f" % (random.uniform(-1, 1), random.uniform(-1, 1)))' >x.csv
    set -- --range=-1..1
    ;;
bfv)
    params="--n 1024 --bits 50,50,50,50,51 --plain 65537" blocks=130 unit=3 noise=worst
    text='z = x*x; m = sum(z); c = z*x - m'
    table 132500 1 100 >x.csv
    set --
    ;;
esac
expect 0 "$HEBATCH" keygen $params --insecure --out keys --for "$text"
expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 x.csv x.heb "$@"

# compute RANKS K OPTIONS...: z, m and c.
compute() {
    ranks=$1 members=$2
    shift 2
    # shellcheck disable=SC2086
    $MPIRUN -n "$ranks" "$HEBATCH" eval --keys keys "$text" x=x.heb z=z.heb m=m.heb c=c.heb --noise $noise \
        --limb-ranks "$members" "$@"
}
alike() {
    for output in z m c; do
        expect 0 "$HEBATCH" verify $output.heb --same-as whole.$output.heb
    done
    absent z.heb.partial m.heb.partial c.heb.partial
    rm -rf [zmc].heb [zmc].heb.report.json
}
# at_a_time BLOCKS STEP: as the report has it.
at_a_time() {
    [ "$(field z.heb.report.json 'r["plan"]["batch_row_blocks"], r["plan"]["step_row_blocks"]')" = "($1, $2)" ] ||
        fail "not $1 row blocks at a time in steps of $2"
}

expect 0 compute 1 1
[ "$(field z.heb.report.json 'r["plan"]["row_blocks"], r["plan"]["step_row_blocks"]')" = "($blocks, $unit)" ] ||
    fail "not $blocks row blocks in steps of $unit"
for output in z m c; do
    cp -R $output.heb whole.$output.heb
done
alike
for ranks in 1 2 3; do
    for batch in 1 2 3 8; do
        expect 0 compute $ranks 1 --batch $batch --queues 2
        step=$(((batch + unit - 1) / unit * unit))
        at_a_time $batch $step
        alike
    done
done
# All at a time, and as many as there are.
expect 0 compute 1 1 --batch 1000
at_a_time $blocks $(((blocks + unit - 1) / unit * unit))
alike
for batch in 3 8; do
    expect 0 compute 2 2 --batch $batch
    alike
done

# A job that is killed keeps its steps, whose sums and checkpoints are of them, and is continued in other batches.
begun=$((2 * unit))
strike_pass() {
    strike KILL "$1" 137 z.heb 2 1 eval --keys keys "$text" x=x.heb z=z.heb m=m.heb c=c.heb --noise $noise \
        --batch $begun
}
for batch in 1 $begun 8 none; do
    strike_pass 4
    case $batch in
    none) expect 0 compute 3 1 --resume ;;
    *) expect 0 compute 3 1 --resume --batch "$batch" ;;
    esac
    complains "steps  *[0-9]* of $begun row blocks of "
    case $batch in
    none | "$begun") ! grep -q "whatever --batch says" err || fail "nothing else was asked for" ;;
    *) complains "steps  .*, as the job began, whatever --batch says now" ;;
    esac
    alike
done
