"""The network of patchnet.py in the clear, by its definition: batch norms and Hermite polynomials, nothing folded,
and the scores of faces. For `run` and tests; a submission takes none of it. Needs numpy."""
import math
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parents[1] / "resnet")]
import network  # noqa: E402
import patchnet  # noqa: E402


class Clear:
    """`learn`: is called with the name of each batch norm and what goes in, before it is used."""

    def __init__(self, state, learn=None):
        self.state, self.learn = state, learn
        self.nets = len({name.split(".")[1] for name in state if name.startswith("nets.")})

    def norm(self, name, x):
        if self.learn:
            self.learn(name, x)
        mean, var, gain, more = (self.state.get("%s.%s" % (name, part), start) for part, start in
                                 (("running_mean", None), ("running_var", None), ("weight", 1.0), ("bias", 0.0)))
        mean, var, gain, more = (np.broadcast_to(part, x.shape[1]).reshape((1, -1) + (1,) * (x.ndim - 2))
                                 for part in (mean, var, gain, more))
        return gain * (x - mean) / np.sqrt(var + patchnet.EPSILON) + more

    def activation(self, name, x):
        parts = (self.norm(name + ".bn0", np.ones_like(x)) / math.sqrt(2 * math.pi), self.norm(name + ".bn1", x) / 2,
                 self.norm(name + ".bn2", (x * x - 1) / math.sqrt(2)) / math.sqrt(4 * math.pi))
        return self.state[name + ".weight"] * sum(parts) + self.state[name + ".bias"]

    def convolution(self, name, x, stride=1):
        kernels = self.state[name + ".weight"]
        return network.convolution(x, kernels.reshape(len(kernels), -1), stride)

    def patch(self, name, x):
        x = self.convolution(name + "conv", x)
        for i, stride in enumerate(patchnet.STRIDES):
            at = "%slayers.%d." % (name, i)
            x = self.activation(at + "herpn1", x)
            y = self.activation(at + "herpn2", self.convolution(at + "conv1", x, stride))
            y = self.convolution(at + "conv2", y)
            if at + "shortcut.0.weight" in self.state:
                x = self.norm(at + "shortcut.1", self.convolution(at + "shortcut.0", x, stride))
            x = y + x
        x = self.activation(name + "herpnpool.herpn", x)
        count, channels, side, _ = x.shape
        window = side // patchnet.SIDE
        x = x.reshape(count, channels, patchnet.SIDE, window, patchnet.SIDE, window).mean((3, 5))
        return self.norm(name + "bn", x.reshape(count, -1))

    def embeddings(self, patches):
        """Returns the embeddings of patches [faces][patches][3][side][side]."""
        parts = [self.patch("nets.%d." % i, patches[:, i]) for i in range(self.nets)]
        x = np.concatenate(parts, 1) @ self.state["linear.weight"].T + self.state["linear.bias"]
        return self.norm("bn", x)


def scores(embeddings, polynomial):
    """Returns the scores of faces 1 and 2, 3 and 4 ..; polynomial: c, b, a."""
    squares = (embeddings ** 2).sum(1)
    unit = embeddings * sum(c * squares ** i for i, c in enumerate(polynomial))[:, None]
    return (unit[::2] * unit[1::2]).sum(1)


def near_inverse_root(squares):
    """c, b, a of the parabola through 1/sqrt at the mean of these numbers, and a standard deviation to either side."""
    points = squares.mean() + squares.std() * np.array([-1, 0, 1])
    return np.linalg.solve(np.vander(points, 3, increasing=True), 1 / np.sqrt(points))
