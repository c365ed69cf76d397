#!/usr/bin/env bash
# A file that no rule matches, and one whose rule keeps the compiler's pipeline, are plain.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
loop_source > a.cc; cp a.cc b.cc
policy '{"source":"a.cc","pipeline":"default<O3>"}'
for f in a b; do
  "$CLANG" -O3 -c $f.cc -o plain.o; "$L" "$CLANG" -O3 -c $f.cc -o $f.o || no "$f failed"
  same plain.o $f.o "$f.o"
  if [ $f = a ]; then logged '"reason":"rule_says_plain"' "a"; else logged '"reason":"no_rule"' "b"; fi
  logged '"tuned":false' $f
done
exit $bad
