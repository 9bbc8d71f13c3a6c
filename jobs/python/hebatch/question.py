"""A question about a table, answered by the program in one command (`hebatch ask`)."""
import decimal
import os
import re

from . import text
from .options import column_word, option_columns, option_missing, option_texts, takes_names
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


def categories_of(table):
    """{column: its categories in order} of the columns of texts that are categorical ones of pandas."""
    if hasattr(table, "iloc"):
        table = {str(name): table.iloc[:, i] for i, name in enumerate(table.columns)}
    types = {str(name): getattr(column, "dtype", None) for name, column in table.items()} if isinstance(table, dict) else {}
    return {name: list(kind.categories) for name, kind in types.items()
            if hasattr(kind, "ordered") and all(isinstance(one, str) for one in kind.categories)}


def reads(question, column):
    """Whether a question may read a column: its name stands there outside texts, in quotes or as a word, which is no
    function's."""
    outside = re.sub(r"'[^']*'", "", question)
    return f'"{column}"' in outside or re.search(rf"(?<!\w){re.escape(column)}(?!\w)(?!\s*\()", outside) is not None


def reads_whole(question, table):
    """Whether a question may read all columns of a table: its name stands there without a column behind it."""
    outside = re.sub(r"'[^']*'|\"[^\"]*\"", "", question)
    return re.search(rf"(?<![\w.]){re.escape(table)}(?!\w)(?!\s*\.)", outside) is not None


class Texts:
    """The columns of texts that the question may read, which are categories, whatever their cells look like."""
    MOST_LABELS = 256  # as jobs/ask/labels.c

    def __init__(self, question, options):
        self.question = question
        self.said = set(option_columns(options, "category", "date", "scale", "digits", "time_of_day", "percent"))
        self.folds = bool(options.get("fold"))
        self.missing = lambda column: option_missing(options, column)
        self.labels, self.order, self.others, self.read = {}, {}, set(), set()

    def add(self, words, table, order, whole):
        """Takes the columns of a Table, all of which are read if `whole`; ValueError, naming the column, for what cannot
        be labels."""
        for name, array in table.items():
            self.read |= {name} if whole or reads(self.question, name) else set()
            cells = array.tolist() if array.dtype.kind == "O" else []
            labels = {cell for cell in cells if isinstance(cell, str)} - self.missing(name)
            if not labels:
                self.others |= {name} if array.dtype.kind != "O" or any(cell is not None for cell in cells) else set()
                continue
            if "" in labels and name not in self.said and reads(self.question, name):
                raise ValueError(f"{words}: column {name}: an empty text is no label; None is a missing cell")
            # An option for a column holds in all tables.
            self.order[name] = order.get(name) if name not in self.labels else None
            self.labels[name] = self.labels.get(name, set()) | labels
            if len(labels) > self.MOST_LABELS and name not in self.said and reads(self.question, name):
                raise ValueError(f"{words}: column {name} has {len(labels)} different texts, which would become PUBLIC: if "
                                 f"they may, say category={column_word(name)!r}")

    def words(self):
        """The words of the argument `category` for them."""
        columns = [name for name in self.labels if name not in self.said and name in self.read]
        for name in columns:
            if name in self.others and reads(self.question, name):
                raise ValueError(f"column {name} has texts in one table and other values in another, and options for a "
                                 f"column hold in all tables: rename one of the columns")
        columns = [name for name in columns if name not in self.others and "" not in self.labels[name]]
        return [column_word(name) + self.listed(name) for name in columns]

    def listed(self, name):
        """The labels that rows have, in the order of the categories."""
        order = None if self.folds else self.order[name]
        if order is None or len(self.labels[name]) > self.MOST_LABELS:
            return ""
        return "=" + ",".join(text.quoted(label) for label in order if label in self.labels[name])


def has_decimals(array):
    return array.dtype.kind == "O" and any(isinstance(cell, decimal.Decimal) for cell in array.tolist())


def frame_of(answer, exact):
    """The DataFrame of one answer of `hebatch ask --json`, whose columns are what the program says that they are; not
    `exact`: decimals are doubles."""
    fields = zip(*answer["rows"]) if answer["rows"] else [()] * len(answer["columns"])
    kinds = ["real" if kind == "decimal" and not exact else kind for kind in answer["kinds"]]
    made = [text.made(kind, [field_of(cell) for cell in column]) for kind, column in zip(kinds, fields)]
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
    Texts are categories, whose labels are PUBLIC, as are least and greatest values: everybody who gets the encrypted
    table can read them. attrs["hebatch"] of a DataFrame says which keys and encrypted tables were used.

    Columns of the answer have the types that the program says: labels are texts, in the order of the categories where
    the column was a categorical one of pandas, else in that of their bytes; truth values bool, dates datetime64, means
    doubles. Sums of columns with digits behind the point are doubles, as those of pandas. They are decimal.Decimal, as
    exact as they were computed, where `scale` is given or a column has decimal.Decimal."""
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
        words, texts, exact = [question], Texts(question, options), options.get("scale") is not None
        for name, one in tables_of(table):
            called = "the table" if name is None else f"the table of {name}"
            if not isinstance(one, (str, os.PathLike)):
                order, one = categories_of(one), files.table(one, called)
                texts.add(called, one, order, name is not None and reads_whole(question, name))
                exact = exact or any(has_decimals(array) for array in one.values())
            file = files.name(one, called, name or "table")
            words.append(file if name is None else f"{name}={file}")
        labels = [*option_texts("category", options.get("category"), takes_names("ask", words)), *texts.words()]
        report = program._start("ask", words, {**options, "category": labels}, files)
    said = {member: report[member] for member in ("question", "keys", "encrypted")}
    answers = {name: frame_of(answer, exact) for name, answer in report["answer"].items()}
    for frame in answers.values():
        frame.attrs["hebatch"] = said
    return next(iter(answers.values())) if len(answers) == 1 else answers
