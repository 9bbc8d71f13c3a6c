"""Keys of several owners by jobs/python: the example of its README, steps that wait, parts with all that they take, and
the words of refusals; in the folder where it is started."""
import os
import re
import unittest
import warnings

import hebatch

README = os.path.join(os.path.dirname(hebatch.__file__), os.pardir, "README.md")
OWNERS = ["alice", "bob", "carol"]
SMALL = {"n": 1024, "bits": [45, 45, 45, 45, 46], "plain_bits": 17, "insecure": True}


class Example(unittest.TestCase):
    def test_three_owners(self):
        with open(README, encoding="utf-8") as file:
            blocks = re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL)
        blocks = [block for block in blocks if "party=" in block]
        self.assertEqual(len(blocks), 1)
        os.mkdir("example")
        os.chdir("example")
        try:
            last = blocks[0].rstrip().rsplit("\n", 1)
            self.assertIn("# array([154])", last[1])
            said = {}
            exec(compile(f"{last[0]}\nmade = {last[1]}\n", README, "exec"), said)
            self.assertEqual(said["made"].tolist(), [154])
        finally:
            os.chdir(os.pardir)


class Steps(unittest.TestCase):
    def setUp(self):
        self.program = hebatch.Program()
        self.caught = warnings.catch_warnings()
        self.caught.__enter__()
        warnings.simplefilter("ignore", hebatch.HebatchWarning)  # insecure parameters
        self.addCleanup(self.caught.__exit__, None, None, None)

    def join(self, owner, **options):
        return self.program.keygen(join="joint", key=f"{owner}/party.h5", insecure=True, **options)

    def part(self, owner, dataset="n.heb", output=None, **options):
        return self.program.part(dataset, output or f"n-{owner}.part", key=f"{owner}/party.h5", session="joint",
                                 **options)

    def refused(self, code, words, call, *arguments, **options):
        with self.assertRaises(hebatch.HebatchError) as refused:
            call(*arguments, **options)
        self.assertEqual(refused.exception.code, code, refused.exception)
        self.assertIn(words, refused.exception.reason)
        self.assertNotRegex(refused.exception.reason, "(^|[ (])--[a-z]|decrypt part=|OUT[.]heb in the place")

    def run_to(self, end, **options):
        """Every owner again and again, until the report of all has this; the reports of those who had to wait."""
        waits, ended = [], dict.fromkeys(OWNERS, False)
        while not all(ended.values()):
            for owner in OWNERS:
                report = self.join(owner, **options)
                waits += [report] if not report["made"] and not report[end] else []
                ended[owner] = report[end]
        return waits

    def test_steps(self):
        program, cards = self.program, []
        for owner in OWNERS:
            program.keygen(party=owner, out=owner)
            cards.append(f"{owner}/card.h5")
        program.keygen(session="joint", cards=cards, results=100, threshold=2, for_="n = sum(x.age)", **SMALL)
        first, again = self.join("alice"), self.join("alice")
        self.assertEqual((first["made"], first["waiting"]), (["commit-alice.h5"], ["commit-bob.h5", "commit-carol.h5"]))
        self.assertIsInstance(again, hebatch.Report)
        self.assertEqual((again["made"], again["waiting"], again["done"]), ([], first["waiting"], False))
        for shown in True, lambda progress: None:
            self.assertEqual(self.join("alice", progress=shown)["waiting"], first["waiting"])
        self.run_to("done")
        self.refused(66, "none", program.keygen, join="none", key="alice/party.h5")  # a folder that is not there fails
        program.keygen(combine="joint", out="joint-keys")
        for owner in OWNERS:
            self.join(owner, check="joint-keys")
        self.join("alice", trial="joint-keys")
        again = self.join("alice", trial="joint-keys")
        self.assertEqual((again["made"], again["passed"]), ([], False))
        self.assertTrue(again["waiting"])
        self.run_to("passed", trial="joint-keys")
        self.parts()

    def parts(self):
        program = self.program
        program.encrypt({"age": [3, 5, 9], "kg": [7, 8, 9]}, "x.heb", key="joint-keys/public.h5", range=[0, 99])
        program.eval("n = sum(x.age)", {"x": "x.heb"}, {"n": "n.heb"}, keys="joint-keys")
        again = {"recompute": "n = sum(x.age)", "inputs": {"x": "x.heb"}, "keys": "joint-keys"}
        self.refused(64, "Program.part(...)", program.decrypt, "n.heb", key="alice/party.h5")
        self.refused(64, "which Program.part(...) makes", program.decrypt, "n.heb", key="alice/party.h5", sum="00")
        for error, words, options in ((ValueError, "recompute=... or trust=True", {}),
                                      (ValueError, "takes one of them", {"sum": "00", **again}),
                                      (ValueError, "inputs: they are for recompute",
                                       {"sum": "00", "inputs": {"x": "x.heb"}}),
                                      (ValueError, "'a b' is no name", {**again, "inputs": {"a b": "x.heb"}}),
                                      (TypeError, "inputs: a dict", {**again, "inputs": ["x.heb"]})):
            with self.assertRaisesRegex(error, words):
                self.part("alice", **options)
        pair = ["alice", "bob"]
        self.assertTrue(self.part("alice", owners=pair, **again)["recomputed"])
        self.part("bob", owners=pair, sum=program.info("n.heb")["sum"])
        self.assertEqual(program.combine("n.heb", ["n-alice.part", "n-bob.part"])["n"].tolist(), [17])
        self.refused(64, "leave out output=...", program.combine, "n.heb", "n-*.part", output="no.heb")
        for owner in pair:
            self.part(owner, "x.heb", f"x-{owner}.part", owners=pair, trust=True, rows=(2, 3), columns=["age"])
        table = program.combine("x.heb", "x-*.part")
        self.assertEqual({name: column.tolist() for name, column in table.items()}, {"age": [5, 9]})
        self.receiver(pair)
        os.remove(next(os.path.join("alice", name) for name in os.listdir("alice") if name.endswith(".parts")))
        program.encrypt({"age": [1]}, "y.heb", key="joint-keys/public.h5", range=[0, 99])
        self.refused(65, "new_ledger=True", self.part, "alice", "y.heb", "y-alice.part", owners=pair, trust=True)
        self.part("alice", "y.heb", "y-alice.part", owners=pair, trust=True, new_ledger=True)

    def receiver(self, pair):
        program = self.program
        program.keygen(out="receiver", **SMALL)
        program.eval("m = x + x", {"x": "x.heb"}, {"m": "m.heb"}, keys="joint-keys")
        for owner in pair:
            self.part(owner, "m.heb", f"m-{owner}.part", owners=pair, to="receiver/public.h5", recompute="m = x + x",
                      inputs={"x": "x.heb"}, keys="joint-keys")
        self.refused(64, 'give output="OUT.heb"', program.combine, "m.heb", "m-*.part")
        program.combine("m.heb", "m-*.part", output="for-receiver.heb")
        self.assertEqual(program.decrypt("for-receiver.heb", key="receiver/secret.h5")["age"].tolist(), [6, 10, 18])


if __name__ == "__main__":
    unittest.main()
