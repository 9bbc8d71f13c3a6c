#!/usr/bin/env python3
"""Degrees, depths and errors of approximations, beside mpmath: table.py PROGRAM [--check].

Prints the tables of src/approx/README.md. --check: a part of them, and says nothing but what is wrong (exit code 1). 77: there
is no mpmath.
"""
import math
import subprocess
import sys

try:
    import mpmath
except ImportError:
    sys.exit(77)

BITS = (8, 16, 24, 32)
INTERVALS = (
    ("sigmoid", -4, 4),
    ("sigmoid", -8, 8),
    ("sigmoid", -32, 32),
    ("tanh", -2, 2),
    ("tanh", -8, 8),
    ("exp", -1, 1),
    ("exp", -16, 0),
    ("log", 0.5, 2),
    ("log", 0.0625, 16),
    ("log", 0.001, 1),
    ("inv", 0.5, 2),
    ("inv", 0.0625, 16),
    ("inv", 0.01, 1),
    ("rsqrt", 0.25, 4),
    ("sqrt", 0.5, 2),
    ("sqrt", 0.01, 1),
    ("sqrt", 0.0001, 1),
    ("erf", -2, 2),
    ("erf", -5, 5),
    ("gelu", -4, 4),
    ("gelu", -16, 16),
    ("silu", -8, 8),
    ("silu", -32, 32),
)
GAPS = (4, 6, 8, 10, 12, 16)
FUNCTIONS = {
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "tanh": mpmath.tanh,
    "exp": mpmath.exp,
    "log": mpmath.log,
    "inv": lambda x: 1 / x,
    "sqrt": mpmath.sqrt,
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "erf": mpmath.erf,
    "gelu": lambda x: x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2,
    "silu": lambda x: x / (1 + mpmath.exp(-x)),
    "sign": mpmath.sign,
}
FRACTION = 200  # bits after the point


def fixed(x):
    return int(mpmath.ldexp(mpmath.mpf(x), FRACTION))


def chebyshev(c, u):
    """By Clenshaw's recurrence, in fixed point."""
    here = following = 0
    for coefficient in reversed(c[1:]):
        here, following = (u * here >> FRACTION - 1) - following + coefficient, here
    return (u * here >> FRACTION) - following + c[0]


class Approximation:
    def __init__(self, program, function, low, high, bits, gap=0):
        words = [program, function, repr(low), repr(high), repr(bits)] + ([repr(gap)] if gap else [])
        out = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
        depth, error, _ = out[0].split()
        self.function, self.bits, self.depth, self.error = function, bits, int(depth), float.fromhex(error)
        self.low, self.high, self.gap = (float.fromhex(word) for word in out[1].split())
        stages = [[float.fromhex(word) for word in line.split()[1:]] for line in out[2:]]
        self.degrees = [len(stage) - 1 for stage in stages]
        self.stages = [[fixed(c) for c in stage] for stage in stages]

    def measured(self):
        """The largest error at points that are dense where those of best approximations are extreme."""
        worst, count = 0, 16 * max(self.degrees) + 100
        for j in range(count + 1):
            u = mpmath.cos(mpmath.pi * j / count)
            if self.gap:
                least = mpmath.mpf(self.gap) / self.high
                u = least + (1 - least) * (1 + u) / 2
            x = (self.low + mpmath.mpf(self.high) + u * (self.high - mpmath.mpf(self.low))) / 2
            value = fixed(u)
            for stage in self.stages:
                value = chebyshev(stage, value)
            worst = max(worst, abs(mpmath.ldexp(value, -FRACTION) - FUNCTIONS[self.function](x)))
        return worst

    def cell(self):
        measured = self.measured()
        if measured > self.error or self.error > 2.0**-self.bits:
            print(f"{self.function} on {self.low} .. {self.high}: {measured} measured, {self.error} proven, {self.bits} bits asked")
            sys.exit(1)
        degrees = ", ".join(map(str, self.degrees))
        return f"{degrees} ({self.depth}) {-mpmath.log(measured, 2).__float__():.2f} / {-math.log2(self.error):.2f}"


def main():
    program, check = sys.argv[1], sys.argv[2:] == ["--check"]
    mpmath.mp.prec = 256
    rows = []
    for function, low, high in INTERVALS[:: 6 if check else 1]:
        cells = [Approximation(program, function, low, high, bits).cell() for bits in BITS[:: 2 if check else 1]]
        rows.append([function, f"{low} .. {high}"] + cells)
    for power in GAPS[:: 5 if check else 1]:
        cells = [Approximation(program, "sign", -1, 1, bits, 2.0**-power).cell() for bits in BITS[:: 2 if check else 1]]
        rows.append(["sign", f"gap 2^-{power}"] + cells)
    if not check:
        print("| function | on | " + " | ".join(f"{bits} bits" for bits in BITS) + " |")
        print("|---|---|" + "---|" * len(BITS))
        for row in rows:
            print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
