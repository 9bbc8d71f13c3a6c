"""The owner's part: letters.txt as tables x1.csv, x2.csv .., one a step, with a row a sequence: the embedding of its
letter, repeated as in embedding.csv. Usage: embed.py ROWS STEPS, in the folder; no package is needed."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
import usage  # noqa: E402


def main():
    parser = usage.Parser(description=__doc__)
    parser.add_argument("rows", metavar="ROWS", type=usage.whole(1))
    parser.add_argument("steps", metavar="STEPS", type=usage.whole(1))
    options = parser.parse_args()
    lines = open("letters.txt").read().split("\n")[:-1][:options.rows]
    if len(lines) < options.rows or len(lines[0]) != options.steps:
        usage.stop(usage.DATA, "letters.txt has %d sequences of %d letters, not %d of %d: ROWS and STEPS are others than those "
                   "of prepare.py" % (len(lines), len(lines[0]) if lines else 0, options.rows, options.steps))
    header, *rows = open("embedding.csv").read().split("\n")[:-1]
    of_letter = dict(zip(" abcdefghijklmnopqrstuvwxyz", rows))
    for step, column in enumerate(zip(*lines), 1):
        with open("x%d.csv" % step, "w") as out:
            out.write("\n".join([header, *(of_letter[letter] for letter in column)]) + "\n")


if __name__ == "__main__":
    usage.call(main)
