"""hebatch.ask of jobs/python against pandas, in the folder where it is started."""
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
