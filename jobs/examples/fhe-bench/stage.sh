# The common part of all stages, which they source with their arguments. It is copied with them into a submission, so
# that it needs no other file: the size, as the suite's name or number, and others.
# Gives size, io, data, keys and secret, relative to the folder in which the suite runs stages, and the commands below.
# shellcheck shell=sh disable=SC2034 # the stages use what is set here
set -eu
umask 077 # a secret key, and what the client computes from plain data
: "${HEBATCH:=$(command -v hebatch)}" "${RANKS:=1}" "${MPIRUN:=mpirun}" "${PYTHON:=python3}"
: "${sizes:=single small medium large}"
stage=$(basename -- "$0")

refuse() {
    code=$1
    shift
    echo "$stage: $*" >&2
    exit "$code"
}

[ -n "$HEBATCH" ] || refuse 69 "hebatch is not on the PATH; HEBATCH says where it is"
case $RANKS in
    '' | *[!0-9]* | 0*) refuse 64 "RANKS is '$RANKS': a number of processes, at least 1, is wanted" ;;
esac
size=${1-}
case $size in
    [0-9])
        # shellcheck disable=SC2086 # one word a size
        set -- $sizes -- "$@"
        number=$size
        while [ "$number" -gt 0 ] && [ "$1" != -- ]; do
            shift
            number=$((number - 1))
        done
        [ "$1" = -- ] || size=$1
        while [ "$1" != -- ]; do
            shift
        done
        shift
        ;;
esac
case " $sizes  " in
    *" $size "*) ;; # a stage that needs none was given none
    *) refuse 64 "$size: no such size; there are $sizes" ;;
esac
data=datasets/$size
io=io/$size
keys=$io/public_keys
secret=$io/secret_key/secret.h5
if [ "$(id -u)" = 0 ]; then # Open MPI refuses root unless told twice
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

# Runs a command of hebatch on one rank; its log goes to io/SIZE/log.
hebatch() {
    "$HEBATCH" "$@" >>"$io/log" 2>&1 || failed
}

# On so many ranks as RANKS says.
ranks() {
    if [ "$RANKS" = 1 ]; then
        hebatch "$@"
        return
    fi
    oversubscribe=""
    if $MPIRUN --version 2>&1 | grep -q 'Open MPI\|OpenRTE'; then
        oversubscribe=--oversubscribe # it would refuse more ranks than cores; other launchers do not know the option
    fi
    # shellcheck disable=SC2086 # a command with its options; one or none
    $MPIRUN -n "$RANKS" $oversubscribe "$HEBATCH" "$@" >>"$io/log" 2>&1 || failed
}

failed() {
    code=$?
    echo "$stage: hebatch failed; the end of $io/log:" >&2
    # Behind the reason a launcher may say more.
    tail -n 40 "$io/log" | grep '^hebatch [a-z]*: ' >&2 || tail -n 5 "$io/log" >&2
    exit "$code"
}

# Keys, of which the secret one lies apart from what the server is given: make_keys OPTIONS of keygen.
make_keys() {
    hebatch keygen --quiet --out "$keys" "$@"
    mkdir -p "$io/secret_key"
    mv "$keys/secret.h5" "$secret"
}

# The times in a report of eval, for the results: report_steps FILE.report.json.
report_steps() {
    "$PYTHON" - "$1" >"$io/server_reported_steps.json" <<'PYTHON'
import json, sys

phases = json.load(open(sys.argv[1]))["times"]["phases"]
print(json.dumps({"eval: all of it": round(phases["total"], 4), "eval: computing": round(phases["loop"], 4)}))
PYTHON
}
