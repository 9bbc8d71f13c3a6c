"""Files of tables that have types: HDF5, as the program has it (io/README.md), Parquet and Arrow's own."""
import decimal
import io
import math
import os

import numpy

from . import columns


def create(name):
    """A new file, mode 0600."""
    return os.fdopen(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


# --- HDF5: one type for all columns, and their names as an attribute


def split_hdf5(name):
    file, _, dataset = os.fspath(name).rpartition(":")
    return file, dataset


def read_hdf5(name):
    """Columns by name. Refused are numbers that stand for others, are in other files, or were never written."""
    import h5py

    file, dataset = split_hdf5(name)
    with h5py.File(file, "r") as opened:
        if dataset not in opened or not isinstance(opened[dataset], h5py.Dataset):
            raise ValueError(f"{name}: there is no such dataset")
        source = opened[dataset]
        check_storage(name, file, source)
        names = source.attrs.get("columns")
        names = None if names is None else [n if isinstance(n, str) else n.decode() for n in numpy.atleast_1d(names)]
        check_hdf5(name, source, names)
        values = source.asstr()[()] if h5py.check_string_dtype(source.dtype) else without_gaps(name, source)
        labels = h5py.check_enum_dtype(source.dtype)
    if labels is not None:
        values = labelled(name, values, labels)
    if values.ndim == 2 and names is not None and len(names) == values.shape[1]:
        if len(set(names)) != len(names):
            raise ValueError(f"{name}: two columns have the same name")
        return {column: wide(values[:, i]) for i, column in enumerate(names)}
    return columns_of_array(values)


def check_storage(name, file, source):
    """Refuses what the library would fetch from other files, or fill in."""
    from h5py import h5d

    # Links lead to other files, too.
    if source.is_virtual or source.external or not os.path.samefile(source.file.filename, file):
        raise ValueError(f"{name}: its values are in other files: copy them into one (h5repack)")
    if source.chunks is None:
        written = source.size == 0 or source.id.get_space_status() == h5d.SPACE_STATUS_ALLOCATED
    else:
        chunks = math.prod(-(-rows // chunk) for rows, chunk in zip(source.shape, source.chunks))
        written = source.id.get_num_chunks() >= chunks
    if not written:
        raise ValueError(f"{name}: parts of it were never written, and would be read as a value that nobody put there: "
                         f"write them, also where they are 0")


def check_hdf5(name, source, names):
    for word, neutral in (("scale_factor", 1), ("add_offset", 0), ("_Unsigned", "false")):
        said = numpy.asarray(source.attrs.get(word, neutral))
        if said.size != 1 or said.dtype.names or not numpy.array_equal(said.reshape(()), neutral):
            raise ValueError(f"{name}: its attribute {word} says that numbers stand for others: apply it before")
    meanings = source.attrs.get("meanings")
    for i, words in enumerate([] if meanings is None else numpy.atleast_1d(meanings)):
        words = words if isinstance(words, str) else words.decode()
        if words:
            column = names[i] if names is not None and i < len(names) else i + 1
            raise ValueError(f"{name}: column {column}: its numbers stand for {words}: decrypt into a CSV")


def fill_value(source):
    """The value of cells that were never written, if the file gives one other than 0; netCDF's of bytes are cells."""
    import h5py
    from h5py import h5d
    said = source.id.get_create_plist().fill_value_defined() == h5d.FILL_VALUE_USER_DEFINED
    if not said or source.dtype.kind not in "iuf" or h5py.check_enum_dtype(source.dtype):
        return None
    fill = source.fillvalue
    return None if fill == 0 or source.dtype.itemsize == 1 and fill in (-127, 255) else fill


def without_gaps(name, source):
    """Numbers, of which some are missing: those that attributes of netCDF's conventions say, and the fill value."""
    values = source[()]
    missing = numpy.zeros(values.shape, bool)
    fill = fill_value(source)
    if fill is not None:
        missing |= values == fill
    for word in "_FillValue", "missing_value", "valid_range", "valid_min", "valid_max":
        if word not in source.attrs:
            continue
        said = numpy.atleast_1d(source.attrs[word])
        bound = {"valid_range": 2, "valid_min": 1, "valid_max": 1}.get(word)
        if said.size == 0 or (bound is not None and said.size != bound):
            raise ValueError(f"{name}: its attribute {word} has another number of numbers than it means")
        if values.dtype.kind not in "iuf" or said.dtype.kind not in "iuf":
            raise ValueError(f"{name}: its attribute {word} is of another type than its numbers")
        with numpy.errstate(all="ignore"):
            alike = said.astype(values.dtype)
        # Python compares integers and doubles exactly, numpy by the doubles that they are nearest to.
        if not all(a == s or (a != a and s != s) for a, s in zip(alike.tolist(), said.tolist())):
            raise ValueError(f"{name}: its attribute {word} is of another type than its numbers")
        if word in ("_FillValue", "missing_value"):
            missing |= numpy.isin(values, alike)
        if word in ("valid_range", "valid_min"):
            missing |= values < alike[0]
        if word in ("valid_range", "valid_max"):
            missing |= values > alike[-1]
    if not missing.any():
        return values
    return numpy.where(missing, numpy.nan, values) if values.dtype.kind == "f" else \
        numpy.ma.MaskedArray(values, missing)


def labelled(name, values, labels):
    """Texts in the place of the numbers of an enumeration."""
    texts = {number: text for text, number in labels.items()}
    if not set(numpy.unique(values).tolist()) <= set(texts):
        raise ValueError(f"{name}: a value that its enumeration does not have")
    return numpy.vectorize(texts.get, otypes=[object])(values) if values.size else values.astype(object)


def wide(values):
    """Integers of 128 bits are pairs of 64 in files of the program."""
    if values.dtype.names == ("low", "high"):
        return columns.integers([int(high) * 2**64 + int(low) for low, high in values.tolist()])
    return values


def columns_of_array(array):
    """Columns by name of an array of fields, of columns x1, x2, ..., or of one, x1."""
    array = wide(array) if array.ndim == 1 else array
    if array.dtype.names:
        if array.ndim != 1:
            raise ValueError("an array of fields has one dimension")
        return {name: array[name] for name in array.dtype.names}
    if array.ndim not in (1, 2):
        raise ValueError("an array of a table has one dimension or two")
    by_column = array.reshape(len(array), 1) if array.ndim == 1 else array
    return {f"x{i + 1}": by_column[:, i] for i in range(by_column.shape[1])}


def write_hdf5(table, name):
    import h5py

    for column, values in table.items():
        if values.dtype.kind not in "iufcb":
            raise ValueError(f"{name}: column {column}: columns of an HDF5 dataset are numbers, all of one type; a CSV "
                             f"takes any")
        if isinstance(values, numpy.ma.MaskedArray):
            raise ValueError(f"{name}: column {column}: an HDF5 dataset has no place for missing cells among integers "
                             f"and truth values; a CSV has")
    kind = common_type(table, name)
    alike = [exactly(values, kind, f"{name}: column {column}") for column, values in table.items()]
    values = numpy.stack(alike, axis=1)
    file, dataset = split_hdf5(name)
    with create(file) as raw:
        memory = io.BytesIO()
        with h5py.File(memory, "w") as opened:
            opened.create_dataset(dataset, data=values).attrs["columns"] = list(table)
        raw.write(memory.getbuffer())


def common_type(table, name):
    """The type of a dataset that has all columns."""
    kinds = {values.dtype.kind for values in table.values()}
    if "b" in kinds and len(kinds) > 1:
        column = next(column for column, values in table.items() if values.dtype.kind == "b")
        raise ValueError(f"{name}: column {column}: truth values and numbers have no one type for an HDF5 dataset")
    if kinds <= set("iu") and len(kinds) == 2:
        large = any((values >= 2**63).any() for values in table.values() if values.dtype.kind == "u")
        return numpy.dtype(numpy.uint64 if large else numpy.int64)
    return numpy.result_type(*(values.dtype for values in table.values()))


def exactly(values, kind, label):
    """Values as another type, all of them the same numbers."""
    if values.dtype == kind:
        return values
    with numpy.errstate(invalid="ignore"):
        made = values.astype(kind)
    if values.dtype.kind not in "iu":
        same = numpy.array_equal(made, values, equal_nan=True)
    elif kind.kind in "iu":
        same = [int(value) for value in made] == [int(value) for value in values]
    else:
        same = [int(value.real) for value in made] == [int(value) for value in values]
    if not same:
        raise ValueError(f"{label}: a value is none of {kind}, the one type that an HDF5 dataset has for all columns; "
                         f"a CSV takes any")
    return made


# --- Parquet and Arrow, by pyarrow


def columns_of_arrow(table):
    """Columns by name; ValueError where two have the same."""
    names = [str(name) for name in table.column_names]
    if len(set(names)) != len(names):
        raise ValueError("two columns have the same name")
    return dict(zip(names, table.columns))


def arrow_array(name, values, kind=None):
    """Arrow's array of a column, of a type that is said or its own."""
    pyarrow = columns.arrow()
    missing = columns.missing_of(values)
    if values.dtype.kind == "c":
        raise ValueError(f"column {name}: complex numbers are no type of Arrow")
    if values.dtype.kind != "O":
        made = pyarrow.array(numpy.ma.getdata(values), mask=missing)
        return made if kind is None or made.type == kind else made.cast(kind)
    cells = values.tolist()
    if any(isinstance(cell, int) for cell in cells):  # beyond 64 bits
        cells = [None if cell is None else decimal.Decimal(cell) for cell in cells]
    if any(isinstance(cell, decimal.Decimal) for cell in cells):
        cells = [None if cell is None else decimal.Decimal(format(cell, "f")) for cell in cells]
    try:
        made = pyarrow.array(cells)
    except (ArithmeticError, pyarrow.ArrowException) as error:
        raise ValueError(f"column {name}: {error}") from error
    return made if kind is None or made.type == kind else made.cast(kind)


def arrow_table(table, schema=None):
    """Arrow's table of columns, of a schema that is said or their own."""
    pyarrow = columns.arrow()
    kinds = schema.types if schema is not None else [None] * len(table)
    return pyarrow.table([arrow_array(name, values, kind) for (name, values), kind in zip(table.items(), kinds)],
                         names=list(table))


def arrow_type(name, shape):
    """Arrow's type of a column of a CSV."""
    pyarrow = columns.arrow()
    whole, behind = shape.whole, shape.behind
    if shape.kind == "integer":
        made = columns.integers([shape.least, shape.most]).dtype
        if made.kind != "O":
            return pyarrow.from_numpy_dtype(made)
    if shape.kind in ("integer", "decimal"):
        if whole + behind > 76:
            raise ValueError(f"column {name}: Arrow's decimals have 76 digits at most, and this needs {whole + behind}")
        return (pyarrow.decimal128 if whole + behind <= 38 else pyarrow.decimal256)(whole + behind, behind)
    if shape.kind == "complex":
        raise ValueError(f"column {name}: complex numbers are no type of Arrow")
    return {"real": pyarrow.float64(), "boolean": pyarrow.bool_(), "date": pyarrow.date32(),
            "time": pyarrow.timestamp("s"), "text": pyarrow.string(), "nothing": pyarrow.null()}[shape.kind]
