#!/bin/sh
# --trace: what the threads of every rank did, also of a job that failed or was killed, and never anything secret.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own
tests=$(cd "$OLDPWD" && cd "${0%/*}" && pwd)

# trace FILE RANKS [NAME...]: as trace.py has them.
trace() {
    "$PYTHON" "$tests/trace.py" "$@" || fail "$1 is no such trace"
}

# shellcheck disable=SC2086 # options
expect 0 "$HEBATCH" keygen --n 1024 --bits 40,40,41 --plain-bits 14 --insecure --relin --out keys
table 6000 3 200 >secret-words.csv
# shellcheck disable=SC2086 # a command of several words
expect 0 $MPIRUN -n 2 "$HEBATCH" encrypt --key keys/public.h5 secret-words.csv a.heb --trace encrypt.json
trace encrypt.json 2 read/unit read/arrange compute/upload compute/download write/unit job/start job/open job/loop job/commit
absent encrypt.json.0 encrypt.json.1
# shellcheck disable=SC2086
expect 0 $MPIRUN -n 2 "$HEBATCH" eval --limb-ranks 2 --keys keys 'hidden = words * words' words=a.heb hidden=y.heb \
    --trace=eval.json
trace eval.json 2 job/parse job/lower job/registers compute/product compute/relinearization exchange/all-gather write/unit job/sync
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y.csv --trace decrypt.json
trace decrypt.json 1 read/unit compute/download write/arrange
for file in encrypt.json eval.json decrypt.json; do
    ! grep -q "words\|hidden\|$work\|c1\|heb\|csv" "$file" || fail "$file has names of the user's"
done

# A trace replaces a trace and nothing else; before anything is made.
expect 0 "$HEBATCH" verify y.heb --trace decrypt.json
trace decrypt.json 1 compute/unit
echo '[1, 2]' >mine.json
refuse 73 "exists and is no trace of hebatch" "$HEBATCH" eval --keys keys 'z = a' a=a.heb z=z.heb --trace mine.json
refuse 73 "the trace cannot be written there" "$HEBATCH" eval --keys keys 'z = a' a=a.heb z=z.heb --trace no/mine.json
[ "$(cat mine.json)" = '[1, 2]' ] || fail "a file was replaced"
absent z.heb z.heb.partial

# A job that fails leaves what it did until then; so does one of which a rank is killed, by rank.
cp -r a.heb bad.heb
"$PYTHON" "$forge" residues bad.heb || fail "could not forge"
# shellcheck disable=SC2086
expect 65 $MPIRUN -n 2 "$HEBATCH" eval --keys keys 'z = a + 1' a=bad.heb z=z.heb --trace failed.json
trace failed.json 2 job/start read/unit
# shellcheck disable=SC2086
$MPIRUN -n 2 env ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 \
    LD_PRELOAD="$HOLD" HOLD_AFTER=2 HOLD_IN=z.heb.partial HOLD_UNTIL="$work/never" \
    "$HEBATCH" eval --quiet --keys keys 'z = a + 1' a=a.heb z=z.heb --trace killed.json >out 2>err &
job=$!
until grep -q '"name":"write"' killed.json.0 2>/dev/null && grep -q '"name":"write"' killed.json.1; do
    kill -0 $job 2>/dev/null || fail "the job that was to be killed has ended"
    sleep 0.05
done
kill -s KILL "$(ranks_of $job | tail -n 1)"
wait $job 2>/dev/null
absent killed.json
for rank in 0 1; do
    trace killed.json.$rank - job/open read/unit write/unit
done
(echo '[' && grep -h '^{' killed.json.*) >all.json
trace all.json - job/open read/unit write/unit
[ "$(grep -c process_name all.json)" = 2 ] || fail "not both ranks"

# The parts of a trace of more ranks do not stay beside one of fewer.
expect 0 "$HEBATCH" verify y.heb --trace killed.json
trace killed.json 1 compute/unit
absent killed.json.0 killed.json.1
