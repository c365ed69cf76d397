#!/usr/bin/env python3
"""A worker that speaks the REST protocol as hone-worker does and measures nothing: it leases, sends
heartbeats, keeps its result on disk until it is accepted, and takes it up again after a kill.

  worker.py --name NAME --url A,B --token-file FILE --folder DIR [--slots N] [--seconds S] [--seed N]
            [--from-the-future]

--from-the-future puts fields into every message that no honed knows. Ends at SIGTERM; what it did is in
DIR/NAME.journal: each lease, each result that was acknowledged, each that was refused."""
import argparse
import hashlib
import json
import os
import random
import signal
import threading
import time

from journal import Journal
from rest import Lost, Rest

stopping = threading.Event()


def result_of(attempt, rng):
    """An outcome as a real one could be, with the attempt's id in its log."""
    result = {"outcome": "ok", "log": "chaos " + attempt, "machine": {"host": "chaos"},
              "build_seconds": 0.1}
    kind = rng.random()
    if kind < 0.3:
        result.update(outcome="build_failed", reason="as drawn")
    elif kind < 0.5:
        result.update(verdict="no_change")
    else:
        value = rng.gauss(0.02, 0.02)
        low, high = value - 0.01, value + 0.01
        verdict = "faster" if low > 0 else "slower" if high < 0 else "inconclusive"
        result.update(
            verdict=verdict,
            reward={"value": value, "low": low, "high": high, "confidence": 0.95, "pairs": 8,
                    "detectable_effect": 0.01, "noise": 0.01},
            samples=[{"pair": pair, "position": position, "block": pair // 4, "layout": 0,
                      "metric": "cpu_time", "role": role, "value": rng.uniform(0.9, 1.1)}
                     for pair in range(8)
                     for position, role in enumerate(("baseline", "candidate"))])
    return result


class Slot(threading.Thread):
    def __init__(self, options, number, token, journal):
        super().__init__(daemon=True)
        self.options = options
        self.rest = Rest(options.url.split(","), token, journal, timeout=5)
        # Slots begin at different honeds, so that both have something to do.
        self.rest.current = number % len(self.rest.places)
        self.journal = journal
        self.rng = random.Random(f"{options.seed}/{options.name}/{number}/{time.monotonic_ns()}")

    def message(self, **fields):
        if self.options.from_the_future:
            fields["from_the_future"] = {"a": [1, None, "x"]}
        return fields

    def run(self):
        while not stopping.is_set():
            try:
                answer = self.rest.call(
                    "POST", "/v1/leases",
                    self.message(version=1, worker=self.options.name, wait_seconds=3), timeout=8)
            except Lost:
                stopping.wait(self.rng.uniform(0.1, 0.5))
                continue
            if answer.status == 200:
                self.serve(answer.document)
            elif answer.status == 404:
                register(self.options, self.rest)
            elif answer.status != 204:
                if answer.status < 500 and answer.status != 429:
                    self.journal.note("refused_lease", status=answer.status,
                                      body=answer.body.decode(errors="replace")[:500])
                stopping.wait(self.rng.uniform(0.3, 1))

    def serve(self, lease):
        attempt = lease["attempt"]
        self.journal.note("leased", attempt=attempt, job=lease["job"], number=lease["attempt_number"])
        work = self.rng.expovariate(1 / self.options.seconds)
        if self.rng.random() < 0.05:
            work += 1.5 * lease["ttl_seconds"]  # longer than a lease without heartbeats
        end = time.monotonic() + work
        ttl = lease["ttl_seconds"]
        cancelled = False
        while not cancelled and (left := end - time.monotonic()) > 0:
            if stopping.wait(min(left, ttl / 3)):
                return self.hand_back(attempt, False, "stopped")
            if end - time.monotonic() <= 0:
                break
            try:
                beat = self.rest.call("POST", f"/v1/leases/{attempt}/heartbeat", self.message(),
                                      timeout=3)
            except Lost:
                continue
            if beat.status in (404, 410):
                self.journal.note("lost_lease", attempt=attempt)
                return None
            if beat.status == 200:
                cancelled = beat.document["cancelled"]
        if not cancelled and self.rng.random() < 0.03:
            return self.hand_back(attempt, self.rng.random() < 0.5, "no wish to go on")
        result = self.message(**result_of(attempt, self.rng))
        if cancelled and self.rng.random() < 0.7:
            result = self.message(outcome="cancelled", reason="asked to stop", log="chaos " + attempt)
        text = json.dumps(result).encode()
        path = os.path.join(self.options.folder, f"{self.options.name}.{attempt}.result")
        with open(path + ".part", "wb") as file:
            file.write(text)
        os.rename(path + ".part", path)
        return deliver(self.rest, self.journal, path, attempt)

    def hand_back(self, attempt, count, reason):
        try:
            answer = self.rest.call("POST", f"/v1/leases/{attempt}/fail",
                                    self.message(reason=reason, count_attempt=count), timeout=3)
            self.journal.note("handed_back", attempt=attempt, status=answer.status)
        except Lost:
            pass  # the lease expires by itself


def deliver(rest, journal, path, attempt):
    """Sends a result until it is counted or refused; what is on disk then goes. A result that was counted
    is sometimes sent again, which must change nothing."""
    with open(path, "rb") as file:
        text = file.read()
    sha256 = hashlib.sha256(text).hexdigest()
    target = f"/v1/leases/{attempt}/complete"
    headers = {"Content-Type": "application/json"}
    answer = rest.insist("POST", target, text, headers, timeout=8)
    if answer.status == 200:
        journal.note("counted", attempt=attempt, sha256=sha256)
        if random.random() < 0.05:
            again = rest.insist("POST", target, text, headers, timeout=8)
            if again.status != 200:
                journal.note("not_counted_again", attempt=attempt, status=again.status,
                             body=again.body.decode(errors="replace")[:500])
    elif answer.status in (404, 409, 410):
        journal.note("too_late", attempt=attempt, status=answer.status)
    else:
        journal.note("refused_result", attempt=attempt, status=answer.status,
                     body=answer.body.decode(errors="replace")[:500])
    os.unlink(path)


def register(options, rest):
    body = {"name": options.name, "machine": {"host": "chaos", "cpus": 1}, "labels": {},
            "slots": options.slots, "version": "chaos"}
    if options.from_the_future:
        body["from_the_future"] = True
    return rest.insist("PUT", "/v1/workers/" + options.name, body, stop=stopping.is_set)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", required=True)
    parser.add_argument("--url", required=True)
    parser.add_argument("--token-file", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--from-the-future", action="store_true")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    with open(options.token_file, encoding="ascii") as file:
        token = file.read().strip()
    journal = Journal(os.path.join(options.folder, options.name + ".journal"))
    rest = Rest(options.url.split(","), token, journal)
    register(options, rest)
    prefix = options.name + "."
    for entry in sorted(os.listdir(options.folder)):
        if entry.startswith(prefix) and entry.endswith(".result"):
            attempt = entry.removeprefix(prefix).removesuffix(".result")
            deliver(rest, journal, os.path.join(options.folder, entry), attempt)
    slots = [Slot(options, number, token, journal) for number in range(options.slots)]
    for slot in slots:
        slot.start()
    while not stopping.wait(0.2):
        pass
    for slot in slots:
        slot.join(20)


if __name__ == "__main__":
    main()
