"""Nevergrad proposes settings of -O3's passes; Hone measures them.

    python -m hone_learners.nevergrad_campaign TARGET [--generations 4] [--candidates 8] [--seed 1] [--optimizer NGOpt]
"""
import argparse
import sys

import nevergrad

from hone_learners.campaigns import KNOBS, Generations, report, reward_of, rules_of
from hone_learners.rest import Rest


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target")
    parser.add_argument("--generations", type=int, default=4)
    parser.add_argument("--candidates", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--optimizer", default="DiscreteOnePlusOne")
    options = parser.parse_args(arguments)

    space = nevergrad.p.Dict(**{name.replace("-", "_"): nevergrad.p.Choice(values) for name, values in KNOBS.items()})
    space.random_state.seed(options.seed)
    optimizer = nevergrad.optimizers.registry[options.optimizer](
        parametrization=space, budget=options.generations * options.candidates, num_workers=options.candidates)
    generations = Generations(
        Rest(), options.target, f"nevergrad {nevergrad.__version__} {options.optimizer}",
        options.generations * options.candidates, options.seed)
    campaign = None
    told = 0
    for generation in range(options.generations):
        asked = [optimizer.ask() for _ in range(options.candidates)]
        candidates = [
            rules_of({name.replace("_", "-"): value for name, value in candidate.value.items()}) for candidate in asked]
        jobs, campaign = generations.measure(candidates, last=generation == options.generations - 1)
        for candidate, job in zip(asked, jobs):
            reward = reward_of(job)
            if reward is not None:  # a failure has no loss to tell
                optimizer.tell(candidate, -reward)
                told += 1
        report("nevergrad", generation, jobs)
    winner = campaign.get("winner_candidate")
    print(f"nevergrad: {campaign['state']}, winner {winner or 'none'}; {told} rewards told")
    return 0


if __name__ == "__main__":
    sys.exit(main())
