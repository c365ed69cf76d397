#!/usr/bin/env bash
# Errors and warnings of the user's own code: same bytes, same exit code.
# fails with: speaks_on_stderr flattens_exit_code only_exec
. "$(dirname "$0")/../support.sh"
tune_all
loop_source > good.cc; "$L" "$CLANG" -O3 -c good.cc -o good.o; logged '"compiled":"tuned"' "a good file"
printf 'int a(int x) {\n  return x +;\n}\nint b() { return nope; }\n' > e.cc
printf 'int f(unsigned u) { int unused; if (u < 0) return 1; return "abc"[9]; }\n' > w.cc
printf '#include "missing.h"\n' > m.cc
while IFS= read -r line; do
  cap p eval "\"$CLANG\" $line"; cap q eval "\"$L\" \"$CLANG\" $line"
  for k in rc out err; do same p.$k q.$k "$line: $k"; done
done <<'LINES'
-O3 -c e.cc -o x.o
-O3 -Wall -Wextra -c w.cc -o x.o
-O3 -Wall -Wextra -Werror -c w.cc -o x.o
-O3 -c m.cc -o x.o
-O3 -c nosuch.cc -o x.o
-O3 -fno-such-option -c w.cc -o x.o
-O3 -c w.cc -o no/such/x.o
-O3 -fcolor-diagnostics -c e.cc -o x.o
LINES
exit $bad
