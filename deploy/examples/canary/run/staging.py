"""Campaigns on the staging worker: the demonstration's first set, then hone-learner's, to a policy version."""
import time

from api import Refused
from programs import Failed, Program

STAGING_SECONDS = 900
TARGET = "zstd-service"


class Campaign:
    def __init__(self, world, number, candidates, batch, learner_candidates):
        """Proposed from `batch`, the replay buffer's rows so far. The learner adds so many candidates."""
        self.world, self.number, self.learner_candidates = world, number, learner_candidates
        self.batch = {source: [row for row in batch if row["source"] == source] for source in ("staging", "production")}
        request = {"target": TARGET, "seed": number, "baseline": "O3",
                   "budget_candidates": len(candidates) + learner_candidates}
        if learner_candidates:
            request["proposing_seconds"] = 120
        self.id = world.api.post("/v1/campaigns", request)["id"]
        self.path = f"/v1/campaigns/{self.id}"
        world.api.post(self.path + "/candidate-sets", {
            "generator": "deploy/examples/canary", "scheme": "each certain", "seed": number, "candidates": candidates})

    def cancel(self):
        self.world.api.post(self.path + "/cancel")

    def measure(self):
        """Until it has ended; the view and its candidates."""
        learner = None
        if self.learner_candidates:
            learner = Program("hone-learner", [
                self.world.bin / "hone-learner", "propose", self.id, "--generation", self.learner_candidates,
                "--file", "slopes.c", "--file", "words.c"],
                self.world.out / f"learner-{self.number}.log", env=self.world.environment)
        try:
            until = time.monotonic() + STAGING_SECONDS
            while (view := self.world.api.get(self.path))["state"] not in ("finished", "failed", "cancelled"):
                self.world.check()
                if time.monotonic() > until:
                    raise Failed(f"the campaign {self.id} is not over after {STAGING_SECONDS} s")
                time.sleep(1)
        finally:
            if learner:
                learner.stop()
        if view["state"] != "finished":
            raise Failed(f"the campaign {self.id} is {view['state']}: {view['reason']}")
        return view, self.world.api.get(self.path + "/candidates")["items"]

    def choose(self):
        """The candidate that production is asked about: the confirmed winner, whose policy honed published, or the best
        of the race, which is published here."""
        view, candidates = self.measure()
        told = [each for each in candidates if each["job"] and each["job"]["reward"]]
        if not told:
            raise Failed(f"no candidate of campaign {self.id} could be measured")
        if view["policy_version"]:
            chosen = next(each for each in candidates if each["id"] == view["winner_candidate"])
            return Choice(chosen, view["confirmed"], True, view["policy_version"], candidates, view["reason"])
        chosen = max(told, key=lambda each: each["job"]["reward"]["value"])
        document = {"format": 1, "target": TARGET, "sequence": 1, "compiler": {"family": "clang", "major": 19},
                    "provenance": f"campaign {self.id}, candidate {chosen['id']}, not confirmed in staging",
                    "rules": chosen["rules"]}
        version = self.world.api.post(f"/v1/policies/{TARGET}", {"document": document})["version"]
        return Choice(chosen, chosen["job"]["reward"], False, version, candidates, view["reason"])


class Choice:
    def __init__(self, candidate, reward, confirmed, version, candidates, reason):
        self.candidate, self.reward, self.confirmed = candidate, reward, confirmed
        self.version, self.candidates, self.reason = version, candidates, reason


def rules_of(api, version=None):
    """Of a published policy; without a version of the one in force, [] if there is none."""
    try:
        return api.get(f"/v1/policies/{TARGET}" + (f"?version={version}" if version else ""))["rules"]
    except Refused as error:
        if error.status == 404:
            return []
        raise


def version_in_force(api):
    """None while no policy was promoted."""
    try:
        versions = api.get(f"/v1/policies/{TARGET}/versions")["items"]
    except Refused as error:
        if error.status == 404:
            return None
        raise
    return next((each["version"] for each in versions if each["promoted"]), None)
