"""The program's run, and how far it is: its lines of progress, read while it runs."""
import dataclasses
import re
import subprocess
import sys
import threading

INTERVAL = "0.5s"  # between lines of progress
# As in "hebatch: evaluated 3/12 row blocks (25%) in 4.20 s, 1.2/s, ETA 12.6 s" (jobs/cli/progress.c)
LINE = re.compile(r"hebatch: (?:pass \d+ of \d+: )?(?P<verb>\w+) (?P<done>[0-9.]+(?: [kMGTP])?)/(?P<total>[0-9.]+(?: [kMGTP])?) "
                  r"(?P<thing>[\w ]+?) \((?P<percent>[0-9]+)%\) in (?P<time>[0-9:.]+(?: s)?)"
                  r"(?:.*?, ETA (?P<left>unknown|[0-9:.]+(?: s)?))?")
UNITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}


@dataclasses.dataclass(frozen=True)
class Progress:
    """How far a command is: it has `verb` ("evaluated") `done` of `total` things ("row blocks") in `seconds`; counts of
    four digits and more are rounded to three. `share`: of its work, from 0 to 1, also of what is not done whole. `left`: seconds that it may take still, None where that is unknown; 0 at
    the end. `line`: all of that as the program says it."""
    verb: str
    done: int
    total: int
    thing: str
    share: float
    seconds: float
    left: float
    line: str


def count_of(text):
    number, _, unit = text.partition(" ")
    return round(float(number) * UNITS[unit])


def seconds_of(text):
    """Of "4.20 s" or "1:02:03"."""
    total = 0.0
    for part in text.removesuffix(" s").split(":"):
        total = 60 * total + float(part)
    return total


def progress_of(line):
    """What a line says of progress; None for any other line."""
    found = LINE.match(line)
    if found is None:
        return None
    done, total, left = count_of(found["done"]), count_of(found["total"]), found["left"]
    ended = left is None
    return Progress(found["verb"], done, total, found["thing"], int(found["percent"]) / 100, seconds_of(found["time"]),
                    0.0 if ended else None if left == "unknown" else seconds_of(left), line.removeprefix("hebatch: "))


class Bar:
    """A bar on one line of a terminal or a notebook."""
    WIDTH = 24

    def __init__(self, stream=None):
        self.stream, self.width = stream or sys.stderr, 0

    def __call__(self, progress):
        full = round(self.WIDTH * progress.share)
        left = "" if progress.left in (None, 0) else f", {time_text(progress.left)} left"
        text = (f"[{'#' * full}{'.' * (self.WIDTH - full)}] {100 * progress.share:3.0f} % {progress.verb} {progress.done}/"
                f"{progress.total} {progress.thing}, {time_text(progress.seconds)}{left}")
        self.stream.write("\r" + text.ljust(self.width))
        self.stream.flush()
        self.width = len(text)

    def close(self):
        if self.width:
            self.stream.write("\n")
            self.stream.flush()
        self.width = 0


def time_text(seconds):
    """4 s, 1:05 min, 1:02:03 h"""
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} h" if hours else f"{minutes}:{rest:02} min" if minutes else f"{rest} s"


def run(words, shown):
    """Runs a program to its end: (exit code, its output, its lines on stderr but those of progress). `shown`: False,
    True for a bar, or a function that gets each Progress. An exception of the function stops the program."""
    tell = Bar() if shown is True else shown
    output, lines = [], []
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                          errors="replace") as process:
        reader = threading.Thread(target=lambda: output.append(process.stdout.read()), daemon=True)
        reader.start()
        try:
            for line in process.stderr:
                line = line.rstrip("\n")
                progress = progress_of(line) if tell else None
                if progress is None:
                    lines.append(line)
                else:
                    tell(progress)
            code = process.wait()
        except BaseException:
            process.terminate()  # a job that is told to stop keeps what is done, for --resume
            raise
        finally:
            if isinstance(tell, Bar):
                tell.close()
        reader.join()
    return code, "".join(output), lines
