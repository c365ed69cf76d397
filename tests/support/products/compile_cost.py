#!/usr/bin/env python3
"""CPU time of a build's compiles in several ways, each compile in all ways one after the other.

A whole build takes minutes, in which a shared machine grows slower or faster by ten percent; runs
that are a second apart have the same machine. Reads the commands that the launcher `note` has written
(a file each: working folder, then the arguments, each ended by NUL) and runs them where they ran.

usage: compile_cost.py NOTES LAUNCHER POLICY ROUNDS MOST

  NOTES     folder of the notes
  LAUNCHER  hone-cc
  POLICY    index for the way `forced` (HONE_TEST_FORCE_PLUGIN=1)
  ROUNDS    runs of each compile in each way, in random order
  MOST      compiles at most, spread evenly over those that there are

Objects go to a temporary file: builds may have moved theirs, and the folder with it. Prints "compiles=N of
M", "instructions=PLAIN PASS FORCED" of one compile, counted by callgrind (exact, where a CPU time is off by ten
percent and more; what the kernel does for exec and page faults is not in it), then for each compile and round "run=COMPILE PLAIN PASS FORCED": its place among the N, and CPU seconds
in each way (build_cost.py makes a build's figure of them). Exit 1 if more than a tenth of the chosen compiles
cannot be repeated (a source that the build has removed), or one fails in some way only.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

# Callgrind is about fifty times slower.
LONGEST_COUNTED_SECONDS = 0.6


def commands(notes):
    """(folder, arguments) of each compile to an object, in the order of their names."""
    found = []
    for name in os.listdir(notes):
        with open(os.path.join(notes, name), "rb") as file:
            folder, *arguments = file.read().split(b"\0")[:-1]
        if b"-c" in arguments and b"-o" in arguments[:-1]:
            found.append((folder, arguments))
    return sorted(found, key=lambda command: (command[0], command[1]))


def with_output(arguments, output):
    place = arguments.index(b"-o") + 1
    return arguments[:place] + [output.encode()] + arguments[place + 1:]


def cpu_seconds(folder, arguments, environment):
    """None if the compile fails."""
    child = os.fork()
    if child == 0:
        try:
            os.chdir(folder)
            nothing = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(nothing, descriptor)
            os.execvpe(arguments[0], arguments, environment)
        finally:
            os._exit(127)
    _, status, usage = os.wait4(child, 0)
    return usage.ru_utime + usage.ru_stime if status == 0 else None


def instructions(folder, arguments, environment, outputs):
    """Of all processes together."""
    for name in os.listdir(outputs):
        os.unlink(os.path.join(outputs, name))
    counted = subprocess.run(
        ["valgrind", "--tool=callgrind", "--trace-children=yes", f"--callgrind-out-file={outputs}/%p"] + arguments,
        cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if counted.returncode != 0:
        sys.exit(f"compile_cost: under valgrind, {arguments!r} in {folder!r}:\n{counted.stderr.decode()}")
    total = 0
    for name in os.listdir(outputs):
        with open(os.path.join(outputs, name), encoding="utf-8", errors="replace") as file:
            total += sum(map(int, re.findall(r"^(?:summary|totals): (\d+)$", file.read(), re.M)[:1]))
    return total


def main():
    notes, launcher, policy, rounds, most = sys.argv[1:]
    rounds, most = int(rounds), int(most)
    everything = commands(notes)
    if not everything:
        sys.exit("compile_cost: no compile was noted")
    step = max(1.0, len(everything) / most)
    chosen = [everything[int(i * step)] for i in range(min(most, len(everything)))]
    plain = {key: value for key, value in os.environ.items() if not key.startswith("HONE_")}
    with tempfile.TemporaryDirectory() as state:
        forced = dict(plain, HONE_TEST_FORCE_PLUGIN="1", HONE_POLICY=policy, HONE_STATE_DIR=state,
                      HONE_ROOT=os.environ.get("HONE_ROOT", os.path.dirname(policy)))
        ways = {"plain": ([], plain), "pass": ([launcher.encode()], plain),
                "forced": ([launcher.encode()], forced)}
        order = random.Random(1)
        runs = []
        repeated = 0
        # The longest one that is short enough to be counted.
        counted, counted_seconds = None, 0
        for folder, arguments in chosen:
            arguments = with_output(arguments, os.path.join(state, "out.o"))
            # The first warms the caches of the file system.
            once = cpu_seconds(folder, arguments, plain)
            if once is None:
                continue
            if counted is None or counted_seconds < once <= LONGEST_COUNTED_SECONDS:
                counted, counted_seconds = (folder, arguments), once
            for _ in range(rounds):
                seconds = {}
                for way in order.sample(list(ways), len(ways)):
                    before, environment = ways[way]
                    seconds[way] = cpu_seconds(folder, before + arguments, environment)
                    if seconds[way] is None:
                        sys.exit(f"compile_cost: {way} fails: {b' '.join(arguments)!r} in {folder!r}")
                runs.append((repeated, *(seconds[way] for way in ways)))
            repeated += 1
        if counted is not None:
            folder, arguments = counted
            with tempfile.TemporaryDirectory() as outputs:
                counts = [instructions(folder, before + arguments, environment, outputs)
                          for before, environment in ways.values()]
    if repeated < 0.9 * len(chosen):
        sys.exit(f"compile_cost: only {repeated} of {len(chosen)} compiles can be repeated")
    print(f"compiles={repeated} of {len(everything)}")
    print("instructions=" + " ".join(map(str, counts)))
    for compile_number, *seconds in runs:
        print(f"run={compile_number} " + " ".join(f"{spent:.5f}" for spent in seconds))


main()
