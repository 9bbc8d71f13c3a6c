"""Options of jobs/python in all the forms that Python has for them, tables like those of a dataset, and the words of
messages; in the folder where it is started."""
import datetime
import glob
import os
import pathlib
import re
import unittest
import warnings
from decimal import Decimal

import numpy

try:
    import pandas
except ImportError:
    pandas = None

import hebatch
from hebatch import options, words
from hebatch.options import option_columns, option_missing, option_scales, option_words, takes_names

JOBS = os.path.join(os.path.dirname(hebatch.__file__), os.pardir, os.pardir)


def rows_of_options():
    """(name, kind) of every option of the program."""
    for name in glob.glob(os.path.join(JOBS, "**", "*.c"), recursive=True):
        with open(name, encoding="utf-8") as file:
            yield from re.findall(r"""\{"([a-z][a-z-]*)",\s*(?:0|'.'),\s*HB_OPTION_(\w+)""", file.read())


class Words(unittest.TestCase):
    def test_forms(self):
        """A text, a dict and a list of the same are the same words."""
        labels = "--category=ward"
        for given, wanted in (
                ({"category": "ward"}, [labels]), ({"category": {"ward": None}}, [labels]),
                ({"category": ["ward"]}, [labels]),
                ({"category": "ward=A,B"}, ["--category=ward=A,B"]),
                ({"category": {"ward": "A,B"}}, ["--category=ward=A,B"]),
                ({"category": {"ward": ["A", "B"], "sex": ("f", 'm, "x"')}},
                 ['--category=ward="A","B"', '--category=sex="f","m, ""x"""']),
                ({"category": {"birth ward": numpy.array(["A"])}}, ['--category="birth ward"="A"']),
                ({"date": "born,died"}, ["--date=born,died"]), ({"date": ["born", "died"]}, ["--date=born,died"]),
                ({"date": ("born", "day, of death")}, ['--date=born,"day, of death"']),
                ({"columns": ["age", "2", 2]}, ['--columns=age,"2",2']),
                ({"columns": {"x": 3, "y": 4}}, ["--columns=x=3,y=4"]),
                ({"fold": ["a", "b"]}, ["--fold=a,b"]), ({"percent": ["a"]}, ["--percent=a"]),
                ({"scale": {"kg": 10, "price net": 100}}, ['--scale=kg=10,"price net"=100']),
                ({"scale": ["kg=10", "p=100"]}, ["--scale=kg=10,p=100"]),
                ({"missing": {"kg": "drop", "n": 0, "w": "none, of it", "v": '"drop"'}},
                 ['--missing=kg=drop,n=0,w="none, of it",v="drop"']),
                ({"na": "?,none"}, ["--na=?,none"]), ({"na": ["?", "kg=none"]}, ["--na=?", "--na=kg=none"]),
                ({"na": {"kg": ["?", "no, none"]}}, ['--na=kg="?","no, none"']),
                ({"digits": {"id": 256, "no": (100, 4)}}, ["--digits=id=256", "--digits=no=100,4"]),
                ({"derive": {"old": "age >= 65", "g h": "bin(age, 0..9)"}},
                 ["--derive=old=age >= 65", '--derive="g h"=bin(age, 0..9)']),
                ({"pair": {"z": ("a", "b c")}}, ['--pair=z=a,"b c"']),
                ({"time_of_day": {"came": "minutes"}}, ["--time-of-day=came=minutes"]),
                ({"decimal": {"kg": "comma"}}, ["--decimal=kg=comma"]),
                ({"range": {"age": (0, 120), "kg": [0.5, 9]}}, ["--range=age=0..120,kg=0.5..9"]),
                ({"range": [0, 9]}, ["--range=0..9"]),
                ({"range": {"born": (datetime.date(1900, 1, 1), numpy.datetime64("2024-02-29"))}},
                 ["--range=born=1900-01-01..2024-02-29"]),
                ({"range": ["a=0..9", "b=0..5"]}, ["--range=a=0..9,b=0..5"]),
                ({"range": "measured"}, ["--range=measured"]),
                ({"rows": (3, 5)}, ["--rows=3..5"]), ({"owners": ["alice", "bob-2"]}, ["--owners=alice,bob-2"]),
                ({"cards": [pathlib.Path("a.h5"), "b.h5"]}, ["--cards=a.h5", "--cards=b.h5"]),
                ({"bits": [45, 46]}, ["--bits=45,46"]), ({"rotations": numpy.array([1, 2])}, ["--rotations=1,2"]),
                ({"table": {"x": pathlib.Path("x.csv")}}, ["--table=x=x.csv"]), ({"date": []}, [])):
            self.assertEqual(option_words(given), wanted, given)

    def test_names_of_tables(self):
        given = {"range": {"a.x": (0, 1), "a.b c": (0, 2), "a.2": (0, 3), "b c": (0, 4)}}
        self.assertEqual(option_words(given), ['--range=a.x=0..1,a."b c"=0..2,a.2=0..3,"b c"=0..4'])
        self.assertEqual(option_words(given, dotted=False), ['--range="a.x"=0..1,"a.b c"=0..2,"a.2"=0..3,"b c"=0..4'])
        self.assertEqual([takes_names("ask", ["mean(age)", "a.csv"]), takes_names("ask", ["mean(p.age)", "p=a.csv"]),
                          takes_names("encrypt", []), takes_names("eval", [])], [False, True, False, True])

    def test_refused(self):
        for given, argument in (({"category": {"ward": {"A", "B"}}}, "category"), ({"scale": {"kg": [1, 2]}}, "scale"),
                                ({"range": {"x": {"age": (0, 9)}}}, "range"), ({"range": {"age": (0, 1, 2)}}, "range"),
                                ({"date": {"born": True}}, "date"), ({"date": [None]}, "date"),
                                ({"date": {"a"}}, "date"),
                                ({"category": {"ward": []}}, "category"), ({"missing": {"kg": None}}, "missing")):
            with self.assertRaisesRegex(TypeError, f"^{argument}"):
                option_words(given)

    def test_columns_that_are_said(self):
        for given in {"ward": ["A"]}, "ward=A", ["ward=A"], '"ward"="A, =B"', {"ward": None}, ["ward"]:
            self.assertEqual(option_columns({"category": given}, "category"), ["ward"], given)
        self.assertEqual(option_columns({"date": ["born", "a, b"], "scale": {"kg": 10}}, "date", "scale"),
                         ["born", "a, b", "kg"])
        for given in {"kg": 10, "a b": 100}, 'kg=10,"a b"=100', ["kg=10", '"a b"=100']:
            self.assertEqual(option_scales({"scale": given}), {"kg": 10, "a b": 100})
        for given in {"kg": ["?", "a,b"]}, ['kg=?,"a,b"'], 'kg="?","a,b"':
            self.assertEqual(option_missing({"na": given}, "kg"), {"?", "a,b"})
            self.assertEqual(option_missing({"na": given}, "age"), set())
        self.assertEqual(option_missing({"na": "?,none"}, "age"), {"?", "none"})

    def test_the_program_has_these(self):
        """Options that repeat, and flags, are those of the program."""
        rows = set(rows_of_options())
        self.assertGreater(len(rows), 100)
        self.assertEqual({name for name, kind in rows if kind == "TEXTS"}, set(options.REPEATED))
        valued = {name for name, kind in rows if kind != "FLAG"}
        flags = {name for name, kind in rows if kind == "FLAG"} - valued
        self.assertEqual(flags - words.FLAGS, set())
        self.assertEqual(words.FLAGS & valued, {"seal", "verbose"})  # keygen has --seal as a flag

    def test_messages(self):
        for line, wanted in (
                ("y.heb: keys of several owners have no secret key: decrypt --part",
                 "y.heb: keys of several owners have no secret key: Program.part(...)"),
                ("--part needs --sum, --recompute or --trust",
                 "Program.part(...) needs sum=..., recompute=... or trust=True"),
                ("--to and --sum are of a part: give --part",
                 "to=... and sum=... are of a part, which Program.part(...) makes"),
                ("opens them: give OUT.heb in the place of a table, and", 'opens them: give output="OUT.heb", and'),
                ("make a table: give TABLE.csv, or have them made with --to",
                 "make a table: leave out output=..., or have them made with to=..."),
                ("add y=OUT.heb", 'add outputs={"y": "OUT.heb"}'),
                ("bind it, x=IN.heb", 'bind it, inputs={"x": "IN.heb"}'),
                ("add --table x=FILE", 'add table={"x": "FILE"}'),
                ("make it again with eval --compact off", 'make it again with Program.eval(compact="off")'),
                ("encrypt --append puts rows there", "Program.encrypt(append=True) puts rows there"),
                ("sanitize --open makes them", 'Program.run("sanitize", open=True) makes them'),
                ("keygen and params suggest --scheme ckks; or",
                 'keygen and Program.run("params", "suggest", scheme="ckks"); or'),
                ("which keygen --for makes", "which Program.keygen(for_=...) makes"),
                ("run hebatch keygen --combine joint --out K", "run hebatch keygen --combine joint --out K")):
            self.assertEqual(words.in_python(line), wanted)


class Jobs(unittest.TestCase):
    def setUp(self):
        self.program = hebatch.Program()
        if not os.path.exists("keys"):
            self.program.keygen(params="bfv-8192", out="keys")

    def encrypt(self, table, name, **options):
        return self.program.encrypt(table, name, key="keys/public.h5", **options)

    def decrypt(self, name, **options):
        return self.program.decrypt(name, key="keys/secret.h5", **options)

    table = {"ward": ["B", "A"], "kg": [1.5, 0.1], "birth date": ["2020-01-01", "2021-02-03"],
             "died": ["2024-01-01", "2024-02-29"], "n": [-1, 4], "id": [123456, 7]}
    said = {"category": {"ward": ["A", "B", "C, or D"]}, "scale": {"kg": 10}, "date": ["birth date", "died"],
            "digits": {"id": 100}, "range": {"n": (0, 9), "birth date": ["1900-01-01", "2100-01-01"]},
            "missing": {"n": "mask"},
            "na": {"n": ["-1"]}}

    def test_dicts_and_lists(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", hebatch.HebatchWarning)
            self.encrypt(self.table, "said.heb", derive={"kilos heavy": "kg >= 1"}, **self.said)
        columns = {one["name"]: one for one in self.program.info("said.heb")["table"]["column"]}
        self.assertEqual(columns["ward"]["meaning"]["labels"], ["A", "B", "C, or D"])
        self.assertEqual(columns["n"]["values"], {"least": "0", "most": "9"})
        made = self.decrypt("said.heb", columns=["kilos heavy", "birth date", "ward"], rows=(1, 2))
        self.assertEqual(made["ward"].tolist(), ["B", "A"])
        self.assertEqual(made["kilos heavy"].tolist(), [True, False])
        self.assertEqual(made["birth date"].astype(str).tolist(), self.table["birth date"])
        self.assertEqual(self.decrypt("said.heb")["kg"].tolist(), [Decimal("1.5"), Decimal("0.1")])

    @unittest.skipUnless(pandas, "no pandas")
    def test_question(self):
        table = {"ward no": ["B", "A", "B"], "sex": ["f", "m", "f"], "age": [40, 50, 60]}
        answer = hebatch.ask('groupby("ward no", mean(age))', table, category={"ward no": ["B", "A"]},
                             range={"age": [0, 120]})
        self.assertEqual(answer.iloc[:, 0].tolist(), ["B", "A"])
        self.assertEqual(answer.iloc[:, 1].tolist(), [50, 50])
        answer = hebatch.ask("sum(p.age)", {"p": table}, range={"p.age": (0, 120)})
        self.assertEqual(answer.iloc[0, 0], 150)

    def test_append(self):
        """What the dataset says need not be said again, neither of rows behind it nor of what it is compared with."""
        plain = {name: values for name, values in self.table.items() if name != "n"}
        said = {name: value for name, value in self.said.items() if name not in ("range", "missing", "na", "digits")}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", hebatch.HebatchWarning)
            self.encrypt(plain, "a.heb", digits={"id": (100, 3)}, **said)
            more = {**plain, "ward": ["C, or D", "A"], "kg": [0.3, 2.0]}
            self.assertEqual(self.encrypt(more, "a.heb", append=True)["appended"], 2)
            self.assertEqual(self.decrypt("a.heb")["ward"].tolist(), ["B", "A", "C, or D", "A"])
            self.assertEqual(self.decrypt("a.heb")["kg"].tolist(),
                             [Decimal(text) for text in ("1.5", "0.1", "0.3", "2")])
            whole = {name: [*plain[name], *more[name]] for name in plain}
            self.program.run("verify", "a.heb", key="keys/secret.h5", against=whole)
            with self.assertRaises(hebatch.HebatchError) as refused:
                self.program.run("verify", "a.heb", key="keys/secret.h5", against={**whole, "ward": ["A"] * 4})
            self.assertEqual(refused.exception.code, 1)  # they differ
            with self.assertRaises(hebatch.HebatchError) as refused:
                self.encrypt({**plain, "ward": ["A", "X"]}, "a.heb", append=True)
            self.assertIn('category="ward=', refused.exception.reason)
            with self.assertRaisesRegex(ValueError, "the table: column id2 has texts.*numbers there"):
                self.encrypt({"id2": [1, 2]}, "b.heb")
                self.encrypt({"id2": ["1", "2"]}, "b.heb", append=True)
            with self.assertRaises(hebatch.HebatchError) as refused:
                self.encrypt(plain, "none.heb", append=True)
            self.assertIn("none.heb", refused.exception.reason)


if __name__ == "__main__":
    unittest.main()
