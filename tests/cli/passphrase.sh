#!/bin/sh
# Secret keys under a passphrase: made so, used by every command that takes one, on one rank and several, changed and
# removed; the passphrase from each place that it can be at, the terminal among them.
here=$(cd "${0%/*}" && pwd)
# shellcheck source=tests/cli/harness.sh
. "$here/harness.sh"
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own
umask 077
printf 'correct horse\n' >old
printf 'battery staple\r\nnot this line\n' >new
table 40 2 100 >in.csv
key="--key keys/secret.h5"

# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $CHAIN --out keys --relin --seal --cost interactive --passphrase file:old
expect 0 "$HEBATCH" info keys/secret.h5
says 'sealed .*64.0 MiB'
expect 0 "$HEBATCH" info keys --json
if grep -a -q 'correct horse' keys/*; then fail "the passphrase is in a file"; fi

# Every place, and every command.
# shellcheck disable=SC2086
expect 0 "$HEBATCH" encrypt $key in.csv in.heb --passphrase 'command:cat old; echo more'
# shellcheck disable=SC2086
expect 0 "$HEBATCH" decrypt $key in.heb back.csv --passphrase fd:7 7<old
same in.csv back.csv
# shellcheck disable=SC2086
HEBATCH_PASSPHRASE=file:old expect 0 "$HEBATCH" verify in.heb $key --against in.csv
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $key --rotations 1 --passphrase file:old
expect 0 "$HEBATCH" export keys seal --passphrase file:old
# shellcheck disable=SC2086
expect 0 "$HEBATCH" decrypt --key - in.heb again.csv --passphrase file:old <keys/secret.h5
same in.csv again.csv
# shellcheck disable=SC2086
expect 0 $MPIRUN -n 3 "$HEBATCH" decrypt $key in.heb three.csv --passphrase 'command:cat old' --quiet
same in.csv three.csv
# shellcheck disable=SC2086
expect 0 $MPIRUN -n 2 "$HEBATCH" keygen $key --rotations 2,3,4 --passphrase file:old --quiet
# shellcheck disable=SC2086
expect 0 $MPIRUN -n 2 "$HEBATCH" keygen $CHAIN --out two --relin --seal --cost interactive --passphrase file:old --quiet

# When two commands change one key, the second is refused while the first asks for its passphrase.
cp keys/secret.h5 twice.h5
expect 0 "$HEBATCH" passphrase twice.h5 --cost interactive --new-passphrase file:new --passphrase \
    "command:$HEBATCH passphrase twice.h5 --remove --passphrase file:old >inner 2>&1; echo code \$? >>inner; cat old"
grep -q 'code 73' inner || fail "a second change of a passphrase began before the first had ended"
refuse 77 'the passphrase is not that' "$HEBATCH" passphrase twice.h5 --remove --passphrase file:old
expect 0 "$HEBATCH" passphrase twice.h5 --remove --passphrase file:new
ln -s twice.h5 link.h5
refuse 73 'neither a regular file' "$HEBATCH" passphrase link.h5 --cost interactive --new-passphrase file:new

# A log has the words of a command line, but none that has a passphrase in it; neither have reports and traces.
# shellcheck disable=SC2086
expect 0 "$HEBATCH" decrypt $key in.heb told.csv --passphrase "command:echo 'correct horse'" --log told.log \
    --json --trace told.json
grep -q 'rank 0 word [0-9]*: command:\.\.\.$' told.log || fail "the log does not say that a command gave the passphrase"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" decrypt $key in.heb told2.csv "--passphrase=command:echo 'correct horse'" --log told.log
grep -q 'rank 0 word [0-9]*: --passphrase=command:\.\.\.$' told.log || fail "the log lacks an option"
HEBATCH_PASSPHRASE="command:echo 'correct horse'" expect 0 "$HEBATCH" info keys/secret.h5 --log told.log
# shellcheck disable=SC2086
expect 0 "$HEBATCH" decrypt $key in.heb told3.csv --passphrase file:old --log told.log
grep -q 'rank 0 word [0-9]*: file:old$' told.log || fail "the log lacks the name of a file"
cp keys/secret.h5 told.h5
for word in 'correct horse' '--correct horse' "command:echo 'correct horse' >&2"; do
    "$HEBATCH" passphrase told.h5 --passphrase fd:9 --new-passphrase "$word" --log told.log >out 2>err &&
        fail "a passphrase was changed"
    "$HEBATCH" passphrase told.h5 "--new-passphrase=$word" --passphrase fd:9 --log told.log >out 2>err &&
        fail "a passphrase was changed"
done
for file in told.log told.json told.csv.report.json; do
    [ -s $file ] || fail "there is no $file"
    ! grep -q 'correct\|horse' $file || fail "the passphrase is in $file"
done

# Refused, and nothing that was given is repeated.
# shellcheck disable=SC2086
refuse 77 'the passphrase is not that' "$HEBATCH" decrypt $key in.heb no.csv --passphrase file:new
# shellcheck disable=SC2086
refuse 64 'not shown' "$HEBATCH" decrypt $key in.heb no.csv --passphrase hunter2
if grep -q hunter2 err; then fail "a passphrase in the wrong place was repeated"; fi
# shellcheck disable=SC2086
refuse 64 'empty' "$HEBATCH" decrypt $key in.heb no.csv --passphrase 'command:echo'
# shellcheck disable=SC2086
refuse 66 'failed' "$HEBATCH" decrypt $key in.heb no.csv --passphrase 'command:cat old; exit 3'
# shellcheck disable=SC2086
refuse 66 'No such file' "$HEBATCH" decrypt $key in.heb no.csv --passphrase file:none
chmod 644 old
# shellcheck disable=SC2086
refuse 77 'chmod 600' "$HEBATCH" decrypt $key in.heb no.csv --passphrase file:old
chmod 600 old
# shellcheck disable=SC2086
refuse 66 'no terminal' setsid "$HEBATCH" decrypt $key in.heb no.csv
refuse 64 'for a new pair' "$HEBATCH" keygen --key keys/secret.h5 --relin --seal --passphrase file:old
refuse 64 'interactive, moderate or sensitive' "$HEBATCH" passphrase keys/secret.h5 --cost low --passphrase file:old
refuse 65 'public key' "$HEBATCH" passphrase keys/public.h5 --passphrase file:old
absent no.csv

# A long phase without progress says so after each 10 seconds. The command that gives the passphrase waits for two lines.
wait='until [ "$(grep -c "phase open has taken .* so far" err)" -ge 2 ]; do sleep 0.1; done; cat old'
# shellcheck disable=SC2086
expect 0 timeout 300 "$HEBATCH" decrypt $key in.heb long.csv --passphrase "command:$wait"
complains "^hebatch: phase open has taken 10.0 s so far$"
wait='sleep 11; cat old'
# shellcheck disable=SC2086
expect 0 "$HEBATCH" decrypt $key in.heb quiet.csv --passphrase "command:$wait" --quiet
[ ! -s err ] || fail "a quiet command tells of its phases"

# Changed, by files and on a terminal, where a wrong one may be given again; removed.
expect 0 "$HEBATCH" passphrase keys/secret.h5 --passphrase file:old --new-passphrase file:new --cost interactive
# shellcheck disable=SC2086
refuse 77 'the passphrase is not that' "$HEBATCH" decrypt $key in.heb no.csv --passphrase file:old
# shellcheck disable=SC2086
expect 0 timeout 60 "$PYTHON" "$here/terminal_answers.py" 'wrong' 'battery staplX\bX\x7fe' -- "$HEBATCH" decrypt $key in.heb asked.csv
same in.csv asked.csv
expect 0 timeout 60 "$PYTHON" "$here/terminal_answers.py" 'battery staple' 'third' 'third' -- "$HEBATCH" passphrase keys/secret.h5 --cost interactive
expect 64 timeout 60 "$PYTHON" "$here/terminal_answers.py" 'third' 'fourth' 'fifth' -- "$HEBATCH" passphrase keys/secret.h5 --cost interactive
expect 75 timeout 60 "$PYTHON" "$here/terminal_answers.py" 'thi\x03' -- "$HEBATCH" passphrase keys/secret.h5
expect 0 "$HEBATCH" passphrase keys/secret.h5 --passphrase 'command:echo third' --remove
refuse 65 'no passphrase to remove' "$HEBATCH" passphrase keys/secret.h5 --remove
# shellcheck disable=SC2086
expect 0 "$HEBATCH" decrypt $key in.heb open.csv
same in.csv open.csv
