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
    # Three, where a call takes seconds.
    assert m["items"] > 0 and m["samples"] in (3, 9) and 0 < m["least_us"] <= m["median_us"], m
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
lines 66
bench --json --batch 1 encrypt decrypt
lines 9
grep -q '"items": 1,' out || fail "--batch 1 is not one a call"
bench --json --all-sizes ntt
lines 64 # 8 sizes of N, 4 of primes, both directions
bench --json --batch 1 bfv
lines 15
bench --json --batch 1 --clock cpu encrypt decrypt
lines 9
# Operations on reals, and circuits of them; for polynomials ckks-13 has too few levels, boot-test bootstraps as well.
expect 0 "$HEBATCH" bench --device cpu --seconds 0 --params ckks-13 --json ckks circuits
lines 17
expect 0 "$HEBATCH" bench --device cpu --seconds 0 --params boot-test --batch 1 --json ckks circuits
lines 18
for name in "polynomial of degree 31" "polynomial of degree 119" "linear map of 64 diagonals" \
    "linear map of 63 diagonals, 16 baby steps" "W @ x, 64 x 64 numbers" bootstrap "bootstrap: EvalMod"; do
    grep -q "\"$name, alone\"" out || fail "'$name' is not measured"
done
# bench says what was asked for and cannot be measured.
expect 0 "$HEBATCH" bench --device cpu --seconds 0 --params ckks-13 circuits
says "^not measured: polynomial of degree 31, which takes 5 levels; ckks-13 has 3$"
bench switch
says "^not measured: key switching of digits at N = 2^12; it is from 2^13 to 2^16$"
refuse 78 "have nothing of what is to be measured" "$HEBATCH" bench --device cpu --seconds 0 --params ckks-13 bfv
bench digest
says "ratio"
says "^digest "

refuse 64 "did you mean encrypt" "$HEBATCH" bench encyrpt
refuse 64 "lists what there is" "$HEBATCH" bench velocity
refuse 64 "all-sizes" "$HEBATCH" bench --all-sizes
refuse 64 "plan is for" "$HEBATCH" bench --plan
refuse 64 "plan is for" "$HEBATCH" bench --plan ntt bfv
refuse 64 "plan is for" "$HEBATCH" bench --plan --all-sizes ntt
refuse 69 "this is a CPU" "$HEBATCH" bench --plan --device cpu ntt
refuse 64 "there are wall and cpu" "$HEBATCH" bench --clock moon digest
refuse 64 "not for job, limbs and --plan" "$HEBATCH" bench --clock cpu job --scratch .
refuse 64 "at most" "$HEBATCH" bench --batch 18446744073709551614
refuse 64 "stand for a preset" "$HEBATCH" bench bfv --n 8192
refuse 64 "give one of them" "$HEBATCH" bench bfv --n 8192 --limbs 2 --params bfv-8192
refuse 64 "at most 64" "$HEBATCH" bench bfv --n 8192 --limbs 64
refuse 64 "at most 60" "$HEBATCH" bench bfv --n 8192 --limbs 2 --bits 61
refuse 64 "insecure is for" "$HEBATCH" bench bfv --n 8192 --limbs 2 --insecure
expect 0 "$HEBATCH" bench bfv --n 8192 --limbs 3 --special 2 --batch 1 --seconds 0.01 --device cpu
grep -q "^N = 8192, 3 primes of 50 bits" out || fail "a literal of BFV is not measured"
refuse 64 "not a number" "$HEBATCH" bench --batch many
refuse 64 "no parameter set" "$HEBATCH" bench --params bfv-1
refuse 69 "device gpu" env CUDA_VISIBLE_DEVICES= "$HEBATCH" bench --device gpu digest

# A whole job. Its folder is empty afterwards.
mkdir scratch
empty() {
    [ -z "$(ls -A scratch)" ] || fail "left behind: $(ls -A scratch)"
}
job() {
    expect "$1" "$HEBATCH" bench job --device cpu --params bfv-4096 --scratch scratch --rows "$2" --json --io-threads "$3"
    empty
}
jobs() {
    "$PYTHON" - "$1" "$2" <<'PYTHON' || fail "the results of the job are not what they should be"
import json, math, sys
report = json.load(open("out"))
assert report["ranks"] == int(sys.argv[1])
job = report["job"]
assert job["ciphertexts"] == job["columns"] * -(-job["rows"] // 4096)
assert [f["threads"] for f in job["files"]] == [1, 2, 4]
assert job["multiply"] is None # bfv-4096 has no room for the noise of one
written = max(f["written_bytes_per_second"] for f in job["files"])
read = max(f["read_bytes_per_second"] for f in job["files"])
both = max(f["both_bytes_per_second"] for f in job["files"])
bytes_of = {"encrypt": (0, 1), "decrypt": (1, 0), "add": (2, 2 - 64 / job["ciphertext_bytes"])} # no seeds in the sum
for name, (reads, writes) in bytes_of.items():
    run = job[name]
    assert run["ciphertexts_per_second"] > 0 and run["link_ciphertexts_per_second"] == 0
    bounds = [reads / read, writes / written, (reads + writes) / both if reads and writes else 0]
    files = 1 / (job["ciphertext_bytes"] * max(bounds))
    assert math.isclose(run["files_ciphertexts_per_second"], files, rel_tol=1e-6), (name, files)
    assert run["files_one_thread_ciphertexts_per_second"] <= run["files_ciphertexts_per_second"]
    assert math.isclose(run["share"], run["ciphertexts_per_second"] / run["files_ciphertexts_per_second"])
    assert run["share_one_thread"] >= run["share"]
    assert 0 < run["pipeline"] <= run["seconds"]
    assert run["gpu_bytes"] == [0, 0, 0] and sorted(run["host_bytes"]) == run["host_bytes"]
    # All of the time is accounted for: phases follow one another, and so do the links of the critical chain.
    phases, loop = run["times"]["phases"], run["times"]["loop"]
    total = phases.pop("total")
    assert math.isclose(sum(phases.values()), total)
    assert phases["loop"] >= run["pipeline"]
    assert math.isclose(sum(loop["critical"].values()), run["pipeline"], abs_tol=1e-4)
    assert loop["limited_by"] == max(loop["critical"], key=loop["critical"].get)
    assert loop["readers"] == int(sys.argv[2]) or loop["units"] < int(sys.argv[2])
    assert 0 < run["times"]["first_unit"] <= total
PYTHON
}
job 0 5000 1
jobs 1 1

# The same of reals, products as well.
expect 0 "$HEBATCH" bench job --device cpu --params ckks-13 --scratch scratch --rows 5000 --json --io-threads 1
empty
"$PYTHON" -c 'import json
job = json.load(open("out"))["job"]
assert job["ciphertexts"] == job["columns"] * 2, job
assert all(job[name]["ciphertexts_per_second"] > 0 for name in ("encrypt", "decrypt", "add", "multiply")), job' ||
    fail "the job on reals"
job 0 50000 3
jobs 1 3
job 0 1 2
expect 0 "$HEBATCH" bench job --device cpu --params bfv-4096 --scratch scratch --rows 100
says "share of the lower"
empty
expect 0 "$HEBATCH" bench job --device cpu --params bfv-8192 --scratch scratch --rows 100
says " multiply"
for phase in "plain files of " "a table and keys" encrypt decrypt "another dataset" add multiply; do
    grep -q "^hebatch: bench job    $phase" err || fail "nobody is told that '$phase' has begun"
done
grep -q "^hebatch: evaluated " err || fail "no progress of the jobs"
empty

refuse 64 "scratch DIR" "$HEBATCH" bench job
refuse 64 "alone" "$HEBATCH" bench job digest --scratch scratch
refuse 64 "io-threads 9" "$HEBATCH" bench job --scratch scratch --io-threads 9
refuse 64 "rows" "$HEBATCH" bench job --scratch scratch --rows 0
refuse 73 "cannot work there" "$HEBATCH" bench job --scratch missing
refuse 74 "are needed" "$HEBATCH" bench job --scratch scratch --rows 1000000000000
empty

# Failures midway: a file that may not grow; a signal.
(ulimit -f 100 && exec "$HEBATCH" bench job --quiet --device cpu --scratch scratch --rows 20000) 2>err
[ $? = 74 ] || fail "a limit of file sizes is not an I/O error"
empty
# The sanitizers want to be loaded first, and need not be.
ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$HOLD HOLD_AFTER=1 HOLD_IN=dataset.heb.partial HOLD_UNTIL=$work/go \
    "$HEBATCH" bench job --quiet --device cpu --scratch scratch --rows 100000 2>err &
running=$!
until [ -n "$(find scratch -name part-00000.h5)" ]; do
    kill -0 $running || fail "the job ended before it began"
    sleep 0.01
done
kill -TERM $running
: >go
wait $running
[ $? = 75 ] || fail "a signal does not stop the job"
empty
