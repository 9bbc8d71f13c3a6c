#!/usr/bin/env python3
"""Functions of encrypted reals, measured: encrypted.py HEBATCH FOLDER.

Encrypts 4096 values that cover each interval, evaluates each function on them with --precision 8 to 32, decrypts, and compares with
doubles. Prints a table: bits measured / proven. A measurement below what is proven ends it (1); what the parameters have no
bits or levels for is a dash, with the reason on stderr. FOLDER must not exist. Parameters: ckks-16, with levels of one prime,
and ones with levels of two.
"""
import math
import os
import re
import subprocess
import sys

CASES = (
    ("sigmoid", "sigmoid(x)", -8, 8, lambda x: 1 / (1 + math.exp(-x))),
    ("tanh", "tanh(x)", -4, 4, math.tanh),
    ("exp", "exp(x)", -4, 1, math.exp),
    ("log", "log(x)", 0.125, 8, math.log),
    ("inv", "inv(x)", 0.125, 8, lambda x: 1 / x),
    ("sqrt", "sqrt(x)", 0.0625, 4, math.sqrt),
    ("erf", "erf(x)", -4, 4, math.erf),
    ("gelu", "gelu(x)", -8, 8, lambda x: x * math.erfc(-x / math.sqrt(2)) / 2),
    ("silu", "silu(x)", -8, 8, lambda x: x / (1 + math.exp(-x))),
    ("sign, gap 2^-6", "sign(x)", -1, 1, lambda x: math.copysign(1, x)),
)
PARAMETERS = {
    "one": ("--params", "ckks-16"),
    "two": ("--scheme", "ckks", "--n", "65536", "--levels", "15", "--scale-bits", "72"),
}
COLUMNS = ((8, "one"), (16, "one"), (16, "two"), (24, "two"), (32, "two"))  # bits, and which parameters
ROWS = 4096


class Refused(Exception):
    pass


class Measurement:
    def __init__(self, hebatch, folder):
        self.hebatch, self.folder = hebatch, folder
        os.mkdir(folder)
        for keys, options in PARAMETERS.items():
            self.run("keygen", *options, "--out", keys, "--relin")

    def run(self, *words):
        done = subprocess.run([self.hebatch, *words], cwd=self.folder, capture_output=True, text=True)
        if done.returncode in (65, 78):
            raise Refused(done.stderr.strip().splitlines()[-1])
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}: {done.returncode}\n{done.stderr}")
        return done.stdout + done.stderr

    def encrypt(self, low, high, gap):
        values = [low + (high - low) * i / (ROWS - 1) for i in range(ROWS)]
        values = [x for x in values if abs(x) >= gap]
        with open(os.path.join(self.folder, "x.csv"), "w", encoding="ascii") as file:
            file.write("x\n" + "".join(f"{x!r}\n" for x in values))
        for keys in PARAMETERS:
            self.run("encrypt", "--key", f"{keys}/public.h5", "--range", f"x={low}..{high}", "--force", "x.csv", f"{keys}.heb")
        return values

    def evaluate(self, expression, bits, keys, gap):
        """The results, and how many bits of them are proven."""
        options = ["--gap", f"2^{math.log2(gap):.0f}"] if gap else []
        words = ("--precision", str(bits), *options, "--force", f"y = {expression}", f"x={keys}.heb", "y=y.heb")
        self.run("eval", "--keys", keys, *words)
        text = self.run("decrypt", "--key", f"{keys}/secret.h5", "--force", "y.heb", "y.csv")
        with open(os.path.join(self.folder, "y.csv"), encoding="ascii") as file:
            return [float(line) for line in file.read().split()[1:]], float(re.search(r"([\d.]+) proven", text)[1])


def main():
    measurement = Measurement(os.path.abspath(sys.argv[1]), sys.argv[2])
    print("| function | on | " + " | ".join(f"{bits} bits, {keys} prime{'s' * (keys == 'two')}" for bits, keys in COLUMNS) + " |")
    print("|---|---|" + "---|" * len(COLUMNS))
    for name, expression, low, high, function in CASES:
        gap = 2.0**-6 if "gap" in name else 0
        values = measurement.encrypt(low, high, gap)
        cells = []
        for bits, keys in COLUMNS:
            try:
                results, proven = measurement.evaluate(expression, bits, keys, gap)
            except Refused as refusal:
                print(f"{name}, {bits} bits: {refusal}", file=sys.stderr)
                cells.append("-")
                continue
            measured = -math.log2(max(abs(function(x) - y) for x, y in zip(values, results)))
            cells.append(f"{measured:.1f} / {proven:.1f}")
            if measured < proven - 0.05 or proven < bits:
                sys.exit(f"{name} on {low} .. {high} to {bits} bits: {measured} measured, {proven} proven")
        print("| " + " | ".join([name, f"{low} .. {high}"] + cells) + " |", flush=True)


if __name__ == "__main__":
    main()
