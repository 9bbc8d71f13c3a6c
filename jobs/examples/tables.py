"""Tables of numbers as CSV, with a line of names: what the examples give to hebatch, and get of it. Needs no package."""
import csv


def numbered(name, count):
    """Names of columns: NAME1, NAME2 .."""
    return ["%s%d" % (name, i + 1) for i in range(count)]


def write(path, rows, names):
    """Nine digits of a number: one of 32 bits reads back as what it was."""
    line = ",".join(["%.9g"] * len(names)) + "\n"
    with open(path, "w") as out:
        out.write(",".join(names) + "\n")
        out.writelines(line % tuple(row) for row in rows)


def read(path):
    """(names, rows)"""
    with open(path, newline="") as lines:
        names, *rows = csv.reader(lines)
    return names, [[float(cell) for cell in row] for row in rows]
