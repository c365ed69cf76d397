"""Which fault comes when: made of the seed alone, and of how long the test lasts."""
import dataclasses
import random

COORDINATORS = ("a", "b")
CLOCKS = ("honed-a", "honed-b", "postgres", "workers")


@dataclasses.dataclass(frozen=True)
class Fault:
    at: float       # seconds from the beginning
    kind: str
    target: str     # a coordinator, a clock, or "" where there is but one or any will do
    seconds: float  # how long it lasts, of what lasts
    amount: float   # of a clock's step, in seconds


# kind: (weight, targets, shortest and longest duration)
KINDS = {
    "kill_honed": (8, COORDINATORS, (0.2, 6)),         # the pause before it is started again
    "stop_honed": (2, COORDINATORS, (0.2, 3)),         # SIGTERM
    "pause_honed": (3, COORDINATORS, (1, 9)),          # SIGSTOP: it hangs
    "kill_worker": (8, ("",), (0.2, 4)),
    "kill_real_worker": (2, ("",), (0.5, 3)),
    "kill_submitter": (2, ("",), (0.2, 2)),
    "kill_watcher": (2, ("",), (0.2, 2)),
    "kill_postgres": (3, ("",), (0.2, 5)),             # all of its processes
    "stop_postgres": (1, ("",), (0.2, 3)),             # a fast shutdown
    "kill_backend": (3, ("",), (0, 0)),                # it starts itself again
    "cut_clients": (6, COORDINATORS, (0, 0)),
    "cut_database": (6, COORDINATORS, (0, 0)),
    "drop_replies_to_clients": (5, COORDINATORS, (0.5, 6)),
    "drop_replies_of_database": (5, COORDINATORS, (0.5, 6)),
    "delay_clients": (4, COORDINATORS, (2, 12)),
    "delay_database": (4, COORDINATORS, (2, 12)),
    "freeze_database": (3, COORDINATORS, (1, 8)),
    "refuse_database": (3, COORDINATORS, (1, 8)),
    "step_clock": (5, CLOCKS, (0, 0)),
    "fill_artifacts_disk": (2, ("",), (1, 6)),
    "fill_database_disk": (2, ("",), (1, 6)),
}


def make_plan(seconds, seed, mean_gap=5.0):
    """Faults in the order of their times: each kind at least once, then as their weights have it; none in
    the last tenth."""
    rng = random.Random(f"plan/{seed}")
    first, last = 2.0, seconds * 0.9
    count = max(len(KINDS), int((last - first) / mean_gap))
    kinds = list(KINDS) + rng.choices(list(KINDS), [KINDS[kind][0] for kind in KINDS],
                                      k=count - len(KINDS))
    rng.shuffle(kinds)
    times = sorted(rng.uniform(first, last) for _ in kinds)
    faults = []
    for at, kind in zip(times, kinds):
        _, targets, (shortest, longest) = KINDS[kind]
        amount = rng.choice([-1, 1]) * rng.choice([7, 45, 300, 3600])
        faults.append(Fault(round(at, 2), kind, rng.choice(targets),
                            round(rng.uniform(shortest, longest), 2), amount))
    return faults
