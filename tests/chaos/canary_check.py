"""Whether a canary stayed safe while a program of its world was killed, by what its users got, what HAProxy said and
what the store holds.

A case is one canary in one round. All times are seconds since 1970 by one clock. check() gives what is wrong, and
how long after a kill the canary went on being served without anybody who could withdraw it."""
import dataclasses
import math

FOLLOW = 2.5         # a look of the controller each second, and the time that it takes
CHECK = 2.0          # HAProxy: three checks that fail, 0.5 s apart, with 0.5 s to answer
LEASE = 4.0          # server/canaries/canary_controller.h: kServingSeconds
SURELY = 10          # requests due in a window: server/canaries says that none of them is no chance
BIN = 2.0
LIVE = ("prepared", "ramping", "judged")
STEPS = {"prepared": ("prepared", "ramping", "aborted"),
         "ramping": ("ramping", "judged", "rolled_back", "aborted"),
         "judged": ("promoted", "rolled_back", "aborted")}


def bounds(window, scrape, due=SURELY):
    """Seconds until it is safe, by victim; the canary gets `due` requests in a window."""
    return {
        # Its lease runs out, and HAProxy finds out.
        "honed": LEASE + CHECK, "honeds": LEASE + CHECK,
        # The next window is over and cannot be read: from then on the lease is not renewed.
        "prometheus": window + FOLLOW + LEASE + CHECK,
        # Weights of its configuration until the next look.
        "haproxy": FOLLOW,
        # Two lost windows of three: the one it died in, and at most two more that are over and scraped. Of few
        # requests none may be chance: six windows (the ramp's most_lost).
        "canary": (3 if due >= SURELY else 7) * window + scrape + 0.5 + FOLLOW}


@dataclasses.dataclass
class Case:
    state: str                  # in which it is killed (canary_states.py)
    victim: str
    repeat: str                 # back, dead or loop
    steps: tuple                # of its ramp
    rate: float                 # requests a second, of both
    window: float
    scrape: float
    downs: list                 # [(killed, started again)] of the victim
    begun: float                # of what was watched
    ended: float
    requests: list              # [(server, status, begun, ended)]
    record: dict                # CanaryWorld.record() in the end
    samples: list               # [{"at", "owner", "weights": {server: (weight, initial, up)} or None}]

    @property
    def killed(self):
        return self.downs[0][0]

    def share(self, at):
        """That it might get then, by its decisions."""
        return max((decision["share"] for decision in self.record["decisions"][:self._decided(at)][-1:]), default=0)

    def state_at(self, at):
        decided = self.record["decisions"][:self._decided(at)]
        return decided[-1]["state"] if decided else "prepared"

    def most_share(self, first, last):
        inner = [decision["share"] for decision in self.record["decisions"] if first <= decision["at"] <= last]
        return max([self.share(first), *inner])

    def _decided(self, at):
        return sum(decision["at"] <= at for decision in self.record["decisions"])

    def served(self, first, last):
        return [request for request in self.requests if first <= request[2] < last and request[0] != "-"]

    @property
    def bound(self):
        due = self.rate * self.window * self.share(self.killed) / 100
        return bounds(self.window, self.scrape, due)[self.victim]


def check(case):
    """([what is wrong], seconds until it was safe)."""
    found = [*record_errors(case), *window_errors(case), *ramp_errors(case), *user_errors(case), *resume_errors(case)]
    seconds, late = SAFE[case.victim](case)
    if seconds > case.bound:
        late = [*late, f"safe after {seconds:.1f} s, bound {case.bound:g} s"]
    return found + late, seconds


# What the store holds.

def record_errors(case):
    record, before = case.record, {"state": "prepared", "share": 0, "windows": 0}
    for number, decision in enumerate(record["decisions"], 1):
        if decision["number"] != number:
            yield f"decision {number} is numbered {decision['number']}"
        yield from decision_errors(case, before, decision)
        before = decision
    if (record["state"], record["share"]) != (before["state"], before["share"]):
        yield f"it is {record['state']} at {record['share']} %, its last decision {before['state']} at {before['share']} %"
    ended = record["state"] not in LIVE
    if record["experiences"] > 1 or (record["experiences"] == 1) != ended and record["follows"]:
        yield f"{record['experiences']} experiences of a canary that is {record['state']}"
    if record["audits"].count("canary.create") != 1:
        yield f"its beginning is {record['audits'].count('canary.create')} times in the audit log"
    if (record["audits"].count("canary.abort") > 0) != (record["state"] == "aborted"):
        yield f"{record['state']}, with {record['audits'].count('canary.abort')} ends by hand in the audit log"


def decision_errors(case, before, decision):
    state, share = decision["state"], decision["share"]
    if state not in STEPS.get(before["state"], ()):
        yield f"from {before['state']} to {state}"
    if decision["windows"] < before["windows"]:
        yield f"a decision upon {decision['windows']} windows after one upon {before['windows']}"
    if state == "ramping":
        next_step = case.steps.index(before["share"]) + 1 if before["share"] in case.steps else 0
        if next_step >= len(case.steps) or share != case.steps[next_step]:
            yield f"from {before['share']} % to {share} %"
    else:
        want = {"promoted": 100, "judged": case.steps[-1]}.get(state, 0)
        if share != want:
            yield f"{state} at {share} %"


def window_errors(case):
    last = None
    for number, window in enumerate(case.record["windows"]):
        if window["number"] != number:
            yield f"window {number} is numbered {window['number']}"
            return
        if last is not None and abs(window["start"] - last["start"] - last["seconds"]) > 1e-3:
            yield f"window {number} begins {window['start'] - last['start']:.1f} s after the one before"
        shares = [decision["share"] for decision in case.record["decisions"] if decision["windows"] <= number]
        if not shares or window["share"] != shares[-1]:
            yield f"window {number} is of {window['share']} %, decided were {shares[-1:]}"
        last = window


# What its users got.

def ramp_errors(case):
    at = case.begun
    while at + BIN <= case.ended:
        served = case.served(at, at + BIN)
        of_canary = sum(request[0] == "canary" for request in served)
        share = case.most_share(at - FOLLOW, at + BIN)
        most = math.ceil(len(served) * share / 100) + 3 if share else 0
        if of_canary > most:
            yield (f"{of_canary} of {len(served)} requests in {at - case.killed:+.1f} to {at + BIN - case.killed:+.1f} s "
                   f"were the canary's, which might have {share} %")
        at += BIN


def user_errors(case):
    """Requests that failed beyond those that the killed program held."""
    bad = [request for request in case.requests
           if (request[1] <= 0 or request[1] > 500) and case.begun <= request[2] < case.ended]
    if case.victim == "haproxy":
        beyond = [request for request in bad
                  if not any(first - 0.1 <= request[3] and request[2] <= last + 1.5 for first, last in case.downs)]
    elif case.victim == "canary":
        whole = case.share(case.killed) == 100  # nobody else is given its requests until HAProxy finds out
        reach = CHECK + 0.5 if whole else 0.3
        near = [request for request in bad if any(first - 0.1 <= request[3] and request[2] <= first + reach
                                                  for first, _ in case.downs)]
        beyond = [request for request in bad if request not in near]
        if not whole and len(near) > 2 * len(case.downs):
            beyond = near + beyond
    else:
        beyond = bad
    if beyond:
        first = min(request[2] for request in beyond) - case.killed
        yield f"{len(beyond)} requests of users failed, the first at {first:+.1f} s with {beyond[0][1]}"


def resume_errors(case):
    """In the end everything runs: what lives and may have traffic gets it."""
    record = case.record
    if not record["follows"]:
        yield "its traffic does not follow in the end"
        return
    served = case.served(case.ended - 4, case.ended)
    expected = len(served) * record["share"] / 100
    if record["state"] in ("ramping", "judged") and expected >= 4 and not any(r[0] == "canary" for r in served):
        yield f"{record['state']} at {record['share']} %, and got none of {len(served)} requests in the end"
    if not served:
        yield "nobody is served in the end"


# How long it takes until it is safe: (seconds, what is wrong besides).

def safe_without_honed(case):
    """The canary is served for so long after its coordinator died and before another drives it."""
    kills = [first for first, _ in case.downs]
    owned = {}  # by owner, when it was first seen
    for sample in case.samples:
        owned.setdefault(sample["owner"], sample["at"])
    seconds = 0.0
    for server, _, at, _ in case.requests:
        if server != "canary" or not case.killed <= at < case.ended or case.state_at(at) not in LIVE:
            continue
        taken = max((first for first in owned.values() if first <= at), default=case.begun)
        died = min((kill for kill in kills if kill >= taken), default=math.inf)
        seconds = max(seconds, at - died)
    return seconds, []


def safe_without_prometheus(case):
    seconds = 0.0
    for server, _, at, _ in case.requests:
        if server == "canary" and case.state_at(at) in LIVE:
            seconds = max([seconds, *(at - first for first, last in case.downs if first <= at < last)])
    return seconds, []


def safe_after_haproxy(case):
    """From its return until it has the weights of the decision; its own are 0 for the canary."""
    seconds, found = 0.0, []
    for sample in case.samples:
        initial = (sample["weights"] or {}).get("new", (0, 0, True))[1]
        if initial != 0:
            found.append(f"HAProxy's own weight for the canary is {initial}")
            break
    for number, (_, back) in enumerate(case.downs):
        until = case.downs[number + 1][0] if number + 1 < len(case.downs) else case.ended
        if until - back < FOLLOW or case.state_at(back + FOLLOW) not in ("ramping", "judged"):
            continue
        again = [sample["at"] for sample in case.samples
                 if back <= sample["at"] < until and sample["weights"] and sample["weights"]["new"][0] > 0]
        seconds = max(seconds, again[0] - back if again else math.inf)
    return seconds, found


def safe_after_canary(case):
    last_bad = max((request[2] - case.killed for request in case.requests
                    if request[1] <= 0 or request[1] > 500 if request[2] >= case.killed), default=0.0)
    if case.repeat == "back" or case.state_at(case.killed) not in ("ramping", "judged"):
        return max(0.0, last_bad), []
    rolled_back = [decision["at"] - case.killed for decision in case.record["decisions"]
                   if decision["state"] == "rolled_back"]
    if not rolled_back:
        return math.inf, [f"a canary that is down is {case.record['state']}"]
    return rolled_back[0], []


SAFE = {"honed": safe_without_honed, "honeds": safe_without_honed, "prometheus": safe_without_prometheus,
        "haproxy": safe_after_haproxy, "canary": safe_after_canary}
