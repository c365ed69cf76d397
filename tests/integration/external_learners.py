"""What the real libraries read of Hone's exports. For external_learners.sh.

    external_learners.py rest EXPORT | rllib EXPORT | parquet FOLDER | minari FOLDER
"""
import json
import pathlib
import sys

import numpy


def reads_streams(export):
    """The stream by REST is what was exported, and goes on behind any line."""
    from hone_learners.rest import Rest, RestError

    rest = Rest()
    for stream in ("experiences", "transitions"):
        lines = [json.loads(line) for line in (export / f"{stream}.ndjson").read_text().splitlines()]
        assert list(rest.lines(f"/v1/{stream}")) == lines
        assert list(rest.lines(f"/v1/{stream}", lines[2]["cursor"])) == lines[3:]
        assert list(rest.lines(f"/v1/{stream}", lines[-1]["cursor"])) == []
    try:
        list(rest.lines("/v1/experiences", "x"))
    except RestError as error:
        assert error.status == 400 and "/after" in str(error), error
    else:
        raise AssertionError("a cursor that is none was taken")


def reads_batches(export):
    """Ray's JsonReader: every column is whole, and what was not measured is marked."""
    from ray.rllib.offline.json_reader import JsonReader

    for stream, failures in (("experiences", 1), ("transitions", 0)):
        folder = export / f"rllib-{stream}"
        spaces = json.loads((folder / "spaces.json").read_text())
        files = sorted(str(path) for path in folder.glob("*-*.json"))
        batches = list(JsonReader(files).read_all_files())
        rows = sum(batch.count for batch in batches)
        lines = (export / f"{stream}.ndjson").read_text().splitlines()
        wanted = [line for line in map(json.loads, lines) if stream == "experiences" or line["kind"] == "step"]
        assert rows == len(wanted) > 0, (stream, rows, len(wanted))
        failed = 0
        for batch in batches:
            assert batch["obs"].shape == batch["new_obs"].shape == (batch.count, len(spaces["observation"]))
            assert batch["actions"].min() >= 0 and batch["actions"].max() < len(spaces["actions"])
            for column in ("rewards", "terminateds", "truncateds", "eps_id", "unroll_id", "agent_index", "t",
                           "action_prob", "action_logp", "reward_known", "infos"):
                assert len(batch[column]) == batch.count, column
                assert column == "infos" or batch[column].dtype != object, column
            assert numpy.isfinite(batch["rewards"]).all()
            known = batch["action_logp_known"] == 1
            assert numpy.allclose(numpy.exp(batch["action_logp"][known]), batch["action_prob"][known])
            assert (batch["action_prob"][~known] == 0).all()
            for info, reward_known in zip(batch["infos"], batch["reward_known"]):
                if info["outcome"] != "ok":
                    failed += 1
                    assert reward_known == 0 and info["reason"], info
            if stream == "transitions":
                ends = batch["terminateds"] | batch["truncateds"]
                assert batch.count == 4 and ends[-1] and not ends[:-1].any()
                assert (batch["obs"][1:] == batch["new_obs"][:-1]).all() and batch["reward_known"].all()
                assert len(set(batch["eps_id"])) == 1
        assert failed == failures, (stream, failed)
        if stream == "transitions":
            assert sorted(bool(batch["truncateds"][-1]) for batch in batches) == [False, False, True]
            assert sum(int(batch["action_logp_known"].sum()) for batch in batches) == 4
        # As RLlib itself takes them: drawn at random, joined.
        assert JsonReader(str(folder / "*-*.json")).next().count > 0


def reads_parquet(folder):
    from hone_learners import parquet_episodes

    experiences = list(parquet_episodes.read(folder / "experiences.parquet"))
    assert all(len(episode) == 1 for episode in experiences)
    unknown = [episode for episode in experiences if not episode.get_infos(-1)["reward_known"]]
    assert any(episode.get_infos(-1)["outcome"] == "miscompiled" for episode in unknown)
    sessions = list(parquet_episodes.read(folder / "transitions.parquet"))
    assert sorted(len(episode) for episode in sessions) == [4, 4, 4], sessions
    assert sum(episode.is_terminated for episode in sessions) == 2
    assert all(episode.get_observations().shape == (5, 56) for episode in sessions)


def reads_minari(folder):
    import minari

    sessions = minari.load_dataset("hone/transitions-v0")
    assert (sessions.total_episodes, sessions.total_steps) == (3, 12)
    episode = next(sessions.iterate_episodes())
    assert episode.observations.shape == (5, 56) and episode.actions.shape == (4,)
    experiences = minari.load_dataset("hone/experiences-v0")
    spellings = experiences.storage.metadata["description"]
    assert "miscompiled" in spellings, spellings
    masks = [int(episode.infos["reward_known"][-1][0]) for episode in experiences.iterate_episodes()]
    assert 0 in masks and 1 in masks, masks


if __name__ == "__main__":
    checks = {"rest": reads_streams, "rllib": reads_batches, "parquet": reads_parquet, "minari": reads_minari}
    checks[sys.argv[1]](pathlib.Path(sys.argv[2]))
