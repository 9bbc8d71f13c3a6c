#!/bin/sh
# ask, while a command of its stands still and does not answer: after each 10 seconds a line says how long it has run.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

printf 'age\n73\n54\n' >patients.csv
KILL_AT_STOPS=1 KILL_AT_NAME=patients.heb LD_PRELOAD=$KILL_AT_LIBRARY "$HEBATCH" ask 'sum(age)' patients.csv \
    >out 2>err &
late=$!
until grep -q 'encrypts patients.csv: 1[0-9.]* s so far$' err; do
    kill -0 $late || fail "the question was answered while a command stood still"
    sleep 0.1
done
for child in $(ps -o pid= --ppid $late); do
    kill -CONT "$child"
done
wait $late || fail "a question is not answered behind a command that stood still"
says '^sum(age)\|^127$'
