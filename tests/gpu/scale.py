#!/usr/bin/env python3
"""Prints tables of scale.sh: scale.py REPORT.json ... of jobs, named loop-RANKS-MEMBERS.heb.report.json and
products-RANKS-MEMBERS-y.heb.report.json, and of `bench job`, named bench-job-RANKS.json."""
import json
import os
import re
import sys


def read(pattern):
    """Returns the reports whose names match, by the numbers in their names."""
    found = {}
    for path in sys.argv[1:]:
        match = re.fullmatch(pattern, os.path.basename(path))
        if match:
            with open(path) as file:
                found[tuple(map(int, match.groups()))] = json.load(file)
    return dict(sorted(found.items()))


def bench_jobs(reports):
    print("\n| `bench job`, ranks | encrypt | decrypt | add | multiply |\n|---|---|---|---|---|")
    one = reports[min(reports)]["job"]
    for (ranks,), report in reports.items():
        cells = []
        for name in ("encrypt", "decrypt", "add", "multiply"):
            rate, share = (report["job"][name][key] for key in ("ciphertexts_per_second", "share"))
            faster = rate / one[name]["ciphertexts_per_second"]
            cells.append("%.0f/s, %.2f x, %.0f %% of files" % (rate, faster, 100 * share))
        print("| %d | %s |" % (ranks, " | ".join(cells)))


def jobs(title, reports):
    print("\n| %s: ranks, members | loop, s | times as fast | seconds in all | peak of a rank's host, GiB |" % title)
    print("|---|---|---|---|---|")
    one = reports[min(reports)]["times"]["phases"]["loop"]
    for (ranks, members), report in reports.items():
        phases = report["times"]["phases"]
        peak = max(rank["peak_host_bytes"] for rank in report["by_rank"])
        print("| %d, %d | %.3f | %.2f | %.2f | %.1f |"
              % (ranks, members, phases["loop"], one / phases["loop"], phases["total"], peak / 2**30))


def main():
    for title, pattern, table in (
        ("", r"bench-job-(\d+)\.json", lambda _, reports: bench_jobs(reports)),
        ("loop of bootstraps", r"loop-(\d+)-(\d+)\.heb\.report\.json", jobs),
        ("BFV products and rotations", r"products-(\d+)-(\d+)-y\.heb\.report\.json", jobs),
    ):
        reports = read(pattern)
        if reports:
            table(title, reports)


main()
