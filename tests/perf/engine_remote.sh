#!/usr/bin/env bash
# What a step of a compile session costs over a WebSocket and by REST, against the same step in process:
# CPU time of client, honed, hone-session and the session's process together.
#
#   engine_remote.sh [--collect] [--out DIR] [--bin DIR]
#
#   --collect   keep the module that is there
#   --out DIR   its folder [build/engine_remote]
#   --bin DIR   the build's folder, with bin/honed and tests/engine_remote [build/release if it is
#               there, else build/dev]
#
# 1,500 steps each, with instruction count and Autophase, on deflate.c of zlib, turn by turn. Prints a
# table, the figure last. Exit 1 if a WebSocket step costs more than 0.3 ms CPU more than one in process.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
collect=no out=$root/build/engine_remote bin=
while [ $# -gt 0 ]; do
  case $1 in
    --collect) collect=yes; shift ;;
    --out) out=${2:?--out DIR}; shift 2 ;;
    --bin) bin=${2:?--bin DIR}; shift 2 ;;
    *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
  esac
done
if [ -z "$bin" ]; then
  bin=$root/build/release
  [ -x "$bin/tests/engine_remote" ] || bin=$root/build/dev
fi
for tool in "$bin/tests/engine_remote" "$bin/bin/hone-session" curl clang-19; do
  command -v "$tool" > /dev/null || { echo "engine_remote: no $tool here" >&2; exit 1; }
done
[ $collect = yes ] || rm -rf "$out/modules"
mkdir -p "$out"
out=$(cd "$out" && pwd)
. "$root/tests/support/engine/modules.sh"
module_list() { echo "zlib deflate.c"; }
make_modules
HONE_BIN=$bin/bin
. "$root/tests/support/world.sh"
world_up
sha256=$(sha256sum "${modules[0]}" | cut -d' ' -f1)
(umask 077; printf 'header = "Authorization: Bearer %s"\n' "$(cat "$HONE_TOKEN_FILE")" > "$W/curl.conf")
curl -sf -K "$W/curl.conf" -H 'Content-Type: application/octet-stream' -T "${modules[0]}" \
  "$HONE_URL/v1/artifacts/$sha256" > /dev/null || { echo "engine_remote: the module was not taken" >&2; exit 1; }
honed=$(pgrep -P "$up_pid" -x honed)
echo "machine: $(nproc) processors, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), load $(cut -d' ' -f1-3 /proc/loadavg), $(date -u +%F)"
"$bin/tests/engine_remote" "${HONE_URL##*:}" "$HONE_TOKEN_FILE" "$honed" "$sha256" "${modules[0]}"
