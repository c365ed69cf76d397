#!/usr/bin/env bash
# -MJ: the fragment says what the user said, and its command can be run again.
# fails with: absolute_source adds_options
. "$(dirname "$0")/../behaviour.sh"
mkdir -p in/out; loop_source > in/a.cc; C=$CLANG
twin -p 'cc -O3 -MJ out/a.json -c a.cc -o out/a.o'
twin -p 'cc -O3 -MJout/a.json -c a.cc -o out/a.o'
twin -p 'cc -O3 -gen-cdb-fragment-path out -c a.cc -o out/a.o; for f in out/a.cc*.json; do mv "$f" out/fragment.json; done'
if command -v python3 >/dev/null; then
  python3 - launched/out/*.json <<'P' || no "the fragment cannot be run again"
import json, subprocess, sys
entry = json.loads(open(sys.argv[1]).read().rstrip().rstrip(","))
sys.exit(subprocess.call(entry["arguments"] + ["-fsyntax-only"], cwd="in", stderr=subprocess.DEVNULL))
P
fi
# Options that have the command written into the object.
twin -p 'cc -O3 -frecord-command-line -c a.cc -o out/a.o'
twin -p 'cc -O3 -grecord-command-line -g -c a.cc -o out/a.o'
C=$GXX; twin -p 'cc -O3 -frecord-gcc-switches -c a.cc -o out/a.o'
exit $bad
