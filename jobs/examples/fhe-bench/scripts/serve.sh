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
program=third_party/hebatch/install/bin/hebatch # as stages look for it (stage.sh)
[ -x "$program" ] || program=hebatch
: "${HEBATCH:=$program}"
command -v "$HEBATCH" >/dev/null || {
    echo "serve.sh: $HEBATCH cannot be run: call scripts/build_task.sh first, or HEBATCH says where it is" >&2
    exit 69
}

folder=$(mktemp -d "${TMPDIR:-/tmp}/hebatch-server.XXXXXX") # of mode 0700
server="" child=""
# shellcheck disable=SC2317 # the traps call it
end() {
    trap '' HUP INT TERM
    [ -z "$child" ] || kill "$child" 2>/dev/null || true
    [ -z "$server" ] || { "$HEBATCH" serve "$folder" --stop >/dev/null 2>&1 || kill "$server" 2>/dev/null || true; }
    [ -z "$server" ] || wait "$server" || true
    rm -rf "$folder"
}
trap end EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

launch=""
if [ "$RANKS" != 1 ]; then
    launch="$MPIRUN -n $RANKS"
    if $MPIRUN --version 2>&1 | grep -q 'Open MPI\|OpenRTE'; then
        launch="$launch --oversubscribe" # as stage.sh
    fi
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
# shellcheck disable=SC2086 # a launcher with its options, or nothing
$launch "$HEBATCH" serve "$folder" --quiet </dev/null >"$folder/log" 2>&1 &
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
"$@" <&3 3<&- & # else its input would be /dev/null
child=$!
code=0
wait "$child" || code=$?
child=""
exit "$code"
