"""The states that a canary is killed in: what brings it there, and what keeps it there.

A service for each, so that one kill meets all of them at once. `hold` asks the ramp's last step for a proof that
the run's few requests cannot give (p95 within 2 %), `quick` for one that a few windows do."""
import dataclasses

WINDOW = 2.0   # seconds of an evaluation
SCRAPE = 0.5
HOLD = [{"sli": "latency_p95", "tolerance": 0.02, "floor": 0.02}]
QUICK = [{"sli": "latency_p50", "tolerance": 5.0, "floor": 1.0}]


@dataclasses.dataclass(frozen=True)
class State:
    name: str
    steps: tuple
    rules: tuple = tuple(HOLD)
    rate: float = 25.0           # requests a second
    step_windows: int = 2
    approval: str = "automatic"
    baseline: tuple = ()         # options of canary_service.py
    canary: tuple = ()
    good_share: float = 0.5      # of the objective: 0.5 leaves a budget that this run cannot spend
    abort: bool = False          # by hand, once it has traffic
    stays: bool = True           # it is to be in that state when the victim is killed

    def reached(self, state, share):
        if self.name.startswith("ramping-"):
            return state == "ramping" and share == self.steps[-1]
        return not self.stays or state == self.name

    @property
    def target(self):
        return "shop-" + self.name.replace("_", "-")

    def spec(self, policy_version):
        return {"target": self.target, "policy_version": policy_version, "rules": list(self.rules),
                "ramp": {"steps": list(self.steps), "step_windows": self.step_windows, "most_windows": 1000,
                         "approval": self.approval}}


STATES = {state.name: state for state in (
    # Its error budget is spent: it waits.
    State("prepared", (5,), baseline=("--failing", "0.1"), good_share=0.999),
    # Enough requests that each window has some of the canary's.
    State("ramping-1", (1,), rate=150),
    State("ramping-5", (5,), rate=40),
    State("ramping-25", (5, 25), rate=40),
    State("ramping-50", (5, 25, 50), rate=40),
    State("moving", (1, 5, 25, 50), rules=tuple(QUICK), rate=150, step_windows=4, stays=False),
    State("judged", (50,), rules=tuple(QUICK), approval="by_hand"),
    State("promoted", (50,), rules=tuple(QUICK)),
    # Above its hard limit.
    State("rolled_back", (50,), canary=("--slow", "100")),
    State("aborted", (25,), abort=True),
)}
