#!/usr/bin/env python3
"""Rows where the last column is 1 and not 0, their payloads in order; or how many there are, the sum of those of each
part. By pairs a row of an answer has two rows of eight numbers, as complex numbers."""
import sys

import h5py
import numpy as np

import shapes

size, _, client, counted, pairs = shapes.asked()
answers = []
for path in sorted(client.glob("answer-*.h5")):
    with h5py.File(path, "r") as file:
        answers.append(file["answer"][...].reshape(len(file["answer"]), -1))
if counted:
    counts = np.array([table[0, 0] for table in answers])
    if np.abs(counts - np.rint(counts)).max() > 0.25:
        sys.exit("%s: a count is %s, which is no whole number" % (sys.argv[0], counts))
    np.array([np.rint(counts).sum()], np.int64).tofile(client.parent / "results.bin")
else:
    table = np.concatenate(answers)
    if pairs:
        table = table.view(np.float64).reshape(-1, shapes.PAYLOAD + 1)
    found = table[table[:, -1] > 0.5]
    payloads = np.rint((shapes.LARGEST + 1) * found[:, :shapes.PAYLOAD]).astype(np.int16)
    payloads[np.lexsort(payloads.T[::-1])].tofile(client.parent / "results.bin")
