#!/bin/sh
# A job is asked to stop, by a signal or by the time that it has, and how far it is. Its results so far are stored, and
# it goes on from there. Each start makes headway, however early it is stopped; reports say how far it came.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"
job=
trap '[ -z "$job" ] || kill "$job" 2>/dev/null; rm -rf "$work"' EXIT # a job that is held would stay

# A job of some steps that take long: N = 16384 with 9 primes.
expect 0 "$HEBATCH" keygen --params bfv-16384 --out keys --for "y = a * b"
table 190000 1 100 >a.csv
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 a.csv a.heb
text="y = a^7 + (a + 1)^7"
expect 0 "$HEBATCH" eval --keys keys "$text" a=a.heb y=whole.heb --quiet
steps=12

# stored: how many units y.heb.partial has.
stored() {
    "$PYTHON" "$shards" count y.heb.partial
}

# reported EXPRESSION VALUE: of y's report.
reported() {
    [ "$(field y.heb.report.json "$1")" = "$2" ] || fail "$1 of the report is not $2"
}

# begin AFTER RANKS K OPTIONS...: the job in the background, held (hold.c) once each group of K ranks, which share each
# ciphertext, has stored AFTER units more.
begin() {
    after=$1
    ranks=$2
    members=$3
    awaited=$(($(stored) + after * ranks / members))
    shift 3
    rm -f go
    # shellcheck disable=SC2086
    $MPIRUN -n "$ranks" env LD_PRELOAD="$HOLD" HOLD_AFTER="$after" HOLD_IN=y.heb.partial HOLD_UNTIL="$work/go" \
        "$HEBATCH" eval --keys keys "$text" a=a.heb y=y.heb --progress 0.01s \
        --limb-ranks "$members" "$@" >out 2>err &
    job=$!
    "$PYTHON" "$shards" wait y.heb.partial "$awaited" "$job" || fail "no $awaited units"
}

# ended CODE: the job goes on, and ends so.
ended() {
    : >go
    code=0
    wait "$job" || code=$?
    job=
    [ "$code" = "$1" ] || fail "exit code $code, not $1"
}

# All that progress told is stored, with the work that was under way; and the job goes on from there.
begin 2 1 1
until grep -q "evaluated 2/$steps row blocks" err; do sleep 0.02; done
kill -USR2 "$(ranks_of $job)"
ended 75
said=$(sed -n 's/^hebatch: evaluated \([0-9]*\)\/.*/\1/p' err | tail -n 1)
there=$(stored)
[ "$there" -ge "$said" ] && [ "$there" -ge 3 ] || fail "$said steps were said to be done, $there are stored"
reported 'r["exit_code"]' 75
reported 'r["steps_done"]' "$there"
reported 'r["times"]["loop"]["units"]' "$there"
reported 'r["times"]["phases"]["loop"] >= r["times"]["wall"]' True
expect 75 "$HEBATCH" eval --keys keys "$text" a=a.heb y=y.heb --resume --max-time 0.001s
grep -q "continued    $there of $steps units" err || fail "not all that was stored is there"
grep -q "time  *0.00 s, then it stops (--max-time)" err || fail "the plan does not say how much time there is"
[ "$(stored)" = $((there + 1)) ] || fail "no headway, or more than was asked for"
reported 'r["steps_done"]' 1

# Time that is over lets each rank do a step all the same. The option is heard before the environment is.
export SLURM_JOB_END_TIME=1000
there=$(stored)
# shellcheck disable=SC2086
expect 75 $MPIRUN -n 2 "$HEBATCH" eval --keys keys "$text" a=a.heb y=y.heb --resume
grep -q "no time for another unit (SLURM_JOB_END_TIME)" err || fail "the reason is not the time"
[ "$(stored)" = $((there + 2)) ] || fail "not one step of each rank"
reported 'r["steps_done"]' 2
unset SLURM_JOB_END_TIME

# So do those that share limbs, both the same.
there=$(stored)
# shellcheck disable=SC2086
expect 75 $MPIRUN -n 2 "$HEBATCH" eval --keys keys "$text" a=a.heb y=y.heb --resume --max-time 0.001s --limb-ranks 2
[ "$(stored)" = $((there + 1)) ] || fail "the members did not do one step"
rm -rf y.heb.partial
begin 1 2 2
kill -s USR2 "$(ranks_of $job | tail -n 1)"
ended 75
there=$(stored)
[ "$there" -ge 1 ] || fail "nothing is stored"
reported 'r["steps_done"]' "$there"
[ "$(grep -c "^hebatch eval: .*stopped by signal" err)" = 1 ] || fail "the reason is not said once"

# Questions: nobody dies of them, whichever rank gets them; the answer is a line, also of a quiet job.
for asked in 1 3; do
    rm -rf y.heb y.heb.partial
    begin 1 3 1 --quiet
    for rank in $(ranks_of $job | tail -n $asked); do
        kill -s USR1 "$rank"
    done
    ended 0
    grep -q "^hebatch: evaluated [0-9]*/$steps row blocks" err || fail "no answer when $asked ranks are asked"
    expect 0 "$HEBATCH" verify y.heb --same-as whole.heb
done

# On a terminal no line of progress is as wide as that is.
for columns in 80 40 20; do
    rm -rf y.heb
    expect 0 "$PYTHON" "${0%/*}/../cli/terminal.py" $columns "$HEBATCH" eval --keys keys "y = a + 1" a=a.heb y=y.heb
done

# An encryption is stopped in the same ways.
# shellcheck disable=SC2086
expect 75 $MPIRUN -n 2 "$HEBATCH" encrypt --key keys/public.h5 a.csv b.heb --max-time 0.001s
[ "$("$PYTHON" "$shards" count b.heb.partial)" = 2 ] || fail "not one unit of each rank"
[ "$(field b.heb.report.json 'r["units"]["done"]')" = 2 ] || fail "the report does not say how much was done"
expect 0 "$HEBATCH" encrypt --key keys/public.h5 a.csv b.heb --resume
expect 0 "$HEBATCH" verify b.heb --key keys/secret.h5 --against a.csv
refuse 64 "SLURM_JOB_END_TIME" env SLURM_JOB_END_TIME=soon "$HEBATCH" encrypt --key keys/public.h5 a.csv c.heb
absent c.heb c.heb.partial
