"""CryptoFaceNet (Ao and Boddeti, "CryptoFace: End-to-End Encrypted Face Recognition", CVPR 2025) of a checkpoint, as
`hebatch eval` takes it. A face is cut into patches, each with a network of its own: a convolution, five blocks, an
activation, an average and a linear layer. The results of all patches are added up to an embedding. The score of two faces is
the cosine of their embeddings, where 1/sqrt of a sum of squares is a polynomial of degree 2.

An activation is h(x) = a2 x^2 + a1 x + a0, which batch norms and weights give for each channel. Here it is
h(x) = w (p^2 + r) with p = s x + t, where s and t make p lie in -1 .. 1 as long as x is within some standard deviations of
the mean that the batch norm knows. s and t go into the convolution before, w into the one behind."""
import collections
import math

import numpy as np

import tables

STRIDES = (1, 2, 1, 2, 1)  # of the blocks
SIDE = 2  # of what the average leaves of a channel
EPSILON = 1e-5  # of PyTorch's batch norms
MOST_REST = 8  # of r, beside p^2 of at most 1
Activation = collections.namedtuple("Activation", "scale shift rest weight")


class Damaged(ValueError):
    """A checkpoint of another network."""


class Network:
    """Weights by their names in the checkpoint. margin: standard deviations."""

    def __init__(self, state, margin):
        self.state, self.margin = state, margin
        self.nets = len({name.split(".")[1] for name in state if name.startswith("nets.")})
        if self.nets == 0 or math.isqrt(self.nets) ** 2 != self.nets:
            raise Damaged("it has %d networks of patches, which is no square" % self.nets)
        self.size = len(self.take("linear.weight"))
        for name, values in state.items():
            if not np.isfinite(values).all():
                raise Damaged("%s has a number that is not finite" % name)

    def take(self, name, *shape):
        """A table; Damaged if it is not there, is a single number, or is not of this shape, where one is said."""
        if name not in self.state:
            raise Damaged("it has no %s" % name)
        if self.state[name].ndim == 0:
            raise Damaged("%s is a single number" % name)
        if shape and self.state[name].shape != shape:
            raise Damaged("%s is %s, not %s" % (name, self.state[name].shape, shape))
        return self.state[name]

    def norm(self, name, channels, affine):
        """Factor and summand of a batch norm, for each channel."""
        mean, var = (self.take("%s.running_%s" % (name, part), channels) for part in ("mean", "var"))
        if var.min() < 0:
            raise Damaged("%s has a variance below 0" % name)
        factor = 1 / np.sqrt(var + EPSILON)
        gain, more = (self.take("%s.%s" % (name, part), channels) if affine else start
                      for part, start in (("weight", 1.0), ("bias", 0.0)))
        return gain * factor, more - gain * factor * mean

    def activation(self, name, channels):
        """HerPN: Hermite polynomials of degrees 0, 1 and 2, each with a batch norm."""
        gain, more = (self.take("%s.%s" % (name, part), channels, 1, 1).ravel() for part in ("weight", "bias"))
        (f0, c0), (f1, c1), (f2, c2) = (self.norm("%s.bn%d" % (name, i), channels, False) for i in range(3))
        a2 = gain * f2 / math.sqrt(8 * math.pi)
        a1 = gain * f1 / 2
        a0 = more + gain * ((f0 + c0) / math.sqrt(2 * math.pi) + c1 / 2
                            + (c2 - f2 / math.sqrt(2)) / math.sqrt(4 * math.pi))
        used = a2 != 0  # a gain of 0 leaves a constant
        divisor = np.where(used, a2, 1.0)
        centre = a1 / (2 * divisor)
        free = a0 - a2 * centre * centre
        mean, sigma = self.take(name + ".bn1.running_mean", channels), 1 / f1
        most = np.maximum(np.abs(mean + centre) + self.margin * sigma, np.sqrt(np.abs(free / divisor) / MOST_REST))
        return Activation(np.where(used, 1 / most, 0.0), np.where(used, centre / most, 0.0),
                          np.where(used, free / (divisor * most * most), 1.0), np.where(used, a2 * most * most, a0))

    def convolution(self, name, channels, size, before, after):
        """Kernels between two activations, without a bias; `before`: weights of the channels that go in."""
        kernels = self.take(name + ".weight", channels, len(before), size, size)
        return kernels * before[None, :, None, None] * after.scale[:, None, None, None]


def flat(kernels, bias=None):
    """A row for each channel of the result; the bias is the last column."""
    rows = kernels.reshape(len(kernels), -1)
    return rows if bias is None else np.c_[rows, bias]


def places(channels, side, gap):
    """Names of the slots of an image that convolutions with strides left, and of each the index of its pixel, channel after
    channel, or -1 (src/lang/pages/rows.md, Strides)."""
    names, pixels, area, gaps = [], [], (side * gap) ** 2, 0
    for slot in range(-(-channels // gap ** 2) * area):
        y, x = divmod(slot % area, side * gap)
        channel = slot // area * gap * gap + y % gap * gap + x % gap
        used = channel < channels
        gaps += not used
        names.append("c%d.%d.%d" % (channel + 1, y // gap + 1, x // gap + 1) if used else "gap.%d" % gaps)
        pixels.append((channel * side + y // gap) * side + x // gap if used else -1)
    return names, pixels


class Job:
    """The work of one `eval`: lines of an expression, ranges that they declare, and tables by their names: names of columns
    and rows."""

    def __init__(self):
        self.lines, self.ranges, self.tables = [], [], {}

    def table(self, name, rows, names=None):
        rows = np.atleast_2d(rows)
        self.tables[name] = (names or tables.numbered("w", rows.shape[1]), rows)
        return name

    def let(self, name, text, low=None, high=None):
        self.lines.append("%s = %s" % (name, text))
        if low is not None:
            self.ranges.append("%s=%.9g..%.9g" % (name, low, high))
        return name


class Patch(Job):
    """The network of patch number `at`, from 0 on, of `side` pixels: its part e of embeddings, of patches x."""

    def __init__(self, net, at, side, weights):
        super().__init__()
        self.net, self.name = net, "nets.%d." % at
        self.side, self.gap, self.kernels, self.activations = side, 1, 0, 0
        self.write(weights)

    def convolved(self, kernels, value, stride=1):
        """The text of a convolution, whose kernels become a table."""
        self.kernels += 1
        name = self.table("k%d" % self.kernels, kernels)
        return "conv(%s, %s, %d, %d, %d)" % (name, value, self.side, self.side, stride)

    def activated(self, text, rest):
        """The name of the activation p^2 + r of p, which the text gives."""
        self.activations += 1
        at, area = self.activations, self.side ** 2
        names, pixels = places(len(rest), self.side, self.gap) if self.gap > 1 else (None, list(range(len(rest) * area)))
        summands = np.append(np.repeat(rest, area), 0.0)[pixels]
        self.let("p%d" % at, text, -1, 1)
        return self.let("y%d" % at, "square(p%d) + %s" % (at, self.table("r%d" % at, summands, names)))

    def block(self, i, value, before, after):
        """Block i of the activation `value` with its `before`, up to what the next activation, `after`, takes; returns
        the text of that."""
        net, name, stride, channels = self.net, "%slayers.%d." % (self.name, i), STRIDES[i], len(after.scale)
        inner = net.activation(name + "herpn2", channels)
        text = self.convolved(flat(net.convolution(name + "conv1", channels, 3, before.weight, inner), inner.shift), value,
                              stride)
        if name + "shortcut.0.weight" in net.state:
            short = net.convolution(name + "shortcut.0", channels, 1, before.weight, after)
            factor, more = net.norm(name + "shortcut.1", channels, True)
            short, more = short * factor[:, None, None, None], after.scale * more
        elif stride == 1 and len(before.weight) == channels:
            short, more = np.diag(after.scale * before.weight), 0.0
        else:
            raise Damaged("it has no %sshortcut" % name)
        beside = self.convolved(flat(short), value, stride)
        self.side, self.gap = self.side // stride, self.gap * stride
        middle = self.activated(text, inner.rest)
        second = net.convolution(name + "conv2", channels, 3, inner.weight, after)
        return "%s + %s" % (self.convolved(flat(second, after.shift + more), middle), beside)

    def write(self, weights):
        net, name = self.net, self.name
        channels = [len(net.take(name + "conv.weight"))]
        channels += [len(net.take("%slayers.%d.conv2.weight" % (name, i))) for i in range(len(STRIDES))]
        activations = [net.activation("%slayers.%d.herpn1" % (name, i), channels[i]) for i in range(len(STRIDES))]
        activations.append(net.activation(name + "herpnpool.herpn", channels[-1]))
        first = net.convolution(name + "conv", channels[0], 3, np.ones(3), activations[0])
        text = self.convolved(flat(first, activations[0].shift), "x")
        for i in range(len(STRIDES)):
            text = self.block(i, self.activated(text, activations[i].rest), activations[i], activations[i + 1])
        last, count, window = self.activated(text, activations[-1].rest), channels[-1], self.side // SIDE
        kernels = np.zeros((count, count, 2 * window - 1, 2 * window - 1))
        kernels[np.arange(count), np.arange(count), window - 1:, window - 1:] = 1 / window ** 2
        average = self.let("q", self.convolved(flat(kernels), last, window))
        factor, self.more = net.norm(name + "bn", count * SIDE ** 2, True)
        if weights.shape[1] != len(factor):
            raise Damaged("linear.weight has %d columns for %d numbers of a patch" % (weights.shape[1], len(factor)))
        dense = self.table("d", weights * factor * np.repeat(activations[-1].weight, SIDE ** 2))
        self.let("e", "%s @ %s" % (dense, average), -1, 1)


def score(nets, bias, polynomial, most):
    """The score of rows 1 and 2, 3 and 4 .., of the parts e1, e2 .. of embeddings, in units that make sums of squares at
    most 1."""
    job = Job()
    job.let("e", " + ".join(["e%d" % (at + 1) for at in range(nets)] + [job.table("bias", bias)]), -1, 1)
    job.let("u", "rowsum(square(e))", 0, 1)
    numbers = [c * math.sqrt(most) * most ** i for i, c in enumerate(polynomial)]
    u = np.linspace(0, 1, 4097)
    n = sum(c * u ** i for i, c in enumerate(numbers))
    job.let("n", "poly(u, %s)" % ", ".join("%.9g" % c for c in numbers), min(1.01 * n.min(), 0), 1.01 * n.max())
    job.let("c", "rowsum(e*rotate(e, 1))", -1, 1)
    bound = 1.01 * (np.abs(n) * np.sqrt(u)).max() ** 2  # as |c| is at most the root of the product of both u
    job.let("score", "c*(n*rotate(n, 1))", -bound, bound)
    return job


def jobs(net, side, polynomial, most):
    """The server's jobs by their names: patch1, patch2 .., and score. `polynomial`: c, b, a of a y^2 + b y + c, which is near
    1/sqrt(y) for sums of squares y of embeddings, of at most `most`."""
    if side % (STRIDES.count(2) * 2 * SIDE) != 0:
        raise Damaged("patches of %d x %d pixels cannot be halved twice and averaged" % (side, side))
    weights, more = net.take("linear.weight"), net.take("linear.bias", net.size)
    if weights.ndim != 2 or weights.shape[1] % net.nets != 0:
        raise Damaged("linear.weight is %s" % (weights.shape,))
    factor, summand = (part / math.sqrt(most) for part in net.norm("bn", net.size, False))
    weights = np.split(factor[:, None] * weights, net.nets, axis=1)
    patches = [Patch(net, at, side, weights[at]) for at in range(net.nets)]
    bias = summand + factor * more + sum(part @ patch.more for part, patch in zip(weights, patches))
    named = {"patch%d" % (at + 1): patch for at, patch in enumerate(patches)}
    return dict(named, score=score(net.nets, bias, polynomial, most))
