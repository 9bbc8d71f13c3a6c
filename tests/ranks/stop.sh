#!/bin/sh
# Ends a job early on several ranks: a value out of range on one of them, a signal to one, the death of one.
# Nothing is ever left under the final name; what is finished stays under NAME.partial, unless the input was bad.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out keys

# A value that t cannot hold, in the share of the last rank.
table 200000 1 30000 >in.csv
sed '199000s/.*/99999999/' in.csv >bad.csv
for queues in 3 1; do
    # shellcheck disable=SC2086
    expect 65 $MPIRUN -n 3 "$HEBATCH" encrypt --quiet --queues $queues --key keys/secret.h5 bad.csv out.heb
    grep -q "^hebatch encrypt: rank 2 on .*: .*csv: row 198999 (line 199000), column 'c1'" err || fail "the cell is not named"
    absent out.heb out.heb.partial
done
"$PYTHON" - <<'PYTHON' || fail "the report does not say why"
import json
report = json.load(open("out.heb.report.json"))
assert report["exit_code"] == 65 and "row 198999" in report["reason"], report
PYTHON

# A job of 62 units: N = 32768 with 15 primes, public key.
expect 0 "$HEBATCH" keygen --n 32768 --bits 54,54,54,54,54,54,54,54,54,54,54,54,54,54,54 --plain-bits 20 --out big
{ echo a && yes 1 | head -n 2000000; } >long.csv

# interrupt SIGNAL CODE QUEUES: starts the job, which stops ahead of its first unit (hold.c), sends the signal to one rank,
# and lets it go on.
interrupt() {
    rm -rf long.heb long.heb.partial go
    # shellcheck disable=SC2086
    $MPIRUN -n 2 env LD_PRELOAD="$HOLD" HOLD_AFTER=0 HOLD_IN=long.heb.partial HOLD_UNTIL="$work/go" \
        "$HEBATCH" encrypt --quiet --queues "$3" --key big/public.h5 long.csv long.heb >out 2>err &
    launcher=$!
    until [ -e long.heb.partial/part-00001.h5 ]; do
        kill -0 $launcher 2>/dev/null || fail "the job ended before it began"
        sleep 0.05
    done
    struck=$(ranks_of $launcher)
    kill -s "$1" "$(echo "$struck" | tail -n 1)"
    [ "$1" = KILL ] || : >go
    code=0
    wait $launcher || code=$?
    [ "$code" != 9 ] || code=137 # as MPICH's launcher says it
    [ "$code" = "$2" ] || fail "exit code $code, not $2, after $1"
    for rank in $struck; do # the launcher may end before they have, who still hold what they write
        while kill -0 "$rank" 2>/dev/null; do sleep 0.05; done
    done
    absent long.heb
}
for pair in "USR2 1" "TERM 2" "INT 3"; do # signals and queues
    signal=${pair% *}
    interrupt "$signal" 75 "${pair#* }"
    grep -q "stopped by signal" err || fail "the reason is not the signal"
    [ -e long.heb.partial/job.json ] || fail "what was finished is gone after $signal"
done
interrupt KILL 137 2
[ -e long.heb.partial/job.json ] || fail "what was finished is gone after KILL"
table 10 1 100 >short.csv
refuse 73 "--resume continues it, --force starts again" "$HEBATCH" encrypt --key big/public.h5 short.csv long.heb
expect 0 "$HEBATCH" encrypt --key big/public.h5 short.csv long.heb --force
expect 0 "$HEBATCH" verify long.heb --key big/secret.h5 --against short.csv
