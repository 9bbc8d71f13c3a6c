#!/usr/bin/env python3
"""Vectors as they are, and of payloads the shares of 512, with a 1 behind them, as tables of HDF5. Needs h5py."""
import pathlib
import sys

import h5py
import numpy as np

import contract

size = contract.SIZES[int(sys.argv[1])]
data, client = pathlib.Path("datasets", size), pathlib.Path("io", size, "client")
client.mkdir(mode=0o700, parents=True, exist_ok=True)
rows, columns = contract.SHAPE[size]
vectors = np.memmap(data / "db.bin", np.float32, "r", shape=(rows, columns))
payloads = np.memmap(data / "payloads.bin", np.int16, "r", shape=(rows, contract.PAYLOAD))
names = ["n%d" % i for i in range(contract.PAYLOAD)]
with h5py.File(client / "dataset.h5", "w") as out:
    table = out.create_dataset("vectors", vectors.shape, np.float32)
    shares = out.create_dataset("payloads", rows, [(name, np.float32) for name in names + ["one"]])
    for i in range(0, rows, contract.AT_ONCE):
        table[i:i + contract.AT_ONCE] = vectors[i:i + contract.AT_ONCE]
        some = np.ones(min(contract.AT_ONCE, rows - i), shares.dtype)
        for k, name in enumerate(names):
            some[name] = payloads[i:i + contract.AT_ONCE, k] / 512
        shares[i:i + contract.AT_ONCE] = some
