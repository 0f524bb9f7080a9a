#!/usr/bin/env python3
"""Checks that rooms only look down.

The table is what the build itself uses: the thalweg_room(...) call of each src/<room>/CMakeLists.txt names the rooms
that a room uses. From it follow the includes that a file may have:

- a room's sources and public headers include only their own room's headers and those of rooms it uses, directly or not;
- a private header (src/<room>/...) is included inside its own room only;
- public headers include the standard library and thalweg headers, nothing else;
- nothing under src/ includes the umbrella header thalweg/thalweg.h.

Usage: check_layers.py [ROOT]; exit status 1 when an include breaks a rule.
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
STANDARD = re.compile(r"^[a-z_0-9]+$")  # <vector>, <cstdint>: no dot, no slash


def read_rooms(root):
    """Room name -> rooms it names under USES."""
    rooms = {}
    for path in sorted(root.glob("src/*/CMakeLists.txt")):
        text = re.sub(r"#.*", "", path.read_text())
        call = re.search(r"thalweg_room\(\s*(\w+)(.*?)\)", text, re.DOTALL)
        if call is None:
            sys.exit(f"{path}: no thalweg_room(...) call")
        words = call.group(2).split()
        uses, inside = [], False
        for word in words:
            if word.isupper():
                inside = word == "USES"
            elif inside:
                uses.append(word)
        rooms[call.group(1)] = uses
    return rooms


def closure(rooms, name, seen=None):
    seen = set() if seen is None else seen
    for used in rooms.get(name, []):
        if used not in rooms:
            sys.exit(f"room {name} uses {used}, which does not exist")
        if used not in seen:
            seen.add(used)
            closure(rooms, used, seen)
    return seen


def check_file(path, root, room, allowed, rooms, public):
    """Yields a message for each include that breaks a rule."""
    where = path.relative_to(root)
    for kind, header in INCLUDE.findall(path.read_text()):
        parts = header.split("/")
        if parts[0] == "thalweg":
            if header == "thalweg/thalweg.h":
                yield f"{where}: includes the umbrella header; name the header that is meant"
            elif len(parts) < 3 or parts[1] not in rooms:
                yield f"{where}: {header} belongs to no room"
            elif parts[1] not in allowed:
                yield f"{where}: room {room} may not include {header}: {parts[1]} is not among what it uses"
        elif kind == '"' and parts[0] in rooms:
            if header.endswith(".pb.h") and parts[0] in allowed and not public:
                continue  # generated wire types are what room proto offers
            if public:
                yield f"{where}: a public header includes the private {header}"
            elif parts[0] != room:
                yield f"{where}: {header} is private to room {parts[0]}"
        elif public and not STANDARD.match(header):
            yield f"{where}: a public header includes {header}, neither standard nor ours"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    rooms = read_rooms(root)
    problems, files = [], 0
    for room in rooms:
        allowed = closure(rooms, room) | {room}
        if room in closure(rooms, room):
            problems.append(f"room {room} uses itself in a circle")
        for folder, public in ((root / "src" / room, False), (root / "include/thalweg" / room, True)):
            for path in sorted(folder.rglob("*")):
                if path.suffix in {".h", ".cpp"}:
                    files += 1
                    problems += check_file(path, root, room, allowed, rooms, public)
    for problem in problems:
        print(problem)
    print(f"{len(rooms)} rooms, {files} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
