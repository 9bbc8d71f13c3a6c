# Sourced by scripts here that start jobs on ranks: the harness, and jobs that are struck as they run.
# shellcheck shell=sh disable=SC2034 # the scripts use what is set here
case $0 in
/*) ;;
*) echo "start it by its full path" >&2 && exit 1 ;;
esac
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
shards=${0%/*}/shards.py

# launch CODE RANKS K COMMAND...: on RANKS ranks, of which K share each ciphertext.
launch() {
    code_of_launch=$1
    ranks=$2
    members=$3
    shift 3
    # shellcheck disable=SC2086
    expect "$code_of_launch" $MPIRUN -n "$ranks" "$HEBATCH" "$@" --limb-ranks "$members" --quiet
}

# field FILE EXPRESSION: of the report that is in it, as r.
field() {
    "$PYTHON" -c 'import json, sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

# strike SIGNAL UNITS CODE NAME RANKS K COMMAND...: a job on RANKS ranks, of which K share each ciphertext, makes NAME, and
# is held (hold.c) when each group of ranks has stored UNITS units more than there were: then one rank gets the signal. A
# job that is not killed goes on from there. Waits for all ranks, also those that outlive the launcher, and notes in
# ./finished which units are there. Every group must have some more units than UNITS and than a pipeline holds.
strike() {
    signal=$1
    units=$2
    code_of_strike=$3
    name=$4
    ranks=$5
    members=$6
    there=$("$PYTHON" "$shards" count "$name.partial")
    awaited=$((there + units * ranks / members))
    shift 6
    rm -f go
    # shellcheck disable=SC2086
    $MPIRUN -n "$ranks" env LD_PRELOAD="$HOLD" HOLD_AFTER="$units" HOLD_IN="$name.partial" HOLD_UNTIL="$work/go" \
        "$HEBATCH" "$@" --limb-ranks "$members" --quiet >out 2>err &
    launcher=$!
    "$PYTHON" "$shards" wait "$name.partial" "$awaited" "$launcher" || fail "no $awaited units"
    struck=$(ranks_of "$launcher")
    kill -s "$signal" "$(echo "$struck" | tail -n 1)" || fail "the job ended too early"
    [ "$signal" = KILL ] || : >go
    code=0
    wait "$launcher" || code=$?
    [ "$code" != 9 ] || code=137 # as MPICH's launcher says it
    [ "$code" = "$code_of_strike" ] || fail "exit code $code, not $code_of_strike"
    for rank in $struck; do
        while kill -0 "$rank" 2>/dev/null; do sleep 0.05; done
    done
    absent "$name"
    "$PYTHON" "$shards" save "$name.partial" finished
}

# differ CODE WORDS FOLDER OPTIONS FOLDER OPTIONS COMMAND...: two ranks, each with a folder and options (words) of its
# own: both end, with one reason.
differ() {
    code_of_both=$1 words=$2 first=$3 first_options=$4 second=$5 second_options=$6
    shift 6
    # shellcheck disable=SC2086
    expect "$code_of_both" $MPIRUN -n 1 -wdir "$work/$first" "$HEBATCH" "$@" $first_options --quiet : \
        -n 1 -wdir "$work/$second" "$HEBATCH" "$@" $second_options --quiet
    [ "$(grep -c "^hebatch [a-z]*: " err)" = 1 ] || fail "not one reason"
    grep -q -- "^hebatch [a-z]*: rank [01] on .*: .*$words" err || fail "the reason does not say '$words'"
}
