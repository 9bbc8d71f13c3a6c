"""The examples that documents show, fenced or indented, and those of the pages of --help: documents.py SOURCE FOLDER.

Shell (```sh) runs as it stands, one block after the other in one folder for each document, and prints what stands
behind it (```csv). Every other example has a row here: shell that runs it, as the file `example`, or why it is not run;
of those, commands of hebatch have no option that their pages do not have.
"""

import os
import re
import subprocess
import sys

PAGES_OF_LANGUAGE = "src/lang/pages/"
MODEL, RUNNING = "jobs/model/README.md", "jobs/running.md"
EXAMPLES = "jobs/examples/"
DEEP = "--n 1024 --bits %s --plain 167772161 --insecure --relin --rotations sum --swap" % ",".join(["58"] * 13)
REALS = "--n 2048 --levels 48 --scale-bits 45 --special-primes 8 --insecure --relin --conj --rotations sum"
SHALLOW = "--n 2048 --bits 50,50,50,50,50 --plain-bits 20 --insecure --relin --rotations sum --swap"
PATIENTS = (
    """mkdir questions; cd questions
printf '%s\\n' ward,sex,age,pay,stay a,f,71,900,9 a,m,15,100,2 b,f,30,450,1 b,f,64,-20,4 >p.csv
hebatch keygen """
    + DEEP
    + """ --out KEYS
hebatch encrypt --key KEYS/public.h5 p.csv p.heb --category ward --category sex \\
    --range age=0..120,pay=-1000..1000,stay=0..60
hebatch eval --keys KEYS "$(cat ../example)" p=p.heb g=g.heb h=h.heb b=b.heb
hebatch decrypt --key KEYS/secret.h5 h.heb - >h.csv
printf '%s\\n' ward,sex,'var(p.stay)' a,f, a,m, b,f,4.5 b,m, | cmp - h.csv
hebatch decrypt --key KEYS/secret.h5 b.heb - >b.csv
printf '%s\\n' age,count 0..17,1 18..64,2 65..120,1 | cmp - b.csv"""
)


class Left(str):
    """Why an example is not run."""


# Document, how the example begins, and the shell that runs it or the reason.
ROWS = (
    ("README.md", "jobs/quickstart", Left("installs and builds: the tests ranks.example.* run what it runs then")),
    ("README.md", "owner:", Left("a picture")),
    (
        PAGES_OF_LANGUAGE + "README.md",
        "m = sum(a.age)",
        """mkdir spread; cd spread
printf '%s\\n' age 41 63 50 >a.csv
hebatch keygen --n 2048 --bits 55,55,55,55 --plain-bits 36 --insecure --out keys --for "$(cat ../example)"
hebatch encrypt --key keys/public.h5 a.csv a.heb --range age=0..120
hebatch eval --keys keys "$(cat ../example)" a=a.heb y=y.heb
hebatch decrypt --key keys/secret.h5 y.heb - >y.csv
printf '%s\\n' y 1668395716 3949619716 2484623716 | cmp - y.csv""",
    ),
    (
        PAGES_OF_LANGUAGE + "conditions.md",
        "young = p.age",
        """mkdir wards; cd wards
printf '%s\\n' ward,age,pay 3,41,10 8,17,20 2,64,30 5,90,40 >p.csv
hebatch keygen """
        + DEEP
        + """ --out keys
hebatch encrypt --key keys/public.h5 p.csv p.heb --range ward=0..12,age=0..120,pay=0..100
hebatch eval --keys keys "$(cat ../example)" p=p.heb young=young.heb band=band.heb pay=pay.heb
for name in young band pay; do hebatch decrypt --key keys/secret.h5 $name.heb -; done >results.csv
printf '%s\\n' young 0 1 0 0 band 2 1 2 3 pay 0 0 30 0 | cmp - results.csv""",
    ),
    (PAGES_OF_LANGUAGE + "aggregates.md", "g = groupby", PATIENTS),
    (
        PAGES_OF_LANGUAGE + "aggregates.md",
        "$ hebatch decrypt",
        """cd questions
sed -n '1s/^\\$ //p' ../example >command; sed 1d ../example >wanted
sh -eu command | head -n 1 | cmp - wanted""",
    ),
    (
        PAGES_OF_LANGUAGE + "reals.md",
        "bootstraps   give",
        Left("lines of the plan of a program of its own; cli/bootstrap.sh has what they say"),
    ),
    (
        PAGES_OF_LANGUAGE + "integers.md",
        "bootstraps   bring",
        Left("lines of the plan of a program of its own; cli/eval_integers.sh has what they say"),
    ),
    (
        PAGES_OF_LANGUAGE + "loops.md",
        "w = mean(",
        """mkdir training; cd training
"$PYTHON" -c '
import math
x = [(math.sin(3 * i), math.cos(5 * i)) for i in range(1000)]
open("x.csv", "w").write("a,b\\n" + "".join(f"{a:.3f},{b:.3f}\\n" for a, b in x))
open("y.csv", "w").write("y\\n" + "".join(f"{int(i % 5 < 2 + 2 * (a > 0))}\\n" for i, (a, b) in enumerate(x)))'
hebatch keygen """
        + REALS
        + """ --out keys
hebatch encrypt --key keys/public.h5 x.csv x.heb --range=-1..1
hebatch encrypt --key keys/public.h5 y.csv y.heb --range 0..1
hebatch eval --keys keys "$(cat ../example)" x=x.heb y=y.heb w=w.heb --range w=-1..1 --noise expected
hebatch decrypt --key keys/secret.h5 w.heb w.csv
"$PYTHON" -c '
import math
rows = lambda name: [[float(v) for v in row.split(",")] for row in open(name).read().split()[1:]]
x, y, w = rows("x.csv"), [v for v, in rows("y.csv")], (0, 0)
for _ in range(6): # from zeros, of which the sigmoid is a half
    e = [t - 1 / (1 + math.exp(-sum(a * b for a, b in zip(w, row)))) for t, row in zip(y, x)]
    w = [v + sum(d * row[i] for d, row in zip(e, x)) / len(x) for i, v in enumerate(w)]
got = [float(v) for v in open("w.csv").read().split()[1].split(",")]
assert all(abs(a - b) < 1e-3 for a, b in zip(got, w)), (got, w)'""",
    ),
    (
        PAGES_OF_LANGUAGE + "approximations.md",
        "function     sigmoid",
        """mkdir functions; cd functions
printf '%s\\n' a,b 0.5,1 >x.csv; printf '%s\\n' a,b 4.5,-1 >w.csv
hebatch keygen --n 2048 --levels 8 --scale-bits 40 --special-primes 2 --insecure --relin --out keys
hebatch encrypt --key keys/public.h5 x.csv x.heb --range a=-1..1,b=0..1
hebatch eval --keys keys 'y = sigmoid(w @ x + 0.5)' x=x.heb w=w.csv y=y.heb --dry-run >plan
sed -n 's/^function *//p' plan >said; sed 's/^function *//' ../example | cmp - said""",
    ),
    (
        PAGES_OF_LANGUAGE + "README.md",
        "{",
        """mkdir jobs; cd jobs
printf '%s\\n' sold 3 12 0 >sales.csv; printf '%s\\n' w 2 >weights.csv
hebatch keygen """
        + SHALLOW
        + """ --out keys
hebatch encrypt --key keys/public.h5 sales.csv sales.heb
hebatch eval ../example || true # paths are relative to the folder of the file
cp ../example job.json
hebatch eval job.json
hebatch decrypt --key keys/secret.h5 total.heb - >total.csv
printf '%s\\n' total 30 | cmp - total.csv""",
    ),
    (MODEL, "z1 = W1", "cp example statements"),
    (MODEL, "{", "cp example net.json"),
    (
        MODEL,
        "printf '%s",
        """sh -eu example | tail -n 2 >scores
"$PYTHON" -c '
wanted = [float(w) for w in ("5.77", "3.25125")]
assert all(w in open("example").read() for w in ("5.77", "3.25125"))
assert all(abs(float(a) - b) < 1e-6 for a, b in zip(open("scores"), wanted))
import json
assert json.load(open("scores.heb.report.json"))["expression"] == open("statements").read()'""",
    ),
    (
        MODEL,
        "import h5py",
        """"$PYTHON" example
hebatch eval --keys keys --model net.h5 x=data.heb y=again.heb
hebatch verify again.heb --same-as scores.heb""",
    ),
    ("jobs/tutorial.md", "sbatch", Left("needs Slurm; slurm/batch.sh runs the script")),
    (RUNNING, "table          unit", Left("a picture")),
    (RUNNING, "a.heb ─▶ read", Left("a picture")),
    (RUNNING, "rank 0   limbs", Left("a picture")),
    (
        RUNNING,
        "seq 500 | sed",
        """mkdir served; cd served
HOME=$PWD sh -eu ../example >said
grep -q '^jobs *2 ended, 0 of them not well$' said
printf '%s\\n' y 1 4 9 >wanted
hebatch decrypt --key keys/secret.h5 y.heb - | head -n 4 | cmp - wanted""",
    ),
    (
        RUNNING,
        "hebatch encrypt --key keys/public.h5 --category",
        """printf '%s\\n' ward,kg a,80.55 b,71 >january.csv; printf '%s\\n' ward,kg b,66.2 >february.csv
hebatch keygen """
        + SHALLOW
        + """ --out keys
sh -eu example
hebatch decrypt --key keys/secret.h5 patients.heb - >patients.csv
printf '%s\\n' ward,kg a,80.55 b,71 b,66.2 | cmp - patients.csv""",
    ),
    (
        RUNNING,
        "mpirun -n 2 hebatch eval --keys",
        """for name in a b; do
    printf '%s\\n' $name 3 4 >$name.csv; hebatch encrypt --key keys/public.h5 $name.csv $name.heb --range 0..9
done
sh -eu example
"$PYTHON" -c 'import json; assert json.load(open("y.json"))'""",
    ),
    (
        RUNNING,
        "mpirun -n 4 hebatch eval --limb-ranks 4",
        """"$PYTHON" -c 'import h5py
with h5py.File("mine.h5", "w") as f: f["counts"] = [[3, 4], [5, 6]]'
hebatch encrypt --key keys/public.h5 mine.h5:/counts mine.heb --range 0..9
sh -eu example
hebatch decrypt --key keys/secret.h5 cube.heb - | tail -n 2 >cube.csv
printf '%s\\n' 27,64 125,216 | cmp - cube.csv""",
    ),
    ("jobs/python/README.md", "import os\nimport hebatch", Left("cli/python_owners.py runs it")),
    (
        "jobs/python/README.md",
        "import hebatch",
        """echo "assert program.decrypt('n.heb', key='keys/secret.h5')['n'].tolist() == [154]" >>example
HEBATCH=$(command -v hebatch) PYTHONPATH=$SOURCE/jobs/python "$PYTHON" example""",
    ),
    ("jobs/python/README.md", "python3 -m venv", Left("takes packages from the network; cli/recipes.sh builds ours")),
    ("jobs/python/README.md", "model = hebatch.from_sklearn", Left("needs scikit-learn; cli/python_models.py runs it")),
    ("jobs/bench/README.md", "mpirun -n 8 hebatch bench limbs", Left("measures for minutes; ranks/bench_limbs.sh")),
    ("jobs/bench/README.md", "hebatch bench job", Left("measures for minutes; ranks/bench.sh")),
    ("jobs/bench/README.md", "seal-8192", Left("what a measurement printed once")),
    ("jobs/packages/README.md", "cmake -S", Left("installs; cli/package.sh and cli/recipes.sh")),
    ("jobs/packages/README.md", "spack", Left("needs Spack; cli/recipes.sh reads the recipe")),
    ("jobs/packages/README.md", "export HEBATCH_VERSION", Left("needs conda; cli/recipes.sh reads the recipe")),
    ("jobs/packages/README.md", "apptainer", Left("needs Apptainer; cli/recipes.sh reads the recipe")),
    (EXAMPLES + "consortium/README.md", "jobs/examples/consortium/run", Left("ranks/example.sh")),
    ("jobs/README.md", "hebatch keygen --party", Left("other steps stand between them: ranks.example.consortium")),
    ("jobs/README.md", "hebatch decrypt --part", Left("needs keys of several owners; cli/parts.sh")),
    ("jobs/README.md", "sbatch slurm/hebatch.sbatch encrypt", Left("needs Slurm; tests/slurm/batch.sh")),
    (EXAMPLES + "README.md", "jobs/examples/tumors", Left("minutes; ranks/example.sh")),
    (EXAMPLES + "README.md", "python3 -m venv", Left("takes packages from the network")),
    (EXAMPLES + "README.md", "== Building", Left("what jobs/quickstart printed once; ranks/example.sh runs it")),
    (EXAMPLES + "fhe-bench/README.md", "jobs/examples/fhe-bench/run", Left("cli/fhe_bench.sh")),
    (EXAMPLES + "fhe-bench/README.md", "jobs/examples/fhe-bench/scripts/serve.sh", Left("cli/fhe_bench.sh")),
    (EXAMPLES + "fhe-bench/README.md", "python3 -m venv", Left("the full size; cli/fhe_bench_face.sh has a small one")),
    (EXAMPLES + "fhe-bench/README.md", "PRESET=boot-test", Left("cli/fhe_bench_face.sh and cli/fhe_bench.sh")),
    (EXAMPLES + "fhe-bench/README.md", "git clone", Left("a repository of others; cli/fhe_bench_fork.sh makes one")),
    (EXAMPLES + "fhe-bench/zn-multiplication/README.md", "python3 -m venv", Left("in a fork; cli/fhe_bench_fork.sh")),
    (EXAMPLES + "fhe-bench/fetch-by-similarity/README.md", "python3 -m venv", Left("in a fork; cli/fhe_bench_fork.sh")),
    (EXAMPLES + "fhe-bench/ml-inference/mnist/README.md", "python3 -m venv", Left("in a fork; cli/fhe_bench_fork.sh")),
    (EXAMPLES + "fhe-bench/ml-inference/cifar10/README.md", "python3 -m venv", Left("in a fork; cli/fhe_bench_fork.sh")),
    (EXAMPLES + "fhe-bench/ml-inference/cifar10/README.md", "python3 submissions", Left("needs PyTorch and CIFAR-10")),
    (EXAMPLES + "fhe-bench/face-recognition/README.md", "python3 -m venv", Left("in a fork; cli/fhe_bench_face.sh")),
    (EXAMPLES + "fhe-bench/face-recognition/README.md", "PRESET=boot-test", Left("cli/fhe_bench_face.sh")),
    (EXAMPLES + "helr/README.md", "jobs/examples/helr/run", Left("cli/helr.sh")),
    (EXAMPLES + "helr/README.md", "u = rowsum", Left("an outline of what cli/helr.sh runs")),
    (EXAMPLES + "resnet/README.md", "jobs/examples/resnet/run", Left("cli/resnet.sh")),
    (EXAMPLES + "rnn/README.md", "h = tanh", Left("an outline of what cli/rnn.sh runs")),
    (EXAMPLES + "rnn/README.md", "jobs/examples/rnn/run", Left("cli/rnn.sh")),
    ("src/semantics.md", "N = 1024", Left("constants, which unit/base/t_prime.c has")),
    ("src/semantics.md", "1024   m_sk", Left("constants, which unit/bfv/t_behz.c has")),
    ("tests/bench/README.md", "hebatch-designs", Left("a program of its own; cli/bench_designs.sh")),
    ("tests/bench/README.md", "tests/bench/plot.py", Left("of a measurement; cli/bench_designs.sh")),
    ("tests/bench/results/README.md", "NVIDIA", Left("what a measurement printed once")),
    ("tests/fuzz/README.md", "cmake -S", Left("needs clang and runs for minutes")),
)

# The pages of --help: a command, and the shell that runs before the examples of its page.
PAGES = {
    "ask": """printf '%s\\n' 'ward,sex,age,weight_kg,condition,Height (cm)' icu,f,81,60.5,asthma,170 \\
    lab,m,65,unknown,asthma,181 icu,f,60,70,flu,162 >patients.csv
printf '%s\\n' ward,cost icu,900 lab,250 >wards.csv""",
    "eval": """hebatch keygen """
    + SHALLOW
    + """ --out keys
for name in a b; do
    printf '%s\\n' $name 3 4 >$name.csv; hebatch encrypt --key keys/public.h5 $name.csv $name.heb --range 0..9
done""",
    "add": """mkdir clinics; cp -r a.heb clinics
hebatch encrypt --key keys/public.h5 a.csv clinics/b.heb --range 0..9""",
    "rekey": """for name in old new theirs; do
    hebatch keygen """
    + SHALLOW
    + """ --out $name
done
hebatch encrypt --key old/public.h5 a.csv old.heb --range 0..9""",
    "refresh": """mkdir kept; mv keys a.heb y.heb kept
hebatch keygen --params int-test --insecure --out keys --relin
hebatch encrypt --key keys/public.h5 a.csv a.heb --range 0..9
hebatch eval --keys keys --compact off 'y = a^16' a=a.heb y=y.heb --wrap""",
    "sanitize": """rm -r keys a.heb y.heb z.heb; mv kept/* .; hebatch eval --keys keys --compact off 'y = a * b' a=a.heb b=b.heb y=y.heb --force""",
    "status": """cp -r a.heb out.heb; cp a.heb.report.json out.heb.report.json
hebatch decrypt --key keys/secret.h5 out.heb out.csv""",
}


def examples(text):
    """(kind of fence or "", lines) of each example, in order. A blank line stands before indented ones."""
    lines, made, place, before = text.split("\n"), [], 0, ""
    while place < len(lines):
        line = lines[place]
        if line.startswith("```"):
            end = lines.index("```", place + 1)
            made.append((line[3:], lines[place + 1 : end]))
            place = end
        elif line.startswith("    ") and not before.strip():
            end = place
            while end < len(lines) and lines[end].startswith("    "):
                end += 1
            made.append(("", [line[4:] for line in lines[place:end]]))
            place = end - 1
        before = lines[place]
        place += 1
    return made


def run(shell, folder):
    done = subprocess.run(["sh", "-eu", "-c", shell], cwd=folder, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout, done.stderr


class Test:
    def __init__(self, source, folder):
        self.source, self.folder, self.faults, self.counts = source, folder, [], {"run": 0, "left": 0}
        self.met = set()
        self.pages = {}

    def fault(self, place, what):
        self.faults.append("%s: %s" % (place, what))

    def page(self, command):
        if command not in self.pages:
            self.pages[command] = run("hebatch %s --help" % command, self.folder)[1]
        return self.pages[command]

    def check_options(self, place, lines):
        """Commands that are not run have options that there are."""
        for line in lines:
            found = re.match(r"\s*(?:mpirun \S+ \S+ )?hebatch ([a-z]+)\b(.*)", line)
            for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", found[2]) if found else ():
                if not re.search(r"%s\b" % option, self.page(found[1])):
                    self.fault(place, "%s has no %s" % (found[1], option))

    def by_row(self, document, lines):
        text = "\n".join(lines)
        rows = [row for row in ROWS if row[0] == document and text.lstrip().startswith(row[1])]
        place = "%s: %s" % (document, lines[0])
        if len(rows) != 1:
            return self.fault(place, "%d rows of this test say how this example is run" % len(rows))
        self.met.add(rows[0][:2])
        if isinstance(rows[0][2], Left):
            self.counts["left"] += 1
            for test in re.findall(r"(?:cli|ranks|unit)/[\w/]+\.(?:sh|c)", rows[0][2]):
                if not os.path.exists(os.path.join(self.source, "tests", test)):
                    self.fault(place, "there is no tests/%s" % test)
            return self.check_options(place, lines)
        folder = os.path.join(self.folder, document)
        with open(os.path.join(folder, "example"), "w", encoding="utf-8") as file:
            file.write(text + "\n")
        code, out, err = run(rows[0][2], folder)
        self.counts["run"] += 1
        return self.fault(place, "code %d\n%s%s" % (code, out[-2000:], err[-2000:])) if code else None

    def shell(self, document, lines, printed):
        code, out, err = run("\n".join(lines), os.path.join(self.folder, document))
        self.counts["run"] += 1
        place = "%s: %s" % (document, lines[0])
        if code:
            return self.fault(place, "code %d\n%s" % (code, err[-2000:]))
        if printed and out.split("\n")[-len(printed) - 1 : -1] != printed:
            return self.fault(place, "prints something else than the document\n%s" % out[-2000:])
        # The parameters that are suggested are those that are taken.
        for options in re.findall(r"^hebatch keygen (--n .*) --out KEYS .*", out, re.M | re.I):
            if "keygen %s --out" % options not in "\n".join(lines):
                return self.fault(place, "suggests keygen %s" % options)
        return None

    def document(self, name):
        with open(os.path.join(self.source, name), encoding="utf-8") as file:
            found = examples(file.read())
        os.makedirs(os.path.join(self.folder, name))
        for number, (kind, lines) in enumerate(found):
            behind = found[number + 1] if number + 1 < len(found) else ("", [])
            if kind == "sh" and not any(row[0] == name and lines[0].startswith(row[1]) for row in ROWS):
                self.shell(name, lines, behind[1] if behind[0] == "csv" else [])
            elif kind != "csv":
                self.by_row(name, lines)

    def documents(self):
        for folder, folders, names in os.walk(self.source):
            folders[:] = [f for f in sorted(folders) if f == ".github" or not f.startswith((".", "build"))]
            for name in sorted(names):
                if name.endswith(".md"):
                    self.document(os.path.relpath(os.path.join(folder, name), self.source))
        for row in ROWS:
            if row[:2] not in self.met:
                self.fault(row[0], "no example begins '%s'" % row[1])

    def help(self):
        """Examples are the indented lines of a page that begin with the program; a comment stands behind blanks."""
        commands = re.findall(r"^  ([a-z]+)  ", run("hebatch --help", self.folder)[1], re.M)
        shown = {c: re.findall(r"^  (hebatch .*)$", self.page(c).split("\nOptions:")[0], re.M) for c in commands}
        folder = os.path.join(self.folder, "help")
        os.makedirs(folder)
        for command in sorted(shown, key=lambda c: list(PAGES).index(c) if c in PAGES else -1):
            if bool(shown[command]) != (command in PAGES):
                self.fault("%s --help" % command, "%d examples, against this test" % len(shown[command]))
            elif shown[command]:
                self.counts["run"] += len(shown[command])
                code, _, err = run(
                    "\n".join([PAGES[command]] + [re.sub("   +.*", "", e) for e in shown[command]]), folder
                )
                if code:
                    self.fault("%s --help" % command, "code %d\n%s" % (code, err[-2000:]))


def main():
    test = Test(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
    os.environ["SOURCE"] = test.source
    test.help()
    test.documents()
    print("%(run)d examples run, %(left)d are not" % test.counts)
    sys.exit("\n".join(test.faults) or 0)


main()
