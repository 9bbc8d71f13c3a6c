"""The program: found, run on one or more ranks, its reports and reasons read."""
import contextlib
import json
import os
import shutil
import subprocess
import tempfile

from .table import Table

# Those that ranks share; the others run as one process.
PARALLEL = frozenset(["keygen", "encrypt", "eval", "decrypt", "verify"])


class HebatchError(RuntimeError):
    """A command that did not end well: `code`, its exit code as `hebatch help codes` lists them; `reason`, its line."""

    def __init__(self, command, code, reason):
        super().__init__(f"hebatch {command}: {reason} (exit code {code})")
        self.command, self.code, self.reason = command, code, reason


def option_words(options):
    """Options as words of a command line: keep="1m" is --keep=1m, True the bare option, None and False none.
    A list repeats its option; a dict is NAME=VALUE,..., and a pair in it LEAST..MOST, as --range has it; for_ is --for."""
    words = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        for one in value if isinstance(value, list) else [value]:
            if one is None or one is False:
                continue
            words.append(option if one is True else f"{option}={option_text(one)}")
    return words


def option_text(value):
    if isinstance(value, dict):
        return ",".join(f"{name}={option_text(of)}" for name, of in value.items())
    if isinstance(value, tuple):
        least, most = value
        return f"{least}..{most}"
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


class Program:
    """hebatch on this machine. `path`: of the program; else $HEBATCH, else `hebatch` of PATH. `ranks`: of every command
    that ranks can share, begun by `launcher`, in whose words {ranks} stands for the number."""

    def __init__(self, path=None, ranks=1, launcher=("mpirun", "-n", "{ranks}")):
        self.path = path or os.environ.get("HEBATCH") or shutil.which("hebatch")
        if self.path is None:
            raise FileNotFoundError("hebatch is not on the PATH; Program(path=...) or HEBATCH says where it is")
        self.ranks, self.launcher = ranks, tuple(launcher)

    def run(self, command, *arguments, **options):
        """Runs a command to its end and returns its report, a dict (hebatch COMMAND --json). HebatchError."""
        words = [self.path, command, *map(os.fspath, arguments), *option_words(options), "--json", "--quiet"]
        if self.ranks > 1 and command in PARALLEL:
            words = [word.format(ranks=self.ranks) for word in self.launcher] + words
        ended = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            said = [line for line in ended.stderr.splitlines() if line.startswith("hebatch")]
            reason = (said or ended.stderr.splitlines() or ["it said nothing"])[-1]
            raise HebatchError(command, ended.returncode, reason.removeprefix(f"hebatch {command}: "))
        return json.loads(ended.stdout) if ended.stdout.strip() else {}

    def keygen(self, **options):
        """Makes a pair of keys, or more keys of a pair: keygen(params="bfv-8192", out="keys", for_="y = a*b")."""
        return self.run("keygen", **options)

    def encrypt(self, table, output, key, **options):
        """Encrypts a table: the name of a file as on the command line, or anything of which Table.of makes one; that is
        written to a private folder on the way, which is removed."""
        with named(table) as name:
            return self.run("encrypt", name, output, key=key, **options)

    def eval(self, expression, inputs, outputs, **options):
        """Computes. inputs, outputs: dicts of names; inputs are datasets or plain tables, of which some may be arrays."""
        with contextlib.ExitStack() as stack:
            words = [f"{name}={stack.enter_context(named(table))}" for name, table in inputs.items()]
            words += [f"{name}={os.fspath(file)}" for name, file in outputs.items()]
            return self.run("eval", expression, *words, **options)

    def decrypt(self, dataset, key, **options):
        """Decrypts a dataset into a Table, by a file in a private folder, which is removed."""
        with private_folder() as folder:
            name = os.path.join(folder, "table.csv")
            self.run("decrypt", dataset, name, key=key, **options)
            return Table.read(name)

    def info(self, path):
        """What a dataset, a key file or a folder of keys is: a dict."""
        return self.run("info", path)


@contextlib.contextmanager
def private_folder():
    """A folder for plaintext that only its owner reads (0700), in TMPDIR; removed with all that is in it."""
    with tempfile.TemporaryDirectory(prefix="hebatch-") as folder:
        yield folder


@contextlib.contextmanager
def named(table):
    """The name of a table: its own, or of a file in a private folder that has what Table.of makes of it."""
    if isinstance(table, (str, os.PathLike)):
        yield os.fspath(table)
        return
    with private_folder() as folder:
        name = os.path.join(folder, "table.csv")
        Table.of(table).write(name)
        yield name
