"""python3 -m hebatch convert IN OUT [--header names|none]"""
import sys

from .table import convert

USAGE = """usage: python3 -m hebatch convert IN OUT [--header names|none]
Tables from one kind of file into another: FILE.csv, FILE.csv.gz, FILE.h5:/DATASET, FILE.parquet, FILE.feather (Arrow).
OUT is new, and readable by its owner alone. --header: line 1 of a CSV has names, also if they are numbers; none: it
is a row (column1, ..)."""


def shown(error):
    """The text of an error, with escapes for all characters that move a cursor or have no width, as names may have."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(error))


def main(arguments):
    header = None
    if len(arguments) == 5 and arguments[3] == "--header" and arguments[4] in ("names", "none"):
        arguments, header = arguments[:3], arguments[4]
    if len(arguments) != 3 or arguments[0] != "convert":
        print(USAGE, file=sys.stderr)
        return 64
    try:
        convert(arguments[1], arguments[2], header)
    except (ImportError, OSError, ValueError) as error:
        print(f"hebatch convert: {shown(error)}", file=sys.stderr)
        return 69 if isinstance(error, ImportError) else 73 if isinstance(error, FileExistsError) else 65
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
