#!/usr/bin/env python3
"""Follows /v1/events for as long as it lives, over lost connections and dead honeds, behind the last event it
saw: each must come once and none be missing.

  watcher.py --url A,B --token-file FILE --folder DIR

DIR/watcher.journal has the event's id, job, campaign and state; after a kill it goes on behind the last."""
import argparse
import json
import os
import time

from journal import Journal, read_journal
from rest import Lost, Rest

BEGINNING = "0-0"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", required=True)
    parser.add_argument("--token-file", required=True)
    parser.add_argument("--folder", required=True)
    options = parser.parse_args()
    with open(options.token_file, encoding="ascii") as file:
        token = file.read().strip()
    path = os.path.join(options.folder, "watcher.journal")
    seen = [entry["id"] for entry in read_journal(path) if entry["kind"] == "event"]
    last = seen[-1] if seen else BEGINNING
    journal = Journal(path)
    rest = Rest(options.url.split(","), token, journal)
    while True:
        try:
            for number, data in rest.events("/v1/events", last, silence=45):
                event = json.loads(data)
                journal.note("event", id=number, job=event["job"], campaign=event["campaign"],
                             state=event["state"])
                last = number
        except Lost:
            time.sleep(0.2)


if __name__ == "__main__":
    main()
