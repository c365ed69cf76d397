"""Generations of candidates, measured by one campaign that stays open between them.

A generation is a candidate set. The campaign races it and waits for the next one; behind the last, it is told which
candidates to confirm and closed, and goes on to measure them on fresh pairs and to publish what holds.
"""
import time
import uuid

FINAL = ("finished", "cancelled", "failed")
FINALISTS = 3  # so many a campaign confirms at most


class Generations:
    """Measures candidates of one target, a generation at a time."""

    def __init__(self, rest, target, generator, budget, seed=1, baseline="O3", poll_seconds=1.0, wait_seconds=86400):
        """`budget`: candidates of all generations together. The campaign begins with the first generation."""
        self.rest = rest
        self.target = target
        self.generator = generator
        self.budget = budget
        self.seed = seed
        self.baseline = baseline
        self.poll_seconds = poll_seconds
        self.wait_seconds = wait_seconds
        self.path = None  # of the campaign
        self.tried = []  # (reward, candidate's id) of all that have one

    def measure(self, candidates, last=False):
        """Measures a generation. `candidates`: a list of rules each.

        Gives what became of the race job of each, in order: a dict with `outcome`, `reason`,
        `verdict` and `reward` (None, or its value with interval); and the campaign, finished if `last`.
        """
        if self.path is None:
            campaign = self.rest.ask(
                "POST", "/v1/campaigns",
                {"target": self.target, "budget_candidates": self.budget, "seed": self.seed,
                 "baseline": self.baseline, "proposing_seconds": 600},
                {"Idempotency-Key": str(uuid.uuid4())})
            self.path = f"/v1/campaigns/{campaign['id']}"
        added = self.rest.ask(
            "POST", self.path + "/candidate-sets",
            # Not chosen at random from a set: no propensities.
            {"generator": self.generator, "seed": self.seed, "candidates": [{"rules": rules} for rules in candidates]},
            {"Idempotency-Key": str(uuid.uuid4())})
        jobs = self._wait([candidate["id"] for candidate in added["candidates"]])
        for candidate, job in zip(added["candidates"], jobs):
            reward = reward_of(job)
            if reward is not None and job.get("reward"):
                self.tried.append((reward, candidate["id"]))
        if last:
            self._finish()
        return jobs, self.rest.ask("GET", self.path)

    def _finish(self):
        best = sorted((one for one in self.tried if one[0] > 0), reverse=True)[:FINALISTS]
        if best:
            self.rest.ask("PUT", self.path + "/finalists", {"candidates": [candidate for _, candidate in best]})
        self.rest.ask("POST", self.path + "/close", {})
        until = time.monotonic() + self.wait_seconds
        while self.rest.ask("GET", self.path)["state"] not in FINAL:
            self._pause(until)

    def _wait(self, ids):
        until = time.monotonic() + self.wait_seconds
        while True:
            items = {item["id"]: item["job"] for item in self.rest.ask("GET", self.path + "/candidates")["items"]}
            if all(ended(items[candidate]) for candidate in ids):
                return [items[candidate] or {"state": "cancelled"} for candidate in ids]
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
