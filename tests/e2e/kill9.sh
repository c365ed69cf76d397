#!/bin/bash
# kill -9 of honed, of the worker and of PostgreSQL in the middle of a campaign. After each the program
# is started again, as an init system would; the campaign must then end as if nothing had happened:
# every candidate with exactly one counted result, all raw samples there, and no process left over. The
# worker is killed while it holds several jobs at once, in the middle of a heat (worker/run/heat.h).
#
#   kill9.sh [--short] [--bin DIR] [--seed N]
#
#   --short     one kill of each kind (for the integration tests) instead of five
#   --bin DIR   programs [build/release/bin, built if missing]
#   --seed N    when the kills come [1]
#
# Prints the figure last; exit code 1 if it falls short.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=$here/build/release/bin rounds=5 candidates=24 RANDOM=1
while [ $# -gt 0 ]; do
  case $1 in
    --short) rounds=1 candidates=6; shift ;;
    --bin) bin=$(cd "$2" && pwd); shift 2 ;;
    --seed) RANDOM=$2; shift 2 ;;
    *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
  esac
done
self=kill9
. "$here/tests/support/coordinator.sh"
worker= tune=

finish() {
  local status=$? pid
  trap - EXIT
  for pid in $tune $worker $honed; do
    kill -TERM "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  leave "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# A product that takes a moment: three files, 0.1 s of CPU a run.
product=$work/product
mkdir -p "$product"
for unit in first second third; do
  cat > "$product/$unit.c" <<C
#include <stdint.h>
uint64_t $unit(uint64_t seed, int rounds) {
  static uint32_t table[4096];
  for (int i = 0; i < 4096; i++) table[i] = (uint32_t)(seed * (uint64_t)(i + ${#unit}));
  uint64_t sum = seed;
  for (int r = 0; r < rounds; r++)
    for (int i = 0; i < 4096; i++) sum += table[i] ^ (table[(i * 7 + r) & 4095] >> 3);
  return sum;
}
C
done
cat > "$product/main.c" <<'C'
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
uint64_t first(uint64_t, int), second(uint64_t, int), third(uint64_t, int);
int main(void) {
  printf("%" PRIu64 "\n", first(1, 6000) ^ second(2, 6000) ^ third(3, 6000));
  return 0;
}
C
cat > "$product/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.13)
project(small C)
add_executable(small main.c first.c second.c third.c)
CMAKE
cat > "$product/hone.yaml" <<'YAML'
name: small
build:
  cmake: {options: [-DCMAKE_BUILD_TYPE=Release]}
  binaries: [small]
benchmark:
  command: ["{build}/small"]
tune:
  include: [first.c, second.c, third.c]
YAML

start_worker() {
  "$bin/hone-worker" --url "$HONE_URL" --token-file "$work/worker.token" --name kill9 \
    --work "$work/worker" --launcher "$bin/hone-cc" --lock-folder "$work" --slots 1 \
    >> "$work/worker.log" 2>&1 &
  worker=$!
}
alive() { kill -0 "$1" 2>/dev/null; }

start_honed --lease-seconds 5
within 60 "the start of honed" ready
"$bin/hone" token create kill9 --role worker --output "$work/worker.token" > /dev/null
start_worker

"$bin/hone" tune "$product" --budget "$candidates" --output "$work" --json \
  > "$work/events.ndjson" 2> "$work/tune.err" &
tune=$!
campaign() { sed -n 's/.*"campaign":"\([0-9a-f-]*\)".*"event":"progress".*/\1/p' "$work/events.ndjson" | head -n 1; }
has_campaign() { [ -n "$(campaign)" ] || ! alive "$tune"; }
within 60 "the campaign" has_campaign
id=$(campaign)
[ -n "$id" ] || { cat "$work/tune.err" >&2; give_up "hone tune did not start a campaign"; }

running() { # Whether the campaign still has something to do.
  local state
  state=$("$bin/hone" campaign show "$id" --json 2>/dev/null | sed -n 's/^  "state": "\(.*\)",\{0,1\}$/\1/p')
  case $state in finished | cancelled | failed) return 1 ;; *) return 0 ;; esac
}
postmaster() {
  local file
  file=$(find "$data/postgres" -maxdepth 3 -name postmaster.pid 2>/dev/null | head -n 1)
  [ -n "$file" ] && head -n 1 "$file"
}
children_of() { # Processes below ours that are not honed, the worker or hone tune themselves.
  processes | grep -vx -e "$honed" -e "$worker" -e "$tune" || true
}

kills=0
kill_honed() {
  kill -9 "$honed"
  wait "$honed" 2>/dev/null || true
  start_honed --lease-seconds 5
  within 60 "honed's recovery" ready
}
leased() { # How many jobs of the campaign are leased.
  "$bin/hone" job list --campaign "$id" --state leased --limit 1000 --json 2>/dev/null | grep -c '^    "id"' || true
}
in_a_heat() { [ "$(leased)" -ge 2 ] || ! running; }
kill_worker() {
  local pid
  within 60 "a heat of two jobs" in_a_heat
  kill -9 "$worker"
  wait "$worker" 2>/dev/null || true
  # What the worker was running must end with it: nothing but honed's database may remain.
  only_database() {
    for pid in $(children_of); do
      case "$(readlink "/proc/$pid/cwd" 2>/dev/null)/" in
        "$work/worker"/*) return 1 ;;
      esac
      if { tr '\0' ' ' < "/proc/$pid/cmdline"; } 2>/dev/null | grep -qF -- "$work/worker/"; then
        return 1
      fi
    done
  }
  within 60 "the end of the killed worker's builds and benchmarks" only_database
  start_worker
}
kill_postgres() {
  local pid
  pid=$(postmaster) || give_up "no postmaster.pid below $data/postgres"
  kill -9 "$pid"
  # honed may bring its database back itself or end; what it must not do is to hang.
  settled() { ready || ! alive "$honed"; }
  sleep 0.5
  within 60 "honed's reaction to the loss of its database" settled
  if ! alive "$honed"; then
    wait "$honed" 2>/dev/null || true
    start_honed --lease-seconds 5
  fi
  within 60 "recovery after the loss of PostgreSQL" ready
}

for ((round = 0; round < rounds; round++)); do
  for victim in honed worker postgres; do
    sleep "$((RANDOM % 3)).$((RANDOM % 10))"
    running || break 2
    "kill_$victim"
    kills=$((kills + 1))
    # A worker that gave up for good while honed was away is started again, as an init system does.
    if ! alive "$worker"; then
      wait "$worker" 2>/dev/null || true
      start_worker
    fi
    echo "killed $victim ($kills)"
  done
done

status=0
wait "$tune" || status=$?
tune=
[ "$status" -eq 0 ] || [ "$status" -eq 10 ] || {
  cat "$work/tune.err" >&2
  give_up "hone tune ended with exit code $status"
}

# What the store holds now.
"$bin/hone" job list --campaign "$id" --limit 100000 --json > "$work/jobs.json"
mkdir "$work/jobs"
for job in $(sed -n 's/^    "id": "\([0-9a-f-]*\)",\{0,1\}$/\1/p' "$work/jobs.json"); do
  "$bin/hone" job show "$job" --samples --json > "$work/jobs/$job.json"
done
printf 'header = "Authorization: Bearer %s"\n' "$(cat "$HONE_TOKEN_FILE")" > "$work/curl.conf"
chmod 600 "$work/curl.conf"
curl -sf --config "$work/curl.conf" "$HONE_URL/v1/experiences" > "$work/experiences.ndjson"

python3 - "$work" "$candidates" <<'PYTHON' || status=1
import collections, json, pathlib, sys
work, candidates = pathlib.Path(sys.argv[1]), int(sys.argv[2])
jobs = [json.loads(p.read_text()) for p in (work / "jobs").glob("*.json")]
bad = []
race = [j for j in jobs if j["stage"] == "race"]
if len(race) != candidates:
    bad.append(f"{len(race)} race jobs for {candidates} candidates")
if len({j["candidate"] for j in race}) != len(race):
    bad.append("a candidate has two race jobs")
for j in jobs:
    counted = [a for a in j["attempts"] if a["state"] == "completed"]
    if j["state"] != "done" or len(counted) != 1:
        bad.append(f"job {j['id']}: state {j['state']}, {len(counted)} counted attempts, {j.get('reason')}")
        continue
    result = j["result"]
    if j["outcome"] == "ok" and j["reward"] and not result.get("reused_attempt"):
        pairs = collections.defaultdict(list)
        for s in result["samples"]:
            pairs[(s["pair"], s.get("input"), s["metric"])].append(s["role"])
        wrong = [p for p, roles in pairs.items() if sorted(roles) != ["baseline", "candidate"]]
        measured = len({p for p, _, metric in pairs if metric == "cpu_time"})
        if wrong or measured != j["reward"]["pairs"]:
            bad.append(f"job {j['id']}: {measured} pairs stored for {j['reward']['pairs']} counted")
lines = [json.loads(line) for line in (work / "experiences.ndjson").read_text().splitlines() if line]
ids = collections.Counter(e["id"] for e in lines)
if any(n > 1 for n in ids.values()):
    bad.append("an experience came twice")
attempts = collections.Counter(e["attempt"] for e in lines if "attempt" in e)
if any(n > 1 for n in attempts.values()):
    bad.append("an attempt gave two experiences")
for line in bad:
    print("kill9:", line, file=sys.stderr)
retried = sum(len(j["attempts"]) > 1 for j in jobs)
if retried == 0:
    bad.append("no job was taken up again: the worker was not killed in the middle of its work")
print(f"jobs: {len(jobs)}, each with one counted result: {len(jobs) - len(bad)}; "
      f"taken up again after a kill: {retried}; experiences: {len(lines)}")
sys.exit(1 if bad else 0)
PYTHON
[ "$status" -eq 0 ] || [ "$status" -eq 10 ] || give_up "the store is not as it should be"

# A clean stop leaves nothing running.
stop() { # PID NAME
  kill -TERM "$1"
  wait "$1" || give_up "$2 did not stop cleanly (exit code $?)"
}
stop "$worker" hone-worker
worker=
stop "$honed" honed
honed=
none_left() { [ -z "$(processes)" ]; }
within 60 "the end of all processes" none_left

want=$((rounds * 3))
echo "survived $kills of $want kills (honed, worker, PostgreSQL in turn): nothing lost, nothing counted twice, no process left"
if [ "$kills" -lt "$want" ]; then
  echo "kill9: the campaign was over before all kills were made" >&2
  exit 1
fi
