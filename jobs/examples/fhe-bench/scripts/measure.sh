#!/bin/sh
# Measurements of one size for the suite: three runs by its harness, which writes measurements/, and the machine and the
# settings that they were made with: measure.sh NUMBER [OPTIONS of harness/run_submission.py]
# The harness ends with 0 where an answer is wrong, too; this ends with 1 then. Insecure parameters are not measured.
set -eu
cd "$(dirname -- "$0")/.."
case ${1-} in
    [0-9]) ;;
    *)
        echo "usage: measure.sh NUMBER [OPTIONS], numbers of sizes from 0 on" >&2
        exit 64
        ;;
esac
case ${PRESET-} in
    *-test)
        echo "measure.sh: the parameters of PRESET=$PRESET are insecure: unset it, or run the harness itself" >&2
        exit 64
        ;;
esac
mkdir -p measurements
machine=measurements/machine-$1.txt
output=measurements/output-$1.txt
code=0
"${PYTHON:-python3}" harness/run_submission.py "$@" --num_runs 3 >"$output" 2>&1 || code=$?
cat "$output"
[ "$code" = 0 ] || {
    echo "measure.sh: the harness ended with $code" >&2
    exit 1
}
if grep -q FAIL "$output" || grep -q 'Encrypted model: 0\.[0-8]' "$output"; then
    echo "measure.sh: an answer is wrong, or fewer than 90 % of them are right" >&2
    exit 1
fi
{
    date -u +%Y-%m-%d
    program=third_party/hebatch/install/bin/hebatch # as stages look for it (stage.sh)
    [ -x "$program" ] || program=hebatch
    "${HEBATCH:-$program}" --version || true
    sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | sort | uniq -c
    sed -n 's/^MemTotal: */memory /p' /proc/meminfo
    nvidia-smi --query-gpu=name,memory.total --format=csv,noheader || echo "no GPU"
    cat /proc/loadavg
    echo "ranks ${RANKS:-1}"
    if [ -n "${HEBATCH_SERVER-}" ]; then
        echo "stages of the server hand their jobs over to a resident server (hebatch serve)"
    fi
    for name in PRESET PACK RING BLOCK LEVELS PIXELS PATCHES GAP HEBATCH_DEVICE; do # that stages go by
        if value=$(printenv "$name"); then
            echo "$name=$value"
        fi
    done
} >"$machine" 2>/dev/null
echo "measurements/ has three runs of size $1; $machine says on which machine and how"
