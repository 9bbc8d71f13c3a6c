# The common part of all examples, which they source. Each makes a folder of its own, keys in it, encrypts a table,
# computes on it without the secret key, decrypts, and compares with the same computation on the plain table (awk).
set -eu
# Examples in folders of their own say where this one is before.
: "${examples:=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)}"
name=$(basename -- "$0")
[ "$name" != run ] || name=$(basename -- "$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)")
# The help of an example is the comment that it begins with.
case ${1-} in
-h | --help)
    echo "usage: $0 [FOLDER]"
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
-*)
    echo "$name: $1: there are no options but --help; what can be said comes from the environment" >&2
    exit 64
    ;;
esac
[ $# -lt 2 ] || {
    echo "$name: $2: one folder is taken, no more" >&2
    exit 64
}
# Paths from the environment are said from where the example was called, which it leaves; a word may be on the PATH.
for variable in HEBATCH PYTHON PREPARED CIFAR WEIGHTS MANPAGES FASHION; do
    eval "value=\${$variable-}"
    case $variable:$value in
    *: | *:/*) continue ;;
    HEBATCH:*/* | PYTHON:*/*) ;;
    HEBATCH:* | PYTHON:*) continue ;;
    esac
    eval "$variable=\$PWD/\$value"
done
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
    work=$(mktemp -d "${TMPDIR:-/tmp}/hebatch-$name.XXXXXX")
    trap 'cd / && rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    left="$0 FOLDER would have kept all of it in FOLDER"
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
# python_with PACKAGE [MODULE]: PYTHON (python3) has it, or becomes one that has, in a virtual environment made here.
python_with() {
    : "${PYTHON:=python3}"
    "$PYTHON" -c '' 2>/dev/null || {
        echo "$PYTHON cannot be run; PYTHON says which Python is taken" >&2
        exit 69
    }
    ! "$PYTHON" -c "import ${2-$1}" 2>/dev/null || return 0
    if [ "${DOWNLOAD-}" != no ]; then
        echo "$1 is not installed for $PYTHON: it is fetched into a virtual environment (not with DOWNLOAD=no)"
        if { "$PYTHON" -m venv venv && venv/bin/python -m pip install -q "$1"; } >>log 2>&1; then
            PYTHON=$PWD/venv/bin/python
            return 0
        fi
    fi
    echo "skipped: $1 is not installed, and was not to be had; PYTHON says which Python is taken, by now $PYTHON" >&2
    exit 77
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
        echo "$name: what was decrypted is not what the plain table gives" >&2
        exit 1
    }
    say "Equal to the plain computation. $left"
}
