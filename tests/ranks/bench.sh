#!/bin/sh
# bench on several ranks: a job only, which leaves its folder as it was.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mkdir scratch
for layout in "2 1" "3 1" "2 2"; do # the second number: ranks that share each ciphertext
    ranks=${layout% *}
    members=${layout#* }
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n "$ranks" "$HEBATCH" bench job --params bfv-4096 --scratch scratch --rows 5000 --json \
        --limb-ranks "$members"
    "$PYTHON" - "$ranks" "$members" <<'PYTHON' || fail "the results are not what they should be"
import json, sys
report = json.load(open("out"))
assert report["ranks"] == int(sys.argv[1]), report
assert report["job"]["limb_ranks"] == int(sys.argv[2]), report
for run in (report["job"]["encrypt"], report["job"]["decrypt"]):
    assert 0 <= run["pipeline"] <= run["seconds"], run
PYTHON
    [ -z "$(ls -A scratch)" ] || fail "the job left something behind"
done
# shellcheck disable=SC2086
expect 64 $MPIRUN -n 2 "$HEBATCH" bench digest
grep -q "on one rank" err || fail "several ranks measure pieces"
