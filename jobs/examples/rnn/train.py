"""Trains the network in the clear: h = tanh(U h + W e + b) over 200 letters, e the letter's embedding, and a dense
layer of the last h. Usage: train.py FOLDER-OF-MANUAL-PAGES MODEL.npz, as train.py /usr/share/man model.npz; numpy
alone, minutes.

Absolute values of each row of U, of W and of b add up to parts of BOUND at most, and embeddings are within -1 and 1, so
that no sequence takes an argument of tanh out of -BOUND .. BOUND, where the polynomial stands for it."""
import sys

import numpy as np

import texts

UNITS, EMBEDDING, BOUND = 128, 16, 2.0
PARTS = {"U": 0.7, "W": 0.27, "b": 0.03}


def onto_ball(rows, radius):
    """Each row's nearest one whose absolute values add up to radius at most (Duchi et al. 2008)."""
    size = np.abs(rows)
    down = -np.sort(-size, axis=1)
    over = (np.cumsum(down, axis=1) - radius) / np.arange(1, rows.shape[1] + 1)
    last = (down > over).sum(1) - 1
    cut = np.maximum(over[np.arange(len(rows)), last], 0)
    return np.sign(rows) * np.maximum(size - cut[:, None], 0)


def states(model, codes):
    """h after each step, of tanh itself; codes: rows of letters."""
    inputs = model["E"][codes] @ model["W"].T + model["b"]
    h = [np.zeros((len(codes), len(model["b"])), inputs.dtype)]
    for t in range(codes.shape[1]):
        h.append(np.tanh(h[-1] @ model["U"].T + inputs[:, t]))
    return h


def cross_entropy(model, h, labels):
    """Its gradient by the scores, of their mean."""
    scores = h @ model["D"].T + model["d"]
    error = np.exp(scores - scores.max(1, keepdims=True))
    error /= error.sum(1, keepdims=True)
    error[np.arange(len(h)), labels] -= 1
    return error / len(h)


def gradients(model, codes, labels):
    h = states(model, codes)
    found = {name: np.zeros_like(value) for name, value in model.items()}
    back = 0
    for t in reversed(range(codes.shape[1])):
        if (t + 1) % (codes.shape[1] // 4) == 0:  # the language is asked for on the way as well
            error = cross_entropy(model, h[t + 1], labels)
            found["D"] += error.T @ h[t + 1]
            found["d"] += error.sum(0)
            back = back + error @ model["D"]
        back = back * (1 - h[t + 1] ** 2)
        e = model["E"][codes[:, t]]
        found["U"] += back.T @ h[t]
        found["W"] += back.T @ e
        found["b"] += back.sum(0)
        onehot = np.zeros((len(codes), len(model["E"])), back.dtype)
        onehot[np.arange(len(codes)), codes[:, t]] = 1
        found["E"] += onehot.T @ (back @ model["W"])
        back = back @ model["U"]
    return found


def bounded(model):
    for name, part in PARTS.items():
        value = model[name]
        model[name] = onto_ball(value.reshape(len(value), -1), BOUND * part).reshape(value.shape)
    model["E"] = np.clip(model["E"], -1, 1)


def train(codes, labels, steps=4000, batch=96, say=print):
    random = np.random.default_rng(19)
    normal = lambda scale, *shape: random.normal(0, scale, shape).astype(np.float32)
    # Units begin with memories of different lengths.
    memory = np.diag(np.linspace(0.5, 1, UNITS, dtype=np.float32))
    model = {"E": normal(0.5, texts.LETTERS, EMBEDDING), "U": memory + normal(0.005, UNITS, UNITS),
             "W": normal(0.1, UNITS, EMBEDDING), "b": normal(0.01, UNITS),
             "D": normal(0.1, len(texts.LANGUAGES), UNITS), "d": normal(0.01, len(texts.LANGUAGES))}
    bounded(model)
    moments = {name: [np.zeros_like(value), np.zeros_like(value)] for name, value in model.items()}
    for step in range(1, steps + 1):
        rows = random.integers(0, len(codes), batch)
        found = gradients(model, codes[rows], labels[rows])
        size = np.sqrt(sum(float((g * g).sum()) for g in found.values()))
        rate = 2e-3 * (1 - step / (steps + 1))
        for name, g in found.items():
            g = g * min(1.0, 1.0 / size)
            m = moments[name]
            m[0] = 0.9 * m[0] + 0.1 * g
            m[1] = 0.999 * m[1] + 0.001 * g * g
            model[name] = model[name] - rate * (m[0] / (1 - 0.9**step)) / (np.sqrt(m[1] / (1 - 0.999**step)) + 1e-8)
        bounded(model)
        if step % 100 == 0:
            say("step %d, %.1f %% right" % (step, 100 * right(model, codes[:600], labels[:600])), flush=True)
    return model


def right(model, codes, labels):
    return ((states(model, codes)[-1] @ model["D"].T + model["d"]).argmax(1) == labels).mean()


if __name__ == "__main__":
    (codes, labels), (held_codes, held_labels) = texts.sequences(sys.argv[1])
    print("%d sequences to train with, %d held out" % (len(codes), len(held_codes)))
    model = train(codes, labels)
    # As 16-bit numbers, rounded towards 0 so that rows keep within the bound.
    stored = {}
    for name, value in model.items():
        half = value.astype(np.float16)
        away = np.abs(half.astype(np.float32)) > np.abs(value)
        stored[name] = np.where(away, np.nextafter(half, np.float16(0)), half)
    np.savez_compressed(sys.argv[2], **stored)
    model = {name: value.astype(np.float32) for name, value in stored.items()}
    print("%.2f %% of the held out are right" % (100 * right(model, held_codes, held_labels)))
