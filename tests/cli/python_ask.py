"""hebatch.ask of jobs/python against pandas, in the folder where it is started."""
import decimal
import os
import unittest
import warnings

import numpy

import hebatch

try:
    import pandas
except ImportError:
    pandas = None


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

    def test_types_are_those_of_meanings(self):
        table = {"key": pandas.array([True, False, None, True], dtype="boolean"), "kg": [1.25, 2.5, 7, None],
                 "born": numpy.array(["2001-01-03", "2001-01-02", "2001-01-03", "2001-01-03"], "datetime64[D]")}
        got = hebatch.ask("g = groupby(key, sum(kg), mean(kg where kg > 2)); d = groupby(born, count()); m = mean(kg)",
                          table, dir="meanings")
        self.assertEqual(got["g"]["key"].tolist(), [False, True])
        self.assertEqual(got["g"]["key"].dtype, bool)
        self.assertEqual(got["g"]["sum(kg)"].tolist(), [decimal.Decimal("2.5"), decimal.Decimal("1.25")])
        self.assertEqual(got["g"].iloc[:, 2].dtype, numpy.float64)
        self.assertEqual(got["g"].iloc[0, 2], 2.5)
        self.assertTrue(numpy.isnan(got["g"].iloc[1, 2]))  # a mean of no rows
        self.assertEqual(got["d"]["born"].dtype.kind, "M")
        self.assertEqual(got["d"]["born"].tolist(), [pandas.Timestamp("2001-01-02"), pandas.Timestamp("2001-01-03")])
        self.assertEqual(got["m"]["m"].dtype, numpy.float64)

    def test_missing_cells(self):
        self.frame.loc[[3, 7, 20], "kg"] = numpy.nan
        got = hebatch.ask("m = mean(kg); n = count(kg > 80); a = sum(age)", self.frame, dir="missing")
        self.assertAlmostEqual(got["m"][0], self.frame["kg"].mean())
        self.assertEqual(got["n"][0], (self.frame["kg"] > 80).sum())
        self.assertEqual(got["a"][0], self.frame["age"].sum())  # of all rows

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

    def test_refused(self):
        for kind, words, call in (
                (ValueError, "question: a text", lambda: hebatch.ask("", self.frame)),
                (ValueError, "table: 'a b' is no name", lambda: hebatch.ask("sum(x.y)", {"a b": self.frame})),
                (ValueError, "the table of h: column t", lambda: hebatch.ask("sum(h.t)", {"h": {"t": [b"x"]}})),
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
