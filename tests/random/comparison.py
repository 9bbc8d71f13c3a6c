"""Decrypted tables beside the cells that are wanted."""

import csv
import io

from results import Spread
from values import F

TINY = 1e-9  # of doubles


class Comparison:
    """Compares decrypted cells with wanted ones; error: the proven one of reals; largest: the largest that was met."""

    def __init__(self, wanted, error):
        self.wanted, self.error, self.largest = wanted, error, 0.0

    def same(self, text, wanted):
        try:
            if isinstance(wanted, Spread):
                ends = wanted.between(self.error)
                return ends is None or ends[0] - TINY <= float(text) <= ends[1] + TINY
            if isinstance(wanted, F) and self.error:
                missed = abs(float(text) - float(wanted))
                self.largest = max(self.largest, missed)
                return missed <= self.error + TINY * (1 + abs(wanted))
            if isinstance(wanted, float):
                return abs(float(text) - wanted) <= TINY * max(1, abs(wanted))
            if isinstance(wanted, F):
                return F(text) == wanted
        except ValueError:
            return False
        return text == (wanted or "")

    def same_line(self, got, wanted):
        return len(got) == len(wanted) and all(self.same(t, w) for t, w in zip(got, wanted))

    def right(self, text):
        got = [line or [""] for line in csv.reader(io.StringIO(text))][1:]
        if self.wanted.how == "rows":
            return len(got) == len(self.wanted.cells) and all(map(self.same_line, got, self.wanted.cells))
        met = []
        for line in got:
            places = [i for i, cells in enumerate(self.wanted.cells) if i not in met and self.same_line(line, cells)]
            if not places:
                return False
            met.append(places[0])
        return all(i in met for i, sure in enumerate(self.wanted.sure) if sure)
