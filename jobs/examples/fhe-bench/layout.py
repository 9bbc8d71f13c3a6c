"""The calls of the suite's harness, from the table calls.json of a workload, and a submission laid out as the harness
looks for one: the common part of `run` and `fork`. README.md says what is in the table.

A submission is a folder of the harness's repository:

    README.md           the workload's page
    stage.sh, stages/   the kit's files
    python/             what training a model imports, where there is one
    places              links that scripts/build_task.sh makes, to where the harness looks: LINK TARGET, a line each
    hebatch             the version that it was made with, and where its source is"""
import json
import os
import pathlib
import shutil

KIT = pathlib.Path(__file__).resolve().parent
JOBS = KIT.parents[1]
NOT_COPIED = {"README.md", "calls.json", "contract.py", "clear.py", "stand_in.py", "brings", "requirements.txt", "__pycache__"}
LICENCE = "# SPDX-License-Identifier: Apache-2.0\n"
IGNORED = "/build/\n/target/\n/*.py\n__pycache__/\n"
WORDS = ("SIZE", "NUMBER", "ROWS", "COUNT_ONLY", "SEEDS")  # of arguments, besides texts as they are


class Damaged(Exception):
    """A table that is none, or that lacks a part; or a folder of others where a submission is to stand."""


def workloads():
    return sorted(path.parent.name for path in KIT.glob("*/calls.json"))


class Calls:
    """The table of a workload."""

    def __init__(self, folder):
        self.folder = folder
        path = folder / "calls.json"
        try:
            table = json.loads(path.read_text())
            self.sources, self.commit = table["sources"], table.get("commit")
            self.marks, self.older = table["marks"], table.get("older", {})
            self.submissions = table["submissions"]
            self.looked_for, self.may_lack = table["looked_for"], table["may_lack"]
            self.scripts, self.elsewhere = table["scripts"], table.get("elsewhere", [])
            self.by_hand = table.get("by_hand", [])
            self.sizes = table["sizes"]
            self.measurements = table["measurements"], table.get("measurements_counted", table["measurements"])
            self.reported = table["reported"]
            self.once, self.each_run = table["once"], table["each_run"]
            words = [word for step in self.steps() for word in step["arguments"]]
        except (ValueError, TypeError, AttributeError) as reason:
            raise Damaged("%s: %s" % (path, reason)) from None
        except KeyError as reason:
            raise Damaged("%s: has no %s" % (path, reason)) from None
        unknown = [word for word in words if word not in WORDS]
        if unknown:
            raise Damaged("%s: arguments are of %s, not %s" % (path, ", ".join(WORDS), unknown[0]))

    def steps(self):
        """Returns the steps that call stages, in order."""
        return [step for step in self.once + self.each_run if "stages" in step]

    def stages(self):
        return [stage for step in self.steps() for stage in step["stages"]]

    def kit_folder(self, submission):
        """The kit's folder of a submission: that of its name in the workload's, where one is, else the workload's."""
        inner = self.folder / pathlib.PurePath(submission).name
        return inner if inner.is_dir() else self.folder

    def place(self, pattern, submission, stage):
        return pattern.replace("SUBMISSION", submission).replace("STAGE", stage)

    def script_calls(self, submission):
        """Before all stages: those of the harness, and those that it leaves to whoever runs it."""
        return [[word.replace("SUBMISSION", submission) for word in call] for call in self.scripts + self.by_hand]


def _text(path):
    """Returns the text of a file to copy; a text that is run begins with its licence."""
    text = path.read_text()
    if "SPDX-License-Identifier" in text or path.suffix not in ("", ".py", ".sh"):
        return text
    lines = text.splitlines(keepends=True)
    at = 1 if text.startswith("#!") else 0
    return "".join(lines[:at] + [LICENCE] + lines[at:])


def _copy(path, to):
    to.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix in (".npz", ".gz"):
        shutil.copyfile(path, to)
    else:
        to.write_text(_text(path))
    shutil.copymode(path, to)


def _files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def _version():
    return (JOBS / "python" / "VERSION").read_text().strip()


def lay_out(calls, root, submission, source=""):
    """Writes a submission and scripts/ below `root`, in the place of what is there; returns the paths that were
    written. scripts/build_task.sh clones hebatch from `source`, where it is not installed."""
    kit, to = calls.kit_folder(submission), root / submission
    if to.exists():
        if not (to / "places").exists():
            raise Damaged("%s: is there, and was not laid out by this kit" % to)
        shutil.rmtree(to)
    files = {to / "README.md": kit / "README.md", to / "stage.sh": KIT / "stage.sh"}
    for path in _files(kit):
        if path.relative_to(kit).parts[0] not in NOT_COPIED:
            files[to / "stages" / path.relative_to(kit)] = path
    brings = kit / "brings"
    for line in brings.read_text().split() if brings.exists() else []:
        path = JOBS / line
        for file in _files(path) if path.is_dir() else [path]:
            files[to / "python" / file.relative_to(path.parent)] = file
    for name in {pathlib.PurePath(call[0]).name for call in calls.script_calls(submission)} | {"measure.sh", "serve.sh"}:
        files[root / "scripts" / name] = KIT / "scripts" / name
    for target, path in files.items():
        if path.exists():
            _copy(path, target)
    written = [target for target, path in files.items() if path.exists()]
    for name, text in (("places", _places(calls, kit, submission)), (".gitignore", IGNORED),
                       ("hebatch", "version=%s\nsource=%s\n" % (_version(), source))):
        (to / name).write_text(text)
        written.append(to / name)
    return written


def _places(calls, kit, submission):
    """Where the harness looks for each stage that the kit has: LINK TARGET, from the submission's folder."""
    lines = []
    for stage in calls.stages():
        for pattern in calls.looked_for:
            link = pathlib.PurePath(calls.place(pattern, submission, stage)).relative_to(submission)
            name = stage + link.suffix
            if (kit / name).exists():
                lines.append("%s %sstages/%s\n" % (link, "../" * (len(link.parts) - 1), name))
                break
        else:
            if not calls.may_lack:
                raise Damaged("%s: has no %s" % (kit, stage))
    return "".join(lines)


def made_in(folder, submission):
    """Returns the folders and links that scripts/build_task.sh has made in a submission of this kit, which it makes
    again."""
    places = folder / submission / "places"
    lines = places.read_text().splitlines() if places.is_file() else []
    links = [line.split()[0] for line in lines]
    return ["%s/%s" % (submission, link.split("/")[0]) for link in links]


def requirements(calls, submission):
    """Packages that the stages import and the harness does not ask for."""
    path = calls.kit_folder(submission) / "requirements.txt"
    return path.read_text().split() if path.exists() else []


def environment():
    """Returns the environment of stages and scripts: none of them leaves compiled files behind."""
    return dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
