"""Images of the example: Fashion-MNIST (Debian package dataset-fashion-mnist), padded to 32 x 32 and repeated to 3
channels, or the binary files of CIFAR-10. Values are centred and in [-1, 1]; a channel stands behind the other."""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import idx  # noqa: E402

FASHION = "/usr/share/datasets/fashion-mnist"
CIFAR = 3 * 32 * 32 + 1


def _fashion(folder, part):
    labels = idx.read(folder, part + "-labels-idx1-ubyte")
    pixels = idx.read(folder, part + "-images-idx3-ubyte").reshape(-1, 28, 28)
    pixels = np.pad(pixels, ((0, 0), (2, 2), (2, 2)))
    return np.repeat(pixels[:, None], 3, axis=1), labels


def _cifar(folder, names):
    files = [np.fromfile(os.path.join(folder, name), np.uint8).reshape(-1, CIFAR) for name in names]
    rows = np.concatenate(files)
    return rows[:, 1:].reshape(-1, 3, 32, 32), rows[:, 0]


def load(folder, part):
    """Pixels (images, 3, 32, 32) of 8 bits and classes of 'train' or 'test'."""
    if os.path.exists(os.path.join(folder, "test_batch.bin")):
        names = ["test_batch.bin"] if part == "test" else ["data_batch_%d.bin" % i for i in range(1, 6)]
        return _cifar(folder, names)
    return _fashion(folder, "t10k" if part == "test" else "train")


def values(pixels):
    """Pixels as the network takes them: exact multiples of 1/128."""
    return (pixels.astype(np.float32) - 128) / 128
