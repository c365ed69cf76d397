#!/usr/bin/env bash
# Levels, outputs, options, changed sources: a rule holds where it says, the first one governs.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
mkdir src out; loop_source > src/a.cc; cp src/a.cc src/b.cc
rule() { printf '{"source":"%s","pipeline":"%s"%s}' "$1" "$PIPELINE" "${2:-}"; }
go() { "$L" "$CLANG" "$@" || no "failed: $*"; }
tuned() { logged '"compiled":"tuned"' "$1"; }
plain() { logged "\"reason\":\"$1\"" "$2"; }
policy "$(rule src/a.cc)"; go -O3 -c src/a.cc -o a.o; tuned a; go -O3 -c src/b.cc -o b.o; plain no_rule b
(cd out && go -O3 -c ../src/./a.cc -o a.o); tuned "spelled otherwise"; go -O3 -c "$W/src/a.cc" -o a.o; tuned "absolute"
ln -s "$W" "$W.link"; (cd "$W.link" && go -O3 -c src/a.cc -o a.o); tuned "through a link"; rm "$W.link"
for o in -O2 -Os -O1 -Oz; do go $o -c src/a.cc -o a.o; plain no_rule "$o"; done; go -O0 -c src/a.cc -o a.o; plain level -O0
go -c src/a.cc -o a.o; plain level "no -O"; go -O0 -O3 -c src/a.cc -o a.o; tuned "last -O"; go -O3 -O0 -c src/a.cc -o a.o; plain level "last -O"
policy "$(rule '*' ',"levels":["Os","O2"]')"; go -O2 -c src/a.cc -o a.o; tuned -O2; go -Os -c src/a.cc -o a.o; tuned -Os; go -O3 -c src/a.cc -o a.o; plain no_rule -O3
policy "$(rule '*' ',"output":"out/*"')"; go -O3 -c src/a.cc -o out/a.o; tuned output; go -O3 -c src/a.cc -o a.o; plain no_rule output
policy "$(rule '*')"; go -O3 -fPIC -c src/a.cc -o a.o; f=$(last | sed 's/.*"options":"\([0-9a-f]*\)".*/\1/')
policy "$(rule '*' ",\"options\":\"$f\"")"; go -O3 -Wall -MD -fPIC -c src/b.cc -o b.o; tuned options; go -O3 -c src/a.cc -o a.o; plain no_rule options
h=$(xxhsum -H2 src/a.cc 2>/dev/null | cut -d' ' -f1)
if [ -n "$h" ]; then
  policy "$(rule src/a.cc ",\"on_source_change\":\"plain\",\"source_hash\":\"$h\"")"; go -O3 -c src/a.cc -o a.o; tuned "unchanged"
  echo '// more' >> src/a.cc; go -O3 -c src/a.cc -o a.o; plain source_changed changed
fi
policy '{"source":"src/*","pipeline":"default<O3>"}' "$(rule src/b.cc)"; go -O3 -c src/b.cc -o b.o; plain rule_says_plain "the first rule"
exit $bad
