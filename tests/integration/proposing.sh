#!/usr/bin/env bash
# A campaign that learns: `hone tune` draws a first set, hone-learner proposes what follows and names the
# finalists; the next campaign of the target begins with the last one's winner. Code size is measured, so
# that every evaluation is exact and quick.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
[ -x "$BIN/hone-learner" ] || { echo "SKIP: no $BIN/hone-learner"; exit 77; }
. "$ROOT/tests/support/mix_product.sh"
cat > "$W/product/main.c" <<'C'
#include <stdio.h>
unsigned mix(const unsigned* data, int count);
int main(void) {
  static unsigned data[512];
  for (int i = 0; i < 512; ++i) data[i] = (unsigned)i * 2654435761u;
  printf("%u\n", mix(data, 512));
  return 0;
}
C
cat > "$W/product/hone.yaml" <<'YAML'
name: mix
build: {cmake: {options: [-DCMAKE_BUILD_TYPE=Release]}, binaries: [mix]}
benchmark: {command: ["{build}/mix"], inputs: [], metric: {metric: text_bytes}}
tune: {include: [mix.c, main.c]}
YAML
world_up

# check NAME EXPRESSION: of the report `r` and the candidates as the API has them, `c`, in Python
check() {
  python3 - "$W/$1.json" "$2" "$HONE_URL" "$HONE_TOKEN_FILE" <<'PYTHON' || no "$1: $2: $(cut -c1-400 "$W/$1.json")"
import json, math, sys, urllib.request
r = json.load(open(sys.argv[1]))
ask = urllib.request.Request(f"{sys.argv[3]}/v1/campaigns/{r['campaign']['id']}/candidates",
                             headers={"Authorization": "Bearer " + open(sys.argv[4]).read().strip()})
c = json.load(urllib.request.urlopen(ask))["items"]
sets = [sum(1 for k in c if k["set"] == s) for s in dict.fromkeys(k["set"] for k in c)]
sys.exit(not eval(sys.argv[2]))
PYTHON
}

tune first --budget 20 --seed 4
[ $ended = 0 ] || no "nothing made the code smaller: $(cat "$W/first.err")"
check first 'r["campaign"]["proposing_seconds"] == 600 and r["campaign"]["state"] == "finished"'
check first 'sets == [8, 8, 4]'
check first 'all(k["log_propensity"] is not None and k["log_propensity"] < 0 for k in c)'
check first '{k["origin"] for k in c[8:]} <= {"knob", "union", "narrow", "edit", "tail", "ablation"}'
check first 'sorted(k["finalist"] for k in c if k["finalist"])[0] == 1'
check first 'next(k for k in c if k["id"] == r["campaign"]["winner_candidate"])["finalist"] is not None'
check first 'len({json.dumps(k["rules"], sort_keys=True) for k in c}) == 20'
check first 'r["drift"] is None'
# What is confirmed has seen all sets: of exact rewards the best one of all.
check first 'r["campaign"]["confirmed"]["value"] == max(k["job"]["reward"]["value"] for k in c if k["job"]["reward"])'
check first 'r["campaign"]["closed"]'

# The next one knows what was found.
tune second --budget 8
check second 'sets == [8] and c[0]["origin"] == "last-winner" and c[0]["log_propensity"] == 0'
check second 'r["drift"].startswith("Last time")'
# Where one file changed, that one is searched; the other keeps what was found for it.
sed -i 's/2654435761u/2246822519u/' "$W/product/main.c"
tune changed --budget 40
check changed 'c[0]["origin"] == "last-winner"'
# Of the 24 that are proposed some two fifths do: fewer than one run in ten thousand has none.
check changed 'any("main.c" in k["note"] for k in c[16:])'
grep -q 'changed since campaign .*: main.c$' "$W/changed.err" || no "what changed was not told: $(cat "$W/changed.err")"
tune cold --budget 8 --cold --proposer seeded
check cold 'all(k["origin"] not in ("last-winner", "carried-over") for k in c) and r["drift"] is None'

# A campaign of one set is nobody's to propose for; an id that is none is told.
"$BIN/hone-learner" propose "$(json "$W/cold.json" campaign id)" 2> "$W/refused" && no "one set only: proposed for"
grep -q 'proposing_seconds' "$W/refused" || no "one set only: $(cat "$W/refused")"
"$BIN/hone-learner" propose none 2> "$W/refused" && no "no campaign: proposed for"
grep -q 'must be an id' "$W/refused" || no "no campaign: $(cat "$W/refused")"
world_down
finish
