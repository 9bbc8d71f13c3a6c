"""Files of models for `hebatch eval --model`: what jobs/model/README.md says, from arrays."""
import json

import numpy as np

ACTIVATIONS = {
    "identity": lambda z: z,
    "square": np.square,
    "relu": lambda z: np.maximum(z, 0),
    "sigmoid": lambda z: 1 / (1 + np.exp(-z)),
    "tanh": np.tanh,
    "gelu": lambda z: z / 2 * (1 + np.vectorize(__import__("math").erf)(z / 2**0.5)),
    "silu": lambda z: z / (1 + np.exp(-z)),
    "softmax": lambda z: np.exp(z - z.max(1, keepdims=True)) / np.exp(z - z.max(1, keepdims=True)).sum(1, keepdims=True),
}


def activate(activation, z):
    """Applies the activation of a layer to z: a word, or the coefficients of a polynomial."""
    return ACTIVATIONS[activation](z) if isinstance(activation, str) else np.polyval(list(activation)[::-1], z)


def fold(layer, mean, scale):
    """(weights, bias, activation) for inputs x of a layer that was trained on (x - mean) / scale."""
    weights, bias, activation = layer
    weights = np.asarray(weights, float) / scale
    return weights, np.asarray(bias, float) - weights @ np.broadcast_to(mean, weights.shape[1]), activation


def predict(layers, x):
    """What the model gives for rows of x, in the clear."""
    for weights, bias, activation in layers:
        x = activate(activation, x @ np.asarray(weights).T + bias)
    return x


def prune(layers):
    """The same without units that training has left without weights: what they always give goes into the next bias."""
    layers = [(np.array(weights, float), np.array(bias, float), activation) for weights, bias, activation in layers]
    for weights, _, _ in layers:
        weights[np.abs(weights) < 1e-9 * np.abs(weights).max()] = 0
    for i, (weights, bias, activation) in enumerate(layers[:-1]):
        kept = weights.any(1)
        if activation != "softmax" and not kept.all():
            following, next_bias, word = layers[i + 1]
            layers[i] = (weights[kept], bias[kept], activation)
            constant = activate(activation, bias[None, ~kept])[0]
            layers[i + 1] = (following[:, kept], next_bias + following[:, ~kept] @ constant, word)
    return layers


def with_polynomials(layers, data, degree=4, margin=0.5):
    """The same with polynomials for activations but squares, which take fewer levels than approximations on all of a range:
    of least squares on the sums that rows of data have, and, with a thousandth of their weight, on the whole range."""
    fitted = []
    for weights, bias, activation in layers:
        z = data @ np.asarray(weights).T + bias
        if activation not in ("identity", "square", "softmax"):
            more = margin * np.ptp(z)
            wide = np.linspace(z.min() - more, z.max() + more, 1000)
            at, weight = np.r_[z.ravel(), wide], np.r_[np.ones(z.size), np.full(1000, z.size * 1e-6)]
            activation = np.polyfit(at, activate(activation, at), degree, w=weight**0.5)[::-1].tolist()
        data = activate(activation, z)
        fitted.append((weights, bias, activation))
    return fitted


def write(path, layers, inputs=None, data=None, margin=0.5):
    """Writes layers, [(weights [outputs][inputs], bias [outputs], activation)], as HDF5 where the path ends in .h5, else as
    JSON. inputs: names of columns, which then may stand in any order. data: rows, such as those that the model was
    trained on, from which the ranges of what is activated are measured, and widened by `margin` of their width on
    either side; they are believed. Without them ranges follow from those of the inputs, and are much wider."""
    described = []
    for weights, bias, activation in prune(layers):
        layer = {"weights": weights, "bias": bias,
                 "activation": activation if isinstance(activation, str) else list(activation)}
        if data is not None:
            z = data @ weights.T + bias
            more = margin * (z.max() - z.min())
            layer["range"] = [float(z.min() - more), float(z.max() + more)]
            data = activate(activation, z)
        described.append(layer)
    inputs = inputs if inputs is not None else int(np.asarray(layers[0][0]).shape[1])
    (write_h5 if str(path).endswith((".h5", ".hdf5")) else write_json)(path, inputs, described)


def write_json(path, inputs, layers):
    layers = [{**layer, "weights": layer["weights"].tolist(), "bias": layer["bias"].tolist()} for layer in layers]
    with open(path, "w") as file:
        json.dump({"kind": "network", "inputs": inputs, "layers": layers}, file)


def write_h5(path, inputs, layers):
    import h5py
    with h5py.File(path, "w") as file:
        file.attrs["kind"] = "network"
        if isinstance(inputs, int):
            file.attrs["inputs"] = inputs
        else:
            file.create_dataset("inputs", data=list(inputs), dtype=h5py.string_dtype())
        for i, layer in enumerate(layers):
            group = file.create_group("layer%d" % i)
            for name, value in layer.items():
                if isinstance(value, np.ndarray):
                    group.create_dataset(name, data=value)
                else:
                    group.attrs[name] = value
