"""Tables as named columns, and their files: what the program reads (CSV, HDF5), Parquet and Arrow."""
import collections.abc
import os
import warnings

import numpy

from . import columns, files, notebook, text


class Table(collections.abc.Mapping):
    """Columns by name, in order: numpy arrays of one length (columns.py: which types, and what is missing)."""

    def __init__(self, values):
        if len({str(name) for name in values}) != len(values):
            raise ValueError("two columns have the same name")
        check_indexes(values)
        self._columns = {str(name): columns.column_of(name, column) for name, column in values.items()}
        if len({len(column) for column in self._columns.values()}) != 1:
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
        return f"Table({notebook.things(self.rows, 'row')}: {', '.join(self)})"

    def _repr_html_(self):
        return notebook.table_of(self._columns, self.rows)

    @staticmethod
    def of(values):
        """A table of a Table, a dict of columns, a DataFrame of pandas (without its index) or polars, a pyarrow Table,
        or a numpy array (of fields, of columns x1, x2, ..., or of one, x1). ValueError, naming the column, of what a
        table cannot have as it is: fractions of a second, time zones, durations, values of different types."""
        if isinstance(values, Table):
            return values
        if isinstance(values, collections.abc.Mapping):
            return Table(values)
        if hasattr(values, "to_arrow") and hasattr(values, "columns"):  # polars
            return Table(dict(zip(values.columns, values.get_columns())))
        if hasattr(values, "to_pydict"):  # pyarrow
            return Table(files.columns_of_arrow(values))
        if hasattr(values, "iloc") and hasattr(values, "columns"):  # pandas
            if len({str(name) for name in values.columns}) != len(values.columns):
                raise ValueError("two columns have the same name")
            index = [str(name) for name in values.index.names if name is not None]
            if index:
                warnings.warn(f"the index ({', '.join(index)}) is no column of the table: reset_index() makes it one",
                              stacklevel=3)
            return Table({name: values.iloc[:, i] for i, name in enumerate(values.columns)})
        return Table(files.columns_of_array(numpy.asanyarray(values)))

    def frame(self):
        """The table as a pandas DataFrame; integers and booleans of which some are missing are nullable."""
        import pandas

        frame = {}
        for name, values in self._columns.items():
            if isinstance(values, numpy.ma.MaskedArray):
                make = pandas.arrays.BooleanArray if values.dtype.kind == "b" else pandas.arrays.IntegerArray
                values = make(numpy.array(values.data), numpy.array(numpy.ma.getmaskarray(values)))
            frame[name] = values
        return pandas.DataFrame(frame)

    @staticmethod
    def read(name, header=None):
        """Reads FILE.csv, FILE.tsv, also compressed (.gz), FILE.h5:/DATASET, FILE.parquet or FILE.feather. `header` says
        what the first line of a CSV is: "names", also if these are numbers, or "none", a row."""
        check_header(name, header)
        kind = kind_of(name)
        return read_csv(name, header) if kind == "csv" else READERS[kind](name)

    def write(self, name):
        """Writes a new file of one of these kinds, which its owner alone can read. FileExistsError."""
        WRITERS[kind_of(name)](self, name)


def check_indexes(values):
    """Refuses Series of pandas whose rows are others: pandas pairs them by index, a table by place."""
    series = {name: column.index for name, column in values.items() if hasattr(column, "index") and hasattr(column, "iloc")}
    first = next(iter(series), None)
    for name, index in series.items():
        if not index.equals(series[first]):
            raise ValueError(f"columns {first} and {name} have different indexes, and a table pairs rows by their place: "
                             f"make a DataFrame of them, or reset_index(drop=True) each")


def check_header(name, header):
    """Refuses a `header` of a table that is no CSV: it has no first line."""
    if header is not None and kind_of(name) != "csv":
        raise ValueError(f"{name}: is no CSV, and has no header line")


def kind_of(name):
    name = os.fspath(name)
    if ".h5:" in name or ".hdf5:" in name:
        return "hdf5"
    for ending, kind in ENDINGS.items():
        if name.endswith(ending):
            return kind
    if name.lower().endswith(WORKBOOKS):
        raise ValueError(f"{name}: is a workbook: save its sheet as CSV, or give the DataFrame of pandas.read_excel")
    raise ValueError(f"{name}: no table's name: {', '.join(ENDINGS)}, or FILE.h5:/DATASET")


ENDINGS = {".csv": "csv", ".csv.gz": "csv", ".tsv": "csv", ".tsv.gz": "csv", ".parquet": "parquet",
           ".feather": "feather", ".arrow": "feather"}
WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".numbers")


# --- CSV


def shapes_of(name, header):
    """The names of a CSV's columns, and what each one is."""
    rows = text.read_rows(name, header)
    names = next(rows)
    shapes = [text.Shape(len(names) == 1) for _ in names]
    for batch in text.batches(rows):
        for i, shape in enumerate(shapes):
            shape.see([row[i] for row in batch])
    return names, shapes


def tables_of(name, names, shapes, header):
    """Tables of some rows of a CSV at a time."""
    rows = text.read_rows(name, header)
    if next(rows) != names:
        raise ValueError(f"{name}: it changed while it was read")
    for batch in text.batches(rows):
        yield {column: shape.array([row[i] for row in batch]) for i, (column, shape) in enumerate(zip(names, shapes))}


def read_csv(name, header=None):
    names, shapes = shapes_of(name, header)
    parts = list(tables_of(name, names, shapes, header))
    whole = numpy.ma.concatenate if any(isinstance(v, numpy.ma.MaskedArray) for part in parts for v in part.values()) \
        else numpy.concatenate
    return Table({column: whole([part[column] for part in parts]) for column in names})


def read_known(name, described):
    """Reads a CSV of which the program said what its columns are."""
    rows = text.read_rows(name, "names")
    names = next(rows)
    if names != [column["name"] for column in described]:
        raise ValueError(f"{name}: its columns are others than the report says")
    rows = list(rows)
    kinds = [column["kind"] for column in described]
    return Table({column: text.made(kind, [row[i] if kind == "category" or row[i] else None for row in rows])
                  for i, (column, kind) in enumerate(zip(names, kinds))})


def write_csv(table, name, unquoted=(), scales=None):
    with files.create(name) as raw:
        writer = text.Writer(raw, name, list(table), unquoted, scales)
        writer.write(table)
        writer.close()


# --- Parquet and Arrow: streamed where the other side is a CSV


def read_parquet(name):
    return Table.of(columns.arrow().parquet.read_table(name))


def read_feather(name):
    return Table.of(columns.arrow().feather.read_table(name))


def write_parquet(table, name):
    made = files.arrow_table(table)
    with files.create(name) as file:
        columns.arrow().parquet.write_table(made, file)


def write_feather(table, name):
    made = files.arrow_table(table)
    with files.create(name) as file:
        columns.arrow().feather.write_feather(made, file)


def parquet_to_csv(source, target, _header):
    """A batch of rows at a time."""
    pyarrow = columns.arrow()
    with pyarrow.parquet.ParquetFile(source) as file, files.create(target) as out:
        names = [str(name) for name in file.schema_arrow.names]
        writer = text.Writer(out, target, names)
        for batch in file.iter_batches(text.BATCH_ROWS):
            writer.write(Table.of(pyarrow.Table.from_batches([batch])))
        Table.of(file.schema_arrow.empty_table())
        writer.close()


def csv_to_parquet(source, target, header):
    """Read twice: what columns are, then a batch of rows at a time."""
    pyarrow = columns.arrow()
    names, shapes = shapes_of(source, header)
    schema = pyarrow.schema([(name, files.arrow_type(name, shape)) for name, shape in zip(names, shapes)])
    with files.create(target) as out, pyarrow.parquet.ParquetWriter(out, schema) as writer:
        for table in tables_of(source, names, shapes, header):
            writer.write_table(files.arrow_table(table, schema))


def read_hdf5(name):
    return Table(files.read_hdf5(name))


READERS = {"csv": read_csv, "hdf5": read_hdf5, "parquet": read_parquet, "feather": read_feather}
WRITERS = {"csv": write_csv, "hdf5": files.write_hdf5, "parquet": write_parquet, "feather": write_feather}
STREAMED = {("parquet", "csv"): parquet_to_csv, ("csv", "parquet"): csv_to_parquet}


def convert(source, target, header=None):
    """Makes a table's file into one of another kind; what was begun does not stay where that fails. `header`: of a CSV,
    as of Table.read."""
    check_header(source, header)
    kinds = kind_of(source), kind_of(target)
    file = files.split_hdf5(target)[0] if kinds[1] == "hdf5" else os.fspath(target)
    if os.path.lexists(file):
        raise FileExistsError(f"{file} exists")
    try:
        STREAMED.get(kinds, lambda *_: Table.read(source, header).write(target))(source, target, header)
    except BaseException:
        if os.path.lexists(file):
            os.remove(file)
        raise
