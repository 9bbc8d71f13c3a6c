# Steps of owners of joint keys in scripts; sourced behind harness.sh.

# reject CODE WORDS COMMAND...: like refuse, of a command that warns of its parameters besides.
reject() {
    code_of_refusal=$1
    words=$2
    shift 2
    expect "$code_of_refusal" "$@" --quiet
    [ ! -s out ] || fail "a refusal wrote to stdout: $*"
    grep -q -- "$words" err || fail "the reason does not say '$words': $*"
}

# seed NUMBER: a root for tests, so that all is the same again.
seed() {
    printf '%064d' "$1"
}

# party NAME NUMBER
party() {
    expect 0 "$HEBATCH" keygen --party "$1" --out "$1" --insecure-test-seed "$(seed "$2")" --quiet
}

# join NAME [FOLDER]: a step of an owner, in the folder joint.
join() {
    expect 0 "$HEBATCH" keygen --join "${2:-joint}" --key "$1/party.h5" --insecure --quiet
}

# stop_at K COMMAND...: kills it before its K-th call that changes files; false when it ended before.
stop_at() {
    at=$1
    shift
    code=0
    KILL_AT=$at LD_PRELOAD=$KILL_AT_LIBRARY "$@" >out 2>err || code=$?
    [ "$code" = 137 ] || [ "$code" = 0 ] || fail "exit code $code when killed at $at"
    [ "$code" = 137 ]
}

# kill_steps COUNT COMMAND...: each of so many steps of alice, between beforeN and afterN, killed at every place and made
# again: the same bytes.
kill_steps() {
    steps=$1
    shift
    for step in $(seq "$steps"); do
        k=0
        while
            back before$step
            stop_at $((k += 1)) "$@"
        do
            code=0
            "$@" >out 2>err || code=$?
            [ $code = 0 ] || [ $code = 66 ] || fail "killed at $k of step $step: exit code $code"
            for folder in alice joint; do
                diff -r $folder after$step/$folder || fail "killed at $k of step $step: not the same bytes"
            done
        done
        [ $k -gt 5 ] || fail "step $step was killed at $k places only"
    done
}

# snap NAME: a copy of all that the owners have; back NAME: to it again.
snap() {
    mkdir "$1"
    cp -rp alice bob carol joint "$1"
}
back() {
    rm -rf alice bob carol joint
    cp -rp "$1"/* .
}
