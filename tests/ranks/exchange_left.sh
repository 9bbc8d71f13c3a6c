#!/bin/sh
# exchange_left.sh RANKS PROGRAM ARGUMENTS...: the last rank of a program is killed while the others wait for it in an
# exchange, and the launcher leaves those alone: each of them notices. Given: MPIRUN.
set -u
ranks=$1
shift
# shellcheck disable=SC2086 # a command with options
noticed=$($MPIRUN --enable-recovery -n "$ranks" "$@" 2>&1 | tee /dev/stderr | grep -c "a rank has noticed")
[ "$noticed" = $((ranks - 1)) ] || { echo "FAILED: $noticed ranks noticed that one is gone" >&2; exit 1; }
