#!/bin/sh
# Runs a command beside a server, which keeps keys and datasets on the device while the server's stages come and go:
# serve.sh COMMAND.., as serve.sh scripts/measure.sh 1. RANKS (1) processes serve, by MPIRUN. The stages find it by
# HEBATCH_SERVER. It ends with the command, and this with the command's exit code.
set -eu
: "${RANKS:=1}" "${MPIRUN:=mpirun}"
[ $# -gt 0 ] || {
    echo "usage: serve.sh COMMAND.." >&2
    exit 64
}
case $RANKS in
    '' | *[!0-9]* | 0*)
        echo "serve.sh: RANKS is '$RANKS': a number of processes, at least 1, is wanted" >&2
        exit 64
        ;;
esac
# The program is that of a submission's stages (stage.sh), or that of `run`, and COMMAND gets the same one.
if [ -z "${HEBATCH-}" ]; then
    built=third_party/hebatch/install/bin/hebatch
    [ -x "$built" ] || [ ! -e "${0%/*}/../run" ] || built=${0%/*}/../../../../build/hebatch
    HEBATCH=hebatch
    [ ! -x "$built" ] || HEBATCH=$(cd "${built%/*}" && pwd)/hebatch
fi
command -v "$HEBATCH" >/dev/null || {
    echo "serve.sh: $HEBATCH cannot be run: scripts/build_task.sh of a submission or jobs/quickstart builds it, or" \
        "HEBATCH says where it is" >&2
    exit 69
}
export HEBATCH

folder=$(mktemp -d "${TMPDIR:-/tmp}/hebatch-server.XXXXXX") # of mode 0700
server="" child="" stopped=""
# Ends COMMAND with all that it has started; processes that do not end by themselves are killed.
# shellcheck disable=SC2317 # end calls it
end_group() {
    kill -s TERM -- "-$child" 2>/dev/null || true
    turn=0
    while [ "$turn" -lt 100 ] && kill -0 -- "-$child" 2>/dev/null; do
        turn=$((turn + 1))
        sleep 0.1
    done
    kill -s KILL -- "-$child" 2>/dev/null || true
    wait "$child" || true
}
# A signal stops the job of the server, too: it ends after the units that it is at.
# shellcheck disable=SC2317 # the traps call it
end() {
    trap '' HUP INT TERM
    [ -z "$server" ] || [ -z "$stopped" ] || kill "$server" 2>/dev/null || true
    [ -z "$child" ] || end_group
    [ -z "$server" ] || [ -n "$stopped" ] || "$HEBATCH" serve "$folder" --stop >/dev/null 2>&1 ||
        kill "$server" 2>/dev/null || true
    [ -z "$server" ] || wait "$server" || true
    rm -rf "$folder"
}
trap end EXIT
trap 'stopped=1; exit 129' HUP
trap 'stopped=1; exit 130' INT
trap 'stopped=1; exit 143' TERM

launch=""
if [ "$RANKS" != 1 ]; then
    launch="$MPIRUN -n $RANKS"
    if $MPIRUN --version 2>&1 | grep -q 'Open MPI\|OpenRTE'; then
        launch="$launch --oversubscribe" # as stage.sh
    fi
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
# shellcheck disable=SC2086 # a launcher with its options, or nothing
HEBATCH_PARENT=$$ $launch "$HEBATCH" serve "$folder" --quiet </dev/null >"$folder/log" 2>&1 &
server=$!
until [ -S "$folder/jobs" ]; do
    kill -0 "$server" 2>/dev/null || {
        server=""
        cat "$folder/log" >&2
        echo "serve.sh: the server has ended" >&2
        exit 69
    }
    sleep 0.05
done
export HEBATCH_SERVER="$folder"
exec 3<&0
setsid "$@" <&3 3<&- & # in a group of its own, to which a signal goes once; else its input would be /dev/null
child=$!
code=0
wait "$child" || code=$?
child=""
exit "$code"
