#!/usr/bin/env python3
"""Pairs of images as tables of HDF5, one for each patch of a face: rows 1 and 2 are the faces of the first pair. Needs
h5py."""
import os
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import h5py  # noqa: E402
import numpy as np  # noqa: E402

import faces  # noqa: E402

SIZES = "single", "small", "medium", "large"
STAGE = "client_preprocess_input"


def stop(reason, code=65):
    print("%s: %s" % (STAGE, reason), file=sys.stderr)
    sys.exit(code)


def pairs_of(path):
    try:
        with h5py.File(path, "r") as pairs:
            sides = [pairs["image0"][:], pairs["image1"][:]]
    except (OSError, KeyError) as reason:
        stop("%s: %s" % (path, reason), 66 if not path.exists() else 65)
    if len(sides[0]) != len(sides[1]) or len(sides[0]) == 0:
        stop("%s: %d and %d images are no pairs" % (path, len(sides[0]), len(sides[1])))
    return sides


def main():
    if sys.argv[1:2] not in [[str(number)] for number in range(len(SIZES))]:
        stop("%s: no such size; there are 0 1 2 3" % " ".join(sys.argv[1:2]), 64)
    size = SIZES[int(sys.argv[1])]
    os.umask(0o077)
    client = pathlib.Path("io", size, "client")
    client.mkdir(parents=True, exist_ok=True)
    sides = pairs_of(pathlib.Path("datasets", size, "intermediate", "test_pairs.h5"))
    align = faces.aligner()
    with h5py.File(client / "patches.h5", "w") as out:
        rows = 2 * len(sides[0])
        tables = [out.create_dataset("p%d" % (i + 1), (rows, 3 * faces.PIXELS ** 2), np.float32)
                  for i in range(faces.PATCHES)]
        for at, pair in enumerate(zip(*sides)):
            try:
                patches = faces.patches_of(pair, align)
            except ValueError as reason:
                stop("pair %d: %s" % (at + 1, reason))
            for i, table in enumerate(tables):
                table[2 * at:2 * at + 2] = patches[:, i].reshape(2, -1)
    if getattr(align, "missed", 0):
        print("%s: no face was found in %d of %d images, of which the middle is taken" % (STAGE, align.missed, rows))


main()
