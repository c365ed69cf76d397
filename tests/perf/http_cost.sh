#!/usr/bin/env bash
# What a cached read costs honed, in processor time of its own, by what a bare Beast server needs for the same bytes.
#
#   http_cost.sh [--bin DIR] [--turns N] [--requests N]
#
#   --bin       build folder [build/release if it has honed, else build/dev]
#   --turns     turns of each server [20]
#   --requests  requests in a turn [20,000]
#
# A honed of its own with a private PostgreSQL and a promoted policy is asked for /healthz, for the policy, and for the
# policy by ETag (304), with a token (whose requests are counted against a limit that it does not reach) and over 8
# connections that stay. tests/perf/http_bare.cc answers the same requests with the same bytes from memory. Both get the
# same load in turns; a turn's figure is the CPU time of that server's process (its database's does not count: it is not
# asked). Prints the cost of each in microseconds, the largest ratio last. Exit 1 if one is over 1.5; 2 for bad usage; 77 if curl or the programs are missing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin= turns=20 requests=20000 bound=1.5
usage() { sed -n '2,15s/^# \{0,1\}//p' "$0" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --bin) bin=${2:-}; [ -n "$bin" ] || usage; shift 2 ;;
    --turns) turns=${2:-}; shift 2 ;;
    --requests) requests=${2:-}; shift 2 ;;
    *) usage ;;
  esac
done
[[ $turns =~ ^[1-9][0-9]{0,3}$ && $requests =~ ^[1-9][0-9]{2,7}$ ]] || usage
for folder in "$root/build/dev" "$root/build/release"; do
  [ -n "$bin" ] || [ ! -x "$folder/bin/honed" ] || found=$folder
done
bin=${bin:-${found:-$root/build/dev}}
for program in bin/honed tests/http_bare tests/http_load; do
  [ -x "$bin/$program" ] || { echo "SKIP: no $bin/$program"; exit 77; }
done
command -v curl > /dev/null || { echo "SKIP: no curl"; exit 77; }

work=$(mktemp -d) && chmod 711 "$work"
honed_pid= bare_pid=
cleanup() {
  [ -z "$bare_pid" ] || { kill "$bare_pid"; wait "$bare_pid" || true; } 2> /dev/null
  [ -z "$honed_pid" ] || { kill "$honed_pid"; wait "$honed_pid" || true; } 2> /dev/null
  rm -rf "$work"
}
trap cleanup EXIT
"$bin/bin/honed" --data "$work/data" --listen 127.0.0.1:0 --rate-limit 1000000000 > "$work/honed.out" 2> "$work/honed.err" &
honed_pid=$!
until [ -s "$work/data/honed.address" ]; do
  kill -0 "$honed_pid" 2> /dev/null || { cat "$work/honed.err" >&2; exit 1; }
  sleep 0.1
done
address=$(cat "$work/data/honed.address")
header="Authorization: Bearer $(cat "$work/data/admin.token")"
ask() { curl -sSf -X "$1" -H "$header" -H 'Content-Type: application/json' ${3:+--data "$3"} "http://$address$2"; }

ask PUT /v1/targets/product '{"name":"product","source":{"git":{"url":"/srv/product",
  "commit":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}},"build":{"commands":[["make"]],"binaries":["product"]},
  "benchmark":{"command":["{build}/product"]}}' > /dev/null
rules=$(for file in a b c d e f g h; do
  printf '{"source":"src/%s.c","pipeline":"default<O3>","knobs":{"unroll-count":"4"}},' "$file"
done)
ask POST /v1/policies/product "{\"document\":{\"format\":1,\"target\":\"product\",\"sequence\":1,\"compiler\":{\"family\":\"clang\",\"major\":19},\"rules\":[${rules%,}]}}" \
  > "$work/published" || { echo "http_cost.sh: the policy is refused" >&2; exit 1; }
ask POST /v1/policies/product/versions/1/promote '{}' > /dev/null
etag=$(curl -sSf -H "$header" -D - -o /dev/null "http://$address/v1/policies/product" | tr -d '\r' | sed -n 's/^[Ee][Tt]ag: //p')

# What a client sends.
request() {
  printf 'GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: hone\r\nAccept: */*\r\n%s\r\n%s\r\n' "$1" "$address" "$header" \
    "${2:+If-None-Match: $2$'\r\n'}"
}
request /healthz > "$work/health"
request /v1/policies/product > "$work/policy"
request /v1/policies/product "$etag" > "$work/unchanged"
for kind in health policy unchanged; do
  "$bin/tests/http_load" --request "$work/$kind" --reply "$work/$kind.reply" --turns 1 --requests 2000 --connections 8 \
    "${address##*:}:$honed_pid" > /dev/null
done
head -1 "$work/policy.reply" | grep -q ' 200 ' && head -1 "$work/unchanged.reply" | grep -q ' 304 ' ||
  { echo "http_cost.sh: the policy is not served" >&2; exit 1; }
"$bin/tests/http_bare" "$work"/{health,policy,unchanged}.reply > "$work/bare.out" &
bare_pid=$!
until [ -s "$work/bare.out" ]; do
  kill -0 "$bare_pid" 2> /dev/null || exit 1
  sleep 0.1
done

for kind in health policy unchanged; do
  "$bin/tests/http_load" --request "$work/$kind" --turns "$turns" --requests "$requests" --connections 8 \
    "${address##*:}:$honed_pid" "$(cat "$work/bare.out"):$bare_pid" > "$work/costs"
  awk -v kind=$kind -v bytes="$(stat -c %s "$work/$kind.reply")" '
    $1 == "ratio" { ratio = $2; next }
    { sum[$2] += $3; count[$2]++ }
    END {
      printf "%s (%d bytes): honed %.2f us, bare Beast %.2f us, ratio %.2f\n", kind, bytes, sum[0] / count[0] / 1000,
        sum[1] / count[1] / 1000, ratio
    }' "$work/costs" | tee -a "$work/figures"
done
echo "load: $(cut -d' ' -f1-3 /proc/loadavg)"
awk -v bound=$bound '{ worst = $NF > worst ? $NF : worst } END { print "largest ratio: " worst; exit worst > bound }' \
  "$work/figures"
