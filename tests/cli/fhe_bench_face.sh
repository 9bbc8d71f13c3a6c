#!/bin/sh
# jobs/examples/fhe-bench/face-recognition: the statements that a checkpoint becomes give in the clear what the network gives
# by its definition; checkpoints that are none, or name what is not to run, are refused; the stages, by a small network.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
kit=$(CDPATH='' cd -- "${forge%/*}/../../jobs/examples/fhe-bench" && pwd)
face=$kit/face-recognition
export HEBATCH PYTHON PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1
"$PYTHON" -c "import numpy, h5py, PIL" 2>/dev/null || {
    echo "skipped: numpy, h5py and pillow are not installed"
    exit 77
}

cat >folded.py <<'PYTHON'
"""The expressions of a network's jobs in numpy, beside its definition."""
import sys

sys.path[:0] = sys.argv[1:4]
import numpy as np

import checkpoint, clear, faces, network, patchnet, stand_in


class Table:
    """A plain table: a summand, in the order of channels also where columns are named by their places; or a matrix."""
    __array_ufunc__ = None

    def __init__(self, names, rows):
        self.rows = rows
        if names[0].startswith("c"):
            at = [(tuple(int(part) - 1 for part in name[1:].split(".")), value)
                  for name, value in zip(names, rows[0]) if name.startswith("c")]
            self.rows = np.zeros([1 + max(place[i] for place, _ in at) for i in range(3)])
            for place, value in at:
                self.rows[place] = value
            assert len(at) == self.rows.size and all(v == 0 for n, v in zip(names, rows[0]) if n.startswith("gap"))
            self.rows = self.rows.reshape(1, -1)

    def __radd__(self, x):
        return x + self.rows

    def __matmul__(self, x):
        return x @ self.rows.T


def conv(table, x, height, width, stride):
    return network.convolution(x.reshape(len(x), -1, height, width), table.rows, stride).reshape(len(x), -1)


FUNCTIONS = {"conv": conv, "square": np.square, "rotate": lambda x, k: np.roll(x, -k, 0),
             "rowsum": lambda x: x.sum(1, keepdims=True), "poly": lambda x, *c: sum(a * x ** i for i, a in enumerate(c))}


def computed(job, names):
    """All values; each must lie where its range says."""
    names = {**FUNCTIONS, **names, **{name: Table(*table) for name, table in job.tables.items()}}
    ranges = dict(text.split("=") for text in job.ranges)
    for line in job.lines:
        name, text = line.split(" = ", 1)
        names[name] = eval(text, names)
        if name in ranges:
            low, high = map(float, ranges[name].split(".."))
            assert low <= names[name].min() and names[name].max() <= high, line
    return names


pixels = int(sys.argv[4])
state, polynomial, most = stand_in.network(pixels)
first = next(name for name in state if name.endswith("herpn2.weight"))
state[first][0] = 0  # a channel that is the same everywhere
stand_in.write("net.ckpt", state)
read = checkpoint.read("net.ckpt", "backbone")
assert read.keys() == state.keys() and all(np.allclose(read[n], state[n], 1e-6, 1e-6) for n in state)
images = stand_in.random_images(np.random.default_rng(3), 8, 2 * pixels)
patches = faces.cut(images, 2)
assert (patches[:, 2, :, :, :] == images[:, :, pixels:, :pixels]).all()
jobs = patchnet.jobs(patchnet.Network(read, 12), pixels, polynomial, most)
parts = {"e%d" % i: computed(jobs["patch%d" % i], {"x": patches[:, i - 1].reshape(8, -1)})["e"] for i in range(1, 5)}
found = computed(jobs["score"], parts)["score"][::2, 0]
wanted = clear.scores(clear.Clear(read).embeddings(patches), polynomial)
assert np.abs(found - wanted).max() < 1e-5, (found, wanted)
PYTHON
for pixels in 8 32; do
    "$PYTHON" folded.py "$face" "$kit/.." "$kit/../resnet" $pixels || fail "folded weights give other scores ($pixels pixels)"
done

# Checkpoints: damaged ones, of others, and one that names a command.
expect 0 "$PYTHON" "$face/stand_in.py" tiny.ckpt --pixels 8
says "^NORM=[-0-9.e]*,[-0-9.e]*,[-0-9.e]* MOST=[0-9]*$"
cat >damage.py <<'PYTHON'
import pickle, struct, sys, zipfile

sys.path[:0] = [sys.argv[1], sys.argv[2]]
with zipfile.ZipFile("tiny.ckpt") as archive:
    files = {name: archive.read(name) for name in archive.namelist()}
text = files["archive/data.pkl"]


def write(name, method=zipfile.ZIP_STORED, **changed):
    with zipfile.ZipFile(name, "w", method) as archive:
        for file, data in {**files, **{"archive/" + k.replace("_", "/", 1): v for k, v in changed.items()}}.items():
            archive.writestr(file, data)


def replaced(old, new):
    assert old in text
    return {"data.pkl": text.replace(old, new, 1)}


write("packed.ckpt", zipfile.ZIP_DEFLATED)
write("short.ckpt", data_3=files["archive/data/3"][:-4])
write("big.ckpt", byteorder=b"big")
write("runs.ckpt", **replaced(b"cargparse\nNamespace\n)", b"cos\nmkdir\n(X\3\0\0\0rant"))
write("kind.ckpt", **replaced(b"ctorch\nFloatStorage\n", b"ctorch\nOtherStorage\n"))
write("member.ckpt", **replaced(b"backbone", b"backbane"))
write("lacks.ckpt", **replaced(b"nets.2.conv.weight", b"nets.2.conv.wait__"))
write("shape.ckpt", **replaced(b"linear.bias", b"bn.running_"))
i = text.index(pickle.BINPERSID) + 1
write("first.ckpt", **{"data.pkl": text[:i] + pickle.BININT + b"\x01\0\0\0" + text[i + 5:]})
write("below.ckpt", **{"data.pkl": text[:i] + pickle.BININT + b"\xff\xff\xff\xff" + text[i + 5:]})
write("empty.ckpt", **replaced(struct.pack("<cicici", b"J", 3, b"J", 3, b"J", 3),
                               struct.pack("<cicici", b"J", 0, b"J", 3, b"J", 3)))
write("kept.ckpt", **replaced(pickle.EMPTY_DICT, pickle.EMPTY_DICT + pickle.LONG_BINPUT + b"\xff\xff\xff\x7f"))
write("deep.ckpt", **{"data.pkl": pickle.PROTO + b"\2}" + pickle.EMPTY_TUPLE + pickle.TUPLE1 * 300000 + b"K\1s."})
write("named.ckpt", **replaced(b"nets.2.conv.weight", b"nets.2.conv.wei\nht"))
open("cut.ckpt", "wb").write(open("tiny.ckpt", "rb").read()[:5000])
with zipfile.ZipFile("forged.ckpt", "w") as archive:  # the directory says 4 MiB of 432 bytes, and the pickle that it has them
    files["archive/data.pkl"] = text[:i - 7] + struct.pack("<ci", b"J", 1 << 20) + text[i - 2:i] + \
        struct.pack("<ci", b"J", 1 << 19) + text[i + 5:]
    for name, data in files.items():
        archive.writestr(name, data)
    archive.getinfo("archive/data/0").file_size = 4 << 20
PYTHON
"$PYTHON" damage.py "$face" "$kit/.." || fail "could not damage the checkpoint"
refused() {
    reason 65 "$2" env CHECKPOINT="$1.ckpt" PIXELS=8 "$PYTHON" "$face/prepare" model
}
refused packed "packed.ckpt: archive/byteorder is packed, or has two sizes"
refused forged "forged.ckpt: archive/data/0 is packed, or has two sizes"
refused empty "empty.ckpt: has a tensor that is empty, or larger than its storage"
refused kept "kept.ckpt: has a pickle that keeps more objects than it has"
refused deep "deep.ckpt: has a pickle of more than 60000 tuples"
refused named "named.ckpt: has tensors without a name of their own"
refused short "short.ckpt: archive/data/3 has"
refused big "big.ckpt: was written on a machine of the other byte order"
refused kind "kind.ckpt: has a tensor of a kind that is not read"
refused member "member.ckpt: no checkpoint of torch.save that has 'backbone'"
refused cut "cut.ckpt: no checkpoint of torch.save"
refused first "first.ckpt: has a tensor that is empty, or larger than its storage"
refused below "below.ckpt: has a tensor whose shape is none"
refused lacks "lacks.ckpt: is no CryptoFaceNet: it has no nets.2.conv.weight"
refused shape "shape.ckpt: is no CryptoFaceNet: it has no linear.bias"
reason 66 "none.ckpt: No such file" env CHECKPOINT=none.ckpt "$PYTHON" "$face/prepare" model
reason 66 "there is no model, and CHECKPOINT names no file" "$PYTHON" "$face/prepare" model
reason 64 "NORM=1,2: 3 numbers are wanted" env CHECKPOINT=tiny.ckpt NORM=1,2 "$PYTHON" "$face/prepare" model
reason 65 "patches of 12 x 12 pixels cannot be halved" env CHECKPOINT=tiny.ckpt PIXELS=12 "$PYTHON" "$face/prepare" model
absent model
expect 0 env CHECKPOINT=runs.ckpt PIXELS=8 "$PYTHON" "$face/prepare" model
absent ran # by what the pickle names
cat >fuzz.py <<'PYTHON'
"""Checkpoints with a byte changed: each is refused in words, or has the right numbers. Where the pickle is changed and its
checksum is right it may name other ones."""
import io, pickle, random, sys, zipfile

sys.path[:0] = [sys.argv[1], sys.argv[2]]
import numpy as np

import checkpoint

whole, dice = open("tiny.ckpt", "rb").read(), random.Random(5)
state = checkpoint.read("tiny.ckpt", "backbone")
with zipfile.ZipFile("tiny.ckpt") as archive:
    files = {name: archive.read(name) for name in archive.namelist()}
directory = whole.index(b"PK\1\2")


def changed(data, least=0):
    at = dice.randrange(least, len(data))
    return data[:at] + bytes([data[at] ^ dice.randrange(1, 256)]) + data[at + 1:]


def outcome(data, right):
    open("fuzz.ckpt", "wb").write(data)
    try:
        found = checkpoint.read("fuzz.ckpt", "backbone")
    except checkpoint.Damaged as reason:
        assert str(reason).startswith("fuzz.ckpt: ") and "\n" not in str(reason)
        return 0
    assert not right or found.keys() == state.keys() and all((found[n] == state[n]).all() for n in state)
    return 1


read = [0, 0]
for turn in range(400):
    if turn % 2:
        read[1] += outcome(changed(whole, directory if turn % 4 == 1 else 0), True)
    else:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, changed(data) if name.endswith(".pkl") else data)
        read[0] += outcome(packed.getvalue(), False)
print("%d and %d of 200 were read" % tuple(read))
PYTHON
expect 0 "$PYTHON" fuzz.py "$face" "$kit/.."
[ ! -s err ] || fail "changed checkpoints are read with warnings"

# The stages, by a small network of random weights under insecure parameters.
export PRESET=boot-test BLOCK=256 PIXELS=8
expect 0 "$kit/run" face-recognition single --seed 1 single
says "^1 of 1 scores is that in the clear"
for label in "Public and evaluation keys" "Packed model weights" "Encrypted input" "Encrypted results" "Input preprocessing"; do
    grep -q "\"$label\"" single/measurements/single/results-1.json || fail "results do not say $label"
done
[ "$(wc -l <single/io/single/encrypted_model_predictions.txt)" = 1 ] || fail "there is not one line for one pair"
cd single || exit 1
printf 'score\nnan\n0.5\n' >io/single/client/scores.csv
reason 65 "client_postprocess: row 1 is no finite number" submission/build/client_postprocess 0
reason 64 "client_preprocess_input: 4: no such size" "$PYTHON" submission/client_preprocess_input.py 4
reason 66 "test_pairs.h5: " "$PYTHON" submission/client_preprocess_input.py 1
reason 64 "LEVELS is 'none'" env LEVELS=none submission/build/client_encode_encrypt_input 0
"$PYTHON" - <<'PYTHON' || fail "could not spoil an image"
import h5py, numpy as np

with h5py.File("datasets/single/intermediate/test_pairs.h5", "r+") as pairs:
    pairs["image1"][0] = np.arange(9, dtype=np.uint8)
PYTHON
reason 65 "client_preprocess_input: pair 1: no image" env ALIGN=centre "$PYTHON" submission/client_preprocess_input.py 0
cd ..
expect 77 env -u PIXELS "$kit/run" face-recognition single "$work/without"
complains "skipped: CHECKPOINT names no checkpoint of CryptoFaceNet"
