#!/usr/bin/env python3
"""Random programs over columns with meanings, against exact rationals: run.py SETUP [--count N] [--seed S] [--batch B]
[--hand SHARE].

Each command evaluates several programs, as results of it. A program that is refused is tried alone, and then by hand,
one operation a command: what is refused although that computes it is a fault, as is any value that is wrong, any result
that cannot be decrypted, and any broken invariant. HEBATCH is the program.
"""

import argparse
import json
import math
import os
import re
import shutil
import sys
import tempfile

from comparison import Comparison
from programs import ByHand, Maker, Written, tables_in
from refusals import reason_of
from results import rows_of
from setups import SETUPS, Refused, World
from values import PLAIN, ROWS_OF

FAR = 3  # bits that no error may be above the expected one; most are within one
SHARE = 0.9  # of them; of few, all but one
OTHER_ROWS = "left out|not belong together"
NOTHING_LEFT = "nothing encrypted is left|is transparent: anyone could read"
USUAL_BY_HAND = "one could read|the datasets have 1|takes conditions"
BY_HAND_TOO = ("readable", "names")  # by hand values have other names, and nobody sees that two are the same


class Programs:
    def __init__(self, world, seed, show=False):
        self.world, self.seed, self.show = world, seed, show
        self.counts = {"right": 0, "by hand": 0, "refused": 0, "faults": 0}
        self.reasons = {}  # of refusals, how many
        self.above = []  # bits that the errors of results are above those that are expected

    def make(self, number):
        return Maker(self.world.setup, self.world.tables, "%s %d %d" % (self.world.name, self.seed, number)).result()

    def fault(self, kind, number, text, more=""):
        self.counts["faults"] += 1
        print(
            "%s: %s seed %d number %d: %s\n    %s" % (kind, self.world.name, self.seed, number, text, more), flush=True
        )

    def evaluate(self, statements, names, inputs=(), keys="keys"):
        tables = tables_in(statements)
        words = ["eval", "--keys", keys, statements, "--force"] + self.world.files(statements, tables)
        words += ["%s=%s.heb" % (name, name) for name in list(inputs) + list(names)]
        self.world.run(words)

    def compare(self, number, name, text, wanted):
        try:
            cells = self.world.run(["decrypt", "--key", "keys/secret.h5", name + ".heb", "-"])
        except Refused as reason:
            return self.fault("UNDECRYPTABLE", number, text, reason.words)
        proven, expected = self.bounds(name)
        comparison = Comparison(wanted, proven)
        if not comparison.right(cells):
            shown = [["" if v is None else str(v) for v in line] for line in wanted.cells[:8]]
            return self.fault("WRONG", number, text, "got %s, not %s" % (cells.split("\n")[:9], shown))
        self.counts["right"] += 1
        if comparison.largest > 0 and wanted.how == "rows":
            bits = math.log2(comparison.largest / expected)
            self.above.append(bits)
            if bits > FAR:
                self.fault("ERROR %.1f BITS ABOVE THE EXPECTED ONE" % bits, number, text)
        return None

    def bounds(self, name):
        """The errors of reals that the plan proves and expects of a result."""
        if not self.world.setup.reals:
            return 0, 0
        bits = json.loads(self.world.run(["info", name + ".heb", "--json"]))["precision_bits"]
        return 2.0 ** -bits["proven"], 2.0 ** -bits["expected"]

    def by_hand(self, number, value, wanted):
        """Whether it computes; its values are compared too."""
        hand = ByHand(value, "y%d" % number)
        made = []
        for name, statement in hand.steps:
            inputs = sorted(set(re.findall(r"\by\d+h\d+\b", statement.split(" = ", 1)[1])))
            try:
                self.evaluate(statement, [name], inputs)
            except Refused as reason:
                return "%s: %s" % (statement, reason.words)
            made.append(name)
        self.compare(number, hand.steps[-1][0], "by hand: " + "; ".join(s for _, s in hand.steps), wanted)
        for name in made:
            shutil.rmtree(os.path.join(self.world.folder, name + ".heb"), ignore_errors=True)
        self.counts["by hand"] += 1
        return None

    def with_own_keys(self, number, text, wanted):
        """Makes the keys that `keygen --for` says are enough, and computes with these alone."""
        tables, own = tables_in(text), os.path.join(self.world.folder, "own")
        shutil.rmtree(own, ignore_errors=True)
        os.makedirs(own)
        for name in ("secret.h5", "public.h5"):
            shutil.copy(os.path.join(self.world.folder, "keys", name), own)
        words = ["keygen", "--key", "own/secret.h5", "--for", text]
        for option, one_row in (("--one-row", ("u", "V")), ("--fill", ("f",))):
            names = ",".join(sorted(tables.intersection(one_row)))
            words += [option, names] if names and self.world.setup.rows > 1 else []
        plain = ",".join("%s=%s.csv" % (name, name) for name in sorted(tables.intersection(PLAIN)))
        words += ["--plain-table", plain] if plain else []
        try:
            self.world.run(words)
            self.evaluate(text, ["y%d" % number], keys="own")
        except Refused as reason:
            return self.fault("KEYS", number, text, reason.words)
        return self.compare(number, "y%d" % number, text, wanted)

    def alone(self, number):
        value, wanted = self.make(number)
        written = Written(value, "y%d" % number)
        try:
            self.evaluate(written.text, ["y%d" % number])
        except Refused as reason:
            hand = self.by_hand(number, value, wanted)
            name = reason_of(reason.words, wanted)
            if name is None and re.search(NOTHING_LEFT, reason.words) and re.search(NOTHING_LEFT, hand or ""):
                name = "readable"  # a step by hand came to nothing encrypted, as it was computed
            if reason.code not in (64, 65) or name is None or hand is None and name not in BY_HAND_TOO:
                words = "%s\n    by hand %s" % (reason.words, hand)
                return self.fault("REFUSED %d" % reason.code, number, written.text, words)
            self.counts["refused"] += 1
            self.reasons[name] = self.reasons.get(name, 0) + 1
            if self.show:
                print("refused: %s number %d: %s\n    %s" % (name, number, written.text, reason.words), flush=True)
            return None
        return self.compare(number, "y%d" % number, written.text, wanted)

    def check_errors(self):
        """Whether nearly all errors are at most a bit above the expected ones."""
        within = sum(bits <= 1 for bits in self.above)
        if self.above:
            print(
                "errors: %d of %d at most a bit above the expected, the most %.2f bits"
                % (within, len(self.above), max(self.above))
            )
        if within < min(SHARE * len(self.above), len(self.above) - 1):
            self.fault("ERRORS ABOVE THE EXPECTED", 0, "%d of %d" % (len(self.above) - within, len(self.above)))

    def check_apart(self, made):
        """Programs that compute with tables of other rows are refused; returns the others."""
        others = []
        for number, value, wanted in made:
            text = Written(value, "y%d" % number).text
            rows = tables_in(text).difference(ROWS_OF)
            if "z" not in rows or len(rows) == 1:
                others.append((number, value, wanted))
                continue
            try:
                self.evaluate(text, ["y%d" % number])
                self.fault("COMPUTED OF OTHER ROWS", number, text)
            except Refused as reason:
                if reason.code not in (64, 65) or not re.search(OTHER_ROWS, reason.words):
                    self.fault("NOT REFUSED FOR ITS ROWS", number, text, reason.words)
                self.counts["refused"] += 1
                self.reasons["rows"] = self.reasons.get("rows", 0) + 1
        return others

    def intermediate(self, name, value):
        number = int(re.search(r"[0-9]+", name).group())
        self.compare(number, name, "%s of %s" % (name, Written(self.make(number)[0], "y%d" % number).text),
                     rows_of(self.world.setup, value))

    def refused_beside(self, number, stored, reason):
        """A program with an intermediate value as another result: for a reason that the program or the value has."""
        _, name, value = stored
        value, wanted = rows_of(self.world.setup, value), self.make(number)[1]
        if reason_of(reason.words, value) is None and reason_of(reason.words, wanted) is None:
            text = Written(self.make(number)[0], "y%d" % number).text
            self.fault("REFUSED %d BESIDE %s" % (reason.code, name), number, text, reason.words)

    def batch(self, numbers, hand, deep=True):
        """deep: some intermediate values are stored as well; where that is refused, those alone are results."""
        made = [(number, *self.make(number)) for number in numbers]
        if self.world.setup.apart:
            made = self.check_apart(made)
            numbers = [number for number, _, _ in made]
            if not made:
                return
        written = [Written(value, "y%d" % number) for number, value, _ in made]
        stored = [(w.prefix, name, w.values[name]) for w in written for name in w.stored()] if deep else []
        names = ["y%d" % number for number in numbers] + [name for _, name, _ in stored]
        try:
            self.evaluate("; ".join(w.text for w in written), names)
        except Refused as reason:
            if stored and len(numbers) == 1:
                self.refused_beside(numbers[0], stored[0], reason)
                return self.batch(numbers, hand, deep=False)
            named = [n for n in numbers if re.search(r"\by%d(_|\b)" % n, reason.words)]
            if len(numbers) == 1:
                self.alone(numbers[0])
            elif 0 < len(named) < len(numbers):
                for number in named:
                    self.alone(number)
                self.batch([n for n in numbers if n not in named], hand)
            else:
                for some in (numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]):
                    self.batch(some, hand)
            return
        for _, name, value in stored:
            self.intermediate(name, value)
        for (number, value, wanted), text in zip(made, (w.text for w in written)):
            self.compare(number, "y%d" % number, text, wanted)
            if hand and number % hand == 1 and not self.world.setup.packed:
                self.with_own_keys(number, text, wanted)
            if hand and number % hand == 0:
                why = self.by_hand(number, value, wanted)
                if why is not None and not re.search(USUAL_BY_HAND, why):
                    print(
                        "by hand alone refused: %s number %d: %s\n    %s" % (self.world.name, number, text, why),
                        flush=True,
                    )
        for name in names:
            for form in ("%s.heb", "%s.heb.report.json"):
                path = os.path.join(self.world.folder, form % name)
                if os.path.isdir(path):
                    shutil.rmtree(path)
                elif os.path.exists(path):
                    os.remove(path)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("setup", choices=list(SETUPS))
    arguments.add_argument("--count", type=int, default=20)
    arguments.add_argument("--first", type=int, default=0)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--batch", type=int, default=10)
    arguments.add_argument("--hand", type=int, default=0, help="of so many one by hand too, one with own keys")
    arguments.add_argument("--keep", help="a folder that is kept")
    arguments.add_argument("--show", action="store_true", help="print the programs and do nothing")
    arguments.add_argument("--refusals", action="store_true", help="print the programs that are refused")
    a = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if a.show:
            programs = Programs(World(a.setup, None), a.seed)
            for number in range(a.first, a.first + a.count):
                print(Written(programs.make(number)[0], "y%d" % number).text)
            return
        world = World(a.setup, a.keep or os.path.join(folder, "world"))
        programs = Programs(world, a.seed, a.refusals)
        for first in range(a.first, a.first + a.count, a.batch):
            programs.batch(list(range(first, min(first + a.batch, a.first + a.count))), a.hand)
        programs.check_errors()
        counts = ", ".join("%d %s" % (n, what) for what, n in programs.counts.items())
        reasons = ", ".join("%d %s" % (n, what) for what, n in sorted(programs.reasons.items()))
        print(a.setup, "seed", a.seed, counts, "(%s)" % reasons if reasons else "")
        sys.exit(programs.counts["faults"] > 0)


main()
