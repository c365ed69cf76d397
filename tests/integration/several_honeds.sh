#!/usr/bin/env bash
# Two honeds on one PostgreSQL, one behaviour after the other: they start together, jobs pass from one to the
# other, so do an upload's pieces, clients go on at the next when one is killed, sessions belong to one, a
# database that goes away and comes back is survived, a schema that is newer is refused with words.
set -uo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BIN=$(realpath "${HONE_BIN:-$ROOT/build/dev/bin}")
keep=
. "$ROOT/tests/chaos/namespaces.sh"
find_namespaces || { echo "SKIP: several_honeds: $missing"; exit 77; }
for program in hone honed hone-worker hone-session; do
  [ -x "$BIN/$program" ] || { echo "SKIP: no $BIN/$program"; exit 77; }
done
run_in_namespaces python3 "$ROOT/tests/chaos/several.py" --bin "$BIN"
