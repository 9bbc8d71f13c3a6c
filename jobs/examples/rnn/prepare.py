"""Makes the files of the job in the folder where it is called, with numpy:

    prepare.py model.npz MANUAL-PAGES ROWS STEPS DEGREE     # the trained network, texts that it was not trained on
    prepare.py random UNITS ROWS STEPS DEGREE               # a small network of random weights, random letters

U.csv, W.csv, b.csv, D.csv, d.csv: the server's weights; steps.txt: what it computes, and kept.txt: the steps whose h it
stores; embedding.csv and letters.txt: the owner's letters, as embed.py takes them; clear.json: what the network gives
in the clear, by tanh and by the polynomial."""
import gzip
import json
import os
import sys
import zipfile
import zlib

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
import tables  # noqa: E402
import usage  # noqa: E402

usage.need("numpy")
import numpy as np  # noqa: E402
from numpy.polynomial import chebyshev  # noqa: E402

import texts  # noqa: E402
import train  # noqa: E402


def random_model(units):
    random = np.random.default_rng(19)
    shapes = {"E": (texts.LETTERS, units // 8), "U": (units, units), "W": (units, units // 8), "b": (units,),
              "D": (4, units), "d": (4,)}
    model = {name: random.normal(0, 1, shape).astype(np.float32) for name, shape in shapes.items()}
    train.bounded(model)
    return model


def write(name, table, header="c"):
    tables.write(name, table, tables.numbered(header, table.shape[1]))


def beside(w, units):
    """W as a matrix of the embedding repeated to as many numbers as units: in each row W's stand beside the diagonal,
    so the matrix has few diagonals."""
    size = w.shape[1]
    wide = np.zeros((units, units))
    for i in range(units):
        first = i // size * size
        wide[i, first:first + size] = w[i]
    return wide


def statements(steps, coefficients, kept):
    numbers = ", ".join("%.9g" % c for c in coefficients)
    lines = []
    for t in range(1, steps + 1):
        lines.append("h = cheb(%sW @ x%d + b, -1, 1, %s)" % ("U @ h + " if t > 1 else "", t, numbers))
        if t in kept:
            lines.append("h%d = h" % t)
    return "\n".join(lines + ["scores = D @ h + d"]) + "\n"


def in_the_clear(model, codes, activation, kept):
    """Scores, h after each of the kept steps, and the largest argument of the activation."""
    h, states, most = np.zeros((len(codes), len(model["b"]))), {}, 0
    for t in range(1, codes.shape[1] + 1):
        z = h @ model["U"].T + model["E"][codes[:, t - 1]] @ model["W"].T + model["b"]
        most = max(most, float(np.abs(z).max()))
        h = activation(z)
        if t in kept:
            states[t] = h
    return h @ model["D"].T + model["d"], states, most


def trained_model(path):
    """Reads the file that train.py wrote."""
    try:
        model = dict(np.load(path))
        units = len(model["b"])
        shapes = {"E": (texts.LETTERS, model["W"].shape[1]), "U": (units, units), "W": (units, model["W"].shape[1]),
                  "b": (units,), "D": (len(texts.LANGUAGES), units), "d": (len(texts.LANGUAGES),)}
        right = all(model[name].shape == shape for name, shape in shapes.items())
    except (ValueError, KeyError, IndexError, TypeError, EOFError, zipfile.BadZipFile):
        right = False
    if not right:
        usage.stop(usage.DATA, "%s: no model that train.py wrote" % path)
    return model


def asked():
    """(model, pages of manuals or units, rows, steps, degree)"""
    random = sys.argv[1:2] == ["random"]
    parser = usage.Parser(description=__doc__)
    parser.add_argument("what", metavar="MODEL")
    if random:
        parser.add_argument("where", metavar="UNITS", type=usage.whole(8))
    else:
        parser.add_argument("where", metavar="MANUAL-PAGES")
    parser.add_argument("rows", metavar="ROWS", type=usage.whole(1))
    parser.add_argument("steps", metavar="STEPS", type=usage.whole(1, None if random else texts.LENGTH))
    # Polynomials of degree 1 and 2 leave -1 .. 1, where the next argument's interval ends; hebatch takes 1023.
    parser.add_argument("degree", metavar="DEGREE", type=usage.whole(3, 1023))
    found = parser.parse_args()
    if random and found.where % 8 != 0:
        parser.error("argument UNITS: %d is no multiple of 8" % found.where)
    return found.what, found.where, found.rows, found.steps, found.degree


def main():
    what, where, rows, steps, degree = asked()
    if what == "random":
        model = random_model(where)
        codes = np.random.default_rng(20).integers(0, texts.LETTERS, (rows, steps))
        labels = np.zeros(rows, int)
    else:
        model = trained_model(what)
        try:
            held_out = list(texts.sequences(where))[1]
        except (EOFError, zlib.error, gzip.BadGzipFile) as reason:
            usage.stop(usage.DATA, "%s: a page is damaged: %s" % (where, reason))
        codes, labels = held_out[0][:rows, :steps], held_out[1][:rows]
        if len(codes) < rows:
            usage.stop(usage.DATA, "%s: only %d sequences in %s" % (where, len(codes), ", ".join(texts.LANGUAGES)))
    model = {name: value.astype(np.float64) for name, value in model.items()}
    units, bound = len(model["b"]), train.BOUND
    coefficients = chebyshev.chebinterpolate(lambda u: np.tanh(bound * u), degree)
    coefficients[::2] = 0
    kept = sorted({1, *(max(1, steps * part // 8) for part in range(1, 9))})

    # tanh's interval is -1 .. 1 for the polynomial: the weights take the factor. Scores are within -1 and 1.
    most = np.abs(model["D"]).sum(1) + np.abs(model["d"])
    model["D"], model["d"] = model["D"] / most.max(), model["d"] / most.max()
    write("U.csv", model["U"] / bound)
    write("W.csv", beside(model["W"] / bound, units))
    write("b.csv", model["b"][None] / bound)
    write("D.csv", model["D"])
    write("d.csv", model["d"][None])
    write("embedding.csv", np.tile(model["E"], (1, units // model["E"].shape[1])), "e")
    with open("letters.txt", "w") as out:
        out.writelines("".join(" abcdefghijklmnopqrstuvwxyz"[c] for c in row) + "\n" for row in codes)
    text = usage.expression(statements(steps, coefficients, kept), "STEPS")
    open("steps.txt", "w").write(text)
    open("kept.txt", "w").write("\n".join(map(str, kept)) + "\n")

    clear = {"labels": labels.tolist()}
    for name, activation in (("tanh", np.tanh), ("polynomial", lambda z: chebyshev.chebval(z / bound, coefficients))):
        scores, states, largest = in_the_clear(model, codes, activation, kept)
        # Only the states of the first 128 rows: all would make the file large.
        clear[name] = {"scores": scores.round(9).tolist(), "largest": largest,
                       "states": {t: h[:128].round(9).tolist() for t, h in states.items()}}
    json.dump(clear, open("clear.json", "w"))


if __name__ == "__main__":
    usage.call(main)
