#!/bin/sh
# export and import --keys, killed before every call that changes files: the same command again makes what an undisturbed
# one does, and leaves nothing else. Folders that hebatch did not make stay. Given besides: KILL_AT_LIBRARY (kill_at.c).
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $CHAIN --out own --relin --rotations 1
table 1000 2 100 >in.csv
expect 0 "$HEBATCH" encrypt --key own/public.h5 in.csv in.heb
expect 0 "$HEBATCH" export own own-out
expect 0 "$HEBATCH" export in.heb in-out
expect 0 "$HEBATCH" import own-out --keys own-back --insecure
mkdir own-public
cp own-out/parms.seal own-out/public.seal own-out/keys.json own-public
expect 0 "$HEBATCH" import own-public --keys served --insecure

# killed K COMMAND...: kills it before its K-th such call; false when it ended before.
killed() {
    at=$1
    shift
    code=0
    KILL_AT=$at LD_PRELOAD=$KILL_AT_LIBRARY "$@" >out 2>err || code=$?
    [ "$code" = 137 ] || [ "$code" = 0 ] || fail "exit code $code when killed at $at"
    [ "$code" = 137 ]
}

# whole WANTED NAME: NAME has what WANTED has, and nothing stands beside it. Killed just after it has its name, it keeps the
# mark of a folder in the making.
whole() {
    diff -r -x .hebatch-partial "$1" "$2" >differ || fail "killed at $k: $2 is not $1: $(cat differ)"
    [ "$(echo "$2"*)" = "$2" ] || fail "killed at $k: left are $(echo "$2"*)"
}

# again WANTED NAME COMMAND...: makes NAME.
again() {
    wanted_folder=$1 made=$2 left=0 k=0
    shift 2
    while killed $((k += 1)) "$HEBATCH" "$@"; do
        if [ ! -e "$made" ]; then # else it was killed when all was done
            [ ! -e "$made.partial" ] || left=$((left + 1))
            expect 0 "$HEBATCH" "$@"
        fi
        whole "$wanted_folder" "$made"
        rm -r "$made"
    done
    [ "$left" -gt 3 ] || fail "no run was killed in the middle: $*"
    rm -r "$made"
}
again own-out new export own new
again in-out new export in.heb new
again own-back new import own-out --keys new --insecure

# Further keys, to a directory that is there.
k=0 left=0
cp -r served new
while killed $((k += 1)) "$HEBATCH" import own-out --keys new --insecure; do
    [ ! -e new.further.partial ] || left=$((left + 1))
    expect 0 "$HEBATCH" import own-out --keys new --insecure
    whole own-back new
    rm -r new
    cp -r served new
done
[ "$left" -gt 3 ] || fail "no run was killed in the middle"
whole own-back new

# Files that somebody else has made, and files that a running process makes.
mkdir mine.partial
echo mine >mine.partial/secret.seal
refuse 73 "mine.partial: is there, and hebatch has not made it" "$HEBATCH" export own mine
refuse 73 "mine.partial: is there, and hebatch has not made it" "$HEBATCH" import own-out --keys mine --insecure
[ "$(cat mine.partial/secret.seal)" = mine ] || fail "a file of somebody else is gone"
mkdir mine.partial.0123456789abcde
refuse 73 "has not made it" "$HEBATCH" export own mine
[ -e mine.partial.0123456789abcde ] || fail "a folder of somebody else is gone"
KILL_AT_NAME=busy KILL_AT_STOPS=1 LD_PRELOAD=$KILL_AT_LIBRARY "$HEBATCH" export own busy >slow 2>&1 &
job=$!
until grep -q "^State:.T" /proc/$job/status; do
    kill -0 $job 2>/dev/null || fail "it ended before it was stopped"
    sleep 0.02
done
refuse 73 "busy.partial: .*another" "$HEBATCH" export own busy
kill -CONT $job
wait $job || fail "an export that was stopped for a while: $(cat slow)"
k=none
whole own-out busy
