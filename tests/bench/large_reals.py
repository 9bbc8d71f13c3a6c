#!/usr/bin/env python3
"""A large table of reals, from HDF5 to decrypted results, on several ranks: rates, and the peak memory of a rank.

    large_reals.py HEBATCH FOLDER ROWS... [--ranks R] [--params PRESET] [--launcher "mpirun -n"]

For each number of rows it makes a table of 4 columns of random doubles in [-1, 1), encrypts it, computes y = 0.5*x.1*x.2 + x.3,
decrypts, and compares with numpy: every value is within what the program says is proven, else it fails. `hebatch verify` then does
the same by itself. FOLDER is made, and must not be there; it is emptied of tables and datasets after each size. Ciphertexts take some
140 bytes a value at ckks-14: 10^7 rows want 8 GB of disk. Needs h5py and numpy.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import time

import h5py
import numpy as np

COLUMNS, CHUNK, EXPRESSION = 4, 1 << 20, "y = 0.5*x.1*x.2 + x.3"


def plain(x):
    return 0.5 * x[:, 0] * x[:, 1] + x[:, 2]


def make_tables(folder, rows):
    """x.h5, and in plain.h5 what the expression gives; a chunk at a time, as no table need fit into memory."""
    random = np.random.default_rng(rows)
    with h5py.File(f"{folder}/x.h5", "w") as x, h5py.File(f"{folder}/plain.h5", "w") as y:
        to, result = x.create_dataset("x", (rows, COLUMNS), "f8"), y.create_dataset("y", (rows, 1), "f8")
        for first in range(0, rows, CHUNK):
            values = random.uniform(-1, 1, (min(CHUNK, rows - first), COLUMNS))
            to[first:first + len(values)] = values
            result[first:first + len(values), 0] = plain(values)


def largest_error(folder):
    with h5py.File(f"{folder}/y.h5") as got, h5py.File(f"{folder}/plain.h5") as wanted:
        rows = len(wanted["y"])
        if len(got["y"]) != rows:
            sys.exit(f"{len(got['y'])} rows instead of {rows}")
        return max(float(np.max(np.abs(got["y"][i:i + CHUNK].reshape(-1) - wanted["y"][i:i + CHUNK, 0]))) for i in range(0, rows, CHUNK))


class Program:
    def __init__(self, arguments):
        self.path = os.path.abspath(arguments.hebatch)
        self.launcher = [*arguments.launcher.split(), str(arguments.ranks)]

    def run(self, folder, *words, ranks=True):
        """Seconds from start to end, and the report."""
        command = [*(self.launcher if ranks else []), self.path, *words, "--quiet", "--json"]
        begin = time.perf_counter()
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}")
        return time.perf_counter() - begin, json.loads(done.stdout)


def measure(program, folder, rows):
    make_tables(folder, rows)
    secret = ["--key", "keys/secret.h5"]
    steps = {
        "encrypt": ["encrypt", *secret, "x.h5:/x", "x.heb"],
        "eval": ["eval", "--keys", "keys", EXPRESSION, "x=x.heb", "y=y.heb"],
        "decrypt": ["decrypt", *secret, "y.heb", "y.h5:/y"],
        "verify": ["verify", "y.heb", *secret, "--against", "plain.h5:/y"],
    }
    reports = {}
    for name, words in steps.items():
        seconds, report = program.run(folder, *words)
        reports[name] = report
        peak = report.get("peak_host_bytes", 0) / 2**20
        print(f"| {rows} | {name} | {seconds:.1f} s | {rows / seconds:.3g} | {peak:.0f} MiB |", flush=True)
    bits = reports["decrypt"]["precision_bits"]
    error = largest_error(folder)
    stored = sum(os.path.getsize(os.path.join(d, f)) for x in ("x.heb", "y.heb") for d, _, fs in os.walk(f"{folder}/{x}") for f in fs)
    print(f"{rows} rows: {stored / 2**30:.2f} GiB of ciphertexts; largest error 2^{np.log2(error):.1f}; "
          f"bits measured {bits['least']:.1f}, expected {bits['expected']:.1f}, proven {bits['proven']:.1f}", flush=True)
    if not error <= 2**-bits["proven"]:
        sys.exit(f"an error of {error} is more than is proven")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hebatch")
    parser.add_argument("folder")
    parser.add_argument("rows", type=int, nargs="+")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--params", default="ckks-14")
    parser.add_argument("--launcher", default="mpirun --oversubscribe --bind-to none -n")
    arguments = parser.parse_args()
    program = Program(arguments)
    os.mkdir(arguments.folder)
    try:
        program.run(arguments.folder, "keygen", "--params", arguments.params, "--out", "keys", "--for", EXPRESSION, ranks=False)
        print("| rows | step | time | rows a second | peak memory of a rank |\n|---|---|---|---|---|")
        for rows in arguments.rows:
            measure(program, arguments.folder, rows)
            for name in os.listdir(arguments.folder):
                path = os.path.join(arguments.folder, name)
                if name != "keys":
                    (shutil.rmtree if os.path.isdir(path) else os.remove)(path)
    finally:
        shutil.rmtree(arguments.folder)


if __name__ == "__main__":
    main()
