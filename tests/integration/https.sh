#!/usr/bin/env bash
# honed over HTTPS, with our own programs as clients: certificates are renewed without a restart, workers show
# theirs, and SIGTERM lets go in order.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
for program in openssl curl; do
  command -v $program > /dev/null || { echo "SKIP: no $program"; exit 77; }
done

# certificate NAME SUBJECT-ALTERNATIVE-NAME: NAME.pem and NAME.key, signed by itself
certificate() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$1" -addext "subjectAltName=$2" \
    -keyout "$W/$1.key" -out "$W/$1.part" 2> "$W/openssl.err" &&
    mv "$W/$1.part" "$W/$1.pem" || no "no certificate $1: $(cat "$W/openssl.err")"
}
# The one in use is replaced as certbot does it: one file after the other.
renew() {
  certificate next IP:127.0.0.1
  cp "$W/next.key" "$W/server.key"
  cp "$W/next.pem" "$W/server.pem"
}
serial() { openssl x509 -noout -serial -in "$1"; }
shown() { openssl s_client -connect "$address" < /dev/null 2> /dev/null | openssl x509 -noout -serial; }

# sign NAME: likewise, signed by ca
sign() {
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$W/$1.key" -out "$W/$1.csr" \
    2> "$W/openssl.err" &&
    openssl x509 -req -days 2 -in "$W/$1.csr" -CA "$W/ca.pem" -CAkey "$W/ca.key" -CAcreateserial -out "$W/$1.pem" \
      2>> "$W/openssl.err" || no "no certificate $1: $(cat "$W/openssl.err")"
}
certificate server IP:127.0.0.1
certificate ca DNS:ca
sign worker

"$BIN/honed" --data "$W/data" --listen 127.0.0.1:0 --tls-cert "$W/server.pem" --tls-key "$W/missing.key" \
  > "$W/refused.out" 2>&1 && no "honed starts without a key"
grep -q missing.key "$W/refused.out" || no "the missing key is not named: $(cat "$W/refused.out")"

"$BIN/honed" --data "$W/data" --listen 127.0.0.1:0 --tls-cert "$W/server.pem" --tls-key "$W/server.key" \
  --tls-client-ca "$W/ca.pem" --require-worker-certificate > "$W/honed.out" 2> "$W/honed.err" &
up_pid=$!
await 60 test -s "$W/data/honed.address" || { cat "$W/honed.err"; echo "WRONG: honed does not start"; exit 1; }
grep -q 'listens on https://' "$W/honed.out" || no "it does not say https: $(cat "$W/honed.out")"
address=$(cat "$W/data/honed.address")
export HONE_URL=https://$address HONE_TOKEN_FILE=$W/data/admin.token HONE_CA_FILE=$W/server.pem

"$BIN/hone" worker list --json > "$W/list" 2>&1 || no "hone worker list: $(cat "$W/list")"
HONE_CA_FILE='' "$BIN/hone" worker list > "$W/untrusted" 2>&1 && no "a stranger's certificate is trusted"
grep -q HONE_CA_FILE "$W/untrusted" || no "it does not say what to do: $(cat "$W/untrusted")"
HONE_URL=http://$address "$BIN/hone" worker list > "$W/plain" 2>&1 && no "plain HTTP is served"
grep -q 'use https://' "$W/plain" || no "it does not say to use https: $(cat "$W/plain")"

# A worker's token is good together with a certificate only.
"$BIN/hone" token create host --role worker --json > "$W/token.json" || no "no token"
(umask 077 && jq -r .token "$W/token.json" > "$W/worker.token")
lease() {
  curl -sS -o "$W/lease.out" -w '%{http_code}\n' --cacert "$W/server.pem" -X POST -H 'Content-Type: application/json' \
    -H "Authorization: Bearer $(cat "$W/worker.token")" "$@" "$HONE_URL/v1/leases"
}
with_certificate=(--cert "$W/worker.pem" --key "$W/worker.key")
asks='{"version":1,"worker":"host-1","wait_seconds":0}'
code=$(lease -d "$asks"); [ "$code" = 403 ] || no "a worker without a certificate gets $code"
code=$(lease "${with_certificate[@]}" -d "$asks"); [ "$code" = 404 ] || no "a worker with one gets $code: $(cat "$W/lease.out")"

# Renewed by the files alone, then by a signal; a bad pair changes nothing.
old=$(shown)
[ "$old" = "$(serial "$W/server.pem")" ] || no "another certificate is shown"
renew
is_renewed() { [ "$(shown)" = "$(serial "$W/next.pem")" ]; }
await 20 is_renewed || no "a renewed certificate is not taken up"
echo nonsense > "$W/server.pem"
kill -HUP $up_pid
await 20 grep -q tls_reload_failed "$W/honed.err" || no "a bad certificate is not told"
is_renewed || no "a bad certificate replaced the good one"
certificate last IP:127.0.0.1
cp "$W/last.key" "$W/server.key" && cp "$W/last.pem" "$W/server.pem"
kill -HUP $up_pid
is_last() { [ "$(shown)" = "$(serial "$W/last.pem")" ]; }
await 20 is_last || no "SIGHUP does not reload"

# SIGTERM: a waiting worker is told that there is nothing, an event stream ends, and honed is gone in order.
export HONE_CA_FILE=$W/server.pem
curl -sS --cacert "$W/server.pem" "${with_certificate[@]}" -X PUT -H 'Content-Type: application/json' -d '{"name":"host-1"}' \
  -H "Authorization: Bearer $(cat "$W/worker.token")" "$HONE_URL/v1/workers/host-1" > "$W/registered" 2>&1
if code=$(lease "${with_certificate[@]}" -d "$asks") && [ "$code" = 204 ]; then
  { lease "${with_certificate[@]}" -d '{"version":1,"worker":"host-1","wait_seconds":60}' > "$W/waited"; } &
  waiting=$!
  curl -sSN --cacert "$W/server.pem" -H "Authorization: Bearer $(cat "$HONE_TOKEN_FILE")" "$HONE_URL/v1/events" \
    > "$W/events" 2> "$W/events.err" &
  streaming=$!
  # Both were let in, not only connected.
  busy() { [ "$(curl -sS --cacert "$W/server.pem" -H "Authorization: Bearer $(cat "$HONE_TOKEN_FILE")" "$HONE_URL/metrics" |
    awk '$1 == "hone_lease_waits" || $1 == "hone_streams{kind=\"events\"}" { open += $2 } END { print open }')" = 2 ]; }
  await 20 busy || no "nobody waits"
  kill -TERM $up_pid
  wait $waiting
  [ "$(cat "$W/waited")" = 204 ] || no "the waiting worker got $(cat "$W/waited")"
  wait $streaming
else
  no "the worker is not registered: $code $(cat "$W/registered")"
  kill -TERM $up_pid
fi
wait $up_pid || no "honed ended with $?"
up_pid=

# hone up with the same files: its worker comes over HTTPS, too, and other terminals are told whom to trust.
export HONE_CA_FILE=$W/server.pem HONE_CERT_FILE=$W/worker.pem HONE_KEY_FILE=$W/worker.key
world_up --tls-cert "$W/server.pem" --tls-key "$W/server.key" --tls-client-ca "$W/ca.pem" --slots 1
export HONE_URL=https://${HONE_URL#http://}
grep -q "HONE_URL=$HONE_URL .* HONE_CA_FILE=$W/server.pem" "$W/up.out" || no "hone up says: $(cat "$W/up.out")"
is_there() { "$BIN/hone" worker list --json 2> "$W/list.err" | grep -q '"name": "local"'; }
await 60 is_there || no "hone up's worker does not come: $(cat "$W/list.err" "$W/data/logs/worker.log")"
world_down
finish
