"""One cycle: proposed, measured in staging, built, tried on traffic, rewarded, learnt from, proposed again."""
import proposal
from canary import Canary
from programs import must_run
from staging import TARGET, Campaign, rules_of, version_in_force

LEARNER_CANDIDATES = 2
LEARNER_FROM = 3  # the first two sets are the demonstration's own, so that the planted one has something to win
CANARY_SECONDS = 420
# Short windows, so wide tolerances: what they can tell is in the report's "would be seen". Requests of many kinds tell
# nothing of spread and p99 in so short a time. The 400 requests that p95 takes, and so the reward, are there after the
# eight windows that a verdict takes at least.
SPEC = {"ramp": {"steps": [10, 25], "step_windows": 4, "most_windows": 120},
        "rules": [{"sli": "latency_p95", "tolerance": 0.25, "floor": 0.05},
                  {"sli": "latency_p50", "tolerance": 0.15, "floor": 0.03},
                  {"sli": "cpu_per_request", "tolerance": 0.15, "floor": 0.03},
                  {"sli": "failure_share", "tolerance": 0.02, "floor": 0.005}]}


class Cycle:
    def __init__(self, number, plants):
        self.number, self.plants = number, plants
        self.done = False


class Cycles:
    def __init__(self, world, product, say, planted_at):
        self.world, self.product, self.say, self.planted_at = world, product, say, planted_at
        self.withdrawn = []  # rules of the policy that production withdrew last
        self.proposed = 0

    def propose(self, number):
        """The campaign of that cycle with its first set, made from all that is in the replay buffer."""
        batch = self.world.api.experiences()
        in_force = rules_of(self.world.api) if version_in_force(self.world.api) else []
        plants = number == self.planted_at
        if plants:
            candidates = proposal.planted(in_force)
        else:
            candidates = proposal.first(in_force) if number == 1 else proposal.taken_apart(self.withdrawn, in_force)
            self.withdrawn = []
        candidates = candidates or proposal.further(in_force)
        self.proposed += 1
        return Campaign(self.world, self.proposed, candidates, batch, LEARNER_CANDIDATES if number >= LEARNER_FROM else 0)

    def build(self, version):
        """The service built with that version of the policy; None is none."""
        if version is None:
            return self.product.build()
        index = self.world.out / f"policy-{version}.index"
        must_run([self.world.bin / "hone", "policy", "pull", TARGET, "--version", version, "--unsigned", "-o", index],
                 self.world.out / "builds.log", self.world.environment)
        return self.product.build(index)

    def run(self, number, campaign):
        """A cycle from its campaign on; gives what happened, and the next campaign."""
        cycle = Cycle(number, number == self.planted_at)
        cycle.campaign = campaign
        cycle.before = version_in_force(self.world.api)
        self.say(f"cycle {number}: staging measures campaign {campaign.id}")
        cycle.choice = campaign.choose()
        if cycle.plants and not cycle.choice.confirmed:
            self.say(f"cycle {number}: not confirmed ({cycle.choice.reason}); measured once more")
            cycle.campaign = self.propose(number)
            cycle.choice = cycle.campaign.choose()
        self.say(f"cycle {number}: building the canary with policy version {cycle.choice.version}")
        program, cycle.counted = self.build(cycle.choice.version)
        self.world.start_instance("new", program)
        canary = Canary(self.world, {"policy_version": cycle.choice.version, **SPEC}, CANARY_SECONDS)
        self.say(f"cycle {number}: canary {canary.id}")
        cycle.canary = canary.wait()
        canary.write(cycle.canary, f"canary-{number}")
        cycle.experience = canary.experience()
        self.settle(cycle, program)
        cycle.after = version_in_force(self.world.api)
        following = self.propose(number + 1)
        cycle.following = following
        cycle.done = any(row["id"] == cycle.experience["id"] for row in following.batch["production"])
        return cycle, following

    def settle(self, cycle, program):
        """What was promoted serves as the baseline from now on; what was not is forgotten, and taken apart."""
        if cycle.canary["status"]["state"] == "promoted":
            if version_in_force(self.world.api) != cycle.choice.version:
                self.world.api.post(f"/v1/policies/{TARGET}/versions/{cycle.choice.version}/promote")
            self.world.start_baseline(program)
        else:
            self.withdrawn = rules_of(self.world.api, cycle.choice.version)
        self.world.all_to_baseline()
        self.world.stop("new")
