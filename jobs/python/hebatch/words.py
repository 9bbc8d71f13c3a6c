"""Lines of the program in Python's words: its options are arguments here."""
import keyword
import re

FLAGS = frozenset("""all-sizes append complex conj dry-run follow-files force full insecure json like-seal plan quiet relin
    remove resume round rows-match seal seeded share share-gpu signed sustained swap verbose wrap""".split())
# Words behind an option that go on with the sentence, and are no value of it.
SENTENCE = frozenset("""a add adds also always and another are as asks at becomes both by calls chooses compares continues costs
    counts do does else every fd finds for from gets gives go goes has hides how if imports in installs is it its keeps
    leaves lifts lists made make makes may names need needs new no of on once or plans permits puts read reads right say
    says shows stand stands starts stay stays takes that the there they to too twice wants was what where which will with
    without works would""".split())
OPTION = re.compile(r"(?<![\w-])--([a-z](?:[a-z0-9-]*[a-z0-9])?)"
                    r"(?:(?:=|( +))('[^']*'|\"[^\"]*\"|[^\s;,:()]+(?:[,:][^\s;,:()]+)*)|( +))?")
QUOTED = re.compile(r"'--([a-z][a-z0-9-]*)'")  # an option that is named, and not given
COMMAND = re.compile(r"\b(?:mpirun -n \d+ )?hebatch (?!ask: )[a-z]+ .*$", re.DOTALL)


def argument_of(option):
    name = option.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def argument_text(found):
    """na="TEXT" of --na TEXT; the name alone where a value is said elsewhere."""
    name, blanks, value = found[1], found[2] or found[4], found[3]
    if name in FLAGS:
        return f"{argument_of(name)}=True" + found[0].partition(name)[2]
    if value is None or (blanks and value in SENTENCE):
        return f"{argument_of(name)}=..." + (blanks or "") + (value or "")
    value = value[1:-1] if value[0] in "'\"" and value[-1] == value[0] and len(value) > 1 else value
    return f"{argument_of(name)}=" + (repr(value) if '"' in value else f'"{value}"')


def in_python(line):
    """The line, where its options are arguments: category="c" for --category c. Command lines stay what they are."""
    parts = line.replace("; --help lists them", "; `hebatch COMMAND --help` lists them").split("`")
    for i in range(0, len(parts), 2):  # the others are commands between these signs
        command = COMMAND.search(parts[i])
        end = command.start() if command else len(parts[i])
        said = QUOTED.sub(lambda found: f"'{argument_of(found[1])}'", parts[i][:end])
        parts[i] = OPTION.sub(argument_text, said) + parts[i][end:]
        if command:
            break  # it goes on to the end of the line
    return "`".join(parts)
