#!/usr/bin/env python3
"""Submits a fixed list of work, paced over the test, each piece until it is acknowledged, and goes on with the
same list after a kill: batches of jobs and campaigns with idempotency keys, and artifacts.

  submitter.py --url A,B --token-file FILE --folder DIR --jobs N --end T --seed N --target NAME

T is when all should be submitted, on this machine's monotonic clock. The list is made of the seed. DIR/submitter.journal has each piece that was acknowledged, with the ids it was
answered; some are sent again later and must get the same. Some jobs are cancelled. Ends when all is
acknowledged, with exit code 0."""
import argparse
import hashlib
import os
import random
import time

from journal import Journal, read_journal
from rest import Lost, Rest


def rules(rng):
    return [{"source": "*", "pipeline": "default<O3>",
             "knobs": {"unroll-count": str(rng.randint(2, 8))}}]


def make_list(jobs, seed, target):
    """Pieces of work in order: {key, kind, body}. The jobs of campaigns come on top of `jobs`."""
    rng = random.Random(seed)
    pieces = []
    left = jobs
    while left > 0:
        number = len(pieces)
        key = f"chaos-{seed}-{number}"
        if number % 20 == 12:
            pieces.append({"key": key, "kind": "campaign",
                           "body": {"target": target, "budget_candidates": 4, "seed": number}})
        elif number % 4 == 3:
            pieces.append({"key": key, "kind": "artifact", "bytes": rng.randint(1, 300_000)})
        else:
            count = min(left, rng.randint(1, 12))
            left -= count
            pieces.append({"key": key, "kind": "jobs", "body": {"jobs": [
                {"target": target, "rules": rules(rng), "note": f"{key} {index}",
                 "stage": rng.choice(["race", "confirm"]), "priority": rng.choice([0, 0, 0, 5]),
                 "max_attempts": rng.choice([3, 10, 10, 10])} for index in range(count)]}})
    return pieces


def content_of(piece):
    return random.Random(piece["key"]).randbytes(piece["bytes"])


class Submitter:
    def __init__(self, options, rest, journal):
        self.options = options
        self.rest = rest
        self.journal = journal
        self.rng = random.Random()

    def send(self, piece):
        """Gives the ids, in order, that the piece was answered with."""
        return {"jobs": self.send_jobs, "campaign": self.send_campaign,
                "artifact": self.send_artifact}[piece["kind"]](piece)

    def must(self, answer, allowed):
        if answer.status not in allowed:
            raise SystemExit(f"submitter: {answer.status} {answer.body[:500]!r}")
        return answer.document

    def send_jobs(self, piece):
        answer = self.rest.insist("POST", "/v1/jobs", piece["body"],
                                  {"Idempotency-Key": piece["key"]})
        return [job["id"] for job in self.must(answer, (200, 201))["jobs"]]

    def send_campaign(self, piece):
        answer = self.rest.insist("POST", "/v1/campaigns", piece["body"],
                                  {"Idempotency-Key": piece["key"]})
        campaign = self.must(answer, (200, 201))["id"]
        rng = random.Random(piece["key"])
        body = {"generator": "chaos", "scheme": "uniform", "seed": 1,
                "candidates": [{"index": index, "origin": "knob", "note": f"{piece['key']} {index}",
                                "log_propensity": -1.0, "rules": rules(rng)} for index in range(4)]}
        answer = self.rest.insist("POST", f"/v1/campaigns/{campaign}/candidate-sets", body,
                                  {"Idempotency-Key": piece["key"]})
        return [campaign, self.must(answer, (200, 201))["id"]]

    def send_artifact(self, piece):
        content = content_of(piece)
        sha256 = hashlib.sha256(content).hexdigest()
        answer = self.rest.insist("PUT", "/v1/artifacts/" + sha256, content,
                                  {"Content-Type": "application/octet-stream"})
        self.must(answer, (200, 201))
        return [sha256]

    def cancel(self, job):
        try:
            answer = self.rest.call("POST", f"/v1/jobs/{job}/cancel", {})
            self.journal.note("cancelled", job=job, status=answer.status)
        except Lost:
            self.journal.note("cancelled", job=job, status=0)

    def run(self, pieces, known):
        begun = time.monotonic()
        behind = len(known)
        for number, piece in enumerate(pieces):
            if piece["key"] in known:
                continue
            # After a kill the rest of the time is for the rest of the list.
            share = (number - behind) / max(1, len(pieces) - behind)
            pause = begun + share * (self.options.end - begun) - time.monotonic()
            if pause > 0:
                time.sleep(pause)
            ids = self.send(piece)
            self.journal.note("acknowledged", key=piece["key"], what=piece["kind"], ids=ids)
            known[piece["key"]] = ids
            if piece["kind"] == "jobs" and self.rng.random() < 0.15:
                self.cancel(self.rng.choice(ids))
            if self.rng.random() < 0.1:
                old = self.rng.choice(pieces[:number + 1])
                if self.options.campaigns_once and old["kind"] == "campaign":
                    continue
                again = self.send(old)
                if again != known.get(old["key"], again):
                    self.journal.note("answered_otherwise", key=old["key"], ids=again,
                                      before=known[old["key"]])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", required=True)
    parser.add_argument("--token-file", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--jobs", type=int, required=True)
    parser.add_argument("--end", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--campaigns-once", action="store_true",
                        help="none is sent again: honeds before schema 15 know no keys of candidate sets")
    options = parser.parse_args()
    with open(options.token_file, encoding="ascii") as file:
        token = file.read().strip()
    path = os.path.join(options.folder, "submitter.journal")
    known = {entry["key"]: entry["ids"] for entry in read_journal(path)
             if entry["kind"] == "acknowledged"}
    journal = Journal(path)
    rest = Rest(options.url.split(","), token, journal)
    Submitter(options, rest, journal).run(
        make_list(options.jobs, options.seed, options.target), known)


if __name__ == "__main__":
    main()
