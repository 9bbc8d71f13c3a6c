"""The promises of jobs/python, in the folder where it is started."""
import dataclasses
import html.parser
import io
import os
import stat
import subprocess
import sys
import unittest
import warnings

import numpy

import hebatch
from hebatch import __main__ as command
from hebatch import progress, words
from hebatch.program import option_words

try:
    import pandas
except ImportError:
    pandas = None
try:
    import pyarrow
except ImportError:
    pyarrow = None


def equal(a, b):
    return list(a) == list(b) and all(numpy.array_equal(a[name], b[name]) for name in a)


class Tables(unittest.TestCase):
    mixed = hebatch.Table({
        "age": [41, -3, 2**62], "dose": [0.1, -1e300, 5e-324], "sex": ["f", 'a "b", c', "line\nend"],
        "ill": [True, False, True], "born": numpy.array(["1998-09-02", "2024-02-29", "1899-12-31"], "datetime64[D]")})
    numbers = hebatch.Table({"a": numpy.arange(7), "b": numpy.arange(7) ** 5 - 3})

    def test_csv_round_trip(self):
        for name in "mixed.csv", "mixed.csv.gz":
            self.mixed.write(name)
            self.assertTrue(equal(hebatch.Table.read(name), self.mixed), name)
            self.assertEqual(stat.S_IMODE(os.stat(name).st_mode), 0o600)
            with self.assertRaises(FileExistsError):
                self.mixed.write(name)

    def test_wide_integers(self):
        table = hebatch.Table({"x": numpy.array([2**127, -(2**127), 0], dtype=object), "y": [2**63, 1, 2**64 - 1]})
        table.write("wide.csv")
        self.assertEqual(hebatch.Table.read("wide.csv")["x"].tolist(), [2**127, -(2**127), 0])
        self.assertEqual(hebatch.Table.read("wide.csv")["y"].dtype, numpy.uint64)

    def test_missing_cells(self):
        hebatch.Table({"x": [1.5, float("nan")], "y": numpy.array([None, "a"], object)}).write("missing.csv")
        with open("missing.csv", encoding="utf-8") as file:
            self.assertEqual(file.read(), 'x,y\n1.5,\n,"a"\n')
        self.assertTrue(numpy.isnan(hebatch.Table.read("missing.csv")["x"][1]))

    def test_hdf5_round_trip(self):
        self.numbers.write("numbers.h5:/some/where")
        self.assertTrue(equal(hebatch.Table.read("numbers.h5:/some/where"), self.numbers))
        with self.assertRaises(ValueError):
            hebatch.Table.read("numbers.h5:/else")
        with self.assertRaises(ValueError):
            self.mixed.write("mixed.h5:/t")

    def test_refused(self):
        for text in "", "a,b\n1\n", "a,a\n1,2\n":
            with open("bad.csv", "w", encoding="utf-8") as file:
                file.write(text)
            with self.assertRaises(ValueError):
                hebatch.Table.read("bad.csv")
        with self.assertRaises(ValueError):
            hebatch.Table({"a": [1, 2], "b": [1]})
        with self.assertRaises(ValueError):
            hebatch.Table.read("table.xls")
        with self.assertRaises(ValueError):
            hebatch.Table({"t": numpy.array(["2020-01-01T12:30:00.5"], "datetime64[ms]")}).write("times.csv")

    @unittest.skipUnless(pyarrow, "no pyarrow")
    def test_parquet_and_arrow(self):
        for name in "mixed.parquet", "mixed.feather":
            self.mixed.write(name)
            self.assertTrue(equal(hebatch.Table.read(name), self.mixed), name)
        hebatch.convert("mixed.parquet", "back.csv")
        self.assertTrue(equal(hebatch.Table.read("back.csv"), self.mixed))
        hebatch.convert("back.csv", "again.parquet")
        self.assertTrue(equal(hebatch.Table.read("again.parquet"), self.mixed))
        nested = pyarrow.table({"a": [[1, 2], [3]]})
        pyarrow.parquet.write_table(nested, "nested.parquet")
        with self.assertRaises(ValueError):
            hebatch.convert("nested.parquet", "nested.csv")
        self.assertFalse(os.path.exists("nested.csv"))

    @unittest.skipUnless(pandas, "no pandas")
    def test_frames(self):
        frame = self.mixed.frame()
        self.assertEqual(list(frame.columns), list(self.mixed))
        self.assertTrue(equal(hebatch.Table.of(frame), self.mixed))

    def test_command(self):
        self.numbers.write("plain.csv")
        self.assertEqual(command.main(["convert", "plain.csv", "converted.h5:/t"]), 0)
        self.assertTrue(equal(hebatch.Table.read("converted.h5:/t"), self.numbers))
        for code, words in ((73, ["convert", "plain.csv", "converted.h5:/t"]), (65, ["convert", "plain.csv", "x.xls"]),
                            (65, ["convert", "nothing.csv", "y.csv"]), (64, ["convert"])):
            ended = subprocess.run([sys.executable, "-m", "hebatch", *words], capture_output=True, check=False)
            self.assertEqual(ended.returncode, code, ended.stderr)


class Options(unittest.TestCase):
    def test_words(self):
        words = option_words({"keep": "1m", "force": True, "wrap": False, "noise": None, "for_": "y = a",
                              "range": {"a.x": (0, 5), "b": (-1, 1)}, "pair": ["z=a,b", "w=c,d"]})
        self.assertEqual(words, ["--keep=1m", "--force", "--for=y = a", "--range=a.x=0..5,b=-1..1",
                                 "--pair=z=a,b", "--pair=w=c,d"])


class Methods(unittest.TestCase):
    def test_document(self):
        folder = os.path.join(os.path.dirname(hebatch.__file__), os.pardir)
        with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
            head = file.read().split("```")[0]
        methods = {name for name in vars(hebatch.Program) if not name.startswith("_")}
        self.assertEqual({word for word in head.split("`")[1::2] if word in methods}, methods)
        self.assertNotIn("every command is", head)

    def test_other_commands(self):
        program = hebatch.Program()
        self.assertIn("params", program.run("params", "show", params="bfv-4096"))


class Page(html.parser.HTMLParser):
    """Elements that are closed in order, and what a reader sees."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen = [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        assert tag in ("table", "thead", "tbody", "tr", "th", "td", "p", "b") and not attributes, (tag, attributes)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.seen.append(data)


class Words(unittest.TestCase):
    def test_options_are_arguments(self):
        for line, wanted in (
                ("--na TEXT names a text, --category c reads all as texts", 'na="TEXT" names a text, category="c" reads all as texts'),
                ("models work on reals; add --scheme ckks", 'models work on reals; add scheme="ckks"'),
                ("leave out --ranks, or load MPI", "leave out ranks=..., or load MPI"),
                ("give --out another name; use --force", "give out=... another name; use force=True"),
                ("as --scale kg=100 --round", 'as scale="kg=100" round=True'),
                ("--derive 'old=age >= 65' makes a column", 'derive="old=age >= 65" makes a column'),
                ("in the place of --for", "in the place of for_=..."),
                ("unknown option '--foo'; --help lists them", "unknown option 'foo'; `hebatch COMMAND --help` lists them"),
                ("unknown option '--parms'; did you mean '--params'?", "unknown option 'parms'; did you mean 'params'?"),
                ("in quotes or --category names all labels", "in quotes or category=... names all labels"),
                ("as --rows-match has it", "as rows_match=True has it"),
                ("run `hebatch ask --ranks 2`, or --n=9", 'run `hebatch ask --ranks 2`, or n="9"'),
                ("this line makes them: hebatch keygen --key k", "this line makes them: hebatch keygen --key k")):
            self.assertEqual(words.in_python(line), wanted)

    def test_workbook(self):
        with self.assertRaisesRegex(ValueError, "w.xlsx: is a workbook: save its sheet as CSV"):
            hebatch.Table.read("w.xlsx")
        with self.assertRaisesRegex(hebatch.HebatchError, "it is a workbook; save its sheet as CSV"):
            hebatch.Program().run("ask", "mean(age)", "w.xlsx")


class Notebook(unittest.TestCase):
    hostile = "<script>alert(1)</script>&\u202e"

    def test_table(self):
        table = hebatch.Table({self.hostile: [self.hostile * 9, None] * 2000, **{f"c{i}": numpy.ma.MaskedArray(
            numpy.arange(4000), numpy.arange(4000) == 1) for i in range(20)}})
        shown = table._repr_html_()
        seen = Page(shown).seen
        self.assertLess(len(shown), 10000)
        self.assertIn("<script>alert(1)</script>&\\u202e", seen)
        self.assertEqual(seen[-1], "4000 rows x 21 columns")
        self.assertIn("9 more", seen)
        self.assertNotIn("None", shown)

    def test_texts(self):
        """Objects say in short what they are; no text of a table or a report breaks the line."""
        self.assertEqual(repr(hebatch.Table({"n": [1]})), "Table(1 row: n)")
        self.assertEqual(repr(hebatch.Table({"n": [1, 2], "m": [0, 0]})), "Table(2 rows: n, m)")
        program = hebatch.Program(path="/bin/hebatch")
        self.assertEqual(repr(program), "Program('/bin/hebatch')")
        self.assertEqual(repr(hebatch.Program(path="/bin/hebatch", ranks=2)), "Program('/bin/hebatch', ranks=2)")
        report = hebatch.Report({"command": "eval", "expression": "n = sum(a.x)", "seconds": 1.234, "sum": "a" * 64,
                                 "times": {"phases": {"read": 1}}, "outputs": [{"name": "n", "file": "n.heb"}],
                                 "warnings": ["one", "two"]})
        self.assertEqual(repr(report), "<Report of eval: question n = sum(a.x); took 1.23 s; sum aaaaaaaaaaaa; result n: n.heb; "
                                       "2 warnings>")
        for wrong in {}, {"command": "a\nb\x1b", "outputs": [7], "warnings": 3}, {"outputs": [{"name": self.hostile}]}:
            shown = repr(hebatch.Report(wrong))
            self.assertTrue(shown.isprintable() and len(shown) < 300, shown)

    def test_reports(self):
        program = hebatch.Program()
        made = program.keygen(params="bfv-4096", out="shown-keys")
        self.assertIsInstance(made, hebatch.Report)
        self.assertEqual(made.warnings, [])
        program.encrypt({self.hostile: [1, 2]}, "shown.heb", key="shown-keys/public.h5", range="0..9")
        shown = program.info("shown.heb")
        self.assertIsInstance(shown, hebatch.Dataset)
        seen = Page(shown._repr_html_()).seen
        for wanted in "bfv-4096, 128 bits of security", "2 rows x 1 column", "0..9", shown["sum"][:12], "<script>alert(1)":
            self.assertTrue(any(wanted in one for one in seen), wanted)
        self.assertNotIn(shown["sum"], seen)
        for wrong in [], {"table": 3}, {"outputs": [7], "warnings": [self.hostile], "params": [], "noise_budget_bits": "x"}:
            Page(hebatch.Report(wrong)._repr_html_() if wrong else hebatch.Report()._repr_html_())
            Page(hebatch.Dataset(wrong or {})._repr_html_())
        # The least of all bits, as certain as the least certain of them; a security that is there.
        for bits, wanted in (({"drawn": 21.0, "expected": 24.0}, "21.0 drawn"), ({"drawn": -3.0}, "none drawn"),
                             ([{"proven": 9.0}, {"drawn": 21.0}], "9.0 drawn"), ([{"proven": 9.0}], "9.0 proven"),
                             ([{"likely": 7.5}, {"proven": 9.0}], "7.5 likely"), ({"assumed": 4.0}, "4.0 assumed")):
            self.assertIn(f"bits of noise budget {wanted}", repr(hebatch.Report(command="eval", noise_budget_bits=bits)))
        weak = {"name": "int-test", "security": 128, "insecure": True}
        for shown in repr(hebatch.Dataset(params=weak)), hebatch.Report(params=weak)._repr_html_():
            self.assertIn("int-test, INSECURE", shown)
            self.assertNotIn("bits of security", shown)


class Progress(unittest.TestCase):
    def test_lines(self):
        for line, wanted in (
                ("hebatch: evaluated 3/12 row blocks (25%) in 4.20 s, 1.2/s, 3.00 MiB/s, ETA 12.6 s, slowest rank 1",
                 ("evaluated", 3, 12, "row blocks", 0.25, 4.2, 12.6)),
                ("hebatch: pass 1 of 2: evaluated 0/1 row block (43%) in 5.00 s, 0.09/s, ETA 6.63 s",
                 ("evaluated", 0, 1, "row block", 0.43, 5.0, 6.63)),
                ("hebatch: encrypted 1.50 k/3.00 M ciphertexts (0%) in 1:02:03, 12 k/s, ETA unknown, 1 of 2 ranks heard",
                 ("encrypted", 1500, 3000000, "ciphertexts", 0, 3723, None)),
                ("hebatch: evaluated 1/1 row block (38%) in 14.3 s, 0.07/s, 529 KiB/s",
                 ("evaluated", 1, 1, "row block", 0.38, 14.3, None)),
                ("hebatch: decrypted 1/1 ciphertext (100%) in 0.00 s, 913/s",
                 ("decrypted", 1, 1, "ciphertext", 1, 0, 0))):
            found = progress.progress_of(line)
            self.assertEqual(dataclasses.astuple(found)[:-1], wanted)
            self.assertEqual("hebatch: " + found.line, line)
        phase = progress.progress_of("hebatch: [4/5] computes without the secret key: 50 %, about 13 seconds left of this phase", 30)
        self.assertEqual(dataclasses.astuple(phase)[:-1], ("phase", 4, 5, "computes without the secret key", 0.7, 30, 13))
        phase = progress.progress_of("hebatch: [4/5] encrypts x.csv: loads keys, 50 %, about 1.6 hours left to load them, 12.0 s so far", 30)
        self.assertEqual(dataclasses.astuple(phase)[:-1], ("phase", 4, 5, "encrypts x.csv", 0.7, 30, 5760))
        phase = progress.progress_of("hebatch: [1/5] finds how to compute it: 14 parameter sets tried", 30)
        self.assertEqual(dataclasses.astuple(phase)[:-1], ("phase", 1, 5, "finds how to compute it", 0, 30, None))
        self.assertEqual(progress.progress_of("hebatch: [2/5] makes keys ...").thing, "makes keys")
        self.assertIsNone(progress.progress_of("hebatch: busy         1 reading 1 %, 1 computing 8 % of the loop"))

    def test_bar(self):
        stream = io.StringIO()
        bar = progress.Bar(stream)
        for line in "hebatch: made 1/2 keys (50%) in 61 s, ETA 3700 s", "hebatch: made 2/2 keys (100%) in 62 s":
            bar(progress.progress_of(line))
        bar.close()
        first, last = stream.getvalue().split("\r")[1:]
        self.assertEqual(first, "[############............]  50 % made 1/2 keys, 1:01 min, 1:01:40 h left")
        self.assertEqual(last.rstrip(), "[########################] 100 % made 2/2 keys, 1:02 min")
        self.assertEqual(len(last) - 1, len(first))

    def test_long_jobs_alone(self):
        """Without a word of the caller a job says how long it takes where that is long."""
        for most, count in ("9 seconds", 0), ("2 minutes", 2):
            stream, teller = io.StringIO(), progress.Teller(None, lambda line: line.replace("9 rows", "all rows"))
            teller.bar.stream = stream
            for line in (f"hebatch: about {most} for your 9 rows; keys 5 MiB", "hebatch: [2/5] makes keys ...",
                         "another line"):
                teller.take(line)
            teller.close()
            self.assertEqual(len(stream.getvalue().split("\r")), max(count, 1))
            self.assertEqual("for your all rows" in stream.getvalue(), count > 0)

    def test_job(self):
        seen, table = [], {"x": numpy.arange(9)}
        program = hebatch.Program(progress=seen.append)
        with self.assertWarnsRegex(hebatch.HebatchWarning, "INSECURE PARAMETERS"):
            program.keygen(n=1024, bits="30,30,31", plain_bits=16, insecure=True, out="told-keys", relin=True)
        for shown in None, False:  # warnings are kept with the progress and without it
            with self.assertWarnsRegex(hebatch.HebatchWarning, "INSECURE PARAMETERS") as warned:
                report = program.encrypt(table, "told.heb", key="told-keys/public.h5", force=True, progress=shown)
            self.assertEqual([str(one.message) for one in warned.warnings], report["warnings"])
        self.assertEqual((seen[-1].share, seen[-1].left, seen[-1].verb), (1, 0, "encrypted"))
        with self.assertRaises(hebatch.HebatchError) as refused:
            program.eval("y = q", {"x": "told.heb"}, {"y": "y.heb"}, keys="told-keys")
        self.assertNotIn("device", refused.exception.reason)

        def stop(progress):
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            program.encrypt(table, "stopped.heb", key="told-keys/public.h5", progress=stop)
        said = subprocess.run([sys.executable, "-W", "ignore", "-c", "import hebatch; hebatch.Program(progress=True).encrypt("
                               "{'x': [1]}, 'bar.heb', key='told-keys/public.h5')"], capture_output=True, check=True)
        self.assertRegex(said.stderr.decode(), r"disk +[0-9.]+ KiB to write, .*\ntime +about .*\n\r\[#+\] 100 % encrypted 1/1 ciphertext, 0 s *\n$")


class Jobs(unittest.TestCase):
    def test_a_job(self):
        program = hebatch.Program()
        report = program.keygen(params="bfv-8192", out="keys", for_="n = sum(x.age); y = 2*x - w")
        self.assertEqual(report["params"]["name"], "bfv-8192")
        ages, doses = numpy.array([41, 63, 50]), numpy.array([-3, 2, 1])
        program.encrypt({"age": ages, "dose": doses}, "x.heb", key="keys/public.h5")
        self.assertEqual(program.info("x.heb")["table"]["rows"], 3)
        program.eval("n = sum(x.age); y = 2*x - w", {"x": "x.heb", "w": {"age": [1], "dose": [5]}},
                     {"n": "n.heb", "y": "y.heb"}, keys="keys")
        self.assertEqual(program.decrypt("n.heb", key="keys/secret.h5")["n"].tolist(), [154])
        result = program.decrypt("y.heb", key="keys/secret.h5")
        self.assertEqual(result["age"].tolist(), (2 * ages - 1).tolist())
        self.assertEqual(result["dose"].tolist(), (2 * doses - 5).tolist())
        tables = [program.encrypt({"age": values}, name, key="keys/public.h5", range={"age": (-3, 63)}) and
                  program.info(name)["table"] for name, values in (("up.heb", ages), ("down.heb", ages - 44))]
        self.assertEqual(tables[0], tables[1])
        self.assertEqual(tables[0]["column"][0]["values"], {"least": "-3", "most": "63"})
        for name, values in ("up.heb", ages), ("down.heb", ages - 44):
            self.assertEqual(program.decrypt(name, key="keys/secret.h5")["age"].tolist(), values.tolist())
        with self.assertRaises(hebatch.HebatchError) as refused:
            program.eval("n = sum(x.q)", {"x": "x.heb"}, {"n": "m.heb"}, keys="keys")
        self.assertEqual(refused.exception.code, 64)
        self.assertIn("'q'", refused.exception.reason)

    def test_several_owners(self):
        program = hebatch.Program()
        os.mkdir("cards")
        owners = ["alice", "bob"]
        for owner in owners:
            self.assertEqual(len(program.keygen(party=owner, out=owner)["fingerprint"].split()), 16)
            os.rename(f"{owner}/card.h5", f"cards/{owner}.h5")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", hebatch.HebatchWarning)  # insecure parameters
            program.keygen(session="joint", cards="cards/*.h5", results=100, n=1024, bits="45,45,45,45,46", plain_bits=17,
                           insecure=True, for_="y = x * x")
            with self.assertRaises(hebatch.HebatchError) as refused:
                program.keygen(combine="joint", out="joint-keys")
            self.assertEqual(refused.exception.code, 66)
            steps = [program.keygen(join="joint", key=f"{owner}/party.h5", insecure=True)
                     for owner in ["alice", "bob", "alice", "bob"]]
            self.assertEqual(steps[0]["waiting"], ["commit-bob.h5"])
            self.assertTrue(steps[3]["done"])
            program.keygen(combine="joint", out="joint-keys")
            for owner in owners:
                program.keygen(join="joint", key=f"{owner}/party.h5", check="joint-keys")
            program.encrypt({"age": [3, 5]}, "a.heb", key="joint-keys/public.h5", range={"age": (0, 99)})
            program.eval("y = x * x", {"x": "a.heb"}, {"y": "square.heb"}, keys="joint-keys")
            with self.assertRaises(hebatch.HebatchError) as refused:
                program.decrypt("square.heb", key="joint-keys/public.h5")
            self.assertEqual(refused.exception.code, 64)
            for owner in owners:
                said = {"sum": program.info("square.heb")["sum"]} if owner == "bob" else {
                    "recompute": "y = x * x", "keys": "joint-keys", "inputs": {"x": "a.heb"}}
                report = program.part("square.heb", f"square-{owner}.part", key=f"{owner}/party.h5", session="joint", **said)
                self.assertEqual(report["recomputed"], owner == "alice")
            with self.assertRaises(hebatch.HebatchError) as refused:
                program.part("square.heb", "no.part", key="alice/party.h5", session="joint", recompute="y = x + x",
                             keys="joint-keys", inputs={"x": "a.heb"})
            self.assertEqual(refused.exception.code, 65)
            with self.assertRaises(TypeError):
                program.part("square.heb", "no.part", key="alice/party.h5", session="joint", inputs=["a.heb"], sum="00")
            self.assertEqual(program.combine("square.heb", "square-*.part")["y"].tolist(), [9, 25])
            program.keygen(out="receiver", n=1024, bits="45,45,45,45,46", plain_bits=17, insecure=True)
            for owner in owners:
                program.part("a.heb", f"a-{owner}.part", key=f"{owner}/party.h5", session="joint", trust=True,
                             to="receiver/public.h5")
            with self.assertRaises(hebatch.HebatchError) as refused:
                program.combine("a.heb", "a-*.part")
            self.assertEqual(refused.exception.code, 64)
            report = program.combine("a.heb", ["a-alice.part", "a-bob.part"], output="for-receiver.heb")
            self.assertEqual(report["parts"], owners)
            self.assertEqual(program.decrypt("for-receiver.heb", key="receiver/secret.h5")["age"].tolist(), [3, 5])

    def test_tables_in_options(self):
        program = hebatch.Program()
        ages = {"age": numpy.array([41, 3, 62])}
        report = program.run("params", "suggest", "n = sum(x.age)", table={"x": ages})
        again = program.run("params", "suggest", "n = sum(x.age)", table={"x": hebatch.Table.of(ages)})
        self.assertEqual(set(report), set(again))
        self.assertIn("table['x']", str(dict(report)))
        self.assertNotIn("table.csv", str(report))
        program.keygen(params="bfv-8192", out="option-keys", for_="y = x")
        program.encrypt(ages, "o.heb", key="option-keys/public.h5")
        program.run("verify", "o.heb", key="option-keys/secret.h5", against=hebatch.Table(ages))
        # Messages name what the caller gave, and no file that the package made of it.
        odd = {"age": numpy.array([1.5, 2])}
        for words, call in (
                ("the table: row 1", lambda: program.encrypt(odd, "p.heb", key="option-keys/public.h5")),
                ("the table of w: row 1", lambda: program.eval("y = x + w", {"x": "o.heb", "w": odd}, {"y": "q.heb"},
                                                               keys="option-keys")),
                ("table['x']: row 1", lambda: program.run("params", "suggest", "n = sum(x)", table={"x": odd}))):
            with self.assertRaises(hebatch.HebatchError) as refused:
                call()
            self.assertIn(words, refused.exception.reason)
            self.assertNotIn("table.csv", refused.exception.reason)
        with self.assertRaisesRegex(ValueError, "the table: column a has texts.* category"):
            program.encrypt({"a": ["x"]}, "p.heb", key="option-keys/public.h5")


if __name__ == "__main__":
    unittest.main()
