#!/usr/bin/env bash
# `hone tune` on a Bazel product: at least one candidate gets a reward with an interval, at least 95 % of
# the objects that were meant to be tuned are, the winner (or, without one, the best candidate) is
# measured again on fresh pairs, a policy that must be slower is found so twice, and no Bazel is left.
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
# The best candidate's rules as a policy of their own go to best.json.
python3 - report.json best.json <<'PYTHON' || no "the report is not as it should be: $(cat tune.out)"
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
policy = {"format": 1, "target": "bazel-words", "sequence": 1, "compiler": {"family": "clang", "major": 19}}
json.dump(policy | {"rules": best["rules"]}, open(sys.argv[2], "w"))
PYTHON

# measured_again FILE: the job that `hone job submit` printed has a reward on pairs of its own.
measured_again() {
  "$BIN/hone" job show "$(json "$1" id)" --samples --json > samples.json || no "no job in $1"
  python3 - samples.json <<'PYTHON' || no "no second measurement in $1: $(json "$1" outcome) $(json "$1" reason)"
import json, sys
job = json.load(open(sys.argv[1]))
reward, result = job["reward"], job["result"]
assert job["outcome"] == "ok" and reward["low"] <= reward["value"] <= reward["high"], job["reason"]
assert len({s["pair"] for s in result["samples"]}) == reward["pairs"] >= 12, reward
assert result["links"] == 8 and not [w for w in result["warnings"] if "link" in w], result["warnings"]
meant = [d for d in result["decisions"] if d["meant"]]
assert meant and all(d["tuned"] for d in meant), result["decisions"]
PYTHON
}
if [ $ended = 0 ]; then
  "$BIN/hone" report --verify > verify.out 2>&1
  code=$?
  cat verify.out
  # 1 would be two measurements that disagree: luck of one in a hundred, and no fault of Bazel's.
  case $code in 0 | 1) grep -q 'pairs' verify.out || no "report --verify: $(cat verify.out)" ;; *) no "report --verify ended with $code" ;; esac
else
  "$BIN/hone" job submit bazel-words --policy best.json --stage confirm --wait --json > again.json 2> again.err ||
    [ $? = 10 ] || no "the best candidate again: $(cat again.err)"
  measured_again again.json
fi
for turn in first second; do
  "$BIN/hone" job submit bazel-words --pipeline 'function(sroa)' --source src/count.cc --stage confirm --wait --json > $turn.json 2> $turn.err
  [ "$(json $turn.json verdict)" = slower ] || no "without optimisation, $turn time: $(json $turn.json verdict) $(cat $turn.err)"
  measured_again $turn.json
done
world_down
cat tune.out
finish
