#!/usr/bin/env python3
"""CPU time of whole builds in several ways, from the compiles that compile_cost.py has run.

usage: build_cost.py COST...    results of compile_cost.py, one a package

A package's CPU time is the sum over its compiles of the mean of their rounds, scaled from the compiles that were run
to all that there are: what a build is expected to take. The figure is the ratio of the sums over all packages, so
that a compile counts by what it costs. The 95 % interval is of 2,000 bootstrap replicates, of compiles within
packages and of rounds (runs in all ways, adjacent in time) within compiles.

Prints "plain SECONDS", "pass RATIO LOW HIGH", "forced RATIO LOW HIGH", "runs N", the rounds of all compiles, and
"instructions RATIO PACKAGES" of the way forced: of the packages that have a counted compile, each weighed by its
plain time.
"""
import random
import re
import statistics
import sys

REPLICATES = 2000


def read(path):
    """(compiles in the package, rounds of each compile that was run: (plain, pass, forced)), instructions' ratio or None."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    size = int(re.search(r"^compiles=\d+ of (\d+)$", text, re.M).group(1))
    compiles = {}
    for line in re.findall(r"^run=(.*)$", text, re.M):
        number, *seconds = line.split()
        compiles.setdefault(int(number), []).append(tuple(map(float, seconds)))
    if not compiles:
        sys.exit(f"build_cost: no runs in {path}")
    counted = re.search(r"^instructions=(\d+) \d+ (\d+)$", text, re.M)
    return (size, list(compiles.values())), int(counted.group(2)) / int(counted.group(1)) if counted else None


def totals(packages):
    """CPU seconds of all packages' builds: plain, passing through, forced."""
    sums = [0.0, 0.0, 0.0]
    for size, compiles in packages:
        for rounds in compiles:
            for way in range(3):
                sums[way] += statistics.fmean(run[way] for run in rounds) * size / len(compiles)
    return sums


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    packages, counted = zip(*(read(path) for path in sys.argv[1:]))
    chance = random.Random(1)

    def again(values):
        return chance.choices(values, k=len(values))

    replicates = [totals([(size, [again(rounds) for rounds in again(compiles)]) for size, compiles in packages])
                  for _ in range(REPLICATES)]
    sums = totals(packages)
    print(f"plain {sums[0]:.1f}")
    for way, name in ((1, "pass"), (2, "forced")):
        ratios = sorted(replicate[way] / replicate[0] for replicate in replicates)
        low, high = ratios[int(0.025 * REPLICATES)], ratios[int(0.975 * REPLICATES)]
        print(f"{name} {sums[way] / sums[0]:.4f} {low:.4f} {high:.4f}")
    weighed = [(totals([package])[0], ratio) for package, ratio in zip(packages, counted) if ratio is not None]
    if weighed:
        ratio = sum(weight * ratio for weight, ratio in weighed) / sum(weight for weight, _ in weighed)
        print(f"instructions {ratio:.4f} {len(weighed)}")
    print(f"runs {sum(len(rounds) for _, compiles in packages for rounds in compiles)}")


main()
