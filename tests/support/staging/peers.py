#!/usr/bin/env python3
"""Wrong answers of hone bench, of hyperfine's means and of a t-test, for tests/perf/staging_peers.sh.

usage: peers.py RESULTS KIND...

RESULTS holds KIND-PERMILLE/N.json (hone bench) and N.hyperfine (hyperfine's JSON) for slowdowns of PERMILLE 0
and 10. Prints a table and the sums; exit 1 if hone bench has more wrong answers than one of the others.
"""
import glob
import json
import math
import statistics
import sys

WAYS = ("hone bench", "hyperfine, means 1 % apart", "hyperfine, beyond its error", "t-test on wall time")


def incomplete_beta(a, b, x):
    """Regularised, by the continued fraction (Lentz); for the t distribution.

    Written here since Debian's SciPy cannot be installed beside Boost 1.81.
    """
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(1 - x)) / a
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    total = d
    for m in range(1, 300):
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 + term * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + term / (c if abs(c) > tiny else tiny)
            total *= c * d
        if abs(c * d - 1) < 1e-12:
            break
    return front * total


def welch_p_value(first, second):
    """Two-sided p-value of Welch's t-test."""
    errors = [statistics.variance(side) / len(side) for side in (first, second)]
    if sum(errors) == 0:
        return 1.0
    t = (statistics.mean(first) - statistics.mean(second)) / math.sqrt(sum(errors))
    freedom = sum(errors) ** 2 / sum(e * e / (len(side) - 1) for e, side in zip(errors, (first, second)))
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


def claims(result, peer):
    """What each way says of a comparison: -1 slower, +1 faster, 0 nothing."""
    reward = result["reward"]
    ours = {"slower": -1, "faster": 1}.get(result["verdict"], 0)
    if result["verdict"] == "within_noise":
        ours = -1 if reward["high"] < 0 else 1
    times = [run["times"] for run in peer["results"]]
    means = [run["mean"] for run in peer["results"]]
    ratio = means[1] / means[0]
    # As hyperfine's summary propagates them.
    error = ratio * math.hypot(*(run["stddev"] / run["mean"] for run in peer["results"]))
    sign = -1 if ratio > 1 else 1
    return (ours, sign if abs(ratio - 1) >= 0.01 else 0, sign if abs(ratio - 1) > error else 0,
            sign if welch_p_value(*times) < 0.05 else 0)


def main():
    results, *kinds = sys.argv[1:]
    wrong = [0] * len(WAYS)
    count = 0
    print(f"{'':8}{'':18}" + "".join(f"{way:>30}" for way in WAYS))
    for kind in kinds:
        for part, what, right in ((0, "false alarms", 0), (10, "misses of 1 %", -1)):
            errors = [0] * len(WAYS)
            files = sorted(glob.glob(f"{results}/{kind}-{part}/*.json"))
            for file in files:
                with open(file, encoding="utf-8") as ours, \
                        open(file[:-len("json")] + "hyperfine", encoding="utf-8") as theirs:
                    for way, claim in enumerate(claims(json.load(ours), json.load(theirs))):
                        errors[way] += claim != right
            print(f"{kind:8}{what:18}" + "".join(f"{f'{n} of {len(files)}':>30}" for n in errors))
            wrong = [a + b for a, b in zip(wrong, errors)]
            count += len(files)
    print()
    for way, n in zip(WAYS, wrong):
        print(f"wrong answers of {way}: {n} of {count}")
    sys.exit(0 if count > 0 and wrong[0] <= min(wrong[1:]) else 1)


main()
