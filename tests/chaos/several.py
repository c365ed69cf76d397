#!/usr/bin/env python3
"""Two honeds on one PostgreSQL, in namespaces of their own; tests/integration/several_honeds.sh is what to
call."""
import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading

from rest import Rest
from world import CLIENTS_PORT, HONED_PORT, POSTGRES_PORT, URLS, World

JOB = {"target": "chaos", "rules": [{"source": "*", "pipeline": "default<O3>",
                                     "knobs": {"unroll-count": "4"}}]}


class Several:
    def __init__(self, options):
        self.world = World(options.root, {"a": options.bin, "b": options.bin, "tools": options.bin}, 1)
        self.bin = options.bin
        self.wrong = 0

    def expect(self, truth, what):
        print(f"{'ok' if truth else 'WRONG'}: {what}", flush=True)
        self.wrong += not truth

    def rest(self, name, role):
        token = self.admin if role == "admin" else (self.world.tokens / role).read_text().strip()
        return Rest([f"http://127.0.0.1:{CLIENTS_PORT[name]}"], token, timeout=40)

    def start(self):
        world = self.world
        world.start_postgres()
        for name in ("a", "b"):
            world.add_honed(name)
        for name in ("a", "b"):
            world.programs["honed-" + name].start()
        world.within(60, "their start", lambda: world.ready("a") and world.ready("b"))
        world.make_tokens()  # fails unless there is one first token
        self.admin = world.admin.read_text().strip()
        world.add_target()
        self.expect(True, "two that start together on an empty database migrate it once and make one token")

    def submit(self, name, key):
        answer = self.rest(name, "submitter").call("POST", "/v1/jobs", {"jobs": [JOB]},
                                                   {"Idempotency-Key": key})
        return answer.document["jobs"][0]["id"]

    def lease(self, name, seconds):
        answer = self.rest(name, "worker").call(
            "POST", "/v1/leases", {"version": 1, "worker": "w", "wait_seconds": seconds})
        return answer.document

    def register(self):
        self.rest("a", "worker").call(
            "PUT", "/v1/workers/w", {"name": "w", "machine": {"host": "h"}, "labels": {}, "slots": 1,
                                     "version": "1"})

    def complete(self, name, attempt):
        return self.rest(name, "worker").call("POST", f"/v1/leases/{attempt}/complete",
                                              {"outcome": "build_failed", "reason": "as wanted"}).status

    def jobs_pass_between_them(self):
        self.register()
        leases = []
        waiter = threading.Thread(target=lambda: leases.append(self.lease("a", 30)))
        waiter.start()
        job = self.submit("b", "pass")
        waiter.join()
        self.expect(leases[0] and leases[0]["job"] == job, "a job of b's reaches a worker that waits at a")
        self.expect(self.submit("a", "pass") == job, "a key of b's is known to a")
        beat = self.rest("b", "worker").call("POST", f"/v1/leases/{leases[0]['attempt']}/heartbeat", {})
        self.expect(beat.status == 200, "a lease of a's is kept by a heartbeat to b")
        self.expect(self.complete("b", leases[0]["attempt"]) == 200, "and its result taken by b")
        self.expect(self.complete("a", leases[0]["attempt"]) == 200, "and once more by a")

    def sessions_belong_to_one(self):
        text = b"define i32 @main() {\n  ret i32 0\n}\n"
        sha256 = hashlib.sha256(text).hexdigest()
        self.rest("a", "admin").call("PUT", "/v1/artifacts/" + sha256, text,
                                     {"Content-Type": "application/octet-stream"})
        opened = self.rest("b", "admin").call("POST", "/v1/sessions", {"program": sha256})
        self.expect(opened.status == 201, f"b opens what was uploaded to a ({opened.status})")
        step = f"/v1/sessions/{opened.document.get('session', '')}/step"
        there = self.rest("b", "admin").call("POST", step, {"pipelines": ["function(sroa)"]})
        here = self.rest("a", "admin").call("POST", step, {"pipelines": ["function(sroa)"]})
        self.expect(there.status == 200, f"a session is found where it was opened ({there.body[:200]})")
        self.expect(here.status == 404 and "another honed" in here.document["detail"],
                    f"and elsewhere the answer says so: {here.body[:200]}")

    def uploads_pass_between_them(self):
        content = os.urandom(300_000)
        sha256 = hashlib.sha256(content).hexdigest()
        begun = self.rest("a", "submitter").call("POST", f"/v1/artifacts/{sha256}/upload",
                                                 {"size_bytes": len(content)})
        statuses = []
        for number, name in enumerate(("a", "b", "a", "b")):
            piece = content[number * 75_000:(number + 1) * 75_000]
            statuses.append(self.rest(name, "submitter").call(
                "PATCH", "/v1/uploads/" + begun.document["id"], piece,
                {"Content-Type": "application/octet-stream", "Upload-Offset": str(number * 75_000)}).status)
        self.expect(statuses == [204, 204, 204, 201],
                    f"an upload's pieces go to a and b by turns ({statuses})")
        got = self.rest("a", "submitter").call("GET", "/v1/artifacts/" + sha256)
        self.expect(got.body == content, "and the whole comes back")

    def clients_go_on(self):
        job = self.submit("a", "go-on")
        waiting = subprocess.Popen(
            [f"{self.bin}/hone", "--url", URLS, "job", "wait", job, "--json"],
            env={**os.environ, "HONE_TOKEN_FILE": str(self.world.tokens / "viewer")},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        attempt = self.lease("a", 10)["attempt"]
        self.world.programs["honed-a"].send(signal.SIGKILL)
        self.world.programs["honed-a"].process.wait()
        self.expect(self.complete("b", attempt) == 200, "b takes the result of a lease that a gave and died")
        try:
            out, said = waiting.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            waiting.kill()
            out, said = waiting.communicate()
        self.expect(waiting.returncode == 11 and json.loads(out)["outcome"] == "build_failed",
                    f"hone job wait goes on at b and ends as the job did ({waiting.returncode} {said})")
        self.expect("chaos" in self.world.hone("target", "list"), "hone finds the one that is left")
        self.world.programs["honed-a"].start()
        self.world.within(60, "a's return", lambda: self.world.ready("a"))

    def database_up(self, name):
        """What /metrics says; it must answer at all."""
        direct = Rest([f"http://127.0.0.1:{HONED_PORT[name]}"], self.admin, timeout=5)
        answer = direct.call("GET", "/metrics")
        self.expect(answer.status == 200, f"{name} tells metrics ({answer.status})")
        lines = [line for line in answer.body.decode().splitlines() if line.startswith("hone_database_up ")]
        return float(lines[0].split()[1]) if lines else None

    def the_database_goes_away(self):
        postgres = self.world.programs["postgres"]
        pids = {name: self.world.programs["honed-" + name].process.pid for name in ("a", "b")}
        for name in ("a", "b"):
            self.expect(self.database_up(name) == 1, f"{name} tells in its metrics that its database is up")
        postgres.send_all(signal.SIGKILL)
        postgres.process.wait()
        for name in ("a", "b"):
            direct = Rest([f"http://127.0.0.1:{HONED_PORT[name]}"], self.admin, timeout=40)
            ready = direct.call("GET", "/readyz")
            self.expect(ready.status == 503 and ready.headers.get("Retry-After"),
                        f"{name} says that it is not ready ({ready.status})")
            answer = direct.call("GET", "/v1/jobs")
            self.expect(answer.status == 503 and answer.headers.get("Retry-After"),
                        f"{name} asks to come back later ({answer.status})")
            self.expect(direct.call("GET", "/healthz").status == 200, f"{name} is alive")
            self.world.within(30, "the metric", lambda name=name: self.database_up(name) == 0)
            wrong = Rest([f"http://127.0.0.1:{HONED_PORT[name]}"], "hone_" + "0" * 64, timeout=40)
            self.expect(wrong.call("GET", "/metrics").status == 503, f"{name} tells nobody unknown any metrics")
        postgres.start()
        self.world.within(60, "their recovery", lambda: self.world.ready("a") and self.world.ready("b"))
        alive = all(self.world.programs["honed-" + name].process.poll() is None and
                    self.world.programs["honed-" + name].process.pid == pid
                    for name, pid in pids.items())
        self.expect(alive, "both come back by themselves, without being started again")
        self.world.within(30, "listening again", lambda: self.world.sql_value(
            "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN %'") == "2")
        leases = []
        waiter = threading.Thread(target=lambda: leases.append(self.lease("b", 30)))
        waiter.start()
        job = self.submit("a", "after")
        waiter.join()
        self.expect(leases[0] and leases[0]["job"] == job, "and notify each other as before")
        self.complete("a", leases[0]["attempt"])

    def the_database_hangs(self):
        link = self.world.network.links["database-a"]
        direct = Rest([f"http://127.0.0.1:{HONED_PORT['a']}"], self.admin, timeout=12)
        link.become("freeze")
        self.expect(direct.call("GET", "/readyz").status == 503, "a says that its database hangs")
        self.world.within(30, "the metric", lambda: self.database_up("a") == 0)
        self.expect(self.world.ready("b"), "b, whose does not, is ready")
        link.become("pass")
        self.world.within(60, "a's recovery", lambda: self.world.ready("a"))

    def a_newer_schema_is_refused(self):
        self.world.sql("INSERT INTO schema_migrations (version, name, sha256) "
                       "SELECT max(version) + 1, '0999_later.sql', repeat('0', 64) FROM schema_migrations")
        done = subprocess.run(
            [f"{self.bin}/honed", "--data", self.world.root / "data-late", "--listen", "127.0.0.1:0",
             "--database", f"postgresql://hone@127.0.0.1:{POSTGRES_PORT}/hone"],
            capture_output=True, text=True, timeout=60)
        self.expect(done.returncode == 2 and "0999_later.sql" in done.stderr and
                    "restore a backup" in done.stderr,
                    f"one that is older than the schema says what to do ({done.returncode} {done.stderr})")
        self.world.sql("DELETE FROM schema_migrations WHERE name = '0999_later.sql'")

    def settings_must_agree(self):
        shared = ["--listen", "127.0.0.1:0", "--database", f"postgresql://hone@127.0.0.1:{POSTGRES_PORT}/hone"]
        done = subprocess.run(
            [f"{self.bin}/honed", *shared, "--data", self.world.root / "data-own"],
            capture_output=True, text=True, timeout=60)
        self.expect(done.returncode == 5 and "keep artifacts elsewhere" in done.stderr,
                    f"one with artifacts of its own does not start ({done.returncode} {done.stderr[-500:]})")
        self.expect(not list(self.world.root.glob("data-own/admin.token")), "nor makes a token")
        gone = subprocess.Popen([f"{self.bin}/honed", "--listen", "127.0.0.1:0", "--data", self.world.root / "data-gone",
                                 "--database", "postgresql://hone@127.0.0.1:1/hone"],
                                stderr=subprocess.PIPE, text=True)
        self.expect("database_connect_failed" in gone.stderr.readline(), "one without a database says what it waits for")
        gone.send_signal(signal.SIGTERM)
        self.expect(gone.wait(timeout=30) == 0, "and stops when it is told to")

    def run(self):
        try:
            self.start()
            self.jobs_pass_between_them()
            self.sessions_belong_to_one()
            self.uploads_pass_between_them()
            self.clients_go_on()
            self.the_database_goes_away()
            self.the_database_hangs()
            self.settings_must_agree()
            self.a_newer_schema_is_refused()
            self.world.stop(["honed-a", "honed-b"])
            for kind, text in self.world.findings:
                self.expect(False, f"{kind}: {text}")
        finally:
            self.world.kill_everything()
        return 1 if self.wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    parser.add_argument("--bin", required=True)
    sys.exit(Several(parser.parse_args()).run())


if __name__ == "__main__":
    main()
