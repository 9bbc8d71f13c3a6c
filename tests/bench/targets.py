#!/usr/bin/env python3
"""Every speed that we mean to reach beside what `hebatch bench --json` measured, as Markdown.

    targets.py NTT.json SWITCH.json BFV.json ...

NTT.json: `hebatch bench ntt --all-sizes --json`; beside it, for one limb alone, results/ntt.json, the designs; SWITCH.json:
`hebatch bench switch --n 65536 --json`; BFV.json: `hebatch bench
encrypt decrypt bfv --params P --json`, one for each preset: those of SEAL (2018), for whose chains the targets were set,
and, one row below each, those of the same degree that fit the security table of 2024. A missing document leaves its rows
out.
"""
import json
import sys

FAMILIES = ["seal", "bfv"]
SIZES = [4096, 8192, 16384, 32768]
# nanoseconds a limb, N = 2^12 .. 2^17
TRANSFORM = {"48": [18, 40, 90, 190, 390, 830], "55": [36, 80, 170, 350, 720, 1550]}
# microseconds for one limb alone: 0.7 of the best peer, where one was measured
ALONE_LIMB = {12: 0.7 * 5.2, 15: 0.7 * 6.4, 16: 0.7 * 7.1}
# microseconds a ciphertext, amortised over a batch
AMORTISED = {
    "encrypt, secret key": [0.4, 1.6, 6, 30],
    "encrypt, public key": [0.6, 2.4, 10, 40],
    "decrypt, seeded": [0.3, 1.0, 4, 16],
    "decrypt, two components": [0.3, 1.0, 4, 16],
    "multiply, relinearize": [3, 10, 50, 300],
    "rotate": [0.8, 3, 16, 110],
    "add": [0.12, 0.46, 1.8, 6.0],
}
# the best peer for one ciphertext alone, microseconds; 0.6 of it is the target
BEST_ALONE = {
    "encrypt, secret key": [89, 91, 135, 164],
    "encrypt, public key": [85, 92, 113, 193],
    "decrypt, two components": [31, 40, 41, 67],
    "multiply, relinearize": [150, 213, 429, 1111],
    "rotate": [37, 46, 128, 547],
}
# microseconds a ciphertext with digits of 8 primes of 50 bits, N = 2^16: alone, amortised
HYBRID = {
    "multiply, relinearize, rescale, 28 limbs": [300, 255],
    "rotate, 28 limbs": [290, 245],
    "rescale, 28 limbs": [65, 55],
    "add, 28 limbs": [24, 22],
    "multiply, relinearize, rescale, 16 limbs": [150, 125],
}


def figure(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def row(cells):
    print("| " + " | ".join(cells) + " |")


def heading(cells):
    row(cells)
    row(["---"] * len(cells))


def against(name, measure, target, scale):
    """measured, target, its share of the target, floor, ratio to the floor"""
    measured, floor = measure["median_us"] * scale, measure["floor_us"] * scale
    share = measured / target
    row([name, figure(measured), figure(target), f"{'**' if share > 1 else ''}{share:.2f}{'**' if share > 1 else ''}",
         figure(floor), f"{measured / floor:.2f}" if floor > 0 else ""])


def transforms(measures):
    print("\nOne transform, nanoseconds a limb, amortised:\n")
    heading(["transform", "measured", "target", "of it", "floor", "ratio"])
    for bits, targets in TRANSFORM.items():
        for log_n, target in zip(range(12, 18), targets):
            for way in ("", "inverse "):
                name = f"{way}NTT, N = {1 << log_n}, {bits}-bit primes"
                if name in measures:
                    against(f"2^{log_n}, {bits} bits, {'inverse' if way else 'forward'}", measures[name], target, 1000)


def limb_alone(figures):
    """Prints the line of the figure of all designs that results/README.md quotes."""
    series = {s["name"]: s for f in figures if f["name"] == "designs-alone" for s in f["series"]}
    print("\nOne limb alone, microseconds on the GPU:\n")
    heading(["transform", "measured", "target", "of it"])
    for log_n, measured in series["ours, 50-bit prime"]["points"]:
        target = ALONE_LIMB.get(int(log_n))
        share = measured / target if target else 0
        row([f"2^{int(log_n)}, 50 bits", figure(measured), figure(target) if target else "",
             (f"{'**' if share > 1 else ''}{share:.2f}{'**' if share > 1 else ''}") if target else ""])


def operations(documents, rows, suffix, share):
    heading(["operation", "parameters", "measured", "target", "of it", "floor", "ratio"])
    for operation, values in rows.items():
        for size, value in zip(SIZES, values):
            for preset in (f"{family}-{size}" for family in FAMILIES):
                measure = documents.get(preset, {}).get(operation + suffix)
                if measure is not None:
                    against(f"{operation} | {preset}", measure, share * value, 1)


def hybrid(measures):
    print("\nHybrid key switching, microseconds a ciphertext:\n")
    heading(["operation", "measured", "target", "of it", "floor", "ratio"])
    for operation, targets in HYBRID.items():
        for suffix, target in zip((", alone", ""), targets):
            if operation + suffix in measures:
                against(operation + suffix, measures[operation + suffix], target, 1)


def families(documents):
    """The same operation under both chains of a degree: median of a batch, and how many times as fast the newer one."""
    heading(["operation", *(f"N = {size}: seal, bfv" for size in SIZES)])
    for operation in AMORTISED:
        cells = []
        for size in SIZES:
            old, new = (documents.get(f"{family}-{size}", {}).get(operation) for family in FAMILIES)
            cells.append(f"{figure(old['median_us'])}, {figure(new['median_us'])}: "
                         f"{old['median_us'] / new['median_us']:.2f} x" if old and new else "")
        row([operation, *cells])


def main():
    presets, batched, switched, figures = {}, {}, {}, []
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        if "figures" in document:
            figures = document["figures"]
            continue
        measures = {m["name"]: m for m in document["measures"]}
        if any(name.startswith("NTT, N = 65536") for name in measures):
            batched.update(measures)
        elif any(m["kind"] == "switch" for m in document["measures"]):
            switched.update(measures)
        else:
            presets.setdefault(document["params"]["name"], {}).update(measures)
    if batched:
        transforms(batched)
    if figures:
        limb_alone(figures)
    if switched:
        hybrid(switched)
    print("\nAn operation, microseconds a ciphertext, amortised:\n")
    operations(presets, AMORTISED, "", 1)
    print("\nChains of the two security tables side by side, microseconds a ciphertext, amortised:\n")
    families(presets)
    print("\nOne ciphertext alone, microseconds; the target is 0.6 of the best peer:\n")
    operations(presets, BEST_ALONE, ", alone", 0.6)


if __name__ == "__main__":
    main()
