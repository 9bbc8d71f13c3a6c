#!/bin/sh
# --log to what takes no more, a pipe that nobody reads or a full disk: the command goes on, and says so once.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out keys
table 1000 1 100 >in.csv

# A pipe of one page, open and not read; words of the command line, which the log has first, do not fit.
mkfifo pipe held
"$PYTHON" -c 'import fcntl, os, sys
pipe = os.open("pipe", os.O_RDWR)
fcntl.fcntl(pipe, 1031, 4096)  # F_SETPIPE_SZ
open("opened", "w").close()
sys.stdin.read()
os.write(1, os.read(pipe, 4096))' <held >read &
reader=$!
exec 8>held
until [ -e opened ]; do
    kill -0 $reader 2>/dev/null || fail "no reader"
    sleep 0.02
done
long=$(printf '%01000d' 0)
code=0
timeout 120 "$HEBATCH" status "$long" "$long" "$long" "$long" "$long" --log pipe >out 2>err || code=$?
[ "$code" != 124 ] || fail "a log that nobody reads holds the command up"
[ "$(grep -c "warning: the log pipe lacks lines from here on: nobody reads this pipe" err)" = 1 ] || fail "no warning"
[ "$(grep -c "warning: the log pipe lacks [1-9][0-9]* lines that nobody read in time" err)" = 1 ] || fail "no count"
exec 8>&-
wait $reader
grep -q "rank 0 word 1: status" read || fail "the log lacks what fits"

if [ -w /dev/full ]; then
    expect 0 "$HEBATCH" encrypt --key keys/secret.h5 in.csv full.heb --log /dev/full
    [ "$(grep -c "warning: the log /dev/full lacks lines from here on: No space left" err)" = 1 ] || fail "no warning"
    [ "$(grep -c "lacks" err)" = 1 ] || fail "more than one warning"
fi

# A log goes on in a log, also in one whose lines an older program wrote, and in an empty file; every other file stays.
expect 0 "$HEBATCH" info keys/public.h5 --log first.log
lines=$(wc -l <first.log)
printf '2024-12-31T23:59:59.999Z rank 12 a line\n' >old.log
: >empty.log
ln -s first.log link.log
for name in link old empty; do
    expect 0 "$HEBATCH" info keys/public.h5 --log $name.log
    grep -q 'Z rank 0 ends with 0 after' $name.log || fail "$name.log lacks the lines of a command"
done
[ "$(wc -l <first.log)" = $((2 * lines)) ] || fail "the log of a link is not behind that of its file"
grep -q '^2024-12-31T23:59:59.999Z rank 12 a line$' old.log || fail "a log lost a line"
expect 0 "$HEBATCH" encrypt --key keys/public.h5 in.csv x.heb
ln -s keys/secret.h5 secret.log
printf '2024-12-31T23:59:59.999Z,rank 0 \n' >like.log
printf '2024-12-31T23:59:59.999Z rank x \n' >rank.log
for file in keys/secret.h5 secret.log keys/public.h5 x.heb/part-00000.h5 in.csv like.log rank.log; do
    sum=$(cksum <"$file")
    refuse 73 "exists and is no log of hebatch" "$HEBATCH" decrypt --log "$file" --key keys/secret.h5 x.heb -
    [ "$(cksum <"$file")" = "$sum" ] || fail "a log was written into $file"
done
cp in.csv ranks.log.1
# shellcheck disable=SC2086
expect 73 env ASAN_OPTIONS=detect_leaks=0 \
    $MPIRUN -n 2 "$HEBATCH" decrypt --quiet --log ranks.log --key keys/secret.h5 x.heb none.csv
complains "ranks.log.1: exists and is no log of hebatch"
same in.csv ranks.log.1
absent none.csv
