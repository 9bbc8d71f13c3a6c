#!/usr/bin/env python3
"""Checks the house rules that no compiler sees: structure.py [SOURCE BUILD].

A wrong arrow between rooms does not compile (src/rooms.cmake). Here are the rest: every header compiles alone, every
external function is used by another file of the product, no file has more than 500 lines and no line more than 120
characters, nor has prose in a document or a table of two columns, README.md has at most 120 lines, no sentence begins
with Of, no function of the product more than 50 lines or 7 parameters, no struct more than 24 members, no folder more
than 55 files, no type has the name of another, no include climbs out of its folder, only what is named for a scheme
includes its room, and rooms have unit tests of their own.
"""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

import structure_counts
import structure_links

MOST_LINES = 500
MOST_COLUMNS = 120
MOST_README_LINES = 120
MOST_FUNCTION_LINES = 50
MOST_PARAMETERS = 7
MOST_MEMBERS = 24
MOST_ROOM_FILES = 55
# Counts of the whole product (structure_counts.py): they may fall, not rise. Who lowers one lowers it here.
MOST_FILES_IN_CIRCLES = 53
MOST_CIRCLE_FILES = 4
MOST_DEFAULTS = 0
MOST_CONDITIONAL_TRIES = 57
MOST_USED_ONCE = 1601
SCHEMES = ("bfv", "ckks")
# Files that include a scheme's room without its name in theirs.
NAME_SCHEME_BESIDES = {
    "io/seal/parameters.c": "the literal of SEAL, whose schemes are one format",
    "jobs/bench/limbs_private.h": "the conversion that `bench limbs` measures is the lift of a multiplication of BFV",
}
# External functions that no other file of the product uses, and what they let tests have.
FOR_TESTS = {
    "hb_refresh_constant": "the integer by which a pass multiplies, against big integers",
    "hb_linear_map_bytes": "what a map takes, against what was said before it was there",
    "hb_wide_root": "roots of unity, one by one",
    "hb_sparse_secret_draw": "what is drawn: elsewhere it goes to the engine at once",
    "hb_answer_check": "answers that no server sends",
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
    "hb_request_check": "heads that no client sends",
    "hb_request_find_texts": "texts that are others than their head says",
    "hb_seal_prng_block": "vectors, block by block",
    "hb_server_facts_check": "facts that no server states",
    "hb_server_facts_read": "what was written, where servers show it to people",
    "hb_shards_reserve_end": "that space was there, before shards are cleared",
}
FOR_TESTS["hb_share_challenge"] = "the numbers that owners' shares are compared by, one by one"
# Lines of unit tests a line of code, by room (structure_counts.py), at least: of rooms of the language, and of others.
LANGUAGE_UNIT_SHARE = 0.15
UNIT_SHARE = 0.2
# Rooms that have less: their share may rise, not fall. Each with the tests that it has besides.
LESS_UNIT_SHARE = {
    "cuda/bfv": (0, "tests/gpu"),
    "cuda/ceilings": (0, "tests/gpu"),
    "cuda/device": (0, "tests/gpu"),
    "cuda/ntt": (0, "tests/gpu"),
    "cuda/ring": (0, "tests/gpu"),
    "cuda/rns": (0, "tests/gpu"),
    "cuda/rows": (0, "tests/gpu"),
    "io/h5": (0, "unit tests of io/table and io/dataset"),
    "io/reader": (0, "unit tests of io/table"),
    "jobs": (0, "tests/cli"),
    "jobs/bench": (0.03, "tests/cli/bench*.sh"),
    "jobs/commands": (0, "tests/cli"),
    "jobs/eval": (0.06, "tests/cli, tests/ranks"),
    "jobs/page": (0, "tests/cli/page.sh"),
    "jobs/seal": (0, "tests/cli/seal.sh"),
    "jobs/suggest": (0, "tests/cli/suggest*.sh"),
    "jobs/ask": (0.07, "tests/cli/ask.sh"),
    "jobs/tables": (0, "tests/cli/roundtrip.sh, tests/cli/tables.sh"),
    "mpi/exchange": (0, "tests/ranks/t_exchange_mpi.c"),
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
        path.startswith((f"src/{scheme}/", "src/refresh/", "src/check/", "tests/"))
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
        guard = re.match(r"(?:/\*.*?\*/\s*)?#ifndef (HB_\w+_H)\n", text, re.S)
        wanted = "HB_" + re.sub(r"[/.]", "_", re.sub(r"^(src|jobs)/", "", path)).upper()
        if guard and path.startswith(("src/", "jobs/", "io/", "mpi/")) and guard.group(1) != wanted:
            yield f"{path}: its guard is {guard.group(1)}, and {wanted} names its place"
        for include in re.findall(r'#\s*include\s+"([^"]*\.\./[^"]*)"', text):
            yield f'{path}: includes "{include}": an include names a room, or a file of its own'


def documents(source):
    yield ".github/SECURITY.md"
    for top in ("",) + ROOMS + ("tests",):
        for folder, _, names in os.walk(os.path.join(source, top)) if top else [(source, [], os.listdir(source))]:
            for name in names:
                if name.endswith(".md"):
                    yield os.path.relpath(os.path.join(folder, name), source)


def check_prose(source):
    for path in documents(source):
        with open(os.path.join(source, path), encoding="utf-8") as file:
            lines = file.read().split("\n")
        if path == "README.md" and len(lines) - 1 > MOST_README_LINES:
            yield f"{path}: {len(lines) - 1} lines, {MOST_README_LINES} at most"
        fenced = False
        for number, line in enumerate(lines, 1):
            fenced = fenced != line.lstrip().startswith("```")
            code = fenced or line.startswith(("    ", "|"))
            if len(line) > MOST_COLUMNS and not code:
                yield f"{path}:{number}: {len(line)} characters of prose, {MOST_COLUMNS} at most"
            elif len(line) > MOST_COLUMNS and not fenced and len(re.findall(r"(?<!\\)\|", line)) == 3:
                yield f"{path}:{number}: {len(line)} characters of a table of two columns, which a list would wrap"


def check_sentences(source):
    """Sentences that begin with Of, What or Those: what they are about comes last, or in a line before."""
    for path in (*files(source), *documents(source)):
        with open(os.path.join(source, path), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if re.search(r"(?<![\w-])Of [\w`'(]", line):
                    yield f"{path}:{number}: a sentence begins with Of; its subject comes first"
                if re.search(r"(?:^|[.:!] |(?:/\*|//) ?|^ *\* )(?:What|Those) [\w`'(]", line):
                    yield f"{path}:{number}: a sentence begins with What or Those; it names the thing"


def functions(text):
    """Names, parameters and lines of the functions that a file defines, as clang-format leaves them."""
    definition = r"^\w[^;{}=#]*?\b(?!__launch_bounds__)(\w+)\(([^;{}]*)\)\n\{\n(.*?)^\}"
    for name, parameters, body in re.findall(definition, text, re.M | re.S):
        # Texts in brackets have commas of their own: templates, and the parameters of functions that are passed.
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


def members(body):
    """How many members a struct has whose body, without comments, is this; those of unions and structs in it count."""
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    while True:
        plain = re.sub(r"\([^()]*\)", "", body)
        if plain == body:
            break
        body = plain
    declarations = [part for part in body.split(";") if re.search(r"\w", part.replace("}", ""))]
    return sum(1 + part.count(",") for part in declarations)


def check_types(source):
    """Sizes of structs and folders, and names of types that stand twice."""
    places, rooms = {}, {}
    for path in files(source):
        if path.startswith("tests/"):
            continue
        rooms[os.path.dirname(path)] = rooms.get(os.path.dirname(path), 0) + 1
        with open(os.path.join(source, path), encoding="utf-8") as file:
            text = file.read()
        for body, name in re.findall(r"^typedef struct \w* ?\{\n((?:[^}\n].*\n|\n)*)\} (\w+);", text, re.M):
            count = members(body)
            if count > MOST_MEMBERS:
                yield f"{path}: {name} has {count} members, {MOST_MEMBERS} at most"
        for name in re.findall(r"(?:^struct (?=\w+ \{)|\} )(hb_\w+)(?: \{|;)$", text, re.M):
            places.setdefault(name, set()).add(path)
    for name, paths in sorted(places.items()):
        if len(paths) > 1:
            yield f"{', '.join(sorted(paths))}: {name} is the name of a type in each"
    for room, count in sorted(rooms.items()):
        if count > MOST_ROOM_FILES:
            yield f"{room}: {count} files, {MOST_ROOM_FILES} at most"


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


def first_include(path):
    """The header of its own folder that a file includes before all others, or None: the build has compiled it alone."""
    with open(path, encoding="utf-8") as file:
        found = re.search(r"^\s*#\s*include\s+(\S+)", file.read(), re.M)
    name = found.group(1).strip('"') if found else ""
    header = os.path.join(os.path.dirname(path), name)
    return header if os.path.exists(header) else None


def check_headers(source, commands):
    """Headers that do not compile alone. Headers of CUDA are left out: most of them compile only with nvcc."""
    rooms = room_commands(commands)
    headers = []
    alone = {first_include(command["file"]) for command in commands if command["file"].endswith(".c")}
    for path in files(source):
        ways = rooms.get(os.path.dirname(os.path.join(source, path)))
        if path.endswith(".h") and path.split("/")[0] in ROOMS and not path.startswith("cuda/") and ways is not None:
            if os.path.join(source, path) not in alone:
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
    objects = {}
    for command in commands:
        if not command["file"].startswith(os.path.join(source, "tests", "")):
            words = shlex.split(command["command"])
            path = os.path.join(command["directory"], words[words.index("-o") + 1])
            if os.path.exists(path):  # and else it is of a target that was not asked for
                objects[path] = command["file"]
    symbols = subprocess.run(["nm", "-A", *objects], capture_output=True, text=True, check=True).stdout
    for line in symbols.splitlines():
        path, symbol = line.rsplit(":", 1)
        kind, name = symbol.split()[-2:]
        if kind in "TDRB":
            defined.setdefault(name, set()).add(objects[path])
        elif kind == "U":
            used.setdefault(name, set()).add(objects[path])
    for name, homes in sorted(defined.items()):
        needed = used.get(name, set()) - homes or name in elsewhere
        if re.match(r"(_Z\d+)?hb_", name) and not needed and name not in FOR_TESTS:
            yield f"{sorted(homes)[0]}: nobody else uses {name}: it is static, or goes"
        elif needed and name in FOR_TESTS:
            yield f"{name} is no more for tests alone: it need not be listed"
    for name in sorted(FOR_TESTS.keys() - defined.keys()):
        yield f"{name} is listed as for tests, and is not there"


def check_counts(source, commands):
    """Circles of calls, switches with a default, conditional HB_TRY and externs that one file alone uses."""
    defined, used = structure_counts.symbols(source, commands)
    circles = structure_counts.circles(structure_counts.calls(defined, used))
    once, _ = structure_counts.used_once(defined, used)
    listed = list(structure_counts.defaults(source))
    for what, count, most in (
        ("files in circles of calls", sum(map(len, circles)), MOST_FILES_IN_CIRCLES),
        ("files in the largest circle", len(circles[0]) if circles else 0, MOST_CIRCLE_FILES),
        (f"switches on our enums with a default ({' '.join(listed)})", len(listed), MOST_DEFAULTS),
        ("conditional HB_TRY", structure_counts.conditional_tries(source), MOST_CONDITIONAL_TRIES),
        ("external functions that one file alone uses", once, MOST_USED_ONCE),
    ):
        if count > most:
            yield f"{count} {what}, {most} at most"


def check_unit_share(source):
    """Lines of unit tests that rooms have."""
    rooms = structure_counts.unit_lines(source)
    for room, (lines, tests) in sorted(rooms.items()):
        share = tests / lines
        least = LANGUAGE_UNIT_SHARE if room.startswith("src/lang/") else LESS_UNIT_SHARE.get(room, (UNIT_SHARE,))[0]
        if share < least:
            yield f"{room}: {tests} lines of unit tests for {lines} of code, {least} a line at least"
        elif room in LESS_UNIT_SHARE and share >= UNIT_SHARE:
            yield f"{room} has as many unit tests as others: it need not be listed"
    for room in sorted(LESS_UNIT_SHARE.keys() - rooms.keys()):
        yield f"{room} is listed as with few unit tests, and is not there"


def main():
    own = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    given = sys.argv[1:3] or [own, os.path.join(own, "build")]
    source, build = (os.path.realpath(path) for path in given)
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    faults = [*check_lines(source), *check_prose(source), *check_sentences(source)]
    faults += [*check_functions(source), *check_types(source)]
    faults += [*check_headers(source, commands), *check_externals(source, commands), *check_counts(source, commands)]
    faults += [*check_unit_share(source), *structure_links.check(source, documents(source))]
    for fault in faults:
        print(fault.replace(source + "/", ""))
    print(f"{len(faults)} faults of structure")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
