#!/usr/bin/env python3
"""Prints documents of `hebatch bench --json` as tables, a row an operation and a column a document: tables.py FILE.json ...
A cell has microseconds a ciphertext: one alone, then in each batch that was measured, small ones first. Documents with the
same operations share a table."""
import json
import os
import sys


def rows(document):
    """Returns for each operation, in order, its times: alone, then of batches by their count."""
    found = {}
    for measure in document["measures"]:
        name, alone = measure["name"], ", alone" in measure["name"]
        if ", called" in name:
            continue # launched one by one, where a recording has a line too
        found.setdefault(name.replace(", alone", ""), []).append((0 if alone else measure["items"], measure["median_us"]))
    return {name: [time for _, time in sorted(times)] for name, times in found.items()}


def text(time):
    return "%.3g" % time if time < 1000 else "%.0f" % time


def main():
    tables = {}
    for path in sys.argv[1:]:
        with open(path) as file:
            document = json.load(file)
        name = os.path.basename(path).removesuffix(".json")
        kinds = tuple(sorted({measure["kind"] for measure in document["measures"]}))
        tables.setdefault(kinds, []).append((name, rows(document)))
    for columns in tables.values():
        print("| | %s |" % " | ".join(name for name, _ in columns))
        print("|---" * (len(columns) + 1) + "|")
        names = list(dict.fromkeys(name for _, found in columns for name in found))
        for name in names:
            cells = [", ".join(map(text, found.get(name, []))) for _, found in columns]
            print("| %s | %s |" % (name, " | ".join(cells)))
        print()


main()
