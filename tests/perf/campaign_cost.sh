#!/bin/bash
# What the race of a campaign costs: samples of the benchmark (a run of the baseline that several candidates
# share counts once) when a worker measures each candidate alone, and when it races eight with each other.
# The same candidates of a real product (lz4 from Debian's sources) both times. Nothing is confirmed: the
# campaign is cancelled when its race is over.
#
#   campaign_cost.sh [--bin DIR] [--source DIR] [--candidates N]
#
#   --bin DIR        programs [build/release/bin, built if missing]
#   --source DIR     unpacked product with its recipe [fetched]
#   --candidates N   [32]
#
# Prints the figures last; exit code 1 if the heats take more than two thirds of the samples.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=$here/build/release/bin source= candidates=32
while [ $# -gt 0 ]; do
  case $1 in
    --bin) bin=$(cd "$2" && pwd); shift 2 ;;
    --source) source=$(cd "$2" && pwd); shift 2 ;;
    --candidates) candidates=$2; shift 2 ;;
    *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
  esac
done
if [ ! -x "$bin/hone" ]; then
  cmake -S "$here" --preset release > /dev/null
  cmake --build "$here/build/release" --parallel "$(nproc)" \
    --target honed hone-worker hone-cc hone-link hone-sandbox-init hone hone_pass-19 > /dev/null
fi

work=$(mktemp -d /var/tmp/hone-campaign-cost.XXXXXX)
chmod 711 "$work"
honed= worker=
finish() {
  status=$?
  trap - EXIT
  local pid
  for pid in $worker $honed; do
    kill -TERM "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  if [ "$status" -gt 1 ]; then
    tail -n 20 "$work"/*.log >&2 || true
  fi
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if [ -z "$source" ]; then
  "$here/deploy/debian_source.sh" "$work/sources" lz4
  source=$work/sources/lz4
  cp -a "$here/deploy/examples/products/lz4/." "$source/"
fi

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export HONE_URL=http://127.0.0.1:$port HONE_TOKEN_FILE=$work/data/admin.token
mkdir -m 711 "$work/data"
"$bin/honed" --data "$work/data" --listen "127.0.0.1:$port" > "$work/honed.log" 2>&1 &
honed=$!
for ((i = 0; i < 300; i++)); do
  curl -sf -o /dev/null --max-time 2 "$HONE_URL/readyz" && break
  sleep 0.2
done
"$bin/hone" token create cost --role worker --output "$work/worker.token" > /dev/null

race() { # HEAT: a campaign by a worker of its own, and what its race took
  "$bin/hone-worker" --url "$HONE_URL" --token-file "$work/worker.token" --name "heat-$1" --heat "$1" \
    --work "$work/worker-$1" --launcher "$bin/hone-cc" --slots 1 > "$work/worker-$1.log" 2>&1 &
  worker=$!
  local id= state=racing job tune
  "$bin/hone" tune "$source" --proposer seeded --cold --budget "$candidates" --output "$work" --json > "$work/tune-$1.json" 2> "$work/tune.log" &
  tune=$!
  while kill -0 "$tune" 2>/dev/null && [ "$state" = racing -o "$state" = waiting ]; do
    sleep 1
    id=$(sed -n 's/.*"campaign":"\([0-9a-f-]*\)".*/\1/p' "$work/tune-$1.json" | head -n 1)
    [ -z "$id" ] || state=$("$bin/hone" campaign show "$id" --json | sed -n 's/^  "state": "\(.*\)",\{0,1\}$/\1/p')
  done
  [ -n "$id" ] || { echo "campaign_cost: hone tune started no campaign" >&2; exit 2; }
  case $state in
    confirming) "$bin/hone" campaign cancel "$id" > /dev/null ;;
    finished) ;;
    *) echo "campaign_cost: the campaign is $state" >&2; exit 2 ;;
  esac
  wait "$tune" || true
  kill -TERM "$worker"
  wait "$worker" || true
  worker=
  "$bin/hone" job list --campaign "$id" --limit 100000 --json > "$work/jobs-$1.json"
  mkdir "$work/jobs-$1"
  for job in $(sed -n 's/^    "id": "\([0-9a-f-]*\)",\{0,1\}$/\1/p' "$work/jobs-$1.json"); do
    "$bin/hone" job show "$job" --samples --json > "$work/jobs-$1/$job.json"
  done
  python3 - "$work/jobs-$1" <<'PYTHON'
import json, pathlib, sys
jobs = [json.loads(p.read_text()) for p in pathlib.Path(sys.argv[1]).glob("*.json")]
race = [j for j in jobs if j["stage"] == "race"]
measured = [j["result"] for j in race if j["result"] and j["result"]["samples"]]
candidates = sum(s["role"] == "candidate" for r in measured for s in r["samples"])
# A shared run is the same row, to the last bit, in each result.
baseline = len({(s["pair"], s["layout"], s["input"], s["value"])
                for r in measured for s in r["samples"] if s["role"] == "baseline"})
faster = sum(r["verdict"] == "faster" for r in measured)
print(candidates + baseline, len(measured), len(race), faster)
PYTHON
}

race 1 > "$work/alone"
read -r alone measured_alone all faster < "$work/alone"
echo "each alone:      $alone samples for $measured_alone candidates of $all that were measured; $faster called faster"
race 8 > "$work/raced"
read -r raced measured_raced all faster < "$work/raced"
echo "heats of eight:  $raced samples for $measured_raced candidates of $all that were measured; $faster called faster"
awk -v alone="$alone" -v n="$measured_alone" -v raced="$raced" -v m="$measured_raced" 'BEGIN {
  printf "samples a measured candidate: %.1f alone, %.1f raced (%.0f %%)\n", alone / n, raced / m, 100 * raced / m / (alone / n)
  exit raced / m > alone / n * 2 / 3 }'
