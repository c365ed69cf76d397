#!/bin/bash
# The penetration checklist against a real honed with a worker: what somebody would try who can reach its
# port, holds a token of small rights, or sits between it and a build. Each line says refused, or NOT REFUSED
# with what came instead.
#
#   penetration.sh [--bin DIR] [--only PART]
#
#   --bin DIR     programs [build/dev/bin]
#   --only PART   authentication, lifetime, browser, traversal, smuggling, oversized, timing, others,
#                 policies or archives
#
# Authentication on every route and role, tokens in odd places, DNS rebinding (Host, Origin), CSRF and CORS,
# path traversal (paths, assets, artifacts, members of archives), archives that unpack to more than they may,
# Content-Encoding, header smuggling, oversized everything, what the time of an answer tells of a token,
# other people's targets and artifacts, replay of an old policy and retired keys. Prints the figure last;
# exit code 1 if anything was not refused, 2 for bad usage, 77 if a program is missing.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
only=
while [ $# -gt 0 ]; do
  case $1 in
    --bin) [ -d "${2:-}" ] || { echo "penetration: no folder ${2:-}" >&2; exit 2; }
           HONE_BIN=$(cd "$2" && pwd); export HONE_BIN; shift 2 ;;
    --only)
      case ${2:-} in
        authentication | lifetime | browser | traversal | smuggling | oversized | timing | others | policies | archives) ;;
        *) echo "penetration: no part '${2:-}'" >&2; exit 2 ;;
      esac
      only=$2; shift 2 ;;
    *) sed -n '2,/^here/{/^here/d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
  esac
done
command -v python3 > /dev/null || { echo "SKIP: no python3"; exit 77; }
. "$here/tests/support/world.sh"

world_up --slots 1
python3 "$here/tests/e2e/penetration/checklist.py" "$HONE_URL" "$W/data/admin.token" "$BIN/hone" "$W" $only || wrong=$((wrong + 1))
world_down
finish
