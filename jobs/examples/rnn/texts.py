"""Sentences of Debian's manual pages, manpages-de, -es, -fr, -it, -nl and -pl, as sequences of 200 letters: a to z, and
0 for all between words; accents are taken off, so that no single letter tells the language."""
import gzip
import hashlib
import pathlib
import re
import unicodedata

import numpy as np

LANGUAGES = ["de", "es", "fr", "it", "nl", "pl"]
LETTERS = 27
LENGTH = 200
ESCAPES = re.compile(r"\\f(?:\[\w*\]|\(..|.)|\\\[[^]]*\]|\\\(..|\\.")


def letters(text):
    """Numbers 0 to 26 of a text; what stands between two words is one 0."""
    plain = unicodedata.normalize("NFKD", text.lower().replace("ß", "ss").replace("ł", "l"))
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return re.sub("[^a-z]+", " ", plain)


def sentences(page, seen):
    """The lines of a page that are no requests of roff, each of which is taken once in all pages of a language."""
    for line in gzip.open(page, "rt", encoding="utf-8", errors="replace"):
        if line[0] in ".'" or len(line) < 30 or line in seen:
            continue
        seen.add(line)
        yield ESCAPES.sub("", line)


def sequences(root):
    """Yields the pages below ROOT/LANGUAGE to train with, then the pages to test with, divided by their names; as
    (sequences, languages), with as many pages of each language."""
    parts = ([], [])
    for language in LANGUAGES:
        seen, found = set(), ("", "")
        texts = ([], [])
        for page in sorted(pathlib.Path(root, language).rglob("*.gz")):
            part = hashlib.sha256(page.name.encode()).digest()[0] < 51
            texts[part].extend(sentences(page, seen))
        for part in range(2):
            text = letters(" ".join(texts[part]))
            codes = np.frombuffer(text.encode(), np.uint8)
            codes = np.where(codes == 32, 0, codes - 96).astype(np.uint8)
            parts[part].append(codes[:len(codes) // LENGTH * LENGTH].reshape(-1, LENGTH))
    random = np.random.default_rng(19)
    for part in parts:
        few = min(len(rows) for rows in part)
        rows = np.concatenate([random.permutation(rows)[:few] for rows in part])
        order = random.permutation(len(rows))
        yield rows[order], np.repeat(np.arange(len(LANGUAGES)), few)[order]
