"""Generations of candidates, measured by campaigns.

Here, and nowhere else, it is decided what a generation is: a campaign of its own, whose race is read
and which is then cancelled (what was measured stays). The last one has the best of those before among its
candidates, and goes on to confirm the best of all on fresh pairs and to publish it.
"""
import time
import uuid

from hone_learners.rest import RestError

FINAL = ("finished", "cancelled", "failed")


class Generations:
    """Measures candidates of one target, a generation at a time."""

    def __init__(self, rest, target, generator, seed=1, baseline="O3", poll_seconds=1.0, wait_seconds=86400):
        self.rest = rest
        self.target = target
        self.generator = generator
        self.seed = seed
        self.baseline = baseline
        self.poll_seconds = poll_seconds
        self.wait_seconds = wait_seconds
        self.best = (0.0, None)  # reward above the baseline's, and the rules

    def measure(self, candidates, last=False):
        """Measures a generation. `candidates`: a list of rules each.

        Gives what became of the race job of each, in order: a dict with `outcome`, `reason`,
        `verdict` and `reward` (None, or its value with interval); and the campaign, finished if `last`.
        """
        proposed = [*candidates, self.best[1]] if last and self.best[1] else candidates
        campaign = self.rest.ask(
            "POST", "/v1/campaigns",
            {"target": self.target, "budget_candidates": len(proposed), "seed": self.seed, "baseline": self.baseline},
            {"Idempotency-Key": str(uuid.uuid4())})
        path = f"/v1/campaigns/{campaign['id']}"
        self.rest.ask(
            "POST", path + "/candidate-sets",
            # Not chosen at random from a set: no propensities.
            {"generator": self.generator, "seed": self.seed, "candidates": [{"rules": rules} for rules in proposed]})
        jobs = self._wait(path)[:len(candidates)]
        for rules, job in zip(candidates, jobs):
            self.best = max(self.best, (reward_of(job) or 0.0, rules), key=lambda pair: pair[0])
        if last:
            until = time.monotonic() + self.wait_seconds
            while (campaign := self.rest.ask("GET", path))["state"] not in FINAL:
                self._pause(until)
        else:
            campaign = self._cancel(path)
        return jobs, campaign

    def _cancel(self, path):
        try:
            return self.rest.ask("POST", path + "/cancel", {})
        except RestError as error:
            if error.status != 409:  # it ended by itself: there was nothing to confirm
                raise
            return self.rest.ask("GET", path)

    def _wait(self, path):
        until = time.monotonic() + self.wait_seconds
        while True:
            items = sorted(self.rest.ask("GET", path + "/candidates")["items"], key=lambda item: item["index"])
            if all(ended(item["job"]) for item in items):
                return [item["job"] or {"state": "cancelled"} for item in items]
            self._pause(until)

    def _pause(self, until):
        if time.monotonic() > until:
            raise TimeoutError(f"the generation was not measured within {self.wait_seconds} s: does a worker run?")
        time.sleep(self.poll_seconds)


def ended(job):
    """Whether a race job (or None: the budget had no room for it) has come to its end."""
    return job is None or job["state"] in ("done", "dead", "cancelled")


def reward_of(job):
    """The measured reward, 0.0 for the baseline's very binary, None where there is nothing to know."""
    if job.get("outcome") != "ok":
        return None
    if job.get("reward"):
        return job["reward"]["value"]
    return 0.0 if job.get("verdict") == "no_change" else None


# Settings of -O3's own passes (hone's allow-list has these ranges and more), for all files of the target.
KNOBS = {
    "inline-threshold": [100, 225, 250, 400, 600, 1000, 2000],
    "unroll-count": [None, 1, 2, 4, 8],
    "unroll-threshold": [None, 100, 300, 600, 1000],
    "vectorize-slp": [None, "false"],
    "unroll-allow-partial": [None, "true"],
}


def rules_of(knobs):
    """The rules of a candidate with these settings; None leaves one as it is."""
    given = {name: str(value) for name, value in knobs.items() if value is not None}
    return [{"source": "**", "pipeline": "default<O3>", "knobs": given}]


def report(name, generation, jobs):
    """A line a generation."""
    rewards = [reward for reward in map(reward_of, jobs) if reward is not None]
    failed = len(jobs) - len(rewards)
    best = f"best {100 * max(rewards):+.2f} %" if rewards else "no reward"
    print(f"{name}: generation {generation}: {len(jobs)} candidates, {failed} without a reward, {best}", flush=True)
