"""Links of documents, for structure.py: each leads to a file or folder that is there, and to a heading that it has."""
import os
import re

LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(<?([^()\s<>]+)>?(?: \"[^\"]*\")?\)")
OUTSIDE = re.compile(r"[a-z]+:")  # https:, mailto:


def text_lines(path):
    """Numbered lines, those of blocks of code left out, and words in code."""
    fenced = False
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if re.match(r" *```", line):
                fenced = not fenced
            elif not fenced and not line.startswith("    "):
                yield number, line


def fragments(path):
    """Of its headings, as GitHub makes them, and of its anchors."""
    found = set()
    for _, line in text_lines(path):
        found.update(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", line))
        heading = re.match(r"#{1,6} +(.*?)[ #]*$", line)
        if heading:
            words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).lower()
            slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
            number = 0
            while slug + (f"-{number}" if number else "") in found:
                number += 1
            found.add(slug + (f"-{number}" if number else ""))
    return found


def check(source, documents):
    for document in documents:
        path = os.path.join(source, document)
        lines = dict(text_lines(path))
        text = "".join(re.sub(r"`[^`\n]*`", "code", lines.get(n, "\n")) for n in range(1, max(lines, default=0) + 1))
        for link in LINK.finditer(text):  # their words may go on in the next line
            target = link.group(1)
            number = text.count("\n", 0, link.start(1)) + 1
            name, _, fragment = target.partition("#")
            there = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if OUTSIDE.match(target):
                continue
            if not os.path.exists(there):
                yield f"{document}:{number}: a link leads to {target}, which is not there"
            elif fragment and (not there.endswith(".md") or fragment not in fragments(there)):
                yield f"{document}:{number}: a link leads to {target}, and there is no such heading"
