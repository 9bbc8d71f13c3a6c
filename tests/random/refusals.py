"""Why programs are refused: reasons that the documents name, as rows; a refusal for another reason is a fault."""

import re


class Reason:
    """name; words: a pattern of the message; readable: only where the result has a column that everybody could know."""

    def __init__(self, name, words, readable=False):
        self.name, self.words, self.readable = name, re.compile(words), readable


REASONS = (
    Reason("readable", "every ?one could read|anyone could read|is no secret|nothing is encrypted in|nothing of these groups is encrypted", readable=True),
    Reason("names", "two columns of the result are called|same columns in another order|columns are on both sides"),
    Reason("third label", "labels or dates of this result depend on a comparison of reals"),
    Reason("empty bins", "no value is in group"),
    Reason("several moduli", r"of one plain modulus, and here are several"),
    Reason("noise", "no noise budget is left"),
    Reason("levels", r"ciphertexts hold values up to|levels?, and \d+ (are|is) left|no level is left"),
    Reason("precision", "can be off by"),
    Reason("range", "may leave the range|beyond 128 bits|beyond 64 bits"),
)


def reason_of(message, wanted):
    """The name of the reason of a refusal, or None."""
    for reason in REASONS:
        if reason.words.search(message) and (not reason.readable or wanted.readable()):
            return reason.name
    return None
