"""Lines of the program in Python's words: its options are arguments here."""
import keyword
import re

FLAGS = frozenset("""all-sizes append complex conj dry-run fewest follow-files force full help insecure json like-seal
    more new-ledger open part plan quiet relin remove resume round rows-match seal seeded share-gpu signed
    status stop sustained swap trust verbose wrap""".split())
# Words behind an option that go on with the sentence, and are no value of it.
SENTENCE = frozenset("""a add adds also always and another are as asks at becomes both by calls chooses compares continues costs
    counts do does else every fd finds for from gets gives go goes has hides how if imports in installs is it its keeps
    leaves lifts lists made make makes may names need needs new no of on once or plans permits put puts read reads right
    say says shows stand stands starts stay stays takes that the them there they to too twice wants was what where which
    will with without works would""".split())
OPTION_TEXT = (r"(?<![\w-])--(?P<option>[a-z](?:[a-z0-9-]*[a-z0-9])?)"
               r"(?:(?:=|(?P<blanks> +))(?P<value>'[^']*'|\"[^\"]*\"|[^\s;,:()]+(?:[,:][^\s;,:()]+)*)|(?P<behind> +))?")
OPTION = re.compile(OPTION_TEXT)
# A command with an option, without `hebatch` in front of it: a method here. `add` is a verb there.
CALL = re.compile(r"(?<![\w/.`'-])(?<!hebatch )(?P<command>keygen|encrypt|eval|decrypt|combine|refresh|rekey|sanitize|verify|"
                  rf"params suggest) {OPTION_TEXT}")
QUOTED = re.compile(r"'--([a-z][a-z0-9-]*)'")  # an option that is named, and not given
METHODS = frozenset(["keygen", "encrypt", "eval", "decrypt", "combine", "refresh"])
# Words of the command line that are no options: arguments of methods.
SAID = (
    (re.compile(r"--part needs (--sum, --recompute or --trust)"), r"Program.part(...) needs \1"),
    (re.compile(r"are of a part: give --part"), "are of a part, which Program.part(...) makes"),
    (re.compile(r"(?:hebatch )?decrypt --part\b(?! --key)"), "Program.part(...)"),
    (re.compile(r"give OUT\.heb in the place of a table"), 'give output="OUT.heb"'),
    (re.compile(r"give TABLE\.csv\b"), "leave out output=..."),
    (re.compile(r"\btakes NAME=FILE of inputs, and IN\.heb OUT\.part:"),
     'takes inputs={"NAME": "FILE"}, dataset and output:'),
    (re.compile(r"\b([A-Za-z_]\w*)=IN\.heb"), r'inputs={"\1": "IN.heb"}'),
    (re.compile(r"\b([A-Za-z_]\w*)=OUT\.heb"), r'outputs={"\1": "OUT.heb"}'),
    (re.compile(r"--(table|plain-table) (\w+)=FILE"),
     lambda found: f'{argument_of(found[1])}={{"{found[2]}": "FILE"}}'),
)
COMMAND = re.compile(r"\b(?:mpirun -n \d+ )?hebatch (?!ask: )[a-z]+ .*$", re.DOTALL)


def argument_of(option):
    name = option.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def argument_parts(found):
    """na="TEXT" of --na TEXT, or the name alone where a value is said elsewhere; and what stands behind it."""
    name, blanks, value = found["option"], found["blanks"] or found["behind"], found["value"]
    if name in FLAGS:
        return f"{argument_of(name)}=True", found[0].partition("--" + name)[2]
    if value is None or (blanks and value in SENTENCE):
        return f"{argument_of(name)}=...", (blanks or "") + (value or "")
    value = value[1:-1] if value[0] in "'\"" and value[-1] == value[0] and len(value) > 1 else value
    return f"{argument_of(name)}=" + (repr(value) if '"' in value else f'"{value}"'), ""


def argument_text(found):
    return "".join(argument_parts(found))


def call_text(found):
    """Program.encrypt(append=True) of `encrypt --append`, and Program.run("rekey", ...) where there is no method."""
    words = found["command"].split()
    argument, rest = argument_parts(found)
    name, before = (words[0], []) if words[0] in METHODS else ("run", [f'"{word}"' for word in words])
    return f"Program.{name}({', '.join([*before, argument])}){rest}"


def in_python(line):
    """The line, where its options are arguments, category="c" for --category c, and commands with options are methods.
    Command lines stay what they are."""
    parts = line.replace("; --help lists them", "; `hebatch COMMAND --help` lists them").split("`")
    for i in range(0, len(parts), 2):  # the others are commands between these signs
        command = COMMAND.search(parts[i])
        end = command.start() if command else len(parts[i])
        said = QUOTED.sub(lambda found: f"'{argument_of(found[1])}'", parts[i][:end])
        for pattern, words in SAID:
            said = pattern.sub(words, said)
        said = CALL.sub(call_text, said)
        parts[i] = OPTION.sub(argument_text, said) + parts[i][end:]
        if command:
            break  # it goes on to the end of the line
    return "`".join(parts)
