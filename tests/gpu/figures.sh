#!/bin/sh
# Measures again what tests/bench/results says of one GPU, in some minutes: figures.sh OUT [SECONDS]. Documents (JSON) and
# tables (Markdown) go to the folder OUT: bfv.md by ../bench/targets.py, ckks.md by ../bench/tables.py, precision.txt.
# Given: HEBATCH (default: build-gpu/hebatch), PYTHON; DEVICE=cpu tries it, with PRESETS, as 'ckks-13'.
set -eu
here=$(CDPATH='' cd -- "${0%/*}" && pwd)
[ $# -gt 0 ] || {
    echo "usage: $0 OUT [SECONDS]" >&2
    exit 64
}
mkdir -p "$1" && out=$(CDPATH='' cd -- "$1" && pwd)
seconds=${2:-0.1}
: "${HEBATCH:=$here/../../build-gpu/hebatch}" "${PYTHON:=python3}" "${DEVICE:=gpu}" "${PRESETS:=ckks-13 ckks-14 ckks-15 ckks-16 boot-16}"
export HEBATCH PYTHON DEVICE

# bench NAME OPTIONS...
bench() {
    name=$1
    shift
    "$HEBATCH" bench "$@" --device "$DEVICE" --seconds "$seconds" --json >"$out/$name.json"
}
for preset in $PRESETS; do
    case $preset in
        boot-*) bench "circuits-$preset" circuits --params "$preset" ;;
        ckks-15 | ckks-16)
            bench "$preset" ckks encode encrypt decrypt --params "$preset"
            bench "circuits-$preset" circuits --params "$preset"
            ;;
        *) bench "$preset" ckks encode encrypt decrypt --params "$preset" ;;
    esac
done
# shellcheck disable=SC2046 # a list of files
"$PYTHON" "$here/../bench/tables.py" $(ls "$out"/ckks-*.json "$out"/circuits-*.json 2>/dev/null) >"$out/ckks.md"
bench ntt ntt --all-sizes
OUT=$out "$here/families.sh" "$seconds" >"$out/families.md"
"$PYTHON" "$here/../bench/targets.py" "$out/ntt.json" "$out"/seal-*.json >"$out/targets.md"
[ ! -x "${HEBATCH%/*}/tests/gpu/bootstrap_precision" ] || [ "$DEVICE" != gpu ] ||
    "${HEBATCH%/*}/tests/gpu/bootstrap_precision" >"$out/precision.txt"
