"""Trains a network whose activations are squares, which take one level each, with numpy alone: Adam on the cross entropy of
rows that are scaled to [0, 1]. Usage as a module: train.network(x, labels, [64, 32])."""
import numpy as np


def gradients(weights, x, labels):
    """Gradients of the mean cross entropy, and of a penalty on what is squared twice."""
    inputs, sums = [x], []
    for w, b in weights:
        sums.append(inputs[-1] @ w.T + b)
        inputs.append(np.square(sums[-1]))
    scores = sums[-1] - sums[-1].max(1, keepdims=True)
    error = np.exp(scores)
    error /= error.sum(1, keepdims=True)
    error[np.arange(len(x)), labels] -= 1
    error /= len(x)
    found = []
    for (w, _), h, i in zip(reversed(weights), reversed(inputs[:-1]), range(len(weights) - 1, -1, -1)):
        found.append((error.T @ h, error.sum(0)))
        error = error @ w * 2 * sums[i - 1] if i > 0 else None
    return found[::-1]


def network(x, labels, hidden, scale=1.0, epochs=60, decay=2e-4, seed=0):
    """Layers for rows of x, [(weights, bias, activation)]; x / scale lies in [0, 1]."""
    random = np.random.default_rng(seed)
    widths = [x.shape[1], *hidden, int(labels.max()) + 1]
    weights = [[random.normal(0, (0.5 if i == 0 else 0.7) / widths[i] ** 0.5, (widths[i + 1], widths[i])),
                random.normal(0, 0.1, widths[i + 1])] for i in range(len(widths) - 1)]
    moments = [[[0.0, 0.0], [0.0, 0.0]] for _ in weights]
    step, batch = 0, 64
    for epoch in range(epochs):
        order, rate = random.permutation(len(x)), 2e-3 * (1 - epoch / epochs) + 1e-5
        for first in range(0, len(x), batch):
            rows = order[first:first + batch]
            step += 1
            for pair, moment, found in zip(weights, moments, gradients(weights, x[rows] / scale, labels[rows])):
                for k in range(2):
                    g = found[k]
                    moment[k] = [0.9 * moment[k][0] + 0.1 * g, 0.999 * moment[k][1] + 0.001 * g * g]
                    m, v = moment[k][0] / (1 - 0.9**step), moment[k][1] / (1 - 0.999**step)
                    pair[k] = pair[k] - rate * (m / (np.sqrt(v) + 1e-8) + (decay * pair[k] if k == 0 else 0))
    # Scores of magnitude 1, which the lowest level of any chain holds; the largest stays the largest.
    h = x / scale
    for w, b in weights[:-1]:
        h = np.square(h @ w.T + b)
    largest = np.abs(h @ weights[-1][0].T + weights[-1][1]).max()
    weights[-1] = [part / largest for part in weights[-1]]
    words = ["square"] * len(hidden) + ["identity"]
    return [(w / scale if i == 0 else w, b, word) for i, ((w, b), word) in enumerate(zip(weights, words))]
