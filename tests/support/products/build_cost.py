#!/usr/bin/env python3
"""CPU time of whole builds in several ways, from the compiles that compile_cost.py has run.

usage: build_cost.py COST...    results of compile_cost.py, one a package

A package's CPU time is the sum over its compiles of the median of the plain runs, scaled from the compiles that
were run to all that there are; in another way, each compile's is that times the median ratio of its rounds
(runs of one round are adjacent, so that they have the same machine). A build's figure is the ratio of the sums:
a compile counts by what it costs, as it does in a build. The 95 % interval is of 2,000 bootstrap replicates, of
compiles within packages and of rounds within compiles.

Prints "plain SECONDS", "pass RATIO LOW HIGH", "forced RATIO LOW HIGH", "runs N", the rounds of all compiles, and
"instructions RATIO" of the way forced: each package's counted compile, weighed by the package's plain time.
"""
import random
import re
import statistics
import sys

REPLICATES = 2000


def read(path):
    """(compiles in the package, rounds of each compile that was run: (plain, pass, forced)), instructions' ratio."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    size = int(re.search(r"^compiles=\d+ of (\d+)$", text, re.M).group(1))
    compiles = {}
    for line in re.findall(r"^run=(.*)$", text, re.M):
        number, *seconds = line.split()
        compiles.setdefault(int(number), []).append(tuple(map(float, seconds)))
    if not compiles:
        sys.exit(f"build_cost: no runs in {path}")
    plain, _, forced = map(int, re.search(r"^instructions=(\d+) (\d+) (\d+)$", text, re.M).groups())
    return (size, list(compiles.values())), forced / plain


def totals(packages):
    """CPU seconds of all packages' builds: plain, passing through, forced."""
    sums = [0.0, 0.0, 0.0]
    for size, compiles in packages:
        for rounds in compiles:
            plain = statistics.median(run[0] for run in rounds) * size / len(compiles)
            sums[0] += plain
            for way in (1, 2):
                sums[way] += plain * statistics.median(run[way] / run[0] for run in rounds)
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
    weights = [totals([package])[0] for package in packages]
    instructions = sum(ratio * weight for ratio, weight in zip(counted, weights)) / sum(weights)
    print(f"instructions {instructions:.4f}")
    print(f"runs {sum(len(rounds) for _, compiles in packages for rounds in compiles)}")


main()
