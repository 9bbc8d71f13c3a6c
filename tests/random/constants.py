"""Constants that are made of constants alone, by functions, comparisons and choices; and conditions of constants."""

from values import F, decimal_text, scale_of


def condition(r):
    """A condition of constants alone: its text, and whether it is true."""
    a, b = F(r.randint(-30, 30), r.choice((1, 10))), F(r.randint(-3, 3))
    x, y = decimal_text(a), decimal_text(b)
    return r.choice(
        (
            ("(%s < %s)" % (x, y), a < b),
            ("(%s >= %s)" % (x, y), a >= b),
            ("(%s == %s)" % (x, y), a == b),
            ("(not %s != %s)" % (x, y), a == b),
            ("(%s between -1 and %s)" % (x, y), -1 <= a <= b),
            ("(%s in (-2..1, 3))" % y, -2 <= b <= 1 or b == 3),
            ("(%s <= 1 and %s > 0)" % (x, y), a <= 1 and b > 0),
            ("(%s <= 1 or %s > 0)" % (x, y), a <= 1 or b > 0),
            ("(count() > 0 and %s < 2)" % x, a < 2),
            ("(count() < %s)" % decimal_text(abs(a) + 5000), True),
        )
    )


def made_of(r, value):
    """An expression of constants that comes to a value: that, its scale and its text."""
    text, scale, other = decimal_text(value), scale_of(value), F(r.randint(1, 99), r.choice((1, 10)))
    both = max(scale, scale_of(other))
    words, true = condition(r)
    sides = (text, decimal_text(other)) if true else (decimal_text(other), text)
    return r.choice(
        (
            (value, both, "max(%s, %s)" % (text, decimal_text(value - other))),
            (value, both, "min(%s, %s)" % (decimal_text(value + other), text)),
            (value, scale, ("abs(%s)" if value >= 0 else "(-abs(%s))") % text),
            (value, both, "where(%s, %s, %s)" % (words, *sides)),
            (value, scale, "(%s*%s)" % (text, words if true else "(1 - %s)" % words)),
            (value, scale, "poly(%s, 0, 1)" % text),
            (value, both, "(%s - (%s)*0)" % (text, decimal_text(other))),
        )
    )
