#!/usr/bin/env python3
"""Comparisons of encrypted integers a second, of 8, 16 and 32 bits, as a table.

    comparisons.py HEBATCH [--rows R] [--bits 8,16,32] [--digits 2,4,8] [--eval-options "--device gpu"]

Each line is `x < y` of two encrypted columns, under the parameters that `params suggest` finds for it (128 bits of
security, proven noise budget): numbers whole where they are one digit, else by digits. Both columns are random, with
rows where they are equal or next to each other. Results are decrypted and compared with the truth before a rate is
printed. The time is that of the command `eval`, from its report, without start and keys: the loop over all rows.
"""
import argparse
import json
import pathlib
import random
import re
import shlex
import subprocess
import tempfile


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def expression_of(digits, bits):
    if digits == 1:
        return "y = p.x0 < p.y0"
    columns = ["%s(%d, %s)" % ("digits", 1 << bits, ", ".join("p.%s%d" % (name, i) for i in reversed(range(digits))))
               for name in "xy"]
    return "y = %s < %s" % tuple(columns)


def write_table(path, pairs, digits, bits):
    with open(path, "w") as table:
        table.write(",".join("%s%d" % (name, i) for name in "xy" for i in range(digits)) + "\n")
        for pair in pairs:
            words = [number >> bits * i & (1 << bits) - 1 for number in pair for i in range(digits)]
            table.write(",".join(map(str, words)) + "\n")


def pairs_of(rows, bits):
    most = (1 << bits) - 1
    random.seed(1)
    for i in range(rows):
        x = random.randint(0, most)
        yield x, x if i % 8 == 0 else min(x + 1, most) if i % 8 == 1 else max(x - 1, 0) if i % 8 == 2 else random.randint(0, most)


def measure(hebatch, total, bits, rows, options, folder):
    digits = total // bits
    expression = expression_of(digits, bits)
    ranges = ",".join("p.%s%d=0..%d" % (name, i, (1 << bits) - 1) for name in "xy" for i in range(digits))
    suggested = json.loads(run(hebatch, "params", "suggest", expression, "--rows", rows, "--range", ranges, "--json"))
    n, t = suggested["params"]["n"], int(suggested["params"]["plain"])
    line = run(hebatch, "params", "suggest", expression, "--rows", rows, "--range", ranges, "--quiet")
    keygen = shlex.split(re.search(r"^hebatch (keygen .*)$", line, re.M).group(1).replace("--out KEYS", "--out keys"))
    blocks = max(1, rows // n)
    rows = blocks * n
    pairs = list(pairs_of(rows, total))
    write_table(folder / "p.csv", pairs, digits, bits)
    subprocess.run([hebatch] + keygen + ["--quiet"], check=True, capture_output=True, cwd=folder)
    keys = folder / "keys"
    run(hebatch, "encrypt", "--quiet", "--key", keys / "secret.h5", folder / "p.csv", folder / "p.heb")
    report = json.loads(run(hebatch, "eval", "--quiet", "--json", "--keys", keys, expression, "p=%s" % (folder / "p.heb"),
                            "y=%s" % (folder / "y.heb"), "--range", ranges, *options))
    run(hebatch, "decrypt", "--quiet", "--key", keys / "secret.h5", folder / "y.heb", folder / "y.csv")
    found = [int(word) for word in (folder / "y.csv").read_text().split()[1:]]
    assert found == [int(x < y) for x, y in pairs], "results differ"
    plan, seconds = report["plan"], report["times"]["phases"]["loop"]
    print("| %d | %d x %d | %d, %d limbs | %d | %d | %d | %d | %.2f s | %d |"
          % (total, digits, bits, n, len(report["params"]["bits"]), t, plan["depth"], plan["products"], rows, seconds,
             rows / seconds), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hebatch")
    parser.add_argument("--rows", type=int, default=65536, help="rounded to whole ciphertexts")
    parser.add_argument("--bits", default="8,16,32")
    parser.add_argument("--digits", default="2,4,8", help="bits of a digit")
    parser.add_argument("--eval-options", default="")
    options = parser.parse_args()
    hebatch = pathlib.Path(options.hebatch).resolve()
    print("| bits | digits | N, chain | t | depth | products | rows | time | comparisons a second |\n|---|---|---|---|---|---|---|---|---|")
    for total in map(int, options.bits.split(",")):
        for bits in map(int, options.digits.split(",")):
            if total % bits == 0:
                with tempfile.TemporaryDirectory() as folder:
                    measure(hebatch, total, bits, options.rows, shlex.split(options.eval_options), pathlib.Path(folder))


if __name__ == "__main__":
    main()
