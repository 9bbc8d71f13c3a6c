# What the examples share; sourced by them. Each makes a folder of its own, keys in it, encrypts a table, computes on it
# without the secret key, decrypts, and compares with the same computation on the plain table (awk).
set -eu
# Examples in folders of their own say where this one is before.
: "${examples:=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)}"
: "${HEBATCH:=$examples/../../build/hebatch}"
if ! [ -f "$HEBATCH" ] || ! [ -x "$HEBATCH" ]; then
    HEBATCH=$(command -v hebatch) || {
        echo "hebatch is neither built (jobs/quickstart) nor on the PATH; HEBATCH says where it is" >&2
        exit 69
    }
fi
# A folder that nobody named goes when the script ends, whatever ends it: there is a secret key in it.
if [ -n "${1-}" ]; then
    work=$1
    mkdir -p "$work" || exit 73
    left="All of it is in $work"
else
    work=$(mktemp -d "${TMPDIR:-/tmp}/hebatch-$(basename "$0").XXXXXX")
    trap 'cd / && rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    left="$(basename "$0") FOLDER would have kept all of it there"
fi
cd "$work" || exit 73
. "$examples/../shell.sh"
if [ -z "${RANKS-}" ]; then
    RANKS=2
    command -v "${MPIRUN%% *}" >/dev/null || RANKS=1 # packages recommend a launcher, one may have none
fi
check_ranks "$RANKS"

# Shows a command and runs it, one by one or on all ranks; the log goes to ./log.
hebatch() {
    print_command hebatch "$@"
    "$HEBATCH" "$@" 2>>log || failed
}
ranks() {
    if [ "$RANKS" = 1 ]; then # needs no launcher
        hebatch "$@"
        return
    fi
    print_command mpirun -n "$RANKS" hebatch "$@"
    on_ranks "$RANKS" "$HEBATCH" "$@" 2>>log || failed
}
# rotation_keys WORD...: which rotations matrices take follows from their weights, so the server says it: makes the keys
# that a dry run of `hebatch WORD...` asks for, in ./keys.
rotation_keys() {
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
        code=0
        "$HEBATCH" "$@" --dry-run >plan 2>missing || code=$?
        [ "$code" != 0 ] || return 0
        rotations=$(sed -n 's/.*--rotations \([-0-9.,/]*\).*/\1/p' missing)
        [ -n "$rotations" ] || {
            reasons missing
            exit "$code"
        }
        hebatch keygen --key keys/secret.h5 --rotations="$rotations"
    done
}
failed() {
    code=$?
    reasons log
    exit "$code"
}
# take_prepared FILE...: what was prepared on another machine, from the folder that PREPARED names.
take_prepared() {
    for file in "$@"; do
        [ -e "$PREPARED/$file" ] || {
            echo "PREPARED is $PREPARED, and has no $file, which prepare.py writes" >&2
            exit 66
        }
        cp "$PREPARED/$file" .
    done
}

same() {
    cmp "$1" "$2" || {
        echo "$(basename "$0"): what was decrypted is not what the plain table gives" >&2
        exit 1
    }
    say "Equal to the plain computation. $left"
}
