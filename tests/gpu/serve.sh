#!/bin/sh
# A job alone beside the same job served: 1000 products at N = 8192 on a GPU, three times each, in less than a minute. The
# files are the same, and served jobs read no keys. Given: HEBATCH (the program), PYTHON (with h5py); DEVICE (default gpu)
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

# evaluate WAY TURN [OPTION...]: prints the parts of the job's time, and from outside.
evaluate() {
    way=$1 turn=$2
    shift 2
    began=$(date +%s.%N)
    expect 0 "$HEBATCH" eval --keys keys 'y = a * b' a=a.heb b=b.heb y="$way.heb" --device "$device" --wrap --force \
        --quiet "$@"
    ended=$(date +%s.%N)
    "$PYTHON" - "$way" "$turn" "$began" "$ended" <<'PYTHON' || fail "no report"
import json
import sys
way, turn, began, ended = sys.argv[1:]
report = json.load(open(way + ".heb.report.json"))
phases = report["times"]["phases"]
print(f"{way:7} {turn}  {float(ended) - float(began):7.3f} s in all;", ", ".join(
    f"{name} {1e3 * phases[name]:.0f}" for name in ("start", "open", "output", "memory", "loop", "sync", "commit")),
    f"ms; {report['plan']['key_read_bytes']} bytes of keys read")
if way == "served" and int(turn) > 1 and report["plan"]["key_read_bytes"] != 0:
    sys.exit("keys that are there were read again")
PYTHON
}
for turn in 1 2 3; do
    evaluate alone $turn
    evaluate served $turn --server server
done
diff -r alone.heb served.heb >/dev/null || fail "other bytes"
expect 0 "$HEBATCH" serve server --stop
wait $server || fail "the server failed: $(cat serve.err)"
