#!/usr/bin/env python3
"""Vectors as they are, in parts where they are counted, and of payloads the shares of 512, with a 1 behind them, as tables
of HDF5; the names of the parts. Needs h5py."""
import h5py
import numpy as np

import shapes

size, data, client, counted = shapes.asked()
client.mkdir(mode=0o700, parents=True, exist_ok=True)
rows, columns = shapes.SHAPE[size]
vectors = np.memmap(data / "db.bin", np.float32, "r", shape=(rows, columns))
payloads = np.memmap(data / "payloads.bin", np.int16, "r", shape=(rows, shapes.PAYLOAD))
names = ["n%d" % i for i in range(shapes.PAYLOAD)]
part = shapes.PART if counted else rows
firsts = range(0, rows, part)
digits = len(str(len(firsts)))
parts = ["%0*d" % (digits, k + 1) for k in range(len(firsts))]
with h5py.File(client / "dataset.h5", "w") as out:
    for name, first in zip(parts, firsts):
        count = min(part, rows - first)
        table = out.create_dataset("vectors-" + name, (count, columns), np.float32)
        for i in range(0, count, shapes.AT_ONCE):
            most = min(i + shapes.AT_ONCE, count)
            table[i:most] = vectors[first + i:first + most]
    shares = out.create_dataset("payloads", rows, [(name, np.float32) for name in names + ["one"]])
    for i in range(0, rows, shapes.AT_ONCE):
        some = np.ones(min(shapes.AT_ONCE, rows - i), shares.dtype)
        for k, name in enumerate(names):
            some[name] = payloads[i:i + shapes.AT_ONCE, k] / (shapes.LARGEST + 1)
        shares[i:i + shapes.AT_ONCE] = some
(client / "parts").write_text("".join(name + "\n" for name in parts))
