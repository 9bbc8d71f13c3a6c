"""The network: weights of train.py, scaled so that all arguments of activations lie in [-1, 1], which bootstrapping and
the polynomials of relu take best; what it is as an expression; and what it gives in the clear."""
import math

import numpy as np

SQUARE = (0.25, 0.5, 0.1)  # c0 + c1 x + c2 x^2 in the place of relu: less steep than its best approximation, to be trained


def random_weights(kind, channels, blocks, seed=19):
    """Weights of a small network, as train.py writes them; what goes into activations is bounded by the weights."""
    random = np.random.default_rng(seed)

    def table(out, before, size, bias=True):
        kernels = random.normal(size=(out, before * size * size)) / math.sqrt(before * size * size)
        return np.c_[kernels, random.normal(size=out) / 8] if bias else kernels

    data, before = {"first": table(channels[0], 3, 3), "first_most": 1.5, "kind": kind}, channels[0]
    for stage, count in enumerate(channels):
        for i in range(blocks):
            name = "block%d_" % (stage * blocks + i)
            data.update({name + "first": table(count, before, 3), name + "second": table(count, count, 3) / 2,
                         name + "stride": 2 if stage and not i else 1, name + "first_most": 2.0, name + "second_most": 2.0})
            if before != count:
                data[name + "short"] = table(count, before, 1, bias=False) / 2
            before = count
    return dict(data, dense=table(10, before, 1), scores_most=4.0)


class Layer:
    """A convolution, its shortcut and its activation: `source` and `short` number the layers whose activations they
    take, None the images; `poly` is that of squares, None of relu."""

    def __init__(self, kernels, source, stride=1, short=None, short_kernels=None, short_stride=1, poly=None):
        self.kernels, self.source, self.stride, self.poly = kernels, source, stride, poly
        self.short, self.short_kernels, self.short_stride = short, short_kernels, short_stride
        if poly is not None:  # the factor and the summand of what is squared take no level so
            self.kernels = kernels * poly[0]
            self.kernels[:, -1] += poly[1]
            self.short_kernels = None if short_kernels is None else short_kernels * poly[0]


class Model:
    def __init__(self, data, margin=1.5):
        self.data = {name: np.asarray(data[name], np.float64) for name in data if name != "kind"}
        self.kind, self.margin = str(data["kind"]), margin
        self.blocks = sum(name.endswith("_stride") for name in self.data)
        self.units = self._units()
        self.scores_most = margin * float(self.data["scores_most"])
        self.layers = list(self._layers())

    def _units(self):
        """The unit of each stage's values: the most that its activations were seen to take, with the margin."""
        stage, most = [0], [float(self.data["first_most"])]
        for i in range(self.blocks):
            if self.data["block%d_stride" % i] > 1:
                most.append(0.0)
            stage.append(len(most) - 1)
            most[-1] = max(most[-1], float(self.data["block%d_second_most" % i]))
        return [self.margin * most[at] for at in stage]

    def _after(self, unit):
        """Unit of an activation's values, and what makes them of arguments in that unit: factor and summand of the
        argument before it is squared, and summand of the square; None of relu."""
        if self.kind == "relu":
            return unit, None
        c0, c1, c2 = SQUARE
        most = c0 + c1 * unit + c2 * unit * unit
        return most, (math.sqrt(c2 / most) * unit, c1 / math.sqrt(4 * c2 * most), (c0 - c1 * c1 / (4 * c2)) / most)

    def _layers(self):
        unit, poly = self._after(self.units[0])
        yield Layer(self.data["first"] / self.units[0], None, poly=poly)
        at, stream = 0, 0
        for i in range(self.blocks):
            name, inner, outer = "block%d_" % i, self.margin * float(self.data["block%d_first_most" % i]), self.units[i + 1]
            first, second = self.data[name + "first"].copy(), self.data[name + "second"].copy()
            stride = int(self.data[name + "stride"])
            middle, poly = self._after(inner)
            first[:, :-1] *= unit / inner
            first[:, -1] /= inner
            yield Layer(first, stream, stride, poly=poly)
            second[:, :-1] *= middle / outer
            second[:, -1] /= outer
            short = self.data.get(name + "short")
            if short is not None or unit != outer or self.kind != "relu":
                short = (np.eye(len(second)) if short is None else short) * (unit / outer)
            unit, poly = self._after(outer)
            yield Layer(second, at + 1, 1, stream, short, stride, poly)
            at, stream = at + 2, at + 2
        self.last = unit

    def dense(self, pixels):
        """Average pool and dense layer as one table, and the bias."""
        weights = self.data["dense"]
        return np.repeat(weights[:, :-1] * (self.last / pixels), pixels, axis=1), weights[:, -1]


# --- as an expression


def statements(model, size):
    """The lines of the expression, the ranges that are said of names, and the tables by their names."""
    lines, ranges, tables, sides = [], [], {}, {None: size}
    for at, layer in enumerate(model.layers):
        tables["k%d" % at] = layer.kernels
        side = sides[layer.source]
        sides[at] = side // layer.stride
        source = "x" if layer.source is None else "y%d" % layer.source
        text = "p%d = conv(k%d, %s, %d, %d, %d)" % (at, at, source, side, side, layer.stride)
        if layer.short is not None and layer.short_kernels is None:
            text += " + y%d" % layer.short
        elif layer.short is not None:
            tables["s%d" % at] = layer.short_kernels
            short = sides[layer.short]
            text += " + conv(s%d, y%d, %d, %d, %d)" % (at, layer.short, short, short, layer.short_stride)
        lines.append(text)
        if layer.poly is None:
            lines.append("y%d = relu(p%d, -1, 1)" % (at, at))
            ranges += ["p%d=-1..1" % at, "y%d=-0.01..1" % at]
        else:
            lines.append("y%d = square(p%d) + %.9g" % (at, at, layer.poly[2]))
            ranges += ["p%d=%.6g..%.6g" % (at, layer.poly[1] - layer.poly[0], layer.poly[1] + layer.poly[0]),
                       "y%d=-1..1" % at]
    tables["dense"], tables["bias"] = model.dense(sides[at] ** 2)
    lines.append("scores = dense @ y%d + bias" % at)
    return lines, ranges + ["scores=%.6g..%.6g" % (-model.scores_most, model.scores_most)], tables


# --- in the clear


def convolution(x, kernels, stride):
    channels = x.shape[1]
    size = math.isqrt(kernels.shape[1] // channels)
    weights = kernels[:, :channels * size * size].reshape(len(kernels), channels, size, size).astype(np.float32)
    bias = kernels[:, channels * size * size:].reshape(1, -1, 1, 1) if kernels.shape[1] % channels else 0
    height, width = x.shape[2:]
    padded = np.pad(x, ((0, 0), (0, 0), (size // 2, size // 2), (size // 2, size // 2)))
    out = np.zeros((len(x), len(kernels), height // stride, width // stride), np.float32)
    for i in range(size):
        for j in range(size):
            out += np.einsum("oc,nchw->nohw", weights[:, :, i, j], padded[:, :, i:i + height:stride, j:j + width:stride],
                             optimize=True)
    return out + bias


def in_the_clear(model, images):
    """Scores, and the arguments of all activations."""
    values, arguments = {None: images.astype(np.float32)}, []
    for at, layer in enumerate(model.layers):
        p = convolution(values[layer.source], layer.kernels, layer.stride)
        if layer.short is not None:
            short = values[layer.short]
            p = p + (short if layer.short_kernels is None else
                     convolution(short, layer.short_kernels, layer.short_stride))
        arguments.append(p)
        values[at] = np.maximum(p, 0) if layer.poly is None else p * p + layer.poly[2]
    dense, bias = model.dense(values[at][0, 0].size)
    return values[at].reshape(len(images), -1) @ dense.T + bias, arguments
