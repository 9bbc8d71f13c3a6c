#!/bin/sh
# jobs/examples/resnet: a small residual network on encrypted images, of relu and of squares, by small parameters; and
# that results which are others than those of the network in the clear end it.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
resnet=$(CDPATH='' cd -- "${forge%/*}/../../jobs/examples/resnet" && pwd)
export HEBATCH PYTHON
MPIRUN="env ASAN_OPTIONS=detect_leaks=0 $MPIRUN" # Open MPI has leaks of its own
export MPIRUN PRESET=boot-test SIZE=8 BLOCK=256 ROWS=5

# Five images of 3 x 8 x 8, two in a ciphertext, through five convolutions and strides of 1 and 2.
expect 0 env RANKS=2 "$resnet/run" "$work/relu"
says "^layer  5 "
says "^5 images: 100.00 % of the classes are those in the clear"
grep -q "bootstrap  *.*values up to 1, from level .*: relu(p1, -1, 1)" relu/log || fail "no activation was bootstrapped"
[ "$(grep -c "^hebatch: matrix " relu/log)" -ge 14 ] || fail "the plans do not name the convolutions"
[ ! -e relu/keys/secret.h5 ] || fail "the server has the secret key"
# The expected argument of an activation is no larger than its range.
! grep -q "expected (errors up to 2^[2-9].*: p[0-9]* = " relu/log || fail "larger errors than ranges: $(grep "expected (errors up" relu/log)"
expect 0 env KIND=square "$resnet/run" "$work/square"
says "^5 images: 100.00 % of the classes are those in the clear"

cd relu || exit 1
cp scores.csv scores.kept
expect 0 "$PYTHON" "$resnet/compare.py"
# One class of five; scores that are no other class, but half as large; an activation's argument of another layer.
change_row scores.csv 2 'c[1:] + c[:1]'
expect 1 "$PYTHON" "$resnet/compare.py"
says "^5 images: 80.00 %"
cp scores.kept scores.csv
change_row scores.csv 2 '[v / 2 for v in c]'
expect 1 "$PYTHON" "$resnet/compare.py"
says "^5 images: 100.00 %"
cp scores.kept scores.csv
change_row p3.csv 2 '[0.8 * v for v in c]'
expect 1 "$PYTHON" "$resnet/compare.py"
cd ..

# The weights that the repository has are networks of 19 convolutions and a dense layer, each kind its own.
expect 0 env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$resnet" "$PYTHON" -c '
import numpy as np, sys, network
for kind in "relu", "square":
    model = network.Model(np.load("%s/%s.npz" % (sys.argv[1], kind)))
    assert model.kind == kind and len(model.layers) == 19
    lines, ranges, tables = network.statements(model, 32)
    assert tables["dense"].shape == (10, 4096) and len(lines) == 39 and len(ranges) == 39' "$resnet"
# CIFAR-10 as its binary files have it: a byte of the class, then 32 x 32 of each colour.
expect 0 env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$resnet" "$PYTHON" -c '
import numpy as np, images
rows = np.arange(2 * images.CIFAR, dtype=np.uint32).astype(np.uint8).reshape(2, -1)
rows.tofile("test_batch.bin")
pixels, classes = images.load(".", "test")
assert classes.tolist() == rows[:, 0].tolist() and pixels.shape == (2, 3, 32, 32)
assert pixels[1, 2, 31, 31] == rows[1, -1] and pixels[0, 1, 0, 0] == rows[0, 1 + 1024]
assert np.abs(images.values(pixels)).max() <= 1'
# Its files for Python: a pickle for each, in which nothing is named but arrays.
expect 0 env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$resnet" "$PYTHON" -c '
import os, pickle
import numpy as np, images
os.mkdir("batches")
rows = np.arange(2 * 3072, dtype=np.uint32).astype(np.uint8).reshape(2, -1)
def write(batch):
    with open("batches/test_batch", "wb") as file:
        pickle.dump(batch, file, protocol=4)
write({b"data": rows, b"labels": [7, 9]})
pixels, classes = images.load("batches", "test")
assert classes.tolist() == [7, 9] and pixels.shape == (2, 3, 32, 32)
assert pixels[1, 2, 31, 31] == rows[1, -1] and pixels[0, 1, 0, 0] == rows[0, 1024]
for wrong in ({b"data": rows}, {b"data": rows[:, 1:], b"labels": [7, 9]}, {b"data": os.system, b"labels": []}, [1]):
    write(wrong)
    try:
        images.load("batches", "test")
    except ValueError:
        continue
    raise AssertionError(wrong)'
reason 64 "SIZE: 3 is odd" "$PYTHON" "$resnet/prepare.py" random relu 5 3
reason 64 "KIND: invalid choice: 'Relu'" "$PYTHON" "$resnet/prepare.py" random Relu 5 8
reason 64 "ROWS: '5.5' is no whole number" "$PYTHON" "$resnet/prepare.py" random relu 5.5 8
reason 65 "no weights that train.py wrote" "$PYTHON" "$resnet/prepare.py" relu/images.csv "$work" 5
reason 65 "only 2 images" "$PYTHON" "$resnet/prepare.py" "$resnet/relu.npz" . 5
echo >test_batch.bin
reason 65 "no images of Fashion-MNIST or CIFAR-10, or damaged ones" "$PYTHON" "$resnet/prepare.py" "$resnet/relu.npz" . 5
# Anyone who asks what the example takes gets no folder of that name; paths are said from where it is called.
expect 0 "$resnet/run" --help
says "^usage: .*resnet/run \[FOLDER\]"
says "^ROWS (1000) test images"
reason 64 "^resnet: --rows: there are no options" "$resnet/run" --rows
reason 64 "^resnet: 2: one folder is taken" "$resnet/run" none 2
reason 69 "$work/no/python cannot be run" env PYTHON=no/python "$resnet/run" none
reason 66 "PREPARED is .*, and has no images.csv" env PREPARED=none "$resnet/run" "$work/none"
# One image alone.
mkdir one
(cd one && expect 0 "$PYTHON" "$resnet/prepare.py" random relu 1 8) || exit 1
[ "$(head -n 1 one/first.csv | tr , '\n' | wc -l)" = 192 ] || fail "one image has other columns than several"
unset SIZE
expect 77 env FASHION="$work" DOWNLOAD=no "$resnet/run" "$work/none"
mkdir -p without/numpy
echo 'raise ImportError("not here")' >without/numpy/__init__.py
expect 77 env PYTHONPATH="$work/without" SIZE=8 DOWNLOAD=no "$resnet/run" "$work/none"
complains "skipped: numpy is not installed"
