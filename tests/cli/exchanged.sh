#!/bin/sh
# Files that others may have put in the place of ours, and their names: keys are told by their ids, job files write
# nothing that the command line does not say, reports show no controls, a log does not wait for a reader of its pipe.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $CHAIN --out keys
id=$(cat out)
expect 0 "$HEBATCH" info keys
says "$id"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $CHAIN --out others
table 10 2 100 >t.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 --key-id "$id" t.csv t.heb
grep -q "key          $id, public" err || fail "the id of the key is not in the log"
refuse 65 "others/public.h5: is key .*, and --key-id says $id" \
    "$HEBATCH" encrypt --key others/public.h5 --key-id "$id" t.csv no.heb
refuse 64 "is no id of a key" "$HEBATCH" encrypt --key keys/public.h5 --key-id 12ab t.csv no.heb
absent no.heb no.heb.partial

for option in '"trace": "w.json"' '"tra": "w.json"' '"log": "w.log"' '"lo": "w.log"' '"passphrase": "command:touch w"'; do
    printf '{"eval": "y = x.c1 + x.c2", "keys": "keys", "inputs": {"x": "t.heb"}, "outputs": {"y": "y.heb"}, "options": {%s}}\n' \
        "$option" >job.json
    refuse 64 "a job file cannot say" "$HEBATCH" eval job.json
done
printf '{"eval": "y = x.c1 + x.c2", "keys": "keys", "inputs": {"x": "t.heb"}, "options": {"trace=w.json": true}}\n' >job.json
refuse 64 "is no name of an option" "$HEBATCH" eval job.json
absent w w.json w.log y.heb

mkfifo pipe
refuse 73 "nobody reads this pipe" "$HEBATCH" encrypt --key keys/public.h5 --log pipe t.csv no.heb
cat pipe >read &
reader=$!
expect 0 "$HEBATCH" encrypt --key keys/public.h5 --log pipe t.csv logged.heb
wait $reader
grep -q "rank 0 key " read || fail "a pipe that is read has no log"

# U+009B begins a command of terminals, U+202E turns what follows around; in JSON they mean the same as \u escapes.
name=$(printf 'a\302\233b\342\200\256c')
printf '%s,d\n1,2\n' "$name" >hidden.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 --json hidden.csv hidden.heb
cp out report
if grep -q "$(printf '\302\233')" report hidden.heb.report.json; then fail "a control is shown raw"; fi
"$PYTHON" - report hidden.heb.report.json <<'PYTHON' || fail "the name is another in JSON"
import json, sys
for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    assert "\\u009b" in text and "\\u202e" in text, path
    assert json.loads(text)["column"][0]["name"] == "a\x9bb\u202ec", path
PYTHON
