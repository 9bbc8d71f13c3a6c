#!/usr/bin/env python3
"""The query as a table of one row."""
import pathlib
import sys

import h5py
import numpy as np

import contract

size = contract.SIZES[int(sys.argv[1])]
with h5py.File(pathlib.Path("io", size, "client", "query.h5"), "w") as out:
    out["query"] = np.fromfile(pathlib.Path("datasets", size, "query.bin"), np.float32)[None]
