#!/usr/bin/env python3
"""Whether every metric that the alert rules and the dashboard name is one that honed tells.

prometheus_names.py METRICS FOLDER: METRICS is the answer of /metrics, FOLDER has *.yml and *.json.
"""
import json
import pathlib
import re
import sys

told = set()
for line in open(sys.argv[1]):
    if line.startswith("# TYPE "):
        _, _, name, kind = line.split()
        told.add(name)
        if kind == "histogram":
            told.update(name + end for end in ("_bucket", "_sum", "_count"))

expressions = []


def collect(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("expr", "query", "definition") and isinstance(inner, str):
                expressions.append(inner)
            collect(inner)
    elif isinstance(value, list):
        for inner in value:
            collect(inner)


folder = pathlib.Path(sys.argv[2])
for file in folder.glob("*.json"):
    collect(json.loads(file.read_text()))
# The rules' expressions, block or line, without a YAML parser: what looks like a metric of ours.
for file in folder.glob("hone-alerts.yml"):
    expressions.append(re.sub(r"#.*", "", file.read_text()))
named = set()
for expression in expressions:
    named.update(re.findall(r"\b(?:hone|process)_[a-z0-9_]+", expression))
missing = sorted(named - told)
print(f"{len(named)} metrics named, {len(told)} told")
if missing:
    print("not told: " + ", ".join(missing))
sys.exit(1 if missing or not named else 0)
