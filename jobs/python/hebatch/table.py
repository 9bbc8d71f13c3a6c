"""Tables as named columns, and their files: what the program reads (CSV, HDF5), Parquet and Arrow."""
import collections.abc
import csv
import datetime
import gzip
import io
import os

import numpy

# Rows of Parquet and of CSV that are in memory at a time where one becomes the other.
BATCH_ROWS = 1 << 16


class Table(collections.abc.Mapping):
    """Columns by name, in order: numpy arrays of one length."""

    def __init__(self, columns):
        self._columns = {str(name): array_of(values) for name, values in columns.items()}
        shapes = {values.shape for values in self._columns.values()}
        if len(shapes) != 1 or len(next(iter(shapes))) != 1:
            raise ValueError("a table has one column or more, all of the same number of rows")

    def __getitem__(self, name):
        return self._columns[name]

    def __iter__(self):
        return iter(self._columns)

    def __len__(self):
        return len(self._columns)

    @property
    def rows(self):
        return len(next(iter(self._columns.values())))

    def __repr__(self):
        return f"Table({self.rows} rows: {', '.join(self)})"

    @staticmethod
    def of(values):
        """A table of a Table, a dict of columns, a DataFrame, a pyarrow Table, or a numpy array (of fields, of columns
        x1, x2, ..., or of one, x1)."""
        if isinstance(values, Table):
            return values
        if isinstance(values, collections.abc.Mapping):
            return Table(values)
        if hasattr(values, "to_pydict"):  # pyarrow
            return Table({name: values.column(name).to_numpy() for name in values.column_names})
        if hasattr(values, "columns"):  # pandas
            return Table({name: values[name].to_numpy() for name in values.columns})
        array = numpy.asarray(values)
        if array.dtype.names:
            return Table({name: array[name] for name in array.dtype.names})
        if array.ndim not in (1, 2):
            raise ValueError("an array of a table has one dimension or two")
        return Table({f"x{i + 1}": column for i, column in enumerate(array.reshape(len(array), -1).T)})

    def frame(self):
        """The table as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(dict(self._columns))

    @staticmethod
    def read(name):
        """Reads FILE.csv, FILE.csv.gz, FILE.h5:/DATASET, FILE.parquet or FILE.feather."""
        return READERS[kind_of(name)](name)

    def write(self, name):
        """Writes a new file of one of these kinds, which its owner alone can read. FileExistsError."""
        WRITERS[kind_of(name)](self, name)


def array_of(values):
    """An array; of a list of integers an exact one, where numpy would make reals of those above 2^63."""
    if not isinstance(values, numpy.ndarray):
        values = list(values)
        if values and all(isinstance(value, int) and not isinstance(value, bool) for value in values):
            return integers(values)
    return numpy.asarray(values)


def kind_of(name):
    name = os.fspath(name)
    if ".h5:" in name or ".hdf5:" in name:
        return "hdf5"
    for ending, kind in ENDINGS.items():
        if name.endswith(ending):
            return kind
    raise ValueError(f"{name}: no table's name: {', '.join(ENDINGS)}, or FILE.h5:/DATASET")


ENDINGS = {".csv": "csv", ".csv.gz": "csv", ".parquet": "parquet", ".feather": "feather", ".arrow": "feather"}


def create(name):
    """A new file, mode 0600."""
    return os.fdopen(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


# --- CSV


def read_csv(name):
    opened = gzip.open if os.fspath(name).endswith(".gz") else open
    with opened(name, "rt", newline="", encoding="utf-8-sig") as file:
        lines = csv.reader(file)
        names = next(lines, None)
        if not names:
            raise ValueError(f"{name}: no line of names")
        rows = list(lines)
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            raise ValueError(f"{name}: row {number} has {len(row)} fields, and there are {len(names)} columns")
    if len(set(names)) != len(names):
        raise ValueError(f"{name}: two columns have the same name")
    return Table({name: column_of([row[i] for row in rows]) for i, name in enumerate(names)})


def column_of(cells):
    """Integers where all cells are, of any size; else reals, NaN where a cell is empty; complex numbers, truth values or
    dates; else texts."""
    for make in (integers, reals, complexes, truths, dates):
        try:
            return make(cells)
        except ValueError:
            pass
    return numpy.array(cells, dtype=object)


def integers(cells):
    values = [int(cell) for cell in cells]
    most, least = max(values, default=0), min(values, default=0)
    if -(2**63) <= least and most < 2**63:
        return numpy.array(values, dtype=numpy.int64)
    return numpy.array(values, dtype=numpy.uint64 if least >= 0 and most < 2**64 else object)


def reals(cells):
    return numpy.array([float(cell or "nan") for cell in cells])


def complexes(cells):
    return numpy.array([complex(cell.replace("i", "j")) for cell in cells])


def truths(cells):
    words = {"true": True, "false": False}
    if not all(cell in words for cell in cells):
        raise ValueError
    return numpy.array([words[cell] for cell in cells])


def dates(cells):
    return numpy.array([datetime.date.fromisoformat(cell) for cell in cells], dtype="datetime64[D]")


def write_csv(table, name):
    with create(name) as raw:
        packed = gzip.GzipFile(fileobj=raw, mode="wb") if os.fspath(name).endswith(".gz") else raw
        with io.TextIOWrapper(packed, encoding="utf-8", newline="") as file:
            lines = csv.writer(file, lineterminator="\n")
            lines.writerow(table)
            lines.writerows(zip(*map(cells_of, table.values())))


def cells_of(values):
    """Values as texts that read as the same values; nothing where one is missing (None, NaN, NaT)."""
    kind = values.dtype.kind
    if kind == "M":
        days = values.astype("datetime64[D]")
        if not numpy.array_equal(days.astype(values.dtype)[~numpy.isnat(values)], values[~numpy.isnat(values)]):
            raise ValueError("times of day: only dates are columns of tables")
        return ["" if numpy.isnat(day) else str(day) for day in days]
    if kind == "b":
        return ["true" if value else "false" for value in values]
    if kind == "f":
        return ["" if value != value else repr(float(value)) for value in values]
    if kind == "c":
        return [f"{value.real!r}{value.imag:+}j" for value in map(complex, values)]
    return ["" if value is None or value != value else str(value) for value in values.tolist()]


# --- HDF5: one type for all columns, and their names as an attribute (io/README.md)


def split_hdf5(name):
    file, _, dataset = os.fspath(name).rpartition(":")
    return file, dataset


def read_hdf5(name):
    import h5py

    file, dataset = split_hdf5(name)
    with h5py.File(file, "r") as opened:
        if dataset not in opened or not isinstance(opened[dataset], h5py.Dataset):
            raise ValueError(f"{name}: there is no such dataset")
        values, names = opened[dataset][()], opened[dataset].attrs.get("columns")
        if names is None or values.ndim != 2 or len(names) != values.shape[1]:
            return Table.of(values)
        return Table({n if isinstance(n, str) else n.decode(): values[:, i] for i, n in enumerate(names)})


def write_hdf5(table, name):
    import h5py

    kinds = {values.dtype.kind for values in table.values()}
    if not (kinds <= set("iufc") or kinds == {"b"}):
        raise ValueError(f"{name}: columns of an HDF5 dataset are numbers, all of one type; a CSV takes any")
    file, dataset = split_hdf5(name)
    values = numpy.stack(list(table.values()), axis=1)
    with create(file) as raw:
        memory = io.BytesIO()
        with h5py.File(memory, "w") as opened:
            made = opened.create_dataset(dataset, data=values.astype(numpy.int64) if values.dtype.kind == "b" else values)
            made.attrs["columns"] = list(table)
        raw.write(memory.getbuffer())


# --- Parquet and Arrow, by pyarrow: streamed where the other side is a CSV


def arrow():
    try:
        import pyarrow.csv
        import pyarrow.feather
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError("Parquet and Arrow need pyarrow: pip install pyarrow") from error
    return pyarrow


def read_parquet(name):
    return Table.of(arrow().parquet.read_table(name))


def read_feather(name):
    return Table.of(arrow().feather.read_table(name))


def arrow_table(table):
    return arrow().table({name: list(v) if v.dtype.kind == "O" else v for name, v in table.items()})


def write_parquet(table, name):
    with create(name) as file:
        arrow().parquet.write_table(arrow_table(table), file)


def write_feather(table, name):
    with create(name) as file:
        arrow().feather.write_feather(arrow_table(table), file)


def parquet_to_csv(source, target):
    """A batch of rows at a time; what is missing becomes an empty cell."""
    pyarrow = arrow()
    with pyarrow.parquet.ParquetFile(source) as file, create(target) as out:
        options = pyarrow.csv.WriteOptions(quoting_style="needed")
        schema = pyarrow.schema([(field.name, plain_type(field)) for field in file.schema_arrow])
        with pyarrow.csv.CSVWriter(out, schema, write_options=options) as writer:
            for batch in file.iter_batches(BATCH_ROWS):
                writer.write_table(pyarrow.Table.from_batches([batch]).cast(schema))


def plain_type(field):
    """Dictionaries as their values, times that are whole days as dates; nested types are no columns of a table."""
    types = arrow().types
    kind = field.type
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_timestamp(kind) or types.is_date(kind):
        return arrow().date32()
    if types.is_nested(kind) or types.is_binary(kind):
        raise ValueError(f"column {field.name}: {kind} is no type of a table's column")
    return kind


def csv_to_parquet(source, target):
    pyarrow = arrow()
    with pyarrow.csv.open_csv(source) as reader, create(target) as out:
        with pyarrow.parquet.ParquetWriter(out, reader.schema) as writer:
            for batch in reader:
                writer.write_batch(batch)


READERS = {"csv": read_csv, "hdf5": read_hdf5, "parquet": read_parquet, "feather": read_feather}
WRITERS = {"csv": write_csv, "hdf5": write_hdf5, "parquet": write_parquet, "feather": write_feather}
STREAMED = {("parquet", "csv"): parquet_to_csv, ("csv", "parquet"): csv_to_parquet}


def convert(source, target):
    """Makes a table's file into one of another kind; what was begun does not stay where that fails."""
    kinds = kind_of(source), kind_of(target)
    file = split_hdf5(target)[0] if kinds[1] == "hdf5" else os.fspath(target)
    if os.path.lexists(file):
        raise FileExistsError(f"{file} exists")
    try:
        if kinds in STREAMED and not os.fspath(target).endswith(".gz"):
            STREAMED[kinds](source, target)
        else:
            Table.read(source).write(target)
    except BaseException:
        if os.path.lexists(file):
            os.remove(file)
        raise
