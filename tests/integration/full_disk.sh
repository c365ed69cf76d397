#!/usr/bin/env bash
# A disk that is full, under everything honed has: uploads are refused with 507 before it is full, what needs no room goes
# on being served, the private PostgreSQL lives on (writes are answered 503), and all comes back with the room.
#
# Needs root and a mount namespace of its own, with a small tmpfs in it. SKIPPED without.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ "${1-}" != inside ]; then
  if [ "$(id -u)" -ne 0 ] || ! unshare -m true 2>/dev/null; then
    echo "SKIPPED: no mount namespace to be had"
    exit 77
  fi
  exec unshare -m bash "$here/$(basename "${BASH_SOURCE[0]}")" inside
fi
. "$here/../support/world.sh"
mkdir "$W/disk"
mount -t tmpfs -o size=360m,mode=755 hone-test "$W/disk" || { echo "SKIPPED: no tmpfs to be had"; exit 77; }
data=$W/disk/data
# Nothing is to stay free: but PostgreSQL lies on the same disk, so that uploads leave what it needs to go on.
"$BIN/honed" --data "$data" --listen 127.0.0.1:0 --min-free-bytes 0 > "$W/honed.out" 2> "$W/honed.log" &
honed=$!
trap 'kill -TERM $honed 2>/dev/null; wait $honed 2>/dev/null; umount "$W/disk"; rm -rf "$W"' EXIT
await 60 test -s "$data/honed.address" || { cat "$W/honed.log"; echo "WRONG: honed does not start"; exit 1; }
export HONE_URL=http://$(cat "$data/honed.address") HONE_TOKEN_FILE=$data/admin.token
token=$(cat "$HONE_TOKEN_FILE")

# ask METHOD PATH [curl's arguments...]: prints the status; the body is in $W/body
ask() {
  local method=$1 path=$2
  shift 2
  curl -s -o "$W/body" -w '%{http_code}' -X "$method" -H "Authorization: Bearer $token" "$@" "$HONE_URL$path"
}
put_file() { ask PUT "/v1/artifacts/$(sha256sum < "$1" | cut -d' ' -f1)" -H 'Content-Type: application/octet-stream' -T "$1"; }
put_target() {
  ask PUT "/v1/targets/$1" -H 'Content-Type: application/json' -d '{"name": "'"$1"'", "source": {"git": {"url": "/srv/p", "commit": "'"$(printf 'a%.0s' {1..40})"'"}},
    "build": {"commands": [["make"]], "binaries": ["p"]}, "benchmark": {"command": ["{build}/p"]}}'
}
is() { [ "$2" = "$3" ] || no "$1: $2 instead of $3: $(head -c 600 "$W/body")"; }

head -c 3000000 /dev/urandom > "$W/one"
head -c 3000000 /dev/urandom > "$W/two"
head -c 30000000 /dev/urandom > "$W/large"
is "an upload" "$(put_file "$W/one")" 201
is "a target" "$(put_target first)" 201
# Never used before: to look it up, honed would note its use.
"$BIN/hone" token create reader --role viewer --output "$W/reader" > /dev/null || no "no token"
postmaster=$(head -1 "$data/postgres/data/postmaster.pid")

# Not full, but too full for this one.
free=$(df -B1 --output=avail "$W/disk" | tail -1)
fallocate -l $((free - 90000000)) "$W/disk/fill" || no "cannot fill the disk"
is "an upload that leaves too little" "$(put_file "$W/large")" 507
grep -q '"code":"disk_full"' "$W/body" || no "the refusal is no problem document: $(cat "$W/body")"
is "an upload in parts that leaves too little" \
  "$(ask POST "/v1/artifacts/$(sha256sum < "$W/large" | cut -d' ' -f1)/upload" -H 'Content-Type: application/json' \
    -d '{"size_bytes": 30000000}')" 507
sleep 2  # four looks of who watches the disk
is "a write after uploads have filled the disk as far as they may" "$(put_target zeroth)" 201

dd if=/dev/zero of="$W/disk/fill2" bs=1M > /dev/null 2>&1
refused_for_room() { [ "$(put_target second)" = 503 ] && grep -q 'nearly full' "$W/body"; }
await 30 refused_for_room || no "a write on a full disk: $(cat "$W/body")"
dd if=/dev/zero of="$W/disk/fill3" bs=64k > /dev/null 2>&1  # what was held back for PostgreSQL, too
is "an upload on a full disk" "$(put_file "$W/two")" 507
for path in /healthz /readyz /v1/targets /v1/targets/first /v1/jobs /v1/workers /metrics; do
  is "reading $path on a full disk" "$(ask GET $path)" 200
done
is "an artifact on a full disk" "$(ask GET "/v1/artifacts/$(sha256sum < "$W/one" | cut -d' ' -f1)")" 200
cmp -s "$W/body" "$W/one" || no "the artifact came back otherwise"
token=$(cat "$W/reader")
is "a token that was never used, on a full disk" "$(ask GET /v1/targets)" 200
token=$(cat "$HONE_TOKEN_FILE")
is "another write on a full disk" "$(put_target fourth)" 503
# What makes room is not refused for want of it.
is "a collection on a full disk" "$(ask POST /v1/artifacts/gc -H 'Content-Type: application/json' -d '{}')" 200

rm "$W/disk/fill" "$W/disk/fill2" "$W/disk/fill3"
written() { [ "$(put_target third)" = 201 ]; }
await 30 written || no "a write with room again: $(cat "$W/body")"
is "an upload with room again" "$(put_file "$W/two")" 201
is "the large upload with room again" "$(put_file "$W/large")" 201
[ "$(head -1 "$data/postgres/data/postmaster.pid")" = "$postmaster" ] || no "PostgreSQL was started anew"
grep -q PANIC "$data/postgres/postgres.log" && no "PostgreSQL panicked"
grep -q '"event":"disk_full"\|disk_full' "$W/honed.log" || no "the log does not tell that the disk was full"
finish
