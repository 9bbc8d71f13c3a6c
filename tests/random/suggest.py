#!/usr/bin/env python3
"""params suggest is asked for the parameters of random programs, and the lines that it prints are run as they stand:
suggest.py SETUP [--count N] [--seed S] [--first NUMBER].

Results are compared with exact rationals. A program without parameters is refused for a reason that documents name.
HEBATCH is the program.
"""

import argparse
import json
import os
import re
import shlex
import sys
import tempfile
import time

from comparison import Comparison
from programs import Maker, Written, tables_in
from refusals import reason_of
from setups import SETUPS, Refused, World
from values import PLAIN, cell_text, write_table

NOTHING_LEFT = "nothing encrypted is left|each alone has parameters"


class Asked(World):
    """A folder with the tables of a setup as CSVs, and nothing else."""

    def __init__(self, name, folder):
        super().__init__(name, None)
        self.folder = folder

    def write(self, tables):
        for table in tables:
            write_table(os.path.join(self.folder, table + ".csv"), self.tables[table])

    def question(self, text):
        """The words of params suggest for a program."""
        tables = sorted(tables_in(text))
        secret = [t for t in tables if t not in PLAIN]
        words = ["params", "suggest", text] + (["--scheme", "ckks"] if self.setup.reals else [])
        words += ["--table", ",".join("%s=%s.csv" % (t, t) for t in secret)]
        plain = ["%s=%s.csv" % (t, t) for t in tables if t in PLAIN]
        words += ["--plain-table", ",".join(plain)] if plain else []
        ranges = [
            "%s.%s=%s" % (t, n, self.range_of(c))
            for t in secret
            for n, c in self.tables[t].items()
            if c.kind in ("number", "day") and n != "num"
        ]
        words += ["--range", ",".join(ranges)] if ranges else []
        one_row = [t for t in tables if t in ("u", "V")]
        words += ["--one-row", ",".join(one_row)] if one_row and self.setup.rows > 1 else []
        words += ["--fill", "f"] if "f" in tables else []
        return words + self.options(tables)

    @staticmethod
    def range_of(column):
        return "..".join(cell_text(column.kind, v) if column.kind == "day" else str(int(v))
                         for v in (column.low, column.high))

    def lines(self, text):
        """The lines that are printed for a program, as words."""
        printed = self.run(self.question(text))
        lines = [shlex.split(line)[1:] for line in printed.split("\n") if line.startswith("hebatch ")]
        kinds = [line[0] for line in lines]
        assert kinds[0] == "keygen" and set(kinds[1:]) == {"encrypt", "eval", "decrypt"}, printed
        return lines


class Programs:
    def __init__(self, name, seed):
        self.setup, self.name, self.seed = SETUPS[name], name, seed
        self.counts = {"right": 0, "refused": 0, "faults": 0}

    def fault(self, kind, number, text, more):
        self.counts["faults"] += 1
        print("%s: %s seed %d number %d: %s\n    %s" % (kind, self.name, self.seed, number, text, more), flush=True)

    def one(self, number, folder):
        world = Asked(self.name, folder)
        value, wanted = Maker(self.setup, world.tables, "%s %d %d" % (self.name, self.seed, number)).result()
        text = Written(value, "y%d" % number).text
        if "i" in tables_in(text):
            return
        world.write(tables_in(text))
        try:
            lines = world.lines(text)
        except Refused as reason:
            self.counts["refused"] += 1
            open_name = re.search(NOTHING_LEFT, reason.words)  # intermediate names are results here
            if reason.code not in (64, 65, 78) or not open_name and reason_of(reason.words, wanted) is None:
                self.fault("NO PARAMETERS", number, text, reason.words)
            return
        try:
            for line in lines:
                world.run(line)
        except Refused as reason:
            self.fault("A LINE IS REFUSED", number, text, "%s\n    %s" % (reason.words, reason.command))
            return
        proven = 0
        if self.setup.reals:
            bits = json.loads(world.run(["info", "y%d.heb" % number, "--json"]))["precision_bits"]
            proven = 2.0 ** -bits["proven"]
        with open(os.path.join(folder, "y%d.csv" % number), encoding="utf-8") as file:
            cells = file.read()
        if Comparison(wanted, proven).right(cells):
            self.counts["right"] += 1
        else:
            shown = [["" if v is None else str(v) for v in line] for line in wanted.cells[:8]]
            self.fault("WRONG", number, text, "got %s, not %s" % (cells.split("\n")[:9], shown))


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("setup", choices=list(SETUPS))
    arguments.add_argument("--count", type=int, default=10)
    arguments.add_argument("--first", type=int, default=0)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--seconds", type=float, default=1e9, help="no further program is begun after that")
    a = arguments.parse_args()
    programs, begun = Programs(a.setup, a.seed), time.monotonic()
    for number in range(a.first, a.first + a.count):
        if time.monotonic() - begun > a.seconds:
            print("number %d and those behind it were not begun" % number)
            break
        with tempfile.TemporaryDirectory() as folder:
            programs.one(number, folder)
    print(a.setup, "seed", a.seed, ", ".join("%d %s" % (n, what) for what, n in programs.counts.items()))
    sys.exit(programs.counts["faults"] > 0)


if __name__ == "__main__":
    main()
