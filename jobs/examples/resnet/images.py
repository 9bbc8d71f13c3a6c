"""Images of the example: Fashion-MNIST (Debian package dataset-fashion-mnist), padded to 32 x 32 and repeated to 3
channels, or the files of CIFAR-10, binary ones or those of Python. Values are centred and in [-1, 1]; a channel stands
behind the other."""
import os
import pickle
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


class _Batch(pickle.Unpickler):
    """A pickle of arrays and lists, which may name nothing else."""

    NAMES = {"_reconstruct": np.empty(0).__reduce__()[0], "ndarray": np.ndarray, "dtype": np.dtype}

    def find_class(self, module, name):
        if module in ("numpy", "numpy.core.multiarray", "numpy._core.multiarray") and name in self.NAMES:
            return self.NAMES[name]
        raise pickle.UnpicklingError("%s.%s" % (module, name))


def _cifar_python(folder, names):
    pixels, classes = [], []
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            try:
                batch = _Batch(file, encoding="bytes").load()
                pixels.append(np.asarray(batch[b"data"], np.uint8).reshape(-1, 3, 32, 32))
                classes.append(np.asarray(batch[b"labels"], np.uint8))
            except (pickle.UnpicklingError, KeyError, TypeError, EOFError, AttributeError, IndexError, OverflowError):
                raise ValueError("%s: no batch of CIFAR-10" % file.name) from None
    return np.concatenate(pixels), np.concatenate(classes)


def load(folder, part):
    """Pixels (images, 3, 32, 32) of 8 bits and classes of 'train' or 'test'. ValueError: there are none."""
    for suffix, read in ((".bin", _cifar), ("", _cifar_python)):
        if os.path.exists(os.path.join(folder, "test_batch" + suffix)):
            names = ["test_batch"] if part == "test" else ["data_batch_%d" % i for i in range(1, 6)]
            return read(folder, [name + suffix for name in names])
    return _fashion(folder, "t10k" if part == "test" else "train")


def values(pixels):
    """Pixels as the network takes them: exact multiples of 1/128."""
    return (pixels.astype(np.float32) - 128) / 128
