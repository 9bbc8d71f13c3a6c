"""Command lines of the examples' Python: what is wrong with one, or with a file, is said in a line, and the exit codes are
those of hebatch (jobs/README.md), 77 where something is not installed."""
import argparse
import importlib
import os
import sys

MOST_BYTES = 1 << 16  # of an expression
USAGE, DATA, NO_INPUT, CANNOT_CREATE, IO, SKIPPED = 64, 65, 66, 73, 74, 77


def stop(code, text):
    print("%s: %s" % (os.path.basename(sys.argv[0]), text), file=sys.stderr)
    sys.exit(code)


def need(package, else_where=""):
    """Ends the program as skipped where a package is not installed; `else_where`: what would do in its place."""
    try:
        importlib.import_module(package)
    except ImportError:
        print("skipped: %s is not installed%s (%s -m pip install %s)" % (package, else_where, sys.executable, package),
              file=sys.stderr)
        sys.exit(SKIPPED)


class Parser(argparse.ArgumentParser):
    """Which prints no usage before the reason, and takes no abbreviations, as hebatch."""

    def __init__(self, **options):
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **options)

    def error(self, message):
        stop(USAGE, message)


def whole(least, most=None):
    """The type of an argument that is a number from `least` to `most`."""
    def read(word):
        digits = word[1:] if word[:1] == "-" else word
        if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
            raise argparse.ArgumentTypeError("'%s' is no whole number" % word)
        if int(word) < least or most is not None and int(word) > most:
            limits = "at least %d" % least if most is None else "%d to %d" % (least, most)
            raise argparse.ArgumentTypeError("%s is not possible, %s is" % (word, limits))
        return int(word)
    return read


def expression(text, name):
    """The text; where it is longer than what hebatch takes, `name` asked for too much."""
    if len(text.encode()) > MOST_BYTES:
        stop(USAGE, "argument %s: the expression has %d bytes, and hebatch takes %d"
             % (name, len(text.encode()), MOST_BYTES))
    return text


def call(main):
    """Runs it; a file that is not there or cannot be written ends it in a line as well."""
    try:
        main()
    except OSError as reason:
        text = reason.strerror or str(reason)
        stop(NO_INPUT if isinstance(reason, FileNotFoundError) else IO,
             "%s: %s" % (reason.filename, text) if reason.filename else text)
