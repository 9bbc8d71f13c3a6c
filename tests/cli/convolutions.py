"""Convolutions of images within rows, by loops over their pixels.

convolutions.py --make              writes the tables
convolutions.py NAME...             compares NAME.csv with the result of that name, to the bits that the lines of ./plan
prove."""
import csv, re, sys
import numpy as np

random = np.random.default_rng(5)
# Images: rows, channels, height, width. Kernels: of how many channels, size, to how many, with a bias.
IMAGES = {"x": (5, 3, 8, 8), "full": (3, 4, 16, 16), "flat": (9, 1, 2, 6)}
KERNELS = {
    "A": (3, 3, 5, True),
    "B": (5, 3, 6, False),
    "C": (6, 5, 17, True),
    "S": (5, 1, 6, False),
    "D": (4, 3, 4, True),
    "E": (4, 1, 16, False),
    "F": (16, 3, 3, True),
    "G": (1, 3, 2, False),
    "H": (2, 1, 3, True),
    "T": (3, 1, 2, False),
}
MATRICES = {"W": (68, 3), "V": (24, 2), "U": (9, 2)}


def conv(images, kernels, stride=1):
    weights, bias = kernels
    count, channels, height, width = images.shape
    out, inputs, k, _ = weights.shape
    assert inputs == channels and height % stride == 0 and width % stride == 0
    result = np.zeros((count, out, height // stride, width // stride))
    for y in range(height // stride):
        for x in range(width // stride):
            for i in range(k):
                for j in range(k):
                    v, h = stride * y + i - k // 2, stride * x + j - k // 2
                    if 0 <= v < height and 0 <= h < width:
                        result[:, :, y, x] += images[:, :, v, h] @ weights[:, :, i, j].T
    return result + bias[None, :, None, None]


def write(name, table):
    header = ",".join("c%d" % (i + 1) for i in range(table.shape[1]))
    np.savetxt(name + ".csv", table, delimiter=",", header=header, comments="", fmt="%.9f")


def read(name):
    return np.loadtxt(name + ".csv", delimiter=",", skiprows=1, ndmin=2)


def make():
    for name, shape in IMAGES.items():
        write(name, random.uniform(-1, 1, shape).reshape(shape[0], -1))
    for name, (inputs, k, out, bias) in KERNELS.items():
        columns = inputs * k * k + bias
        write(name, random.uniform(-1, 1, (out, columns)) / columns * 2)
    write("Z", np.eye(6, 5))  # the same channels, and one of zeros
    for name, (columns, rows) in MATRICES.items():
        write(name, random.uniform(-1, 1, (rows, columns)) / columns)
    write("even", random.uniform(-1, 1, (2, 12)))
    write("none", np.zeros((2, 3)))


def results():
    images = {name: read(name).reshape(shape) for name, shape in IMAGES.items()}
    k = {"Z": (np.eye(6, 5).reshape(6, 5, 1, 1), np.zeros(6))}
    for name, (inputs, size, out, bias) in KERNELS.items():
        table = read(name)
        weights = table[:, : inputs * size * size].reshape(out, inputs, size, size)
        k[name] = weights, table[:, -1] if bias else np.zeros(out)
    matrix = lambda name, x: x.reshape(len(x), -1) @ read(name).T
    r = {}
    r["a"] = conv(images["x"], k["A"])
    r["b"] = conv(r["a"], k["B"], 2) + conv(r["a"], k["S"], 2)
    r["c"] = conv(np.square(r["b"]) + 0.5, k["C"], 2)
    r["g"] = conv(r["b"], k["C"], 2)
    r["d"] = matrix("W", r["c"])
    r["e"] = r["c"].sum(axis=(1, 2, 3)).reshape(-1, 1)
    r["f"] = 0.02 * (conv(r["a"], k["Z"], 2) - r["b"]) * r["e"][:, :, None, None]
    r["m"] = r["b"].mean(axis=0, keepdims=True)
    r["p"] = conv(images["full"], k["D"])
    r["q"] = conv(conv(r["p"], k["E"], 4), k["F"])
    r["s"] = conv(images["flat"], k["G"])
    r["t"] = conv(r["s"], k["H"], 2)
    r["u"] = matrix("U", r["t"])
    r["v"] = matrix("V", r["s"])
    return r


def main():
    if sys.argv[1] == "--make":
        return make()
    wanted, proven = results(), {}
    for line in open("plan"):
        proven[line.split(": ")[-1].split(" = ")[0]] = float(re.search(r"([\d.]+) bits at least", line).group(1))
    for name in sys.argv[1:]:
        expected = wanted[name]
        with open(name + ".csv") as file:
            rows = csv.reader(file)
            header = next(rows)
            found = np.array([[float(cell) for cell in row] for row in rows])
        if expected.ndim == 4 and re.fullmatch(r"c\d+\.\d+\.\d+", header[0]):
            places = [re.fullmatch(r"c(\d+)\.(\d+)\.(\d+)", word) for word in header]
            assert all(place or re.fullmatch(r"gap\.\d+", word) for place, word in zip(places, header)), header
            placed = np.full(expected.shape, np.nan)
            for i, place in enumerate(places):
                if place:
                    channel, y, x = (int(number) - 1 for number in place.groups())
                    placed[:, channel, y, x] = found[:, i]
            found = placed
        found = found.reshape(len(expected), -1)
        expected = expected.reshape(len(expected), -1)
        bits = proven[name]
        error = np.abs(found - expected).max()
        assert found.shape == expected.shape and error <= 2**-bits, (name, error, bits)
        assert bits > 4, proven  # or the bound would say nothing


main()
