"""A question about a table, answered by the program in one command (`hebatch ask`)."""
import re

from . import text
from .program import Files, Program
from .table import Table


def tables_of(table):
    """[(name or None, table)] of what `ask` was given; TypeError or ValueError, naming the argument."""
    if isinstance(table, dict) and any(is_whole(one) for one in table.values()):
        for name in table:
            if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*", name):
                raise ValueError(f"table: {name!r} is no name of a table")
        return list(table.items())
    return [(None, table)]


def is_whole(value):
    """Whether a value of a dict is a table, and no column: a file, a Table, a DataFrame or a dict."""
    return isinstance(value, (str, dict, Table)) or hasattr(value, "__fspath__") or hasattr(value, "columns")


def field_of(cell):
    """A cell of JSON as a field that `text.made` reads; None where it is missing."""
    return cell if cell is None or isinstance(cell, str) else repr(cell)


def frame_of(answer):
    """The DataFrame of one answer of `hebatch ask --json`, whose columns are what the program says that they are."""
    fields = zip(*answer["rows"]) if answer["rows"] else [()] * len(answer["columns"])
    made = [text.made(kind, [field_of(cell) for cell in column]) for kind, column in zip(answer["kinds"], fields)]
    frame = Table(dict(enumerate(made))).frame()  # two columns may have one name
    frame.columns = answer["columns"]
    return frame


def ask(question, table, program=None, **options):
    """Answers a question about a table, such as ask("groupby(ward, count(), mean(age))", frame): finds parameters, makes
    keys, encrypts, computes without the secret key, and decrypts. Returns a DataFrame, or, where the question has
    answers of several kinds, a dict of them by name.

    `table`: a file, or anything of which Table.of makes a table; a dict of such makes several, and columns are then
    NAME.COLUMN. None, NaN and NaT are missing cells: aggregates skip them, and their rows stay. `options`: those of
    `hebatch ask`, as dir="answers", where keys, encrypted tables and readable answers stay (hebatch-ask); progress.
    Texts are read as categories, whose labels are PUBLIC, as are least and greatest values: everybody who gets the
    encrypted table can read them. attrs["hebatch"] of a DataFrame says which keys and encrypted tables were used."""
    try:
        import pandas  # noqa: F401
    except ImportError as error:
        raise ImportError("ask returns a DataFrame of pandas: pip install pandas") from error
    if not isinstance(question, str) or not question.strip():
        raise ValueError("question: a text such as 'mean(age)'")
    if options.get("dry_run") or options.get("out"):
        raise ValueError("dry_run, out: ask returns the answer; Program.run('ask', ...) takes all options")
    program = program or Program()
    with Files(options, texts=True) as files:
        words = [question]
        for name, one in tables_of(table):
            file = files.name(one, "the table" if name is None else f"the table of {name}", name or "table")
            words.append(file if name is None else f"{name}={file}")
        report = program._start("ask", words, options, files)
    said = {member: report[member] for member in ("question", "keys", "encrypted")}
    answers = {name: frame_of(answer) for name, answer in report["answer"].items()}
    for frame in answers.values():
        frame.attrs["hebatch"] = said
    return next(iter(answers.values())) if len(answers) == 1 else answers
