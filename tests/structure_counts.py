#!/usr/bin/env python3
"""Counts of the product's structure: structure_counts.py [SOURCE BUILD].

Prints sizes of files, shares of comments, externs that one file alone uses, circles of calls, switches on our enums with a
default, conditional HB_TRY, and lines of unit tests a room. structure.py holds externs, circles, switches and HB_TRY to
limits that only fall. Symbols are those of the objects in BUILD.
"""
import json
import os
import re
import shlex
import statistics
import subprocess
import sys

TOPS = ("src", "cuda", "mpi", "io", "jobs")
CODE = (".c", ".h", ".cu", ".cuh")
# Files that are not compiled everywhere: counts of symbols leave them out, and are the same on every machine.
NOT_EVERYWHERE = ("tests/", "cuda/", "mpi/exchange/nccl")


def product(source):
    for top in TOPS:
        for folder, _, names in os.walk(os.path.join(source, top)):
            for name in sorted(names):
                if name.endswith(CODE):
                    yield os.path.relpath(os.path.join(folder, name), source)


def read(source, path):
    with open(os.path.join(source, path), encoding="utf-8") as file:
        return file.read()


def without_comments(text):
    return re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment.group(0).count("\n"), text, flags=re.S)


def room_of(path):
    return os.path.dirname(path)


def symbols(source, commands):
    """Where each external name is defined, and which files use it: two dictionaries of sets of paths."""
    objects, defined, used = {}, {}, {}
    for command in commands:
        if os.path.relpath(command["file"], source).startswith(NOT_EVERYWHERE):
            continue
        words = shlex.split(command["command"])
        path = os.path.join(command["directory"], words[words.index("-o") + 1])
        if os.path.exists(path):
            objects[path] = os.path.relpath(command["file"], source)
    listing = subprocess.run(["nm", "-A", *objects], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        path, symbol = line.rsplit(":", 1)
        kind, name = symbol.split()[-2:]
        if kind in "TDRB":
            defined.setdefault(name, set()).add(objects[path])
        elif kind == "U":
            used.setdefault(name, set()).add(objects[path])
    return defined, used


def calls(defined, used):
    """For each file the files whose names it uses."""
    edges = {}
    for name, homes in defined.items():
        for user in used.get(name, ()):
            edges.setdefault(user, set()).update(homes - {user})
    return edges


def circles(edges):
    """The sets of files that reach one another, of two or more, the largest first (Tarjan 1972, without recursion)."""
    order, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in sorted(edges):
        if root in order:
            continue
        work = [(root, iter(sorted(edges.get(root, ()))))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    circle = []
                    while not circle or circle[-1] != node:
                        circle.append(stack.pop())
                        on_stack.discard(circle[-1])
                    if len(circle) > 1:
                        found.append(sorted(circle))
            elif following not in order:
                order[following] = low[following] = len(order)
                stack.append(following)
                on_stack.add(following)
                work.append((following, iter(sorted(edges.get(following, ())))))
            elif following in on_stack:
                low[node] = min(low[node], order[following])
    return sorted(found, key=len, reverse=True)


def used_once(defined, used):
    """External names that exactly one other file uses, and all that another file uses; those of libc do not count, nor
    do rows of the list of functions, which that list alone is to use."""
    own = {name: homes for name, homes in defined.items() if re.match(r"(_Z\d+)?hb_(?!lang_function_)", name)}
    users = {name: used.get(name, set()) - homes for name, homes in own.items()}
    return sum(len(by) == 1 for by in users.values()), sum(len(by) > 0 for by in users.values())


def defaults(source):
    """Switches whose cases are our enumerators and which have a default: path and line of each."""
    for path in product(source):
        text = without_comments(read(source, path))
        for switch in re.finditer(r"^( *)switch \(.*?\) \{\n(.*?)^\1\}", text, re.M | re.S):
            indent, body = switch.group(1), switch.group(2)
            own = re.findall(rf"^{indent}(?:case (\w+)|(default)):", body, re.M)
            labels = [label for label, _ in own if label]
            if any(other for _, other in own) and labels and all(label.startswith("HB_") for label in labels):
                yield f"{path}:{text[: switch.start()].count(chr(10)) + 1}"


def is_conditional(text, start):
    """Whether what stands in the parenthesis before `start` is one c ? a : b, apart from parentheses and strings in it."""
    depth, quote, at = 1, None, start
    while depth > 0:
        letter = text[at]
        if quote:
            at += letter == "\\"
            quote = None if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter == "?" and depth == 1:
            return True
        else:
            depth += (letter in "([{") - (letter in ")]}")
        at += 1
    return False


def conditional_tries(source):
    texts = (without_comments(read(source, path)) for path in product(source))
    return sum(is_conditional(text, call.end()) for text in texts for call in re.finditer(r"\bHB_TRY\((?!call)", text))


def unit_lines(source):
    """Lines of code of each room, and of the unit tests in the folder of its name."""
    code, tests = {}, {}
    for path in product(source):
        code[room_of(path)] = code.get(room_of(path), 0) + read(source, path).count("\n")
    for room in code:
        folder = os.path.join(source, "tests", "unit", re.sub(r"^src/", "", room))
        names = os.listdir(folder) if os.path.isdir(folder) else []
        tests[room] = sum(read(folder, name).count("\n") for name in names if name.endswith(CODE))
    return {room: (lines, tests[room]) for room, lines in code.items() if lines > 0}


def comment_share(texts):
    """The share of lines that hold a comment or a part of one."""
    lines = sum(text.count("\n") for text in texts)
    held = 0
    for text in texts:
        numbers = set()
        for found in re.finditer(r"/\*.*?\*/|//[^\n]*", text, re.S):
            first = text.count("\n", 0, found.start())
            numbers.update(range(first, first + found.group(0).count("\n") + 1))
        held += len(numbers)
    return held / lines if lines else 0


def quantile(numbers, share):
    return sorted(numbers)[min(len(numbers) - 1, int(share * len(numbers)))]


def print_sizes(source):
    print("| | files | lines | median | p90 | max | comment: headers / bodies |")
    print("|---|---|---|---|---|---|---|")
    for top in TOPS + ("",):
        texts = {path: read(source, path) for path in product(source) if path.startswith(top)}
        lines = {path: text.count("\n") for path, text in texts.items()}
        longest = max(lines, key=lines.get)
        headers = comment_share([text for path, text in texts.items() if path.endswith((".h", ".cuh"))])
        bodies = comment_share([text for path, text in texts.items() if path.endswith((".c", ".cu"))])
        print(
            f"| {top or 'product'} | {len(lines)} | {sum(lines.values())} | {statistics.median(lines.values()):.0f} | "
            f"{quantile(list(lines.values()), 0.9)} | {lines[longest]} {longest} | {headers:.2f} / {bodies:.2f} |"
        )


def main():
    own = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    given = sys.argv[1:3] or [own, os.path.join(own, "build")]
    source, build = (os.path.realpath(path) for path in given)
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    print_sizes(source)
    defined, used = symbols(source, commands)
    once, all_used = used_once(defined, used)
    print(f"\nexterns that another file uses: {all_used}; one alone: {once} ({100 * once / all_used:.0f} %)")
    found = circles(calls(defined, used))
    print(f"circles of calls: {len(found)}, of {sum(map(len, found))} files; sizes: {', '.join(str(len(x)) for x in found)}")
    for circle in found:
        if len(circle) > 5:
            print("   ", " ".join(circle))
    listed = list(defaults(source))
    print(f"switches on our enums with a default: {len(listed)}")
    for place in listed:
        print("   ", place)
    print(f"conditional HB_TRY: {conditional_tries(source)}")
    rooms = {}
    for path in product(source):
        rooms[room_of(path)] = rooms.get(room_of(path), 0) + 1
    print("largest rooms:", ", ".join(f"{room} {count}" for room, count in sorted(rooms.items(), key=lambda x: -x[1])[:5]))
    print("lines of unit tests a line of code, by room:")
    for room, (lines, tests) in sorted(unit_lines(source).items()):
        print(f"    {room}: {tests / lines:.2f} ({tests} of {lines})")


if __name__ == "__main__":
    main()
