#!/bin/sh
# Ranks that wait for another: one that is stopped by a signal is named, with its phase, on stderr and in the log, at a
# minute, two, four and so on; what follows is as ever. One that is killed, where the launcher leaves the others alone:
# these end, one says so, and the report is there whichever rank it was.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"
job=
trap '[ -z "$job" ] || kill -9 $(ranks_of "$job") "$job" 2>/dev/null; rm -rf "$work"' EXIT

expect 0 "$HEBATCH" keygen --params bfv-8192 --for "y = a * a + 1" --out keys
table 600000 1 100 >in.csv
expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 in.csv in.heb

# start RANK OPTIONS...: a job of three ranks, as $launch says; `struck` is the process of one of them, which has begun.
start() {
    rank=$1
    shift
    rm -f job.log.*
    # shellcheck disable=SC2086
    $MPIRUN $launch "$HEBATCH" "$@" --quiet --log job.log >out 2>err &
    job=$!
    until struck=$(sed -n 's/.*, process \([0-9]*\) on .*/\1/p' "job.log.$rank" 2>/dev/null) && [ -n "$struck" ]; do
        kill -0 $job 2>/dev/null || fail "the job ended before it began"
        sleep 0.02
    done
}

# ends CODE
ends() {
    code=0
    wait $job || code=$?
    job=
    [ "$code" = "$1" ] || fail "exit code $code, not $1"
}

# waits RANK TELLER COMMAND...: the rank is stopped, the other one says so; minutes are short (hold.c).
waits() {
    stopped=$1 teller=$2
    shift 2
    launch="-n 3 env LD_PRELOAD=$HOLD HOLD_HASTE=1"
    start "$stopped" "$@"
    kill -STOP "$struck"
    until grep -q "has waited 0:02:00" err; do
        kill -0 $job 2>/dev/null || fail "nobody says who is waited for"
        sleep 0.05
    done
    kill -CONT "$struck"
    ends 0
    said="waiting      rank $teller\(, phase [a-z]*\)* has waited 0:0[12]:00 for rank $stopped (process $struck\(, phase [a-z]*\)*), "
    said="${said}stopped by a signal: kill -CONT lets it go on"
    [ "$(grep -c "^hebatch: $said$" err)" = "$(grep -c "0:0[12]:00" err)" ] || fail "the line is another"
    [ "$(grep -c "0:02:00" err)" = 1 ] && [ "$(grep -c "0:01:00" err)" = 1 ] || fail "a line is said more than once"
    [ "$(grep -c " rank $teller $said$" "job.log.$teller")" = "$(grep -c waiting err)" ] || fail "the log lacks the line"
}

waits 2 0 encrypt --key keys/secret.h5 in.csv out.heb
expect 0 "$HEBATCH" verify out.heb --key keys/secret.h5 --against in.csv
waits 1 0 eval --keys keys "y = a * a + 1" a=in.heb y=y.heb
waits 0 1 decrypt --key keys/secret.h5 in.heb out.csv
same in.csv out.csv

# A rank that is stopped before it has begun: MPI knows nobody yet, and its process is named.
# shellcheck disable=SC2086,SC2016
$MPIRUN -n 3 env LD_PRELOAD="$HOLD" HOLD_HASTE=1 sh -c '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 1 ] ||
    { echo $$ >struck && kill -STOP $$; }; exec "$@"' sh "$HEBATCH" decrypt --quiet --key keys/secret.h5 in.heb late.csv >out 2>err &
job=$!
until grep -q "rank 0 has waited 2 min for others to start" err; do
    kill -0 $job 2>/dev/null || fail "the job ended without the rank that is stopped"
    sleep 0.05
done
struck=$(cat struck)
kill -CONT "$struck"
ends 0
same in.csv late.csv
[ "$(grep -c "^hebatch: waiting      rank 0 has waited 1 min for others to start: process $struck is stopped by a" err)" = 1 ] ||
    fail "the process that is stopped is not named"
if grep -q "waiting      rank 2" err; then fail "more than two ranks say it"; fi

# The report that three ranks leave of which this one is gone. Each is held behind its third unit until it is killed.
killed() {
    rm -rf out.heb* go
    launch="--enable-recovery -n 3 env LD_PRELOAD=$HOLD HOLD_AFTER=3 HOLD_IN=out.heb.partial HOLD_UNTIL=$work/go"
    start "$1" encrypt --resume --key keys/secret.h5 in.csv out.heb
    "$PYTHON" "$shards" wait out.heb.partial 9 $job || fail "no 9 units"
    kill -KILL "$struck"
    : >go
    wait $job # its code is the launcher's, which says 0 then
    job=
    absent out.heb
    [ "$(grep -c "^hebatch encrypt: rank $1 of this host is gone: .*--resume continues it" err)" = 1 ] ||
        fail "not one line says that rank $1 is gone"
    [ "$(grep -c "^hebatch encrypt: rank . of this host is gone" err)" = 1 ] || fail "another rank is named"
    [ "$(field out.heb.report.json 'r["exit_code"]')" = 76 ] || fail "the report does not say 76"
    field out.heb.report.json 'r["reason"]' | grep -q "rank $1, a process of this host, is gone" ||
        fail "the report does not say why"
}
# shellcheck disable=SC2086
if $MPIRUN --version 2>&1 | grep -q "Open MPI\|OpenRTE"; then
    killed 2
    killed 0
    expect 0 "$HEBATCH" encrypt --quiet --resume --key keys/secret.h5 in.csv out.heb
    expect 0 "$HEBATCH" verify out.heb --key keys/secret.h5 --against in.csv
fi
