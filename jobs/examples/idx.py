"""Files of bytes in MNIST's format, IDX: two zeros, 8 for bytes, how many dimensions, each as 32 bits, and the bytes.
Needs numpy."""
import gzip
import pathlib
import struct
import zlib

import numpy as np


def read(folder, name):
    """The array in FOLDER/NAME, or in NAME.gz. ValueError: it is none."""
    plain = pathlib.Path(folder, name)
    packed = plain.with_name(name + ".gz")
    try:
        data = gzip.decompress(packed.read_bytes()) if not plain.exists() and packed.exists() else plain.read_bytes()
        zeros, kind, dimensions = struct.unpack(">HBB", data[:4])
        if zeros != 0 or kind != 8 or not 1 <= dimensions <= 3:
            raise ValueError
        shape = struct.unpack(">%dI" % dimensions, data[4:4 + 4 * dimensions])
        return np.frombuffer(data, np.uint8, offset=4 + 4 * dimensions).reshape(shape)
    except (ValueError, EOFError, struct.error, zlib.error, gzip.BadGzipFile):
        raise ValueError("%s: no file of bytes in MNIST's format" % plain) from None
