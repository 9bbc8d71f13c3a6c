#!/bin/sh
# exchange_killed.sh RANKS PROGRAM ARGUMENTS...: a program whose last rank is killed while the others wait for it in an
# exchange. All end: anyone who waited on would do so for longer than ctest does. Given: MPIRUN.
set -u
ranks=$1
shift
code=0
# shellcheck disable=SC2086 # a command with options
$MPIRUN -n "$ranks" "$@" || code=$?
[ "$code" != 77 ] || exit 77 # skipped, by name
[ "$code" = 137 ] || [ "$code" = 9 ] || # as MPICH's launcher says it
    { echo "FAILED: exit code $code, not 137" >&2; exit 1; }
