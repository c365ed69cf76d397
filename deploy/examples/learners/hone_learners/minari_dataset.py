"""Sample batches to a Minari data set.

    MINARI_DATASETS_PATH=DIR python -m hone_learners.minari_dataset BATCHES hone/lz4-v0 [--known-only]

Infos hold, for each step, `reward_known`, `action_logp`, `action_logp_known` and `outcome`, a number whose spelling is in
the data set's description.
"""
import argparse
import sys

import gymnasium
import minari
import numpy
from minari.data_collector.episode_buffer import EpisodeBuffer

from hone_learners import batches


def buffer_of(rows, number, outcomes):
    """A list of rows as an episode: one more observation than steps, and infos likewise."""
    codes = [outcomes.setdefault(row["info"]["outcome"], len(outcomes)) for row in rows]

    def padded(values, dtype):
        # Columns of one number: Minari's arrow files do not give back plain ones.
        return numpy.asarray([[values[0]], *([value] for value in values)], dtype)

    return EpisodeBuffer(
        id=number,
        observations=numpy.asarray([*(row["obs"] for row in rows), rows[-1]["new_obs"]], numpy.float32),
        actions=numpy.asarray([row["actions"] for row in rows], numpy.int64),
        rewards=[float(row["rewards"]) for row in rows],
        terminations=[bool(row["terminateds"]) for row in rows],
        truncations=[bool(row["truncateds"]) for row in rows],
        infos={
            "reward_known": padded([row["reward_known"] for row in rows], numpy.int8),
            "action_logp": padded([row["action_logp"] for row in rows], numpy.float32),
            "action_logp_known": padded([row["action_logp_known"] for row in rows], numpy.int8),
            "outcome": padded(codes, numpy.int64)})


def write(folder, name, known_only):
    """Gives the data set."""
    spaces = batches.spaces(folder)
    outcomes = {}
    buffers = [buffer_of(rows, number, outcomes) for number, rows in enumerate(batches.episodes(folder, known_only))]
    named = ", ".join(f"{number} {outcome}" for outcome, number in outcomes.items())
    return minari.create_dataset_from_buffers(
        dataset_id=name,
        buffer=buffers,
        observation_space=gymnasium.spaces.Box(-numpy.inf, numpy.inf, (len(spaces["observation"]),), numpy.float32),
        action_space=gymnasium.spaces.Discrete(max(1, len(spaces["actions"]))),
        algorithm_name="as logged by Hone",
        author="Hone",
        author_email="hone@example.org",
        code_permalink="https://example.org/hone",
        description=f"Reward: {spaces['reward']}. Steps with reward_known 0 have none. Outcomes: {named}.",
        data_format="arrow")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("batches", help="folder that hone-learner export wrote")
    parser.add_argument("name", help="of the data set, like hone/lz4-v0")
    parser.add_argument("--known-only", action="store_true", help="leave out steps without a measured reward")
    options = parser.parse_args(arguments)
    dataset = write(options.batches, options.name, options.known_only)
    print(f"{options.name}: {dataset.total_episodes} episodes, {dataset.total_steps} steps")
    return 0


if __name__ == "__main__":
    sys.exit(main())
