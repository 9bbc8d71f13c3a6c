"""hebatch from Python: tables go in and come out as numpy arrays, DataFrames or files; the program does the rest.

    import hebatch
    program = hebatch.Program()                              # `hebatch` of PATH, or what HEBATCH names
    program.keygen(params="bfv-8192", out="keys", for_="n = sum(x)")
    program.encrypt({"age": [41, 63, 50]}, "x.heb", key="keys/public.h5")
    program.eval("n = sum(x)", keys="keys", inputs={"x": "x.heb"}, outputs={"n": "n.heb"})
    program.decrypt("n.heb", key="keys/secret.h5")["n"]      # array([154])

    hebatch.ask("mean(age)", {"age": [41, 63, 50]})          # all of it at once, a DataFrame
"""
from .imports import from_sklearn, from_torch
from .models import Model
from .notebook import Dataset, Report
from .program import HebatchError, HebatchWarning, Program
from .progress import Progress
from .question import ask
from .table import Table, convert

__all__ = ["Dataset", "HebatchError", "HebatchWarning", "Model", "Program", "Progress", "Report", "Table", "ask",
           "convert", "from_sklearn", "from_torch"]
