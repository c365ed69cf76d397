#!/usr/bin/env bash
# `hone tune` on a Bazel product: at least one candidate gets a reward with an interval, at least 95 % of
# the objects that were meant to be tuned are, the winner (or, without one, the best candidate) is
# measured again on fresh pairs, and no Bazel is left running.
#   bazel_tune.sh [BUDGET]     candidates, 4 by default. Some minutes; exit 77 without Bazel's packages.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
command -v bazel >/dev/null && [ -d /usr/share/bazel/rules/cc ] || { echo "SKIP: no bazel with its rules"; exit 77; }
product=$W/product
cp -r "$ROOT/deploy/examples/products/bazel-words" "$product"
cp "$ROOT/build_integration/bazel/offline_rules.sh" "$product/hone/"
world_up
cd "$W" || exit 1

"$BIN/hone" tune "$product" --budget "${1:-4}" > tune.out 2> tune.err
ended=$?
case $ended in 0 | 10) ;; *) no "hone tune ended with $ended: $(tail -n 20 tune.err tune.out)" ;; esac
"$BIN/hone" report --json > report.json || no "no report"
python3 - report.json > found <<'PYTHON' || no "the report is not as it should be: $(cat report.json)"
import json, sys
report = json.load(open(sys.argv[1]))
measured = [c for c in report["candidates"] if c.get("reward")]
assert measured, "no candidate has a reward"
for candidate in measured:
    reward = candidate["reward"]
    assert reward["low"] <= reward["value"] <= reward["high"] and reward["pairs"] >= 12, reward
compiles = report["compiles"]
assert compiles["meant"] >= len(measured), compiles
assert compiles["tuned"] >= 0.95 * compiles["meant"], compiles
best = max(measured, key=lambda c: c["reward"]["value"])
print(best["reward"]["value"], best["reward"]["pairs"])
PYTHON
world_down
cat tune.out
finish
