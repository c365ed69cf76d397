#!/bin/bash
# The dashboard in Chromium. Its unit tests; every view, sign-in and roles, the keyboard alone, script tags in names and
# logs, downloads, live changes, the explorer, and axe-core in light and dark: on a coordinator of cardboard, which has
# what no small recording has, and on honed with a recorded campaign (dashboard/record.sh).
#
#   dashboard.sh [--build DIR] [--live] [--only WORD]
#
#   --build DIR   build folder of honed [build/release, built if missing]
#   --live        also tunes a small product in a fresh Hone and watches its campaign to the end
#   --only WORD   browser tests with this word in their name
#
# Prints the figure last; exit code 1 if it falls short, 77 where Chromium or npm cannot be had.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$here/build/release live= only=()
while [ $# -gt 0 ]; do
  case $1 in
    --build) build=$(cd "$2" && pwd); shift 2 ;;
    --live) live=1; shift ;;
    --only) only=(--only "$2"); shift 2 ;;
    *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
  esac
done
. "$here/tests/e2e/dashboard/node_tools.sh"

work=$(mktemp -d /var/tmp/hone-dashboard.XXXXXX)
chmod 711 "$work"
running=
finish() {
  local status=$?
  trap - EXIT
  [ -z "$running" ] || { kill -TERM "$running" 2> /dev/null; wait "$running" 2> /dev/null; } || true
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

dashboard_tests_into "$work"
dashboard_page_into "$work"
if [ ! -x "$build/bin/honed" ]; then
  [ "$build" = "$here/build/release" ] || { echo "dashboard.sh: no $build/bin/honed" >&2; exit 2; }
  cmake -S "$here" --preset release > /dev/null
  cmake --build "$build" --parallel "$(nproc)" > /dev/null
fi

wrong=0
figures=()
# Runs a suite; its last line is kept for the end.
suite() {
  node "$work/tests/e2e/dashboard/$1" "${@:2}" > "$work/suite.out" 2>&1 || wrong=$((wrong + 1))
  cat "$work/suite.out"
  figures+=("$(tail -n 1 "$work/suite.out")")
}

suite run.mjs --page "$work/page" ${only[@]+"${only[@]}"}

: > "$work/restored"
"$here/tests/e2e/dashboard/restore.sh" "$work/recorded" --bin "$build/bin" > "$work/restored" 2> "$work/restore.err" &
running=$!
until grep -qx ready "$work/restored"; do
  kill -0 "$running" 2> /dev/null || { cat "$work/restore.err" >&2; echo "WRONG: honed does not start on the recorded campaign"; exit 1; }
  sleep 0.2
done
url=$(sed -n 's/^HONE_URL=//p' "$work/restored")
# The figures below are of this tree's page, or of none.
if ! curl -fsS --compressed "$url/" | cmp -s - "$work/page/index.html"; then
  echo "WRONG: honed embeds another page than server/dashboard/page makes: build it again"
  wrong=$((wrong + 1))
fi
suite run.mjs --url "$url" --tokens "$work/recorded" ${only[@]+"${only[@]}"}
kill -TERM "$running" && wait "$running" || true
running=

if [ -n "$live" ]; then
  "$here/tests/e2e/dashboard/live.sh" "$build/bin" "$work" > "$work/live.out" 2>&1 || wrong=$((wrong + 1))
  cat "$work/live.out"
  figures+=("$(tail -n 1 "$work/live.out")")
fi

printf '\n'
printf '%s\n' "${figures[@]}"
[ "$wrong" = 0 ] || { echo "the dashboard falls short in $wrong parts"; exit 1; }
echo "the dashboard holds in Chromium, in ${#figures[@]} parts"
