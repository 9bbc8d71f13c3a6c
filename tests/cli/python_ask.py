"""hebatch.ask of jobs/python against pandas, in the folder where it is started."""
import decimal
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import warnings

import numpy

import hebatch

try:
    import pandas
except ImportError:
    pandas = None


def descendants(pid):
    """The processes that a process has started, and theirs."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += [int(child), *descendants(int(child))]
    return found


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@unittest.skipUnless(pandas, "no pandas")
class Ask(unittest.TestCase):
    def setUp(self):
        chance = numpy.random.default_rng(3)
        self.frame = pandas.DataFrame({
            "ward": chance.choice(["Surgery", "Heart, acute", "Eyes"], 60), "age": chance.integers(0, 100, 60),
            "kg": numpy.round(chance.uniform(40, 120, 60), 1)})

    def test_groups(self):
        got = hebatch.ask("groupby(ward, count(), mean(age))", self.frame, dir="groups")
        wanted = self.frame.groupby("ward")["age"].agg(["count", "mean"])
        self.assertEqual(list(got.columns), ["ward", "count", "mean(age)"])
        self.assertEqual(got["ward"].tolist(), wanted.index.tolist())
        self.assertEqual(got["count"].tolist(), wanted["count"].tolist())
        self.assertTrue(numpy.allclose(got["mean(age)"], wanted["mean"]))
        made = got.attrs["hebatch"]
        self.assertTrue(os.path.isdir(made["keys"]) and made["encrypted"])
        # Asked again of an equal table, nothing is encrypted again.
        again = hebatch.ask("groupby(ward, count(), mean(age))", self.frame.copy(), dir="groups")
        self.assertTrue(again.equals(got))
        self.assertEqual(again.attrs["hebatch"], made)

    def test_labels_are_texts(self):
        table = {"zip": ["01730", "2", "2"], "code": ["1e5", "2", "2"], "room": ["1", "2", "2"], "x": [4, 4, 4]}
        got = hebatch.ask("zips = groupby(zip, count(), mean(x)); codes = groupby(code, count()); "
                          "rooms = groupby(room, count())", table, category=["zip", "code", "room"], dir="labels")
        for name, key in (("zips", "zip"), ("codes", "code"), ("rooms", "room")):
            self.assertEqual(dict(zip(got[name][key], got[name]["count"])), {table[key][0]: 1, "2": 2})
            self.assertTrue(pandas.api.types.is_string_dtype(got[name][key].dtype), key)
            self.assertEqual(got[name]["count"].dtype, numpy.int64)
        self.assertEqual(got["zips"]["mean(x)"].dtype, numpy.float64)
        self.assertEqual(got["zips"]["mean(x)"].tolist(), [4.0, 4.0])

    def test_money_is_exact(self):
        cents = [decimal.Decimal("1.10"), decimal.Decimal("2.25")]
        for table, options in (({"kg": cents}, {}), ({"kg": [1.1, 2.25]}, {"scale": "kg=100"})):
            got = hebatch.ask("s = sum(kg)", table, dir="money", **options)
            self.assertEqual(got["s"].tolist(), [decimal.Decimal("3.35")])

    def test_types_are_those_of_meanings(self):
        table = {"key": pandas.array([True, False, None, True], dtype="boolean"), "kg": [1.25, None, 7, 1.5],
                 "born": numpy.array(["2001-01-03", "2001-01-02", "2001-01-03", "2001-01-03"], "datetime64[D]")}
        got = hebatch.ask("g = groupby(key, sum(kg), mean(kg)); d = groupby(born, count()); m = mean(kg)",
                          table, dir="meanings")
        self.assertEqual(got["g"]["key"].tolist(), [False, True])
        self.assertEqual(got["g"]["key"].dtype, bool)
        self.assertEqual(got["g"]["sum(kg)"].tolist(), [0.0, 2.75])
        self.assertEqual(got["g"]["sum(kg)"].dtype, numpy.float64)
        self.assertEqual(got["g"].iloc[:, 2].dtype, numpy.float64)
        self.assertTrue(numpy.isnan(got["g"].iloc[0, 2]))  # a mean of no rows
        self.assertEqual(got["g"].iloc[1, 2], 1.375)
        self.assertEqual(got["d"]["born"].dtype.kind, "M")
        self.assertEqual(got["d"]["born"].tolist(), [pandas.Timestamp("2001-01-02"), pandas.Timestamp("2001-01-03")])
        self.assertEqual(got["m"]["m"].dtype, numpy.float64)

    def test_missing_cells(self):
        self.frame.loc[[3, 7, 20], "kg"] = numpy.nan
        got = hebatch.ask("m = mean(kg); n = count(kg > 80); a = sum(age); c = count(age); k = count(kg); "
                          "w = count(ward)", self.frame, dir="missing")
        self.assertAlmostEqual(got["m"][0], self.frame["kg"].mean())
        self.assertEqual(got["n"][0], (self.frame["kg"] > 80).sum())
        self.assertEqual(got["a"][0], self.frame["age"].sum())  # of all rows
        self.assertEqual([got[c][0] for c in "ckw"], [self.frame[c].count() for c in ("age", "kg", "ward")])

    def test_columns_made_of_others(self):
        got = hebatch.ask("groupby(group, count(), count(heart))", self.frame, dir="made",
                          derive=["group=bin(age, 0..17, 18..64, 65..)", "heart=ward == 'Heart, acute'"])
        groups = pandas.cut(self.frame["age"], [-1, 17, 64, 200], labels=["0..17", "18..64", "65.."])
        hearts = (self.frame["ward"] == "Heart, acute").groupby(groups, observed=False)
        self.assertEqual(got["group"].tolist(), ["0..17", "18..64", "65.."])
        self.assertEqual(got["count"].tolist(), hearts.size().tolist())
        self.assertEqual(got["count(heart)"].tolist(), hearts.sum().tolist())

    def test_several_tables(self):
        wards = {"ward": ["Surgery", "Heart, acute", "Eyes"], "beds": [20, 7, 4]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = hebatch.ask("s = sum(lookup(h.ward, w))", {"h": self.frame, "w": wards}, dir="several")
        self.assertEqual(got["s"][0], self.frame["ward"].map(dict(zip(*wards.values()))).sum())

    def test_texts_are_labels(self):
        """All texts, even those that look like numbers, in the order of the categories that rows have."""
        room = pandas.Categorical(["b", "a", "b"], ["z", "b", "a"])
        zips = pandas.Categorical(["2", "01730", "2"], ["2", "01730"])
        table = pandas.DataFrame({"pad": ["a", " x ", "a"], "say it": ["a", '"q",', "a"], "zip": zips, "room": room})
        got = hebatch.ask("p = groupby(pad, count()); s = groupby(\"say it\", count()); z = groupby(zip, count()); "
                          "r = groupby(room, count())", table, dir="texts")
        self.assertEqual(dict(zip(got["p"]["pad"], got["p"]["count"])), {"a": 2, " x ": 1})
        self.assertEqual(dict(zip(got["s"]["say it"], got["s"]["count"])), {"a": 2, '"q",': 1})
        self.assertEqual([got["z"]["zip"].tolist(), got["z"]["count"].tolist()], [["2", "01730"], [2, 1]])
        self.assertEqual([got["r"]["room"].tolist(), got["r"]["count"].tolist()], [["b", "a"], [2, 1]])

    def test_long_job_says_how_long(self):
        """By one that the program foresees to be long; it is stopped by the first phase."""
        told = []

        def note(progress):
            told.append(progress)
            if progress.verb == "phase" and progress.done == 2:
                raise KeyError("enough")

        with self.assertRaises(KeyError):
            hebatch.ask("count(kg > 80)", self.frame, dir="long", progress=note)
        self.assertRegex("\n".join(one.line for one in told if one.verb == "expected"),
                         r"about [0-9.]+ (second|minute)s? for your 60 rows, .*; keys [0-9.]+ [MG]iB")
        self.assertEqual((told[-1].total, told[-1].thing), (5, "makes keys"))

    def test_one_question_at_a_time(self):
        """In a folder; a question that Python is told to end leaves neither commands nor plain tables."""
        home = pathlib.Path.cwd() / "plain"
        home.mkdir()
        script = ("import hebatch; hebatch.ask('count(kg > 80)', {'kg': [80.25, 3.5] * 300}, dir='twice', "
                  "progress=lambda progress: print(progress.verb, progress.done, flush=True))")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True, env={**os.environ, "TMPDIR": str(home)}) as asked:
                for line in asked.stdout:
                    if line == "phase 2\n":
                        break
                if number == signal.SIGTERM:
                    with self.assertRaisesRegex(hebatch.HebatchError, 'another question.*another folder: dir="twice-2"'):
                        hebatch.ask("mean(age)", self.frame, dir="twice")
                while len(command := descendants(asked.pid)) < 2:  # keygen is about to be started
                    time.sleep(0.05)
                asked.send_signal(number)
                asked.wait()
            while any(is_running(one) for one in command):
                time.sleep(0.1)
            self.assertEqual(len(list(home.iterdir())), 1 if number == signal.SIGKILL else 0)
        os.environ["TMPDIR"], tempfile.tempdir = str(home), None
        try:  # removes what a killed one has left
            self.assertEqual(hebatch.ask("sum(age)", {"age": [1, 2]}, dir="twice")["answer"].tolist(), [3])
        finally:
            del os.environ["TMPDIR"]
            tempfile.tempdir = None
        self.assertEqual(list(home.iterdir()), [])

    def test_refused(self):
        for kind, words, call in (
                (ValueError, "question: a text", lambda: hebatch.ask("", self.frame)),
                (ValueError, "table: 'a b' is no name", lambda: hebatch.ask("sum(x.y)", {"a b": self.frame})),
                (ValueError, "the table of h: column t", lambda: hebatch.ask("sum(h.t)", {"h": {"t": [b"x"]}})),
                (ValueError, "column c: an empty text is no label", lambda: hebatch.ask("count(c)", {"c": ["a", ""]})),
                (ValueError, "column c has 300 different texts.*category='c'",
                 lambda: hebatch.ask("groupby(c, count())", {"c": [f"{i:03}" for i in range(300)], "x": [1] * 300})),
                (ValueError, "column c has texts in one table and other values",
                 lambda: hebatch.ask("sum(lookup(h.c, w))", {"h": {"c": ["1", "2"]}, "w": {"c": [1, 2], "d": [4, 5]}})),
                (ValueError, "dry_run, out", lambda: hebatch.ask("mean(age)", self.frame, out="x.csv"))):
            with self.assertRaisesRegex(kind, words):
                call()
        with self.assertRaises(hebatch.HebatchError) as refused:
            hebatch.ask("mean(agee)", self.frame, dir="none")
        self.assertEqual(refused.exception.code, 64)
        self.assertIn("did you mean age?", refused.exception.reason)
        self.assertNotIn("table.csv", refused.exception.reason)
        self.assertFalse(os.path.exists("none"))


if __name__ == "__main__":
    unittest.main()
