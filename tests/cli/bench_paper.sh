#!/bin/sh
# hebatch-designs bfv: every primitive at every set of two papers, beside what they print.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

designs=${HEBATCH%/*}/hebatch-designs
if [ ! -x "$designs" ]; then
    echo "skipped: hebatch-designs is built on request where there is nvcc"
    exit 0
fi
expect 0 "$designs" bfv --device cpu --seconds 0 --batch 2 --json
"$PYTHON" - <<'PYTHON' || fail "the results are not what they should be"
import json
rows = json.load(open("out"))["paper"]
table5 = [r for r in rows if r["table"] == 5]
table7 = [r for r in rows if r["table"] == 7]
assert len(table5) == 4 * 5 and len(table7) == 5 * 3
assert {(r["n"], r["log_q"]) for r in table5} == {(2048, 60), (4096, 180), (8192, 360), (16384, 720)}
assert all(r["plain"] == "2" and r["limbs"] == r["log_q"] // 30 + 1 for r in table5)
assert {(r["n"], r["log_q"], r["limbs"]) for r in table7} == {
    (4096, 109, 3), (8192, 152, 4), (16384, 237, 5), (32768, 496, 9), (32768, 880, 16)}
assert all(r["amortised_ms"] > 0 and r["alone_ms"] > 0 for r in rows)
assert [r["P100"] for r in table5 if r["primitive"] == "Mul"] == ["1.072", "1.833", "3.538", "11.747"]
PYTHON

refuse 64 "the rest is for figures" "$designs" bfv --quick
refuse 64 "batch is for bfv" "$designs" ntt --batch 2
