"""Two jobs that write one output and start in the same instant, over and over.

pairs.py PAIRS [FIRST]    prints how the pairs ended; exit code 1 with the first that ended otherwise than it may:
                          at least one job must succeed, the other one too or by refusing (73) in one line, the output
                          must be what one that succeeded makes, whole, and nothing else may be left.
In the environment HEBATCH and SMALL (parameters), in the folder keys/, {one,two}.{csv,heb}, stale.heb.partial of a job that was to make
made.heb from one.csv with --resume, and seal/, the export of one.heb.
"""
import collections, glob, os, random, shutil, subprocess, sys, time

PROGRAM = os.environ["HEBATCH"]
SECRET = "keys/secret.h5"
TABLES = ("one.csv", "two.csv")


def encrypt(table, *options):
    return ["encrypt", "--key", SECRET, table, "made.heb", *options]


def evaluate(factor, *options):
    return ["eval", f"y = {factor} * a", "a=one.heb", "y=made.heb", *options]


# The two commands, each with the table that its output stands for; and the file that lies there before: "" nothing,
# "stale" of a job that was killed, "empty" of one that was killed at once, "done" an output.
CASES = [
    ([(encrypt("one.csv", "--resume"), "one.csv")] * 2, ("", "stale", "empty")),
    ([(encrypt("one.csv", "--force"), "one.csv"), (encrypt("two.csv", "--force"), "two.csv")],
     ("", "stale", "empty", "done")),
    ([(encrypt("one.csv", "--resume"), "one.csv"), (encrypt("one.csv", "--force"), "one.csv")],
     ("", "stale", "empty")),
    ([(encrypt("one.csv", "--resume", "--force"), "one.csv"), (encrypt("two.csv", "--force"), "two.csv")],
     ("", "stale", "done")),
    ([(encrypt("one.csv", "--resume", "--force"), "one.csv")] * 2, ("", "stale", "done")),
    ([(encrypt("one.csv"), "one.csv"), (encrypt("two.csv"), "two.csv")], ("",)),
    ([(evaluate(1, "--force"), "one.csv"), (evaluate(2, "--force"), "two.csv")], ("", "stale", "done")),
    ([(evaluate(1, "--resume"), "one.csv")] * 2, ("", "empty")),
    ([(["import", "seal", "made.heb", "--key", SECRET, "--force"], "one.csv"),
      (encrypt("two.csv", "--force"), "two.csv")], ("", "stale", "done")),
    ([(["decrypt", "--key", SECRET, "--force", "one.heb", "made.csv"], "one.csv"),
      (["decrypt", "--key", SECRET, "--force", "two.heb", "made.csv"], "two.csv")], ("", "table")),
    ([(["export", "one.heb", "made.seal"], None)] * 2, ("",)),
    ([(["keygen", *os.environ["SMALL"].split(), "--out", "pair"], None)] * 2, ("",)),
]


def clean():
    for name in glob.glob("made*") + glob.glob("pair*"):
        shutil.rmtree(name) if os.path.isdir(name) else os.unlink(name)


def prepare(state):
    clean()
    if state == "stale":
        shutil.copytree("stale.heb.partial", "made.heb.partial")
    elif state == "empty":
        os.mkdir("made.heb.partial")
    elif state == "done":
        shutil.copytree("one.heb", "made.heb")
    elif state == "table":
        for name in ("made.csv", "made.csv.partial", "made.csv.partial.raw"):
            shutil.copy("one.csv", name)


def start(command, barrier, delay, number):
    """A process that is past everything but exec, and waits for the barrier's writer to close."""
    child = os.fork()
    if child == 0:
        os.close(barrier[1])
        log = os.open(f"log.{number}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.read(barrier[0], 1)
        time.sleep(delay)
        os.execv(PROGRAM, [PROGRAM, *command, "--quiet"])
    return child


def both(commands, delay):
    barrier = os.pipe()
    children = [start(c, barrier, delay[i], i) for i, c in enumerate(commands)]
    os.close(barrier[0])
    os.close(barrier[1])
    return [os.waitstatus_to_exitcode(os.waitpid(c, 0)[1]) for c in children]


def run(*command):
    done = subprocess.run([PROGRAM, *command, "--quiet"], capture_output=True, text=True)
    return done.returncode == 0, done.stderr


def reason(number):
    lines = [line for line in open(f"log.{number}") if not line.startswith("hebatch: ")]
    return lines if len(lines) != 1 else lines[0].strip()


def is_made(tables):
    """Names the fault of the output, which is one of these tables; else None."""
    if os.path.exists("made.csv"):
        text = open("made.csv").read()
        return None if text in [open(t).read() for t in tables] else "made.csv is no table of a job that succeeded"
    if tables[0] is None:
        return None
    words = []
    for table in tables:
        good, text = run("verify", "made.heb", "--key", SECRET, "--against", table)
        if good:
            return None
        words.append(text)
    return f"made.heb: {words}"


def left():
    kept = {"made.heb", "made.heb.report.json", "made.csv.report.json", "made.csv", "made.seal", "pair",
            "pair/secret.h5", "pair/public.h5"}
    return sorted(set(glob.glob("made*") + glob.glob("pair*") + glob.glob("pair/*")) - kept)


def pair(seed):
    draw = random.Random(seed)
    jobs, states = CASES[seed % len(CASES)]
    state = draw.choice(states)
    # Mostly the same instant; else a little later, to meet the other one in every place.
    delay = [0, draw.choice([0, 0, 0, 0.001, 0.003, 0.01, 0.02])]
    prepare(state)
    codes = both([command for command, _ in jobs], delay)
    wrong = None
    good = [table for (_, table), code in zip(jobs, codes) if code == 0]
    for i, code in enumerate(codes):
        if code not in (0, 73) or (code == 73 and not isinstance(reason(i), str)):
            wrong = f"job {i}: {code}, {reason(i)}"
    if not good:
        wrong = f"both failed: {codes}, {reason(0)}, {reason(1)}"
    wrong = wrong or is_made(good)
    if wrong is None and left():
        wrong = f"left behind: {left()}"
    name = f"{jobs[0][0][0]} {' '.join(w for w in jobs[0][0] if w.startswith('--re') or w == '--force')}"
    if wrong is not None:
        print(f"pair {seed} ({[' '.join(c) for c, _ in jobs]}, before: {state!r}, later by {delay[1]} s): {wrong}")
    return wrong is None, (name, tuple(sorted(codes)))


def main():
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    ended, bad = collections.Counter(), 0
    for seed in range(first, first + count):
        good, how = pair(seed)
        ended[how[1]] += 1
        bad += not good
    clean()
    for codes, times in sorted(ended.items()):
        print(f"{times} pairs ended with {codes[0]} and {codes[1]}")
    print(f"{bad} of {count} pairs ended as they may not")
    sys.exit(bad > 0)


main()
