"""A log of decisions made in a real coordinator by a worker that measures nothing. For evaluate.sh.

    evaluate.py OUTPUT     writes the policies' documents OUTPUT/NAME.json and measures them

Candidates are drawn with their propensities from a fixed set, by one campaign, each reward by what the
decision is truly worth, or (where it is lucky) seems to be; then each is confirmed once on fresh pairs.
"""
import json
import math
import os
import pathlib
import random
import sys
import urllib.error
import urllib.request
import uuid

# name: probability, what the log says it gains, what it gains on fresh pairs
DECISIONS = {
    "current": (0.35, 0.010, 0.010),
    "good": (0.25, 0.030, 0.030),
    "lucky": (0.25, 0.030, -0.010),
    "rare": (0.03, 0.060, 0.060),
    "broken": (0.12, 0.050, 0.050),  # and every tenth of its draws is miscompiled
}
DRAWS = 280
url = os.environ["HONE_URL"]
token = open(os.environ["HONE_TOKEN_FILE"]).read().strip()


def ask(method, path, body=None):
    request = urllib.request.Request(
        url + path, None if body is None else json.dumps(body).encode(), method=method,
        headers={"Authorization": "Bearer " + token, "Content-Type": "application/json",
                 "Idempotency-Key": str(uuid.uuid4())})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{method} {path}: {error.code} {error.read().decode()}") from None
    return json.loads(text) if text else None


def rules(name):
    knob = str(2 + list(DECISIONS).index(name))
    return [{"source": "*", "pipeline": "default<O3>", "knobs": {"unroll-count": knob}}]


def measured(gain, rng, error):
    value = rng.gauss(gain, error)
    return {"outcome": "ok", "verdict": "faster" if value - 2 * error > 0 else "inconclusive",
            "reward": {"value": value, "low": value - 2 * error, "high": value + 2 * error, "confidence": 0.95,
                       "pairs": 24, "detectable_effect": 0.01, "noise": 0.01},
            "samples": [{"pair": 0, "position": at, "block": 0, "layout": 0, "metric": "cpu_time", "role": role,
                         "value": 1.0} for at, role in enumerate(("baseline", "candidate"))],
            "machine": {"host": "h"}, "log": "", "build_seconds": 0.1}


def work(results):
    """Leases a job for each of `results` (by job's id, what to report) and reports it."""
    left = dict(results)
    while left:
        lease = ask("POST", "/v1/leases", {"version": 1, "worker": "w", "wait_seconds": 20})
        assert lease and lease["job"] in left, (lease and lease["job"], len(left))
        ask("POST", f"/v1/leases/{lease['attempt']}/complete", left.pop(lease["job"]))


def main(folder):
    rng = random.Random(5)
    ask("PUT", "/v1/targets/lib", {
        "name": "lib", "source": {"git": {"url": "/srv/lib", "commit": "1234567890123456789012345678901234567890"}},
        "build": {"commands": [["make"]], "binaries": ["lib"]}, "benchmark": {"command": ["{build}/lib"]}})
    ask("PUT", "/v1/workers/w", {"name": "w", "machine": {"host": "h"}, "labels": {}, "slots": 1, "version": "1"})
    for name in [*DECISIONS, "never"]:
        own = rules(name) if name in DECISIONS else [{"source": "*", "pipeline": "default<O2>"}]
        (folder / f"{name}.json").write_text(json.dumps({
            "format": 1, "target": "lib", "sequence": 1, "compiler": {"family": "clang", "major": 19},
            # What the target's scope puts in front of a published candidate.
            "rules": [{"source": "tests/*", "pipeline": "default<O3>"}, *own]}))
    drawn = rng.choices(list(DECISIONS), [p for p, _, _ in DECISIONS.values()], k=DRAWS)
    campaign = ask("POST", "/v1/campaigns", {"target": "lib", "budget_candidates": DRAWS, "seed": 1,
                                             "baseline": "O3", "proposing_seconds": 600})["id"]
    added = ask("POST", f"/v1/campaigns/{campaign}/candidate-sets", {
        "generator": "evaluate.py", "scheme": "with replacement", "seed": 5,
        "candidates": [{"rules": rules(name), "log_propensity": math.log(DECISIONS[name][0])} for name in drawn]})
    items = {item["id"]: item["job"]["id"] for item in ask("GET", f"/v1/campaigns/{campaign}/candidates")["items"]}
    results = {}
    for number, (candidate, name) in enumerate(zip(added["candidates"], drawn)):
        results[items[candidate["id"]]] = measured(DECISIONS[name][1], rng, 0.01) if name != "broken" or number % 10 else {
            "outcome": "miscompiled", "reason": "output differs", "log": "", "machine": {"host": "h"}, "build_seconds": 0.1}
    work(results)
    jobs = ask("POST", "/v1/jobs", {"jobs": [
        {"target": "lib", "baseline": "O3", "rules": rules(name)} for name in DECISIONS]})["jobs"]
    work({job["id"]: measured(gain, rng, 0.002) for job, (_, _, gain) in zip(jobs, DECISIONS.values())})


main(pathlib.Path(sys.argv[1]))
