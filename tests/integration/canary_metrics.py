#!/usr/bin/env python3
"""A service that is not there, as Prometheus would tell of it: canary_metrics.py ADDRESS-FILE HARM-FILE

Both groups get 400 requests a second; HARM-FILE holds the factor by which the canary's take longer. What a
second brought is drawn when it is over, and never changes. Answers what honed asks, and nothing else.
"""
import http.server
import json
import math
import pathlib
import random
import re
import sys
import time
import urllib.parse

address_file, harm_file = map(pathlib.Path, sys.argv[1:])
BOUNDS = [0.001 * 1.1**i for i in range(60)]
LABELS = [repr(b) for b in BOUNDS] + ["+Inf"]
began = int(time.time()) - 60
seconds = {"baseline": [], "canary": []}  # cumulative counts of buckets, then processor time


def catch_up():
    harm = float(harm_file.read_text())
    while began + len(seconds["baseline"]) + 1 <= time.time():
        for group, all_of_it in seconds.items():
            draw = random.Random(f"{len(all_of_it)} {group}")
            counts = list(all_of_it[-1]) if all_of_it else [0.0] * (len(LABELS) + 1)
            for _ in range(400):
                took = 0.01 * math.exp(draw.gauss(0, 0.4)) * (harm if group == "canary" else 1)
                for i, bound in enumerate(BOUNDS):
                    counts[i] += took <= bound
                counts[-2] += 1
                counts[-1] += 0.002
            all_of_it.append(counts)


def value(group, what, label, at):
    all_of_it = seconds[group]
    last = min(int(at) - began, len(all_of_it)) - 1
    return 0.0 if last < 0 else 0.0 if what == "failures" else all_of_it[last][-1 if what == "cpu" else label]


def answer(query, at):
    what = "failures" if "failures" in query else "cpu" if "cpu" in query else "buckets"
    labels = range(len(LABELS)) if what == "buckets" else [0]
    if query.startswith("count by"):
        return "vector", [{"metric": {"le": le}, "value": [at, "2"]} for le in LABELS]
    if query.startswith("sum(increase"):
        reach = float(re.search(r"\[(\d+)s\]", query)[1])
        groups = ["canary"] if re.search(r'group="canary"', query) else list(seconds)
        label = LABELS.index(re.search(r'le="([^"]*)"', query)[1]) if "le=" in query else len(LABELS) - 1
        grown = sum(value(g, what, label, at) - value(g, what, label, at - reach) for g in groups)
        return "vector", [{"metric": {}, "value": [at, repr(grown)]}]
    reach = float(re.search(r"\[(\d+)ms\]", query)[1]) / 1000
    series = []
    for group in seconds:
        for label in labels:
            values = [[float(t), repr(value(group, what, label, t))] for t in range(math.ceil(at - reach), int(at) + 1)]
            metric = {"group": group} | ({"le": LABELS[label]} if what == "buckets" else {})
            series.append({"metric": metric, "values": values})
    return "matrix", series


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asked = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        catch_up()
        kind, result = answer(asked["query"][0], float(asked["time"][0]))
        body = json.dumps({"status": "success", "data": {"resultType": kind, "result": result}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
address_file.write_text(f"127.0.0.1:{server.server_port}")
server.serve_forever()
