"""Lines of the program in Python's words: its options are arguments here."""
import keyword
import re

FLAGS = frozenset("dry-run follow-files force insecure json quiet resume round seal share verbose".split())
# Words behind an option that go on with the sentence, and are no value of it.
SENTENCE = frozenset("""a add adds also always and another are as asks at becomes by calls chooses compares continues costs
    counts does else every fd for from gets gives goes has hides how if imports in installs is it its keeps leaves lifts
    made makes may needs new no of on once or plans permits puts reads says shows stands starts stay stays takes that the
    there they to too wants was what where which will with without works would""".split())
OPTION = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*[a-z0-9])(?:=|( +))?('[^']*'|\"[^\"]*\"|[^\s;,:()]+(?:[,:][^\s;,:()]+)*)?")
COMMAND = re.compile(r"\b(?:mpirun -n \d+ )?hebatch (?!ask: )[a-z]+ .*$", re.DOTALL)


def argument_of(option):
    name = option.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def argument_text(found):
    """na="TEXT" of --na TEXT; the name alone where a value is said elsewhere."""
    name, blanks, value = found[1], found[2], found[3]
    if name in FLAGS:
        return f"{argument_of(name)}=True" + found[0].partition(name)[2]
    if value is None or (blanks and value in SENTENCE):
        return f"{argument_of(name)}=..." + (blanks or "") + (value or "")
    value = value[1:-1] if value[0] in "'\"" and value[-1] == value[0] and len(value) > 1 else value
    return f"{argument_of(name)}=" + (repr(value) if '"' in value else f'"{value}"')


def in_python(line):
    """The line, where its options are arguments: category="c" for --category c. Command lines stay what they are."""
    command = COMMAND.search(line)
    end = command.start() if command else len(line)
    return OPTION.sub(argument_text, line[:end]) + line[end:]
