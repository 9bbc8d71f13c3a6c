#!/bin/sh
# kill -9 at several points of a job; --resume with another number of ranks, which may be killed as well. What was
# finished keeps its bytes, and the dataset is whole.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
shards=${0%/*}/shards.py
case $shards in /*) ;; *) fail "start it by its full path" ;; esac

# A job of some seconds, 46 units: N = 32768 with 15 primes, public key.
expect 0 "$HEBATCH" keygen --n 32768 --bits 54,54,54,54,54,54,54,54,54,54,54,54,54,54,54 --plain-bits 20 --out keys
table 3000000 1 500009 >in.csv

# start RANKS: in the background. The launcher is $launcher.
start() {
    # shellcheck disable=SC2086
    $MPIRUN -n "$1" "$HEBATCH" encrypt --quiet --resume --key keys/public.h5 in.csv out.heb >out 2>err &
    launcher=$!
}

# ended CODE: waits for the launcher, and for ranks that outlive it.
ended() {
    code=0
    wait "$launcher" || code=$?
    [ "$code" = "$1" ] || fail "exit code $code, not $1"
    for rank in $ranks; do
        while kill -0 "$rank" 2>/dev/null; do sleep 0.05; done
    done
    absent out.heb
}

# interrupt SIGNAL UNITS RANKS CODE: a job on RANKS ranks, one of which gets the signal when it has stored UNITS units
# more than there were: then it is past its start, where no signal is caught yet.
interrupt() {
    there=$("$PYTHON" "$shards" count out.heb.partial)
    start "$3"
    "$PYTHON" "$shards" wait out.heb.partial $((there + $2)) || fail "no $2 units"
    ranks=$(pgrep -P "$launcher" hebatch)
    kill -s "$1" "$(echo "$ranks" | tail -n 1)" || fail "the job ended too early"
    ended "$4"
    "$PYTHON" "$shards" save out.heb.partial finished
}

# whole RANKS LEAST: continues to the end; at least LEAST units are those that were there.
whole() {
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n "$1" "$HEBATCH" encrypt --quiet --resume --key keys/public.h5 in.csv out.heb
    absent out.heb.partial out.heb/job.json
    "$PYTHON" "$shards" same out.heb finished "$2" || fail "units that were finished have changed"
    expect 0 "$HEBATCH" verify out.heb --key keys/secret.h5 --against in.csv
    rm -rf out.heb
}

interrupt KILL 0 2 137
whole 3 0
interrupt KILL 8 3 137
cp finished first
interrupt KILL 8 2 137
"$PYTHON" "$shards" same out.heb.partial first 8 || fail "units of the first run have changed"
whole 1 16
interrupt TERM 5 1 75
grep -q "stopped by signal" err || fail "the reason is not the signal"
whole 2 5
