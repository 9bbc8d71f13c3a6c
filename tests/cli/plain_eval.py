"""The values of an expression on plain tables, mod t, computed by Python itself: its own syntax and operators.

plain_eval.py N T EXPRESSION OUTPUT=FILE.csv... NAME=TABLE...    compares; tables are FILE.csv or FILE.h5:/DATASET
OUTPUT is a name that the expression assigns. Slots that hold no row are kept: rotations bring them into sight."""
import csv, sys
import numpy as np

N, T, text = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
assert T < 2**31 # a product of two values is an int64


def read(name):
    if ".h5:" in name:
        file, dataset = name.split(":")
        import h5py # which takes long
        with h5py.File(file) as f:
            data = f[dataset][...].astype(np.int64)
            return data.reshape(len(data), -1), f[dataset].attrs.get("columns", [])
    with open(name) as f:
        rows = list(csv.reader(f))
    return np.array([[int(x) for x in r] for r in rows[1:]], dtype=np.int64).reshape(len(rows) - 1, -1), rows[0]


class Table:
    """Columns of slots, [columns][row blocks * N]; `rows` of them hold rows. A single row stands in all."""

    def __init__(self, slots, rows, names=(), single=False):
        self.slots, self.rows, self.names, self.single = slots % T, rows, list(names), single

    def like(self, slots):
        return Table(slots, self.rows, self.names, self.single)

    def __getattr__(self, name):
        return Table(self.slots[[self.names.index(name)]], self.rows, [name], self.single)

    def holds(self, other):
        """The other operand where slots hold a row, 0 elsewhere if it is plain."""
        if isinstance(other, Table) and not other.single:
            return other.slots
        number = other.slots if isinstance(other, Table) else other % T
        return np.where(np.arange(self.slots.shape[1]) < self.rows, number, 0)

    def both(self, other, operation):
        if not self.single:
            return self.like(operation(self.slots, self.holds(other)))
        if isinstance(other, Table) and not other.single:
            return other.both(self, lambda a, b: operation(b, a))
        return self.like(operation(self.slots, other.slots if isinstance(other, Table) else other))

    def __add__(self, other):
        return self.both(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other):
        return self.both(other, lambda a, b: a - b)

    def __rsub__(self, other):
        return -self + other

    def __neg__(self):
        return self.like(-self.slots)

    def __mul__(self, other):
        if isinstance(other, Table):
            return self.both(other, lambda a, b: a * b)
        return self.like(self.slots * other)

    __rmul__ = __mul__

    def __pow__(self, k):
        return self.like(np.vectorize(lambda x: pow(int(x), k, T), otypes=[np.int64])(self.slots))


def rotate(x, k):
    halves = x.slots.reshape(len(x.slots), -1, 2, N // 2)
    return x.like(np.roll(halves, -k, axis=3).reshape(x.slots.shape))


def swap(x):
    return x.like(x.slots.reshape(len(x.slots), -1, 2, N // 2)[:, :, ::-1].reshape(x.slots.shape))


def total(x):
    return Table(x.slots[:, :x.rows].sum(axis=1).reshape(-1, 1) % T, 1, x.names, True)


def poly(x, *coefficients):
    power, result = 1, x * 0
    for c in coefficients:
        result, power = result + (power * c if isinstance(power, Table) else c * power), x * power
    return result


def rowsum(x):
    return Table(x.slots.sum(axis=0).reshape(1, -1), x.rows)


def load(name):
    data, names = read(name)
    rows, columns = data.shape
    if rows == 1:
        return Table(data.reshape(columns, 1), 1, names, True)
    slots = np.zeros((columns, -(-rows // N) * N), dtype=np.int64)
    slots[:, :rows] = data.T
    return Table(slots, rows, names)


words = dict(word.split("=", 1) for word in sys.argv[4:])
scope = {"rotate": rotate, "swap": swap, "sum": total, "dot": lambda x, y: total(x * y), "poly": poly,
         "square": lambda x: x ** 2, "rowsum": rowsum, "modswitch": lambda x: x}
assigned = [s.split("=")[0].strip() for s in text.replace("\n", ";").split(";") if "=" in s]
scope.update((name, load(file)) for name, file in words.items() if name not in assigned)
exec(text.replace("^", "**").replace(";", "\n").replace("\n ", "\n").strip(), scope)
for name in assigned:
    if name in words:
        result, (found, _) = scope[name], read(words[name])
        expected = result.slots[:, :result.rows].T
        if found.shape != expected.shape:
            sys.exit(f"{name}: {found.shape} rows and columns, not {expected.shape}")
        wrong = np.argwhere(found % T != expected)
        if len(wrong):
            row, column = wrong[0]
            sys.exit(f"{name}: {len(wrong)} cells are wrong, the first in row {row + 1}, column {column + 1}: "
                     f"{found[row, column] % T} instead of {expected[row, column]}")
