"""The tensors of a checkpoint that PyTorch's torch.save wrote, without PyTorch: a zip archive with a pickle, data.pkl, and
a file of bytes for each storage. Nothing runs that the pickle names: tensors become places in storages, dictionaries
stay, and everything else, as an optimizer's state, becomes an object without a use."""
import collections
import math
import pickle
import zipfile

import numpy as np

MOST_PICKLE = 1 << 26  # bytes of names, shapes and settings
STORAGES = {"DoubleStorage": "<f8", "FloatStorage": "<f4", "HalfStorage": "<f2", "BFloat16Storage": "<u2",
            "LongStorage": "<i8", "IntStorage": "<i4", "ShortStorage": "<i2", "CharStorage": "<i1", "ByteStorage": "<u1",
            "BoolStorage": "<u1"}
Storage = collections.namedtuple("Storage", "kind key count")
Tensor = collections.namedtuple("Tensor", "storage first shape strides")


class Damaged(ValueError):
    """No checkpoint, or one that is damaged or of another layout."""


class _Unused:
    """What stands for anything that is not read. Pickles may make it, call it and fill it, without effect."""

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


def _values(archive, folder, tensor):
    """The numbers of a tensor, as doubles; every count of the file is checked before it is used."""
    storage, first, shape, strides = tensor
    if not isinstance(storage, Storage) or storage.kind not in STORAGES:
        raise Damaged("has a tensor of a kind that is not read")
    counts = [first, *shape, *strides, storage.count]
    if len(shape) != len(strides) or not all(type(count) is int and count >= 0 for count in counts):
        raise Damaged("has a tensor whose shape is none")
    kind = np.dtype(STORAGES[storage.kind])
    entry = archive.getinfo("%s/data/%s" % (folder, storage.key))
    if entry.compress_type != zipfile.ZIP_STORED or entry.file_size != storage.count * kind.itemsize:
        raise Damaged("%s has %d bytes, not those of %d numbers" % (entry.filename, entry.file_size, storage.count))
    last = first + sum((size - 1) * stride for size, stride in zip(shape, strides))
    if math.prod(shape) == 0 or math.prod(shape) > storage.count or last >= storage.count:
        raise Damaged("has a tensor that is larger than its storage")
    numbers = np.frombuffer(archive.read(entry), kind)
    if storage.kind == "BFloat16Storage":
        numbers = (numbers.astype(np.uint32) << 16).view(np.float32)
    steps = [stride * numbers.itemsize for stride in strides]
    return np.lib.stride_tricks.as_strided(numbers[first:], shape, steps).astype(np.float64)


def _tensors(archive, member):
    name, = [name for name in archive.namelist() if name.endswith("/data.pkl")]
    folder = name[:-len("/data.pkl")]
    order = folder + "/byteorder"
    if order in archive.namelist() and archive.read(order) != b"little":
        raise Damaged("was written on a machine of the other byte order")
    if archive.getinfo(name).file_size > MOST_PICKLE:
        raise Damaged("has a pickle of more than %d bytes" % MOST_PICKLE)
    with archive.open(name) as text:
        tensors = _Reader(text).load()[member]
    tensors = {name.removeprefix("module."): tensor for name, tensor in tensors.items()}
    return {name: _values(archive, folder, tensor) for name, tensor in tensors.items() if isinstance(tensor, Tensor)}


def read(path, member):
    """Arrays of doubles by the names of a state_dict that stands in the checkpoint under the name `member`. Damaged: it is
    none. OSError: it cannot be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _tensors(archive, member)
    except Damaged as reason:
        raise Damaged("%s: %s" % (path, reason)) from None
    except (zipfile.BadZipFile, pickle.UnpicklingError, KeyError, ValueError, TypeError, AttributeError, EOFError,
            IndexError, OverflowError, MemoryError, RecursionError, NotImplementedError, RuntimeError, ImportError):
        raise Damaged("%s: no checkpoint of torch.save that has '%s'" % (path, member)) from None
