#!/bin/sh
# eval --resume where an expression adds up over rows: what was added up before a job was stopped or killed is not
# computed again, on any number of ranks, and the bytes are those of an uninterrupted job. Kept sums count as a whole or
# not at all. eval_sums.sh [ckks]: under BFV, or on reals.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"
# In both 12 row blocks, and as many steps.
case ${1:-bfv} in
bfv) params=bfv-8192 rows=95000 text="y = a^3 + 1; s = sum(a * a); m = a * s + q" ;;
ckks) params=ckks-13 rows=48000 text="y = a*a + 0.5; s = sum(a * a); m = 1e-4*a - s*q" ;;
esac
expect 0 "$HEBATCH" keygen --params "$params" --out keys --for "$text" --one-row q
table "$rows" 1 100 >a.csv
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 a.csv a.heb
table 1 1 100 >q.csv
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 q.csv q.heb
expect 0 "$HEBATCH" eval --quiet --keys keys "$text" a=a.heb q=q.heb y=y1.heb s=s1.heb m=m1.heb
[ "$(field y1.heb.report.json 'r["steps_done"]')" = 24 ] || fail "not two passes of 12 steps"
absent y1.heb/sums-0

# job LAUNCHER...: continues, or begins.
job() {
    "$@" "$HEBATCH" eval --keys keys "$text" a=a.heb q=q.heb y=y.heb s=s.heb m=m.heb --resume
}
# whole RANKS K STEPS: to the end, in so many steps, with the same bytes.
whole() {
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n "$1" "$HEBATCH" eval --keys keys "$text" a=a.heb q=q.heb y=y.heb s=s.heb m=m.heb --resume \
        --limb-ranks "$2"
    [ "$(field y.heb.report.json 'r["steps_done"]')" = "$3" ] || fail "not $3 steps were left"
    for output in y s m; do
        expect 0 "$HEBATCH" verify $output.heb --same-as ${output}1.heb
    done
    absent y.heb/sums-0 y.heb.partial
    rm -rf [ysm].heb
}
strike_sums() {
    signal=$1 units=$2 code_of_sums=$3 ranks_of_sums=$4 members_of_sums=$5
    shift 5
    strike "$signal" "$units" "$code_of_sums" y.heb "$ranks_of_sums" "$members_of_sums" eval --keys keys "$text" \
        a=a.heb q=q.heb y=y.heb s=s.heb m=m.heb --resume "$@"
}

# Stopped in the first pass on two ranks, on with one, whose time is over at once, then three: no step is done twice.
strike_sums USR2 2 75 2 1
[ -e y.heb.partial/sums-0 ] || fail "the sums were not kept"
done_steps=$(field y.heb.report.json 'r["steps_done"]')
expect 75 job env SLURM_JOB_END_TIME=1000
grep -q "sums         of $done_steps of 12 steps are there" err || fail "not all $done_steps steps are in the sums"
whole 3 1 $((24 - done_steps - 1))

# Ranks that share limbs keep all limbs, and others go on with them, alone or two by two.
strike_sums USR2 2 75 2 2
done_steps=$(field y.heb.report.json 'r["steps_done"]')
cp -R y.heb.partial y.kept && cp -R s.heb.partial s.kept && cp -R m.heb.partial m.kept
whole 1 1 $((24 - done_steps))
for output in y s m; do
    mv $output.kept $output.heb.partial
done
whole 4 2 $((24 - done_steps))

# Killed: what was kept now and then is there, however the job ended. One group, which is held as a whole: where there are
# more, each keeping of the sums divides the rest anew.
strike_sums KILL 3 137 2 2 --keep 0.001s
expect 75 job env SLURM_JOB_END_TIME=1000
there=$(sed -n 's/^hebatch: sums  *of \([0-9]*\) of 12 steps are there/\1/p' err)
[ "${there:-0}" -ge 1 ] || fail "nothing was kept of what was killed"
whole 2 1 $((24 - there - 1))

# In the second pass: the first is not done again.
# shellcheck disable=SC2086
strike USR2 2 75 m.heb 1 1 eval --keys keys "$text" a=a.heb q=q.heb y=y.heb s=s.heb m=m.heb --resume
expect 0 job env
grep -q "passes       1 of 2 are done" err || fail "the first pass was lost"
rm -rf [ysm].heb

# A damaged file, or one that does not go with the rows that are there, does not count.
strike_sums USR2 2 75 2 1
cp -R y.heb.partial y.kept && cp -R s.heb.partial s.kept && cp -R m.heb.partial m.kept
flip y.heb.partial/sums-0 5000
expect 75 job env SLURM_JOB_END_TIME=1000
grep -q "sums         start from the beginning: y.heb.partial/sums-0 is damaged" err || fail "damage is not seen"
rm -rf [ysm].heb.partial
for output in y s m; do
    mv $output.kept $output.heb.partial
done
"$PYTHON" "$shards" damage y.heb.partial 0
expect 75 job env SLURM_JOB_END_TIME=1000
grep -q "sums         start from the beginning: rows of some steps" err || fail "rows that are lost are not seen"
whole 2 1 23
