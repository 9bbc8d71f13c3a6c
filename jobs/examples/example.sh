# What the examples share; sourced by them. Each makes a folder of its own, keys in it, encrypts a table, computes on it
# without the secret key, decrypts, and compares with the same computation on the plain table (awk).
set -eu
examples=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
: "${HEBATCH:=$examples/../../build/hebatch}"
if ! [ -x "$HEBATCH" ]; then
    HEBATCH=$(command -v hebatch) || {
        echo "hebatch is neither built (jobs/quickstart) nor on the PATH; HEBATCH says where it is" >&2
        exit 69
    }
fi
work=${1:-$(mktemp -d "${TMPDIR:-/tmp}/hebatch-$(basename "$0").XXXXXX")}
mkdir -p "$work"
cd "$work"
: "${RANKS:=2}"
: "${MPIRUN:=mpirun}"
if [ "$(id -u)" = 0 ]; then # Open MPI refuses root unless told twice
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
oversubscribe=""
if $MPIRUN --version 2>&1 | grep -q 'Open MPI'; then
    oversubscribe=--oversubscribe
fi
export HEBATCH_SHARE_GPU=1 # where there are fewer GPUs than ranks

say() {
    printf '\n== %s\n' "$*"
}

# Shows a command as one would type it, then runs it; the log goes to ./log.
hebatch() {
    printf '$ hebatch'
    print_words "$@"
    "$HEBATCH" "$@" 2>>log || failed
}
ranks() {
    printf '$ mpirun -n %s hebatch' "$RANKS"
    print_words "$@"
    # shellcheck disable=SC2086 # a command with its options; nothing or one option
    $MPIRUN -n "$RANKS" $oversubscribe "$HEBATCH" "$@" 2>>log || failed
}
print_words() {
    for word in "$@"; do
        case $word in
            *[!A-Za-z0-9._/=:,-]*) printf " '%s'" "$word" ;;
            *) printf ' %s' "$word" ;;
        esac
    done
    echo
}
failed() {
    code=$?
    tail -n 5 log >&2
    exit "$code"
}

same() {
    cmp "$1" "$2" || {
        echo "$(basename "$0"): what was decrypted is not what the plain table gives" >&2
        exit 1
    }
    say "Equal to the plain computation. All of it is in $work"
}
