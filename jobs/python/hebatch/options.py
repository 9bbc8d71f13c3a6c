"""Options of Python as words of a command line, and what they say of columns."""
import datetime
import os
import re

from .text import quoted

# Options that a command line has once for each thing; it has all others once.
REPEATED = frozenset(["cards", "category", "derive", "digits", "na", "pair"])
# Lists of columns, which have no values.
COLUMN_LISTS = frozenset(["date", "fold", "percent"])
# A dict of these has names of columns. A command of several tables may have NAME.COLUMN there.
BY_COLUMN = frozenset(["category", "decimal", "derive", "digits", "missing", "na", "pair", "range", "scale",
                       "time_of_day"])
# Texts in a list of a column are taken as they are.
EXACT = frozenset(["category", "na"])
PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
WORD = re.compile(r'"((?:[^"]|"")*)"|([^,=]*)')


def option_words(options, dotted=True):
    """Options as words of a command line: keep="1m" is --keep=1m, True the bare option, None and False none; for_ is
    --for. `dotted`: names of columns may be NAME.COLUMN. TypeError, naming the argument."""
    words = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        words += [option if text is True else f"{option}={text}" for text in option_texts(name, value, dotted)]
    return words


def option_texts(name, value, dotted=True):
    """The texts of one option, each of which the command line has behind an option of its own. A dict says something of
    each name in it, a list has several things: category={"ward": ["A", "B"]}, scale={"kg": 10}, date=["born", "died"],
    range={"age": (0, 120)}. A text stands as the command line has it."""
    if value is None or value is False:
        return []
    if value is True:
        return [True]
    if isinstance(value, dict):
        return joined(name, [named_text(name, one, of, dotted) for one, of in value.items()])
    if not is_list(value):
        return [cell_text(name, value)]
    values = list(value)
    if is_span(name, value, values):
        return [span_text(name, values)]
    if name in COLUMN_LISTS or name == "columns":
        values = [column_word(one, dotted) if isinstance(one, str) else one for one in values]
    return joined(name, [cell_text(name, one) for one in values])


def joined(name, texts):
    return texts if name in REPEATED else [",".join(texts)] if texts else []


def is_list(value):
    """Whether a value has several: a list, a tuple, an array, an Index; sets have no order."""
    return hasattr(value, "__iter__") and not isinstance(value, (str, bytes, dict, set, frozenset, os.PathLike))


def is_span(name, value, values):
    """Whether these are the least and the most value: a pair of range=, also as a list, and of rows=."""
    if name == "range":
        return isinstance(value, tuple) or (len(values) == 2 and "=" not in "".join(map(str, values)))
    return name == "rows" and isinstance(value, tuple)


def span_text(name, values):
    if len(values) != 2:
        raise TypeError(f"{name}: a pair of least and most, not {len(values)} values")
    return "..".join(cell_text(name, one) for one in values)


def cell_text(name, value):
    """One value as a text; TypeError for what is none."""
    if isinstance(value, (dict, set, frozenset, bytes)) or value is None or isinstance(value, bool) or is_list(value):
        raise TypeError(f"{name}: {value!r} of type {type(value).__name__} is no value of it")
    if isinstance(value, datetime.date):
        return value.isoformat()
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def named_text(name, one, value, dotted):
    """NAME=VALUE of an item of a dict."""
    if name in COLUMN_LISTS:
        raise TypeError(f"{name}: a list of columns, as {name}=['a', 'b'], and no dict")
    word = column_word(one, dotted) if name in BY_COLUMN else cell_text(name, one)
    if name == "category" and (value is None or value is True):
        return word  # all labels of the column
    where = f"{name}[{one!r}]"
    if not is_list(value):
        text = cell_text(where, value)
        return f"{word}={quoted(text) if name == 'missing' and needs_quotes(text) else text}"
    values = list(value)
    if not values:
        raise TypeError(f"{where}: it is empty")
    if name == "range":
        return f"{word}={span_text(where, values)}"
    if name in EXACT:
        return f"{word}=" + ",".join(quoted(cell_text(where, text)) for text in values)
    if name == "pair":
        return f"{word}=" + ",".join(column_word(text, dotted) for text in values)
    if name == "digits":
        return f"{word}=" + ",".join(cell_text(where, text) for text in values)
    raise TypeError(f"{where}: one value, not a list")


def needs_quotes(text):
    return not is_quoted(text) and re.search('[,"]', text) is not None


def is_quoted(text):
    return len(text) > 1 and text[0] == text[-1] == '"'


def column_word(name, dotted=False):
    """A column's name in an option: in quotes where it is more than a word."""
    name = str(name)
    if PLAIN.fullmatch(name) or is_quoted(name):
        return name
    table, dot, column = name.partition(".")
    if dotted and dot and PLAIN.fullmatch(table):
        return f"{table}.{column if column.isdecimal() else column_word(column)}"
    return quoted(name)


def takes_names(command, arguments):
    """Whether columns of a command may be NAME.COLUMN: it has names for its tables."""
    if command == "ask":
        return any(re.match(r"[A-Za-z_]\w*=", str(one)) for one in arguments[1:])
    return command not in ("encrypt", "decrypt", "combine", "add", "verify", "concat")


# --- what options say


def split(text):
    """The words of a text, each with the sign behind it; a quoted word is what stands in the quotes."""
    at, found = 0, []
    while True:
        one = WORD.match(text, at)
        word = one[2].strip() if one[1] is None else one[1].replace('""', '"')
        at = one.end()
        found.append((word, text[at:at + 1]))
        if at >= len(text):
            return found
        at += 1


def said(options, name):
    """[(column, its values)] of an option; texts that are said of no column have "" for it."""
    found = []
    for text in option_texts(name, options.get(name), dotted=False):
        words = [] if text is True else split(text)
        if name in REPEATED and words:
            of_all = name == "na" and words[0][1] != "="
            values = [word for word, _ in (words if of_all else words[1:])]
            found.append(("" if of_all else words[0][0], values))
            continue
        behind = False
        for word, sign in words:
            found[-1:] = [(found[-1][0], [word])] if behind else [*found[-1:], (word, [])]
            behind = sign == "="
    return found


def option_columns(options, *names):
    """The columns that options such as category="zip=A,B", scale={"kg": 10} and date="born,died" name."""
    return [column for name in names for column, _ in said(options, name)]


def option_scales(options):
    """The scales that scale={"kg": 10} or "kg=10,price=100" says, by column; the program refuses others."""
    return {column: int(values[0]) for column, values in said(options, "scale") if values and values[0].isdecimal()}


def option_missing(options, column=None):
    """The texts that na="?,none", na={"kg": ["?"]} or others say are missing cells, of this column or, without one, of
    any."""
    found = [values for of, values in said(options, "na") if not of or column is None or of == column]
    return {text for values in found for text in values} - {""}
