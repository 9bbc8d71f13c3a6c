#!/usr/bin/env python3
"""Makes the files of the job in the folder where it is called, with numpy:

    prepare.py WEIGHTS.npz DATA ROWS              # trained weights, and test images of train.py's folder of data
    prepare.py random KIND ROWS SIZE              # a small network of random weights, of relu or square; random images

images.csv, first.csv: all images, a row each, and those of the first row block; k*.csv, s*.csv, dense.csv, bias.csv: the
server's weights; expression, files, ranges, layers: what it computes, of what and into what, as `hebatch eval` takes
them; clear.npz: what the network gives in the clear."""
import os
import sys
import zipfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
import tables  # noqa: E402
import usage  # noqa: E402

usage.need("numpy")
import numpy as np  # noqa: E402

import images  # noqa: E402
import network  # noqa: E402


def write(name, rows, header):
    rows = np.atleast_2d(rows)
    tables.write(name, rows, tables.numbered(header, rows.shape[1]))


def words(name, text):
    with open(name, "w") as file:
        file.write(text + "\n")


def trained_model(path):
    """Reads the file that train.py wrote."""
    try:
        return network.Model(np.load(path))
    except (ValueError, KeyError, IndexError, TypeError, EOFError, zipfile.BadZipFile):
        usage.stop(usage.DATA, "%s: no weights that train.py wrote" % path)


def test_images(folder, rows):
    try:
        pixels, classes = images.load(folder, "test")
    except ValueError:
        usage.stop(usage.DATA, "%s: no images of Fashion-MNIST or CIFAR-10, or damaged ones" % folder)
    if min(len(pixels), len(classes)) < rows:
        usage.stop(usage.DATA, "%s: only %d images" % (folder, min(len(pixels), len(classes))))
    return images.values(pixels[:rows]), classes[:rows]


def asked():
    """(weights, folder of images or kind, rows, size)"""
    random = sys.argv[1:2] == ["random"]
    parser = usage.Parser(description=__doc__)
    parser.add_argument("what", metavar="WEIGHTS")
    parser.add_argument("where", metavar="KIND" if random else "DATA", choices=["relu", "square"] if random else None)
    parser.add_argument("rows", metavar="ROWS", type=usage.whole(1))
    if random:
        parser.add_argument("size", metavar="SIZE", type=usage.whole(2))
    found = parser.parse_args()
    if random and found.size % 2 != 0:
        parser.error("argument SIZE: %d is odd, and a convolution has a stride of 2" % found.size)
    return found.what, found.where, found.rows, found.size if random else 32


def main():
    what, where, rows, size = asked()
    if what == "random":
        model = network.Model(network.random_weights(where, (4, 8), 1))
        random = np.random.default_rng(20)
        values, classes = np.round(random.uniform(-1, 1, (rows, 3, size, size)) * 128) / 128, np.zeros(rows, int)
    else:
        model = trained_model(what)
        values, classes = test_images(where, rows)
    lines, ranges, weights = network.statements(model, size)
    for name, table in weights.items():
        write(name + ".csv", table, "w")
    layers = len(model.layers)
    write("images.csv", values.reshape(len(values), -1), "pixel")
    write("first.csv", values[:2].reshape(len(values[:2]), -1), "pixel")
    words("expression", "\n".join(lines))
    words("ranges", ",".join(ranges))
    words("files", " ".join("%s=%s.csv" % (name, name) for name in weights))
    words("layers", " ".join("p%d=p%d.heb" % (i, i) for i in range(layers)))
    scores, first = [], None
    ends = [[float(end) for end in text.split("=")[1].split("..")] for text in ranges if text.startswith("p")]
    most = 0.0
    for at in range(0, len(values), 50):
        some, arguments = network.in_the_clear(model, values[at:at + 50])
        scores.append(some)
        first = arguments if first is None else first
        most = max(most, *(max(p.max() / high, p.min() / low) for p, (low, high) in zip(arguments, ends)))
    np.savez("clear.npz", scores=np.concatenate(scores), classes=classes,
             **{"p%d" % i: p[:2] for i, p in enumerate(first)})
    print("arguments of activations come to %.2f of what is said of them at most" % most)


if __name__ == "__main__":
    usage.call(main)
