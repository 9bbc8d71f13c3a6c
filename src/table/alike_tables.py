#!/usr/bin/env python3
"""Makes alike_tables.c, of Unicode 14.0, from Python's unicodedata, which has to be of that version (Python 3.11):
alike_tables.py >alike_tables.c

With --check FILE it compares: 0, the file is the same; 1, it is another; 77, this Python has another version.
"""
import itertools
import sys
import unicodedata

VERSION = "14.0.0"
LINE = 120
HEAD = """\
/* Tables of Unicode 14.0 (UnicodeData.txt, CaseFolding.txt): decompositions of characters, and their small letters.
 * Made by alike_tables.py. */
#include "alike_private.h"

/* In the order of characters. Canonical decompositions below U+10000, but those of Hangul, which are computed, and of
 * CJK compatibility ideographs; compatible ones of one or two characters, none a space, below U+0250 and of Latin
 * ligatures. */
const hb_decomposition hb_decompositions[HB_DECOMPOSITIONS] = {
"""
MIDDLE = """\

/* In the order of characters. Characters that fold to one character and have no decomposition. */
const hb_case_run hb_case_runs[HB_CASE_RUNS] = {
"""
# A table of another length than the header says has zeros at its end, or does not compile.
END = """\

_Static_assert(HB_DECOMPOSITIONS == {} && HB_CASE_RUNS == {}, "alike_private.h has these counts");
"""


def decomposition(code):
    """The one or two characters that make up a character, as far as the table has them; or none."""
    kind, *parts = unicodedata.decomposition(chr(code)).split() or [""]
    canonical = not kind.startswith("<")
    parts = [int(part, 16) for part in ([kind] if canonical and kind else []) + parts]
    if unicodedata.name(chr(code), "").startswith("CJK COMPATIBILITY IDEOGRAPH") or len(parts) > 2:
        return []
    wanted = canonical or ((code < 0x250 or 0xfb00 <= code <= 0xfb06) and ord(" ") not in parts)
    return parts if wanted else []


def is_decomposed(code):
    """By the table, or, of characters of full width, by alike.c."""
    return decomposition(code) or 0xff01 <= code <= 0xff5e


def case_runs():
    """Lists of characters with the distance of their small letters, one or two apart."""
    runs = []
    for code in range(sys.maxunicode + 1):
        folded = chr(code).casefold()
        if len(folded) != 1 or folded == chr(code) or is_decomposed(code):
            continue
        add = ord(folded) - code
        last = runs[-1] if runs else None
        if last and last[1] == add and code - last[0][-1] in ((1, 2) if len(last[0]) == 1 else (last[0][1] - last[0][0],)):
            last[0].append(code)
        else:
            runs.append(([code], add))
    return runs


def layout(entries):
    """Entries in columns, as clang-format has them."""
    for columns in range(LINE // 8, 0, -1):
        lines = [entries[at:at + columns] for at in range(0, len(entries), columns)]
        widths = [max(map(len, column)) for column in itertools.zip_longest(*lines, fillvalue="")]
        if 4 + sum(widths) + 2 * len(widths) - 1 <= LINE:
            break
    text = ["    " + " ".join((entry + ",").ljust(width + 1) for entry, width in zip(line, widths)).rstrip()
            for line in lines]
    return "\n".join(text)[:-1] + "};\n"


def tables():
    made = [(code, decomposition(code)) for code in range(0x10000) if not 0xac00 <= code <= 0xd7a3]
    parts = [f"{{0x{code:04x}, {{0x{of[0]:04x}, {f'0x{of[1]:04x}' if len(of) > 1 else 0}}}}}" for code, of in made if of]
    runs = [f"{{0x{codes[0]:04x}, 0x{codes[-1]:04x}, {add}, {codes[1] - codes[0] if len(codes) > 1 else 1}}}"
            for codes, add in case_runs()]
    return HEAD + layout(parts) + MIDDLE + layout(runs) + END.format(len(parts), len(runs))


def main(arguments):
    if unicodedata.unidata_version != VERSION:
        print(f"this Python has Unicode {unicodedata.unidata_version}, not {VERSION}", file=sys.stderr)
        return 77
    if arguments[:1] != ["--check"]:
        sys.stdout.write(tables())
        return 0
    with open(arguments[1], encoding="utf-8") as file:
        return 0 if file.read() == tables() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
