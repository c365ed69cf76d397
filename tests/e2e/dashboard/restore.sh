#!/usr/bin/env bash
# A honed on what record.sh recorded: restore.sh FOLDER [--bin DIR] [--file FILE] [--listen ADDRESS:PORT]
#
#   FOLDER     for its data; fresh, or absent
#   --bin      folder of honed [build/dev/bin, or HONE_BIN]
#   --file     the dump [recorded.sql.gz beside this script]
#   --listen   [127.0.0.1:0: any free port]
#
# Starts it, loads the dump, makes a token of each role (FOLDER/viewer.token, ...; FOLDER/admin.token is the first
# one), says so in lines NAME=VALUE (HONE_URL, HONE_TOKEN_FILE, HONED_PID) on standard output, and stays until it is told
# to end (SIGTERM, SIGINT), or the one line `ready` was followed by the end of standard input where --until-eof is given.
# honed ends with it.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
folder= bin=${HONE_BIN:-$root/build/dev/bin} file=$root/tests/e2e/dashboard/recorded.sql.gz listen=127.0.0.1:0 until_eof=
while [ $# -gt 0 ]; do
  case $1 in
    --bin) bin=${2:?--bin needs a folder}; shift 2 ;;
    --file) file=${2:?--file needs a file}; shift 2 ;;
    --listen) listen=${2:?--listen needs an address}; shift 2 ;;
    --until-eof) until_eof=1; shift ;;
    -*) sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    *) folder=$1; shift ;;
  esac
done
[ -n "$folder" ] || { sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 2; }
fail() { echo "restore.sh: $*" >&2; exit 2; }
[ -x "$bin/honed" ] || fail "no $bin/honed: build it"
[ -s "$file" ] || fail "no $file: run record.sh"
command -v psql > /dev/null || fail "psql is missing (Debian: postgresql-client)"
mkdir -p "$folder" && chmod 711 "$folder"
folder=$(realpath "$folder")
[ ! -e "$folder/honed.address" ] && [ ! -e "$folder/postgres" ] || fail "$folder is in use: name a fresh folder"

honed_pid=
cleanup() {
  [ -z "$honed_pid" ] || { kill "$honed_pid" 2> /dev/null; wait "$honed_pid" 2> /dev/null; } || true
}
trap cleanup EXIT
trap 'exit 0' TERM INT
"$bin/honed" --data "$folder" --listen "$listen" > "$folder.out" 2> "$folder.err" &
honed_pid=$!
until [ -s "$folder/honed.address" ]; do
  kill -0 "$honed_pid" 2> /dev/null || { cat "$folder.err" >&2; fail "honed does not start"; }
  sleep 0.1
done
url=http://$(cat "$folder/honed.address")
token=$(cat "$folder/admin.token")

# The dump's rows refer to each other in circles, and their triggers have fired when they were made. Whatever is newer
# in the schema than the dump keeps its default.
sql() { psql -qAtX -v ON_ERROR_STOP=1 -h "$folder/postgres/run" -U hone hone "$@"; }
{
  echo 'SET session_replication_role = replica;'
  gzip -dc "$file"
} | sql > /dev/null || fail "the dump does not fit this honed's schema: record it anew"
# Transaction numbers are of the cluster that wrote them (see the comment of experiences.transaction).
sql -c "UPDATE steps SET transaction = '3'" -c "UPDATE experiences SET transaction = '3'" -c "UPDATE events SET transaction = '3'"
sql -f "$root/tests/e2e/dashboard/shift.sql"
sql -c "SELECT summarise_results(array_agg(attempt)) FROM results" -c "UPDATE workers SET last_seen_at = now()" -c ANALYZE > /dev/null

ask() { curl -sS -f -H "Authorization: Bearer $token" "$@"; }
for role in viewer submitter worker learner; do
  ask -H 'Content-Type: application/json' -d "{\"name\": \"test-$role\", \"role\": \"$role\"}" "$url/v1/tokens" |
    sed -E 's/.*"token":"([^"]*)".*/\1/' > "$folder/$role.token"
  chmod 600 "$folder/$role.token"
done
program=$root/tests/e2e/dashboard/program.ll
ask -X PUT -H 'Content-Type: application/octet-stream' --data-binary "@$program" \
  "$url/v1/artifacts/$(sha256sum < "$program" | cut -d' ' -f1)" > /dev/null
printf 'HONE_URL=%s\nHONE_TOKEN_FILE=%s\nHONED_PID=%s\nready\n' "$url" "$folder/admin.token" "$honed_pid"
if [ -n "$until_eof" ]; then
  cat > /dev/null
else
  wait "$honed_pid"
fi
