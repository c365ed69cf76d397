# Sourced by queue_rate.sh, queue_flat.sh and workers_2000.sh: a honed of one's own with a private
# PostgreSQL, fsync on, in $work (fresh and removed at the end unless given), a target "load" and a
# token.
#
#   find_programs             $bin, or the build folder that has honed and queue_load; 77 without what is needed
#   start_honed [OPTIONS...]  sets $pid, $port, $token
#   stop_honed
#   sql [psql's arguments]    asks its database as honed does
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
name=$(basename "$0")
bin= work= kept= pid=
usage() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$0" >&2; exit 2; }
fail() { echo "$name: $*" >&2; exit 2; }
skip() { echo "SKIP: $*"; exit 77; }
is_number() { [[ $1 =~ ^[1-9][0-9]{0,8}$ ]]; }

find_programs() {
  local folder
  for folder in "$root/build/release" "$root/build/dev"; do
    [ -n "$bin" ] || [ ! -x "$folder/tests/queue_load" ] || bin=$folder
  done
  bin=${bin:-$root/build/dev}
  [ -x "$bin/bin/honed" ] && [ -x "$bin/tests/queue_load" ] || skip "no $bin/bin/honed and tests/queue_load: build them"
  command -v psql curl python3 > /dev/null || skip "psql, curl or python3 is missing"
  load=$bin/tests/queue_load
  if [ -n "$work" ]; then kept=1; else work=$(mktemp -d /var/tmp/hone-queue.XXXXXX); fi
  mkdir -p "$work" && chmod 711 "$work"
  trap cleanup EXIT
}
stop_honed() {
  [ -z "$pid" ] || { kill "$pid" 2> /dev/null; wait "$pid" 2> /dev/null || true; }
  pid=
}
cleanup() {
  stop_honed
  [ -n "$kept" ] || rm -rf "$work"
}
start_honed() {
  rm -f "$work/data/honed.address"
  ulimit -n 16384 2> /dev/null || ulimit -n "$(ulimit -Hn)"
  "$bin/bin/honed" --data "$work/data" --listen 127.0.0.1:0 --log-level warning "$@" \
    > "$work/honed.out" 2> "$work/honed.err" &
  pid=$!
  until [ -s "$work/data/honed.address" ]; do
    kill -0 "$pid" 2> /dev/null || { cat "$work/honed.err" >&2; fail "honed does not start"; }
    sleep 0.2
  done
  port=$(sed 's/.*://' "$work/data/honed.address")
  token=$(cat "$work/data/admin.token")
  [ "$(curl -s -o "$work/target.out" -w '%{http_code}' -X PUT "http://127.0.0.1:$port/v1/targets/load" \
    -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -d '{"name": "load",
      "source": {"git": {"url": "/srv/load", "commit": "1234567890123456789012345678901234567890"}},
      "build": {"commands": [["make"]], "binaries": ["load"]},
      "benchmark": {"command": ["{build}/load"]}}')" -lt 300 ] ||
    { cat "$work/target.out" >&2; fail "the target is not taken"; }
}
sql() { psql -qAtX -v ON_ERROR_STOP=1 -h "$work/data/postgres/run" -U hone hone "$@"; }
load_said() { echo "load $(cut -d' ' -f1-3 /proc/loadavg), $(nproc) processors"; }
