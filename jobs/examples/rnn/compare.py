"""Compares scores.csv and h*.csv with clear.json, in the folder where it is called; no package is needed. Prints a
table of errors after the steps that were stored. Exits with 1 where fewer than 99 % of the classes are those of the
network in the clear, with tanh, or more than 1 % of the scores, or of the numbers of h after a step, are off by more
than 2^-8 from the network's with the polynomial: a unit that is near to tipping may tip by an error of any size, as it
does between tanh and the polynomial."""
import json
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
import tables  # noqa: E402


def differences(a, b):
    return [abs(p - q) for x, y in zip(a, b) for p, q in zip(x, y)]


def bits(errors):
    """The largest and the mean, as powers of two."""
    return "%6.1f %6.1f" % tuple(math.log2(max(e, 2.0**-60)) for e in (max(errors), sum(errors) / len(errors)))


def off(errors):
    """The share of errors above 2^-8; of what is no number as well."""
    return sum(not e <= 2.0**-8 for e in errors) / len(errors)


def classes(scores):
    return [row.index(max(row)) for row in scores]


def share(a, b):
    return 100 * sum(x == y for x, y in zip(a, b)) / len(a)


def line(name, found, by_polynomial, by_tanh):
    """Prints a row of the table; returns the share of numbers that are off."""
    errors = differences(found, by_polynomial)
    print("%-16s              %s                      %s" % (name, bits(errors), bits(differences(found, by_tanh))))
    return off(errors)


def main():
    with open("clear.json") as f:
        clear = json.load(f)
    with open("kept.txt") as f:
        kept = [int(step) for step in f]
    by_polynomial, by_tanh = clear["polynomial"], clear["tanh"]
    worst = 0.0
    print("errors, 2^: most, mean         by the polynomial                    by tanh")
    for step in kept:
        _, h = tables.read("h%d.csv" % step)
        worst = max(worst, line("after step %4d" % step, h[:128], by_polynomial["states"][str(step)],
                                by_tanh["states"][str(step)]))
    _, scores = tables.read("scores.csv")
    worst = max(worst, line("scores", scores, by_polynomial["scores"][:len(scores)], by_tanh["scores"][:len(scores)]))
    found, wanted = classes(scores), classes(by_tanh["scores"][:len(scores)])
    labels = clear["labels"][:len(scores)]
    same = share(found, wanted)
    shares = (len(scores), same, share(found, classes(by_polynomial["scores"][:len(scores)])), share(found, labels),
              share(wanted, labels))
    print("%d sequences: %.2f %% of the classes are those in the clear, %.2f %% those by the polynomial, "
          "%.2f %% are right, %.2f %% in the clear" % shares)
    sys.exit(int(same < 99 or worst > 0.01))


if __name__ == "__main__":
    main()
