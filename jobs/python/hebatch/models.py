"""Models that were trained in the clear, for `hebatch eval --model`: networks of dense layers, from arrays.

A layer is (weights [outputs][inputs], bias [outputs], activation); an activation is a word or the coefficients of a
polynomial, [c0, c1, ...]. imports.py makes models of scikit-learn's and torch's."""
import json
import math
import os

import numpy


def softmax(z):
    grown = numpy.exp(z - z.max(1, keepdims=True))
    return grown / grown.sum(1, keepdims=True)


def sigmoid(z):
    small = numpy.exp(-numpy.abs(z))
    return numpy.where(z >= 0, 1, small) / (1 + small)


ACTIVATIONS = {
    "identity": lambda z: z,
    "square": numpy.square,
    "relu": lambda z: numpy.maximum(z, 0),
    "sigmoid": sigmoid,
    "tanh": numpy.tanh,
    "gelu": lambda z: z / 2 * (1 + numpy.vectorize(math.erf, otypes=[float])(z / 2**0.5)),
    "silu": lambda z: z * sigmoid(z),
    "softmax": softmax,
}


def activate(activation, z):
    """Applies the activation of a layer to its sums z [rows][outputs]."""
    return ACTIVATIONS[activation](z) if isinstance(activation, str) else numpy.polyval(activation[::-1], z)


def rows_of(data, names, count):
    """Rows of numbers [rows][count] of an array or a DataFrame, whose columns are taken by name where it has them."""
    if names is not None and hasattr(data, "columns"):
        places = {str(name): i for i, name in enumerate(data.columns)}
        lacking = [name for name in names if name not in places]
        if lacking:
            raise ValueError(f"data: there is no column {lacking[0]!r}")
        rows = data.to_numpy()[:, [places[name] for name in names]]
    else:
        rows = data.to_numpy() if hasattr(data, "to_numpy") else data
    rows = numpy.asarray(rows, float)
    if rows.ndim != 2 or len(rows) == 0 or rows.shape[1] != count:
        raise ValueError(f"data: it has the shape {rows.shape}, and the model takes rows of {count} columns")
    if not numpy.isfinite(rows).all():
        raise ValueError("data: a cell is missing or infinite")
    return rows


def checked(layers):
    """Layers as arrays of float64 that meet; ValueError, naming the layer."""
    made = []
    for i, (weights, bias, activation) in enumerate(layers, 1):
        weights, bias = numpy.array(weights, float), numpy.array(bias, float)
        if isinstance(activation, str):
            if activation not in ACTIVATIONS:
                raise ValueError(f"layer {i}: there is no activation {activation!r}, but {', '.join(ACTIVATIONS)}, and "
                                 f"the coefficients of a polynomial")
        else:
            activation = [float(coefficient) for coefficient in activation]
        if weights.ndim != 2 or bias.shape != weights.shape[:1]:
            raise ValueError(f"layer {i}: weights {weights.shape} and bias {bias.shape} are no [outputs][inputs] and "
                             f"[outputs]")
        if made and weights.shape[1] != len(made[-1][1]):
            raise ValueError(f"layer {i}: it takes {weights.shape[1]} values, and the layer before has "
                             f"{len(made[-1][1])}")
        if not (numpy.isfinite(weights).all() and numpy.isfinite(bias).all()):
            raise ValueError(f"layer {i}: a weight or a bias is infinite or no number")
        made.append((weights, bias, activation))
    if not made:
        raise ValueError("layers: there are none")
    return made


def pruned(layers):
    """The same without units that training has left without weights: their constants go into the next bias."""
    layers = [(weights.copy(), bias, activation) for weights, bias, activation in layers]
    for weights, _, _ in layers:
        weights[numpy.abs(weights) < 1e-9 * numpy.abs(weights).max()] = 0
    for i, (weights, bias, activation) in enumerate(layers[:-1]):
        kept = weights.any(1)
        if activation != "softmax" and not kept.all() and kept.any():
            following, next_bias, word = layers[i + 1]
            layers[i] = (weights[kept], bias[kept], activation)
            constant = activate(activation, bias[None, ~kept])[0]
            layers[i + 1] = (following[:, kept], next_bias + following[:, ~kept] @ constant, word)
    return layers


def polynomial_of(activation, z, degree, margin):
    """Coefficients of least squares on sums z that rows have, and, with a thousandth of their weight, on all of the
    widened range."""
    more = margin * numpy.ptp(z)
    wide = numpy.linspace(z.min() - more, z.max() + more, 1000)
    at, weight = numpy.r_[z.ravel(), wide], numpy.r_[numpy.ones(z.size), numpy.full(1000, z.size * 1e-6)]
    return numpy.polyfit(at, activate(activation, at[:, None])[:, 0], degree, w=weight**0.5)[::-1].tolist()


class Model:
    """A network, as `eval(model=...)` takes it. `layers`: [(weights, bias, activation)]. `inputs`: names of columns,
    which then may stand in any order; else columns are taken by place. `data`: rows, such as those of the training: the
    ranges of sums are measured on them and widened by `margin` of their width on either side. These ranges are
    believed; without them they follow from the ranges of the inputs, and are much wider. `classes`: what outputs stand
    for."""

    def __init__(self, layers, inputs=None, data=None, margin=0.5, classes=None):
        self.layers = checked(layers)
        if inputs is None and hasattr(data, "columns"):
            inputs = list(data.columns)
        self.inputs = None if inputs is None else [str(name) for name in inputs]
        self.classes = None if classes is None else list(classes)
        width = self.layers[0][0].shape[1]
        if self.inputs is not None and len(self.inputs) != width:
            raise ValueError(f"inputs: {len(self.inputs)} names, and the model takes {width} columns")
        if self.inputs is not None and len(set(self.inputs)) != width:
            raise ValueError("inputs: two columns have the same name")
        self._data = None if data is None else rows_of(data, self.inputs, width)
        self._margin = margin

    def __repr__(self):
        widths = [self.layers[0][0].shape[1]] + [len(bias) for _, bias, _ in self.layers]
        return f"Model({' -> '.join(map(str, widths))})"

    def predict(self, rows):
        """The outputs [rows][outputs] for rows in the clear."""
        z = rows_of(rows, self.inputs, self.layers[0][0].shape[1])
        for weights, bias, activation in self.layers:
            z = activate(activation, z @ weights.T + bias)
        return z

    def decide(self, outputs):
        """The class of each row of outputs: an array, or the table that `decrypt` returns. Two classes with one output:
        the second where a sum is above 0, or a probability above a half."""
        if self.classes is None:
            raise ValueError("the model has no classes")
        columns = list(outputs.values()) if hasattr(outputs, "values") and not hasattr(outputs, "iloc") else None
        values = numpy.asarray(outputs if columns is None else numpy.column_stack(columns), float)
        values = values[:, None] if values.ndim == 1 else values
        if values.shape[1] == 1 and len(self.classes) == 2:
            chosen = (values[:, 0] > (0.5 if self.layers[-1][2] == "sigmoid" else 0)).astype(int)
        elif values.shape[1] == len(self.classes):
            chosen = values.argmax(1)
        else:
            raise ValueError(f"outputs: {values.shape[1]} columns, and the model has {len(self.classes)} classes")
        return numpy.array(self.classes)[chosen]

    def with_polynomials(self, degree=4):
        """The model with polynomials in the place of its activations, but of squares and softmax: they take fewer levels
        than approximations that are good on all of a range. They are fitted to the data that the model has."""
        if self._data is None:
            raise ValueError("data: polynomials are fitted to rows, and the model was made without any")
        fitted, z = [], self._data
        for weights, bias, activation in pruned(self.layers):
            z = z @ weights.T + bias
            if activation in ACTIVATIONS and activation not in ("identity", "square", "softmax"):
                activation = polynomial_of(activation, z, degree, self._margin)
            z = activate(activation, z)
            fitted.append((weights, bias, activation))
        return Model(fitted, self.inputs, self._data, self._margin, self.classes)

    def described(self):
        """The members of a model's file (jobs/model/README.md), with arrays for weights and biases."""
        described, z = [], self._data
        for weights, bias, activation in pruned(self.layers):
            layer = {"weights": weights, "bias": bias, "activation": activation}
            if z is not None:
                z = z @ weights.T + bias
                more = self._margin * (z.max() - z.min())
                layer["range"] = [float(z.min() - more), float(z.max() + more)]
                z = activate(activation, z)
            described.append(layer)
        inputs = self.inputs if self.inputs is not None else self.layers[0][0].shape[1]
        return {"kind": "network", "inputs": inputs, "layers": described}

    def write(self, name):
        """Writes the model's file: HDF5 where its name ends in .h5 or .hdf5, else JSON. Replaces an older one."""
        (write_h5 if os.fspath(name).endswith((".h5", ".hdf5")) else write_json)(self.described(), name)


def write_json(described, name):
    with open(name, "w", encoding="utf-8") as file:
        json.dump(described, file, default=lambda array: array.tolist())


def write_h5(described, name):
    import h5py

    with h5py.File(name, "w") as file:
        file.attrs["kind"] = described["kind"]
        if isinstance(described["inputs"], int):
            file.attrs["inputs"] = described["inputs"]
        else:
            file.create_dataset("inputs", data=described["inputs"], dtype=h5py.string_dtype())
        for i, layer in enumerate(described["layers"]):
            group = file.create_group(f"layer{i}")
            for member, value in layer.items():
                if isinstance(value, numpy.ndarray):
                    group.create_dataset(member, data=value)
                else:
                    group.attrs[member] = value
