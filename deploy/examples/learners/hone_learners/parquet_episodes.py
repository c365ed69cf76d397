"""Sample batches to Parquet of episodes, as RLlib's new API stack reads them.

    python -m hone_learners.parquet_episodes BATCHES OUTPUT.parquet [--known-only]

Each row's column `item` is the state of a SingleAgentEpisode, packed by msgpack
(`AlgorithmConfig.offline_data(input_read_method="read_parquet", input_read_episodes=True)`). Without
--known-only, steps that were not measured are there, too: their reward is 0 and their extra output `reward_known` 0.
"""
import argparse
import sys

import msgpack
import msgpack_numpy
import numpy
import pyarrow
import pyarrow.parquet
from ray.rllib.env.single_agent_episode import SingleAgentEpisode

from hone_learners import batches

EPISODES_A_GROUP = 1024


def episode_of(steps, number):
    """A list of rows as a SingleAgentEpisode."""
    first = steps[0]
    observations = [numpy.asarray(row["obs"], numpy.float32) for row in steps]
    observations.append(numpy.asarray(steps[-1]["new_obs"], numpy.float32))
    return SingleAgentEpisode(
        id_=f"{first['eps_id']}-{first['unroll_id']}-{number}",
        observations=observations,
        infos=[{}] + [{**row["info"], "reward_known": row["reward_known"]} for row in steps],
        actions=[numpy.int64(row["actions"]) for row in steps],
        rewards=[float(row["rewards"]) for row in steps],
        terminated=bool(steps[-1]["terminateds"]),
        truncated=bool(steps[-1]["truncateds"]),
        extra_model_outputs={
            name: [numpy.float32(row[name]) for row in steps]
            for name in ("action_logp", "action_logp_known", "reward_known")},
        len_lookback_buffer=0)


def write(folder, output, known_only):
    """Gives the number of episodes and of steps."""
    schema = pyarrow.schema([("item", pyarrow.binary())])
    count = steps = 0
    with pyarrow.parquet.ParquetWriter(output, schema) as writer:
        waiting = []

        def flush():
            if waiting:
                writer.write_table(pyarrow.table({"item": waiting}, schema=schema))
                waiting.clear()

        for rows in batches.episodes(folder, known_only):
            episode = episode_of(rows, count)
            episode.to_numpy()
            waiting.append(msgpack.packb(episode.get_state(), default=msgpack_numpy.encode))
            count += 1
            steps += len(rows)
            if len(waiting) == EPISODES_A_GROUP:
                flush()
        flush()
    return count, steps


def read(path):
    """The episodes of a file."""
    for batch in pyarrow.parquet.ParquetFile(path).iter_batches(batch_size=256):
        for item in batch.column("item"):
            yield SingleAgentEpisode.from_state(
                msgpack.unpackb(item.as_py(), object_hook=msgpack_numpy.decode))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("batches", help="folder that hone-learner export wrote")
    parser.add_argument("output")
    parser.add_argument("--known-only", action="store_true", help="leave out steps without a measured reward")
    options = parser.parse_args(arguments)
    count, steps = write(options.batches, options.output, options.known_only)
    print(f"{options.output}: {count} episodes, {steps} steps")
    return 0


if __name__ == "__main__":
    sys.exit(main())
