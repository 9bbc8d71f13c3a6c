#!/bin/sh
# families.sh [SECONDS]: every operation under the presets of both security tables, one after the other, and the tables of
# tests/bench/targets.py on stdout. HEBATCH: the program; DEVICE: gpu (default) or cpu; documents go to OUT (default: where
# it is called).
set -eu
here=$(CDPATH='' cd -- "${0%/*}" && pwd)
seconds=${1:-0.1}
out=${OUT:-.}
for size in 4096 8192 16384 32768; do
    for family in seal bfv; do
        "${HEBATCH:-hebatch}" bench encrypt decrypt bfv --params $family-$size --device "${DEVICE:-gpu}" \
            --seconds "$seconds" --json >"$out/$family-$size.json"
    done
done
"${PYTHON:-python3}" "$here/../bench/targets.py" "$out"/seal-*.json "$out"/bfv-*.json
