#!/usr/bin/env python3
"""A stand-in for CryptoFaceNet's trained checkpoint: stand_in.py FILE.ckpt [--pixels 32]

Random weights, with the statistics that batch norms have of random images, in a file as torch.save writes it. Prints the
polynomial of the norm and the most that sums of squares come to, as `prepare` takes them. --pixels 8: a small network, of
patches of 8 x 8 pixels, for tests. Scores of it say nothing of faces. Needs numpy.
"""
import math
import pathlib
import pickle
import struct
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]
sys.dont_write_bytecode = True
import usage  # noqa: E402

usage.need("numpy")
import numpy as np  # noqa: E402

import clear  # noqa: E402
import faces  # noqa: E402
import patchnet  # noqa: E402

NETS = 4
SHAPES = {32: ((16, 16, 32, 32, 64, 64), 256), 8: ((4, 4, 8, 8, 16, 16), 16)}  # by pixels: channels, numbers of embeddings
SAMPLES = 64
SEED = 11
TAMED = 16


def random_state(random, nets, channels, size):
    """A checkpoint's weights; channels: of the first convolution and of the five blocks."""
    state = {}

    def weights(name, *shape):
        state[name] = random.normal(size=shape) / math.sqrt(math.prod(shape[1:]))

    def activation(name, count):
        state[name + ".weight"] = random.uniform(0.5, 1.5, (count, 1, 1)) * random.choice([-1, 1], (count, 1, 1))
        state[name + ".bias"] = random.normal(size=(count, 1, 1)) / 4

    def affine(name, count):
        state[name + ".weight"], state[name + ".bias"] = random.uniform(0.5, 1.5, count), random.normal(size=count) / 4

    for net in range(nets):
        name = "nets.%d." % net
        weights(name + "conv.weight", channels[0], 3, 3, 3)
        for i, stride in enumerate(patchnet.STRIDES):
            at, before, count = "%slayers.%d." % (name, i), channels[i], channels[i + 1]
            activation(at + "herpn1", before)
            weights(at + "conv1.weight", count, before, 3, 3)
            activation(at + "herpn2", count)
            weights(at + "conv2.weight", count, count, 3, 3)
            if stride != 1 or before != count:
                weights(at + "shortcut.0.weight", count, before, 1, 1)
                affine(at + "shortcut.1", count)
        activation(name + "herpnpool.herpn", channels[-1])
        affine(name + "bn", channels[-1] * patchnet.SIDE ** 2)
    weights("linear.weight", size, nets * channels[-1] * patchnet.SIDE ** 2)
    state["linear.bias"] = random.normal(size=size) / 4
    return state


def random_images(random, count, side):
    """Smooth images [count][3][side][side] in -1 .. 1, sums of waves, with some noise."""
    at = np.arange(side) / side
    waves = np.array([np.cos(math.pi * k * at) / (k + 1) for k in range(6)])
    images = np.einsum("fcij,iy,jx->fcyx", random.normal(size=(count, 3, 6, 6)), waves, waves)
    return np.clip(images + random.normal(size=images.shape) / 8, -1, 1)


def network(pixels):
    """(weights, polynomial, the most that a sum of squares comes to)"""
    random = np.random.default_rng(SEED)
    channels, size = SHAPES[pixels]
    state = random_state(random, NETS, channels, size)
    sides = math.isqrt(NETS)
    samples = faces.cut(random_images(random, SAMPLES, sides * pixels), sides)

    def learn(name, x):
        """As after training; but squares count less, as random weights would make values of a few images very large."""
        over = tuple(i for i in range(x.ndim) if i != 1)
        state[name + ".running_mean"] = x.mean(over) * (0.999 if name.endswith("bn0") else 1)
        state[name + ".running_var"] = x.var(over) * (TAMED if name.endswith("bn2") else 1)

    clear.Clear(state, learn).embeddings(samples)
    squares = (clear.Clear(state).embeddings(samples) ** 2).sum(1)
    return state, clear.near_inverse_root(squares), 2 ** math.ceil(math.log2(1.5 * squares.max()))


def _word(text):
    return pickle.BINUNICODE + struct.pack("<I", len(text)) + text.encode()


def _tuple(*parts):
    return pickle.MARK + b"".join(parts) + pickle.TUPLE


def _count(number):
    return pickle.BININT + struct.pack("<i", number)


def _named(module, name):
    return pickle.GLOBAL + ("%s\n%s\n" % (module, name)).encode()


def write(path, state, member="backbone"):
    """A checkpoint of 32-bit numbers, with a part that readers of weights have no use for."""
    empty = _named("collections", "OrderedDict") + pickle.EMPTY_TUPLE + pickle.REDUCE
    other = _word("settings") + _named("argparse", "Namespace") + pickle.EMPTY_TUPLE + pickle.REDUCE
    other += pickle.EMPTY_DICT + _word("epochs") + _count(24) + pickle.SETITEM + pickle.BUILD
    text = pickle.PROTO + b"\x02" + pickle.EMPTY_DICT + pickle.MARK + other + _word(member) + empty + pickle.MARK
    with zipfile.ZipFile(path, "w") as archive:
        for key, (name, values) in enumerate(state.items()):
            shape = values.shape
            strides = [math.prod(shape[i + 1:]) for i in range(len(shape))]
            place = _tuple(_word("storage"), _named("torch", "FloatStorage"), _word(str(key)), _word("cpu"),
                           _count(values.size)) + pickle.BINPERSID
            parts = place, _count(0), _tuple(*map(_count, shape)), _tuple(*map(_count, strides)), pickle.NEWFALSE, empty
            text += _word(name) + _named("torch._utils", "_rebuild_tensor_v2") + _tuple(*parts) + pickle.REDUCE
            archive.writestr("archive/data/%d" % key, values.astype("<f4").tobytes())
        archive.writestr("archive/data.pkl", text + pickle.SETITEMS + pickle.SETITEMS + pickle.STOP)
        archive.writestr("archive/byteorder", "little")


def main():
    parser = usage.Parser(description=__doc__)
    parser.add_argument("file", metavar="FILE.ckpt", type=pathlib.Path)
    parser.add_argument("--pixels", type=int, choices=sorted(SHAPES), default=32)
    options = parser.parse_args()
    state, polynomial, most = network(options.pixels)
    write(options.file, state)
    print("NORM=%s MOST=%g" % (",".join("%.9g" % c for c in polynomial[::-1]), most))


if __name__ == "__main__":
    usage.call(main)
