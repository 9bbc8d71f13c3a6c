#!/bin/sh
# Every design of tests/bench at every N it takes, its words compared with the CPU engine's. HEBATCH_DESIGNS: the program;
# arguments go to it, as --small.
set -u
if [ ! -x "$HEBATCH_DESIGNS" ]; then
    echo "skipped: built without nvcc, so without the designs"
    [ -n "${HEBATCH_GPU_REQUIRED-}" ] && exit 1
    exit 77
fi
HEBATCH_DEVICE=gpu "$HEBATCH_DESIGNS" --check "$@"
code=$?
if [ "$code" = 69 ] && [ -z "${HEBATCH_GPU_REQUIRED-}" ]; then
    exit 77
fi
exit "$code"
