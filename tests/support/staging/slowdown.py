#!/usr/bin/env python3
"""The true size of a slowdown that a program of programs/ can be given.

usage: slowdown.py WORK KIND ROUNDS EXTRA PAIRS

Runs `WORK KIND ROUNDS` and `WORK KIND ROUNDS EXTRA` PAIRS times, the two in random order right after another,
by a loop of its own and not by what is to be judged with it. Prints "ESTIMATE STANDARD-ERROR": the mean of
ln(CPU time with EXTRA / CPU time without), a tenth trimmed at either end.
"""
import math
import os
import random
import sys


def cpu_seconds(command):
    child = os.fork()
    if child == 0:
        try:
            os.dup2(os.open(os.devnull, os.O_RDWR), 1)
            os.execv(command[0], command)
        finally:
            os._exit(127)
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"slowdown: {command} ended with status {status}")
    return usage.ru_utime + usage.ru_stime


def main():
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    work, kind, rounds, extra, pairs = sys.argv[1:]
    sides = [[work, kind, rounds], [work, kind, rounds, extra]]
    order = random.Random(2)
    ratios = []
    for command in sides:
        cpu_seconds(command)
    for _ in range(int(pairs)):
        seconds = {side: cpu_seconds(sides[side]) for side in order.sample((0, 1), 2)}
        ratios.append(math.log(seconds[1] / seconds[0]))
    ratios.sort()
    cut = len(ratios) // 10
    kept = ratios[cut:len(ratios) - cut]
    mean = sum(kept) / len(kept)
    # Winsorised variance (Tukey and McLaughlin 1963).
    clipped = [min(max(ratio, kept[0]), kept[-1]) for ratio in ratios]
    centre = sum(clipped) / len(clipped)
    variance = sum((ratio - centre) ** 2 for ratio in clipped) / (len(clipped) - 1)
    error = math.sqrt(variance / len(ratios)) / (len(kept) / len(ratios))
    print(f"{mean:.6f} {error:.6f}")


main()
