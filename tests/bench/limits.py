#!/usr/bin/env python3
"""The bounds of the product's kernels, by the GPU's own counters: a table as in cuda/README.md.

    limits.py [HEBATCH] [--only PATTERN]

Needs Nsight Compute (ncu) and the right to read counters. Clocks are left alone.
"""
import argparse
import csv
import fnmatch
import re
import subprocess

METRICS = {
    "us": "gpu__time_duration.sum",
    "FP64": "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active",
    "IMAD": "sm__inst_executed_pipe_fmaheavy.avg.pct_of_peak_sustained_active",
    "ALU": "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active",
    "issue": "sm__inst_issued.avg.pct_of_peak_sustained_active",
    "L1": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "L2": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "DRAM": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "warps": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "registers": "launch__registers_per_thread",
}


def transform(arithmetic, log_n, forward, structure, preset):
    way = "" if forward else "inverse "
    sizes = ["--params", preset] if preset else ["--all-sizes"]
    kind, bits = re.match(r"(\w+)<(\d+)>", arithmetic).groups()
    cast = r"(\([a-z]+\))?"  # demangled names have their arguments' types
    name = rf"hb_ntt_{structure}<hb_ntt_{kind}<{cast}{bits}>, {cast}{log_n}, {cast}{'(1|true)' if forward else '(0|false)'}"
    return f"{way}transform, 2^{log_n}, {arithmetic}", ["ntt", *sizes], name, 0


def operation(label, preset, kernel, skip=2):
    return f"{label}, {preset}", ["encrypt", "decrypt", "pack", "digest", "bfv", "--params", preset], kernel, skip


KERNELS = [
    transform("f64<49>", 12, True, "single", "seal-4096"),
    transform("f64<49>", 12, False, "single", "seal-4096"),
    transform("f64<49>", 13, True, "cluster", "seal-8192"),
    transform("f64<49>", 14, True, "cluster", "seal-16384"),
    transform("f64<49>", 15, True, "cluster", "seal-32768"),
    transform("f64<49>", 15, False, "cluster", "seal-32768"),
    transform("f64<49>", 16, True, "dataflow", None),
    transform("f64<49>", 17, True, "dataflow", None),
    transform("u64<59>", 12, True, "single", "seal-4096"),
    transform("u64<59>", 15, True, "cluster", "seal-32768"),
    operation("key products", "seal-8192", "key_products_kernel"),
    operation("key products", "seal-32768", "many_products_kernel"),
    operation("tensor", "seal-8192", "tensor"),
    operation("base conversion", "seal-8192", "convert_few_kernel<.*f64"),
    operation("base conversion", "seal-32768", "convert_many", 60),
    operation("divide_round", "seal-8192", "divide"),
    operation("galois", "seal-8192", "galois_kernel"),
    operation("uniform residues times a key", "seal-8192", "mul_uniform|uniform"),
    operation("small errors", "seal-8192", "small"),
    operation("pack", "seal-8192", "pack_kernel"),
    operation("digest", "seal-8192", "leaf_kernel"),
    operation("sum", "seal-8192", "pointwise_kernel<.*add"),
]


def measure(hebatch, arguments, kernel, skip):
    command = ["ncu", "--clock-control", "none", "--csv", "--metrics", ",".join(METRICS.values()),
               "--kernel-name-base", "demangled", "-k", f"regex:{kernel}", "--launch-skip", str(skip), "-c", "1",
               "--kill", "yes", hebatch, "bench", *arguments, "--seconds", "0.001", "--batch", "256", "--device", "gpu"]
    if "ntt" in arguments:
        del command[command.index("--batch"):command.index("--batch") + 2]
    text = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    rows = [r for r in csv.reader(line for line in text.splitlines() if line.startswith('"'))]
    if len(rows) < 2:
        return None
    name, metric, value = (rows[0].index(c) for c in ("Kernel Name", "Metric Name", "Metric Value"))
    found = {r[metric]: float(r[value].replace(",", "")) for r in rows[1:]}
    return re.sub(r"\(.*", "", rows[1][name]).replace("void ", ""), found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hebatch", nargs="?", default="./hebatch")
    parser.add_argument("--only", default="*")
    options = parser.parse_args()
    print("| work | kernel | " + " | ".join(METRICS) + " |")
    print("|" + " --- |" * (len(METRICS) + 2))
    for label, arguments, kernel, skip in KERNELS:
        if not fnmatch.fnmatch(label, options.only):
            continue
        result = measure(options.hebatch, arguments, kernel, skip)
        if result is None:
            print(f"| {label} | not launched |", flush=True)
            continue
        name, found = result
        cells = [f"{found[m] / 1000:.0f}" if column == "us" else f"{found[m]:.0f}" for column, m in METRICS.items()]
        print(f"| {label} | `{name}` | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
