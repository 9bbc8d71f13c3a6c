#!/bin/sh
# eval --model: what models say of encrypted rows against numpy, within what the plan proves; models from Python; refusals.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
jobs=$(CDPATH='' cd -- "${0%/*}/../../jobs" && pwd)
export PYTHONPATH="$jobs/python:$jobs/examples/models" PYTHONDONTWRITEBYTECODE=1

REALS="--n 2048 --levels 8 --scale-bits 40 --special-primes 2 --insecure"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $REALS --out keys --relin
cat >make.py <<'PYTHON'
"""Models, their rows, and what they say of them in doubles."""
import numpy as np
import hebatch, train

random = np.random.default_rng(5)
names = ["age", "weight", "dose", "a \"b\"", "height", "more"]
x = np.round(random.uniform(-2, 3, (1300, 6)), 4)
def table(name, columns, header):
    with open(name, "w") as f:
        f.write(",".join('"' + h.replace('"', '""') + '"' for h in header) + "\n")
        for row in columns: f.write(",".join(repr(float(v)) for v in row) + "\n")
order = [4, 1, 0, 5, 3, 2]
table("x.csv", x[:, order], [names[i] for i in order])
def clear(name, model, rows=x): np.savetxt(name + ".clear", model.predict(rows))

# Squares, trained here: a circle inside of a ring.
labels = (np.square(x[:, :2]).sum(1) > 3).astype(int)
squares = hebatch.Model(train.network(x, labels, [8, 4], 1.0, epochs=30), names, x)
right = (squares.predict(x).argmax(1) == labels).mean()
assert right > 0.9, right
squares.write("squares.json")
squares.write("squares.h5")
clear("squares", squares)
# The weights of the same in files.
np.savetxt("w1.csv", squares.layers[0][0], delimiter=",", header=",".join("c%d" % i for i in range(6)), comments="")
import json
model = json.load(open("squares.json"))
model["layers"][0]["weights"] = {"file": "w1.csv"}
model["layers"][1]["weights"] = {"file": "squares.h5:/layer1/weights"}
model["layers"][1]["bias"] = {"file": "squares.h5:/layer1/bias"}
json.dump(model, open("files.json", "w"))

# A logistic regression behind a scaler, and a polynomial between layers (tests/cli/python_models.py has the libraries).
logistic = random.normal(0, 1, (3, 6)) / x.std(0), random.normal(0, 1, 3), "identity"
logistic = hebatch.Model([logistic], names, x)
logistic.write("logistic.json")
clear("logistic", logistic)
parabola = hebatch.Model([(random.normal(0, .3, (5, 6)), np.zeros(5), [0.25, 0.5, 0.125]),
                          (random.normal(0, .3, (2, 5)), np.ones(2), "identity")], names, x)
parabola.write("parabola.json")
clear("parabola", parabola)
json.dump({"kind": "polynomial", "inputs": names, "terms": [{"coefficient": -0.5}, {"coefficient": 2, "powers": {"age": 2, names[3]: 1}},
                                                       {"coefficient": 0.25, "powers": {"dose": 3}}]}, open("poly.json", "w"))
np.savetxt("poly.clear", -0.5 + 2 * x[:, 0]**2 * x[:, 3] + 0.25 * x[:, 2]**3)
json.dump({"kind": "scorecard", "inputs": 6, "weights": [1, 2, -3, 4, 0, 1], "bias": 10}, open("score.json", "w"))
np.savetxt("score.clear", x[:, order] @ [1, 2, -3, 4, 0, 1] + 10)
json.dump({"kind": "linear", "inputs": ["age", "nothing"], "weights": [1, 2]}, open("missing.json", "w"))
json.dump({"kind": "linear", "inputs": 5, "weights": [1, 2, 1, 1, 1]}, open("five.json", "w"))
PYTHON
expect 0 "$PYTHON" make.py
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 x.csv x.heb

cat >compare.py <<'PYTHON'
import json, sys
import numpy as np
name = sys.argv[1]
got, want = np.genfromtxt(name + ".csv", delimiter=",", skip_header=1), np.loadtxt(name + ".clear")
report = json.load(open(name + ".heb.report.json"))
proven = [n["proven"] for n in report["precision_bits"] if n["node"].lstrip().startswith("y =")][0]
error = np.abs(got.reshape(want.shape) - want).max()
assert error <= 2.0 ** -proven + 1e-9 * np.abs(want).max(), (error, proven)
assert error < 1e-4, error
assert len(report["model"]["digest"]) == 64 and report["model"]["file"] == sys.argv[2], report["model"]
PYTHON
for name in squares files logistic parabola poly score; do
    expect 0 "$HEBATCH" eval --keys keys --model $name.json x=x.heb y=$name.heb --noise expected
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 $name.heb $name.csv
    [ $name = files ] && cp squares.clear files.clear
    expect 0 "$PYTHON" compare.py $name $name.json
done
# On two ranks the same words, a layer between as well.
# Open MPI has leaks of its own.
expect 0 env ASAN_OPTIONS=detect_leaks=0 $MPIRUN -n 2 "$HEBATCH" eval --keys keys \
    --model squares.json x=x.heb y=two.heb h1=h1.heb --noise expected
sum_of() { "$HEBATCH" info "$1" --json | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["sum"])'; }
[ "$(sum_of two.heb)" = "$(sum_of squares.heb)" ] || fail "two ranks have other words"
# The plan names the model, and is made by it alone.
expect 0 "$HEBATCH" eval --keys keys --model squares.json x=x.heb y=dry.heb --noise expected --dry-run
grep -q '^model .*squares.json: network, 6 -> 8 -> 4 -> 2, digest [0-9a-f]\{64\}$' out || fail "the plan has no model"
# HDF5 has the same model, to the digest; so has JSON with weights in files.
digest=$(sed -n 's/^model .*digest //p' out)
for file in squares.h5 files.json; do
    expect 0 "$HEBATCH" eval --keys keys --model $file x=x.heb y=dry.heb --noise expected --dry-run
    grep -q "^model .*$file: network, .*digest $digest\$" out || fail "$file has another model"
done

refuse 64 'no dataset is read' "$HEBATCH" eval --keys keys --model score.json y=a.heb
refuse 64 'a model has no z' "$HEBATCH" eval --keys keys --model score.json x=x.heb z=x.heb y=a.heb
refuse 64 'a model reads x, and nothing else' "$HEBATCH" eval --keys keys --model score.json x=x.heb W1=x.csv y=a.heb
refuse 65 'missing.json: its input nothing is no column of x' "$HEBATCH" eval --keys keys --model missing.json x=x.heb y=a.heb
refuse 65 'five.json: it has 5 inputs, and x has 6 columns' "$HEBATCH" eval --keys keys --model five.json x=x.heb y=a.heb
# Layers are named, and no statement or constant that nobody wrote.
refuse 65 'layer [0-9] of the model, [a-z]*: .*are wanted' \
    "$HEBATCH" eval --keys keys --model squares.json x=x.heb y=a.heb --precision 60
if grep 'z[0-9]\|h[0-9] = ' err; then fail "a statement that nobody wrote is shown"; fi
refuse 66 'none.json' "$HEBATCH" eval --keys keys --model none.json x=x.heb y=a.heb
refuse 66 'none.h5' "$HEBATCH" eval --keys keys --model none.h5 x=x.heb y=a.heb
"$PYTHON" - <<'PYTHON'
import shutil, h5py
shutil.copy("squares.h5", "linked.h5")
with h5py.File("linked.h5", "a") as f:
    del f["layer1"]
    f["link"], f["layer1"] = h5py.ExternalLink("squares.h5", "layer1"), h5py.SoftLink("/link")
PYTHON
refuse 65 'linked.h5: takes its data from another file, squares.h5' \
    "$HEBATCH" eval --keys keys --model linked.h5 x=x.heb y=a.heb
echo '{"kind": "linear", "weights": [1, 2' >bad.json
refuse 65 'bad.json: line 2' "$HEBATCH" eval --keys keys --model bad.json x=x.heb y=a.heb
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $CHAIN --out integers
printf 'a\n1\n2\n' >i.csv
expect 0 "$HEBATCH" encrypt --key integers/secret.h5 i.csv i.heb
refuse 64 'models work on reals' "$HEBATCH" eval --model five.json x=i.heb y=a.heb
# Another model does not go on with what this one left.
[ ! -e a.heb ] || fail "a refused job left something"

# Columns that a model does not name may be categories, dates, times, truth values; one that it names is a number.
printf '%s\n' ward,u,day,v,at,on icu,0.5,2024-01-02,0.25,2024-01-02T10:00,true lab,-0.5,2024-01-03,0.75,2024-01-02T11:00,false \
    >beside.csv
echo '{"kind": "linear", "inputs": ["v", "u"], "weights": [2, 1], "bias": 0.125}' >beside.json
echo '{"kind": "linear", "inputs": ["v", "ward"], "weights": [2, 1]}' >ward.json
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 beside.csv beside.heb --category ward --time-of-day hours
expect 0 "$HEBATCH" eval --keys keys --model beside.json x=beside.heb y=besides.heb
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 besides.heb -
"$PYTHON" -c 'got = [float(v) for v in open("out").read().split()[1:]]
assert len(got) == 2 and abs(got[0] - 1.125) < 1e-4 and abs(got[1] - 1.125) < 1e-4, got' || fail "columns beside inputs"
refuse 64 'layer 1 of the model: a category takes only comparisons' \
    "$HEBATCH" eval --keys keys --model ward.json x=beside.heb y=a.heb

# Parameters and keys for a model: what suggest prints computes it.
mkdir found-by && cd found-by || exit 1
cat >net.json <<'JSON'
{"kind": "network", "inputs": ["age", "weight", "dose"],
 "layers": [{"weights": [[0.5, -1, 0.25], [1, 0, 2]], "bias": [0.1, -0.2], "activation": "square", "range": [-8, 8]},
            {"weights": [[2, 1]], "bias": [0.3]}]}
JSON
printf '%s\n' more,dose,age,weight 7,1,0.5,0.3 8,0.9,0.1,0.2 >few.csv
expect 0 "$HEBATCH" params suggest --model net.json --table few.csv --scheme ckks --precision 12
grep '^hebatch' out | sed "s|^hebatch|\"$HEBATCH\"|; s|KEYS|found|g" >commands
[ "$(wc -l <commands)" = 4 ] || fail "suggest does not print all commands"
expect 0 sh -e commands
awk 'NR > 1 && ($1 - e[NR] > 0.0003 || e[NR] - $1 > 0.0003) { exit 1 } BEGIN { e[2] = 5.77; e[3] = 3.25125 }' y.csv ||
    fail "what suggest prints computes something else: $(cat y.csv)"
expect 0 "$HEBATCH" params suggest --model net.json --rows 9 --range x.age=0..1,x.weight=0..1,x.dose=0..1 --scheme ckks
refuse 64 "models work on reals; add --scheme ckks" "$HEBATCH" params suggest --model net.json --rows 9 --range x=0..1
refuse 64 "the model says how many columns x has" "$HEBATCH" params suggest --model net.json --rows 9 --range x=0..1 \
    --scheme ckks --columns x=3
refuse 64 "leave out 'y = x'" "$HEBATCH" params suggest 'y = x' --model net.json --rows 9 --range x=0..1 --scheme ckks
refuse 64 "in the place of --for" "$HEBATCH" keygen --params ckks-13 --out other --model net.json --for 'y = x'
refuse 64 "eval names the keys of a model" "$HEBATCH" keygen --params ckks-13 --out other --model net.json --block 4
[ ! -e other ] || fail "a refusal made keys"
