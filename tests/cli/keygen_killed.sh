#!/bin/sh
# keygen, killed before every call that changes files: nothing is left that a second run does not remove or complete.
# Given by ctest besides: KILL_AT_LIBRARY (kill_at.c).
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

# killed K COMMAND...: kills it before its K-th such call; false when it ended before.
killed() {
    at=$1
    shift
    code=0
    KILL_AT=$at LD_PRELOAD=$KILL_AT_LIBRARY "$@" >out 2>err || code=$?
    [ "$code" = 137 ] || [ "$code" = 0 ] || fail "exit code $code when killed at $at"
    [ "$code" = 137 ]
}

# whole DIR: a pair of one identity, with the key that was asked for, and nothing else.
whole() {
    [ "$(ls -A "$1" | tr '\n' ' ')" = "galois-3.h5 public.h5 relin.h5 secret.h5 " ] || fail "$1 has $(ls -A "$1")"
    [ "$(stat -c %a "$1/secret.h5")" = 600 ] || fail "the secret key of $1 is open to others"
    for key in secret public relin galois-3; do
        expect 0 "$HEBATCH" info "$1/$key.h5"
        sed -n 's/^key id *//p' out
    done >ids
    [ "$(sort -u ids | wc -l)" = 1 ] || fail "$1 holds keys of several pairs"
}

# reject CODE WORDS COMMAND...: like refuse, of a command that warns of its parameters besides.
reject() {
    words=$2
    code_of_refusal=$1
    shift 2
    expect "$code_of_refusal" "$@"
    grep -q -- "$words" err || fail "the reason does not say '$words': $*"
}

k=0 left=0 completed=0
# shellcheck disable=SC2086
while killed $((k += 1)) "$HEBATCH" keygen $CHAIN --out new --relin --rotations 1; do
    [ ! -e new/secret.h5 ] || [ -e new/public.h5 ] || fail "killed at $k: a secret key without its public one"
    code=0
    "$HEBATCH" keygen $CHAIN --out new --relin --rotations 1 >out 2>err || code=$?
    if [ $code = 0 ]; then
        left=$((left + 1))
    elif [ -e new/secret.h5 ]; then # the pair was whole when it was killed
        reject 73 "keygen --key new/secret.h5\|secret.h5 instead of --out adds keys" \
            "$HEBATCH" keygen $CHAIN --out new --relin --rotations 1
        expect 0 "$HEBATCH" keygen --key new/secret.h5 --relin --rotations 1
    else
        completed=$((completed + 1))
        reject 73 "hebatch keygen --key new/secret.h5 completes it" "$HEBATCH" keygen $CHAIN --out new
        cp -r new first
        j=0
        while [ $completed = 1 ] && killed $((j += 1)) "$HEBATCH" keygen --key new/secret.h5 --relin --rotations 1; do
            [ ! -e new/secret.h5 ] || [ -e new/public.h5 ] || fail "killed at $k, $j: a secret key without a public one"
            expect 0 "$HEBATCH" keygen --key new/secret.h5 --relin --rotations 1
            [ -z "$(find new -name '*.partial')" ] && [ -e new/secret.h5 ] || fail "killed at $k, $j: not completed"
            rm -r new && cp -r first new
        done
        rm -r new && mv first new
        expect 0 "$HEBATCH" keygen --key new/secret.h5 --relin --rotations 1
    fi
    whole new
    rm -r new
done
whole new
[ $left -ge 10 ] && [ $completed -ge 2 ] || fail "killed at $k places: $left with only leftovers, $completed unfinished pairs"

# A public key that was lost is made again: the same file. Damage in the secret's file is found.
cp new/public.h5 kept
rm new/public.h5
expect 0 "$HEBATCH" keygen --key new/secret.h5
same kept new/public.h5
expect 64 "$HEBATCH" keygen --key new/secret.h5
rm new/public.h5
cp -p new/secret.h5 kept
"$PYTHON" - new/secret.h5 <<'PYTHON'
import sys, h5py
with h5py.File(sys.argv[1], "r+") as f: f["root"][5] ^= 1
PYTHON
expect 65 "$HEBATCH" keygen --key new/secret.h5
grep -q "secret.h5: does not match its checksum" err || fail "a damaged root is not told"
cp -p kept new/secret.h5
"$PYTHON" - new/secret.h5 <<'PYTHON'
import sys, h5py
with h5py.File(sys.argv[1], "r+") as f: del f["root"]
PYTHON
expect 65 "$HEBATCH" keygen --key new/secret.h5
grep -q "public.h5 is missing, and .* take it from a copy" err || fail "no way out of a lost public key"
expect 0 "$HEBATCH" keygen --key new/secret.h5 --rotations 2 # as always
absent new/public.h5

# A file that a process is writing is not removed, nor is a secret key adopted that belongs to another public one.
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $CHAIN --out other
mkdir busy
: >busy/secret.h5.partial
"$PYTHON" - busy/secret.h5.partial locked <<'PYTHON' &
import fcntl, os, sys, time
file = open(sys.argv[1])
fcntl.flock(file, fcntl.LOCK_EX)
open(sys.argv[2], "w").close()
parent = os.getppid()
while not os.path.exists("enough") and os.getppid() == parent: time.sleep(0.01)
PYTHON
until [ -e locked ]; do sleep 0.01; done
# shellcheck disable=SC2086
reject 73 "busy/secret.h5.partial: another process is writing it" "$HEBATCH" keygen $CHAIN --out busy
[ -e busy/secret.h5.partial ] || fail "the file of another process was removed"
: >enough
wait
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $CHAIN --out busy
absent busy/secret.h5.partial
mkdir mixed
cp -p new/secret.h5 mixed/secret.h5.partial
cp other/public.h5 mixed
reject 66 "of another pair than mixed/public.h5" "$HEBATCH" keygen --key mixed/secret.h5
[ -e mixed/secret.h5.partial ] || fail "the secret key of another pair was removed"
mkfifo other/relin.h5.partial # nor is a named pipe waited for
reject 73 "relin.h5.partial" "$HEBATCH" keygen --key other/secret.h5 --relin
