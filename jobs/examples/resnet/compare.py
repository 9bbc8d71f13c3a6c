"""Compares scores.csv and p*.csv with clear.npz, in the folder where it is called. Prints a table of errors by layer.
Exits with 1 where fewer than 99 % of the classes are those of the network in the clear, or where the errors of scores,
or of what goes into an activation, are above a sixteenth of the values, by the roots of mean squares."""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
import tables  # noqa: E402


def table(name):
    names, rows = tables.read(name)
    return names, np.array(rows)


def in_slots(names, values):
    """Columns of a layer as they are stored: channel, row and column are in the names where images have gaps."""
    if "." not in names[0]:
        return values.reshape(len(values), -1)
    at = np.array([name.strip('"c').split(".") for name in names], int) - 1
    return values[:, at[:, 0], at[:, 1], at[:, 2]]


def errors(found, wanted):
    """The largest, the root of the mean square, and the share of that of the values."""
    off = found - wanted
    root = np.sqrt(np.mean(off * off))
    return np.abs(off).max(), root, root / np.sqrt(np.mean(wanted * wanted))


def main():
    clear = np.load("clear.npz")
    good = True
    print("errors                most        root of the mean square, and as a share of that of the values")
    for i in range(sum(name.startswith("p") for name in clear.files)):
        names, found = table("p%d.csv" % i)
        most, root, share = errors(found, in_slots(names, clear["p%d" % i]))
        good = good and share <= 1 / 16
        print("layer %2d          %.2e    %.2e    %.4f" % (i + 1, most, root, share))
    _, scores = table("scores.csv")
    wanted, classes = clear["scores"][:len(scores)], clear["classes"][:len(scores)]
    most, root, share = errors(scores, wanted)
    print("scores            %.2e    %.2e    %.4f" % (most, root, share))
    same = 100 * np.mean(scores.argmax(1) == wanted.argmax(1))
    print("%d images: %.2f %% of the classes are those in the clear; %.2f %% are right, %.2f %% in the clear" % (
        len(scores), same, 100 * np.mean(scores.argmax(1) == classes), 100 * np.mean(wanted.argmax(1) == classes)))
    sys.exit(int(not (good and share <= 1 / 16 and same >= 99)))


if __name__ == "__main__":
    main()
