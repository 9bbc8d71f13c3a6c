"""Products of matrices within samples, against numpy's.

matrices.py --make              writes the tables
matrices.py NAME...             compares NAME.csv with the result of that name: as integers, or to the bits that the
                                lines of ./plan prove."""
import re, sys
import numpy as np

random = np.random.default_rng(44)
SAMPLES = 5
# Columns of each sample: matrices of 3 x 4 and of 4 x 2, square ones and vectors. W is a plain one of 5 x 4.
SIZES = {"a": 12, "b": 8, "s": 16, "t": 16, "v": 4, "p": 30, "q": 48}


def softmax(x):
    e = np.exp(x)
    return e / e.sum(axis=-1, keepdims=True)


def layernorm(x, epsilon=0):
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + epsilon)


def write(name, table, form):
    header = ",".join("%s%d" % (name, i + 1) for i in range(table.shape[1]))
    np.savetxt(name + ".csv", table, delimiter=",", header=header, comments="", fmt=form)


def read(name):
    return np.loadtxt(name + ".csv", delimiter=",", skiprows=1, ndmin=2)


def make():
    for name, size in SIZES.items():
        write(name, random.uniform(-1, 1, (SAMPLES, size)), "%.9f")
        write("i" + name, random.integers(-9, 10, (SAMPLES, size)), "%d")
    weights = random.uniform(-1, 1, (5, 4))
    weights[:, 2] = 0
    weights[1, :3] = 0
    write("W", weights, "%.9f")
    write("iW", random.integers(-9, 10, (5, 4)), "%d")
    write("dW", random.integers(-99, 100, (3, 2)) / 10, "%.1f")
    write("d", random.integers(-99, 100, (SAMPLES, 4)) / 10, "%.1f")


def results(prefix):
    m = lambda name, rows, columns: read(prefix + name).reshape(SAMPLES, rows, columns)
    a, b, s, t, v = m("a", 3, 4), m("b", 4, 2), m("s", 4, 4), m("t", 4, 4), m("v", 4, 1)
    p, q = m("p", 5, 6), m("q", 6, 8)
    turned = lambda x: x.transpose(0, 2, 1)
    r = {
        "product": a @ b,
        "turned": turned(a),
        "chain": turned(b) @ turned(a) + 1,
        "full": s @ t,
        "gram": s @ turned(s) - t,
        "vector": a @ v,
        "outer": v @ turned(v),
        "entries": s * t + v[:, :1],
        "shifted": p @ q,
        "blocks": turned(q) @ turned(p),
        "weighed": read(prefix + "W") @ b,
        "behind": turned(read(prefix + "W") @ turned(a)),
        "softmax": softmax(a.reshape(SAMPLES, -1)),
        "heads": softmax(2 * a),
        "layernorm": layernorm(a.reshape(SAMPLES, -1)),
        "norms": layernorm(a, 0.001) / 2 + 1,
    }
    r["total"] = r["norms"].reshape(SAMPLES, -1).sum(axis=0, keepdims=True)
    return {prefix + name: x.reshape(len(x), -1) for name, x in r.items()}


def compare(names):
    wanted = {**results(""), **results("i")}
    d = read("d").reshape(SAMPLES, 2, 2)
    wanted["decimals"] = (d @ d).reshape(SAMPLES, -1)
    wanted["tenths"] = (read("dW") @ d).reshape(SAMPLES, -1)
    bits = {}
    for line in open("plan"):
        found = re.search(r"precision +([\d.]+) bits at least.*: (\w+) = ", line)
        if found:
            bits[found[2]] = float(found[1])
    for name in names:
        off = np.abs(read(name) - wanted[name]).max()
        most = 2 ** -bits[name] if name in bits else 1e-9
        assert off <= most, (name, off, most)
        print(name, off, most)


if __name__ == "__main__":
    make() if sys.argv[1] == "--make" else compare(sys.argv[1:])
