#!/usr/bin/env python3
"""clang-tidy over every source outside tests/ that changed since it was last found clean.

  tests/support/tidy.py [--build build/dev] [--jobs N] [FILE...]

A file is read again when its object file (so: it, or a header that it includes) or .clang-tidy is
newer than the stamp its last clean reading left in BUILD/tidy; an interrupted run goes on where it
was. Exit code 1 when something was found, 2 when a file is not part of the build.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def objects(build):
    """The object file of every source of the build, by the source's path inside the project."""
    found = {}
    for command in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(command["command"])
        source = pathlib.Path(command["file"])
        if source.is_relative_to(ROOT):
            output = pathlib.Path(command["directory"]) / words[words.index("-o") + 1]
            found[str(source.relative_to(ROOT))] = output
    return found


def newer(path, stamp):
    return not path.exists() or path.stat().st_mtime >= stamp.stat().st_mtime


def read(build, source, stamp):
    """Runs clang-tidy on one file; the stamp is as old as the beginning of the run."""
    stamp.parent.mkdir(parents=True, exist_ok=True)
    begun = stamp.with_suffix(".begun")
    begun.touch()
    run = subprocess.run(
        ["clang-tidy-19", "-p", str(build), "--quiet", source],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode == 0:
        os.replace(begun, stamp)
    else:
        begun.unlink()
    return source, run


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/dev")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("files", nargs="*", help="all tracked sources outside tests/ by default")
    options = parser.parse_args()
    build = options.build.resolve()

    files = options.files or [
        path for path in subprocess.run(["git", "ls-files", "*.cc"], cwd=ROOT, text=True, check=True,
                                        stdout=subprocess.PIPE).stdout.split()
        if not path.startswith("tests/")]
    known = objects(build)
    unbuilt = [path for path in files if path not in known]
    if unbuilt:
        print(f"not part of {build}: {', '.join(unbuilt)}", file=sys.stderr)
        return 2

    def due(source):
        stamp = build / "tidy" / f"{source}.clean"
        stale = not stamp.exists() or newer(known[source], stamp) or newer(ROOT / ".clang-tidy", stamp)
        return (source, stamp) if stale else None

    todo = [item for item in map(due, files) if item]
    print(f"{len(files)} files, {len(todo)} of them to read", flush=True)
    found = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(read, build, source, stamp) for source, stamp in todo]
        for run in concurrent.futures.as_completed(runs):
            source, result = run.result()
            if result.returncode != 0:
                found += 1
                print(f"{source}:\n{result.stdout}{result.stderr}", flush=True)
    print(f"{found} of {len(todo)} files with something to mend")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
