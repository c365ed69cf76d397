"""Trains BC or MARWIL of Ray RLlib on episodes of a Parquet file (parquet_episodes.py --known-only).

    python -m hone_learners.rllib_offline BATCHES EPISODES.parquet [--algorithm BC] [--iterations 2]

BATCHES is the folder that the episodes were made of: its spaces.json says what observation and action are.
"""
import argparse
import os
import sys

import gymnasium
import numpy
import ray
from ray.rllib.algorithms.bc import BCConfig
from ray.rllib.algorithms.marwil import MARWILConfig

from hone_learners import batches


def config_of(algorithm, folder, parquet, batch_size):
    """One learner in this process, and no environment: there is only the data.

    Reading takes a processor, and preparing another: with a pool of both, Ray would wait for itself.
    """
    spaces = batches.spaces(folder)
    config = {"BC": BCConfig, "MARWIL": MARWILConfig}[algorithm]()
    return (
        config.environment(
            observation_space=gymnasium.spaces.Box(
                -numpy.inf, numpy.inf, (len(spaces["observation"]),), numpy.float32),
            action_space=gymnasium.spaces.Discrete(max(2, len(spaces["actions"]))))
        .env_runners(num_env_runners=0)
        .learners(num_learners=0)
        .training(train_batch_size_per_learner=batch_size, lr=1e-3)
        .offline_data(
            input_=[os.path.abspath(parquet)],
            input_read_method="read_parquet",
            input_read_episodes=True,
            input_read_batch_size=batch_size,
            map_batches_kwargs={"concurrency": 1},
            iter_batches_kwargs={"prefetch_batches": 1},
            dataset_num_iters_per_learner=1))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("batches")
    parser.add_argument("episodes")
    parser.add_argument("--algorithm", choices=("BC", "MARWIL"), default="BC")
    parser.add_argument("--iterations", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=32)
    options = parser.parse_args(arguments)
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
    algorithm = config_of(options.algorithm, options.batches, options.episodes, options.batch_size).build_algo()
    try:
        for iteration in range(options.iterations):
            learned = algorithm.train()["learners"]["default_policy"]
            loss = float(learned["total_loss"])
            if not numpy.isfinite(loss):
                raise ArithmeticError(f"the loss is {loss}")
            print(f"{options.algorithm}: iteration {iteration}: loss {loss:.4f}", flush=True)
    finally:
        algorithm.stop()
        ray.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
