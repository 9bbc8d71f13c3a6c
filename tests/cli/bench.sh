#!/bin/sh
# bench: every line has a floor and a ratio, a job leaves nothing behind however it ends. No time is looked at.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

# lines COUNT: what the results in ./out must have.
lines() {
    "$PYTHON" - "$1" <<'PYTHON' || fail "the results are not what they should be"
import json, math, sys
report = json.load(open("out"))
ceilings, measures = report["ceilings"], report["measures"]
for name in ("memory", "FP64", "integer", "keystream", "digest"):
    assert ceilings[name] > 0, name
assert len(measures) == int(sys.argv[1]), len(measures)
for m in measures:
    assert m["items"] > 0 and m["samples"] >= 9 and 0 < m["least_us"] <= m["median_us"], m
    floors = {name: 1e6 * amount / ceilings[name] for name, amount in m["cost"].items()}
    assert math.isclose(m["floor_us"], max(floors.values())) and m["floor_us"] > 0, m
    assert math.isclose(floors[m["bound_by"]], m["floor_us"]), m
    assert math.isclose(m["ratio"], m["median_us"] / m["floor_us"]), m
PYTHON
}

bench() {
    expect 0 "$HEBATCH" bench --device cpu --seconds 0 --params bfv-4096 "$@"
}

bench --json
lines 53
bench --json --batch 1 encrypt decrypt
lines 5
grep -q '"items": 1,' out || fail "--batch 1 is not one a call"
bench --json --all-sizes ntt
lines 64 # 8 sizes of N, 4 of primes, both directions
bench --json --batch 1 bfv
lines 11
bench digest
says "ratio"
says "^digest "

refuse 64 "did you mean encrypt" "$HEBATCH" bench encyrpt
refuse 64 "lists what there is" "$HEBATCH" bench velocity
refuse 64 "all-sizes" "$HEBATCH" bench --all-sizes
refuse 64 "paper is for" "$HEBATCH" bench --paper
refuse 64 "paper is for" "$HEBATCH" bench --paper bfv ntt
refuse 64 "at most" "$HEBATCH" bench --batch 18446744073709551614
refuse 64 "not a number" "$HEBATCH" bench --batch many
refuse 64 "no parameter set" "$HEBATCH" bench --params bfv-1
refuse 69 "device gpu" env CUDA_VISIBLE_DEVICES= "$HEBATCH" bench --device gpu digest

# A whole job. Its folder is empty afterwards.
mkdir scratch
empty() {
    [ -z "$(ls -A scratch)" ] || fail "left behind: $(ls -A scratch)"
}
job() {
    expect "$1" "$HEBATCH" bench job --device cpu --params bfv-4096 --scratch scratch --rows "$2" --json
    empty
}
jobs() {
    "$PYTHON" - "$1" <<'PYTHON' || fail "the results of the job are not what they should be"
import json, math, sys
report = json.load(open("out"))
assert report["ranks"] == int(sys.argv[1])
job = report["job"]
assert job["ciphertexts"] == job["columns"] * -(-job["rows"] // 4096)
for run in (job["encrypt"], job["decrypt"]):
    assert run["ciphertexts_per_second"] > 0 and run["link_ciphertexts_per_second"] == 0
    assert math.isclose(run["share"], run["ciphertexts_per_second"] / run["files_ciphertexts_per_second"])
    assert 0 < run["pipeline"] <= run["seconds"]
    assert run["gpu_bytes"] == [0, 0, 0] and sorted(run["host_bytes"]) == run["host_bytes"]
PYTHON
}
job 0 5000
jobs 1
job 0 1
expect 0 "$HEBATCH" bench job --device cpu --params bfv-4096 --scratch scratch --rows 100
says "share of the lower"
empty

refuse 64 "scratch DIR" "$HEBATCH" bench job
refuse 64 "alone" "$HEBATCH" bench job digest --scratch scratch
refuse 64 "rows" "$HEBATCH" bench job --scratch scratch --rows 0
refuse 73 "cannot work there" "$HEBATCH" bench job --scratch missing
refuse 74 "are needed" "$HEBATCH" bench job --scratch scratch --rows 1000000000000
empty

# Failures midway: a file that may not grow; a signal.
(ulimit -f 100 && exec "$HEBATCH" bench job --quiet --device cpu --scratch scratch --rows 20000) 2>err
[ $? = 74 ] || fail "a limit of file sizes is not an I/O error"
empty
"$HEBATCH" bench job --quiet --device cpu --scratch scratch --rows 1000000 2>err &
running=$!
while [ -z "$(ls -A scratch)" ]; do
    kill -0 $running || fail "the job ended before it began"
    sleep 0.01
done
kill -TERM $running
wait $running
[ $? = 75 ] || fail "a signal does not stop the job"
empty
