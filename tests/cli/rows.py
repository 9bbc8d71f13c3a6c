"""The values of expressions on rows within slots, on plain tables, by numpy.

rows.py --make                       writes the tables
rows.py EXPRESSION [NAME=TABLE]... OUTPUT...   compares OUTPUT.csv, to the bits that the lines of ./plan prove; names that
the expression reads are TABLE.csv, NAME.csv where nothing else is said."""
import os, re, sys
import numpy as np


def write(name, table):
    header = ",".join("c%d" % (i + 1) for i in range(table.shape[1]))
    np.savetxt(name + ".csv", table, delimiter=",", header=header, comments="", fmt="%.9f")


class Table:
    """Rows; one row of totals serves all."""

    def __init__(self, values):
        self.values = values

    def __getattr__(self, name):
        return Table(self.values[:, [int(name[1:]) - 1]])

    def with_(self, other, operation):
        return Table(operation(self.values, other.values if isinstance(other, Table) else other))

    __array_priority__ = 1000
    __add__ = __radd__ = lambda self, other: self.with_(other, np.add)
    __sub__ = lambda self, other: self.with_(other, np.subtract)
    __mul__ = __rmul__ = lambda self, other: self.with_(other, np.multiply)
    __pow__ = lambda self, number: Table(self.values**number)
    __matmul__ = lambda self, other: Table(other.values @ self.values.T)


def make():
    random = np.random.default_rng(3)
    uniform = lambda rows, columns: random.uniform(-1, 1, (rows, columns))
    write("x", uniform(300, 5))
    write("row", uniform(1, 5))
    write("W", uniform(3, 5))
    write("V", uniform(8, 5))
    write("L", uniform(9, 5))
    for name, rows, columns in (("one", 1500, 1), ("four", 257, 4), ("long", 3, 784)):
        write(name, uniform(rows, columns))
        write(name + "-W", uniform(min(columns, 10), columns) / columns)
    write("many", np.round(uniform(4000, 3), 2))


def main():
    if sys.argv[1] == "--make":
        return make()
    text, names = sys.argv[1], {}
    outputs = [a for a in sys.argv[2:] if "=" not in a]
    bound = dict(a.split("=") for a in sys.argv[2:] if "=" in a)
    for name in set(re.findall(r"\b[a-zA-Z]\w*", text)):
        file = {"t": "x", "r": "row"}.get(name, bound.get(name, name)) + ".csv"
        assigned = re.search(r"(^|; )%s = " % name, text)
        if os.path.exists(file) and not assigned:
            names[name] = Table(np.loadtxt(file, delimiter=",", skiprows=1, ndmin=2))
    functions = {
        "square": lambda x: x * x,
        "rowsum": lambda x: Table(x.values.sum(1, keepdims=True)),
        "sum": lambda x: Table(x.values.sum(0, keepdims=True)),
        "mean": lambda x: Table(x.values.mean(0, keepdims=True)),
        "dot": lambda x, y: Table((x.values * y.values).sum(0, keepdims=True)),
        "sigmoid": lambda x: Table(1 / (1 + np.exp(-x.values)))}
    plan = {}
    for line in open("plan"):
        plan[line.split(": ")[-1].split(" = ")[0]] = float(re.search(r"([\d.]+) bits at least", line).group(1))
    for statement in text.split("; "):
        name, expression = statement.split(" = ")
        names[name] = eval(expression.replace("^", "**"), {**functions, **names})
    for name in outputs:
        got, wanted = np.loadtxt(name + ".csv", delimiter=",", skiprows=1, ndmin=2), names[name].values
        assert got.shape == wanted.shape, (name, got.shape, wanted.shape)
        error = np.abs(got - wanted).max()
        assert error <= 2 ** -plan[name] + 1e-9, (name, error, plan)
        assert plan[name] > 4, plan  # or the bound would say nothing


main()
