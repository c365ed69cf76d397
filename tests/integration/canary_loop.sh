#!/usr/bin/env bash
# From production back to proposing: a campaign's winner loses as a canary and is not proposed again; the next
# one's is promoted, is what builds are given, and is what the third campaign begins with. The program prints
# how much code it has, here the more the better, so that every evaluation is exact and quick; the service is canary_metrics.py's.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
[ -x "$BIN/hone-learner" ] || { echo "SKIP: no $BIN/hone-learner"; exit 77; }
. "$ROOT/tests/support/mix_product.sh"
cat > "$W/product/main.c" <<'C'
#include <stdio.h>
unsigned mix(const unsigned* data, int count);
extern char __executable_start, etext;
int main(void) {
  static unsigned data[512];
  for (int i = 0; i < 512; ++i) data[i] = (unsigned)i * 2654435761u;
  printf("%u\ncode %ld\n", mix(data, 512), (long)(&etext - &__executable_start));
  return 0;
}
C
cat > "$W/product/hone.yaml" <<'YAML'
name: mix
build: {cmake: {options: [-DCMAKE_BUILD_TYPE=Release]}, binaries: [mix]}
benchmark: {command: ["{build}/mix"], inputs: [], links: 1, metric: {metric: printed, pattern: "code ([0-9]+)", higher_is_better: true}}
tune: {include: [mix.c, main.c]}
YAML
echo 1 > "$W/harm"
python3 "$ROOT/tests/integration/canary_metrics.py" "$W/metrics.address" "$W/harm" > "$W/metrics.log" 2>&1 &
metrics_pid=$!
trap 'kill $metrics_pid 2> /dev/null; clean_up' EXIT
await 20 test -s "$W/metrics.address" || { cat "$W/metrics.log"; no "the service's metrics are not there"; finish; }
world_up

# check NAME EXPRESSION: of the report `r`, its candidates `c`, and the canaries `k` (newest first), in Python
check() {
  python3 - "$W/$1.json" "$2" "$HONE_URL" "$HONE_TOKEN_FILE" <<'PYTHON' || no "$1: $2: $(cut -c1-400 "$W/$1.json")"
import json, sys, urllib.request
def ask(path):
    request = urllib.request.Request(sys.argv[3] + path, headers={"Authorization": "Bearer " + open(sys.argv[4]).read().strip()})
    return json.load(urllib.request.urlopen(request))
r = json.load(open(sys.argv[1]))
c = ask(f"/v1/campaigns/{r['campaign']['id']}/candidates")["items"]
k = ask("/v1/canaries?target=mix&experience=1")["items"]
same = lambda a, b: json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)
sys.exit(not eval(sys.argv[2]))
PYTHON
}
# canary VERSION HARM EXIT: until it has ended
canary() {
  echo "$2" > "$W/harm"
  "$BIN/hone" canary start mix --policy "$1" --spec "$W/ramp.yaml" --json > "$W/canary.json" 2> "$W/canary.err" ||
    { no "canary of version $1: $(cat "$W/canary.err")"; return; }
  canary_id=$(json "$W/canary.json" id)
  timeout 120 "$BIN/hone" canary wait "$canary_id" > "$W/canary.text" 2>&1
  local got=$?
  [ $got = "$3" ] || no "canary of version $1 ended with $got, not $3: $(cat "$W/canary.text")"
  await 20 learnt "$canary_id" || no "canary of version $1 taught nothing"
}
learnt() { "$BIN/hone" canary report "$1" --json | python3 -c 'import json, sys; sys.exit(not json.load(sys.stdin)["experience"])'; }
in_force() { "$BIN/hone" service list --json | python3 -c 'import json, sys; print(json.loads(sys.stdin.readline())["policy_in_force"])'; }

cat > "$W/service.yaml" <<YAML
prometheus: http://$(cat "$W/metrics.address")
metrics: {latency: request_seconds, failures: request_failures_total, cpu: process_cpu_seconds_total}
window_seconds: 2
scrape_seconds: 1
objective: {good_share: 0.9, latency: 0.25, window_seconds: 600}
traffic: {manifest: {file: $W/split.yaml, name: mix, service: mix, baseline: old, canary: new}}
YAML
cat > "$W/ramp.yaml" <<'YAML'
ramp: {steps: [50], step_windows: 2, most_windows: 40}
rules: [{sli: latency_p95, tolerance: 0.2}]
YAML

tune first --budget 24 --seed 4
[ $ended = 0 ] || no "nothing made it more code: $(cat "$W/first.err")"
"$BIN/hone" service set mix "$W/service.yaml" > "$W/set" 2>&1 || no "the service: $(cat "$W/set")"
await 30 bash -c "'$BIN/hone' service list | grep -q '100.0 % left'" || no "no budget is known: $("$BIN/hone" service list)"
canary 1 1.5 10
check first 'k[0]["status"]["cause"] == "harm" and k[0]["experience"]["reward"]["high"] < 0'
check first 'k[0]["candidate"] == r["campaign"]["winner_candidate"] and k[0]["experience"]["staging"]["reward"]["value"] > 0'
[ "$(in_force)" = None ] || no "withdrawn, and yet in force: $(in_force)"
"$BIN/hone" canary report "$canary_id" > "$W/report.md"
for part in 'propensity: ln p' 'In force now: none' '## Decisions' 'rolled_back' '## Indicators' 'Reward in production: -' 'In staging: +' '## Windows'; do
  grep -qF -e "$part" "$W/report.md" || no "the report does not have '$part': $(cat "$W/report.md")"
done

# It won in staging and lost in production: neither carried over, nor proposed, nor confirmed.
tune second --budget 16
check second 'not any(same(one["rules"], k[0]["experience"]["rules"]) for one in c)'
check second 'all(one["origin"] != "last-winner" for one in c)'
grep -q 'corrected by 1 canaries' "$W/second.err" || grep -q 'corrected by 1 canaries' "$W/second.events" ||
  no "the proposer does not know of the canary: $(cat "$W/second.err")"
if [ $ended = 0 ]; then
  canary 2 1 0
  [ "$(in_force)" = 2 ] || no "promoted, and not in force: $(in_force)"
  check second 'k[0]["status"]["state"] == "promoted" and k[0]["policy_in_force"] == 2 and k[0]["known_good"] is None'
  tune third --budget 8
  check third 'same(c[0]["rules"], k[0]["experience"]["rules"]) and c[0]["log_propensity"] == 0'
  check third 'not any(same(one["rules"], k[1]["experience"]["rules"]) for one in c)'
else
  echo "NOTE: without what lost, nothing made it more code"
fi
kill $metrics_pid
wait $metrics_pid 2> /dev/null
world_down
finish
