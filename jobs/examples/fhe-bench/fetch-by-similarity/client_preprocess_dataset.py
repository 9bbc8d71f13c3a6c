#!/usr/bin/env python3
"""Vectors as they are, in parts where they are counted, and of payloads the shares of 512, with a 1 behind them, as tables
of HDF5; the names of the parts. By pairs a row of these tables has two rows: rows of the second half of a part are the
imaginary parts of vectors, and of payloads, which are two numbers to a slot anyway, the columns 5 to 8. Needs h5py."""
import h5py
import numpy as np

import shapes

size, data, client, counted, pairs = shapes.asked()
client.mkdir(mode=0o700, parents=True, exist_ok=True)
rows, columns = shapes.SHAPE[size]
vectors = np.memmap(data / "db.bin", np.float32, "r", shape=(rows, columns))
payloads = np.memmap(data / "payloads.bin", np.int16, "r", shape=(rows, shapes.PAYLOAD))
part = shapes.PART if counted else rows
firsts = range(0, rows, part)
digits = len(str(len(firsts)))
parts = ["%0*d" % (digits, k + 1) for k in range(len(firsts))]


def shares(first, end):
    """Payloads of these rows, as shares of 512, and 1."""
    some = np.ones((end - first, shapes.PAYLOAD + 1), np.float32)
    some[:, :shapes.PAYLOAD] = payloads[first:end] / (shapes.LARGEST + 1)
    return some


def half(made, first, end, rows_of):
    """Rows first .. end of what rows_of makes; 0 in the place of rows behind the last, where their number is odd."""
    found = rows_of(first, min(end, made))
    return np.concatenate([found, np.zeros((end - first - len(found), found.shape[1]), np.float32)])


def in_pairs(out, name, first, count, columns, rows_of, join):
    """A table whose row i is made of rows i and count / 2 + i of these."""
    halves = -(-count // 2)
    table = out.create_dataset(name, (halves, columns), np.complex64)
    for i in range(0, halves, shapes.AT_ONCE):
        end = min(i + shapes.AT_ONCE, halves)
        table[i:end] = join(half(first + count, first + i, first + end, rows_of),
                            half(first + count, first + halves + i, first + halves + end, rows_of))


def in_columns(out, name, first, count, columns, rows_of):
    table = out.create_dataset(name, (count, columns), np.float32)
    for i in range(0, count, shapes.AT_ONCE):
        end = min(i + shapes.AT_ONCE, count)
        table[i:end] = rows_of(first + i, first + end)


def in_named_columns(out, name, count, rows_of):
    """Payloads, whose columns are paired by their names."""
    names = ["n%d" % i for i in range(shapes.PAYLOAD)] + ["one"]
    table = out.create_dataset(name, count, [(column, np.float32) for column in names])
    for i in range(0, count, shapes.AT_ONCE):
        end = min(i + shapes.AT_ONCE, count)
        table[i:end] = rows_of(i, end).view(table.dtype)[:, 0]


with h5py.File(client / "dataset.h5", "w") as out:
    for name, first in zip(parts, firsts):
        these = ("vectors-" + name, first, min(part, rows - first), columns, lambda i, end: vectors[i:end])
        if pairs:
            in_pairs(out, *these, lambda a, b: a + 1j * b)
        else:
            in_columns(out, *these)
    if pairs:
        in_pairs(out, "payloads", 0, rows, shapes.PAYLOAD + 1, shares, lambda a, b: np.hstack([a, b]).view(np.complex64))
    else:
        in_named_columns(out, "payloads", rows, shares)
(client / "parts").write_text("".join(name + "\n" for name in parts))
