#!/usr/bin/env python3
"""Prints the phases of jobs from their reports, a line of a table each: phases.py REPORT.json ..."""
import json
import os
import sys

PHASES = ["start", "open", "output", "memory", "check", "loop", "totals", "sync", "commit"]


def line(path):
    with open(path) as file:
        report = json.load(file)
    phases = report["times"]["phases"]
    loop = report["times"].get("loop") or {}
    limit = "%s, %.0f %%" % (loop["limited_by"], 100 * loop["limited_share"]) if loop.get("limited_by") else ""
    name = os.path.basename(path).replace(".report.json", "")
    seconds = ["%.2f" % phases[p] if phases[p] >= 0.005 else "" for p in PHASES]
    return [name, "%.2f" % phases["total"]] + seconds + [limit]


def main():
    print("| job | seconds | " + " | ".join(PHASES) + " | the loop waits for |")
    print("|---" * (len(PHASES) + 3) + "|")
    for path in sys.argv[1:]:
        print("| " + " | ".join(line(path)) + " |")


main()
