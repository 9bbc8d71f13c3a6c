"""The program's run, and how far it is: its lines of progress, read while it runs."""
import atexit
import dataclasses
import os
import re
import subprocess
import sys
import threading
import time

from .private import ends_orderly

INTERVAL = "0.5s"  # between lines of progress
PATIENCE = 5  # seconds until a job is long, of which everybody is told
GRACE = 5  # seconds that a program which is told to stop has for it
# As in "hebatch: evaluated 3/12 row blocks (25%) in 4.20 s, 1.2/s, ETA 12.6 s" (jobs/cli/progress.c)
LINE = re.compile(r"hebatch: (?:pass \d+ of \d+: )?(?P<verb>\w+) (?P<done>[0-9.]+(?: [kMGTP])?)/(?P<total>[0-9.]+(?: [kMGTP])?) "
                  r"(?P<thing>[\w ]+?) \((?P<percent>[0-9]+)%\) in (?P<time>[0-9:.]+(?: s)?)"
                  r"(?:.*?, ETA (?P<left>unknown|[0-9:.]+(?: s)?))?")
# As in "hebatch: [4/5] computes without the secret key: 25 %, about 13 seconds left of this phase" (jobs/ask/phase_progress.c)
PHASE = re.compile(r"hebatch: \[(?P<now>[0-9]+)/(?P<all>[0-9]+)\] (?P<title>.*?)"
                   r"(?: \.\.\.|: (?:loads keys, )?(?:(?P<percent>[0-9]+) %(?:, about (?P<left>[0-9.]+) "
                   r"(?P<unit>second|minute|hour|day)s? left)?)?.*)$")
# Lines that say, before a job, how long and how much.
ESTIMATE = re.compile(r"hebatch: (?P<line>(?:(?:time  +)?about (?P<most>[0-9.]+) (?P<unit>second|minute|hour|day)"
                      r"|expensive: |memory  |disk  ).*)")
SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
UNITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}


@dataclasses.dataclass(frozen=True)
class Progress:
    """How far a command is: it has `verb` ("evaluated") `done` of `total` things ("row blocks") in `seconds`; counts of
    four digits and more are rounded to three. `share`: of its work, from 0 to 1, also of what is not done whole.
    `left`: seconds that it may take still, None where that is unknown; 0 at the end. `line`: all of that as the program
    says it. A question has phases ("phase" 4 of 5, "computes ..."). A line that says before a job how long it takes and
    how much room it needs is "expected" 0 of 1."""
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


def progress_of(line, elapsed=0.0):
    """The progress that a line tells, `elapsed` seconds from the start; None for any other line."""
    phase = PHASE.match(line)
    if phase is not None:
        now, count = int(phase["now"]), int(phase["all"])
        return Progress("phase", now, count, phase["title"], (now - 1 + int(phase["percent"] or 0) / 100) / count, elapsed,
                        float(phase["left"]) * SECONDS[phase["unit"]] if phase["left"] else None, line.removeprefix("hebatch: "))
    found = LINE.match(line)
    if found is None:
        return None
    done, total, left = count_of(found["done"]), count_of(found["total"]), found["left"]
    ended = left is None and found["percent"] == "100"
    return Progress(found["verb"], done, total, found["thing"], int(found["percent"]) / 100, seconds_of(found["time"]),
                    0.0 if ended else None if left in (None, "unknown") else seconds_of(left), line.removeprefix("hebatch: "))


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

    def say(self, line):
        """A line of its own, above the bar."""
        self.stream.write(("\r" + " " * self.width + "\r" if self.width else "") + line + "\n")
        self.stream.flush()
        self.width = 0

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


class Teller:
    """Tells how long a job takes and how far it is. `shown`: True for a bar, None for one of a long job alone, or a
    function that gets each Progress. `said`: makes of a line of the program one for the caller."""

    def __init__(self, shown, said):
        self.said = said
        self.bar = Bar() if shown in (True, None) else None
        self.tell, self.waits, self.kept, self.started = self.bar or shown, shown is None, [], time.monotonic()

    def take(self, line):
        """Whether a line of the program was for it."""
        elapsed = time.monotonic() - self.started
        progress, estimate = progress_of(line, elapsed), ESTIMATE.match(line)
        if progress is None and estimate is None:
            return False
        progress = progress_of(self.said(line), elapsed)
        if estimate:
            self.kept.append(self.said(estimate["line"]))
            long = estimate["most"] and float(estimate["most"]) * SECONDS[estimate["unit"]] > 2 * PATIENCE
        self.waits = self.waits and elapsed < PATIENCE and not (estimate and long)
        if not self.waits:
            for said in self.kept:
                self.bar.say(said) if self.bar else self.tell(Progress("expected", 0, 1, "job", 0.0, elapsed, None, said))
            self.kept.clear()
            if progress:
                self.tell(progress)
        return True

    def close(self):
        if self.bar:
            self.bar.close()


RUNNING = set()


def end(process):
    """Ends a program: a job that is told to stop keeps what is done; one that goes on is told again, which ends it."""
    try:
        for tell, seconds in ((process.terminate, GRACE), (process.terminate, 1), (process.kill, None)):
            tell()
            try:
                process.wait(seconds)
                return
            except subprocess.TimeoutExpired:
                pass
    except BaseException:
        process.kill()
        raise


@atexit.register
def end_all():
    """Ends the programs of threads that do not end with Python."""
    for process in list(RUNNING):
        end(process)


def run(words, shown, said=str):
    """Runs a program to its end: (exit code, its output, its lines on stderr but those of progress). `shown`: False, or
    as Teller takes it, and `said`. An exception stops the program, and so does the end of Python, which HEBATCH_PARENT names."""
    teller = None if shown is False else Teller(shown, said)
    output, lines = [], []
    with ends_orderly(), subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
            errors="replace", env={**os.environ, "HEBATCH_PARENT": str(os.getpid())}) as process:
        RUNNING.add(process)
        reader = threading.Thread(target=lambda: output.append(process.stdout.read()), daemon=True)
        reader.start()
        try:
            for line in process.stderr:
                line = line.rstrip("\n")
                if teller is None or not teller.take(line):
                    lines.append(line)
            code = process.wait()
        except BaseException:
            end(process)
            raise
        finally:
            RUNNING.discard(process)
            if teller:
                teller.close()
        reader.join()
    return code, "".join(output), lines
