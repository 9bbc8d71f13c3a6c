#!/usr/bin/env python3
"""What the house rules ask for and no compiler sees: structure.py SOURCE BUILD.

A wrong arrow between rooms does not compile (src/rooms.cmake). Here are the rest: every header compiles alone, every
external function is used by another file, no file has more than 500 lines and no line more than 120 characters, no
include climbs out of its folder.
"""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

MOST_LINES = 500
MOST_COLUMNS = 120
ROOMS = ("src", "cuda", "mpi", "io", "jobs")


def files(source):
    for top in ROOMS + ("tests",):
        for folder, _, names in os.walk(os.path.join(source, top)):
            for name in names:
                if name.endswith((".c", ".h", ".cu", ".cuh")):
                    yield os.path.relpath(os.path.join(folder, name), source)


def check_lines(source):
    for path in files(source):
        with open(os.path.join(source, path), encoding="utf-8") as file:
            text = file.read()
        lines = text.count("\n")
        if lines > MOST_LINES:
            yield f"{path}: {lines} lines, {MOST_LINES} at most"
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > MOST_COLUMNS:
                yield f"{path}:{number}: {len(line)} characters, {MOST_COLUMNS} at most"
        for include in re.findall(r'#\s*include\s+"([^"]*\.\./[^"]*)"', text):
            yield f'{path}: includes "{include}": an include names a room, or a file of its own'


def room_commands(commands):
    """The different ways in which C files of each folder are compiled, without the file."""
    rooms = {}
    for command in commands:
        if command["file"].endswith(".c"):
            words = [word for word in shlex.split(command["command"]) if word not in ("-c", "ccache")]
            ways = rooms.setdefault(os.path.dirname(command["file"]), [])
            way = (command["directory"], words[: words.index("-o")])
            if way not in ways:
                ways.append(way)
    return rooms


def compile_alone(header, ways):
    """A fault, or None: one of the ways will do, as kernels need to be told for which instructions they are."""
    for folder, words in ways:
        done = subprocess.run(
            words + ["-Wno-pedantic", "-fsyntax-only", "-x", "c", "-"],
            input=f'#include "{header}"\n',
            cwd=folder,
            capture_output=True,
            text=True,
        )
        if done.returncode == 0:
            return None
    return f"{header}: does not compile alone: {done.stderr.strip()}"


def check_headers(source, commands):
    """Of CUDA only what a program without it has, too, would compile here: it is left out."""
    rooms = room_commands(commands)
    headers = []
    for path in files(source):
        ways = rooms.get(os.path.dirname(os.path.join(source, path)))
        if path.endswith(".h") and path.split("/")[0] in ROOMS and not path.startswith("cuda/") and ways is not None:
            headers.append((os.path.join(source, path), ways))
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for fault in pool.map(lambda one: compile_alone(*one), headers):
            if fault is not None:
                yield fault


def check_externals(commands):
    """An object is what one file becomes; kernels become several, one an instruction set."""
    defined, used = {}, {}
    for command in commands:
        words = shlex.split(command["command"])
        path = os.path.join(command["directory"], words[words.index("-o") + 1])
        if not os.path.exists(path):
            continue  # a target that was not asked for
        for line in subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout.splitlines():
            kind, name = line.split()[-2:]
            if kind in "TDRB" and command["file"].split("/tests/")[0] == command["file"]:
                defined.setdefault(name, set()).add(command["file"])
            elif kind == "U":
                used.setdefault(name, set()).add(command["file"])
    for name, homes in sorted(defined.items()):
        if name.startswith("hb_") and not used.get(name, set()) - homes:
            yield f"{sorted(homes)[0]}: nobody else uses {name}: it is static, or goes"


def main():
    source, build = (os.path.realpath(path) for path in sys.argv[1:3])
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    faults = [*check_lines(source), *check_headers(source, commands), *check_externals(commands)]
    for fault in faults:
        print(fault.replace(source + "/", ""))
    print(f"{len(faults)} faults of structure")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
