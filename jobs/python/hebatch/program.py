"""The program: found, run on one or more ranks, its reports and reasons read."""
import contextlib
import json
import os
import re
import shutil
import warnings

from . import imports, notebook, progress
from .options import option_columns, option_missing, option_scales, option_words, takes_names
from .private import private_folder
from .table import Table, read_known, write_csv
from .words import in_python

# Commands that ranks share; the others run as one process.
PARALLEL = frozenset(["keygen", "encrypt", "eval", "add", "rekey", "refresh", "sanitize", "decrypt", "combine",
                      "verify"])
# Options of the steps of several owners, which run on one rank.
OWNERS = frozenset(["party", "session", "join", "combine"])
# Commands that may be long, and say how long.
LONG = PARALLEL | {"ask"}
WAITS = 66  # the code of a step of several owners that has to wait for others
# Options that take tables.
TABLES = frozenset(["against", "plain_table", "table"])


class HebatchWarning(UserWarning):
    """A warning of a command that ended well: a line of the program."""


class HebatchError(RuntimeError):
    """A command that did not end well: `code`, its exit code (`hebatch help codes`); `reason`, its line, in which its
    options are arguments."""

    def __init__(self, command, code, reason):
        super().__init__(f"hebatch {command}: {reason} (exit code {code})")
        self.command, self.code, self.reason = command, code, reason


class Program:
    """hebatch on this machine. `path`: of the program; else $HEBATCH, else `hebatch` of PATH. `ranks`: of every command
    that ranks can share, begun by `launcher`, in whose words {ranks} stands for the number. `progress`: True says on
    stderr how long and how much, and shows a bar; None, the default, does so for long jobs alone, and False for none; a
    function gets a hebatch.Progress now and then. Each method takes `progress` for itself, too."""

    def __init__(self, path=None, ranks=1, launcher=("mpirun", "-n", "{ranks}"), progress=None):
        self.path = path or os.environ.get("HEBATCH") or shutil.which("hebatch")
        if self.path is None:
            raise FileNotFoundError("hebatch is not on the PATH; Program(path=...) or HEBATCH says where it is")
        self.ranks, self.launcher, self.progress = ranks, tuple(launcher), progress

    def __repr__(self):
        return f"Program({str(self.path)!r}{f', ranks={self.ranks}' if self.ranks != 1 else ''})"

    def run(self, command, *arguments, **options):
        """Runs a command to its end and returns its report, a dict (hebatch COMMAND --json; notebook.Report). HebatchError; a
        HebatchWarning of each line that it warns of. An argument, an option or what a dict names in one may be a table
        (Table.of), as in run("params", "suggest", "n = sum(x.age)", table={"x": frame})."""
        with Files(options) as files:
            if command == "verify" and arguments and is_table_said(options.get("against")):
                files.like = self._meanings(path_of(arguments[0], "argument 1"))
            arguments = [files.name(one, f"argument {i + 1}") if is_table(one) else os.fspath(one)
                         for i, one in enumerate(arguments)]
            named = {name: files.option(name, value) for name, value in list(options.items())}
            if command == "params" and options.get("model") is not None:
                named.setdefault("scheme", "ckks")  # models are of reals
            return self._start(command, arguments, {**options, **named}, files)

    def _start(self, command, arguments, options, files):
        """The same of words alone, which may name tables in `files`."""
        shown = options.get("progress")
        if shown is None or isinstance(shown, bool) or callable(shown):
            options = {name: value for name, value in options.items() if name != "progress"}
            shown = self.progress if shown is None else shown
            shown = False if shown is None and command not in LONG else shown
        else:
            shown = False  # the time between lines, as the program has it
        logs = shown is not False
        options = {**options, **({"progress": progress.INTERVAL} if logs else {"quiet": True})}
        words = [self.path, command, *arguments, *option_words(options, takes_names(command, arguments)), "--json"]
        if self.ranks > 1 and command in PARALLEL and not (command == "keygen" and OWNERS & options.keys()):
            words = [word.format(ranks=self.ranks) for word in self.launcher] + words
        code, document, lines = progress.run(words, shown, lambda line: in_python(files.said(line)))
        waits = code == WAITS and '"waiting"' in document
        if code != 0 and not waits:
            said = [line for line in lines if line.startswith(f"hebatch {command}: ")]
            said = said or [line for line in lines if line.startswith("hebatch")]
            reason = (said or lines or ["it said nothing"])[-1]
            raise HebatchError(command, code, in_python(files.said(reason.removeprefix(f"hebatch {command}: "))))
        report = notebook.report_of(json.loads(files.said(document)) if document.strip() else {})
        # With progress there is a log between the warnings.
        for line in report.warnings if logs else said_of(lines):
            warnings.warn(in_python(line), HebatchWarning, stacklevel=3)
        return report

    def keygen(self, **options):
        """Makes a pair of keys, or more keys of a pair: keygen(params="bfv-8192", out="keys", for_="y = a*b"). Or a step of
        keys of several owners: keygen(join="joint", key="alice/party.h5") and so on, as hebatch help owners has them.
        Where the step has to wait, the report has what for: `waiting`."""
        return self.run("keygen", **options)

    def encrypt(self, table, output, key, **options):
        """Encrypts a table: the name of a file as on the command line, or anything of which Table.of makes one; that is
        written to a private folder on the way, which is removed. Types are those of the table: texts are read as
        something else only where an option says so of their column (category, date, scale, digits). With append=True
        rows go behind those of a dataset, which has said it already."""
        with Files(options) as files:
            if options.get("append") and is_table_said(table):
                files.like = self._meanings(path_of(output, "output"))
            name = files.name(table, "the table")
            return self._start("encrypt", [name, path_of(output, "output")], {"key": key, **options}, files)

    def eval(self, expression=None, inputs=None, outputs=None, **options):
        """Computes an expression, or a model: model="net.json", a hebatch.Model, a dict with the members of a model's
        file, or a model of scikit-learn or torch. inputs, outputs: dicts of names; inputs are datasets or plain tables,
        of which some may be arrays. A model reads x and makes y. TypeError and ValueError name the argument."""
        inputs, outputs = inputs or {}, outputs or {}
        check_eval(expression, options.get("model"), inputs, outputs)
        with Files(options) as files:
            words = [] if expression is None else [expression]
            words += [f"{name}={files.name(table, f'the table of {name}')}" for name, table in inputs.items()]
            words += [f"{name}={path_of(file, f'outputs[{name!r}]')}" for name, file in outputs.items()]
            named = {name: files.option(name, value) for name, value in list(options.items())}
            return self._start("eval", words, {**options, **named}, files)

    def decrypt(self, dataset, key, **options):
        """Decrypts a dataset into a Table, by a file in a private folder, which is removed. Its columns have the types
        that the dataset says: labels are texts, dates days, times seconds, decimals decimal.Decimal, integers exact.
        With dry_run=True it returns the report."""
        with private_folder() as folder, Files(options) as files:
            name = os.path.join(folder, "table.csv")
            files.words[name] = "the table"
            report = self._start("decrypt", [path_of(dataset, "dataset"), name], {"key": key, **options}, files)
            return report if options.get("dry_run") else read_known(name, report["table_column"])

    def refresh(self, dataset, output, keys, **options):
        """Gives a dataset of integers more noise budget: the same values in another dataset, by passes of bootstrapping
        under parameters called int-..., with the keys that keygen(bootstrap=True) made. Returns the report, whose
        "passes" say the budget before and behind each: refresh("y.heb", "z.heb", keys="keys")."""
        return self.run("refresh", path_of(dataset, "dataset"), path_of(output, "output"), keys=keys, **options)

    def part(self, dataset, output, key, session, inputs=None, *, sum=None, recompute=None, keys=None, trust=False,
             to=None, owners=None, rows=None, columns=None, new_ledger=False, **options):
        """Makes one owner's part of a decryption under keys of several owners, a folder, for the dataset of this
        `sum`: part("g.heb", "g-alice.part", key="alice/party.h5", session="joint", sum="5f0c..").

        In the place of `sum`: recompute="g = sum(a)", inputs={"a": "a.heb"}, keys="keys" computes it again. Inputs are
        as those of eval; where the expression has several results, inputs={..., "g": "g.heb"} names those that were
        stored, too. trust=True takes the dataset as it is: who made it up learns the owner's secret.

        to="receiver/public.h5": for the owner of that key, who alone opens what parts add up to. `owners`: names of
        those who decrypt, where not all do, the same for each part. `rows`, (FIRST, LAST), and `columns`, a list: these
        alone, the same for each part. `new_ledger`: begins a ledger where the old one is lost, and nobody has a part."""
        inputs = inputs or {}
        check_part(inputs, sum, recompute, trust)
        said = {"sum": sum, "recompute": recompute, "keys": keys, "trust": trust, "to": to, "owners": owners,
                "rows": rows, "columns": columns, "new_ledger": new_ledger, **options}
        with Files(said) as files:
            words = [f"{name}={files.name(table, f'the table of {name}')}" for name, table in inputs.items()]
            words += [path_of(dataset, "dataset"), path_of(output, "output")]
            named = {name: files.option(name, value) for name, value in list(said.items())}
            return self._start("decrypt", words, {"part": True, "key": key, "session": session, **said, **named}, files)

    def combine(self, dataset, parts, output=None, **options):
        """Decrypts a dataset under keys of several owners into a Table, by the parts of all: names of files, or a
        pattern of them. Types are those of decrypt. Parts that are for the owner of a key make a dataset under that
        key, with output="for-receiver.heb", and this returns the report."""
        names = [parts] if isinstance(parts, (str, os.PathLike)) else parts
        words = [path_of(dataset, "dataset"), *(path_of(part, "parts") for part in names)]
        if output is not None:
            return self.run("combine", *words, path_of(output, "output"), **options)
        with private_folder() as folder, Files(options) as files:
            name = os.path.join(folder, "table.csv")
            files.words[name] = "the table"
            words = [*words, name]
            report = self._start("combine", words, options, files)
            return report if options.get("dry_run") else read_known(name, report["table_column"])

    def _meanings(self, dataset):
        """The columns of a dataset, with what their numbers mean, as a new table for it has them; None where it has no
        names, {} where there is no dataset, which the program says then."""
        try:
            table = self.run("info", dataset).get("table")
        except HebatchError:
            return {}
        named = isinstance(table, dict) and table.get("named")
        return {one["name"]: one.get("meaning") or {} for one in table["column"]} if named else None

    def info(self, path):
        """Describes a dataset, a key file or a folder of keys: returns a dict, for a dataset a hebatch.Dataset."""
        return self.run("info", path)


def said_of(lines):
    """The lines of a program that was to say warnings alone."""
    return [line.removeprefix("hebatch: ").removeprefix("warning: ") for line in lines if line.startswith("hebatch: ")]


def path_of(value, argument):
    """The name of a file; TypeError, naming the argument."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{argument}: the name of a file, not {type_of(value)}")
    return os.fspath(value)


def type_of(value):
    return "None" if value is None else f"a value of type {type(value).__name__}"


def check_eval(expression, model, inputs, outputs):
    """Refuses arguments of eval that are something else; TypeError or ValueError, naming the argument."""
    if expression is not None and not isinstance(expression, str):
        raise TypeError(f"expression: a text, not {type_of(expression)}; a model is model=...")
    if expression is None and model is None:
        raise ValueError("expression: there is none, and no model=... in its place")
    if expression is not None and not expression.strip():
        raise ValueError("expression: it is empty" + ("; leave it out where model=... says what is computed" if model
                                                      else ", and model=... is not given"))
    if expression is not None and model is not None:
        raise ValueError("expression: model=... stands in its place; leave one of them out")
    for argument, value in (("inputs", inputs), ("outputs", outputs)):
        if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
            raise TypeError(f"{argument}: a dict of names, as {{'x': 'x.heb'}}, not {type_of(value)}")


def check_part(inputs, sum, recompute, trust):
    """Refuses arguments of part that do not go together; TypeError or ValueError, naming the argument."""
    if not isinstance(inputs, dict) or not all(isinstance(name, str) for name in inputs):
        raise TypeError(f"inputs: a dict of names, as {{'x': 'x.heb'}}, not {type_of(inputs)}")
    if (sum is not None) + (recompute is not None) + bool(trust) != 1:
        raise ValueError("sum=..., recompute=... or trust=True: Program.part takes one of them")
    if inputs and recompute is None:
        raise ValueError("inputs: they are for recompute=..., which is not given")
    for name in inputs:
        if re.fullmatch(r"[A-Za-z_]\w*", name) is None:
            raise ValueError(f"inputs: {name!r} is no name of an expression")


class Files:
    """Tables by the names of files: their own, or of files in private folders, which are removed at the end."""

    def __init__(self, options, texts=False):
        """`texts`: columns of texts are taken without a word of what they are."""
        self.options, self.texts, self.stack, self.words = options, texts, contextlib.ExitStack(), {}
        self.like = None  # columns of a dataset that says how tables are read (Program._meanings)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        return self.stack.__exit__(*failure)

    def name(self, table, words, stem="table"):
        """The name of a table: its own, or of a file STEM.csv that has what Table.of makes of it, and is `words` in
        messages."""
        if isinstance(table, (str, os.PathLike)):
            return os.fspath(table)
        options, table = self.options, self.table(table, words)
        name = self.new_name(f"{stem}.csv", words)
        if all(re.fullmatch(r"[-+.,:/() 0-9eEij]+", name) for name in table):
            options.setdefault("header", "names")  # numbers are taken for a row
        scales = {**option_scales(options), **scales_of(self.like or {})}
        write_csv(table, name, sorted(option_missing(options)), scales)
        return name

    def table(self, table, words):
        """The Table of what is `words` in messages."""
        try:
            table = Table.of(table)
            if not self.texts:
                check_texts(table, self.options, self.like)
        except ValueError as error:
            raise ValueError(f"{words}: {error}") from None
        return table

    def new_name(self, name, words):
        """The name of a new file in a private folder, which is `words` in messages."""
        name = os.path.join(self.stack.enter_context(private_folder()), name)
        self.words[name] = words
        return name

    def option(self, name, value):
        """An option's value, with a name in the place of a table or a model: table={"x": frame}, against=frame."""
        if name == "model" and value is not None and not isinstance(value, (str, os.PathLike)):
            file = self.new_name("model.json", "the model")
            imports.write_model(value, file)
            return file
        if name not in TABLES:
            return value
        if isinstance(value, dict) and name != "against":
            return {one: self.name(of, f"{name}[{one!r}]") if is_table_said(of) else of for one, of in value.items()}
        return self.name(value, name) if is_table_said(value) else value

    def said(self, line):
        """A line or a report of the program, where tables have the caller's words instead of names of files."""
        for name, words in self.words.items():
            line = line.replace(name, json.dumps(words)[1:-1])
        return line


def is_table(value):
    """Whether a value is what Table.of takes and no option is: all but dicts, whose place says what they are."""
    return isinstance(value, Table) or hasattr(value, "columns") or hasattr(value, "to_pydict") or (
        hasattr(value, "__array__") and getattr(value, "ndim", 0) > 0)


def is_table_said(value):
    """Whether a value that stands in the place of a table is one in memory."""
    return is_table(value) or isinstance(value, dict)


def scales_of(meanings):
    """The scales of decimals of a dataset, by column."""
    return {name: int(meaning["scale"]) for name, meaning in meanings.items() if meaning.get("scale")}


def check_texts(table, options, like=None):
    """Whether each column of texts that is read is said to be something, by an option or by the dataset that the table
    is like; a text that looks like a number is none."""
    labels = set(option_columns(options, "category"))
    said = labels | set(option_columns(options, "date", "scale", "digits", "time_of_day"))
    read = set(option_columns(options, "columns")) or set(table)
    if like is not None:
        labels |= {name for name, meaning in like.items() if meaning.get("kind") == "category"}
        said |= labels | {name for name, meaning in like.items() if meaning.get("kind") in ("date", "time", "decimal")}
        said |= {name for name in table if f"{name}.0" in like}  # digits of it
        read &= set(like) | said
    for column in sorted(read & set(table)):
        texts = [cell for cell in table[column] if isinstance(cell, str)] if table[column].dtype.kind == "O" else []
        if texts and column not in said:
            raise ValueError(f"column {column} has texts" + (
                ", and the dataset has numbers there" if like is not None else
                ": make numbers or dates of them, leave it out, or say what they are by one of these arguments: date, "
                "time_of_day, scale, digits, or category, which makes labels of them, and labels are PUBLIC"))
        if column in labels and "" in texts:
            raise ValueError(f"column {column}: an empty text is no label; None is a missing cell")
