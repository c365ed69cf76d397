#!/usr/bin/env python3
"""The invariants: what the database holds at the end, against what clients were told.

  check.py --database URL --folder DIR [--jobs N]    exit code 1 and a line for each violation

Depends on the tables jobs, attempts, results, experiences, events, campaigns, policies and audit_log, and on the journals
of tests/chaos/{worker,submitter,watcher}.py in DIR. check() is pure, so that its own test plants violations."""
import argparse
import collections
import json
import os
import subprocess
import sys

from journal import read_journal

# Events are numbered under the lock of the job that changes, so that their numbers are the order in which a
# job's states followed each other, whatever the transactions' own numbers are.

# From where to where a job's state may move; "" is before there is a job.
JOB_MOVES = {
    "": {"queued"},
    "queued": {"leased", "cancelled", "dead"},
    "leased": {"queued", "done", "dead", "cancelled"},
    "done": set(), "dead": set(), "cancelled": set(),
}
JOB_ENDS = {"done", "dead", "cancelled"}
CAMPAIGN_MOVES = {
    "": {"waiting"},
    "waiting": {"racing", "cancelled", "failed"},
    "racing": {"racing", "confirming", "finished", "cancelled", "failed"},  # racing again: closed
    "confirming": {"finished", "cancelled", "failed"},
    "finished": set(), "cancelled": set(), "failed": set(),
}
CAMPAIGN_ENDS = {"finished", "cancelled", "failed"}

QUERIES = {
    "jobs": """SELECT j.number, j.id, j.note, j.state, j.reason, j.attempts_made, j.attempts_counted,
                      j.max_attempts, j.attempt, j.stage, k.id AS candidate, c.id AS campaign
               FROM jobs j LEFT JOIN candidates k ON k.number = j.candidate
                           LEFT JOIN campaigns c ON c.number = j.campaign""",
    "attempts": """SELECT a.number, a.id, a.job, a.ordinal, a.state, a.completion_sha256, a.reason,
                          w.name AS worker
                   FROM attempts a JOIN workers w ON w.number = a.worker""",
    "results": "SELECT attempt, job, outcome FROM results",
    "experiences": "SELECT id, attempt FROM experiences WHERE source = 'staging'",
    "events": """SELECT e.transaction::text AS transaction, e.number, e.kind, e.job, e.campaign, e.state
                 FROM events e ORDER BY e.number""",
    "campaigns": """SELECT c.number, c.id, c.state, c.reason, c.policy_version, c.target
                    FROM campaigns c""",
    "policies": "SELECT target, version, campaign FROM policies",
    "audit": "SELECT action, object, after FROM audit_log",
}


def load_tables(database):
    tables = {}
    for name, query in QUERIES.items():
        out = subprocess.run(
            ["psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", database, "-c",
             f"SELECT row_to_json(r) FROM ({query}) AS r"],
            check=True, capture_output=True, text=True).stdout
        tables[name] = [json.loads(line) for line in out.splitlines() if line]
    return tables


def load_journals(folder):
    return {name.removesuffix(".journal"): read_journal(os.path.join(folder, name))
            for name in sorted(os.listdir(folder)) if name.endswith(".journal")}


def check_jobs(tables, say):
    """Each job is at an end it came to by legal moves, with as many leases as it says, one at a time; done
    with one counted result and one experience, else with none."""
    moves = collections.defaultdict(list)
    for event in tables["events"]:
        if event["kind"] == "job":
            moves[event["job"]].append(event["state"])
    attempts = collections.defaultdict(list)
    for attempt in tables["attempts"]:
        attempts[attempt["job"]].append(attempt)
    results = collections.Counter(result["job"] for result in tables["results"])
    result_attempts = {result["attempt"]: result["job"] for result in tables["results"]}
    experiences = collections.Counter(row["attempt"] for row in tables["experiences"])
    for job in tables["jobs"]:
        name = f"job {job['id']} ({job['note']})"
        own = sorted(attempts.pop(job["number"], []), key=lambda attempt: attempt["ordinal"])
        if job["state"] not in JOB_ENDS:
            say("stuck", f"{name} is still {job['state']}")
        before = ""
        for state in moves.get(job["number"], []):
            if state not in JOB_MOVES.get(before, set()):
                say("illegal", f"{name} went from {before or 'nothing'} to {state}")
            before = state
        if before != job["state"]:
            say("lost", f"{name} is {job['state']}, its last event {before or 'missing'}")
        leases = moves.get(job["number"], []).count("leased")
        if not leases == job["attempts_made"] == len(own):
            say("illegal", f"{name}: {leases} leases in its events, {job['attempts_made']} attempts made, "
                           f"{len(own)} stored")
        if [attempt["ordinal"] for attempt in own] != list(range(1, len(own) + 1)):
            say("illegal", f"{name}: attempts {[attempt['ordinal'] for attempt in own]}")
        # A lease follows another one only when that one has ended: the events alternate, so what is
        # left to see is one that never ended.
        held = [attempt for attempt in own if attempt["state"] == "leased"]
        if len(held) > (1 if job["state"] == "leased" else 0):
            say("twice", f"{name} is {job['state']} with {len(held)} leases")
        if job["attempts_counted"] > job["max_attempts"]:
            say("illegal", f"{name}: {job['attempts_counted']} attempts of at most {job['max_attempts']}")
        completed = [attempt for attempt in own if attempt["state"] == "completed"]
        wanted = 1 if job["state"] == "done" else 0
        if len(completed) != wanted or results[job["number"]] != wanted:
            kind = "twice" if max(len(completed), results[job["number"]]) > wanted else "lost"
            say(kind, f"{name} is {job['state']} with {len(completed)} completed attempts and "
                      f"{results[job['number']]} results")
        for attempt in completed:
            if result_attempts.get(attempt["number"]) != job["number"]:
                say("lost", f"{name}: attempt {attempt['id']} completed without its result")
            if experiences[attempt["number"]] != 1:
                say("twice" if experiences[attempt["number"]] > 1 else "lost",
                    f"{name}: {experiences[attempt['number']]} experiences of its result")
            if completed[0]["number"] != job["attempt"]:
                say("illegal", f"{name}: its result is not its newest attempt's")
        if job["state"] == "dead" and not job["reason"]:
            say("illegal", f"{name} is dead without a reason")
    for job in attempts:
        say("illegal", f"attempts of a job that is not there: {job}")
    if sum(experiences.values()) != len(tables["results"]):
        say("twice", f"{sum(experiences.values())} experiences for {len(tables['results'])} results")


def check_campaigns(tables, say):
    moves = collections.defaultdict(list)
    for event in tables["events"]:
        if event["kind"] == "campaign":
            moves[event["campaign"]].append(event["state"])
    policies = collections.Counter(policy["campaign"] for policy in tables["policies"])
    for campaign in tables["campaigns"]:
        name = f"campaign {campaign['id']}"
        if campaign["state"] not in CAMPAIGN_ENDS:
            say("stuck", f"{name} is still {campaign['state']}")
        if campaign["state"] == "failed" and "honed could not go on" in campaign["reason"]:
            say("illegal", f"{name} failed: {campaign['reason']}")
        before = ""
        for state in moves[campaign["number"]]:
            if state not in CAMPAIGN_MOVES.get(before, set()):
                say("illegal", f"{name} went from {before or 'nothing'} to {state}")
            before = state
        if before != campaign["state"]:
            say("lost", f"{name} is {campaign['state']}, its last event {before or 'missing'}")
        won = campaign["policy_version"] is not None
        if policies[campaign["number"]] != (1 if won else 0):
            say("twice", f"{name} published {policies[campaign['number']]} policies, "
                         f"{'with' if won else 'without'} a winner")
    twice = collections.Counter((job["candidate"], job["stage"]) for job in tables["jobs"]
                                if job["candidate"])
    for (candidate, stage), count in twice.items():
        if count > 1:
            say("twice", f"candidate {candidate} has {count} jobs of stage {stage}")
    versions = collections.defaultdict(list)
    for policy in tables["policies"]:
        versions[policy["target"]].append(policy["version"])
    for target, numbers in versions.items():
        if sorted(numbers) != list(range(1, len(numbers) + 1)):
            say("illegal", f"policies of target {target} are versions {sorted(numbers)}")


def check_audited(tables, journal, say):
    """The audit log has each change once, with what it made or changed, and none of what is not there."""
    rows = collections.defaultdict(list)
    for row in tables["audit"]:
        rows[row["action"]].append(row)

    def each_once(action, named, wanted, ours):
        """Of `wanted` each stands once among the names; of `ours` no one twice, and none is nobody's."""
        count = collections.Counter(named)
        for name in wanted:
            if count[name] != 1:
                say("twice" if count[name] else "lost", f"{action} of {name} is {count[name]} times in the audit log")
        for name in set(count) - set(wanted):
            if name not in ours:
                say("illegal", f"{action} of {name}, which is not there, is in the audit log")
            elif count[name] > 1:
                say("twice", f"{action} of {name} is {count[name]} times in the audit log")

    jobs = {job["id"]: job for job in tables["jobs"]}
    by_hand = [name for name, job in jobs.items() if not job["candidate"]]
    campaigns = {campaign["id"] for campaign in tables["campaigns"]}
    numbers = {campaign["number"]: campaign["id"] for campaign in tables["campaigns"]}
    each_once("job.submit", [name for row in rows["job.submit"] for name in row["after"]["jobs"]], by_hand, jobs)
    each_once("job.cancel", [row["object"] for row in rows["job.cancel"]],
              [name for name in by_hand if jobs[name]["state"] == "cancelled"], jobs)
    each_once("campaign.create", [row["object"] for row in rows["campaign.create"]], campaigns, campaigns)
    each_once("campaign.add_candidates", [row["object"] for row in rows["campaign.add_candidates"]],
              [entry["ids"][0] for entry in journal
               if entry["kind"] == "acknowledged" and entry["what"] == "campaign"], campaigns)
    each_once("policy.publish", [row["after"]["campaign"] for row in rows["policy.publish"]],
              [numbers[policy["campaign"]] for policy in tables["policies"]], campaigns)


def check_submitted(tables, pieces, journal, say):
    """Each piece of work was acknowledged, always with the same answer, and is there once."""
    acknowledged = {entry["key"]: entry["ids"] for entry in journal
                    if entry["kind"] == "acknowledged"}
    notes = collections.defaultdict(list)
    for job in tables["jobs"]:
        if not job["candidate"]:
            notes[job["note"]].append(job["id"])
    ours = {campaign["id"] for campaign in tables["campaigns"]}
    told = set()
    for piece in pieces:
        ids = acknowledged.get(piece["key"])
        if ids is None:
            say("lost", f"{piece['key']} ({piece['kind']}) was never acknowledged")
            continue
        if piece["kind"] == "campaign":
            told.add(ids[0])
            if ids[0] not in ours:
                say("lost", f"{piece['key']}: campaign {ids[0]} is not there")
        if piece["kind"] != "jobs":
            continue
        stored = [notes.pop(f"{piece['key']} {index}", [])
                  for index in range(len(piece["body"]["jobs"]))]
        for index, found in enumerate(stored):
            if len(found) != 1:
                say("twice" if found else "lost", f"{piece['key']} {index} is there {len(found)} times")
            elif found[0] != ids[index]:
                say("illegal", f"{piece['key']} {index} is {found[0]}, but {ids[index]} was answered")
    for note, found in notes.items():
        say("twice", f"{len(found)} jobs {note!r} that nobody submitted")
    for campaign in ours - told:
        say("twice", f"campaign {campaign} that nobody was told of")
    for entry in journal:
        if entry["kind"] == "answered_otherwise":
            say("twice", f"{entry['key']} was answered {entry['ids']} after {entry['before']}")


def check_workers(tables, journals, say):
    """What a worker was told is so: an acknowledged result is that attempt's, and no attempt was leased to
    two of them."""
    attempts = {attempt["id"]: attempt for attempt in tables["attempts"]}
    holders = collections.defaultdict(set)
    for worker, journal in journals.items():
        for entry in journal:
            kind = entry["kind"]
            if kind == "leased":
                holders[entry["attempt"]].add(worker)
                if entry["attempt"] not in attempts:
                    say("lost", f"{worker} leased attempt {entry['attempt']}, which is not there")
            elif kind == "counted":
                attempt = attempts.get(entry["attempt"])
                if attempt is None or attempt["state"] not in ("completed", "cancelled"):
                    say("lost", f"{worker} was told that {entry['attempt']} counts, but it is "
                                f"{attempt['state'] if attempt else 'not there'}")
                elif attempt["completion_sha256"] != entry["sha256"]:
                    say("lost", f"{worker}'s result of {entry['attempt']} counts, but another is stored")
            elif kind in ("not_counted_again", "refused_result", "refused_lease"):
                say("illegal", f"{worker}: {kind} {entry.get('status')} {entry.get('body')}")
    for attempt, workers in holders.items():
        if len(workers) > 1:
            say("twice", f"attempt {attempt} was leased to {', '.join(sorted(workers))}")


def check_watched(tables, journal, say):
    """The stream gave each event once, in order, and left none out."""
    seen = [entry["id"] for entry in journal if entry["kind"] == "event"]
    stored = [f"{event['transaction']}-{event['number']}" for event in tables["events"]]
    repeated = [number for number, count in collections.Counter(seen).items() if count > 1]
    if repeated:
        say("twice", f"the event stream gave {len(repeated)} events twice, {repeated[0]} first")
    missing = set(stored) - set(seen)
    if missing:
        first = next(number for number in stored if number in missing)
        say("lost", f"the event stream left out {len(missing)} of {len(stored)} events, {first} first")
    order = [tuple(map(int, number.split("-"))) for number in seen]
    if order != sorted(order):
        say("illegal", "the event stream was out of order")


def check_answers(journals, say):
    """No answer of 500 or more but an honest refusal."""
    odd = collections.Counter()
    example = {}
    for name, journal in journals.items():
        for entry in journal:
            if entry["kind"] == "odd_answer":
                path = entry["path"].split("?")[0]
                parts = ["ID" if len(part) in (36, 64) else part for part in path.split("/")]
                key = (entry["status"], entry["method"] + " " + "/".join(parts))
                odd[key] += 1
                example.setdefault(key, f"{name}: {entry['body']}")
    for (status, request), count in odd.items():
        say("answer", f"{count} answers of {status} to {request}, as {example[status, request]}")


def check(tables, pieces, journals, audited=True):
    """All violations: (kind, text). Kinds: lost, twice, stuck, illegal, answer. `audited`: whether all that was
    done was done by honeds that have an audit log."""
    found = []

    def say(kind, text):
        found.append((kind, text))

    check_jobs(tables, say)
    check_campaigns(tables, say)
    check_submitted(tables, pieces, journals.get("submitter", []), say)
    if audited:
        check_audited(tables, journals.get("submitter", []), say)
    check_workers(tables, {name: journal for name, journal in journals.items()
                           if name not in ("submitter", "watcher")}, say)
    if "watcher" in journals:
        check_watched(tables, journals["watcher"], say)
    check_answers(journals, say)
    return found


def main():
    from submitter import make_list
    parser = argparse.ArgumentParser()
    parser.add_argument("--database", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--jobs", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--target", default="chaos")
    options = parser.parse_args()
    found = check(load_tables(options.database), make_list(options.jobs, options.seed, options.target),
                  load_journals(options.folder))
    for kind, text in found:
        print(f"{kind}: {text}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
