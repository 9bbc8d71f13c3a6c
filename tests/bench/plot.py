#!/usr/bin/env python3
"""Plots of what `hebatch-designs ... --out FILE` measured: one SVG for each figure.

    plot.py RESULTS.json [--to FOLDER] [--only PATTERN]

Needs matplotlib. The same file gives the same bytes with the same matplotlib.
"""
import argparse
import fnmatch
import json
import pathlib

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot
from matplotlib.ticker import MaxNLocator

MARKERS = "osD^v<>ph*Xd"
STYLE = {
    "svg.hashsalt": "hebatch",  # ids in the file do not change from run to run
    "svg.fonttype": "none",  # text stays text
    "font.size": 9,
    "axes.grid": True,
    "axes.grid.which": "both",
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "legend.fontsize": 8,
}


def look(name, number, reported):
    """Ours and the floor stand out; what a paper prints is dashed."""
    style = {"marker": MARKERS[number // 10 % len(MARKERS)], "markersize": 4, "linewidth": 1.2,
             "color": f"C{number % 10}", "linestyle": "--" if reported else "-", "zorder": 3}
    if name == "ours":
        style |= {"color": "black", "linewidth": 2.2, "marker": "o", "zorder": 5}
    elif name.startswith("floor"):
        style |= {"color": "#888888", "linewidth": 1.6, "marker": "", "zorder": 2}
    return style


def plot(figure, device, to):
    series = [s for s in figure["series"] if s["points"]]
    if not series:
        return None
    canvas, axes = pyplot.subplots(figsize=(9.5, max(4.6, 0.19 * len(series) + 0.9)), layout="constrained")
    for number, s in enumerate(series):
        points = sorted(s["points"])
        label = s["name"] + (" (as printed)" if s["reported"] else "")
        axes.plot([x for x, _ in points], [y for _, y in points], label=label, **look(s["name"], number, s["reported"]))
    if figure["log_y"]:
        axes.set_yscale("log")
    xs = {x for s in series for x, _ in s["points"]}
    if all(x == int(x) for x in xs) and max(xs) - min(xs) <= 64:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel(figure["x"])
    axes.set_ylabel(figure["y"])
    axes.set_title(f"{figure['title']}\n{figure['paper']}; measured on one {device}", loc="left", fontsize=10)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    file = to / f"{figure['name']}.svg"
    canvas.savefig(file, metadata={"Date": None, "Creator": None})
    pyplot.close(canvas)
    return file


def main():
    parser = argparse.ArgumentParser(description="Plots of the figures in a JSON file of hebatch-designs.")
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--to", type=pathlib.Path, default=pathlib.Path(__file__).parent / "results/plots",
                        help="folder of the plots (default: results/plots beside this script)")
    parser.add_argument("--only", default="*", help="names of figures, as 'kim-*'")
    words = parser.parse_args()
    document = json.loads(words.results.read_text())
    words.to.mkdir(parents=True, exist_ok=True)
    matplotlib.rcParams.update(STYLE)
    for figure in document["figures"]:
        if fnmatch.fnmatch(figure["name"], words.only):
            file = plot(figure, document["device"]["name"], words.to)
            print(file or f"{figure['name']}: no points")


if __name__ == "__main__":
    main()
