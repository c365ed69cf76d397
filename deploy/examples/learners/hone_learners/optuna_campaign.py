"""Optuna proposes settings of -O3's passes; Hone measures them.

    python -m hone_learners.optuna_campaign TARGET [--generations 4] [--candidates 8] [--seed 1]
"""
import argparse
import sys

import optuna

from hone_learners.campaigns import KNOBS, Generations, report, reward_of, rules_of
from hone_learners.rest import Rest


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target")
    parser.add_argument("--generations", type=int, default=4)
    parser.add_argument("--candidates", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=options.seed))
    generations = Generations(Rest(), options.target, f"optuna {optuna.__version__} TPE",
                              options.generations * options.candidates, options.seed)
    campaign = None
    for generation in range(options.generations):
        trials = [study.ask() for _ in range(options.candidates)]
        candidates = [
            rules_of({name: trial.suggest_categorical(name, values) for name, values in KNOBS.items()})
            for trial in trials]
        jobs, campaign = generations.measure(candidates, last=generation == options.generations - 1)
        for trial, job in zip(trials, jobs):
            reward = reward_of(job)
            if reward is None:
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
            else:
                study.tell(trial, reward)
        report("optuna", generation, jobs)
    winner = campaign.get("winner_candidate")
    print(f"optuna: {campaign['state']}, winner {winner or 'none'}; {len(study.trials)} trials")
    return 0


if __name__ == "__main__":
    sys.exit(main())
