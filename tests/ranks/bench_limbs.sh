#!/bin/sh
# bench limbs: what ranks are said to have received is what the model derives, on every grid; other grids are refused.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
check() { # ranks, list of k
    "$PYTHON" - "$@" <<'PYTHON' || fail "the results are not what they should be"
import json, sys
report = json.load(open("out"))
ranks, listed = int(sys.argv[1]), [int(k) for k in sys.argv[2].split(",")]
assert report["ranks"] == ranks, report
entries = {entry["ranks"]: entry for entry in report["limbs"]}
assert list(entries) == sorted(set(listed + [1, 2])), report  # powers of two for predictions: 3 limbs allow no more
for entry in (entries[k] for k in listed):
    k, rows = entry["ranks"], {row["operation"]: row for row in entry["operations"]}
    assert entry["fits"] and entry["exchanged"] == (k > 1 and ranks > 1), entry
    assert len(rows) == 11 and entry["exchange"] == ("mpi" if entry["exchanged"] else "none"), entry
    for name, row in rows.items():
        assert 0 <= row["hidden"] <= 1 and all(row[key] >= 0 for key in row if key.endswith("seconds")), row
        if k > 1 and ranks == 1:  # nobody to do it with
            assert row["seconds"] == row["alone_seconds"] == row["exchange_seconds"] == 0, row
        if not entry["exchanged"] or sum(row["received_bytes"].values()) == 0:
            assert row["exchange_seconds"] == 0, row
        if entry["exchanged"]:
            assert row["received_bytes"] == row["modelled_bytes"], row
            assert row["transfers"] == row["modelled_transfers"], row
    moved = sum(rows["multiply, relinearize"]["modelled_bytes"].values())
    assert (moved > 0) == (k > 1), rows
    assert sum(rows["add"]["modelled_bytes"].values()) == 0, rows
    assert entry["limbs_dealt"] in ("in turn", "mirrored"), entry
    assert len(entry["predicted"]) == (0 if k == 1 else 10 if entry["exchanged"] else 8), entry["predicted"]
    for p in entry["predicted"]:
        assert p["seconds"] > 0 and (p.get("measured_seconds", 0) > 0) == (p["network"] == "as measured"), p
here = [e for e in entries.values() if e["ranks"] not in listed + [1]]  # not measured together, but predicted
if ranks > 1:
    assert all([p["network"] for p in e["predicted"]].count("as measured") == 2 for e in here), here
PYTHON
}
small="--n 1024 --limbs 3 --bits 40 --insecure --seconds 0.005 --json"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" bench limbs $small --queues 2 --limb-ranks 1,3
check 1 1,3
# shellcheck disable=SC2086
expect 0 $MPIRUN -n 3 "$HEBATCH" bench limbs $small
check 3 1,3
# shellcheck disable=SC2086
expect 0 $MPIRUN -n 4 "$HEBATCH" bench limbs $small --limb-ranks 2 --batch 1
check 4 2
# Reals: digits of several primes, whose limbs come in one transfer, or two where it is halved.
expect 0 $MPIRUN -n 2 "$HEBATCH" bench limbs --params ckks-13 --seconds 0.005 --limb-ranks 2 --batch 1 --json
"$PYTHON" -c '
import json
rows = {r["operation"]: r for e in json.load(open("out"))["limbs"] if e["ranks"] == 2 for r in e["operations"]}
for name in ("multiply", "relinearize", "rotate", "switch to fewer limbs", "encrypt, public key", "decrypt"):
    assert rows[name]["received_bytes"] == rows[name]["modelled_bytes"], rows[name]
    assert rows[name]["transfers"] == rows[name]["modelled_transfers"], rows[name]
assert rows["rotate"]["received_bytes"] == rows["relinearize"]["received_bytes"], rows
assert sum(rows["rotate"]["received_bytes"].values()) > 0, rows
' || fail "transfers of reals are not what the model says"
# Reals have no basis to convert to: all else is measured.
expect 0 "$HEBATCH" bench limbs --params ckks-13 --seconds 0.005 --limb-ranks 1,2 --json
"$PYTHON" -c '
import json
entries = {e["ranks"]: {r["operation"]: r["seconds"] for r in e["operations"]} for e in json.load(open("out"))["limbs"]}
assert all(entries[1][name] > 0 for name in ("add", "multiply", "rotate", "encrypt, public key")), entries
assert not any("convert" in name and seconds > 0 for name, seconds in entries[1].items()), entries
' || fail "the results of reals are not what they should be"
# shellcheck disable=SC2086
expect 64 $MPIRUN -n 2 "$HEBATCH" bench limbs $small --limb-ranks 3
grep -q "does not divide" err || fail "groups of unequal size"
expect 78 "$HEBATCH" bench limbs --params bfv-4096 --limb-ranks 3
grep -q "each rank needs one" err || fail "more ranks than limbs"
expect 78 "$HEBATCH" bench limbs --n 1024 --limbs 3
expect 64 "$HEBATCH" bench limbs --n 1024
expect 64 "$HEBATCH" bench limbs --params bfv-4096 --limbs 3
expect 64 "$HEBATCH" bench limbs job
expect 64 "$HEBATCH" bench limbs --exchange pigeons
