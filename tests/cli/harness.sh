# Sourced by every script here. Given by ctest: HEBATCH (the program), MPIRUN (with its options), PYTHON (with h5py).
# shellcheck shell=sh disable=SC2034 # the scripts use what is set here
set -u
for forge in "${0%/*}/cli" "${0%/*}/../cli"; do # of tests/NAME, of tests/FOLDER/NAME
    if [ -e "$forge/forge.py" ]; then
        forge=$(cd "$forge" && pwd)/forge.py
        break
    fi
done
work=$(mktemp -d "${TMPDIR:-/tmp}/hebatch-cli.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
# The same tests on a machine with GPUs: HEBATCH_DEVICE=gpu HEBATCH_SHARE_GPU=1 runs them there.
export HEBATCH_DEVICE="${HEBATCH_DEVICE:-cpu}"
# A refusal is one line, also where there is no /sys for hwloc to look at.
export HWLOC_HIDE_ERRORS=2
# Open MPI starts nothing as root unless told twice.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# Parameters of milliseconds: one prime and a small t, inside the security table; and a chain of three, above it.
SMALL="--n 2048 --bits 53 --plain-bits 16"
CHAIN="--n 1024 --bits 30,30,31 --plain-bits 16 --insecure"

fail() {
    echo "FAILED: $*" >&2
    [ -f out ] && { echo "--- stdout" && head -n 30 out; } >&2
    [ -f err ] && { echo "--- stderr" && head -n 30 err; } >&2
    exit 1
}

# expect CODE COMMAND...: runs it, with stdout in ./out and stderr in ./err.
expect() {
    wanted=$1
    shift
    code=0
    "$@" >out 2>err || code=$?
    [ "$code" = "$wanted" ] || fail "exit code $code, not $wanted, from: $*"
}

# refuse CODE WORDS COMMAND...: fails with CODE, nothing on stdout, one line on stderr that has WORDS (a basic regular
# expression) in it.
refuse() {
    code_of_refusal=$1
    words=$2
    shift 2
    expect "$code_of_refusal" "$@" --quiet
    [ ! -s out ] || fail "a refusal wrote to stdout: $*"
    [ "$(wc -l <err)" = 1 ] || fail "a refusal is one line: $*"
    grep -q -- "$words" err || fail "the reason does not say '$words': $*"
}

# reason CODE WORDS COMMAND...: ends with CODE and one line on stderr that has WORDS (a basic regular expression) in it.
reason() {
    code_of_reason=$1
    words=$2
    shift 2
    expect "$code_of_reason" "$@"
    [ "$(wc -l <err)" = 1 ] || fail "a reason is one line: $*"
    complains "$words"
}

says() {
    grep -q -- "$1" out || fail "stdout does not say '$1'"
}

# complains PATTERN: the last command's stderr has a line that matches.
complains() {
    grep -q -- "$1" err || fail "stderr lacks: $1"
}

# sum_of DATASET: its sum, as info prints it.
sum_of() {
    "$HEBATCH" info --json "$1" | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["sum"])'
}

absent() {
    for name in "$@"; do
        [ ! -e "$name" ] || fail "$name was left behind"
    done
}

same() {
    cmp "$1" "$2" || fail "$1 and $2 differ"
}

# lock FILE, unlock: another process has it locked meanwhile, as a running job has its job.json; until this script ends at
# most.
lock() {
    rm -f locked held
    mkfifo held
    "$PYTHON" -c 'import fcntl, sys
with open(sys.argv[1]) as f:
    fcntl.flock(f, fcntl.LOCK_EX)
    open("locked", "w").close()
    sys.stdin.read()' "$1" <held &
    locker=$!
    exec 9>held
    until [ -e locked ]; do
        kill -0 $locker 2>/dev/null || fail "cannot lock $1"
        sleep 0.05
    done
}
unlock() {
    exec 9>&-
    wait $locker
}

# ranks_of LAUNCHER: the processes of its ranks. Some launchers have another process between.
ranks_of() {
    pgrep -P "$1" hebatch || pgrep -P "$(pgrep -d, -P "$1")" hebatch
}

# table ROWS COLUMNS MODULUS: a CSV on stdout with values from 0 to MODULUS - 1.
table() {
    awk -v rows="$1" -v columns="$2" -v modulus="$3" 'BEGIN {
        for (c = 1; c <= columns; c++) printf "%sc%d", (c > 1 ? "," : ""), c
        print ""
        for (r = 0; r < rows; r++) {
            for (c = 1; c <= columns; c++) printf "%s%d", (c > 1 ? "," : ""), (7919 * r + 104729 * c) % modulus
            print ""
        }
    }'
}

# eval_with_keys EXPRESSION NAME=FILE...: makes the keys that are missing in ./keys, by the command that is asked for;
# what is proven of the results goes to ./plan.
eval_with_keys() {
    code=0
    "$HEBATCH" eval --keys keys "$@" --force >out 2>err || code=$?
    if [ "$code" = 66 ]; then
        command=$(sed -n 's/.*make it: hebatch //p' err)
        # shellcheck disable=SC2086
        expect 0 "$HEBATCH" $command --quiet
        expect 0 "$HEBATCH" eval --keys keys "$@" --force
    elif [ "$code" != 0 ]; then
        fail "eval $*"
    fi
    grep ' bits at least' err >plan
}

# joint_keys DIR EXPRESSION CHAIN...: keys of alice and bob with those of the expression, for 100 results.
joint_keys() {
    joint_to=$1
    joint_for=$2
    shift 2
    mkdir cards
    for owner in alice bob; do
        expect 0 "$HEBATCH" keygen --party $owner --out $owner --quiet
        cp $owner/card.h5 cards/$owner.h5
    done
    expect 0 "$HEBATCH" keygen --session joint --cards 'cards/*.h5' "$@" --results 100 --for "$joint_for" --quiet
    for round in 1 2 3; do
        for owner in alice bob; do
            "$HEBATCH" keygen --join joint --key $owner/party.h5 --insecure --quiet >out 2>err || [ $? = 66 ] ||
                fail "$owner: round $round"
        done
    done
    expect 0 "$HEBATCH" keygen --combine joint --out "$joint_to" --quiet
    for owner in alice bob; do
        expect 0 "$HEBATCH" keygen --join joint --key $owner/party.h5 --check "$joint_to" --quiet
    done
}

# combined NAME: NAME.csv of NAME.heb, by parts of alice and bob.
combined() {
    sum=$(sum_of "$1.heb")
    for owner in alice bob; do
        expect 0 "$HEBATCH" decrypt --part --key $owner/party.h5 --session joint --sum "$sum" "$1.heb" "$1-$owner.part" \
            --quiet
    done
    expect 0 "$HEBATCH" combine "$1.heb" "$1-*.part" "$1.csv" --quiet
}

# flip FILE OFFSET: changes one byte there; a negative offset counts from the end.
flip() {
    "$PYTHON" - "$1" "$2" <<'PYTHON'
import sys
name, offset = sys.argv[1], int(sys.argv[2])
data = bytearray(open(name, "rb").read())
data[offset] ^= 0x10
open(name, "r+b").write(data)
PYTHON
}

# change_row FILE ROW EXPRESSION: makes a row of a table, 1 the first, of its cells, c, numbers.
change_row() {
    "$PYTHON" - "$@" <<'PYTHON'
import sys
name, row = sys.argv[1], int(sys.argv[2])
lines = open(name).read().split("\n")
c = [float(cell) for cell in lines[row].split(",")]
lines[row] = ",".join(map(repr, eval(sys.argv[3])))
open(name, "w").write("\n".join(lines))
PYTHON
}

# h5table FILE DATASET NUMPY-EXPRESSION: writes an HDF5 dataset.
h5table() {
    "$PYTHON" -c 'import sys, h5py, numpy as np
with h5py.File(sys.argv[1], "a") as f: f[sys.argv[2]] = eval(sys.argv[3])' "$@"
}
