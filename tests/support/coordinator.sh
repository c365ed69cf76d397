# A honed of a script's own, on a port that stays the same over its restarts, and what such scripts have in
# common. To be sourced; needs $here, $bin and $self (the script's name, for messages) and makes $work, which goes
# when the script ends well, and $data in it. HONE_URL and HONE_TOKEN_FILE are exported.
#
#   $spare_ports           two more ports that nobody listens on
#   start_honed ARGS...    starts it with further arguments, in the background; $honed is its process
#   ready                  whether it serves
#   within SECONDS WHAT COMMAND...   runs the command until it succeeds; ends the script if it does not in time
#   give_up WHY            ends the script
#   leave STATUS           keeps $work where the status is not 0, and ends the script with it
#   processes              those that run on $work or stand in it, but for this script

if [ ! -x "$bin/hone" ]; then
  cmake -S "$here" --preset release > /dev/null
  cmake --build "$here/build/release" --parallel "$(nproc)" \
    --target honed hone-worker hone-cc hone hone_pass-19 > /dev/null
fi

give_up() { echo "$self: $*" >&2; exit 1; }
within() {
  local seconds=$1 what=$2 until=$((SECONDS + $1))
  shift 2
  until "$@"; do
    [ $SECONDS -lt $until ] || give_up "$what did not happen within $seconds s"
    sleep 0.1
  done
}
processes() {
  local process pid
  for process in /proc/[0-9]*; do
    pid=${process#/proc/}
    [ "$pid" != $$ ] && [ "$pid" != "$BASHPID" ] && [ "$pid" != "$PPID" ] || continue
    case "$(readlink "$process/cwd" 2>/dev/null)/" in
      "$work"/*) echo "$pid"; continue ;;
    esac
    if { tr '\0' ' ' < "$process/cmdline"; } 2>/dev/null | grep -qF -- "$work"; then
      echo "$pid"
    fi
  done
}

work=$(mktemp -d "/var/tmp/hone-$self.XXXXXX")
chmod 711 "$work"
data=$work/data
mkdir -m 711 "$data"
honed=
read -r honed_port spare_ports <<< "$(python3 -c '
import socket
held = [socket.socket() for _ in range(3)]
for one in held: one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in held])')"
export HONE_URL=http://127.0.0.1:$honed_port HONE_TOKEN_FILE=$data/admin.token
ready() { curl -sf -o /dev/null --max-time 2 "$HONE_URL/readyz"; }
start_honed() {
  "$bin/honed" --data "$data" --listen "127.0.0.1:$honed_port" "$@" >> "$work/honed.log" 2>&1 &
  honed=$!
}

leave() {
  if [ "$1" -ne 0 ]; then
    echo "$self: logs are kept in $work" >&2
  else
    rm -rf "$work"
  fi
  exit "$1"
}
