#!/usr/bin/env python3
"""Predicts test.csv by the decrypted weights of w.csv and by those of clear.csv, and says where the time went.

The first row of clear.csv was trained with the sigmoid, the second with its polynomial. Exits with 1 where the share of
images that are right differs from either's by more than 0.5 %, or a weight from the second row's by more than 2^-8,
and says which. Needs no package.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
import tables  # noqa: E402


def right(weights, rows):
    """Rows are y x: an image is told right where its product with the weights is positive."""
    return sum(sum(a * b for a, b in zip(weights, row)) > 0 for row in rows)


def difference(same_weights, as_exact, as_polynomial):
    """Names the first fault, or None: of the weights, or of the share of images that they predict as clear.csv does."""
    if not same_weights:
        return "the weights are not those of the training in the clear"
    if not as_polynomial:
        return "the weights are those of the training in the clear to 2^-8, but tell other images"
    if not as_exact:
        return ("the weights are those of the training in the clear, but the polynomial in the place of the sigmoid makes "
                "them tell other images: take more ITERATIONS or a higher DEGREE")
    return None


def main():
    (_, rows), (_, [found]), (_, [exact, polynomial]) = map(tables.read, ("test.csv", "w.csv", "clear.csv"))
    told = [right(weights, rows) for weights in (found, exact, polynomial)]
    error = max(abs(a - b) for a, b in zip(found, polynomial))
    print("%d images held out: %.2f %% are right, %.2f %% by the same training in the clear, %.2f %% in the clear with the"
          " polynomial" % ((len(rows),) + tuple(100 * n / len(rows) for n in told)))
    print("weights differ by %.2g at most" % error)
    with open("w.heb.report.json") as f:
        phases = json.load(f)["times"]["phases"]
    with open("steps.txt") as f:
        iterations = sum(line.startswith("n = ") for line in f)
    passes, totals = phases["loop"], phases.get("totals", 0.0)
    print("%d iterations: %.3f s each, %.3f s in passes over the rows and %.3f s in totals (the report's phases)"
          % (iterations, (passes + totals) / iterations, passes / iterations, totals / iterations))
    same = len(found) == len(polynomial) and all(abs(a - b) < 2**-8 for a, b in zip(found, polynomial))
    wrong = difference(same, *(abs(told[0] - n) <= 0.005 * len(rows) for n in told[1:]))
    if wrong:
        print("compare.py: " + wrong, file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
