"""The owner's part: letters.txt as tables x1.csv, x2.csv .., one a step, with a row a sequence: the embedding of its
letter, repeated as in embedding.csv. Usage: embed.py ROWS, in the folder; no package is needed."""
import sys

lines = open("letters.txt").read().split("\n")[:-1][:int(sys.argv[1])]
header, *rows = open("embedding.csv").read().split("\n")[:-1]
of_letter = dict(zip(" abcdefghijklmnopqrstuvwxyz", rows))
for step, column in enumerate(zip(*lines), 1):
    with open("x%d.csv" % step, "w") as out:
        out.write("\n".join([header, *(of_letter[letter] for letter in column)]) + "\n")
