#!/bin/sh
# Two jobs that start in the same instant and write one output. PAIRS (60): how many.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
pairs=${0%/*}/pairs.py
case $pairs in /*) ;; *) fail "start it by its full path" ;; esac
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out keys
table 9000 1 300 >one.csv
awk 'NR == 1 { print } NR > 1 { print 2 * $1 }' one.csv >two.csv
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 one.csv one.heb
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 two.csv two.heb
expect 0 "$HEBATCH" export one.heb seal
# The remains of a job that was killed before its output had its name.
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 one.csv made.heb
"$PYTHON" "${pairs%/cli/*}/ranks/shards.py" partial made.heb one.csv 1 || fail "cannot make an unfinished dataset"
mv made.heb.partial stale.heb.partial
expect 0 env SMALL="$SMALL" "$PYTHON" "$pairs" "${PAIRS:-60}"
cat out
