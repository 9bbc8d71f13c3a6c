"""CSV: fields as the program reads and writes them, and what the fields of a column are.

A CSV says no types, so a column is what all of its fields are exactly: integers, reals whose double shows that very
number, decimals, complex numbers, truth values, dates or times. Else, as where one has a leading zero or stands in quotes, it
has texts. Fields without quotes that are empty, NA and the like are missing, as the program has it."""
import datetime
import decimal
import gzip
import io
import itertools
import os
import re

import numpy

from . import columns

# The words of io/table/dialect.c, in small letters.
MISSING = frozenset(["", "na", "n/a", "#n/a", "#na", "<na>", "#n/a n/a", "nan", "-nan", "nat", "null", "none", "1.#qnan", "-1.#ind"])
DELIMITERS = ",;\t|"
TRUTHS = frozenset(["true", "false", "yes", "no"])
# Rows that are in memory at a time where one kind of file becomes another.
BATCH_ROWS = 1 << 16

NUMBER = r"(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?"
INTEGER = re.compile(r"[+-]?(?:0|[1-9][0-9]*)")
DECIMAL = re.compile(rf"[+-]?{NUMBER}")
COMPLEX = re.compile(rf"\(?(?:([+-]?{NUMBER})(?=[+-]))?([+-]?{NUMBER})[ij]\)?")
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?")
# Numbers, dates and times, as rows have them and names seldom.
OF_ROW = re.compile(rf"(?=.*[0-9])[-+.,:/ 0-9]+|[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?|{COMPLEX.pattern}")


class Quoted(str):
    """A field that stood in quotes."""


# --- reading


def open_text(name):
    opened = gzip.open if os.fspath(name).endswith(".gz") else open
    return opened(name, "rt", newline="\n", encoding="utf-8-sig")


def find_delimiter(name, line):
    """The delimiter: the line of names has it most often outside quotes; a tab where the file's name says so."""
    if os.fspath(name).endswith((".tsv", ".tsv.gz")):
        return "\t"
    outside = re.sub(r'"[^"]*"', "", line)
    return max(DELIMITERS, key=outside.count)


def lines_of(file):
    """Lines, those within quotes together, without what ends them; empty ones at the end are none."""
    pending, empty = "", 0
    for line in file:
        pending += line
        if pending.count('"') % 2:
            continue
        line, pending = pending.removesuffix("\n").removesuffix("\r"), ""
        if not line:
            empty += 1
            continue
        yield from [""] * empty
        empty = 0
        yield line
    if pending:
        raise ValueError("a quote is not closed")


def fields_of(line, delimiter, pattern):
    if "\0" in line or ("\r" in line and '"' not in line):
        raise ValueError("a zero byte or a lone carriage return")
    if '"' not in line:
        return [field.strip(" \t") for field in line.split(delimiter)]
    fields, at = [], 0
    while True:
        found = pattern.match(line, at)
        if found is None:
            raise ValueError("quotes inside a field")
        quoted, plain, end = found.groups()
        fields.append(plain.strip(" \t") if quoted is None else Quoted(quoted.replace('""', '"')))
        at = found.end()
        if not end:
            return fields


def read_rows(name, header=None):
    """The names of a CSV's columns, then its rows, lists of fields. `header`: "names", as the first line is, also if
    they are numbers; "none": it is a row, and columns are column1, ..; None: it is names, and refused where it looks
    like a row. ValueError, naming the row."""
    if header not in (None, "names", "none"):
        raise ValueError(f"header is 'names' or 'none', not {header!r}")
    try:
        with open_text(name) as file:
            yield from checked_rows(name, lines_of(file), header)
    except UnicodeError as error:
        raise ValueError(f"{name}: no UTF-8 (UTF-16 or Latin-1?)") from error
    except EOFError as error:
        raise ValueError(f"{name}: cut off") from error


def looks_like_row(fields):
    """Whether fields are numbers, and no other texts than may stand in any row."""
    rest = [field for field in fields if not OF_ROW.fullmatch(field)]
    return len(rest) < len(fields) and all(f.lower() in MISSING or f.lower() in TRUTHS for f in rest)


def check_names(name, line, names, header):
    if header == "none":
        return
    if header is None and looks_like_row(names):
        raise ValueError(f"{name}: the first line, which names the columns, has numbers alone: is it a row? --header "
                         f"none (header=\"none\") reads it as one, --header names takes these names")
    if not line or "" in names:
        raise ValueError(f"{name}: no line of names, or a column without one")
    if len(set(names)) != len(names):
        raise ValueError(f"{name}: two columns have the same name")


def checked_rows(name, lines, header):
    first = next(lines, "")
    said = re.fullmatch(f"sep=([{DELIMITERS}])", first, re.IGNORECASE)
    first = next(lines, "") if said else first
    delimiter = said[1] if said else find_delimiter(name, first)
    sign, blanks = re.escape(delimiter), "[ ]*" if delimiter == "\t" else "[ \t]*"
    pattern = re.compile(rf'{blanks}(?:"([^"]*(?:""[^"]*)*)"{blanks}|([^"{sign}]*))({sign}|\Z)')
    try:
        names = fields_of(first, delimiter, pattern)
    except ValueError as error:
        raise ValueError(f"{name}: the first line: {error}") from None
    check_names(name, first, names, header)
    width = len(names)
    if header == "none":
        names, lines = [f"column{i + 1}" for i in range(width)], itertools.chain([first] if first else [], lines)
    yield [str(column) for column in names]
    for number, line in enumerate(lines, 1):
        try:
            row = fields_of(line, delimiter, pattern)
        except ValueError as error:
            raise ValueError(f"{name}: row {number}: {error}") from None
        if len(row) != width or (width == 1 and not line):
            has = len(row) if line else 0
            raise ValueError(f"{name}: row {number} has {has} fields, and there are {width} columns")
        yield row


def batches(rows, most=BATCH_ROWS):
    """Rows, so many at a time; at least one batch, which may be empty."""
    batch, any_yet = [], False
    for row in rows:
        batch.append(row)
        if len(batch) == most:
            yield batch
            batch, any_yet = [], True
    if batch or not any_yet:
        yield batch


def is_missing(field, alone):
    """`alone`: the column is the only one, whose missing cells are empty quotes: an empty line would be none."""
    return (alone and field == "") or (not isinstance(field, Quoted) and field.lower() in MISSING)


# --- what fields are


def shows_itself(text):
    """Whether the double nearest to a decimal shows that very number."""
    value = float(text)
    return numpy.isfinite(value) and decimal.Decimal(repr(value)) == decimal.Decimal(text)


def kinds_of(field):
    """All that a field could be."""
    kinds = {"text"}
    if isinstance(field, Quoted):
        return kinds
    if DECIMAL.fullmatch(field):
        kinds |= {"decimal"} | ({"real", "complex"} if shows_itself(field) else set())
        return kinds | ({"integer"} if INTEGER.fullmatch(field) else set())
    parts = COMPLEX.fullmatch(field)
    if parts and all(shows_itself(part) for part in parts.groups() if part):
        return kinds | {"complex"}
    if field.lower() in ("true", "false"):
        return kinds | {"boolean"}
    if DATE.fullmatch(field):
        try:
            datetime.date.fromisoformat(field)
            kinds.add("date")
        except ValueError:
            pass
    if TIME.fullmatch(field):
        try:
            time_of(field)
            kinds.add("time")
        except ValueError:
            pass
    return kinds


class Shape:
    """The kind that all fields of a column so far have in common."""
    ORDER = ("integer", "real", "decimal", "complex", "boolean", "date", "time", "text")

    def __init__(self, alone):
        self.alone, self.kinds, self.least, self.most, self.whole, self.behind = alone, None, 0, 0, 1, 0

    def see(self, fields):
        for field, is_quoted in {(field, isinstance(field, Quoted)) for field in fields}:
            self.see_one(Quoted(field) if is_quoted else field)

    def see_one(self, field):
        if is_missing(field, self.alone):
            return
        kinds = kinds_of(field)
        self.kinds = kinds if self.kinds is None else self.kinds & kinds
        if "integer" in self.kinds:
            self.least, self.most = min(self.least, int(field)), max(self.most, int(field))
        if "decimal" in self.kinds:
            _, digits, exponent = decimal.Decimal(field).as_tuple()
            self.whole = max(self.whole, len(digits) + exponent)
            self.behind = max(self.behind, -exponent)

    @property
    def kind(self):
        return "nothing" if self.kinds is None else next(kind for kind in self.ORDER if kind in self.kinds)

    def array(self, fields):
        """An array of fields of the column; of integers in the type that serves all of it."""
        array = made(self.kind, [None if is_missing(field, self.alone) else field for field in fields])
        if self.kind != "integer":
            return array
        return array.astype(columns.integers([self.least, self.most]).dtype)


def made(kind, fields):
    """The array of fields of which it is known what they are; None: missing."""
    make = {"integer": int, "real": float, "decimal": decimal.Decimal, "complex": complex_of,
            "boolean": lambda field: field.lower() == "true", "date": datetime.date.fromisoformat,
            "time": time_of}.get(kind, str)
    cells = [None if field is None else make(field) for field in fields]
    return columns.MAKERS["text" if kind == "category" else kind](cells)


def time_of(field):
    """A time as the program writes it, of UTC where a Z stands behind it, which numpy's times do not say."""
    return datetime.datetime.fromisoformat(field.removesuffix("Z"))


def complex_of(field):
    return complex(field.replace("i", "j"))


# --- writing


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


def decimals_of(array, scale):
    """Fields of floating-point numbers that stand for decimals: those of the fewest digits that are the same number of
    their type. ValueError where other decimals that the scale keeps are the same number, too: which one was meant is
    not known."""
    texts = [numpy.format_float_positional(value, trim="-") for value in array]
    size = numpy.abs(array).astype(float)
    apart = numpy.spacing(numpy.abs(array)).astype(float)
    for row in numpy.flatnonzero((apart * scale > 1) & (size * scale < 2.0**64)):  # the program refuses larger ones
        exact, step = decimal.Decimal(texts[row]), decimal.Decimal(1) / scale
        if array[row] != 0 and exact % step == 0 and any(array.dtype.type(str(other)) == array[row]
                                                         for other in (exact - step, exact + step)):
            raise ValueError(f"row {row + 1} is a floating-point number too large for so many digits: several decimals, "
                             f"or ids, are stored as it; make integers or decimal.Decimal of them")
    return texts


def texts_of(array, scale=None):
    """Fields that read as the same values: texts in quotes, nothing where one is missing; of what has a scale,
    decimals. ValueError."""
    kind, missing = array.dtype.kind, columns.missing_of(array)
    if kind in "fc" and numpy.isinf(array).any():
        raise ValueError(f"row {int(numpy.argmax(numpy.isinf(array))) + 1} is infinite")
    if kind == "f" and scale is not None:
        return ["" if gone else text for text, gone in zip(decimals_of(array, scale), missing)]
    make = {"f": lambda value: repr(float(value)), "b": lambda value: "true" if value else "false",
            "c": lambda value: f"{complex(value).real!r}{complex(value).imag:+}j", "O": text_of_object}.get(kind, str)
    cells = array if kind == "M" else numpy.ma.getdata(array).tolist()
    return ["" if gone else make(cell) for cell, gone in zip(cells, missing)]


def text_of_object(cell):
    if isinstance(cell, str):
        return quoted(cell)
    if isinstance(cell, decimal.Decimal):
        if cell.is_infinite():
            raise ValueError("a decimal is infinite")
        return format(cell, "f")
    return str(cell)


class Writer:
    """A CSV that is written a part at a time into a file of bytes. `unquoted`: texts that stand for missing cells;
    `scales`: of columns whose numbers stand for decimals."""

    def __init__(self, raw, name, names, unquoted=(), scales=None):
        self.packed = gzip.GzipFile(fileobj=raw, mode="wb") if os.fspath(name).endswith(".gz") else None
        self.file = io.TextIOWrapper(self.packed or raw, encoding="utf-8", newline="")
        self.delimiter = "\t" if os.fspath(name).endswith((".tsv", ".tsv.gz")) else ","
        self.unquoted = {quoted(text): text for text in unquoted}
        self.scales = scales or {}
        special = re.compile(r'[",;\t|\r\n]|^\s|\s$')
        self.file.write(self.delimiter.join(quoted(name) if special.search(name) else name for name in names) + "\n")

    def write(self, table):
        parts = []
        for name, array in table.items():
            try:
                texts = texts_of(array, self.scales.get(name))
            except ValueError as error:
                raise ValueError(f"column {name}: {error}") from None
            if len(table) == 1 and '""' in texts:
                raise ValueError(f"column {name}: an empty text cannot stand in a CSV of one column")
            texts = [self.unquoted.get(text, text) for text in texts] if self.unquoted else texts
            parts.append([text or '""' for text in texts] if len(table) == 1 else texts)
        self.file.writelines(self.delimiter.join(row) + "\n" for row in zip(*parts))

    def close(self):
        self.file.flush()
        self.file.detach()
        if self.packed:
            self.packed.close()
