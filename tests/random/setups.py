"""The parameters and tables of random programs, as rows."""

import os
import subprocess

import values

ALL = ("x", "z", "w", "u", "f", "o", "W", "V", "L", "v", "i")
PACKED = ("P", "R", "Q", "N", "M")


class Setup:
    """rows: of the tables; most: what values may come to, as stored; deepest: products one after another; left_out:
    places of rows that are left out of the tables; filled: cells that are as in the first row are missing, and read as
    that value; leaves: encrypted tables that columns come from; plain: tables whose columns stand beside;
    folds: much is the same in every row, whatever is encrypted; packed: rows stand within slots, and programs are made
    of whole tables; apart: of table z other rows are left out, so nothing is computed of both."""

    def __init__(self, keygen, rows=7, most=83886080, deepest=10, reals=False, leaves="xxz", plain="wo", **more):
        self.keygen, self.rows, self.most, self.deepest = keygen, rows, most, deepest
        self.reals, self.leaves, self.plain = reals, tuple(leaves), tuple(plain)
        self.left_out, self.filled = more.get("left_out", ()), more.get("filled", False)
        self.folds, self.packed, self.apart = (more.get(name, False) for name in ("folds", "packed", "apart"))


def integers(primes, plain):
    bits = ",".join(["58"] * primes)
    return "--n 1024 --bits %s --insecure --relin --swap --rotations sum,1,3 %s" % (bits, plain)


SMALL, LARGE = "--plain 167772161", "--plain 1099511480321"
REALS = "--n 2048 --levels 24 --scale-bits 45 --special-primes 4 --insecure --relin --conj --rotations sum,1,3"
OF_REALS = {"most": 400, "deepest": 22, "reals": True}
PACKED_REALS = REALS.replace("sum,1,3", "sum," + ",".join("%d,-%d" % (k, k) for k in range(1, 8)) + ",24")
SETUPS = {
    "integers": Setup(integers(9, SMALL), deepest=6),
    "deep": Setup(integers(13, SMALL), deepest=10),
    "long": Setup(integers(12, LARGE), most=2**38, deepest=6),
    "wide": Setup(integers(14, "--wide 80"), most=2**62, deepest=6),
    "one": Setup(integers(9, SMALL), rows=1, deepest=6),
    "two": Setup(integers(9, SMALL), rows=2, deepest=6),
    "rows": Setup(integers(9, SMALL), rows=1, deepest=6, leaves="uuf", plain="o"),
    "blocks": Setup(integers(12, LARGE), rows=1030, most=2**38, deepest=6),
    "left-out": Setup(integers(9, SMALL), rows=9, deepest=6, left_out=(0, 3, 4, 9)),
    "filled": Setup(integers(9, SMALL), rows=9, deepest=6, filled=True),
    "reals": Setup(REALS, **OF_REALS),
    "reals-one": Setup(REALS, rows=1, **OF_REALS),
    "reals-rows": Setup(REALS, rows=1, leaves="uuf", plain="o", **OF_REALS),
    "reals-blocks": Setup(REALS, rows=1030, **OF_REALS),
    "reals-filled": Setup(REALS, rows=9, filled=True, **OF_REALS),
    "apart": Setup(integers(9, SMALL), rows=9, deepest=6, left_out=(0, 3, 4, 9), apart=True),
    "packed": Setup(PACKED_REALS, leaves="PPR", plain="N", packed=True, **OF_REALS),
    "packed-blocks": Setup(PACKED_REALS, rows=130, leaves="PPR", plain="N", packed=True, **OF_REALS),
    "boot": Setup("--params boot-test --insecure --bootstrap --relin --conj --rotations sum,1,3", **OF_REALS),
    "shallow": Setup("", deepest=3, most=2**38),  # for params suggest, which finds parameters
    "shallow-reals": Setup("", **{**OF_REALS, "deepest": 10}),
    "folded": Setup(integers(11, SMALL), deepest=6, folds=True),
    "folded-reals": Setup(REALS, most=400, deepest=12, reals=True, folds=True),
}


class Refused(Exception):
    def __init__(self, code, words, command):
        super().__init__(words)
        self.code, self.words, self.command = code, words, command


class World:
    """A folder with keys and datasets of a setup; None: its tables alone."""

    def __init__(self, name, folder):
        self.name, self.setup, self.folder = name, SETUPS[name], folder
        self.tables = values.make_tables(self.setup.rows)
        if folder is None:
            return
        os.makedirs(folder)
        self.run(["keygen", "--out", "keys"] + self.setup.keygen.split())
        for table in PACKED if self.setup.packed else ALL:
            if table != "i" or not self.setup.reals:
                self.prepare(table)

    def run(self, words):
        done = subprocess.run(
            [os.environ["HEBATCH"]] + words + ["--quiet"],
            cwd=self.folder,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=600,
        )
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if "INSECURE" not in line and "warning" not in line]
            raise Refused(done.returncode, "; ".join(lines), " ".join(words))
        return done.stdout

    def options(self, tables):
        """How plain tables are read: the options that name their columns."""
        scales, labels, words = [], [], []
        for table in tables:
            for name, column in self.tables[table].items():
                if column.scale > 1 and not self.setup.reals:
                    scales.append("%s=%d" % (name, column.scale))
                if column.kind == "label":
                    labels.append("%s=%s" % (name, ",".join(values.LABELS)))
            if table not in values.ROWS_OF and self.setup.left_out:
                words = ["--missing", "drop"]
            if table not in values.ROWS_OF and self.setup.filled:
                first = ("%s=%s" % (n, values.cell_text(c.kind, c.rows[0])) for n, c in self.tables[table].items())
                words = ["--missing", ",".join(first)]
        return (
            (["--scale", ",".join(scales)] if scales else []) + [w for l in labels for w in ("--category", l)] + words
        )

    def left_out(self, table):
        return [place + 1 for place in self.setup.left_out] if self.setup.apart and table == "z" else self.setup.left_out

    def prepare(self, table):
        columns = self.tables[table]
        whole = table in values.ROWS_OF
        values.write_table(
            os.path.join(self.folder, table + ".csv"),
            columns,
            () if whole else self.left_out(table),
            self.setup.filled and not whole,
        )
        if table in values.PLAIN:
            return
        ranges = [
            "%s=%s..%s" % (name, *(values.cell_text(c.kind, v) if c.kind == "day" else int(v) for v in (c.low, c.high)))
            for name, c in columns.items()
            if c.kind in ("number", "day") and name != "num"
        ]
        words = ["encrypt", "--key", "keys/secret.h5", table + ".csv", table + ".heb"] + self.options([table])
        words += ["--range", ",".join(ranges)] if ranges else []
        words += ["--fill"] if table in "fQ" else ["--digits", "num=16,4"] if table == "i" else []
        words += ["--pack", "rows", "--block", "8"] if self.setup.packed else []
        self.run(words)

    def files(self, text, tables):
        words = []
        for table in sorted(tables):
            words.append("%s=%s" % (table, table + (".csv" if table in values.PLAIN else ".heb")))
        return words + self.options([t for t in sorted(tables) if t in values.PLAIN])
