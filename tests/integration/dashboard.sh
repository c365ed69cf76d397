#!/usr/bin/env bash
# A coordinator restored from the recorded dump shows every view of the dashboard: with what was recorded in it, as JSON
# and as CSV, to those who may see it; and a page to begin with.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
recorded=$ROOT/tests/e2e/dashboard/recorded.sql.gz
[ -s "$recorded" ] || { echo "SKIP: no $recorded"; exit 77; }
command -v psql curl python3 > /dev/null || { echo "SKIP: psql, curl or python3 is missing"; exit 77; }
[ "$(stat -c %s "$recorded")" -le 300000 ] || no "the dump is larger than 300 kB"
gzip -dc "$recorded" | grep -nE '/tmp/|/root/|/work/' | head -3 | grep . && no "the dump tells of the machine it was made on"

"$ROOT/tests/e2e/dashboard/restore.sh" "$W/data" --bin "$BIN" > "$W/restored" 2> "$W/restore.err" &
up_pid=$!
await 120 grep -qx ready "$W/restored" || { cat "$W/restore.err" "$W/data.err"; echo "WRONG: it is not restored"; exit 1; }
HONE_URL=$(sed -n 's/^HONE_URL=//p' "$W/restored")

# show NAME PATH EXPRESSION [ROLE]: of the answer `v`, in Python
show() {
  curl -sS -f -H "Authorization: Bearer $(cat "$W/data/${4:-viewer}.token")" "$HONE_URL$2" > "$W/$1.json" || { no "$1: no answer"; return; }
  python3 - "$W/$1.json" "$3" <<'PYTHON' || no "$1: $3: $(cut -c1-300 "$W/$1.json")"
import json, sys
v = json.load(open(sys.argv[1]))
sys.exit(not eval("(" + sys.argv[2] + ")"))
PYTHON
}
show whoami /v1/whoami 'v["role"] == "viewer" and v["may"]["read"] and not v["may"]["administer"]'
show overview /v1/views/overview 'any(t["best"] and t["best"]["reward"]["low"] > 0 for t in v["targets"])
  and any(a["kind"] == "failed_candidates" for a in v["attention"]) and v["fleet"]["alive"] >= 1'
winner=$(python3 -c 'import json, sys; print(next(t["best"]["campaign"] for t in json.load(open(sys.argv[1]))["targets"] if t["best"]))' "$W/overview.json")
show campaign "/v1/views/campaigns/$winner" 'v["campaign"]["state"] == "finished" and v["candidates"]["rows"] >= 8
  and sum(r is not None for r in v["candidates"]["columns"]["reward"]) >= 4'
candidate=$(json "$W/campaign.json" campaign winner_candidate)
show candidate "/v1/views/candidates/$candidate" 'v["candidate"]["winner"] and v["pairs"]["rows"] >= 1 and v["job"]["result"]["log"]
  and v["policies"] and v["worker"].startswith("staging-")'
target=$(json "$W/campaign.json" campaign target)
show history "/v1/views/targets/$target/history" 'v["points"]["rows"] >= 4 and v["series"] and v["versions"]'
show fleet /v1/views/fleet 'v["workers"][0]["name"].startswith("staging-") and v["checks"]["rows"] >= 1'
show policies /v1/views/policies 'any(p["promoted"] for p in v["policies"])'
show policy "/v1/views/policies/$target?from=1&to=2" 'len(v["versions"]) == 2 and v["diff"]["same"] >= 1'
show canaries /v1/views/canaries 'v["canaries"] == [] and v["services"] == [] and v["total"] == 0'
show explorer /v1/views/explorer 'len(v["programs"]) == 1 and v["programs"][0]["episodes"] >= 3'
program=$(json "$W/explorer.json" programs 0 program)
show tree "/v1/views/explorer?program=$program" 'len(v["transitions"]) >= 5 and v["root"]
  and any(s["instructions"] for s in v["states"])'

# Every table is a file for a spreadsheet.
for table in overview?table=targets overview?table=trend overview?table=attention "campaigns/$winner?table=candidates" \
  "candidates/$candidate?table=pairs" "candidates/$candidate?table=decisions" "targets/$target/history?table=points" \
  fleet?table=workers fleet?table=checks policies?table=policies "policies/$target?table=versions" \
  "explorer?table=programs" "explorer?program=$program&table=transitions"; do
  curl -sS -f -H "Authorization: Bearer $(cat "$W/data/viewer.token")" "$HONE_URL/v1/views/$table&format=csv" > "$W/table.csv" ||
    no "$table: no CSV"
  python3 -c 'import csv, sys; rows = list(csv.reader(open(sys.argv[1], newline=""))); sys.exit(not (len(rows) > 1 and len({len(r) for r in rows}) == 1))' \
    "$W/table.csv" || no "$table: $(head -c 300 "$W/table.csv")"
done
[ "$(curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $(cat "$W/data/worker.token")" "$HONE_URL/v1/views/overview")" = 403 ] ||
  no "a worker's token may see the overview"

# The page: one document for every view, compressed, and its assets by names that never change.
curl -sS -f --compressed -D "$W/head" "$HONE_URL/ui/campaigns/$winner" > "$W/page.html" || no "no page"
grep -qi "^content-security-policy: default-src 'none'; script-src 'self'" "$W/head" || no "the page has no policy: $(cat "$W/head")"
for asset in $(grep -oE '"/assets/[^"]+"' "$W/page.html" | tr -d '"'); do
  curl -sS -f --compressed -D "$W/head" "$HONE_URL$asset" > "$W/asset" || no "no $asset"
  grep -qi '^cache-control: public, max-age=31536000, immutable' "$W/head" || no "$asset is not kept"
done

kill -TERM "$up_pid" && wait "$up_pid" || no "restore.sh ended with $?"
up_pid=
left=$(leftovers)
[ -z "$left" ] || no "processes left behind: $left"
finish
