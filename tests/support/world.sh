# Sourced by the integration and end-to-end scripts: a whole Hone in a folder of its own.
#
#   HONE_BIN   folder of hone, honed, hone-worker and hone-cc (default: build/dev/bin)
#   $W         a fresh folder, readable by the unprivileged users, gone at the end
#   world_up [ARGUMENTS OF hone up...]    starts it on a free port and exports HONE_URL, HONE_TOKEN_FILE
#   world_down                            stops it and fails if a process is left
#   honed_up [ARGUMENTS OF honed...]      the coordinator alone, its log in $W/honed.log; honed_down stops it
#   no MESSAGE / finish                   count what is wrong / exit with it
set -uo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BIN=$(realpath "${HONE_BIN:-$ROOT/build/dev/bin}")
for program in hone honed hone-worker hone-cc; do
  [ -x "$BIN/$program" ] || { echo "SKIP: no $BIN/$program"; exit 77; }
done
W=$(mktemp -d) && chmod 755 "$W" || exit 77
wrong=0
up_pid=

no() { printf 'WRONG: %s\n' "$*"; wrong=$((wrong + 1)); }

# Processes whose command line or working folder lies in this world.
leftovers() {
  local process
  for process in /proc/[0-9]*; do
    case ${process#/proc/} in $$ | "$BASHPID") continue ;; esac
    if { tr '\0' ' ' < "$process/cmdline"; readlink "$process/cwd"; } 2>/dev/null | grep -qF "$W"; then
      printf '%s %s\n' "${process#/proc/}" "$(tr '\0' ' ' < "$process/cmdline" 2>/dev/null)"
    fi
  done
}

# Runs a command again until it succeeds: await SECONDS COMMAND...
await() {
  local until=$((SECONDS + $1))
  shift
  until "$@" > /dev/null 2>&1; do
    [ $SECONDS -lt $until ] || return 1
    sleep 0.2
  done
}

world_up() {
  rm -f "$W/data/honed.address" "$W/up.out"  # what the last one said is not this one's
  "$BIN/hone" up --data "$W/data" --listen 127.0.0.1:0 "$@" > "$W/up.out" 2>&1 &
  up_pid=$!
  await 60 grep -q 'Ctrl-C' "$W/up.out" || { cat "$W/up.out"; echo "WRONG: hone up does not start"; exit 1; }
  HONE_URL=http://$(cat "$W/data/honed.address")
  HONE_TOKEN_FILE=$W/data/admin.token
  export HONE_URL HONE_TOKEN_FILE
}

world_down() {
  [ -n "$up_pid" ] || return 0
  kill -TERM "$up_pid" 2>/dev/null
  wait "$up_pid" || no "hone up ended with $?"
  up_pid=
  local left
  left=$(leftovers)
  [ -z "$left" ] || no "processes left behind: $left"
}

honed_up() {
  rm -f "$W/honed.log"  # what the last one said is not this one's
  "$BIN/honed" --data "$W/data" --listen 127.0.0.1:0 "$@" > "$W/honed.log" 2>&1 &
  up_pid=$!
  await 60 grep -q 'listens on' "$W/honed.log" || { cat "$W/honed.log"; echo "WRONG: honed does not start"; exit 1; }
  HONE_URL=http://$(cat "$W/data/honed.address")
  HONE_TOKEN_FILE=$W/data/admin.token
  export HONE_URL HONE_TOKEN_FILE
}

honed_down() {
  kill -TERM "$up_pid"
  wait "$up_pid" || no "honed ended with $?"
  up_pid=
}

clean_up() {
  if [ -n "$up_pid" ]; then
    kill -TERM "$up_pid" 2>/dev/null
    wait "$up_pid" 2>/dev/null
  fi
  rm -rf "$W"
}
trap clean_up EXIT

finish() {
  [ $wrong = 0 ] && exit 0
  for log in "$W"/honed.log "$W"/data/logs/*.log; do
    [ -e "$log" ] || continue
    printf -- '--- %s\n' "$(basename "$log")"
    tail -n 40 "$log"
  done
  exit 1
}

# A request with the token of $HONE_TOKEN_FILE; its answer, and curl's exit code where that is no good one.
api() {  # METHOD PATH [BODY]
  curl -sS --fail-with-body -X "$1" "$HONE_URL$2" -H "Authorization: Bearer $(cat "$HONE_TOKEN_FILE")" \
    -H 'Content-Type: application/json' -d "${3:-"{}"}"
}

# The value at a path of keys in a JSON document: json FILE KEY... (nothing where there is none).
json() {
  python3 - "$@" <<'PYTHON'
import json, sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2:]:
    if isinstance(value, list):
        value = value[int(key)] if int(key) < len(value) else None
    else:
        value = value.get(key) if isinstance(value, dict) else None
if value is not None:
    print(value if isinstance(value, (str, int, float)) else json.dumps(value))
PYTHON
}
