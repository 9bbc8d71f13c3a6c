"""Columns of any library as numpy arrays whose type says what they hold; what has no such type is refused.

Integers, reals, complex numbers and truth values have numpy's own types, dates datetime64[D], times datetime64[s]; of
type object are texts, decimal.Decimal, and integers beyond 64 bits. A missing cell is NaN, NaT or None there, and masked (numpy.ma) among
integers and truth values."""
import datetime
import decimal

import numpy

NO_TYPE = "is no type of a table's column"
FIRST_DAY, LAST_DAY = numpy.array(["0001-01-01", "9999-12-31"], "datetime64[D]")


def column_of(name, values):
    """The array of a column; ValueError, with its name, where a value would not be carried as it is."""
    try:
        return array_of(values)
    except (TypeError, ValueError, NotImplementedError) as error:
        raise ValueError(f"column {name}: {error}") from error


def array_of(values):
    library = type(values).__module__.partition(".")[0]
    if isinstance(values, (str, bytes)):
        raise ValueError("one text is no column")
    if isinstance(values, numpy.ndarray):
        return of_numpy(values)
    if library == "pandas":
        return of_pandas(values)
    if library == "polars":
        return of_arrow(values.to_arrow())
    if library == "pyarrow":
        return of_arrow(values)
    if hasattr(values, "__array__"):
        return of_numpy(numpy.asanyarray(values))
    return of_cells(list(values))


def with_missing(array, missing):
    """The array with cells that are missing."""
    if not missing.any():
        return array
    if array.dtype.kind in "iub":
        return numpy.ma.MaskedArray(array, missing)
    nothing = {"f": numpy.nan, "c": numpy.nan, "M": numpy.datetime64("NaT"), "O": None}
    array = array.copy()
    array[missing] = nothing[array.dtype.kind]
    return array


def missing_of(array):
    """Which cells are missing: an array of truth values."""
    if isinstance(array, numpy.ma.MaskedArray):
        return numpy.ma.getmaskarray(array)
    if array.dtype.kind == "O":
        return numpy.array([cell is None for cell in array], dtype=bool)
    if array.dtype.kind == "M":
        return numpy.isnat(array)
    return numpy.isnan(array) if array.dtype.kind in "fc" else numpy.zeros(len(array), bool)


# --- numpy


def of_numpy(array):
    if array.ndim != 1:
        raise ValueError(f"a column has one dimension, not {array.ndim}")
    missing, data = numpy.ma.getmaskarray(array), numpy.ma.getdata(array)
    kind = data.dtype.kind
    if kind in "OUT":
        return of_cells([None if gone else cell for cell, gone in zip(data.tolist(), missing)])
    if kind == "M":
        return with_missing(moments(data), missing)
    if kind in "fc":
        narrow = data.astype(numpy.float64 if kind == "f" else numpy.complex128)
        if not numpy.array_equal(narrow.astype(data.dtype), data, equal_nan=True):
            raise ValueError(f"a value of {data.dtype} is no double")
        return with_missing(narrow if data.dtype.itemsize > narrow.dtype.itemsize else data, missing)
    if kind not in "iub":
        raise ValueError(f"{data.dtype} {NO_TYPE}")
    return with_missing(data, missing)


def moments(array):
    """Days, of times that are all whole days; else seconds."""
    unit = numpy.datetime_data(array.dtype)[0]
    days, there = array.astype("datetime64[D]"), ~numpy.isnat(array)
    if unit in ("Y", "M", "W") and there.any():
        raise ValueError(f"{array.dtype} {NO_TYPE}: only days are")
    if (days[there] < FIRST_DAY).any() or (days[there] > LAST_DAY).any():
        raise ValueError("dates are those of the years 1 to 9999")
    if numpy.array_equal(days[there].astype(array.dtype), array[there]):
        return days
    seconds = array.astype("datetime64[s]")
    if not numpy.array_equal(seconds[there].astype(array.dtype), array[there]):
        raise ValueError("times with a fraction of a second: only whole seconds are columns of tables")
    return seconds


# --- cells of Python


def is_missing(cell):
    if cell is None or cell is numpy.ma.masked or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(cell, decimal.Decimal):
        return cell.is_nan()
    return isinstance(cell, (float, numpy.floating, numpy.datetime64)) and bool(cell != cell)


def moment_of_cell(cell):
    if isinstance(cell, numpy.datetime64):
        return moments(numpy.array([cell]))[0].astype("datetime64[s]")
    if isinstance(cell, datetime.datetime):
        nanosecond = getattr(cell, "nanosecond", 0)  # of pandas
        if cell.tzinfo is not None:
            raise ValueError("times of a time zone: make them times of UTC, without a zone")
        if nanosecond or cell.microsecond:
            raise ValueError("times with a fraction of a second: only whole seconds are columns of tables")
        cell = datetime.datetime(*cell.timetuple()[:6])
    return numpy.datetime64(cell, "s")


# The first that a cell is an instance of; numpy's timedelta64 passes for an integer, a truth value for an int.
CELL_KINDS = ((numpy.timedelta64, None), ((bool, numpy.bool_), "boolean"), ((int, numpy.integer), "integer"),
              ((float, numpy.floating), "real"), ((complex, numpy.complexfloating), "complex"),
              (decimal.Decimal, "decimal"), (str, "text"), ((datetime.date, numpy.datetime64), "date"))


def kind_of_cell(cell):
    kind = next((kind for types, kind in CELL_KINDS if isinstance(cell, types)), None)
    if kind is None:
        raise ValueError(f"{type(cell).__module__}.{type(cell).__name__} {NO_TYPE}")
    return kind


def of_cells(cells):
    """An array of values of one kind, of which some may be missing."""
    cells = [None if is_missing(cell) else cell for cell in cells]
    kinds = {kind_of_cell(cell) for cell in cells if cell is not None}
    if kinds in ({"integer", "real"}, {"integer", "complex"}, {"real", "complex"}, {"integer", "real", "complex"}):
        if any(kind_of_cell(cell) == "integer" and int(cell) != to_double(cell) for cell in cells if cell is not None):
            raise ValueError("an integer beside reals is no double: decimal.Decimal carries both")
        kinds = {"complex" if "complex" in kinds else "real"}
    if kinds == {"integer", "decimal"}:
        kinds = {"decimal"}
    if len(kinds) > 1:
        raise ValueError(f"values of different types ({', '.join(sorted(kinds))})")
    return MAKERS[kinds.pop() if kinds else "nothing"](cells)


def to_double(cell):
    try:
        return float(int(cell))
    except OverflowError:
        return None


def integers(cells):
    """An array of the type that holds them all: int64, else uint64, else Python's own."""
    there = [int(cell) for cell in cells if cell is not None]
    least, most = min(there, default=0), max(there, default=0)
    missing = numpy.array([cell is None for cell in cells], dtype=bool)
    for kind, low, high in ((numpy.int64, -(2**63), 2**63), (numpy.uint64, 0, 2**64)):
        if low <= least and most < high:
            return with_missing(numpy.array([0 if cell is None else int(cell) for cell in cells], kind), missing)
    return objects(cells, int)


def objects(cells, make):
    array = numpy.empty(len(cells), object)
    array[:] = [None if cell is None else make(cell) for cell in cells]
    return array


def booleans(cells):
    array = numpy.array([bool(cell) for cell in cells], bool)
    return with_missing(array, numpy.array([cell is None for cell in cells], bool))


def reals(cells):
    return of_numpy(numpy.array([numpy.nan if cell is None else float(cell) if isinstance(cell, int) else cell
                                 for cell in cells]))


def moments_of_cells(cells):
    return moments(numpy.array(["NaT" if cell is None else moment_of_cell(cell) for cell in cells], "datetime64[s]"))


def times_of_cells(cells):
    """Seconds, also where all of them are whole days."""
    return moments_of_cells(cells).astype("datetime64[s]")


MAKERS = {"boolean": booleans, "integer": integers, "real": reals, "complex": reals, "date": moments_of_cells,
          "time": times_of_cells,
          "decimal": lambda cells: objects(cells, decimal.Decimal), "text": lambda cells: objects(cells, str),
          "nothing": lambda cells: objects(cells, str)}


# --- pandas


def of_pandas(values):
    import pandas

    series = pandas.Series(values)
    dtype = series.dtype
    if isinstance(dtype, numpy.dtype):
        return of_numpy(series.to_numpy())
    if isinstance(dtype, pandas.CategoricalDtype):
        codes = series.cat.codes.to_numpy()
        if len(dtype.categories) == 0:
            return of_cells([None] * len(codes))
        return with_missing(of_pandas(dtype.categories)[numpy.maximum(codes, 0)], codes < 0)
    if isinstance(dtype, pandas.SparseDtype):
        return of_pandas(series.sparse.to_dense())
    if isinstance(dtype, pandas.StringDtype):
        return of_cells(series.astype(object).tolist())
    if hasattr(pandas, "ArrowDtype") and isinstance(dtype, pandas.ArrowDtype):
        return of_arrow(series.array.__arrow_array__())
    if not hasattr(dtype, "numpy_dtype"):  # time zones, periods, intervals, and what others add
        raise ValueError(f"{dtype} {NO_TYPE}")
    missing = series.isna().to_numpy()
    data = series.to_numpy(dtype=dtype.numpy_dtype, na_value=dtype.numpy_dtype.type(0))
    return with_missing(data, missing)


# --- Arrow


def arrow():
    try:
        import pyarrow.feather
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError("Parquet and Arrow need pyarrow: pip install pyarrow") from error
    return pyarrow


def of_arrow(values):
    pyarrow = arrow()
    types, kind = pyarrow.types, values.type
    if types.is_dictionary(kind):
        return of_arrow(values.cast(kind.value_type))
    if types.is_null(kind):
        return of_cells([None] * len(values))
    if types.is_boolean(kind) or types.is_integer(kind):
        data = numpy.asarray(values.fill_null(False if types.is_boolean(kind) else 0))
        return with_missing(data, numpy.asarray(values.is_null()).astype(bool))
    if types.is_floating(kind) or (types.is_timestamp(kind) and kind.tz is None):
        return of_numpy(numpy.asarray(values))
    if types.is_date64(kind):
        return of_arrow(values.cast(pyarrow.timestamp("ms")))
    if types.is_date(kind):
        days = numpy.asarray(values.cast(pyarrow.int32()).fill_null(0)).astype("datetime64[D]")
        return moments(with_missing(days, numpy.asarray(values.is_null()).astype(bool)))
    if types.is_decimal(kind) or any(getattr(types, f"is_{text}", lambda kind: False)(kind)
                                     for text in ("string", "large_string", "string_view")):
        return of_cells(values.to_pylist())
    raise ValueError(f"{kind} {NO_TYPE}")
