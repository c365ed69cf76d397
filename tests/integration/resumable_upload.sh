#!/usr/bin/env bash
# Large uploads are gone on with: `hone target add` while honed is killed (-9) in the middle and started again, and an
# upload by hand whose connection is cut. What arrives is whole, and was not sent from the start again.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
data=$W/data
listen=127.0.0.1:0
start() {
  "$BIN/honed" --data "$data" --listen "$listen" --min-free-bytes 0 > "$W/honed.out" 2>> "$W/honed.log" &
  honed=$!
  await 60 grep -q 'honed listens' "$W/honed.out" || { tail -5 "$W/honed.log"; echo "WRONG: honed does not start"; exit 1; }
  listen=$(cat "$data/honed.address")
}
trap 'kill -TERM $honed 2>/dev/null; wait $honed 2>/dev/null; rm -rf "$W"' EXIT
start
export HONE_URL=http://$listen HONE_TOKEN_FILE=$data/admin.token
token=$(cat "$HONE_TOKEN_FILE")
partial_size() { stat -c %s "$data"/artifacts/uploads/*.partial 2>/dev/null | sort -n | tail -1; }
partial_has() { [ "$(partial_size)" -gt "${1:-0}" ] 2>/dev/null; }

# A product that does not compress.
mkdir -p "$W/product"
head -c 150000000 /dev/urandom > "$W/product/big.bin"
cat > "$W/product/hone.yaml" <<'YAML'
name: big
build:
  commands: [["true"]]
  binaries: [big.bin]
benchmark:
  command: ["{build}/big.bin"]
YAML
"$BIN/hone" target add "$W/product" > "$W/add.out" 2>&1 &
adding=$!
for ((i = 0; i < 6000; i++)); do partial_has 20000000 && break; sleep 0.02; done
kill -9 $honed
wait $honed 2>/dev/null
before=$(partial_size)
kill -0 $adding 2>/dev/null || no "the upload was over before honed was killed: $(cat "$W/add.out")"
[ "${before:-0}" -gt 20000000 ] && [ "$before" -lt 150000000 ] || no "honed was not killed in the middle: $before bytes were there"
start
now=$(partial_size)
[ -z "$now" ] || [ "$now" -ge "$before" ] || no "the upload began anew: $now bytes instead of $before"
wait $adding || no "hone target add failed: $(cat "$W/add.out")"
[ -z "$(partial_size)" ] || no "a part is left over"
"$BIN/hone" --json target show big > "$W/target.json" || no "the target is not registered"
sha=$(jq -r '.spec.source.artifact // .source.artifact' "$W/target.json")
file=$data/artifacts/${sha:0:2}/$sha
[ "$(sha256sum < "$file" | cut -d' ' -f1)" = "$sha" ] || no "the artifact is not whole: $file"

# By hand: a connection that is cut in the middle.
head -c 40000000 /dev/urandom > "$W/file"
sha=$(sha256sum < "$W/file" | cut -d' ' -f1)
auth="Authorization: Bearer $token"
upload=$(curl -s -X POST -H "$auth" -H 'Content-Type: application/json' -d '{"size_bytes": 40000000}' \
  "$HONE_URL/v1/artifacts/$sha/upload" | jq -r .id)
curl -s --limit-rate 8M -X PATCH -T "$W/file" -H "$auth" -H 'Content-Type: application/octet-stream' -H 'Upload-Offset: 0' \
  "$HONE_URL/v1/uploads/$upload" > /dev/null &
sending=$!
for ((i = 0; i < 6000; i++)); do partial_has 1000000 && break; sleep 0.02; done
kill -9 $sending
wait $sending 2>/dev/null
offset_header() { curl -s -I -H "$auth" "$HONE_URL/v1/uploads/$upload" | tr -d '\r' | sed -n 's/^Upload-Offset: //p'; }
sleep_until_quiet() { local last=-1 now; for ((i = 0; i < 100; i++)); do now=$(offset_header); [ "$now" = "$last" ] && return; last=$now; sleep 0.2; done; }
sleep_until_quiet
offset=$(offset_header)
[ "${offset:-0}" -gt 1000000 ] && [ "$offset" -lt 40000000 ] || no "the cut upload is at $offset"
tail -c +$((offset + 1)) "$W/file" > "$W/rest"
for ((i = 0; i < 50; i++)); do
  status=$(curl -s -o "$W/body" -w '%{http_code}' -X PATCH -T "$W/rest" -H "$auth" -H 'Content-Type: application/octet-stream' \
    -H "Upload-Offset: $offset" "$HONE_URL/v1/uploads/$upload")
  [ "$status" = 409 ] || break  # the cut connection is not given up yet
  sleep 0.2
done
[ "$status" = 201 ] || no "the rest of the upload: $status $(cat "$W/body")"
[ "$(curl -s -H "$auth" "$HONE_URL/v1/artifacts/$sha" | sha256sum | cut -d' ' -f1)" = "$sha" ] || no "it came back otherwise"
kill -TERM $honed
wait $honed || no "honed ended with $?"
echo "honed was killed when $before bytes were there, the connection was cut at $offset"
finish
