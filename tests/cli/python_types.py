"""Types of jobs/python: what is carried from tables of Python to files and back, and what is refused; in a folder `types`
of that where it is started."""
import datetime
import decimal
import gzip
import os
import unittest
import warnings

import h5py
import numpy

import hebatch
from hebatch import __main__ as command

try:
    import pandas
except ImportError:
    pandas = None
try:
    import pyarrow
    import pyarrow.parquet
except ImportError:
    pyarrow = None
try:
    import polars
except ImportError:
    polars = None

Decimal, date = decimal.Decimal, datetime.date
LARGE = 720575940631797753  # no double


def cells(column):
    """A column as a list of Python's values, None where one is missing."""
    if column.dtype.kind == "M":
        return [None if numpy.isnat(day) else day.item() for day in column]
    return [None if isinstance(cell, float) and cell != cell else cell for cell in column.tolist()]


def written(values, name="written.csv"):
    """The lines of a CSV of one table."""
    if os.path.exists(name):
        os.remove(name)
    hebatch.Table.of(values).write(name)
    with open(name, encoding="utf-8") as file:
        return file.read().split("\n")[1:-1]


class Cases(unittest.TestCase):
    def carries(self, values, wanted, kind):
        table = hebatch.Table.of({"a": values})
        self.assertEqual(cells(table["a"]), wanted)
        self.assertIn(table["a"].dtype.kind, kind)
        return table

    def refuses(self, values, words="column a"):
        with self.assertRaisesRegex(ValueError, words):
            written({"a": values})


class PythonsOwn(Cases):
    def test_carried(self):
        for values, wanted, kind in (
                ([1, None, LARGE], [1, None, LARGE], "i"), ([2**64 - 1, 0], [2**64 - 1, 0], "u"),
                ([2**100, None, -1], [2**100, None, -1], "O"), ([True, None, False], [True, None, False], "b"),
                ([1, 0.5, None], [1.0, 0.5, None], "f"), (["01730", None, "1730"], ["01730", None, "1730"], "O"),
                ([Decimal("1.10"), 3, None, Decimal("nan")], [Decimal("1.10"), Decimal(3), None, None], "O"),
                ([date(2024, 2, 29), None, datetime.datetime(1900, 3, 1)], [date(2024, 2, 29), None, date(1900, 3, 1)], "M"),
                ([datetime.datetime(2024, 2, 29, 12, 30), date(1969, 12, 31), None],
                 [datetime.datetime(2024, 2, 29, 12, 30), datetime.datetime(1969, 12, 31), None], "M"),
                ([1, float("nan"), numpy.int64(5), numpy.ma.masked], [1, None, 5, None], "i"),
                (range(3), [0, 1, 2], "i"), ([None, None], [None, None], "O")):
            self.carries(values, wanted, kind)

    def test_refused(self):
        for values in ([1, "a"], [True, 1], ["a", b"a"], [b"a"], [2**53 + 1, 0.5], [Decimal(1), 0.5], [[1], [2]],
                       [datetime.time(1)], [datetime.timedelta(1)], [datetime.datetime(2024, 1, 1, 1, 0, 0, 1)],
                       [datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)], [numpy.timedelta64(1, "s")],
                       [float("inf")], [Decimal("inf")], "text", [""]):
            self.refuses(values)
        with self.assertRaisesRegex(ValueError, "same name"):
            hebatch.Table.of({1: [1], "1": [2]})

    def test_texts_of_a_csv(self):
        self.assertEqual(written({"a": [" x", "NA", 'q"', None], "b": [1, None, 3, 4]}), ['" x",1', '"NA",', '"q""",3', ",4"])
        self.assertEqual(written({"a": [Decimal("1E+3"), Decimal("-0.10"), None]}), ["1000", "-0.10", '""'])
        self.assertEqual(written({"a": [-0.0, 1e-300, 0.1]}), ["-0.0", "1e-300", "0.1"])


class Numpys(Cases):
    def test_carried(self):
        for name in "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split():
            ends = numpy.iinfo(name)
            self.carries(numpy.array([ends.min, ends.max], name), [ends.min, ends.max], "iu")
            masked = numpy.ma.array([ends.min, ends.max], name, mask=[True, False])
            self.carries(masked, [None, ends.max], "iu")
        self.carries(numpy.array([0.1, numpy.nan], numpy.float32), [float(numpy.float32(0.1)), None], "f")
        self.carries(numpy.ma.array([True, False], mask=[False, True]), [True, None], "b")
        self.carries(numpy.array(["x", "007"]), ["x", "007"], "O")
        self.carries(numpy.array(["2024-02-29", "NaT"], "datetime64[ns]"), [date(2024, 2, 29), None], "M")
        self.carries(numpy.array(["2024-02-29T12:30", "NaT"], "datetime64[ns]"),
                     [datetime.datetime(2024, 2, 29, 12, 30), None], "M")
        self.carries(numpy.ma.array([1.5, 2.5], mask=[True, False]), [None, 2.5], "f")

    def test_masks_of_tables(self):
        rows = numpy.ma.array([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
        self.assertEqual(written(rows), ["1,", "3,4"])
        fields = numpy.ma.array([(1, 0.5)], [("a", "i8"), ("b", "f8")], mask=[(True, False)])
        self.assertEqual(written(fields), [",0.5"])

    def test_refused(self):
        for values in (numpy.array([1], "timedelta64[s]"), numpy.array([b"a"]), numpy.array(["2024"], "datetime64[Y]"),
                       numpy.array(["2024-02-29T12:30:00.5"], "datetime64[ms]"), numpy.array(["12024-01-01"], "datetime64[D]"),
                       numpy.zeros((2, 2)), numpy.array([numpy.inf]), numpy.array([b"ab"], "V2")):
            self.refuses(values)
        if numpy.finfo(numpy.longdouble).nmant > 52:
            self.refuses(numpy.array([1], numpy.longdouble) / 3)


@unittest.skipUnless(pandas, "no pandas")
class Pandas(Cases):
    def test_carried(self):
        frame = pandas.DataFrame({
            "i": pandas.array([LARGE, None], dtype="Int64"), "u": pandas.array([None, 2**64 - 1], dtype="UInt64"),
            "b": pandas.array([True, None], dtype="boolean"), "f": pandas.array([0.5, None], dtype="Float64"),
            "s": pandas.array(["01730", None], dtype="string"), "c": pandas.Categorical([7, None]),
            "d": pandas.Categorical([date(2024, 2, 29), None]), "t": pandas.to_datetime(["2024-02-29", None]),
            "o": pandas.Series([1, None], dtype=object), "p": pandas.arrays.SparseArray([0, 5])})
        wanted = {"i": [LARGE, None], "u": [None, 2**64 - 1], "b": [True, None], "f": [0.5, None], "s": ["01730", None],
                  "c": [7, None], "d": [date(2024, 2, 29), None], "t": [date(2024, 2, 29), None], "o": [1, None], "p": [0, 5]}
        table = hebatch.Table.of(frame)
        self.assertEqual({name: cells(column) for name, column in table.items()}, wanted)
        again = hebatch.Table.of(table.frame())
        self.assertEqual({name: cells(column) for name, column in again.items()}, wanted)

    def test_refused(self):
        for values in (pandas.to_timedelta([1], unit="s"), pandas.period_range("2024-01", periods=1, freq="M"),
                       pandas.to_datetime(["2024-01-01"], utc=True), pandas.to_datetime(["2024-01-01 12:00:00.5"]),
                       pandas.cut([1, 2], 1), pandas.Series([1, "a"]), pandas.Series([pandas.Timestamp(1)])):
            self.refuses(values)
        with self.assertRaisesRegex(ValueError, "same name"):
            hebatch.Table.of(pandas.DataFrame([[1, 2]], columns=["a", "a"]))

    @unittest.skipUnless(pyarrow, "no pyarrow")
    def test_of_arrow(self):
        frame = pandas.DataFrame({"i": pandas.array([LARGE, None], dtype="int64[pyarrow]"),
                                  "s": pandas.array(["1", None], dtype="string[pyarrow]"),
                                  "d": pandas.Series([Decimal("1.10"), None], dtype=pandas.ArrowDtype(pyarrow.decimal128(9, 2)))})
        self.assertEqual([cells(column) for column in hebatch.Table.of(frame).values()],
                         [[LARGE, None], ["1", None], [Decimal("1.10"), None]])
        self.refuses(pandas.Series([datetime.time(1)], dtype=pandas.ArrowDtype(pyarrow.time32("s"))))


@unittest.skipUnless(pandas, "no pandas")
class Indices(unittest.TestCase):
    def test_named(self):
        frame = pandas.DataFrame({"a": [1]}, index=pandas.Index([5], name="id"))
        with self.assertWarnsRegex(UserWarning, "the index .id. is no column of the table"):
            hebatch.Table.of(frame)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(list(hebatch.Table.of(frame.reset_index())), ["id", "a"])
            hebatch.Table.of(pandas.DataFrame({"a": [1]}, index=[7]))

    def test_series_of_other_rows(self):
        one = pandas.Series([1, 2], index=[5, 6])
        with self.assertRaisesRegex(ValueError, "columns a and b have different indexes"):
            hebatch.Table.of({"a": one, "b": pandas.Series([3, 4], index=[6, 5])})
        table = hebatch.Table.of({"a": one, "b": pandas.Series([3, 4], index=[5, 6]), "c": [5, 6]})
        self.assertEqual([cells(column) for column in table.values()], [[1, 2], [3, 4], [5, 6]])


@unittest.skipUnless(polars, "no polars")
class Polars(Cases):
    def test_frames(self):
        frame = polars.DataFrame({"i": [LARGE, None], "s": ["01", None], "b": [True, None], "d": [date(2024, 2, 29), None],
                                  "c": polars.Series(["x", None], dtype=polars.Categorical)})
        self.assertEqual([cells(column) for column in hebatch.Table.of(frame).values()],
                         [[LARGE, None], ["01", None], [True, None], [date(2024, 2, 29), None], ["x", None]])
        self.refuses(polars.Series([datetime.timedelta(1)]))


@unittest.skipUnless(pyarrow, "no pyarrow")
class Arrow(Cases):
    def test_carried(self):
        a = pyarrow
        for values, kind, wanted in (
                ([None, 2**64 - 1], a.uint64(), None), ([LARGE, None], a.int64(), None), ([True, None], a.bool_(), None),
                ([None, -5], a.int8(), None), ([0.5, None], a.float32(), None), (["1", None], a.large_string(), None),
                ([Decimal("1.10"), None], a.decimal128(9, 2), None), ([date(2024, 2, 29), None], a.date32(), None),
                ([date(2024, 2, 29), None], a.date64(), None), ([None, None], a.null(), None),
                ([datetime.datetime(2024, 2, 29), None], a.timestamp("us"), [date(2024, 2, 29), None]),
                ([datetime.datetime(2024, 2, 29, 1), None], a.timestamp("us"), None)):
            array = a.chunked_array([a.array(values[:1], kind), a.array(values[1:], kind)])
            self.carries(array, wanted or values, "iubfOM")
            a.parquet.write_table(a.table({"a": array, "b": [1, 2]}), "kind.parquet")
            self.assertEqual(cells(hebatch.Table.read("kind.parquet")["a"]), wanted or values, kind)
        self.carries(a.array([5, None, 5]).dictionary_encode(), [5, None, 5], "i")

    def test_refused(self):
        a = pyarrow
        for values, kind in (([1], a.duration("ms")), ([1], a.time64("us")), ([1], a.timestamp("ms")),
                             ([0], a.timestamp("s", "UTC")), ([b"a"], a.binary()), ([[1]], a.list_(a.int64())),
                             ([{"x": 1}], a.struct([("x", a.int64())]))):
            self.refuses(a.array(values, kind))
            a.parquet.write_table(a.table({"a": a.array(values, kind)}), "refused.parquet")
            with self.assertRaisesRegex(ValueError, "column a"):
                hebatch.convert("refused.parquet", "refused.csv")

    def test_csv_and_back(self):
        table = hebatch.Table({"i": [LARGE, None], "u": [2**64 - 1, 1], "w": [2**70, 3], "b": [True, None], "s": ["01730", "NA"],
                               "n": ["1730", ""], "d": [Decimal("0.10000000000000000001"), Decimal(-5)],
                               "t": [date(2024, 2, 29), None], "r": [0.1, None]})
        table.write("back.csv")
        hebatch.convert("back.csv", "back.parquet")
        again = hebatch.Table.read("back.parquet")
        for name in table:
            self.assertEqual(cells(again[name]), cells(table[name]), name)
        hebatch.convert("back.parquet", "back2.csv")
        with open("back.csv", encoding="utf-8") as one, open("back2.csv", encoding="utf-8") as two:
            self.assertEqual(two.read().replace("-5.00000000000000000000", "-5"), one.read())


class Files(Cases):
    def reads(self, text, **wanted):
        with open("text.csv", "w", encoding="utf-8", newline="") as file:
            file.write(text)
        self.assertEqual({name: cells(column) for name, column in hebatch.Table.read("text.csv").items()}, wanted)

    def test_csv(self):
        self.reads("a;b\r\n1;2,5\r\n", a=[1], b=["2,5"])
        self.reads("sep=;\na;b\n1;2\n", a=[1], b=[2])
        self.reads("a\tb\n1\t\n", a=[1], b=[None])
        self.reads('"sep=;"\n1\n', **{"sep=;": [1]})  # in quotes it is a name
        self.reads('a,b\n1_000,01\n2,10\n', a=["1_000", "2"], b=["01", "10"])
        self.reads('a,b\nNA,"NA"\n"",x\n', a=[None, ""], b=["NA", "x"])
        self.reads('a\n1\n""\n', a=[1, None])
        self.reads("a,b\n9007199254740993,0.5\n0.5,1e3\n", a=[Decimal(9007199254740993), Decimal("0.5")], b=[0.5, 1000.0])
        self.reads("a,b,c\nTrue,2024-02-29,2024-02-30\nfalse,,x\n", a=[True, False], b=[date(2024, 2, 29), None],
                   c=["2024-02-30", "x"])
        self.reads("a,b\n1+2j,1e5000\n-2j,2\n", a=[1 + 2j, -2j], b=[Decimal("1e5000"), 2])

    def test_first_line_of_numbers(self):
        for line in "2020,2021", "1e3,NA", "-1.5,true", "2024-01-31,7", "1+2j,", "007,1", "12:30,+.5", "1e400,1":
            with open("row.csv", "w", encoding="utf-8") as file:
                file.write(line + "\n3,1\n")
            for target in "row.h5:/t", "row2.csv":
                self.assertEqual(command.main(["convert", "row.csv", target]), 65, line)
            with self.assertRaisesRegex(ValueError, "the first line.* has numbers alone"):
                hebatch.Table.read("row.csv")
            self.assertEqual(hebatch.Table.read("row.csv", header="none").rows, 2)
        with open("row.csv", "w", encoding="utf-8") as file:
            file.write("2020,2021\n3,4\n")
        self.assertEqual(command.main(["convert", "row.csv", "names.csv", "--header", "names"]), 0)
        self.assertEqual(command.main(["convert", "row.csv", "none.csv", "--header", "none"]), 0)
        self.assertEqual(command.main(["convert", "row.csv", "other.csv", "--header", "maybe"]), 64)
        self.assertEqual(cells(hebatch.Table.read("names.csv", header="names")["2021"]), [4])
        self.assertEqual(cells(hebatch.Table.read("none.csv")["column2"]), [2021, 4])
        self.assertEqual(command.main(["convert", "none.csv", "none.h5:/t"]), 0)
        self.assertEqual(command.main(["convert", "none.h5:/t", "more.csv", "--header", "none"]), 65)

    def test_csv_refused(self):
        for text in ('a,b\n1,"2\n', 'a,b\n1,2"\n', "a,\n1,2\n", "a,b\n\n1,2\n", "a\n1\r2\n", "a,b\n1,\0\n"):
            with open("bad.csv", "w", encoding="utf-8", newline="") as file:
                file.write(text)
            with self.assertRaises(ValueError, msg=text):
                hebatch.Table.read("bad.csv")
        with gzip.open("bad.csv.gz", "wb") as file:
            file.write("a\n1\n".encode("utf-16"))
        with self.assertRaisesRegex(ValueError, "no UTF-8"):
            hebatch.Table.read("bad.csv.gz")

    def test_hdf5(self):
        for values in ({"a": [2**53 + 1], "b": [0.5]}, {"a": [2**64 - 1], "b": [-1]}, {"a": [1, None]}, {"a": ["1"]},
                       {"a": [True], "b": [1]}, {"a": [Decimal("0.5")]}, {"a": [2**70]}):
            with self.assertRaisesRegex(ValueError, "column [ab]"):
                hebatch.Table(values).write("refused.h5:/t")
        hebatch.Table({"a": [2**63, 1], "b": [1, 2]}).write("large.h5:/t")
        self.assertEqual(cells(hebatch.Table.read("large.h5:/t")["a"]), [2**63, 1])
        hebatch.Table({"a": [True, False]}).write("truth.h5:/t")
        self.assertEqual(hebatch.Table.read("truth.h5:/t")["a"].dtype, bool)
        with h5py.File("said.h5", "w") as file:
            file.create_dataset("m", data=[[45]]).attrs["meanings"] = ["decimals, 1 digit"]
            file.create_dataset("s", data=[45]).attrs["scale_factor"] = 0.1
            file.create_dataset("g", data=numpy.array([1, -9, 3], "i4")).attrs["_FillValue"] = numpy.int32(-9)
            for name, kind, fill in ("p", "i4", -9), ("q", "f4", -9), ("zero", "i4", 0), ("byte", "i1", -127):
                file.create_dataset(name, (3,), kind, fillvalue=fill)[:2] = [1, 0]
            file.create_dataset("f", data=[1.5, -9, 60]).attrs["valid_range"] = [0.0, 50.0]
            file.create_dataset("rounded", data=[2.0**53, 4]).attrs["_FillValue"] = numpy.int64(2**53 + 1)
            file["f"].attrs["_FillValue"], file["f"].attrs["scale_factor"] = numpy.nan, 1.0
            file.create_dataset("w", data=numpy.array([1, 255], "u1")).attrs["_FillValue"] = numpy.int8(-1)
            file.create_dataset("e", data=[1, 0], dtype=h5py.enum_dtype({"no": 0, "01": 1}))
            file["own"], file["linked"] = h5py.SoftLink("/e"), h5py.ExternalLink("large.h5", "t")
            file["twice"] = h5py.SoftLink("/linked")
            file.create_dataset("raw", (1,), "i4", external=[("raw.bin", 0, 4)])[:] = 1
            layout = h5py.VirtualLayout((1,), "i4")
            layout[:] = h5py.VirtualSource(".", "raw", shape=(1,))
            file.create_virtual_dataset("virtual", layout)
            file.create_dataset("unwritten", (4,), "i4")
            file.create_dataset("parts", (4,), "i4", chunks=(2,))[:2] = 1
            file.create_dataset("whole", (5,), "i4", chunks=(2,), compression="gzip")[:] = 1
            file.create_dataset("none", (0,), "i4")
            odd = [("scale_factor", "0.1"), ("scale_factor", [1.0, 10.0]), ("scale_factor", [1.0, 1.0]),
                   ("scale_factor", numpy.array((1, 2), [("a", "i4"), ("b", "i4")])), ("add_offset", "3"),
                   ("_Unsigned", "true"), ("_Unsigned", [1, 1]), ("missing_value", "-999"),
                   ("missing_value", numpy.array([], "i4")), ("_FillValue", h5py.Empty("i4")), ("valid_range", [0]),
                   ("valid_range", [0, 1, 2]), ("valid_min", [2, 3]), ("valid_max", [2, 3]), ("valid_min", "2")]
            for i, (word, value) in enumerate(odd):
                file.create_dataset(f"odd{i}", data=numpy.array([1, 2, 3], "i4")).attrs[word] = value
            file.create_dataset("several", data=numpy.array([-999, 2, 3], "i4")).attrs["missing_value"] = [-999, 3]
            file.create_dataset("one", data=numpy.array([1, 2], "i4")).attrs["scale_factor"] = [1.0]
        with self.assertRaisesRegex(ValueError, "its attribute _FillValue is of another type"):
            hebatch.Table.read("said.h5:/rounded")
        for i, (word, _) in enumerate(odd):
            with self.assertRaisesRegex(ValueError, f"its attribute {word} "):
                hebatch.Table.read(f"said.h5:/odd{i}")
        self.assertEqual(cells(hebatch.Table.read("said.h5:/several")["x1"]), [None, 2, None])
        self.assertEqual(cells(hebatch.Table.read("said.h5:/one")["x1"]), [1, 2])
        self.assertEqual(cells(hebatch.Table.read("said.h5:/p")["x1"]), [1, 0, None])
        self.assertTrue(numpy.isnan(hebatch.Table.read("said.h5:/q")["x1"][2]))
        self.assertEqual(cells(hebatch.Table.read("said.h5:/zero")["x1"]), [1, 0, 0])
        self.assertEqual(cells(hebatch.Table.read("said.h5:/byte")["x1"]), [1, 0, -127])
        for name in "linked", "virtual", "unwritten", "parts", "odd0":
            self.assertEqual(command.main(["convert", f"said.h5:/{name}", "refused.csv"]), 65)
            self.assertFalse(os.path.exists("refused.csv"))
        for name in "linked", "twice", "raw", "virtual":
            with self.assertRaisesRegex(ValueError, "in other files"):
                hebatch.Table.read(f"said.h5:/{name}")
        for name in "unwritten", "parts":
            with self.assertRaisesRegex(ValueError, "never written"):
                hebatch.Table.read(f"said.h5:/{name}")
        self.assertEqual(cells(hebatch.Table.read("said.h5:/own")["x1"]), ["01", "no"])
        self.assertEqual(cells(hebatch.Table.read("said.h5:/whole")["x1"]), [1] * 5)
        self.assertEqual(cells(hebatch.Table.read("said.h5:/none")["x1"]), [])
        for name in "m", "s", "w":
            with self.assertRaises(ValueError):
                hebatch.Table.read(f"said.h5:/{name}")
        self.assertEqual(cells(hebatch.Table.read("said.h5:/e")["x1"]), ["01", "no"])
        self.assertEqual(cells(hebatch.Table.read("said.h5:/g")["x1"]), [1, None, 3])
        self.assertEqual(cells(hebatch.Table.read("said.h5:/f")["x1"]), [1.5, None, None])


class Jobs(Cases):
    """One pair of keys; every table is encrypted and decrypted."""

    def setUp(self):
        self.program = hebatch.Program()
        if not os.path.exists("types-keys"):
            self.program.keygen(params="bfv-4096", out="types-keys")

    def there_and_back(self, values, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.program.encrypt(values, "t.heb", key="types-keys/public.h5", force=True, **options)
            return self.program.decrypt("t.heb", key="types-keys/secret.h5")

    def test_types_are_those_of_the_dataset(self):
        table = self.there_and_back(
            {"n": [7, 8, 9], "zip": ["01730", "1730", " NA"], "kg": [Decimal("1.10"), Decimal("2"), Decimal("-0.5")],
             "on": [True, False, True], "day": [date(2024, 2, 29), date(1969, 12, 31), date(2000, 1, 1)],
             "yes": ["true", "1", "2024-01-01"]}, category=["zip", "yes"], scale={"kg": 100})
        wanted = {"n": [7, 8, 9], "zip": ["01730", "1730", " NA"], "kg": [Decimal("1.1"), Decimal(2), Decimal("-0.5")],
                  "on": [True, False, True], "day": [date(2024, 2, 29), date(1969, 12, 31), date(2000, 1, 1)],
                  "yes": ["true", "1", "2024-01-01"]}
        self.assertEqual({name: cells(column) for name, column in table.items()}, wanted)
        self.assertEqual([column.dtype.kind for column in table.values()], list("iOObMO"))
        self.assertIsInstance(table["kg"][1], Decimal)

    def test_missing(self):
        for values, wanted, options in (
                ([1, None, 3], [1, 3], {}), ([True, None, False], [True, False], {}),
                (["x", None, "NA"], ["x", "NA"], {"category": "a"}), (["x", "?", "y"], ["x", "y"], {"category": "a", "na": "?"}),
                (numpy.ma.array([1, 2], mask=[True, False]), [2], {})):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.program.encrypt({"a": values}, "m.heb", key="types-keys/public.h5", force=True, missing="drop", **options)
                self.assertEqual(cells(self.program.decrypt("m.heb", key="types-keys/secret.h5")["a"]), wanted)
            options.pop("na", None)
            if None in values or "a" not in options.values():
                with self.assertRaises(hebatch.HebatchError):
                    self.program.encrypt({"a": values}, "n.heb", key="types-keys/public.h5", **options)

    def test_numbers_that_are_said_are_missing(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.program.encrypt({"a": [1, -999, 3]}, "s.heb", key="types-keys/public.h5", missing="drop", na="-999")
        self.assertEqual(cells(self.program.decrypt("s.heb", key="types-keys/secret.h5")["a"]), [1, 3])

    def test_texts_are_no_numbers(self):
        for values in ["1730"], ["true"], ["2024-01-01"]:
            with self.assertRaisesRegex(ValueError, "column a has texts"):
                self.program.encrypt({"a": values}, "u.heb", key="types-keys/public.h5")
        with self.assertRaisesRegex(ValueError, "empty text"):
            self.program.encrypt({"a": ["", "x"]}, "u.heb", key="types-keys/public.h5", category="a", missing="drop")
        self.assertEqual(cells(self.there_and_back({"a": ["2024-02-29"]}, date="a")["a"]), [date(2024, 2, 29)])

    def test_digits(self):
        table = self.there_and_back({"big": [123456789012, 5], "n": [1, 2]}, digits="big=1000,5")
        self.assertEqual(cells(table["big"]), [123456789012, 5])
        with self.assertRaises(hebatch.HebatchError):
            self.program.decrypt("t.heb", key="types-keys/secret.h5", columns="none")
        part = self.program.decrypt("t.heb", key="types-keys/secret.h5", columns="n,big", rows="2")
        self.assertEqual({name: cells(column) for name, column in part.items()}, {"n": [2], "big": [5]})

    def test_groups(self):
        question = "g = groupby(x.zip, sum(x.kg), mean(x.n))"
        table = {"zip": ["01730", "1730", "01730"], "kg": [Decimal("1.5"), Decimal("2.25"), Decimal("3")], "n": [1, 2, 4]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.program.keygen(params="bfv-8192", plain_bits=20, out="group-keys", rotations="all", relin=True)
            self.program.encrypt(table, "g.heb", key="group-keys/public.h5", category="zip", scale={"kg": 100})
            self.program.eval(question, {"x": "g.heb"}, {"g": "groups.heb"}, keys="group-keys")
            groups = self.program.decrypt("groups.heb", key="group-keys/secret.h5")
        self.assertEqual([cells(column) for column in groups.values()],
                         [["01730", "1730"], [Decimal("4.5"), Decimal("2.25")], [2.5, 2.0]])

    def test_reals_and_a_model(self):
        with open("net.json", "w", encoding="utf-8") as file:
            file.write('{"kind": "network", "inputs": ["a", "b"], "layers": [{"weights": [[2, -1]], "bias": [0.5]}]}')
        keys = {"keys": "real-keys"}
        self.program.keygen(params="ckks-13", out="real-keys", relin=True)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            self.program.encrypt({"a": [1.5, 2.0], "b": [0.25, -1.0]}, "real.heb", key="real-keys/public.h5")
            self.program.eval(model="net.json", inputs={"x": "real.heb"}, outputs={"y": "scores.heb"}, **keys)
            column, = self.program.decrypt("scores.heb", key="real-keys/secret.h5").values()
            quiet = len(said)
            self.program.decrypt("scores.heb", key="real-keys/secret.h5", progress=lambda progress: None)
        self.assertTrue(numpy.allclose(column, [3.25, 5.5], atol=1e-3), column)
        words = [str(one.message) for one in said if issubclass(one.category, hebatch.HebatchWarning)]
        self.assertTrue(any("approximate values" in line for line in words), words)
        self.assertTrue(any("approximate values" in str(one.message) for one in said[quiet:]), "progress drops a warning")


if __name__ == "__main__":
    os.mkdir("types")
    os.chdir("types")
    unittest.main()
