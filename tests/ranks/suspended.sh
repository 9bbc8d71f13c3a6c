#!/bin/sh
# A job of ranks that share limbs is suspended as a whole, one rank after the other, as `scontrol suspend` does: for longer
# than --comm-timeout, while one waits for the other in an exchange. It goes on as if nothing had been.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"
job=
trap '[ -z "$job" ] || kill -9 $(ranks_of "$job") "$job" 2>/dev/null; rm -rf "$work"' EXIT

expect 0 "$HEBATCH" keygen --params bfv-16384 --out keys --for "y = a^4"
table 400000 1 10 >in.csv
expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 in.csv a.heb
expect 0 "$HEBATCH" eval --quiet --keys keys "y = a^4" a=a.heb y=whole.heb

# shellcheck disable=SC2086
$MPIRUN -n 2 env LD_PRELOAD="$HOLD" HOLD_AFTER=2 HOLD_IN=y.heb.partial HOLD_UNTIL="$work/go" \
    "$HEBATCH" eval --quiet --keys keys "y = a^4" a=a.heb y=y.heb --limb-ranks 2 --comm-timeout 4s >out 2>err &
job=$!
"$PYTHON" "$shards" wait y.heb.partial 2 $job || fail "no 2 units"
ranks=$(ranks_of $job)
: >go
for rank in $ranks; do
    kill -STOP "$rank"
    sleep 1 # in which the other comes to an exchange
done
sleep 6
# shellcheck disable=SC2086
kill -CONT $ranks
code=0
wait $job || code=$?
job=
[ "$code" = 0 ] || fail "exit code $code"
expect 0 "$HEBATCH" verify y.heb --same-as whole.heb
