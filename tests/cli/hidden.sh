#!/bin/sh
# Controls of terminals in names of files and columns, also those beyond ASCII (U+009B begins a command, U+202E turns what
# follows around): nothing that a command says or writes for people has them as they are. Given besides: KILL_AT_LIBRARY.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
tests=$(cd "$OLDPWD" && cd "${0%/*}" && pwd)
name=$(printf 'n\302\2332J\342\200\256\033[5m')
column=$(printf 'c\302\2332J\342\200\256') # no file may have ASCII's in a name of a column

# clean FILE...: fails where one of them has a control, but for ends of lines.
clean() {
    "$PYTHON" - "$@" <<'PYTHON' || fail "a control is shown as it is"
import sys, unicodedata
for path in sys.argv[1:]:
    for c in open(path, encoding="utf-8").read():
        assert c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Zl", "Zp"), (path, hex(ord(c)))
PYTHON
}

# run CODE COMMAND...: what it says and logs is clean, and names what it is about.
run() {
    rm -f log
    expect "$@" --log log
    clean out err log
    grep -q '\\u{9b}\|\\u009b' log || fail "the log does not have the name: $*"
}

# shellcheck disable=SC2086
run 0 "$HEBATCH" keygen $CHAIN --out "$name-keys" --relin --rotations sum
printf '%s,c\n1,2\n3,4\n' "$column" >"$name.csv"
printf '%s,c\nx\033y,2\n' "$column" >"$name-bad.csv"
run 0 "$HEBATCH" encrypt --key "$name-keys/secret.h5" "$name.csv" "$name.heb"
run 65 "$HEBATCH" encrypt --key "$name-keys/secret.h5" "$name-bad.csv" "$name-no.heb"
run 66 "$HEBATCH" encrypt --key "$name-none/secret.h5" "$name.csv" "$name-no.heb"
for json in "" --json; do
    for command in info status verify; do
        # shellcheck disable=SC2086
        run 0 "$HEBATCH" $command "$name.heb" $json
    done
    # shellcheck disable=SC2086
    run 0 "$HEBATCH" info "$name-keys" $json
    # shellcheck disable=SC2086
    run 0 "$HEBATCH" status "$name-no.heb" $json
    # shellcheck disable=SC2086
    run 0 "$HEBATCH" decrypt --force --key "$name-keys/secret.h5" "$name.heb" "$name-back.csv" $json
    # shellcheck disable=SC2086
    run 0 "$HEBATCH" eval --force --keys "$name-keys" "y = x.c * x.c" x="$name.heb" y="$name-y.heb" --range x=0..5 $json
done
same "$name.csv" "$name-back.csv"
run 64 "$HEBATCH" eval --keys "$name-keys" "y = x.$column" x="$name.heb" y="$name-y.heb"
expect 64 "$HEBATCH" info "$name.heb" "--$name"
clean out err
expect 64 "$HEBATCH" "$name"
clean out err
run 0 "$HEBATCH" export "$name.heb" "$name-seal"
run 0 "$HEBATCH" export "$name-keys" "$name-keys-seal"
run 0 "$HEBATCH" import "$name-seal" "$name-in.heb" --key "$name-keys/secret.h5"
run 0 "$HEBATCH" encrypt --key "$name-keys/secret.h5" "$name.csv" "$name-more.heb"
run 0 "$HEBATCH" add "$name.heb" "$name-more.heb" "$name-sum.heb"
run 65 "$HEBATCH" add "$name.heb" "$name.heb" "$name-twice.heb"
run 0 "$HEBATCH" status "$name.heb" "$name-y.heb" --html page.html
clean "$name.heb.report.json" "$name-y.heb.report.json" "$name-back.csv.report.json" "$name-seal/index.json" page.html

# The remains of a killed job.
code=0
KILL_AT_NAME=".heb" LD_PRELOAD=$KILL_AT_LIBRARY "$HEBATCH" encrypt --key "$name-keys/secret.h5" "$name.csv" \
    "$name-half.heb" >out 2>err || code=$?
[ "$code" = 137 ] || fail "the job was not killed"
clean out err "$name-half.heb.partial/job.json"
grep -q 'u009b' "$name-half.heb.partial/job.json" || fail "job.json does not name the table"
run 0 "$HEBATCH" status "$name-half.heb"
run 0 "$HEBATCH" encrypt --resume --key "$name-keys/secret.h5" "$name.csv" "$name-half.heb"

# A question on a terminal, and Python's part.
"$PYTHON" "$tests/terminal_answers.py" tulips tulips -- "$HEBATCH" passphrase "$name-keys/secret.h5" >asked ||
    fail "no passphrase"
tr -d '\r' <asked >question
clean question
grep -q 'u{9b}' question || fail "the question does not name the key"
code=0
PYTHONPATH=$tests/../../jobs/python "$PYTHON" -m hebatch convert "$name-none.csv" "$name.h5:/t" 2>err || code=$?
[ "$code" != 0 ] || fail "a table that is not there was converted"
clean err
