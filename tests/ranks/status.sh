#!/bin/sh
# How far a job is, from outside, while it runs and after; what is refused before keys are read; reports of jobs that
# failed before they began.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"
job=
trap '[ -z "$job" ] || kill "$job" 2>/dev/null; rm -rf "$work"' EXIT # a job that is held would stay

expect 0 "$HEBATCH" keygen --n 8192 --bits 50,50,50,50,51 --plain 65537 --insecure --out keys --for "y = a * b"
table 98000 1 100 >a.csv
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 a.csv a.heb
text="y = a^3 + 1"

# status_of NAME EXPRESSION VALUE: of `status --json`, whose first job is j.
status_of() {
    expect 0 "$HEBATCH" status --json "$1"
    cp out status.json
    [ "$(field status.json "(lambda j: ($2))(r['jobs'][0])")" = "$3" ] || fail "$2 is not $3 of $1"
}

# While it runs, and is held after 2 units of each rank.
rm -f go
# shellcheck disable=SC2086
$MPIRUN -n 2 env LD_PRELOAD="$HOLD" HOLD_AFTER=2 HOLD_IN=y.heb.partial HOLD_UNTIL="$work/go" \
    "$HEBATCH" eval --quiet --keys keys "$text" a=a.heb y=y.heb --log job.log >job.out 2>job.err &
job=$!
"$PYTHON" "$shards" wait y.heb.partial 4 $job || fail "no 4 units"
for name in y.heb y.heb.partial y.heb.partial/; do
    status_of "$name" 'j["state"], j["units_stored"], j["units"], j["expression"], j["output"], j["last"]' \
        "('running', 4, 12, '$text', 'y', None)"
done
expect 0 "$HEBATCH" info y.heb.partial
says "state        running"
says "units        4 of 12 are stored (33%)"
says "command      eval '$(echo "$text" | sed 's/[*^]/\\&/g')', output y"
refuse 73 "another job is writing it" "$HEBATCH" eval --keys nowhere "$text" a=a.heb y=y.heb --force
absent y.heb.report.json
held=$(date -u +%Y-%m-%dT%H:%M:%SZ) # it began before, and reports later
sleep 1.1
kill -s USR2 "$(ranks_of $job | tail -n 1)"
: >go
wait $job
code=$?
job=
[ $code = 75 ] || fail "the job did not stop"

# Each rank has said so in its own file.
for rank in 0 1; do
    for line in "word 1: eval" "stopped by signal 12" "ends with 75 after"; do
        grep -q "^20.*Z rank $rank .*$line" job.log.$rank || fail "no '$line' of rank $rank"
    done
done
absent job.log

# After it has stopped: as much as is there, why, and how to go on.
there=$("$PYTHON" "$shards" count y.heb.partial)
status_of y.heb 'j["state"], j["units_stored"], j["last"]["exit_code"]' "('unfinished', $there, 75)"
status_of y.heb "j['last']['started'] <= '$held'" True
expect 0 "$HEBATCH" status y.heb a.heb
says "state        unfinished"
says "last report  of the run of .*, exit code 75: .*stopped by signal"
says "to go on     the same command with --resume"
says "state        done"
expect 0 "$HEBATCH" info --json y.heb.partial
[ "$(field out 'r["units_stored"], r["report_version"]')" = "($there, 1)" ] || fail "info does not say it as JSON"

# An output that is there already is refused before keys are looked for, and the report of how it ended stays.
cp y.heb.report.json before.json
refuse 73 "--resume continues it" "$HEBATCH" eval --keys nowhere "$text" a=a.heb y=y.heb
refuse 73 "--resume continues it" "$HEBATCH" encrypt --key nowhere.h5 a.csv y.heb
mkdir seal
: >seal/ct-000000.seal
refuse 73 "left by an unfinished job" "$HEBATCH" import seal y.heb --key nowhere.h5
same y.heb.report.json before.json
refuse 73 "exists already" "$HEBATCH" encrypt --key nowhere.h5 a.csv a.heb
: >there.csv
refuse 73 "exists already" "$HEBATCH" decrypt --key nowhere.h5 a.heb there.csv
mkdir there
refuse 73 "there: exists" "$HEBATCH" export a.heb there
expect 0 "$HEBATCH" eval --quiet --keys keys "$text" a=a.heb y=y.heb --resume
status_of y.heb 'j["state"], j["last"]["exit_code"]' "('done', 0)"
status_of y.heb 'j["last"]["slurm"], [(x["exit_code"], x["ranks"]) for x in j["last"]["runs_before"]]' "(None, [(75, 2)])"
expect 0 "$HEBATCH" status y.heb
says "runs before  1 that did not come to the end"
expect 0 "$HEBATCH" eval --quiet --keys keys "$text" a=a.heb y=y.heb --force
status_of y.heb 'j["last"]["runs_before"]' "[]"
refuse 66 "neither a dataset" "$HEBATCH" status nowhere.heb
# members NAME: of the first job of the last status, which every state has.
members() {
    field status.json 'sorted(r["jobs"][0])' >"members.$1"
}
members done

# Anyone who fails before it begins leaves a report, but not beside what another run made.
# reason FILE CODE WORDS
reason() {
    [ "$(field "$1.report.json" 'r["exit_code"]')" = "$2" ] || fail "the report of $1 does not say $2"
    field "$1.report.json" 'r["reason"]' | grep -q -- "$3" || fail "the report of $1 does not say why"
}
refuse 66 "nowhere.h5" "$HEBATCH" encrypt --key nowhere.h5 a.csv new.heb
reason new.heb 66 "nowhere.h5"
status_of new.heb 'j["state"], j["command"], j["units"], j["units_stored"], j["shards"]' "('reported', 'encrypt', None, 0, 0)"
members reported
cp -r a.heb half.heb.partial
status_of half.heb 'j["state"], j["command"]' "('unfinished', None)"
members unfinished
same members.done members.reported
same members.done members.unfinished
refuse 66 "nowhere.csv" "$HEBATCH" encrypt --key keys/public.h5 nowhere.csv other.heb
reason other.heb 66 "nowhere.csv"
refuse 66 "nowhere.heb" "$HEBATCH" eval --keys keys "z = a + 1" z=z.heb a=nowhere.heb
reason z.heb 66 "nowhere.heb"
refuse 66 "nowhere.h5" "$HEBATCH" decrypt --key nowhere.h5 a.heb z.csv
reason z.csv 66 "nowhere.h5"
# shellcheck disable=SC2086
expect 66 $MPIRUN -n 2 "$HEBATCH" decrypt --quiet --key nowhere.h5 a.heb ranks.csv
reason ranks.csv 66 "nowhere.h5"
cp a.heb.report.json before.json
refuse 66 "nowhere.h5" "$HEBATCH" encrypt --force --key nowhere.h5 a.csv a.heb
same a.heb.report.json before.json
refuse 64 "" "$HEBATCH" eval --keys keys "z = a + 1" a=a.heb z=a.heb --force
same a.heb.report.json before.json
expect 66 "$HEBATCH" encrypt --dry-run --key nowhere.h5 a.csv dry.heb
absent dry.heb.report.json

# Rank 0 is through with its share and waits for the other, which is held: it goes on showing how far the job is.
rm -rf go y.heb*
# shellcheck disable=SC2086,SC2016
$MPIRUN -n 2 env HOLD_IN=y.heb.partial HOLD_UNTIL="$work/go" sh -c '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 1 ] ||
    export LD_PRELOAD="$0" HOLD_AFTER=2; exec "$@"' "$HOLD" "$HEBATCH" eval --keys keys "$text" a=a.heb y=y.heb \
    --progress 0.1s >job.out 2>job.err &
job=$!
"$PYTHON" "$shards" wait y.heb.partial 8 $job || fail "no 8 units" # 6 of rank 0
lines() { grep -c "^hebatch: evaluated [0-9]*/12 " job.err; }
sleep 0.5 # rank 0 has come to its wait
shown=$(lines)
until [ "$(lines)" -ge $((shown + 3)) ]; do
    kill -0 $job 2>/dev/null || fail "the job ended before its time"
    sleep 0.05
done
: >go
wait $job || fail "the job fails: $?"
job=
