#!/usr/bin/env python3
"""What the house rules ask for and no compiler sees: structure.py SOURCE BUILD.

A wrong arrow between rooms does not compile (src/rooms.cmake). Here are the rest: every header compiles alone, every
external function is used by another file of the product, no file has more than 500 lines and no line more than 120
characters, no function of the product more than 60 lines or 7 parameters, no include climbs out of its folder, and only
what is named for a scheme includes its room.
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
MOST_FUNCTION_LINES = 60
MOST_PARAMETERS = 7
SCHEMES = ("bfv", "ckks")
# Files that include a scheme's room without its name in theirs.
NAME_SCHEME_BESIDES = {
    "io/seal/parameters.c": "the literal of SEAL, whose schemes are one format",
    "jobs/bench/limbs_private.h": "the conversion that `bench limbs` measures is the lift of a multiplication of BFV",
}
# External functions that no other file of the product uses, and what they let tests have.
FOR_TESTS = {
    "hb_bootstrap_periodic_key_purposes": "values that repeat in expressions, to come",
    "hb_linear_map_bytes": "what a map takes, against what was said before it was there",
    "hb_wide_root": "roots of unity, one by one",
    "hb_ckks_repeat": "few slots that fill all, for maps of slots to come",
    "hb_sparse_secret_draw": "what is drawn: elsewhere it goes to the engine at once",
    "hb_bench_plan": "a measurement that leaves no file behind",
    "hb_bfv_params_make": "parameters that are too small to be opened",
    "hb_checked_path": "a file to damage",
    "hb_composition_look": "what one composition comes to, where the shortest is chosen",
    "hb_cpu_draw": "rules of acceptance that no modulus has",
    "hb_cpu_ntt_inverse": "one transform, where engines make many",
    "hb_device_narrow": "what is visible, said for any host",
    "hb_engine_check_operations": "a check that takes its shape, of a GPU",
    "hb_job_times_total": "that no time is left out",
    "hb_limb_traffic_of": "one operation of a model, against what is exchanged",
    "hb_limbs_params_open": "parameters of the model's measurement",
    "hb_pipeline_limit_words": "a word of a report, for any times",
    "hb_progress_format": "a line, without a terminal",
    "hb_seal_prng_block": "vectors, block by block",
    "hb_shards_reserve_end": "that space was there, before shards are cleared",
}
ROOMS = ("src", "cuda", "mpi", "io", "jobs")


def files(source):
    for top in ROOMS + ("tests",):
        for folder, _, names in os.walk(os.path.join(source, top)):
            for name in names:
                if name.endswith((".c", ".h", ".cu", ".cuh")):
                    yield os.path.relpath(os.path.join(folder, name), source)


def may_name(scheme, path):
    return (
        path.startswith((f"src/{scheme}/", "src/check/", "tests/"))
        or scheme in os.path.basename(path)
        or path in NAME_SCHEME_BESIDES
    )


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
        for scheme in SCHEMES:
            if f'#include "{scheme}/' in text and not may_name(scheme, path):
                yield f"{path}: includes {scheme}/...: a scheme is reached through scheme/..., or from a file named for it"
        for include in re.findall(r'#\s*include\s+"([^"]*\.\./[^"]*)"', text):
            yield f'{path}: includes "{include}": an include names a room, or a file of its own'


def functions(text):
    """Names, parameters and lines of the functions that a file defines, as clang-format leaves them."""
    definition = r"^\w[^;{}=#]*?\b(?!__launch_bounds__)(\w+)\(([^;{}]*)\)\n\{\n(.*?)^\}"
    for name, parameters, body in re.findall(definition, text, re.M | re.S):
        # What stands in brackets has commas of its own: templates, and the parameters of functions that are passed.
        while True:
            plain = re.sub(r"<[^<>]*>|\([^()]*\)", "", parameters)
            if plain == parameters:
                break
            parameters = plain
        yield name, 0 if plain.strip() in ("", "void") else plain.count(",") + 1, body.count("\n")


def check_functions(source):
    for path in files(source):
        if path.startswith("tests/"):
            continue  # whose cases are long lists
        with open(os.path.join(source, path), encoding="utf-8") as file:
            text = file.read()
        for name, parameters, lines in functions(text):
            if parameters > MOST_PARAMETERS:
                yield f"{path}: {name} has {parameters} parameters, {MOST_PARAMETERS} at most"
            if lines > MOST_FUNCTION_LINES:
                yield f"{path}: {name} has {lines} lines, {MOST_FUNCTION_LINES} at most"


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


def names_elsewhere(source, commands):
    """Names in files of the product that this build does not compile, as those of CUDA and NCCL where they are not."""
    compiled = {os.path.realpath(command["file"]) for command in commands}
    names = set()
    for path in files(source):
        whole = os.path.join(source, path)
        if not path.startswith("tests/") and path.endswith((".c", ".cu", ".cuh")) and whole not in compiled:
            with open(whole, encoding="utf-8") as file:
                names.update(re.findall(r"\bhb_\w+", file.read()))
    return names


def check_externals(source, commands):
    """An object is what one file becomes; kernels become several, one an instruction set. Tests are no users."""
    defined, used, elsewhere = {}, {}, names_elsewhere(source, commands)
    for command in commands:
        if command["file"].startswith(os.path.join(source, "tests", "")):
            continue
        words = shlex.split(command["command"])
        path = os.path.join(command["directory"], words[words.index("-o") + 1])
        if not os.path.exists(path):
            continue  # a target that was not asked for
        for line in subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout.splitlines():
            kind, name = line.split()[-2:]
            if kind in "TDRB":
                defined.setdefault(name, set()).add(command["file"])
            elif kind == "U":
                used.setdefault(name, set()).add(command["file"])
    for name, homes in sorted(defined.items()):
        needed = used.get(name, set()) - homes or name in elsewhere
        if re.match(r"(_Z\d+)?hb_", name) and not needed and name not in FOR_TESTS:
            yield f"{sorted(homes)[0]}: nobody else uses {name}: it is static, or goes"
        elif needed and name in FOR_TESTS:
            yield f"{name} is no more for tests alone: it need not be listed"
    for name in sorted(FOR_TESTS.keys() - defined.keys()):
        yield f"{name} is listed as for tests, and is not there"


def main():
    source, build = (os.path.realpath(path) for path in sys.argv[1:3])
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    faults = [*check_lines(source), *check_functions(source), *check_headers(source, commands), *check_externals(source, commands)]
    for fault in faults:
        print(fault.replace(source + "/", ""))
    print(f"{len(faults)} faults of structure")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
