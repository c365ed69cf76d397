"""Exported sample batches (`hone-learner export --format rllib`), read with the standard library alone."""
import json
import pathlib


def spaces(folder):
    """What stands in spaces.json: `observation` (a name a number), `actions` (by number), `reward`."""
    return json.loads((pathlib.Path(folder) / "spaces.json").read_text())


def rows(folder):
    """Every row as a dict of its columns, in order; `infos` is `info`."""
    files = sorted(path for path in pathlib.Path(folder).glob("*-*.json"))
    if not files:
        raise FileNotFoundError(f"{folder} has no sample batches: hone-learner export --format rllib writes them")
    for path in files:
        with open(path) as lines:
            for line in lines:
                batch = json.loads(line)
                if batch.pop("type") != "SampleBatch":
                    raise ValueError(f"{path} has a line that is no SampleBatch")
                for values in zip(*batch.values()):
                    row = dict(zip(batch, values))
                    row["info"] = row.pop("infos")
                    yield row


def usable(row):
    """Whether all that training reads of a row was measured."""
    return row["reward_known"] and row["obs_known"] and row["new_obs_known"]


def episodes(folder, known_only=False):
    """Lists of rows, each an episode or a part of one that has no gap.

    With `known_only`, rows that were not measured are left out, and the episode is cut there: its
    parts are marked as truncated.
    """
    current = []

    def finished():
        if current and not current[-1]["terminateds"]:
            current[-1]["truncateds"] = True
        return current

    for row in rows(folder):
        goes_on = current and (row["eps_id"], row["unroll_id"]) == (current[-1]["eps_id"], current[-1]["unroll_id"])
        wanted = usable(row) or not known_only
        if current and not (goes_on and wanted):
            yield finished()
            current = []
        if wanted:
            current.append(row)
    if current:
        yield finished()
