#!/usr/bin/env python3
"""A job that begins and ends in Python: run it as it is, or cell by cell in an editor that knows # %%.

usage: python-client.py [FOLDER]    (PYTHONPATH=jobs/python, or `pip install jobs/python`; the program on the PATH, or in
HEBATCH)

All of it stays in FOLDER, ./python-client if none is said, which is to be a new one. Needs numpy."""
# %% The owner's table: who, how old, and the pressure of the blood before and after
import os
import sys

import numpy

import hebatch

if sys.argv[1:] in (["-h"], ["--help"]):
    sys.exit(print(__doc__))
folder = sys.argv[1] if len(sys.argv) == 2 else "python-client"  # what runs cells has options of its own
try:
    os.makedirs(folder)
except FileExistsError:
    print("python-client: %s is there: name another FOLDER, its keys are not overwritten" % folder, file=sys.stderr)
    sys.exit(73)
os.chdir(folder)
random = numpy.random.default_rng(1)
age = random.integers(18, 95, 5000)
before = random.normal(125, 12, 5000).round().astype(int)
after = before - random.integers(-5, 20, 5000)

# %% The owner makes keys and encrypts; secret.h5 never leaves this side
owner = hebatch.Program()
question = "drop = sum(x.before - x.after); squares = sum(square(x.before - x.after)); load = x.age + 2*x.after"
owner.keygen(params="bfv-8192", plain_bits=30, out="keys", for_=question)
owner.encrypt({"age": age, "before": before, "after": after}, "x.heb", key="keys/public.h5",
              range={"age": (0, 120), "before": (60, 250), "after": (60, 250)})
print("encrypted:", owner.info("x.heb")["table"]["rows"], "rows")

# %% Anyone who computes has the folder of keys without secret.h5; what may not be exact is refused before it starts
server = hebatch.Program(ranks=1)
outputs = {"drop": "drop.heb", "squares": "squares.heb", "load": "load.heb"}
report = server.eval(question, {"x": "x.heb"}, outputs, keys="keys")
print("computed on", report["device"]["kind"], "in", round(report["seconds"], 2), "s")

# %% The owner decrypts: numpy arrays; .frame() makes DataFrames of them
drop = owner.decrypt("drop.heb", key="keys/secret.h5")["drop"][0]
squares = owner.decrypt("squares.heb", key="keys/secret.h5")["squares"][0]
load = owner.decrypt("load.heb", key="keys/secret.h5")["load"]
mean = drop / len(age)
print(f"the pressure fell by {mean:.2f} on average, standard deviation {(squares / len(age) - mean**2) ** 0.5:.2f}")

# %% The same in the clear
assert drop == (before - after).sum()
assert squares == ((before - after) ** 2).sum()
assert numpy.array_equal(load, age + 2 * after)
print("equal to the plain computation")
