#!/usr/bin/env bash
# What people see of the queue: a job that no worker may measure says why, a late one is dead with the reason and can
# be tried again, a drained worker is shown as one.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
command -v curl > /dev/null || { echo "SKIP: no curl"; exit 77; }
world_up

api PUT /v1/targets/picky '{"name": "picky",
  "source": {"git": {"url": "/srv/picky", "commit": "1234567890123456789012345678901234567890"}},
  "build": {"commands": [["make"]], "binaries": ["picky"]}, "benchmark": {"command": ["{build}/picky"]},
  "requires": {"labels": {"rack": "z"}, "memory_mib": 1}}' > "$W/target.out" || { cat "$W/target.out"; no "the target is not taken"; }

await 30 sh -c '"$0" worker list | grep -q idle' "$BIN/hone" || no "no worker registers"
id=$("$BIN/hone" job submit picky --knob unroll-count=4 --deadline-seconds 4) || no "submit fails"
"$BIN/hone" job show "$id" > "$W/show.out"
grep -q '^unmet .*no worker that takes jobs has labels {"rack":"z"}' "$W/show.out" || { cat "$W/show.out"; no "nothing is said to be unmet"; }
grep -q '^unmet .*memory' "$W/show.out" && no "the worker has that much memory"
grep -q '^deadline ' "$W/show.out" || no "no deadline is shown"

await 30 sh -c '"$0" job list --state dead --json | grep -q "$1"' "$BIN/hone" "$id" || no "the late job is not dead"
"$BIN/hone" job show "$id" | grep -q '^reason .*deadline: it was not done by 20' || no "the reason is not told"
"$BIN/hone" job retry "$id" > "$W/retry.out" || no "retry fails"
grep -q "is queued" "$W/retry.out" || { cat "$W/retry.out"; no "it is not queued again"; }
"$BIN/hone" job cancel "$id" > "$W/cancel.out" || no "cancel fails"
"$BIN/hone" job retry "$id" > "$W/again.out" 2>&1 && no "a cancelled job is tried again"
grep -q "only a dead job" "$W/again.out" || { cat "$W/again.out"; no "why not is not told"; }

name=$("$BIN/hone" worker list --json | sed -n 's/^ *"name": "\(.*\)",\{0,1\}$/\1/p' | head -1)
api POST "/v1/workers/$name/drain" > "$W/drain.out" || no "drain fails"
"$BIN/hone" worker list | grep -q drained || { "$BIN/hone" worker list; no "the worker is not shown as drained"; }
world_down
finish
