#!/bin/sh
# A job alone beside the same job served: 1000 products at N = 8192 on a GPU, and one of W @ x, three times each, in less
# than two minutes. The files are the same; served jobs read no keys, and find datasets and weights on the GPU. Given: HEBATCH (the program), PYTHON (with h5py); DEVICE (default gpu)
# and COLUMNS, products of a job (default 1000), for a try on another machine.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"
device=${DEVICE:-gpu} columns=${COLUMNS:-1000}
server=
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT

"$PYTHON" - "$columns" <<'PYTHON' || fail "no table"
import sys
import h5py
import numpy
numbers = numpy.random.default_rng(7)
with h5py.File("in.h5", "w") as f:
    for name in "ab":
        f[name] = numbers.integers(0, 500, (8192, int(sys.argv[1])))
    f["w"] = numbers.uniform(-1, 1, (256, 256)) / 64
    f["x"] = numbers.uniform(-1, 1, (4 * int(sys.argv[1]), 256))
PYTHON
expect 0 "$HEBATCH" keygen --params bfv-8192 --out keys --relin --rotations sum --quiet
for name in a b; do
    expect 0 "$HEBATCH" encrypt in.h5:/$name $name.heb --key keys/secret.h5 --range 0..499 --device "$device" --quiet
done
"$HEBATCH" serve server >serve.out 2>serve.err &
server=$!
until grep -q '^hebatch: serves' serve.err; do
    kill -0 $server 2>/dev/null || fail "the server ended: $(cat serve.err)"
    sleep 0.1
done

# evaluate WAY TURN WORD...: computes WAY.heb, prints the parts of the job's time, and from outside.
evaluate() {
    way=$1 turn=$2
    shift 2
    began=$(date +%s.%N)
    expect 0 "$HEBATCH" eval --device "$device" --force --quiet "$@"
    ended=$(date +%s.%N)
    "$PYTHON" - "$way" "$turn" "$began" "$ended" <<'PYTHON' || fail "no report"
import json
import sys
way, turn, began, ended = sys.argv[1:]
report = json.load(open(way + ".heb.report.json"))
phases = report["times"]["phases"]
print(f"{way:9} {turn}  {float(ended) - float(began):7.3f} s in all;", ", ".join(
    f"{name} {1e3 * phases[name]:.0f}" for name in ("start", "open", "output", "memory", "loop", "sync", "commit")),
    f"ms; {report['plan']['key_read_bytes']} bytes of keys read")
if way.startswith("served") and int(turn) > 1 and report["plan"]["key_read_bytes"] != 0:
    sys.exit("keys that are there were read again")
PYTHON
}
# there WHAT: the server has found all of the last job's datasets, or weights.
there() {
    grep "^hebatch: $1" serve.err | tail -1 | grep -Eq ' ([^ ]* [^ ]*) of \1 were there' ||
        fail "$1 were not there: $(grep "^hebatch: $1" serve.err | tail -1)"
}

for turn in 1 2 3; do
    evaluate alone $turn --keys keys 'y = a * b' a=a.heb b=b.heb y=alone.heb --wrap
    evaluate served $turn --keys keys 'y = a * b' a=a.heb b=b.heb y=served.heb --wrap --server server
done
diff -r alone.heb served.heb >/dev/null || fail "other bytes"
there datasets

expect 0 "$HEBATCH" keygen --params ckks-13 --out reals --quiet
expect 0 "$HEBATCH" encrypt in.h5:/x x.heb --key reals/secret.h5 --range=-1..1 --pack rows --block 256 --device "$device" \
    --quiet
"$HEBATCH" eval --keys reals 'y = W @ x' W=in.h5:/w x=x.heb y=no.heb >out 2>err
# shellcheck disable=SC2046 # several words
expect 0 "$HEBATCH" $(sed -n 's/.*make it: hebatch //p' err)
for turn in 1 2 3; do
    evaluate alone-w $turn --keys reals 'y = W @ x' W=in.h5:/w x=x.heb y=alone-w.heb
    evaluate served-w $turn --keys reals 'y = W @ x' W=in.h5:/w x=x.heb y=served-w.heb --server server
done
diff -r alone-w.heb served-w.heb >/dev/null || fail "other bytes of W @ x"
there datasets
there weights
expect 0 "$HEBATCH" serve server --stop
wait $server || fail "the server failed: $(cat serve.err)"
