"""Small HTML for notebooks: of tables, datasets and reports. All texts are escaped, cut and few; of a report only the
members that are named here are shown."""
import html
import re

CERTAINTIES = ("proven", "drawn", "likely", "assumed")  # of bounds in reports, from the most certain on
MOST_ROWS, MOST_COLUMNS, MOST_CHARACTERS = 10, 12, 60
# Members of a report, in the words of a reader.
FACTS = (("kind", "what"), ("file", "file"), ("expression", "question"), ("table", "table"), ("scheme", "scheme"),
         ("params", "parameters"), ("key_id", "key"), ("ciphertexts", "ciphertexts"), ("stored_bytes", "size"),
         ("seconds", "took"), ("ranks", "ranks"), ("peak_host_bytes", "memory"), ("noise_budget_bits", "bits of noise budget"),
         ("precision_bits", "bits of precision"), ("sum", "sum"), ("reason", "reason"))


def plain(value, most=MOST_CHARACTERS):
    """One line of plain text, cut; characters without a width are shown by their numbers."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(value))
    return shown[:most - 1] + "\u2026" if len(shown) > most else shown


def text(value, most=MOST_CHARACTERS):
    """The same, escaped."""
    return html.escape(plain(value, most))


def size_text(count):
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:.3g} {unit}" if unit != "bytes" else f"{count} bytes"
        count /= 1024
    return None


def cells(kind, values):
    return "<tr>" + "".join(f"<{kind}>{text(value)}</{kind}>" for value in values) + "</tr>"


def things(count, thing):
    return f"{count} {thing}{'' if count == 1 else 's'}"


def table(names, rows, count):
    """A table of the first rows; `count`: of all of its rows."""
    shown, more = list(names)[:MOST_COLUMNS], len(names) - MOST_COLUMNS
    head = shown + ([f"{more} more"] if more > 0 else [])
    lines = [cells("td", list(row)[:MOST_COLUMNS] + ([""] if more > 0 else [])) for row in rows[:MOST_ROWS]]
    return (f"<table><thead>{cells('th', head)}</thead><tbody>{''.join(lines)}</tbody></table>"
            f"<p>{things(count, 'row')} x {things(len(names), 'column')}</p>")


def table_of(columns, count):
    """A hebatch.Table: arrays by name, whose missing cells are empty."""
    few = [["" if cell is None else cell for cell in array[:MOST_ROWS].tolist()] for array in columns.values()]
    return table(list(columns), list(zip(*few)), count)


def question_of(expression):
    """The statements of an expression on one line, without the comments that a model's lines end with."""
    lines = [re.sub(r"\s*#= [^'\"]*$", "", line).strip() for line in expression.splitlines()]
    return "; ".join(line.removesuffix(";") for line in lines if line and not line.startswith("#="))


def fact(member, value, gap=None):
    """A member of a report as text; "" where there is none."""
    if member == "expression" and isinstance(value, str):
        return question_of(value)
    if member in ("stored_bytes", "peak_host_bytes") and isinstance(value, (int, float)):
        return size_text(value)
    if member == "seconds" and isinstance(value, (int, float)):
        return f"{value:.3g} s"
    if member in ("key_id", "sum"):
        return str(value)[:12] if value else ""
    if member == "params" and isinstance(value, dict):
        security = "INSECURE" if value.get("insecure") else f"{value.get('security')} bits of security"
        return f"{value.get('name')}, {security}"
    if member == "table" and isinstance(value, dict):
        return f"{things(value.get('rows'), 'row')} x {things(value.get('columns'), 'column')}"
    if member in ("noise_budget_bits", "precision_bits"):
        found = [(CERTAINTIES.index(word), one[word]) for one in (value if isinstance(value, list) else [value])
                 if isinstance(one, dict) for word in CERTAINTIES if isinstance(one.get(word), (int, float))]
        word = CERTAINTIES[max(found)[0]] if found else "proven"
        least = [bits for _, bits in found]
        beside = f", but for rows within {gap:.3g} of a threshold" if least and isinstance(gap, (int, float)) else ""
        return f"{min(least):.1f} {word}{beside}" if least and min(least) >= 0 else f"none {word}" if least else ""
    return value if isinstance(value, (str, int)) and not isinstance(value, bool) else ""


def output_of(one):
    """A result: where it is, or, of one that is planned, its values."""
    if one.get("file"):
        return f"{one.get('name')}: {one['file']}"
    least, most = one.get("least"), one.get("most")
    ends = all(isinstance(end, (int, float)) for end in (least, most))
    return f"{one.get('name')}: {least:.6g}..{most:.6g}" if ends else one.get("name")


def columns_of(listed):
    """A table of the columns of a dataset: names and ranges, which are public."""
    rows = [(one.get("name"), "..".join(str(one["values"].get(end)) for end in ("least", "most"))
             if isinstance(one.get("values"), dict) else "") for one in listed if isinstance(one, dict)]
    lines = "".join(cells("td", row) for row in rows[:MOST_ROWS])
    more = f"<p>and {len(rows) - MOST_ROWS} more</p>" if len(rows) > MOST_ROWS else ""
    return f"<table><thead>{cells('th', ('column', 'values'))}</thead><tbody>{lines}</tbody></table>{more}"


class Report(dict):
    """The output of a command (hebatch COMMAND --json): a dict, which a notebook shows in short."""

    @property
    def warnings(self):
        """The lines that the command warned of."""
        listed = self.get("warnings")
        return list(listed) if isinstance(listed, list) else []

    @property
    def threshold_gap(self):
        """Rows whose value is within it of a threshold of a comparison of reals are not decided; None: all are."""
        gaps = [one.get("threshold_gap") for one in [self, *(self.get("outputs") or [])] if isinstance(one, dict)]
        return max((gap for gap in gaps if isinstance(gap, (int, float))), default=None)

    def __repr__(self):
        facts = [(title, plain(fact(member, self.get(member), self.threshold_gap))) for member, title in FACTS]
        outputs = [f"result {plain(output_of(one))}" for one in self.get("outputs") or [] if isinstance(one, dict)]
        said = [f"{title} {value}" for title, value in facts if value != ""] + outputs[:MOST_ROWS]
        said += [things(len(self.warnings), "warning")] if self.warnings else []
        return f"<{type(self).__name__} of {plain(self.get('command') or 'no command')}: {'; '.join(said)}>"

    def _repr_html_(self):
        facts = [(title, fact(member, self.get(member), self.threshold_gap)) for member, title in FACTS]
        lines = "".join(f"<tr><td>{title}</td><td>{text(value, 400)}</td></tr>" for title, value in facts if value != "")
        if self.get("command") == "params suggest":
            facts = [("computing takes" if title == "took" else title, value) for title, value in facts]
        outputs = [output_of(one) for one in self.get("outputs") or [] if isinstance(one, dict)]
        lines += "".join(f"<tr><td>result</td><td>{text(one)}</td></tr>" for one in outputs[:MOST_ROWS])
        warned = "".join(f"<p>warning: {text(line, 400)}</p>" for line in self.warnings[:MOST_ROWS])
        return f"<p><b>hebatch {text(self.get('command', ''))}</b></p><table><tbody>{lines}</tbody></table>{warned}"


class Dataset(Report):
    """The output of `info` for an encrypted table, with its columns."""

    def _repr_html_(self):
        listed = self["table"].get("column") if isinstance(self.get("table"), dict) else None
        return super()._repr_html_() + (columns_of(listed) if isinstance(listed, list) else "")


def report_of(document):
    """A Report of a document of the program, or a Dataset where it describes one."""
    if not isinstance(document, dict):
        return document
    return (Dataset if document.get("command") == "info" and isinstance(document.get("table"), dict) else Report)(document)
