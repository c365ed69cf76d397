#!/usr/bin/env python3
"""The run itself, in namespaces of its own; tests/chaos/run.sh is what to call."""
import argparse
import collections
import hashlib
import json
import random
import sys
import time

import check
from faults import Faults
from journal import read_journal
from plan import make_plan
from rest import Lost, Rest
from submitter import content_of, make_list
from world import URLS, World

OPEN_JOBS = "SELECT count(*) FROM jobs WHERE state IN ('queued', 'leased')"
OPEN_CAMPAIGNS = "SELECT count(*) FROM campaigns WHERE state NOT IN ('finished', 'cancelled', 'failed')"


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def build_world(options):
    world = World(options.root, {"a": options.bin, "b": options.bin, "tools": options.bin},
                  options.seed, wall_clock=options.wall_clock, log=say)
    world.start_postgres()
    world.check_clock()
    honeds = [world.add_honed(name) for name in ("a", "b")]
    for honed in honeds:  # at once: one of them migrates, one makes the first token
        honed.start()
    world.within(90, "the start of two honeds",
                 lambda: all(world.ready(name) for name in ("a", "b")))
    world.make_tokens()
    world.add_target()
    world.add_workers(options.workers, options.real_workers)
    world.add_driver("submitter.py", "submitter", "--token-file", world.tokens / "submitter", "--jobs",
                     options.jobs, "--end", time.monotonic() + options.minutes * 60 * 0.9, "--seed",
                     options.seed, "--target", "chaos", done_at=0)
    world.add_driver("watcher.py", "watcher", "--token-file", world.tokens / "viewer", stays=True)
    for program in world.programs.values():
        if not program.alive():
            program.start()
    return world


def run_faults(world, options):
    faults = Faults(world, options.seed)
    begun = time.monotonic()
    said = begun
    for fault in make_plan(options.minutes * 60, options.seed, options.gap):
        pause = begun + fault.at - time.monotonic()
        if pause > 0:
            time.sleep(pause)
        took_effect = faults.inflict(fault)
        if options.verbose:
            say(f"{fault.kind} {fault.target} {fault.seconds}{'' if took_effect else ' (nothing there)'}")
        if time.monotonic() - said > 30:
            said = time.monotonic()
            states = world.sql_value("SELECT string_agg(state || ' ' || n, ', ') FROM (SELECT state, "
                                     "count(*) AS n FROM jobs GROUP BY 1 ORDER BY 1) AS s")
            say(f"{sum(faults.done.values())} faults; jobs: {states or 'the database is away'}")
    time.sleep(max(0.0, begun + options.minutes * 60 - time.monotonic()))
    faults.end_all()
    return faults


def settle(world, options):
    """Everything works again: all that is left must come to its end, in the time that a few leases and
    retries take."""
    say("waiting for what is left")
    patience = 180 + options.jobs * 0.1
    world.within(90, "both honeds' recovery", lambda: all(world.ready(name) for name in ("a", "b")))
    try:
        world.within(patience, "the end of submission", world.programs["submitter"].done)
        world.within(patience, "the end of all jobs",
                     lambda: world.sql_value(OPEN_JOBS) == "0" and
                     world.sql_value(OPEN_CAMPAIGNS) == "0")
    except RuntimeError as late:
        world.note("stuck", str(late))

    def caught_up():
        stored = world.sql_value("SELECT count(*) FROM events")
        seen = {entry["id"] for entry in read_journal(world.journals / "watcher.journal")
                if entry["kind"] == "event"}
        return stored == str(len(seen))
    try:
        world.within(60, "the event stream's end", caught_up)
    except RuntimeError as late:
        world.note("stuck", str(late))


def check_api(world, options):
    """What the API gives in the end is what the tables hold, by either honed."""
    journal = read_journal(world.journals / "submitter.journal")
    acknowledged = {entry["key"]: entry["ids"] for entry in journal if entry["kind"] == "acknowledged"}
    token = (world.tokens / "viewer").read_text().strip()
    for url in URLS.split(","):
        rest = Rest([url], token, timeout=60)
        lines = rest.call("GET", "/v1/experiences").body.splitlines()
        ids = collections.Counter(json.loads(line)["id"] for line in lines)
        stored = world.sql_value("SELECT count(*) FROM experiences")
        if str(len(ids)) != stored or any(count > 1 for count in ids.values()):
            world.note("lost", f"{url} gives {len(lines)} experiences, {len(ids)} of them different, of "
                               f"{stored}")
        for piece in make_list(options.jobs, options.seed, "chaos"):
            if piece["kind"] != "artifact" or piece["key"] not in acknowledged:
                continue
            sha256 = acknowledged[piece["key"]][0]
            try:
                answer = rest.call("GET", "/v1/artifacts/" + sha256)
            except Lost as lost:
                world.note("lost", f"artifact {sha256} at {url}: {lost}")
                continue
            if answer.status != 200 or hashlib.sha256(answer.body).hexdigest() != sha256 or \
                    answer.body != content_of(piece):
                world.note("lost", f"artifact {sha256} at {url}: {answer.status}, "
                                   f"{len(answer.body)} bytes")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--wall-clock", required=True)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--jobs", type=int, required=True)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--real-workers", type=int, default=1)
    parser.add_argument("--gap", type=float, default=5.0)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    random.seed(options.seed)
    begun = time.monotonic()
    world = build_world(options)
    world.keeper.start()
    say(f"seed {options.seed}: {options.jobs} jobs and {options.minutes:g} minutes of faults")
    try:
        faults = run_faults(world, options)
        settle(world, options)
        check_api(world, options)
        world.stop([name for name in world.programs if name not in ("postgres", "watcher")])
        tables = check.load_tables(world.database)
        found = world.findings + check.check(
            tables, make_list(options.jobs, options.seed, "chaos"), check.load_journals(world.journals))
        if options.real_workers and not results_of_real_workers(tables):
            found.append(("stuck", "hone-worker itself measured nothing"))
    finally:
        world.kill_everything()
    report(world, options, faults, tables, found, time.monotonic() - begun)
    sys.exit(1 if found else 0)


def results_of_real_workers(tables):
    return sum(1 for attempt in tables["attempts"]
               if attempt["worker"].startswith("real-") and attempt["state"] == "completed")


def report(world, options, faults, tables, found, seconds):
    for kind, text in found[:100]:
        print(f"chaos: {kind}: {text}", file=sys.stderr)
    print(f"seed {options.seed}; faults of {len(faults.done)} kinds:")
    for kind, count in sorted(faults.done.items()):
        print(f"  {count:5d} {kind}")
    states = collections.Counter(job["state"] for job in tables["jobs"])
    retried = sum(job["attempts_made"] > 1 for job in tables["jobs"])
    print(f"jobs: {len(tables['jobs'])} ({', '.join(f'{n} {state}' for state, n in sorted(states.items()))}),"
          f" {retried} of them at more than one attempt; campaigns: {len(tables['campaigns'])}; events: "
          f"{len(tables['events'])}; results of hone-worker itself: {results_of_real_workers(tables)}")
    counts = collections.Counter(kind for kind, _ in found)
    figure = ", ".join(f"{counts[kind]} {what}" for kind, what in (
        ("lost", "lost"), ("twice", "counted twice"), ("stuck", "stuck"),
        ("illegal", "illegal transitions or answers"), ("answer", "kinds of dishonest 5xx"),
        ("crashed", "crashes")))
    print(f"chaos: seed {options.seed}, {sum(faults.done.values())} faults in {options.minutes:g} minutes "
          f"({seconds:.0f} s in all), {len(tables['jobs'])} jobs: {figure}")


if __name__ == "__main__":
    main()
