"""The tensors of a checkpoint that PyTorch's torch.save wrote, without PyTorch: a zip archive with a pickle, data.pkl, and
a file of bytes for each storage. Nothing runs that the pickle names: tensors become places in storages, dictionaries
stay, and everything else, as an optimizer's state, becomes an object without a use."""
import collections
import errno
import io
import math
import os
import pickle
import pickletools
import zipfile

import numpy as np

MOST_PICKLE = 1 << 26  # bytes of names, shapes and settings
MOST_TUPLES = 60000  # of which one may be within another; hashing 150 000 levels overflows a stack of 8 MiB
STORAGES = {"DoubleStorage": "<f8", "FloatStorage": "<f4", "HalfStorage": "<f2", "BFloat16Storage": "<u2",
            "LongStorage": "<i8", "IntStorage": "<i4", "ShortStorage": "<i2", "CharStorage": "<i1", "ByteStorage": "<u1",
            "BoolStorage": "<u1"}
Storage = collections.namedtuple("Storage", "kind key count")
Tensor = collections.namedtuple("Tensor", "storage first shape strides")


class Damaged(ValueError):
    """No checkpoint, or one that is damaged or of another layout."""


class _Unused:
    """Stands for anything that is not read. Pickles may make it, call it and fill it, without effect."""

    def __init__(self, *words, **named):
        pass

    def __call__(self, *words, **named):
        return self

    def __setstate__(self, state):
        pass

    def __setitem__(self, key, value):
        pass

    def append(self, value):
        pass

    def extend(self, values):
        pass


def _tensor(storage, first, shape, strides, *more):
    return Tensor(storage, first, shape, strides)


def _parameter(tensor, *more):
    return tensor


class _Reader(pickle.Unpickler):
    NAMES = {("collections", "OrderedDict"): collections.OrderedDict, ("torch._utils", "_rebuild_tensor_v2"): _tensor,
             ("torch._utils", "_rebuild_parameter"): _parameter}

    def find_class(self, module, name):
        if module == "torch" and name in STORAGES:
            return name
        return self.NAMES.get((module, name), _Unused)

    def persistent_load(self, place):
        kind, storage, key, _, count = place
        if kind != "storage" or not isinstance(key, str) or not isinstance(count, int):
            raise pickle.UnpicklingError("a storage that is none")
        return Storage(storage, key, count)


def _bytes(archive, name):
    """A file of the archive, whose sizes are what its directory says; torch.save packs none."""
    entry, shown = archive.getinfo(name), ascii(name)[1:-1]
    if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size:
        raise Damaged("%s is packed, or has two sizes" % shown)
    if name.endswith("/data.pkl") and entry.file_size > MOST_PICKLE:
        raise Damaged("has a pickle of more than %d bytes" % MOST_PICKLE)
    data = archive.read(entry) if entry.file_size <= os.fstat(archive.fp.fileno()).st_size else b""
    if len(data) != entry.file_size:
        raise Damaged("%s has %d bytes in the directory, and not in the file" % (shown, entry.file_size))
    return data


def _values(archive, folder, tensor):
    """The numbers of a tensor, as doubles; every count of the file is checked before it is used."""
    storage, first, shape, strides = tensor
    if not isinstance(storage, Storage) or storage.kind not in STORAGES:
        raise Damaged("has a tensor of a kind that is not read")
    if type(shape) is not tuple or type(strides) is not tuple or len(shape) != len(strides) or \
            not all(type(count) is int and count >= 0 for count in (first, *shape, *strides, storage.count)):
        raise Damaged("has a tensor whose shape is none")
    last = first + sum((size - 1) * stride for size, stride in zip(shape, strides))
    if not 0 < math.prod(shape) <= storage.count or last >= storage.count:
        raise Damaged("has a tensor that is empty, or larger than its storage")
    kind, name = np.dtype(STORAGES[storage.kind]), "%s/data/%s" % (folder, storage.key)
    data = _bytes(archive, name)
    if len(data) != storage.count * kind.itemsize:
        raise Damaged("%s has %d bytes, not those of %d numbers" % (ascii(name)[1:-1], len(data), storage.count))
    numbers = np.frombuffer(data, kind)
    if storage.kind == "BFloat16Storage":
        numbers = (numbers.astype(np.uint32) << 16).view(np.float32)
    steps = [stride * numbers.itemsize if size > 1 else 0 for size, stride in zip(shape, strides)]
    return np.lib.stride_tricks.as_strided(numbers[first:], shape, steps).astype(np.float64)


def _loaded(text):
    """The pickle's object. The unpickler makes room for as many objects as the highest number by which one is kept, and for
    bytes as they are counted; genops refuses a pickle that counts more bytes than it has."""
    tuples = 0
    for code, number, _ in pickletools.genops(text):
        tuples += code.name.startswith("TUPLE") or code.name in ("REDUCE", "PERSID", "BINPERSID")
        if code.name in ("PUT", "BINPUT", "LONG_BINPUT") and not 0 <= number <= len(text):
            raise Damaged("has a pickle that keeps more objects than it has")
    if tuples > MOST_TUPLES:
        raise Damaged("has a pickle of more than %d tuples" % MOST_TUPLES)
    return _Reader(io.BytesIO(text)).load()


def _tensors(archive, member):
    files = archive.namelist()
    name, = [name for name in files if name.endswith("/data.pkl")]
    if len(set(files)) != len(files):
        raise Damaged("has two files of one name")
    folder = name[:-len("/data.pkl")]
    order = folder + "/byteorder"
    if order in files and _bytes(archive, order) != b"little":
        raise Damaged("was written on a machine of the other byte order")
    found = _loaded(_bytes(archive, name))[member]
    tensors = {name.removeprefix("module."): tensor for name, tensor in found.items()}
    if len(tensors) != len(found) or not all(name.isprintable() for name in tensors):
        raise Damaged("has tensors without a name of their own")
    tensors = {name: tensor for name, tensor in tensors.items() if isinstance(tensor, Tensor)}
    values, room = {}, os.fstat(archive.fp.fileno()).st_size
    for name, tensor in tensors.items():
        values[name] = _values(archive, folder, tensor)
        room -= values[name].size
        if room < 0:  # as many tensors may lie in the same bytes
            raise Damaged("has more numbers than bytes")
    return values


def read(path, member):
    """Arrays of doubles by the names of a state_dict that stands in the checkpoint under the name `member`. Damaged: it is
    none. OSError: it cannot be read."""
    none = Damaged("%s: no checkpoint of torch.save that has '%s'" % (path, member))
    try:
        with open(path, "rb") as file, zipfile.ZipFile(file) as archive:
            return _tensors(archive, member)
    except Damaged as reason:
        raise Damaged("%s: %s" % (path, reason)) from None
    except OSError as reason:
        if reason.errno != errno.EINVAL:  # of a place before the beginning of the file
            raise
        raise none from None
    except Exception:  # whatever a zip archive or a pickle that was made to harm can raise
        raise none from None
