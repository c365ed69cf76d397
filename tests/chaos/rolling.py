#!/usr/bin/env python3
"""The rolling upgrade itself, in namespaces of its own; tests/e2e/rolling_upgrade.sh is what to call."""
import argparse
import collections
import subprocess
import sys
import time

import check
from journal import read_journal
from run import say, settle
from submitter import make_list
from world import POSTGRES_PORT, World

SEED = 1
SCHEMA = "SELECT max(version) FROM schema_migrations"


def refuses(folder, root):
    """A honed on a schema that it does not know ends by itself: its exit code and what it said."""
    done = subprocess.run(
        [f"{folder}/honed", "--data", root / "data-late", "--listen", "127.0.0.1:7099", "--database",
         f"postgresql://hone@127.0.0.1:{POSTGRES_PORT}/hone"], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


def phase(world, text, seconds):
    before = world.sql_value("SELECT count(*) FROM jobs WHERE state = 'done'")
    say(text)
    time.sleep(seconds)
    after = world.sql_value("SELECT count(*) FROM jobs WHERE state = 'done'")
    if int(after) <= int(before):
        world.note("stuck", f"no job was done within {seconds} s of: {text}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    parser.add_argument("--old", required=True)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--jobs", type=int, required=True)
    parser.add_argument("--phase-seconds", type=float, default=15)
    options = parser.parse_args()
    options.seed = SEED
    world = World(options.root, {"a": options.old, "b": options.bin, "tools": options.bin}, SEED,
                  log=say)
    begun = time.monotonic()
    try:
        world.start_postgres()
        old, new = world.add_honed("a"), world.add_honed("b")
        old.start()
        world.within(60, "the old honed's start", lambda: world.ready("a"))
        world.make_tokens()
        world.add_target()
        world.add_workers(3, 1, "--from-the-future")
        world.add_driver("submitter.py", "submitter", "--campaigns-once", "--token-file",
                         world.tokens / "submitter", "--jobs", options.jobs, "--end", time.monotonic() + options.phase_seconds * 3.5,
                         "--seed", SEED, "--target", "chaos", done_at=0)
        world.add_driver("watcher.py", "watcher", "--token-file", world.tokens / "viewer")
        for program in world.programs.values():
            if not program.alive() and program is not new:
                program.start()
        world.keeper.start()
        before = world.sql_value(SCHEMA)
        phase(world, f"the old one serves alone (schema {before})", options.phase_seconds)
        with world.keeper.lock:
            new.start()
        world.within(90, "the new honed's start", lambda: world.ready("b"))
        after = world.sql_value(SCHEMA)
        phase(world, f"the new one has joined it (schema {after})", options.phase_seconds)
        if int(after) <= int(before):
            world.note("illegal", f"the schema did not change: {before}, {after}")
        code, said = refuses(options.old, world.root)
        if code != 2 or "newer" not in said:
            world.note("illegal", f"an old honed on the new schema ended with {code}: {said}")
        world.stop(["honed-a"])
        phase(world, "the old one has stopped", options.phase_seconds)
        with world.keeper.lock:
            old.argv[0] = f"{options.bin}/honed"  # its data folder leads to the shared artifacts
            old.start()
        world.within(60, "the start of a new one in its place", lambda: world.ready("a"))
        settle(world, options)
        world.stop([name for name in world.programs if name not in ("postgres", "watcher")])
        tables = check.load_tables(world.database)
        journals = check.load_journals(world.journals)
        # The old one may be older than the audit log.
        found = world.findings + check.check(tables, make_list(options.jobs, SEED, "chaos"), journals,
                                             audited=False)
    finally:
        world.kill_everything()
    for kind, text in found:
        print(f"rolling_upgrade: {kind}: {text}", file=sys.stderr)
    states = collections.Counter(job["state"] for job in tables["jobs"])
    leased = sum(entry["kind"] == "leased" for name in journals for entry in
                 read_journal(world.journals / f"{name}.journal"))
    print(f"rolling upgrade from schema {before} to {after} under load: {len(tables['jobs'])} jobs ("
          f"{', '.join(f'{n} {state}' for state, n in sorted(states.items()))}), {leased} leases, "
          f"{len(found)} violations, {time.monotonic() - begun:.0f} s")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
