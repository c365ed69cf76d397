#!/bin/bash
# A rolling upgrade under load: a honed of an earlier commit serves alone, one of this tree joins it on the
# same PostgreSQL and migrates, both serve, the old one is asked to stop, and its place is taken by a new
# one. Clients and workers go on all the while; they put fields into their messages that no honed knows.
# Nothing may be lost or counted twice, and no request answered by an error of the server's but 503 with
# Retry-After. A honed of the old commit that is started on the new schema refuses and says why.
#
#   rolling_upgrade.sh [--from COMMIT | --old DIR] [--bin DIR] [--jobs N] [--keep]
#
#   --from COMMIT  the earlier commit [the last one before migration 0015]; its honed and hone are built
#                  once and kept below $XDG_CACHE_HOME/hone-rolling
#   --old DIR      its programs, built already
#   --bin DIR      this tree's programs [build/release/bin, built if missing]
#   --jobs N       jobs submitted meanwhile [400]
#   --keep         leave logs and journals even if all went well
#
# Prints the figure last; exit code 1 if it falls short, 2 for bad usage, 77 where namespaces, PostgreSQL or
# the earlier commit are missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2; exit 2; }
skip() { echo "SKIP: rolling_upgrade: $*" >&2; exit 77; }
from='' old='' bin=$here/build/release/bin jobs=400 keep=
while [ $# -gt 0 ]; do
  case $1 in
    --from) from=${2-}; [ -n "$from" ] || usage; shift 2 ;;
    --old) old=$(cd "${2-}" && pwd) || usage; shift 2 ;;
    --bin) bin=$(cd "${2-}" && pwd) || usage; shift 2 ;;
    --jobs) [[ ${2-} =~ ^[1-9][0-9]*$ ]] || usage; jobs=$2; shift 2 ;;
    --keep) keep=1; shift ;;
    *) usage ;;
  esac
done
. "$here/tests/chaos/namespaces.sh"
find_namespaces || skip "$missing"

if [ -z "$old" ]; then
  cd "$here"
  if [ -z "$from" ]; then
    first=$(git log --format=%H --reverse --diff-filter=A -- 'server/store/migrations/0015*' 2> /dev/null |
      head -n 1)
    [ -n "$first" ] || skip "no commit here has added migration 0015"
    from=$first^
  fi
  commit=$(git rev-parse --verify --quiet "$from^{commit}") || skip "no commit $from"
  old=${XDG_CACHE_HOME:-$HOME/.cache}/hone-rolling/$commit
  if [ ! -x "$old/honed" ]; then
    echo "building honed of ${commit:0:10}"
    tree=$(mktemp -d)
    trap 'git worktree remove --force "$tree/tree" 2> /dev/null || true; rm -rf "$tree"' EXIT
    git worktree add --quiet --detach "$tree/tree" "$commit"
    cmake -S "$tree/tree" --preset release > "$tree/log" 2>&1 || { cat "$tree/log" >&2; exit 1; }
    cmake --build "$tree/tree/build/release" --parallel "$(nproc)" --target honed hone > "$tree/log" 2>&1 ||
      { tail -n 40 "$tree/log" >&2; exit 1; }
    mkdir -p "$old"
    cp "$tree/tree/build/release/bin/hone" "$old/"
    cp "$tree/tree/build/release/bin/honed" "$old/.honed" && mv "$old/.honed" "$old/honed"
    git worktree remove --force "$tree/tree"
  fi
fi
if [ ! -x "$bin/honed" ]; then
  cmake -S "$here" --preset release > /dev/null
  cmake --build "$here/build/release" --parallel "$(nproc)" \
    --target honed hone hone-worker hone-cc hone_pass-19 > /dev/null
fi
run_in_namespaces python3 "$here/tests/chaos/rolling.py" --old "$old" --bin "$bin" --jobs "$jobs"
