#!/bin/sh
# One of two ranks that share a GPU is killed in the middle of a job: all end at once, with a code, and --resume makes
# the dataset whole. Then a GPU that nobody may see, and one with too little memory. Given: HEBATCH, HOLD
# (tests/ranks/hold.c), PYTHON with h5py. Started by its full path. ROWS: of the table.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"
case $0 in /*) ;; *) fail "start it by its full path" ;; esac
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
"$PYTHON" - "${ROWS:-10000000}" <<'PYTHON'
import sys, h5py, numpy
rows = int(sys.argv[1])
with h5py.File("in.h5", "w") as f:
    words = numpy.arange(rows * 16, dtype=numpy.uint32) * numpy.uint32(2654435761)
    f["table"] = (words >> 13).reshape(rows, 16) # below 2^19
PYTHON
expect 0 "$HEBATCH" keygen --params bfv-8192 --device gpu --out keys

mpirun --oversubscribe -n 2 env LD_PRELOAD="$HOLD" HOLD_AFTER=20 HOLD_IN=out.heb.partial HOLD_UNTIL="$work/never" \
    "$HEBATCH" encrypt --device gpu --share-gpu --key keys/secret.h5 in.h5:/table out.heb >out 2>err &
launcher=$!
"$PYTHON" "${0%/*}/../ranks/shards.py" wait out.heb.partial 40 "$launcher" || fail "the job ended too early"
ranks=$(ranks_of "$launcher")
kill -9 "$(echo "$ranks" | tail -n 1)" || fail "the job ended too early"
code=0
wait "$launcher" || code=$?
[ "$code" != 0 ] || fail "a job with a killed rank succeeded"
for rank in $ranks; do
    while kill -0 "$rank" 2>/dev/null; do sleep 0.1; done # a driver takes its time to give page-locked memory back
done
grep -q "of this host is gone: .*--resume continues it" err || fail "the rank that is left does not say how to go on"
absent out.heb
expect 0 "$HEBATCH" encrypt --resume --device gpu --key keys/secret.h5 in.h5:/table out.heb
grep continued err
expect 0 "$HEBATCH" verify --device gpu out.heb --key keys/secret.h5 --against in.h5:/table

refuse 69 "--device cpu" env CUDA_VISIBLE_DEVICES= "$HEBATCH" decrypt --device gpu --key keys/secret.h5 out.heb back.csv
refuse 71 "--gpu-memory" "$HEBATCH" encrypt --device gpu --gpu-memory 8M --key keys/secret.h5 in.h5:/table small.heb
absent back.csv small.heb small.heb.partial
echo "killed, continued, refused as it should"
