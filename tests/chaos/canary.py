#!/usr/bin/env python3
"""The run itself, in namespaces of its own; tests/chaos/canary.sh is what to call."""
import argparse
import json
import pathlib
import random
import sys
import time

from canary_check import check
from canary_round import run_round
from canary_states import STATES, WINDOW
from canary_world import CanaryWorld

VICTIMS = {"honed": ("back", "dead"), "honeds": ("back", "dead", "loop"), "prometheus": ("back", "dead", "loop"),
           "haproxy": ("back", "dead", "loop"), "canary": ("back", "dead", "loop")}


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def chosen(text, all_of_them):
    """canary.sh has checked the names."""
    return text.split(",") if text else list(all_of_them)


def keep(folder, case, number):
    """What the verdict on a case is made of, to be read by people."""
    if folder:
        name = f"{number:02d}-{case.victim}-{case.repeat}-{case.state}.json"
        (pathlib.Path(folder) / name).write_text(json.dumps(vars(case), indent=1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--states", default="")
    parser.add_argument("--victims", default="")
    parser.add_argument("--repeats", default="")
    parser.add_argument("--out", default="")
    options = parser.parse_args()
    states = [STATES[name] for name in chosen(options.states, STATES)]
    repeats = chosen(options.repeats, ("back", "dead", "loop"))
    rounds = [(victim, repeat) for victim in chosen(options.victims, VICTIMS) for repeat in VICTIMS[victim]
              if repeat in repeats]
    random.Random(options.seed).shuffle(rounds)
    world = CanaryWorld(options.root, options.bin, options.seed, states, log=say)
    worst, safe, all_cases = {}, 0, 0  # worst: (seconds, their bound) by victim
    try:
        world.start()
        say(f"seed {options.seed}: {len(rounds)} rounds of {len(states)} canaries, windows of {WINDOW:g} s")
        for number, (victim, repeat) in enumerate(rounds, 1):
            for case in run_round(world, victim, repeat):
                found, seconds = check(case)
                keep(options.out, case, number)
                worst[victim] = max(worst.get(victim, (0.0, case.bound)), (seconds, case.bound))
                all_cases += 1
                safe += not found
                print(f"{case.state:12} {victim:10} {repeat:5} {'safe' if not found else 'UNSAFE':6} {seconds:5.1f} s (bound "
                      f"{case.bound:g} s)  then {case.record['state']} at {case.record['share']} %", flush=True)
                for text in found:
                    print(f"    ! {text}", flush=True)
    finally:
        world.kill_everything()
    for kind, text in world.findings:
        print(f"canary chaos: {kind}: {text}", file=sys.stderr)
    print("slowest by victim: " + ", ".join(f"{victim} {seconds:.1f} s (bound {bound:g} s)"
                                            for victim, (seconds, bound) in worst.items()))
    seconds, bound = max(worst.values(), default=(0.0, 0.0))
    print(f"canary chaos: seed {options.seed}, {safe} of {all_cases} cases safe, slowest {seconds:.1f} s (bound {bound:g} s)")
    sys.exit(0 if all_cases and safe == all_cases and not world.findings else 1)


main()
