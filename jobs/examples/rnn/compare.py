"""Compares scores.csv and h*.csv with clear.json, in the folder where it is called; no package is needed. Prints a
table of errors after the steps that were stored. Exits with 1 where fewer than 99 % of the classes are those of the
network in the clear, with tanh, or more than 1 % of the scores, or of the numbers of h after a step, are off by more
than 2^-8 from the network's with the polynomial: a unit that is near to tipping may tip by an error of any size, as it
does between tanh and the polynomial."""
import csv
import json
import math
import sys


def table(name):
    return [[float(cell) for cell in row] for row in list(csv.reader(open(name)))[1:]]


def differences(a, b):
    return [abs(p - q) for x, y in zip(a, b) for p, q in zip(x, y)]


def bits(errors):
    """The largest and the mean, as powers of two."""
    return "%6.1f %6.1f" % tuple(math.log2(max(e, 2.0**-60)) for e in (max(errors), sum(errors) / len(errors)))


def classes(scores):
    return [row.index(max(row)) for row in scores]


def share(a, b):
    return 100 * sum(x == y for x, y in zip(a, b)) / len(a)


clear = json.load(open("clear.json"))
kept = [int(line) for line in open("kept.txt")]
scores = table("scores.csv")
by = {name: clear[name]["scores"][:len(scores)] for name in ("tanh", "polynomial")}
labels = clear["labels"][:len(scores)]

def off(errors):
    """The share of errors above 2^-8; of what is no number as well."""
    return sum(not e <= 2.0**-8 for e in errors) / len(errors)


worst = 0.0
print("errors, 2^: most, mean         by the polynomial                    by tanh")
for step in kept:
    h = table("h%d.csv" % step)[:128]
    errors = differences(h, clear["polynomial"]["states"][str(step)])
    worst = max(worst, off(errors))
    print("after step %4d               %s                      %s" % (
        step, bits(errors), bits(differences(h, clear["tanh"]["states"][str(step)]))))
errors = differences(scores, by["polynomial"])
worst = max(worst, off(errors))
by_tanh = bits(differences(scores, by["tanh"]))
print("scores                        %s                      %s" % (bits(errors), by_tanh))
found = classes(scores)
same = share(found, classes(by["tanh"]))
shares = (len(scores), same, share(found, classes(by["polynomial"])), share(found, labels),
          share(classes(by["tanh"]), labels))
print("%d sequences: %.2f %% of the classes are those in the clear, %.2f %% those by the polynomial, "
      "%.2f %% are right, %.2f %% in the clear" % shares)
sys.exit(int(same < 99 or worst > 0.01))
