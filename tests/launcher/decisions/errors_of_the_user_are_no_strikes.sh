#!/usr/bin/env bash
# Flag probes and broken sources fail as often as they like: no decision is given up for them, and
# HONE_ON_FAILURE=error leaves them as they are.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
loop_source > a.cc; echo 'int broken(' > b.cc
gcc_policy() {
  printf '{"format":1,"target":"t","sequence":1,"compiler":{"family":"gcc","major":%s},"rules":[{"source":"*","pipeline":"default<O3>","knobs":{"funroll-loops":"true"}}]}' \
    "$("$GXX" -dumpversion | cut -d. -f1)" > gcc.json
  "$BIN/compile_policy" gcc.json policy.idx 2>/dev/null
}
try() { # COMPILER
  rm -rf state
  while IFS= read -r line; do
    for i in 1 2 3 4; do
      # shellcheck disable=SC2086
      cap p "$1" $line -o x.o; cap q "$L" "$1" $line -o x.o
      for k in rc out err; do same p.$k q.$k "$1 $line: $k"; done
    done
    case "$(last)" in *'"failure"'*) no "$1 $line: counted as a failure: $(last)";; esac
    HONE_ON_FAILURE=error cap q "$L" "$1" $line -o x.o; for k in rc err; do same p.$k q.$k "$1 $line, error mode: $k"; done
  done <<'LINES'
-O3 -fno-such-flag -c a.cc
-O3 -mno-such-flag -c a.cc
-O3 -march=nonsense -c a.cc
-O3 --param no-such-parameter=3 -c a.cc
-O3 -no-such-flag -c a.cc
-O3 -std=c++1 -c a.cc
-O3 -c b.cc
-O3 -c missing.cc
-O3 -Werror -Wno-such-warning -Wall -c b.cc
LINES
  "$L" "$1" -O3 -c a.cc -o a.o || no "$1: failed"; logged '"compiled":"tuned"' "$1, after all that"
}
tune_all; try "$CLANG"
# An -mllvm option of the user's own that LLVM does not know.
for o in -no-such-option=3 -unroll-count=nonsense; do
  for i in 1 2 3; do cap p "$CLANG" -O3 -mllvm $o -c a.cc -o x.o; cap q "$L" "$CLANG" -O3 -mllvm $o -c a.cc -o x.o; for k in rc out err; do same p.$k q.$k "-mllvm $o: $k"; done; done
  HONE_ON_FAILURE=error cap q "$L" "$CLANG" -O3 -mllvm $o -c a.cc -o x.o; for k in rc err; do same p.$k q.$k "-mllvm $o, error mode: $k"; done
done
"$L" "$CLANG" -O3 -c a.cc -o a.o; logged '"compiled":"tuned"' "after unknown -mllvm options"
if gcc_policy; then try "$GXX"; else echo "note: no policies for GCC"; fi
exit $bad
